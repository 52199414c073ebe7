/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_diff.h - what changed between two fabric maps */
#ifndef LW_MAP_DIFF_H
#define LW_MAP_DIFF_H

#include "lib/arena.h"
#include "topology/fabric/map.h"

/* One change. 'subject' is the node, group, switch or domain it is about; the
 * kinds are in leafward-diff(8). */
struct lw_change {
    const char *kind;
    const char *subject;
    const char *before; /* "" when there was nothing */
    const char *after;  /* "" when there is nothing any more */
};

struct lw_map_diff {
    struct lw_change *changes;
    size_t n;
    struct lw_arena arena;
};

/* Fill 'diff', freed with lw_map_diff_free(), with what makes 'after' differ
 * from 'before': groups and pods first, then nodes and their rails, then
 * switches and findings, each in name order. Texts are borrowed from the maps
 * or owned by the diff. Returns 0, or -1 with 'err'. */
int lw_map_diff(struct lw_map_diff *diff, const struct lw_map *before,
                const struct lw_map *after, lw_error_t *err);
void lw_map_diff_free(struct lw_map_diff *diff);

#endif
