/* SPDX-License-Identifier: GPL-2.0-or-later */
/* read_netq.c - the topology graph of NetQ: RoCE fabrics of Ethernet switches
 *
 * Nodes have an id, a name and a tier (-1 is a host, 1 a leaf, 2 a spine ..);
 * links are pairs of "node:interface". */
#include "config.h"

#include "lib/strtab.h"
#include "topology/fabric/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct lw_fabric *f;
    const char *source;
    struct lw_strtab *ids;   /* number = index into names and tiers */
    struct lw_strtab *links; /* those that were read */
    const char **names;
    int *tiers;
    size_t size;
};

bool lw_netq_knows(const char *text, size_t len)
{
    return lw_text_has(text, len, "[{", "\"compounded_links\"") ||
           lw_text_has(text, len, "[{", "\"compounded_nodes\"");
}

static int add_node(struct reader *r, const json_t *node)
{
    const char *id = lw_read_member(node, "id");
    const char **names;
    size_t i = lw_strtab_add(r->ids, id, strlen(id));
    int *tiers;

    if (i == LW_STRTAB_NONE)
        return -1;
    if (i >= r->size) {
        r->size = r->size ? 2 * r->size : 256;
        if (!(names = realloc(r->names, r->size * sizeof(*names))))
            return -1;
        r->names = names;
        if (!(tiers = realloc(r->tiers, r->size * sizeof(*tiers))))
            return -1;
        r->tiers = tiers;
    }
    r->names[i] = lw_read_member(node, "name");
    r->tiers[i] = (int)json_integer_value(json_object_get(node, "tier"));
    return 0;
}

static int add_nodes(struct reader *r, const json_t *graph)
{
    const json_t *tier, *node;
    size_t i, k;

    json_array_foreach(json_object_get(graph, "nodes"), i, tier)
    {
        json_array_foreach(json_object_get(tier, "compounded_nodes"), k, node)
        {
            if (add_node(r, node) < 0)
                return -1;
        }
    }
    return 0;
}

/* A switch is a device; a host is one for each of its interfaces, since each
 * is a NIC. Returns 1 when the node is not known. */
static int add_end(struct reader *r, const char *id, size_t nid,
                   const char *port, size_t nport, uint32_t *dev)
{
    size_t i = lw_strtab_find(r->ids, id, nid);
    char text[256];
    bool is_host;
    int n;

    if (i == LW_STRTAB_NONE || !*r->names[i])
        return 1;
    is_host = r->tiers[i] < 0;
    n = snprintf(text, sizeof(text), "%s%s%.*s", r->names[i],
                 is_host ? " " : "", is_host ? (int)nport : 0, port);
    if (n < 0 || (size_t)n >= sizeof(text))
        return 1;
    *dev = lw_fabric_dev(
        r->f, lw_guid_of_name(is_host ? "nic" : "switch", text, (size_t)n),
        is_host ? LW_DEV_HCA : LW_DEV_SWITCH);
    if (*dev == LW_NO_DEV)
        return -1;
    lw_fabric_describe(r->f, *dev, 0, 0, 0, 0);
    return lw_fabric_name(r->f, *dev, text, (size_t)n);
}

/* "n9:swp17s0-*-n12:ens4f0np0"; interfaces have names, not port numbers, so
 * that a link is known again by its text. */
static int add_link(struct reader *r, const char *id)
{
    const char *middle = strstr(id, "-*-"), *a, *b, *other = NULL;
    size_t before = lw_strtab_count(r->links);
    struct lw_link link = {0};
    int rc;

    if (middle)
        other = middle + 3;
    a = middle ? memchr(id, ':', (size_t)(middle - id)) : NULL;
    b = other ? strchr(other, ':') : NULL;
    if (!a || !b)
        return 1;
    if (lw_strtab_add(r->links, id, strlen(id)) != before)
        return 0;
    if ((rc = add_end(r, id, (size_t)(a - id), a + 1, (size_t)(middle - a - 1),
                      &link.a)) != 0 ||
        (rc = add_end(r, other, (size_t)(b - other), b + 1, strlen(b + 1),
                      &link.b)) != 0)
        return rc;
    return lw_fabric_link(r->f, &link);
}

static int add_links(struct reader *r, const json_t *graph)
{
    const json_t *pair, *link;
    size_t i, k;
    int rc;

    json_array_foreach(json_object_get(graph, "links"), i, pair)
    {
        json_array_foreach(json_object_get(pair, "compounded_links"), k, link)
        {
            if ((rc = add_link(r, lw_read_member(link, "id"))) < 0)
                return -1;
            if (rc > 0)
                lw_fabric_skip(r->f, r->source, i + 1);
        }
    }
    return 0;
}

static int read_graphs(struct reader *r, const json_t *root)
{
    const json_t *graph;
    size_t i;

    if (json_is_object(root))
        return add_nodes(r, root) < 0 || add_links(r, root) < 0 ? -1 : 0;
    json_array_foreach(root, i, graph)
    {
        if (add_nodes(r, graph) < 0 || add_links(r, graph) < 0)
            return -1;
    }
    return 0;
}

int lw_netq_read(struct lw_fabric *f, const char *text, size_t len,
                 const char *source, lw_error_t *err)
{
    struct reader r = {.f = f, .source = source};
    json_t *root = lw_read_json(text, len, source, err);
    int rc;

    if (!root)
        return -1;
    r.ids = lw_strtab_create();
    r.links = lw_strtab_create();
    if (!r.ids || !r.links || read_graphs(&r, root) < 0)
        rc = lw_err(err, "%s: out of memory", source);
    else if (lw_strtab_count(r.links) == 0)
        rc = lw_err(err, "%s: no link in this graph of NetQ", source);
    else
        rc = 0;
    lw_strtab_destroy(r.ids);
    lw_strtab_destroy(r.links);
    free(r.names);
    free(r.tiers);
    json_decref(root);
    return rc;
}
