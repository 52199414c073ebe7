/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blocks.c - the fabric map as the blocks of Slurm's topology/block */
#include "config.h"

#include "lib/natcmp.h"
#include "topology/fabric/writers.h"

#include <stdlib.h>
#include <string.h>

static int no_memory(lw_error_t *err)
{
    return lw_err(err, "out of memory");
}

/* Where the nodes of node 'n' are gathered: its domain, else its group. */
static size_t slot_of(const struct lw_map *map, const struct lw_map_node *n)
{
    return n->domain >= 0 ? (size_t)n->domain
                          : map->ndomains + (size_t)n->group;
}

/* A group that shares its name with a domain is the group, and says so. */
static const char *slot_name(struct lw_blocks *b, const struct lw_map *map,
                             size_t slot)
{
    const char *name;
    size_t i;

    if (slot < map->ndomains)
        return map->domains[slot];
    name = map->groups[slot - map->ndomains].name;
    for (i = 0; i < map->ndomains; i++)
        if (strcmp(map->domains[i], name) == 0)
            return lw_arena_printf(&b->arena, "%.*s-group",
                                   LW_SWITCH_NAME_MAX - 6, name);
    return name;
}

static int by_place(const void *a, const void *b)
{
    const struct lw_block *x = a, *y = b;

    if (x->pod != y->pod)
        return x->pod < y->pod ? -1 : 1;
    return lw_natcmp(x->name, y->name);
}

/* All blocks, in order of pod and name: Slurm joins blocks that follow each
 * other in the file. */
static int gather(struct lw_blocks *b, const struct lw_map *map,
                  lw_error_t *err)
{
    size_t nslots = map->ndomains + map->ngroups, i;
    struct lw_block *slot = lw_arena_array(&b->arena, nslots, sizeof(*slot));

    if (!slot)
        return no_memory(err);
    for (i = 0; i < map->nnodes; i++)
        slot[slot_of(map, &map->nodes[i])].nnodes++;
    for (i = 0; i < nslots; i++) {
        slot[i].pod = -2;
        slot[i].name = slot_name(b, map, i);
        slot[i].nodes =
            lw_arena_array(&b->arena, slot[i].nnodes, sizeof(*slot[i].nodes));
        if (!slot[i].name || !slot[i].nodes)
            return no_memory(err);
        slot[i].nnodes = 0;
    }
    for (i = 0; i < map->nnodes; i++) {
        struct lw_block *s = &slot[slot_of(map, &map->nodes[i])];

        if (s->nnodes == 0)
            s->pod = map->nodes[i].pod;
        s->nodes[s->nnodes++] = map->nodes[i].name;
    }
    b->blocks = slot;
    for (i = 0; i < nslots; i++)
        if (slot[i].nnodes > 0)
            slot[b->nblocks++] = slot[i];
    qsort(slot, b->nblocks, sizeof(*slot), by_place);
    return b->nblocks ? 0 : lw_err(err, "the map holds no nodes");
}

static int by_size(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return x < y ? -1 : x > y;
}

/* The smallest block that has at least half the nodes of the middle one:
 * every usual block fits, and a stump does not shrink the segments of all. */
static size_t fitting_size(struct lw_blocks *b)
{
    size_t *size = lw_arena_array(&b->arena, b->nblocks, sizeof(*size));
    size_t i, middle;

    if (!size)
        return 0;
    for (i = 0; i < b->nblocks; i++)
        size[i] = b->blocks[i].nnodes;
    qsort(size, b->nblocks, sizeof(*size), by_size);
    middle = size[b->nblocks / 2];
    for (i = 0; size[i] * 2 < middle; i++)
        ;
    return size[i];
}

static int drop_short(struct lw_blocks *b, size_t base, lw_error_t *err)
{
    size_t i, n = 0;

    b->left = lw_arena_array(&b->arena, b->nblocks, sizeof(*b->left));
    if (!b->left)
        return no_memory(err);
    for (i = 0; i < b->nblocks; i++)
        if (b->blocks[i].nnodes < base)
            b->left[b->nleft++] = b->blocks[i];
        else
            b->blocks[n++] = b->blocks[i];
    b->nblocks = n;
    if (n == 0)
        return lw_err(err, "no block has %zu nodes", base);
    return 0;
}

/* The number of blocks in a pod when a pod can be a larger block: a power of
 * two, the same in every pod, and less than all. Slurm counts blocks from the
 * first line on, so only the last pod may be smaller. Else 0. */
static size_t pod_blocks(const struct lw_blocks *b)
{
    size_t i, start = 0, first = 0, n;

    for (i = 1; i <= b->nblocks; i++) {
        if (i < b->nblocks && b->blocks[i].pod == b->blocks[start].pod)
            continue;
        n = i - start;
        if (!first)
            first = n;
        if (n > first || (n < first && i < b->nblocks))
            return 0;
        start = i;
    }
    if (first < 2 || first == b->nblocks || (first & (first - 1)))
        return 0;
    return first;
}

int lw_blocks_build(struct lw_blocks *blocks, const struct lw_map *map,
                    const struct lw_write_options *o, lw_error_t *err)
{
    struct lw_blocks b = {0};
    size_t pod;

    if (gather(&b, map, err) < 0)
        goto error;
    b.sizes[0] = o->block_size ? o->block_size : fitting_size(&b);
    if (!b.sizes[0]) {
        no_memory(err);
        goto error;
    }
    if (drop_short(&b, b.sizes[0], err) < 0)
        goto error;
    b.nsizes = 1;
    if ((pod = pod_blocks(&b)))
        b.sizes[b.nsizes++] = b.sizes[0] * pod;
    *blocks = b;
    return 0;
error:
    lw_blocks_free(&b);
    return -1;
}

void lw_blocks_free(struct lw_blocks *blocks)
{
    lw_arena_free(&blocks->arena);
    memset(blocks, 0, sizeof(*blocks));
}
