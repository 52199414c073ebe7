/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric.h - the fabric graph: what every reader fills, what grouping reads */
#ifndef LW_FABRIC_H
#define LW_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

enum lw_dev_kind { LW_DEV_UNKNOWN, LW_DEV_SWITCH, LW_DEV_HCA, LW_DEV_ROUTER };

/* One switch ASIC, HCA or router, as read. 'name' is its description with
 * the ends trimmed, owned by the fabric. A device seen only as a peer has
 * 'seen' false. */
struct lw_dev {
    uint64_t guid;
    uint64_t sysguid; /* system image GUID, 0 unknown */
    uint32_t devid;
    uint32_t vendid;
    enum lw_dev_kind kind;
    bool seen;
    const char *name;
    uint32_t nports;
};

/* One cable end, undirected: each physical link is held once however often
 * and from whichever side it was read. width 1,2,4,8,12; 0 unknown. 'speed'
 * is the field's word ("NDR", "???"). */
struct lw_link {
    uint32_t a, b; /* device indices */
    uint8_t a_port, b_port;
    uint8_t width;
    uint8_t speed; /* enum lw_speed */
};

enum lw_speed {
    LW_SPEED_UNKNOWN,
    LW_SDR,
    LW_DDR,
    LW_QDR,
    LW_FDR10,
    LW_FDR,
    LW_EDR,
    LW_HDR,
    LW_NDR,
    LW_XDR
};

/* The whole graph; opaque, see the accessors. */
struct lw_fabric;

struct lw_fabric *lw_fabric_create(void);
void lw_fabric_destroy(struct lw_fabric *f);

/* Parse ibnetdiscover(8) text (any of its forms, facts in
 * docs/fabric-sources.md) of 'len' bytes into 'f'; 'source' names it in
 * errors. Several texts may be read into one fabric. Lines that are not
 * understood are skipped and counted. Returns 0, or -1 with 'err'. */
int lw_ibnetdiscover_read(struct lw_fabric *f, const char *text, size_t len,
                          const char *source, lw_error_t *err);

const struct lw_dev *lw_fabric_devs(const struct lw_fabric *f, size_t *n);
const struct lw_link *lw_fabric_links(const struct lw_fabric *f, size_t *n);
size_t lw_fabric_skipped(const struct lw_fabric *f);

/* For readers: the index of the device with this GUID, added when new;
 * UINT32_MAX when out of memory. */
uint32_t lw_fabric_dev(struct lw_fabric *f, uint64_t guid,
                       enum lw_dev_kind kind);
/* For readers: set the description (not NUL-terminated), ends trimmed. */
int lw_fabric_name(struct lw_fabric *f, uint32_t dev, const char *s,
                   size_t len);
/* For readers: a link between two ports. */
int lw_fabric_link(struct lw_fabric *f, const struct lw_link *link);

#endif
