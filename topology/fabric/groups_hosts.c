/* SPDX-License-Identifier: GPL-2.0-or-later */
/* groups_hosts.c - whose HCA is it: hosts by description and siblings */
#include "config.h"

#include "topology/fabric/desc.h"
#include "topology/fabric/groups_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Names are interned without their domain; only where two domains hold the
 * same name are the hosts told apart by it. */
struct naming {
    struct lw_strtab *names;
    struct lw_slice *domains; /* by short name: the first one seen */
    bool *clash;              /* by short name: two domains */
    size_t size;
    bool any_clash;
};

static size_t lower(char *out, size_t size, struct lw_slice s)
{
    size_t i;

    for (i = 0; i < s.n && i + 1 < size; i++)
        out[i] = (char)tolower((unsigned char)s.s[i]);
    out[i] = '\0';
    return i;
}

/* The description that tells a host, else the one that tells a device. */
static bool describe(const struct lw_dev *dev, struct lw_desc *d)
{
    struct lw_desc other;
    bool known = dev->name && lw_desc_split(dev->name, d);

    if (!dev->name)
        memset(d, 0, sizeof(*d));
    if (!dev->alias || (known && d->device.n))
        return known;
    if (lw_desc_split(dev->alias, &other) && !known) {
        *d = other;
        return true;
    }
    if (!d->device.n)
        d->device = other.device;
    return known;
}

/* HCAs that never count: aggregation nodes within switches, routers, what is
 * only written down, and what the caller does not want. */
static bool is_hca(const struct lw_grouping *g, const struct lw_dev *d)
{
    return d->kind == LW_DEV_HCA && !lw_groups_declared(g, d) &&
           !lw_desc_is_aggregation(d->name, d->devid) &&
           !lw_groups_ignored(g, d->name) && !lw_groups_ignored(g, d->alias);
}

static int grow(struct naming *n, size_t count)
{
    size_t size = n->size ? n->size * 2 : 256;
    struct lw_slice *domains;
    bool *clash;

    if (count < n->size)
        return 0;
    if (!(domains = realloc(n->domains, size * sizeof(*domains))))
        return -1;
    n->domains = domains;
    if (!(clash = realloc(n->clash, size * sizeof(*clash))))
        return -1;
    n->clash = clash;
    n->size = size;
    return 0;
}

/* The number of the host without its domain, LW_NONE when out of memory. */
static uint32_t intern(struct naming *n, const struct lw_desc *d)
{
    size_t before = lw_strtab_count(n->names), i;
    char text[256];

    i = lw_strtab_add(n->names, text, lower(text, sizeof(text), d->host));
    if (i == LW_STRTAB_NONE || grow(n, i) < 0)
        return LW_NONE;
    if (i == before) {
        n->domains[i] = d->domain;
        n->clash[i] = false;
    } else if (d->domain.n && !n->domains[i].n) {
        n->domains[i] = d->domain;
    } else if (d->domain.n &&
               (d->domain.n != n->domains[i].n ||
                strncasecmp(d->domain.s, n->domains[i].s, d->domain.n))) {
        n->clash[i] = n->any_clash = true;
    }
    return (uint32_t)i;
}

/* Two domains hold the name: the host is its full name. */
static uint32_t intern_full(struct naming *n, const struct lw_desc *d)
{
    struct lw_slice full = {d->host.s, d->host.n + 1 + d->domain.n};
    char text[512];
    size_t i;

    i = lw_strtab_add(n->names, text, lower(text, sizeof(text), full));
    if (i == LW_STRTAB_NONE || grow(n, i) < 0)
        return LW_NONE;
    n->clash[i] = false;
    return (uint32_t)i;
}

static uint32_t device_word(struct lw_grouping *g, const struct lw_desc *d)
{
    size_t i = lw_strtab_add(g->device_words, d->device.n ? d->device.s : "",
                             d->device.n);

    return i == LW_STRTAB_NONE ? LW_NONE : (uint32_t)i;
}

