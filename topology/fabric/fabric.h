/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric.h - the fabric graph: what every reader fills, what grouping reads */
#ifndef LW_FABRIC_H
#define LW_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "topology/fabric/hostnames.h"

#define LW_NO_DEV UINT32_MAX

enum lw_dev_kind { LW_DEV_UNKNOWN, LW_DEV_SWITCH, LW_DEV_HCA, LW_DEV_ROUTER };

/* One switch ASIC, HCA or router, as read. 'name' is its description with
 * the ends trimmed, owned by the fabric, NULL when none was read; 'alias' is
 * a second one that differs (a name map renames the peer's side only). A
 * device seen only as a peer has 'seen' false. */
struct lw_dev {
    uint64_t guid;
    uint64_t sysguid; /* system image GUID, 0 unknown */
    const char *name;
    const char *alias;
    uint32_t devid;
    uint32_t vendid;
    uint16_t nports;
    uint8_t kind; /* enum lw_dev_kind */
    bool seen;
    bool named;    /* 'name' comes from a name map */
    bool declared; /* stands in a topology.conf, seen by nobody */
};

/* One cable, undirected: each physical link is held once however often and
 * from whichever side it was read. width 1,2,4,8,12; 0 unknown. A port is 0
 * when the source does not tell it. */
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

/* A port that was read with two different peers: two sources that do not
 * agree, or a cable moved between them. The first one stays. */
struct lw_conflict {
    uint32_t dev, first, second; /* device indices */
    uint8_t port;
};

/* A host in an NVLink domain. */
struct lw_host_domain {
    const char *host, *domain;
};

/* What the readers noticed apart from devices and links. */
struct lw_fabric_notes {
    size_t skipped;            /* lines that were not understood */
    const char *first_skipped; /* "source:line" of the first, NULL none */
    const char *partial; /* why something may be missing, NULL all is well */
    bool leaves_only;    /* a source shows no link between switches */
    const struct lw_conflict *conflicts; /* the first 256 */
    size_t nconflicts;
    const struct lw_host_domain *domains;
    size_t ndomains;
};

/* The whole graph; opaque, see the accessors. */
struct lw_fabric;

/* Returns an empty fabric to free with lw_fabric_destroy(), or NULL with
 * errno. */
struct lw_fabric *lw_fabric_create(void);
void lw_fabric_destroy(struct lw_fabric *f);

/* Parse ibnetdiscover(8) text (default, -f, -g, -m or -p form) of 'len' bytes
 * into 'f'; 'source' names it in errors. Several texts may be read into one
 * fabric. Lines that are not understood are skipped and counted. Returns 0,
 * or -1 with 'err'. */
int lw_ibnetdiscover_read(struct lw_fabric *f, const char *text, size_t len,
                          const char *source, lw_error_t *err);

/* For readers of host lists: what expands one, NULL until it was set. */
void lw_fabric_set_expand(struct lw_fabric *f, lw_expand_f expand);
lw_expand_f lw_fabric_expand(const struct lw_fabric *f);

/* All devices and links, borrowed; valid until something is added. */
const struct lw_dev *lw_fabric_devs(const struct lw_fabric *f, size_t *n);
const struct lw_link *lw_fabric_links(const struct lw_fabric *f, size_t *n);
void lw_fabric_notes(const struct lw_fabric *f, struct lw_fabric_notes *notes);
size_t lw_fabric_skipped(const struct lw_fabric *f);

/* "NDR", "???"; and back from 'len' bytes. */
const char *lw_speed_word(enum lw_speed speed);
enum lw_speed lw_speed_parse(const char *s, size_t len);

/* For readers: about this many devices and links are to come. */
void lw_fabric_reserve(struct lw_fabric *f, size_t devs, size_t links);
/* For readers: the index of the device with this GUID, added when new;
 * LW_NO_DEV when out of memory. */
uint32_t lw_fabric_dev(struct lw_fabric *f, uint64_t guid,
                       enum lw_dev_kind kind);
/* The index of the device with this GUID, LW_NO_DEV when there is none. */
uint32_t lw_fabric_find(const struct lw_fabric *f, uint64_t guid);
/* For readers: set the description (not NUL-terminated), ends trimmed. */
int lw_fabric_name(struct lw_fabric *f, uint32_t dev, const char *s,
                   size_t len);
/* The description as a peer tells it. A switch has one name, told by many
 * peers: only the first is looked at. */
int lw_fabric_peer_name(struct lw_fabric *f, uint32_t dev, const char *s,
                        size_t len);
/* Overrule the description by a name map's. */
int lw_fabric_rename(struct lw_fabric *f, uint32_t dev, const char *s,
                     size_t len);
/* For readers: what a device says of itself; 0 leaves a value as it is. Marks
 * it as seen. */
void lw_fabric_describe(struct lw_fabric *f, uint32_t dev, uint32_t vendid,
                        uint32_t devid, uint64_t sysguid, unsigned nports);
/* For readers: the device is what somebody wrote down, not what was seen. */
void lw_fabric_declare(struct lw_fabric *f, uint32_t dev);
/* For readers: this source tells of hosts and their switches only. */
void lw_fabric_leaves_only(struct lw_fabric *f);
/* For readers: a link between two ports; a self loop is left out. */
int lw_fabric_link(struct lw_fabric *f, const struct lw_link *link);
/* For readers: 'host' is in the NVLink domain 'domain'. */
int lw_fabric_domain(struct lw_fabric *f, const char *host, size_t host_len,
                     const char *domain, size_t domain_len);
/* For readers: count a line that was not understood. */
void lw_fabric_skip(struct lw_fabric *f, const char *source, size_t line);
/* For readers: the input is known to be incomplete; the first reason stays. */
void lw_fabric_partial(struct lw_fabric *f, const char *why);

#endif
