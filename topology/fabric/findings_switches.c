/* SPDX-License-Identifier: GPL-2.0-or-later */
/* findings_switches.c - uplinks that are missing or slow, split fabrics */
#include "config.h"

#include "lib/plural.h"
#include "topology/fabric/findings.h"

#include <stdio.h>
#include <string.h>

/* HCA bandwidth over uplink bandwidth of every leaf. */
struct load {
    uint64_t down, up;
};

static int measure(struct lw_grouping *g, struct load **out)
{
    struct load *l = lw_groups_array(g, g->nswitches, sizeof(*l));
    uint32_t i, j;

    if (!l)
        return -1;
    for (i = 0; i < g->nports; i++)
        if (g->ports[i].leaf != LW_NONE)
            l[g->ports[i].leaf].down += g->ports[i].rate;
    for (i = 0; i < g->nswitches; i++) {
        const struct lw_switch *s = &g->switches[i];
        for (j = 0; s->tier && j < s->npeers; j++) {
            const struct lw_peer *p = &g->peers[s->first_peer + j];
            if (g->switches[p->sw].tier > s->tier)
                l[i].up += p->rate;
        }
    }
    *out = l;
    return 0;
}

/* "1.8:1", "" when it cannot be told. */
static const char *ratio(const struct load *l, char *out, size_t size)
{
    out[0] = '\0';
    if (l->up && l->down)
        snprintf(out, size, ", oversubscription %.1f:1",
                 (double)l->down / (double)l->up);
    return out;
}

static int check_uplinks(struct lw_grouping *g, const struct lw_switch *s,
                         const struct load *l)
{
    char text[48];

    if (!s->tier || s->uplinks >= s->expected)
        return 0;
    if (s->uplinks == 0)
        return lw_finding(g, LW_ERROR, "uplinks-missing", NULL, s->name,
                          "%s has no uplink, its peers have %u: its nodes "
                          "reach nobody else over it; check its uplink cables "
                          "and the spines",
                          s->name, s->expected);
    return lw_finding(g, LW_WARNING, "uplinks-missing", NULL, s->name,
                      "%s has %u uplinks, its peers have %u%s: check the "
                      "cables that are missing",
                      s->name, s->uplinks, s->expected,
                      ratio(l, text, sizeof(text)));
}

/* The rate most links of a switch to other switches have. */
static const struct lw_peer *usual_peer(const struct lw_grouping *g,
                                        const struct lw_switch *s)
{
    const struct lw_peer *p = g->peers + s->first_peer, *best = NULL;
    uint32_t count = 0, i;

    /* Majority vote in one pass: enough, since one worn cable is the case. */
    for (i = 0; i < s->npeers; i++) {
        if (!p[i].rate)
            continue;
        if (count == 0)
            best = &p[i];
        count = best && best->rate == p[i].rate ? count + 1 : count - 1;
    }
    return best;
}

static int check_speed(struct lw_grouping *g, const struct lw_switch *s)
{
    const struct lw_peer *p = g->peers + s->first_peer;
    const struct lw_peer *usual = usual_peer(g, s);
    char is[LW_RATE_TEXT], peers[LW_RATE_TEXT];
    uint32_t i;

    for (i = 0; usual && s->tier && i < s->npeers; i++) {
        const struct lw_switch *to = &g->switches[p[i].sw];
        if (!p[i].rate || p[i].rate >= usual->rate || to->tier <= s->tier)
            continue;
        if (lw_finding(g, LW_WARNING, "slow-uplink", NULL, s->name,
                       "%s port %u to %s runs at %s, the other links at %s: "
                       "reseat or replace the cable",
                       s->name, p[i].port, to->name,
                       lw_rate_text(p[i].width, p[i].speed, is),
                       lw_rate_text(usual->width, usual->speed, peers)) < 0)
            return -1;
    }
    return 0;
}

/* The oversubscription that most leaves have by design is one note. */
static int check_design(struct lw_grouping *g, const struct load *l)
{
    uint32_t over = 0, leaves = 0, i;
    double worst = 0, r;

    for (i = 0; i < g->nswitches; i++) {
        if (g->switches[i].tier != 1 || !l[i].up)
            continue;
        r = (double)l[i].down / (double)l[i].up;
        leaves++;
        over += r > 1.05;
        if (r > worst)
            worst = r;
    }
    if (over * 2 <= leaves)
        return 0;
    return lw_finding(g, LW_NOTE, "oversubscribed", NULL, NULL,
                      "%u of %u leaves have more HCA than uplink bandwidth "
                      "(up to %.1f:1): keep gangs within a group, or add "
                      "uplinks",
                      over, leaves, worst);
}

static int check_split(struct lw_grouping *g)
{
    uint32_t *nodes, i;

    if (g->one_fabric)
        return lw_finding(g, LW_NOTE, "uplinks-unseen", NULL, NULL,
                          "the sources show no link above the leaves: all %u "
                          "groups are taken as one fabric; add "
                          "what the switches see if it has several tiers",
                          g->ngroups);
    if (g->nroots < 2)
        return 0;
    if (!(nodes = lw_groups_array(g, g->nroots, sizeof(*nodes))))
        return -1;
    for (i = 0; i < g->ngroups; i++)
        nodes[g->groups[i].root] += g->groups[i].nhosts;
    for (i = 0; i < g->nroots; i++)
        if (lw_finding(g, LW_WARNING, "split-fabric", NULL, NULL,
                       "%s (%u %s) is a fabric of its own: no link leads "
                       "from it to the other %u; if they should be one, check "
                       "the spines between them",
                       g->roots[i], nodes[i],
                       lw_plural(nodes[i], "node", "nodes"), g->nroots - 1) < 0)
            return -1;
    return 0;
}

int lw_findings_switches(struct lw_grouping *g)
{
    struct load *l;
    uint32_t i;

    if (measure(g, &l) < 0)
        return -1;
    for (i = 0; i < g->nswitches; i++)
        if (check_uplinks(g, &g->switches[i], &l[i]) < 0 ||
            check_speed(g, &g->switches[i]) < 0)
            return -1;
    return check_design(g, l) < 0 ? -1 : check_split(g);
}