static int name_hosts(struct lw_grouping *g, struct naming *n)
{
    struct lw_desc d;
    size_t i;

    for (i = 0; i < g->ndevs; i++) {
        g->dev_host[i] = LW_NONE;
        if (!(g->is_hca[i] = is_hca(g, &g->devs[i])))
            continue;
        if (describe(&g->devs[i], &d) &&
            (g->dev_host[i] = intern(n, &d)) == LW_NONE)
            return lw_groups_no_memory(g);
        if ((g->dev_word[i] = device_word(g, &d)) == LW_NONE)
            return lw_groups_no_memory(g);
    }
    for (i = 0; n->any_clash && i < g->ndevs; i++) {
        if (g->dev_host[i] == LW_NONE || !n->clash[g->dev_host[i]])
            continue;
        g->clash = lw_strtab_name(n->names, g->dev_host[i]);
        g->clash = lw_arena_text(&g->arena, g->clash, strlen(g->clash));
        describe(&g->devs[i], &d);
        if (d.domain.n && (g->dev_host[i] = intern_full(n, &d)) == LW_NONE)
            return lw_groups_no_memory(g);
    }
    return 0;
}

struct sibling {
    uint64_t sysguid;
    uint32_t host;
};

static int by_sysguid(const void *a, const void *b)
{
    const struct sibling *x = a, *y = b;

    if (x->sysguid != y->sysguid)
        return x->sysguid < y->sysguid ? -1 : 1;
    return x->host < y->host ? -1 : x->host > y->host;
}

static bool wants_sibling(const struct lw_grouping *g, size_t i)
{
    return g->is_hca[i] && g->dev_host[i] == LW_NONE && g->devs[i].sysguid;
}

/* The host of the first sibling, LW_NONE without one. */
static uint32_t sibling_host(const struct sibling *list, size_t n,
                             uint64_t sysguid)
{
    size_t lo = 0, hi = n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (list[mid].sysguid < sysguid)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && list[lo].sysguid == sysguid ? list[lo].host : LW_NONE;
}

/* An HCA with factory text is its card's host when another function of the
 * card has a name: they share the system image GUID. */
static int join_siblings(struct lw_grouping *g)
{
    struct sibling *list;
    size_t i, n = 0, wanted = 0;

    for (i = 0; i < g->ndevs; i++)
        wanted += wants_sibling(g, i);
    if (!wanted)
        return 0;
    if (!(list = lw_groups_array(g, g->ndevs, sizeof(*list))))
        return -1;
    for (i = 0; i < g->ndevs; i++)
        if (g->dev_host[i] != LW_NONE && g->devs[i].sysguid)
            list[n++] = (struct sibling){g->devs[i].sysguid, g->dev_host[i]};
    qsort(list, n, sizeof(*list), by_sysguid);
    for (i = 0; i < g->ndevs; i++)
        if (wants_sibling(g, i))
            g->dev_host[i] = sibling_host(list, n, g->devs[i].sysguid);
    return 0;
}

static int fill_hosts(struct lw_grouping *g, const struct naming *n)
{
    size_t count = lw_strtab_count(n->names), i;
    const char *name;

    if (!(g->hosts = lw_groups_array(g, count, sizeof(*g->hosts))))
        return -1;
    g->nhosts = (uint32_t)count;
    for (i = 0; i < count; i++) {
        name = lw_strtab_name(n->names, i);
        g->hosts[i].name = lw_arena_text(&g->arena, name, strlen(name));
        g->hosts[i].group = g->hosts[i].node = LW_NONE;
        if (!g->hosts[i].name)
            return lw_groups_no_memory(g);
    }
    return 0;
}

