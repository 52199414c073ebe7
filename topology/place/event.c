/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event.c - the placement log: one JSON line an event */
#include "config.h"

#include "lib/buf.h"
#include "topology/place/event.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A line larger than this is a mistake, not an event. */
#define LINE_LIMIT (1024 * 1024)

/* Written by hand and not through jansson: the line is made inside
 * slurmctld's submit path, where one growing buffer is all it may cost, and
 * texts from users that are not UTF-8 must be repaired rather than refused. */

/* Length of the UTF-8 sequence at 's', 0 when it is none. */
static size_t utf8(const unsigned char *s)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = *s < 0x80             ? 1
               : (*s & 0xe0) == 0xc0 ? 2
               : (*s & 0xf0) == 0xe0 ? 3
               : (*s & 0xf8) == 0xf0 ? 4
                                     : 0;
    uint32_t c = n > 1 ? *s & (0x7fU >> n) : *s;
    size_t i;

    for (i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3fU);
    }
    if (n > 1 && (c < least[n] || c > 0x10ffff || (c & 0x1ff800) == 0xd800))
        return 0;
    return n;
}

static void put_string(struct lw_buf *b, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t n;

    lw_buf_add(b, "\"", 1);
    while (*s) {
        for (n = 0; s[n] >= 0x20 && s[n] < 0x7f && s[n] != '"' && s[n] != '\\';)
            n++;
        if (n) {
            lw_buf_add(b, (const char *)s, n);
        } else if (*s == '"' || *s == '\\') {
            lw_buf_printf(b, "\\%c", *s);
            n = 1;
        } else if (*s < 0x20 || *s == 0x7f) {
            lw_buf_printf(b, "\\u%04x", *s);
            n = 1;
        } else if ((n = utf8(s))) {
            lw_buf_add(b, (const char *)s, n);
        } else {
            lw_buf_puts(b, "\xef\xbf\xbd");
            n = 1;
        }
        s += n;
    }
    lw_buf_add(b, "\"", 1);
}

/* The comma is due unless something was opened just now. */
static void put_key(struct lw_buf *b, const char *key)
{
    char last = b->len ? b->text[b->len - 1] : '{';

    if (last != '{' && last != '[')
        lw_buf_add(b, ",", 1);
    if (key)
        lw_buf_printf(b, "\"%s\":", key);
}

static void text(struct lw_buf *b, const char *key, const char *value)
{
    if (value) {
        put_key(b, key);
        put_string(b, value);
    }
}

static void number(struct lw_buf *b, const char *key, long value)
{
    if (value >= 0) {
        put_key(b, key);
        lw_buf_printf(b, "%ld", value);
    }
}

/* Only what is true: what is absent was not asked for. */
static void flag(struct lw_buf *b, const char *key, bool value)
{
    if (value) {
        put_key(b, key);
        lw_buf_puts(b, "true");
    }
}

static void moment(struct lw_buf *b, const char *key, time_t when)
{
    char out[32];
    struct tm tm;

    if (when <= 0 || !gmtime_r(&when, &tm))
        return;
    strftime(out, sizeof(out), "%Y-%m-%dT%H:%M:%SZ", &tm);
    text(b, key, out);
}

static void open_object(struct lw_buf *b, const char *key)
{
    put_key(b, key);
    lw_buf_add(b, "{", 1);
}

static void close_object(struct lw_buf *b)
{
    lw_buf_add(b, "}", 1);
}

static void put_head(struct lw_buf *b, const struct lw_event *e)
{
    char out[32] = "1970-01-01T00:00:00";
    struct tm tm;

    if (gmtime_r(&e->at.tv_sec, &tm))
        strftime(out, sizeof(out), "%Y-%m-%dT%H:%M:%S", &tm);
    lw_buf_printf(b, "{\"schema\":%d,\"@timestamp\":\"%s.%03ldZ\"",
                  LW_LOG_SCHEMA, out, e->at.tv_nsec / 1000000);
    text(b, "event", e->event);
    text(b, "ref", e->ref);
    text(b, "cluster", e->cluster);
}

static void put_job(struct lw_buf *b, const struct lw_event *e)
{
    open_object(b, "job");
    number(b, "id", e->job_id);
    number(b, "array_job_id", e->array_job_id);
    number(b, "array_task_id", e->array_task_id);
    number(b, "het_job_id", e->het_job_id);
    number(b, "het_offset", e->het_offset);
    number(b, "restarts", e->restarts);
    moment(b, "submit", e->submit);
    text(b, "partition", e->partition);
    text(b, "name", e->job_name);
    text(b, "user", e->user);
    number(b, "uid", e->uid);
    text(b, "account", e->account);
    close_object(b);
}

