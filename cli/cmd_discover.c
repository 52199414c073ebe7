/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_discover.c - leafward discover: fabric text to the fabric map */
#include "config.h"

#include "cli/cli.h"
#include "cli/discover.h"
#include "cli/names.h"
#include "lib/file.h"
#include "lib/plural.h"
#include "topology/fabric/groups.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define NAMES_LIMIT ((size_t)64 * 1024 * 1024)
#define MAP_MODE    0644

struct discover {
    const char **inputs;
    size_t ninputs;
    struct lw_arena paths; /* of files in directories that were given */
    const char **ignore;
    size_t nignore;
    const char *format, *names, *nodes, *output;
    int force;
    char **compute; /* owned */
    size_t ncompute;
    struct lw_inputs in;
    struct lw_map *previous, *map;
    lw_error_t err;
};

static const struct argp_option options[] = {
    {"input", 'i', "FILE", 0,
     "Read the fabric from FILE (- is standard input) or from each file of a "
     "directory; may be given again, then all are read into one fabric",
     0},
    {"format", 'f', "FORMAT", 0,
     "Format of the files: auto (the default: by content) or one of those "
     "that leafward-discover(8) lists",
     0},
    {"names", 'n', "FILE", 0,
     "Names by GUID, as ibnetdiscover --node-name-map takes them", 0},
    {"nodes", 'N', "HOSTLIST", 0,
     "The compute nodes (slurm: ask sinfo for them); other hosts never shape "
     "a group",
     0},
    {"ignore", 'x', "PATTERN", 0,
     "Leave out HCAs and switches whose name matches; may be given again", 0},
    {"output", 'o', "MAP", 0,
     "Write the map there (- is standard output); default: the configured "
     "map",
     0},
    {"force", 'F', NULL, 0, "Write the map although it lost many nodes", 0},
    {0}};

static int append(const char ***list, size_t *n, const char *item)
{
    const char **grown = realloc(*list, (*n + 1) * sizeof(*grown));

    if (!grown)
        return ENOMEM;
    *list = grown;
    grown[(*n)++] = item;
    return 0;
}

