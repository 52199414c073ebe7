/* SPDX-License-Identifier: GPL-2.0-or-later */
/* groups_rails.c - the rails of every group, and each HCA's rail */
#include "config.h"

#include "lib/natcmp.h"
#include "topology/fabric/groups_priv.h"

#include <stdlib.h>
#include <string.h>

/* A rail is a column of a group: all its nodes' HCAs on one leaf, or, where a
 * leaf takes several HCAs of each node, those of one place in the order of
 * the devices. Device names only tell the order of the columns and which ones
 * are missing: on real fabrics their numbers are not the rails'. */
#define MAX_COLUMNS 64

/* While columns are found: what most hosts show on one leaf. */
struct leaf_view {
    uint32_t leaf;
    uint32_t places;  /* columns on this leaf */
    uint64_t rank;    /* sum over hosts of the place in the device order */
    uint32_t counted; /* in 'rank' */
};

static bool on_leaf(const struct lw_grouping *g, const struct lw_port *p,
                    uint32_t leaf)
{
    return p->leaf == leaf && g->switches[leaf].leaf;
}

static bool at_home(const struct lw_grouping *g, const struct lw_host *h,
                    const struct lw_port *p)
{
    return p->leaf != LW_NONE && g->switches[p->leaf].leaf &&
           g->switches[p->leaf].group == h->group && !p->odd;
}

/* Ports of a host on the leaves of its group, odd rates left out. */
static uint32_t home_ports(const struct lw_grouping *g, const struct lw_host *h)
{
    uint32_t i, n = 0;

    for (i = 0; i < h->nports; i++)
        n += at_home(g, h, &g->ports[h->first + i]);
    return n;
}

/* The value that occurs most often; the larger one of equals. */
static uint32_t mode(const uint32_t *count, uint32_t n)
{
    uint32_t best = 0, i;

    for (i = 1; i < n; i++)
        if (count[i] && (count[i] >= count[best] || best == 0))
            best = i;
    return best;
}

/* How many HCAs of a host end on the leaf, for most hosts. */
static uint32_t places_on(const struct lw_grouping *g,
                          const struct lw_group *gr, uint32_t leaf)
{
    uint32_t count[MAX_COLUMNS + 1] = {0}, i, j, n;

    for (i = 0; i < gr->nhosts; i++) {
        const struct lw_host *h = &g->hosts[gr->hosts[i]];
        for (n = 0, j = 0; j < h->nports; j++)
            n += on_leaf(g, &g->ports[h->first + j], leaf) &&
                 !g->ports[h->first + j].odd;
        count[n]++;
    }
    n = mode(count, MAX_COLUMNS + 1);
    return n ? n : 1;
}

/* Where the HCAs of a leaf stand in the device order of their hosts; only
 * hosts that have all their HCAs say something. */
static void rank_leaves(const struct lw_grouping *g, const struct lw_group *gr,
                        uint32_t full, struct leaf_view *v)
{
    uint32_t i, j, k, place;

    for (i = 0; i < gr->nhosts; i++) {
        const struct lw_host *h = &g->hosts[gr->hosts[i]];
        if (home_ports(g, h) != full)
            continue;
        for (place = 0, j = 0; j < h->nports; j++) {
            const struct lw_port *p = &g->ports[h->first + j];
            if (!at_home(g, h, p))
                continue;
            for (k = 0; v[k].leaf != p->leaf;)
                k++;
            v[k].counted++;
            /* Without device words the order says nothing. */
            if (*lw_strtab_name(g->device_words, p->device))
                v[k].rank += place;
            place++;
        }
    }
}

/* What the comparison below needs, since qsort() takes no context. */
struct sort_key {
    struct leaf_view view;
    const char *name;
};

static int by_rank(const void *a, const void *b)
{
    const struct sort_key *x = a, *y = b;
    uint64_t l = x->view.rank * (y->view.counted ? y->view.counted : 1);
    uint64_t r = y->view.rank * (x->view.counted ? x->view.counted : 1);

    if (l != r)
        return l < r ? -1 : 1;
    return lw_natcmp(x->name, y->name);
}

static int sort_views(struct lw_grouping *g, struct leaf_view *v, uint32_t n)
{
    struct sort_key *keys = calloc(n ? n : 1, sizeof(*keys));
    uint32_t i;

    if (!keys)
        return lw_groups_no_memory(g);
    for (i = 0; i < n; i++)
        keys[i] = (struct sort_key){v[i], g->switches[v[i].leaf].name};
    qsort(keys, n, sizeof(*keys), by_rank);
    for (i = 0; i < n; i++)
        v[i] = keys[i].view;
    free(keys);
    return 0;
}

