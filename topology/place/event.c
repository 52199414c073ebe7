/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event.c - the placement log: one JSON line an event */
#include "config.h"

#include "lib/json.h"
#include "topology/place/event.h"

#include <stdlib.h>

/* A line larger than this is a mistake, not an event. */
#define LINE_LIMIT (1024 * 1024)

/* Only what is true: what is absent was not asked for. */
static void flag(struct lw_buf *b, const char *key, bool value)
{
    if (value)
        lw_json_bool(b, key, true);
}

static void put_head(struct lw_buf *b, const struct lw_event *e)
{
    char out[32] = "1970-01-01T00:00:00";
    struct tm tm;

    if (gmtime_r(&e->at.tv_sec, &tm))
        strftime(out, sizeof(out), "%Y-%m-%dT%H:%M:%S", &tm);
    lw_buf_printf(b, "{\"schema\":%d,\"@timestamp\":\"%s.%03ldZ\"",
                  LW_LOG_SCHEMA, out, e->at.tv_nsec / 1000000);
    lw_json_text(b, "event", e->event);
    lw_json_text(b, "cluster", e->cluster);
    lw_json_text(b, "ref", e->ref);
}

static const char *some(const char *text)
{
    return text && *text ? text : NULL;
}

/* The job as the plugin knows it. */
static void put_submission(struct lw_buf *b, const struct lw_event *e)
{
    lw_json_open(b, "job");
    lw_json_number(b, "id", e->job_id);
    lw_json_number(b, "array_job_id", e->array_job_id);
    lw_json_number(b, "array_task_id", e->array_task_id);
    lw_json_number(b, "het_job_id", e->het_job_id);
    lw_json_number(b, "het_offset", e->het_offset);
    lw_json_number(b, "restarts", e->restarts);
    lw_json_time(b, "submit", e->submit);
    lw_json_text(b, "partition", some(e->partition));
    lw_json_text(b, "name", e->job_name);
    lw_json_text(b, "user", some(e->user));
    lw_json_number(b, "uid", e->uid);
    lw_json_text(b, "account", some(e->account));
    lw_json_text(b, "qos", some(e->qos));
    lw_json_close(b);
}

static void put_job(struct lw_buf *b, const struct lw_job *j)
{
    lw_json_open(b, "job");
    lw_json_number(b, "id", j->id);
    if (j->array_job > 0) {
        lw_json_number(b, "array_job_id", j->array_job);
        lw_json_number(b, "array_task_id", j->array_task);
        lw_json_text(b, "array_tasks", some(j->array_tasks));
    }
    if (j->het_job > 0) {
        lw_json_number(b, "het_job_id", j->het_job);
        lw_json_number(b, "het_offset", j->het_offset);
    }
    lw_json_number(b, "restarts", j->restarts);
    lw_json_time(b, "submit", j->submit);
    lw_json_time(b, "eligible", j->eligible);
    lw_json_text(b, "partition", some(j->partition));
    lw_json_text(b, "name", j->name);
    lw_json_text(b, "user", some(j->user));
    lw_json_number(b, "uid", j->uid);
    lw_json_text(b, "account", some(j->account));
    lw_json_text(b, "qos", some(j->qos));
    lw_json_close(b);
}

static const char *policy_word(int policy)
{
    return policy == LW_POLICY_OFF      ? "off"
           : policy == LW_POLICY_PACK   ? "pack"
           : policy == LW_POLICY_SPREAD ? "spread"
                                        : NULL;
}

static void put_request(struct lw_buf *b, const struct lw_request *r)
{
    lw_json_open(b, "request");
    lw_json_number(b, "nodes_min", r->nodes_min);
    lw_json_number(b, "nodes_max", r->nodes_max);
    lw_json_number(b, "tasks", r->tasks);
    lw_json_number(b, "tasks_per_node", r->tasks_per_node);
    lw_json_number(b, "cpus_per_task", r->cpus_per_task);
    lw_json_number(b, "cpus_per_gpu", r->cpus_per_gpu);
    lw_json_number(b, "sockets_per_node", r->sockets_per_node);
    lw_json_number(b, "gpus", r->gpus_job);
    lw_json_number(b, "gpus_per_node", r->gpus_node);
    lw_json_number(b, "gpus_per_task", r->gpus_task);
    lw_json_number(b, "gpus_per_socket", r->gpus_socket);
    lw_json_text(b, "gpu_type", some(r->gpu_type));
    lw_json_number(b, "minutes", r->minutes);
    lw_json_number(b, "memory_per_node", r->memory_node);
    lw_json_number(b, "memory_per_cpu", r->memory_cpu);
    lw_json_number(b, "memory_per_gpu", r->memory_gpu);
    flag(b, "exclusive", r->exclusive);
    lw_json_text(b, "exclude", some(r->exclude));
    lw_json_text(b, "features", some(r->features));
    lw_json_text(b, "policy", policy_word(r->policy));
    lw_json_number(b, "wait_s", r->wait);
    lw_json_close(b);
}

/* What Slurm shows of every job's request. */
static void put_shown_request(struct lw_buf *b, const struct lw_job *j)
{
    lw_json_open(b, "request");
    lw_json_number(b, "minutes", j->minutes);
    lw_json_number(b, "switches", j->switches > 0 ? j->switches : -1);
    flag(b, "exclusive", j->exclusive);
    lw_json_text(b, "features", some(j->features));
    lw_json_close(b);
}

static long positive(long n)
{
    return n > 0 ? n : -1;
}

