/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_cluster.h - what snapshots of the cluster say: now and over time */
#ifndef LW_REPORT_CLUSTER_H
#define LW_REPORT_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/strtab.h"
#include "topology/place/logread.h"

#define LW_BINS  192 /* moments kept: when full, neighbours are joined */
#define LW_KS    16  /* 1, 2, 4, .. groups */
#define LW_SIZES 16  /* gangs of 2, 4, 8, .. nodes */

/* A number seen again and again. */
struct lw_range {
    long now, least, most;
    double sum;
    uint64_t n;
};

/* A group in one snapshot, or as the map has it. */
struct lw_cluster_group {
    size_t name; /* number in lw_cluster.names */
    size_t pod;
    char *states; /* a letter a node: docs/placement-log-format.md */
    long gpus, used;
    long free[LW_FREES]; /* by cause; all 0 in lines of older versions */
    char **nodes;        /* of the map; NULL unknown */
    size_t nnodes;
};

struct lw_cluster_groups {
    struct lw_cluster_group *v;
    size_t n, size;
};

struct lw_pending {
    long id, nodes, gpus, groups;
    size_t partition; /* number in lw_cluster.names */
};

/* GPUs of one type, and the gangs that could start on them. */
struct lw_cluster_type {
    size_t name; /* number in lw_cluster.names */
    long gpus, used;
    struct lw_range startable[LW_KS]; /* on lw_cluster.k[] groups */
};

/* Sums over the snapshots of one stretch of time. */
struct lw_bin {
    int64_t from; /* seconds since 1970 */
    uint64_t n;
    double idle, mixed, full, down, gpus, used, stranded, fragmentation;
    double groups_idle, groups_part, groups_full, pending, waiting;
    double pods_idle, pods_part, pods_full;
    double unusable, unusable_of; /* expected GPUs, and free GPUs with them */
    uint64_t unusable_n;          /* snapshots that told */
    long least[LW_KS];            /* startable on k groups, the least seen */
    double startable[LW_KS];
    float *busy, *lost; /* per group: nodes in use, nodes down, summed */
    size_t ngroups;
};

struct lw_cluster {
    struct lw_strtab *names; /* groups and pods */
    int64_t at;              /* time of the last snapshot, 0 for none */
    uint64_t snapshots, map_changes;
    /* the last snapshot */
    struct lw_log_record last; /* its numbers; no text of it is kept */
    struct lw_cluster_groups groups;
    struct lw_pending *pending;
    size_t npending;
    long map_age;
    struct lw_cluster_type types[LW_SNAPSHOT_TYPES];
    size_t ntypes;
    /* the last map-changed line */
    struct lw_cluster_groups map;
    char *degraded;
    int64_t map_created;
    /* over time */
    struct lw_range startable[LW_KS], slots[LW_SIZES];
    long k[LW_KS]; /* groups of startable[i]; the last may be no power of 2 */
    size_t nk, nslots;
    struct lw_bin bins[LW_BINS];
    size_t nbins;
    int64_t bin_width; /* seconds */
    bool failed;       /* out of memory */
};

/* Parts of lw_cluster_add(): 'types' of a snapshot, and a number seen. */
void lw_cluster_types(struct lw_cluster *c, struct lw_jscan_raw *array);
void lw_range_add(struct lw_range *range, long v);

int lw_cluster_init(struct lw_cluster *c);
void lw_cluster_free(struct lw_cluster *c);

/* Take a snapshot or map-changed line in; the arrays of 'line' are walked
 * and their texts decoded in place. */
void lw_cluster_add(struct lw_cluster *c, struct lw_log_record *line);

/* The group of that name in the list, NULL when it is not there. */
const struct lw_cluster_group *
lw_cluster_find(const struct lw_cluster_groups *groups, size_t name);

/* How many of a group's nodes are in a state: 'i', 'm', 'f', 'd', '-'. */
size_t lw_group_count(const struct lw_cluster_group *g, char state);

#endif