/* How many HCAs most hosts of the group have on its leaves. */
static uint32_t full_ports(const struct lw_grouping *g,
                           const struct lw_group *gr)
{
    uint32_t count[MAX_COLUMNS + 1] = {0}, i, n;

    for (i = 0; i < gr->nhosts; i++) {
        n = home_ports(g, &g->hosts[gr->hosts[i]]);
        count[n > MAX_COLUMNS ? MAX_COLUMNS : n]++;
    }
    return mode(count, MAX_COLUMNS + 1);
}

static int find_columns(struct lw_grouping *g, struct lw_group *gr)
{
    struct leaf_view *v = calloc(gr->nleaves ? gr->nleaves : 1, sizeof(*v));
    uint32_t i, j, n = 0;
    int rc = -1;

    if (!v)
        return lw_groups_no_memory(g);
    for (i = 0; i < gr->nleaves; i++) {
        v[i].leaf = gr->leaves[i];
        v[i].places = places_on(g, gr, v[i].leaf);
        n += v[i].places;
    }
    rank_leaves(g, gr, full_ports(g, gr), v);
    if (sort_views(g, v, gr->nleaves) < 0 ||
        !(gr->columns = lw_groups_array(g, n, sizeof(*gr->columns))))
        goto out;
    for (i = 0; i < gr->nleaves; i++)
        for (j = 0; j < v[i].places; j++)
            gr->columns[gr->ncolumns++] =
                (struct lw_column){v[i].leaf, LW_NONE, 0, 0, 0};
    gr->found = gr->ncolumns;
    rc = 0;
out:
    free(v);
    return rc;
}

/* The number of columns that most nodes have. */
static void count_rails(struct lw_grouping *g)
{
    uint32_t count[MAX_COLUMNS + 1] = {0}, i, n;

    for (i = 0; i < g->ngroups; i++) {
        n = g->groups[i].ncolumns;
        count[n > MAX_COLUMNS ? MAX_COLUMNS : n] += g->groups[i].nhosts;
    }
    g->nrails = mode(count, MAX_COLUMNS + 1);
}

/* The word that most HCAs of a column have; 'votes' has room for every
 * word and is left as zeros. */
static void name_column(struct lw_grouping *g, const struct lw_group *gr,
                        uint32_t at, uint32_t *votes)
{
    struct lw_column *c = &gr->columns[at];
    uint32_t i, j, place, first = at, best = LW_NONE;

    while (first > 0 && gr->columns[first - 1].leaf == c->leaf)
        first--;
    for (i = 0; i < gr->nhosts; i++) {
        const struct lw_host *h = &g->hosts[gr->hosts[i]];
        for (place = first, j = 0; j < h->nports; j++) {
            const struct lw_port *p = &g->ports[h->first + j];
            if (!on_leaf(g, p, c->leaf) || p->odd || place++ != at)
                continue;
            if (++votes[p->device] > (best == LW_NONE ? 0 : votes[best]))
                best = p->device;
            break;
        }
    }
    c->device = best;
    for (i = 0; i < gr->nhosts; i++)
        for (j = 0; j < g->hosts[gr->hosts[i]].nports; j++)
            votes[g->ports[g->hosts[gr->hosts[i]].first + j].device] = 0;
}

/* Which rail a device word names in groups that have all rails. */
static void learn_words(const struct lw_grouping *g, uint32_t *rail_of)
{
    uint32_t i, j;

    for (i = 0; i < lw_strtab_count(g->device_words); i++)
        rail_of[i] = LW_NONE;
    for (i = 0; i < g->ngroups; i++)
        for (j = 0; g->groups[i].ncolumns == g->nrails && j < g->nrails; j++) {
            uint32_t word = g->groups[i].columns[j].device;
            if (word != LW_NONE && *lw_strtab_name(g->device_words, word) &&
                rail_of[word] == LW_NONE)
                rail_of[word] = j;
        }
}

/* A group with a leaf too few: spread its columns over the rails that their
 * devices have elsewhere, so that rail 5 is rail 5 in every group. Groups
 * with another number of HCAs by design are left alone. */
static int realign(struct lw_grouping *g, struct lw_group *gr,
                   const uint32_t *rail_of)
{
    struct lw_column *to;
    uint32_t i, rail, last = 0;
    bool gap = false;

    if (gr->ncolumns >= g->nrails)
        return 0;
    for (i = 0; i < gr->ncolumns; i++) {
        if (gr->columns[i].device == LW_NONE ||
            (rail = rail_of[gr->columns[i].device]) == LW_NONE ||
            (i > 0 && rail <= last))
            return 0;
        gap = gap || rail != i;
        last = rail;
    }
    /* Half the rails, and the first ones: rather another kind of node. */
    if (!gap && gr->ncolumns * 4 < g->nrails * 3)
        return 0;
    if (!(to = lw_groups_array(g, g->nrails, sizeof(*to))))
        return -1;
    for (i = 0; i < g->nrails; i++)
        to[i] = (struct lw_column){LW_NONE, LW_NONE, 0, 0, 0};
    for (i = 0; i < gr->ncolumns; i++)
        to[rail_of[gr->columns[i].device]] = gr->columns[i];
    gr->columns = to;
    gr->ncolumns = g->nrails;
    return 0;
}

