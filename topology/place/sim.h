/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sim.h - what would have been: jobs replayed on a cluster by a policy */
#ifndef LW_SIM_H
#define LW_SIM_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/quant.h"
#include "topology/fabric/map.h"
#include "topology/settings.h"

/* One job; times in seconds. The last members are the outcome of a run. */
struct lw_sim_job {
    double submit, seconds, limit;
    int nodes, gpus; /* GPUs on each node */
    int fewest;      /* groups, on the empty cluster; 0: does not fit */
    int switches;    /* asked for by the decision, 0 none */
    double start, locality;
    int groups;
};

struct lw_sim_jobs {
    struct lw_sim_job *v;
    size_t n, size;
};

/* Groups of nodes, all nodes alike. */
struct lw_sim_cluster {
    size_t ngroups, npods;
    int *nodes; /* by group */
    int *pod;   /* by group */
    int gpus;   /* a node */
};

enum lw_sim_kind { LW_SIM_OFF, LW_SIM_PACKED, LW_SIM_UNLIMITED };

struct lw_sim_policy {
    enum lw_sim_kind kind;
    double max_patience; /* seconds */
    double slowdown;     /* patience is at most this share of the limit */
    double interval;     /* between two backfill passes, seconds */
    double release;      /* from the end of a job until its nodes are free */
    size_t depth;        /* jobs looked at in a backfill pass */
};

struct lw_sim_result {
    size_t jobs, gangs, packed, never;
    double gang_gpu_s, packed_gpu_s;
    struct lw_quant wait, gang_wait, locality;
    double utilisation, stranded; /* shares; stranded: of the idle GPUs */
    double makespan;
};

/* The map's groups, each node with 'gpus' GPUs; groups named in 'lost'
 * ("a,b", may be NULL) are left out and 'added' groups like the largest are
 * put in. Returns 0, or -1 with 'err'. Free with lw_sim_cluster_free(). */
int lw_sim_cluster_init(struct lw_sim_cluster *c, const struct lw_map *map,
                        int gpus, const char *lost, size_t added,
                        lw_error_t *err);
void lw_sim_cluster_free(struct lw_sim_cluster *c);
size_t lw_sim_cluster_nodes(const struct lw_sim_cluster *c);

/* Jobs of a CSV file with a header line: submit (seconds or RFC 3339), nodes,
 * gpus (in total), seconds, and limit (seconds; when missing twice the run
 * time). Or, when the file is a placement log, its runs. Sorted by submit.
 * Returns 0, or -1 with 'err' (file, line, what was expected). */
int lw_sim_jobs_read(struct lw_sim_jobs *jobs, const char *path,
                     lw_error_t *err);
void lw_sim_jobs_free(struct lw_sim_jobs *jobs);

/* Ask the decision (decide.h) about every job, and find the fewest groups.
 * Returns 0, or -1 with 'err'. */
int lw_sim_decide(struct lw_sim_jobs *jobs, const struct lw_sim_cluster *c,
                  const struct lw_settings *settings, lw_error_t *err);

/* Run them. The outcome of each stands in the jobs; free the sums with
 * lw_sim_result_free(). Returns 0, or -1 with 'err'. */
int lw_sim_run(const struct lw_sim_cluster *c, struct lw_sim_jobs *jobs,
               const struct lw_sim_policy *policy, struct lw_sim_result *result,
               lw_error_t *err);
void lw_sim_result_free(struct lw_sim_result *result);

#endif
