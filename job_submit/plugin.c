/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plugin.c - job_submit/leafward: what slurmctld calls */
#include "config.h"

#include "job_submit/loader.h"
#include "job_submit/submit.h"

#include <errno.h>
#include <slurm/spank.h>
#include <string.h>

/* The build hides every symbol but these. */
#define LW_EXPORT __attribute__((visibility("default")))

/* Slurm takes the plugin only when this is its own version to the micro
 * number (src/common/plugin.c). */
LW_EXPORT const char plugin_name[] = "Leafward gang placement";
LW_EXPORT const char plugin_type[] = "job_submit/leafward";
LW_EXPORT const uint32_t plugin_version = SLURM_VERSION_NUMBER;

LW_EXPORT extern int init(void);
LW_EXPORT extern int fini(void);
LW_EXPORT extern int job_submit(job_desc_msg_t *job, uint32_t uid,
                                char **err_msg);
#if LW_SLURM_AT_LEAST(23, 2)
LW_EXPORT extern int job_modify(job_desc_msg_t *update, void *job, uint32_t uid,
                                char **err_msg);
#else
LW_EXPORT extern int job_modify(job_desc_msg_t *update, void *job,
                                uint32_t uid);
#endif

/* Always succeeds: an error here is fatal to a slurmctld that starts. Without
 * the thread there is no map, so every job is left as it is. */
int init(void)
{
    if (lw_loader_start() < 0)
        slurm_error("leafward: cannot start a thread (%s); jobs are left as "
                    "they are",
                    strerror(errno));
    else
        slurm_info("leafward: version " PACKAGE_VERSION " loaded");
    return SLURM_SUCCESS;
}

/* Nothing is joined or freed: a thread may be in the middle of it, and
 * slurmctld ends or has us mapped for good (-z nodelete). */
int fini(void)
{
    lw_loader_stop();
    return SLURM_SUCCESS;
}

int job_submit(job_desc_msg_t *job, uint32_t uid, char **err_msg)
{
    return lw_submit(job, uid, err_msg);
}

#if LW_SLURM_AT_LEAST(23, 2)
int job_modify(job_desc_msg_t *update, void *job, uint32_t uid, char **err_msg)
{
    (void)job; /* its structure is slurmctld's own */
    return lw_update(update, uid, err_msg);
}
#else
int job_modify(job_desc_msg_t *update, void *job, uint32_t uid)
{
    (void)job;
    return lw_update(update, uid, NULL);
}
#endif
