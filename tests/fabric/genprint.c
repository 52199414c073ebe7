/* SPDX-License-Identifier: GPL-2.0-or-later */
/* genprint.c - a made-up fabric in the words of ibnetdiscover, and as the
 * truth that discovery is measured against */
#include "config.h"

#include "tests/fabric/gen.h"

#include <inttypes.h>

static unsigned switch_lid(size_t i)
{
    return (unsigned)(i % 40000 + 1);
}

static unsigned hca_lid(const struct gen *g, size_t i)
{
    return (unsigned)((g->nsw + i) % 48000 + 1);
}

static size_t ports_of(const struct gen *g, const struct gen_switch *s)
{
    size_t radix = g->o.radix + (g->o.sharp ? 1 : 0);

    return s->nports > radix ? s->nports : radix;
}

/* Managed switches call themselves so; spaces and ';' belong to the name. */
static void switch_name(const struct gen_switch *s, char *out, size_t size)
{
    snprintf(out, size, "MF0;%s:MQM9700/U1", s->name);
}

static void print_switch_port(const struct gen *g, const struct gen_end *e,
                              size_t port, FILE *out)
{
    char name[96];

    if (e->hca) {
        const struct gen_hca *h = &g->hca[e->peer];

        fprintf(out,
                "[%zu]\t\"H-%016" PRIx64 "\"[1](%" PRIx64
                ") \t\t# \"%s\" lid %u %ux%s\n",
                port, h->guid, h->guid, h->name, hca_lid(g, e->peer), e->width,
                e->speed);
        return;
    }
    switch_name(&g->sw[e->peer], name, sizeof(name));
    fprintf(out, "[%zu]\t\"S-%016" PRIx64 "\"[%u]\t\t# \"%s\" lid %u %ux%s\n",
            port, g->sw[e->peer].guid, e->port, name, switch_lid(e->peer),
            e->width, e->speed);
}

static void print_switch(const struct gen *g, size_t i, FILE *out)
{
    const struct gen_switch *s = &g->sw[i];
    char name[96];
    size_t p;

    switch_name(s, name, sizeof(name));
    fprintf(out,
            "\nvendid=0x2c9\ndevid=0xd2f2\nsysimgguid=0x%" PRIx64
            "\nswitchguid=0x%" PRIx64 "(%" PRIx64 ")\n",
            s->guid, s->guid, s->guid);
    fprintf(out,
            "Switch\t%zu \"S-%016" PRIx64
            "\"\t\t# \"%s\" enhanced port 0 lid %u lmc 0\n",
            ports_of(g, s), s->guid, name, switch_lid(i));
    for (p = s->nports; p; p--)
        if (s->ends[p].used)
            print_switch_port(g, &s->ends[p], p, out);
}

static void print_hca(const struct gen *g, size_t i, FILE *out)
{
    const struct gen_hca *h = &g->hca[i];
    const struct gen_switch *s = &g->sw[h->end.peer];
    uint64_t sys = h->aggregation ? s->guid : h->guid;
    char name[96];

    switch_name(s, name, sizeof(name));
    fprintf(out,
            "\nvendid=0x2c9\ndevid=0x%x\nsysimgguid=0x%" PRIx64
            "\ncaguid=0x%" PRIx64 "\n",
            h->aggregation ? 0xcf09u : 0x1021u, sys, h->guid);
    fprintf(out, "Ca\t1 \"H-%016" PRIx64 "\"\t\t# \"%s\"\n", h->guid, h->name);
    fprintf(out,
            "[1](%" PRIx64 ") \t\"S-%016" PRIx64
            "\"[%u]\t\t# lid %u lmc 0 \"%s\" lid %u %ux%s\n",
            h->guid, s->guid, h->end.port, hca_lid(g, i), name,
            switch_lid(h->end.peer), h->end.width, h->end.speed);
}

