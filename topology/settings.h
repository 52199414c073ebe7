/* SPDX-License-Identifier: GPL-2.0-or-later */
/* settings.h - /etc/leafward/leafward.conf, one file for all parts */
#ifndef LW_SETTINGS_H
#define LW_SETTINGS_H

#include <stddef.h>

#include "lib/err.h"

enum lw_policy { LW_POLICY_OFF, LW_POLICY_PACK, LW_POLICY_SPREAD };
enum lw_messages { LW_MESSAGES_OFF, LW_MESSAGES_WARNINGS, LW_MESSAGES_ALL };
enum lw_port_down { LW_PORT_DROP, LW_PORT_KEEP, LW_PORT_FAIL };

/* A policy for one partition: section [partition NAME]. */
struct lw_partition_policy {
    char *partition;
    int policy; /* enum lw_policy */
};

/* An environment variable that the site wants set: section [nccl], or
 * [nccl partition NAME] and [nccl nodes PATTERN,..] for some steps only. */
struct lw_env_setting {
    char *name;
    char *value;
    char *partition; /* NULL for any */
    char *nodes;     /* shell patterns separated by commas, NULL for any */
};

/* Every setting of every part; leafward.conf(5) explains each. */
struct lw_settings {
    /* [leafward] */
    char *map;   /* fabric map */
    char *state; /* cluster state, written by watch */
    char *log;   /* placement log */
    /* [discover] */
    char *discover_command;
    char *discover_options;
    long discover_timeout; /* seconds */
    char *names;           /* GUID to host name file */
    /* [place] */
    int policy;         /* enum lw_policy */
    int messages;       /* enum lw_messages */
    long gpus_per_node; /* when no cluster state tells; 0 unknown */
    long max_patience;  /* seconds */
    double slowdown;    /* 0..1: what a spread placement costs */
    long fallback_wait; /* seconds a gang waits when watch is not there */
    long state_age;     /* seconds after which the state is too old */
    int features;       /* flat topology: ask by feature list */
    int subnode;        /* jobs below a node go to partly used nodes */
    long subnode_delay; /* seconds such a job may wait for that */
    /* [watch] */
    long interval;          /* seconds */
    char *metrics;          /* textfile, "" for none */
    long snapshot_interval; /* seconds */
    long log_size;          /* MiB after which the log is rotated; 0 never */
    long log_keep;          /* rotated logs that stay; 0 all */
    /* [node] */
    char *inventory; /* %n is the node name */
    int strict;      /* fail a task rather than start it unbound */
    int port_down;   /* enum lw_port_down */
    int bind_cpus;
    int bind_memory;
    int set_nccl;
    char *order;      /* the order file */
    char *hostfiles;  /* directory of the steps' hostfiles, "" for none */
    char *launch_log; /* where launches are logged, "" for nowhere */
    char *rails;      /* devices in rail order, "" for none */
    char *sysfs;      /* "/sys", or a copy of it for tests */
    /* [partition NAME] and [nccl] */
    struct lw_partition_policy *partitions;
    size_t npartitions;
    struct lw_env_setting *env;
    size_t nenv;
};

/* The path of the configuration: 'given' when not NULL, else the variable
 * LEAFWARD_CONF, else the built-in one. Borrowed. */
const char *lw_settings_path(const char *given);

/* Read the configuration at 'path' over the defaults. Returns settings to
 * free with lw_settings_destroy(). A missing file gives the defaults. On any
 * error the defaults are returned and 'err' is set (file, line, what was
 * expected): a part logs it and goes on. NULL only when out of memory. */
struct lw_settings *lw_settings_load(const char *path, lw_error_t *err);
void lw_settings_destroy(struct lw_settings *s);

/* The policy for a partition (NULL or "" for the site's). */
enum lw_policy lw_settings_policy(const struct lw_settings *s,
                                  const char *partition);

#endif
