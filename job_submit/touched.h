/* SPDX-License-Identifier: GPL-2.0-or-later */
/* touched.h - jobs that a user or admin has made his own a moment ago */
#ifndef LW_SUBMIT_TOUCHED_H
#define LW_SUBMIT_TOUCHED_H

#include <stdbool.h>
#include <time.h>

/* The cluster state shows a change some seconds late, so that it is
 * remembered here until then: the last LW_TOUCHED_JOBS of them. */
#define LW_TOUCHED_JOBS 1024

/* Remember that the placement of job 'id' was set by hand. Thread-safe. */
void lw_touched_add(long id, time_t now);

/* Was it, at 'since' or later? Thread-safe. */
bool lw_touched_since(long id, time_t since);

#endif
