/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_open.c - jobs of the log whose last line has not been read yet */
#include "config.h"

#include "topology/place/report_open.h"

#include "lib/when.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than any Slurm can hold (MaxJobCount); a log that loses its ends must
 * not fill the memory. */
#define OPEN_MAX_JOBS ((size_t)1 << 20)

struct lw_report_open {
    struct lw_run *slots; /* open addressing; id 0 is free */
    size_t n, size;       /* size is a power of two */
};

struct lw_report_open *lw_report_open_create(void)
{
    struct lw_report_open *o = calloc(1, sizeof(*o));

    if (o && !(o->slots = calloc(o->size = 1024, sizeof(*o->slots)))) {
        free(o);
        o = NULL;
    }
    return o;
}

void lw_report_open_destroy(struct lw_report_open *o)
{
    size_t i;

    if (!o)
        return;
    for (i = 0; i < o->size; i++)
        free(o->slots[i].nodes);
    free(o->slots);
    free(o);
}

static size_t home(const struct lw_report_open *o, const struct lw_run *run)
{
    uint64_t h = (uint64_t)run->id * 0x9e3779b97f4a7c15ULL;

    h ^= ((uint64_t)run->restarts << 20 ^ run->cluster) * 0xc2b2ae3d27d4eb4fULL;
    return (size_t)(h >> 32) & (o->size - 1);
}

static int same(const struct lw_run *a, const struct lw_run *b)
{
    return a->id == b->id && a->restarts == b->restarts &&
           a->cluster == b->cluster;
}

/* Where the run is, or the free slot where it would go. */
static struct lw_run *find(struct lw_report_open *o, const struct lw_run *key)
{
    size_t i = home(o, key);

    while (o->slots[i].id && !same(&o->slots[i], key))
        i = (i + 1) & (o->size - 1);
    return &o->slots[i];
}

static int grow(struct lw_report_open *o)
{
    struct lw_report_open bigger = {NULL, o->n, o->size * 2};
    size_t i;

    if (!(bigger.slots = calloc(bigger.size, sizeof(*bigger.slots))))
        return -1;
    for (i = 0; i < o->size; i++)
        if (o->slots[i].id)
            *find(&bigger, &o->slots[i]) = o->slots[i];
    free(o->slots);
    *o = bigger;
    return 0;
}

/* Free the slot and close the gap behind it. */
static void forget(struct lw_report_open *o, struct lw_run *run)
{
    size_t gap = (size_t)(run - o->slots), i = gap, h;

    o->n--;
    free(run->nodes);
    for (;;) {
        i = (i + 1) & (o->size - 1);
        if (!o->slots[i].id)
            break;
        h = home(o, &o->slots[i]);
        if (((i - h) & (o->size - 1)) >= ((i - gap) & (o->size - 1))) {
            o->slots[gap] = o->slots[i];
            gap = i;
        }
    }
    memset(&o->slots[gap], 0, sizeof(o->slots[gap]));
}

static int small(long v)
{
    return v > INT_MAX ? INT_MAX : v < 0 ? -1 : (int)v;
}

static int64_t when(const char *text)
{
    int64_t ms;

    return text && lw_when_rfc3339(text, &ms) == 0 ? ms / 1000 : 0;
}

static uint32_t name(struct lw_report *r, struct lw_strtab *t, const char *s)
{
    size_t i = lw_strtab_add(t, s ? s : "", s ? strlen(s) : 0);

    if (i == LW_STRTAB_NONE) {
        r->failed = true;
        return 0;
    }
    return (uint32_t)i;
}

static uint32_t user(struct lw_report *r, const struct lw_log_record *line)
{
    char uid[32] = "";

    if (line->job.user)
        return name(r, r->users.names, line->job.user);
    if (line->job.uid >= 0)
        snprintf(uid, sizeof(uid), "uid %ld", line->job.uid);
    return name(r, r->users.names, uid);
}

static void identify(struct lw_report *r, const struct lw_log_record *line,
                     struct lw_run *run)
{
    memset(run, 0, sizeof(*run));
    run->id = line->job.id;
    run->restarts = line->job.restarts > 0 ? small(line->job.restarts) : 0;
    run->cluster = name(r, r->words, line->cluster);
    run->groups = run->fewest = run->fewest_free = run->pods = -1;
    run->unknown = run->rails = run->groups_now = run->nnodes = -1;
    run->queue = run->locality = run->patience = -1;
    run->array_job_id = run->array_task_id = -1;
    run->het_job_id = run->het_offset = -1;
    run->balance = -1;
}

static void take_job(struct lw_report *r, const struct lw_log_record *line,
                     struct lw_run *run)
{
    run->array_job_id = line->job.array_job_id;
    run->array_task_id = line->job.array_task_id;
    run->het_job_id = line->job.het_job_id;
    run->het_offset = line->job.het_offset;
    run->user = user(r, line);
    if (lw_requests_learn(&r->requests, line->job.uid, line->job.user) < 0)
        r->failed = true;
    run->account = name(r, r->accounts.names, line->job.account);
    run->partition = name(r, r->partitions.names, line->job.partition);
    if (line->job.eligible)
        run->eligible = when(line->job.eligible);
    if (line->ref)
        run->asked = LW_ASKED_LEAFWARD;
    else if (line->request.switches > 0)
        run->asked = LW_ASKED_USER;
    if (line->request.switches > 0)
        run->switches = small(line->request.switches);
}

