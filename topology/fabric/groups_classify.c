/* SPDX-License-Identifier: GPL-2.0-or-later */
/* groups_classify.c - compute nodes from other hosts, leaves from spines */
#include "config.h"

#include "lib/natcmp.h"
#include "topology/fabric/groups_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* More leaves than any machine has: one name on many machines. */
#define CROWD 64

struct word {
    const char *text;
    uint32_t number;
};

static int by_text(const void *a, const void *b)
{
    return lw_natcmp(((const struct word *)a)->text,
                     ((const struct word *)b)->text);
}

static int rank_devices(struct lw_grouping *g)
{
    size_t n = lw_strtab_count(g->device_words), i;
    struct word *words = lw_groups_array(g, n, sizeof(*words));

    g->device_rank = lw_groups_array(g, n, sizeof(*g->device_rank));
    if (!words || !g->device_rank)
        return -1;
    for (i = 0; i < n; i++)
        words[i] =
            (struct word){lw_strtab_name(g->device_words, i), (uint32_t)i};
    qsort(words, n, sizeof(*words), by_text);
    for (i = 0; i < n; i++)
        g->device_rank[words[i].number] = (uint32_t)i;
    return 0;
}

/* HCAs of one host in the order of their device words, then GUIDs. */
static bool goes_before(const struct lw_grouping *g, const struct lw_port *a,
                        const struct lw_port *b)
{
    uint32_t x = g->device_rank[a->device], y = g->device_rank[b->device];

    if (x != y)
        return x < y;
    if (a->dev != b->dev)
        return g->devs[a->dev].guid < g->devs[b->dev].guid;
    return a->port < b->port;
}

static void sort_ports(struct lw_grouping *g, const struct lw_host *h)
{
    struct lw_port *p = g->ports + h->first, keep;
    uint32_t i, j;

    for (i = 1; i < h->nports; i++) {
        keep = p[i];
        for (j = i; j > 0 && goes_before(g, &keep, &p[j - 1]); j--)
            p[j] = p[j - 1];
        p[j] = keep;
    }
}

/* The rate that most ports of the host have, the higher one of equals. */
static uint16_t common_rate(const struct lw_port *p, uint32_t n)
{
    uint32_t best = 0, i, j, same;
    uint16_t rate = 0;

    for (i = 0; i < n; i++) {
        if (!p[i].rate)
            continue;
        for (same = 0, j = 0; j < n; j++)
            same += p[j].rate == p[i].rate;
        if (same > best || (same == best && p[i].rate > rate)) {
            best = same;
            rate = p[i].rate;
        }
    }
    return rate;
}

/* Ports of another rate than most of the host's: a worn link, or an HCA for
 * storage. What the whole leaf is like tells which. */
static void mark_odd(struct lw_grouping *g)
{
    struct lw_host *h = g->hosts, *end = h + g->nhosts;
    uint16_t rate;
    uint32_t i;

    for (; h < end; h++) {
        struct lw_port *p = g->ports + h->first;
        if (h->nports > CROWD)
            h->crowd = true;
        if (h->crowd)
            continue;
        sort_ports(g, h);
        rate = common_rate(p, h->nports);
        for (i = 0; i < h->nports; i++)
            p[i].odd = p[i].rate && p[i].rate != rate;
    }
}

/* A spine may have a login node on it: it is no leaf when more of its links
 * go to switches with clearly more HCAs than it has HCAs itself. */
static bool is_spine(const struct lw_grouping *g, const struct lw_switch *s)
{
    const struct lw_peer *p = g->peers + s->first_peer;
    uint32_t i, links = 0, several = 0, first = LW_NONE;

    for (i = 0; i < s->npeers; i++) {
        if (g->switches[p[i].sw].ports < 2 * s->ports)
            continue;
        links++;
        if (first == LW_NONE)
            first = p[i].sw;
        several += p[i].sw != first;
    }
    return links > s->ports && several;
}

