/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor.h - what the files of `leafward doctor` share */
#ifndef LW_DOCTOR_H
#define LW_DOCTOR_H

#include "topology/fabric/map.h"
#include "topology/place/state.h"
#include "topology/settings.h"

#include <sys/types.h>

enum lw_health { LW_HEALTH_OK, LW_HEALTH_NOTE, LW_HEALTH_WARN, LW_HEALTH_BAD };

/* One thing that was looked at. */
struct lw_verdict {
    enum lw_health health;
    const char *part; /* "map", "topology", .. */
    char text[400];   /* what is, and what to do about it */
};

struct lw_doctor {
    const struct lw_settings *settings;
    struct lw_map *map; /* NULL when it cannot be read */
    uid_t slurm_user;   /* (uid_t)-1 unknown */
    const char *user;   /* its name, for sentences */
    bool controller;    /* this host runs slurmctld, or nobody knows */
    struct lw_verdict *all;
    size_t count;
    bool failed; /* out of memory: a verdict is missing */
};

/* Add a verdict with a printf-style text. */
void lw_doctor_say(struct lw_doctor *d, enum lw_health health, const char *part,
                   const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* What Slurm says of itself: the plugins, the topology, the nodes. Sets the
 * user and the role of this host; to be called before the files are looked
 * at. */
void lw_doctor_slurm(struct lw_doctor *d);

/* The configuration, the map, the state, the log and the node's inventory. */
void lw_doctor_conf(struct lw_doctor *d, const char *path, const char *error);
void lw_doctor_map(struct lw_doctor *d);
void lw_doctor_files(struct lw_doctor *d);

#endif
