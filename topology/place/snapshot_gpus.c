/* SPDX-License-Identifier: GPL-2.0-or-later */
/* snapshot_gpus.c - free GPUs: why a gang cannot have them, and how many of
 * them the jobs of the day could use */
#include "config.h"

#include "topology/place/score.h"
#include "topology/place/snapshot.h"

#include <stdlib.h>
#include <string.h>

/* What a GPU must find free beside it to be of use to anybody. */
#define CPUS_PER_GPU   1
#define MEMORY_PER_GPU 1024 /* MiB */

static const char *const words[LW_FREES] = {
    [LW_FREE_IDLE] = "idle",         [LW_FREE_RAIL] = "rail",
    [LW_FREE_PARTLY] = "partly",     [LW_FREE_CPU] = "cpu",
    [LW_FREE_MEMORY] = "memory",     [LW_FREE_COMPLETING] = "completing",
    [LW_FREE_RESERVED] = "reserved", [LW_FREE_DRAINED] = "drained",
    [LW_FREE_DOWN] = "down",
};

const char *lw_free_word(enum lw_free why)
{
    return words[why];
}

static long at_most(long n, long limit)
{
    n = n > 0 ? n : 0;
    return n < limit ? n : limit;
}

/* On a node that runs something: what CPUs and memory leave of its GPUs. */
static void split_used(const struct lw_state_node *n, long gpus, long *out)
{
    long cpu = at_most((n->cpus - n->cpus_used) / CPUS_PER_GPU, gpus);
    long memory = cpu;

    if (n->memory > 0)
        memory = at_most((n->memory - n->memory_used) / MEMORY_PER_GPU, cpu);
    out[LW_FREE_CPU] += gpus - cpu;
    out[LW_FREE_MEMORY] += cpu - memory;
    out[LW_FREE_PARTLY] += memory;
}

static void split_node(const struct lw_state_node *n, bool degraded, long gpus,
                       long *out)
{
    static const enum lw_free closed[] = {
        [LW_CLOSED_DOWN] = LW_FREE_DOWN,
        [LW_CLOSED_DRAINED] = LW_FREE_DRAINED,
        [LW_CLOSED_RESERVED] = LW_FREE_RESERVED,
        [LW_CLOSED_COMPLETING] = LW_FREE_COMPLETING,
    };

    if (n->state == LW_NODE_DOWN)
        out[closed[n->closed]] += gpus;
    else if (n->state != LW_NODE_IDLE)
        split_used(n, gpus, out);
    else
        out[degraded ? LW_FREE_RAIL : LW_FREE_IDLE] += gpus;
}

static void count_free(const struct lw_capacity *c,
                       const struct lw_state *state, struct lw_snapshot *s)
{
    long gpus, one[LW_FREES];
    size_t i, j;

    for (i = 0; i < state->nnodes; i++) {
        const struct lw_state_node *n = &state->nodes[i];
        const struct lw_map_node *m =
            c && c->index[i] >= 0 ? &c->map->nodes[c->index[i]] : NULL;

        for (gpus = 0, j = 0; j < n->ngpus; j++)
            gpus += n->gpus[j].count - n->gpus[j].used;
        memset(one, 0, sizeof(one));
        split_node(n, m && lw_map_node_is_degraded(m), gpus, one);
        for (j = 0; j < LW_FREES; j++) {
            s->free[j] += one[j];
            if (m)
                s->groups[m->group].free[j] += one[j];
        }
    }
}

/* --- by type of GPU -------------------------------------------------------- */

static struct lw_type_now *type_of(struct lw_snapshot *s, const char *type)
{
    size_t i;

    for (i = 0; i < s->ntypes; i++)
        if (strcmp(s->types[i].type, type) == 0)
            return &s->types[i];
    if (s->ntypes == LW_SNAPSHOT_TYPES)
        return NULL;
    s->types[s->ntypes].type = type;
    return &s->types[s->ntypes++];
}

