/* SPDX-License-Identifier: GPL-2.0-or-later */
/* groups_tiers.c - spines, cores and pods out of the links between switches */
#include "config.h"

#include "topology/fabric/groups_priv.h"
#include "topology/fabric/pairs.h"

#include <string.h>

#define MAX_UPLINKS 256

static uint32_t find(uint32_t *up, uint32_t i)
{
    while (up[i] != i)
        i = up[i] = up[up[i]];
    return i;
}

static void join(uint32_t *up, uint32_t a, uint32_t b)
{
    a = find(up, a);
    b = find(up, b);
    up[a > b ? a : b] = a > b ? b : a;
}

/* Where no source shows links above the leaves, that there are none says
 * nothing: all groups are taken as one fabric. */
static void join_unseen(struct lw_grouping *g, uint32_t *up)
{
    struct lw_fabric_notes notes;
    uint32_t i;

    lw_fabric_notes(g->fabric, &notes);
    for (i = 0; i < g->nswitches; i++)
        if (g->switches[i].npeers)
            return;
    if (!notes.leaves_only || g->ngroups < 2)
        return;
    for (i = 1; i < g->ngroups; i++)
        join(up, g->groups[0].leaves[0], g->groups[i].leaves[0]);
    g->one_fabric = true;
}

/* Fabrics without a link between them. The leaves of a group belong
 * together even where every rail is a fabric of its own: its nodes reach
 * others over any of them. */
static int find_roots(struct lw_grouping *g)
{
    uint32_t *up = lw_groups_array(g, g->nswitches, sizeof(*up)), i, j;
    uint32_t *number = lw_groups_array(g, g->nswitches, sizeof(*number));

    g->roots = lw_groups_array(g, g->ngroups, sizeof(*g->roots));
    if (!up || !number || !g->roots)
        return -1;
    for (i = 0; i < g->nswitches; i++)
        up[i] = i;
    for (i = 0; i < g->nswitches; i++)
        for (j = 0; j < g->switches[i].npeers; j++)
            join(up, i, g->peers[g->switches[i].first_peer + j].sw);
    for (i = 0; i < g->ngroups; i++)
        for (j = 1; j < g->groups[i].nleaves; j++)
            join(up, g->groups[i].leaves[0], g->groups[i].leaves[j]);
    join_unseen(g, up);
    for (i = 0; i < g->ngroups; i++) {
        uint32_t root = find(up, g->groups[i].leaves[0]);
        if (!number[root])
            number[root] = ++g->nroots;
        g->groups[i].root = number[root] - 1;
    }
    for (i = 0; i < g->nswitches; i++)
        if (number[find(up, i)])
            g->switches[i].root = number[find(up, i)] - 1;
    return 0;
}

/* Login nodes and the fabric manager hang on switches of their own, which
 * are no tier although they link to the spines. */
static bool is_management(const struct lw_switch *s)
{
    return s->aside || (!s->leaf && s->ports && s->ports >= s->npeers);
}

/* Tier = links to the next leaf + 1, breadth first. */
static int find_tiers(struct lw_grouping *g)
{
    uint32_t *queue = lw_groups_array(g, g->nswitches, sizeof(*queue));
    uint32_t head = 0, tail = 0, i;
    bool any = false;

    if (!queue)
        return -1;
    for (i = 0; i < g->nswitches; i++)
        any = any || (g->switches[i].leaf && !g->switches[i].spine);
    for (i = 0; i < g->nswitches; i++)
        if (g->switches[i].leaf && (!any || !g->switches[i].spine)) {
            g->switches[i].tier = 1;
            queue[tail++] = i;
        }
    while (head < tail) {
        const struct lw_switch *s = &g->switches[queue[head++]];
        for (i = 0; i < s->npeers; i++) {
            struct lw_switch *to = &g->switches[g->peers[s->first_peer + i].sw];
            if (to->tier || is_management(to) || s->tier == UINT8_MAX)
                continue;
            to->tier = (uint8_t)(s->tier + 1);
            queue[tail++] = (uint32_t)(to - g->switches);
        }
    }
    return 0;
}

/* Links of a group to the spines of each pod. */
struct reach {
    uint32_t *links; /* by pod, all zero between groups */
    uint32_t total;
    uint32_t best; /* pod with the most, LW_NONE none */
};

static void reach_pod(struct reach *r, uint32_t pod)
{
    r->total++;
    if (pod == LW_NONE)
        return;
    r->links[pod]++;
    if (r->best == LW_NONE || r->links[pod] > r->links[r->best])
        r->best = pod;
}

/* Call reach_pod() for each link of the group to a spine; to a leaf of
 * another group where it has no spine. */
static void reach_spines(const struct lw_grouping *g, const struct lw_group *gr,
                         bool leaves, struct reach *r)
{
    uint32_t i, j;

    r->total = 0;
    r->best = LW_NONE;
    for (i = 0; i < gr->nleaves; i++) {
        const struct lw_switch *s = &g->switches[gr->leaves[i]];
        if (s->tier == 2)
            reach_pod(r, s->pod);
        for (j = 0; j < s->npeers; j++) {
            const struct lw_switch *to =
                &g->switches[g->peers[s->first_peer + j].sw];
            if (!leaves && to->tier == 2)
                reach_pod(r, to->pod);
            else if (leaves && to->leaf && to->group != s->group &&
                     g->groups[to->group].pod != LW_NONE)
                reach_pod(r, g->groups[to->group].pod);
        }
    }
}

