/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map.h - the fabric map: what discovery leaves for everything else */
#ifndef LW_MAP_H
#define LW_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/arena.h"
#include "lib/err.h"

#define LW_MAP_SCHEMA 1
#define LW_MAP_LIMIT  (256 * 1024 * 1024UL) /* bytes read at most */

/* All texts are owned by the map. Indices are -1 for none. */
struct lw_map_hca {
    uint64_t guid;
    const char *device; /* as the fabric names it, "" when unknown */
    int port;           /* of the HCA, from 1 */
    int rail;           /* 0.., -1 when not a compute rail */
    const char *leaf;   /* name of the leaf switch, "" when down */
    const char *width;  /* "4x" */
    const char *speed;  /* "NDR" */
};

struct lw_map_node {
    const char *name;
    int group;  /* index into groups */
    int pod;    /* index into pods */
    int domain; /* NVLink domain, index into domains */
    int rails;  /* compute rails this node should have */
    int rails_up;
    int rails_slow;          /* up, but slower or narrower than the peers', or
                                cabled to another leaf than theirs */
    struct lw_map_hca *hcas; /* in rail order */
    size_t nhcas;
};

/* True when a rail of the node is down or slow. */
static inline bool lw_map_node_is_degraded(const struct lw_map_node *n)
{
    return n->rails_up < n->rails || n->rails_slow > 0;
}

struct lw_map_group {
    const char *name; /* hostlist-safe, at most 63 characters */
    int pod;
    const char **leaves; /* by rail: "" where the leaf is gone, the same name
                            again where several rails end on one leaf */
    size_t nleaves;
    int *nodes; /* indices, in name order */
    size_t nnodes;
};

enum lw_level { LW_NOTE, LW_WARNING, LW_ERROR };

struct lw_finding {
    enum lw_level level;
    const char *kind; /* "rail-down", "wrong-leaf", .. */
    const char *node; /* NULL or the node it is about */
    const char *sw;   /* NULL or the switch it is about */
    const char *text; /* one sentence, with what to do */
};

struct lw_map_source {
    const char *kind; /* "ibnetdiscover", .. */
    const char *name;
    const char *sha256;
};

/* A switch of the compute fabric; a map from elsewhere may hold none. */
struct lw_map_switch {
    const char *name; /* unique: its description, else its GUID */
    uint64_t guid;
    int tier;        /* 1 leaf, 2 spine, 3 core ..; 0 beside the tree */
    int group;       /* of a leaf, else -1 */
    int pod;         /* -1 when it serves several */
    size_t hcas;     /* compute HCAs on it */
    size_t uplinks;  /* links to a higher tier */
    size_t expected; /* uplinks that its peers have */
};

/* Public for reading; built by lw_groups_map() and lw_map_parse(). */
struct lw_map {
    const char *created; /* RFC 3339 */
    bool partial;        /* discovery was cut short: something may be missing */
    struct lw_map_source *sources;
    size_t nsources;
    struct lw_map_node *nodes; /* in natural name order: n2 before n10 */
    size_t nnodes;
    struct lw_map_group *groups;
    size_t ngroups;
    const char **pods; /* names */
    int *pod_roots;    /* by pod: index into roots */
    size_t npods;
    const char **roots; /* names, one for each fabric without a link between */
    size_t nroots;
    const char **domains; /* names */
    size_t ndomains;
    struct lw_map_switch *switches; /* by tier, then name */
    size_t nswitches;
    const char **others; /* hosts that are not compute nodes */
    size_t nothers;
    struct lw_finding *findings; /* errors first */
    size_t nfindings;
    struct lw_arena arena; /* owns all of it */
};

/* An empty map to fill; everything it points to comes from its arena. NULL
 * when out of memory. */
struct lw_map *lw_map_create(void);

/* Read a map from 'path' or from text named 'source'. Returns a map to free
 * with lw_map_destroy(), or NULL with 'err': a map that is empty, cut off,
 * of another schema or not consistent (an index out of range, a node in two
 * groups) is refused whole. */
struct lw_map *lw_map_load(const char *path, lw_error_t *err);
struct lw_map *lw_map_parse(const char *text, size_t len, const char *source,
                            lw_error_t *err);
void lw_map_destroy(struct lw_map *map);

/* Of the map at 'path' only the names of nodes, groups and pods, and which
 * node is in which: much faster, and all that the next map needs. NULL when
 * there is none that can be read. */
struct lw_map *lw_map_load_names(const char *path);

/* The map as JSON text to free, equal bytes for equal maps apart from
 * "created"; NULL with 'err'. */
char *lw_map_print(const struct lw_map *map, size_t *len, lw_error_t *err);

/* Index of the node of that name (short or with its domain), -1 if none. */
int lw_map_find_node(const struct lw_map *map, const char *name);

/* Index of the group of that name, -1 if none. */
int lw_map_find_group(const struct lw_map *map, const char *name);

/* "note", "warning", "error". */
const char *lw_level_word(enum lw_level level);

#endif
