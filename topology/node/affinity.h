/* SPDX-License-Identifier: GPL-2.0-or-later */
/* affinity.h - share the CPUs near the GPUs fairly among tasks */
#ifndef LW_AFFINITY_H
#define LW_AFFINITY_H

#include <stddef.h>

#include "topology/node/cpus.h"
#include "topology/node/inventory.h"

/* Share 'allowed' among 'ntasks' tasks, task i wanting the CPUs near[i]: each
 * gets whole cores of its own as far as there are enough, tasks that want the
 * same CPUs get equal shares in task order, and where CPUs are fewer than
 * tasks they are shared. out[i] is always within near[i] and allowed; it is
 * empty only when these two do not meet. Returns 0, or -1 when out of
 * memory. */
int lw_affinity_share(const struct lw_inventory *inv,
                      const struct lw_cpus *allowed, const struct lw_cpus *near,
                      size_t ntasks, struct lw_cpus *out);

#endif
