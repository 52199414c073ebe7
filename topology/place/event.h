/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event.h - the placement log: one JSON line an event */
#ifndef LW_EVENT_H
#define LW_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "lib/err.h"
#include "topology/place/decide.h"
#include "topology/place/job.h"
#include "topology/place/score.h"
#include "topology/place/snapshot.h"

#define LW_LOG_SCHEMA 1

/* What a job got; -1 and NULL are left out. */
struct lw_placement {
    const char *nodes; /* host list of the allocation */
    long nnodes, gpus;
    const char *gpu_type;
    bool scored; /* there was a map: what follows is filled */
    struct lw_score score;
    const char *map; /* "created" of the map it was scored with */
};

/* What waiting cost; seconds, -1 and NULL are left out. */
struct lw_wait {
    long queue, locality, patience;
    long switches, groups_now;
    const char *ended_by; /* fit, patience, changed, cancelled */
    const char *what;     /* switches, subnode, degraded */
    long from, to;        /* switches before and after, 0 none */
};

#define LW_WAIT_INIT                                                           \
    {                                                                          \
        .queue = -1, .locality = -1, .patience = -1, .switches = -1,           \
        .groups_now = -1, .from = -1, .to = -1                                 \
    }

/* What a line is about; -1 and NULL are left out of the line. The plugin
 * knows no job id yet: 'ref', also in admin_comment, joins its line with the
 * later ones. docs/placement-log-format.md explains every field. */
struct lw_event {
    const char *event; /* submitted, untouched, impossible, waiting, relaxed,
                          placed, ready, ended, snapshot, map-changed */
    struct timespec at;
    const char *ref;
    const char *cluster;
    /* the plugin's: the job as far as it is known at submission */
    const char *partition, *account, *user, *job_name, *qos;
    long uid;
    long job_id, array_job_id, array_task_id, het_job_id, het_offset;
    long restarts;
    time_t submit;
    const struct lw_request *request;
    const struct lw_decision *decision;
    /* watch's: the job as Slurm shows it, in place of the fields above */
    const struct lw_job *job;
    const struct lw_placement *placement;
    const struct lw_wait *wait;
    long configuring; /* seconds */
    const struct lw_snapshot *snapshot;
    const struct lw_map *map;
};

/* An event with everything left out. */
#define LW_EVENT_INIT                                                          \
    {                                                                          \
        .uid = -1, .job_id = -1, .array_job_id = -1, .array_task_id = -1,      \
        .het_job_id = -1, .het_offset = -1, .restarts = -1, .submit = -1,      \
        .configuring = -1                                                      \
    }

/* The line, newline at the end, to free; NULL with 'err'. Texts that are not
 * UTF-8 are repaired, never refused. */
char *lw_event_line(const struct lw_event *event, size_t *len, lw_error_t *err);

#endif