static void forget(const struct lw_grouping *g, struct reach *r)
{
    memset(r->links, 0, (g->npods + 1) * sizeof(*r->links));
}

/* Spines that no pod has yet become this one's. */
static void claim(struct lw_grouping *g, const struct lw_group *gr)
{
    uint32_t i, j;

    for (i = 0; i < gr->nleaves; i++) {
        const struct lw_switch *s = &g->switches[gr->leaves[i]];
        for (j = 0; j < s->npeers; j++) {
            struct lw_switch *to = &g->switches[g->peers[s->first_peer + j].sw];
            if (to->tier == 2 && to->pod == LW_NONE)
                to->pod = gr->pod;
        }
    }
}

/* Every spine to the pod that most of its links go to: a wrong cable must
 * not decide. */
static int settle_spines(struct lw_grouping *g)
{
    struct lw_pairs links = {0};
    uint32_t *count = lw_groups_array(g, g->nswitches, sizeof(*count)), i, j;
    size_t n;
    int rc = count ? 0 : -1;

    for (i = 0; rc == 0 && i < g->nswitches; i++) {
        const struct lw_switch *s = &g->switches[i];
        for (j = 0; rc == 0 && s->leaf && j < s->npeers; j++) {
            uint32_t sw = g->peers[s->first_peer + j].sw;
            if (g->switches[sw].tier == 2 &&
                lw_pairs_add(&links, sw, g->groups[s->group].pod) < 0)
                rc = lw_groups_no_memory(g);
        }
    }
    for (n = 0; rc == 0 && n < links.size; n++) {
        const struct lw_pair *p = &links.at[n];
        if (p->count > count[p->a] || (p->count && p->count == count[p->a] &&
                                       p->b < g->switches[p->a].pod)) {
            count[p->a] = p->count;
            g->switches[p->a].pod = p->b;
        }
    }
    lw_pairs_free(&links);
    return rc;
}

/* Groups are taken in name order; one that has most of its uplinks on the
 * spines of a pod is of that pod, else it opens a new one. */
static void assign_pods(struct lw_grouping *g, struct reach *r, bool open)
{
    struct lw_group *gr;

    for (gr = g->groups; gr < g->groups + g->ngroups; gr++) {
        reach_spines(g, gr, false, r);
        if (r->total == 0) {
            forget(g, r);
            reach_spines(g, gr, true, r);
        }
        if (r->best != LW_NONE && r->links[r->best] * 2 > r->total)
            gr->pod = r->best;
        else if (open)
            gr->pod = g->npods++;
        forget(g, r);
        if (open)
            claim(g, gr);
    }
}

/* Number the pods by their first group and drop those left empty. */
static int number_pods(struct lw_grouping *g)
{
    uint32_t *number = lw_groups_array(g, g->npods, sizeof(*number)), n = 0, i;

    g->pod_roots = lw_groups_array(g, g->npods, sizeof(*g->pod_roots));
    if (!number || !g->pod_roots)
        return -1;
    for (i = 0; i < g->ngroups; i++) {
        if (!number[g->groups[i].pod]) {
            number[g->groups[i].pod] = ++n;
            g->pod_roots[n - 1] = g->groups[i].root;
        }
        g->groups[i].pod = number[g->groups[i].pod] - 1;
    }
    for (i = 0; i < g->nswitches; i++) {
        struct lw_switch *s = &g->switches[i];
        if (s->leaf)
            s->pod = g->groups[s->group].pod;
        else if (s->pod != LW_NONE)
            s->pod = number[s->pod] ? number[s->pod] - 1 : LW_NONE;
    }
    g->npods = n;
    return 0;
}

static int find_pods(struct lw_grouping *g)
{
    struct reach r = {0};
    uint32_t i;

    if (!(r.links = lw_groups_array(g, g->ngroups + 1, sizeof(*r.links))))
        return -1;
    for (i = 0; i < g->ngroups; i++)
        g->groups[i].pod = LW_NONE;
    assign_pods(g, &r, true);
    if (settle_spines(g) < 0)
        return -1;
    assign_pods(g, &r, false);
    return number_pods(g);
}

/* How many links a switch has to higher tiers, and how many most switches of
 * its tier have. */
static void count_uplinks(struct lw_grouping *g)
{
    uint32_t count[4][MAX_UPLINKS + 1] = {{0}}, usual[4] = {0}, i, j;

    for (i = 0; i < g->nswitches; i++) {
        struct lw_switch *s = &g->switches[i];
        for (j = 0; s->tier && j < s->npeers; j++)
            s->uplinks +=
                g->switches[g->peers[s->first_peer + j].sw].tier > s->tier;
        if (s->tier && s->tier < 4)
            count[s->tier]
                 [s->uplinks < MAX_UPLINKS ? s->uplinks : MAX_UPLINKS]++;
    }
    for (i = 1; i < 4; i++)
        for (j = 0; j <= MAX_UPLINKS; j++)
            if (count[i][j] && count[i][j] >= count[i][usual[i]])
                usual[i] = j;
    for (i = 0; i < g->nswitches; i++)
        if (g->switches[i].tier && g->switches[i].tier < 4)
            g->switches[i].expected = usual[g->switches[i].tier];
}

int lw_groups_tiers(struct lw_grouping *g)
{
    if (find_roots(g) < 0 || find_tiers(g) < 0 || find_pods(g) < 0)
        return -1;
    count_uplinks(g);
    return 0;
}
