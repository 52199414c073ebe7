/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decide_lever.c - what makes Slurm place a job where it should go */
#include "config.h"

#include "lib/buf.h"
#include "topology/place/decide_plan.h"
#include "topology/place/roots.h"
#include "topology/place/score.h"

#include <stdlib.h>
#include <string.h>

/* Slurm takes 1024 bytes of features; leave room. */
#define FEATURES_LIMIT 1000

bool lw_view_fresh(const struct lw_view *v, time_t now)
{
    time_t age;

    if (!v->state)
        return false;
    age = now - v->state->created;
    return !now ||
           (age <= v->settings->state_age && -age <= v->settings->state_age);
}

/* The segment for n nodes on base blocks that hold 'size': as large as
 * divides, as long as every segment can have a block of its own without more
 * blocks than the fewest. 36 on 18 is 18, 32 is 16; a prime number has none,
 * and then Slurm's own choice for the whole job is the better one. */
static long segment_for(long n, long size)
{
    long blocks, segment;

    if (size <= 0 || n <= size)
        return -1;
    blocks = (n + size - 1) / size;
    segment = n / blocks;
    return n % blocks == 0 && segment > 1 ? segment : -1;
}

static void plan_block(const struct lw_view *v, const long *capacity,
                       struct lw_plan *p)
{
    long size = 0, segment, enough = 0;
    size_t i;

    for (i = 0; i < v->nbins; i++)
        if (capacity[i] > size)
            size = capacity[i];
    if (v->state && v->state->nblock_sizes && v->state->block_sizes[0] < size)
        size = v->state->block_sizes[0];
    segment = segment_for(p->nodes, size);
    for (i = 0; i < v->nbins; i++)
        enough += capacity[i] >= segment;
    if (segment > 0 && enough >= p->nodes / segment)
        p->segment = segment;
}

/* An alternative of a feature list. */
struct choice {
    long idle, capacity;
    int group;
};

/* Those that can start the gang now first, the fullest of them first: Slurm
 * takes the first alternative that can start. */
