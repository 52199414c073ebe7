/* SPDX-License-Identifier: GPL-2.0-or-later */
/* genfabric.c - print a made-up rail-optimised fabric for tests and benches */
#include "config.h"

#include "tests/fabric/gen.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_UPLINKS = 256,
    OPT_RADIX,
    OPT_LOGINS,
    OPT_STORAGE,
    OPT_PLANES,
    OPT_CORE_PLANES,
    OPT_CORE_LINKS,
    OPT_SHARP,
    OPT_NO_CA,
    OPT_NAMES,
    OPT_PREFIX,
    OPT_DIGITS,
    OPT_FIRST,
    OPT_DEVICES,
    OPT_SPEED,
};

static const struct argp_option options[] = {
    {"groups", 'g', "N", 0, "Scale units (default 4)", 0},
    {"nodes", 'n', "N", 0, "Nodes a scale unit (default 4)", 0},
    {"rails", 'r', "N", 0, "Rails, one leaf each a scale unit (default 8)", 0},
    {"spines", 's', "N", 0, "Spines a pod (default 2)", 0},
    {"pods", 'p', "N", 0, "Pods that share the groups (default 1)", 0},
    {"cores", 'c', "N", 0, "Core switches above the pods (default 0)", 0},
    {"uplinks", OPT_UPLINKS, "N", 0, "Uplinks a leaf (default: its nodes)", 0},
    {"radix", OPT_RADIX, "N", 0, "Ports a switch shows (default 64)", 0},
    {"planes", OPT_PLANES, NULL, 0, "A spine serves one rail only", 0},
    {"core-planes", OPT_CORE_PLANES, NULL, 0,
     "A core serves one rail only too, as large fabrics need it", 0},
    {"core-links", OPT_CORE_LINKS, "N", 0,
     "Links from a core to each of its spines (default 1)", 0},
    {"sharp", OPT_SHARP, NULL, 0, "An aggregation node on every switch", 0},
    {"logins", OPT_LOGINS, "N", 0, "Login hosts on the first spine", 0},
    {"storage", OPT_STORAGE, "N", 0,
     "Storage leaves of their own, one more HCA a node", 0},
    {"prefix", OPT_PREFIX, "TEXT", 0, "Host names start so (default node)", 0},
    {"digits", OPT_DIGITS, "N", 0, "Digits of a host number (default 3)", 0},
    {"first", OPT_FIRST, "N", 0, "Number of the first host (default 1)", 0},
    {"devices", OPT_DEVICES, "N,N..", 0, "mlx5 numbers by rail (0,1,2..)", 0},
    {"names", OPT_NAMES, "KIND", 0,
     "Node descriptions: short, fqdn, host (no device) or spaces (trailing)",
     0},
    {"speed", OPT_SPEED, "WORD", 0, "Speed of a lane (default NDR)", 0},
    {"no-ca", OPT_NO_CA, NULL, 0, "Leave the Ca blocks out", 0},
    {"degrade", 'd', "FAULT", 0,
     "Put in a fault, counting from 0: cut=NODE:RAIL, factory=NODE:RAIL, "
     "leaf-off=GROUP:RAIL, move=NODE:RAIL:GROUP:RAIL, narrow=NODE:RAIL, "
     "node-off=NODE, slow=NODE:RAIL, spine-off=SPINE, "
     "swap=NODE:RAIL:NODE:RAIL, uplinks=GROUP:RAIL:COUNT",
     0},
    {"format", 'f', "KIND", 0,
     "ibnetdiscover (default), ibsim (the same with a speed that ibsim "
     "knows), ports (ibnetdiscover -p), truth, or groups",
     0},
    {NULL, 0, NULL, 0, NULL, 0},
};

struct arguments {
    struct gen gen;
    const char *faults[64];
    size_t nfaults;
    const char *format;
};

static size_t number(struct argp_state *state, const char *text)
{
    char *end;
    unsigned long long v;

    errno = 0;
    v = strtoull(text, &end, 10);
    if (errno || *end || end == text || v > 10000000)
        argp_error(state, "'%s' is not a number that fits", text);
    return (size_t)v;
}

static void devices(struct argp_state *state, struct gen_options *o, char *list)
{
    char *save = NULL, *word;
    size_t n = 0;

    for (word = strtok_r(list, ",", &save); word && n < GEN_MAX_RAILS;
         word = strtok_r(NULL, ",", &save))
        o->device[n++] = number(state, word);
}

