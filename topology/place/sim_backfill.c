/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sim_backfill.c - the simulated backfill: plans for all pending jobs */
#include "config.h"

#include "topology/place/sim_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* slurmctld frees running jobs in steps of so many seconds of their ends, and
 * of twice as many each time, when it looks for the start of a job. */
#define STEP 30

/* Nodes that a pending job is to have from start to end: whole nodes, also
 * for a job that needs a part of one. */
struct plan {
    double start, end;
    int *nodes, n;
    bool hidden; /* from all jobs of this pass */
    bool entered;
};

/* A moment at which nodes come free: a run ends by its limit, or a plan. */
struct moment {
    double at;
    const int *nodes;
    int n, gpus; /* gpus: of a run, given back on each node */
    long plan;   /* else the index of the plan, -1 */
};

struct pass {
    struct lw_sim *s;
    struct plan *plans;
    struct moment *moments; /* in order of time */
    size_t nplans, nmoments, size;
    double least; /* the shortest limit that is pending */
    long visible; /* free GPUs on nodes that are not hidden */
    int *covers;  /* by node: plans that cover it at the moment looked at */
};

static double limit_of(const struct lw_sim_job *j)
{
    return fmax(j->limit, j->seconds);
}

static int by_time(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

/* Put a moment where it belongs. */
static int add_moment(struct pass *p, struct moment m)
{
    size_t size = p->size ? 2 * p->size : 256, i;
    struct moment *v = p->moments;

    if (p->nmoments == p->size) {
        if (!(v = realloc(p->moments, size * sizeof(*v))))
            return -1;
        p->moments = v;
        p->size = size;
    }
    for (i = p->nmoments++; i && v[i - 1].at > m.at; i--)
        v[i] = v[i - 1];
    v[i] = m;
    return 0;
}

static int add_run(struct pass *p, const struct lw_sim_run_of *r)
{
    const struct lw_sim_job *j = &p->s->jobs[r->job];

    return add_moment(
        p, (struct moment){r->limit_end, r->nodes, j->nodes, j->gpus, -1});
}

static int open_pass(struct pass *p, struct lw_sim *s)
{
    size_t i;

    *p = (struct pass){.s = s, .least = INFINITY};
    if (!(p->covers = calloc(s->now.n + 1, sizeof(int))) ||
        !(p->plans = calloc(s->nqueue + 1, sizeof(*p->plans))) ||
        !(p->moments =
              malloc((s->nrunning + s->nqueue + 1) * sizeof(*p->moments))))
        return -1;
    p->size = s->nrunning + s->nqueue + 1;
    for (i = 0; i < s->nrunning; i++) {
        const struct lw_sim_run_of *r = &s->running[i];
        const struct lw_sim_job *j = &s->jobs[r->job];

        p->moments[p->nmoments++] =
            (struct moment){r->limit_end, r->nodes, j->nodes, j->gpus, -1};
    }
    if (p->nmoments)
        qsort(p->moments, p->nmoments, sizeof(*p->moments), by_time);
    for (i = 0; i < s->nqueue; i++)
        p->least = fmin(p->least, limit_of(&s->jobs[s->queue[i]]));
    p->visible = (long)s->now.n * s->c->gpus - s->used;
    return 0;
}

/* Take the nodes of a plan out of sight, or back. */
static void hide(struct pass *p, const struct plan *plan, int by)
{
    struct lw_sim_nodes *now = &p->s->now;
    int i, node;

    for (i = 0; i < plan->n; i++) {
        node = plan->nodes[i];
        if (by > 0 && p->covers[node]++ == 0) {
            lw_sim_nodes_hide(now, node);
            p->visible -= now->free[node];
        } else if (by < 0 && --p->covers[node] == 0) {
            lw_sim_nodes_show(now, node);
            p->visible += now->free[node];
        }
    }
}

/* Hide or show what a job of this limit would be in the way of. */
static void hide_for(struct pass *p, double limit, int by)
{
    struct plan *plan;
    size_t i;

    for (i = 0; i < p->nplans; i++) {
        plan = &p->plans[i];
        if (plan->hidden || plan->entered == (by > 0) ||
            plan->start >= p->s->time + limit)
            continue;
        plan->entered = by > 0;
        hide(p, plan, by);
    }
}

/* --- a plan ------------------------------------------------------------------ */

/* A plan begins, or ends, to be in the way at the moment looked at. */
static void cover(struct pass *p, struct plan *plan, int by)
{
    struct lw_sim_nodes *then = &p->s->then;
    int i, node;

    plan->entered = by > 0;
    for (i = 0; i < plan->n; i++) {
        node = plan->nodes[i];
        if (by > 0 && p->covers[node]++ == 0)
            lw_sim_nodes_uncount(then, node, 1);
        else if (by < 0 && --p->covers[node] == 0)
            lw_sim_nodes_uncount(then, node, -1);
    }
}

static void pass_moment(struct pass *p, const struct moment *m)
{
    struct lw_sim_nodes *then = &p->s->then;
    int i;

    if (m->plan >= 0) {
        if (p->plans[m->plan].entered)
            cover(p, &p->plans[m->plan], -1);
        return;
    }
    for (i = 0; i < m->n; i++)
        if (p->covers[m->nodes[i]])
            then->free[m->nodes[i]] += m->gpus;
        else
            lw_sim_nodes_count(then, m->nodes[i], m->gpus);
}

/* Plans that a job starting at that time would run into. */
static void enter(struct pass *p, double at, double limit)
{
    struct plan *plan;
    size_t i;

    for (i = 0; i < p->nplans; i++) {
        plan = &p->plans[i];
        if (!plan->entered && plan->start < at + limit && plan->end > at)
            cover(p, plan, 1);
    }
}

static int fits_then(const struct lw_sim *s, size_t job)
{
    const struct lw_sim_job *j = &s->jobs[job];
    int most = lw_sim_allowed(s, job);
    int groups = lw_sim_nodes_fit(&s->then, j->nodes, j->gpus, most);

    return groups > 0 && (!most || groups <= most);
}

/* The first start by all limits; s->then is the cluster at that moment. */
static double earliest(struct pass *p, size_t job)
{
    double limit = limit_of(&p->s->jobs[job]), step = STEP, first;
    size_t i = 0;

    while (i < p->nmoments) {
        first = p->moments[i].at;
        do
            pass_moment(p, &p->moments[i++]);
        while (i < p->nmoments && p->moments[i].at <= first + step);
        step *= 2;
        enter(p, p->moments[i - 1].at, limit);
        if (fits_then(p->s, job))
            return p->moments[i - 1].at;
    }
    return INFINITY;
}

static int add_plan(struct pass *p, size_t job, double at)
{
    struct plan *plan = &p->plans[p->nplans];
    const struct lw_sim_job *j = &p->s->jobs[job];
    struct moment m = {.plan = (long)p->nplans};

    if (!(plan->nodes = malloc((size_t)j->nodes * sizeof(int))))
        return -1;
    plan->n = j->nodes;
    plan->start = at;
    plan->end = m.at = at + limit_of(j);
    lw_sim_nodes_pick(&p->s->then, j->nodes, j->gpus, lw_sim_allowed(p->s, job),
                      p->covers, plan->nodes);
    p->nplans++;
    return add_moment(p, m);
}

/* What is covered in a plan is what is hidden, so that all stands as before
 * when the plans that came in on the way have gone out. */
static void leave(struct pass *p, const bool *before)
{
    size_t i, k;

    for (i = 0; i < p->nplans; i++) {
        struct plan *plan = &p->plans[i];
        int by = (int)before[i] - (int)plan->entered;

        for (k = 0; by && k < (size_t)plan->n; k++)
            p->covers[plan->nodes[k]] += by;
        plan->entered = before[i];
    }
}

/* Reserve nodes for a job that cannot start. */
static int plan_job(struct pass *p, size_t job)
{
    bool *before = calloc(p->nplans + 1, sizeof(*before));
    size_t i, n = p->nplans;
    int rc = 0;
    double at;

    if (!before)
        return -1;
    for (i = 0; i < n; i++)
        before[i] = p->plans[i].entered;
    lw_sim_nodes_copy(&p->s->then, &p->s->now);
    at = earliest(p, job);
    if (at < INFINITY)
        rc = add_plan(p, job, at);
    leave(p, before);
    free(before);
    return rc;
}

/* --- the pass ------------------------------------------------------------------ */

static int try_job(struct pass *p, size_t job, bool last)
{
    struct lw_sim *s = p->s;
    double limit = limit_of(&s->jobs[job]);
    size_t n = p->nplans, i;
    struct plan *made;
    int started;

    hide_for(p, limit, 1);
    started = lw_sim_try(s, job);
    if (started)
        p->visible -= (long)s->jobs[job].nodes * s->jobs[job].gpus;
    else if (!last && plan_job(p, job) < 0)
        s->failed = 1;
    hide_for(p, limit, -1);
    made = p->nplans > n ? &p->plans[n] : NULL;
    if (made && made->start < s->time + p->least) {
        made->hidden = made->entered = true; /* no job is done before it */
        hide(p, made, 1);
    }
    for (i = 0; started && i < s->nrunning; i++)
        if (s->running[i].job == job && add_run(p, &s->running[i]) < 0)
            s->failed = 1;
    return started;
}

static void close_pass(struct pass *p)
{
    size_t i;

    for (i = 0; i < p->nplans; i++) {
        if (p->plans[i].hidden)
            hide(p, &p->plans[i], -1);
        free(p->plans[i].nodes);
    }
    free(p->plans);
    free(p->moments);
    free(p->covers);
}

void lw_sim_backfill(struct lw_sim *s)
{
    struct pass p;
    size_t i, kept = 0;

    if (open_pass(&p, s) < 0)
        s->failed = 1;
    for (i = 0; i < s->nqueue; i++) {
        size_t job = s->queue[i];

        if (p.visible <= 0)
            lw_sim_hold(s, job);
        else if (!s->failed && i <= s->policy->depth &&
                 try_job(&p, job, i + 1 == s->nqueue))
            continue;
        s->queue[kept++] = job;
    }
    s->nqueue = kept;
    close_pass(&p);
    s->backfilled = s->time;
    s->changed = 0;
}
