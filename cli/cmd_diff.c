/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_diff.c - `leafward diff`: what a maintenance changed */
#include "config.h"

#include "cli/cli.h"
#include "topology/fabric/map_diff.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "Print JSON for programs", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

struct arguments {
    const char *map[2];
    size_t n;
    bool json;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;

    switch (key) {
    case 'j':
        a->json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (a->n == 2)
            argp_error(state, "'%s' is one argument too many", arg);
        a->map[a->n++] = arg;
        return 0;
    case ARGP_KEY_END:
        if (a->n != 2)
            argp_error(state, "two maps are needed");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* One sentence for each kind; %s are the subject, before and after as the
 * digits 1, 2 and 3 say. */
static const struct {
    const char *kind;
    const char *sentence;
} sentences[] = {
    {"cable-moved", "1 moved from 2 to 3"},
    {"finding-gone", "2"},
    {"finding-new", "3"},
    {"group-gone", "group 1 is gone (it had 2)"},
    {"group-new", "group 1 is new, with 3"},
    {"group-pod", "group 1 moved from pod '2' to '3'"},
    {"hca-gone", "1 is gone from 2"},
    {"hca-new", "1 is new on 3"},
    {"leaf", "1 was on leaf '2' and is on '3'"},
    {"node-domain", "1 moved from NVLink domain '2' to '3'"},
    {"node-gone", "1 is gone from group 2"},
    {"node-group", "1 moved from group 2 to 3"},
    {"node-new", "1 is new in group 3"},
    {"rail-down", "1 is down (it was on 2)"},
    {"rail-up", "1 is up on 3"},
    {"rate", "1 went from 2 to 3"},
    {"switch-gone", "switch 1 is gone"},
    {"switch-new", "switch 1 is new"},
    {"uplinks", "switch 1 went from 2 uplinks to 3"},
};

static const char *sentence_of(const char *kind)
{
    size_t i;

    for (i = 0; i < sizeof(sentences) / sizeof(sentences[0]); i++)
        if (strcmp(sentences[i].kind, kind) == 0)
            return sentences[i].sentence;
    return "1: 2 -> 3";
}

static void print_text(const struct lw_map_diff *diff)
{
    const char *s;
    size_t i;

    for (i = 0; i < diff->n; i++) {
        const struct lw_change *c = &diff->changes[i];

        printf("%s: ", c->kind);
        for (s = sentence_of(c->kind); *s; s++) {
            if (*s == '1')
                fputs(c->subject, stdout);
            else if (*s == '2')
                fputs(c->before, stdout);
            else if (*s == '3')
                fputs(c->after, stdout);
            else
                putchar(*s);
        }
        putchar('\n');
    }
}

static int print_json(const struct lw_map_diff *diff)
{
    json_t *list = json_array();
    int rc = list ? 0 : -1;
    size_t i;

    for (i = 0; i < diff->n && rc == 0; i++) {
        const struct lw_change *c = &diff->changes[i];

        rc = json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:s, s:s}", "kind", c->kind, "subject",
                      c->subject, "before", c->before, "after", c->after));
    }
    if (rc == 0)
        rc = json_dumpf(list, stdout, JSON_INDENT(1));
    json_decref(list);
    putchar('\n');
    return rc;
}

static int compare(const struct arguments *a, const struct lw_map *before,
                   const struct lw_map *after)
{
    struct lw_map_diff diff;
    lw_error_t err = {0};
    int code;

    if (lw_map_diff(&diff, before, after, &err) < 0)
        return lw_cli_fail("%s", err.text);
    code = diff.n ? LW_EXIT_FINDINGS : LW_EXIT_OK;
    if (!a->json)
        print_text(&diff);
    else if (print_json(&diff) < 0)
        code = lw_cli_fail("out of memory");
    lw_map_diff_free(&diff);
    return code;
}

int lw_cmd_diff(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "OLD NEW",
        "Tell what changed between two fabric maps. Exit 1 when something "
        "did.",
        NULL,
        NULL,
        NULL};
    struct arguments a = {0};
    struct lw_map *before, *after = NULL;
    int code = LW_EXIT_FINDINGS;

    argp_parse(&argp, argc, argv, 0, NULL, &a);
    if ((before = lw_cli_map(a.map[0])) && (after = lw_cli_map(a.map[1])))
        code = compare(&a, before, after);
    lw_map_destroy(before);
    lw_map_destroy(after);
    return code;
}
