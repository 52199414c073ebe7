/* SPDX-License-Identifier: GPL-2.0-or-later */
/* discover.h - make an inventory from hwloc, verbs, /sys and /proc */
#ifndef LW_DISCOVER_H
#define LW_DISCOVER_H

#include "topology/node/inventory.h"

/* Discover this machine, or with 'xml' the one that hwloc's XML file
 * describes. 'root' is "" or the directory below which sys/ and proc/ are
 * looked for (a saved copy); with 'xml' and no root only the file counts, so
 * that the result is the same anywhere. Returns an inventory to free with
 * lw_inventory_destroy(), without rails, or NULL with 'err'. */
struct lw_inventory *lw_inventory_discover(const char *xml, const char *root,
                                           lw_error_t *err);

/* For the parts below: what hwloc tells of the machine; 0, or -1 with
 * 'err'. */
int lw_discover_hwloc(struct lw_inventory *inv, const char *xml,
                      lw_error_t *err);

/* Ports of the RDMA devices of this machine by libibverbs: GUIDs, state, link
 * layer, rate, MTU, GID. Devices that cannot be opened stay as they are. */
int lw_discover_verbs(struct lw_inventory *inv, lw_error_t *err);

/* What the kernel and the GPU drivers tell below 'root': minors and UUIDs,
 * the AMD runtime's order and partitions, virtual functions, the boot id and
 * a digest of the PCI device list. */
int lw_discover_sysfs(struct lw_inventory *inv, const char *root,
                      lw_error_t *err);

/* The digest alone, to see whether a cache is still good; "" when there is
 * no PCI list. 'out' holds 17 bytes. */
void lw_discover_digest(const char *root, char out[17]);

/* MIG instances out of the text of `nvidia-smi -L`. Returns how many were
 * taken, -1 when out of memory. */
int lw_discover_mig(struct lw_inventory *inv, const char *text);

/* For the parts: append to a list; NULL when out of memory. */
struct lw_gpu *lw_inventory_add_gpu(struct lw_inventory *inv);
struct lw_nic *lw_inventory_add_nic(struct lw_inventory *inv);

/* PCI addresses as numbers: domain, bus, device, function. */
int lw_pci_order(const char *a, const char *b);

#endif
