/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gendegrade.c - the faults that can be put into a made-up fabric */
#include "config.h"

#include "tests/fabric/gen.h"

#include <string.h>

/* The numbers of a fault: nodes, rails, groups and spines count from 0. */
struct place {
    size_t n[4];
    int count;
};

static void unplug(struct gen *g, struct gen_hca *h)
{
    if (h->end.used)
        g->sw[h->end.peer].ends[h->end.port].used = false;
    h->end.used = false;
}

static struct gen_hca *hca_at(struct gen *g, size_t node, size_t rail)
{
    if (node >= g->o.groups * g->o.nodes || rail >= g->o.rails)
        return NULL;
    return &g->hca[node * g->o.rails + rail];
}

static bool cut(struct gen *g, const struct place *p)
{
    struct gen_hca *h = hca_at(g, p->n[0], p->n[1]);

    if (h)
        unplug(g, h);
    return h;
}

static bool node_off(struct gen *g, const struct place *p)
{
    size_t r;

    for (r = 0; r < g->o.rails; r++) {
        struct gen_hca *h = hca_at(g, p->n[0], r);

        if (!h)
            return false;
        unplug(g, h);
    }
    return true;
}

static void plug(struct gen *g, struct gen_hca *h, size_t sw, size_t port)
{
    h->end.used = true;
    h->end.peer = (uint32_t)sw;
    h->end.port = (uint8_t)port;
    g->sw[sw].ends[port] = (struct gen_end){
        true, true, (uint32_t)(h - g->hca), 1, h->end.width, h->end.speed};
}

static bool swap(struct gen *g, const struct place *p)
{
    struct gen_hca *a = hca_at(g, p->n[0], p->n[1]);
    struct gen_hca *b = hca_at(g, p->n[2], p->n[3]);
    struct gen_end ea, eb;

    if (!a || !b || !a->end.used || !b->end.used)
        return false;
    ea = a->end;
    eb = b->end;
    plug(g, a, eb.peer, eb.port);
    plug(g, b, ea.peer, ea.port);
    return true;
}

/* Into the first free port of another leaf. */
static bool move(struct gen *g, const struct place *p)
{
    struct gen_hca *h = hca_at(g, p->n[0], p->n[1]);
    size_t sw = p->n[2] * g->o.rails + p->n[3], port = 1;

    if (!h || sw >= g->spine0)
        return false;
    while (port <= GEN_MAX_PORT && g->sw[sw].ends[port].used)
        port++;
    if (port > GEN_MAX_PORT)
        return false;
    if (port > g->sw[sw].nports)
        g->sw[sw].nports = port;
    unplug(g, h);
    plug(g, h, sw, port);
    return true;
}

static void remove_switch(struct gen *g, size_t sw)
{
    size_t p;

    for (p = 1; p <= g->sw[sw].nports; p++) {
        struct gen_end *e = &g->sw[sw].ends[p];

        if (e->used && e->hca)
            g->hca[e->peer].end.used = false;
        else if (e->used)
            g->sw[e->peer].ends[e->port].used = false;
        e->used = false;
    }
    g->sw[sw].gone = true;
}

static bool leaf_off(struct gen *g, const struct place *p)
{
    size_t sw = p->n[0] * g->o.rails + p->n[1];

    if (p->n[1] >= g->o.rails || sw >= g->spine0)
        return false;
    remove_switch(g, sw);
    return true;
}

static bool spine_off(struct gen *g, const struct place *p)
{
    if (g->spine0 + p->n[0] >= g->core0)
        return false;
    remove_switch(g, g->spine0 + p->n[0]);
    return true;
}

/* Take away n uplinks of a leaf. */
static bool uplinks(struct gen *g, const struct place *p)
{
    size_t sw = p->n[0] * g->o.rails + p->n[1], left = p->n[2], port;

    if (sw >= g->spine0)
        return false;
    for (port = g->sw[sw].nports; port && left; port--) {
        struct gen_end *e = &g->sw[sw].ends[port];

        if (!e->used || e->hca)
            continue;
        g->sw[e->peer].ends[e->port].used = false;
        e->used = false;
        left--;
    }
    return left == 0;
}

static bool factory(struct gen *g, const struct place *p)
{
    struct gen_hca *h = hca_at(g, p->n[0], p->n[1]);

    if (h)
        snprintf(h->name, sizeof(h->name),
                 "MT4129 ConnectX7   Mellanox Technologies");
    return h;
}

static bool slow(struct gen *g, const struct place *p)
{
    struct gen_hca *h = hca_at(g, p->n[0], p->n[1]);

    if (!h || !h->end.used)
        return false;
    h->end.speed = "EDR";
    g->sw[h->end.peer].ends[h->end.port].speed = "EDR";
    return true;
}

static bool narrow(struct gen *g, const struct place *p)
{
    struct gen_hca *h = hca_at(g, p->n[0], p->n[1]);

    if (!h || !h->end.used)
        return false;
    h->end.width = 1;
    g->sw[h->end.peer].ends[h->end.port].width = 1;
    return true;
}

static const struct fault {
    const char *name;
    const char *form;
    int count;
    bool (*apply)(struct gen *g, const struct place *p);
} faults[] = {
    {"cut", "NODE:RAIL", 2, cut},
    {"factory", "NODE:RAIL", 2, factory},
    {"leaf-off", "GROUP:RAIL", 2, leaf_off},
    {"move", "NODE:RAIL:GROUP:RAIL", 4, move},
    {"narrow", "NODE:RAIL", 2, narrow},
    {"node-off", "NODE", 1, node_off},
    {"slow", "NODE:RAIL", 2, slow},
    {"spine-off", "SPINE", 1, spine_off},
    {"swap", "NODE:RAIL:NODE:RAIL", 4, swap},
    {"uplinks", "GROUP:RAIL:COUNT", 3, uplinks},
};

bool gen_degrade(struct gen *g, const char *spec)
{
    const char *eq = strchr(spec, '=');
    struct place p = {0};
    size_t i;

    if (eq)
        p.count = sscanf(eq + 1, "%zu:%zu:%zu:%zu", &p.n[0], &p.n[1], &p.n[2],
                         &p.n[3]);
    for (i = 0; eq && i < sizeof(faults) / sizeof(faults[0]); i++) {
        const struct fault *f = &faults[i];

        if (strlen(f->name) != (size_t)(eq - spec) ||
            strncmp(f->name, spec, (size_t)(eq - spec)) != 0)
            continue;
        if (p.count == f->count && f->apply(g, &p))
            return true;
        fprintf(stderr, "genfabric: '%s': want %s=%s, all of them there\n",
                spec, f->name, f->form);
        return false;
    }
    fprintf(stderr, "genfabric: no fault '%s'\n", spec);
    return false;
}
