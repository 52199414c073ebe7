/* SPDX-License-Identifier: GPL-2.0-or-later */
/* journal.c - what watch must not forget when it is killed */
#include "config.h"

#include "lib/json.h"
#include "topology/place/journal.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Jobs and placements have the same form as in the placement log, so that
 * one reader serves both. */

static void print_job(struct lw_buf *b, const struct lw_job *j)
{
    lw_json_open(b, "job");
    lw_json_number(b, "id", j->id);
    lw_json_number(b, "array_job_id", j->array_job);
    lw_json_number(b, "array_task_id", j->array_task);
    lw_json_text(b, "array_tasks", j->array_tasks);
    lw_json_number(b, "het_job_id", j->het_job);
    lw_json_number(b, "het_offset", j->het_offset);
    lw_json_number(b, "restarts", j->restarts);
    lw_json_time(b, "submit", j->submit);
    lw_json_time(b, "eligible", j->eligible);
    lw_json_text(b, "partition", j->partition);
    lw_json_text(b, "name", j->name);
    lw_json_text(b, "user", j->user);
    lw_json_number(b, "uid", j->uid);
    lw_json_text(b, "account", j->account);
    lw_json_text(b, "qos", j->qos);
    lw_json_close(b);
}

static void print_placement(struct lw_buf *b, const struct lw_placement *p)
{
    lw_json_open(b, "placement");
    lw_json_text(b, "nodes", p->nodes);
    lw_json_number(b, "nnodes", p->nnodes);
    lw_json_number(b, "gpus", p->gpus);
    lw_json_text(b, "gpu_type", p->gpu_type);
    if (p->scored) {
        lw_json_number(b, "groups", p->score.groups);
        lw_json_number(b, "fewest", p->score.fewest);
        lw_json_number(b, "fewest_free", p->score.fewest_free);
        lw_json_number(b, "excess", p->score.excess);
        lw_json_number(b, "pods", p->score.pods);
        lw_json_number(b, "unknown", p->score.unknown);
        lw_json_bool(b, "rails_complete", p->score.rails_complete);
        lw_json_number(b, "ring_crossings", p->score.ring_crossings);
        lw_json_text(b, "map", p->map);
    }
    lw_json_close(b);
}

static void print_clock(struct lw_buf *b, const struct lw_clock *c)
{
    lw_json_open(b, "clock");
    lw_json_number(b, "waited_s", c->waited);
    lw_json_time(b, "since", c->since);
    lw_json_number(b, "patience_s", c->patience);
    lw_json_number(b, "switches", c->switches);
    lw_json_time(b, "relaxed", c->relaxed);
    lw_json_bool(b, "let_be", c->let_be);
    lw_json_bool(b, "lifting", c->lifting);
    lw_json_close(b);
}

static int print_known(struct lw_known *k, void *arg)
{
    struct lw_buf *b = arg;

    lw_json_open(b, NULL);
    lw_json_text(b, "ref", k->ref);
    lw_json_number(b, "said", (long)k->said);
    lw_json_bool(b, "configuring", k->configuring);
    print_job(b, &k->job);
    if (k->said & LW_SAID_PLACED) {
        lw_json_open(b, "run");
        lw_json_time(b, "start", k->job.start);
        lw_json_close(b);
        print_placement(b, &k->placement);
    }
    print_clock(b, &k->clock);
    lw_json_close(b);
    return 0;
}

char *lw_journal_print(struct lw_known_table *t,
                       const struct lw_journal_mark *mark, size_t *len,
                       lw_error_t *err)
{
    struct lw_buf b = LW_BUF_INIT(LW_JOURNAL_LIMIT);
    char *text;

    lw_json_open(&b, NULL);
    lw_json_number(&b, "schema", LW_JOURNAL_SCHEMA);
    lw_json_open(&b, "log");
    lw_json_number(&b, "dev", (long)mark->dev);
    lw_json_number(&b, "ino", (long)mark->ino);
    lw_json_number(&b, "offset", (long)mark->offset);
    lw_json_close(&b);
    lw_json_text(&b, "map", mark->map);
    lw_json_open_array(&b, "jobs");
    lw_known_each(t, print_known, &b);
    lw_json_close_array(&b);
    lw_buf_puts(&b, "}\n");
    *len = b.len;
    if (!(text = lw_buf_take(&b)))
        lw_err(err, "out of memory");
    return text;
}