void gen_print_default(const struct gen *g, FILE *out)
{
    size_t i;

    fprintf(out,
            "#\n# Topology file: generated on Mon Jan  5 09:00:00 2026\n#\n"
            "# Initiated from node %016" PRIx64 " port %016" PRIx64 "\n",
            g->hca[0].guid, g->hca[0].guid);
    for (i = g->nsw; i-- > 0;)
        if (!g->sw[i].gone)
            print_switch(g, i, out);
    for (i = g->nhca; i-- > 0;)
        if (g->hca[i].end.used && !g->o.no_ca)
            print_hca(g, i, out);
}

static void report_switch(const struct gen *g, size_t i, FILE *out)
{
    const struct gen_switch *s = &g->sw[i];
    char name[96], peer[96];
    size_t p;

    switch_name(s, name, sizeof(name));
    for (p = ports_of(g, s); p; p--) {
        const struct gen_end *e = &s->ends[p];

        if (!e->used) {
            fprintf(out, "SW %5u %2zu 0x%016" PRIx64 " 4x ???%36s'%s'\n",
                    switch_lid(i), p, s->guid, "", name);
            continue;
        }
        if (e->hca)
            snprintf(peer, sizeof(peer), "%s", g->hca[e->peer].name);
        else
            switch_name(&g->sw[e->peer], peer, sizeof(peer));
        fprintf(
            out,
            "SW %5u %2zu 0x%016" PRIx64 " %ux %s - %s %5u %2u 0x%016" PRIx64
            " ( '%s' - '%s' )\n",
            switch_lid(i), p, s->guid, e->width, e->speed, e->hca ? "CA" : "SW",
            e->hca ? hca_lid(g, e->peer) : switch_lid(e->peer), e->port,
            e->hca ? g->hca[e->peer].guid : g->sw[e->peer].guid, name, peer);
    }
}

void gen_print_ports(const struct gen *g, FILE *out)
{
    char name[96];
    size_t i;

    for (i = g->nhca; i-- > 0 && !g->o.no_ca;) {
        const struct gen_hca *h = &g->hca[i];
        const struct gen_switch *s = &g->sw[h->end.peer];

        if (!h->end.used)
            continue;
        switch_name(s, name, sizeof(name));
        fprintf(out,
                "CA %5u  1 0x%016" PRIx64 " %ux %s - SW %5u %2u 0x%016" PRIx64
                " ( '%s' - '%s' )\n",
                hca_lid(g, i), h->guid, h->end.width, h->end.speed,
                switch_lid(h->end.peer), h->end.port, s->guid, h->name, name);
    }
    for (i = g->nsw; i-- > 0;)
        if (!g->sw[i].gone)
            report_switch(g, i, out);
}

/* One line a node: its name, its group, then rail=leaf for each rail that is
 * up. */
void gen_print_truth(const struct gen *g, FILE *out)
{
    size_t n, r, nodes = g->o.groups * g->o.nodes;
    char name[64];

    for (n = 0; n < nodes; n++) {
        gen_node_name(g, n, name, sizeof(name));
        fprintf(out, "%s group=%zu", name, n / g->o.nodes);
        for (r = 0; r < g->o.rails; r++) {
            const struct gen_hca *h = &g->hca[n * g->o.rails + r];

            if (h->end.used)
                fprintf(out, " %zu=%s", r, g->sw[h->end.peer].name);
        }
        fputc('\n', out);
    }
}

/* The nodes of each group as one plain list a line, for slurm.conf and for
 * comparing with what Slurm says of its leaf switches. */
void gen_print_slurm(const struct gen *g, FILE *out)
{
    size_t n, nodes = g->o.groups * g->o.nodes;
    char name[64];

    for (n = 0; n < nodes; n++) {
        gen_node_name(g, n, name, sizeof(name));
        fprintf(out, "%s%s", name, (n + 1) % g->o.nodes ? "," : "\n");
    }
}