/* A leaf most of whose ports are odd serves another purpose. */
static int set_aside_odd(struct lw_grouping *g)
{
    uint32_t *odd = lw_groups_array(g, g->nswitches, sizeof(*odd)), i;

    if (!odd)
        return -1;
    for (i = 0; i < g->nports; i++) {
        if (g->ports[i].leaf == LW_NONE)
            continue;
        g->switches[g->ports[i].leaf].ports++;
        odd[g->ports[i].leaf] += g->ports[i].odd;
    }
    for (i = 0; i < g->nswitches; i++)
        g->switches[i].aside = odd[i] * 2 > g->switches[i].ports;
    for (i = 0; i < g->nswitches; i++)
        g->switches[i].spine = is_spine(g, &g->switches[i]);
    return 0;
}

/* The name with every number taken out: nodes of a kind share it. */
static size_t stem(const char *name, char *out, size_t size)
{
    size_t n = 0;

    for (; *name && n + 1 < size; name++) {
        if (!isdigit((unsigned char)*name))
            out[n++] = *name;
        else if (!n || out[n - 1] != '#')
            out[n++] = '#';
    }
    out[n] = '\0';
    return n;
}

/* How many ports on leaves most HCAs' hosts have. */
static uint32_t common_ports(const struct lw_grouping *g, const uint32_t *ports)
{
    uint32_t count[CROWD + 1] = {0}, i, best = 0;

    for (i = 0; i < g->nhosts; i++)
        if (!g->hosts[i].crowd)
            count[ports[i]] += ports[i];
    for (i = 1; i <= CROWD; i++)
        if (count[i] > count[best])
            best = i;
    return best;
}

/* Ports of each host on switches that are leaves by their own look. */
static void count_leaf_ports(const struct lw_grouping *g, uint32_t *ports)
{
    uint32_t i;

    for (i = 0; i < g->nowned; i++) {
        const struct lw_port *p = &g->ports[i];
        if (p->leaf != LW_NONE && !g->switches[p->leaf].aside &&
            !g->switches[p->leaf].spine)
            ports[p->host]++;
    }
}

/* Without a list of nodes: a host with few ports (login, storage, fabric
 * manager) is a compute node only when its name is like those with many. */
static int guess_compute(struct lw_grouping *g, struct lw_strtab *stems)
{
    uint32_t *ports = lw_groups_array(g, g->nhosts, sizeof(*ports)), i, usual;
    char text[256];

    if (!ports)
        return -1;
    count_leaf_ports(g, ports);
    usual = common_ports(g, ports);
    for (i = 0; i < g->nhosts; i++) {
        struct lw_host *h = &g->hosts[i];
        h->compute = !h->crowd && ports[i] && ports[i] * 2 > usual;
        if (h->compute &&
            lw_strtab_add(stems, text, stem(h->name, text, sizeof(text))) ==
                LW_STRTAB_NONE)
            return lw_groups_no_memory(g);
    }
    for (i = 0; i < g->nhosts; i++) {
        struct lw_host *h = &g->hosts[i];
        size_t n = stem(h->name, text, sizeof(text));
        if (!h->crowd && lw_strtab_find(stems, text, n) != LW_STRTAB_NONE)
            h->compute = true;
    }
    return 0;
}

static size_t lower_short(const char *name, bool whole, char *out, size_t size)
{
    size_t n = 0;

    for (; *name && (whole || *name != '.') && n + 1 < size; name++)
        out[n++] = (char)tolower((unsigned char)*name);
    out[n] = '\0';
    return n;
}

/* Slurm's names by full and by short form in lower case; the first one of a
 * form wins. */
static int index_nodes(struct lw_grouping *g, struct lw_strtab *forms,
                       uint32_t *node_of)
{
    const struct lw_groups_options *o = g->options;
    char text[256];
    size_t i, at, before, whole;

    for (whole = 2; whole-- > 0;)
        for (i = 0; i < o->ncompute; i++) {
            before = lw_strtab_count(forms);
            at = lw_strtab_add(
                forms, text,
                lower_short(o->compute[i], whole, text, sizeof(text)));
            if (at == LW_STRTAB_NONE)
                return lw_groups_no_memory(g);
            if (at == before)
                node_of[at] = (uint32_t)i;
        }
    return 0;
}

