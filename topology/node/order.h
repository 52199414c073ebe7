/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order.h - the order of nodes in which neighbours share a group */
#ifndef LW_ORDER_H
#define LW_ORDER_H

#include <stddef.h>

#include "topology/fabric/map.h"
#include "topology/node/inventory.h"

/* Sort 'names' in place: by the pod and then the group that comes first, the
 * map's own order of nodes inside a group; nodes that the map does not know
 * come last, as they were. Returns 0, or -1 when out of memory. */
int lw_order_nodes(const struct lw_map *map, char **names, size_t n);

#endif
