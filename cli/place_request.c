/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place_request.c - sbatch-like options of `leafward place` */
#include "config.h"

#include "cli/names.h"
#include "cli/place_request.h"
#include "lib/buf.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_GPUS_NODE = 0x100,
    OPT_GPUS_TASK,
    OPT_GPUS_SOCKET,
    OPT_SOCKETS,
    OPT_GRES,
    OPT_TASKS_NODE,
    OPT_CPUS_GPU,
    OPT_MEM,
    OPT_MEM_CPU,
    OPT_MEM_GPU,
    OPT_EXCLUSIVE,
    OPT_SWITCHES,
    OPT_SEGMENT,
    OPT_CONTIGUOUS,
    OPT_RESERVATION,
    OPT_LEAFWARD,
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "The job, as for sbatch:", 1},
    {"nodes", 'N', "MIN[-MAX]", 0, "Nodes", 0},
    {"ntasks", 'n', "COUNT", 0, "Tasks", 0},
    {"ntasks-per-node", OPT_TASKS_NODE, "COUNT", 0, "Tasks of one node", 0},
    {"cpus-per-task", 'c', "COUNT", 0, "CPUs of one task", 0},
    {"gpus", 'G', "[TYPE:]COUNT", 0, "GPUs of the job", 0},
    {"gpus-per-node", OPT_GPUS_NODE, "[TYPE:]COUNT", 0, "GPUs of a node", 0},
    {"gpus-per-task", OPT_GPUS_TASK, "[TYPE:]COUNT", 0, "GPUs of a task", 0},
    {"gpus-per-socket", OPT_GPUS_SOCKET, "[TYPE:]COUNT", 0, "GPUs of a socket",
     0},
    {"sockets-per-node", OPT_SOCKETS, "COUNT", 0, "Sockets of a node", 0},
    {"gres", OPT_GRES, "LIST", 0, "gpu[:TYPE][:COUNT] of a node", 0},
    {"cpus-per-gpu", OPT_CPUS_GPU, "COUNT", 0, "CPUs of a GPU", 0},
    {"mem", OPT_MEM, "SIZE", 0, "Memory of a node (K, M, G, T)", 0},
    {"mem-per-cpu", OPT_MEM_CPU, "SIZE", 0, "Memory of a CPU", 0},
    {"mem-per-gpu", OPT_MEM_GPU, "SIZE", 0, "Memory of a GPU", 0},
    {"time", 't', "TIME", 0, "Time limit (minutes, HH:MM:SS, D-HH:MM)", 0},
    {"partition", 'p', "NAMES", 0, "Partitions", 0},
    {"constraint", 'C', "LIST", 0, "Features", 0},
    {"exclude", 'x', "HOSTLIST", 0, "Nodes to leave out", 0},
    {"nodelist", 'w', "HOSTLIST", 0, "Nodes to use", 0},
    {"exclusive", OPT_EXCLUSIVE, NULL, 0, "Whole nodes", 0},
    {"switches", OPT_SWITCHES, "COUNT[@TIME]", 0, "Leaf switches", 0},
    {"segment", OPT_SEGMENT, "COUNT", 0, "Segment size", 0},
    {"contiguous", OPT_CONTIGUOUS, NULL, 0, "Contiguous nodes", 0},
    {"reservation", OPT_RESERVATION, "NAME", 0, "A reservation", 0},
    {"distribution", 'm', "NAME", 0, "Task distribution", 0},
    {"leafward", OPT_LEAFWARD, "WORD", 0, "off, pack or spread[,wait=MINUTES]",
     0},
    {NULL, 0, NULL, 0, NULL, 0},
};

/* A count of at least 'least', all of 'text'; refuses with a usage error. */
static long count(struct argp_state *state, const char *name, const char *text,
                  long least)
{
    char *end;
    long n;

    errno = 0;
    n = strtol(text, &end, 10);
    if (end == text || *end || errno || n < least || n > 100000000) {
        argp_error(state, "--%s=%s: expected a number", name, text);
        return -1;
    }
    return n;
}

