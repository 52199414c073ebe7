/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree.c - the fabric map as the few switches that Slurm needs to know */
#include "config.h"

#include "lib/natcmp.h"
#include "lib/strtab.h"
#include "topology/fabric/writers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Slurm's tables cost switches^3 at every reconfigure and every leaf that a
 * job touches counts, rails too; so the physical switches stay in the map and
 * a rail group is one leaf. */

struct build {
    struct lw_tree *tree;
    const struct lw_map *map;
    struct lw_strtab *used; /* names of switches given out so far */
    lw_error_t *err;
};

static int no_memory(lw_error_t *err)
{
    return lw_err(err, "out of memory");
}

/* 'name', or with a suffix when another switch has that name already: two
 * switches of one name are fatal in every release. */
static const char *fresh_name(struct build *b, const char *name,
                              const char *suffix)
{
    char text[LW_SWITCH_NAME_MAX + 1];
    size_t before, i;
    int room = LW_SWITCH_NAME_MAX - 24;

    snprintf(text, sizeof(text), "%s", name);
    for (i = 1; i < 1000; i++) {
        before = lw_strtab_count(b->used);
        if (lw_strtab_add(b->used, text, strlen(text)) == before)
            return lw_arena_text(&b->tree->arena, text, strlen(text));
        if (i == 1)
            snprintf(text, sizeof(text), "%.*s-%s", room, name, suffix);
        else
            snprintf(text, sizeof(text), "%.*s-%s-%zu", room, name, suffix, i);
    }
    return NULL;
}

static struct lw_tree_switch *add_switch(struct build *b, const char *name,
                                         const char *suffix)
{
    struct lw_tree_switch *s = &b->tree->switches[b->tree->nswitches];

    if (!(s->name = fresh_name(b, name, suffix))) {
        no_memory(b->err);
        return NULL;
    }
    b->tree->nswitches++;
    return s;
}

static int by_name(const void *a, const void *b)
{
    return lw_natcmp(*(const char *const *)a, *(const char *const *)b);
}

static int add_leaf(struct build *b, const struct lw_map_group *g,
                    const char **name)
{
    struct lw_tree_switch *s = add_switch(b, g->name, "group");
    size_t i;

    if (!s)
        return -1;
    s->nodes = lw_arena_array(&b->tree->arena, g->nnodes, sizeof(*s->nodes));
    if (!s->nodes)
        return no_memory(b->err);
    for (i = 0; i < g->nnodes; i++)
        s->nodes[i] = b->map->nodes[g->nodes[i]].name;
    s->nnodes = g->nnodes;
    *name = s->name;
    return 0;
}

/* A switch above 'n' children, or the only child itself. */
static int add_parent(struct build *b, const char *wanted, const char *suffix,
                      const char **children, size_t n, const char **name)
{
    struct lw_tree_switch *s;

    *name = n == 1 ? children[0] : NULL;
    if (n < 2)
        return 0;
    if (!(s = add_switch(b, wanted, suffix)))
        return -1;
    s->children = lw_arena_array(&b->tree->arena, n, sizeof(*s->children));
    if (!s->children)
        return no_memory(b->err);
    memcpy(s->children, children, n * sizeof(*children));
    qsort(s->children, n, sizeof(*children), by_name);
    s->nchildren = n;
    *name = s->name;
    return 0;
}

static int root_of(const struct lw_map *map, int pod)
{
    return pod < 0 || !map->pod_roots ? -1 : map->pod_roots[pod];
}

/* The children of one pod; pod -1 for groups that are in none. */
static size_t leaves_of(const struct lw_map *map, int pod,
                        const char *const *leaf, const char **out)
{
    size_t i, n = 0;

    for (i = 0; i < map->ngroups; i++)
        if (leaf[i] && map->groups[i].pod == pod)
            out[n++] = leaf[i];
    return n;
}

