/* SPDX-License-Identifier: GPL-2.0-or-later */
/* score.h - how good a placement is against the best possible */
#ifndef LW_SCORE_H
#define LW_SCORE_H

#include <stdbool.h>
#include <stddef.h>

#include "topology/fabric/map.h"

struct lw_score {
    long groups;      /* groups the allocation touches */
    long fewest;      /* on an empty cluster, configured capacity */
    long fewest_free; /* given what was free at start; -1 unknown */
    long excess;      /* groups - fewest */
    long pods;
    long unknown;        /* nodes that are not in the map */
    bool rails_complete; /* every node has every rail up */
    long ring_crossings; /* ring edges, in host order, between groups */
    long *per_group;     /* nodes per group touched, largest first; owned */
    const char **group_names; /* same order; the array is owned */
    size_t nper_group;
};

/* The fewest groups that can hold 'n' nodes when group g holds
 * capacity[g] of them; -1 when all together cannot. */
long lw_fewest_groups(const long *capacity, size_t ngroups, long n);

/* Score the allocation 'nodes' (names in rank order). capacity_all and
 * capacity_free are nodes per group, by the map's index; either may be NULL.
 * Returns 0, or -1 when out of memory. */
int lw_score_nodes(const struct lw_map *map, const char *const *nodes,
                   size_t nnodes, const long *capacity_all,
                   const long *capacity_free, struct lw_score *score);
void lw_score_free(struct lw_score *score);

#endif
