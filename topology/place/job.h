/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job.h - one job as Slurm shows it, free of Slurm's types */
#ifndef LW_JOB_H
#define LW_JOB_H

#include <stdbool.h>
#include <time.h>

enum lw_job_state { LW_JOB_PENDING, LW_JOB_RUNNING, LW_JOB_ENDED };

/* Why a pending job does not start, as far as it matters here. */
enum lw_job_reason { LW_WAIT_RESOURCES, LW_WAIT_PRIORITY, LW_WAIT_OTHER };

/* Numbers are -1 and texts NULL when Slurm has none; times are 0. Texts are
 * borrowed from whatever filled the structure. */
struct lw_job {
    long id;
    long array_job, array_task;
    const char *array_tasks; /* a record that stands for several tasks */
    long het_job, het_offset;
    long restarts;
    enum lw_job_state state;
    const char *word; /* ended: COMPLETED, FAILED, .. as sacct spells it */
    enum lw_job_reason reason;
    bool configuring; /* has its nodes, waits for boot or prolog */
    bool completing;
    bool held;
    long exit_code, signal; /* ended */
    time_t submit, eligible;
    time_t start, end; /* of this run; start is 0 while pending */
    time_t planned;    /* pending: the start that backfill expects, 0 none */
    long minutes;      /* time limit, -1 unlimited */
    long priority;
    const char *name, *user, *account, *partition, *qos;
    long uid;
    const char *comment;  /* admin_comment: the plugin's marker */
    const char *nodes;    /* host list of the allocation */
    long nnodes;          /* allocated, or the fewest asked for */
    long nodes_max;       /* pending: the most asked for, -1 open */
    long gpus;            /* allocated, or asked for in total; 0 none */
    const char *gpu_type; /* when there is one */
    long cpus;
    long node_cpus;   /* that each node must have for it; 0 unknown */
    long node_memory; /* the same in MiB; 0 unknown or not limited */
    bool all_memory;  /* it gets all the memory of its nodes */
    bool exclusive;
    long switches, switch_wait; /* --switches=N@SECONDS */
    const char *exclude, *include, *features, *reservation;
};

#endif
