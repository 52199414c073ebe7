/* SPDX-License-Identifier: GPL-2.0-or-later */
/* read_iblinkinfo.c - iblinkinfo(8), with or without -l */
#include "config.h"

#include "lib/strtab.h"
#include "topology/fabric/read.h"
#include "topology/fabric/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIDS     65536
#define NO_LID   0u
#define LAST_LID 0xbfffu /* above are multicast and the permissive LID */

/* A line that shows a link. Without -l the far end is told by LID, port and
 * description only, so the ends are joined when all lines were read. */
struct record {
    uint32_t dev, peer; /* peer LW_NO_DEV: by LID or name */
    unsigned port, rlid, rport;
    uint8_t width, speed;
    const char *name, *rname;
    int nname, nrname;
};

struct reader {
    struct lw_fabric *f;
    const char *source;
    struct record *records;
    size_t n, room;
    uint32_t *lid; /* device + 1 by LID; LW_NO_DEV when two have it */
    /* the header above the line */
    bool is_switch;
    uint64_t guid;
    struct lw_scan name;
};

bool lw_iblinkinfo_knows(const char *text, size_t len)
{
    return lw_text_has(text, len, "", ")==>") &&
           lw_text_has(text, len, "", "==(");
}

/* "Switch: 0xGUID desc:" or "CA: desc:"; true when it was a header. */
static bool read_header(struct reader *r, struct lw_scan line)
{
    bool is_switch = lw_scan_word(&line, "Switch: ");

    if (!is_switch && !lw_scan_word(&line, "CA: ") &&
        !lw_scan_word(&line, "RT: ") && !lw_scan_word(&line, "Rt: "))
        return false;
    r->guid = 0;
    if (is_switch && !lw_scan_hex(&line, &r->guid))
        return false;
    lw_scan_blanks(&line);
    if (line.end > line.p && line.end[-1] == ':')
        line.end--;
    r->is_switch = is_switch;
    r->name = line;
    return true;
}

/* "1[  ]" or "1[ext 3]" */
static bool read_port(struct lw_scan *s, unsigned *port)
{
    lw_scan_blanks(s);
    if (!lw_scan_uint(s, port) || *port > 255 || !lw_scan_char(s, '['))
        return false;
    while (lw_scan_more(s) && !lw_scan_char(s, ']'))
        s->p++;
    return true;
}

/* The local end: [GUID ["name"]] LID PORT. Returns the device. */
static uint32_t read_local(struct reader *r, struct lw_scan *s, unsigned *lid,
                           unsigned *port)
{
    uint64_t guid = r->guid;
    enum lw_dev_kind kind = r->is_switch ? LW_DEV_SWITCH : LW_DEV_HCA;
    const char *quote;
    uint32_t dev;

    lw_scan_blanks(s);
    if (s->end - s->p > 2 && s->p[0] == '0' && s->p[1] == 'x') {
        if (!lw_scan_hex(s, &guid))
            return LW_NO_DEV;
        lw_scan_blanks(s);
        if (lw_scan_char(s, '"')) {
            /* -l; the name may hold quotes: the last one before "==(" ends
             * it. */
            quote = memmem(s->p, (size_t)(s->end - s->p), "==(", 3);
            while (quote && quote > s->p && *quote != '"')
                quote--;
            if (!quote)
                return LW_NO_DEV;
            r->name = (struct lw_scan){s->p, quote};
            s->p = quote + 1;
            kind = LW_DEV_UNKNOWN;
        }
    }
    lw_scan_blanks(s);
    if (!guid || !lw_scan_uint(s, lid) || !read_port(s, port))
        return LW_NO_DEV;
    if ((dev = lw_fabric_dev(r->f, guid, kind)) == LW_NO_DEV)
        return LW_NO_DEV;
    lw_fabric_describe(r->f, dev, 0, 0, 0, 0);
    return dev;
}

