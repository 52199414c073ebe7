/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decide.h - request + map + cluster state -> rewrite + reason, pure */
#ifndef LW_DECIDE_H
#define LW_DECIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "topology/fabric/map.h"
#include "topology/place/state.h"
#include "topology/settings.h"

/* What a job asks for, free of Slurm's types. Counts are -1 when unset;
 * texts may be NULL and are borrowed. */
struct lw_request {
    const char *partition; /* "a,b" or NULL for the default */
    long nodes_min, nodes_max;
    long tasks, tasks_per_node, cpus_per_task, cpus_min;
    long cpus_per_gpu;
    long sockets_per_node;
    long gpus_job, gpus_node, gpus_task, gpus_socket; /* sums over types */
    const char *gpu_type; /* the one type named, NULL none or several */
    bool gpus_unclear;    /* a GPU request that could not be read */
    long minutes;         /* time limit */
    long memory_node, memory_cpu, memory_gpu; /* MiB */
    bool exclusive;
    /* what takes the job out of our hands (rule 2) */
    bool nodelist, switches, segment, contiguous, arbitrary, sizes, reservation;
    const char *exclude;         /* the user's own --exclude */
    const char *features;        /* --constraint */
    int policy;                  /* enum lw_policy of --leafward=, -1 unset */
    long wait;                   /* seconds of --leafward=wait=, -1 unset */
    const char *const *excluded; /* the names in 'exclude' */
    size_t nexcluded;
    bool decided;    /* carries our mark already */
    bool no_mark;    /* no room for our mark: nobody would end its wait */
    bool no_exclude; /* nor say what the user excluded */
    bool array;
    long ahead; /* GPUs promised to parts of nodes since the state */
    time_t now; /* how old the cluster state is; 0: it counts as fresh */
};

/* A request that asks for nothing. */
#define LW_REQUEST_INIT                                                        \
    {                                                                          \
        .nodes_min = -1, .nodes_max = -1, .tasks = -1, .tasks_per_node = -1,   \
        .cpus_per_task = -1, .cpus_min = -1, .cpus_per_gpu = -1,               \
        .sockets_per_node = -1, .gpus_job = -1, .gpus_node = -1,               \
        .gpus_task = -1, .gpus_socket = -1, .minutes = -1, .memory_node = -1,  \
        .memory_cpu = -1, .memory_gpu = -1, .policy = -1, .wait = -1,          \
    }

/* LW_REFUSE is for what would crash slurmctld, and for nothing else. */
enum lw_action { LW_UNTOUCHED, LW_REWRITE, LW_IMPOSSIBLE, LW_REFUSE };

/* Why: the word of each in logs is lw_reason_word(). */
enum lw_reason {
    LW_NOT_GPU,
    LW_NO_GPU_COUNT,
    LW_USER_NODELIST,
    LW_USER_SWITCHES,
    LW_USER_SEGMENT,
    LW_USER_CONTIGUOUS,
    LW_USER_ARBITRARY,
    LW_USER_SIZES,
    LW_USER_RESERVATION,
    LW_USER_OFF,
    LW_SITE_OFF,
    LW_NO_MAP,
    LW_NO_STATE,
    LW_UNKNOWN_PARTITION,
    LW_ONE_NODE,
    LW_FITS_NODE,
    LW_TOTAL_GPUS,
    LW_GANG,
    LW_SUBNODE,
    LW_TOO_LARGE,
    LW_UNCLEAR,
    LW_USER_RANGE,        /* a range of node counts */
    LW_USER_CONSTRAINT,   /* a --constraint too rich to count nodes by */
    LW_TOO_MANY_FEATURES, /* more than 60 alternatives */
    LW_ALREADY,           /* decided before (federation, requeue) */
    LW_USER_SPREAD,
    LW_SITE_SPREAD
};

/* What to change; -1 and NULL mean leave alone. Texts are owned. */
struct lw_decision {
    enum lw_action action;
    enum lw_reason reason;
    long nodes;           /* set min = max */
    long gpus_node;       /* add this many GPUs per node .. */
    const char *gpu_type; /* .. of this type; borrowed from the request */
    long groups;          /* fewest groups k that can hold the job */
    long switches;        /* ask for at most this many leaf switches */
    long wait;            /* seconds to wait for them */
    long segment;
    char *exclude;    /* host list to add to --exclude */
    size_t nexcluded; /* how many names that is */
    char *features;
    char text[256]; /* one plain sentence for people */
    long gpus;      /* of a job that is kept from idle nodes, else -1 */
};

/* What a decision is made from, prepared once by the loader: per partition
 * and group capacities, so that one decision allocates nothing it can avoid.
 * Holds its own reference to nothing: map, state and settings must outlive
 * it. */
struct lw_view;
struct lw_view *lw_view_create(const struct lw_map *map,
                               const struct lw_state *state,
                               const struct lw_settings *settings,
                               lw_error_t *err);
void lw_view_destroy(struct lw_view *view);

/* Keep host lists short: 'fold' turns names into a ranged host list to free
 * (lw_hostlist_fold() of slurmapi does). Without it they stay lists with
 * commas. Returns 0, or -1 when out of memory; then nothing has changed. */
typedef char *(*lw_fold_f)(const char *const *names, size_t count);
int lw_view_fold(struct lw_view *view, lw_fold_f fold);

/* What a site should know about partition 'i' of the view (Weights that
 * defeat topology, no topology plugin, a max_switch_wait that is too small):
 * fills 'text' and returns 1, 0 when there is nothing to say about the i-th,
 * -1 when there is no i-th. */
int lw_view_warning(const struct lw_view *view, size_t i, char *text,
                    size_t size);

/* True when the state is young enough to say what is free. */
bool lw_view_fresh(const struct lw_view *view, time_t now);

/* Decide. 'view' may be NULL (no map). Never fails: on doubt the action is
 * LW_UNTOUCHED. Free with lw_decision_free(). Thread-safe. */
void lw_decide(const struct lw_request *request, const struct lw_view *view,
               struct lw_decision *decision);
void lw_decision_free(struct lw_decision *decision);

/* The most alternatives in one [a|b|..] of a --constraint. More than 60 are
 * refused: 65 usable ones overrun a bitmap of fixed size in slurmctld
 * (MAX_FEATURES in node_scheduler.c, all releases up to 26.05) and kill it. */
#define LW_MAX_ALTERNATIVES 60
size_t lw_features_alternatives(const char *features);

/* "untouched", "rewritten", "impossible", "refused". */
const char *lw_action_word(enum lw_action action);
/* The sentence of a job that is left alone, or refused, for 'reason'. */
void lw_reason_text(enum lw_reason reason, const struct lw_request *request,
                    char *text, size_t size);
/* "total-gpus", "user-nodelist", ..: stable words for logs and tests. */
const char *lw_reason_word(enum lw_reason reason);

#endif