/* What would crash slurmctld is refused; in the log that is one more way to
 * be impossible. */
static const char *logged_action(const struct lw_decision *d)
{
    return lw_action_word(d->action == LW_REFUSE ? LW_IMPOSSIBLE : d->action);
}

static void put_decision(struct lw_buf *b, const struct lw_decision *d)
{
    lw_json_open(b, "decision");
    lw_json_text(b, "action", logged_action(d));
    lw_json_text(b, "reason", lw_reason_word(d->reason));
    lw_json_text(b, "text", d->text);
    lw_json_number(b, "nodes", positive(d->nodes));
    lw_json_number(b, "gpus_per_node", positive(d->gpus_node));
    if (d->gpus_node > 0)
        lw_json_text(b, "gpu_type", some(d->gpu_type));
    lw_json_number(b, "groups", positive(d->groups));
    lw_json_number(b, "switches", positive(d->switches));
    lw_json_number(b, "wait_s", d->wait);
    lw_json_number(b, "segment", positive(d->segment));
    lw_json_text(b, "features", some(d->features));
    lw_json_number(b, "excluded", positive((long)d->nexcluded));
    lw_json_close(b);
}

static void put_score(struct lw_buf *b, const struct lw_score *s)
{
    size_t i;

    lw_json_number(b, "groups", s->groups);
    lw_json_number(b, "fewest", s->fewest);
    lw_json_number(b, "fewest_free", s->fewest_free);
    lw_json_number(b, "excess", s->excess);
    lw_json_number(b, "pods", s->pods);
    lw_json_number(b, "unknown", positive(s->unknown));
    lw_json_bool(b, "rails_complete", s->rails_complete);
    lw_json_number(b, "ring_crossings", s->ring_crossings);
    if (!s->nper_group || !s->group_names)
        return;
    lw_json_open_array(b, "per_group");
    for (i = 0; i < s->nper_group; i++) {
        lw_json_open(b, NULL);
        lw_json_text(b, "group", s->group_names[i]);
        lw_json_number(b, "nodes", s->per_group[i]);
        lw_json_close(b);
    }
    lw_json_close_array(b);
}

static void put_placement(struct lw_buf *b, const struct lw_placement *p)
{
    lw_json_open(b, "placement");
    lw_json_text(b, "nodes", p->nodes);
    lw_json_number(b, "nnodes", p->nnodes);
    lw_json_number(b, "gpus", p->gpus);
    lw_json_text(b, "gpu_type", some(p->gpu_type));
    if (p->scored) {
        put_score(b, &p->score);
        lw_json_text(b, "map", some(p->map));
    }
    lw_json_close(b);
}

static void put_wait(struct lw_buf *b, const struct lw_wait *w)
{
    lw_json_open(b, "wait");
    lw_json_text(b, "what", w->what);
    lw_json_number(b, "queue_s", w->queue);
    lw_json_number(b, "locality_s", w->locality);
    lw_json_number(b, "patience_s", w->patience);
    lw_json_number(b, "switches", w->switches);
    lw_json_number(b, "groups_now", positive(w->groups_now));
    lw_json_text(b, "ended_by", w->ended_by);
    lw_json_number(b, "switches_from", w->from);
    lw_json_number(b, "switches_to", w->to);
    lw_json_close(b);
}

static void put_run(struct lw_buf *b, const struct lw_event *e)
{
    const struct lw_job *j = e->job;
    long elapsed =
        j->start > 0 && j->end >= j->start ? (long)(j->end - j->start) : -1;

    lw_json_open(b, "run");
    lw_json_time(b, "start", j->start);
    if (j->word) {
        lw_json_time(b, "end", j->end);
        lw_json_number(b, "elapsed_s", elapsed);
        if (elapsed >= 0 && e->placement)
            lw_json_number(b, "gpu_s", elapsed * e->placement->gpus);
        lw_json_text(b, "state", j->word);
        lw_json_number(b, "exit_code", positive(j->exit_code));
        lw_json_number(b, "signal", positive(j->signal));
    }
    lw_json_number(b, "configuring_s", e->configuring);
    lw_json_close(b);
}

static void put_cluster(struct lw_buf *b, const struct lw_event *e)
{
    if (e->snapshot)
        lw_snapshot_print(b, e->snapshot);
    if (e->map)
        lw_snapshot_print_map(b, e->map);
}

static void put_watch(struct lw_buf *b, const struct lw_event *e)
{
    put_job(b, e->job);
    if (e->placement || e->job->word)
        put_shown_request(b, e->job);
    if (e->placement)
        put_placement(b, e->placement);
    if (e->placement || e->job->word)
        put_run(b, e);
}

char *lw_event_line(const struct lw_event *e, size_t *len, lw_error_t *err)
{
    struct lw_buf b = LW_BUF_INIT(LINE_LIMIT);
    char *line;

    put_head(&b, e);
    if (e->job)
        put_watch(&b, e);
    else if (!e->snapshot && !e->map)
        put_submission(&b, e);
    if (e->request)
        put_request(&b, e->request);
    if (e->decision)
        put_decision(&b, e->decision);
    if (e->wait)
        put_wait(&b, e->wait);
    put_cluster(&b, e);
    lw_buf_puts(&b, "}\n");
    *len = b.len;
    if (!(line = lw_buf_take(&b)))
        lw_err(err, "an event larger than %d bytes, or out of memory",
               LINE_LIMIT);
    return line;
}
