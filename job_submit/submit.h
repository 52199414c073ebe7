/* SPDX-License-Identifier: GPL-2.0-or-later */
/* submit.h - one job through the decision */
#ifndef LW_SUBMIT_H
#define LW_SUBMIT_H

#include "slurmapi/adapter.h"

/* Decide about a job that is being submitted and write the decision into it.
 * '*err_msg' (may be NULL) is set with a text for the user, or left alone.
 * Returns SLURM_SUCCESS, or an error for what would crash slurmctld. */
int lw_submit(job_desc_msg_t *job, uint32_t uid, char **err_msg);

/* Decide anew when an update changes what a decision was made from. '*err_msg'
 * and returns as above. */
int lw_update(job_desc_msg_t *update, uint32_t uid, char **err_msg);

#endif