/* --- reading ----------------------------------------------------------------- */

static long number(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);

    return json_is_integer(v) ? (long)json_integer_value(v) : -1;
}

static const char *text(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

static time_t moment(const json_t *o, const char *key)
{
    time_t t = lw_json_time_parse(text(o, key));

    return t > 0 ? t : 0;
}

/* Texts are borrowed from 'o'. */
static struct lw_job read_job(const json_t *o, const json_t *run)
{
    struct lw_job j = {.minutes = -1,
                       .priority = -1,
                       .nodes_max = -1,
                       .cpus = -1,
                       .switches = -1,
                       .switch_wait = -1};

    j.id = number(o, "id");
    j.array_job = number(o, "array_job_id");
    j.array_task = number(o, "array_task_id");
    j.array_tasks = text(o, "array_tasks");
    j.het_job = number(o, "het_job_id");
    j.het_offset = number(o, "het_offset");
    j.restarts = number(o, "restarts");
    j.submit = moment(o, "submit");
    j.eligible = moment(o, "eligible");
    j.partition = text(o, "partition");
    j.name = text(o, "name");
    j.user = text(o, "user");
    j.uid = number(o, "uid");
    j.account = text(o, "account");
    j.qos = text(o, "qos");
    j.start = moment(run, "start");
    return j;
}

static int keep_text(const char **at, const char *value)
{
    char *copy = value ? strdup(value) : NULL;

    if (value && !copy)
        return -1;
    if (copy) {
        free((char *)*at);
        *at = copy;
    }
    return 0;
}

static int read_placement(const json_t *o, struct lw_known *k)
{
    struct lw_placement *p = &k->placement;

    if (!json_is_object(o))
        return 0;
    p->nnodes = number(o, "nnodes");
    p->gpus = number(o, "gpus");
    p->scored = number(o, "groups") >= 0;
    p->score.groups = number(o, "groups");
    p->score.fewest = number(o, "fewest");
    p->score.fewest_free = number(o, "fewest_free");
    p->score.excess = number(o, "excess");
    p->score.pods = number(o, "pods");
    p->score.unknown = number(o, "unknown");
    p->score.rails_complete =
        json_is_true(json_object_get(o, "rails_complete"));
    p->score.ring_crossings = number(o, "ring_crossings");
    k->measured = true;
    k->fewest_free = p->score.fewest_free;
    return keep_text(&p->nodes, text(o, "nodes")) < 0 ||
                   keep_text(&p->gpu_type, text(o, "gpu_type")) < 0 ||
                   keep_text(&p->map, text(o, "map")) < 0
               ? -1
               : 0;
}

static void read_clock(const json_t *o, struct lw_clock *c)
{
    if (!json_is_object(o))
        return;
    c->waited = number(o, "waited_s") > 0 ? number(o, "waited_s") : 0;
    c->since = moment(o, "since");
    c->patience = number(o, "patience_s");
    c->switches = number(o, "switches");
    c->relaxed = moment(o, "relaxed");
    c->let_be = json_is_true(json_object_get(o, "let_be"));
    c->lifting = json_is_true(json_object_get(o, "lifting"));
}

/* The entry for the job in 'o', new or known, brought up to what 'o' says; a
 * line about a later run of a known job replaces the earlier one. */
static struct lw_known *entry(struct lw_known_table *t, const json_t *o)
{
    struct lw_job j =
        read_job(json_object_get(o, "job"), json_object_get(o, "run"));
    struct lw_known *k;

    if (j.id <= 0 || j.restarts < 0)
        return NULL;
    if (!(k = lw_known_find(t, j.id)) && !(k = lw_known_add(t, j.id)))
        return NULL;
    if (k->job.restarts != j.restarts || k->job.submit != j.submit ||
        ((k->said & LW_SAID_PLACED) && j.start && j.start != k->job.start))
        lw_known_reset(k);
    j.nodes = k->placement.nodes;
    if (!j.start)
        j.start = k->job.start;
    if (lw_known_update(k, &j) < 0 || !text(o, "ref"))
        return k;
    free(k->ref);
    k->ref = strdup(text(o, "ref"));
    return k;
}

static int read_known(struct lw_known_table *t, const json_t *o)
{
    struct lw_known *k = entry(t, o);

    if (!k)
        return 0;
    k->said = number(o, "said") > 0 ? (unsigned)number(o, "said") : 0;
    k->configuring = json_is_true(json_object_get(o, "configuring"));
    read_clock(json_object_get(o, "clock"), &k->clock);
    return read_placement(json_object_get(o, "placement"), k);
}

static int read_root(const json_t *root, struct lw_known_table *t,
                     struct lw_journal_mark *mark)
{
    const json_t *log = json_object_get(root, "log"), *v;
    const json_t *jobs = json_object_get(root, "jobs");
    size_t i;

    mark->dev = (uint64_t)number(log, "dev");
    mark->ino = number(log, "ino") > 0 ? (uint64_t)number(log, "ino") : 0;
    mark->offset = number(log, "offset") > 0 ? number(log, "offset") : 0;
    snprintf(mark->map, sizeof(mark->map), "%s",
             text(root, "map") ? text(root, "map") : "");
    json_array_foreach(jobs, i, v)
    {
        if (read_known(t, v) < 0)
            return -1;
    }
    return 0;
}

int lw_journal_parse(const char *doc, size_t len, const char *source,
                     struct lw_known_table *t, struct lw_journal_mark *mark,
                     lw_error_t *err)
{
    json_error_t why;
    json_t *root = json_loadb(doc, len, 0, &why);
    int rc = -1;

    if (!root)
        lw_err_at(err, source, why.line, why.column, "%s", why.text);
    else if (number(root, "schema") != LW_JOURNAL_SCHEMA)
        lw_err(err, "%s: expected schema %d", source, LW_JOURNAL_SCHEMA);
    else if ((rc = read_root(root, t, mark)) < 0)
        lw_err(err, "%s: out of memory", source);
    json_decref(root);
    return rc;
}

/* --- the log after the journal ------------------------------------------------ */

/* What one of our lines says of its job. */
static int replay_event(struct lw_known_table *t, const json_t *o,
                        const char *event)
{
    const json_t *wait = json_object_get(o, "wait");
    struct lw_known *k = entry(t, o);

    if (!k)
        return 0;
    if (strcmp(event, "placed") == 0) {
        k->said |= LW_SAID_PLACED;
        return read_placement(json_object_get(o, "placement"), k);
    }
    if (strcmp(event, "ready") == 0)
        k->said |= LW_SAID_READY;
    if (strcmp(event, "ended") == 0)
        k->said |= LW_SAID_ENDED;
    if (strcmp(event, "waiting") == 0) {
        k->said |= LW_SAID_WAITING;
        k->clock.patience = number(wait, "patience_s");
    }
    if (strcmp(event, "relaxed") == 0 && number(wait, "switches_to") >= 0) {
        k->said |= LW_SAID_PATIENCE;
        k->clock.switches = number(wait, "switches_to");
        k->clock.waited = number(wait, "locality_s");
    }
    return 0;
}

/* Cheap test before a line is parsed; the plugin's lines are the most. */
static bool is_ours(const char *line, size_t len)
{
    static const char *const events[] = {"placed", "ready", "ended", "waiting",
                                         "relaxed"};
    static const char key[] = "\"event\":\"";
    const char *at = memmem(line, len, key, sizeof(key) - 1);
    size_t i, n, left;

    if (!at)
        return false;
    at += sizeof(key) - 1;
    left = len - (size_t)(at - line);
    for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        n = strlen(events[i]);
        if (left > n && memcmp(at, events[i], n) == 0 && at[n] == '"')
            return true;
    }
    return false;
}

int lw_journal_replay(struct lw_known_table *t, const char *line, size_t len)
{
    const char *event;
    json_t *root;
    int rc = 0;

    if (!is_ours(line, len) || !(root = json_loadb(line, len, 0, NULL)))
        return 0;
    if ((event = text(root, "event")))
        rc = replay_event(t, root, event);
    json_decref(root);
    return rc;
}
