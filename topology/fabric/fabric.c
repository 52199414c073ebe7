/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric.c - the fabric graph: devices by GUID, links by port */
#include "config.h"

#include "lib/arena.h"
#include "topology/fabric/fabric.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CONFLICTS 256
#define HASH_FACTOR   0x9e3779b97f4a7c15ULL

/* Link number + 1 by port number; port 1, the only one of most HCAs, stands
 * here. */
struct ports {
    uint32_t *link;
    uint32_t size;
    uint32_t one;
};

struct lw_fabric {
    struct lw_dev *devs;
    struct ports *ports; /* by device */
    size_t ndevs, devs_size;
    struct lw_link *links;
    size_t nlinks, links_size;
    uint64_t *slots; /* upper half of the hash, lower half index + 1 */
    unsigned bits;   /* log2 of the number of slots */
    struct lw_arena arena;
    struct lw_conflict conflicts[MAX_CONFLICTS];
    size_t nconflicts;
    struct lw_host_domain *domains;
    size_t ndomains, domains_size;
    size_t skipped;
    const char *first_skipped, *partial;
    bool leaves_only;
    lw_expand_f expand;
};

struct lw_fabric *lw_fabric_create(void)
{
    struct lw_fabric *f = calloc(1, sizeof(*f));

    if (f) {
        f->bits = 10;
        f->slots = calloc((size_t)1 << f->bits, sizeof(*f->slots));
    }
    if (f && !f->slots) {
        free(f);
        f = NULL;
    }
    return f;
}

void lw_fabric_destroy(struct lw_fabric *f)
{
    int saved = errno;

    if (!f)
        return;
    free(f->devs);
    free(f->ports);
    free(f->links);
    free(f->slots);
    free(f->domains);
    lw_arena_free(&f->arena);
    free(f);
    errno = saved;
}

const struct lw_dev *lw_fabric_devs(const struct lw_fabric *f, size_t *n)
{
    *n = f->ndevs;
    return f->devs;
}

const struct lw_link *lw_fabric_links(const struct lw_fabric *f, size_t *n)
{
    *n = f->nlinks;
    return f->links;
}

size_t lw_fabric_skipped(const struct lw_fabric *f)
{
    return f->skipped;
}

void lw_fabric_notes(const struct lw_fabric *f, struct lw_fabric_notes *notes)
{
    notes->skipped = f->skipped;
    notes->first_skipped = f->first_skipped;
    notes->partial = f->partial;
    notes->leaves_only = f->leaves_only;
    notes->conflicts = f->conflicts;
    notes->nconflicts = f->nconflicts;
    notes->domains = f->domains;
    notes->ndomains = f->ndomains;
}

/* By enum lw_speed; XDR came with infiniband-diags 48. */
static const char *const speeds[] = {"???", "SDR", "DDR", "QDR", "FDR10",
                                     "FDR", "EDR", "HDR", "NDR", "XDR"};

const char *lw_speed_word(enum lw_speed speed)
{
    return speeds[speed];
}

enum lw_speed lw_speed_parse(const char *s, size_t len)
{
    unsigned i;

    for (i = LW_XDR; i > LW_SPEED_UNKNOWN; i--)
        if (strlen(speeds[i]) == len && !memcmp(speeds[i], s, len))
            break;
    return (enum lw_speed)i;
}

/* The slot of the GUID, or the free one where it belongs. */
static size_t probe(const struct lw_fabric *f, uint64_t guid)
{
    uint64_t hash = guid * HASH_FACTOR, slot;
    size_t mask = ((size_t)1 << f->bits) - 1;
    size_t i = (size_t)(hash >> (64 - f->bits));

    while ((slot = f->slots[i])) {
        if (slot >> 32 == hash >> 32 &&
            f->devs[(uint32_t)slot - 1].guid == guid)
            break;
        i = (i + 1) & mask;
    }
    return i;
}

static uint64_t slot_of(uint64_t guid, size_t index)
{
    uint64_t hash = guid * HASH_FACTOR;

    return (hash & 0xffffffff00000000ULL) | (index + 1);
}

/* That many more times two the slots. */
static int rehash(struct lw_fabric *f, unsigned more)
{
    size_t size = sizeof(*f->slots) << (f->bits + more), i;
    uint64_t *slots = lw_alloc_large(size);

    if (!slots)
        return -1;
    memset(slots, 0, size);
    free(f->slots);
    f->slots = slots;
    f->bits += more;
    for (i = 0; i < f->ndevs; i++)
        slots[probe(f, f->devs[i].guid)] = slot_of(f->devs[i].guid, i);
    return 0;
}

/* Like realloc(), with large pages for what is large. */
static void *enlarge(void *old, size_t used, size_t size)
{
    void *p = lw_alloc_large(size);

    if (p && used)
        memcpy(p, old, used);
    if (p)
        free(old);
    return p;
}