static int align(struct lw_grouping *g)
{
    size_t words = lw_strtab_count(g->device_words);
    uint32_t *table = lw_groups_array(g, words, sizeof(*table)), i, j;

    if (!table)
        return -1;
    for (i = 0; i < g->ngroups; i++)
        for (j = 0; j < g->groups[i].ncolumns; j++)
            name_column(g, &g->groups[i], j, table);
    learn_words(g, table);
    for (i = 0; i < g->ngroups; i++)
        if (realign(g, &g->groups[i], table) < 0)
            return -1;
    return 0;
}

/* Give the host's HCAs on its own leaves their columns: those with the
 * column's device word first, the others in order, odd rates last. */
static void fit_home(struct lw_grouping *g, const struct lw_group *gr,
                     const struct lw_host *h, bool *taken)
{
    uint32_t pass, i, k;

    for (pass = 0; pass < 3; pass++)
        for (i = 0; i < h->nports; i++) {
            struct lw_port *p = &g->ports[h->first + i];
            if (p->rail >= 0 || p->leaf == LW_NONE || (p->odd && pass < 2))
                continue;
            for (k = 0; k < gr->ncolumns; k++)
                if (!taken[k] && gr->columns[k].leaf == p->leaf &&
                    (pass || gr->columns[k].device == p->device))
                    break;
            if (k == gr->ncolumns)
                continue;
            taken[k] = true;
            p->rail = (int16_t)k;
        }
}

/* An HCA on a leaf that is not its rail's (of its group or another one) is
 * taken for a rail that the host lacks: the one of its device word, else the
 * first. */
static void fit_misfits(struct lw_grouping *g, const struct lw_group *gr,
                        const struct lw_host *h, bool *taken)
{
    uint32_t i, k, at;

    for (i = 0; i < h->nports; i++) {
        struct lw_port *p = &g->ports[h->first + i];
        if (p->rail >= 0 || p->leaf == LW_NONE || !g->switches[p->leaf].leaf)
            continue;
        at = gr->ncolumns;
        for (k = 0; k < gr->ncolumns; k++)
            if (!taken[k] && gr->columns[k].leaf != LW_NONE &&
                (at == gr->ncolumns || gr->columns[k].device == p->device))
                at = k;
        if (at == gr->ncolumns)
            continue;
        taken[at] = true;
        p->rail = (int16_t)at;
        p->misfit = true;
    }
}

/* The rate of most HCAs of a column; slower ones are marked. */
static void mark_slow(struct lw_grouping *g, struct lw_group *gr, uint32_t rail)
{
    uint32_t i, j, most = 0, n = 0, rates[8], counts[8];
    struct lw_port *p;

    for (i = 0; i < gr->nhosts; i++)
        for (j = 0; j < g->hosts[gr->hosts[i]].nports; j++) {
            p = &g->ports[g->hosts[gr->hosts[i]].first + j];
            uint32_t k = 0;
            if (p->rail != (int)rail || !p->rate)
                continue;
            while (k < n && rates[k] != p->rate)
                k++;
            if (k == n && n < 8) {
                rates[n] = p->rate;
                counts[n++] = 0;
            }
            if (k < n && ++counts[k] > most) {
                most = counts[k];
                gr->columns[rail].rate = p->rate;
                gr->columns[rail].width = p->width;
                gr->columns[rail].speed = p->speed;
            }
        }
    for (i = 0; i < gr->nhosts; i++)
        for (j = 0; j < g->hosts[gr->hosts[i]].nports; j++) {
            p = &g->ports[g->hosts[gr->hosts[i]].first + j];
            if (p->rail == (int)rail && p->rate &&
                p->rate < gr->columns[rail].rate)
                p->slow = true;
        }
}

int lw_groups_rails(struct lw_grouping *g)
{
    bool taken[MAX_COLUMNS * 2];
    struct lw_group *gr;
    uint32_t i, k;

    for (i = 0; i < g->ngroups; i++)
        if (find_columns(g, &g->groups[i]) < 0)
            return -1;
    count_rails(g);
    if (align(g) < 0)
        return -1;
    for (gr = g->groups; gr < g->groups + g->ngroups; gr++) {
        if (gr->ncolumns > MAX_COLUMNS)
            gr->ncolumns = MAX_COLUMNS;
        for (i = 0; i < gr->nhosts; i++) {
            const struct lw_host *h = &g->hosts[gr->hosts[i]];
            memset(taken, 0, sizeof(taken));
            fit_home(g, gr, h, taken);
            fit_misfits(g, gr, h, taken);
        }
        for (k = 0; k < gr->ncolumns; k++)
            mark_slow(g, gr, k);
    }
    return 0;
}
