/* SPDX-License-Identifier: GPL-2.0-or-later */
/* groups_cluster.c - leaves that share most of their hosts are one group */
#include "config.h"

#include "lib/natcmp.h"
#include "topology/fabric/groups_priv.h"
#include "topology/fabric/pairs.h"

#include <stdlib.h>

/* Two leaves are of one group when the hosts they share are most of the hosts
 * of either; neither equal sets (one dead link splits them) nor connected
 * components (one wrong cable joins them) will do. A leaf that most others of
 * which are dark still goes with the group that most of its hosts are in. */
#define MAX_LEAVES 64
#define MOST       60 /* per cent of a leaf's hosts */

struct cluster {
    struct lw_grouping *g;
    uint32_t *label; /* by switch: its cluster, named by one of its switches */
    uint32_t *size;  /* by label: hosts on the cluster's largest leaf */
    uint32_t *group; /* by host: label, LW_NONE none or undecided */
};

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
    if (a < b)
        up[b] = a;
    else
        up[a] = b;
}

/* The different leaves of a host. */
static uint32_t leaves_of(const struct lw_grouping *g, const struct lw_host *h,
                          uint32_t *leaves)
{
    uint32_t n = 0, i, j;

    for (i = 0; i < h->nports && n < MAX_LEAVES; i++) {
        uint32_t leaf = g->ports[h->first + i].leaf;
        if (leaf == LW_NONE || !g->switches[leaf].leaf)
            continue;
        for (j = 0; j < n && leaves[j] != leaf; j++)
            ;
        if (j == n)
            leaves[n++] = leaf;
    }
    return n;
}

static int count_pairs(struct lw_grouping *g, struct lw_pairs *pairs)
{
    uint32_t leaves[MAX_LEAVES], n, i, j, k;

    for (k = 0; k < g->ncompute; k++) {
        n = leaves_of(g, &g->hosts[g->order[k]], leaves);
        for (i = 0; i < n; i++) {
            g->switches[leaves[i]].hosts++;
            for (j = 0; j < i; j++) {
                bool less = leaves[i] < leaves[j];
                if (lw_pairs_add(pairs, leaves[less ? i : j],
                                 leaves[less ? j : i]) < 0)
                    return lw_groups_no_memory(g);
            }
        }
    }
    return 0;
}

static int join_leaves(struct cluster *c)
{
    struct lw_grouping *g = c->g;
    struct lw_pairs pairs = {0};
    uint32_t s;
    size_t i;
    int rc = count_pairs(g, &pairs);

    for (i = 0; rc == 0 && i < pairs.size; i++) {
        const struct lw_pair *p = &pairs.at[i];
        if (p->count && p->count * 2 > g->switches[p->a].hosts &&
            p->count * 2 > g->switches[p->b].hosts)
            join(c->label, p->a, p->b);
    }
    for (s = 0; s < g->nswitches; s++)
        c->label[s] = find(c->label, s);
    lw_pairs_free(&pairs);
    return rc;
}

/* How many of a host's ports go to each cluster. */
struct votes {
    uint32_t root[MAX_LEAVES], count[MAX_LEAVES], n;
};

static void vote(const struct cluster *c, const struct lw_host *h,
                 struct votes *v)
{
    uint32_t i, j, root;

    v->n = 0;
    for (i = 0; i < h->nports; i++) {
        uint32_t leaf = c->g->ports[h->first + i].leaf;
        if (leaf == LW_NONE || !c->g->switches[leaf].leaf)
            continue;
        root = c->label[leaf];
        for (j = 0; j < v->n && v->root[j] != root; j++)
            ;
        if (j == v->n) {
            v->root[v->n] = root;
            v->count[v->n++] = 0;
        }
        v->count[j]++;
    }
}

/* Keep the clusters with the most votes, and of these the clearly smaller
 * ones: a leaf that many groups share is not where a host belongs. */
