/* SPDX-License-Identifier: GPL-2.0-or-later */
/* logread.c - the placement log, read in a stream */
#include "config.h"

#include "topology/place/logread.h"

#include "lib/lines.h"
#include "lib/when.h"
#include "topology/place/event.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LINE_LIMIT ((size_t)64 * 1024 * 1024) /* a snapshot of a huge cluster */

#define FIELD(type, key, member)                                               \
    {                                                                          \
        LW_JSCAN_KEY(key), LW_JSCAN_##type,                                    \
            offsetof(struct lw_log_record, member), NULL                       \
    }

#define OBJECT(key, members)                                                   \
    {                                                                          \
        LW_JSCAN_KEY(key), LW_JSCAN_OBJECT, 0, members                         \
    }

/* Keys in the order in which they are written: see find_field(). */
static const struct lw_jscan_field job_fields[] = {
    FIELD(LONG, "id", job.id),
    FIELD(LONG, "array_job_id", job.array_job_id),
    FIELD(LONG, "array_task_id", job.array_task_id),
    FIELD(LONG, "het_job_id", job.het_job_id),
    FIELD(LONG, "het_offset", job.het_offset),
    FIELD(LONG, "restarts", job.restarts),
    FIELD(TEXT, "submit", job.submit),
    FIELD(TEXT, "eligible", job.eligible),
    FIELD(TEXT, "partition", job.partition),
    FIELD(TEXT, "name", job.name),
    FIELD(TEXT, "user", job.user),
    FIELD(TEXT, "account", job.account),
    FIELD(TEXT, "qos", job.qos),
    FIELD(LONG, "uid", job.uid),
    {0},
};

static const struct lw_jscan_field request_fields[] = {
    FIELD(LONG, "nodes_min", request.nodes_min),
    FIELD(LONG, "nodes_max", request.nodes_max),
    FIELD(LONG, "gpus", request.gpus),
    FIELD(LONG, "gpus_per_node", request.gpus_per_node),
    FIELD(LONG, "minutes", request.minutes),
    FIELD(LONG, "switches", request.switches),
    {0},
};

static const struct lw_jscan_field decision_fields[] = {
    FIELD(TEXT, "action", decision.action),
    FIELD(TEXT, "reason", decision.reason),
    FIELD(TEXT, "text", decision.text),
    FIELD(LONG, "nodes", decision.nodes),
    FIELD(LONG, "groups", decision.groups),
    {0},
};

static const struct lw_jscan_field placement_fields[] = {
    FIELD(TEXT, "nodes", placement.nodes),
    FIELD(LONG, "nnodes", placement.nnodes),
    FIELD(LONG, "gpus", placement.gpus),
    FIELD(TEXT, "gpu_type", placement.gpu_type),
    FIELD(LONG, "groups", placement.groups),
    FIELD(LONG, "fewest", placement.fewest),
    FIELD(LONG, "fewest_free", placement.fewest_free),
    FIELD(LONG, "excess", placement.excess),
    FIELD(LONG, "pods", placement.pods),
    FIELD(LONG, "unknown", placement.unknown),
    FIELD(BOOL, "rails_complete", placement.rails_complete),
    FIELD(LONG, "ring_crossings", placement.ring_crossings),
    FIELD(RAW, "per_group", placement.per_group),
    {0},
};

static const struct lw_jscan_field wait_fields[] = {
    FIELD(LONG, "queue_s", wait.queue),
    FIELD(LONG, "locality_s", wait.locality),
    FIELD(LONG, "patience_s", wait.patience),
    FIELD(LONG, "groups_now", wait.groups_now),
    FIELD(TEXT, "ended_by", wait.ended_by),
    FIELD(TEXT, "what", wait.what),
    {0},
};

static const struct lw_jscan_field run_fields[] = {
    FIELD(TEXT, "start", run.start),
    FIELD(TEXT, "end", run.end),
    FIELD(LONG, "elapsed_s", run.elapsed),
    FIELD(LONG, "gpu_s", run.gpu_s),
    FIELD(LONG, "configuring_s", run.configuring),
    FIELD(TEXT, "state", run.state),
    {0},
};

static const struct lw_jscan_field step_fields[] = {
    FIELD(LONG, "id", step.id),
    FIELD(LONG, "nnodes", step.nnodes),
    {0},
};

