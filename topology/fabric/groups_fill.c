/* SPDX-License-Identifier: GPL-2.0-or-later */
/* groups_fill.c - what grouping found, as a fabric map */
#include "config.h"

#include "lib/natcmp.h"
#include "topology/fabric/groups_priv.h"

#include <stdlib.h>
#include <string.h>

/* Everything in the map is its own, so that the fabric can go. Texts that
 * many HCAs share are copied once. */
struct fill {
    struct lw_grouping *g;
    struct lw_map *map;
    const char **leaf_names;   /* by switch */
    const char **device_words; /* by number */
    int *node_of;              /* by host */
    struct lw_strtab *domains;
};

static const char *copy(struct fill *f, const char *s)
{
    return lw_arena_text(&f->map->arena, s, strlen(s));
}

static void *array(struct fill *f, size_t count, size_t size)
{
    void *p = lw_arena_array(&f->map->arena, count, size);

    if (!p)
        lw_groups_no_memory(f->g);
    return p;
}

static int copy_list(struct fill *f, const char *const *from, size_t n,
                     const char ***to)
{
    size_t i;

    if (!(*to = array(f, n, sizeof(**to))))
        return -1;
    for (i = 0; i < n; i++)
        if (!((*to)[i] = copy(f, from[i])))
            return lw_groups_no_memory(f->g);
    return 0;
}

static int fill_tables(struct fill *f)
{
    struct lw_grouping *g = f->g;
    size_t words = lw_strtab_count(g->device_words), i;

    f->leaf_names = lw_groups_array(g, g->nswitches, sizeof(*f->leaf_names));
    f->device_words = lw_groups_array(g, words, sizeof(*f->device_words));
    f->node_of = lw_groups_array(g, g->nhosts, sizeof(*f->node_of));
    if (!f->leaf_names || !f->device_words || !f->node_of)
        return -1;
    for (i = 0; i < g->nswitches; i++)
        if (!(f->leaf_names[i] = copy(f, g->switches[i].name)))
            return lw_groups_no_memory(g);
    for (i = 0; i < words; i++)
        if (!(f->device_words[i] = copy(f, lw_strtab_name(g->device_words, i))))
            return lw_groups_no_memory(g);
    return 0;
}

static const char *width_word(unsigned width)
{
    static const char *const words[] = {"", "1x", "2x", "", "4x", "",   "",
                                        "", "8x", "",   "", "",   "12x"};

    return width < sizeof(words) / sizeof(words[0]) ? words[width] : "";
}

static bool is_slow(const struct lw_port *p)
{
    return p->slow || p->misfit;
}

static void fill_hca(struct fill *f, const struct lw_port *p,
                     struct lw_map_hca *h)
{
    h->guid = f->g->devs[p->dev].guid;
    h->device = f->device_words[p->device];
    h->port = p->port ? p->port : 1;
    h->rail = p->rail;
    h->leaf = p->leaf == LW_NONE ? "" : f->leaf_names[p->leaf];
    h->width = width_word(p->width);
    h->speed = p->leaf == LW_NONE ? "" : lw_speed_word(p->speed);
}

/* By rail, HCAs without one at the end; both in device order, which the
 * ports already have. */
static int by_rail(const void *a, const void *b)
{
    const struct lw_map_hca *x = a, *y = b;
    unsigned l = (unsigned)x->rail, r = (unsigned)y->rail;

    if (l != r)
        return l < r ? -1 : 1;
    if (x->device != y->device)
        return lw_natcmp(x->device, y->device);
    if (x->guid != y->guid)
        return x->guid < y->guid ? -1 : 1;
    return x->port - y->port;
}

/* HCAs of a host that do not stand with its others. */
static uint32_t next_adopted(const struct lw_grouping *g, uint32_t host,
                             uint32_t from)
{
    while (from < g->nports && g->ports[from].host != host)
        from++;
    return from;
}

