/* SPDX-License-Identifier: GPL-2.0-or-later */
/* progress.h - a progress bar on standard error, on a terminal only */
#ifndef LW_PROGRESS_H
#define LW_PROGRESS_H

#include <stdint.h>
#include <time.h>

struct lw_progress {
    const char *what;
    int on; /* standard error is a terminal */
    int shown;
    struct timespec start, last;
};

void lw_progress_start(struct lw_progress *p, const char *what);

/* Show that 'done' of 'total' is done (total 0: not known), ten times a
 * second at most and not in the first half second. */
void lw_progress_show(struct lw_progress *p, uint64_t done, uint64_t total);

/* Take the bar away. */
void lw_progress_end(struct lw_progress *p);

#endif