static const struct lw_jscan_field node_fields[] = {
    FIELD(LONG, "total", nodes.total),
    FIELD(LONG, "idle", nodes.idle),
    FIELD(LONG, "mixed", nodes.mixed),
    FIELD(LONG, "full", nodes.full),
    FIELD(LONG, "down", nodes.down),
    FIELD(LONG, "unmapped", nodes.unmapped),
    {0},
};

static const struct lw_jscan_field free_fields[] = {
    FIELD(LONG, "idle", gpus.free[LW_FREE_IDLE]),
    FIELD(LONG, "rail", gpus.free[LW_FREE_RAIL]),
    FIELD(LONG, "partly", gpus.free[LW_FREE_PARTLY]),
    FIELD(LONG, "cpu", gpus.free[LW_FREE_CPU]),
    FIELD(LONG, "memory", gpus.free[LW_FREE_MEMORY]),
    FIELD(LONG, "completing", gpus.free[LW_FREE_COMPLETING]),
    FIELD(LONG, "reserved", gpus.free[LW_FREE_RESERVED]),
    FIELD(LONG, "drained", gpus.free[LW_FREE_DRAINED]),
    FIELD(LONG, "down", gpus.free[LW_FREE_DOWN]),
    {0},
};

static const struct lw_jscan_field gpu_fields[] = {
    FIELD(LONG, "total", gpus.total), FIELD(LONG, "used", gpus.used),
    FIELD(LONG, "down", gpus.down),   FIELD(LONG, "stranded", gpus.stranded),
    OBJECT("free", free_fields),      FIELD(DOUBLE, "unusable", gpus.unusable),
    FIELD(LONG, "mix", gpus.mix),     {0},
};

static const struct lw_jscan_field jobs_fields[] = {
    FIELD(LONG, "running", jobs.running),
    FIELD(LONG, "running_gangs", jobs.running_gangs),
    FIELD(LONG, "pending", jobs.pending),
    FIELD(LONG, "pending_gangs", jobs.pending_gangs),
    FIELD(LONG, "waiting", jobs.waiting),
    {0},
};

static const struct lw_jscan_field map_fields[] = {
    FIELD(TEXT, "created", map.created),
    FIELD(LONG, "age_s", map.age),
    FIELD(LONG, "nodes", map.nodes),
    FIELD(LONG, "groups", map.groups),
    FIELD(LONG, "pods", map.pods),
    FIELD(LONG, "degraded", map.degraded),
    {0},
};

static const struct lw_jscan_field line_fields[] = {
    FIELD(LONG, "schema", schema),
    FIELD(TEXT, "@timestamp", at),
    FIELD(TEXT, "event", event_text),
    FIELD(TEXT, "cluster", cluster),
    FIELD(TEXT, "ref", ref),
    OBJECT("job", job_fields),
    OBJECT("request", request_fields),
    OBJECT("decision", decision_fields),
    OBJECT("placement", placement_fields),
    OBJECT("wait", wait_fields),
    OBJECT("run", run_fields),
    OBJECT("step", step_fields),
    FIELD(RAW, "rails", rails),
    OBJECT("nodes", node_fields),
    OBJECT("gpus", gpu_fields),
    FIELD(RAW, "groups", groups),
    FIELD(RAW, "startable", startable),
    FIELD(RAW, "slots", slots),
    FIELD(DOUBLE, "fragmentation", fragmentation),
    FIELD(RAW, "types", types),
    OBJECT("jobs", jobs_fields),
    FIELD(RAW, "pending", pending),
    OBJECT("map", map_fields),
    FIELD(RAW, "degraded_nodes", degraded_nodes),
    {0},
};

struct lw_logread {
    const char *const *paths;
    size_t n, at; /* at: index of the open file, or of the next */
    struct lw_lines *lines;
    uint64_t done; /* bytes of the files before this one */
    struct lw_log_record blank;
    struct lw_log_stats stats;
};

/* Every number of every table starts as -1. */
static void blank(const struct lw_jscan_field *f, struct lw_log_record *r)
{
    for (; f->key; f++) {
        void *slot = (char *)r + f->offset;

        if (f->type == LW_JSCAN_LONG)
            *(long *)slot = -1;
        else if (f->type == LW_JSCAN_DOUBLE)
            *(double *)slot = -1;
        else if (f->type == LW_JSCAN_BOOL)
            *(int *)slot = -1;
        else if (f->type == LW_JSCAN_OBJECT)
            blank(f->fields, r);
    }
}