/* "( 4X 53.125 Gbps Active/ LinkUp)": false for a link that is down. */
static bool read_rate(struct lw_scan *s, struct record *rec)
{
    const char *end = memmem(s->p, (size_t)(s->end - s->p), ")==>", 4);
    struct lw_scan in = {s->p, end};
    unsigned width = 0;
    char lane[16];

    if (!end || !memmem(in.p, (size_t)(end - in.p), "LinkUp", 6))
        return false;
    lw_scan_blanks(&in);
    if (lw_scan_uint(&in, &width) && lw_scan_char(&in, 'X')) {
        rec->width = (uint8_t)width;
        lw_scan_blanks(&in);
        snprintf(lane, sizeof(lane), "%.*s", (int)(in.end - in.p), in.p);
        rec->speed = (uint8_t)lw_speed_of_lane(strtod(lane, NULL));
        if (memmem(in.p, (size_t)(end - in.p), "FDR10", 5))
            rec->speed = LW_FDR10;
    }
    s->p = end + 4;
    return true;
}

/* The far end: [GUID] LID PORT "name" (...) */
static bool read_remote(struct reader *r, struct lw_scan *s, struct record *rec)
{
    const char *quote = s->end;
    uint64_t guid;

    lw_scan_blanks(s);
    rec->peer = LW_NO_DEV;
    if (s->end - s->p > 2 && s->p[0] == '0' && s->p[1] == 'x') {
        if (!lw_scan_hex(s, &guid) || !guid)
            return false;
        rec->peer = lw_fabric_dev(r->f, guid, LW_DEV_UNKNOWN);
        if (rec->peer == LW_NO_DEV)
            return false;
        lw_scan_blanks(s);
    }
    if (!lw_scan_uint(s, &rec->rlid) || !read_port(s, &rec->rport))
        return false;
    lw_scan_blanks(s);
    if (!lw_scan_char(s, '"'))
        return false;
    while (quote > s->p && *--quote != '"')
        ;
    rec->rname = s->p;
    rec->nrname = (int)(quote - s->p);
    return true;
}

static struct record *next_record(struct reader *r)
{
    struct record *more;

    if (r->n == r->room) {
        r->room = r->room ? 2 * r->room : 1024;
        if (!(more = realloc(r->records, r->room * sizeof(*more))))
            return NULL;
        r->records = more;
    }
    memset(&r->records[r->n], 0, sizeof(*r->records));
    return &r->records[r->n];
}

static void note_lid(struct reader *r, unsigned lid, uint32_t dev)
{
    if (lid == NO_LID || lid > LAST_LID)
        return;
    if (r->lid[lid] && r->lid[lid] != dev + 1)
        r->lid[lid] = LW_NO_DEV;
    else
        r->lid[lid] = dev + 1;
}

/* One line of a port. Returns 1 when it was one, 0 when not, -1 out of
 * memory. */
static int read_line(struct reader *r, struct lw_scan line)
{
    struct record *rec = next_record(r);
    unsigned lid = 0;

    if (!rec)
        return -1;
    if (!memmem(line.p, (size_t)(line.end - line.p), "==(", 3))
        return 0;
    if ((rec->dev = read_local(r, &line, &lid, &rec->port)) == LW_NO_DEV)
        return 0;
    note_lid(r, lid, rec->dev);
    rec->name = r->name.p;
    rec->nname = (int)(r->name.end - r->name.p);
    if (lw_fabric_name(r->f, rec->dev, rec->name, (size_t)rec->nname) < 0)
        return -1;
    lw_scan_blanks(&line);
    if (!lw_scan_word(&line, "==("))
        return 0;
    if (!read_rate(&line, rec))
        return 1;
    if (!read_remote(r, &line, rec))
        return 0;
    r->n++;
    return 1;
}

/* A link as a text, from the one side or from the other. */
static size_t link_key(const struct record *rec, bool reverse, char *out,
                       size_t size)
{
    int n;

    if (reverse)
        n = snprintf(out, size, "%u %.*s\n%u %.*s", rec->rport, rec->nrname,
                     rec->rname, rec->port, rec->nname, rec->name);
    else
        n = snprintf(out, size, "%u %.*s\n%u %.*s", rec->port, rec->nname,
                     rec->name, rec->rport, rec->nrname, rec->rname);
    return (size_t)n < size ? (size_t)n : size - 1;
}

