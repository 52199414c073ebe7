/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decide_view.h - inside of the decision: what it counts with */
#ifndef LW_DECIDE_VIEW_H
#define LW_DECIDE_VIEW_H

#include <stdint.h>

#include "lib/strtab.h"
#include "topology/place/decide.h"

#define LW_NO_BIN (-1)

/* One node. A bin is what a gang should use the fewest of: a rail group, or
 * the base block where Slurm places by blocks. */
struct lw_view_node {
    const struct lw_state_node *state; /* NULL without a state */
    const char *name;
    uint32_t kind; /* nodes of one kind are alike in all that jobs ask for */
    int bin;       /* LW_NO_BIN when the map does not know the node */
    bool degraded; /* a rail is down or slow */
};

/* How many nodes of one kind one bin has. */
struct lw_cell {
    uint32_t kind;
    int bin;
    long healthy;
    long degraded;
};

/* Names joined into a host list once, when the view is made. */
struct lw_names {
    char *text; /* NULL when there are none */
    size_t count;
};

/* The partly used nodes that have the same number of GPUs free. */
struct lw_fill_level {
    long free;
    uint32_t *nodes; /* indices into the view's, by name order of the state */
    size_t nnodes;
    struct lw_names names;
};

/* A partition; without a state one that stands for any. */
struct lw_side {
    const struct lw_state_partition *partition; /* NULL without a state */
    enum lw_topology topology;
    uint32_t *nodes; /* indices into the view's */
    size_t nnodes;
    unsigned char *member; /* by node of the view */
    struct lw_cell *cells; /* by kind, then by bin */
    size_t ncells;
    long nbins; /* bins it has nodes in */
    struct lw_names degraded;
    struct lw_names unmixed;      /* idle or full */
    struct lw_fill_level *levels; /* the fullest nodes first */
    size_t nlevels;
};

struct lw_view {
    const struct lw_map *map;
    const struct lw_state *state;
    const struct lw_settings *settings;
    struct lw_view_node *nodes;
    size_t nnodes;
    struct lw_strtab *names; /* number = index into nodes */
    struct lw_strtab *kinds;
    struct lw_strtab *blocks;
    uint32_t *samples; /* by kind: a node of it */
    size_t nkinds;
    size_t nbins;
    struct lw_side *sides;
    size_t nsides;
};

/* The partition of that name (len bytes); the default one when 'name' is
 * NULL; NULL when there is none. */
const struct lw_side *lw_view_side(const struct lw_view *view, const char *name,
                                   size_t len);

/* GPUs of 'type' (NULL or "gpu" for any) that a node of this kind has;
 * -1 when it is not known. */
long lw_view_gpus(const struct lw_view *view, uint32_t kind, const char *type);

/* The bin of a node of the view in this partition, LW_NO_BIN for none. */
int lw_side_bin(const struct lw_view *view, const struct lw_side *side,
                uint32_t node);

/* Sort the partly used nodes of 'side' into levels; 0, or -1 when out of
 * memory. Their names are left to lw_view_create(). */
int lw_side_make_levels(const struct lw_view *view, struct lw_side *side);
void lw_side_free_levels(struct lw_side *side);

/* The node of that name, NULL when there is none. */
const struct lw_view_node *lw_view_find(const struct lw_view *view,
                                        const char *name);

/* Does a node with these features meet the --constraint 'expr'? 1, 0, or -1
 * when the expression is more than one list of & or of |. */
int lw_features_match(const char *expr, const struct lw_state_node *node);

#endif
