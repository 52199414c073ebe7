/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_launch.c - steps that were launched with a rail missing */
#include "config.h"

#include "topology/place/report_launch.h"
#include "topology/place/report_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One entry of "rails". */
struct entry {
    char *nodes, *down, *seen;
    long rails, up;
};

#define FIELD(type, key, member)                                               \
    {                                                                          \
        LW_JSCAN_KEY(key), LW_JSCAN_##type, offsetof(struct entry, member),    \
            NULL                                                               \
    }

static const struct lw_jscan_field fields[] = {
    FIELD(TEXT, "nodes", nodes), FIELD(LONG, "rails", rails),
    FIELD(LONG, "up", up),       FIELD(TEXT, "down", down),
    FIELD(TEXT, "seen", seen),   {0},
};

int lw_launches_init(struct lw_launches *l)
{
    memset(l, 0, sizeof(*l));
    return (l->words = lw_strtab_create()) ? 0 : -1;
}

void lw_launches_free(struct lw_launches *l)
{
    lw_strtab_destroy(l->words);
    free(l->v);
}

static size_t word(struct lw_launches *l, const char *s)
{
    return lw_strtab_add(l->words, s ? s : "", s ? strlen(s) : 0);
}

static int keep(struct lw_launches *l, const struct lw_log_record *line,
                const struct entry *e)
{
    struct lw_launch *v;
    size_t size;

    l->missing++;
    if (l->n >= LW_LAUNCHES)
        return 0;
    if (l->n == l->size) {
        size = l->size ? l->size * 2 : 32;
        if (!(v = realloc(l->v, size * sizeof(*v))))
            return -1;
        l->v = v;
        l->size = size;
    }
    l->v[l->n++] = (struct lw_launch){line->job.id,
                                      line->step.id,
                                      line->step.nnodes,
                                      e->rails,
                                      e->up,
                                      word(l, line->job.user),
                                      word(l, e->nodes),
                                      word(l, e->down),
                                      word(l, e->seen),
                                      line->at_ms};
    return 0;
}

int lw_launches_add(struct lw_launches *l, struct lw_log_record *line)
{
    struct lw_jscan_raw rails = line->rails;
    struct entry e = {.rails = -1, .up = -1};
    int rc = 0;

    while (rc == 0 && lw_jscan_next(&rails, fields, &e) == 1) {
        if (e.up >= 0 && e.up < e.rails)
            rc = keep(l, line, &e);
        e = (struct entry){.rails = -1, .up = -1};
    }
    l->lines++;
    return rc;
}

static const struct lw_column columns[] = {
    {"job", "Job", 0},
    {"step", "Step", 0},
    {"user", "User", 1},
    {"nnodes", "Nodes", 2},
    {"nodes", "On", 0},
    {"up", "Rails up", 0},
    {"rails", "Of", 0},
    {"down", "Down", 3},
    {"seen", "Seen", 4},
    {"at", "When", 5},
    {0},
};

void lw_report_fill_rails(const struct lw_report *r, struct lw_sheet *t)
{
    const struct lw_launches *l = &r->launches;
    size_t i;

    lw_sheet_init(t, "rails", columns);
    snprintf(t->title, sizeof(t->title), "Steps launched with a rail missing");
    for (i = 0; i < l->n; i++) {
        const struct lw_launch *v = &l->v[i];
        const char *down = lw_strtab_name(l->words, v->down);

        lw_sheet_count(t, v->job);
        lw_sheet_count(t, v->step);
        lw_sheet_text(t, lw_strtab_name(l->words, v->user));
        lw_sheet_count(t, v->nnodes);
        lw_sheet_text(t, lw_strtab_name(l->words, v->nodes));
        lw_sheet_count(t, v->up);
        lw_sheet_count(t, v->rails);
        lw_sheet_text(t, *down ? down : NULL);
        lw_sheet_text(t, lw_strtab_name(l->words, v->seen));
        lw_sheet_time(t, v->at_ms / 1000);
    }
    if (!l->missing)
        snprintf(t->note, sizeof(t->note),
                 "There were none in %llu lines of launches.",
                 (unsigned long long)l->lines);
    else if (l->missing > l->n)
        snprintf(t->note, sizeof(t->note), "The first %zu of %llu.", l->n,
                 (unsigned long long)l->missing);
}
