/* SPDX-License-Identifier: GPL-2.0-or-later */
/* groups.h - leaves, rails, rail groups and pods out of the fabric graph */
#ifndef LW_GROUPS_H
#define LW_GROUPS_H

#include "topology/fabric/fabric.h"
#include "topology/fabric/map.h"

/* What the caller knows beyond the fabric itself. */
struct lw_groups_options {
    const char *const *compute; /* node names of Slurm, NULL: all hosts that
                                   look like the others are compute nodes */
    size_t ncompute;
    const char *const *ignore; /* shell patterns: HCAs and switches whose
                                  device, host or name matches are left out */
    size_t nignore;
    const struct lw_map_source *sources;
    size_t nsources;
    const struct lw_map *previous; /* groups keep the names they have there;
                                      lw_map_load_names() is enough; NULL
                                      none */
};

/* Find leaves, rails, rail groups, pods and findings. Returns a map to free
 * with lw_map_destroy() ('created' is left NULL), or NULL with 'err'. */
struct lw_map *lw_groups_map(const struct lw_fabric *fabric,
                             const struct lw_groups_options *options,
                             lw_error_t *err);

#endif
