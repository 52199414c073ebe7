/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ibnetdiscover_ports.c - the ports report of ibnetdiscover -p */
#include "config.h"

#include "topology/fabric/ibnetdiscover.h"

/* "CA   134  1 0x7cfe9003003b4bde" */
struct port_end {
    enum lw_dev_kind kind;
    unsigned port;
    uint64_t guid;
};

static bool scan_kind(struct lw_scan *s, enum lw_dev_kind *kind)
{
    *kind = LW_DEV_UNKNOWN;
    if (lw_scan_word(s, "SW "))
        *kind = LW_DEV_SWITCH;
    else if (lw_scan_word(s, "CA "))
        *kind = LW_DEV_HCA;
    else if (lw_scan_word(s, "RT "))
        *kind = LW_DEV_ROUTER;
    return *kind != LW_DEV_UNKNOWN;
}

static bool scan_end(struct lw_scan *s, struct port_end *e)
{
    unsigned lid;

    lw_scan_blanks(s);
    if (!scan_kind(s, &e->kind))
        return false;
    lw_scan_blanks(s);
    if (!lw_scan_uint(s, &lid))
        return false;
    lw_scan_blanks(s);
    if (!lw_scan_uint(s, &e->port) || e->port > UINT8_MAX)
        return false;
    lw_scan_blanks(s);
    return lw_scan_hex(s, &e->guid);
}

/* Cut 'word' off either end when it is there. */
static void cut(struct lw_scan *s, const char *first, const char *last)
{
    size_t n = strlen(last);

    lw_scan_word(s, first);
    if ((size_t)(s->end - s->p) >= n && !memcmp(s->end - n, last, n))
        s->end -= n;
}

static void trim(struct lw_scan *s)
{
    lw_scan_blanks(s);
    while (s->end > s->p && (s->end[-1] == ' ' || s->end[-1] == '\t'))
        s->end--;
}

/* "( 'node001 mlx5_0' - 'leaf-a1' )": the quotes may be missing, and a name
 * may hold quotes. */
static bool scan_names(struct lw_scan s, struct lw_scan *a, struct lw_scan *b)
{
    const char *mid;
    size_t skip = 1;

    trim(&s);
    if (!lw_scan_char(&s, '('))
        return false;
    cut(&s, "", ")");
    trim(&s);
    mid = memmem(s.p, (size_t)(s.end - s.p), "' - '", 5);
    if (!mid) {
        skip = 0;
        mid = memmem(s.p, (size_t)(s.end - s.p), " - ", 3);
    }
    if (!mid)
        return false;
    *a = (struct lw_scan){s.p, mid + skip};
    *b = (struct lw_scan){mid + skip + 3, s.end};
    trim(a);
    trim(b);
    cut(a, "'", "'");
    cut(b, "'", "'");
    return true;
}

static uint32_t add_end(struct lw_fabric *f, const struct port_end *e,
                        const struct lw_scan *name)
{
    uint32_t dev = lw_fabric_dev(f, e->guid, e->kind);

    if (dev != LW_NO_DEV && name->p &&
        lw_fabric_name(f, dev, name->p, (size_t)(name->end - name->p)) < 0)
        dev = LW_NO_DEV;
    return dev;
}

/* A port without a peer: only the device is worth keeping. */
static int take_down(struct lw_fabric *f, const struct port_end *e,
                     struct lw_scan name)
{
    uint32_t dev;

    trim(&name);
    cut(&name, "'", "'");
    if ((dev = add_end(f, e, &name)) == LW_NO_DEV)
        return -1;
    lw_fabric_describe(f, dev, 0, 0, 0, 0);
    return 1;
}

int lw_ibnetdiscover_port(struct lw_fabric *f, struct lw_scan line)
{
    struct lw_scan a = {0}, b = {0};
    struct port_end here, peer;
    struct lw_link link = {0};

    if (!scan_end(&line, &here))
        return 0;
    lw_ibnetdiscover_rate(&line, &link);
    lw_scan_blanks(&line);
    if (!lw_scan_word(&line, "- "))
        return take_down(f, &here, line);
    if (!scan_end(&line, &peer))
        return 0;
    scan_names(line, &a, &b);
    link.a_port = (uint8_t)here.port;
    link.b_port = (uint8_t)peer.port;
    if ((link.a = add_end(f, &here, &a)) == LW_NO_DEV ||
        (link.b = add_end(f, &peer, &b)) == LW_NO_DEV)
        return -1;
    lw_fabric_describe(f, link.a, 0, 0, 0, 0);
    return lw_fabric_link(f, &link) < 0 ? -1 : 1;
}
