/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decide.c - request + map + cluster state -> rewrite + reason */
#include "config.h"

#include "lib/buf.h"
#include "topology/place/decide_plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bins that need no memory of their own: most clusters. */
#define STACK_BINS 512

/* A job may name several partitions; more than this are not looked at. */
#define MAX_SIDES 8

/* Slurm cuts a wait to its own max_switch_wait; asked for when that is not
 * known. */
#define LONG_WAIT (30L * 24 * 3600)

#define EXCLUDE_LIMIT (64 * 1024 * 1024)

struct context {
    const struct lw_view *view;
    const struct lw_request *request;
    struct lw_shape shape;
    struct lw_count count;
};

static void say(struct lw_decision *d, enum lw_reason reason,
                const struct lw_request *r)
{
    d->reason = reason;
    lw_reason_text(reason, r, d->text, sizeof(d->text));
}

/* Rule 2: what takes the job out of our hands; -1 when nothing does. */
static int hands_off(const struct lw_request *r)
{
    const struct {
        bool is;
        enum lw_reason reason;
    } rules[] = {
        {r->decided, LW_ALREADY},
        {r->policy == LW_POLICY_OFF, LW_USER_OFF},
        {r->policy == LW_POLICY_SPREAD, LW_USER_SPREAD},
        {r->nodelist, LW_USER_NODELIST},
        {r->switches, LW_USER_SWITCHES},
        {r->segment, LW_USER_SEGMENT},
        {r->contiguous, LW_USER_CONTIGUOUS},
        {r->arbitrary, LW_USER_ARBITRARY},
        {r->sizes, LW_USER_SIZES},
        {r->reservation, LW_USER_RESERVATION},
    };
    size_t i;

    for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        if (rules[i].is)
            return (int)rules[i].reason;
    return -1;
}

static void untouched(struct lw_plan *p, enum lw_reason reason)
{
    p->action = LW_UNTOUCHED;
    p->reason = reason;
    p->set_nodes = p->gpus_node = -1;
}

static void impossible(struct lw_plan *p, long nodes, long have, long most)
{
    p->action = LW_IMPOSSIBLE;
    p->reason = LW_TOO_LARGE;
    p->nodes = nodes;
    p->have = have;
    p->most = most;
}

/* GPUs of all nodes of a partition, and of its largest node. */
static long all_gpus(const struct context *c, const struct lw_side *side,
                     long *most)
{
    long sum = 0, has;
    size_t i;

    *most = 0;
    for (i = 0; i < side->ncells; i++) {
        has = lw_view_gpus(c->view, side->cells[i].kind, c->request->gpu_type);
        if (has < 0)
            return -1;
        sum += has * (side->cells[i].healthy + side->cells[i].degraded);
        if (has > *most)
            *most = has;
    }
    return sum;
}

/* Rule 7: more GPUs on a node, in a task or in all than there are. */
static bool too_many_gpus(const struct context *c, struct lw_plan *p)
{
    long most, sum = all_gpus(c, p->side, &most), least = c->shape.unit;

    if (c->shape.per_node > least)
        least = c->shape.per_node;
    if (sum < 0 || (least <= most && c->shape.total <= sum))
        return false;
    impossible(p, c->shape.nodes, sum, most);
    return true;
}

/* Rule 7: limits of the partition; true when the plan is settled. */
static bool outside_limits(struct lw_plan *p)
{
    const struct lw_state_partition *part = p->side->partition;

    if (part && part->max_nodes >= 0 && p->nodes > part->max_nodes) {
        impossible(p, p->nodes, part->max_nodes, -1);
        return true;
    }
    if (part && p->set_nodes > 0 && p->set_nodes < part->min_nodes) {
        untouched(p, LW_UNCLEAR);
        return true;
    }
    return false;
}

/* Rules 3 and 8: a job of one node. */
static void plan_one(const struct context *c, struct lw_plan *p)
{
    long gpus = c->shape.per_node > 0 ? c->shape.per_node : c->shape.total;
    long most;

    if (!lw_may_exclude(c->view, c->request))
        gpus = 0;
    if (gpus > 0 && all_gpus(c, p->side, &most) > 0 && gpus < most &&
        lw_plan_subnode(c->view, p->side, c->request, gpus, &p->open)) {
        p->no_idle = true;
        p->gpus = gpus;
        p->reason = LW_SUBNODE;
    } else if (p->set_nodes < 0) {
        untouched(p, LW_ONE_NODE);
    }
}

/* Rule 4: no node count; false when there is no answer. */
static bool plan_total(struct context *c, struct lw_plan *p)
{
    enum lw_reason why;
    long even = -1;

    p->nodes = lw_total_nodes(c->view, p->side, c->request, &c->shape,
                              &c->count, &even, &why);
    if (p->nodes < 0) {
        untouched(p, why);
        return false;
    }
    p->set_nodes = p->nodes;
    p->reason = p->nodes > 1 ? LW_TOTAL_GPUS : LW_FITS_NODE;
    if (c->request->gpus_node < 0 && c->request->gpus_socket < 0)
        p->gpus_node = even;
    c->shape.per_node = even;
    return true;
}

