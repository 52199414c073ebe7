/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_diff.c - what changed between two fabric maps */
#include "config.h"

#include "topology/fabric/map_diff.h"

#include "lib/natcmp.h"
#include "lib/plural.h"

#include <stdlib.h>
#include <string.h>

struct diff {
    struct lw_map_diff *out;
    size_t room;
    const struct lw_map *before, *after;
    lw_error_t *err;
};

static int no_memory(struct diff *d)
{
    return lw_err(d->err, "out of memory");
}

static int add(struct diff *d, const char *kind, const char *subject,
               const char *before, const char *after)
{
    struct lw_map_diff *o = d->out;
    struct lw_change *more;

    if (!subject || !before || !after)
        return no_memory(d);
    if (o->n == d->room) {
        d->room = d->room ? 2 * d->room : 64;
        if (!(more = lw_arena_array(&o->arena, d->room, sizeof(*more))))
            return no_memory(d);
        if (o->n)
            memcpy(more, o->changes, o->n * sizeof(*more));
        o->changes = more;
    }
    o->changes[o->n++] = (struct lw_change){kind, subject, before, after};
    return 0;
}

static int differ(struct diff *d, const char *kind, const char *subject,
                  const char *before, const char *after)
{
    return strcmp(before, after) == 0 ? 0
                                      : add(d, kind, subject, before, after);
}

static const char *pod_name(const struct lw_map *map, int pod)
{
    return pod < 0 ? "" : map->pods[pod];
}

static const char *size_text(struct diff *d, const struct lw_map_group *g)
{
    return lw_arena_printf(&d->out->arena, "%zu node%s", g->nnodes,
                           lw_plural(g->nnodes, "", "s"));
}

/* The leaves of a group that both maps hold, rail by rail. */
static int diff_leaves(struct diff *d, const struct lw_map_group *b,
                       const struct lw_map_group *a)
{
    size_t r, n = b->nleaves > a->nleaves ? b->nleaves : a->nleaves;
    const char *what;

    for (r = 0; r < n; r++) {
        const char *was = r < b->nleaves ? b->leaves[r] : "";
        const char *is = r < a->nleaves ? a->leaves[r] : "";

        if (strcmp(was, is) == 0)
            continue;
        what =
            lw_arena_printf(&d->out->arena, "rail %zu of group %s", r, b->name);
        if (add(d, "leaf", what, was, is) < 0)
            return -1;
    }
    return 0;
}

static int diff_groups(struct diff *d)
{
    const struct lw_map *b = d->before, *a = d->after;
    size_t i;
    int k, rc = 0;

    for (i = 0; i < b->ngroups && rc == 0; i++) {
        const struct lw_map_group *g = &b->groups[i];

        if ((k = lw_map_find_group(a, g->name)) < 0)
            rc = add(d, "group-gone", g->name, size_text(d, g), "");
        else if ((rc = differ(d, "group-pod", g->name, pod_name(b, g->pod),
                              pod_name(a, a->groups[k].pod))) == 0)
            rc = diff_leaves(d, g, &a->groups[k]);
    }
    for (i = 0; i < a->ngroups && rc == 0; i++)
        if (lw_map_find_group(b, a->groups[i].name) < 0)
            rc = add(d, "group-new", a->groups[i].name, "",
                     size_text(d, &a->groups[i]));
    return rc;
}

static const struct lw_map_hca *find_hca(const struct lw_map_node *n,
                                         uint64_t guid)
{
    size_t i;

    for (i = 0; i < n->nhcas; i++)
        if (n->hcas[i].guid == guid)
            return &n->hcas[i];
    return NULL;
}

/* "rail 3 (mlx5_3) of node001" */
static const char *hca_text(struct diff *d, const struct lw_map_node *n,
                            const struct lw_map_hca *h)
{
    if (h->rail < 0)
        return lw_arena_printf(&d->out->arena, "%s of %s",
                               *h->device ? h->device : "an HCA", n->name);
    return lw_arena_printf(&d->out->arena, "rail %d%s%s%s of %s", h->rail,
                           *h->device ? " (" : "", h->device,
                           *h->device ? ")" : "", n->name);
}

static const char *rate_text(struct diff *d, const struct lw_map_hca *h)
{
    return lw_arena_printf(&d->out->arena, "%s%s", h->width, h->speed);
}

/* One HCA that both maps hold: is it up, on the same leaf, as fast? */
static int diff_hca(struct diff *d, const struct lw_map_node *n,
                    const struct lw_map_hca *b, const struct lw_map_hca *a)
{
    const char *what;

    if (strcmp(b->leaf, a->leaf) != 0) {
        if (!(what = hca_text(d, n, *a->leaf ? a : b)))
            return no_memory(d);
        if (!*a->leaf)
            return add(d, "rail-down", what, b->leaf, "");
        if (!*b->leaf)
            return add(d, "rail-up", what, "", a->leaf);
        return add(d, "cable-moved", what, b->leaf, a->leaf);
    }
    if (strcmp(b->width, a->width) == 0 && strcmp(b->speed, a->speed) == 0)
        return 0;
    return add(d, "rate", hca_text(d, n, a), rate_text(d, b), rate_text(d, a));
}

/* Discovery lists no HCA whose only link is down, so one that is not there
 * any more may be either; its rail says which it was. */
