/* SPDX-License-Identifier: GPL-2.0-or-later */
/* read_common.c - what the readers share */
#include "config.h"

#include "lib/buf.h"
#include "topology/fabric/desc.h"
#include "topology/fabric/read.h"
#include "topology/fabric/scan.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More links than the ports of any HCA. */
#define HCA_LINKS 4

/* FNV-1a, with the bit of a locally administered address set: no vendor's
 * GUID has it. */
uint64_t lw_guid_of_name(const char *kind, const char *name, size_t len)
{
    uint64_t h = 0xcbf29ce484222325u;
    size_t i;

    for (; *kind; kind++)
        h = (h ^ (unsigned char)*kind) * 0x100000001b3u;
    h = (h ^ ':') * 0x100000001b3u;
    for (i = 0; i < len; i++)
        h = (h ^ (unsigned char)name[i]) * 0x100000001b3u;
    return h | (uint64_t)2 << 56;
}

enum lw_speed lw_speed_of_lane(double gbps)
{
    static const double below[] = {1, 4, 8, 12, 20, 40, 80, 160};
    static const enum lw_speed speed[] = {LW_SPEED_UNKNOWN, LW_SDR, LW_DDR,
                                          LW_QDR,           LW_FDR, LW_EDR,
                                          LW_HDR,           LW_NDR};
    size_t i;

    for (i = 0; i < sizeof(below) / sizeof(below[0]); i++)
        if (gbps < below[i])
            return speed[i];
    return gbps < 320 ? LW_XDR : LW_SPEED_UNKNOWN;
}

/* What a device is: a switch by its many links or its description, an HCA by
 * the device word in its description, else whichever has few links. */
static enum lw_dev_kind kind_of(const char *desc, size_t nlinks)
{
    static const char *const switches[] = {"MF0;", "Quantum", "SwitchIB",
                                           "SwitchX", "Infiniscale"};
    struct lw_desc d;
    size_t i;

    if (nlinks > HCA_LINKS)
        return LW_DEV_SWITCH;
    for (i = 0; desc && i < sizeof(switches) / sizeof(switches[0]); i++)
        if (strncmp(desc, switches[i], strlen(switches[i])) == 0)
            return LW_DEV_SWITCH;
    if (desc && lw_desc_split(desc, &d) && d.device.n > 0)
        return LW_DEV_HCA;
    return nlinks <= 2 ? LW_DEV_HCA : LW_DEV_SWITCH;
}

int lw_guess_kinds(struct lw_fabric *f)
{
    size_t ndevs, nlinks, i, *count;
    const struct lw_dev *devs = lw_fabric_devs(f, &ndevs);
    const struct lw_link *links = lw_fabric_links(f, &nlinks);

    if (!(count = calloc(ndevs + 1, sizeof(*count))))
        return -1;
    for (i = 0; i < nlinks; i++) {
        count[links[i].a]++;
        count[links[i].b]++;
    }
    for (i = 0; i < ndevs; i++)
        if (devs[i].kind == LW_DEV_UNKNOWN)
            lw_fabric_dev(f, devs[i].guid, kind_of(devs[i].name, count[i]));
    free(count);
    return 0;
}

json_t *lw_read_json(const char *text, size_t len, const char *source,
                     lw_error_t *err)
{
    json_error_t where;
    json_t *root = json_loadb(text, len, JSON_ALLOW_NUL, &where);

    if (!root)
        lw_err_at(err, source, where.line, where.column, "%s", where.text);
    return root;
}

const char *lw_read_member(const json_t *from, const char *key)
{
    const char *s = json_string_value(json_object_get(from, key));

    return s ? s : "";
}

bool lw_text_has(const char *text, size_t len, const char *first,
                 const char *word)
{
    size_t i = 0, n = strlen(word);

    while (i < len && isspace((unsigned char)text[i]))
        i++;
    if (i == len || (*first && !strchr(first, text[i])))
        return false;
    return memmem(text + i, len - i > 65536 ? 65536 : len - i, word, n) != NULL;
}

void lw_host_of_source(const char *source, char *host, size_t size)
{
    static const char *const endings[] = {".json", ".txt", ".out", ".csv",
                                          ".log"};
    const char *base = strrchr(source, '/');
    size_t i, n, m;

    base = base ? base + 1 : source;
    n = strlen(base);
    for (i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        m = strlen(endings[i]);
        if (n > m && strcmp(base + n - m, endings[i]) == 0)
            n -= m;
    }
    snprintf(host, size, "%.*s", (int)n, base);
}

