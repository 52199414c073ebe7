/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decide_view.c - map, state and settings prepared for fast decisions */
#include "config.h"

#include "lib/buf.h"
#include "topology/place/decide_view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_LIMIT (64 * 1024 * 1024)

/* All that makes one node different from another to a job. */
static int kind_key(struct lw_buf *b, const struct lw_state_node *n)
{
    size_t i;

    b->len = 0;
    lw_buf_printf(b, "%ld %ld %ld %ld", n->cpus, n->threads, n->memory,
                  n->weight);
    for (i = 0; i < n->ngpus; i++)
        lw_buf_printf(b, "\n%s %ld", n->gpus[i].type, n->gpus[i].count);
    for (i = 0; i < n->nfeatures; i++)
        lw_buf_printf(b, "\n+%s", n->features[i]);
    return b->failed ? -1 : 0;
}

static int set_kind(struct lw_view *v, uint32_t i, struct lw_buf *b)
{
    struct lw_view_node *n = &v->nodes[i];
    size_t kind;

    b->len = 0;
    if (n->state && kind_key(b, n->state) < 0)
        return -1;
    kind = lw_strtab_add(v->kinds, lw_buf_text(b), b->len);
    if (kind == LW_STRTAB_NONE)
        return -1;
    n->kind = (uint32_t)kind;
    if (kind >= v->nkinds) {
        v->samples[kind] = i;
        v->nkinds = kind + 1;
    }
    return 0;
}

static void set_place(struct lw_view *v, struct lw_view_node *n)
{
    int i = lw_map_find_node(v->map, n->name);
    const struct lw_map_node *m;

    n->bin = LW_NO_BIN;
    if (i < 0)
        return;
    m = &v->map->nodes[i];
    n->bin = m->group;
    n->degraded = m->rails_up < m->rails || m->rails_slow > 0;
}

static int make_nodes(struct lw_view *v)
{
    struct lw_buf b = LW_BUF_INIT(1024 * 1024);
    uint32_t i;
    int rc = 0;

    for (i = 0; i < v->nnodes && rc == 0; i++) {
        struct lw_view_node *n = &v->nodes[i];

        n->state = v->state ? &v->state->nodes[i] : NULL;
        n->name = n->state ? n->state->name : v->map->nodes[i].name;
        set_place(v, n);
        rc = set_kind(v, i, &b);
        if (lw_strtab_add(v->names, n->name, strlen(n->name)) != i)
            rc = -1; /* out of memory, or a name that comes twice */
    }
    lw_buf_free(&b);
    return rc;
}

/* On topology/block a gang is packed by base blocks, not by our groups. */
int lw_side_bin(const struct lw_view *v, const struct lw_side *side,
                uint32_t node)
{
    const struct lw_view_node *n = &v->nodes[node];
    const char *block = n->state ? n->state->block : NULL;
    size_t number;

    if (side->topology != LW_TOPO_BLOCK || !block)
        return n->bin;
    number = lw_strtab_find(v->blocks, block, strlen(block));
    return number == LW_STRTAB_NONE ? n->bin : (int)number;
}

static int by_kind_and_bin(const void *a, const void *b)
{
    const struct lw_cell *x = a, *y = b;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->bin > y->bin) - (x->bin < y->bin);
}

/* One cell a node, sorted, equal ones added up. */
static int make_cells(const struct lw_view *v, struct lw_side *side)
{
    struct lw_cell *c = calloc(side->nnodes + 1, sizeof(*c));
    size_t i, n = 0;

    if (!c)
        return -1;
    for (i = 0; i < side->nnodes; i++) {
        const struct lw_view_node *node = &v->nodes[side->nodes[i]];

        c[i].kind = node->kind;
        c[i].bin = lw_side_bin(v, side, side->nodes[i]);
        c[i].healthy = !node->degraded;
        c[i].degraded = node->degraded;
    }
    qsort(c, side->nnodes, sizeof(*c), by_kind_and_bin);
    for (i = 0; i < side->nnodes; i++) {
        if (n && by_kind_and_bin(&c[n - 1], &c[i]) == 0) {
            c[n - 1].healthy += c[i].healthy;
            c[n - 1].degraded += c[i].degraded;
        } else {
            c[n++] = c[i];
        }
    }
    side->cells = c;
    side->ncells = n;
    return 0;
}