/* A node count that was given, or that follows from what was given. */
static bool plan_fixed(struct context *c, struct lw_plan *p)
{
    const struct lw_request *r = c->request;

    p->nodes = c->shape.nodes;
    p->reason = p->nodes > 1 ? LW_GANG : LW_ONE_NODE;
    if (c->shape.set_nodes) {
        p->set_nodes = p->nodes;
        p->reason = p->nodes > 1 ? LW_TOTAL_GPUS : LW_FITS_NODE;
    }
    if (c->shape.add && r->gpus_node < 0 && r->gpus_socket < 0)
        p->gpus_node = c->shape.per_node;
    lw_count_nodes(c->view, p->side, r, p->nodes,
                   c->shape.per_node > 0 ? c->shape.per_node : c->shape.unit,
                   &c->count);
    if (c->count.unknown && p->nodes > 1) {
        untouched(p, LW_USER_CONSTRAINT);
        return false;
    }
    if (p->nodes > 1 && c->count.nall < p->nodes) {
        impossible(p, p->nodes, c->count.nall, -1);
        return false;
    }
    return true;
}

static bool changes(const struct lw_plan *p)
{
    return p->set_nodes > 0 || p->gpus_node > 0 || p->switches > 0 ||
           p->segment > 0 || p->features || p->no_degraded || p->no_idle;
}

static void plan_side(struct context *c, const struct lw_side *side,
                      struct lw_plan *p)
{
    struct lw_shape shape = c->shape;

    *p = (struct lw_plan){.side = side,
                          .action = LW_REWRITE,
                          .nodes = -1,
                          .set_nodes = -1,
                          .gpus_node = -1,
                          .groups = -1,
                          .switches = -1,
                          .segment = -1,
                          .gpus = -1,
                          .have = -1,
                          .most = -1};
    if (too_many_gpus(c, p))
        return;
    if ((shape.nodes < 0 ? plan_total(c, p) : plan_fixed(c, p)) &&
        !outside_limits(p)) {
        if (p->nodes == 1)
            plan_one(c, p);
        else
            lw_plan_gang(c->view, c->request, &c->count, p);
        if (p->action == LW_REWRITE && !changes(p))
            p->action = LW_UNTOUCHED;
    }
    c->shape = shape;
}

/* Two partitions agree when the job would be the same in both; the levers
 * that only limit are loosened to what both allow. */
static bool agree(struct lw_plan *a, const struct lw_plan *b)
{
    if (a->action != b->action || a->reason != b->reason ||
        a->set_nodes != b->set_nodes || a->gpus_node != b->gpus_node ||
        a->segment != b->segment || a->features || b->features || a->no_idle ||
        b->no_idle)
        return false;
    if (a->switches < 0 || b->switches < 0)
        a->switches = -1;
    else if (b->switches > a->switches)
        a->switches = b->switches;
    if (b->groups > a->groups)
        a->groups = b->groups;
    return true;
}

static long wait_for(const struct context *c)
{
    const struct lw_settings *s = c->view->settings;
    const struct lw_state *state = c->view->state;

    if (c->request->no_mark || !lw_view_fresh(c->view, c->request->now))
        return c->request->wait > 0 ? c->request->wait : s->fallback_wait;
    return state->max_switch_wait > 0 ? state->max_switch_wait : LONG_WAIT;
}

static void add_names(struct lw_buf *b, const struct lw_names *names,
                      struct lw_decision *d)
{
    if (!names->text)
        return;
    if (b->len)
        lw_buf_puts(b, ",");
    lw_buf_puts(b, names->text);
    d->nexcluded += names->count;
}

/* All but the partly used nodes that are left to the job. */
static void exclude_emptier(const struct lw_plan *p, struct lw_buf *b,
                            struct lw_decision *d)
{
    size_t i;

    add_names(b, &p->side->unmixed, d);
    for (i = p->open; i < p->side->nlevels; i++)
        add_names(b, &p->side->levels[i].names, d);
}

/* The names of all partitions' lists; a node may come twice. */
static void exclude(const struct lw_plan *plans, size_t n,
                    struct lw_decision *d)
{
    struct lw_buf b = LW_BUF_INIT(EXCLUDE_LIMIT);
    size_t i;

    for (i = 0; i < n; i++) {
        if (plans[i].no_idle)
            exclude_emptier(&plans[i], &b, d);
        else if (plans[i].no_degraded)
            add_names(&b, &plans[i].side->degraded, d);
    }
    if (b.len)
        d->exclude = lw_buf_take(&b); /* NULL when memory ran out */
    else
        lw_buf_free(&b);
    if (!d->exclude)
        d->nexcluded = 0;
}

static void take(const struct context *c, struct lw_plan *plans, size_t n,
                 struct lw_decision *d)
{
    struct lw_plan *p = &plans[0];

