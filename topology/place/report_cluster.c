/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_cluster.c - what snapshots of the cluster say: now and over time */
#include "config.h"

#include "topology/place/report_cluster.h"

#include "lib/buf.h"
#include "lib/when.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_WIDTH 60 /* seconds of a bin until they get too many */

int lw_cluster_init(struct lw_cluster *c)
{
    memset(c, 0, sizeof(*c));
    c->bin_width = FIRST_WIDTH;
    c->map_age = -1;
    return (c->names = lw_strtab_create()) ? 0 : -1;
}

static void free_group(struct lw_cluster_group *g)
{
    size_t i;

    free(g->states);
    for (i = 0; i < g->nnodes; i++)
        free(g->nodes[i]);
    free(g->nodes);
    memset(g, 0, sizeof(*g));
}

static void clear_groups(struct lw_cluster_groups *groups)
{
    size_t i;

    for (i = 0; i < groups->n; i++)
        free_group(&groups->v[i]);
    groups->n = 0;
}

void lw_cluster_free(struct lw_cluster *c)
{
    size_t i;

    clear_groups(&c->groups);
    clear_groups(&c->map);
    free(c->groups.v);
    free(c->map.v);
    free(c->pending);
    free(c->degraded);
    for (i = 0; i < LW_BINS; i++) {
        free(c->bins[i].busy);
        free(c->bins[i].lost);
    }
    lw_strtab_destroy(c->names);
}

const struct lw_cluster_group *
lw_cluster_find(const struct lw_cluster_groups *groups, size_t name)
{
    size_t i;

    for (i = 0; i < groups->n; i++)
        if (groups->v[i].name == name)
            return &groups->v[i];
    return NULL;
}

size_t lw_group_count(const struct lw_cluster_group *g, char state)
{
    size_t n = 0;
    const char *s;

    for (s = g->states; s && *s; s++)
        n += *s == state;
    return n;
}

/* An element of "groups" as it stands in the line. */
struct group_line {
    char *group, *pod, *states;
    long gpus, used;
    long free[LW_FREES];
    struct lw_jscan_raw nodes;
};

#define FREE(key, why)                                                         \
    {                                                                          \
        LW_JSCAN_KEY(key), LW_JSCAN_LONG,                                      \
            offsetof(struct group_line, free[why]), NULL                       \
    }

static const struct lw_jscan_field free_fields[] = {
    FREE("idle", LW_FREE_IDLE),         FREE("rail", LW_FREE_RAIL),
    FREE("partly", LW_FREE_PARTLY),     FREE("cpu", LW_FREE_CPU),
    FREE("memory", LW_FREE_MEMORY),     FREE("completing", LW_FREE_COMPLETING),
    FREE("reserved", LW_FREE_RESERVED), FREE("drained", LW_FREE_DRAINED),
    FREE("down", LW_FREE_DOWN),         {0},
};

static const struct lw_jscan_field group_fields[] = {
    {LW_JSCAN_KEY("group"), LW_JSCAN_TEXT, offsetof(struct group_line, group),
     NULL},
    {LW_JSCAN_KEY("pod"), LW_JSCAN_TEXT, offsetof(struct group_line, pod),
     NULL},
    {LW_JSCAN_KEY("states"), LW_JSCAN_TEXT, offsetof(struct group_line, states),
     NULL},
    {LW_JSCAN_KEY("gpus"), LW_JSCAN_LONG, offsetof(struct group_line, gpus),
     NULL},
    {LW_JSCAN_KEY("gpus_used"), LW_JSCAN_LONG,
     offsetof(struct group_line, used), NULL},
    {LW_JSCAN_KEY("free"), LW_JSCAN_OBJECT, 0, free_fields},
    {LW_JSCAN_KEY("nodes"), LW_JSCAN_RAW, offsetof(struct group_line, nodes),
     NULL},
    {0},
};

static struct lw_cluster_group *add_group(struct lw_cluster_groups *groups)
{
    size_t size = groups->size ? groups->size * 2 : 32;
    struct lw_cluster_group *v;

    if (groups->n == groups->size) {
        if (!(v = realloc(groups->v, size * sizeof(*v))))
            return NULL;
        groups->v = v;
        groups->size = size;
    }
    v = &groups->v[groups->n++];
    memset(v, 0, sizeof(*v));
    return v;
}