static int count_bins(const struct lw_view *v, struct lw_side *side)
{
    unsigned char *seen = calloc(v->nbins + 1, 1);
    size_t i;

    if (!seen)
        return -1;
    for (i = 0; i < side->ncells; i++) {
        if (side->cells[i].bin == LW_NO_BIN || seen[side->cells[i].bin])
            continue;
        seen[side->cells[i].bin] = 1;
        side->nbins++;
    }
    free(seen);
    return 0;
}

static int join(struct lw_names *names, const char *const *list, size_t count,
                lw_fold_f fold)
{
    struct lw_buf b = LW_BUF_INIT(NAMES_LIMIT);
    char *text = NULL;
    size_t i;

    if (count && fold) {
        text = fold(list, count);
    } else if (count) {
        for (i = 0; i < count; i++)
            lw_buf_printf(&b, "%s%s", i ? "," : "", list[i]);
        text = lw_buf_take(&b);
    }
    if (count && !text)
        return -1;
    free(names->text);
    names->text = text;
    names->count = count;
    return 0;
}

typedef bool (*wanted_f)(const struct lw_view_node *node);

static bool is_degraded(const struct lw_view_node *n)
{
    return n->degraded;
}

/* Full ones as well: a job may end there before the next look. */
static bool is_idle_or_full(const struct lw_view_node *n)
{
    return n->state &&
           (n->state->state == LW_NODE_IDLE || n->state->state == LW_NODE_FULL);
}

/* The names of those of 'nodes' that are wanted; all when 'wanted' is NULL. */
static int name_nodes(const struct lw_view *v, const uint32_t *nodes,
                      size_t count, wanted_f wanted, lw_fold_f fold,
                      struct lw_names *names)
{
    const char **list = calloc(count + 1, sizeof(*list));
    size_t i, n = 0;
    int rc;

    if (!list)
        return -1;
    for (i = 0; i < count; i++)
        if (!wanted || wanted(&v->nodes[nodes[i]]))
            list[n++] = v->nodes[nodes[i]].name;
    rc = join(names, list, n, fold);
    free(list);
    return rc;
}

static int make_names(const struct lw_view *v, struct lw_side *side,
                      lw_fold_f fold)
{
    struct lw_fill_level *l = side->levels, *end = l + side->nlevels;

    if (name_nodes(v, side->nodes, side->nnodes, is_degraded, fold,
                   &side->degraded) < 0 ||
        name_nodes(v, side->nodes, side->nnodes, is_idle_or_full, fold,
                   &side->unmixed) < 0)
        return -1;
    for (; l < end; l++)
        if (name_nodes(v, l->nodes, l->nnodes, NULL, fold, &l->names) < 0)
            return -1;
    return 0;
}

static int make_side(struct lw_view *v, struct lw_side *side,
                     const struct lw_state_partition *p)
{
    size_t i;

    side->partition = p;
    side->topology = p && p->topology ? p->topology
                     : v->state       ? v->state->topology
                                      : LW_TOPO_UNKNOWN;
    side->nnodes = p ? p->nnodes : v->nnodes;
    side->nodes = calloc(side->nnodes + 1, sizeof(*side->nodes));
    side->member = calloc(v->nnodes + 1, 1);
    if (!side->nodes || !side->member)
        return -1;
    for (i = 0; i < side->nnodes; i++) {
        side->nodes[i] = p ? (uint32_t)p->nodes[i] : (uint32_t)i;
        side->member[side->nodes[i]] = 1;
    }
    if (make_cells(v, side) < 0 || count_bins(v, side) < 0 ||
        lw_side_make_levels(v, side) < 0)
        return -1;
    return make_names(v, side, NULL);
}

