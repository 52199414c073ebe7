/* SPDX-License-Identifier: GPL-2.0-or-later */
/* groups_priv.h - what the steps of grouping hand to each other */
#ifndef LW_GROUPS_PRIV_H
#define LW_GROUPS_PRIV_H

#include "lib/arena.h"
#include "lib/strtab.h"
#include "topology/fabric/groups.h"

#define LW_NONE UINT32_MAX

/* One HCA port with its cable. Ports of one host stand together, ordered by
 * device word. */
struct lw_port {
    uint32_t dev;    /* in the fabric */
    uint32_t host;   /* index, LW_NONE unknown */
    uint32_t leaf;   /* index into switches, LW_NONE without a link */
    uint32_t device; /* number of the device word */
    uint16_t rate;   /* width x lane speed in 100 Mb/s, 0 unknown */
    int16_t rail;    /* -1 none */
    uint8_t port, sw_port, width, speed;
    bool odd;     /* of another rate than most of its host's */
    bool misfit;  /* on a leaf that is not its rail's */
    bool slow;    /* below its rail's rate */
    bool adopted; /* given to the host since only it lacked one there */
};

struct lw_host {
    const char *name;
    uint32_t first, nports; /* into ports */
    uint32_t group;         /* LW_NONE until assigned */
    uint32_t adopted;       /* HCAs that stand among the unowned */
    uint32_t node;          /* number among Slurm's nodes, LW_NONE */
    bool compute;
    bool crowd; /* a name that many hosts have */
};

struct lw_switch {
    uint32_t dev;
    const char *name;
    uint32_t ports; /* HCA ports on it, of any host */
    uint32_t hosts; /* compute hosts on it */
    uint32_t group; /* LW_NONE */
    uint32_t pod, root;
    uint32_t first_peer, npeers; /* into peers */
    uint32_t uplinks, expected;
    uint8_t tier;
    bool spine;   /* more of a spine than a leaf, by its links */
    bool leaf;    /* compute HCAs end here */
    bool aside;   /* storage, management, .. */
    bool ignored; /* by the caller's pattern */
};

/* One link to another switch, held at both ends. */
struct lw_peer {
    uint32_t sw;
    uint16_t rate;
    uint8_t port;
    uint8_t width, speed;
};

/* A column of a group: one rail's place on a leaf. */
struct lw_column {
    uint32_t leaf;   /* LW_NONE: the leaf is gone */
    uint32_t device; /* what most of its HCAs are called */
    uint16_t rate;   /* of most of its HCAs, and what it is made of */
    uint8_t width, speed;
};

struct lw_group {
    const char *name;
    uint32_t *leaves;
    uint32_t nleaves;
    uint32_t *hosts; /* in name order */
    uint32_t nhosts;
    struct lw_column *columns; /* by rail */
    uint32_t ncolumns;
    uint32_t found; /* columns that have a leaf */
    uint32_t pod, root;
};

struct lw_grouping {
    const struct lw_fabric *fabric;
    const struct lw_groups_options *options;
    const struct lw_dev *devs;
    const struct lw_link *links;
    size_t ndevs, nlinks;
    bool cables;          /* something was seen, not declared only */
    uint32_t *dev_host;   /* by device */
    uint32_t *dev_word;   /* by device: number of the device word */
    bool *is_hca;         /* by device */
    uint32_t *dev_switch; /* by device */
    struct lw_host *hosts;
    uint32_t nhosts;
    struct lw_port *ports;
    uint32_t nports; /* all */
    uint32_t nowned; /* those of hosts stand first */
    struct lw_switch *switches;
    uint32_t nswitches;
    struct lw_peer *peers;
    struct lw_group *groups;
    uint32_t ngroups;
    uint32_t *order; /* compute hosts in name order */
    uint32_t ncompute;
    const char **pods;
    uint32_t *pod_roots;
    uint32_t npods;
    const char **roots;
    uint32_t nroots;
    bool one_fabric; /* assumed: nobody showed the links above the leaves */
    uint32_t nrails; /* what most nodes have */
    struct lw_strtab *device_words;
    uint32_t *device_rank; /* natural order of the device words */
    bool *found;           /* by Slurm node: is in the fabric */
    const char *clash;     /* a name clash seen while naming, NULL none */
    struct lw_arena arena;
    struct lw_map *map;
    size_t findings_size;
    lw_error_t *err;
};

/* The steps, in this order; each returns 0, or -1 with g->err. */
int lw_groups_switches(struct lw_grouping *g);
int lw_groups_hosts(struct lw_grouping *g);
int lw_groups_ports(struct lw_grouping *g);
int lw_groups_classify(struct lw_grouping *g);
int lw_groups_cluster(struct lw_grouping *g);
int lw_groups_rails(struct lw_grouping *g);
int lw_groups_adopt(struct lw_grouping *g);
int lw_groups_tiers(struct lw_grouping *g);
int lw_groups_names(struct lw_grouping *g);
int lw_groups_findings(struct lw_grouping *g);
int lw_groups_fill(struct lw_grouping *g);

/* Helpers. */
bool lw_groups_has_rail(const struct lw_grouping *g, const struct lw_host *h,
                        int rail);
uint16_t lw_rate(unsigned width, enum lw_speed speed);
void *lw_groups_array(struct lw_grouping *g, size_t count, size_t size);
/* True for a device that stands in a topology.conf only, while other sources
 * tell of cables: it is compared with them and shapes nothing. */
bool lw_groups_declared(const struct lw_grouping *g, const struct lw_dev *d);
bool lw_groups_ignored(const struct lw_grouping *g, const char *text);
int lw_groups_no_memory(struct lw_grouping *g);

#endif
