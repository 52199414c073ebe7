/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_parse.c - JSON text to a fabric map that can be trusted */
#include "config.h"

#include "lib/natcmp.h"
#include "lib/strtab.h"
#include "topology/fabric/map.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What every reader below needs; 'list' and 'at' say where it stands. */
struct parse {
    struct lw_map *map;
    const char *source;
    lw_error_t *err;
    const char *list;
    size_t at;
    /* name to index, so that reading stays linear */
    struct lw_strtab *pods, *roots, *domains, *groups;
};

static int wrong(struct parse *p, const char *key, const char *what)
{
    if (p->list)
        return lw_err(p->err, "%s: %s[%zu].%s: %s", p->source, p->list, p->at,
                      key, what);
    return lw_err(p->err, "%s: %s: %s", p->source, key, what);
}

static int no_memory(struct parse *p)
{
    return lw_err(p->err, "%s: out of memory", p->source);
}

/* The text of 'key' into the map's arena; 'missing' when it is null or not
 * there, which is an error when 'missing' is NULL. */
static int take_text(struct parse *p, const json_t *from, const char *key,
                     const char *missing, const char **out)
{
    const json_t *v = json_object_get(from, key);

    if ((!v || json_is_null(v)) && missing) {
        *out = missing;
        return 0;
    }
    if (!json_is_string(v))
        return wrong(p, key, "expected a text");
    if (strlen(json_string_value(v)) != json_string_length(v))
        return wrong(p, key, "holds a zero byte");
    *out = lw_arena_text(&p->map->arena, json_string_value(v),
                         json_string_length(v));
    return *out ? 0 : no_memory(p);
}

/* The whole number of 'key', between 'min' and INT_MAX. */
static int take_int(struct parse *p, const json_t *from, const char *key,
                    int min, int missing, int *out)
{
    const json_t *v = json_object_get(from, key);
    json_int_t n;

    if (!v) {
        *out = missing;
        return 0;
    }
    n = json_integer_value(v);
    if (!json_is_integer(v) || n < min || n > INT_MAX)
        return wrong(p, key, "expected a whole number that is not negative");
    *out = (int)n;
    return 0;
}

static int take_size(struct parse *p, const json_t *from, const char *key,
                     size_t *out)
{
    int n = 0;

    if (take_int(p, from, key, 0, 0, &n) < 0)
        return -1;
    *out = (size_t)n;
    return 0;
}

static int take_guid(struct parse *p, const json_t *from, uint64_t *out)
{
    const json_t *v = json_object_get(from, "guid");
    const char *s = json_string_value(v);
    char *end;

    if (!s || strncmp(s, "0x", 2) != 0 || strlen(s) > 18)
        return wrong(p, "guid", "expected \"0x\" and 16 digits");
    errno = 0;
    *out = strtoull(s, &end, 16);
    if (*end || errno)
        return wrong(p, "guid", "expected \"0x\" and 16 digits");
    return 0;
}

/* The array of 'key', NULL when it is not there; -1 when it is something
 * else. */
static int take_array(struct parse *p, const json_t *from, const char *key,
                      const json_t **out, size_t *count)
{
    const json_t *v = json_object_get(from, key);

    *out = v;
    *count = json_array_size(v);
    if (v && !json_is_array(v))
        return wrong(p, key, "expected a list");
    return 0;
}

/* A list of texts. */
static int take_names(struct parse *p, const json_t *from, const char *key,
                      const char ***out, size_t *count)
{
    const json_t *list;
    size_t i, n;

    if (take_array(p, from, key, &list, &n) < 0)
        return -1;
    if (!(*out = lw_arena_array(&p->map->arena, n, sizeof(**out))))
        return no_memory(p);
    for (i = 0; i < n; i++) {
        const json_t *v = json_array_get(list, i);
        if (!json_is_string(v))
            return wrong(p, key, "expected a list of texts");
        (*out)[i] = lw_arena_text(&p->map->arena, json_string_value(v),
                                  json_string_length(v));
        if (!(*out)[i])
            return no_memory(p);
    }
    *count = n;
    return 0;
}

