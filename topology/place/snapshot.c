/* SPDX-License-Identifier: GPL-2.0-or-later */
/* snapshot.c - the whole cluster at one moment, counted */
#include "config.h"

#include "topology/place/snapshot.h"

#include "topology/place/score.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static char letter(const struct lw_fact *f)
{
    if (!f->known)
        return '-';
    if (!f->usable)
        return 'd';
    if (f->idle)
        return 'i';
    return (f->gpus && !f->gpus_free) || !f->cpus_free ? 'f' : 'm';
}

static void count_node(const struct lw_state_node *n, struct lw_snapshot *s)
{
    long gpus = 0, used = 0;
    size_t i;

    for (i = 0; i < n->ngpus; i++) {
        gpus += n->gpus[i].count;
        used += n->gpus[i].used;
    }
    s->nodes++;
    s->gpus += gpus;
    s->gpus_used += used;
    s->idle += n->state == LW_NODE_IDLE;
    s->mixed += n->state == LW_NODE_MIXED;
    s->full += n->state == LW_NODE_FULL;
    s->down += n->state == LW_NODE_DOWN;
    if (n->state == LW_NODE_DOWN)
        s->gpus_down += gpus - used;
    else if (n->state != LW_NODE_IDLE)
        s->gpus_stranded += gpus - used;
}

static void count_nodes(const struct lw_capacity *c,
                        const struct lw_state *state, struct lw_snapshot *s)
{
    size_t i;

    for (i = 0; i < state->nnodes; i++) {
        count_node(&state->nodes[i], s);
        if (c && c->index[i] < 0 && state->nodes[i].ngpus)
            s->unmapped++;
    }
}

static int fill_group(const struct lw_capacity *c, size_t group,
                      struct lw_group_now *g)
{
    const struct lw_map_group *from = &c->map->groups[group];
    size_t i;

    if (!(g->states = calloc(from->nnodes + 1, 1)))
        return -1;
    for (i = 0; i < from->nnodes; i++) {
        const struct lw_fact *f = &c->facts[from->nodes[i]];

        g->states[i] = letter(f);
        g->gpus += f->gpus;
        g->gpus_used += f->gpus - f->gpus_free;
        g->nodes += f->known;
        g->idle += g->states[i] == 'i' && f->gpus > 0;
    }
    return 0;
}

static int fill_groups(const struct lw_capacity *c, struct lw_snapshot *s)
{
    const struct lw_map *map = c->map;
    size_t i;

    s->map = map;
    if (!(s->groups = calloc(map->ngroups + 1, sizeof(*s->groups))))
        return -1;
    for (i = 0; i < map->ngroups; i++)
        if (fill_group(c, i, &s->groups[i]) < 0)
            return -1;
    for (i = 0; i < map->nnodes; i++)
        s->degraded += lw_map_node_is_degraded(&map->nodes[i]);
    return 0;
}

static int downwards(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;

    return (x < y) - (x > y);
}

/* 1, 2, 4, .. groups, and all of them. */
static void choose_groups(struct lw_snapshot *s)
{
    long n = (long)s->map->ngroups, k;

    for (k = 1; k < n && s->nstartable + 1 < LW_SNAPSHOT_SIZES; k *= 2)
        s->startable_groups[s->nstartable++] = k;
    if (n)
        s->startable_groups[s->nstartable++] = n;
}

void lw_snapshot_startable(const struct lw_snapshot *s, long *idle, long *out)
{
    long n = (long)s->map->ngroups, sum = 0, i;
    size_t at = 0;

    qsort(idle, (size_t)n, sizeof(*idle), downwards);
    for (i = 0; i < n && at < s->nstartable; i++) {
        sum += idle[i];
        if (i + 1 == s->startable_groups[at])
            out[at++] = sum;
    }
}

static int fill_startable(struct lw_snapshot *s)
{
    size_t n = s->map->ngroups, i;
    long *idle = calloc(n + 1, sizeof(*idle));

    if (!idle)
        return -1;
    choose_groups(s);
    for (i = 0; i < n; i++)
        idle[i] = s->groups[i].idle;
    lw_snapshot_startable(s, idle, s->startable);
    free(idle);
    return 0;
}

/* Gangs of 2, 4, 8, .. nodes that fit side by side, each in one group. */
static void fill_slots(struct lw_snapshot *s)
{
    long largest = 0, size, n;
    size_t i;

    for (i = 0; i < s->map->ngroups; i++)
        if (s->groups[i].nodes > largest)
            largest = s->groups[i].nodes;
    for (size = 2; size <= largest && s->nslots < LW_SNAPSHOT_SIZES;
         size *= 2) {
        for (n = 0, i = 0; i < s->map->ngroups; i++)
            n += s->groups[i].idle / size;
        s->slots[s->nslots++] = n;
    }
}

