/* SPDX-License-Identifier: GPL-2.0-or-later */
/* findings_nodes.c - rails that are down, slow or on the wrong leaf */
#include "config.h"

#include "lib/plural.h"
#include "topology/fabric/findings.h"

#include <stdio.h>
#include <string.h>

static const char *device_of(const struct lw_grouping *g, uint32_t device)
{
    const char *word =
        device == LW_NONE ? "" : lw_strtab_name(g->device_words, device);

    return *word ? word : "an HCA";
}

/* An HCA of the host that is seen, but without a link. */
static const struct lw_port *linkless(const struct lw_grouping *g,
                                      const struct lw_host *h, uint32_t device)
{
    uint32_t i;

    for (i = 0; i < h->nports; i++) {
        const struct lw_port *p = &g->ports[h->first + i];
        if (p->leaf == LW_NONE && p->device == device)
            return p;
    }
    return NULL;
}

static int rail_down(struct lw_grouping *g, const struct lw_host *h, int rail)
{
    const struct lw_group *gr = &g->groups[h->group];
    const struct lw_column *c = &gr->columns[rail];
    const char *leaf = g->switches[c->leaf].name;

    if (linkless(g, h, c->device))
        return lw_finding(g, LW_ERROR, "rail-down", h->name, leaf,
                          "%s rail %d is down: its %s has no link to %s; "
                          "check the cable and both ports",
                          h->name, rail, device_of(g, c->device), leaf);
    return lw_finding(g, LW_ERROR, "hca-missing", h->name, leaf,
                      "%s has no HCA on %s (rail %d, %s on its peers): the "
                      "link is down or the HCA is gone; check the cable, then "
                      "the HCA",
                      h->name, leaf, rail, device_of(g, c->device));
}

static int wrong_leaf(struct lw_grouping *g, const struct lw_host *h,
                      const struct lw_port *p)
{
    const struct lw_group *gr = &g->groups[h->group];
    const struct lw_switch *s = &g->switches[p->leaf];
    uint32_t home = gr->columns[p->rail].leaf;

    return lw_finding(
        g, LW_ERROR, "wrong-leaf", h->name, s->name,
        "%s %s is cabled to %s port %u (group %s), but rail %d of its group "
        "%s is %s: move the cable there",
        h->name, device_of(g, p->device), s->name, p->sw_port,
        g->groups[s->group].name, p->rail, gr->name, g->switches[home].name);
}

static int slow_link(struct lw_grouping *g, const struct lw_host *h,
                     const struct lw_port *p)
{
    const struct lw_column *c = &g->groups[h->group].columns[p->rail];
    char is[LW_RATE_TEXT], peers[LW_RATE_TEXT];

    return lw_finding(
        g, LW_WARNING, "slow-link", h->name, g->switches[p->leaf].name,
        "%s %s (rail %d) runs at %s on %s port %u, its peers at "
        "%s: reseat or replace the cable",
        h->name, device_of(g, p->device), p->rail,
        lw_rate_text(p->width, p->speed, is), g->switches[p->leaf].name,
        p->sw_port, lw_rate_text(c->width, c->speed, peers));
}

static int check_port(struct lw_grouping *g, const struct lw_host *h,
                      const struct lw_port *p)
{
    if (p->rail < 0)
        return 0;
    if (p->adopted &&
        lw_finding(g, LW_WARNING, "factory-name", h->name,
                   g->switches[p->leaf].name,
                   "the HCA 0x%016llx on %s port %u has no name; it is taken "
                   "for %s, the only node without one there: start rdma-ndd "
                   "on it, or give --names",
                   (unsigned long long)g->devs[p->dev].guid,
                   g->switches[p->leaf].name, p->sw_port, h->name) < 0)
        return -1;
    if (p->misfit && wrong_leaf(g, h, p) < 0)
        return -1;
    return p->slow ? slow_link(g, h, p) : 0;
}

/* More HCAs on the leaves of the group than there are rails. */
static int check_spare(struct lw_grouping *g, const struct lw_host *h)
{
    uint32_t i, spare = 0;

    for (i = 0; i < h->nports; i++) {
        const struct lw_port *p = &g->ports[h->first + i];
        spare += p->rail < 0 && !p->odd && p->leaf != LW_NONE &&
                 g->switches[p->leaf].leaf;
    }
    if (!spare)
        return 0;
    return lw_finding(g, LW_ERROR, "name-clash", h->name, NULL,
                      "%s has %u HCAs more than its peers on compute leaves: "
                      "give each machine a name of its own (rdma-ndd), or "
                      "name them by --names",
                      h->name, spare);
}

