/* SPDX-License-Identifier: GPL-2.0-or-later */
/* step.h - what slurmstepd loads of the plugin, and srun and sbatch do not
 *
 * Every sbatch, srun and salloc loads spank_leafward.so for its one option, so
 * that holds nothing else. What needs JSON and INI libraries is in
 * leafward_step.so beside it, loaded when a step begins. */
#ifndef LW_SPANK_STEP_H
#define LW_SPANK_STEP_H

#include "spank/apply.h"

#define LW_STEP_OBJECT "leafward_step.so"
#define LW_STEP_SYMBOL "leafward_step_ops"

/* The functions of apply.h. */
struct lw_step_ops {
    const char *version; /* PACKAGE_VERSION of this very build */
    size_t state_size;   /* of struct lw_step_state, as it sees it */
    void (*step)(spank_t sp, const char *conf, struct lw_step_state *s);
    void (*launch)(spank_t sp, struct lw_step_state *s);
    int (*task)(spank_t sp, struct lw_step_state *s);
    void (*free)(struct lw_step_state *s);
};

/* Load it from the directory that this plugin was loaded from. Returns its
 * functions, which stay for the life of the process, or NULL with 'err'. */
const struct lw_step_ops *lw_step_load(lw_error_t *err);

#endif