static int copy_nodes(struct lw_cluster_group *g, struct lw_jscan_raw *array)
{
    size_t size = 0;
    char *name, **v;

    while (array->len && lw_jscan_next_text(array, &name) > 0) {
        if (g->nnodes == size) {
            size = size ? size * 2 : 16;
            if (!(v = realloc(g->nodes, size * sizeof(*v))))
                return -1;
            g->nodes = v;
        }
        if (!(g->nodes[g->nnodes] = strdup(name)))
            return -1;
        g->nnodes++;
    }
    return 0;
}

static int copy_group(struct lw_cluster *c, struct lw_cluster_groups *to,
                      struct group_line *line)
{
    struct lw_cluster_group *g = add_group(to);
    const char *pod = line->pod ? line->pod : "";

    if (!g)
        return -1;
    g->name = lw_strtab_add(c->names, line->group, strlen(line->group));
    g->pod = lw_strtab_add(c->names, pod, strlen(pod));
    g->gpus = line->gpus;
    g->used = line->used;
    memcpy(g->free, line->free, sizeof(g->free));
    if (g->name == LW_STRTAB_NONE || g->pod == LW_STRTAB_NONE ||
        !(g->states = strdup(line->states ? line->states : "")))
        return -1;
    return copy_nodes(g, &line->nodes);
}

static void take_groups(struct lw_cluster *c, struct lw_cluster_groups *to,
                        struct lw_jscan_raw *array)
{
    struct group_line line;

    clear_groups(to);
    memset(&line, 0, sizeof(line));
    while (array->len && lw_jscan_next(array, group_fields, &line) > 0) {
        if (line.group && copy_group(c, to, &line) < 0)
            c->failed = true;
        memset(&line, 0, sizeof(line));
    }
}

/* Elements of "startable" and "slots". */
struct pair {
    long groups, nodes, count;
};

static const struct lw_jscan_field pair_fields[] = {
    {LW_JSCAN_KEY("groups"), LW_JSCAN_LONG, offsetof(struct pair, groups),
     NULL},
    {LW_JSCAN_KEY("nodes"), LW_JSCAN_LONG, offsetof(struct pair, nodes), NULL},
    {LW_JSCAN_KEY("count"), LW_JSCAN_LONG, offsetof(struct pair, count), NULL},
    {0},
};

void lw_range_add(struct lw_range *r, long v)
{
    r->now = v;
    if (!r->n || v < r->least)
        r->least = v;
    if (!r->n || v > r->most)
        r->most = v;
    r->sum += (double)v;
    r->n++;
}

static void take_startable(struct lw_cluster *c, struct lw_jscan_raw *array,
                           struct lw_bin *bin)
{
    struct pair p = {0};
    size_t i;

    for (i = 0; i < LW_KS && array->len; i++) {
        if (lw_jscan_next(array, pair_fields, &p) <= 0)
            break;
        c->k[i] = p.groups;
        lw_range_add(&c->startable[i], p.nodes);
        bin->startable[i] += (double)p.nodes;
        if (bin->n == 1 || p.nodes < bin->least[i])
            bin->least[i] = p.nodes;
    }
    c->nk = i;
}

static void take_slots(struct lw_cluster *c, struct lw_jscan_raw *array)
{
    struct pair p = {0};
    size_t i;

    while (array->len && lw_jscan_next(array, pair_fields, &p) > 0) {
        for (i = 0; i + 1 < LW_SIZES && (2L << i) < p.nodes; i++)
            ;
        lw_range_add(&c->slots[i], p.count);
        if (i >= c->nslots)
            c->nslots = i + 1;
    }
}

/* An element of "pending" as it stands in the line. */
struct pending_line {
    long id, nodes, gpus, groups;
    char *partition;
};

#define PENDING(type, key, member)                                             \
    {                                                                          \
        LW_JSCAN_KEY(key), LW_JSCAN_##type,                                    \
            offsetof(struct pending_line, member), NULL                        \
    }

static const struct lw_jscan_field pending_fields[] = {
    PENDING(LONG, "id", id),
    PENDING(LONG, "nodes", nodes),
    PENDING(LONG, "gpus", gpus),
    PENDING(LONG, "groups", groups),
    PENDING(TEXT, "partition", partition),
    {0},
};

static int add_pending(struct lw_cluster *c, const struct pending_line *p)
{
    const char *partition = p->partition ? p->partition : "";
    struct lw_pending *v = realloc(c->pending, (c->npending + 1) * sizeof(*v));

    if (!v)
        return -1;
    c->pending = v;
    v += c->npending++;
    *v = (struct lw_pending){p->id, p->nodes, p->gpus, p->groups, 0};
    v->partition = lw_strtab_add(c->names, partition, strlen(partition));
    return v->partition == LW_STRTAB_NONE ? -1 : 0;
}