static int index_of(const struct lw_strtab *names, const char *name)
{
    size_t i = lw_strtab_find(names, name, strlen(name));

    return i == LW_STRTAB_NONE ? -1 : (int)i;
}

/* Give 'name' the next index; it must be new. */
static int add_name(struct parse *p, struct lw_strtab *names, const char *key,
                    const char *name)
{
    size_t n = lw_strtab_count(names);
    size_t i = lw_strtab_add(names, name, strlen(name));

    if (i == LW_STRTAB_NONE)
        return no_memory(p);
    return i == n ? 0 : wrong(p, key, "stands twice");
}

/* A reference by name to an entry of a list; -1 when null or missing. */
static int take_ref(struct parse *p, const json_t *from, const char *key,
                    const struct lw_strtab *names, int *out)
{
    const char *name = json_string_value(json_object_get(from, key));

    *out = -1;
    if (!name)
        return 0;
    if ((*out = index_of(names, name)) < 0)
        return wrong(p, key, "names something that the map does not hold");
    return 0;
}

/* Names of switches go into host lists of Slurm, so they have to be plain. */
static int check_name(struct parse *p, const char *key, const char *name)
{
    const char *c;

    for (c = name; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7f || strchr("[],\"'=#", *c))
            return wrong(p, key, "is not a name");
    if (c == name || c - name > 255)
        return wrong(p, key, "is empty or too long");
    return 0;
}

static int take_sources(struct parse *p, const json_t *root)
{
    struct lw_map_source *s;
    const json_t *list;
    size_t n;

    p->list = NULL;
    if (take_array(p, root, "sources", &list, &n) < 0)
        return -1;
    if (!(s = lw_arena_array(&p->map->arena, n, sizeof(*s))))
        return no_memory(p);
    p->list = "sources";
    for (p->at = 0; p->at < n; p->at++) {
        const json_t *v = json_array_get(list, p->at);
        if (take_text(p, v, "kind", NULL, &s[p->at].kind) < 0 ||
            take_text(p, v, "name", NULL, &s[p->at].name) < 0 ||
            take_text(p, v, "sha256", "", &s[p->at].sha256) < 0)
            return -1;
    }
    p->map->sources = s;
    p->map->nsources = n;
    return 0;
}

/* A pod is an object, or only its name. */
static int take_pod(struct parse *p, const json_t *v, size_t i)
{
    struct lw_map *map = p->map;
    const char *root = "fabric";
    size_t at;

    if (json_is_string(v))
        map->pods[i] = lw_arena_text(&map->arena, json_string_value(v),
                                     json_string_length(v));
    else if (take_text(p, v, "name", NULL, &map->pods[i]) < 0 ||
             take_text(p, v, "root", "fabric", &root) < 0)
        return -1;
    if (!map->pods[i])
        return no_memory(p);
    if (check_name(p, "name", map->pods[i]) < 0 ||
        check_name(p, "root", root) < 0 ||
        add_name(p, p->pods, "name", map->pods[i]) < 0)
        return -1;
    if ((at = lw_strtab_add(p->roots, root, strlen(root))) == LW_STRTAB_NONE)
        return no_memory(p);
    map->roots[at] = root;
    map->nroots = lw_strtab_count(p->roots);
    map->pod_roots[i] = (int)at;
    return 0;
}

static int take_pods(struct parse *p, const json_t *root)
{
    struct lw_map *map = p->map;
    const json_t *list;
    size_t n;

    p->list = NULL;
    if (take_array(p, root, "pods", &list, &n) < 0)
        return -1;
    map->pods = lw_arena_array(&map->arena, n, sizeof(*map->pods));
    map->roots = lw_arena_array(&map->arena, n, sizeof(*map->roots));
    map->pod_roots = lw_arena_array(&map->arena, n, sizeof(*map->pod_roots));
    if (!map->pods || !map->roots || !map->pod_roots)
        return no_memory(p);
    p->list = "pods";
    for (p->at = 0; p->at < n; p->at++)
        if (take_pod(p, json_array_get(list, p->at), p->at) < 0)
            return -1;
    map->npods = n;
    return 0;
}