/* The records by both names and ports, for links whose LIDs say nothing. */
static struct lw_strtab *index_names(const struct reader *r)
{
    struct lw_strtab *t = lw_strtab_create();
    char key[512];
    size_t i, n;

    for (i = 0; t && i < r->n; i++) {
        n = link_key(&r->records[i], false, key, sizeof(key));
        /* a key that stands twice would shift the numbers: make it unique */
        while (lw_strtab_find(t, key, n) != LW_STRTAB_NONE &&
               n < sizeof(key) - 1)
            key[n++] = '\n';
        if (lw_strtab_add(t, key, n) != i) {
            lw_strtab_destroy(t);
            return NULL;
        }
    }
    return t;
}

static uint32_t find_peer(const struct reader *r, const struct lw_strtab *names,
                          const struct record *rec)
{
    char key[512];
    size_t n, i;

    if (rec->peer != LW_NO_DEV)
        return rec->peer;
    if (rec->rlid != NO_LID && rec->rlid <= LAST_LID && r->lid[rec->rlid] &&
        r->lid[rec->rlid] != LW_NO_DEV)
        return r->lid[rec->rlid] - 1;
    n = link_key(rec, true, key, sizeof(key));
    i = lw_strtab_find(names, key, n);
    return i == LW_STRTAB_NONE ? LW_NO_DEV : r->records[i].dev;
}

/* A far end that has no lines of its own, as CAs have none with
 * --switches-only. */
static uint32_t add_peer(const struct reader *r, const struct record *rec)
{
    char key[512];
    int n = snprintf(key, sizeof(key), "%u.%u %.*s", rec->rlid, rec->rport,
                     rec->nrname, rec->rname);

    if (rec->nrname == 0)
        return LW_NO_DEV;
    return lw_fabric_dev(
        r->f,
        lw_guid_of_name("iblinkinfo", key,
                        (size_t)n < sizeof(key) ? (size_t)n : sizeof(key) - 1),
        LW_DEV_UNKNOWN);
}

static int join(struct reader *r)
{
    struct lw_strtab *names = index_names(r);
    int rc = names ? 0 : -1;
    size_t i;

    for (i = 0; i < r->n && rc == 0; i++) {
        const struct record *rec = &r->records[i];
        struct lw_link link = {rec->dev,           find_peer(r, names, rec),
                               (uint8_t)rec->port, (uint8_t)rec->rport,
                               rec->width,         rec->speed};

        if (link.b == LW_NO_DEV && (link.b = add_peer(r, rec)) == LW_NO_DEV)
            continue;
        rc = lw_fabric_name(r->f, link.b, rec->rname, (size_t)rec->nrname);
        if (rc == 0)
            rc = lw_fabric_link(r->f, &link);
    }
    lw_strtab_destroy(names);
    return rc;
}

int lw_iblinkinfo_read(struct lw_fabric *f, const char *text, size_t len,
                       const char *source, lw_error_t *err)
{
    struct reader r = {.f = f, .source = source, .name = {text, text}};
    const char *at = text;
    struct lw_scan line;
    size_t number = 0;
    int rc = 0;

    r.lid = calloc(LIDS, sizeof(*r.lid));
    while (r.lid && rc >= 0 && lw_scan_line(&at, text + len, &line)) {
        number++;
        if (!lw_scan_more(&line) || read_header(&r, line))
            continue;
        if ((rc = read_line(&r, line)) == 0)
            lw_fabric_skip(f, source, number);
    }
    if (r.lid && rc >= 0)
        rc = join(&r);
    if (!r.lid || rc < 0 || lw_guess_kinds(f) < 0)
        rc = lw_err(err, "%s: out of memory", source);
    else if (r.n == 0)
        rc = lw_err(err, "%s: no link in this output of iblinkinfo", source);
    else
        rc = 0;
    free(r.records);
    free(r.lid);
    return rc;
}
