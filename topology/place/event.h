/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event.h - the placement log: one JSON line an event */
#ifndef LW_EVENT_H
#define LW_EVENT_H

#include <stddef.h>
#include <time.h>

#include "lib/err.h"
#include "topology/place/decide.h"
#include "topology/place/score.h"

#define LW_LOG_SCHEMA 1

/* What a line is about; -1 and NULL are left out of the line. The plugin
 * knows no job id yet: 'ref', also in admin_comment, joins its line with the
 * later ones. */
struct lw_event {
    const char *event; /* submitted, untouched, impossible, waiting, relaxed,
                          placed, launched, ended, snapshot, map-changed */
    struct timespec at;
    const char *ref;
    const char *cluster, *partition, *account, *user, *job_name;
    long uid;
    long job_id, array_job_id, array_task_id, het_job_id, het_offset;
    long restarts;
    time_t submit, start, end;
    const struct lw_request *request;
    const struct lw_decision *decision;
    const struct lw_score *score;
    const char *nodes; /* hostlist of the allocation */
    long nnodes, gpus;
    long waited, waited_locality; /* seconds */
    const char *state;            /* ended: COMPLETED, FAILED, .. */
};

/* An event with everything left out. */
#define LW_EVENT_INIT                                                          \
    {                                                                          \
        .uid = -1, .job_id = -1, .array_job_id = -1, .array_task_id = -1,      \
        .het_job_id = -1, .het_offset = -1, .restarts = -1, .submit = -1,      \
        .start = -1, .end = -1, .nnodes = -1, .gpus = -1, .waited = -1,        \
        .waited_locality = -1,                                                 \
    }

/* The line, newline at the end, to free; NULL with 'err'. Texts that are not
 * UTF-8 are repaired, never refused. */
char *lw_event_line(const struct lw_event *event, size_t *len, lw_error_t *err);

#endif