static int fill_hcas(struct fill *f, uint32_t host, struct lw_map_node *n)
{
    struct lw_grouping *g = f->g;
    const struct lw_host *h = &g->hosts[host];
    size_t size = h->nports + h->adopted;
    uint32_t i;

    if (!(n->hcas = array(f, size, sizeof(*n->hcas))))
        return -1;
    for (i = 0; i < h->nports; i++) {
        fill_hca(f, &g->ports[h->first + i], &n->hcas[n->nhcas++]);
        n->rails_slow += is_slow(&g->ports[h->first + i]);
    }
    if (h->adopted)
        for (i = next_adopted(g, host, g->nowned); i < g->nports;
             i = next_adopted(g, host, i + 1)) {
            fill_hca(f, &g->ports[i], &n->hcas[n->nhcas++]);
            n->rails_slow += is_slow(&g->ports[i]);
        }
    qsort(n->hcas, n->nhcas, sizeof(*n->hcas), by_rail);
    for (i = 0; i < n->nhcas; i++)
        n->rails_up += n->hcas[i].rail >= 0;
    return 0;
}

static int fill_node(struct fill *f, uint32_t host, struct lw_map_node *n)
{
    struct lw_grouping *g = f->g;
    const struct lw_host *h = &g->hosts[host];

    if (!(n->name = copy(f, h->name)))
        return lw_groups_no_memory(g);
    n->group = (int)h->group;
    n->pod = (int)g->groups[h->group].pod;
    n->domain = -1;
    n->rails = (int)g->groups[h->group].ncolumns;
    return fill_hcas(f, host, n);
}

static int fill_nodes(struct fill *f)
{
    struct lw_grouping *g = f->g;
    uint32_t i;

    f->map->nodes = array(f, g->ncompute, sizeof(*f->map->nodes));
    if (!f->map->nodes)
        return -1;
    for (i = 0; i < g->ncompute; i++) {
        f->node_of[g->order[i]] = (int)i;
        if (fill_node(f, g->order[i], &f->map->nodes[i]) < 0)
            return -1;
    }
    f->map->nnodes = g->ncompute;
    return 0;
}

static int fill_group(struct fill *f, const struct lw_group *gr,
                      struct lw_map_group *out)
{
    uint32_t i;

    out->nodes = array(f, gr->nhosts, sizeof(*out->nodes));
    out->leaves = array(f, gr->ncolumns, sizeof(*out->leaves));
    if (!out->nodes || !out->leaves || !(out->name = copy(f, gr->name)))
        return lw_groups_no_memory(f->g);
    out->pod = (int)gr->pod;
    for (i = 0; i < gr->nhosts; i++)
        out->nodes[i] = f->node_of[gr->hosts[i]];
    out->nnodes = gr->nhosts;
    for (i = 0; i < gr->ncolumns; i++)
        out->leaves[i] = gr->columns[i].leaf == LW_NONE
                             ? ""
                             : f->leaf_names[gr->columns[i].leaf];
    out->nleaves = gr->ncolumns;
    return 0;
}

static int fill_groups(struct fill *f)
{
    struct lw_grouping *g = f->g;
    struct lw_map *map = f->map;
    uint32_t i;

    map->groups = array(f, g->ngroups, sizeof(*map->groups));
    map->pod_roots = array(f, g->npods, sizeof(*map->pod_roots));
    if (!map->groups || !map->pod_roots ||
        copy_list(f, g->pods, g->npods, &map->pods) < 0 ||
        copy_list(f, g->roots, g->nroots, &map->roots) < 0)
        return -1;
    map->npods = g->npods;
    map->nroots = g->nroots;
    for (i = 0; i < g->npods; i++)
        map->pod_roots[i] = (int)g->pod_roots[i];
    for (i = 0; i < g->ngroups; i++)
        if (fill_group(f, &g->groups[i], &map->groups[i]) < 0)
            return -1;
    map->ngroups = g->ngroups;
    return 0;
}

static int by_tier(const void *a, const void *b)
{
    const struct lw_map_switch *x = a, *y = b;
    unsigned l = (unsigned)x->tier - 1, r = (unsigned)y->tier - 1;

    if (l != r)
        return l < r ? -1 : 1;
    return lw_natcmp(x->name, y->name);
}

