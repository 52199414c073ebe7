/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ibnetdiscover.c - ibnetdiscover(8) text to the fabric graph */
#include "config.h"

#include "topology/fabric/ibnetdiscover.h"

#include <stdlib.h>

/* The grammar is that of rdma-core's infiniband-diags/ibnetdiscover.c, but
 * read loosely, because saved files lose tabs and blank lines, gain carriage
 * returns and have the tool's complaints in between. A line is taken for what
 * it starts with; a Switch, Ca or Rt line opens a block. */
struct lw_feed {
    struct lw_fabric *f;
    const char *source;
    size_t line;
    uint32_t dev; /* whose block this is */
    enum lw_dev_kind kind;
    uint64_t vendid, devid, sysguid; /* for the next block */
    size_t skipped;
};

/* Understood, not understood, out of memory. */
enum { TAKEN = 1, UNKNOWN = 0, FAILED = -1 };

void lw_ibnetdiscover_rate(struct lw_scan *s, struct lw_link *link)
{
    const char *word;
    unsigned width = 0;

    lw_scan_blanks(s);
    if (!lw_scan_uint(s, &width))
        lw_scan_word(s, "??");
    if (!lw_scan_char(s, 'x') && width)
        return;
    lw_scan_blanks(s);
    for (word = s->p; s->p < s->end && *s->p != ' ' && *s->p != '\t';)
        s->p++;
    if (width <= 12)
        link->width = (uint8_t)width;
    link->speed = (uint8_t)lw_speed_parse(word, (size_t)(s->p - word));
}

/* "S-0002c90300000001" without the quotes around it. */
static bool scan_id(struct lw_scan *s, enum lw_dev_kind *kind, uint64_t *guid)
{
    struct lw_scan t = *s;
    char c = t.p < t.end ? *t.p : '\0';

    *kind = c == 'S'   ? LW_DEV_SWITCH
            : c == 'H' ? LW_DEV_HCA
            : c == 'R' ? LW_DEV_ROUTER
                       : LW_DEV_UNKNOWN;
    if (t.end - t.p < 3 || t.p[1] != '-')
        return false;
    t.p += 2;
    if (!lw_scan_hex(&t, guid) || !lw_scan_char(&t, '"'))
        return false;
    *s = t;
    return true;
}

/* The description: between the first quote and the last one, since it may
 * hold quotes of its own. 's' is moved behind it. */
static bool scan_name(struct lw_scan *s, const char **name, size_t *len)
{
    const char *first = memchr(s->p, '"', (size_t)(s->end - s->p)), *last;

    if (!first)
        return false;
    last = memrchr(first, '"', (size_t)(s->end - first));
    if (last == first)
        return false;
    *name = first + 1;
    *len = (size_t)(last - first - 1);
    s->p = last + 1;
    return true;
}

/* "[12]", and what -g puts behind it: "[ext 3]". */
static bool scan_port(struct lw_scan *s, unsigned *port)
{
    struct lw_scan t = *s;

    if (!lw_scan_char(&t, '[') || !lw_scan_uint(&t, port) ||
        !lw_scan_char(&t, ']') || *port > UINT8_MAX)
        return false;
    if (lw_scan_word(&t, "[ext ")) {
        while (lw_scan_more(&t) && *t.p != ']')
            t.p++;
        lw_scan_char(&t, ']');
    }
    *s = t;
    return true;
}

/* "(2c90300000001)", a port GUID, which is of no use here. */
static void skip_guid(struct lw_scan *s)
{
    struct lw_scan t = *s;
    uint64_t guid;

    lw_scan_blanks(&t);
    if (lw_scan_char(&t, '(') && lw_scan_hex(&t, &guid) &&
        lw_scan_char(&t, ')'))
        *s = t;
}

/* " lid 7 4xNDR" behind the peer's description. */
static void scan_tail(struct lw_scan *s, struct lw_link *link)
{
    unsigned lid;

    lw_scan_blanks(s);
    if (lw_scan_word(s, "lid")) {
        lw_scan_blanks(s);
        lw_scan_uint(s, &lid);
    }
    lw_ibnetdiscover_rate(s, link);
}

