/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.h - another program's output, with a time limit */
#ifndef LW_RUN_H
#define LW_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/err.h"

/* What came of it. A program that failed or was stopped may still have
 * printed something of use. */
struct lw_run {
    char *text; /* standard output, to free */
    size_t len;
    int status;     /* exit code, 128 + signal */
    bool timed_out; /* stopped at the time limit */
};

/* Run argv[0] (looked up in PATH, no shell) and take in its standard output,
 * of at most 'limit' bytes; standard error stays the caller's. After
 * 'seconds' it is told to end (SIGTERM, two seconds later SIGKILL). 'what' is
 * shown with the time on a terminal while it runs, NULL nothing. Returns 0 when the
 * program ran at all, -1 with 'err' when not. */
int lw_run(char *const argv[], long seconds, size_t limit, const char *what,
           struct lw_run *out, lw_error_t *err);

/* Start argv[0] (no shell) as a filter of 'in', which stays the caller's:
 * what it prints comes out of the descriptor returned, to close; it prints
 * no errors. Then lw_run_wait('*pid'). -1 with 'err' when it cannot run. */
int lw_run_filter(char *const argv[], int in, pid_t *pid, lw_error_t *err);

/* Its exit code, or 128 + the signal that ended it; -1 when there is none. */
int lw_run_wait(pid_t pid);

#endif
