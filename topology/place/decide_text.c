/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decide_text.c - decisions in plain sentences */
#include "config.h"

#include "lib/plural.h"
#include "topology/place/decide_plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Append to a text of fixed size; what does not fit is cut. */
static void put(char *text, size_t size, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void put(char *text, size_t size, const char *fmt, ...)
{
    size_t len = strlen(text);
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text + len, size - len, fmt, ap);
    va_end(ap);
}

static const char *words(long n, const char *one, const char *many)
{
    return lw_plural((unsigned long long)n, one, many);
}

static const char *const sentences[] = {
    [LW_NOT_GPU] = "The job asks for no GPU.",
    [LW_NO_GPU_COUNT] = "How many GPUs the job needs cannot be read from its "
                        "request.",
    [LW_USER_NODELIST] = "The job names its nodes (--nodelist).",
    [LW_USER_SWITCHES] =
        "The job says how many switches it takes (--switches).",
    [LW_USER_SEGMENT] = "The job gives its own segment size (--segment).",
    [LW_USER_CONTIGUOUS] = "The job asks for contiguous nodes (--contiguous).",
    [LW_USER_ARBITRARY] = "The job lays out its own tasks "
                          "(--distribution=arbitrary).",
    [LW_USER_SIZES] = "The job gives a list of node counts.",
    [LW_USER_RESERVATION] = "The job runs in a reservation.",
    [LW_USER_OFF] = "The job asked to be left alone (--leafward=off).",
    [LW_SITE_OFF] = "The site has turned placement off for this partition.",
    [LW_NO_MAP] = "There is no fabric map.",
    [LW_NO_STATE] = "Without a cluster state (leafward watch) and "
                    "[place] gpus_per_node too little is known of the nodes.",
    [LW_UNKNOWN_PARTITION] = "The cluster state does not know the partition.",
    [LW_ONE_NODE] = "The job needs one node.",
    [LW_FITS_NODE] = "The job fits on one node.",
    [LW_TOTAL_GPUS] = "The job gives a number of GPUs and no number of nodes.",
    [LW_GANG] = "Slurm packs this gang by itself, or there is no choice of "
                "groups.",
    [LW_SUBNODE] = "The job needs a part of a node.",
    [LW_TOO_LARGE] = "The job is larger than what is there.",
    [LW_UNCLEAR] = "What the job needs is not clear enough to change anything.",
    [LW_USER_RANGE] = "The job gives a range of node counts.",
    [LW_USER_CONSTRAINT] = "The job's --constraint is its own placement.",
    [LW_TOO_MANY_FEATURES] = "More than 60 alternatives in one --constraint "
                             "would crash slurmctld; give at most 60.",
    [LW_ALREADY] = "The job has been decided before.",
    [LW_USER_SPREAD] = "The job asked to start wherever there is room "
                       "(--leafward=spread).",
    [LW_SITE_SPREAD] = "Jobs of this partition start wherever there is room.",
};

void lw_reason_text(enum lw_reason reason, const struct lw_request *request,
                    char *text, size_t size)
{
    size_t i = (size_t)reason;

    (void)request;
    if (i >= sizeof(sentences) / sizeof(sentences[0]))
        i = LW_UNCLEAR;
    snprintf(text, size, "%s", sentences[i]);
}

/* What there is too little of, and the nearest request that would work. */
static void put_impossible(const struct lw_request *r,
                           const struct lw_shape *shape,
                           const struct lw_plan *p, struct lw_decision *d)
{
    const char *type = r->gpu_type ? r->gpu_type : "";
    const char *gap = *type ? " " : "";
    const char *name =
        p->side->partition ? p->side->partition->name : "the fabric map";
    const char *what = p->side->partition ? "partition " : "";
    size_t size = sizeof(d->text);
    long node = shape->per_node > shape->unit ? shape->per_node : shape->unit;

    if (p->apart)
        put(d->text, size,
            "%ld nodes: no fabric joins more than %ld of those of %s%s",
            p->nodes, p->have, what, name);
    else if (p->most == 0)
        put(d->text, size, "%s%s has no%s%s GPUs", what, name, gap, type);
    else if (p->most > 0 && node > p->most)
        put(d->text, size,
            "%ld%s%s %s on one node: the largest node of %s%s has %ld", node,
            gap, type, words(node, "GPU", "GPUs"), what, name, p->most);
    else if (p->most > 0)
        put(d->text, size, "%ld%s%s %s: %s%s has %ld", shape->total, gap, type,
            words(shape->total, "GPU", "GPUs"), what, name, p->have);
    else if (p->side->partition && p->have == p->side->partition->max_nodes)
        put(d->text, size, "%ld %s: %s%s allows at most %ld a job", p->nodes,
            words(p->nodes, "node", "nodes"), what, name, p->have);
    else
        put(d->text, size, "%ld %s: %s%s has %ld that could serve the job",
            p->nodes, words(p->nodes, "node", "nodes"), what, name, p->have);
    put(d->text, size, "; the job can never %s as it is.",
        p->side->partition && !p->apart ? "run" : "be packed");
}

