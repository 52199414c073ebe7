/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watch.h - one look of `leafward watch` and what it keeps between looks */
#ifndef LW_WATCH_H
#define LW_WATCH_H

#include <stdbool.h>

#include "lib/err.h"
#include "topology/settings.h"

/* What the command line changes of the configuration; NULL and false leave
 * it. */
struct lw_watch_options {
    const char *map, *state, *log, *journal, *metrics;
    long interval;  /* seconds, 0 unset */
    bool read_only; /* change no job */
    bool verbose;
};

struct lw_watch;

/* Take the lock and read the journal. Returns what lw_watch_close() frees, or
 * NULL with 'err'. 'options' must outlive it. */
struct lw_watch *lw_watch_open(const struct lw_watch_options *options,
                               lw_error_t *err);
void lw_watch_close(struct lw_watch *w);

/* One look at the cluster with everything that follows from it. Says on
 * standard error what an admin should know, each thing once. Returns 0, -1
 * when slurmctld did not answer, or LW_WATCH_REFUSED, with nothing written,
 * when this is root and SlurmUser is not. */
#define LW_WATCH_REFUSED (-2)
int lw_watch_step(struct lw_watch *w);

/* Read the configuration and the map again at the next step. */
void lw_watch_reload(struct lw_watch *w);

/* Seconds until the next look. */
long lw_watch_interval(const struct lw_watch *w);

#endif
