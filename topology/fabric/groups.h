/* SPDX-License-Identifier: GPL-2.0-or-later */
/* groups.h - leaves, rails, rail groups and pods out of the fabric graph */
#ifndef LW_GROUPS_H
#define LW_GROUPS_H

#include "topology/fabric/fabric.h"
#include "topology/fabric/map.h"

/* What the caller knows beyond the fabric itself. */
struct lw_groups_options {
    const char *const *compute; /* node names of Slurm, NULL: all hosts are
                                   compute nodes */
    size_t ncompute;
    const struct lw_map_source *sources;
    size_t nsources;
};

/* Find leaves, rails, rail groups, pods and findings. Returns a map to free
 * with lw_map_destroy(), or NULL with 'err'. */
struct lw_map *lw_groups_map(const struct lw_fabric *fabric,
                             const struct lw_groups_options *options,
                             lw_error_t *err);

#endif
