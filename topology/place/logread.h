/* SPDX-License-Identifier: GPL-2.0-or-later */
/* logread.h - the placement log, read in a stream */
#ifndef LW_LOGREAD_H
#define LW_LOGREAD_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "lib/err.h"
#include "lib/jscan.h"
#include "topology/place/snapshot.h"

enum lw_log_event {
    LW_LOG_OTHER,
    LW_LOG_SUBMITTED,
    LW_LOG_UNTOUCHED,
    LW_LOG_IMPOSSIBLE,
    LW_LOG_WAITING,
    LW_LOG_RELAXED,
    LW_LOG_PLACED,
    LW_LOG_READY,
    LW_LOG_LAUNCHED,
    LW_LOG_RAIL_DOWN,
    LW_LOG_ENDED,
    LW_LOG_SNAPSHOT,
    LW_LOG_MAP_CHANGED
};

/* One line (docs/placement-log-format.md explains each field): numbers are
 * -1 and texts NULL when the line has none; all texts stay until the next
 * line is read. Only what the reports use is kept. */
struct lw_log_record {
    enum lw_log_event event;
    int64_t at_ms; /* when it was written; -1 unreadable */
    long schema;
    char *at, *event_text, *cluster, *ref;
    struct {
        long id, array_job_id, array_task_id, het_job_id, het_offset;
        long restarts, uid;
        char *submit, *eligible, *partition, *name, *user, *account, *qos;
    } job;
    struct {
        long nodes_min, nodes_max, gpus, gpus_per_node, minutes, switches;
    } request;
    struct {
        long nodes, groups;
        char *action, *reason, *text;
    } decision;
    struct {
        long nnodes, gpus, groups, fewest, fewest_free, excess, pods, unknown;
        long ring_crossings;
        int rails_complete; /* -1 unknown */
        char *nodes, *gpu_type;
        struct lw_jscan_raw per_group;
    } placement;
    struct {
        long queue, locality, patience, groups_now;
        char *ended_by, *what;
    } wait;
    struct {
        long elapsed, gpu_s, configuring;
        char *start, *end, *state;
    } run;
    /* launched and rail-down */
    struct {
        long id, nnodes;
    } step;
    struct lw_jscan_raw rails;
    /* snapshot and map-changed */
    struct {
        long total, idle, mixed, full, down, unmapped;
    } nodes;
    struct {
        long total, used, down, stranded, mix;
        long free[LW_FREES]; /* by cause */
        double unusable;
    } gpus;
    struct {
        long running, running_gangs, pending, pending_gangs, waiting;
    } jobs;
    struct {
        long age, nodes, groups, pods, degraded;
        char *created;
    } map;
    struct lw_jscan_raw groups, startable, types, slots, pending;
    struct lw_jscan_raw degraded_nodes;
    double fragmentation; /* -1 unknown */
};

/* How much was read, and what of it could not be used. */
struct lw_log_stats {
    uint64_t lines, broken, newer; /* newer: of a schema we do not know */
    uint64_t bytes, total_bytes;   /* as stored; total 0 when not known */
    uint64_t cut_off;              /* files that ended in the middle */
    uint64_t unreadable;           /* files of which nothing was read */
    lw_error_t first_broken, first_cut_off, first_unreadable;
};

struct lw_logread;

/* Read 'n' files one after the other ("-" is standard input); the names are
 * borrowed. Returns a reader to free with lw_logread_close(), or NULL with
 * 'err' when out of memory. */
struct lw_logread *lw_logread_open(const char *const *paths, size_t n,
                                   lw_error_t *err);
void lw_logread_close(struct lw_logread *r);

/* The next good line. Broken ones are counted and skipped, and so are files
 * that cannot be read, as long as there are others. Returns 1, 0 at the end, or
 * -1 with 'err' when a file is not there or nothing can be read at all. */
int lw_logread_next(struct lw_logread *r, struct lw_log_record *record,
                    lw_error_t *err);
const struct lw_log_stats *lw_logread_stats(const struct lw_logread *r);

/* The log at 'path' with its rotated parts, oldest first; parts last
 * written before 'since' are left out (0 for all). Returns names to free with
 * lw_logread_free_names(), or NULL with 'err'. */
char **lw_logread_rotated(const char *path, time_t since, size_t *n,
                          lw_error_t *err);
/* The logs that 'pattern' names, "%n" standing for any node, with their
 * rotated parts; otherwise the same. There may be none: '*n' is 0 then. */
char **lw_logread_of_nodes(const char *pattern, time_t since, size_t *n,
                           lw_error_t *err);
void lw_logread_free_names(char **names, size_t n);

#endif
