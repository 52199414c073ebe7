/* SPDX-License-Identifier: GPL-2.0-or-later */
/* show_cluster.h - the groups of the cluster, drawn in the terminal */
#ifndef LW_SHOW_CLUSTER_H
#define LW_SHOW_CLUSTER_H

#include <stdio.h>

#include "topology/fabric/map.h"
#include "topology/place/state.h"

struct lw_picture {
    size_t width; /* characters a line */
    int colour;
};

/* Draw every group of the map as a row of its nodes, as 'state' has them, with
 * sums and the largest gangs below. Returns 0, or -1 when out of memory. */
int lw_show_cluster(const struct lw_map *map, const struct lw_state *state,
                    const struct lw_picture *picture, FILE *out);

/* The same for the map and the state at these paths, again and again every
 * 'seconds' (0: once). Returns an exit code, after the reason was printed. */
int lw_show_live(const char *map, const char *state, long seconds);

#endif
