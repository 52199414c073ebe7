/* SPDX-License-Identifier: GPL-2.0-or-later */
/* update.c - the few changes that watch makes to pending jobs */
#include "config.h"

#include "slurmapi/adapter.h"
#include "slurmapi/update.h"

#include <errno.h>

static void name_job(job_desc_msg_t *desc, long job)
{
    slurm_init_job_desc_msg(desc);
#if LW_SLURM_AT_LEAST(25, 11)
    desc->step_id.job_id = (uint32_t)job;
#else
    desc->job_id = (uint32_t)job;
#endif
}

static int update(job_desc_msg_t *desc, long job, lw_error_t *err)
{
    if (slurm_update_job(desc) == SLURM_SUCCESS)
        return 0;
    return lw_err(err, "cannot change job %ld: %s", job, slurm_strerror(errno));
}

int lw_update_switches(long job, long switches, const char *comment,
                       lw_error_t *err)
{
    job_desc_msg_t desc;

    name_job(&desc, job);
    desc.req_switch = (uint32_t)switches;
    desc.admin_comment = (char *)comment;
    return update(&desc, job, err);
}

int lw_update_exclude(long job, const char *nodes, const char *comment,
                      lw_error_t *err)
{
    job_desc_msg_t desc;

    name_job(&desc, job);
    /* not freed by libslurm: it packs the message and returns */
    desc.exc_nodes = (char *)nodes;
    desc.admin_comment = (char *)comment;
    return update(&desc, job, err);
}
