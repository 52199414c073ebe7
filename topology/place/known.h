/* SPDX-License-Identifier: GPL-2.0-or-later */
/* known.h - the jobs that watch has seen, and what it said of each */
#ifndef LW_KNOWN_H
#define LW_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "topology/place/event.h"
#include "topology/place/job.h"

enum lw_said {
    LW_SAID_PLACED = 1,
    LW_SAID_READY = 2,
    LW_SAID_ENDED = 4,
    LW_SAID_WAITING = 8,
    LW_SAID_PATIENCE = 16, /* the first `relaxed` of switches */
};

/* How long a gang has waited for fewer groups. */
struct lw_clock {
    long waited;    /* seconds in which it could have started scattered */
    time_t since;   /* it can since then, as last seen; 0 it cannot */
    long patience;  /* seconds it may wait, -1 not known yet */
    long switches;  /* what Slurm was asked for last, by us; -1 nothing */
    time_t relaxed; /* when watch last allowed more groups */
    bool let_be;    /* a user or admin changed it: not ours any more */
    bool lifting;   /* excluded nodes are let in again, if slurmctld will */
};

/* One job. Texts are owned. 'job' is what Slurm showed last, with the start
 * of the run in 'job.start' once it has one. */
struct lw_known {
    struct lw_job job;
    char *ref;
    unsigned said;                 /* enum lw_said, of this run */
    bool seen;                     /* in the current look */
    bool configuring;              /* was seen so */
    struct lw_placement placement; /* once it has nodes */
    bool measured;                 /* what was free when it started .. */
    long fewest_free;              /* .. would have held it; -1 unknown */
    struct lw_clock clock;
    uint32_t trouble; /* which refusal of slurmctld was said; 0 none */
    struct lw_known *next;
};

struct lw_known_table;

struct lw_known_table *lw_known_create(void);
void lw_known_destroy(struct lw_known_table *t);

/* The job of that id, NULL when it is not known; borrowed. */
struct lw_known *lw_known_find(const struct lw_known_table *t, long id);

/* An empty entry for a new id; NULL with errno when out of memory. */
struct lw_known *lw_known_add(struct lw_known_table *t, long id);

void lw_known_remove(struct lw_known_table *t, struct lw_known *k);

/* Call 'each' for every job, in no order; it may remove the job it is given.
 * Stops at and returns the first value that is not 0. */
int lw_known_each(struct lw_known_table *t,
                  int (*each)(struct lw_known *k, void *arg), void *arg);

size_t lw_known_count(const struct lw_known_table *t);

/* Take over what Slurm shows now, texts copied; the start of a run that is
 * known stays. 0, or -1 with errno and nothing changed. */
int lw_known_update(struct lw_known *k, const struct lw_job *job);

/* Forget the run: the job waits again, or its id belongs to another one. */
void lw_known_reset(struct lw_known *k);

#endif
