/* SPDX-License-Identifier: GPL-2.0-or-later */
/* snapshot.h - the whole cluster at one moment, counted */
#ifndef LW_SNAPSHOT_H
#define LW_SNAPSHOT_H

#include <stddef.h>
#include <time.h>

#include "lib/buf.h"
#include "topology/fabric/map.h"
#include "topology/place/capacity.h"
#include "topology/place/job.h"
#include "topology/place/state.h"

#define LW_SNAPSHOT_PENDING 50 /* gangs listed at most */
#define LW_SNAPSHOT_SIZES   24 /* powers of two */
#define LW_SNAPSHOT_TYPES   8  /* of GPUs */
#define LW_SNAPSHOT_WANTS   64 /* kinds of jobs, the most frequent ones */

/* Why a free GPU is of no use to a gang of whole nodes; each has one cause. */
enum lw_free {
    LW_FREE_IDLE,   /* it is of use: on an idle node with all its rails */
    LW_FREE_RAIL,   /* on an idle node with a rail down or slow */
    LW_FREE_PARTLY, /* beside a job, with CPUs and memory for one more */
    LW_FREE_CPU,    /* beside jobs that left it no CPU */
    LW_FREE_MEMORY, /* or not 1 GiB of memory */
    LW_FREE_COMPLETING,
    LW_FREE_RESERVED,
    LW_FREE_DRAINED,
    LW_FREE_DOWN
};
#define LW_FREES 9

/* "idle", "rail", ..: the words of the log and of labels. */
const char *lw_free_word(enum lw_free why);

struct lw_group_now {
    char *states; /* a letter a node: i m f d - */
    long gpus, gpus_used;
    long nodes, idle;
    long free[LW_FREES];
};

/* The GPUs of one type; a node with several types counts for each. */
struct lw_type_now {
    const char *type; /* borrowed from the state, "" when Slurm has none */
    long gpus, used;
    long idle;                         /* nodes of the map */
    long startable[LW_SNAPSHOT_SIZES]; /* on lw_snapshot.startable_groups[] */
};

/* A pending gang; texts borrowed from the job. */
struct lw_pending_gang {
    long id, nodes, gpus, groups;
    const char *partition;
    time_t eligible;
};

struct lw_snapshot {
    time_t at;
    const struct lw_map *map; /* borrowed, NULL without */
    long nodes, idle, mixed, full, down, unmapped;
    long gpus, gpus_used, gpus_down, gpus_stranded;
    long free[LW_FREES];
    double unusable; /* expected over the jobs that there are; -1 unknown */
    long mix;        /* how many jobs that was made of */
    struct lw_type_now types[LW_SNAPSHOT_TYPES]; /* by name */
    size_t ntypes;
    struct lw_group_now *groups;              /* by the map's index */
    long startable[LW_SNAPSHOT_SIZES];        /* nodes of the largest gang .. */
    long startable_groups[LW_SNAPSHOT_SIZES]; /* .. on so many groups */
    size_t nstartable;
    long slots[LW_SNAPSHOT_SIZES]; /* gangs of 2, 4, 8, .. nodes in a group */
    size_t nslots;
    double fragmentation; /* 0..1 */
    long running, running_gangs, pending, pending_gangs, waiting;
    struct lw_pending_gang gangs[LW_SNAPSHOT_PENDING];
    size_t ngangs;
    long degraded; /* nodes of the map with a rail down or slow */
};

/* Count. 'capacity' belongs to 'state' and is NULL without a map; 'waiting'
 * is the number of gangs whose patience runs. Returns 0, or -1 with errno.
 * Texts of jobs are borrowed. Free with lw_snapshot_free(). */
int lw_snapshot_take(const struct lw_capacity *capacity,
                     const struct lw_state *state, const struct lw_job *jobs,
                     size_t njobs, long waiting, struct lw_snapshot *snapshot);
void lw_snapshot_free(struct lw_snapshot *snapshot);

/* Parts of lw_snapshot_take(). The first fills what stands in out[] for each of
 * s->startable_groups[]: the sum of the largest idle[], which it sorts. The
 * second counts what is free; 0, or -1 with errno. */
void lw_snapshot_startable(const struct lw_snapshot *s, long *idle, long *out);
int lw_snapshot_gpus(const struct lw_capacity *capacity,
                     const struct lw_state *state, const struct lw_job *jobs,
                     size_t njobs, struct lw_snapshot *s);

/* Append the members of a `snapshot` line, and of a `map-changed` line. */
void lw_snapshot_print(struct lw_buf *b, const struct lw_snapshot *snapshot);
void lw_snapshot_print_map(struct lw_buf *b, const struct lw_map *map);

#endif
