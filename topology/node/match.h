/* SPDX-License-Identifier: GPL-2.0-or-later */
/* match.h - which NIC serves which GPU */
#ifndef LW_MATCH_H
#define LW_MATCH_H

#include <stddef.h>

#include "topology/node/inventory.h"

/* How far apart two PCI devices are, in the words of nvidia-smi topo. */
enum lw_near {
    LW_NEAR_PIX,  /* below the same bridge */
    LW_NEAR_PXB,  /* several bridges, one root port */
    LW_NEAR_PHB,  /* the same host bridge */
    LW_NEAR_NODE, /* the same NUMA node */
    LW_NEAR_SYS   /* across sockets, or unknown */
};

enum lw_near lw_near(const struct lw_gpu *gpu, const struct lw_nic *nic);
const char *lw_near_word(int near);

/* Give each of the 'n' GPUs gpus[] one of the 'm' NICs nics[] (indices into
 * the inventory): the assignment of least total distance in which no NIC
 * serves more GPUs than the others need; ties go by the order of the lists.
 * out[i] is an index into the inventory's NICs, -1 when m is 0. Returns 0, or
 * -1 when out of memory. */
int lw_match(const struct lw_inventory *inv, const int *gpus, size_t n,
             const int *nics, size_t m, int *out);

#endif
