/* SPDX-License-Identifier: GPL-2.0-or-later */
/* write_dot.c - a picture of the fabric for Graphviz */
#include "config.h"

#include "lib/plural.h"
#include "topology/fabric/writers.h"

#include <string.h>

/* The text of a quoted string of dot(1); only the quote and the backslash are
 * special in it. */
static void escaped(struct lw_buf *out, const char *s)
{
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            lw_buf_puts(out, "\\");
        lw_buf_add(out, s, 1);
    }
}

static void quoted(struct lw_buf *out, const char *s)
{
    lw_buf_puts(out, "\"");
    escaped(out, s);
    lw_buf_puts(out, "\"");
}

static const struct lw_map_switch *find_leaf(const struct lw_map *map,
                                             const char *name)
{
    size_t i;

    for (i = 0; i < map->nswitches && map->switches[i].tier == 1; i++)
        if (strcmp(map->switches[i].name, name) == 0)
            return &map->switches[i];
    return NULL;
}

static bool is_degraded(const struct lw_map *map, const struct lw_map_group *g)
{
    size_t i;

    for (i = 0; i < g->nnodes; i++) {
        const struct lw_map_node *n = &map->nodes[g->nodes[i]];

        if (lw_map_node_is_degraded(n))
            return true;
    }
    return false;
}

/* A leaf: dashed when it is gone, red when it lacks uplinks. */
static void write_leaf(struct lw_buf *out, const struct lw_map *map, size_t g,
                       size_t rail)
{
    const char *name = map->groups[g].leaves[rail];
    const struct lw_map_switch *s = find_leaf(map, name);

    lw_buf_printf(out, "    \"leaf %zu %zu\" [label=\"", g, rail);
    escaped(out, *name ? name : "missing");
    if (s && s->uplinks < s->expected)
        lw_buf_printf(out, "\\n%zu of %zu uplinks", s->uplinks, s->expected);
    lw_buf_puts(out, "\"");
    if (!*name)
        lw_buf_puts(out, " style=dashed");
    if (!*name || (s && s->uplinks < s->expected))
        lw_buf_puts(out, " color=red");
    lw_buf_printf(out, "];\n    \"leaf %zu %zu\" -- \"nodes %zu\";\n", g, rail,
                  g);
}

static int write_group(struct lw_buf *out, const struct lw_map *map,
                       const struct lw_write_options *o, size_t i)
{
    const struct lw_map_group *g = &map->groups[i];
    struct lw_arena a = {0};
    const char **names = lw_arena_array(&a, g->nnodes, sizeof(*names));
    size_t k;
    int rc = -1;

    lw_buf_printf(out, "  subgraph \"cluster %zu\" {\n    label=", i);
    quoted(out, g->name);
    lw_buf_puts(out, ";\n");
    for (k = 0; k < g->nleaves; k++)
        if (k == 0 || strcmp(g->leaves[k], g->leaves[k - 1]) != 0)
            write_leaf(out, map, i, k);
    lw_buf_printf(out, "    \"nodes %zu\" [shape=note label=\"%zu %s\\n", i,
                  g->nnodes, lw_plural(g->nnodes, "node", "nodes"));
    for (k = 0; names && k < g->nnodes; k++)
        names[k] = map->nodes[g->nodes[k]].name;
    if (names)
        rc = lw_write_names(out, o, names, g->nnodes);
    lw_buf_printf(out, "\"%s];\n  }\n",
                  is_degraded(map, g) ? " color=red" : "");
    lw_arena_free(&a);
    return rc;
}

/* Every leaf hangs on its pod, every pod on its root. */
static void write_links(struct lw_buf *out, const struct lw_map *map)
{
    size_t i, k;

    for (i = 0; i < map->nroots; i++) {
        lw_buf_printf(out, "  \"root %zu\" [shape=box3d label=", i);
        quoted(out, map->roots[i]);
        lw_buf_puts(out, "];\n");
    }
    for (i = 0; i < map->npods; i++) {
        lw_buf_printf(out, "  \"pod %zu\" [shape=box3d label=", i);
        quoted(out, map->pods[i]);
        lw_buf_puts(out, "];\n");
        if (map->nroots)
            lw_buf_printf(out, "  \"root %d\" -- \"pod %zu\";\n",
                          map->pod_roots[i], i);
    }
    for (i = 0; i < map->ngroups; i++)
        for (k = 0; k < map->groups[i].nleaves && map->groups[i].pod >= 0; k++)
            if (k == 0 || strcmp(map->groups[i].leaves[k],
                                 map->groups[i].leaves[k - 1]) != 0)
                lw_buf_printf(out, "  \"pod %d\" -- \"leaf %zu %zu\";\n",
                              map->groups[i].pod, i, k);
}

int lw_write_dot(struct lw_buf *out, const struct lw_map *map,
                 const struct lw_write_options *o, lw_error_t *err)
{
    size_t i;
    int rc = 0;

    lw_buf_puts(out, "graph fabric {\n"
                     "  ordering=out;\n"
                     "  node [shape=box fontname=\"sans-serif\"];\n");
    write_links(out, map);
    for (i = 0; i < map->ngroups && rc == 0; i++)
        rc = write_group(out, map, o, i);
    lw_buf_puts(out, "}\n");
    if (rc < 0 || out->failed)
        return lw_err(err, "out of memory, or the text is too large");
    return 0;
}
