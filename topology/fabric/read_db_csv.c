/* SPDX-License-Identifier: GPL-2.0-or-later */
/* read_db_csv.c - ibdiagnet2.db_csv: nodes, links, rates and planes
 *
 * Sections of comma-separated lines between START_NAME and END_NAME; the
 * first line of a section names its columns. */
#include "config.h"

#include "lib/strtab.h"
#include "topology/fabric/read.h"
#include "topology/fabric/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COLUMNS 128

/* A port that the PORT_HIERARCHY_INFO section gives a plane: one ASIC of a
 * box whose ASICs share a system image GUID. */
struct plane {
    uint64_t guid;
};

struct link {
    uint64_t guid[2];
    unsigned port[2];
};

struct rate {
    uint64_t guid;
    unsigned port;
    uint8_t width, speed;
};

struct reader {
    struct lw_fabric *f;
    const char *source;
    struct lw_scan heading[MAX_COLUMNS], cell[MAX_COLUMNS];
    size_t nheading, ncell;
    struct plane *planes;
    struct link *links;
    struct rate *rates;
    size_t nplanes, nlinks, nrates;
    size_t planes_size, links_size, rates_size;
    struct lw_strtab *cables; /* an HCA's to a box of planes */
};

bool lw_db_csv_knows(const char *text, size_t len)
{
    return lw_text_has(text, len, "", "START_") &&
           lw_text_has(text, len, "", "NodeGUID");
}

static void *grow(void *list, size_t n, size_t *size, size_t each)
{
    size_t more = *size ? 2 * *size : 1024;

    if (n < *size)
        return list;
    if (!(list = realloc(list, more * each)))
        return NULL;
    *size = more;
    return list;
}

/* Split a line at its commas; a cell in quotes may hold some. */
static size_t split(struct lw_scan line, struct lw_scan *cell)
{
    size_t n = 0;

    while (n < MAX_COLUMNS) {
        struct lw_scan *c = &cell[n++];
        bool quoted = lw_scan_char(&line, '"');
        char stop = quoted ? '"' : ',';

        c->p = line.p;
        while (lw_scan_more(&line) && *line.p != stop)
            line.p++;
        c->end = line.p;
        if (quoted)
            lw_scan_char(&line, '"');
        if (!lw_scan_char(&line, ','))
            break;
    }
    return n;
}

/* The cell of the column of that name, empty when there is none. */
static struct lw_scan column(const struct reader *r, const char *name)
{
    size_t i, n = strlen(name);

    for (i = 0; i < r->nheading && i < r->ncell; i++)
        if ((size_t)(r->heading[i].end - r->heading[i].p) == n &&
            strncasecmp(r->heading[i].p, name, n) == 0)
            return r->cell[i];
    return (struct lw_scan){"", ""};
}

static uint64_t hex(const struct reader *r, const char *name)
{
    struct lw_scan s = column(r, name);
    uint64_t value = 0;

    lw_scan_hex(&s, &value);
    return value;
}

static unsigned number(const struct reader *r, const char *name)
{
    struct lw_scan s = column(r, name);
    unsigned value = 0;

    lw_scan_uint(&s, &value);
    return value;
}

static int read_node(struct reader *r)
{
    static const enum lw_dev_kind kinds[] = {LW_DEV_UNKNOWN, LW_DEV_HCA,
                                             LW_DEV_SWITCH, LW_DEV_ROUTER};
    struct lw_scan desc = column(r, "NodeDesc");
    uint64_t guid = hex(r, "NodeGUID");
    unsigned type = number(r, "NodeType");
    uint32_t dev;

    if (!guid || type < 1 || type > 3)
        return 0;
    if ((dev = lw_fabric_dev(r->f, guid, kinds[type])) == LW_NO_DEV)
        return -1;
    lw_fabric_describe(r->f, dev, number(r, "VendorID"), number(r, "DeviceID"),
                       hex(r, "SystemImageGUID"), number(r, "NumPorts"));
    return lw_fabric_name(r->f, dev, desc.p, (size_t)(desc.end - desc.p));
}

