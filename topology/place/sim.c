/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sim.c - jobs replayed on a cluster: events, main scheduler, sums */
#include "config.h"

#include "topology/place/sim.h"

#include "topology/place/sim_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int patient(const struct lw_sim *s, const struct lw_sim_job *j)
{
    return s->policy->kind != LW_SIM_OFF && j->switches > 0 && j->nodes > 1;
}

/* When its patience is over the daemon allows as many groups as the job needs
 * right then, and a few seconds later any: here the two are one. */
int lw_sim_allowed(const struct lw_sim *s, size_t job)
{
    const struct lw_sim_job *j = &s->jobs[job];
    double patience, spent;

    if (!patient(s, j))
        return 0;
    if (s->policy->kind == LW_SIM_UNLIMITED)
        return j->switches;
    patience = fmin(s->policy->max_patience, s->policy->slowdown * j->limit);
    spent = j->locality + (s->since[job] >= 0 ? s->time - s->since[job] : 0);
    return spent + 1e-6 >= patience ? 0 : j->switches;
}

/* Patience runs while the job could start scattered and not packed. */
static void run_patience(struct lw_sim *s, size_t job, int on)
{
    struct lw_sim_job *j = &s->jobs[job];
    double patience, wake;

    if (on && s->since[job] < 0) {
        s->since[job] = s->time;
        if (s->policy->kind == LW_SIM_PACKED) {
            patience =
                fmin(s->policy->max_patience, s->policy->slowdown * j->limit);
            wake = s->time + patience - j->locality;
            if (wake < s->wake)
                s->wake = wake;
        }
    } else if (!on && s->since[job] >= 0) {
        j->locality += s->time - s->since[job];
        s->since[job] = -1;
    }
}

static void sift_up(struct lw_sim_run_of *h, size_t i)
{
    struct lw_sim_run_of moved = h[i];

    for (; i && h[(i - 1) / 2].end > moved.end; i = (i - 1) / 2)
        h[i] = h[(i - 1) / 2];
    h[i] = moved;
}

static void sift_down(struct lw_sim_run_of *h, size_t n)
{
    struct lw_sim_run_of moved = h[0];
    size_t i = 0, child;

    while ((child = 2 * i + 1) < n) {
        child += child + 1 < n && h[child + 1].end < h[child].end;
        if (h[child].end >= moved.end)
            break;
        h[i] = h[child];
        i = child;
    }
    h[i] = moved;
}

/* Start the job on s->chosen. */
static void start(struct lw_sim *s, size_t job, int groups)
{
    struct lw_sim_job *j = &s->jobs[job];
    struct lw_sim_run_of *r = &s->running[s->nrunning];
    size_t bytes = (size_t)j->nodes * sizeof(int);
    int i;

    if (!(r->nodes = malloc(bytes))) {
        s->failed = 1;
        return;
    }
    memcpy(r->nodes, s->chosen, bytes);
    run_patience(s, job, 0);
    j->start = s->time;
    j->groups = groups;
    r->job = job;
    r->end = s->time + j->seconds + s->policy->release;
    r->limit_end = s->time + fmax(j->limit, j->seconds) + s->policy->release;
    for (i = 0; i < j->nodes; i++)
        lw_sim_nodes_move(&s->now, r->nodes[i], -j->gpus);
    s->used += j->nodes * j->gpus;
    sift_up(s->running, s->nrunning++);
}

static void finish(struct lw_sim *s)
{
    struct lw_sim_run_of r = s->running[0];
    struct lw_sim_job *j = &s->jobs[r.job];
    int i;

    s->running[0] = s->running[--s->nrunning];
    if (s->nrunning)
        sift_down(s->running, s->nrunning);
    for (i = 0; i < j->nodes; i++)
        lw_sim_nodes_move(&s->now, r.nodes[i], j->gpus);
    s->used -= j->nodes * j->gpus;
    s->busy += j->seconds * j->nodes * j->gpus;
    free(r.nodes);
}

/* Nodes for the job in s->chosen; the groups used, 0 when it cannot start. */
static int choose(struct lw_sim *s, size_t job)
{
    const struct lw_sim_job *j = &s->jobs[job];

    return lw_sim_nodes_choose(&s->now, j->nodes, j->gpus,
                               lw_sim_allowed(s, job),
                               s->policy->kind != LW_SIM_OFF, s->chosen);
}

void lw_sim_hold(struct lw_sim *s, size_t job)
{
    run_patience(s, job, 0);
}

int lw_sim_try(struct lw_sim *s, size_t job)
{
    const struct lw_sim_job *j = &s->jobs[job];
    int groups = choose(s, job);

    if (groups) {
        start(s, job, groups);
        return 1;
    }
    if (patient(s, j))
        run_patience(s, job,
                     lw_sim_nodes_fit(&s->now, j->nodes, j->gpus, 0) > 0);
    return 0;
}

/* Start jobs in order until one cannot. */
static void main_pass(struct lw_sim *s)
{
    size_t n = 0;

    while (n < s->nqueue && lw_sim_try(s, s->queue[n]))
        n++;
    memmove(s->queue, s->queue + n, (s->nqueue - n) * sizeof(*s->queue));
    s->nqueue -= n;
    s->changed |= n > 0;
}

