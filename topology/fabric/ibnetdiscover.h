/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ibnetdiscover.h - what the files of the ibnetdiscover reader share */
#ifndef LW_IBNETDISCOVER_H
#define LW_IBNETDISCOVER_H

#include "topology/fabric/fabric.h"
#include "topology/fabric/scan.h"

/* True for any output of ibnetdiscover. */
bool lw_ibnetdiscover_knows(const char *text, size_t len);

/* Reading in pieces, see readers.h. */
struct lw_feed *lw_ibnetdiscover_open(struct lw_fabric *f, const char *source,
                                      size_t expected);
int lw_ibnetdiscover_feed(struct lw_feed *r, const char *text, size_t len,
                          lw_error_t *err);
int lw_ibnetdiscover_close(struct lw_feed *r, lw_error_t *err);

/* One line of the ports report (-p), "CA 134 1 0x.. 4x EDR - SW 17 10 0x..
 * ( 'a' - 'b' )". Returns 1 when it was one, 0 when not, -1 out of memory. */
int lw_ibnetdiscover_port(struct lw_fabric *f, struct lw_scan line);

/* Refuse what is no text of ibnetdiscover with links, by what it is: -1 with
 * 'err', else 0. */
int lw_ibnetdiscover_refuse(const char *text, size_t len, const char *source,
                            lw_error_t *err);

/* Width and speed, "4xNDR" or "4x NDR"; what is unknown stays 0. */
void lw_ibnetdiscover_rate(struct lw_scan *s, struct lw_link *link);

#endif
