/* SPDX-License-Identifier: GPL-2.0-or-later */
/* adapter.h - what differs between Slurm releases, and what libslurm exports
 * without declaring */
#ifndef LW_ADAPTER_H
#define LW_ADAPTER_H

#include <stdbool.h>
#include <stddef.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/slurm_version.h>

#define LW_SLURM_AT_LEAST(major, minor)                                        \
    (SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(major, minor, 0))

/* slurm_hostlist_create() returns a pointer typedef up to 23.02. */
#if LW_SLURM_AT_LEAST(23, 11)
typedef hostlist_t *lw_slurm_hostlist_t;
#else
typedef hostlist_t lw_slurm_hostlist_t;
#endif

/* The job that an update is about; job_id went into step_id in 25.11. */
static inline long lw_update_job_id(const job_desc_msg_t *update)
{
#if LW_SLURM_AT_LEAST(25, 11)
    return (long)update->step_id.job_id;
#else
    return (long)update->job_id;
#endif
}

/* Exported by libslurm and slurmctld under these names and signatures in
 * every release from 20.11 on (src/common/xmalloc.h, xstring.h), but declared
 * in no public header. Every text put into a job_desc_msg_t must come from
 * slurm_xstrdup(): slurmctld frees it with xfree(). */
extern void *slurm_xcalloc(size_t count, size_t size, bool clear, bool try,
                           const char *file, int line, const char *func);
extern void slurm_xfree(void **pointer);
extern char *slurm_xstrdup(const char *text);

#endif
