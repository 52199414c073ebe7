/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sim_nodes.h - the nodes of the simulated cluster, and how Slurm picks */
#ifndef LW_SIM_NODES_H
#define LW_SIM_NODES_H

#include "topology/place/sim.h"

/* Nodes in lists by group and by free GPUs. The counts can be copied, to
 * look into the future; the lists cannot. */
struct lw_sim_nodes {
    const struct lw_sim_cluster *c;
    size_t n;
    int *free;  /* by node */
    int *group; /* by node */
    int *count; /* [group * (gpus + 1) + free] */
    int *first; /* by group: its first node, the others follow */
    int *next, *prev, *head;
};

int lw_sim_nodes_init(struct lw_sim_nodes *s, const struct lw_sim_cluster *c);
void lw_sim_nodes_free(struct lw_sim_nodes *s);

/* The same as in 'from', without lists: for counting only. Both were made
 * for the same cluster. */
void lw_sim_nodes_copy(struct lw_sim_nodes *to,
                       const struct lw_sim_nodes *from);

/* Take (negative) or give back GPUs of a node. */
void lw_sim_nodes_move(struct lw_sim_nodes *s, int node, int gpus);
/* The same in a copy. */
void lw_sim_nodes_count(struct lw_sim_nodes *s, int node, int gpus);

/* In a copy: take a node out of the counts (1), or put it back (-1). */
void lw_sim_nodes_uncount(struct lw_sim_nodes *s, int node, int by);

/* A hidden node is in no list and in no count until it is shown again. */
void lw_sim_nodes_hide(struct lw_sim_nodes *s, int node);
void lw_sim_nodes_show(struct lw_sim_nodes *s, int node);

/* Nodes of a group with at least so many free GPUs. */
int lw_sim_nodes_avail(const struct lw_sim_nodes *s, size_t group, int gpus);

/* The fewest groups on which the job could start now, 0 for none, by the
 * order in which Slurm fills them; more than 'most' is told as most + 1. */
int lw_sim_nodes_fit(const struct lw_sim_nodes *s, int nodes, int gpus,
                     int most);

/* Choose nodes as topology/tree does: the tightest group that holds the job,
 * else in the tightest pod, else anywhere, the largest groups first. 'fill'
 * puts small jobs on partly used nodes first. Returns the groups used with
 * the nodes in 'chosen', 0 when it does not fit or needs more than 'most'
 * groups (0: no limit). */
int lw_sim_nodes_choose(const struct lw_sim_nodes *s, int nodes, int gpus,
                        int most, bool fill, int *chosen);

/* The nodes that lw_sim_nodes_fit() counted, in a copy; 'covers' is not 0
 * for nodes that are not in its counts. */
void lw_sim_nodes_pick(const struct lw_sim_nodes *s, int nodes, int gpus,
                       int most, const int *covers, int *picked);

#endif
