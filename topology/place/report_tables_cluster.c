/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_tables_cluster.c - the tables of the report about the cluster */
#include "config.h"

#include "lib/when.h"
#include "topology/place/report_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_OVER_TIME 24

bool lw_report_no_snapshot(const struct lw_report *r, struct lw_sheet *t)
{
    if (r->cluster.snapshots)
        return false;
    snprintf(t->note, sizeof(t->note),
             "The log holds no snapshot of the cluster in this period.");
    return true;
}

void lw_report_note_now(const struct lw_report *r, struct lw_sheet *t)
{
    char at[LW_WHEN_SIZE];

    lw_when_print((time_t)r->cluster.at, at);
    snprintf(t->note, sizeof(t->note),
             "\"Now\" is the snapshot of %s, the last of %llu.", at,
             (unsigned long long)r->cluster.snapshots);
}

void lw_report_range_cells(struct lw_sheet *t, const struct lw_range *range)
{
    lw_sheet_count(t, range->now);
    lw_sheet_number(t, range->n ? range->sum / (double)range->n : -1);
    lw_sheet_count(t, range->least);
    lw_sheet_count(t, range->most);
}

static const struct lw_column startable_columns[] = {
    {"groups", "On groups", 0}, {"now_nodes", "Nodes now", 0},
    {"mean_nodes", "Mean", 1},  {"least_nodes", "Least", 0},
    {"most_nodes", "Most", 2},  {0},
};

void lw_report_fill_startable(const struct lw_report *r, struct lw_sheet *t)
{
    const struct lw_cluster *c = &r->cluster;
    size_t i;

    lw_sheet_init(t, "startable", startable_columns);
    snprintf(t->title, sizeof(t->title), "Largest gang that could start");
    t->whole = 1;
    if (lw_report_no_snapshot(r, t))
        return;
    lw_report_note_now(r, t);
    for (i = 0; i < c->nk; i++) {
        lw_sheet_count(t, c->k[i]);
        lw_report_range_cells(t, &c->startable[i]);
    }
}

static const struct lw_column slot_columns[] = {
    {"nodes", "Gang of", 0}, {"now", "Fit now", 0}, {"mean", "Mean", 1},
    {"least", "Least", 0},   {"most", "Most", 2},   {0},
};

void lw_report_fill_slots(const struct lw_report *r, struct lw_sheet *t)
{
    const struct lw_cluster *c = &r->cluster;
    size_t i;

    lw_sheet_init(t, "slots", slot_columns);
    snprintf(t->title, sizeof(t->title),
             "How many gangs would fit, each in one group");
    t->whole = 1;
    if (lw_report_no_snapshot(r, t))
        return;
    lw_report_note_now(r, t);
    for (i = 0; i < c->nslots; i++) {
        lw_sheet_count(t, 2L << i);
        lw_report_range_cells(t, &c->slots[i]);
    }
}

static const struct lw_column fragmentation_columns[] = {
    {"from", "From (UTC)", 0},
    {"fragmentation", "Fragmented", 0},
    {"idle_nodes", "Idle nodes", 2},
    {"largest", "Largest gang", 0},
    {"idle_groups", "Groups idle", 3},
    {"part_groups", "partly", 4},
    {"full_groups", "full", 5},
    {"used_gpu_share", "GPUs used", 1},
    {"stranded_gpu_share", "stranded", 0},
    {"pending_gangs", "Gangs pending", 6},
    {"unusable_gpus", "Unusable GPUs", 7},
    {"unusable_share", "of free", 8},
    {"idle_pods", "Pods idle", 9},
    {"part_pods", "partly", 10},
    {"full_pods", "full", 11},
    {0},
};

static void fragmentation_row(struct lw_sheet *t, const struct lw_bin *b,
                              int64_t from)
{
    double n = (double)b->n;

    lw_sheet_time(t, from);
    lw_sheet_share(t, b->fragmentation, n);
    lw_sheet_number(t, b->idle / n);
    lw_sheet_count(t, b->least[0]);
    lw_sheet_number(t, b->groups_idle / n);
    lw_sheet_number(t, b->groups_part / n);
    lw_sheet_number(t, b->groups_full / n);
    lw_sheet_share(t, b->used, b->gpus);
    lw_sheet_share(t, b->stranded, b->gpus);
    lw_sheet_number(t, b->pending / n);
    lw_sheet_number(t,
                    b->unusable_n ? b->unusable / (double)b->unusable_n : -1);
    lw_sheet_share(t, b->unusable, b->unusable_of);
    lw_sheet_number(t, b->pods_idle / n);
    lw_sheet_number(t, b->pods_part / n);
    lw_sheet_number(t, b->pods_full / n);
}