static void fill_fragmentation(struct lw_snapshot *s)
{
    long idle = 0, whole = 0;
    size_t i;

    for (i = 0; i < s->map->ngroups; i++) {
        idle += s->groups[i].idle;
        if (s->groups[i].idle == s->groups[i].nodes)
            whole += s->groups[i].idle;
    }
    s->fragmentation = idle ? 1.0 - (double)whole / (double)idle : 0.0;
}

static bool is_gang(const struct lw_job *j)
{
    return j->gpus > 0 && j->nnodes > 1;
}

/* Pending and nothing but resources keeps it. */
static bool is_eligible(const struct lw_job *j, time_t now)
{
    return j->state == LW_JOB_PENDING && !j->held && !j->completing &&
           j->eligible > 0 && j->eligible <= now;
}

static void count_jobs(const struct lw_job *jobs, size_t njobs,
                       struct lw_snapshot *s)
{
    size_t i;

    for (i = 0; i < njobs; i++) {
        s->running += jobs[i].state == LW_JOB_RUNNING;
        s->running_gangs +=
            jobs[i].state == LW_JOB_RUNNING && is_gang(&jobs[i]);
        s->pending += jobs[i].state == LW_JOB_PENDING;
        s->pending_gangs += is_eligible(&jobs[i], s->at) && is_gang(&jobs[i]);
    }
}

static int by_priority(const void *a, const void *b)
{
    const struct lw_job *x = *(const struct lw_job *const *)a;
    const struct lw_job *y = *(const struct lw_job *const *)b;

    if (x->priority != y->priority)
        return x->priority < y->priority ? 1 : -1;
    return (x->id > y->id) - (x->id < y->id);
}

static int list_gang(const struct lw_capacity *c, const struct lw_state *state,
                     const struct lw_job *j, struct lw_pending_gang *g)
{
    struct lw_need need = lw_capacity_need(j);
    long *room;

    g->id = j->id;
    g->nodes = j->nnodes;
    g->gpus = j->gpus;
    g->groups = -1;
    g->partition = j->partition;
    g->eligible = j->eligible;
    if (!c)
        return 0;
    if (!(room = calloc(c->map->ngroups + 1, sizeof(*room))))
        return -1;
    lw_capacity_all(c, state, j->partition, &need, room);
    g->groups = lw_fewest_groups(room, c->map->ngroups, j->nnodes);
    free(room);
    return 0;
}

static int list_gangs(const struct lw_capacity *c, const struct lw_state *state,
                      const struct lw_job *jobs, size_t njobs,
                      struct lw_snapshot *s)
{
    const struct lw_job **order = calloc(njobs + 1, sizeof(*order));
    size_t n = 0, i;
    int rc = order ? 0 : -1;

    for (i = 0; rc == 0 && i < njobs; i++)
        if (is_gang(&jobs[i]) && is_eligible(&jobs[i], s->at))
            order[n++] = &jobs[i];
    if (n)
        qsort(order, n, sizeof(*order), by_priority);
    for (i = 0; rc == 0 && i < n && i < LW_SNAPSHOT_PENDING; i++)
        rc = list_gang(c, state, order[i], &s->gangs[s->ngangs++]);
    free(order);
    return rc;
}

int lw_snapshot_take(const struct lw_capacity *c, const struct lw_state *state,
                     const struct lw_job *jobs, size_t njobs, long waiting,
                     struct lw_snapshot *snapshot)
{
    struct lw_snapshot s = {.at = state->created, .waiting = waiting};

    count_nodes(c, state, &s);
    count_jobs(jobs, njobs, &s);
    if ((c && (fill_groups(c, &s) < 0 || fill_startable(&s) < 0)) ||
        lw_snapshot_gpus(c, state, jobs, njobs, &s) < 0 ||
        list_gangs(c, state, jobs, njobs, &s) < 0) {
        lw_snapshot_free(&s);
        return -1;
    }
    if (c) {
        fill_slots(&s);
        fill_fragmentation(&s);
    }
    *snapshot = s;
    return 0;
}

void lw_snapshot_free(struct lw_snapshot *s)
{
    int saved = errno;
    size_t i;

    for (i = 0; s->groups && i < s->map->ngroups; i++)
        free(s->groups[i].states);
    free(s->groups);
    memset(s, 0, sizeof(*s));
    errno = saved;
}
