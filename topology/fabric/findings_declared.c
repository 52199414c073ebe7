/* SPDX-License-Identifier: GPL-2.0-or-later */
/* findings_declared.c - where a topology.conf and the cables do not agree */
#include "config.h"

#include "topology/fabric/findings.h"

#include <string.h>

#define GROUP_NONE UINT32_MAX

/* A leaf of the topology.conf: the group that most of its nodes are of. */
struct leaf {
    uint32_t group; /* GROUP_NONE: none of its nodes is in the map */
    uint32_t nodes; /* of that group */
};

/* What a topology.conf says of one node: a link between its switch and it. */
struct claim {
    uint32_t leaf; /* device of the topology.conf */
    int node;      /* in the map, -1 not there */
    const char *name;
};

struct compare {
    struct lw_grouping *g;
    struct claim *claims;
    size_t n;
    struct leaf *leaves; /* by device */
    uint32_t *main;      /* by group: the leaf with most of its nodes */
    uint32_t *count;     /* by group, all zero between leaves */
    bool *named;         /* by node of the map */
};

static bool is_claim(const struct lw_grouping *g, const struct lw_link *l)
{
    return g->devs[l->a].declared && g->devs[l->b].declared &&
           g->devs[l->b].kind == LW_DEV_HCA;
}

static uint32_t group_of(const struct compare *c, const struct claim *claim)
{
    return claim->node < 0 ? GROUP_NONE
                           : (uint32_t)c->g->map->nodes[claim->node].group;
}

/* The claims stand by leaf, as they were read. */
static int gather(struct compare *c)
{
    struct lw_grouping *g = c->g;
    size_t i;

    if (!(c->claims = lw_groups_array(g, g->nlinks, sizeof(*c->claims))) ||
        !(c->leaves = lw_groups_array(g, g->ndevs, sizeof(*c->leaves))) ||
        !(c->main = lw_groups_array(g, g->ngroups, sizeof(*c->main))) ||
        !(c->count = lw_groups_array(g, g->ngroups, sizeof(*c->count))) ||
        !(c->named = lw_groups_array(g, g->ncompute, sizeof(*c->named))))
        return -1;
    for (i = 0; i < g->nlinks; i++) {
        const struct lw_link *l = &g->links[i];
        struct claim *claim = &c->claims[c->n];

        if (!is_claim(g, l))
            continue;
        claim->leaf = l->a;
        claim->name = g->devs[l->b].name;
        claim->node = claim->name ? lw_map_find_node(g->map, claim->name) : -1;
        if (claim->node >= 0)
            c->named[claim->node] = true;
        c->n++;
    }
    return 0;
}

/* The end of the run of claims of one leaf. */
static size_t run_end(const struct compare *c, size_t from)
{
    size_t i = from;

    while (i < c->n && c->claims[i].leaf == c->claims[from].leaf)
        i++;
    return i;
}

/* To each leaf the group of most of its nodes, to each group its leaf. */
static void match(struct compare *c)
{
    size_t from, end, i;

    memset(c->main, 0xff, c->g->ngroups * sizeof(*c->main));
    for (from = 0; from < c->n; from = end) {
        struct leaf *l = &c->leaves[c->claims[from].leaf];
        end = run_end(c, from);
        l->group = GROUP_NONE;
        for (i = from; i < end; i++) {
            uint32_t group = group_of(c, &c->claims[i]);
            if (group != GROUP_NONE && ++c->count[group] > l->nodes) {
                l->nodes = c->count[group];
                l->group = group;
            }
        }
        for (i = from; i < end; i++)
            if (group_of(c, &c->claims[i]) != GROUP_NONE)
                c->count[group_of(c, &c->claims[i])] = 0;
        if (l->group != GROUP_NONE &&
            (c->main[l->group] == UINT32_MAX ||
             c->leaves[c->main[l->group]].nodes < l->nodes))
            c->main[l->group] = c->claims[from].leaf;
    }
}

static int check_claim(struct compare *c, const struct claim *claim)
{
    struct lw_grouping *g = c->g;
    const char *leaf = g->devs[claim->leaf].name;
    uint32_t is = group_of(c, claim), said = c->leaves[claim->leaf].group;

    if (is == GROUP_NONE)
        return lw_finding(g, LW_WARNING, "contradiction", claim->name, NULL,
                          "topology.conf has %s below %s, but no such node is "
                          "in the fabric: switch it on, or take it out of "
                          "topology.conf",
                          claim->name, leaf);
    if (is == said)
        return 0;
    return lw_finding(g, LW_WARNING, "contradiction", claim->name, NULL,
                      "topology.conf has %s below %s, whose nodes are of group "
                      "%s, but its cables are those of group %s: the cables "
                      "decide; write topology.conf anew (leafward export)",
                      claim->name, leaf, g->groups[said].name,
                      g->groups[is].name);
}

/* A second leaf for a group that has one. */
static int check_leaf(struct compare *c, uint32_t leaf)
{
    const struct leaf *l = &c->leaves[leaf];
    struct lw_grouping *g = c->g;

    if (l->group == GROUP_NONE || c->main[l->group] == leaf)
        return 0;
    return lw_finding(g, LW_WARNING, "contradiction", NULL, NULL,
                      "topology.conf has nodes of group %s below %s and below "
                      "%s, but they share their leaves: write topology.conf "
                      "anew (leafward export)",
                      g->groups[l->group].name, g->devs[c->main[l->group]].name,
                      g->devs[leaf].name);
}

static int check_unnamed(struct compare *c)
{
    struct lw_grouping *g = c->g;
    size_t i;

    for (i = 0; i < g->map->nnodes; i++)
        if (!c->named[i] &&
            lw_finding(g, LW_WARNING, "contradiction", g->map->nodes[i].name,
                       NULL,
                       "%s is in group %s, but nowhere in topology.conf: write "
                       "topology.conf anew (leafward export)",
                       g->map->nodes[i].name,
                       g->groups[g->map->nodes[i].group].name) < 0)
            return -1;
    return 0;
}

int lw_findings_declared(struct lw_grouping *g)
{
    struct compare c = {.g = g};
    size_t i;

    if (!g->cables)
        return 0;
    if (gather(&c) < 0)
        return -1;
    if (!c.n)
        return 0;
    match(&c);
    for (i = 0; i < c.n; i++) {
        if (check_claim(&c, &c.claims[i]) < 0)
            return -1;
        if ((i == 0 || c.claims[i - 1].leaf != c.claims[i].leaf) &&
            check_leaf(&c, c.claims[i].leaf) < 0)
            return -1;
    }
    return check_unnamed(&c);
}
