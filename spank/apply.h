/* SPDX-License-Identifier: GPL-2.0-or-later */
/* apply.h - plan -> environment, CPU mask and memory policy */
#ifndef LW_APPLY_H
#define LW_APPLY_H

#include <stdbool.h>

#include <slurm/spank.h>

#include "spank/launch.h"
#include "spank/nodes.h"
#include "spank/options.h"
#include "topology/node/inventory.h"
#include "topology/node/rails.h"
#include "topology/node/visible.h"
#include "topology/settings.h"

/* What slurmstepd remembers of a step between user_init, which fills it, and
 * its tasks, which inherit it by fork(2). */
struct lw_step_state {
    struct lw_options options;
    struct lw_settings *settings;
    struct lw_inventory *inv;
    struct lw_rails rails;
    struct lw_visible gpus;
    struct lw_cpus base;   /* slurmstepd's own mask */
    char *granted;         /* SLURM_STEP_GPUS */
    char *visible;         /* the step's list of visible GPUs */
    bool bind;             /* set CPU masks */
    bool memory;           /* set memory policies */
    bool omp;              /* the site wants OMP_NUM_THREADS for each task */
    bool ucx;              /* .. and UCX_NET_DEVICES */
    const char *bind_note; /* why masks are or are not set */
    char failure[200];     /* "" or what a strict site fails tasks for */
    struct lw_step_nodes nodes;
    struct lw_launch launch;
    bool launched; /* the step's first task_post_fork is over */
};

/* In user_init: decide, and set the step-wide environment, with the
 * configuration at 'conf' (NULL for the default). Never fails: what goes
 * wrong is logged in one line and leaves the step as it was. */
void lw_apply_step(spank_t sp, const char *conf, struct lw_step_state *s);

/* In task_post_fork, as root and before any task runs: once a step, write
 * its hostfile and have the launch logged. */
void lw_apply_launch(spank_t sp, struct lw_step_state *s);

/* In task_init: set this task's mask, memory policy and own environment.
 * Returns 0, or -1 when the site wants the task to fail. */
int lw_apply_task(spank_t sp, struct lw_step_state *s);

/* The list of visible GPUs in the environment now: CUDA_VISIBLE_DEVICES,
 * ROCR_VISIBLE_DEVICES or ZE_AFFINITY_MASK; NULL without, borrowed. */
const char *lw_apply_visible(spank_t sp);

void lw_apply_free(struct lw_step_state *s);

/* The CPUs of all masks in a SLURM_CPU_BIND_LIST ("0x3,0xc"); 0, or -1 when
 * it is no list of masks. */
int lw_bind_list(const char *text, struct lw_cpus *out);

#endif
