/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_order.c - `leafward order`: nodes so that neighbours share a group */
#include "config.h"

#include "cli/cli.h"
#include "cli/names.h"
#include "topology/node/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct argp_option options[] = {
    {"map", 'm', "MAP", 0, "The fabric map (default: from leafward.conf)", 0},
    {"slots", 's', "N", 0, "Print each node N times (a rank file)", 0},
    {"rank", 'r', "NODE", 0, "Print only the place of NODE, from 0", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

struct arguments {
    const char *map, *list, *rank;
    long slots;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    char *end;

    switch (key) {
    case 'm':
        a->map = arg;
        return 0;
    case 'r':
        a->rank = arg;
        return 0;
    case 's':
        a->slots = strtol(arg, &end, 10);
        if (end == arg || *end || a->slots < 1 || a->slots > 65536)
            argp_error(state, "--slots takes a number from 1 to 65536");
        return 0;
    case ARGP_KEY_ARG:
        if (a->list)
            argp_error(state, "'%s' is one argument too many", arg);
        a->list = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int print(const struct arguments *a, char **names, size_t n)
{
    size_t i;
    long k;

    for (i = 0; i < n; i++) {
        if (a->rank && strcmp(names[i], a->rank) == 0) {
            printf("%zu\n", i);
            return LW_EXIT_OK;
        }
        for (k = 0; !a->rank && k < a->slots; k++)
            puts(names[i]);
    }
    return a->rank ? lw_cli_fail("'%s' is not in the list", a->rank)
                   : LW_EXIT_OK;
}

#ifdef HAVE_SLURM
static int run(const struct arguments *a)
{
    lw_error_t err = {0};
    struct lw_map *map = lw_cli_map(a->map);
    char **names = NULL;
    size_t n = 0;
    int code = LW_EXIT_FINDINGS;

    if (map && !(names = lw_hostlist_expand(a->list, &n, &err)))
        lw_cli_fail("%s", err.text);
    if (names && lw_order_nodes(map, names, n) < 0)
        lw_cli_fail("%s", strerror(errno));
    else if (names)
        code = print(a, names, n);
    lw_names_free(names, n);
    lw_map_destroy(map);
    return code;
}
#else
static int run(const struct arguments *a)
{
    (void)print;
    (void)a;
    return lw_cli_fail("host lists need Slurm's library, which this leafward "
                       "was built without");
}
#endif

int lw_cmd_order(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "[HOSTLIST]",
        "Print the nodes of HOSTLIST (default: those of this job) so that "
        "nodes of one rail group are neighbours.\v"
        "mpirun --hostfile <(leafward order --slots 8) then gives neighbouring "
        "ranks the same leaf switches.",
        NULL,
        NULL,
        NULL};
    struct arguments a = {.slots = 1};

    if (argp_parse(&argp, argc, argv, 0, NULL, &a))
        return LW_EXIT_USAGE;
    if (!a.list)
        a.list = getenv("SLURM_JOB_NODELIST");
    if (!a.list || !*a.list) {
        lw_cli_fail("no host list, and SLURM_JOB_NODELIST is not set");
        return LW_EXIT_USAGE;
    }
    return run(&a);
}
