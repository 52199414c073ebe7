/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_tables_gpus.c - tables: free GPUs by cause, and gangs by GPU type */
#include "config.h"

#include "lib/plural.h"
#include "lib/when.h"
#include "topology/place/report_tables.h"

#include <stdio.h>
#include <string.h>

/* After the group and the sum, one column for each enum lw_free. */
static const struct lw_column cause_columns[] = {
    {"group", "Group", 0},        {"free_gpus", "Free GPUs", 0},
    {"idle", "Whole nodes", 0},   {"rail", "Rail bad", 2},
    {"partly", "Partly used", 0}, {"cpu", "No CPU", 0},
    {"memory", "No memory", 0},   {"completing", "Completing", 3},
    {"reserved", "Reserved", 1},  {"drained", "Drained", 0},
    {"down", "Down", 0},          {0},
};

static void cause_row(struct lw_sheet *t, const char *name, const long *gpus)
{
    long sum = 0;
    size_t i;

    for (i = 0; i < LW_FREES; i++)
        sum += gpus[i] > 0 ? gpus[i] : 0;
    lw_sheet_text(t, name);
    lw_sheet_count(t, sum);
    for (i = 0; i < LW_FREES; i++)
        lw_sheet_count(t, gpus[i] > 0 ? gpus[i] : 0);
}

static void cause_note(const struct lw_report *r, struct lw_sheet *t)
{
    const struct lw_log_record *last = &r->cluster.last;
    char at[LW_WHEN_SIZE];
    size_t n;

    lw_when_print((time_t)r->cluster.at, at);
    n = (size_t)snprintf(t->note, sizeof(t->note),
                         "At %s. A gang of whole nodes can have those on whole "
                         "nodes, and those with a bad rail if it must.",
                         at);
    if (last->gpus.unusable >= 0)
        snprintf(t->note + n, sizeof(t->note) - n,
                 " Of the GPUs on nodes that take jobs, a job could not use "
                 "%.1f (mean of %ld %s).",
                 last->gpus.unusable, last->gpus.mix,
                 lw_plural((unsigned long long)last->gpus.mix, "job", "jobs"));
}

void lw_report_fill_causes(const struct lw_report *r, struct lw_sheet *t)
{
    const struct lw_cluster *c = &r->cluster;
    size_t i;

    lw_sheet_init(t, "causes", cause_columns);
    snprintf(t->title, sizeof(t->title), "Why free GPUs are free");
    if (lw_report_no_snapshot(r, t))
        return;
    if (c->last.gpus.free[LW_FREE_IDLE] < 0) {
        snprintf(t->note, sizeof(t->note),
                 "The last snapshot was written by an older version, which "
                 "did not tell causes.");
        return;
    }
    cause_row(t, "all", c->last.gpus.free);
    for (i = 0; i < c->groups.n; i++)
        cause_row(t, lw_strtab_name(c->names, c->groups.v[i].name),
                  c->groups.v[i].free);
    cause_note(r, t);
}

static const struct lw_column type_columns[] = {
    {"gpu_type", "GPU type", 0},
    {"gpus", "GPUs", 1},
    {"used_gpus", "Used", 2},
    {"groups", "On groups", 0},
    {"now_nodes", "Nodes now", 0},
    {"mean_nodes", "Mean", 3},
    {"least_nodes", "Least", 0},
    {"most_nodes", "Most", 4},
    {0},
};

void lw_report_fill_types(const struct lw_report *r, struct lw_sheet *t)
{
    const struct lw_cluster *c = &r->cluster;
    const struct lw_cluster_type *type;
    const char *name;
    size_t i, k;

    lw_sheet_init(t, "types", type_columns);
    snprintf(t->title, sizeof(t->title),
             "Largest gang that could start, by GPU type");
    t->whole = 1;
    if (lw_report_no_snapshot(r, t))
        return;
    lw_report_note_now(r, t);
    for (i = 0; i < c->ntypes; i++) {
        type = &c->types[i];
        name = lw_strtab_name(c->names, type->name);
        for (k = 0; k < c->nk && type->startable[k].n; k++) {
            lw_sheet_text(t, *name ? name : "(none)");
            lw_sheet_count(t, type->gpus);
            lw_sheet_count(t, type->used);
            lw_sheet_count(t, c->k[k]);
            lw_report_range_cells(t, &type->startable[k]);
        }
    }
    if (!c->ntypes)
        snprintf(t->note, sizeof(t->note),
                 "The snapshots were written by an older version, which did "
                 "not tell types.");
}
