/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assign.h - which NICs of a node are compute rails, and which rail */
#ifndef LW_ASSIGN_H
#define LW_ASSIGN_H

#include "topology/fabric/map.h"
#include "topology/node/inventory.h"

/* Give the NICs of 'inv' their rails, from the best source there is: the
 * fabric map ('map' may be NULL), where the adapter's GUID tells it; the
 * site's 'rule' (a list of devices in rail order, "" for none); or a guess
 * from link type, rate and nearness to the GPUs. inv->rails_by says which.
 * Also takes the node's group, pod and NVLink domain from the map. Returns 0,
 * or -1 with 'err' for a rule that names no NIC of this node, or when out of
 * memory. */
int lw_rails_assign(struct lw_inventory *inv, const struct lw_map *map,
                    const char *rule, lw_error_t *err);

#endif
