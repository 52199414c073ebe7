/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_names.c - of a map only the names, for the one that replaces it */
#include "config.h"

#include "lib/jscan.h"
#include "lib/lines.h"
#include "lib/natcmp.h"
#include "lib/strtab.h"
#include "topology/fabric/map.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_LINE ((size_t)64 * 1024)

/* lw_map_print() writes one node a line, so the 20 MB of a large map are read
 * through a small buffer, as far as the nodes go: a tree of all of it takes
 * longer to build than the fabric took to read. */
struct names {
    struct lw_map *map;
    struct lw_strtab *groups, *pods;
    size_t room;
};

struct row {
    char *name, *group, *pod;
};

static const struct lw_jscan_field fields[] = {
    {LW_JSCAN_KEY("name"), LW_JSCAN_TEXT, offsetof(struct row, name), NULL},
    {LW_JSCAN_KEY("group"), LW_JSCAN_TEXT, offsetof(struct row, group), NULL},
    {LW_JSCAN_KEY("pod"), LW_JSCAN_TEXT, offsetof(struct row, pod), NULL},
    {NULL, 0, LW_JSCAN_LONG, 0, NULL},
};

static int grow(struct names *n)
{
    struct lw_map *map = n->map;
    struct lw_map_node *list;

    if (map->nnodes < n->room)
        return 0;
    n->room = n->room ? n->room * 2 : 256;
    if (!(list = lw_arena_array(&map->arena, n->room, sizeof(*list))))
        return -1;
    if (map->nnodes)
        memcpy(list, map->nodes, map->nnodes * sizeof(*list));
    map->nodes = list;
    return 0;
}

/* The number of a name; -1 without one, -2 when out of memory. */
static int number_of(struct lw_strtab *t, const char *name)
{
    size_t i = name ? lw_strtab_add(t, name, strlen(name)) : 0;

    if (!name)
        return -1;
    return i == LW_STRTAB_NONE ? -2 : (int)i;
}

/* A line of the list of nodes: an object and what separates it. */
static int add_node(struct names *n, char *line, size_t len)
{
    struct lw_map *map = n->map;
    struct lw_map_node *node;
    struct row row = {0};

    while (len && strchr(",]", line[len - 1]))
        line[--len] = '\0';
    if (lw_jscan(line, len, fields, &row, NULL) < 0 || !row.name ||
        !row.group || grow(n) < 0)
        return -1;
    node = &map->nodes[map->nnodes];
    node->name = lw_arena_text(&map->arena, row.name, strlen(row.name));
    node->group = number_of(n->groups, row.group);
    node->pod = number_of(n->pods, row.pod);
    node->domain = -1;
    if (!node->name || node->group < 0 || node->pod < -1 ||
        (map->nnodes && lw_natcmp(node[-1].name, node->name) >= 0))
        return -1;
    map->nnodes++;
    return 0;
}

/* The lines of the list of nodes; -1 for a map that was not printed by
 * lw_map_print(). */
static int read_nodes(struct names *n, struct lw_lines *l)
{
    bool within = false;
    char *line;
    size_t len;

    while (lw_lines_next(l, &line, &len, NULL) > 0) {
        if (within && strncmp(line, "  {", 3) != 0)
            return n->map->nnodes ? 0 : -1;
        if (within ? add_node(n, line, len) < 0 : lw_lines_number(l) > 4096)
            return -1;
        within = within || strcmp(line, " \"nodes\": [") == 0;
    }
    return -1;
}

static const char **copy_names(struct lw_map *map, const struct lw_strtab *t)
{
    size_t n = lw_strtab_count(t), i;
    const char **out = lw_arena_array(&map->arena, n, sizeof(*out));

    for (i = 0; out && i < n; i++) {
        const char *name = lw_strtab_name(t, i);
        if (!(out[i] = lw_arena_text(&map->arena, name, strlen(name))))
            return NULL;
    }
    return out;
}

static int fill(struct names *n, struct lw_lines *l)
{
    struct lw_map *map = n->map;
    const char **names;
    size_t i;

    if (read_nodes(n, l) < 0 || lw_lines_skipped(l) ||
        !(names = copy_names(map, n->groups)) ||
        !(map->pods = copy_names(map, n->pods)))
        return -1;
    map->npods = lw_strtab_count(n->pods);
    map->ngroups = lw_strtab_count(n->groups);
    map->groups =
        lw_arena_array(&map->arena, map->ngroups, sizeof(*map->groups));
    for (i = 0; map->groups && i < map->ngroups; i++)
        map->groups[i].name = names[i];
    return map->groups ? 0 : -1;
}

struct lw_map *lw_map_load_names(const char *path)
{
    struct lw_lines *l = lw_lines_open(path, LONGEST_LINE, NULL);
    struct names n = {0};

    if (!l)
        return NULL;
    n.map = lw_map_create();
    n.groups = lw_strtab_create();
    n.pods = lw_strtab_create();
    if (!n.map || !n.groups || !n.pods || fill(&n, l) < 0) {
        lw_map_destroy(n.map);
        n.map = NULL;
    }
    lw_strtab_destroy(n.groups);
    lw_strtab_destroy(n.pods);
    lw_lines_close(l);
    /* One written by other hands is read the long way. */
    return n.map ? n.map : lw_map_load(path, NULL);
}
