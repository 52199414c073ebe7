/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release.c - small jobs are let onto idle nodes when watch is gone */
#include "config.h"

#include "slurmapi/adapter.h"
#include "slurmapi/hostlist.h"
#include "slurmapi/release.h"
#include "slurmapi/update.h"
#include "topology/place/mark.h"

#include <errno.h>

/* Has the job an exclusion of ours that is to go, as it was left? */
static bool is_ours(const slurm_job_info_t *j, struct lw_mark *m)
{
    return (j->job_state & JOB_STATE_BASE) == JOB_PENDING && j->exc_nodes &&
           lw_mark_parse(j->admin_comment, m) && m->sum &&
           (m->excluded == 0 || (m->subnode && m->excluded > 0)) &&
           lw_hostlist_sum(j->exc_nodes) == m->sum;
}

/* 1 when the job's exclusion was taken back, 0 when it has none, -1 with
 * 'err'. */
static int release(const slurm_job_info_t *j, lw_error_t *err)
{
    char comment[LW_MARK_SIZE];
    struct lw_mark m;

    if (!is_ours(j, &m) || lw_mark_exclude(j->admin_comment, 0, "", 0, comment,
                                           sizeof(comment)) < 0)
        return 0;
    return lw_update_exclude((long)j->job_id, m.own, comment, err) < 0 ? -1 : 1;
}

long lw_release_subnode(lw_error_t *err)
{
    job_info_msg_t *jobs = NULL;
    bool failed = false;
    long released = 0;
    uint32_t i;
    int rc;

    if (slurm_load_jobs(0, &jobs, SHOW_ALL) != SLURM_SUCCESS)
        return lw_err(err, "cannot read the jobs: %s", slurm_strerror(errno));
    for (i = 0; i < jobs->record_count; i++) {
        rc = release(&jobs->job_array[i], err);
        failed |= rc < 0;
        released += rc > 0;
    }
    slurm_free_job_info_msg(jobs);
    return failed ? -1 : released;
}