/* [1]	"H-e09d73..."[1](e09d73...) 	# "node001 mlx5_0" lid 647 4xNDR */
static int take_port(struct lw_feed *r, struct lw_scan s)
{
    struct lw_link link = {0};
    enum lw_dev_kind kind;
    unsigned port, peer_port;
    const char *name;
    uint64_t guid;
    size_t len;

    if (r->dev == LW_NO_DEV || !scan_port(&s, &port))
        return UNKNOWN;
    skip_guid(&s);
    lw_scan_blanks(&s);
    if (!lw_scan_char(&s, '"') || !scan_id(&s, &kind, &guid) ||
        !scan_port(&s, &peer_port))
        return UNKNOWN;
    link.a = r->dev;
    link.a_port = (uint8_t)port;
    link.b_port = (uint8_t)peer_port;
    if ((link.b = lw_fabric_dev(r->f, guid, kind)) == LW_NO_DEV)
        return FAILED;
    if (scan_name(&s, &name, &len)) {
        if (lw_fabric_peer_name(r->f, link.b, name, len) < 0)
            return FAILED;
        scan_tail(&s, &link);
    }
    return lw_fabric_link(r->f, &link) < 0 ? FAILED : TAKEN;
}

/* Switch	65 "S-2c5eab..."	# "leaf-a1" enhanced port 0 lid 73 lmc 0 */
static int take_node(struct lw_feed *r, struct lw_scan s, size_t word,
                     enum lw_dev_kind kind)
{
    enum lw_dev_kind said;
    unsigned nports = 0;
    const char *name;
    uint64_t guid;
    size_t len;

    s.p += word;
    lw_scan_blanks(&s);
    lw_scan_uint(&s, &nports);
    lw_scan_blanks(&s);
    if (!lw_scan_char(&s, '"') || !scan_id(&s, &said, &guid))
        return UNKNOWN;
    if ((r->dev = lw_fabric_dev(r->f, guid, kind)) == LW_NO_DEV)
        return FAILED;
    r->kind = kind;
    lw_fabric_describe(r->f, r->dev, (uint32_t)r->vendid, (uint32_t)r->devid,
                       r->sysguid, nports);
    r->vendid = r->devid = r->sysguid = 0;
    if (scan_name(&s, &name, &len) &&
        lw_fabric_name(r->f, r->dev, name, len) < 0)
        return FAILED;
    return TAKEN;
}

/* vendid=0x2c9 and the like, which stand in front of their block; they end
 * the one before. */
static int take_id(struct lw_feed *r, struct lw_scan s)
{
    static const char *const other[] = {"switchguid=", "caguid=", "rtguid="};
    size_t i;

    if (lw_scan_word(&s, "vendid=")) {
        r->dev = LW_NO_DEV;
        r->devid = r->sysguid = 0;
        return lw_scan_hex(&s, &r->vendid);
    }
    if (lw_scan_word(&s, "devid="))
        return lw_scan_hex(&s, &r->devid);
    if (lw_scan_word(&s, "sysimgguid="))
        return lw_scan_hex(&s, &r->sysguid);
    for (i = 0; i < 3; i++)
        if (lw_scan_word(&s, other[i]))
            return TAKEN;
    return UNKNOWN;
}

static bool starts(const struct lw_scan *s, const char *word)
{
    struct lw_scan t = *s;

    return lw_scan_word(&t, word);
}

/* The headings of -g, which have no mark of their own. */
static int take_heading(const struct lw_scan *s)
{
    return starts(s, "Chassis ") || starts(s, "Non-Chassis Nodes") ||
           starts(s, "Line Nodes") || starts(s, "Spine Nodes");
}

static int take_line(struct lw_feed *r, struct lw_scan s)
{
    lw_scan_blanks(&s);
    if (!lw_scan_more(&s))
        return TAKEN;
    switch (*s.p) {
    case '[':
        return take_port(r, s);
    case '#':
        return TAKEN;
    case 'S':
        if (starts(&s, "SW "))
            return lw_ibnetdiscover_port(r->f, s);
        if (starts(&s, "Switch"))
            return take_node(r, s, 6, LW_DEV_SWITCH);
        break;
    case 'C':
        if (starts(&s, "CA "))
            return lw_ibnetdiscover_port(r->f, s);
        if (starts(&s, "Ca"))
            return take_node(r, s, 2, LW_DEV_HCA);
        break;
    case 'R':
        if (starts(&s, "RT "))
            return lw_ibnetdiscover_port(r->f, s);
        if (starts(&s, "Rt"))
            return take_node(r, s, 2, LW_DEV_ROUTER);
        break;
    case 'c':
    case 'd':
    case 'r':
    case 's':
    case 'v':
        return take_id(r, s);
    default:
        break;
    }
    return take_heading(&s);
}

static bool holds(const struct lw_scan *s, const char *word)
{
    return memmem(s->p, (size_t)(s->end - s->p), word, strlen(word)) != NULL;
}