static void keep_best(const struct cluster *c, struct votes *v)
{
    uint32_t most = 0, least = UINT32_MAX, i, n = 0;

    for (i = 0; i < v->n; i++)
        if (v->count[i] > most)
            most = v->count[i];
    for (i = 0; i < v->n; i++)
        if (v->count[i] == most && c->size[v->root[i]] < least)
            least = c->size[v->root[i]];
    for (i = 0; i < v->n; i++)
        if (v->count[i] == most &&
            (uint64_t)c->size[v->root[i]] * 2 < (uint64_t)least * 3)
            v->root[n++] = v->root[i];
    v->n = n;
}

static bool among(const struct votes *v, uint32_t root)
{
    uint32_t i;

    for (i = 0; i < v->n && v->root[i] != root; i++)
        ;
    return i < v->n;
}

/* A host that is torn between groups goes with its neighbours by name. */
static uint32_t by_neighbours(const struct cluster *c, uint32_t at,
                              const struct votes *v)
{
    const struct lw_grouping *g = c->g;
    uint32_t i, root, best = v->root[0];

    for (i = 1; i < g->ncompute; i++) {
        if (at >= i) {
            root = c->group[g->order[at - i]];
            if (root != LW_NONE && among(v, root))
                return root;
        }
        if (at + i < g->ncompute) {
            root = c->group[g->order[at + i]];
            if (root != LW_NONE && among(v, root))
                return root;
        }
        if (i > 64)
            break;
    }
    for (i = 1; i < v->n; i++)
        if (lw_natcmp(g->switches[v->root[i]].name, g->switches[best].name) < 0)
            best = v->root[i];
    return best;
}

static void assign_hosts(struct cluster *c)
{
    struct lw_grouping *g = c->g;
    struct votes v;
    uint32_t i, *group;

    for (i = 0; i < g->nswitches; i++)
        c->size[i] = 0;
    for (i = 0; i < g->nswitches; i++) {
        uint32_t root = c->label[i];
        if (g->switches[i].leaf && g->switches[i].hosts > c->size[root])
            c->size[root] = g->switches[i].hosts;
    }
    for (i = 0; i < g->ncompute; i++) {
        vote(c, &g->hosts[g->order[i]], &v);
        keep_best(c, &v);
        c->group[g->order[i]] = v.n == 1 ? v.root[0] : LW_NONE;
    }
    for (i = 0; i < g->ncompute; i++) {
        group = &c->group[g->order[i]];
        if (*group != LW_NONE)
            continue;
        vote(c, &g->hosts[g->order[i]], &v);
        keep_best(c, &v);
        if (v.n)
            *group = by_neighbours(c, i, &v);
    }
}

/* Count for each leaf how many of its hosts are in which cluster. */
static int count_members(struct cluster *c, struct lw_pairs *members)
{
    struct lw_grouping *g = c->g;
    uint32_t leaves[MAX_LEAVES], n, i, k, host;

    for (k = 0; k < g->ncompute; k++) {
        host = g->order[k];
        n = leaves_of(g, &g->hosts[host], leaves);
        for (i = 0; i < n; i++)
            if (lw_pairs_add(members, leaves[i], c->group[host]) < 0)
                return lw_groups_no_memory(g);
    }
    return 0;
}

/* A leaf goes to the cluster that most of its hosts are in; one whose hosts
 * are of many clusters, and none of its own, is shared and no leaf. */
static int move_leaves(struct cluster *c)
{
    struct lw_grouping *g = c->g;
    struct lw_pairs members = {0};
    uint32_t *best = lw_groups_array(g, g->nswitches, sizeof(*best));
    uint32_t *count = lw_groups_array(g, g->nswitches, sizeof(*count));
    uint32_t i, root;
    size_t n;
    int rc = best && count ? count_members(c, &members) : -1;

    for (n = 0; rc == 0 && n < members.size; n++) {
        const struct lw_pair *p = &members.at[n];
        if (p->count > count[p->a] ||
            (p->count && p->count == count[p->a] &&
             lw_natcmp(g->switches[p->b].name, g->switches[best[p->a]].name) <
                 0)) {
            count[p->a] = p->count;
            best[p->a] = p->b;
        }
    }
    lw_pairs_free(&members);
    for (i = 0; rc == 0 && i < g->nswitches; i++) {
        struct lw_switch *s = &g->switches[i];
        root = c->label[i];
        if (!s->leaf || best[i] == root)
            continue;
        if ((uint64_t)count[i] * 100 >= (uint64_t)s->hosts * MOST)
            c->label[i] = best[i];
        else
            s->leaf = false, s->aside = true;
    }
    return rc;
}