/* 'idle' has a row of the map's groups for each type. */
static void count_types(const struct lw_capacity *c,
                        const struct lw_state *state, struct lw_snapshot *s,
                        long *idle)
{
    size_t i, j;

    for (i = 0; i < state->nnodes; i++) {
        const struct lw_state_node *n = &state->nodes[i];

        for (j = 0; j < n->ngpus; j++) {
            struct lw_type_now *t = type_of(s, n->gpus[j].type);

            if (!t)
                continue;
            t->gpus += n->gpus[j].count;
            t->used += n->gpus[j].used;
            if (n->state != LW_NODE_IDLE || c->index[i] < 0)
                continue;
            t->idle++;
            idle[(size_t)(t - s->types) * c->map->ngroups +
                 (size_t)c->map->nodes[c->index[i]].group]++;
        }
    }
}

static int by_type(const void *a, const void *b)
{
    const struct lw_type_now *x = a, *y = b;

    return strcmp(x->type, y->type);
}

static int fill_types(const struct lw_capacity *c, const struct lw_state *state,
                      struct lw_snapshot *s)
{
    size_t ngroups = c->map->ngroups, i;
    long *idle = calloc(ngroups * LW_SNAPSHOT_TYPES + 1, sizeof(*idle));

    if (!idle)
        return -1;
    count_types(c, state, s, idle);
    for (i = 0; i < s->ntypes; i++)
        lw_snapshot_startable(s, idle + i * ngroups, s->types[i].startable);
    free(idle);
    if (s->ntypes)
        qsort(s->types, s->ntypes, sizeof(*s->types), by_type);
    return 0;
}

/* --- what the jobs of the day could use --------------------------------------- */

/* Jobs that ask for the same. */
struct want {
    struct lw_need need;
    long nodes, jobs;
    const char *partition, *type; /* NULL: any */
};

static int by_want(const void *a, const void *b)
{
    const struct want *x = a, *y = b;
    long diff = x->nodes - y->nodes;

    if (!diff)
        diff = x->need.gpus - y->need.gpus;
    if (!diff)
        diff = x->need.cpus - y->need.cpus;
    if (!diff)
        diff = x->need.whole - y->need.whole;
    if (!diff)
        diff = strcmp(x->partition ? x->partition : "",
                      y->partition ? y->partition : "");
    if (!diff)
        diff = strcmp(x->type ? x->type : "", y->type ? y->type : "");
    return (diff > 0) - (diff < 0);
}

static int by_jobs(const void *a, const void *b)
{
    const struct want *x = a, *y = b;

    return x->jobs != y->jobs ? (x->jobs < y->jobs) - (x->jobs > y->jobs)
                              : by_want(a, b);
}

/* The kinds of GPU jobs, the most frequent first; '*n' of them, to free. */
static struct want *wants(const struct lw_job *jobs, size_t njobs, size_t *n)
{
    struct want *v = calloc(njobs + 1, sizeof(*v));
    size_t all = 0, i;

    *n = 0;
    for (i = 0; v && i < njobs; i++)
        if (jobs[i].gpus > 0)
            v[all++] =
                (struct want){.need = lw_capacity_need(&jobs[i]),
                              .nodes = jobs[i].nnodes > 0 ? jobs[i].nnodes : 1,
                              .jobs = 1,
                              .partition = jobs[i].partition,
                              .type = jobs[i].gpu_type};
    if (all)
        qsort(v, all, sizeof(*v), by_want);
    for (i = 0; i < all; i++) {
        if (*n && by_want(&v[*n - 1], &v[i]) == 0)
            v[*n - 1].jobs++;
        else
            v[(*n)++] = v[i];
    }
    if (*n)
        qsort(v, *n, sizeof(*v), by_jobs);
    return v;
}

/* Of one want, by the map's groups. */
struct room {
    long *hold;   /* nodes that are large enough */
    long *fit;    /* nodes that could take it now */
    long *usable; /* free GPUs of those */
    long free;    /* free GPUs of all nodes that it may use */
};

