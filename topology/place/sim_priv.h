/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sim_priv.h - the state of a simulation; for sim*.c only */
#ifndef LW_SIM_PRIV_H
#define LW_SIM_PRIV_H

#include "topology/place/sim_nodes.h"

/* What is modelled of Slurm: one partition, priority by submission. The main
 * scheduler starts jobs in order and stops at the first that cannot start.
 * The backfill pass, once in an interval, goes through all pending jobs in
 * order: each starts now, or has the nodes reserved on which it could start
 * first, by the limits of what runs and is reserved before it. */

struct lw_sim_run_of {
    size_t job;
    double end, limit_end; /* when it ends, and when it would at latest */
    int *nodes;
};

struct lw_sim {
    const struct lw_sim_cluster *c;
    struct lw_sim_job *jobs;
    size_t njobs, next; /* the next to be submitted */
    const struct lw_sim_policy *policy;
    struct lw_sim_nodes now, then; /* then: some moment of a plan */
    size_t *queue, nqueue;         /* pending, in order */
    struct lw_sim_run_of *running; /* a heap by end */
    size_t nrunning;
    double *since; /* by job: since when its patience runs, < 0 not */
    double time, backfilled, wake;
    int changed; /* since the last backfill pass */
    int *chosen; /* room for the nodes of any job */
    double busy, idle_area, stranded_area;
    int used; /* GPUs in use */
    int failed;
};

/* How many groups a job may have at this moment; 0 for any number. */
int lw_sim_allowed(const struct lw_sim *s, size_t job);

/* Start the job on nodes that are not hidden: 1 when it runs now, on
 * s->chosen; else its patience is looked at. */
int lw_sim_try(struct lw_sim *s, size_t job);

/* The job was not looked at, for want of nodes: its patience stands still. */
void lw_sim_hold(struct lw_sim *s, size_t job);

/* One backfill pass over the queue; what starts is taken out of it. */
void lw_sim_backfill(struct lw_sim *s);

#endif
