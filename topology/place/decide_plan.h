/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decide_plan.h - inside of the decision: from a request to a plan */
#ifndef LW_DECIDE_PLAN_H
#define LW_DECIDE_PLAN_H

#include "topology/place/decide_view.h"

/* What the request says about nodes and GPUs; -1 for what it leaves open. */
struct lw_shape {
    long nodes;     /* the node count, when it is fixed */
    bool set_nodes; /* .. by what was asked for, but not in so many words */
    long floor;     /* at least so many nodes */
    long total;     /* GPUs of the job */
    long unit;      /* GPUs that must be on one node together */
    long per_node;  /* GPUs of every node, when that is known */
    bool add;       /* .. and may be added to the request */
};

/* Read it; 0, or -1 with the reason why the job is left alone. */
int lw_shape_read(const struct lw_request *request, struct lw_shape *shape,
                  enum lw_reason *reason);

/* How many nodes of a partition can serve, by bin of the view. */
struct lw_count {
    long *healthy; /* by bin */
    long *all;     /* by bin, degraded ones too */
    long nhealthy, nall;
    bool weights; /* nodes with different Weights */
    bool unknown; /* a constraint that cannot be counted by */
};

/* Count the nodes of 'side' on which one n-th of the request fits, with at
 * least 'gpus' GPUs (0: any GPU node). */
void lw_count_nodes(const struct lw_view *view, const struct lw_side *side,
                    const struct lw_request *request, long n, long gpus,
                    struct lw_count *count);

/* CPUs and MiB that one n-th of the request takes on a node. */
void lw_node_needs(const struct lw_request *request, long n, long gpus,
                   long threads, long *cpus, long *memory);

/* Does one n-th of the request fit on a node of this kind? */
bool lw_kind_fits(const struct lw_view *view, uint32_t kind,
                  const struct lw_request *request, long n, long gpus);

/* The fewest whole nodes for shape->total, counted into 'count' as well;
 * -1 with the reason when there is no answer. '*even' is set to the GPUs a
 * node when they are the same on each, else -1. */
long lw_total_nodes(const struct lw_view *view, const struct lw_side *side,
                    const struct lw_request *request,
                    const struct lw_shape *shape, struct lw_count *count,
                    long *even, enum lw_reason *reason);

/* What one partition makes of the request. */
struct lw_plan {
    const struct lw_side *side;
    enum lw_action action;
    enum lw_reason reason;
    long nodes;     /* of the job, set or not; -1 unknown */
    long set_nodes; /* -1: leave */
    long gpus_node; /* to add; -1: leave */
    long groups;    /* fewest; -1 unknown */
    long switches;  /* -1: none */
    long segment;   /* -1: none */
    char *features; /* owned; NULL: none */
    bool no_degraded;
    bool no_idle;
    bool apart;  /* impossible: no fabric joins so many nodes */
    size_t open; /* no_idle: levels of partly used nodes left to it */
    long gpus;   /* no_idle: GPUs of the job */
    long have;   /* nodes that could serve; for sentences */
    long most;   /* the largest GPU count of a node, or a limit; likewise */
    bool weights;
};

/* May nodes be excluded? Only where watch is there to let them in again, and
 * finds in the mark what the user had excluded himself. */
bool lw_may_exclude(const struct lw_view *view,
                    const struct lw_request *request);

/* Choose the levers for a gang of plan->nodes counted in 'count'. */
void lw_plan_gang(const struct lw_view *view, const struct lw_request *request,
                  const struct lw_count *count, struct lw_plan *plan);

/* Can a job of one node and 'gpus' GPUs start now on one of the fullest
 * partly used nodes, while others would be taken otherwise? '*open' is set to
 * the levels of side->levels that are to be left to it. */
bool lw_plan_subnode(const struct lw_view *view, const struct lw_side *side,
                     const struct lw_request *request, long gpus, size_t *open);

/* The sentence of a decision. */
void lw_plan_text(const struct lw_view *view, const struct lw_request *request,
                  const struct lw_shape *shape, const struct lw_plan *plan,
                  struct lw_decision *decision);

#endif