static int fill_switches(struct fill *f)
{
    struct lw_grouping *g = f->g;
    struct lw_map_switch *out = array(f, g->nswitches, sizeof(*out));
    uint32_t i;

    if (!out)
        return -1;
    for (i = 0; i < g->nswitches; i++) {
        const struct lw_switch *s = &g->switches[i];
        out[i].name = f->leaf_names[i];
        out[i].guid = g->devs[s->dev].guid;
        out[i].tier = s->tier;
        out[i].group = s->leaf ? (int)s->group : -1;
        out[i].pod = s->pod == LW_NONE ? -1 : (int)s->pod;
        out[i].hcas = s->ports;
        out[i].uplinks = s->uplinks;
        out[i].expected = s->expected;
    }
    qsort(out, g->nswitches, sizeof(*out), by_tier);
    f->map->switches = out;
    f->map->nswitches = g->nswitches;
    return 0;
}

/* NVLink domains: the hosts are named as the fabric's are. */
static int fill_domains(struct fill *f)
{
    struct lw_fabric_notes notes;
    struct lw_map *map = f->map;
    size_t i, n;
    int node;

    lw_fabric_notes(f->g->fabric, &notes);
    for (i = 0; i < notes.ndomains; i++) {
        const struct lw_host_domain *d = &notes.domains[i];
        if ((node = lw_map_find_node(map, d->host)) < 0)
            continue;
        n = lw_strtab_add(f->domains, d->domain, strlen(d->domain));
        if (n == LW_STRTAB_NONE)
            return lw_groups_no_memory(f->g);
        map->nodes[node].domain = (int)n;
    }
    map->ndomains = lw_strtab_count(f->domains);
    if (!(map->domains = array(f, map->ndomains, sizeof(*map->domains))))
        return -1;
    for (i = 0; i < map->ndomains; i++)
        if (!(map->domains[i] = copy(f, lw_strtab_name(f->domains, i))))
            return lw_groups_no_memory(f->g);
    return 0;
}

static int by_text(const void *a, const void *b)
{
    return lw_natcmp(*(const char *const *)a, *(const char *const *)b);
}

static int fill_others(struct fill *f)
{
    struct lw_grouping *g = f->g;
    struct lw_map *map = f->map;
    uint32_t i;

    if (!(map->others = array(f, g->nhosts, sizeof(*map->others))))
        return -1;
    for (i = 0; i < g->nhosts; i++)
        /* A name without HCAs is the short form of two full names. */
        if (!g->hosts[i].compute && g->hosts[i].nports &&
            !(map->others[map->nothers++] = copy(f, g->hosts[i].name)))
            return lw_groups_no_memory(g);
    qsort(map->others, map->nothers, sizeof(*map->others), by_text);
    return 0;
}

static int fill_sources(struct fill *f)
{
    const struct lw_groups_options *o = f->g->options;
    struct lw_map_source *to = array(f, o->nsources, sizeof(*to));
    size_t i;

    if (!to)
        return -1;
    for (i = 0; i < o->nsources; i++)
        if (!(to[i].kind = copy(f, o->sources[i].kind)) ||
            !(to[i].name = copy(f, o->sources[i].name)) ||
            !(to[i].sha256 = copy(f, o->sources[i].sha256)))
            return lw_groups_no_memory(f->g);
    f->map->sources = to;
    f->map->nsources = o->nsources;
    return 0;
}

int lw_groups_fill(struct lw_grouping *g)
{
    struct fill f = {.g = g, .map = g->map};
    int rc = -1;

    if (!(f.domains = lw_strtab_create()))
        return lw_groups_no_memory(g);
    if (fill_tables(&f) == 0 && fill_nodes(&f) == 0 && fill_groups(&f) == 0 &&
        fill_switches(&f) == 0 && fill_domains(&f) == 0 && fill_others(&f) == 0)
        rc = fill_sources(&f);
    lw_strtab_destroy(f.domains);
    return rc;
}
