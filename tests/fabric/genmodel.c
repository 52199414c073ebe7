/* SPDX-License-Identifier: GPL-2.0-or-later */
/* genmodel.c - a healthy rail-optimised fabric */
#include "config.h"

#include "tests/fabric/gen.h"

#include <stdlib.h>
#include <string.h>

/* Locally administered GUIDs: 02, then the kind of device. */
#define SWITCH_GUID 0x0200005300000000u
#define HCA_GUID    0x0200004800000000u

static bool complain(const char *what, const char *detail)
{
    fprintf(stderr, "genfabric: %s%s%s\n", what, detail ? ": " : "",
            detail ? detail : "");
    return false;
}

void gen_node_name(const struct gen *g, size_t n, char *name, size_t size)
{
    snprintf(name, size, "%s%0*zu", g->o.prefix, (int)g->o.digits,
             g->o.first + n);
}

static size_t leaf_at(const struct gen *g, size_t group, size_t rail)
{
    return group * g->o.rails + rail;
}

static size_t pod_of(const struct gen *g, size_t group)
{
    return group * g->o.pods / g->o.groups;
}

/* Ports are given out from 1 up, so that a model needs no cabling plan. */
static bool join_switches(struct gen *g, size_t a, size_t b, size_t times)
{
    while (times--) {
        struct gen_switch *sa = &g->sw[a], *sb = &g->sw[b];

        if (sa->nports >= GEN_MAX_PORT || sb->nports >= GEN_MAX_PORT)
            return complain("more than 254 ports on one switch", sa->name);
        sa->ends[++sa->nports] = (struct gen_end){
            true, false, (uint32_t)b, (uint8_t)(sb->nports + 1), 4, g->o.speed};
        sb->ends[++sb->nports] = (struct gen_end){
            true, false, (uint32_t)a, (uint8_t)sa->nports, 4, g->o.speed};
    }
    return true;
}

static bool join_hca(struct gen *g, size_t sw, size_t hca, size_t port)
{
    struct gen_switch *s = &g->sw[sw];

    if (port > GEN_MAX_PORT + 1)
        return complain("more than 254 ports on one switch", s->name);
    if (port > s->nports)
        s->nports = port;
    s->ends[port] =
        (struct gen_end){true, true, (uint32_t)hca, 1, 4, g->o.speed};
    g->hca[hca].end = (struct gen_end){true,          false, (uint32_t)sw,
                                       (uint8_t)port, 4,     g->o.speed};
    return true;
}

static void describe(const struct gen *g, size_t node, size_t number, char *out,
                     size_t size)
{
    char name[64];

    gen_node_name(g, node, name, sizeof(name));
    if (g->o.names == GEN_HOST)
        snprintf(out, size, "%s", name);
    else
        snprintf(out, size, "%s%s mlx5_%zu%s", name,
                 g->o.names == GEN_FQDN ? ".cluster.example" : "", number,
                 g->o.names == GEN_SPACES ? "  " : "");
}

static void name_switches(struct gen *g)
{
    size_t i, per_pod = g->o.spines;

    for (i = 0; i < g->nsw; i++) {
        struct gen_switch *s = &g->sw[i];

        s->guid = SWITCH_GUID + i + 1;
        if (i < g->spine0)
            snprintf(s->name, sizeof(s->name), "leaf-%03zu-%zu",
                     i / g->o.rails + 1, i % g->o.rails + 1);
        else if (i < g->core0)
            snprintf(s->name, sizeof(s->name), "spine-%02zu-%02zu",
                     (i - g->spine0) / per_pod + 1,
                     (i - g->spine0) % per_pod + 1);
        else if (i < g->storage0)
            snprintf(s->name, sizeof(s->name), "core-%03zu", i - g->core0 + 1);
        else
            snprintf(s->name, sizeof(s->name), "storage-%02zu",
                     i - g->storage0 + 1);
    }
}

static void name_hcas(struct gen *g)
{
    size_t i, r = g->o.rails;

    for (i = 0; i < g->nhca; i++) {
        struct gen_hca *h = &g->hca[i];

        h->guid = HCA_GUID + (i + 1) * 2;
        if (i < g->hstorage0)
            describe(g, i / r, g->o.device[i % r], h->name, sizeof(h->name));
        else if (i < g->hlogin0)
            describe(g, i - g->hstorage0, r, h->name, sizeof(h->name));
        else
            snprintf(h->name, sizeof(h->name), "login%02zu mlx5_0",
                     i - g->hlogin0 + 1);
    }
}

