/* SPDX-License-Identifier: GPL-2.0-or-later */
/* groups_findings.c - findings as a list, and those of the input itself */
#include "config.h"

#include "lib/natcmp.h"
#include "lib/plural.h"
#include "topology/fabric/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int grow(struct lw_grouping *g)
{
    struct lw_map *map = g->map;
    size_t size = g->findings_size ? g->findings_size * 2 : 64;
    struct lw_finding *list;

    if (map->nfindings < g->findings_size)
        return 0;
    if (!(list = lw_arena_array(&map->arena, size, sizeof(*list))))
        return lw_groups_no_memory(g);
    if (map->nfindings)
        memcpy(list, map->findings, map->nfindings * sizeof(*list));
    map->findings = list;
    g->findings_size = size;
    return 0;
}

static const char *copy(struct lw_grouping *g, const char *s)
{
    return s ? lw_arena_text(&g->map->arena, s, strlen(s)) : NULL;
}

int lw_finding(struct lw_grouping *g, enum lw_level level, const char *kind,
               const char *node, const char *sw, const char *fmt, ...)
{
    struct lw_finding f = {.level = level, .kind = kind};
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    if (grow(g) < 0)
        return -1;
    f.node = copy(g, node);
    f.sw = copy(g, sw);
    f.text = copy(g, text);
    if (!f.text || (node && !f.node) || (sw && !f.sw))
        return lw_groups_no_memory(g);
    g->map->findings[g->map->nfindings++] = f;
    return 0;
}

const char *lw_rate_text(unsigned width, unsigned speed, char out[LW_RATE_TEXT])
{
    snprintf(out, LW_RATE_TEXT, "%ux%s", width & 255,
             lw_speed_word((enum lw_speed)speed));
    return out;
}

static const char *name_of(const struct lw_grouping *g, uint32_t dev)
{
    uint32_t sw = g->dev_switch[dev];

    if (sw != LW_NONE)
        return g->switches[sw].name;
    return g->devs[dev].name ? g->devs[dev].name : "a device without a name";
}

static int contradictions(struct lw_grouping *g,
                          const struct lw_fabric_notes *notes)
{
    const struct lw_conflict *c = notes->conflicts;
    size_t i;

    for (i = 0; i < notes->nconflicts; i++, c++)
        if (lw_finding(g, LW_WARNING, "contradiction", NULL,
                       g->dev_switch[c->dev] == LW_NONE ? NULL
                                                        : name_of(g, c->dev),
                       "%s port %u leads to %s and to %s: what was read is not "
                       "of one time; the first one is used, read it anew",
                       name_of(g, c->dev), c->port, name_of(g, c->first),
                       name_of(g, c->second)) < 0)
            return -1;
    return 0;
}

/* Devices of a kind that others name, while some but not all have a block of
 * their own. */
static bool lacks_blocks(const struct lw_grouping *g, enum lw_dev_kind kind)
{
    size_t seen = 0, unseen = 0, i;

    for (i = 0; i < g->ndevs; i++)
        if (g->devs[i].kind == kind && !g->devs[i].declared) {
            seen += g->devs[i].seen;
            unseen += !g->devs[i].seen;
        }
    return seen && unseen;
}

/* A file that was cut loses HCAs first, then switches. */
static const char *missing_blocks(const struct lw_grouping *g)
{
    if (lacks_blocks(g, LW_DEV_SWITCH))
        return "some switches are named by others but have no entry of their "
               "own";
    if (lacks_blocks(g, LW_DEV_HCA))
        return "some HCAs are named by switches but have no entry of their "
               "own";
    return NULL;
}

int lw_findings_sources(struct lw_grouping *g)
{
    struct lw_fabric_notes notes;
    const char *why;

    lw_fabric_notes(g->fabric, &notes);
    why = notes.partial ? notes.partial : missing_blocks(g);
    if (why) {
        g->map->partial = true;
        if (lw_finding(g, LW_WARNING, "partial", NULL, NULL,
                       "something may be missing: %s; run the discovery again",
                       why) < 0)
            return -1;
    }
    if (notes.skipped &&
        lw_finding(g, LW_NOTE, "skipped-lines", NULL, NULL,
                   "%zu %s not understood and skipped, the first is "
                   "%s: look there whether something was lost",
                   notes.skipped,
                   lw_plural(notes.skipped, "line was", "lines were"),
                   notes.first_skipped) < 0)
        return -1;
    return contradictions(g, &notes);
}

static int by_weight(const void *a, const void *b)
{
    const struct lw_finding *x = a, *y = b;
    int rc;

    if (x->level != y->level)
        return x->level > y->level ? -1 : 1;
    if ((rc = strcmp(x->kind, y->kind)) ||
        (rc = lw_natcmp(x->node ? x->node : "", y->node ? y->node : "")) ||
        (rc = lw_natcmp(x->sw ? x->sw : "", y->sw ? y->sw : "")))
        return rc;
    return lw_natcmp(x->text, y->text);
}

int lw_groups_findings(struct lw_grouping *g)
{
    if (lw_findings_sources(g) < 0 || lw_findings_nodes(g) < 0 ||
        lw_findings_switches(g) < 0 || lw_findings_hosts(g) < 0 ||
        lw_findings_declared(g) < 0)
        return -1;
    if (g->map->nfindings)
        qsort(g->map->findings, g->map->nfindings, sizeof(*g->map->findings),
              by_weight);
    return 0;
}