static void put_size(const struct lw_request *r, const struct lw_shape *shape,
                     const struct lw_plan *p, struct lw_decision *d)
{
    const char *type = r->gpu_type ? r->gpu_type : "";
    size_t size = sizeof(d->text);

    if (p->set_nodes > 0 && shape->total > 0)
        put(d->text, size, "%ld%s%s %s: ", shape->total, *type ? " " : "", type,
            words(shape->total, "GPU", "GPUs"));
    put(d->text, size, "%ld %s", p->nodes, words(p->nodes, "node", "nodes"));
    if (p->gpus_node > 0)
        put(d->text, size, " of %ld %s", p->gpus_node,
            words(p->gpus_node, "GPU", "GPUs"));
}

static void put_levers(const struct lw_view *v, const struct lw_plan *p,
                       struct lw_decision *d)
{
    bool blocks = p->side->topology == LW_TOPO_BLOCK;
    size_t size = sizeof(d->text);

    if (p->groups > 0)
        put(d->text, size, ", fits in %ld %s", p->groups,
            blocks ? words(p->groups, "block", "blocks")
                   : words(p->groups, "group", "groups"));
    if (p->switches > 0)
        put(d->text, size, "; waits for at most %ld leaf %s", p->switches,
            words(p->switches, "switch", "switches"));
    else if (p->segment > 0)
        put(d->text, size, "; in segments of %ld", p->segment);
    else if (p->features)
        put(d->text, size, "; on one group by its features");
    else if (p->weights)
        put(d->text, size, "; node Weights differ, so no switches asked for");
    else if (p->nodes > 1 && p->side->topology == LW_TOPO_FLAT)
        put(d->text, size, "; this partition has no topology plugin");
    else if (p->groups > 0 && p->groups >= p->side->nbins)
        put(d->text, size, ", all that there are");
    if (p->no_degraded)
        put(d->text, size, "; not on %zu with a rail down or slow",
            p->side->degraded.count);
    if (p->no_idle)
        put(d->text, size, ", on a partly used one first");
    (void)v;
}

void lw_plan_text(const struct lw_view *v, const struct lw_request *r,
                  const struct lw_shape *shape, const struct lw_plan *p,
                  struct lw_decision *d)
{
    d->text[0] = '\0';
    if (p->action == LW_IMPOSSIBLE) {
        put_impossible(r, shape, p, d);
    } else if (p->nodes < 1 ||
               (p->action == LW_UNTOUCHED && p->reason != LW_GANG)) {
        lw_reason_text(p->reason, r, d->text, sizeof(d->text));
    } else {
        put_size(r, shape, p, d);
        put_levers(v, p, d);
        put(d->text, sizeof(d->text), ".");
    }
}

/* Weights of the GPU nodes of a partition; Slurm fills light nodes first. */
static bool weights_differ(const struct lw_view *v, const struct lw_side *side)
{
    const struct lw_state_node *n;
    long weight = -1;
    size_t i;

    for (i = 0; i < side->ncells; i++) {
        n = v->nodes[v->samples[side->cells[i].kind]].state;
        if (!n || !n->ngpus)
            continue;
        if (weight >= 0 && weight != n->weight)
            return true;
        weight = n->weight;
    }
    return false;
}

int lw_view_warning(const struct lw_view *v, size_t i, char *text, size_t size)
{
    const struct lw_side *side;

    if (i >= v->nsides)
        return -1;
    side = &v->sides[i];
    if (!side->partition || side->nbins < 2)
        return 0;
    text[0] = '\0';
    if (side->topology == LW_TOPO_FLAT && !v->settings->features)
        put(text, size,
            "partition %s: no topology plugin, gangs are not packed",
            side->partition->name);
    else if (weights_differ(v, side))
        put(text, size,
            "partition %s: GPU nodes have different Weights, which beat "
            "topology; gangs are not packed across them",
            side->partition->name);
    else if (side->topology == LW_TOPO_TREE && v->state->max_switch_wait >= 0 &&
             v->state->max_switch_wait < v->settings->max_patience)
        put(text, size,
            "max_switch_wait=%ld is shorter than max_patience=%ld: raise "
            "SchedulerParameters=max_switch_wait",
            v->state->max_switch_wait, v->settings->max_patience);
    return text[0] != '\0';
}