static int diff_hcas(struct diff *d, const struct lw_map_node *b,
                     const struct lw_map_node *a)
{
    const struct lw_map_hca *h;
    size_t i;
    int rc = 0;

    for (i = 0; i < b->nhcas && rc == 0; i++) {
        h = find_hca(a, b->hcas[i].guid);
        if (h)
            rc = diff_hca(d, a, &b->hcas[i], h);
        else if (*b->hcas[i].leaf)
            rc = add(d, "hca-gone", hca_text(d, b, &b->hcas[i]),
                     b->hcas[i].leaf, "");
    }
    for (i = 0; i < a->nhcas && rc == 0; i++)
        if (!find_hca(b, a->hcas[i].guid) && *a->hcas[i].leaf)
            rc = add(d, "hca-new", hca_text(d, a, &a->hcas[i]), "",
                     a->hcas[i].leaf);
    return rc;
}

static const char *domain_name(const struct lw_map *map, int domain)
{
    return domain < 0 ? "" : map->domains[domain];
}

static int diff_node(struct diff *d, const struct lw_map_node *b,
                     const struct lw_map_node *a)
{
    if (differ(d, "node-group", b->name, d->before->groups[b->group].name,
               d->after->groups[a->group].name) < 0 ||
        differ(d, "node-domain", b->name, domain_name(d->before, b->domain),
               domain_name(d->after, a->domain)) < 0)
        return -1;
    return diff_hcas(d, b, a);
}

/* Both lists are in name order. */
static int diff_nodes(struct diff *d)
{
    const struct lw_map *b = d->before, *a = d->after;
    size_t i = 0, k = 0;
    int order, rc = 0;

    while (rc == 0 && (i < b->nnodes || k < a->nnodes)) {
        if (i == b->nnodes)
            order = 1;
        else if (k == a->nnodes)
            order = -1;
        else
            order = lw_natcmp(b->nodes[i].name, a->nodes[k].name);
        if (order < 0) {
            rc = add(d, "node-gone", b->nodes[i].name,
                     b->groups[b->nodes[i].group].name, "");
            i++;
        } else if (order > 0) {
            rc = add(d, "node-new", a->nodes[k].name, "",
                     a->groups[a->nodes[k].group].name);
            k++;
        } else {
            rc = diff_node(d, &b->nodes[i++], &a->nodes[k++]);
        }
    }
    return rc;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const struct lw_map_switch *const *)a)->name,
                  (*(const struct lw_map_switch *const *)b)->name);
}

static const struct lw_map_switch **sorted(struct diff *d,
                                           const struct lw_map *map)
{
    const struct lw_map_switch **s =
        lw_arena_array(&d->out->arena, map->nswitches, sizeof(*s));
    size_t i;

    for (i = 0; s && i < map->nswitches; i++)
        s[i] = &map->switches[i];
    if (s)
        qsort(s, map->nswitches, sizeof(*s), by_name);
    return s;
}

static const char *uplinks_text(struct diff *d, const struct lw_map_switch *s)
{
    return lw_arena_printf(&d->out->arena, "%zu of %zu", s->uplinks,
                           s->expected);
}

static int diff_switches(struct diff *d)
{
    const struct lw_map_switch **b = sorted(d, d->before);
    const struct lw_map_switch **a = sorted(d, d->after);
    size_t i = 0, k = 0, nb = d->before->nswitches, na = d->after->nswitches;
    int order, rc = a && b ? 0 : no_memory(d);

    while (rc == 0 && (i < nb || k < na)) {
        order = i == nb ? 1 : k == na ? -1 : strcmp(b[i]->name, a[k]->name);
        if (order < 0) {
            rc = add(d, "switch-gone", b[i]->name,
                     pod_name(d->before, b[i]->pod), "");
            i++;
        } else if (order > 0) {
            rc = add(d, "switch-new", a[k]->name, "",
                     pod_name(d->after, a[k]->pod));
            k++;
        } else {
            if (b[i]->uplinks != a[k]->uplinks)
                rc = add(d, "uplinks", b[i]->name, uplinks_text(d, b[i]),
                         uplinks_text(d, a[k]));
            i++;
            k++;
        }
    }
    return rc;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char **texts(struct diff *d, const struct lw_map *map)
{
    const char **t = lw_arena_array(&d->out->arena, map->nfindings, sizeof(*t));
    size_t i;

    for (i = 0; t && i < map->nfindings; i++)
        t[i] = map->findings[i].text;
    if (t)
        qsort(t, map->nfindings, sizeof(*t), by_text);
    return t;
}

static int diff_findings(struct diff *d)
{
    const char **b = texts(d, d->before), **a = texts(d, d->after);
    const struct lw_map *mb = d->before, *ma = d->after;
    size_t i;
    int rc = a && b ? 0 : no_memory(d);

    for (i = 0; rc == 0 && i < mb->nfindings; i++)
        if (!bsearch(&mb->findings[i].text, a, ma->nfindings, sizeof(*a),
                     by_text))
            rc = add(d, "finding-gone", mb->findings[i].kind,
                     mb->findings[i].text, "");
    for (i = 0; rc == 0 && i < ma->nfindings; i++)
        if (!bsearch(&ma->findings[i].text, b, mb->nfindings, sizeof(*b),
                     by_text))
            rc = add(d, "finding-new", ma->findings[i].kind, "",
                     ma->findings[i].text);
    return rc;
}

int lw_map_diff(struct lw_map_diff *diff, const struct lw_map *before,
                const struct lw_map *after, lw_error_t *err)
{
    struct lw_map_diff out = {0};
    struct diff d = {&out, 0, before, after, err};

    if (diff_groups(&d) < 0 || diff_nodes(&d) < 0 || diff_switches(&d) < 0 ||
        diff_findings(&d) < 0) {
        lw_map_diff_free(&out);
        return -1;
    }
    *diff = out;
    return 0;
}

void lw_map_diff_free(struct lw_map_diff *diff)
{
    lw_arena_free(&diff->arena);
    diff->changes = NULL;
    diff->n = 0;
}
