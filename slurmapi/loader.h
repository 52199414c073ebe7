/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loader.h - inside of the loader: messages in, plain structs out */
#ifndef LW_LOADER_H
#define LW_LOADER_H

#include "slurmapi/adapter.h"
#include "slurmapi/load.h"

/* Names of users by uid, asked once each. */
struct lw_users;
struct lw_users *lw_users_create(void);
void lw_users_destroy(struct lw_users *u);
/* Borrowed from 'u'; the number itself when nobody has it; NULL when out of
 * memory. */
const char *lw_users_name(struct lw_users *u, uid_t uid);
/* The same text, kept as long as 'u'; NULL when out of memory. */
const char *lw_users_keep(struct lw_users *u, const char *text, size_t len);

/* One running topology: what its name in a partition means. */
struct lw_topology_one {
    char *name; /* "" for the cluster's own */
    enum lw_topology kind;
    char *text; /* as Slurm prints it, for blocks */
};

struct lw_topologies {
    struct lw_topology_one *all; /* the cluster's own first */
    size_t count;
};

struct lw_loader {
    slurm_conf_t *conf;
    node_info_msg_t *nodes;
    partition_info_msg_t *parts;
    job_info_msg_t *jobs;
    struct lw_topologies topology;
    time_t topology_read;
    struct lw_users *users;
    struct lw_state *state;
    struct lw_job *job_array;
    size_t njobs, job_space;
};

void lw_conf_release(slurm_conf_t *conf);

/* Read the topologies that the partitions name; 'plugin' is slurm.conf's
 * TopologyPlugin. '*changed' becomes true when they are not what they were. 0,
 * or -1 with 'err'. */
int lw_topology_load(struct lw_topologies *t, const partition_info_msg_t *parts,
                     const char *plugin, bool *changed, lw_error_t *err);
void lw_topology_free(struct lw_topologies *t);
/* The kind of a partition's topology; NULL or "" is the cluster's own. */
enum lw_topology lw_topology_kind(const struct lw_topologies *t,
                                  const char *name);
/* Set the base block of every node and the block sizes of a state. */
int lw_topology_blocks(const struct lw_topologies *t, struct lw_state *state,
                       lw_error_t *err);

/* A new state out of the messages, NULL with 'err'. */
struct lw_state *lw_loader_state(struct lw_loader *l, lw_error_t *err);

/* What every admin_comment of the plugin begins with. */
#define LW_ADMIN_MARK "leafward:"

/* Set the pending jobs of the state out of job_array; 0, or -1 with 'err'. */
int lw_loader_state_jobs(struct lw_loader *l, lw_error_t *err);

/* Fill job_array out of the job message; 0, or -1 with 'err'. */
int lw_loader_jobs(struct lw_loader *l, lw_error_t *err);

#endif
