/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release.c - small jobs are let onto idle nodes when watch is gone */
#include "config.h"

#include "slurmapi/adapter.h"
#include "slurmapi/hostlist.h"
#include "slurmapi/release.h"
#include "slurmapi/update.h"
#include "topology/place/journal.h"
#include "topology/place/mark.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static long names_in(const char *list)
{
    size_t n = 0;
    char **names = lw_hostlist_expand(list, &n, NULL);

    lw_names_free(names, n);
    return (long)n;
}

/* The user's own exclusion, "" for none, to free; NULL when the job has none
 * of ours, or one that was changed since, or the log does not tell. */
static char *own_exclude(const slurm_job_info_t *j, const char *log)
{
    const char *ref;
    struct lw_mark mark;

    if ((j->job_state & JOB_STATE_BASE) != JOB_PENDING || !j->exc_nodes ||
        !lw_mark_parse(j->admin_comment, &mark) || !mark.subnode ||
        mark.excluded <= 0)
        return NULL;
    if (!mark.own_excluded)
        return names_in(j->exc_nodes) == mark.excluded ? strdup("") : NULL;
    ref = strstr(j->admin_comment, " ref=");
    return ref ? lw_journal_own_exclude(log, ref + 5) : NULL;
}

/* 1 when the job's exclusion was taken back, 0 when it has none, -1 with
 * 'err'. */
static int release(const slurm_job_info_t *j, const char *log, lw_error_t *err)
{
    char *own = own_exclude(j, log);
    int rc = 0;

    if (own && names_in(own) < names_in(j->exc_nodes))
        rc = lw_update_exclude((long)j->job_id, own, err) < 0 ? -1 : 1;
    free(own);
    return rc;
}

long lw_release_subnode(const char *log, lw_error_t *err)
{
    job_info_msg_t *jobs = NULL;
    bool failed = false;
    long released = 0;
    uint32_t i;
    int rc;

    if (slurm_load_jobs(0, &jobs, SHOW_ALL) != SLURM_SUCCESS)
        return lw_err(err, "cannot read the jobs: %s", slurm_strerror(errno));
    for (i = 0; i < jobs->record_count; i++) {
        rc = release(&jobs->job_array[i], log, err);
        failed |= rc < 0;
        released += rc > 0;
    }
    slurm_free_job_info_msg(jobs);
    return failed ? -1 : released;
}