static int take_group(struct parse *p, const json_t *v, struct lw_map_group *g)
{
    if (take_text(p, v, "name", NULL, &g->name) < 0 ||
        check_name(p, "name", g->name) < 0 ||
        take_ref(p, v, "pod", p->pods, &g->pod) < 0 ||
        take_names(p, v, "leaves", &g->leaves, &g->nleaves) < 0)
        return -1;
    if (strlen(g->name) > 63)
        return wrong(p, "name", "is longer than 63 characters");
    return add_name(p, p->groups, "name", g->name);
}

/* The groups without their nodes, which are read later. */
static int take_groups(struct parse *p, const json_t *root)
{
    struct lw_map *map = p->map;
    const json_t *list;
    size_t n;

    p->list = NULL;
    if (take_array(p, root, "groups", &list, &n) < 0)
        return -1;
    if (!(map->groups = lw_arena_array(&map->arena, n, sizeof(*map->groups))))
        return no_memory(p);
    p->list = "groups";
    for (p->at = 0; p->at < n; p->at++) {
        if (take_group(p, json_array_get(list, p->at), &map->groups[p->at]) < 0)
            return -1;
        map->ngroups++;
    }
    return 0;
}

static int take_hcas(struct parse *p, const json_t *node,
                     struct lw_map_node *out)
{
    const json_t *list;
    size_t i, n;

    if (take_array(p, node, "hcas", &list, &n) < 0)
        return -1;
    if (!(out->hcas = lw_arena_array(&p->map->arena, n, sizeof(*out->hcas))))
        return no_memory(p);
    for (i = 0; i < n; i++) {
        const json_t *v = json_array_get(list, i);
        struct lw_map_hca *h = &out->hcas[i];
        if (take_guid(p, v, &h->guid) < 0 ||
            take_text(p, v, "device", "", &h->device) < 0 ||
            take_int(p, v, "port", 1, 1, &h->port) < 0 ||
            take_int(p, v, "rail", -1, -1, &h->rail) < 0 ||
            take_text(p, v, "leaf", "", &h->leaf) < 0 ||
            take_text(p, v, "width", "", &h->width) < 0 ||
            take_text(p, v, "speed", "", &h->speed) < 0)
            return -1;
    }
    out->nhcas = n;
    return 0;
}

static int take_node(struct parse *p, const json_t *v, struct lw_map_node *n)
{
    struct lw_map *map = p->map;

    if (take_text(p, v, "name", NULL, &n->name) < 0 ||
        check_name(p, "name", n->name) < 0 ||
        take_ref(p, v, "group", p->groups, &n->group) < 0 ||
        take_ref(p, v, "pod", p->pods, &n->pod) < 0 ||
        take_ref(p, v, "domain", p->domains, &n->domain) < 0 ||
        take_int(p, v, "rails", 0, 0, &n->rails) < 0 ||
        take_int(p, v, "rails_up", 0, n->rails, &n->rails_up) < 0 ||
        take_int(p, v, "rails_slow", 0, 0, &n->rails_slow) < 0)
        return -1;
    if (n->group < 0)
        return wrong(p, "group", "expected the name of a group");
    if (n->rails_up > n->rails || n->rails_slow > n->rails_up)
        return wrong(p, "rails_up", "is more than the rails there are");
    if (n->pod < 0)
        n->pod = map->groups[n->group].pod;
    if (n->pod != map->groups[n->group].pod)
        return wrong(p, "pod", "is not the pod of the node's group");
    return take_hcas(p, v, n);
}

static int by_name(const void *a, const void *b)
{
    return lw_natcmp(((const struct lw_map_node *)a)->name,
                     ((const struct lw_map_node *)b)->name);
}

