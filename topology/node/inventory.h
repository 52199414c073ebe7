/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inventory.h - what one node holds: CPUs, NUMA nodes, GPUs and NICs */
#ifndef LW_INVENTORY_H
#define LW_INVENTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "topology/node/cpus.h"

#define LW_INVENTORY_SCHEMA 1
#define LW_INVENTORY_LIMIT  (4 * 1024 * 1024UL) /* bytes read at most */
#define LW_INVENTORY_ITEMS  4096                /* of one kind */

/* A NUMA node that has CPUs; memory-only ones are never listed. */
struct lw_numa {
    int id; /* as the kernel numbers it */
    struct lw_cpus cpus;
};

enum lw_gpu_vendor { LW_GPU_OTHER, LW_GPU_NVIDIA, LW_GPU_AMD, LW_GPU_INTEL };

/* One GPU that a process can be given: a PCI function, or one of several
 * partitions of it (AMD's CPX and TPX modes), which then share 'pci'. Texts
 * are owned by the inventory and "" when unknown; numbers are -1 then. */
struct lw_gpu {
    const char *pci;  /* 0000:19:00.0 */
    const char *path; /* bridges from the root, as sysfs names them:
                         pci0000:17/0000:17:01.0/0000:18:00.0 */
    const char *uuid; /* GPU-.., lower case */
    const char *name; /* model */
    const char **mig; /* UUIDs of its MIG instances */
    size_t nmig;
    struct lw_cpus cpus; /* nearest, empty when unknown */
    int vendor;          /* enum lw_gpu_vendor */
    int index;           /* in the vendor runtime's own order, -1: PCI order */
    int minor;           /* N of /dev/nvidiaN, or of the DRI render node */
    int numa;            /* id of the nearest NUMA node with CPUs */
};

enum lw_link_type { LW_LINK_UNKNOWN, LW_LINK_IB, LW_LINK_ETHERNET };
enum lw_port_state {
    LW_PORT_UNKNOWN,
    LW_PORT_DOWN,
    LW_PORT_INIT,
    LW_PORT_ARMED,
    LW_PORT_ACTIVE
};

/* One port of a network adapter. 'verbs' is false where no RDMA verbs
 * library drives it as InfiniBand or RoCE (Slingshot, EFA, Omni-Path): its
 * name means nothing to NCCL_IB_HCA. */
struct lw_nic {
    const char *device; /* mlx5_0 */
    const char *netdev; /* ib0, "" when none */
    const char *pci;
    const char *path;
    const char *gid;    /* of index 0, as ibv_devinfo prints it */
    uint64_t guid;      /* port GUID, 0 unknown */
    uint64_t node_guid; /* of the adapter, 0 unknown */
    int port;           /* 1.. */
    int link;           /* enum lw_link_type */
    int state;          /* enum lw_port_state */
    int rate;           /* Gb/s, -1 unknown */
    int rail;           /* 0.., -1 when not a compute rail */
    int numa;
    int mtu; /* active MTU in bytes, -1 unknown */
    bool verbs;
    bool virtual_function;
};

/* Public for reading; built by lw_inventory_parse() or by the discovery. */
struct lw_inventory {
    const char *node;     /* Slurm's name of the node, "" unknown */
    const char *created;  /* RFC 3339 */
    const char *boot_id;  /* of the boot it was made in */
    const char *devices;  /* digest of the PCI device list */
    const char *rails_by; /* how rails were told: map, rules, guess, "" */
    const char *group;    /* the fabric map's group, "" unknown */
    const char *pod;
    const char *domain; /* NVLink domain */
    struct lw_numa *numas;
    size_t nnumas;
    struct lw_cpus *cores; /* the hardware threads of each core */
    size_t ncores;
    struct lw_gpu *gpus; /* in PCI order */
    size_t ngpus;
    struct lw_nic *nics; /* in PCI order, then by port */
    size_t nnics;
    struct lw_strtab *texts;
};

struct lw_inventory *lw_inventory_create(void);
void lw_inventory_destroy(struct lw_inventory *inv);

/* A copy of 's' that lives as long as the inventory; NULL with errno when
 * out of memory. */
const char *lw_inventory_text(struct lw_inventory *inv, const char *s);

/* Read the JSON cache (docs/node-format.md) from 'path', or from text named
 * 'source'. Returns an inventory to free with lw_inventory_destroy(), or NULL
 * with 'err': one that is cut off, of another schema or not consistent is
 * refused whole. */
struct lw_inventory *lw_inventory_load(const char *path, lw_error_t *err);
struct lw_inventory *lw_inventory_parse(const char *text, size_t len,
                                        const char *source, lw_error_t *err);

/* The inventory as JSON text to free, equal bytes for equal inventories;
 * NULL with 'err'. */
char *lw_inventory_print(const struct lw_inventory *inv, size_t *len,
                         lw_error_t *err);

/* All CPUs of the node. */
void lw_inventory_cpus(const struct lw_inventory *inv, struct lw_cpus *out);

/* The path with every %n replaced by the node's name, to free; NULL with
 * 'err' when the name could lead out of the directory. */
char *lw_inventory_path(const char *pattern, const char *node, lw_error_t *err);

/* The words used in JSON: "nvidia", "infiniband", "active", .. */
const char *lw_gpu_vendor_word(int vendor);
const char *lw_link_word(int link);
const char *lw_port_state_word(int state);

#endif
