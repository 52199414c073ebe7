/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_export.c - `leafward export`: the map in the words of other programs */
#include "config.h"

#include "cli/cli.h"
#include "cli/names.h"
#include "lib/file.h"
#include "topology/fabric/writers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef int (*write_f)(struct lw_buf *out, const struct lw_map *map,
                       const struct lw_write_options *o, lw_error_t *err);

typedef int (*check_f)(const char *text, const char *path, lw_error_t *err);

static int check_conf(const char *text, const char *path, lw_error_t *err);

/* 'check', when there is one, has to pass for the whole file; then others may
 * write in the file too, and ours stands between marks. */
static const struct format {
    const char *name;
    write_f write;
    check_f check;
} formats[] = {
    {"block", lw_write_block, check_conf},
    {"dot", lw_write_dot, NULL},
    {"k8s", lw_write_k8s, NULL},
    {"topology.conf", lw_write_topology_conf, check_conf},
    {"topology.yaml", lw_write_topology_yaml, lw_topoyaml_check},
};

static const size_t nformats = sizeof(formats) / sizeof(formats[0]);

enum { OPT_JOIN = 256, OPT_FORCE, OPT_BLOCK_SIZE };

static const struct argp_option options[] = {
    {"format", 'f', "FORMAT", 0,
     "topology.conf (a tree), block, topology.yaml, k8s or dot", 0},
    {"map", 'm', "MAP", 0, "The fabric map (default: from leafward.conf)", 0},
    {"output", 'o', "FILE", 0,
     "Write there instead of to standard output; what others wrote in it "
     "stays, and an unchanged file is not touched",
     0},
    {"join", OPT_JOIN, "NAME", 0,
     "Put a switch NAME above fabrics that have no link between them", 0},
    {"block-size", OPT_BLOCK_SIZE, "N", 0,
     "Base block size (default: one that all but stumps fit)", 0},
    {"force", OPT_FORCE, NULL, 0,
     "Write even when the file loses more than half of its nodes", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

struct arguments {
    const struct format *format;
    const char *map;
    const char *output;
    bool force;
    struct lw_write_options write;
};

static const struct format *find_format(struct argp_state *state,
                                        const char *name)
{
    size_t i;

    for (i = 0; i < nformats; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    argp_error(state, "there is no format '%s'", name);
    return NULL;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    char *end;

    switch (key) {
    case 'f':
        a->format = find_format(state, arg);
        return 0;
    case 'm':
        a->map = arg;
        return 0;
    case 'o':
        a->output = strcmp(arg, "-") == 0 ? NULL : arg;
        return 0;
    case OPT_JOIN:
        a->write.join = arg;
        return 0;
    case OPT_BLOCK_SIZE:
        a->write.block_size = strtoul(arg, &end, 10);
        if (*end || end == arg || a->write.block_size - 1 >= 65536)
            argp_error(state, "--block-size: a number from 1 to 65536");
        return 0;
    case OPT_FORCE:
        a->force = true;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s' is one argument too many", arg);
        return 0;
    case ARGP_KEY_END:
        if (!a->format)
            argp_error(state, "--format is needed");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Names in the Nodes= of a text; 0 also when it cannot be read. */
static size_t count_nodes(const char *text)
{
    struct lw_topoconf conf = {0};
    size_t i, k, n, total = 0;
    lw_expand_f expand = LW_CLI_EXPAND;
    char **names;

    if (!text || lw_topoconf_parse(&conf, text, "old", NULL) < 0)
        return 0;
    for (i = 0; expand && i < conf.n; i++) {
        if (!conf.lines[i].nodes ||
            !(names = expand(conf.lines[i].nodes, &n, NULL)))
            continue;
        for (k = 0; k < n; k++)
            free(names[k]);
        free(names);
        total += n;
    }
    lw_topoconf_free(&conf);
    return total;
}

/* A discovery that went wrong must not take most of a cluster away. */
static int check_loss(const char *old, const char *section, const char *path,
                      lw_error_t *err)
{
    char *before = old ? lw_section_find(old) : NULL;
    size_t had = count_nodes(before), has = count_nodes(section);

    free(before);
    if (has * 2 >= had)
        return 0;
    return lw_err(err,
                  "%s holds %zu nodes and would keep %zu; --force writes it "
                  "all the same",
                  path, had, has);
}

/* Parse the whole file again, as Slurm will, and refuse what it would die
 * of. */
static int check_conf(const char *text, const char *path, lw_error_t *err)
{
    struct lw_topoconf conf;
    int rc;

    if (lw_topoconf_parse(&conf, text, path, err) < 0)
        return -1;
    rc = lw_topoconf_check(&conf, LW_CLI_EXPAND, path, err);
    lw_topoconf_free(&conf);
    return rc;
}

static char *read_old(const char *path, lw_error_t *err)
{
    size_t len;
    char *old;

    if (!(old = lw_file_read(path, LW_EXPORT_LIMIT, &len, NULL, err)) &&
        errno == ENOENT) {
        err->text[0] = '\0';
        return strdup("");
    }
    return old;
}

/* Replace the file unless it is that text already. */
static int store(const char *path, const char *old, const char *text,
                 lw_error_t *err)
{
    if (strcmp(old, text) == 0) {
        printf("%s: unchanged\n", path);
        return 0;
    }
    if (lw_file_replace(path, text, strlen(text), 0644, err) < 0)
        return -1;
    printf("%s: written\n", path);
    return 0;
}

/* What the file or standard output gets, to free. */
static char *compose(const struct arguments *a, const char *old,
                     const char *body, lw_error_t *err)
{
    const char *path = a->output ? a->output : "the output";
    char *text;

    if (!a->format->check)
        return strdup(body);
    if (!a->force && check_loss(old, body, path, err) < 0)
        return NULL;
    if (!(text = lw_section_replace(old, body, path, err)))
        return NULL;
    if (a->format->check(text, path, err) < 0) {
        free(text);
        return NULL;
    }
    return text;
}

static int export_map(const struct arguments *a, const struct lw_map *map,
                      lw_error_t *err)
{
    struct lw_buf body = LW_BUF_INIT(LW_EXPORT_LIMIT);
    char *old = NULL, *text = NULL;
    int rc = -1;

    if (a->format->write(&body, map, &a->write, err) < 0 ||
        !(old = a->output ? read_old(a->output, err) : strdup("")) ||
        !(text = compose(a, old, lw_buf_text(&body), err)))
        goto out;
    rc = 0;
    if (a->output)
        rc = store(a->output, old, text, err);
    else
        fputs(text, stdout);
out:
    lw_buf_free(&body);
    free(old);
    free(text);
    return rc;
}

int lw_cmd_export(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        NULL,
        "Write the fabric map in the words of Slurm and other programs.",
        NULL,
        NULL,
        NULL};
    struct lw_buf notes = LW_BUF_INIT(LW_EXPORT_LIMIT);
    struct arguments a = {.write = {.fold = LW_CLI_FOLD, .notes = &notes}};
    lw_error_t err = {0};
    struct lw_map *map;
    int code = LW_EXIT_OK;

    argp_parse(&argp, argc, argv, 0, NULL, &a);
    if (!(map = lw_cli_map(a.map)))
        return LW_EXIT_FINDINGS;
    if (export_map(&a, map, &err) < 0)
        code = lw_cli_fail("%s", err.text[0] ? err.text : "out of memory");
    fputs(lw_buf_text(&notes), stderr);
    lw_buf_free(&notes);
    lw_map_destroy(map);
    return code;
}
