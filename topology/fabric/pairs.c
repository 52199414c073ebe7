/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pairs.c - how often two numbers were seen together */
#include "config.h"

#include "topology/fabric/pairs.h"

#include <stdlib.h>
#include <string.h>

static struct lw_pair *probe(const struct lw_pairs *p, uint32_t a, uint32_t b)
{
    uint64_t hash = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15ULL;
    size_t i = (size_t)(hash >> 32) & (p->size - 1);

    while (p->at[i].count && (p->at[i].a != a || p->at[i].b != b))
        i = (i + 1) & (p->size - 1);
    return &p->at[i];
}

static int grow(struct lw_pairs *p)
{
    struct lw_pairs old = *p;
    size_t i;

    p->size = old.size ? old.size * 4 : 1024;
    if (!(p->at = calloc(p->size, sizeof(*p->at)))) {
        *p = old;
        return -1;
    }
    for (i = 0; i < old.size; i++)
        if (old.at[i].count)
            *probe(p, old.at[i].a, old.at[i].b) = old.at[i];
    free(old.at);
    return 0;
}

int lw_pairs_add(struct lw_pairs *p, uint32_t a, uint32_t b)
{
    struct lw_pair *pair;

    if (p->used * 2 >= p->size && grow(p) < 0)
        return -1;
    pair = probe(p, a, b);
    if (!pair->count++) {
        pair->a = a;
        pair->b = b;
        p->used++;
    }
    return 0;
}

void lw_pairs_free(struct lw_pairs *p)
{
    free(p->at);
    memset(p, 0, sizeof(*p));
}
