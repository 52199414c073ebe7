/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roots.c - fabrics without a link between: a gang stays in one */
#include "config.h"

#include "topology/place/roots.h"
#include "topology/place/score.h"

#include <stdlib.h>

static int root_of(const struct lw_map *map, size_t group)
{
    int pod = map->groups[group].pod;

    return pod < 0 || !map->pod_roots ? -1 : map->pod_roots[pod];
}

/* The capacities of one root in 'part', zero for the others; their sum. */
static long only(const struct lw_map *map, const long *capacity, int root,
                 long *part)
{
    long sum = 0;
    size_t i;

    for (i = 0; i < map->ngroups; i++) {
        part[i] = root_of(map, i) == root ? capacity[i] : 0;
        sum += part[i];
    }
    return sum;
}

long lw_roots_fewest(const struct lw_map *map, const long *capacity, long n,
                     long *most)
{
    long best = -1, sum, k, *part;
    int root;

    *most = -1;
    if (map->nroots < 2 || !(part = calloc(map->ngroups + 1, sizeof(*part))))
        return lw_fewest_groups(capacity, map->ngroups, n);
    for (root = -1; root < (int)map->nroots; root++) {
        sum = only(map, capacity, root, part);
        k = sum >= n ? lw_fewest_groups(part, map->ngroups, n) : -1;
        if (sum > *most)
            *most = sum;
        if (k >= 0 && (best < 0 || k < best))
            best = k;
    }
    free(part);
    return best;
}