static uint64_t total_size(const char *const *paths, size_t n)
{
    uint64_t total = 0;
    struct stat st;
    size_t i;

    for (i = 0; i < n; i++) {
        if (stat(paths[i], &st) != 0 || !S_ISREG(st.st_mode))
            return 0;
        total += (uint64_t)st.st_size;
    }
    return total;
}

struct lw_logread *lw_logread_open(const char *const *paths, size_t n,
                                   lw_error_t *err)
{
    struct lw_logread *r = calloc(1, sizeof(*r));

    if (!r) {
        lw_err(err, "out of memory");
        return NULL;
    }
    r->paths = paths;
    r->n = n;
    blank(line_fields, &r->blank);
    r->stats.total_bytes = total_size(paths, n);
    return r;
}

void lw_logread_close(struct lw_logread *r)
{
    if (!r)
        return;
    lw_lines_close(r->lines);
    free(r);
}

const struct lw_log_stats *lw_logread_stats(const struct lw_logread *r)
{
    return &r->stats;
}

static enum lw_log_event event_of(const char *word)
{
    static const char *const words[] = {
        "",        "submitted", "untouched",  "impossible", "waiting",
        "relaxed", "placed",    "ready",      "launched",   "rail-down",
        "ended",   "snapshot",  "map-changed"};
    size_t i;

    for (i = LW_LOG_SUBMITTED; i <= LW_LOG_MAP_CHANGED; i++)
        if (strcmp(word, words[i]) == 0)
            return (enum lw_log_event)i;
    return LW_LOG_OTHER;
}

static void note_broken(struct lw_logread *r, const lw_error_t *why)
{
    if (r->stats.broken++ == 0)
        lw_err_at(&r->stats.first_broken, r->paths[r->at],
                  (int)lw_lines_number(r->lines), why->col, "%s", why->text);
}

/* Read one line into the record; 0 when it is broken or not for us. */
static int take(struct lw_logread *r, char *line, size_t len,
                struct lw_log_record *record)
{
    lw_error_t why = {0};

    *record = r->blank;
    if (lw_jscan(line, len, line_fields, record, &why) < 0) {
        note_broken(r, &why);
        return 0;
    }
    if (record->schema > LW_LOG_SCHEMA) {
        r->stats.newer++;
        return 0;
    }
    if (!record->event_text || !record->at ||
        lw_when_rfc3339(record->at, &record->at_ms) < 0) {
        lw_err(&why, "no event or no @timestamp");
        note_broken(r, &why);
        return 0;
    }
    record->event = event_of(record->event_text);
    return 1;
}

/* Count what the file leaves behind and go to the next one; 'why' when it
 * could not be read to its end. */
static void leave_file(struct lw_logread *r, const lw_error_t *why)
{
    r->stats.broken += lw_lines_skipped(r->lines);
    if (why && r->stats.cut_off++ == 0)
        r->stats.first_cut_off = *why;
    r->done += lw_lines_offset(r->lines);
    lw_lines_close(r->lines);
    r->lines = NULL;
    r->at++;
}

/* A compressed file without its program, or of another owner, does not keep
 * the others from being read; a name that is wrong does. */
static int open_file(struct lw_logread *r, lw_error_t *err)
{
    lw_error_t why = {0};
    struct stat st;

    while (r->at < r->n) {
        if ((r->lines = lw_lines_open(r->paths[r->at], LINE_LIMIT, &why)))
            return 1;
        if (stat(r->paths[r->at], &st) != 0 || r->n == 1)
            return lw_err(err, "%s", why.text);
        if (r->stats.unreadable++ == 0)
            r->stats.first_unreadable = why;
        r->done += (uint64_t)st.st_size;
        memset(&why, 0, sizeof(why));
        r->at++;
    }
    if (r->stats.unreadable == r->n)
        return lw_err(err, "%s", r->stats.first_unreadable.text);
    return 0;
}

int lw_logread_next(struct lw_logread *r, struct lw_log_record *record,
                    lw_error_t *err)
{
    lw_error_t why = {0};
    char *line;
    size_t len;
    int rc;

    for (;;) {
        if (!r->lines && (rc = open_file(r, err)) <= 0)
            return rc;
        rc = lw_lines_next(r->lines, &line, &len, &why);
        r->stats.bytes = r->done + lw_lines_offset(r->lines);
        if (rc <= 0) {
            leave_file(r, rc < 0 ? &why : NULL);
            memset(&why, 0, sizeof(why));
            continue;
        }
        r->stats.lines++;
        if (len && take(r, line, len, record))
            return 1;
    }
}