static int by_fit(const void *a, const void *b)
{
    const struct choice *x = a, *y = b;

    if (x->idle != y->idle)
        return x->idle < y->idle ? -1 : 1;
    if (x->capacity != y->capacity)
        return x->capacity < y->capacity ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

/* Is the group's name a feature of each of its nodes in the partition? */
static bool is_feature(const struct lw_view *v, const struct lw_side *side,
                       int group)
{
    const char *name = v->map->groups[group].name;
    const struct lw_cell *c = side->cells, *end = c + side->ncells;
    bool found = false;

    for (; c < end; c++) {
        if (c->bin != group)
            continue;
        if (lw_features_match(name, v->nodes[v->samples[c->kind]].state) <= 0)
            return false;
        found = true;
    }
    return found;
}

static void count_idle(const struct lw_view *v, const struct lw_side *side,
                       struct choice *choices)
{
    const struct lw_view_node *n;
    size_t i;

    for (i = 0; i < side->nnodes; i++) {
        n = &v->nodes[side->nodes[i]];
        if (n->bin >= 0 && n->state && n->state->state == LW_NODE_IDLE)
            choices[n->bin].idle++;
    }
}

static char *feature_list(const struct lw_view *v, const struct lw_side *side,
                          struct choice *choices, long nodes)
{
    struct lw_buf b = LW_BUF_INIT(FEATURES_LIMIT);
    size_t i, n = 0;
    char *text;

    count_idle(v, side, choices);
    for (i = 0; i < v->map->ngroups; i++)
        if (choices[i].idle < nodes)
            choices[i].idle = (long)side->nnodes + 1;
    qsort(choices, v->map->ngroups, sizeof(*choices), by_fit);
    for (i = 0; i < v->map->ngroups && n < LW_MAX_ALTERNATIVES; i++)
        if (choices[i].capacity >= nodes &&
            is_feature(v, side, choices[i].group)) {
            lw_buf_printf(&b, "%s%s", n ? "|" : "[",
                          v->map->groups[choices[i].group].name);
            n++;
        }
    lw_buf_puts(&b, "]");
    text = lw_buf_take(&b);
    if (n == 0) {
        free(text);
        text = NULL;
    }
    return text;
}

/* No topology plugin: only a list of features keeps a gang in one group, and
 * that never gives way, so the site must have asked for it. */
static void plan_flat(const struct lw_view *v, const struct lw_request *r,
                      const long *capacity, struct lw_plan *p)
{
    struct choice *choices;
    size_t i;

    if (!v->settings->features || p->groups != 1 ||
        (r->features && *r->features))
        return;
    if (!(choices = calloc(v->map->ngroups + 1, sizeof(*choices))))
        return;
    for (i = 0; i < v->map->ngroups; i++) {
        choices[i].group = (int)i;
        choices[i].capacity = capacity[i];
    }
    p->features = feature_list(v, p->side, choices, p->nodes);
    free(choices);
}

/* A node with a Weight of its own beats every topology: Slurm fills the
 * lightest nodes first and would then wait for switches in vain. All bins of
 * the partition are no limit. */
static void plan_tree(const struct lw_request *r, const struct lw_view *v,
                      struct lw_plan *p)
{
    if (p->groups > 0 && p->groups < p->side->nbins && !p->weights &&
        r->wait != 0 && (r->wait > 0 || v->settings->max_patience > 0))
        p->switches = p->groups;
}

bool lw_may_exclude(const struct lw_view *v, const struct lw_request *r)
{
    size_t i;

    if (r->no_mark || r->no_exclude || !lw_view_fresh(v, r->now))
        return false;
    /* slurmctld may know a host by more names than watch will see */
    for (i = 0; i < r->nexcluded; i++)
        if (!lw_view_find(v, r->excluded[i]))
            return false;
    return true;
}

/* The fewest bins; blocks are Slurm's own, and it knows which belong
 * together. '*most' as in lw_roots_fewest(). */
static long fewest(const struct lw_view *v, const struct lw_plan *p,
                   const long *capacity, long *most)
{
    if (p->side->topology != LW_TOPO_BLOCK)
        return lw_roots_fewest(v->map, capacity, p->nodes, most);
    *most = -1;
    return lw_fewest_groups(capacity, v->nbins, p->nodes);
}

/* Enough nodes, but no link between them. */
static bool is_apart(const struct lw_view *v, const long *capacity, long most,
                     struct lw_plan *p)
{
    long sum = 0;
    size_t i;

    for (i = 0; i < v->nbins; i++)
        sum += capacity[i];
    if (most < 0 || sum < p->nodes)
        return false;
    p->action = LW_IMPOSSIBLE;
    p->reason = LW_TOO_LARGE;
    p->apart = true;
    p->have = most;
    p->most = -1;
    return true;
}

void lw_plan_gang(const struct lw_view *v, const struct lw_request *r,
                  const struct lw_count *c, struct lw_plan *p)
{
    const long *capacity = c->all;
    long most = -1, k = -1;

    p->have = c->nall;
    p->weights = c->weights;
    if (c->nhealthy >= p->nodes)
        k = fewest(v, p, c->healthy, &most);
    if (c->nhealthy >= p->nodes && (k > 0 || most < 0)) {
        capacity = c->healthy;
        p->no_degraded = c->nhealthy < c->nall && lw_may_exclude(v, r);
    }
    if (capacity == c->all)
        k = fewest(v, p, capacity, &most);
    p->groups = k;
    if (k < 0 && is_apart(v, capacity, most, p))
        return;
    switch (p->side->topology) {
    case LW_TOPO_UNKNOWN:
    case LW_TOPO_TREE:
        plan_tree(r, v, p);
        break;
    case LW_TOPO_BLOCK:
        plan_block(v, capacity, p);
        break;
    case LW_TOPO_FLAT:
        plan_flat(v, r, capacity, p);
        break;
    }
}
