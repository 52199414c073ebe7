/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nodes.h - the step's nodes in topology order, and its hostfile */
#ifndef LW_SPANK_NODES_H
#define LW_SPANK_NODES_H

#include <stdbool.h>
#include <stddef.h>

#include <slurm/spank.h>

#include "topology/node/order.h"
#include "topology/settings.h"

struct lw_step_nodes {
    char **names;                /* as Slurm ranks them */
    struct lw_order_node *nodes; /* in topology order */
    size_t n;
    long rank;    /* this node's place */
    char *text;   /* the hostfile's */
    char *path;   /* where it is to be, NULL for nowhere */
    bool written; /* by this process: to be removed by it */
};

/* In user_init: the nodes of the step, in the order of the site's order
 * file. Returns 0, or -1 without effect where there is no such file (one log
 * line when it is there and cannot be used) or it knows none of the nodes. */
int lw_nodes_find(spank_t sp, const struct lw_settings *settings,
                  const char *node, struct lw_step_nodes *out);

/* As root: write the hostfile into its directory, which must belong to root
 * (or this user) alone; a failure is one log line. */
void lw_nodes_write(struct lw_step_nodes *s);

/* In a task: is the hostfile there? */
bool lw_nodes_written(const struct lw_step_nodes *s);

/* Also removes the hostfile, in the process that wrote it. */
void lw_nodes_free(struct lw_step_nodes *s);

/* The next count of "2(x3),1" (SLURM_STEP_TASKS_PER_NODE), stepping over it
 * in '*at' and 'left' of the repetition; 1 where there is none. */
long lw_nodes_tasks(const char **at, long *left);

#endif