static int names(struct argp_state *state, const char *kind)
{
    static const char *const word[] = {"short", "fqdn", "host", "spaces"};
    int i;

    for (i = 0; i < 4; i++)
        if (strcmp(kind, word[i]) == 0)
            return i;
    argp_error(state, "no kind of names '%s'", kind);
    return 0;
}

static error_t parse_size(int key, char *arg, struct argp_state *state)
{
    struct gen_options *o = &((struct arguments *)state->input)->gen.o;
    size_t *where = key == 'g'              ? &o->groups
                    : key == 'n'            ? &o->nodes
                    : key == 'r'            ? &o->rails
                    : key == 's'            ? &o->spines
                    : key == 'p'            ? &o->pods
                    : key == 'c'            ? &o->cores
                    : key == OPT_UPLINKS    ? &o->uplinks
                    : key == OPT_RADIX      ? &o->radix
                    : key == OPT_CORE_LINKS ? &o->core_links
                    : key == OPT_LOGINS     ? &o->logins
                    : key == OPT_STORAGE    ? &o->storage
                    : key == OPT_DIGITS     ? &o->digits
                    : key == OPT_FIRST      ? &o->first
                                            : NULL;

    if (!where)
        return ARGP_ERR_UNKNOWN;
    *where = number(state, arg);
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    struct gen_options *o = &a->gen.o;

    switch (key) {
    case OPT_PLANES:
        o->planes = true;
        return 0;
    case OPT_CORE_PLANES:
        o->planes = o->core_planes = true;
        return 0;
    case OPT_SHARP:
        o->sharp = true;
        return 0;
    case OPT_NO_CA:
        o->no_ca = true;
        return 0;
    case OPT_NAMES:
        o->names = (enum gen_names)names(state, arg);
        return 0;
    case OPT_PREFIX:
        o->prefix = arg;
        return 0;
    case OPT_DEVICES:
        devices(state, o, arg);
        return 0;
    case OPT_SPEED:
        o->speed = arg;
        return 0;
    case 'd':
        if (a->nfaults == sizeof(a->faults) / sizeof(a->faults[0]))
            argp_error(state, "too many faults");
        a->faults[a->nfaults++] = arg;
        return 0;
    case 'f':
        a->format = arg;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s' is not an option", arg);
        return 0;
    default:
        return arg ? parse_size(key, arg, state) : ARGP_ERR_UNKNOWN;
    }
}

static bool print(const struct arguments *a)
{
    const struct gen *g = &a->gen;

    if (strcmp(a->format, "ibnetdiscover") == 0 ||
        strcmp(a->format, "ibsim") == 0)
        gen_print_default(g, stdout);
    else if (strcmp(a->format, "ports") == 0)
        gen_print_ports(g, stdout);
    else if (strcmp(a->format, "truth") == 0)
        gen_print_truth(g, stdout);
    else if (strcmp(a->format, "groups") == 0)
        gen_print_slurm(g, stdout);
    else
        fprintf(stderr, "genfabric: no format '%s'\n", a->format);
    return fflush(stdout) == 0 && !ferror(stdout);
}

int main(int argc, char **argv)
{
    static struct arguments a = {
        .gen.o = {.groups = 4,
                  .nodes = 4,
                  .rails = 8,
                  .spines = 2,
                  .pods = 1,
                  .core_links = 1,
                  .radix = 64,
                  .prefix = "node",
                  .digits = 3,
                  .first = 1,
                  .speed = "NDR"},
        .format = "ibnetdiscover",
    };
    static const struct argp argp = {
        options, parse,
        NULL,    "Print a made-up rail-optimised InfiniBand fabric.",
        NULL,    NULL,
        NULL};
    size_t i;
    bool good;

    for (i = 0; i < GEN_MAX_RAILS; i++)
        a.gen.o.device[i] = i;
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    /* ibsim 0.10 knows no speed above HDR. */
    if (strcmp(a.format, "ibsim") == 0)
        a.gen.o.speed = "HDR";
    good = gen_build(&a.gen);
    for (i = 0; good && i < a.nfaults; i++)
        good = gen_degrade(&a.gen, a.faults[i]);
    good = good && print(&a);
    gen_free(&a.gen);
    return good ? 0 : 1;
}
