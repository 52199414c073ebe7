/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roots.h - fabrics without a link between: a gang stays in one */
#ifndef LW_ROOTS_H
#define LW_ROOTS_H

#include "topology/fabric/map.h"

/* The fewest groups of one root that hold 'n' nodes, when capacity[group] of
 * each can serve; -1 when no root holds them. '*most' is set to what the
 * largest root holds, -1 when the map has no two roots. */
long lw_roots_fewest(const struct lw_map *map, const long *capacity, long n,
                     long *most);

#endif