int lw_groups_hosts(struct lw_grouping *g)
{
    struct naming n = {0};
    int rc = -1;

    g->dev_host = lw_groups_array(g, g->ndevs, sizeof(*g->dev_host));
    g->dev_word = lw_groups_array(g, g->ndevs, sizeof(*g->dev_word));
    g->is_hca = lw_groups_array(g, g->ndevs, sizeof(*g->is_hca));
    if (!(n.names = lw_strtab_create()))
        lw_groups_no_memory(g);
    else if (g->dev_host && g->dev_word && g->is_hca &&
             name_hosts(g, &n) == 0 && join_siblings(g) == 0)
        rc = fill_hosts(g, &n);
    lw_strtab_destroy(n.names);
    free(n.domains);
    free(n.clash);
    return rc;
}

/* One port into its place: those of hosts by host, the others at the end. */
static void add_port(struct lw_grouping *g, uint32_t dev,
                     const struct lw_link *l, uint32_t *next_free)
{
    struct lw_port p = {.dev = dev, .host = g->dev_host[dev], .rail = -1};
    struct lw_host *h = p.host == LW_NONE ? NULL : &g->hosts[p.host];

    p.leaf = LW_NONE;
    if (l) {
        bool first = l->a == dev;
        p.leaf = g->dev_switch[first ? l->b : l->a];
        p.port = first ? l->a_port : l->b_port;
        p.sw_port = first ? l->b_port : l->a_port;
        p.width = l->width;
        p.speed = l->speed;
        p.rate = lw_rate(l->width, l->speed);
    }
    p.device = g->dev_word[dev];
    g->ports[h ? h->first + h->nports++ : (*next_free)++] = p;
}

/* Which end of the link is an HCA port on a switch; LW_NONE for neither. */
static uint32_t hca_end(const struct lw_grouping *g, const struct lw_link *l)
{
    uint32_t dev = g->is_hca[l->a] ? l->a : g->is_hca[l->b] ? l->b : LW_NONE;
    uint32_t sw;

    if (dev == LW_NONE)
        return LW_NONE;
    sw = g->dev_switch[dev == l->a ? l->b : l->a];
    return sw == LW_NONE || g->switches[sw].ignored ? LW_NONE : dev;
}

/* How many ports each host has, so that they can stand together. */
static int place_ports(struct lw_grouping *g, bool *linked)
{
    uint32_t dev, total = 0, i, owned = 0;
    size_t n;

    for (n = 0; n < g->nlinks; n++) {
        if ((dev = hca_end(g, &g->links[n])) == LW_NONE)
            continue;
        linked[dev] = true;
        total++;
        if (g->dev_host[dev] != LW_NONE)
            g->hosts[g->dev_host[dev]].nports++;
    }
    for (n = 0; n < g->ndevs; n++)
        if (g->is_hca[n] && !linked[n]) {
            total++;
            if (g->dev_host[n] != LW_NONE)
                g->hosts[g->dev_host[n]].nports++;
        }
    for (i = 0; i < g->nhosts; i++) {
        g->hosts[i].first = owned;
        owned += g->hosts[i].nports;
        g->hosts[i].nports = 0;
    }
    g->nowned = owned;
    g->nports = total;
    g->ports = lw_groups_array(g, total, sizeof(*g->ports));
    return g->ports ? 0 : -1;
}

static void fill_ports(struct lw_grouping *g, const bool *linked)
{
    uint32_t next = g->nowned, dev;
    size_t n;

    for (n = 0; n < g->nlinks; n++) {
        dev = hca_end(g, &g->links[n]);
        if (dev != LW_NONE)
            add_port(g, dev, &g->links[n], &next);
    }
    for (n = 0; n < g->ndevs; n++)
        if (g->is_hca[n] && !linked[n])
            add_port(g, (uint32_t)n, NULL, &next);
}

int lw_groups_ports(struct lw_grouping *g)
{
    bool *linked = lw_groups_array(g, g->ndevs, sizeof(*linked));

    if (!linked || place_ports(g, linked) < 0)
        return -1;
    fill_ports(g, linked);
    return 0;
}