/* Groups in the order of their first host, hosts in name order. */
static int make_groups(struct cluster *c)
{
    struct lw_grouping *g = c->g;
    uint32_t *number = lw_groups_array(g, g->nswitches, sizeof(*number));
    uint32_t i, root;

    if (!number)
        return -1;
    for (i = 0; i < g->ncompute; i++) {
        struct lw_host *h = &g->hosts[g->order[i]];
        if ((root = c->group[g->order[i]]) == LW_NONE)
            continue;
        if (!number[root])
            number[root] = ++g->ngroups;
        h->group = number[root] - 1;
    }
    for (i = 0; i < g->nswitches; i++) {
        struct lw_switch *s = &g->switches[i];
        if (s->leaf && number[root = c->label[i]])
            s->group = number[root] - 1;
        s->leaf = s->group != LW_NONE;
    }
    return 0;
}

/* The members of every group into its two lists. */
static int fill_groups(struct lw_grouping *g)
{
    struct lw_group *gr;
    uint32_t i, host;

    if (!(g->groups = lw_groups_array(g, g->ngroups, sizeof(*g->groups))))
        return -1;
    for (i = 0; i < g->ncompute; i++)
        if (g->hosts[g->order[i]].group != LW_NONE)
            g->groups[g->hosts[g->order[i]].group].nhosts++;
    for (i = 0; i < g->nswitches; i++)
        if (g->switches[i].leaf)
            g->groups[g->switches[i].group].nleaves++;
    for (gr = g->groups; gr < g->groups + g->ngroups; gr++) {
        gr->hosts = lw_groups_array(g, gr->nhosts, sizeof(*gr->hosts));
        gr->leaves = lw_groups_array(g, gr->nleaves, sizeof(*gr->leaves));
        if (!gr->hosts || !gr->leaves)
            return -1;
        gr->nhosts = gr->nleaves = 0;
    }
    for (i = 0; i < g->ncompute; i++) {
        host = g->order[i];
        if (g->hosts[host].group == LW_NONE)
            continue;
        gr = &g->groups[g->hosts[host].group];
        gr->hosts[gr->nhosts++] = host;
    }
    for (i = 0; i < g->nswitches; i++)
        if (g->switches[i].leaf) {
            gr = &g->groups[g->switches[i].group];
            gr->leaves[gr->nleaves++] = i;
        }
    return 0;
}

/* A host without a single link to a leaf can be in no group. */
static void drop_dark(struct lw_grouping *g)
{
    uint32_t i, n = 0;

    for (i = 0; i < g->ncompute; i++)
        if (g->hosts[g->order[i]].group != LW_NONE)
            g->order[n++] = g->order[i];
        else
            g->hosts[g->order[i]].compute = false;
    g->ncompute = n;
}

int lw_groups_cluster(struct lw_grouping *g)
{
    struct cluster c = {.g = g};
    uint32_t i;

    c.label = lw_groups_array(g, g->nswitches, sizeof(*c.label));
    c.size = lw_groups_array(g, g->nswitches, sizeof(*c.size));
    c.group = lw_groups_array(g, g->nhosts, sizeof(*c.group));
    if (!c.label || !c.size || !c.group)
        return -1;
    for (i = 0; i < g->nswitches; i++)
        c.label[i] = i;
    if (join_leaves(&c) < 0)
        return -1;
    assign_hosts(&c);
    if (move_leaves(&c) < 0)
        return -1;
    assign_hosts(&c);
    if (make_groups(&c) < 0 || fill_groups(g) < 0)
        return -1;
    drop_dark(g);
    return 0;
}
