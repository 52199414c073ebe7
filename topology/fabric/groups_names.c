/* SPDX-License-Identifier: GPL-2.0-or-later */
/* groups_names.c - names of groups, pods and roots that Slurm accepts */
#include "config.h"

#include "topology/fabric/groups_priv.h"
#include "topology/fabric/pairs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAME   63 /* Slurm refuses longer switch names from 24.11 on */
#define MAX_DIGITS 9  /* 20 at the end overflow its host lists */

static uint64_t hash_of(const char *s)
{
    uint64_t h = 14695981039346656037ULL;

    while (*s)
        h = (h ^ (unsigned char)*s++) * 1099511628211ULL;
    return h;
}

/* "rg-" and the first node's name, in characters that host lists take. */
static const char *make_name(struct lw_grouping *g, const char *prefix,
                             const char *node)
{
    char *name = lw_arena_printf(&g->arena, "%s%s", prefix, node), *p;
    size_t n, digits = 0;

    if (!name)
        return NULL;
    for (p = name; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '-' && *p != '_' && *p != '.')
            *p = '-';
    n = (size_t)(p - name);
    while (digits < n && isdigit((unsigned char)name[n - 1 - digits]))
        digits++;
    if (n <= MAX_NAME && digits <= MAX_DIGITS)
        return name;
    if (n > MAX_NAME - 10)
        name[MAX_NAME - 10] = '\0';
    return lw_arena_printf(&g->arena, "%s-%08xx", name,
                           (unsigned)hash_of(node));
}

/* Which number something had in the previous map, -1 none. */
typedef int (*previous_f)(const struct lw_map_node *node);

static int previous_group(const struct lw_map_node *node)
{
    return node->group;
}

static int previous_pod(const struct lw_map_node *node)
{
    return node->pod;
}

static int by_count(const void *a, const void *b)
{
    const struct lw_pair *x = a, *y = b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

static int count_shared(struct lw_grouping *g, bool pods, previous_f was,
                        struct lw_pairs *shared)
{
    const struct lw_map *old = g->options->previous;
    const struct lw_host *h;
    uint32_t i;
    int at;

    for (i = 0; i < g->ncompute; i++) {
        h = &g->hosts[g->order[i]];
        at = lw_map_find_node(old, h->name);
        if (at < 0 || was(&old->nodes[at]) < 0)
            continue;
        if (lw_pairs_add(shared, pods ? g->groups[h->group].pod : h->group,
                         (uint32_t)was(&old->nodes[at])) < 0)
            return lw_groups_no_memory(g);
    }
    return 0;
}

/* Keep the previous names: the pair that shares the most nodes first. What
 * gets none stays NULL in 'names'. */
static int keep_names(struct lw_grouping *g, bool pods, const char **names)
{
    const struct lw_map *old = g->options->previous;
    size_t nold = pods ? old->npods : old->ngroups, i;
    struct lw_pairs shared = {0};
    bool *used = calloc(nold ? nold : 1, sizeof(*used));
    int rc = -1;

    if (!used)
        lw_groups_no_memory(g);
    else
        rc = count_shared(g, pods, pods ? previous_pod : previous_group,
                          &shared);
    if (rc == 0 && shared.size)
        qsort(shared.at, shared.size, sizeof(*shared.at), by_count);
    for (i = 0; rc == 0 && i < shared.used; i++) {
        const struct lw_pair *p = &shared.at[i];
        if (names[p->a] || used[p->b])
            continue;
        names[p->a] = pods ? old->pods[p->b] : old->groups[p->b].name;
        used[p->b] = true;
    }
    free(used);
    lw_pairs_free(&shared);
    return rc;
}

/* A name that nothing else has. */
static const char *free_name(struct lw_grouping *g, struct lw_strtab *taken,
                             const char *prefix, const char *node)
{
    const char *name = make_name(g, prefix, node);
    size_t before = lw_strtab_count(taken), at;

    if (!name)
        return NULL;
    at = lw_strtab_add(taken, name, strlen(name));
    if (at == LW_STRTAB_NONE)
        return NULL;
    if (at != before)
        name = lw_arena_printf(&g->arena, "%.*s-%08xx", MAX_NAME - 10, name,
                               (unsigned)hash_of(node));
    return name;
}

static const char *first_host(const struct lw_grouping *g, uint32_t group)
{
    return g->hosts[g->groups[group].hosts[0]].name;
}

static int name_groups(struct lw_grouping *g, struct lw_strtab *taken)
{
    const char **names = lw_groups_array(g, g->ngroups, sizeof(*names));
    uint32_t i;

    if (!names || (g->options->previous && keep_names(g, false, names) < 0))
        return -1;
    for (i = 0; i < g->ngroups; i++)
        if (names[i] &&
            lw_strtab_add(taken, names[i], strlen(names[i])) == LW_STRTAB_NONE)
            return lw_groups_no_memory(g);
    for (i = 0; i < g->ngroups; i++) {
        if (!names[i])
            names[i] = free_name(g, taken, "rg-", first_host(g, i));
        if (!(g->groups[i].name = names[i]))
            return lw_groups_no_memory(g);
    }
    return 0;
}

/* Pods and roots are named by their first group's first node. */
static int name_pods(struct lw_grouping *g, struct lw_strtab *taken)
{
    uint32_t i;

    g->pods = lw_groups_array(g, g->npods, sizeof(*g->pods));
    if (!g->pods || (g->options->previous && keep_names(g, true, g->pods) < 0))
        return -1;
    for (i = 0; i < g->npods; i++)
        if (g->pods[i] && lw_strtab_add(taken, g->pods[i],
                                        strlen(g->pods[i])) == LW_STRTAB_NONE)
            return lw_groups_no_memory(g);
    for (i = 0; i < g->ngroups; i++) {
        const struct lw_group *gr = &g->groups[i];
        if (!g->pods[gr->pod] &&
            !(g->pods[gr->pod] = free_name(g, taken, "pod-", first_host(g, i))))
            return lw_groups_no_memory(g);
        if (!g->roots[gr->root] &&
            !(g->roots[gr->root] =
                  free_name(g, taken, "fabric-", first_host(g, i))))
            return lw_groups_no_memory(g);
    }
    return 0;
}

int lw_groups_names(struct lw_grouping *g)
{
    struct lw_strtab *taken = lw_strtab_create();
    int rc;

    if (!taken)
        return lw_groups_no_memory(g);
    rc = name_groups(g, taken);
    if (rc == 0)
        rc = name_pods(g, taken);
    lw_strtab_destroy(taken);
    return rc;
}
