/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_show.c - `leafward show`: the fabric map for people */
#include "config.h"

#include "cli/cli.h"
#include "cli/names.h"
#include "cli/show_cluster.h"
#include "cli/table.h"
#include "lib/plural.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct argp_option options[] = {
    {"map", 'm', "MAP", 0, "The fabric map (default: from leafward.conf)", 0},
    {"json", 'j', NULL, 0, "Print JSON for programs", 0},
    {"state", 's', "FILE", 0,
     "groups: draw them as this cluster state has them (default: the one that "
     "leafward watch writes, when there is one)",
     0},
    {"watch", 'w', "SECONDS", OPTION_ARG_OPTIONAL,
     "groups: draw them again every SECONDS (5)", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

struct arguments {
    const char *map, *state;
    long watch;       /* seconds, 0: once */
    const char *what; /* "", groups, nodes, rails, or a name */
    bool json;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    char *end;

    switch (key) {
    case 'm':
        a->map = arg;
        return 0;
    case 'j':
        a->json = true;
        return 0;
    case 's':
        a->state = arg;
        return 0;
    case 'w':
        a->watch = arg ? strtol(arg, &end, 10) : 5;
        if (a->watch < 1 || a->watch > 3600 || (arg && *end))
            argp_error(state, "--watch=%s: expected 1 to 3600 seconds", arg);
        return 0;
    case ARGP_KEY_ARG:
        if (*a->what)
            argp_error(state, "'%s' is one argument too many", arg);
        a->what = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const char *pod_name(const struct lw_map *map, int pod)
{
    return pod < 0 ? "-" : map->pods[pod];
}

static const char *domain_name(const struct lw_map *map, int domain)
{
    return domain < 0 ? "-" : map->domains[domain];
}

/* Rails that the group's nodes should have: the most any of them has. */
static int group_rails(const struct lw_map *map, const struct lw_map_group *g)
{
    int rails = 0;
    size_t i;

    for (i = 0; i < g->nnodes; i++)
        if (map->nodes[g->nodes[i]].rails > rails)
            rails = map->nodes[g->nodes[i]].rails;
    return rails;
}

static size_t group_degraded(const struct lw_map *map,
                             const struct lw_map_group *g)
{
    size_t i, n = 0;

    for (i = 0; i < g->nnodes; i++) {
        const struct lw_map_node *node = &map->nodes[g->nodes[i]];

        n += lw_map_node_is_degraded(node);
    }
    return n;
}

/* The nodes of a group as a host list, to free. */
static char *group_list(const struct lw_map *map, const struct lw_map_group *g)
{
    struct lw_write_options o = {.fold = LW_CLI_FOLD};
    struct lw_buf b = LW_BUF_INIT(LW_EXPORT_LIMIT);
    const char **names = calloc(g->nnodes + 1, sizeof(*names));
    size_t i;

    for (i = 0; names && i < g->nnodes; i++)
        names[i] = map->nodes[g->nodes[i]].name;
    if (names)
        lw_write_names(&b, &o, names, g->nnodes);
    free(names);
    return lw_buf_take(&b);
}

static const struct lw_column groups_columns[] = {
    {"group", "GROUP", 0},
    {"pod", "POD", 0},
    {"nodes", "NODES", 0},
    {"rails", "RAILS", 0},
    {"degraded", "DEGRADED", 0},
    {"hosts", "HOSTS", 0},
    {0},
};

static void show_groups(const struct lw_map *map)
{
    struct lw_sheet t;
    size_t i;

    lw_sheet_init(&t, "groups", groups_columns);
    for (i = 0; i < map->ngroups; i++) {
        const struct lw_map_group *g = &map->groups[i];
        char *hosts = group_list(map, g);

        lw_table_row(&t, "%s\t%s\t%zu\t%d\t%zu\t%s", g->name,
                     pod_name(map, g->pod), g->nnodes, group_rails(map, g),
                     group_degraded(map, g), hosts ? hosts : "");
        free(hosts);
    }
    lw_table_print(&t);
}

static const struct lw_column nodes_columns[] = {
    {"node", "NODE", 0},     {"group", "GROUP", 0},
    {"pod", "POD", 0},       {"rails", "RAILS", 0},
    {"up", "UP", 0},         {"slow", "SLOW", 0},
    {"domain", "DOMAIN", 0}, {0},
};

static void show_nodes(const struct lw_map *map)
{
    struct lw_sheet t;
    size_t i;

    lw_sheet_init(&t, "nodes", nodes_columns);
    for (i = 0; i < map->nnodes; i++) {
        const struct lw_map_node *n = &map->nodes[i];

        lw_table_row(&t, "%s\t%s\t%s\t%d\t%d\t%d\t%s", n->name,
                     map->groups[n->group].name, pod_name(map, n->pod),
                     n->rails, n->rails_up, n->rails_slow,
                     domain_name(map, n->domain));
    }
    lw_table_print(&t);
}

/* Nodes of the group whose HCA of that rail is up on that rail. */
static size_t rail_nodes(const struct lw_map *map, const struct lw_map_group *g,
                         int rail)
{
    size_t i, k, n = 0;

    for (i = 0; i < g->nnodes; i++) {
        const struct lw_map_node *node = &map->nodes[g->nodes[i]];

        for (k = 0; k < node->nhcas; k++)
            n += node->hcas[k].rail == rail && *node->hcas[k].leaf;
    }
    return n;
}

static const struct lw_map_switch *find_switch(const struct lw_map *map,
                                               const char *name)
{
    size_t i;

    for (i = 0; i < map->nswitches; i++)
        if (strcmp(map->switches[i].name, name) == 0)
            return &map->switches[i];
    return NULL;
}

static const struct lw_column rails_columns[] = {
    {"group", "GROUP", 0}, {"rail", "RAIL", 0},       {"leaf", "LEAF", 0},
    {"nodes", "NODES", 0}, {"uplinks", "UPLINKS", 0}, {0},
};

static void show_rails(const struct lw_map *map)
{
    struct lw_sheet t;
    size_t i, r;

    lw_sheet_init(&t, "rails", rails_columns);
    for (i = 0; i < map->ngroups; i++)
        for (r = 0; r < map->groups[i].nleaves; r++) {
            const struct lw_map_group *g = &map->groups[i];
            const struct lw_map_switch *s = find_switch(map, g->leaves[r]);
            char uplinks[64] = "-";

            if (s)
                snprintf(uplinks, sizeof(uplinks), "%zu of %zu", s->uplinks,
                         s->expected);
            lw_table_row(&t, "%s\t%zu\t%s\t%zu of %zu\t%s", g->name, r,
                         *g->leaves[r] ? g->leaves[r] : "(none)",
                         rail_nodes(map, g, (int)r), g->nnodes, uplinks);
        }
    lw_table_print(&t);
}

static size_t count_level(const struct lw_map *map, enum lw_level level)
{
    size_t i, n = 0;

    for (i = 0; i < map->nfindings; i++)
        n += map->findings[i].level == level;
    return n;
}

static void say(size_t n, const char *what, const char *after)
{
    printf("%zu %s%s%s", n, what, lw_plural(n, "", "s"), after);
}

static void show_summary(const struct lw_map *map)
{
    size_t i, degraded = 0;

    for (i = 0; i < map->ngroups; i++)
        degraded += group_degraded(map, &map->groups[i]);
    printf("Made %s%s\n", map->created,
           map->partial ? " from a discovery that was cut short" : "");
    for (i = 0; i < map->nsources; i++)
        printf("  from %s %s\n", map->sources[i].kind, map->sources[i].name);
    say(map->nnodes, "node", " in ");
    say(map->ngroups, "rail group", ", ");
    say(map->npods, "pod", ", ");
    say(map->nroots, "fabric", "; ");
    say(map->ndomains, "NVLink domain", "\n");
    say(degraded, "node", " with a rail down or slow; ");
    say(map->nothers, "other host", "\n");
    say(count_level(map, LW_ERROR), "error", ", ");
    say(count_level(map, LW_WARNING), "warning", ", ");
    say(count_level(map, LW_NOTE), "note", ": see `leafward check`\n\n");
    show_groups(map);
}

static void show_findings(const struct lw_map *map, const char *node)
{
    size_t i;

    for (i = 0; i < map->nfindings; i++) {
        const struct lw_finding *f = &map->findings[i];

        if (f->node && strcmp(f->node, node) == 0)
            printf("%s: %s: %s\n", lw_level_word(f->level), f->kind, f->text);
    }
}

static const struct lw_column node_rails_columns[] = {
    {"rail", "RAIL", 0}, {"device", "DEVICE", 0}, {"guid", "GUID", 0},
    {"leaf", "LEAF", 0}, {"rate", "RATE", 0},     {0},
};

static void show_node(const struct lw_map *map, const struct lw_map_node *n)
{
    struct lw_sheet t;
    size_t i;

    printf("%s: group %s, pod %s, NVLink domain %s, %d of %d rails up, %d "
           "slow\n\n",
           n->name, map->groups[n->group].name, pod_name(map, n->pod),
           domain_name(map, n->domain), n->rails_up, n->rails, n->rails_slow);
    lw_sheet_init(&t, "node_rails", node_rails_columns);
    for (i = 0; i < n->nhcas; i++) {
        const struct lw_map_hca *h = &n->hcas[i];
        char rail[24] = "-";

        if (h->rail >= 0)
            snprintf(rail, sizeof(rail), "%d", h->rail);
        lw_table_row(&t, "%s\t%s\t0x%016" PRIx64 "\t%s\t%s%s", rail,
                     *h->device ? h->device : "-", h->guid,
                     *h->leaf ? h->leaf : "(down)", h->width, h->speed);
    }
    lw_table_print(&t);
    show_findings(map, n->name);
}

static const struct lw_column group_rails_columns[] = {
    {"rail", "RAIL", 0},
    {"leaf", "LEAF", 0},
    {"nodes", "NODES", 0},
    {0},
};

static void show_group(const struct lw_map *map, const struct lw_map_group *g)
{
    struct lw_sheet t;
    char *hosts = group_list(map, g);
    size_t r;

    printf("%s: pod %s, %zu %s, %zu of them with a rail down or slow\n"
           "%s\n\n",
           g->name, pod_name(map, g->pod), g->nnodes,
           lw_plural(g->nnodes, "node", "nodes"), group_degraded(map, g),
           hosts ? hosts : "");
    free(hosts);
    lw_sheet_init(&t, "group_rails", group_rails_columns);
    for (r = 0; r < g->nleaves; r++)
        lw_table_row(&t, "%zu\t%s\t%zu of %zu", r,
                     *g->leaves[r] ? g->leaves[r] : "(none)",
                     rail_nodes(map, g, (int)r), g->nnodes);
    lw_table_print(&t);
}

/* The part of the map asked for, in the very form it has in the map file. */
static json_t *part_of(const struct lw_map *map, const json_t *root,
                       const char *what)
{
    int node = lw_map_find_node(map, what);
    int group = lw_map_find_group(map, what);

    if (!*what)
        return json_incref((json_t *)root);
    if (strcmp(what, "rails") == 0)
        what = "groups";
    if (strcmp(what, "groups") == 0 || strcmp(what, "nodes") == 0)
        return json_incref(json_object_get(root, what));
    if (node >= 0)
        return json_incref(
            json_array_get(json_object_get(root, "nodes"), (size_t)node));
    if (group >= 0)
        return json_incref(
            json_array_get(json_object_get(root, "groups"), (size_t)group));
    return NULL;
}

static int show_json(const struct lw_map *map, const char *what)
{
    lw_error_t err = {0};
    size_t len;
    char *text = lw_map_print(map, &len, &err);
    json_t *root = text ? json_loadb(text, len, 0, NULL) : NULL;
    json_t *part = root ? part_of(map, root, what) : NULL;
    int code = LW_EXIT_OK;

    if (!root)
        code = lw_cli_fail("%s", err.text[0] ? err.text : "out of memory");
    else if (!part)
        code = lw_cli_fail("the map holds no node or group '%s'", what);
    else if (json_dumpf(part, stdout, JSON_INDENT(1)) == 0)
        putchar('\n');
    json_decref(part);
    json_decref(root);
    free(text);
    return code;
}

static int show(const struct lw_map *map, const char *what)
{
    int node = lw_map_find_node(map, what);
    int group = lw_map_find_group(map, what);

    if (!*what)
        show_summary(map);
    else if (strcmp(what, "groups") == 0)
        show_groups(map);
    else if (strcmp(what, "nodes") == 0)
        show_nodes(map);
    else if (strcmp(what, "rails") == 0)
        show_rails(map);
    else if (node >= 0)
        show_node(map, &map->nodes[node]);
    else if (group >= 0)
        show_group(map, &map->groups[group]);
    else
        return lw_cli_fail("the map holds no node or group '%s'", what);
    return LW_EXIT_OK;
}

/* The picture when there is a state to draw; -1 when the table must do. A map
 * that was named need not be the cluster's. */
static int show_picture(const struct arguments *a)
{
    struct lw_settings *s = lw_cli_settings();
    const char *map = a->map ? a->map : s ? s->map : NULL;
    const char *state = a->state ? a->state : s ? s->state : NULL;
    bool asked = a->state || a->watch;
    int code = -1;

    if (!map || !state)
        code = lw_cli_fail("out of memory");
    else if (asked || (!a->map && access(state, R_OK) == 0))
        code = lw_show_live(map, state, a->watch);
    lw_settings_destroy(s);
    return code;
}

int lw_cmd_show(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "[groups|nodes|rails|NODE|GROUP]",
        "Show the fabric map: a summary, all groups, nodes or rails, or one "
        "node or group.",
        NULL,
        NULL,
        NULL};
    struct arguments a = {.what = ""};
    struct lw_map *map;
    int code;

    argp_parse(&argp, argc, argv, 0, NULL, &a);
    if ((a.state || a.watch) && (a.json || strcmp(a.what, "groups") != 0)) {
        lw_cli_fail("--state and --watch draw groups: say show groups");
        return LW_EXIT_USAGE;
    }
    if (!a.json && strcmp(a.what, "groups") == 0 &&
        (code = show_picture(&a)) >= 0)
        return code;
    if (!(map = lw_cli_map(a.map)))
        return LW_EXIT_FINDINGS;
    code = a.json ? show_json(map, a.what) : show(map, a.what);
    lw_map_destroy(map);
    return code;
}
