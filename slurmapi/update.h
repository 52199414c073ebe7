/* SPDX-License-Identifier: GPL-2.0-or-later */
/* update.h - the few changes that watch makes to pending jobs */
#ifndef LW_UPDATE_H
#define LW_UPDATE_H

#include "lib/err.h"

/* Allow a pending job so many leaf switches; 0 for any number. 'comment' is
 * the admin_comment that it has: the plugin tells our updates by it. Returns
 * 0, or -1 with 'err' (the job has started meanwhile, or slurmctld is away). */
int lw_update_switches(long job, long switches, const char *comment,
                       lw_error_t *err);

/* Replace a pending job's --exclude ("" for none) and, in the same moment, its
 * admin_comment. Same returns. */
int lw_update_exclude(long job, const char *nodes, const char *comment,
                      lw_error_t *err);

#endif