static int read_link(struct reader *r)
{
    struct link *l;

    if (!(l = grow(r->links, r->nlinks, &r->links_size, sizeof(*l))))
        return -1;
    r->links = l;
    l += r->nlinks;
    l->guid[0] = hex(r, "NodeGuid1");
    l->guid[1] = hex(r, "NodeGuid2");
    l->port[0] = number(r, "PortNum1");
    l->port[1] = number(r, "PortNum2");
    r->nlinks += l->guid[0] && l->guid[1];
    return 0;
}

/* Encodings of PortInfo, LinkWidthActive and LinkSpeedActive; the extended
 * speeds follow from bit 8 on, FDR10 is Mellanox' own. */
static int read_rate(struct reader *r)
{
    static const struct {
        unsigned code;
        uint8_t value;
    } widths[] = {{1, 1}, {2, 4}, {4, 8}, {8, 12}, {16, 2}},
      speeds[] = {{1, LW_SDR},    {2, LW_DDR},       {4, LW_QDR},
                  {256, LW_FDR},  {512, LW_EDR},     {1024, LW_HDR},
                  {2048, LW_NDR}, {65536, LW_FDR10}, {4096, LW_XDR}};
    unsigned width = number(r, "LinkWidthActv");
    unsigned speed = number(r, "LinkSpeedActv");
    struct rate *p;
    size_t i;

    if (!(p = grow(r->rates, r->nrates, &r->rates_size, sizeof(*p))))
        return -1;
    r->rates = p;
    p += r->nrates;
    *p = (struct rate){hex(r, "NodeGuid"), number(r, "PortNum"), 0, 0};
    for (i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
        if (widths[i].code == width)
            p->width = widths[i].value;
    for (i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++)
        if (speeds[i].code == speed)
            p->speed = speeds[i].value;
    r->nrates += p->guid && (p->width || p->speed);
    return 0;
}

static int read_plane(struct reader *r)
{
    struct plane *p;

    if (!number(r, "Plane"))
        return 0;
    if (!(p = grow(r->planes, r->nplanes, &r->planes_size, sizeof(*p))))
        return -1;
    r->planes = p;
    p[r->nplanes++].guid = hex(r, "NodeGUID");
    return 0;
}

static int by_guid(const void *a, const void *b)
{
    uint64_t x = ((const struct plane *)a)->guid;
    uint64_t y = ((const struct plane *)b)->guid;

    return x < y ? -1 : x > y;
}

static int by_port(const void *a, const void *b)
{
    const struct rate *x = a, *y = b;

    if (x->guid != y->guid)
        return x->guid < y->guid ? -1 : 1;
    return x->port < y->port ? -1 : x->port > y->port;
}

/* The ASICs of one box of planes are one switch: each port of an HCA reaches
 * all of them, so that apart they would look like four leaves. The port
 * numbers of the ASICs repeat, so the joined switch has none. */
static uint32_t end_of(struct reader *r, uint64_t guid, bool *joined)
{
    struct plane key = {guid};
    const struct lw_dev *devs;
    size_t n;
    uint32_t dev = lw_fabric_dev(r->f, guid, LW_DEV_UNKNOWN), box;

    *joined = false;
    if (dev == LW_NO_DEV)
        return dev;
    devs = lw_fabric_devs(r->f, &n);
    if (devs[dev].kind != LW_DEV_SWITCH || !devs[dev].sysguid || !r->nplanes ||
        !bsearch(&key, r->planes, r->nplanes, sizeof(key), by_guid))
        return dev;
    *joined = true;
    if (devs[dev].sysguid == guid)
        return dev;
    box = lw_fabric_dev(r->f, devs[dev].sysguid, LW_DEV_SWITCH);
    devs = lw_fabric_devs(r->f, &n);
    if (box != LW_NO_DEV && devs[dev].name &&
        lw_fabric_name(r->f, box, devs[dev].name, strlen(devs[dev].name)) < 0)
        return LW_NO_DEV;
    return box;
}

/* The planes of one cable from an HCA to a box are one link: true when it was
 * added before. */
static bool is_plane_of_cable(struct reader *r, const struct lw_link *link)
{
    uint32_t ends[2] = {link->a, link->b};
    const struct lw_dev *devs;
    size_t n, before = lw_strtab_count(r->cables);

    devs = lw_fabric_devs(r->f, &n);
    if (devs[link->a].kind == devs[link->b].kind)
        return false;
    if (link->a > link->b) {
        ends[0] = link->b;
        ends[1] = link->a;
    }
    return lw_strtab_add(r->cables, (const char *)ends, sizeof(ends)) != before;
}

static int add_link(struct reader *r, const struct link *l)
{
    struct rate key = {l->guid[0], l->port[0], 0, 0};
    const struct rate *rate = NULL;
    struct lw_link link = {0};
    bool joined_a, joined_b;

    if ((link.a = end_of(r, l->guid[0], &joined_a)) == LW_NO_DEV ||
        (link.b = end_of(r, l->guid[1], &joined_b)) == LW_NO_DEV)
        return -1;
    if ((joined_a || joined_b) && is_plane_of_cable(r, &link))
        return 0;
    link.a_port = joined_a || l->port[0] > 255 ? 0 : (uint8_t)l->port[0];
    link.b_port = joined_b || l->port[1] > 255 ? 0 : (uint8_t)l->port[1];
    if (r->nrates)
        rate = bsearch(&key, r->rates, r->nrates, sizeof(key), by_port);
    if (rate) {
        link.width = rate->width;
        link.speed = rate->speed;
    }
    return lw_fabric_link(r->f, &link);
}

static int finish(struct reader *r)
{
    size_t i;

    if (r->nplanes)
        qsort(r->planes, r->nplanes, sizeof(*r->planes), by_guid);
    if (r->nrates)
        qsort(r->rates, r->nrates, sizeof(*r->rates), by_port);
    for (i = 0; i < r->nlinks; i++)
        if (add_link(r, &r->links[i]) < 0)
            return -1;
    return 0;
}

static const struct {
    const char *name;
    int (*row)(struct reader *r);
} sections[] = {
    {"NODES", read_node},
    {"LINKS", read_link},
    {"PORTS", read_rate},
    {"PORT_HIERARCHY_INFO", read_plane},
};

/* The function for the rows of the section that the line starts. */
static int (*row_of(struct lw_scan line))(struct reader *r)
{
    size_t i, n = (size_t)(line.end - line.p);

    for (i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
        if (strlen(sections[i].name) == n &&
            memcmp(sections[i].name, line.p, n) == 0)
            return sections[i].row;
    return NULL;
}

static int read_lines(struct reader *r, const char *text, size_t len)
{
    int (*row)(struct reader * r) = NULL;
    const char *at = text;
    struct lw_scan line;

    while (lw_scan_line(&at, text + len, &line)) {
        if (lw_scan_word(&line, "START_")) {
            row = row_of(line);
            r->nheading = 0;
        } else if (lw_scan_word(&line, "END_")) {
            row = NULL;
        } else if (row && r->nheading == 0) {
            r->nheading = split(line, r->heading);
        } else if (row && lw_scan_more(&line)) {
            r->ncell = split(line, r->cell);
            if (row(r) < 0)
                return -1;
        }
    }
    return finish(r);
}

int lw_db_csv_read(struct lw_fabric *f, const char *text, size_t len,
                   const char *source, lw_error_t *err)
{
    struct reader r = {.f = f, .source = source, .cables = lw_strtab_create()};
    int rc = r.cables ? read_lines(&r, text, len) : -1;

    if (rc < 0)
        lw_err(err, "%s: out of memory", source);
    else if (r.nlinks == 0)
        rc = lw_err(err, "%s: no link in the LINKS section", source);
    lw_strtab_destroy(r.cables);
    free(r.planes);
    free(r.links);
    free(r.rates);
    return rc;
}