static int take_nodes(struct parse *p, const json_t *root)
{
    struct lw_map *map = p->map;
    const json_t *list;
    size_t n, i;

    p->list = NULL;
    if (take_array(p, root, "nodes", &list, &n) < 0)
        return -1;
    if (n == 0)
        return wrong(p, "nodes", "the map holds no node");
    if (n > INT_MAX ||
        !(map->nodes = lw_arena_array(&map->arena, n, sizeof(*map->nodes))))
        return no_memory(p);
    p->list = "nodes";
    for (p->at = 0; p->at < n; p->at++)
        if (take_node(p, json_array_get(list, p->at), &map->nodes[p->at]) < 0)
            return -1;
    map->nnodes = n;
    qsort(map->nodes, n, sizeof(*map->nodes), by_name);
    for (i = 1; i < n; i++)
        if (!strcmp(map->nodes[i - 1].name, map->nodes[i].name))
            return lw_err(p->err, "%s: node %s stands twice", p->source,
                          map->nodes[i].name);
    return 0;
}

/* The nodes of each group, in name order, from what the nodes say. */
static int fill_groups(struct parse *p)
{
    struct lw_map *map = p->map;
    struct lw_map_group *g;
    size_t i;

    for (i = 0; i < map->nnodes; i++)
        map->groups[map->nodes[i].group].nnodes++;
    for (i = 0; i < map->ngroups; i++) {
        g = &map->groups[i];
        g->nodes = lw_arena_array(&map->arena, g->nnodes, sizeof(*g->nodes));
        if (!g->nodes)
            return no_memory(p);
        g->nnodes = 0;
    }
    for (i = 0; i < map->nnodes; i++) {
        g = &map->groups[map->nodes[i].group];
        g->nodes[g->nnodes++] = (int)i;
    }
    return 0;
}

/* What the groups say of their nodes must be what the nodes say. */
static int check_groups(struct parse *p, const json_t *root)
{
    const json_t *list = json_object_get(root, "groups"), *names;
    struct lw_map *map = p->map;
    size_t i, n;
    int node;

    p->list = "groups";
    for (p->at = 0; p->at < map->ngroups; p->at++) {
        if (take_array(p, json_array_get(list, p->at), "nodes", &names, &n) < 0)
            return -1;
        if (n != map->groups[p->at].nnodes)
            return wrong(p, "nodes", "differs from what the nodes say");
        for (i = 0; i < n; i++) {
            const char *s = json_string_value(json_array_get(names, i));
            node = s ? lw_map_find_node(map, s) : -1;
            if (node < 0 || map->nodes[node].group != (int)p->at)
                return wrong(p, "nodes", "differs from what the nodes say");
        }
    }
    return 0;
}

static int take_switches(struct parse *p, const json_t *root)
{
    struct lw_map *map = p->map;
    struct lw_map_switch *s;
    const json_t *list;
    size_t n;

    p->list = NULL;
    if (take_array(p, root, "switches", &list, &n) < 0)
        return -1;
    if (!(s = lw_arena_array(&map->arena, n, sizeof(*s))))
        return no_memory(p);
    map->switches = s;
    p->list = "switches";
    for (p->at = 0; p->at < n; p->at++, s++) {
        const json_t *v = json_array_get(list, p->at);
        if (take_text(p, v, "name", NULL, &s->name) < 0 ||
            take_guid(p, v, &s->guid) < 0 ||
            take_int(p, v, "tier", 0, 0, &s->tier) < 0 ||
            take_ref(p, v, "group", p->groups, &s->group) < 0 ||
            take_ref(p, v, "pod", p->pods, &s->pod) < 0 ||
            take_size(p, v, "hcas", &s->hcas) < 0 ||
            take_size(p, v, "uplinks", &s->uplinks) < 0 ||
            take_size(p, v, "expected", &s->expected) < 0)
            return -1;
    }
    map->nswitches = n;
    return 0;
}

