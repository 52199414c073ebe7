/* SPDX-License-Identifier: GPL-2.0-or-later */
/* score.c - how good a placement is against the best possible */
#include "config.h"

#include "topology/place/score.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The largest capacity below 'below', and how many groups have it. */
static long next_size(const long *capacity, size_t ngroups, long below,
                      long *times)
{
    long best = 0;
    size_t i;

    *times = 0;
    for (i = 0; i < ngroups; i++) {
        if (capacity[i] >= below || capacity[i] < best)
            continue;
        if (capacity[i] > best) {
            best = capacity[i];
            *times = 0;
        }
        ++*times;
    }
    return best;
}

/* Largest first, one size at a time: groups have few sizes, so this needs
 * neither memory nor sorting. */
long lw_fewest_groups(const long *capacity, size_t ngroups, long n)
{
    long below = n + 1, used = 0, times, size, need;
    size_t i;

    if (n <= 0)
        return 0;
    for (i = 0; i < ngroups; i++)
        if (capacity[i] >= n)
            return 1;
    while (n > 0) {
        if ((size = next_size(capacity, ngroups, below, &times)) <= 0)
            return -1;
        need = (n + size - 1) / size;
        if (need <= times)
            return used + need;
        used += times;
        n -= times * size;
        below = size;
    }
    return used;
}

struct tally {
    int group;
    long nodes;
};

/* Largest first; ties by the map's own order, which is by name. */
static int by_nodes(const void *a, const void *b)
{
    const struct tally *x = a, *y = b;

    if (x->nodes != y->nodes)
        return x->nodes < y->nodes ? 1 : -1;
    return (x->group > y->group) - (x->group < y->group);
}

struct counting {
    const struct lw_map *map;
    struct tally *tally; /* by group */
    bool *pods;
    int first, last; /* group of the first and the latest known node */
    bool complete;
    struct lw_score *score;
};

static void count_node(struct counting *c, const char *name)
{
    int i = lw_map_find_node(c->map, name), group;
    const struct lw_map_node *node;

    if (i < 0) {
        c->score->unknown++;
        c->complete = false;
        return;
    }
    node = &c->map->nodes[i];
    group = node->group;
    if (c->tally[group].nodes++ == 0)
        c->score->groups++;
    if (node->pod >= 0 && !c->pods[node->pod]) {
        c->pods[node->pod] = true;
        c->score->pods++;
    }
    if (lw_map_node_is_degraded(node))
        c->complete = false;
    if (c->last >= 0 && c->last != group)
        c->score->ring_crossings++;
    if (c->first < 0)
        c->first = group;
    c->last = group;
}

static int finish(struct counting *c)
{
    struct lw_score *s = c->score;
    size_t i;

    if (s->groups > 1 && c->first != c->last)
        s->ring_crossings++;
    s->rails_complete = c->complete;
    s->nper_group = (size_t)s->groups;
    s->per_group = calloc(s->nper_group + 1, sizeof(*s->per_group));
    s->group_names = calloc(s->nper_group + 1, sizeof(*s->group_names));
    if (!s->per_group || !s->group_names)
        return -1;
    qsort(c->tally, c->map->ngroups, sizeof(*c->tally), by_nodes);
    for (i = 0; i < s->nper_group; i++) {
        s->per_group[i] = c->tally[i].nodes;
        s->group_names[i] = c->map->groups[c->tally[i].group].name;
    }
    return 0;
}

/* Fewest groups by 'capacity'; what this allocation itself uses is possible
 * in any case, even when the capacities say less. */
static long bounded(const long *capacity, size_t ngroups, long n, long used)
{
    long k = capacity ? lw_fewest_groups(capacity, ngroups, n) : -1;

    return capacity && (k < 0 || k > used) ? used : k;
}

static long configured(const struct lw_map *map, long n, long used)
{
    long *capacity = calloc(map->ngroups + 1, sizeof(*capacity)), k = -1;
    size_t i;

    if (!capacity)
        return -1;
    for (i = 0; i < map->ngroups; i++)
        capacity[i] = (long)map->groups[i].nnodes;
    k = bounded(capacity, map->ngroups, n, used);
    free(capacity);
    return k;
}

int lw_score_nodes(const struct lw_map *map, const char *const *nodes,
                   size_t nnodes, const long *capacity_all,
                   const long *capacity_free, struct lw_score *score)
{
    struct lw_score s = {0};
    struct counting c = {.map = map, .first = -1, .last = -1, .score = &s};
    long known;
    size_t i;
    int rc = -1;

    c.complete = nnodes > 0;
    c.tally = calloc(map->ngroups + 1, sizeof(*c.tally));
    c.pods = calloc(map->npods + 1, sizeof(*c.pods));
    if (!c.tally || !c.pods)
        goto out;
    for (i = 0; i < map->ngroups; i++)
        c.tally[i].group = (int)i;
    for (i = 0; i < nnodes; i++)
        count_node(&c, nodes[i]);
    if (finish(&c) < 0)
        goto out;
    known = (long)nnodes - s.unknown;
    s.fewest = capacity_all
                   ? bounded(capacity_all, map->ngroups, known, s.groups)
                   : configured(map, known, s.groups);
    s.fewest_free = bounded(capacity_free, map->ngroups, known, s.groups);
    if (s.fewest < 0)
        goto out;
    s.excess = s.groups - s.fewest;
    *score = s;
    rc = 0;
out:
    if (rc < 0)
        lw_score_free(&s);
    free(c.tally);
    free(c.pods);
    return rc;
}

void lw_score_free(struct lw_score *score)
{
    int saved = errno;

    free(score->per_group);
    free(score->group_names);
    memset(score, 0, sizeof(*score));
    errno = saved;
}