/* The host of a line that starts with "host: "; its length, or 0. */
static size_t prefix_of(struct lw_scan line)
{
    const char *p = line.p;

    while (p < line.end && (isalnum((unsigned char)*p) || strchr("-._", *p)))
        p++;
    if (p == line.p || p + 1 > line.end || *p != ':' ||
        (p + 1 < line.end && p[1] != ' '))
        return 0;
    return (size_t)(p - line.p);
}

static bool is_dashes(struct lw_scan line)
{
    const char *p = line.p;

    while (p < line.end && *p == '-')
        p++;
    return p == line.end && p - line.p >= 3;
}

/* Where the lines of one host are gathered. */
struct part {
    struct lw_buf host, text;
    lw_host_part_f call;
    void *arg;
};

/* Hand over what was gathered and start with the next host. */
static int flush(struct part *p, const char *host, size_t len)
{
    int rc = 0;

    if (p->host.len > 0 && p->text.len > 0)
        rc = p->call(p->host.text, p->text.text, p->text.len, p->arg);
    lw_buf_free(&p->host);
    lw_buf_free(&p->text);
    lw_buf_add(&p->host, host, len);
    return rc;
}

static void gather(struct part *p, const char *s, const char *end)
{
    lw_buf_add(&p->text, s, (size_t)(end - s));
    lw_buf_puts(&p->text, "\n");
}

/* "host: text" lines; pdsh mixes the lines of hosts, so that each line that
 * changes the host would end a part: they are sorted by host first. */
struct line {
    const char *host;
    size_t nhost;
    const char *text, *end;
    size_t at;
};

static int by_host(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    size_t n = x->nhost < y->nhost ? x->nhost : y->nhost;
    int order = memcmp(x->host, y->host, n);

    if (order)
        return order;
    if (x->nhost != y->nhost)
        return x->nhost < y->nhost ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static int each_prefixed(struct part *p, struct line *lines, size_t n)
{
    size_t i;
    int rc = 0;

    qsort(lines, n, sizeof(*lines), by_host);
    for (i = 0; i < n && rc == 0; i++) {
        if (i == 0 || lines[i].nhost != lines[i - 1].nhost ||
            memcmp(lines[i].host, lines[i - 1].host, lines[i].nhost) != 0)
            rc = flush(p, lines[i].host, lines[i].nhost);
        gather(p, lines[i].text, lines[i].end);
    }
    return rc == 0 ? flush(p, "", 0) : rc;
}

/* All lines that start with "host: "; false when one does not. */
static bool find_prefixed(const char *text, size_t len, struct line *lines,
                          size_t *n)
{
    const char *at = text;
    struct lw_scan line;
    size_t host;

    for (*n = 0; lw_scan_line(&at, text + len, &line);) {
        if (!lw_scan_more(&line))
            continue;
        if (!(host = prefix_of(line)))
            return false;
        lines[*n].host = line.p;
        lines[*n].nhost = host;
        lines[*n].text = line.p + host + 1;
        lines[*n].text += lines[*n].text < line.end;
        lines[*n].end = line.end;
        lines[*n].at = *n;
        ++*n;
    }
    return *n > 0;
}

/* A name between two lines of dashes starts the part of that host; text
 * before the first one belongs to the host of the source. */
static int each_headed(struct part *p, const char *text, size_t len)
{
    const char *at = text;
    struct lw_scan line, name;
    int rc = 0;

    while (rc == 0 && lw_scan_line(&at, text + len, &line)) {
        const char *ahead = at;
        struct lw_scan after;

        if (is_dashes(line) && lw_scan_line(&ahead, text + len, &name) &&
            lw_scan_more(&name) && lw_scan_line(&ahead, text + len, &after) &&
            is_dashes(after)) {
            rc = flush(p, name.p, (size_t)(name.end - name.p));
            at = ahead;
            continue;
        }
        gather(p, line.p, line.end);
    }
    return rc == 0 ? flush(p, "", 0) : rc;
}

int lw_each_host(const char *text, size_t len, const char *source,
                 lw_host_part_f part, void *arg)
{
    struct part p = {LW_BUF_INIT(4096), LW_BUF_INIT(len + 4096), part, arg};
    size_t nlines = 1, n, i;
    struct line *lines;
    char host[256];
    int rc;

    for (i = 0; i < len; i++)
        nlines += text[i] == '\n';
    if (!(lines = calloc(nlines, sizeof(*lines))))
        return -1;
    lw_host_of_source(source, host, sizeof(host));
    if (find_prefixed(text, len, lines, &n)) {
        rc = each_prefixed(&p, lines, n);
    } else {
        lw_buf_puts(&p.host, host);
        rc = each_headed(&p, text, len);
    }
    if (p.host.failed || p.text.failed)
        rc = -1;
    lw_buf_free(&p.host);
    lw_buf_free(&p.text);
    free(lines);
    return rc;
}
