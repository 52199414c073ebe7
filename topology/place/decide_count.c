/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decide_count.c - how many nodes can serve, and how many a job needs */
#include "config.h"

#include "topology/place/decide_plan.h"

#include <string.h>

/* Partitions with more different GPU counts than this are not tidy enough
 * for the fewest nodes; the largest ones are tried. */
#define COUNTS_TRIED 16

static long ceil_div(long a, long b)
{
    return (a + b - 1) / b;
}

static long larger(long a, long b)
{
    return a > b ? a : b;
}

static long tasks_here(const struct lw_request *r, long n)
{
    if (r->tasks_per_node > 0)
        return r->tasks_per_node;
    return r->tasks > 0 ? ceil_div(r->tasks, n) : 1;
}

/* CPUs of one node; jobs get whole cores, so every task is rounded up. */
static long cpus_here(const struct lw_request *r, long n, long gpus,
                      long threads)
{
    long task = r->cpus_per_task > 0 ? r->cpus_per_task : 1;
    long need;

    if (threads > 1)
        task = ceil_div(task, threads) * threads;
    need = tasks_here(r, n) * task;
    if (r->cpus_per_gpu > 0)
        need = larger(need, r->cpus_per_gpu * gpus);
    if (r->cpus_min > 0)
        need = larger(need, ceil_div(r->cpus_min, n));
    return need;
}

static long memory_here(const struct lw_request *r, long cpus, long gpus)
{
    long need = r->memory_node > 0 ? r->memory_node : 0;

    if (r->memory_cpu > 0)
        need = larger(need, r->memory_cpu * cpus);
    if (r->memory_gpu > 0)
        need = larger(need, r->memory_gpu * gpus);
    return need;
}

void lw_node_needs(const struct lw_request *r, long n, long gpus, long threads,
                   long *cpus, long *memory)
{
    *cpus = cpus_here(r, n, gpus, threads);
    *memory = memory_here(r, *cpus, gpus);
}

bool lw_kind_fits(const struct lw_view *v, uint32_t kind,
                  const struct lw_request *r, long n, long gpus)
{
    const struct lw_state_node *s = v->nodes[v->samples[kind]].state;
    long has = lw_view_gpus(v, kind, r->gpu_type), cpus, memory;

    if (has >= 0 && has < larger(gpus, 1))
        return false;
    if (!s)
        return true;
    lw_node_needs(r, n, gpus, s->threads, &cpus, &memory);
    return (s->cpus <= 0 || cpus <= s->cpus) &&
           (s->memory <= 0 || memory <= s->memory);
}

/* 1 when the nodes of this kind can serve, 0 when not, -1 when the
 * constraint cannot be counted by. */
static int serves(const struct lw_view *v, uint32_t kind,
                  const struct lw_request *r, long n, long gpus)
{
    int match =
        lw_features_match(r->features, v->nodes[v->samples[kind]].state);

    return match > 0 ? lw_kind_fits(v, kind, r, n, gpus) : match;
}

static void add(struct lw_count *c, int bin, long healthy, long degraded)
{
    c->nhealthy += healthy;
    c->nall += healthy + degraded;
    if (bin == LW_NO_BIN)
        return;
    c->healthy[bin] += healthy;
    c->all[bin] += healthy + degraded;
}

/* The user's own --exclude. */
static void take_out(const struct lw_view *v, const struct lw_side *side,
                     const struct lw_request *r, long n, long gpus,
                     struct lw_count *c)
{
    const struct lw_view_node *node;
    size_t i;

    for (i = 0; i < r->nexcluded; i++) {
        node = lw_view_find(v, r->excluded[i]);
        if (node && side->member[node - v->nodes] &&
            serves(v, node->kind, r, n, gpus) > 0)
            add(c, lw_side_bin(v, side, (uint32_t)(node - v->nodes)),
                -!node->degraded, -(long)node->degraded);
    }
}

void lw_count_nodes(const struct lw_view *v, const struct lw_side *side,
                    const struct lw_request *r, long n, long gpus,
                    struct lw_count *c)
{
    const struct lw_cell *cell = side->cells, *end = cell + side->ncells;
    const struct lw_state_node *s;
    long weight = -1;
    int use = 0;

    memset(c->healthy, 0, v->nbins * sizeof(*c->healthy));
    memset(c->all, 0, v->nbins * sizeof(*c->all));
    c->nhealthy = c->nall = 0;
    c->weights = c->unknown = false;
    for (; cell < end; cell++) {
        if (cell == side->cells || cell->kind != cell[-1].kind) {
            use = serves(v, cell->kind, r, n, gpus);
            c->unknown |= use < 0;
            s = v->nodes[v->samples[cell->kind]].state;
            if (use > 0 && s) {
                c->weights |= weight >= 0 && weight != s->weight;
                weight = s->weight;
            }
        }
        if (use > 0)
            add(c, cell->bin, cell->healthy, cell->degraded);
    }
    take_out(v, side, r, n, gpus, c);
}

/* The different GPU counts of a partition's nodes, largest first. */
static size_t gpu_counts(const struct lw_view *v, const struct lw_side *side,
                         const struct lw_request *r, long *counts)
{
    size_t i, j, n = 0;
    long has;

    for (i = 0; i < side->ncells; i++) {
        if (i && side->cells[i].kind == side->cells[i - 1].kind)
            continue;
        has = lw_view_gpus(v, side->cells[i].kind, r->gpu_type);
        for (j = 0; j < n && counts[j] > has; j++)
            ;
        if (has <= 0 || (j < n && counts[j] == has) || j == COUNTS_TRIED)
            continue;
        if (n < COUNTS_TRIED)
            n++;
        memmove(counts + j + 1, counts + j, (n - j - 1) * sizeof(*counts));
        counts[j] = has;
    }
    return n;
}

/* Nothing is known about CPUs and memory without a state; then only what any
 * GPU node has may be asked for, since a node count that is too small gets
 * the job refused. */
static bool plain(const struct lw_view *v, const struct lw_request *r, long n,
                  long gpus)
{
    return v->state ||
           (r->cpus_per_task <= 1 && r->cpus_per_gpu <= 1 &&
            r->cpus_min <= larger(r->tasks, 1) && r->memory_cpu <= 0 &&
            r->memory_gpu <= 0 && tasks_here(r, n) <= larger(gpus, 1));
}

long lw_total_nodes(const struct lw_view *v, const struct lw_side *side,
                    const struct lw_request *r, const struct lw_shape *shape,
                    struct lw_count *c, long *even, enum lw_reason *reason)
{
    long counts[COUNTS_TRIED + 1], n, each;
    size_t i, ncounts = gpu_counts(v, side, r, counts);

    *reason = v->state ? LW_UNCLEAR : LW_NO_STATE;
    for (i = 0; i < ncounts; i++) {
        if (counts[i] < shape->unit)
            break;
        each = counts[i] / shape->unit * shape->unit;
        n = larger(ceil_div(shape->total, each), shape->floor);
        *even = shape->total % n == 0 && (shape->total / n) % shape->unit == 0
                    ? shape->total / n
                    : -1;
        /* uneven shares: some node must have the larger one */
        each = *even > 0 ? *even : ceil_div(shape->total, n);
        lw_count_nodes(v, side, r, n, each, c);
        if (c->unknown) {
            *reason = LW_USER_CONSTRAINT;
            return -1;
        }
        if (c->nall >= n && plain(v, r, n, each))
            return n;
    }
    return -1;
}
