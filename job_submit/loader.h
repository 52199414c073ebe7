/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loader.h - the thread that reads and writes files for job_submit */
#ifndef LW_SUBMIT_LOADER_H
#define LW_SUBMIT_LOADER_H

#include "topology/place/decide.h"

/* What decisions are made from at one moment. */
struct lw_loaded {
    const struct lw_settings *settings; /* NULL until the first load */
    const struct lw_state *state;       /* NULL when there is none */
    const struct lw_view *view;         /* NULL when there is no map .. */
    const char *why;                    /* .. and why not */
};

/* Start the detached thread: it looks every second whether configuration,
 * map or state were replaced, loads them and swaps them in. Returns 0, or -1
 * with errno. Signals are blocked in the thread. */
int lw_loader_start(void);

/* Ask the thread to end. It is not waited for: it may sit in a file system
 * that hangs, and slurmctld holds locks. The plugin stays mapped (nodelete). */
void lw_loader_stop(void);

/* Look at the current snapshot, and let go of it. Nothing that blocks may
 * stand between the two. */
void lw_loader_enter(struct lw_loaded *snapshot);
void lw_loader_leave(void);

/* Hand a line of the placement log to the thread, which frees it. When too
 * many are waiting it is dropped and counted. */
void lw_loader_log(char *line, size_t len);

/* A job was kept from idle nodes: should watch die, the thread lets it go. */
void lw_loader_excludes(void);

#endif
