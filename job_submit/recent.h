/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recent.h - GPUs that were promised since `leafward watch` last looked */
#ifndef LW_SUBMIT_RECENT_H
#define LW_SUBMIT_RECENT_H

#include <time.h>

/* Remember that a job of 'gpus' GPUs was sent to partly used nodes. */
void lw_recent_add(time_t now, long gpus);

/* GPUs of the jobs that were added at 'since' or later. Thread-safe, like the
 * other; what is longer than LW_RECENT_SECONDS ago may be forgotten. */
#define LW_RECENT_SECONDS 64
long lw_recent_since(time_t since);

#endif
