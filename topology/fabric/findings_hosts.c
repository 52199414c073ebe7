/* SPDX-License-Identifier: GPL-2.0-or-later */
/* findings_hosts.c - hosts without a name, and names without a host */
#include "config.h"

#include "lib/buf.h"
#include "lib/plural.h"
#include "topology/fabric/findings.h"

#define SHOWN 8

static int unnamed(struct lw_grouping *g, const struct lw_group *group,
                   uint32_t hcas)
{
    uint32_t each = group->found ? group->found : 1;
    uint32_t nodes = (hcas + each - 1) / each;

    return lw_finding(
        g, LW_WARNING, "unknown-host", NULL, NULL,
        "%u %s on the leaves of group %s %s not tell %s host "
        "(about %u %s), which %s not in the map: start rdma-ndd "
        "on them, or give --names",
        hcas, lw_plural(hcas, "HCA", "HCAs"), group->name,
        lw_plural(hcas, "does", "do"), lw_plural(hcas, "its", "their"), nodes,
        lw_plural(nodes, "node", "nodes"), lw_plural(nodes, "is", "are"));
}

/* HCAs on compute leaves that no name tells the host of. */
static int check_unnamed(struct lw_grouping *g)
{
    uint32_t *count = lw_groups_array(g, g->ngroups, sizeof(*count)), i;
    const struct lw_port *p;

    if (!count)
        return -1;
    for (p = g->ports + g->nowned; p < g->ports + g->nports; p++)
        if (p->host == LW_NONE && p->leaf != LW_NONE &&
            g->switches[p->leaf].leaf)
            count[g->switches[p->leaf].group]++;
    for (i = 0; i < g->ngroups; i++)
        if (count[i] && unnamed(g, &g->groups[i], count[i]) < 0)
            return -1;
    return 0;
}

static int check_clashes(struct lw_grouping *g)
{
    uint32_t i;

    for (i = 0; i < g->nhosts; i++)
        if (g->hosts[i].crowd &&
            lw_finding(g, LW_ERROR, "name-clash", g->hosts[i].name, NULL,
                       "%u HCAs are named %s: many machines have one name, "
                       "and none of them is in the map; set their host "
                       "names and start rdma-ndd, or give --names",
                       g->hosts[i].nports, g->hosts[i].name) < 0)
            return -1;
    if (g->clash &&
        lw_finding(g, LW_NOTE, "name-clash", g->clash, NULL,
                   "%s is a host of two domains: such hosts are named with "
                   "their domain; name the nodes in Slurm so",
                   g->clash) < 0)
        return -1;
    return 0;
}

/* "a, b, c and 4 more" of the names that 'pick' accepts. */
typedef const char *(*pick_f)(const struct lw_grouping *g, size_t i);

static size_t list(const struct lw_grouping *g, size_t n, pick_f pick,
                   struct lw_buf *b)
{
    size_t i, found = 0;
    const char *name;

    for (i = 0; i < n; i++) {
        if (!(name = pick(g, i)))
            continue;
        if (found++ < SHOWN)
            lw_buf_printf(b, "%s%s", found > 1 ? ", " : "", name);
    }
    if (found > SHOWN)
        lw_buf_printf(b, " and %zu more", found - SHOWN);
    return found;
}

static const char *pick_other(const struct lw_grouping *g, size_t i)
{
    return i < g->map->nothers ? g->map->others[i] : NULL;
}

/* Hosts that are no compute nodes are kept apart, and said once. */
static int check_others(struct lw_grouping *g)
{
    struct lw_buf names = LW_BUF_INIT(4096);
    size_t n = list(g, g->map->nothers, pick_other, &names);
    int rc = 0;

    if (names.failed)
        rc = lw_groups_no_memory(g);
    else if (n && g->options->compute)
        rc = lw_finding(g, LW_NOTE, "not-in-slurm", NULL, NULL,
                        "kept apart, since they are not among the given "
                        "nodes: %s; add those to slurm.conf that are to run "
                        "jobs",
                        lw_buf_text(&names));
    else if (n)
        rc = lw_finding(g, LW_NOTE, "other-hosts", NULL, NULL,
                        "kept apart, since they do not look like compute "
                        "nodes: %s; --nodes says which hosts are",
                        lw_buf_text(&names));
    lw_buf_free(&names);
    return rc;
}

/* A node of Slurm that the fabric does not show. */
static int check_absent(struct lw_grouping *g)
{
    const struct lw_groups_options *o = g->options;
    size_t i;

    for (i = 0; g->found && i < o->ncompute; i++)
        if (!g->found[i] &&
            lw_finding(g, LW_WARNING, "not-in-fabric", o->compute[i], NULL,
                       "%s is a node of Slurm, but no HCA of the fabric has "
                       "its name: switch it on, or set its node description "
                       "(rdma-ndd), or give --names",
                       o->compute[i]) < 0)
            return -1;
    return 0;
}

/* A host whose HCAs are all seen without a link. */
static int check_dark(struct lw_grouping *g)
{
    uint32_t i, j;

    for (i = 0; i < g->nhosts; i++) {
        const struct lw_host *h = &g->hosts[i];
        bool linked = !h->nports;
        for (j = 0; j < h->nports && !linked; j++)
            linked = g->ports[h->first + j].leaf != LW_NONE;
        if (!linked &&
            lw_finding(g, LW_ERROR, "node-down", h->name, NULL,
                       "none of the HCAs of %s has a link: it is not in the "
                       "map; check the node and its cables",
                       h->name) < 0)
            return -1;
    }
    return 0;
}

int lw_findings_hosts(struct lw_grouping *g)
{
    return check_unnamed(g) < 0 || check_clashes(g) < 0 ||
                   check_others(g) < 0 || check_absent(g) < 0 ||
                   check_dark(g) < 0
               ? -1
               : 0;
}
