/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_open.h - jobs of the log whose last line has not been read yet */
#ifndef LW_REPORT_OPEN_H
#define LW_REPORT_OPEN_H

#include "topology/place/report.h"

/* A table of them, keyed by cluster, job id and restarts. */
struct lw_report_open;

struct lw_report_open *lw_report_open_create(void);
void lw_report_open_destroy(struct lw_report_open *o);

/* Take a waiting, relaxed, placed or ended line in; a run that it completes
 * goes to lw_report_add_run(). */
void lw_report_open_add(struct lw_report *r, const struct lw_log_record *line);

/* The log is over: what was placed and has not ended still runs. */
void lw_report_open_finish(struct lw_report *r);

/* Walk the runs that have not ended; start with '*at' 0. NULL at the end. */
const struct lw_run *lw_report_open_next(const struct lw_report *r, size_t *at);

#endif
