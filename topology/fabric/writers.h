/* SPDX-License-Identifier: GPL-2.0-or-later */
/* writers.h - the fabric map in the words of Slurm, Kubernetes and Graphviz */
#ifndef LW_WRITERS_H
#define LW_WRITERS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/arena.h"
#include "lib/buf.h"
#include "lib/err.h"
#include "topology/fabric/hostnames.h"
#include "topology/fabric/map.h"

#define LW_EXPORT_LIMIT (256 * 1024 * 1024UL)

/* Slurm's limit is 64 with the NUL (HOST_NAME_MAX, common/node_conf.h). */
#define LW_SWITCH_NAME_MAX 63

struct lw_write_options {
    lw_fold_f fold;    /* NULL: names joined by commas */
    const char *join;  /* NULL, or the switch that joins fabrics which have no
                         link between them */
    size_t block_size; /* base block size of topology/block; 0: that fits */
    struct lw_buf *notes; /* NULL, or lines for the person who runs this */
};

/* One switch of the tree that Slurm is told of: a leaf has nodes, any other
 * has children, never both. */
struct lw_tree_switch {
    const char *name;
    const char **nodes;
    size_t nnodes;
    const char **children;
    size_t nchildren;
};

/* Children stand before their parents. */
struct lw_tree {
    struct lw_tree_switch *switches;
    size_t nswitches;
    struct lw_arena arena;
};

/* One virtual leaf a rail group, a switch a pod where a fabric has several,
 * one root a fabric; a level that would join only one thing is left out.
 * Fill 'tree', freed with lw_tree_free(). Returns 0, or -1 with 'err' when
 * there is nothing to write. */
int lw_tree_build(struct lw_tree *tree, const struct lw_map *map,
                  const struct lw_write_options *o, lw_error_t *err);
void lw_tree_free(struct lw_tree *tree);

/* One block of topology/block: an NVLink domain, or a rail group where nodes
 * are in no domain. */
struct lw_block {
    const char *name;
    int pod; /* of its first node */
    const char **nodes;
    size_t nnodes;
};

/* 'blocks' hold at least sizes[0] nodes each; 'left' are shorter, and Slurm
 * up to 24.11 would not start with them. */
struct lw_blocks {
    struct lw_block *blocks;
    size_t nblocks;
    struct lw_block *left;
    size_t nleft;
    size_t sizes[2]; /* the base size, and a pod where pods fit */
    size_t nsizes;
    struct lw_arena arena;
};

/* Fill 'blocks', freed with lw_blocks_free(), pod by pod. Returns 0, or -1
 * with 'err' when there is nothing to write. */
int lw_blocks_build(struct lw_blocks *blocks, const struct lw_map *map,
                    const struct lw_write_options *o, lw_error_t *err);
void lw_blocks_free(struct lw_blocks *blocks);

/* The host list of names into 'out'. Returns 0, or -1 when out of memory. */
int lw_write_names(struct lw_buf *out, const struct lw_write_options *o,
                   const char *const *names, size_t n);

/* The writers add to 'out' and return 0, or -1 with 'err'. Equal maps give
 * equal bytes. */
int lw_write_topology_conf(struct lw_buf *out, const struct lw_map *map,
                           const struct lw_write_options *o, lw_error_t *err);
int lw_write_block(struct lw_buf *out, const struct lw_map *map,
                   const struct lw_write_options *o, lw_error_t *err);
int lw_write_topology_yaml(struct lw_buf *out, const struct lw_map *map,
                           const struct lw_write_options *o, lw_error_t *err);
int lw_write_k8s(struct lw_buf *out, const struct lw_map *map,
                 const struct lw_write_options *o, lw_error_t *err);
int lw_write_dot(struct lw_buf *out, const struct lw_map *map,
                 const struct lw_write_options *o, lw_error_t *err);

/* Put 'section' between our marks into 'old' (NULL or the text of a file),
 * in the place of an earlier one or at the end; all else of 'old' is kept.
 * Returns a text to free, or NULL with 'err' when the marks are damaged. */
char *lw_section_replace(const char *old, const char *section,
                         const char *source, lw_error_t *err);

/* What stands between our marks in 'text', to free; NULL when there is no
 * section (then 'err' is untouched) or out of memory. */
char *lw_section_find(const char *text);

/* Refuse a topology.yaml that defines a topology twice. It is read line by
 * line, which is enough for that. Returns 0, or -1 with 'err'. */
int lw_topoyaml_check(const char *text, const char *source, lw_error_t *err);

/* One line of a topology.conf; NULL where a key is not given. */
struct lw_topoconf_line {
    const char *name;
    const char *nodes;
    const char *switches;
    bool block; /* BlockName= rather than SwitchName= */
    int line;
};

struct lw_topoconf {
    struct lw_topoconf_line *lines;
    size_t n;
    const char *sizes; /* BlockSizes=, NULL when not given */
    int sizes_line;
    struct lw_arena arena;
};

/* Parse the text of a topology.conf (tree or block) into 'conf', freed with
 * lw_topoconf_free(). Returns 0, or -1 with 'err' (source:line). */
int lw_topoconf_parse(struct lw_topoconf *conf, const char *text,
                      const char *source, lw_error_t *err);
void lw_topoconf_free(struct lw_topoconf *conf);

/* Refuse what any Slurm from 22.05 on calls fatal in a topology.conf, and a
 * node in two leaves. Returns 0, or -1 with 'err' (source:line). */
int lw_topoconf_check(const struct lw_topoconf *conf, lw_expand_f expand,
                      const char *source, lw_error_t *err);

#endif