static void take_pending(struct lw_cluster *c, struct lw_jscan_raw *array)
{
    static const struct pending_line blank = {0, 0, 0, -1, NULL};
    struct pending_line p = blank;

    c->npending = 0;
    while (array->len && lw_jscan_next(array, pending_fields, &p) > 0) {
        if (add_pending(c, &p) < 0)
            c->failed = true;
        p = blank;
    }
}

static int bin_groups(struct lw_bin *bin, size_t n)
{
    float *busy, *lost;

    if (n <= bin->ngroups)
        return 0;
    if (!(busy = realloc(bin->busy, n * sizeof(*busy))))
        return -1;
    bin->busy = busy;
    if (!(lost = realloc(bin->lost, n * sizeof(*lost))))
        return -1;
    bin->lost = lost;
    memset(busy + bin->ngroups, 0, (n - bin->ngroups) * sizeof(*busy));
    memset(lost + bin->ngroups, 0, (n - bin->ngroups) * sizeof(*lost));
    bin->ngroups = n;
    return 0;
}

/* Add b's sums to a and leave b empty. */
static int join(struct lw_bin *a, struct lw_bin *b)
{
    struct lw_bin from = *b;
    size_t i;

    memset(b, 0, sizeof(*b));
    if (bin_groups(a, from.ngroups) < 0) {
        free(from.busy);
        free(from.lost);
        return -1;
    }
    for (i = 0; i < from.ngroups; i++) {
        a->busy[i] += from.busy[i];
        a->lost[i] += from.lost[i];
    }
    for (i = 0; i < LW_KS; i++) {
        a->startable[i] += from.startable[i];
        if (from.n && (!a->n || from.least[i] < a->least[i]))
            a->least[i] = from.least[i];
    }
    a->n += from.n;
    a->idle += from.idle;
    a->mixed += from.mixed;
    a->full += from.full;
    a->down += from.down;
    a->gpus += from.gpus;
    a->used += from.used;
    a->stranded += from.stranded;
    a->fragmentation += from.fragmentation;
    a->groups_idle += from.groups_idle;
    a->groups_part += from.groups_part;
    a->groups_full += from.groups_full;
    a->pods_idle += from.pods_idle;
    a->pods_part += from.pods_part;
    a->pods_full += from.pods_full;
    a->unusable += from.unusable;
    a->unusable_of += from.unusable_of;
    a->unusable_n += from.unusable_n;
    a->pending += from.pending;
    a->waiting += from.waiting;
    free(from.busy);
    free(from.lost);
    return 0;
}

/* Double the width: bins that now begin together become one. */
static void widen(struct lw_cluster *c)
{
    size_t to = 0, i;

    c->bin_width *= 2;
    for (i = 0; i < c->nbins; i++) {
        int64_t from = c->bins[i].from - c->bins[i].from % c->bin_width;

        if (to && c->bins[to - 1].from == from) {
            if (join(&c->bins[to - 1], &c->bins[i]) < 0)
                c->failed = true;
            continue;
        }
        if (to != i) {
            c->bins[to] = c->bins[i];
            memset(&c->bins[i], 0, sizeof(c->bins[i]));
        }
        c->bins[to++].from = from;
    }
    c->nbins = to;
}

/* The bin of a moment; lines come nearly in order of time, so the last one
 * is tried first, and a straggler goes into the earliest that is there. */
static struct lw_bin *bin_of(struct lw_cluster *c, int64_t at)
{
    int64_t from = at - at % c->bin_width;
    size_t i = c->nbins;

    while (i && c->bins[i - 1].from > from)
        i--;
    if (i && (c->bins[i - 1].from == from || i < c->nbins))
        return &c->bins[i - 1];
    if (!i && c->nbins)
        return &c->bins[0];
    if (c->nbins == LW_BINS) {
        widen(c);
        return bin_of(c, at);
    }
    memset(&c->bins[c->nbins], 0, sizeof(c->bins[0]));
    c->bins[c->nbins].from = from;
    return &c->bins[c->nbins++];
}

static double known(long v)
{
    return v > 0 ? (double)v : 0;
}

/* Nodes of a group, or of all groups of a pod. */
struct level {
    size_t nodes, idle, lost;
};