    d->action = p->action;
    d->reason = p->reason;
    d->groups = p->groups > 0 ? p->groups : -1;
    lw_plan_text(c->view, c->request, &c->shape, p, d);
    if (p->action != LW_REWRITE)
        return;
    d->nodes = p->set_nodes;
    d->gpus_node = p->gpus_node;
    d->gpu_type = c->request->gpu_type;
    d->switches = p->switches;
    d->wait = p->switches > 0 ? wait_for(c) : -1;
    d->segment = p->segment;
    d->gpus = p->no_idle ? p->gpus : -1;
    d->features = p->features;
    p->features = NULL;
    exclude(plans, n, d);
}

/* Plan for every partition named; the decision is theirs if they agree. */
static void decide_sides(struct context *c, const struct lw_side **sides,
                         size_t n, struct lw_decision *d)
{
    struct lw_plan plans[MAX_SIDES];
    size_t i, used = 0;
    bool same = true;

    for (i = 0; i < n; i++) {
        plan_side(c, sides[i], &plans[used]);
        /* where it can never run does not count while others are left */
        if (used && plans[used].action == LW_IMPOSSIBLE)
            continue;
        if (used && plans[0].action == LW_IMPOSSIBLE)
            plans[0] = plans[used];
        else
            used++;
    }
    for (i = 1; i < used; i++)
        same = same && agree(&plans[0], &plans[i]);
    if (same)
        take(c, plans, used, d);
    else
        say(d, LW_UNCLEAR, c->request);
    for (i = 0; i < used; i++)
        free(plans[i].features);
}

/* The partitions "a,b", or the default one; 0 when one is not known. */
static size_t find_sides(const struct lw_view *view, const char *names,
                         const struct lw_side **sides)
{
    size_t n = 0, len;

    if (!names || !*names || !view->state) {
        sides[0] = lw_view_side(view, NULL, 0);
        return sides[0] ? 1 : 0;
    }
    while (*names) {
        len = strcspn(names, ",");
        if (n == MAX_SIDES || !(sides[n] = lw_view_side(view, names, len)))
            return 0;
        n++;
        names += len + (names[len] == ',');
    }
    return n;
}

/* The site's policy is off or spread when it is in one of the partitions.
 * Without a state the name is known only when the job gives just one. */
static int site_policy(const struct context *c, const struct lw_side **sides,
                       size_t n)
{
    int policy = LW_POLICY_PACK, one;
    const char *name;
    size_t i;

    for (i = 0; i < n; i++) {
        name = sides[i]->partition ? sides[i]->partition->name
                                   : c->request->partition;
        one = (int)lw_settings_policy(c->view->settings, name);
        if (one == LW_POLICY_OFF || policy == LW_POLICY_PACK)
            policy = one;
    }
    return policy;
}

static void decide_in_view(struct context *c, struct lw_decision *d)
{
    const struct lw_side *sides[MAX_SIDES];
    const struct lw_request *r = c->request;
    size_t n = find_sides(c->view, r->partition, sides);
    long stack[2 * STACK_BINS], *bins = stack;
    int policy;

    if (!n) {
        say(d, LW_UNKNOWN_PARTITION, r);
        return;
    }
    policy = site_policy(c, sides, n);
    if (r->policy < 0 && policy != LW_POLICY_PACK) {
        say(d, policy == LW_POLICY_OFF ? LW_SITE_OFF : LW_SITE_SPREAD, r);
        return;
    }
    if (c->view->nbins > STACK_BINS &&
        !(bins = calloc(2 * c->view->nbins, sizeof(*bins)))) {
        say(d, LW_UNCLEAR, r);
        return;
    }
    c->count.healthy = bins;
    c->count.all = bins + c->view->nbins;
    decide_sides(c, sides, n, d);
    if (bins != stack)
        free(bins);
}

void lw_decide(const struct lw_request *request, const struct lw_view *view,
               struct lw_decision *d)
{
    struct context c = {.view = view, .request = request};
    enum lw_reason reason;
    int rule;

    *d = (struct lw_decision){.action = LW_UNTOUCHED,
                              .nodes = -1,
                              .gpus_node = -1,
                              .groups = -1,
                              .switches = -1,
                              .wait = -1,
                              .segment = -1,
                              .gpus = -1};
    if (lw_features_alternatives(request->features) > LW_MAX_ALTERNATIVES) {
        say(d, LW_TOO_MANY_FEATURES, request);
        d->action = LW_REFUSE;
    } else if (lw_shape_read(request, &c.shape, &reason) < 0 &&
               reason == LW_NOT_GPU) {
        say(d, reason, request);
    } else if ((rule = hands_off(request)) >= 0) {
        say(d, (enum lw_reason)rule, request);
    } else if (lw_shape_read(request, &c.shape, &reason) < 0) {
        say(d, reason, request);
    } else if (!view) {
        say(d, LW_NO_MAP, request);
    } else {
        decide_in_view(&c, d);
    }
}

void lw_decision_free(struct lw_decision *decision)
{
    int saved = errno;

    free(decision->exclude);
    free(decision->features);
    decision->exclude = decision->features = NULL;
    errno = saved;
}