/* How many pods of a root hold nodes. */
static size_t pods_below(const struct lw_map *map, int root,
                         const char *const *leaf, const char **scratch)
{
    size_t n = 0;
    int p;

    for (p = root < 0 ? -1 : 0; p < (int)map->npods; p++)
        if (root_of(map, p) == root && leaves_of(map, p, leaf, scratch))
            n++;
    return n;
}

/* One fabric: its pods, and the root above them. A fabric of one pod has its
 * groups right below the root. */
static int add_root(struct build *b, int root, const char *const *leaf,
                    const char **scratch, const char **top)
{
    const struct lw_map *map = b->map;
    const char *name = root < 0 ? "fabric" : map->roots[root], *pod;
    const char **children = scratch, **leaves = scratch + map->npods + 1;
    size_t n = 0, count;
    int p;

    *top = NULL;
    if (pods_below(map, root, leaf, leaves) == 1) {
        for (p = root < 0 ? -1 : 0; p < (int)map->npods; p++)
            if (root_of(map, p) == root &&
                (count = leaves_of(map, p, leaf, leaves)) > 0)
                return add_parent(b, name, "root", leaves, count, top);
        return 0;
    }
    for (p = root < 0 ? -1 : 0; p < (int)map->npods; p++) {
        if (root_of(map, p) != root)
            continue;
        count = leaves_of(map, p, leaf, leaves);
        if (add_parent(b, p < 0 ? "groups" : map->pods[p], "pod", leaves, count,
                       &pod) < 0)
            return -1;
        if (pod)
            children[n++] = pod;
    }
    return add_parent(b, name, "root", children, n, top);
}

static int add_all(struct build *b, const char *join)
{
    const struct lw_map *map = b->map;
    struct lw_arena *a = &b->tree->arena;
    size_t i, n = 0, max = map->ngroups + map->npods + map->nroots + 4;
    const char **leaf = lw_arena_array(a, max, sizeof(*leaf));
    const char **scratch = lw_arena_array(a, 2 * max, sizeof(*scratch));
    const char **tops = lw_arena_array(a, max, sizeof(*tops));
    int root;

    b->tree->switches = lw_arena_array(a, 2 * max, sizeof(*b->tree->switches));
    if (!leaf || !scratch || !tops || !b->tree->switches)
        return no_memory(b->err);
    for (i = 0; i < map->ngroups; i++)
        if (map->groups[i].nnodes > 0 &&
            add_leaf(b, &map->groups[i], &leaf[i]) < 0)
            return -1;
    if (b->tree->nswitches == 0)
        return lw_err(b->err, "the map holds no group with nodes");
    for (root = -1; root < (int)map->nroots; root++) {
        if (add_root(b, root, leaf, scratch, &tops[n]) < 0)
            return -1;
        n += tops[n] != NULL;
    }
    return join ? add_parent(b, join, "root", tops, n, &tops[n]) : 0;
}

int lw_tree_build(struct lw_tree *tree, const struct lw_map *map,
                  const struct lw_write_options *o, lw_error_t *err)
{
    struct lw_tree fresh = {0};
    struct build b = {&fresh, map, lw_strtab_create(), err};
    int rc;

    rc = b.used ? add_all(&b, o->join) : no_memory(err);
    lw_strtab_destroy(b.used);
    if (rc < 0)
        lw_tree_free(&fresh);
    else
        *tree = fresh;
    return rc;
}

void lw_tree_free(struct lw_tree *tree)
{
    lw_arena_free(&tree->arena);
    tree->switches = NULL;
    tree->nswitches = 0;
}

int lw_write_names(struct lw_buf *out, const struct lw_write_options *o,
                   const char *const *names, size_t n)
{
    char *folded = NULL;
    size_t i;

    if (o->fold) {
        if (!(folded = o->fold(names, n)))
            return -1;
        lw_buf_puts(out, folded);
        free(folded);
        return 0;
    }
    for (i = 0; i < n; i++)
        lw_buf_printf(out, "%s%s", i ? "," : "", names[i]);
    return 0;
}
