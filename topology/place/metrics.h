/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics.h - what Prometheus reads through node_exporter's textfiles */
#ifndef LW_METRICS_H
#define LW_METRICS_H

#include <time.h>

#include "lib/buf.h"
#include "topology/place/event.h"
#include "topology/place/snapshot.h"

#define LW_METRICS_BUCKETS 9

/* One histogram of seconds, per job size class. */
struct lw_histogram {
    unsigned long buckets[LW_METRICS_BUCKETS]; /* not cumulative, last +Inf */
    unsigned long count;
    unsigned long sum;
};

/* Jobs by their number of nodes: 1, 2-4, 5-16, 17-64, 65 and more. */
#define LW_SIZES 5

/* What is counted since watch started. */
struct lw_metrics {
    unsigned long placed[LW_SIZES], packed[LW_SIZES];
    unsigned long excess_groups;
    struct lw_histogram queue[LW_SIZES];
    struct lw_histogram locality; /* gangs that waited for their groups */
    unsigned long relaxed, ended_patience;
    time_t started;
    /* filled before printing */
    unsigned long lines_lost, runs_lost, looks_failed;
    double look_seconds;
    time_t last_look;
    time_t map_created;
};

/* Count one event that was written. */
void lw_metrics_count(struct lw_metrics *m, const struct lw_event *event);

/* Append the text format: one HELP and TYPE a family, no timestamps, newline
 * at the end. 'snapshot' may be NULL; names of groups are the only labels
 * that grow with the cluster. */
void lw_metrics_print(struct lw_buf *b, const struct lw_metrics *m,
                      const struct lw_snapshot *snapshot, const char *cluster);

#endif