static void nodes(struct argp_state *state, char *text, struct lw_request *r)
{
    char *dash = strchr(text, '-');

    if (strchr(text, ',') || strchr(text, ':')) {
        r->sizes = true;
        return;
    }
    if (dash)
        *dash = '\0';
    r->nodes_min = count(state, "nodes", text, 0);
    r->nodes_max = dash ? count(state, "nodes", dash + 1, 0) : r->nodes_min;
}

/* [TYPE:]COUNT, as all but --gres want it. */
static bool ends_in_count(const char *text)
{
    const char *colon = strrchr(text, ':');

    return isdigit((unsigned char)(colon ? colon[1] : text[0]));
}

/* In the form that sbatch sends, read as the plugin reads it. */
static long gpus(struct argp_state *state, struct lw_asked *a, const char *name,
                 const char *text)
{
    struct lw_buf b = LW_BUF_INIT(4096);
    struct lw_tres t;
    const char *at = text;
    bool gres = strcmp(name, "gres") == 0;
    size_t n;

    if (!gres && !ends_in_count(text))
        argp_error(state, "--%s=%s: expected [TYPE:]COUNT", name, text);
    while (*at) {
        n = strcspn(at, ",");
        lw_buf_printf(&b, "%sgres:%s%.*s", b.len ? "," : "",
                      gres ? "" : "gpu:", (int)n, at);
        at += n + (at[n] == ',');
    }
    lw_tres_read(lw_buf_text(&b), &t);
    if (b.failed || t.unclear || (a->type[0] && strcmp(a->type, t.type) != 0))
        a->request.gpus_unclear = true;
    lw_buf_free(&b);
    if (t.type[0]) {
        memcpy(a->type, t.type, sizeof(a->type));
        a->request.gpu_type = a->type;
    }
    return t.gpus;
}

/* MiB, as sbatch counts: a bare number is MiB. */
static long memory(struct argp_state *state, const char *name, const char *text)
{
    static const char units[] = "KMGT";
    char *end;
    double n = strtod(text, &end);
    const char *unit =
        *end ? strchr(units, toupper((unsigned char)*end)) : &units[1];
    const char *u;

    if (end == text || !unit || (*end && end[1]) || n < 0 || n > 1e12) {
        argp_error(state, "--%s=%s: expected a size like 64G", name, text);
        return -1;
    }
    n /= 1024;
    for (u = units; u < unit; u++)
        n *= 1024;
    return (long)n;
}

/* Minutes of M, M:S, H:M:S, D-H, D-H:M or D-H:M:S; seconds round up. */
static long minutes(struct argp_state *state, const char *text)
{
    long part[3] = {0, 0, 0}, days = 0, seconds;
    const char *at = text, *dash = strchr(text, '-');
    char *end;
    int n = 0;

    if (dash) {
        days = strtol(text, &end, 10);
        if (end != dash)
            goto bad;
        at = dash + 1;
    }
    do {
        if (n == 3 || !isdigit((unsigned char)*at))
            goto bad;
        part[n++] = strtol(at, &end, 10);
        at = end + 1;
    } while (*end == ':');
    if (*end)
        goto bad;
    if (dash || n == 3)
        seconds = part[0] * 3600 + part[1] * 60 + part[2];
    else
        seconds = part[0] * 60 + part[1];
    return (days * 86400 + seconds + 59) / 60;
bad:
    argp_error(state, "--time=%s: expected minutes, HH:MM:SS or D-HH:MM", text);
    return -1;
}

static void leafward(struct argp_state *state, const char *text,
                     struct lw_request *r)
{
    static const char *const words[] = {"off", "pack", "spread"};
    size_t n, i;

    while (*text) {
        n = strcspn(text, ",");
        for (i = 0; i < 3; i++)
            if (strlen(words[i]) == n && strncmp(words[i], text, n) == 0)
                break;
        if (i < 3)
            r->policy = (int)i;
        else if (strncmp(text, "wait=", 5) == 0 && !text[n])
            r->wait = 60 * count(state, "leafward", text + 5, 0);
        else
            argp_error(state, "--leafward: expected off, pack or "
                              "spread[,wait=MINUTES]");
        text += n + (text[n] == ',');
    }
}

static void exclude(struct argp_state *state, const char *text,
                    struct lw_asked *a)
{
    lw_error_t err = {0};