/* Add the plain sums of a bin: all that the row shows. */
static void add_bin(struct lw_bin *sum, const struct lw_bin *b)
{
    if (!sum->n || b->least[0] < sum->least[0])
        sum->least[0] = b->least[0];
    sum->n += b->n;
    sum->fragmentation += b->fragmentation;
    sum->idle += b->idle;
    sum->groups_idle += b->groups_idle;
    sum->groups_part += b->groups_part;
    sum->groups_full += b->groups_full;
    sum->used += b->used;
    sum->gpus += b->gpus;
    sum->stranded += b->stranded;
    sum->pending += b->pending;
    sum->unusable += b->unusable;
    sum->unusable_of += b->unusable_of;
    sum->unusable_n += b->unusable_n;
    sum->pods_idle += b->pods_idle;
    sum->pods_part += b->pods_part;
    sum->pods_full += b->pods_full;
}

void lw_report_fill_fragmentation(const struct lw_report *r, struct lw_sheet *t)
{
    const struct lw_cluster *c = &r->cluster;
    int64_t width = c->bin_width, from = 0;
    struct lw_bin sum = {0};
    size_t i;

    lw_sheet_init(t, "fragmentation", fragmentation_columns);
    snprintf(t->title, sizeof(t->title), "Fragmentation over time");
    t->whole = 1;
    if (lw_report_no_snapshot(r, t))
        return;
    while ((c->bins[c->nbins - 1].from - c->bins[0].from) / width >=
           ROWS_OVER_TIME)
        width *= 2;
    for (i = 0; i < c->nbins; i++) {
        if (sum.n && c->bins[i].from / width != from / width) {
            fragmentation_row(t, &sum, from);
            memset(&sum, 0, sizeof(sum));
        }
        if (!sum.n)
            from = c->bins[i].from;
        add_bin(&sum, &c->bins[i]);
    }
    fragmentation_row(t, &sum, from);
    snprintf(t->note, sizeof(t->note),
             "Fragmented: the share of idle nodes whose group is not wholly "
             "idle. Largest gang: the smallest number of nodes seen that "
             "could start in one group. Stranded: idle GPUs on partly used "
             "nodes. Unusable: free GPUs that a job cannot use, as the mean "
             "over the jobs of the time.");
}

static const struct lw_column stranded_columns[] = {
    {"group", "Group", 0},
    {"pod", "Pod", 6},
    {"gpus", "GPUs", 0},
    {"used", "Used", 0},
    {"idle_whole", "On idle nodes", 1},
    {"stranded", "Stranded", 0},
    {"down", "On down nodes", 0},
    {"nodes_part", "Nodes partly used", 3},
    {"nodes_full", "full", 4},
    {"nodes_down", "down", 5},
    {0},
};

static void stranded_row(const struct lw_cluster *c,
                         const struct lw_cluster_group *g, struct lw_sheet *t)
{
    long nodes = (long)strlen(g->states), each, idle, down, rest;

    each = nodes && g->gpus > 0 ? g->gpus / nodes : 0;
    idle = (long)lw_group_count(g, 'i') * each;
    down = (long)(lw_group_count(g, 'd') + lw_group_count(g, '-')) * each;
    rest = g->gpus - (g->used > 0 ? g->used : 0) - idle - down;
    lw_sheet_text(t, lw_strtab_name(c->names, g->name));
    lw_sheet_text(t, lw_strtab_name(c->names, g->pod));
    lw_sheet_count(t, g->gpus);
    lw_sheet_count(t, g->used);
    lw_sheet_count(t, idle);
    lw_sheet_count(t, rest > 0 ? rest : 0);
    lw_sheet_count(t, down);
    lw_sheet_count(t, (long)lw_group_count(g, 'm'));
    lw_sheet_count(t, (long)lw_group_count(g, 'f'));
    lw_sheet_count(t, (long)lw_group_count(g, 'd'));
}

void lw_report_fill_stranded(const struct lw_report *r, struct lw_sheet *t)
{
    const struct lw_cluster *c = &r->cluster;
    size_t i;

    lw_sheet_init(t, "stranded", stranded_columns);
    snprintf(t->title, sizeof(t->title), "Where the GPUs are");
    if (lw_report_no_snapshot(r, t))
        return;
    for (i = 0; i < c->groups.n; i++)
        stranded_row(c, &c->groups.v[i], t);
    snprintf(t->note, sizeof(t->note),
             "Stranded: idle GPUs on nodes that are partly used, or full by "
             "their CPUs or memory; a gang of whole nodes cannot use them.");
}