/* GPUs idle on nodes that are partly used. */
static int stranded(const struct lw_sim *s)
{
    int gpus = s->c->gpus, n = 0, f;
    size_t g;

    for (g = 0; g < s->c->ngroups; g++)
        for (f = 1; f < gpus; f++)
            n += f * s->now.count[g * (size_t)(gpus + 1) + (size_t)f];
    return n;
}

static void pass_time(struct lw_sim *s, double to)
{
    double dt = to - s->time;
    int gpus = s->c->gpus * (int)s->now.n;

    if (dt > 0) {
        s->idle_area += dt * (gpus - s->used);
        s->stranded_area += dt * stranded(s);
    }
    s->time = to;
}

/* The next moment at which anything happens. */
static double next_time(const struct lw_sim *s)
{
    double t = INFINITY;

    if (s->next < s->njobs)
        t = s->jobs[s->next].submit;
    if (s->nrunning)
        t = fmin(t, s->running[0].end);
    if (s->nqueue > 1 && s->changed)
        t = fmin(t, s->backfilled + s->policy->interval);
    if (s->nqueue)
        t = fmin(t, s->wake);
    return fmax(t, s->time);
}

static void step(struct lw_sim *s)
{
    double t = next_time(s);

    pass_time(s, t);
    if (s->wake <= t) {
        s->wake = INFINITY;
        s->changed = 1;
    }
    while (s->nrunning && s->running[0].end <= t) {
        finish(s);
        s->changed = 1;
    }
    while (s->next < s->njobs && s->jobs[s->next].submit <= t) {
        if (s->jobs[s->next].fewest)
            s->queue[s->nqueue++] = s->next;
        s->next++;
        s->changed = 1;
    }
    main_pass(s);
    if (s->nqueue > 1 && s->changed && t >= s->backfilled + s->policy->interval)
        lw_sim_backfill(s);
}

static int prepare(struct lw_sim *s)
{
    size_t i;

    if (lw_sim_nodes_init(&s->now, s->c) < 0 ||
        lw_sim_nodes_init(&s->then, s->c) < 0 ||
        !(s->queue = calloc(s->njobs + 1, sizeof(*s->queue))) ||
        !(s->running =
              calloc(s->now.n * (size_t)s->c->gpus + 1, sizeof(*s->running))) ||
        !(s->since = calloc(s->njobs + 1, sizeof(*s->since))) ||
        !(s->chosen = calloc(s->now.n + 1, sizeof(int))))
        return -1;
    for (i = 0; i < s->njobs; i++) {
        s->since[i] = -1;
        s->jobs[i].start = s->jobs[i].locality = 0;
        s->jobs[i].groups = 0;
    }
    s->time = s->njobs ? s->jobs[0].submit : 0;
    s->backfilled = -INFINITY;
    s->wake = INFINITY;
    return 0;
}

static void clean_up(struct lw_sim *s)
{
    while (s->nrunning)
        free(s->running[--s->nrunning].nodes);
    lw_sim_nodes_free(&s->now);
    lw_sim_nodes_free(&s->then);
    free(s->queue);
    free(s->running);
    free(s->since);
    free(s->chosen);
}

static int sum_job(struct lw_sim_result *r, const struct lw_sim_job *j)
{
    double gpu_s = j->seconds * j->nodes * j->gpus;
    long wait = lround(j->start - j->submit);
    int rc = lw_quant_add(&r->wait, wait);

    if (j->nodes < 2)
        return rc;
    r->gangs++;
    r->gang_gpu_s += gpu_s;
    if (j->groups <= j->fewest) {
        r->packed++;
        r->packed_gpu_s += gpu_s;
    }
    if (j->locality > 0)
        rc |= lw_quant_add(&r->locality, lround(j->locality));
    return rc | lw_quant_add(&r->gang_wait, wait);
}

static int sum_up(const struct lw_sim *s, struct lw_sim_result *r)
{
    double span = s->njobs ? s->time - s->jobs[0].submit : 0;
    size_t i;
    int rc = 0;

    r->jobs = s->njobs;
    for (i = 0; i < s->njobs; i++)
        if (s->jobs[i].groups)
            rc |= sum_job(r, &s->jobs[i]);
        else
            r->never++;
    r->makespan = span;
    if (span > 0)
        r->utilisation = s->busy / (span * s->c->gpus * (double)s->now.n);
    if (s->idle_area > 0)
        r->stranded = s->stranded_area / s->idle_area;
    return rc;
}

int lw_sim_run(const struct lw_sim_cluster *c, struct lw_sim_jobs *jobs,
               const struct lw_sim_policy *policy, struct lw_sim_result *result,
               lw_error_t *err)
{
    struct lw_sim s = {
        .c = c, .jobs = jobs->v, .njobs = jobs->n, .policy = policy};
    int rc = -1;

    memset(result, 0, sizeof(*result));
    if (prepare(&s) == 0) {
        while (!s.failed && (s.next < s.njobs || s.nrunning || s.nqueue)) {
            if (isinf(next_time(&s))) /* nothing can ever start them */
                break;
            step(&s);
        }
        rc = s.failed ? -1 : sum_up(&s, result);
    }
    clean_up(&s);
    return rc < 0 ? lw_err(err, "out of memory") : 0;
}

void lw_sim_result_free(struct lw_sim_result *r)
{
    lw_quant_free(&r->wait);
    lw_quant_free(&r->gang_wait);
    lw_quant_free(&r->locality);
}
