/* SPDX-License-Identifier: GPL-2.0-or-later */
/* groups_switches.c - the switches of the graph, their names and peers */
#include "config.h"

#include "topology/fabric/desc.h"
#include "topology/fabric/groups_priv.h"

#include <stdio.h>
#include <string.h>

/* Many unmanaged switches share one factory text, and a name must tell which
 * switch is meant: then its GUID does. */
static const char *unique_name(struct lw_grouping *g, struct lw_strtab *names,
                               const struct lw_dev *dev)
{
    size_t before = lw_strtab_count(names), i;
    char text[320], full[352];

    text[0] = '\0';
    if (dev->name)
        lw_desc_switch(dev->name, text, sizeof(text));
    if (!text[0])
        snprintf(text, sizeof(text), "S-%016llx",
                 (unsigned long long)dev->guid);
    i = lw_strtab_add(names, text, strlen(text));
    if (i == before)
        return lw_arena_text(&g->arena, text, strlen(text));
    snprintf(full, sizeof(full), "%s-%016llx", text,
             (unsigned long long)dev->guid);
    return i == LW_STRTAB_NONE ? NULL
                               : lw_arena_text(&g->arena, full, strlen(full));
}

static bool is_switch(const struct lw_grouping *g, const struct lw_dev *d)
{
    return d->kind == LW_DEV_SWITCH && !lw_groups_declared(g, d);
}

static int add_switches(struct lw_grouping *g, struct lw_strtab *names)
{
    struct lw_switch *s;
    size_t i;

    for (i = 0; i < g->ndevs; i++) {
        g->dev_switch[i] = LW_NONE;
        if (!is_switch(g, &g->devs[i]))
            continue;
        g->dev_switch[i] = g->nswitches;
        s = &g->switches[g->nswitches++];
        s->dev = (uint32_t)i;
        s->group = s->pod = s->root = LW_NONE;
        if (!(s->name = unique_name(g, names, &g->devs[i])))
            return lw_groups_no_memory(g);
        s->ignored = lw_groups_ignored(g, s->name) ||
                     lw_groups_ignored(g, g->devs[i].name);
    }
    return 0;
}

/* Both ends of a link between two switches; false for any other link. */
static bool switch_ends(const struct lw_grouping *g, const struct lw_link *l,
                        uint32_t *a, uint32_t *b)
{
    *a = g->dev_switch[l->a];
    *b = g->dev_switch[l->b];
    return *a != LW_NONE && *b != LW_NONE && !g->switches[*a].ignored &&
           !g->switches[*b].ignored;
}

static void add_peer(struct lw_grouping *g, uint32_t sw, uint32_t other,
                     uint8_t port, const struct lw_link *l)
{
    struct lw_switch *s = &g->switches[sw];

    g->peers[s->first_peer + s->npeers++] = (struct lw_peer){
        other, lw_rate(l->width, l->speed), port, l->width, l->speed};
}

static int add_peers(struct lw_grouping *g)
{
    uint32_t a, b, total = 0, i;
    size_t n;

    for (n = 0; n < g->nlinks; n++)
        if (switch_ends(g, &g->links[n], &a, &b)) {
            g->switches[a].npeers++;
            g->switches[b].npeers++;
        }
    for (i = 0; i < g->nswitches; i++) {
        g->switches[i].first_peer = total;
        total += g->switches[i].npeers;
        g->switches[i].npeers = 0;
    }
    if (!(g->peers = lw_groups_array(g, total, sizeof(*g->peers))))
        return -1;
    for (n = 0; n < g->nlinks; n++)
        if (switch_ends(g, &g->links[n], &a, &b)) {
            add_peer(g, a, b, g->links[n].a_port, &g->links[n]);
            add_peer(g, b, a, g->links[n].b_port, &g->links[n]);
        }
    return 0;
}

int lw_groups_switches(struct lw_grouping *g)
{
    struct lw_strtab *names = lw_strtab_create();
    size_t i, n = 0;
    int rc = -1;

    for (i = 0; i < g->ndevs; i++)
        n += is_switch(g, &g->devs[i]);
    g->dev_switch = lw_groups_array(g, g->ndevs, sizeof(*g->dev_switch));
    g->switches = lw_groups_array(g, n, sizeof(*g->switches));
    if (!names)
        lw_groups_no_memory(g);
    else if (g->dev_switch && g->switches)
        rc = add_switches(g, names) < 0 ? -1 : add_peers(g);
    lw_strtab_destroy(names);
    return rc;
}
