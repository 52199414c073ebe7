/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order.h - the order of nodes in which neighbours share a group */
#ifndef LW_ORDER_H
#define LW_ORDER_H

#include <stddef.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "topology/fabric/map.h"

/* No order file is larger, bytes: 250,000 nodes. */
#define LW_ORDER_LIMIT (16UL * 1024 * 1024)

/* What is known of one node of a step or list. */
struct lw_order_node {
    char *name;                   /* the caller's */
    size_t was;                   /* its place in the caller's order */
    int pod, group, domain, node; /* places in the map, INT_MAX unknown */
    int rails, rails_up;          /* by the map, -1 unknown */
};

/* Sort 'names' in place: by the pod and then the group that comes first, the
 * map's own order of nodes inside a group; nodes that the map does not know
 * come last, as they were. Returns 0, or -1 when out of memory. */
int lw_order_nodes(const struct lw_map *map, char **names, size_t n);

/* The order file: what a compute node needs of the map, every node in order
 * with its place and rails (docs/node-format.md), appended to 'out'. Returns
 * 0, or -1 when out of memory. */
int lw_order_print(const struct lw_map *map, struct lw_buf *out);

/* Sort 'nodes' in the same way from the order file at 'path'. Where that does
 * not bring more neighbours of one group together (Slurm 26.05 orders ranks
 * by topology, SwitchAsNodeRank did before) the order stays as it was. The
 * caller fills 'name'. Returns how many of them the file knows, or -1 with
 * 'err': one that is cut off or of another kind is refused whole. */
int lw_order_by_file(const char *path, struct lw_order_node *nodes, size_t n,
                     lw_error_t *err);

#endif
