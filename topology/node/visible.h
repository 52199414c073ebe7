/* SPDX-License-Identifier: GPL-2.0-or-later */
/* visible.h - which GPUs of the node a step or task sees, in its order */
#ifndef LW_VISIBLE_H
#define LW_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>

#include "topology/node/inventory.h"

#define LW_VISIBLE_MAX 128 /* entries in one list; MIG gives up to 56 */

/* What Slurm put into the environment; texts are borrowed, NULL when the
 * variable is not set. */
struct lw_visible_env {
    const char *visible; /* CUDA_VISIBLE_DEVICES, ROCR_.. or ZE_AFFINITY_MASK */
    const char *granted; /* SLURM_STEP_GPUS: always numbers of the whole node */
    long count;          /* SLURM_GPUS_ON_NODE, -1 when not set */
};

enum lw_numbering {
    LW_NUMBERS_NONE,   /* no numbers in the list */
    LW_NUMBERS_GLOBAL, /* numbers of the whole node */
    LW_NUMBERS_LOCAL   /* 0..n-1 of what the device cgroup lets through */
};

/* Entry i of the step's list is GPU gpus[i] of the inventory. */
struct lw_visible {
    int gpus[LW_VISIBLE_MAX];
    size_t n;
    long count;          /* GPUs granted, also when it is unknown which */
    bool mig;            /* entries are MIG instances, not whole GPUs */
    int numbering;       /* enum lw_numbering */
    const char *trouble; /* why n is 0 although count is not, else NULL */
};

/* Resolve the step's lists. Never fails: what cannot be resolved leaves n 0
 * and says why. Numbers count GPUs as the vendor's runtime does ('index' of
 * the inventory, else PCI order), which is also how Slurm numbers them
 * (src/plugins/gres/common/gres_common.c, common_gres_set_env(), 22.05 to
 * 26.05). */
void lw_visible_step(const struct lw_inventory *inv,
                     const struct lw_visible_env *env, struct lw_visible *out);

/* Resolve the list 'visible' that one task of that step sees. Returns 0, or
 * -1 when it does not fit the step's. */
int lw_visible_task(const struct lw_inventory *inv,
                    const struct lw_visible_env *env,
                    const struct lw_visible *step, const char *visible,
                    struct lw_visible *out);

#endif