/* A complaint of the tool means that a part of the fabric did not answer. */
static void take_noise(struct lw_feed *r, const struct lw_scan *s)
{
    r->skipped++;
    lw_fabric_skip(r->f, r->source, r->line);
    if (holds(s, "timed out") || holds(s, "umad (") || holds(s, "ibwarn:"))
        lw_fabric_partial(r->f, "ibnetdiscover complains that a part of the "
                                "fabric did not answer");
}

bool lw_ibnetdiscover_knows(const char *text, size_t len)
{
    const char *at = text, *end = text + (len < 65536 ? len : 65536);
    struct lw_scan line;

    while (lw_scan_line(&at, end, &line)) {
        lw_scan_blanks(&line);
        if (starts(&line, "switchguid=") || starts(&line, "caguid=") ||
            starts(&line, "# Topology file:") || starts(&line, "Switch\t") ||
            starts(&line, "CA  ") || starts(&line, "SW  "))
            return true;
    }
    return false;
}

static int read_lines(struct lw_feed *r, const char *text, size_t len,
                      lw_error_t *err)
{
    const char *at = text, *end = text + len;
    struct lw_scan line;
    int rc;

    while (lw_scan_line(&at, end, &line)) {
        r->line++;
        if ((rc = take_line(r, line)) < 0)
            return lw_err(err, "%s: out of memory", r->source);
        if (rc == UNKNOWN)
            take_noise(r, &line);
    }
    return 0;
}

/* A last line without its newline is whole when it ends as such lines do. */
static bool is_whole(struct lw_scan last)
{
    struct lw_link link = {0};
    const char *name;
    size_t n;

    if (starts(&last, "CA ") || starts(&last, "SW ") || starts(&last, "RT "))
        return last.end[-1] == ')' || last.end[-1] == '\'';
    if (starts(&last, "[") && scan_name(&last, &name, &n))
        scan_tail(&last, &link);
    return link.width || link.speed;
}

/* What a line of ibnetdiscover starts with, but no line around it. */
static bool is_of_tool(const struct lw_scan *s)
{
    static const char *const words[] = {
        "Switch\t",    "Ca\t",    "Rt\t",    "vendid=", "devid=", "sysimgguid=",
        "switchguid=", "caguid=", "rtguid=", "CA ",     "SW ",    "RT "};
    struct lw_scan t = *s;
    unsigned port;
    size_t i;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (starts(s, words[i]))
            return true;
    return lw_scan_char(&t, '[') && lw_scan_uint(&t, &port);
}

/* A file that was cut ends within a line. */
static void check_end(struct lw_feed *r, const char *text, size_t len)
{
    const char *nl = memrchr(text, '\n', len);
    struct lw_scan last = {nl ? nl + 1 : text, text + len};

    if (is_of_tool(&last) && !is_whole(last))
        lw_fabric_partial(r->f, "the input ends in the middle of a line");
}

struct lw_feed *lw_ibnetdiscover_open(struct lw_fabric *f, const char *source,
                                      size_t expected)
{
    struct lw_feed *r = calloc(1, sizeof(*r));

    if (!r)
        return NULL;
    r->f = f;
    r->source = source;
    r->dev = LW_NO_DEV;
    /* An HCA takes about 440 bytes: its block and its line at the switch; a
     * link 200, its two lines. */
    if (expected > 65536)
        lw_fabric_reserve(f, expected / 440, expected / 200);
    return r;
}

int lw_ibnetdiscover_feed(struct lw_feed *r, const char *text, size_t len,
                          lw_error_t *err)
{
    if (len == 0)
        return 0;
    if (r->line == 0 && lw_ibnetdiscover_refuse(text, len, r->source, err) < 0)
        return -1;
    if (read_lines(r, text, len, err) < 0)
        return -1;
    if (text[len - 1] != '\n')
        check_end(r, text, len);
    return 0;
}

int lw_ibnetdiscover_close(struct lw_feed *r, lw_error_t *err)
{
    int rc = 0;

    if (r->line == 0)
        rc = lw_err(err, "%s: is empty", r->source);
    else if (r->line == r->skipped)
        rc = lw_err_at(err, r->source, 1, 1,
                       "is not the output of ibnetdiscover: none of its %zu "
                       "lines is a Switch, Ca or port line",
                       r->line);
    free(r);
    return rc;
}

int lw_ibnetdiscover_read(struct lw_fabric *f, const char *text, size_t len,
                          const char *source, lw_error_t *err)
{
    struct lw_feed *r = lw_ibnetdiscover_open(f, source, len);
    int rc;

    if (!r)
        return lw_err(err, "%s: out of memory", source);
    rc = lw_ibnetdiscover_feed(r, text, len, err);
    return lw_ibnetdiscover_close(r, err) < 0 || rc < 0 ? -1 : 0;
}
