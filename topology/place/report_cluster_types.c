/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_cluster_types.c - what snapshots say of each type of GPU */
#include "config.h"

#include "topology/place/report_cluster.h"

#include <string.h>

/* An element of "types" as it stands in the line. */
struct type_line {
    char *type;
    long gpus, used;
    struct lw_jscan_raw startable;
};

#define FIELD(kind, key, member)                                               \
    {                                                                          \
        LW_JSCAN_KEY(key), LW_JSCAN_##kind,                                    \
            offsetof(struct type_line, member), NULL                           \
    }

static const struct lw_jscan_field type_fields[] = {
    FIELD(TEXT, "type", type),
    FIELD(LONG, "gpus", gpus),
    FIELD(LONG, "used", used),
    FIELD(RAW, "startable", startable),
    {0},
};

static const struct lw_jscan_field nodes_fields[] = {
    {LW_JSCAN_KEY("nodes"), LW_JSCAN_LONG, 0, NULL},
    {0},
};

/* The type of that name, new when there is room; NULL when there is none. */
static struct lw_cluster_type *type_of(struct lw_cluster *c, const char *name)
{
    size_t number = lw_strtab_add(c->names, name, strlen(name)), i;
    struct lw_cluster_type *t;

    if (number == LW_STRTAB_NONE) {
        c->failed = true;
        return NULL;
    }
    for (i = 0; i < c->ntypes; i++)
        if (c->types[i].name == number)
            return &c->types[i];
    if (c->ntypes == LW_SNAPSHOT_TYPES)
        return NULL;
    t = &c->types[c->ntypes++];
    memset(t, 0, sizeof(*t));
    t->name = number;
    return t;
}

/* A type that is gone has nothing now. */
static void clear_now(struct lw_cluster *c)
{
    size_t i, k;

    for (i = 0; i < c->ntypes; i++) {
        c->types[i].gpus = c->types[i].used = 0;
        for (k = 0; k < LW_KS; k++)
            c->types[i].startable[k].now = 0;
    }
}

void lw_cluster_types(struct lw_cluster *c, struct lw_jscan_raw *array)
{
    struct type_line line = {0};
    struct lw_cluster_type *t;
    long nodes = 0;
    size_t k;

    clear_now(c);
    while (array->len && lw_jscan_next(array, type_fields, &line) > 0) {
        if (line.type && (t = type_of(c, line.type))) {
            t->gpus = line.gpus;
            t->used = line.used;
            for (k = 0; k < LW_KS && line.startable.len; k++) {
                if (lw_jscan_next(&line.startable, nodes_fields, &nodes) <= 0)
                    break;
                lw_range_add(&t->startable[k], nodes);
            }
        }
        memset(&line, 0, sizeof(line));
    }
}
