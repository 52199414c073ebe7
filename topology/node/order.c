/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order.c - the order of nodes in which neighbours share a group */
#include "config.h"

#include "lib/file.h"
#include "lib/strtab.h"
#include "topology/node/order.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(int a, int b)
{
    return (a > b) - (a < b);
}

static int order(const void *x, const void *y)
{
    const struct lw_order_node *a = x, *b = y;
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

/* Changes of pod, group and domain from one node to the next. */
static size_t changes(const struct lw_order_node *v, size_t n)
{
    size_t i, sum = 0;

    for (i = 1; i < n; i++)
        sum += (v[i].pod != v[i - 1].pod) + (v[i].group != v[i - 1].group) +
               (v[i].domain != v[i - 1].domain);
    return sum;
}

static int as_before(const void *x, const void *y)
{
    const struct lw_order_node *a = x, *b = y;

    return (a->was > b->was) - (a->was < b->was);
}

/* Where sorting would not make it better, the caller's order stays. */
static void sort_if_better(struct lw_order_node *v, size_t n)
{
    size_t before = changes(v, n);

    qsort(v, n, sizeof(*v), order);
    if (changes(v, n) == before)
        qsort(v, n, sizeof(*v), as_before);
}

static void forget(struct lw_order_node *v, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        v[i].was = i;
        v[i].pod = v[i].group = v[i].domain = v[i].node = INT_MAX;
        v[i].rails = v[i].rails_up = -1;
    }
}

static void place(const struct lw_map *map, int node, struct lw_order_node *v)
{
    const struct lw_map_node *m = &map->nodes[node];

    v->node = node;
    v->pod = last(m->pod);
    v->group = last(m->group);
    v->domain = last(m->domain);
    v->rails = m->rails;
    v->rails_up = m->rails_up;
}

int lw_order_nodes(const struct lw_map *map, char **names, size_t n)
{
    struct lw_order_node *v = calloc(n + 1, sizeof(*v));
    size_t i;
    int node;

    if (!v)
        return -1;
    forget(v, n);
    for (i = 0; i < n; i++) {
        v[i].name = names[i];
        if ((node = lw_map_find_node(map, names[i])) >= 0)
            place(map, node, &v[i]);
    }
    qsort(v, n, sizeof(*v), order);
    for (i = 0; i < n; i++)
        names[i] = v[i].name;
    free(v);
    return 0;
}

/* --- the order file -------------------------------------------------------- */

static int put_node(const struct lw_map_node *m, struct lw_buf *out)
{
    return lw_buf_printf(out, "%s %d %d %d %d %d\n", m->name, m->pod, m->group,
                         m->domain, m->rails, m->rails_up);
}

int lw_order_print(const struct lw_map *map, struct lw_buf *out)
{
    struct lw_order_node *v = calloc(map->nnodes + 1, sizeof(*v));
    size_t i;

    if (!v)
        return -1;
    lw_buf_printf(out, "# leafward order 1 %zu\n", map->nnodes);
    for (i = 0; i < map->nnodes; i++)
        v[i].name = (char *)map->nodes[i].name;
    forget(v, map->nnodes);
    for (i = 0; i < map->nnodes; i++)
        place(map, (int)i, &v[i]);
    qsort(v, map->nnodes, sizeof(*v), order);
    for (i = 0; i < map->nnodes; i++)
        put_node(&map->nodes[v[i].node], out);
    free(v);
    return out->failed ? -1 : 0;
}

/* The five numbers of a line; 0, or -1. */
static int numbers(const char *at, const char *end, long out[5])
{
    char *next;
    int i;

    for (i = 0; i < 5; i++) {
        errno = 0;
        out[i] = strtol(at, &next, 10);
        if (next == at || next > end || errno || out[i] < -1 ||
            out[i] > INT_MAX)
            return -1;
        at = next;
    }
    return at == end ? 0 : -1;
}

/* The node of that name, as it is or without its domain. */
static size_t find(const struct lw_strtab *names, const char *name, size_t len)
{
    const char *dot = memchr(name, '.', len);
    size_t i = lw_strtab_find(names, name, len);

    return i != LW_STRTAB_NONE || !dot
               ? i
               : lw_strtab_find(names, name, (size_t)(dot - name));
}

/* One line of the file, number 'at'; 1 when it is one of ours, 0 when not,
 * -1 when it is no such line. */
static int take_line(const char *line, const char *end, int at,
                     const struct lw_strtab *names, struct lw_order_node *v)
{
    size_t len = strcspn(line, " \n"), i;
    long n[5];

    if (len == 0 || line[len] != ' ')
        return -1;
    if ((i = find(names, line, len)) == LW_STRTAB_NONE)
        return 0;
    if (numbers(line + len, end, n) < 0)
        return -1;
    v[i].node = at;
    v[i].pod = last((int)n[0]);
    v[i].group = last((int)n[1]);
    v[i].domain = last((int)n[2]);
    v[i].rails = (int)n[3];
    v[i].rails_up = (int)n[4];
    return 1;
}

/* All lines; how many of them are ours, or -1 with 'err'. */
static int take_lines(const char *text, const char *path,
                      const struct lw_strtab *names, struct lw_order_node *v,
                      lw_error_t *err)
{
    static const char head[] = "# leafward order 1 ";
    const char *at, *end;
    long count, i;
    int found = 0, rc;
    char *rest;

    if (strncmp(text, head, sizeof(head) - 1) != 0)
        return lw_err_at(err, path, 1, 0, "expected \"%sNODES\"", head);
    count = strtol(text + sizeof(head) - 1, &rest, 10);
    at = *rest == '\n' ? rest + 1 : rest;
    for (i = 0; i < count && (end = strchr(at, '\n')); i++, at = end + 1) {
        if ((rc = take_line(at, end, (int)i, names, v)) < 0)
            return lw_err_at(err, path, (int)i + 2, 0,
                             "expected a node and five numbers");
        found += rc;
    }
    if (*at || i != count)
        return lw_err_at(err, path, (int)i + 2, 0, "expected %ld nodes", count);
    return found;
}

int lw_order_by_file(const char *path, struct lw_order_node *nodes, size_t n,
                     lw_error_t *err)
{
    struct lw_strtab *names = lw_strtab_create();
    size_t len, i;
    char *text = lw_file_read(path, LW_ORDER_LIMIT, &len, NULL, err);
    int found = -1;

    forget(nodes, n);
    for (i = 0; names && text && i < n; i++)
        if (lw_strtab_add(names, nodes[i].name, strlen(nodes[i].name)) != i)
            break;
    if (text && (!names || i < n))
        lw_err(err, "out of memory, or a node named twice");
    else if (text && (found = take_lines(text, path, names, nodes, err)) < 0)
        forget(nodes, n);
    if (found >= 0)
        sort_if_better(nodes, n);
    lw_strtab_destroy(names);
    free(text);
    return found;
}
