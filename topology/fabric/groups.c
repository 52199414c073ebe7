/* SPDX-License-Identifier: GPL-2.0-or-later */
/* groups.c - from the fabric graph to the map, step by step */
#include "config.h"

#include "topology/fabric/groups_priv.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

int lw_groups_no_memory(struct lw_grouping *g)
{
    return lw_err(g->err, "out of memory");
}

void *lw_groups_array(struct lw_grouping *g, size_t count, size_t size)
{
    void *p = lw_arena_array(&g->arena, count, size);

    if (!p)
        lw_groups_no_memory(g);
    return p;
}

bool lw_groups_ignored(const struct lw_grouping *g, const char *text)
{
    size_t i;

    for (i = 0; text && i < g->options->nignore; i++)
        if (fnmatch(g->options->ignore[i], text, 0) == 0)
            return true;
    return false;
}

bool lw_groups_declared(const struct lw_grouping *g, const struct lw_dev *d)
{
    return d->declared && g->cables;
}

/* Lane speeds in units of 100 Mb/s. */
uint16_t lw_rate(unsigned width, enum lw_speed speed)
{
    static const uint16_t lanes[] = {0,   25,  50,  100,  103,
                                     141, 258, 531, 1063, 2125};

    return (uint16_t)(width * lanes[speed]);
}

/* No map without nodes: say what is missing. */
static int check_compute(struct lw_grouping *g)
{
    uint32_t linked = 0, i;

    if (g->ncompute)
        return 0;
    for (i = 0; i < g->nports; i++)
        linked += g->ports[i].leaf != LW_NONE;
    if (!linked)
        return lw_err(g->err,
                      "the fabric has no link between a host and a switch "
                      "(%zu devices, %zu links were read)",
                      g->ndevs, g->nlinks);
    if (g->options->compute)
        return lw_err(g->err,
                      "none of the %zu given nodes is among the %u hosts of "
                      "the fabric: compare the names, or give --names",
                      g->options->ncompute, g->nhosts);
    return lw_err(g->err,
                  "no HCA of the fabric tells its host (%u HCAs): set the "
                  "node descriptions (rdma-ndd), or give --names",
                  linked);
}

static int run(struct lw_grouping *g)
{
    if (lw_groups_switches(g) < 0 || lw_groups_hosts(g) < 0 ||
        lw_groups_ports(g) < 0 || lw_groups_classify(g) < 0 ||
        lw_groups_cluster(g) < 0 || check_compute(g) < 0 ||
        lw_groups_rails(g) < 0 || lw_groups_adopt(g) < 0 ||
        lw_groups_tiers(g) < 0 || lw_groups_names(g) < 0 ||
        lw_groups_fill(g) < 0)
        return -1;
    return lw_groups_findings(g);
}

struct lw_map *lw_groups_map(const struct lw_fabric *fabric,
                             const struct lw_groups_options *options,
                             lw_error_t *err)
{
    struct lw_grouping g = {.fabric = fabric, .options = options, .err = err};
    size_t i;

    g.devs = lw_fabric_devs(fabric, &g.ndevs);
    g.links = lw_fabric_links(fabric, &g.nlinks);
    for (i = 0; i < g.ndevs && !g.cables; i++)
        g.cables = !g.devs[i].declared;
    g.device_words = lw_strtab_create();
    g.map = lw_map_create();
    if (!g.device_words || !g.map)
        lw_groups_no_memory(&g);
    if (!g.device_words || !g.map || run(&g) < 0) {
        lw_map_destroy(g.map);
        g.map = NULL;
    }
    lw_strtab_destroy(g.device_words);
    lw_arena_free(&g.arena);
    return g.map;
}
