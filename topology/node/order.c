/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order.c - the order of nodes in which neighbours share a group */
#include "config.h"

#include "topology/node/order.h"

#include <limits.h>
#include <stdlib.h>

struct place {
    int domain, pod, group, node;
    size_t was;
    char *name;
};

static int compare(int a, int b)
{
    return (a > b) - (a < b);
}

static int order(const void *x, const void *y)
{
    const struct place *a = x, *b = y;
    int by = compare(a->pod, b->pod);

    if (!by)
        by = compare(a->group, b->group);
    if (!by)
        by = compare(a->domain, b->domain);
    if (!by)
        by = compare(a->node, b->node);
    return by ? by : (a->was > b->was) - (a->was < b->was);
}

/* What is unknown sorts last. */
static int last(int index)
{
    return index < 0 ? INT_MAX : index;
}

int lw_order_nodes(const struct lw_map *map, char **names, size_t n)
{
    struct place *p = calloc(n + 1, sizeof(*p));
    size_t i;
    int node;

    if (!p)
        return -1;
    for (i = 0; i < n; i++) {
        node = lw_map_find_node(map, names[i]);
        p[i] =
            (struct place){INT_MAX, INT_MAX, INT_MAX, last(node), i, names[i]};
        if (node < 0)
            continue;
        p[i].pod = last(map->nodes[node].pod);
        p[i].group = last(map->nodes[node].group);
        p[i].domain = last(map->nodes[node].domain);
    }
    qsort(p, n, sizeof(*p), order);
    for (i = 0; i < n; i++)
        names[i] = p[i].name;
    free(p);
    return 0;
}
