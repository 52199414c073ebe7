/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capacity.c - how many nodes of each rail group could hold a job */
#include "config.h"

#include "topology/place/capacity.h"
#include "topology/place/decide_view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void read_fact(const struct lw_state_node *node, struct lw_fact *f)
{
    long used = 0;
    size_t i;

    for (i = 0; i < node->ngpus; i++) {
        f->gpus += node->gpus[i].count;
        used += node->gpus[i].used;
    }
    f->known = true;
    f->usable = node->state != LW_NODE_DOWN;
    f->idle = node->state == LW_NODE_IDLE;
    f->gpus_free = f->gpus > used ? f->gpus - used : 0;
    f->cpus = node->cpus;
    f->node = node;
    f->memory = node->memory;
    f->memory_free =
        node->memory > node->memory_used ? node->memory - node->memory_used : 0;
    f->cpus_free =
        node->cpus > node->cpus_used ? node->cpus - node->cpus_used : 0;
}

struct lw_capacity *lw_capacity_create(const struct lw_map *map,
                                       const struct lw_state *state)
{
    struct lw_capacity *c = calloc(1, sizeof(*c));
    size_t i;

    if (!c || !(c->facts = calloc(map->nnodes + 1, sizeof(*c->facts))) ||
        !(c->index = calloc(state->nnodes + 1, sizeof(*c->index)))) {
        lw_capacity_destroy(c);
        return NULL;
    }
    c->map = map;
    c->nindex = state->nnodes;
    for (i = 0; i < state->nnodes; i++) {
        c->index[i] = lw_map_find_node(map, state->nodes[i].name);
        if (c->index[i] >= 0)
            read_fact(&state->nodes[i], &c->facts[c->index[i]]);
    }
    return c;
}

void lw_capacity_destroy(struct lw_capacity *c)
{
    int saved = errno;

    if (!c)
        return;
    free(c->facts);
    free(c->index);
    free(c);
    errno = saved;
}

struct lw_need lw_capacity_need(const struct lw_job *job)
{
    long n = job->nnodes > 0 ? job->nnodes : 1;
    struct lw_need need = {.whole = job->exclusive,
                           .memory = job->node_memory,
                           .all_memory = job->all_memory,
                           .gpu_type = job->gpus > 0 ? job->gpu_type : NULL,
                           .features = job->features};

    need.gpus = job->gpus > 0 ? job->gpus / n : 0;
    need.cpus = job->cpus > 0 ? job->cpus / n : 0;
    if (job->node_cpus > need.cpus)
        need.cpus = job->node_cpus;
    if (job->gpus > 0 && need.gpus == 0)
        need.gpus = 1;
    return need;
}

const struct lw_state_partition *
lw_state_find_partition(const struct lw_state *state, const char *names)
{
    size_t i, len;

    for (; names && *names; names += len + (names[len] == ',')) {
        len = strcspn(names, ",");
        for (i = 0; i < state->npartitions; i++)
            if (strncmp(state->partitions[i].name, names, len) == 0 &&
                !state->partitions[i].name[len])
                return &state->partitions[i];
    }
    for (i = 0; !names && i < state->npartitions; i++)
        if (state->partitions[i].is_default)
            return &state->partitions[i];
    return NULL;
}

static bool has_gpus(const struct lw_state_node *node, const char *type,
                     long count)
{
    size_t i;

    for (i = 0; i < node->ngpus; i++)
        if (strcmp(node->gpus[i].type, type) == 0)
            return node->gpus[i].count >= count;
    return false;
}

bool lw_capacity_suits(const struct lw_capacity *c, size_t node,
                       const struct lw_need *need)
{
    const struct lw_fact *f = &c->facts[node];

    return f->known &&
           (!need->gpu_type || has_gpus(f->node, need->gpu_type, need->gpus)) &&
           lw_features_match(need->features, f->node) != 0;
}

bool lw_capacity_is_free(const struct lw_capacity *c, size_t node,
                         const struct lw_need *need)
{
    const struct lw_fact *f = &c->facts[node];

    return f->known && f->usable && (!need->whole || f->idle) &&
           f->gpus_free >= need->gpus && f->cpus_free >= need->cpus &&
           f->cpus_free > 0 && f->memory_free >= need->memory &&
           (!need->all_memory || f->memory_free == f->memory);
}

static bool is_large_enough(const struct lw_fact *f, const struct lw_need *need)
{
    return f->known && f->gpus >= need->gpus && f->cpus >= need->cpus;
}

struct counting {
    const struct lw_capacity *then, *now;
    const struct lw_need *need;
    const bool *own;
    bool only_free;
    long *per_group;
};

static void count(const struct counting *c, size_t node)
{
    int i = node < c->now->nindex ? c->now->index[node] : -1, group;
    bool counts;

    if (i < 0 || (group = c->now->map->nodes[i].group) < 0)
        return;
    if (c->only_free)
        counts = (c->own && c->own[i]) ||
                 (lw_capacity_suits(c->now, (size_t)i, c->need) &&
                  lw_capacity_is_free(c->then, (size_t)i, c->need));
    else
        counts = is_large_enough(&c->now->facts[i], c->need);
    c->per_group[group] += counts;
}

static void count_partition(const struct counting *c,
                            const struct lw_state *state, const char *partition)
{
    const struct lw_state_partition *p =
        lw_state_find_partition(state, partition);
    size_t i;

    memset(c->per_group, 0, c->now->map->ngroups * sizeof(*c->per_group));
    for (i = 0; p && i < p->nnodes; i++)
        count(c, (size_t)p->nodes[i]);
    for (i = 0; !p && i < state->nnodes; i++)
        count(c, i);
}

void lw_capacity_all(const struct lw_capacity *c, const struct lw_state *state,
                     const char *partition, const struct lw_need *need,
                     long *per_group)
{
    struct counting counting = {
        .then = c, .now = c, .need = need, .per_group = per_group};

    count_partition(&counting, state, partition);
}

void lw_capacity_free_then(const struct lw_capacity *then,
                           const struct lw_capacity *now,
                           const struct lw_state *state, const char *partition,
                           const struct lw_need *need, const bool *own,
                           long *per_group)
{
    struct counting counting = {.then = then,
                                .now = now,
                                .need = need,
                                .own = own,
                                .only_free = true,
                                .per_group = per_group};

    count_partition(&counting, state, partition);
}

void lw_capacity_take(struct lw_capacity *c, size_t node,
                      const struct lw_need *need)
{
    struct lw_fact *f = &c->facts[node];

    f->idle = false;
    f->gpus_free = f->gpus_free > need->gpus ? f->gpus_free - need->gpus : 0;
    f->cpus_free = f->cpus_free > need->cpus ? f->cpus_free - need->cpus : 0;
    f->memory_free =
        f->memory_free > need->memory ? f->memory_free - need->memory : 0;
    if (need->whole)
        f->cpus_free = 0;
    if (need->all_memory)
        f->memory_free = 0;
}