/* Node i of a group is on port i+1 of each leaf of the group. */
static bool cable_nodes(struct gen *g)
{
    size_t i, node, r = g->o.rails;

    for (i = 0; i < g->hstorage0; i++) {
        node = i / r;
        if (!join_hca(g, leaf_at(g, node / g->o.nodes, i % r), i,
                      node % g->o.nodes + 1))
            return false;
    }
    for (; i < g->hlogin0; i++) {
        node = i - g->hstorage0;
        if (!join_hca(g, g->storage0 + node % g->o.storage, i,
                      node / g->o.storage + 1))
            return false;
    }
    for (; i < g->nhca; i++)
        if (!join_hca(g, g->spine0, i, g->sw[g->spine0].nports + 1))
            return false;
    return true;
}

/* Leaf to every spine of its pod that serves its rail. */
static bool cable_leaves(struct gen *g)
{
    size_t step = g->o.planes ? g->o.rails : 1;
    size_t reach = g->o.spines / step, leaf, s, up, times;

    up = g->o.uplinks ? g->o.uplinks : g->o.nodes;
    times = reach && up > reach ? up / reach : 1;
    for (leaf = 0; leaf < g->spine0; leaf++) {
        size_t first = g->spine0 + pod_of(g, leaf / g->o.rails) * g->o.spines;

        for (s = g->o.planes ? leaf % g->o.rails : 0; s < g->o.spines;
             s += step)
            if (!join_switches(g, leaf, first + s, times))
                return false;
    }
    return true;
}

/* Core c reaches the spines of every pod whose place in the pod is c modulo
 * the number of places; with planes a place holds one spine of each rail, and
 * with core planes it reaches that of one rail only. */
static bool reaches(const struct gen *g, size_t core, size_t spine)
{
    size_t step = g->o.planes ? g->o.rails : 1;
    size_t places = g->o.spines / step, at = spine % g->o.spines;

    return at / step == core % places &&
           (!g->o.core_planes || at % step == core / places % step);
}

static bool cable_cores(struct gen *g)
{
    size_t i, s;

    for (i = 0; i < g->storage0 - g->core0; i++)
        for (s = 0; s < g->core0 - g->spine0; s++)
            if (reaches(g, i, s) &&
                !join_switches(g, g->core0 + i, g->spine0 + s, g->o.core_links))
                return false;
    for (i = 1; i < g->o.storage; i++)
        if (!join_switches(g, g->storage0, g->storage0 + i, 4))
            return false;
    return true;
}

/* The aggregation node sits on the port after the radix. */
static bool add_aggregation(struct gen *g)
{
    struct gen_hca *more;
    size_t i;

    more = realloc(g->hca, (g->nhca + g->nsw) * sizeof(*more));
    if (!more)
        return complain("out of memory", NULL);
    g->hca = more;
    for (i = 0; i < g->nsw; i++) {
        struct gen_hca *h = &g->hca[g->nhca];
        size_t port = g->sw[i].nports;

        memset(h, 0, sizeof(*h));
        h->guid = g->sw[i].guid + 0x100000000u;
        h->aggregation = true;
        snprintf(h->name, sizeof(h->name),
                 "Mellanox Technologies Aggregation Node");
        if (!join_hca(g, i, g->nhca++,
                      (port > g->o.radix ? port : g->o.radix) + 1))
            return false;
    }
    return true;
}

static bool possible(const struct gen_options *o)
{
    if (!o->groups || !o->nodes || !o->rails || o->rails > GEN_MAX_RAILS)
        return complain("groups, nodes and rails (up to 64) are needed", NULL);
    if (!o->pods || o->pods > o->groups)
        return complain("pods: between 1 and the number of groups", NULL);
    if (o->planes && o->spines % o->rails)
        return complain("planes: spines must be a multiple of rails", NULL);
    if ((o->cores || o->logins) && !o->spines)
        return complain("cores and logins need spines", NULL);
    return true;
}

bool gen_build(struct gen *g)
{
    size_t nodes = g->o.groups * g->o.nodes;

    if (!possible(&g->o))
        return false;
    g->spine0 = g->o.groups * g->o.rails;
    g->core0 = g->spine0 + g->o.pods * g->o.spines;
    g->storage0 = g->core0 + g->o.cores;
    g->nsw = g->storage0 + g->o.storage;
    g->hstorage0 = nodes * g->o.rails;
    g->hlogin0 = g->hstorage0 + (g->o.storage ? nodes : 0);
    g->nhca = g->hlogin0 + g->o.logins;
    g->sw = calloc(g->nsw, sizeof(*g->sw));
    g->hca = calloc(g->nhca, sizeof(*g->hca));
    if (!g->sw || !g->hca)
        return complain("out of memory", NULL);
    name_switches(g);
    name_hcas(g);
    /* The nodes' ports come first, so that uplinks start above them. */
    return cable_nodes(g) && cable_leaves(g) && cable_cores(g) &&
           (!g->o.sharp || add_aggregation(g));
}

void gen_free(struct gen *g)
{
    free(g->sw);
    free(g->hca);
}
