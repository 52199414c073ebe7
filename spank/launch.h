/* SPDX-License-Identifier: GPL-2.0-or-later */
/* launch.h - the lines `launched` and `rail-down` of the placement log */
#ifndef LW_SPANK_LAUNCH_H
#define LW_SPANK_LAUNCH_H

#include <stddef.h>

#include <slurm/spank.h>

/* A line on its way to the log. */
struct lw_launch {
    char *path, *line;
    size_t len;
    int *result; /* shared with the writer: its errno, 0, or negative */
};

struct lw_step_state;

/* In task_post_fork, as root: append one line about the step to the setting
 * launch_log, where there is one: `launched` on the step's first node, and
 * `rail-down` on any other whose rails are down, since only that node sees it.
 * Another process writes, and nobody waits for it. */
void lw_launch_log(spank_t sp, const struct lw_step_state *s, const char *node,
                   struct lw_launch *l);

/* Logs in one line when the writer failed, or is still at it. */
void lw_launch_free(struct lw_launch *l);

#endif
