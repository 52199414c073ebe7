/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state.h - the cluster state: what watch tells the plugin */
#ifndef LW_STATE_H
#define LW_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "lib/err.h"

#define LW_STATE_SCHEMA 1
#define LW_STATE_LIMIT  (256 * 1024 * 1024UL)

enum lw_topology { LW_TOPO_UNKNOWN, LW_TOPO_TREE, LW_TOPO_BLOCK, LW_TOPO_FLAT };

enum lw_node_state {
    LW_NODE_IDLE,  /* usable, nothing runs */
    LW_NODE_MIXED, /* usable, partly used */
    LW_NODE_FULL,  /* usable, all GPUs or CPUs used */
    LW_NODE_DOWN   /* down, drained, failing, reserved, powered off */
};

/* Why a node that is LW_NODE_DOWN takes no job. */
enum lw_closed {
    LW_CLOSED_DOWN, /* down, rebooting, powering off, not responding */
    LW_CLOSED_DRAINED,
    LW_CLOSED_RESERVED,
    LW_CLOSED_COMPLETING /* its last job is still being cleaned up */
};

/* GPUs of one type on one node; type "" when Slurm has no type. */
struct lw_gpus {
    char *type;
    long count;
    long used;
};

struct lw_state_node {
    char *name;
    enum lw_node_state state;
    enum lw_closed closed; /* of a live cluster only: not in the file */
    struct lw_gpus *gpus;
    size_t ngpus;
    long cpus, cpus_used;
    long threads;             /* per core; 0 and 1 are the same */
    long memory, memory_used; /* MiB */
    long weight;
    char **features;
    size_t nfeatures;
    char *block; /* topology/block: the base block, NULL else */
};

struct lw_state_partition {
    char *name;
    bool is_default;
    bool up;
    enum lw_topology topology;
    long min_nodes;   /* 0 and 1 are the same */
    long max_nodes;   /* -1 unlimited */
    long max_minutes; /* -1 unlimited */
    int *nodes;       /* indices into nodes, ascending */
    size_t nnodes;
};

/* A pending job that carries our mark in admin_comment; job_modify decides
 * anew from it, since an update names only what it changes. */
struct lw_state_job {
    long id;
    long array_job;           /* of a task or of several, -1 none */
    long het_job, het_offset; /* of a component, -1 none */
    char *partition;
    long nodes;     /* its fixed node count */
    long gpus_node; /* per node, -1 unknown */
    char *gpu_type; /* NULL none or several */
    long minutes;   /* time limit, -1 unlimited */
    char *features; /* --constraint, NULL none */
    char *mark;     /* its admin_comment; NULL unknown */
    bool changed;   /* set by hand since: the user's own placement */
};

/* Written by `leafward watch` (docs/state-format.md), read by the plugin and
 * by `leafward place`. */
struct lw_state {
    time_t created;
    char *cluster;
    char *slurm_version;
    enum lw_topology topology; /* the cluster's own */
    long max_switch_wait;      /* seconds; Slurm's cap on a --switches wait */
    long *block_sizes;
    size_t nblock_sizes;
    struct lw_state_node *nodes;
    size_t nnodes;
    struct lw_state_partition *partitions;
    size_t npartitions;
    struct lw_state_job *jobs; /* by id, ascending */
    size_t njobs;
};

/* Read a state from 'path' or from text. Returns a state to free with
 * lw_state_destroy(), or NULL with 'err': a state that is empty, cut off, of
 * another schema or not consistent is refused whole. Keys that are not known
 * are skipped, so that an older reader takes a newer file. */
struct lw_state *lw_state_load(const char *path, lw_error_t *err);
struct lw_state *lw_state_parse(const char *text, size_t len,
                                const char *source, lw_error_t *err);
void lw_state_destroy(struct lw_state *state);

/* The state as JSON text to free, one node, partition and job a line; NULL
 * with 'err'. */
char *lw_state_print(const struct lw_state *state, size_t *len,
                     lw_error_t *err);

/* Free what is in it. */
void lw_state_job_clear(struct lw_state_job *job);

/* The job of that id, borrowed; NULL when there is none. */
const struct lw_state_job *lw_state_find_job(const struct lw_state *state,
                                             long id);

/* "tree", "idle", ..: the words of the file and of sentences. */
const char *lw_topology_word(enum lw_topology topology);
const char *lw_node_state_word(enum lw_node_state state);

#endif
