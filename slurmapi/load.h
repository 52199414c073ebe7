/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load.h - the live cluster by public libslurm calls, into plain structs */
#ifndef LW_LOAD_H
#define LW_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include <sys/types.h>

#include "lib/err.h"
#include "topology/place/job.h"
#include "topology/place/state.h"

/* What one look at slurmctld gave. All of it is borrowed from the loader and
 * valid until its next look. */
struct lw_load {
    const struct lw_state *state;
    bool state_changed; /* nodes, partitions or configuration differ */
    const struct lw_job *jobs;
    size_t njobs;
    bool jobs_changed;
    long min_job_age; /* seconds an ended job stays known */
    uid_t slurm_user; /* SlurmUser */
};

/* Remembers the last answers and their times, so that slurmctld sends only
 * what changed. */
struct lw_loader;

/* Returns a loader to free with lw_loader_destroy(), or NULL with errno. The
 * caller has called slurm_init(), or runs inside a Slurm daemon. */
struct lw_loader *lw_loader_create(void);
void lw_loader_destroy(struct lw_loader *loader);

/* Ask slurmctld. Returns 0 with '*load' filled, or -1 with 'err' when it
 * does not answer; then the next look asks for everything again. */
int lw_loader_look(struct lw_loader *loader, struct lw_load *load,
                   lw_error_t *err);

#endif