static int take_finding(struct parse *p, const json_t *v, struct lw_finding *f)
{
    const char *level;

    if (take_text(p, v, "level", NULL, &level) < 0 ||
        take_text(p, v, "kind", NULL, &f->kind) < 0 ||
        take_text(p, v, "node", "", &f->node) < 0 ||
        take_text(p, v, "switch", "", &f->sw) < 0 ||
        take_text(p, v, "text", "", &f->text) < 0)
        return -1;
    if (!*f->node)
        f->node = NULL;
    if (!*f->sw)
        f->sw = NULL;
    for (f->level = LW_NOTE; f->level <= LW_ERROR; f->level++)
        if (!strcmp(level, lw_level_word(f->level)))
            return 0;
    return wrong(p, "level", "expected error, warning or note");
}

static int take_findings(struct parse *p, const json_t *root)
{
    struct lw_map *map = p->map;
    const json_t *list;
    size_t n;

    p->list = NULL;
    if (take_array(p, root, "findings", &list, &n) < 0)
        return -1;
    map->findings = lw_arena_array(&map->arena, n, sizeof(*map->findings));
    if (!map->findings)
        return no_memory(p);
    p->list = "findings";
    for (p->at = 0; p->at < n; p->at++)
        if (take_finding(p, json_array_get(list, p->at),
                         &map->findings[p->at]) < 0)
            return -1;
    map->nfindings = n;
    return 0;
}

static int take_head(struct parse *p, const json_t *root)
{
    struct lw_map *map = p->map;
    const json_t *schema = json_object_get(root, "schema");

    if (!json_is_object(root) || !json_is_integer(schema))
        return lw_err(p->err, "%s: is not a fabric map (no \"schema\")",
                      p->source);
    if (json_integer_value(schema) != LW_MAP_SCHEMA)
        return lw_err(p->err,
                      "%s: is of schema %lld, expected %d; write it again "
                      "with this version's leafward discover",
                      p->source, (long long)json_integer_value(schema),
                      LW_MAP_SCHEMA);
    map->partial = json_is_true(json_object_get(root, "partial"));
    return take_text(p, root, "created", "", &map->created);
}

static int take_domains(struct parse *p, const json_t *root)
{
    struct lw_map *map = p->map;
    size_t i;

    p->list = NULL;
    if (take_names(p, root, "domains", &map->domains, &map->ndomains) < 0 ||
        take_names(p, root, "others", &map->others, &map->nothers) < 0)
        return -1;
    for (i = 0; i < map->ndomains; i++)
        if (add_name(p, p->domains, "domains", map->domains[i]) < 0)
            return -1;
    return 0;
}

static int take_map(struct parse *p, const json_t *root)
{
    if (take_head(p, root) < 0 || take_sources(p, root) < 0 ||
        take_pods(p, root) < 0 || take_domains(p, root) < 0 ||
        take_groups(p, root) < 0 || take_nodes(p, root) < 0 ||
        fill_groups(p) < 0 || check_groups(p, root) < 0 ||
        take_switches(p, root) < 0 || take_findings(p, root) < 0)
        return -1;
    return 0;
}

static int open_tables(struct parse *p)
{
    if (!(p->map = lw_map_create()) || !(p->pods = lw_strtab_create()) ||
        !(p->roots = lw_strtab_create()) ||
        !(p->domains = lw_strtab_create()) || !(p->groups = lw_strtab_create()))
        return no_memory(p);
    return 0;
}

struct lw_map *lw_map_parse(const char *text, size_t len, const char *source,
                            lw_error_t *err)
{
    struct parse p = {.source = source, .err = err};
    json_error_t syntax;
    json_t *root = NULL;

    if (len == 0) {
        lw_err(err, "%s: is empty", source);
        return NULL;
    }
    if (!(root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &syntax))) {
        lw_err_at(err, source, syntax.line, syntax.column, "%s", syntax.text);
        return NULL;
    }
    if (open_tables(&p) < 0 || take_map(&p, root) < 0) {
        lw_map_destroy(p.map);
        p.map = NULL;
    }
    lw_strtab_destroy(p.pods);
    lw_strtab_destroy(p.roots);
    lw_strtab_destroy(p.domains);
    lw_strtab_destroy(p.groups);
    json_decref(root);
    return p.map;
}
