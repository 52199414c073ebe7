/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decide_shape.c - what a request says about nodes and GPUs */
#include "config.h"

#include "topology/place/decide_plan.h"

static long ceil_div(long a, long b)
{
    return (a + b - 1) / b;
}

static int leave(enum lw_reason why, enum lw_reason *reason)
{
    *reason = why;
    return -1;
}

/* GPUs of every node, in so many words. */
static long said_per_node(const struct lw_request *r)
{
    if (r->gpus_node > 0)
        return r->gpus_node;
    if (r->gpus_socket > 0 && r->sockets_per_node > 0)
        return r->gpus_socket * r->sockets_per_node;
    return -1;
}

/* GPUs of the whole job, as far as they can be read without a node count. */
static long said_total(const struct lw_request *r)
{
    if (r->gpus_job > 0)
        return r->gpus_job;
    if (r->gpus_task > 0 && r->tasks > 0)
        return r->gpus_task * r->tasks;
    return -1;
}

/* With a fixed node count: an even share of the GPUs is the only one that
 * people mean, and with it Slurm no longer prefers the emptiest nodes. */
static void share(const struct lw_request *r, struct lw_shape *s)
{
    long total = s->total, n = s->nodes;

    if (total < 0 && r->gpus_task > 0 && r->tasks_per_node > 0)
        total = r->gpus_task * r->tasks_per_node * n;
    if (s->per_node > 0 || total < n)
        return;
    if (total % n == 0 && (total / n) % s->unit == 0) {
        s->per_node = total / n;
        s->add = n > 1 || r->gpus_job > 0;
    }
}

/* -N N, or what amounts to it. */
static void fix_nodes(const struct lw_request *r, long n, bool set,
                      struct lw_shape *s)
{
    s->nodes = n;
    s->set_nodes = set;
    share(r, s);
}

/* Per-node GPUs without a node count: one node, unless tasks say more. */
static int per_node_only(const struct lw_request *r, struct lw_shape *s,
                         enum lw_reason *reason)
{
    if (r->tasks <= 1) {
        fix_nodes(r, s->floor > 0 ? s->floor : 1, s->floor > 1, s);
    } else if (r->tasks_per_node > 0) {
        fix_nodes(r, ceil_div(r->tasks, r->tasks_per_node), true, s);
        if (s->nodes < s->floor)
            s->nodes = s->floor;
    } else {
        /* how many nodes so many tasks take depends on the CPUs */
        return leave(LW_UNCLEAR, reason);
    }
    return 0;
}

static int open_count(const struct lw_request *r, struct lw_shape *s,
                      enum lw_reason *reason)
{
    long n;

    if (s->per_node > 0 && r->gpus_job > 0) {
        if (r->gpus_job % s->per_node)
            return leave(LW_UNCLEAR, reason);
        n = r->gpus_job / s->per_node;
        fix_nodes(r, n, true, s);
        return n < s->floor ? leave(LW_UNCLEAR, reason) : 0;
    }
    if (s->per_node > 0)
        return per_node_only(r, s, reason);
    if (s->total < 0)
        return leave(LW_NO_GPU_COUNT, reason);
    if (r->tasks > 0 && r->tasks_per_node > 0 &&
        ceil_div(r->tasks, r->tasks_per_node) > s->floor)
        s->floor = ceil_div(r->tasks, r->tasks_per_node);
    return 0;
}

int lw_shape_read(const struct lw_request *r, struct lw_shape *s,
                  enum lw_reason *reason)
{
    *s = (struct lw_shape){.nodes = -1, .floor = 1, .per_node = -1};
    if (r->gpus_unclear)
        return leave(LW_NO_GPU_COUNT, reason);
    if (r->gpus_job <= 0 && r->gpus_node <= 0 && r->gpus_task <= 0 &&
        r->gpus_socket <= 0)
        return leave(LW_NOT_GPU, reason);
    if (r->nodes_min == 0 || r->nodes_max == 0)
        return leave(LW_UNCLEAR, reason);
    s->per_node = said_per_node(r);
    s->total = said_total(r);
    s->unit = r->gpus_task > 0 ? r->gpus_task : 1;
    if (r->gpus_socket > 0 && s->per_node < 0)
        return leave(LW_NO_GPU_COUNT, reason);
    if (r->nodes_max > 0 && r->nodes_min != r->nodes_max)
        return leave(LW_USER_RANGE, reason);
    if (r->nodes_max > 0) {
        fix_nodes(r, r->nodes_min, false, s);
        return 0;
    }
    if (r->nodes_min > 0)
        s->floor = r->nodes_min;
    return open_count(r, s, reason);
}
