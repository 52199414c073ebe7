/* SPDX-License-Identifier: GPL-2.0-or-later */
/* write_k8s.c - Kubernetes nodes labelled with their place in the fabric */
#include "config.h"

#include "topology/fabric/writers.h"

#include <ctype.h>
#include <string.h>

/* The keys that topology-aware schedulers for GPU clusters read. */
#define PREFIX "network.topology.nvidia.com/"

/* A label value: up to 63 letters, digits, '-', '_' and '.', and a letter or
 * digit at either end. */
static bool is_label(const char *s)
{
    size_t i, n = strlen(s);

    if (n == 0 || n > 63 || !isalnum((unsigned char)s[0]) ||
        !isalnum((unsigned char)s[n - 1]))
        return false;
    for (i = 0; i < n; i++)
        if (!isalnum((unsigned char)s[i]) && !strchr("-_.", s[i]))
            return false;
    return true;
}

/* A node's name is that of a DNS subdomain. */
static bool is_node_name(const char *s)
{
    size_t i, n = strlen(s);

    if (n == 0 || n > 253 || !isalnum((unsigned char)s[0]) ||
        !isalnum((unsigned char)s[n - 1]))
        return false;
    for (i = 0; i < n; i++)
        if (!(s[i] >= 'a' && s[i] <= 'z') && !isdigit((unsigned char)s[i]) &&
            s[i] != '-' && s[i] != '.')
            return false;
    return true;
}

static void label(struct lw_buf *out, const char *key, const char *value)
{
    if (value && is_label(value))
        lw_buf_printf(out, "      %s: \"%s\"\n", key, value);
}

/* The annotation is what Slurm's operator hands to Slurm for a node: its
 * place in each topology of our topology.yaml. */
static void write_node(struct lw_buf *out, const struct lw_map *map,
                       const struct lw_map_node *n, const char *block)
{
    const char *pod = n->pod < 0 ? NULL : map->pods[n->pod];
    const char *group = map->groups[n->group].name;
    const char *root = NULL;

    if (pod && map->nroots)
        root = map->roots[map->pod_roots[n->pod]];
    lw_buf_printf(out,
                  "- apiVersion: v1\n"
                  "  kind: Node\n"
                  "  metadata:\n"
                  "    name: \"%s\"\n"
                  "    annotations:\n"
                  "      topology.slinky.slurm.net/line: \"tree:%s%s%s\"\n"
                  "    labels:\n",
                  n->name, group, block ? ",block:" : "", block ? block : "");
    label(out, PREFIX "leaf", group);
    label(out, PREFIX "spine", pod);
    label(out, PREFIX "core", root);
    if (n->domain >= 0)
        label(out, PREFIX "accelerator", map->domains[n->domain]);
    lw_buf_printf(out,
                  "      leafward/rails: \"%d\"\n"
                  "      leafward/rails-up: \"%d\"\n",
                  n->rails, n->rails_up);
}

/* The block that holds each node, NULL for those that were left out. */
static const char **block_names(const struct lw_map *map, struct lw_blocks *b)
{
    const char **of = lw_arena_array(&b->arena, map->nnodes, sizeof(*of));
    size_t i, k;

    for (i = 0; of && i < b->nblocks; i++)
        for (k = 0; k < b->blocks[i].nnodes; k++)
            of[lw_map_find_node(map, b->blocks[i].nodes[k])] =
                b->blocks[i].name;
    return of;
}

int lw_write_k8s(struct lw_buf *out, const struct lw_map *map,
                 const struct lw_write_options *o, lw_error_t *err)
{
    struct lw_blocks b;
    const char **block;
    size_t i;

    if (lw_blocks_build(&b, map, o, err) < 0)
        return -1;
    block = block_names(map, &b);
    lw_buf_puts(out, "apiVersion: v1\nkind: List\nitems:\n");
    for (i = 0; block && i < map->nnodes; i++) {
        if (is_node_name(map->nodes[i].name))
            write_node(out, map, &map->nodes[i], block[i]);
        else if (o->notes)
            lw_buf_printf(o->notes,
                          "%s can be no Kubernetes node and is left out\n",
                          map->nodes[i].name);
    }
    lw_blocks_free(&b);
    if (!block || out->failed)
        return lw_err(err, "out of memory, or the text is too large");
    return 0;
}