static int make_sides(struct lw_view *v)
{
    size_t i;

    for (i = 0; i < v->nsides; i++)
        if (make_side(v, &v->sides[i],
                      v->state ? &v->state->partitions[i] : NULL) < 0)
            return -1;
    return 0;
}

static int make_blocks(struct lw_view *v)
{
    size_t i;

    for (i = 0; v->state && i < v->nnodes; i++) {
        const char *block = v->state->nodes[i].block;

        if (block &&
            lw_strtab_add(v->blocks, block, strlen(block)) == LW_STRTAB_NONE)
            return -1;
    }
    v->nbins = lw_strtab_count(v->blocks);
    if (v->nbins < v->map->ngroups)
        v->nbins = v->map->ngroups;
    return 0;
}

struct lw_view *lw_view_create(const struct lw_map *map,
                               const struct lw_state *state,
                               const struct lw_settings *settings,
                               lw_error_t *err)
{
    struct lw_view *v = calloc(1, sizeof(*v));

    if (!v)
        goto error;
    v->map = map;
    v->state = state;
    v->settings = settings;
    v->nnodes = state ? state->nnodes : map->nnodes;
    v->nsides = state ? state->npartitions : 1;
    if (!(v->nodes = calloc(v->nnodes + 1, sizeof(*v->nodes))) ||
        !(v->samples = calloc(v->nnodes + 1, sizeof(*v->samples))) ||
        !(v->sides = calloc(v->nsides + 1, sizeof(*v->sides))) ||
        !(v->names = lw_strtab_create()) || !(v->kinds = lw_strtab_create()) ||
        !(v->blocks = lw_strtab_create()))
        goto error;
    errno = EINVAL;
    if (make_nodes(v) < 0 || make_blocks(v) < 0 || make_sides(v) < 0)
        goto error;
    return v;
error:
    lw_err(err, "%s",
           errno == EINVAL ? "the cluster state names a node twice"
                           : "out of memory");
    lw_view_destroy(v);
    return NULL;
}

int lw_view_fold(struct lw_view *view, lw_fold_f fold)
{
    size_t i;

    for (i = 0; i < view->nsides; i++)
        if (make_names(view, &view->sides[i], fold) < 0)
            return -1;
    return 0;
}

void lw_view_destroy(struct lw_view *v)
{
    int saved = errno;
    size_t i;

    if (!v)
        return;
    for (i = 0; v->sides && i < v->nsides; i++) {
        free(v->sides[i].nodes);
        free(v->sides[i].member);
        free(v->sides[i].cells);
        lw_side_free_levels(&v->sides[i]);
        free(v->sides[i].degraded.text);
        free(v->sides[i].unmixed.text);
    }
    lw_strtab_destroy(v->names);
    lw_strtab_destroy(v->kinds);
    lw_strtab_destroy(v->blocks);
    free(v->sides);
    free(v->samples);
    free(v->nodes);
    free(v);
    errno = saved;
}

const struct lw_side *lw_view_side(const struct lw_view *view, const char *name,
                                   size_t len)
{
    const struct lw_state_partition *p;
    size_t i;

    if (!view->state)
        return &view->sides[0];
    for (i = 0; i < view->nsides; i++) {
        p = view->sides[i].partition;
        if (name ? strlen(p->name) == len && memcmp(p->name, name, len) == 0
                 : p->is_default)
            return &view->sides[i];
    }
    return NULL;
}

const struct lw_view_node *lw_view_find(const struct lw_view *view,
                                        const char *name)
{
    size_t i = lw_strtab_find(view->names, name, strlen(name));

    return i == LW_STRTAB_NONE ? NULL : &view->nodes[i];
}

long lw_view_gpus(const struct lw_view *view, uint32_t kind, const char *type)
{
    const struct lw_state_node *n = view->nodes[view->samples[kind]].state;
    long sum = 0;
    size_t i;

    if (!n)
        return view->settings->gpus_per_node > 0 ? view->settings->gpus_per_node
                                                 : -1;
    for (i = 0; i < n->ngpus; i++)
        if (!type || !*type || strcmp(n->gpus[i].type, type) == 0)
            sum += n->gpus[i].count;
    return sum;
}