static int grow_devs(struct lw_fabric *f, size_t size)
{
    struct lw_dev *devs;
    struct ports *ports;

    if (size >= LW_NO_DEV) {
        errno = EOVERFLOW;
        return -1;
    }
    if (!(devs =
              enlarge(f->devs, f->ndevs * sizeof(*devs), size * sizeof(*devs))))
        return -1;
    f->devs = devs;
    if (!(ports = enlarge(f->ports, f->ndevs * sizeof(*ports),
                          size * sizeof(*ports))))
        return -1;
    f->ports = ports;
    f->devs_size = size;
    return 0;
}

static int grow_links(struct lw_fabric *f, size_t size)
{
    struct lw_link *links;

    if (size >= UINT32_MAX) {
        errno = EOVERFLOW;
        return -1;
    }
    if (!(links = enlarge(f->links, f->nlinks * sizeof(*links),
                          size * sizeof(*links))))
        return -1;
    f->links = links;
    f->links_size = size;
    return 0;
}

void lw_fabric_reserve(struct lw_fabric *f, size_t devs, size_t links)
{
    unsigned more = 0;

    /* Only a matter of speed: what fails here is tried again later. */
    devs += f->ndevs;
    links += f->nlinks;
    while ((size_t)1 << (f->bits + more) < devs * 2 && f->bits + more < 31)
        more++;
    if (more)
        rehash(f, more);
    if (devs > f->devs_size)
        grow_devs(f, devs);
    if (links > f->links_size)
        grow_links(f, links);
}

static uint32_t add_dev(struct lw_fabric *f, uint64_t guid)
{
    size_t i = f->ndevs;

    if (i == f->devs_size &&
        grow_devs(f, f->devs_size ? f->devs_size * 2 : 256) < 0)
        return LW_NO_DEV;
    if (i * 2 >= (size_t)1 << f->bits && rehash(f, 1) < 0)
        return LW_NO_DEV;
    memset(&f->devs[i], 0, sizeof(f->devs[i]));
    memset(&f->ports[i], 0, sizeof(f->ports[i]));
    f->devs[i].guid = guid;
    f->slots[probe(f, guid)] = slot_of(guid, i);
    f->ndevs++;
    return (uint32_t)i;
}

uint32_t lw_fabric_find(const struct lw_fabric *f, uint64_t guid)
{
    uint64_t slot = f->slots[probe(f, guid)];

    return slot ? (uint32_t)slot - 1 : LW_NO_DEV;
}

uint32_t lw_fabric_dev(struct lw_fabric *f, uint64_t guid,
                       enum lw_dev_kind kind)
{
    uint32_t i = lw_fabric_find(f, guid);

    if (i == LW_NO_DEV)
        i = add_dev(f, guid);
    if (i != LW_NO_DEV && f->devs[i].kind == LW_DEV_UNKNOWN)
        f->devs[i].kind = (uint8_t)kind;
    return i;
}

/* A copy without blanks at the ends; a byte that is no printable ASCII
 * becomes '?', so that the map is always valid UTF-8. */
static const char *clean(struct lw_fabric *f, const char *s, size_t len)
{
    char *text = lw_arena_text(&f->arena, s, len);
    size_t i;

    for (i = 0; text && i < len; i++)
        if (text[i] < 0x20 || text[i] >= 0x7f)
            text[i] = '?';
    return text;
}

static void trim(const char **s, size_t *len)
{
    while (*len && (**s == ' ' || **s == '\t')) {
        (*s)++;
        (*len)--;
    }
    while (*len && strchr(" \t\r", (*s)[*len - 1]))
        (*len)--;
}

static bool same_text(const char *have, const char *s, size_t len)
{
    return strlen(have) == len && !memcmp(have, s, len);
}

int lw_fabric_name(struct lw_fabric *f, uint32_t dev, const char *s, size_t len)
{
    struct lw_dev *d = &f->devs[dev];
    const char **to = d->name ? &d->alias : &d->name;

    trim(&s, &len);
    if (!len || *to || (d->name && same_text(d->name, s, len)))
        return 0;
    return (*to = clean(f, s, len)) ? 0 : -1;
}

int lw_fabric_peer_name(struct lw_fabric *f, uint32_t dev, const char *s,
                        size_t len)
{
    const struct lw_dev *d = &f->devs[dev];

    if (d->kind == LW_DEV_SWITCH && d->name)
        return 0;
    return lw_fabric_name(f, dev, s, len);
}

int lw_fabric_rename(struct lw_fabric *f, uint32_t dev, const char *s,
                     size_t len)
{
    struct lw_dev *d = &f->devs[dev];
    const char *name;

    trim(&s, &len);
    if (!len)
        return 0;
    if (!(name = clean(f, s, len)))
        return -1;
    /* What the device says of itself still tells its device word. */
    if (!d->named && !d->alias)
        d->alias = d->name;
    d->name = name;
    d->named = true;
    return 0;
}

void lw_fabric_describe(struct lw_fabric *f, uint32_t dev, uint32_t vendid,
                        uint32_t devid, uint64_t sysguid, unsigned nports)
{
    struct lw_dev *d = &f->devs[dev];

    d->seen = true;
    if (vendid)
        d->vendid = vendid;
    if (devid)
        d->devid = devid;
    if (sysguid)
        d->sysguid = sysguid;
    if (nports && nports <= UINT16_MAX)
        d->nports = (uint16_t)nports;
}

