/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map.c - the fabric map as an object: life, levels, look-up by name */
#include "config.h"

#include "lib/file.h"
#include "lib/natcmp.h"
#include "topology/fabric/map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lw_map *lw_map_create(void)
{
    return calloc(1, sizeof(struct lw_map));
}

void lw_map_destroy(struct lw_map *map)
{
    int saved = errno;

    if (map)
        lw_arena_free(&map->arena);
    free(map);
    errno = saved;
}

struct lw_map *lw_map_load(const char *path, lw_error_t *err)
{
    size_t len = 0;
    char *text = lw_file_read(path, LW_MAP_LIMIT, &len, NULL, err);
    struct lw_map *map = NULL;
    int saved;

    if (text)
        map = lw_map_parse(text, len, path, err);
    saved = errno;
    free(text);
    errno = saved;
    return map;
}

const char *lw_level_word(enum lw_level level)
{
    static const char *const words[] = {"note", "warning", "error"};

    return words[level];
}

/* The first node whose name is not below 'name'. */
static size_t lower_bound(const struct lw_map *map, const char *name)
{
    size_t lo = 0, hi = map->nnodes;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (lw_natcmp(map->nodes[mid].name, name) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static int find_exact(const struct lw_map *map, const char *name)
{
    size_t i = lower_bound(map, name);

    if (i < map->nnodes && !strcmp(map->nodes[i].name, name))
        return (int)i;
    return -1;
}

/* The only node of the map whose name is 'name' and a domain. */
static int find_with_domain(const struct lw_map *map, const char *name)
{
    char start[258];
    size_t i, n = strlen(name);

    if (n + 2 > sizeof(start))
        return -1;
    snprintf(start, sizeof(start), "%s.", name);
    i = lower_bound(map, start);
    if (i >= map->nnodes || strncmp(map->nodes[i].name, start, n + 1) != 0)
        return -1;
    if (i + 1 < map->nnodes && !strncmp(map->nodes[i + 1].name, start, n + 1))
        return -1;
    return (int)i;
}

int lw_map_find_node(const struct lw_map *map, const char *name)
{
    const char *dot = strchr(name, '.');
    char host[256];
    int i = find_exact(map, name);

    if (i >= 0)
        return i;
    if (!dot)
        return find_with_domain(map, name);
    if ((size_t)(dot - name) >= sizeof(host))
        return -1;
    snprintf(host, sizeof(host), "%.*s", (int)(dot - name), name);
    return find_exact(map, host);
}

int lw_map_find_group(const struct lw_map *map, const char *name)
{
    size_t i;

    for (i = 0; i < map->ngroups; i++)
        if (!strcmp(map->groups[i].name, name))
            return (int)i;
    return -1;
}
