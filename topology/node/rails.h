/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rails.h - the compute rails of a node and their name for NCCL */
#ifndef LW_RAILS_H
#define LW_RAILS_H

#include <stdbool.h>
#include <stddef.h>

#include "topology/node/inventory.h"
#include "topology/settings.h"

/* NCCL opens at most this many devices and drops the rest without a word. */
#define LW_RAILS_MAX 32

/* What a step can use. */
struct lw_rails {
    int nics[LW_RAILS_MAX]; /* indices into the inventory, in rail order */
    size_t n;
    int all[LW_RAILS_MAX]; /* the same with those that are down */
    size_t nall;
    size_t down;      /* compute rails whose port is not active */
    size_t other;     /* compute rails left out for their link type */
    char names[512];  /* of those that are down, "mlx5_3:1 rail 3", for logs */
    const char *none; /* why there is none, NULL when there are some */
};

/* The compute rails of the node: verbs devices that carry a rail number, all
 * of one link type, in order of rail, device and port. Ports that are not
 * active are kept or dropped as 'port_down' says (LW_PORT_FAIL drops). */
void lw_rails_find(const struct lw_inventory *inv, enum lw_port_down port_down,
                   struct lw_rails *out);

/* The value for NCCL_IB_HCA, "=mlx5_0:1,mlx5_1:1": exact names, because
 * mlx5_1 alone would also match mlx5_10, and always the port. Returns text to
 * free, NULL when out of memory or when there is no rail. */
char *lw_rails_hca(const struct lw_inventory *inv, const struct lw_rails *r);

/* Look again at the ports of the compute rails in 'sysfs' ("/sys"): the
 * cached state may be days old. A device that is gone counts as down; where
 * none of them is found (another machine's inventory) nothing changes. */
void lw_rails_refresh(struct lw_inventory *inv, const char *sysfs);

/* Natural order of device names: mlx5_2 before mlx5_10. */
int lw_name_order(const char *a, const char *b);

#endif