void lw_fabric_declare(struct lw_fabric *f, uint32_t dev)
{
    f->devs[dev].declared = true;
}

void lw_fabric_leaves_only(struct lw_fabric *f)
{
    f->leaves_only = true;
}

/* Where the link number of a port is kept, NULL when out of memory. */
static uint32_t *port_slot(struct lw_fabric *f, uint32_t dev, unsigned port)
{
    struct ports *p = &f->ports[dev];
    uint32_t size, *link;

    if (port == 1)
        return &p->one;
    if (port < p->size)
        return &p->link[port];
    /* HCAs have a few ports and switches as many as they said. */
    size = port < 4 ? 4 : 256;
    if (f->devs[dev].nports < 255 && f->devs[dev].nports >= port)
        size = f->devs[dev].nports + 1U;
    if (!(link = lw_arena_array(&f->arena, size, sizeof(*link))))
        return NULL;
    if (p->size)
        memcpy(link, p->link, p->size * sizeof(*link));
    p->link = link;
    p->size = size;
    return &link[port];
}

/* Said once, although both ends of the second cable are read. */
static void add_conflict(struct lw_fabric *f, uint32_t dev, uint8_t port,
                         uint32_t first, uint32_t second)
{
    const struct lw_conflict *c = f->conflicts, *end = c + f->nconflicts;

    for (; c < end; c++)
        if (c->dev == dev && c->port == port && c->second == second)
            return;
    if (f->nconflicts < MAX_CONFLICTS)
        f->conflicts[f->nconflicts++] =
            (struct lw_conflict){dev, first, second, port};
}

/* A port that one of the sources does not tell is no contradiction. */
static bool same_port(unsigned a, unsigned b)
{
    return a == b || !a || !b;
}

/* True when 'have' is the same cable as 'link'. */
static bool same_cable(const struct lw_link *have, const struct lw_link *link)
{
    return (have->a == link->a && same_port(have->a_port, link->a_port) &&
            have->b == link->b && same_port(have->b_port, link->b_port)) ||
           (have->a == link->b && same_port(have->a_port, link->b_port) &&
            have->b == link->a && same_port(have->b_port, link->a_port));
}

/* The port is taken: by this same cable, or by another one. */
static void meet(struct lw_fabric *f, uint32_t number, uint32_t dev,
                 const struct lw_link *link)
{
    struct lw_link *have = &f->links[number];
    uint32_t first = have->a == dev ? have->b : have->a;
    uint32_t second = link->a == dev ? link->b : link->a;

    if (same_cable(have, link)) {
        if (!have->width)
            have->width = link->width;
        if (!have->speed)
            have->speed = link->speed;
    } else {
        add_conflict(f, dev, link->a == dev ? link->a_port : link->b_port,
                     first, second);
    }
}

int lw_fabric_link(struct lw_fabric *f, const struct lw_link *link)
{
    uint32_t unused = 0, *a = &unused, *b = &unused;

    if (link->a == link->b)
        return 0;
    if (link->a_port && !(a = port_slot(f, link->a, link->a_port)))
        return -1;
    if (link->b_port && !(b = port_slot(f, link->b, link->b_port)))
        return -1;
    if (*a || *b) {
        meet(f, (*a ? *a : *b) - 1, *a ? link->a : link->b, link);
        return 0;
    }
    if (f->nlinks == f->links_size &&
        grow_links(f, f->links_size ? f->links_size * 2 : 1024) < 0)
        return -1;
    f->links[f->nlinks++] = *link;
    *a = *b = (uint32_t)f->nlinks;
    return 0;
}

int lw_fabric_domain(struct lw_fabric *f, const char *host, size_t host_len,
                     const char *domain, size_t domain_len)
{
    size_t size = f->domains_size ? f->domains_size * 2 : 64;
    struct lw_host_domain *d = f->domains;

    trim(&host, &host_len);
    trim(&domain, &domain_len);
    if (!host_len || !domain_len)
        return 0;
    if (f->ndomains == f->domains_size) {
        if (!(d = realloc(d, size * sizeof(*d))))
            return -1;
        f->domains = d;
        f->domains_size = size;
    }
    d += f->ndomains;
    if (!(d->host = clean(f, host, host_len)) ||
        !(d->domain = clean(f, domain, domain_len)))
        return -1;
    f->ndomains++;
    return 0;
}

void lw_fabric_skip(struct lw_fabric *f, const char *source, size_t line)
{
    if (f->skipped++ == 0)
        f->first_skipped = lw_arena_printf(&f->arena, "%s:%zu", source, line);
}

void lw_fabric_partial(struct lw_fabric *f, const char *why)
{
    if (!f->partial)
        f->partial = lw_arena_text(&f->arena, why, strlen(why));
}

void lw_fabric_set_expand(struct lw_fabric *f, lw_expand_f expand)
{
    f->expand = expand;
}

lw_expand_f lw_fabric_expand(const struct lw_fabric *f)
{
    return f->expand;
}
