/* SPDX-License-Identifier: GPL-2.0-or-later */
/* write_block.c - topology.conf of Slurm's topology/block */
#include "config.h"

#include "lib/plural.h"
#include "topology/fabric/writers.h"

static int write_short(struct lw_buf *out, const struct lw_blocks *b,
                       const struct lw_write_options *o)
{
    size_t i;

    for (i = 0; i < b->nleft; i++) {
        lw_buf_printf(out, "# left out, fewer than %zu nodes: %s ", b->sizes[0],
                      b->left[i].name);
        if (lw_write_names(out, o, b->left[i].nodes, b->left[i].nnodes) < 0)
            return -1;
        lw_buf_puts(out, "\n");
        if (o->notes)
            lw_buf_printf(o->notes,
                          "block %s has %zu %s, fewer than the base size "
                          "%zu, and is left out\n",
                          b->left[i].name, b->left[i].nnodes,
                          lw_plural(b->left[i].nnodes, "node", "nodes"),
                          b->sizes[0]);
    }
    return 0;
}

int lw_write_block(struct lw_buf *out, const struct lw_map *map,
                   const struct lw_write_options *o, lw_error_t *err)
{
    struct lw_blocks b;
    size_t i;
    int rc;

    if (lw_blocks_build(&b, map, o, err) < 0)
        return -1;
    rc = write_short(out, &b, o);
    for (i = 0; i < b.nblocks && rc == 0; i++) {
        lw_buf_printf(out, "BlockName=%s Nodes=", b.blocks[i].name);
        rc = lw_write_names(out, o, b.blocks[i].nodes, b.blocks[i].nnodes);
        lw_buf_puts(out, "\n");
    }
    lw_buf_printf(out, "BlockSizes=%zu", b.sizes[0]);
    if (b.nsizes > 1)
        lw_buf_printf(out, ",%zu", b.sizes[1]);
    lw_buf_puts(out, "\n");
    lw_blocks_free(&b);
    if (rc < 0 || out->failed)
        return lw_err(err, "out of memory, or the text is too large");
    return 0;
}