/* With Slurm's list: hosts become nodes by their full or short name, and take
 * Slurm's spelling. */
static int match_nodes(struct lw_grouping *g, struct lw_strtab *forms)
{
    const struct lw_groups_options *o = g->options;
    uint32_t *node_of = lw_groups_array(g, 2 * o->ncompute, sizeof(*node_of));
    char text[256];
    size_t at;
    uint32_t i;

    g->found = lw_groups_array(g, o->ncompute, sizeof(*g->found));
    if (!node_of || !g->found || index_nodes(g, forms, node_of) < 0)
        return -1;
    for (i = 0; i < g->nhosts; i++) {
        struct lw_host *h = &g->hosts[i];
        at = lw_strtab_find(forms, h->name, strlen(h->name));
        if (at == LW_STRTAB_NONE)
            at = lw_strtab_find(
                forms, text, lower_short(h->name, false, text, sizeof(text)));
        if (at == LW_STRTAB_NONE || h->crowd || g->found[node_of[at]])
            continue;
        h->node = node_of[at];
        h->name = o->compute[h->node];
        h->compute = g->found[h->node] = true;
    }
    return 0;
}

static int choose_compute(struct lw_grouping *g)
{
    struct lw_strtab *table = lw_strtab_create();
    int rc = -1;

    if (!table)
        return lw_groups_no_memory(g);
    if (g->options->compute)
        rc = match_nodes(g, table);
    else
        rc = guess_compute(g, table);
    lw_strtab_destroy(table);
    return rc;
}

/* Leaves: switches with compute HCAs that are no spines. A compute node that
 * has nothing but a spine makes it a leaf after all. */
static void mark_leaves(struct lw_grouping *g)
{
    uint32_t i, j;

    for (i = 0; i < g->nowned; i++) {
        const struct lw_port *p = &g->ports[i];
        if (p->leaf != LW_NONE && g->hosts[p->host].compute &&
            !g->switches[p->leaf].aside && !g->switches[p->leaf].spine)
            g->switches[p->leaf].leaf = true;
    }
    for (i = 0; i < g->nhosts; i++) {
        const struct lw_host *h = &g->hosts[i];
        const struct lw_port *p = g->ports + h->first;
        bool on_leaf = !h->compute;
        for (j = 0; j < h->nports && !on_leaf; j++)
            on_leaf = p[j].leaf != LW_NONE && g->switches[p[j].leaf].leaf;
        for (j = 0; j < h->nports && !on_leaf; j++)
            if (p[j].leaf != LW_NONE)
                g->switches[p[j].leaf].leaf = true;
    }
}

static int by_name(const void *a, const void *b)
{
    return lw_natcmp((*(const struct lw_host *const *)a)->name,
                     (*(const struct lw_host *const *)b)->name);
}

/* The compute hosts in name order; without any there is no map. */
static int order_hosts(struct lw_grouping *g)
{
    struct lw_host **list = lw_groups_array(g, g->nhosts, sizeof(*list));
    uint32_t i, n = 0;

    g->order = lw_groups_array(g, g->nhosts, sizeof(*g->order));
    if (!list || !g->order)
        return -1;
    for (i = 0; i < g->nhosts; i++)
        if (g->hosts[i].compute)
            list[n++] = &g->hosts[i];
    qsort(list, n, sizeof(struct lw_host *), by_name);
    for (i = 0; i < n; i++)
        g->order[i] = (uint32_t)(list[i] - g->hosts);
    g->ncompute = n;
    return 0;
}

int lw_groups_classify(struct lw_grouping *g)
{
    if (rank_devices(g) < 0)
        return -1;
    mark_odd(g);
    if (set_aside_odd(g) < 0 || choose_compute(g) < 0)
        return -1;
    mark_leaves(g);
    return order_hosts(g);
}