static void put_request(struct lw_buf *b, const struct lw_request *r)
{
    static const char *const policies[] = {"off", "pack", "spread"};

    open_object(b, "request");
    number(b, "nodes_min", r->nodes_min);
    number(b, "nodes_max", r->nodes_max);
    number(b, "tasks", r->tasks);
    number(b, "tasks_per_node", r->tasks_per_node);
    number(b, "cpus_per_task", r->cpus_per_task);
    number(b, "cpus_per_gpu", r->cpus_per_gpu);
    number(b, "sockets_per_node", r->sockets_per_node);
    number(b, "gpus", r->gpus_job);
    number(b, "gpus_per_node", r->gpus_node);
    number(b, "gpus_per_task", r->gpus_task);
    number(b, "gpus_per_socket", r->gpus_socket);
    text(b, "gpu_type", r->gpu_type);
    number(b, "minutes", r->minutes);
    number(b, "memory_per_node", r->memory_node);
    number(b, "memory_per_cpu", r->memory_cpu);
    number(b, "memory_per_gpu", r->memory_gpu);
    flag(b, "exclusive", r->exclusive);
    text(b, "exclude", r->exclude);
    text(b, "features", r->features);
    if (r->policy >= 0 && r->policy <= LW_POLICY_SPREAD)
        text(b, "policy", policies[r->policy]);
    number(b, "wait_s", r->wait);
    close_object(b);
}

/* What would crash slurmctld is refused; in the log that is one more way to
 * be impossible. */
static const char *logged_action(const struct lw_decision *d)
{
    return lw_action_word(d->action == LW_REFUSE ? LW_IMPOSSIBLE : d->action);
}

static void put_decision(struct lw_buf *b, const struct lw_decision *d)
{
    open_object(b, "decision");
    text(b, "action", logged_action(d));
    text(b, "reason", lw_reason_word(d->reason));
    text(b, "text", d->text);
    number(b, "nodes", d->nodes);
    number(b, "gpus_per_node", d->gpus_node);
    text(b, "gpu_type", d->gpus_node > 0 ? d->gpu_type : NULL);
    number(b, "groups", d->groups);
    number(b, "switches", d->switches);
    number(b, "wait_s", d->wait);
    number(b, "segment", d->segment);
    text(b, "features", d->features);
    number(b, "excluded", d->nexcluded ? (long)d->nexcluded : -1);
    close_object(b);
}

static void put_score(struct lw_buf *b, const struct lw_score *s)
{
    size_t i;

    number(b, "groups", s->groups);
    number(b, "fewest", s->fewest);
    number(b, "fewest_free", s->fewest_free);
    number(b, "excess", s->excess);
    number(b, "pods", s->pods);
    number(b, "unknown", s->unknown ? s->unknown : -1);
    put_key(b, "rails_complete");
    lw_buf_puts(b, s->rails_complete ? "true" : "false");
    number(b, "ring_crossings", s->ring_crossings);
    put_key(b, "per_group");
    lw_buf_add(b, "[", 1);
    for (i = 0; i < s->nper_group; i++) {
        open_object(b, NULL);
        text(b, "group", s->group_names[i]);
        number(b, "nodes", s->per_group[i]);
        close_object(b);
    }
    lw_buf_puts(b, "]");
}

static void put_placement(struct lw_buf *b, const struct lw_event *e)
{
    open_object(b, "placement");
    text(b, "nodes", e->nodes);
    number(b, "nnodes", e->nnodes);
    number(b, "gpus", e->gpus < 0 ? 0 : e->gpus);
    if (e->score)
        put_score(b, e->score);
    close_object(b);
}

static void put_wait(struct lw_buf *b, const struct lw_event *e)
{
    open_object(b, "wait");
    number(b, "queue_s", e->waited);
    number(b, "locality_s", e->waited_locality);
    close_object(b);
}

static void put_run(struct lw_buf *b, const struct lw_event *e)
{
    open_object(b, "run");
    moment(b, "start", e->start);
    moment(b, "end", e->end);
    text(b, "state", e->state);
    close_object(b);
}

char *lw_event_line(const struct lw_event *e, size_t *len, lw_error_t *err)
{
    struct lw_buf b = LW_BUF_INIT(LINE_LIMIT);
    char *line;

    put_head(&b, e);
    put_job(&b, e);
    if (e->request)
        put_request(&b, e->request);
    if (e->decision)
        put_decision(&b, e->decision);
    if (e->nnodes > 0)
        put_placement(&b, e);
    if (e->waited >= 0 || e->waited_locality >= 0)
        put_wait(&b, e);
    if (e->start > 0 || e->state)
        put_run(&b, e);
    lw_buf_puts(&b, "}\n");
    *len = b.len;
    if (!(line = lw_buf_take(&b)))
        lw_err(err, "an event larger than %d bytes, or out of memory",
               LINE_LIMIT);
    return line;
}
