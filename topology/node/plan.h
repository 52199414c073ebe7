/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan.h - inventory + step -> plan, a pure function */
#ifndef LW_PLAN_H
#define LW_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/buf.h"
#include "topology/node/inventory.h"
#include "topology/node/rails.h"
#include "topology/node/visible.h"

#define LW_PLAN_TASKS 4096 /* on one node; more are left alone */

/* What the plan needs to know of a step on this node. */
struct lw_step {
    const struct lw_visible *gpus;
    const struct lw_cpus *allowed; /* CPUs that Slurm gave the step here */
    size_t ntasks;                 /* on this node */
};

/* One task: entries [first, first + n) of the step's visible GPUs. n is 0
 * when it cannot be told. 'cpus' is empty when Slurm's mask should stay. */
struct lw_task_plan {
    size_t first, n;
    struct lw_cpus cpus;
};

struct lw_plan {
    struct lw_visible gpus;
    int nic[LW_VISIBLE_MAX]; /* for each visible entry, -1 none */
    struct lw_task_plan *tasks;
    size_t ntasks;
    const char *unbound; /* why no task is bound, else NULL */
};

/* Plan a step. Returns a plan to free with lw_plan_destroy(), or NULL with
 * errno when out of memory. Equal input gives equal plans, so every task of
 * a step can compute the whole plan for itself. */
struct lw_plan *lw_plan_create(const struct lw_inventory *inv,
                               const struct lw_rails *rails,
                               const struct lw_step *step);
void lw_plan_destroy(struct lw_plan *plan);

/* The ids of the NUMA nodes that 'cpus' touches, as a list in 'out'. */
void lw_plan_numas(const struct lw_inventory *inv, const struct lw_cpus *cpus,
                   struct lw_cpus *out);

/* Append the plan as a table for people: task, CPUs, NUMA, GPU, NIC, rail. */
int lw_plan_table(const struct lw_inventory *inv, const struct lw_plan *plan,
                  struct lw_buf *out);

#endif
