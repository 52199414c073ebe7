/* SPDX-License-Identifier: GPL-2.0-or-later */
/* read_ibdiagnet_lst.c - ibdiagnet2.lst: one link a line
 *
 *   { CA Ports:01 SystemGUID:.. NodeGUID:.. PortGUID:.. VenID:.. DevID:..
 *     Rev:.. {desc} LID:0005 PN:01 } { SW .. } PHY=4x LOG=ACT SPD=25 */
#include "config.h"

#include "topology/fabric/read.h"
#include "topology/fabric/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool lw_ibdiagnet_lst_knows(const char *text, size_t len)
{
    return lw_text_has(text, len, "", "SystemGUID:") &&
           lw_text_has(text, len, "", "PN:");
}

/* The hexadecimal value after 'key', 0 when it is not there. */
static uint64_t value_of(struct lw_scan s, const char *key)
{
    const char *p = memmem(s.p, (size_t)(s.end - s.p), key, strlen(key));
    uint64_t value = 0;

    if (p) {
        s.p = p + strlen(key);
        lw_scan_hex(&s, &value);
    }
    return value;
}

static enum lw_dev_kind kind_of(struct lw_scan *s)
{
    if (lw_scan_word(s, "CA "))
        return LW_DEV_HCA;
    if (lw_scan_word(s, "SW "))
        return LW_DEV_SWITCH;
    return lw_scan_word(s, "RT ") || lw_scan_word(s, "Rt ") ? LW_DEV_ROUTER
                                                            : LW_DEV_UNKNOWN;
}

/* One end, "{ .. {desc} LID:.. PN:.. }". The description may hold anything,
 * so it ends at the last "} LID:" before the end of this end. Returns the
 * device, LW_NO_DEV when this is none. */
static uint32_t read_end(struct lw_fabric *f, struct lw_scan *s, uint8_t *port)
{
    struct lw_scan head, tail;
    enum lw_dev_kind kind;
    const char *open, *close;
    uint32_t dev;
    uint64_t guid;

    lw_scan_blanks(s);
    if (!lw_scan_char(s, '{'))
        return LW_NO_DEV;
    lw_scan_blanks(s);
    if ((kind = kind_of(s)) == LW_DEV_UNKNOWN ||
        !(open = memchr(s->p, '{', (size_t)(s->end - s->p))) ||
        !(close = memmem(open, (size_t)(s->end - open), "} LID:", 6)))
        return LW_NO_DEV;
    head = (struct lw_scan){s->p, open};
    tail.p = close;
    tail.end = memchr(close + 1, '}', (size_t)(s->end - close - 1));
    if (!tail.end || !(guid = value_of(head, "NodeGUID:")) ||
        (dev = lw_fabric_dev(f, guid, kind)) == LW_NO_DEV)
        return LW_NO_DEV;
    lw_fabric_describe(f, dev, (uint32_t)value_of(head, "VenID:"),
                       (uint32_t)value_of(head, "DevID:"),
                       value_of(head, "SystemGUID:"),
                       (unsigned)value_of(head, "Ports:"));
    lw_fabric_name(f, dev, open + 1, (size_t)(close - open - 1));
    *port = (uint8_t)value_of(tail, "PN:");
    s->p = tail.end + 1;
    return dev;
}

/* "PHY=4x LOG=ACT SPD=25": false for a link that is down. */
static bool read_rate(struct lw_scan s, struct lw_link *link)
{
    char rate[128], speed[16] = "";
    unsigned width = 0;
    const char *p;

    snprintf(rate, sizeof(rate), "%.*s", (int)(s.end - s.p), s.p);
    if (strstr(rate, "LOG=DWN"))
        return false;
    if ((p = strstr(rate, "PHY=")) && sscanf(p, "PHY=%ux", &width) == 1)
        link->width = (uint8_t)width;
    if ((p = strstr(rate, "SPD=")))
        snprintf(speed, sizeof(speed), "%s", p + 4);
    if (strncmp(speed, "FDR10", 5) == 0)
        link->speed = LW_FDR10;
    else
        link->speed = (uint8_t)lw_speed_of_lane(strtod(speed, NULL));
    return true;
}

int lw_ibdiagnet_lst_read(struct lw_fabric *f, const char *text, size_t len,
                          const char *source, lw_error_t *err)
{
    const char *at = text;
    struct lw_scan line;
    size_t number = 0, n = 0;

    while (lw_scan_line(&at, text + len, &line)) {
        struct lw_link link = {0};

        number++;
        lw_scan_blanks(&line);
        if (!lw_scan_more(&line))
            continue;
        link.a = read_end(f, &line, &link.a_port);
        link.b =
            link.a == LW_NO_DEV ? LW_NO_DEV : read_end(f, &line, &link.b_port);
        if (link.b == LW_NO_DEV) {
            lw_fabric_skip(f, source, number);
            continue;
        }
        n++;
        if (read_rate(line, &link) && lw_fabric_link(f, &link) < 0)
            return lw_err(err, "%s: out of memory", source);
    }
    return n ? 0 : lw_err(err, "%s: no link in this ibdiagnet2.lst", source);
}
