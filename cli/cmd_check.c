/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_check.c - `leafward check`: what is wrong with the fabric */
#include "config.h"

#include "cli/cli.h"
#include "lib/plural.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const struct argp_option options[] = {
    {"map", 'm', "MAP", 0, "The fabric map (default: from leafward.conf)", 0},
    {"level", 'l', "LEVEL", 0,
     "Leave out what is below: error, warning or note (default)", 0},
    {"json", 'j', NULL, 0, "Print JSON for programs", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

struct arguments {
    const char *map;
    enum lw_level level;
    bool json;
};

static enum lw_level level_of(struct argp_state *state, const char *word)
{
    int level;

    for (level = LW_NOTE; level <= LW_ERROR; level++)
        if (strcmp(lw_level_word((enum lw_level)level), word) == 0)
            return (enum lw_level)level;
    argp_error(state, "--level: error, warning or note, not '%s'", word);
    return LW_NOTE;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;

    switch (key) {
    case 'm':
        a->map = arg;
        return 0;
    case 'l':
        a->level = level_of(state, arg);
        return 0;
    case 'j':
        a->json = true;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s' is one argument too many", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static size_t count(const struct lw_map *map, enum lw_level level)
{
    size_t i, n = 0;

    for (i = 0; i < map->nfindings; i++)
        n += map->findings[i].level == level;
    return n;
}

static void print_text(const struct lw_map *map, enum lw_level least)
{
    int level;
    size_t i, n;

    for (level = LW_ERROR; level >= (int)least; level--)
        for (i = 0; i < map->nfindings; i++) {
            const struct lw_finding *f = &map->findings[i];

            if (f->level == (enum lw_level)level)
                printf("%s: %s: %s\n", lw_level_word(f->level), f->kind,
                       f->text);
        }
    if (map->partial)
        puts("The discovery was cut short: something may be missing.");
    for (level = LW_ERROR; level >= LW_NOTE; level--) {
        n = count(map, (enum lw_level)level);
        printf("%zu %s%s%s", n, lw_level_word((enum lw_level)level),
               lw_plural(n, "", "s"), level > LW_NOTE ? ", " : "\n");
    }
}

static json_t *finding_json(const struct lw_finding *f)
{
    return json_pack("{s:s, s:s, s:s?, s:s?, s:s}", "level",
                     lw_level_word(f->level), "kind", f->kind, "node", f->node,
                     "switch", f->sw, "text", f->text);
}

static int print_json(const struct lw_map *map, enum lw_level least)
{
    json_t *list = json_array();
    int level, rc = list ? 0 : -1;
    size_t i;

    for (level = LW_ERROR; level >= (int)least; level--)
        for (i = 0; i < map->nfindings && rc == 0; i++)
            if (map->findings[i].level == (enum lw_level)level)
                rc = json_array_append_new(list,
                                           finding_json(&map->findings[i]));
    if (rc == 0)
        rc = json_dumpf(list, stdout, JSON_INDENT(1));
    json_decref(list);
    putchar('\n');
    return rc;
}

int lw_cmd_check(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        NULL,
        "Tell what is wrong with the fabric and what to do about it. Exit 1 "
        "when there is an error.",
        NULL,
        NULL,
        NULL};
    struct arguments a = {.level = LW_NOTE};
    struct lw_map *map;
    int code;

    argp_parse(&argp, argc, argv, 0, NULL, &a);
    if (!(map = lw_cli_map(a.map)))
        return LW_EXIT_FINDINGS;
    code = count(map, LW_ERROR) ? LW_EXIT_FINDINGS : LW_EXIT_OK;
    if (!a.json)
        print_text(map, a.level);
    else if (print_json(map, a.level) < 0)
        code = lw_cli_fail("out of memory");
    lw_map_destroy(map);
    return code;
}