static const struct lw_jscan_field share_fields[] = {
    {LW_JSCAN_KEY("nodes"), LW_JSCAN_LONG, 0, NULL},
    {0},
};

/* Groups are listed with the largest first. */
static float balance(struct lw_jscan_raw array)
{
    long first = 0, nodes = 0;

    while (array.len && lw_jscan_next(&array, share_fields, &nodes) > 0)
        first = first ? first : nodes;
    return first > 0 ? (float)nodes / (float)first : -1;
}

static void take_placement(const struct lw_log_record *line, struct lw_run *run)
{
    if (line->placement.nnodes < 1)
        return;
    run->placed = true;
    run->nnodes = small(line->placement.nnodes);
    run->gpus = small(line->placement.gpus);
    run->groups = small(line->placement.groups);
    run->fewest = small(line->placement.fewest);
    run->pods = small(line->placement.pods);
    run->unknown = small(line->placement.unknown);
    run->rails = line->placement.rails_complete;
    if (line->placement.fewest_free > 0)
        run->fewest_free = small(line->placement.fewest_free);
    if (line->placement.per_group.len)
        run->balance = balance(line->placement.per_group);
}

static enum lw_wait_end wait_end(const char *word)
{
    static const char *const words[LW_WAIT_ENDS] = {"", "fit", "patience",
                                                    "changed", "cancelled"};
    size_t i;

    for (i = 1; i < LW_WAIT_ENDS; i++)
        if (strcmp(word, words[i]) == 0)
            return (enum lw_wait_end)i;
    return LW_WAIT_NONE;
}

static void take_wait(const struct lw_log_record *line, struct lw_run *run)
{
    if (line->wait.queue >= 0)
        run->queue = line->wait.queue;
    if (line->wait.locality >= 0 && line->event != LW_LOG_RELAXED)
        run->locality = line->wait.locality;
    if (line->wait.patience >= 0)
        run->patience = line->wait.patience;
    if (line->wait.ended_by)
        run->wait_end = wait_end(line->wait.ended_by);
    /* a wait that was relaxed step by step is measured from its start */
    if (line->wait.groups_now > run->groups_now)
        run->groups_now = small(line->wait.groups_now);
}

static void take_run(struct lw_report *r, const struct lw_log_record *line,
                     struct lw_run *run)
{
    if (line->run.start)
        run->start = when(line->run.start);
    if (run->queue < 0 && run->start && run->eligible)
        run->queue =
            run->start > run->eligible ? run->start - run->eligible : 0;
    if (line->event != LW_LOG_ENDED)
        return;
    run->ended = true;
    run->end = when(line->run.end);
    run->state = name(r, r->words, line->run.state);
    run->elapsed = line->run.elapsed > 0 ? (double)line->run.elapsed : 0;
    run->gpu_s = line->run.gpu_s >= 0 ? (double)line->run.gpu_s
                                      : run->elapsed * run->gpus;
}

/* A run whose end the log does not tell: its id came back, or there are too
 * many. */
static void give_up(struct lw_report *r, struct lw_run *run)
{
    if (!run->placed)
        return;
    r->lost_ends++;
    run->ended = true;
    lw_report_add_run(r, run);
}

/* Keep the run until its end, with its own copy of the host list. */
static void put(struct lw_report *r, const struct lw_run *run,
                const char *nodes)
{
    struct lw_report_open *o = r->open;
    struct lw_run *slot = find(o, run), lost;

    if (!slot->id) {
        if (o->n >= OPEN_MAX_JOBS || (o->n * 2 >= o->size && grow(o) < 0)) {
            lost = *run;
            give_up(r, &lost);
            return;
        }
        slot = find(o, run);
        o->n++;
    }
    free(slot->nodes);
    *slot = *run;
    slot->nodes = nodes ? strdup(nodes) : NULL;
}

void lw_report_open_add(struct lw_report *r, const struct lw_log_record *line)
{
    struct lw_run run, *slot;

    if (line->job.id <= 0)
        return;
    identify(r, line, &run);
    slot = find(r->open, &run);
    if (slot->id)
        run = *slot;
    if (run.placed && line->event != LW_LOG_ENDED) {
        give_up(r, slot);
        identify(r, line, &run);
    }
    take_job(r, line, &run);
    take_placement(line, &run);
    take_wait(line, &run);
    take_run(r, line, &run);
    if (line->event != LW_LOG_ENDED) {
        put(r, &run, line->placement.nodes);
        return;
    }
    r->requeued += line->run.state && strcmp(line->run.state, "REQUEUED") == 0;
    lw_report_add_run(r, &run);
    if (slot->id)
        forget(r->open, slot);
}

void lw_report_open_finish(struct lw_report *r)
{
    int64_t until = r->options.until, now = r->seen_ms / 1000;
    struct lw_run *run;
    size_t i;

    if (until && until < now)
        now = until;
    for (i = 0; i < r->open->size; i++) {
        run = &r->open->slots[i];
        if (!run->id || !run->placed)
            continue;
        run->elapsed = now > run->start ? (double)(now - run->start) : 0;
        run->gpu_s = run->elapsed * run->gpus;
        lw_report_add_run(r, run);
    }
}

const struct lw_run *lw_report_open_next(const struct lw_report *r, size_t *at)
{
    const struct lw_report_open *o = r->open;

    while (*at < o->size) {
        const struct lw_run *run = &o->slots[(*at)++];

        if (run->id && run->placed)
            return run;
    }
    return NULL;
}