/* Idle, partly used, full: nodes that take no job do not count. */
static void count_level(const struct level *l, double *idle, double *part,
                        double *full)
{
    *idle += l->nodes && l->idle && l->idle + l->lost == l->nodes;
    *part += l->idle && l->idle + l->lost < l->nodes;
    *full += l->nodes && !l->idle;
}

static struct level level_of(const struct lw_cluster_group *g)
{
    struct level l = {strlen(g->states), lw_group_count(g, 'i'),
                      lw_group_count(g, 'd') + lw_group_count(g, '-')};

    return l;
}

static void bin_add_groups(struct lw_cluster *c, struct lw_bin *bin)
{
    size_t i, n = lw_strtab_count(c->names);
    struct level *pods = calloc(n + 1, sizeof(*pods)), l, *pod;
    const struct lw_cluster_group *g;

    if (!pods || bin_groups(bin, n) < 0) {
        c->failed = true;
        free(pods);
        return;
    }
    for (i = 0; i < c->groups.n; i++) {
        g = &c->groups.v[i];
        l = level_of(g);
        pod = &pods[g->pod];
        pod->nodes += l.nodes;
        pod->idle += l.idle;
        pod->lost += l.lost;
        bin->busy[g->name] += (float)(l.nodes - l.idle - l.lost);
        bin->lost[g->name] += (float)l.lost;
        count_level(&l, &bin->groups_idle, &bin->groups_part,
                    &bin->groups_full);
    }
    for (i = 0; i < n; i++)
        count_level(&pods[i], &bin->pods_idle, &bin->pods_part,
                    &bin->pods_full);
    free(pods);
}

static void bin_add_unusable(struct lw_bin *bin,
                             const struct lw_log_record *line)
{
    size_t i;

    if (line->gpus.unusable < 0)
        return;
    bin->unusable_n++;
    bin->unusable += line->gpus.unusable;
    for (i = LW_FREE_IDLE; i <= LW_FREE_MEMORY; i++)
        bin->unusable_of += known(line->gpus.free[i]);
}

static void take_snapshot(struct lw_cluster *c, struct lw_log_record *line)
{
    struct lw_bin *bin = bin_of(c, line->at_ms / 1000);

    bin->n++;
    bin->idle += known(line->nodes.idle);
    bin->mixed += known(line->nodes.mixed);
    bin->full += known(line->nodes.full);
    bin->down += known(line->nodes.down);
    bin->gpus += known(line->gpus.total);
    bin->used += known(line->gpus.used);
    bin->stranded += known(line->gpus.stranded);
    bin->fragmentation += line->fragmentation > 0 ? line->fragmentation : 0;
    bin->pending += known(line->jobs.pending_gangs);
    bin->waiting += known(line->jobs.waiting);
    c->snapshots++;
    c->at = line->at_ms / 1000;
    c->last = *line;
    c->map_age = line->map.age;
    bin_add_unusable(bin, line);
    take_groups(c, &c->groups, &line->groups);
    bin_add_groups(c, bin);
    take_startable(c, &line->startable, bin);
    take_slots(c, &line->slots);
    lw_cluster_types(c, &line->types);
    take_pending(c, &line->pending);
}

/* The names with commas, to free; cut when they get too many to read. NULL
 * when there are none. */
static char *join_names(struct lw_jscan_raw *array)
{
    struct lw_buf b = LW_BUF_INIT(256);
    char *name;

    while (array->len && b.len < 200 && lw_jscan_next_text(array, &name) > 0)
        lw_buf_printf(&b, "%s%s", b.len ? "," : "", name);
    if (b.len >= 200)
        lw_buf_puts(&b, ",..");
    if (!b.len)
        return NULL;
    return lw_buf_take(&b);
}

static void take_map(struct lw_cluster *c, struct lw_log_record *line)
{
    int64_t ms;

    c->map_changes++;
    take_groups(c, &c->map, &line->groups);
    free(c->degraded);
    c->degraded = join_names(&line->degraded_nodes);
    if (line->map.created && lw_when_rfc3339(line->map.created, &ms) == 0)
        c->map_created = ms / 1000;
}

void lw_cluster_add(struct lw_cluster *c, struct lw_log_record *line)
{
    if (line->event == LW_LOG_SNAPSHOT)
        take_snapshot(c, line);
    else if (line->event == LW_LOG_MAP_CHANGED)
        take_map(c, line);
}
