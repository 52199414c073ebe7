/* SPDX-License-Identifier: GPL-2.0-or-later */
/* groups_adopt.c - an HCA without a name, where only one node lacks one */
#include "config.h"

#include "topology/fabric/groups_priv.h"

/* The only column that ends on the leaf, -1 when there are several. */
static int only_column(const struct lw_group *gr, uint32_t leaf)
{
    uint32_t i;
    int at = -1;

    for (i = 0; i < gr->ncolumns; i++)
        if (gr->columns[i].leaf == leaf) {
            if (at >= 0)
                return -1;
            at = (int)i;
        }
    return at;
}

bool lw_groups_has_rail(const struct lw_grouping *g, const struct lw_host *h,
                        int rail)
{
    uint32_t i;

    if (h->adopted)
        for (i = g->nowned; i < g->nports; i++)
            if (g->ports[i].rail == rail &&
                g->ports[i].host == (uint32_t)(h - g->hosts))
                return true;
    for (i = 0; i < h->nports; i++)
        if (g->ports[h->first + i].rail == rail)
            return true;
    return false;
}

/* The only host of the group without that rail, NULL when there are none or
 * several. */
static struct lw_host *only_without(struct lw_grouping *g,
                                    const struct lw_group *gr, int rail)
{
    struct lw_host *found = NULL, *h;
    uint32_t i;

    for (i = 0; i < gr->nhosts; i++) {
        h = &g->hosts[gr->hosts[i]];
        if (lw_groups_has_rail(g, h, rail))
            continue;
        if (found)
            return NULL;
        found = h;
    }
    return found;
}

int lw_groups_adopt(struct lw_grouping *g)
{
    uint32_t *unnamed = lw_groups_array(g, g->nswitches, sizeof(*unnamed)), i;
    struct lw_port *p, *end = g->ports + g->nports;
    struct lw_host *h;
    int rail;

    if (!unnamed)
        return -1;
    for (i = g->nowned; i < g->nports; i++)
        if (g->ports[i].leaf != LW_NONE)
            unnamed[g->ports[i].leaf]++;
    for (p = g->ports + g->nowned; p < end; p++) {
        const struct lw_group *gr;
        if (p->leaf == LW_NONE || unnamed[p->leaf] != 1 ||
            !g->switches[p->leaf].leaf)
            continue;
        gr = &g->groups[g->switches[p->leaf].group];
        rail = only_column(gr, p->leaf);
        if (rail < 0 || !(h = only_without(g, gr, rail)))
            continue;
        p->rail = (int16_t)rail;
        p->host = (uint32_t)(h - g->hosts);
        p->adopted = true;
        p->slow = p->rate && p->rate < gr->columns[rail].rate;
        h->adopted++;
    }
    return 0;
}