static bool has_type(const struct lw_state_node *n, const char *type)
{
    size_t i;

    for (i = 0; i < n->ngpus; i++)
        if (strcmp(n->gpus[i].type, type) == 0)
            return true;
    return false;
}

static void see_node(const struct lw_capacity *c, const struct lw_state *state,
                     size_t node, const struct want *w, struct room *room)
{
    int i = c->index[node], group;
    const struct lw_fact *f;

    if (i < 0 || (w->type && !has_type(&state->nodes[node], w->type)))
        return;
    f = &c->facts[i];
    group = c->map->nodes[i].group;
    room->hold[group] += f->gpus >= w->need.gpus && f->cpus >= w->need.cpus;
    if (!f->usable || !f->gpus_free)
        return;
    room->free += f->gpus_free;
    if (lw_capacity_is_free(c, (size_t)i, &w->need)) {
        room->fit[group]++;
        room->usable[group] += f->gpus_free;
    }
}

static int downwards(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;

    return (x < y) - (x > y);
}

/* Free GPUs on which the want cannot start on its fewest groups: a group is
 * of use to it when it completes what the best others have. */
static long unusable(const struct room *room, const struct want *w,
                     size_t ngroups, long *order)
{
    long k = lw_fewest_groups(room->hold, ngroups, w->nodes), least = w->nodes;
    long out = room->free;
    size_t i;

    if (k < 1)
        return out;
    memcpy(order, room->fit, ngroups * sizeof(*order));
    qsort(order, ngroups, sizeof(*order), downwards);
    for (i = 0; i + 1 < (size_t)k; i++)
        least -= order[i];
    if (order[k - 1] < least)
        return out; /* even the best of them have too few */
    for (i = 0; i < ngroups; i++)
        if (room->fit[i] > 0 && room->fit[i] >= least)
            out -= room->usable[i];
    return out;
}

static long one_want(const struct lw_capacity *c, const struct lw_state *state,
                     const struct want *w, long *space)
{
    const struct lw_state_partition *p =
        lw_state_find_partition(state, w->partition);
    size_t n = c->map->ngroups, i;
    struct room room = {space, space + n, space + 2 * n, 0};

    memset(space, 0, 3 * n * sizeof(*space));
    for (i = 0; p && i < p->nnodes; i++)
        see_node(c, state, (size_t)p->nodes[i], w, &room);
    for (i = 0; !p && i < state->nnodes; i++)
        see_node(c, state, i, w, &room);
    return unusable(&room, w, n, space + 3 * n);
}

/* Weng et al., USENIX ATC'23: the mean, over the jobs that there are, of the
 * free GPUs that a job of this kind cannot use; here with groups. */
static int expect_unusable(const struct lw_capacity *c,
                           const struct lw_state *state,
                           const struct lw_job *jobs, size_t njobs,
                           struct lw_snapshot *s)
{
    size_t n = 0, i;
    struct want *v = wants(jobs, njobs, &n);
    long *space = calloc(4 * c->map->ngroups + 1, sizeof(*space));
    double sum = 0;

    for (i = 0; v && space && i < n && i < LW_SNAPSHOT_WANTS; i++) {
        sum += (double)v[i].jobs * (double)one_want(c, state, &v[i], space);
        s->mix += v[i].jobs;
    }
    s->unusable = s->mix ? sum / (double)s->mix : -1;
    i = v && space;
    free(v);
    free(space);
    return i ? 0 : -1;
}

int lw_snapshot_gpus(const struct lw_capacity *c, const struct lw_state *state,
                     const struct lw_job *jobs, size_t njobs,
                     struct lw_snapshot *s)
{
    s->unusable = -1;
    count_free(c, state, s);
    if (!c)
        return 0;
    return fill_types(c, state, s) < 0 ||
                   expect_unusable(c, state, jobs, njobs, s) < 0
               ? -1
               : 0;
}
