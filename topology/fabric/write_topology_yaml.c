/* SPDX-License-Identifier: GPL-2.0-or-later */
/* write_topology_yaml.c - topology.yaml of Slurm 25.05 and later: the tree
 * and the blocks side by side, for partitions to choose from */
#include "config.h"

#include "topology/fabric/writers.h"

#include <string.h>

/* Names are quoted, so that 12, yes or null stay names. They hold no quotes
 * and no backslashes: the caller has had them checked as host lists. */
static int write_list(struct lw_buf *out, const struct lw_write_options *o,
                      const char *key, const char *const *names, size_t n)
{
    int rc;

    lw_buf_printf(out, "      %s: \"", key);
    rc = lw_write_names(out, o, names, n);
    lw_buf_puts(out, "\"\n");
    return rc;
}

static int write_tree(struct lw_buf *out, const struct lw_map *map,
                      const struct lw_write_options *o, lw_error_t *err)
{
    struct lw_tree tree;
    size_t i;
    int rc = 0;

    if (lw_tree_build(&tree, map, o, err) < 0)
        return -1;
    lw_buf_puts(out, "- topology: tree\n"
                     "  cluster_default: true\n"
                     "  tree:\n"
                     "    switches:\n");
    for (i = 0; i < tree.nswitches && rc == 0; i++) {
        const struct lw_tree_switch *s = &tree.switches[i];

        lw_buf_printf(out, "    - switch: \"%s\"\n", s->name);
        rc = s->nnodes
                 ? write_list(out, o, "nodes", s->nodes, s->nnodes)
                 : write_list(out, o, "children", s->children, s->nchildren);
    }
    lw_tree_free(&tree);
    return rc;
}

static int write_blocks(struct lw_buf *out, const struct lw_map *map,
                        const struct lw_write_options *o, lw_error_t *err)
{
    struct lw_blocks b;
    size_t i;
    int rc = 0;

    if (lw_blocks_build(&b, map, o, err) < 0)
        return -1;
    lw_buf_puts(out, "- topology: block\n"
                     "  cluster_default: false\n"
                     "  block:\n"
                     "    block_sizes:\n");
    for (i = 0; i < b.nsizes; i++)
        lw_buf_printf(out, "    - %zu\n", b.sizes[i]);
    lw_buf_puts(out, "    blocks:\n");
    for (i = 0; i < b.nblocks && rc == 0; i++) {
        lw_buf_printf(out, "    - block: \"%s\"\n", b.blocks[i].name);
        rc = write_list(out, o, "nodes", b.blocks[i].nodes, b.blocks[i].nnodes);
    }
    /* 25.05 and later take short blocks too, but the segments of the base
     * size do not fit them; their nodes still have the tree. */
    for (i = 0; i < b.nleft; i++)
        lw_buf_printf(out, "    # left out, fewer than %zu nodes: %s\n",
                      b.sizes[0], b.left[i].name);
    lw_blocks_free(&b);
    return rc;
}

int lw_write_topology_yaml(struct lw_buf *out, const struct lw_map *map,
                           const struct lw_write_options *o, lw_error_t *err)
{
    if (write_tree(out, map, o, err) < 0 ||
        write_blocks(out, map, o, err) < 0 || out->failed)
        return lw_err(err, "out of memory, or the text is too large");
    return 0;
}

/* "- topology: NAME" or "topology: NAME" at the start of a line; the length
 * of the name, 0 for another line. */
static size_t topology_name(const char *line, const char **name)
{
    static const char key[] = "topology:";

    line += strspn(line, "- ");
    if (strncmp(line, key, sizeof(key) - 1) != 0)
        return 0;
    line += sizeof(key) - 1;
    *name = line + strspn(line, " \t\"'");
    return strcspn(*name, " \t\"'#\r\n");
}

int lw_topoyaml_check(const char *text, const char *source, lw_error_t *err)
{
    const char *p, *q, *name, *other;
    int line = 1, at;
    size_t len;

    for (p = text; *p; line++) {
        len = topology_name(p, &name);
        at = line;
        for (q = p; len && (q = strchr(q, '\n'));) {
            at++;
            if (topology_name(++q, &other) == len &&
                strncmp(other, name, len) == 0)
                return lw_err_at(err, source, at, 0,
                                 "a second topology named %.*s", (int)len,
                                 name);
        }
        p += strcspn(p, "\n");
        p += *p == '\n';
    }
    return 0;
}