static const struct lw_column failure_columns[] = {
    {"nodes", "Gang of", 0},
    {"gangs", "Gangs seen", 1},
    {"groups_all", "Groups that hold it", 0},
    {"groups_now", "with their nodes up", 0},
    {"groups_spare", "after one failure more each", 2},
    {0},
};

/* In how many groups a gang fits with 'less' nodes fewer than are up. */
static long hosts(const struct lw_cluster *c, long nodes, int up, long less)
{
    long n = 0, have;
    size_t i;

    for (i = 0; i < c->groups.n; i++) {
        const struct lw_cluster_group *g = &c->groups.v[i];

        have = (long)strlen(g->states);
        if (up)
            have -= (long)(lw_group_count(g, 'd') + lw_group_count(g, '-'));
        n += have - less >= nodes;
    }
    return n;
}

/* Which sizes are worth a row: those seen, up to the largest group. */
void lw_report_fill_failures(const struct lw_report *r, struct lw_sheet *t)
{
    const struct lw_cluster *c = &r->cluster;
    long size, all, lost = 0;

    lw_sheet_init(t, "failures", failure_columns);
    snprintf(t->title, sizeof(t->title),
             "What failed nodes cost: groups that can hold a gang alone");
    if (lw_report_no_snapshot(r, t))
        return;
    for (size = 2; size <= LW_SIZE_EXACT; size++) {
        all = hosts(c, size, 0, 0);
        if (!all)
            break;
        if (!r->exact[size])
            continue;
        lw_sheet_count(t, size);
        lw_sheet_count(t, (long)r->exact[size]);
        lw_sheet_count(t, all);
        lw_sheet_count(t, hosts(c, size, 1, 0));
        lw_sheet_count(t, hosts(c, size, 1, 1));
        lost += all - hosts(c, size, 1, 0);
    }
    if (lost)
        snprintf(t->note, sizeof(t->note),
                 "Repairing the nodes that are down gives these gangs their "
                 "groups back; one node kept spare in a group protects the "
                 "sizes whose last two columns differ.");
}

static const struct lw_column drift_columns[] = {
    {"what", "What", 0},
    {"count", "Count", 0},
    {"detail", "Detail", 0},
    {0},
};

static void drift_row(struct lw_sheet *t, const char *what, long n,
                      const char *detail)
{
    lw_sheet_text(t, what);
    lw_sheet_count(t, n);
    lw_sheet_text(t, detail);
}

/* Groups smaller than the largest of all, and nodes Slurm does not know. */
static void drift_groups(const struct lw_cluster *c, struct lw_sheet *t)
{
    size_t i, n, largest = 0, missing = 0, unknown = 0;
    const char *small = "", *strange = "";
    char detail[160];

    for (i = 0; i < c->groups.n; i++)
        if ((n = strlen(c->groups.v[i].states)) > largest)
            largest = n;
    for (i = 0; i < c->groups.n; i++) {
        const struct lw_cluster_group *g = &c->groups.v[i];

        if (strlen(g->states) < largest && !missing++)
            small = lw_strtab_name(c->names, g->name);
        if (lw_group_count(g, '-') && !unknown++)
            strange = lw_strtab_name(c->names, g->name);
    }
    snprintf(detail, sizeof(detail), "%s%s%s (the largest has %zu nodes)",
             small, missing > 1 ? " and others" : "", missing ? "" : "none",
             largest);
    drift_row(t, "groups smaller than the largest", (long)missing, detail);
    snprintf(detail, sizeof(detail), "%s%s", unknown ? strange : "none",
             unknown > 1 ? " and others" : "");
    drift_row(t, "groups with nodes Slurm does not know", (long)unknown,
              detail);
}

void lw_report_fill_drift(const struct lw_report *r, struct lw_sheet *t)
{
    const struct lw_cluster *c = &r->cluster;
    char detail[LW_WHEN_SIZE] = "";

    lw_sheet_init(t, "drift", drift_columns);
    snprintf(t->title, sizeof(t->title), "The map against the cluster");
    t->whole = 1;
    if (lw_report_no_snapshot(r, t))
        return;
    drift_row(t, "nodes with GPUs in no group", c->last.nodes.unmapped,
              c->last.nodes.unmapped > 0
                  ? "run leafward discover, then leafward check"
                  : "none");
    drift_row(t, "nodes with a rail down or slow", c->last.map.degraded,
              c->degraded                ? c->degraded
              : c->last.map.degraded > 0 ? NULL
                                         : "none");
    drift_groups(c, t);
    if (c->map_created)
        lw_when_print((time_t)c->map_created, detail);
    drift_row(t, "changes of the map in the period", (long)c->map_changes,
              c->map_created ? detail : NULL);
    drift_row(t, "hours since the map was made",
              c->map_age < 0 ? -1 : c->map_age / 3600, NULL);
}
