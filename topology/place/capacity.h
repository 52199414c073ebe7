/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capacity.h - how many nodes of each rail group could hold a job */
#ifndef LW_CAPACITY_H
#define LW_CAPACITY_H

#include <stdbool.h>
#include <stddef.h>

#include "topology/fabric/map.h"
#include "topology/place/job.h"
#include "topology/place/state.h"

/* What one node has and has left. */
struct lw_fact {
    bool known;  /* Slurm has this node of the map */
    bool usable; /* it takes jobs now */
    bool idle;
    long gpus, gpus_free;
    long cpus, cpus_free;
    long memory, memory_free; /* MiB; free is all of it where Slurm does not
                                 hand memory out */
    const struct lw_state_node *node; /* borrowed from the state, as long as
                                         that is there */
};

/* The nodes of a map as they were at one moment. */
struct lw_capacity {
    const struct lw_map *map; /* borrowed */
    struct lw_fact *facts;    /* by the map's node index */
    int *index;               /* node of the state -> node of the map, -1 */
    size_t nindex;
};

/* What a job needs of each of its nodes. */
struct lw_need {
    long gpus, cpus, memory;
    bool whole;           /* nobody else on the node */
    bool all_memory;      /* all of the node's memory */
    const char *gpu_type; /* NULL any; borrowed from the job, as is the next */
    const char *features; /* its --constraint, NULL none */
};

/* Returns the facts to free with lw_capacity_destroy(), NULL with errno. */
struct lw_capacity *lw_capacity_create(const struct lw_map *map,
                                       const struct lw_state *state);
void lw_capacity_destroy(struct lw_capacity *c);

/* What 'job' needs of a node, taking its GPUs and CPUs as spread evenly;
 * texts are borrowed from it. */
struct lw_need lw_capacity_need(const struct lw_job *job);

/* Count into per_group[] (zeroed here, by the map's groups) the nodes of
 * 'partition' in 'state' that are large enough, as configured. NULL or an
 * unknown partition counts all nodes. */
void lw_capacity_all(const struct lw_capacity *c, const struct lw_state *state,
                     const char *partition, const struct lw_need *need,
                     long *per_group);

/* The same for the nodes that were free for it at the moment of 'then';
 * 'now' is the one that belongs to 'state'. 'own' (by map node, may be NULL)
 * counts in any case. */
void lw_capacity_free_then(const struct lw_capacity *then,
                           const struct lw_capacity *now,
                           const struct lw_state *state, const char *partition,
                           const struct lw_need *need, const bool *own,
                           long *per_group);

/* True when the node of the map, as configured, has the GPU type and the
 * features for 'need'; the state must still be there. A --constraint that
 * cannot be read counts as met. */
bool lw_capacity_suits(const struct lw_capacity *c, size_t node,
                       const struct lw_need *need);

/* True when the node of the map is free for 'need' at that moment; whether it
 * suits is another question. */
bool lw_capacity_is_free(const struct lw_capacity *c, size_t node,
                         const struct lw_need *need);

/* Note that a job now has node 'node' of the map. */
void lw_capacity_take(struct lw_capacity *c, size_t node,
                      const struct lw_need *need);

/* The partition of that name in a state; of a list, the first that exists;
 * the default one for NULL. NULL when there is none. */
const struct lw_state_partition *
lw_state_find_partition(const struct lw_state *state, const char *names);

#endif
