/* SPDX-License-Identifier: GPL-2.0-or-later */
/* write_topology_conf.c - topology.conf of Slurm's topology/tree */
#include "config.h"

#include "topology/fabric/writers.h"

int lw_write_topology_conf(struct lw_buf *out, const struct lw_map *map,
                           const struct lw_write_options *o, lw_error_t *err)
{
    struct lw_tree tree;
    size_t i;
    int rc = 0;

    if (lw_tree_build(&tree, map, o, err) < 0)
        return -1;
    for (i = 0; i < tree.nswitches && rc == 0; i++) {
        const struct lw_tree_switch *s = &tree.switches[i];

        lw_buf_printf(out, "SwitchName=%s %s=", s->name,
                      s->nnodes ? "Nodes" : "Switches");
        rc = s->nnodes ? lw_write_names(out, o, s->nodes, s->nnodes)
                       : lw_write_names(out, o, s->children, s->nchildren);
        lw_buf_puts(out, "\n");
    }
    lw_tree_free(&tree);
    if (rc < 0 || out->failed)
        return lw_err(err, "out of memory, or the text is too large");
    return 0;
}