static const struct lw_port *port_on(const struct lw_grouping *g,
                                     const struct lw_host *h, int rail)
{
    uint32_t i;

    for (i = 0; i < h->nports; i++)
        if (g->ports[h->first + i].rail == rail)
            return &g->ports[h->first + i];
    return NULL;
}

/* Two HCAs of a node on each other's rail: the fabric does not mind, but the
 * GPUs that sit next to them do. */
static int check_crossed(struct lw_grouping *g, const struct lw_host *h)
{
    const struct lw_column *c = g->groups[h->group].columns;
    uint32_t n = g->groups[h->group].ncolumns, i, j;

    for (i = 0; i < n; i++) {
        const struct lw_port *p = port_on(g, h, (int)i), *q;
        if (!p || p->misfit || p->device == c[i].device)
            continue;
        for (j = i + 1; j < n; j++)
            if (c[j].device == p->device && (q = port_on(g, h, (int)j)) &&
                !q->misfit && q->device == c[i].device &&
                lw_finding(g, LW_WARNING, "rails-crossed", h->name,
                           g->switches[p->leaf].name,
                           "%s %s is on rail %u (%s) and %s on rail %u (%s), "
                           "on its peers it is the other way round: swap the "
                           "two cables, unless the node numbers its devices "
                           "otherwise",
                           h->name, device_of(g, p->device), i,
                           g->switches[p->leaf].name, device_of(g, q->device),
                           j, g->switches[q->leaf].name) < 0)
                return -1;
    }
    return 0;
}

static int check_node(struct lw_grouping *g, const struct lw_host *h)
{
    const struct lw_group *gr = &g->groups[h->group];
    uint32_t i;

    for (i = 0; i < gr->ncolumns; i++)
        if (gr->columns[i].leaf != LW_NONE &&
            !lw_groups_has_rail(g, h, (int)i) && rail_down(g, h, (int)i) < 0)
            return -1;
    for (i = 0; i < h->nports; i++)
        if (check_port(g, h, &g->ports[h->first + i]) < 0)
            return -1;
    return check_crossed(g, h) < 0 ? -1 : check_spare(g, h);
}

static int check_group(struct lw_grouping *g, const struct lw_group *gr,
                       uint32_t usual)
{
    uint32_t i;

    for (i = 0; i < gr->ncolumns; i++)
        if (gr->columns[i].leaf == LW_NONE &&
            lw_finding(g, LW_ERROR, "leaf-missing", NULL, NULL,
                       "group %s has no leaf for rail %u, which other groups "
                       "have: all of its %u nodes lack that rail; check that "
                       "leaf switch",
                       gr->name, i, gr->nhosts) < 0)
            return -1;
    if (gr->nhosts * 2 >= usual)
        return 0;
    return lw_finding(g, LW_NOTE, "small-group", NULL, NULL,
                      "group %s has %u %s, most groups have %u: if that is "
                      "not its size, look for nodes that are off or unnamed",
                      gr->name, gr->nhosts,
                      lw_plural(gr->nhosts, "node", "nodes"), usual);
}

/* The size that most groups have, the larger one of equals. */
static uint32_t usual_size(const struct lw_grouping *g)
{
    uint32_t best = 0, i, j, n, most = 0;

    for (i = 0; i < g->ngroups; i++) {
        if (g->groups[i].nhosts == best)
            continue;
        for (n = 0, j = 0; j < g->ngroups && j < 512; j++)
            n += g->groups[j].nhosts == g->groups[i].nhosts;
        if (n > most || (n == most && g->groups[i].nhosts > best)) {
            most = n;
            best = g->groups[i].nhosts;
        }
    }
    return best;
}

int lw_findings_nodes(struct lw_grouping *g)
{
    uint32_t usual = usual_size(g), i;
    const struct lw_port *p;

    for (i = 0; i < g->ncompute; i++)
        if (check_node(g, &g->hosts[g->order[i]]) < 0)
            return -1;
    for (p = g->ports + g->nowned; p < g->ports + g->nports; p++)
        if (p->adopted && check_port(g, &g->hosts[p->host], p) < 0)
            return -1;
    for (i = 0; i < g->ngroups; i++)
        if (check_group(g, &g->groups[i], usual) < 0)
            return -1;
    return 0;
}
