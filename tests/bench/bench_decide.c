/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench_decide.c - how long one decision takes, and how often it allocates */
#include "config.h"

#include "tests/unit/place_cluster.h"

#include <time.h>

#define GROUPS  512
#define NODES   32 /* of a group */
#define ROUNDS  20000
#define WARM_UP 1000

static size_t allocations;

/* The bench links with --wrap, so that every allocation of ours is counted. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

void *__wrap_malloc(size_t size)
{
    allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    allocations++;
    return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    allocations++;
    return __real_realloc(p, size);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static double took[ROUNDS];

static void measure(const char *what, const struct lw_request *r,
                    const struct lw_view *view)
{
    struct lw_decision d;
    double start;
    size_t before = 0;
    int i;

    for (i = -WARM_UP; i < ROUNDS; i++) {
        if (i == 0)
            before = allocations;
        start = now();
        lw_decide(r, view, &d);
        lw_decision_free(&d);
        if (i >= 0)
            took[i] = now() - start;
    }
    before = allocations - before;
    qsort(took, ROUNDS, sizeof(took[0]), ascending);
    printf("%-34s %8.2f %8.2f %8.2f %6.2f\n", what, took[ROUNDS / 2],
           took[ROUNDS * 99 / 100], took[ROUNDS - 1], (double)before / ROUNDS);
}

int main(void)
{
    static int sizes[GROUPS];
    static const int down[] = {5, 70, 1111, 0};
    struct lw_request r = LW_REQUEST_INIT;
    struct cluster c;
    size_t i;

    for (i = 0; i < GROUPS; i++)
        sizes[i] = NODES;
    c = cluster_make(sizes, GROUPS, 8, down);
    for (i = 0; i < c.state->nnodes; i += 100) {
        c.state->nodes[i].state = LW_NODE_MIXED;
        c.state->nodes[i].gpus[0].used = 4;
    }
    cluster_view(&c);
    printf("%d nodes in %d groups, %d decisions each; microseconds\n",
           GROUPS * NODES, GROUPS, ROUNDS);
    printf("%-34s %8s %8s %8s %6s\n", "request", "p50", "p99", "max", "allocs");
    r.tasks = 4;
    measure("-n4 (no GPU)", &r, c.view);
    r.tasks = -1;
    r.gpus_job = 16;
    measure("--gpus=16", &r, c.view);
    r.gpus_job = 8192;
    measure("--gpus=8192", &r, c.view);
    r.gpus_job = 1;
    measure("--gpus=1 (part of a node)", &r, c.view);
    r.gpus_job = -1;
    r.gpus_node = 8;
    r.nodes_min = r.nodes_max = 1000;
    measure("-N1000 --gpus-per-node=8", &r, c.view);
    cluster_free(&c);
    return 0;
}
