/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watcher.h - what one look after the other says of every job: events */
#ifndef LW_WATCHER_H
#define LW_WATCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "lib/err.h"
#include "topology/fabric/map.h"
#include "topology/place/capacity.h"
#include "topology/place/event.h"
#include "topology/place/job.h"
#include "topology/place/known.h"
#include "topology/place/state.h"

/* One look at the cluster; everything is borrowed for its time. */
struct lw_look {
    struct timespec at;
    const struct lw_map *map; /* NULL without */
    const struct lw_state *state;
    const struct lw_job *jobs;
    size_t njobs;
};

/* What the watcher asks of its owner. */
struct lw_watcher_ops {
    /* Write one event. 0 when the line is safe in the log; else the same
     * event is offered again at the next look. */
    int (*emit)(void *arg, const struct lw_event *event);
    /* A host list to names, to free with 'names_free'; NULL on error. */
    char **(*expand)(const char *text, size_t *count, lw_error_t *err);
    void (*names_free)(char **names, size_t count);
    void *arg;
};

struct lw_watcher;

/* Returns a watcher to free with lw_watcher_destroy(), NULL with errno. 'ops'
 * is copied. */
struct lw_watcher *lw_watcher_create(const struct lw_watcher_ops *ops);
void lw_watcher_destroy(struct lw_watcher *w);

/* Compare with what is known, and emit what happened: `placed`, `ready`,
 * `ended`. Returns 0, or -1 with errno when out of memory; then what was not
 * said is said at the next look. */
int lw_watcher_look(struct lw_watcher *w, const struct lw_look *look);

/* The jobs it knows, for the patience and the journal; borrowed. */
struct lw_known_table *lw_watcher_known(struct lw_watcher *w);

/* Nodes as they are at the last look, NULL without a map; borrowed. */
const struct lw_capacity *lw_watcher_capacity(const struct lw_watcher *w);

/* True when something was said or learned since the last call: the journal
 * is due. */
bool lw_watcher_changed(struct lw_watcher *w);

/* Runs that Slurm had forgotten before their end was seen. */
unsigned long lw_watcher_lost(const struct lw_watcher *w);

/* The "ref=HEX" of an admin_comment that the plugin wrote, to free; NULL when
 * there is none. */
char *lw_watcher_ref(const char *comment);

#endif
