/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report.h - what the placement log says in sum, in bounded memory */
#ifndef LW_REPORT_H
#define LW_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "lib/quant.h"
#include "lib/strtab.h"
#include "topology/place/logread.h"
#include "topology/place/report_cluster.h"
#include "topology/place/report_launch.h"
#include "topology/place/report_requests.h"

/* How a wait for locality ended. */
enum lw_wait_end {
    LW_WAIT_NONE,
    LW_WAIT_FIT,
    LW_WAIT_PATIENCE,
    LW_WAIT_CHANGED,
    LW_WAIT_CANCELLED
};
#define LW_WAIT_ENDS 5

/* Who asked for few groups. */
enum lw_asked { LW_ASKED_NOTHING, LW_ASKED_USER, LW_ASKED_LEAFWARD };
#define LW_ASKEDS 3

/* One run of one job. Numbers are -1 when unknown, times 0; names are
 * numbers in the report's tables. */
struct lw_run {
    long id, array_job_id, array_task_id, het_job_id, het_offset;
    int restarts;
    uint32_t cluster, user, account, partition, state;
    int64_t eligible, start, end;
    int nnodes, gpus, groups, fewest, fewest_free, pods, unknown, rails;
    int switches;   /* asked for, as Slurm had it at the start */
    int groups_now; /* where it could have started when it began to wait */
    long queue, locality, patience;
    double elapsed, gpu_s;
    float balance; /* nodes in the smallest group by those in the largest */
    char *nodes;   /* host list while the run is open, NULL else */
    enum lw_wait_end wait_end;
    enum lw_asked asked;
    bool placed; /* has nodes */
    bool ended;
};

/* Sums over runs. A gang is scored when the map knew all its nodes. */
struct lw_tally {
    uint64_t runs, gangs, scored, packed, packed_free, free_known;
    uint64_t excess; /* groups too many, summed */
    uint64_t degraded;
    uint64_t groups, fewest; /* summed over scored gangs */
    uint64_t one_group, one_pod, pods_known;
    double balance;
    uint64_t balance_known;
    double gpu_s, gang_gpu_s, scored_gpu_s, packed_gpu_s;
    struct lw_tally_hours { /* the same of gangs, times their GPU-seconds */
        double groups, fewest, one_group, one_pod, pods_known;
        double balance, balance_known;
    } hours;
    struct lw_quant wait, gang_wait, locality;
    uint64_t wait_ends[LW_WAIT_ENDS];
    uint64_t asked[LW_ASKEDS], asked_spread[LW_ASKEDS];
    uint64_t switches, switches_known; /* that Slurm was asked for */
    uint64_t gain, gain_known;         /* groups saved by waiting */
};

/* A tally for each name of a kind. */
struct lw_tallies {
    struct lw_strtab *names;
    struct lw_tally *v;
    size_t n;
};

#define LW_SIZE_CLASSES 20 /* 1, 2, 3-4, 5-8, .. nodes */

/* Host list to names, to free with the second; libslurm's in the command. */
struct lw_hosts {
    char **(*expand)(const char *text, size_t *n, lw_error_t *err);
    void (*free_names)(char **names, size_t n);
};

#define LW_SIZE_EXACT 4096 /* gangs up to this many nodes are counted apart */

enum lw_report_order { LW_ORDER_START, LW_ORDER_COST, LW_ORDER_WAIT };

struct lw_report_options {
    time_t since, until; /* a run counts by its start; 0 for no limit */
    const char *users, *accounts, *partitions; /* "a,b", NULL for all */
    const char *sizes;                         /* "4,17-,2-3", NULL for all */
    bool gangs_only;
    size_t jobs; /* how many runs to keep for the table of jobs */
    enum lw_report_order order;
    struct lw_hosts hosts; /* NULL functions: what needs names is left out */
    /* called for every counted run when it is complete; may be NULL */
    void (*job)(const struct lw_run *run, void *arg);
    void *job_arg;
};

struct lw_report {
    struct lw_report_options options;
    struct lw_tally all;
    struct lw_tally sizes[LW_SIZE_CLASSES];
    struct lw_tallies users, accounts, partitions;
    struct lw_strtab *words; /* states and clusters */
    struct lw_run *jobs;     /* sorted by lw_report_finish() */
    size_t njobs;
    uint64_t cpu_runs, running, requeued, lost_ends;
    uint64_t relaxed;
    uint64_t *exact; /* gangs by node count, LW_SIZE_EXACT + 1 of them */
    struct lw_requests requests;
    struct lw_launches launches;
    struct lw_cluster cluster;
    int64_t first_ms, last_ms;   /* @timestamp of the lines in the period */
    int64_t seen_ms;             /* of all lines */
    struct lw_report_open *open; /* runs not ended, private */
    bool failed;                 /* out of memory: the sums are not whole */
};

/* Returns a report to free with lw_report_destroy(); the option's texts are
 * borrowed. NULL when out of memory. */
struct lw_report *lw_report_create(const struct lw_report_options *options);
void lw_report_destroy(struct lw_report *r);

/* Take one line in; its raw arrays are decoded in place. */
void lw_report_add(struct lw_report *r, struct lw_log_record *line);

/* Take a complete run in, from a source other than the log. */
void lw_report_add_run(struct lw_report *r, const struct lw_run *run);

/* All lines are in: runs without an end are counted as running, the jobs are
 * sorted. Returns 0, or -1 with 'err' when memory was not enough. */
int lw_report_finish(struct lw_report *r, lw_error_t *err);

/* Whether a node count is in a list like lw_report_options.sizes; -1 when the
 * list is none. */
int lw_size_listed(const char *list, long nnodes);

/* The size class of a node count, and its name ("5-8") into 'out'. */
size_t lw_size_class(long nnodes);
const char *lw_size_class_name(size_t i, char out[32]);

/* Whether 'name' is in the list "a,b"; NULL holds everything. */
bool lw_name_listed(const char *list, const char *name);

/* Groups too many, -1 when not scored. */
long lw_run_excess(const struct lw_run *run);

#endif