static int is_plain(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

/* A file, or each file of a directory in name order. */
static int add_input(struct discover *d, const char *path)
{
    struct dirent **entry;
    struct stat st;
    const char *file;
    int i, n, rc = 0;

    if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
        return append(&d->inputs, &d->ninputs, path);
    if ((n = scandir(path, &entry, is_plain, alphasort)) < 0)
        return errno;
    for (i = 0; i < n; i++) {
        file = lw_arena_printf(&d->paths, "%s/%s", path, entry[i]->d_name);
        if (!file)
            rc = ENOMEM;
        else if (stat(file, &st) == 0 && S_ISREG(st.st_mode) && rc == 0)
            rc = append(&d->inputs, &d->ninputs, file);
        free(entry[i]);
    }
    free(entry);
    return rc;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct discover *d = state->input;

    switch (key) {
    case 'i':
        return add_input(d, arg);
    case 'x':
        return append(&d->ignore, &d->nignore, arg);
    case 'f':
        d->format = arg;
        return 0;
    case 'n':
        d->names = arg;
        return 0;
    case 'N':
        d->nodes = arg;
        return 0;
    case 'o':
        d->output = arg;
        return 0;
    case 'F':
        d->force = 1;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected argument '%s' (files: -i FILE)", arg);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    options, parse_option, NULL, "Read a fabric and write the fabric map.",
    NULL,    NULL,         NULL};

static int read_inputs(struct discover *d, const struct lw_settings *s)
{
    size_t i;

    d->in.format = d->format;
    if (!(d->in.fabric = lw_fabric_create()))
        return lw_err(&d->err, "out of memory");
    lw_fabric_set_expand(d->in.fabric, LW_CLI_EXPAND);
    if (!d->ninputs)
        return lw_inputs_live(&d->in, s, &d->err);
    for (i = 0; i < d->ninputs; i++)
        if (lw_inputs_file(&d->in, d->inputs[i], &d->err) < 0)
            return -1;
    return 0;
}

static int read_names(struct discover *d, const char *path)
{
    size_t len = 0, unused = 0;
    char *text;
    int rc;

    if (!path || !*path)
        return 0;
    if (!(text = lw_file_read(path, NAMES_LIMIT, &len, NULL, &d->err)))
        return -1;
    rc = lw_names_read(d->in.fabric, text, len, path, &unused, &d->err);
    free(text);
    if (rc == 0 && unused)
        fprintf(stderr,
                "leafward discover: note: %s: %zu GUIDs are not in "
                "the fabric\n",
                path, unused);
    return rc;
}

static int read_nodes(struct discover *d)
{
    if (!d->nodes)
        return 0;
    if (!strcmp(d->nodes, "slurm")) {
        d->compute = lw_inputs_slurm_nodes(&d->ncompute, &d->err);
        return d->compute ? 0 : -1;
    }
#ifdef HAVE_SLURM_SLURM_H
    d->compute = lw_hostlist_expand(d->nodes, &d->ncompute, &d->err);
    return d->compute ? 0 : -1;
#else
    return lw_err(&d->err, "--nodes needs Slurm's host lists, and this build "
                           "is without Slurm");
#endif
}

/* SOURCE_DATE_EPOCH makes two runs give the same bytes. */
static void stamp(struct discover *d, char *text, size_t size)
{
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    time_t now = fixed ? (time_t)strtoll(fixed, NULL, 10) : time(NULL);
    struct tm tm;

    gmtime_r(&now, &tm);
    strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &tm);
    d->map->created = text;
}

static int group(struct discover *d)
{
    struct lw_groups_options o = {
        .compute = (const char *const *)d->compute,
        .ncompute = d->ncompute,
        .ignore = d->ignore,
        .nignore = d->nignore,
        .sources = d->in.sources,
        .nsources = d->in.nsources,
        .previous = d->previous,
    };

    d->map = lw_groups_map(d->in.fabric, &o, &d->err);
    return d->map ? 0 : -1;
}

/* A map that lost more than a fifth of its nodes is more likely a discovery
 * that went wrong than a cluster that shrank overnight. */
static int check_loss(struct discover *d)
{
    size_t had = d->previous ? d->previous->nnodes : 0;

    if (d->force || d->map->nnodes + had / 5 >= had)
        return 0;
    return lw_err(&d->err,
                  "%s: not written: it holds %zu nodes, the new map only %zu; "
                  "--force writes it all the same",
                  d->output, had, d->map->nnodes);
}

static int write_map(struct discover *d)
{
    size_t len = 0;
    char created[32], *text;
    int rc;

    stamp(d, created, sizeof(created));
    if (!(text = lw_map_print(d->map, &len, &d->err)))
        return -1;
    if (strcmp(d->output, "-") == 0)
        rc = fwrite(text, 1, len, stdout) == len
                 ? 0
                 : lw_err(&d->err, "cannot write the map");
    else
        rc = lw_file_replace(d->output, text, len, MAP_MODE, &d->err);
    free(text);
    return rc;
}

static void summary(const struct discover *d)
{
    const struct lw_map *m = d->map;
    size_t count[3] = {0}, i;

    for (i = 0; i < m->nfindings; i++)
        count[m->findings[i].level]++;
    fprintf(stderr,
            "leafward discover: %zu %s in %zu %s and %zu %s; "
            "%zu %s, %zu %s, %zu %s\n",
            m->nnodes, lw_plural(m->nnodes, "node", "nodes"), m->ngroups,
            lw_plural(m->ngroups, "group", "groups"), m->npods,
            lw_plural(m->npods, "pod", "pods"), count[LW_ERROR],
            lw_plural(count[LW_ERROR], "error", "errors"), count[LW_WARNING],
            lw_plural(count[LW_WARNING], "warning", "warnings"), count[LW_NOTE],
            lw_plural(count[LW_NOTE], "note", "notes"));
}

static int run(struct discover *d, const struct lw_settings *s)
{
    if (!d->output)
        d->output = s->map;
    if (read_nodes(d) < 0 || read_inputs(d, s) < 0 ||
        read_names(d, d->names ? d->names : s->names) < 0)
        return -1;
    if (strcmp(d->output, "-") != 0)
        d->previous = lw_map_load_names(d->output);
    if (group(d) < 0 || check_loss(d) < 0 || write_map(d) < 0)
        return -1;
    summary(d);
    return 0;
}

static void clean_up(struct discover *d)
{
    size_t i;

    for (i = 0; d->compute && i < d->ncompute; i++)
        free(d->compute[i]);
    free(d->compute);
    free(d->inputs);
    free(d->ignore);
    lw_arena_free(&d->paths);
    lw_inputs_free(&d->in);
    lw_map_destroy(d->map);
    lw_map_destroy(d->previous);
}

int lw_cmd_discover(int argc, char **argv)
{
    struct lw_settings *s = NULL;
    struct discover d = {0};
    int code = LW_EXIT_OK;

    if (argp_parse(&argp, argc, argv, 0, NULL, &d) != 0)
        code = LW_EXIT_USAGE;
    else if (!(s = lw_cli_settings()))
        code = lw_cli_fail("out of memory");
    else if (run(&d, s) < 0)
        code = lw_cli_fail("%s", d.err.text);
    clean_up(&d);
    lw_settings_destroy(s);
    return code;
}
