/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decide_subnode.c - jobs smaller than a node: the fullest nodes first */
#include "config.h"

#include "topology/place/decide_plan.h"

#include <stdlib.h>
#include <string.h>

static long free_gpus(const struct lw_state_node *s, const char *type)
{
    long sum = 0;
    size_t i;

    for (i = 0; i < s->ngpus; i++)
        if (!type || strcmp(s->gpus[i].type, type) == 0)
            sum += s->gpus[i].count - s->gpus[i].used;
    return sum;
}

static bool is_excluded(const struct lw_request *r, const char *name)
{
    size_t i;

    for (i = 0; i < r->nexcluded; i++)
        if (strcmp(r->excluded[i], name) == 0)
            return true;
    return false;
}

static long at_most(long n, long free, long need)
{
    return need > 0 && free / need < n ? free / need : n;
}

/* How many such jobs the node can take beside what runs there. */
static long room(const struct lw_request *r, const struct lw_view_node *n,
                 long gpus)
{
    const struct lw_state_node *s = n->state;
    long cpus, memory, jobs = free_gpus(s, r->gpu_type) / gpus;

    lw_node_needs(r, 1, gpus, s->threads, &cpus, &memory);
    jobs = at_most(jobs, s->cpus - s->cpus_used, cpus);
    jobs = at_most(jobs, s->memory - s->memory_used, memory);
    if (jobs > 0 &&
        (lw_features_match(r->features, s) <= 0 || is_excluded(r, n->name)))
        return 0;
    return jobs > 0 ? jobs : 0;
}

/* Jobs that fit on the nodes of one level; counting ends at 'enough'. */
static long level_room(const struct lw_view *v, const struct lw_fill_level *l,
                       const struct lw_request *r, long gpus, long enough)
{
    long jobs = 0;
    size_t i;

    for (i = 0; i < l->nnodes && jobs < enough; i++)
        jobs += room(r, &v->nodes[l->nodes[i]], gpus);
    return jobs;
}

/* GPUs are given out by the state of the last look, so the fullest node may
 * be promised already to jobs of the last seconds: levels are left open until
 * those and this job have room, all of them for an array. */
bool lw_plan_subnode(const struct lw_view *v, const struct lw_side *side,
                     const struct lw_request *r, long gpus, size_t *open)
{
    long need, jobs = 0;
    size_t i;

    if (!v->settings->subnode || r->exclusive || r->memory_node == 0 ||
        !lw_view_fresh(v, r->now))
        return false;
    need = 1 + (r->ahead + gpus - 1) / gpus;
    for (i = 0; i < side->nlevels && (r->array || jobs < need); i++)
        if (side->levels[i].free >= gpus)
            jobs += level_room(v, &side->levels[i], r, gpus, need);
    *open = i;
    return jobs >= need && (side->unmixed.count || i < side->nlevels);
}

static int by_free(const void *a, const void *b)
{
    const struct lw_fill_level *x = a, *y = b;

    return (x->free > y->free) - (x->free < y->free);
}

/* The level of that many free GPUs, made when there is none yet. */
static struct lw_fill_level *level_of(struct lw_side *side, long free)
{
    struct lw_fill_level *l;
    size_t i;

    for (i = 0; i < side->nlevels; i++)
        if (side->levels[i].free == free)
            return &side->levels[i];
    l = realloc(side->levels, (side->nlevels + 1) * sizeof(*l));
    if (!l)
        return NULL;
    side->levels = l;
    l += side->nlevels++;
    *l = (struct lw_fill_level){.free = free};
    l->nodes = calloc(side->nnodes + 1, sizeof(*l->nodes));
    return l->nodes ? l : NULL;
}

int lw_side_make_levels(const struct lw_view *v, struct lw_side *side)
{
    const struct lw_view_node *n;
    struct lw_fill_level *l;
    size_t i;

    for (i = 0; i < side->nnodes; i++) {
        n = &v->nodes[side->nodes[i]];
        if (!n->state || n->state->state != LW_NODE_MIXED)
            continue;
        if (!(l = level_of(side, free_gpus(n->state, NULL))))
            return -1;
        l->nodes[l->nnodes++] = side->nodes[i];
    }
    if (side->nlevels)
        qsort(side->levels, side->nlevels, sizeof(*side->levels), by_free);
    return 0;
}

void lw_side_free_levels(struct lw_side *side)
{
    size_t i;

    for (i = 0; i < side->nlevels; i++) {
        free(side->levels[i].nodes);
        free(side->levels[i].names.text);
    }
    free(side->levels);
}
