/* SPDX-License-Identifier: GPL-2.0-or-later */
/* update.h - an update of a pending job to a request, and a decision back */
#ifndef LW_SUBMIT_UPDATE_H
#define LW_SUBMIT_UPDATE_H

#include "job_submit/request.h"

/* What an update is about. */
enum lw_update_kind {
    LW_UPDATE_OTHER,    /* nothing of ours, or it is ours */
    LW_UPDATE_SWITCHES, /* somebody sets --switches himself */
    LW_UPDATE_REQUEST,  /* it changes what a decision was made from */
    LW_UPDATE_CRASHES   /* slurmctld would not survive it */
};

enum lw_update_kind lw_update_kind(const job_desc_msg_t *update);

/* The job that an update names, also "12_3" and "12+1": 12, and behind it the
 * component of a heterogeneous job, else -1. 0 when it names none. */
long lw_update_job(const job_desc_msg_t *update, long *component);

/* The job that it is about in the state of `leafward watch`; NULL when that
 * does not know it, or when it is every component of a heterogeneous job. */
const struct lw_state_job *lw_update_find(const struct lw_state *state,
                                          const job_desc_msg_t *update);

/* The request of a pending job with the update in it; texts are borrowed
 * from both. Free with lw_submit_free(). */
void lw_update_read(const job_desc_msg_t *update,
                    const struct lw_state_job *job, struct lw_submit *submit);

/* Write what an update of a job of ours may change: the switches, their wait
 * and the mark. What was excluded stays, or is marked to go. */
void lw_update_apply(job_desc_msg_t *update, const struct lw_state_job *job,
                     const struct lw_submit *submit,
                     const struct lw_decision *decision, const char *ref);

#endif