    a->request.exclude = text;
#ifdef HAVE_SLURM_SLURM_H
    a->excluded = lw_hostlist_expand(text, &a->nexcluded, &err);
    if (!a->excluded)
        argp_error(state, "%s", err.text);
#else
    (void)err;
    argp_error(state, "--exclude needs a leafward that was built with Slurm");
#endif
    a->request.excluded = (const char *const *)a->excluded;
    a->request.nexcluded = a->nexcluded;
}

/* What the user places himself; false when the key is another one. */
static bool parse_choice(int key, const char *arg, struct lw_request *r)
{
    switch (key) {
    case 'w':
        r->nodelist = true;
        return true;
    case OPT_EXCLUSIVE:
        r->exclusive = true;
        return true;
    case OPT_SWITCHES:
        r->switches = true;
        return true;
    case OPT_SEGMENT:
        r->segment = true;
        return true;
    case OPT_CONTIGUOUS:
        r->contiguous = true;
        return true;
    case OPT_RESERVATION:
        r->reservation = true;
        return true;
    case 'm':
        r->arbitrary = strncmp(arg, "arbitrary", 9) == 0;
        return true;
    case 'p':
        r->partition = arg;
        return true;
    case 'C':
        r->features = arg;
        return true;
    default:
        return false;
    }
}

static bool parse_gpus(int key, char *arg, struct argp_state *state,
                       struct lw_asked *a)
{
    struct lw_request *r = &a->request;

    switch (key) {
    case 'G':
        r->gpus_job = gpus(state, a, "gpus", arg);
        return true;
    case OPT_GPUS_NODE:
        r->gpus_node = gpus(state, a, "gpus-per-node", arg);
        return true;
    case OPT_GPUS_TASK:
        r->gpus_task = gpus(state, a, "gpus-per-task", arg);
        return true;
    case OPT_GPUS_SOCKET:
        r->gpus_socket = gpus(state, a, "gpus-per-socket", arg);
        return true;
    case OPT_GRES:
        r->gpus_node = gpus(state, a, "gres", arg);
        return true;
    default:
        return false;
    }
}

static bool parse_size(int key, char *arg, struct argp_state *state,
                       struct lw_request *r)
{
    switch (key) {
    case 'n':
        r->tasks = count(state, "ntasks", arg, 1);
        return true;
    case OPT_TASKS_NODE:
        r->tasks_per_node = count(state, "ntasks-per-node", arg, 1);
        return true;
    case 'c':
        r->cpus_per_task = count(state, "cpus-per-task", arg, 1);
        return true;
    case OPT_SOCKETS:
        r->sockets_per_node = count(state, "sockets-per-node", arg, 1);
        return true;
    case OPT_CPUS_GPU:
        r->cpus_per_gpu = count(state, "cpus-per-gpu", arg, 1);
        return true;
    case OPT_MEM:
        r->memory_node = memory(state, "mem", arg);
        return true;
    case OPT_MEM_CPU:
        r->memory_cpu = memory(state, "mem-per-cpu", arg);
        return true;
    case OPT_MEM_GPU:
        r->memory_gpu = memory(state, "mem-per-gpu", arg);
        return true;
    default:
        return false;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct lw_asked *a = state->input;

    if (key == 'N')
        nodes(state, arg, &a->request);
    else if (key == 't')
        a->request.minutes = minutes(state, arg);
    else if (key == 'x')
        exclude(state, arg, a);
    else if (key == OPT_LEAFWARD)
        leafward(state, arg, &a->request);
    else if (!parse_choice(key, arg, &a->request) &&
             !parse_gpus(key, arg, state, a) &&
             !parse_size(key, arg, state, &a->request))
        return ARGP_ERR_UNKNOWN;
    return 0;
}

const struct argp lw_asked_argp = {options, parse, NULL, NULL,
                                   NULL,    NULL,  NULL};

void lw_asked_free(struct lw_asked *a)
{
#ifdef HAVE_SLURM_SLURM_H
    lw_names_free(a->excluded, a->nexcluded);
#endif
    a->excluded = NULL;
    a->nexcluded = 0;
}
