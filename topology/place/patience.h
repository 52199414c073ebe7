/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patience.h - how long a gang may wait for its groups, and what is taken
 * back when that is over */
#ifndef LW_PATIENCE_H
#define LW_PATIENCE_H

#include <stdint.h>

#include "topology/place/watcher.h"
#include "topology/settings.h"

/* What the patience asks of its owner. A line is written before the job is
 * changed: after a kill between the two the change is made up for, and the
 * line is not written again. */
struct lw_patience_ops {
    int (*emit)(void *arg, const struct lw_event *event);
    /* Allow so many leaf switches, 0 for any number; the mark is the one that
     * it has. */
    int (*set_switches)(void *arg, long job, long switches, const char *mark);
    /* Replace the job's --exclude ("" for none) and its mark. */
    int (*set_exclude)(void *arg, long job, const char *nodes,
                       const char *mark);
    /* The checksum of a set of hosts that marks carry. */
    uint32_t (*sum)(const char *hosts);
    char **(*expand)(const char *text, size_t *count, lw_error_t *err);
    void (*names_free)(char **names, size_t count);
    void *arg;
};

struct lw_patience_result {
    long waiting; /* gangs whose patience runs */
    long next;    /* seconds until something is due, -1 nothing */
    bool changed; /* the journal is due */
};

/* Go through the pending jobs after a look of 'w'. 0, or -1 with errno when
 * out of memory. */
int lw_patience_look(struct lw_watcher *w, const struct lw_look *look,
                     const struct lw_settings *settings,
                     const struct lw_patience_ops *ops,
                     struct lw_patience_result *result);

/* Has a user or admin set nodes or switches of this pending job since the mark
 * was written, and since watch last changed it? False when it is not marked. */
bool lw_patience_is_changed(const struct lw_known *known,
                            const struct lw_job *job);

/* Seconds that a gang with this time limit (-1 unlimited) may wait: what a
 * spread placement would cost it, at most max_patience; the user's own wait
 * (-1 none) comes first. */
long lw_patience_seconds(const struct lw_settings *settings, long minutes,
                         long own);

#endif
