/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_simulate.c - `leafward simulate`: what another policy would have done */
#include "config.h"

#include "cli/cli.h"
#include "lib/conf.h"
#include "lib/plural.h"
#include "lib/sheet.h"
#include "topology/place/sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

enum key {
    KEY_MAP = 0x100,
    KEY_GPUS,
    KEY_POLICY,
    KEY_PATIENCE,
    KEY_SLOWDOWN,
    KEY_ADD,
    KEY_LOSE,
    KEY_INTERVAL,
    KEY_DEPTH,
    KEY_RELEASE,
    KEY_JOBS,
    KEY_FORMAT
};

struct args {
    const char *map, *lose, *file, *jobs;
    long gpus, add, depth;
    long patience, interval, release; /* seconds; -1: not given */
    double slowdown;                  /* < 0: not given */
    unsigned policies;                /* bits by enum lw_sim_kind */
    enum format format;
};

static const struct argp_option argp_options[] = {
    {"map", KEY_MAP, "FILE", 0, "The fabric map (default: the site's)", 1},
    {"gpus-per-node", KEY_GPUS, "N", 0, "GPUs of every node (default 8)", 1},
    {"add-groups", KEY_ADD, "N", 0, "Add N groups like the largest", 1},
    {"lose", KEY_LOSE, "LIST", 0, "Leave out these groups", 1},
    {"policy", KEY_POLICY, "LIST", 0,
     "Policies to compare: off, packed, unlimited (default: all)", 2},
    {"patience", KEY_PATIENCE, "TIME", 0,
     "Longest wait for fewer groups (default: max_patience of the "
     "configuration)",
     2},
    {"slowdown", KEY_SLOWDOWN, "PERCENT", 0,
     "What a spread placement costs; patience is at most this share of the "
     "time limit (default: that of the configuration)",
     2},
    {"bf-interval", KEY_INTERVAL, "TIME", 0,
     "Slurm's bf_interval (default 30s)", 3},
    {"bf-depth", KEY_DEPTH, "N", 0, "Slurm's bf_max_job_test (default 500)", 3},
    {"release", KEY_RELEASE, "TIME", 0,
     "From the end of a job until its nodes are free again (default 0s)", 3},
    {"format", KEY_FORMAT, "WORD", 0, "text, json or csv", 4},
    {"jobs", KEY_JOBS, "FILE", 0, "Write what became of every job, as CSV", 4},
    {0},
};

static const char doc[] =
    "Replay jobs on the cluster of a fabric map, by the same decision as the "
    "plugin's and a model of Slurm's tree scheduling with backfill, and "
    "compare policies."
    "\vFILE is a placement log, or CSV with the columns submit, nodes, gpus, "
    "seconds and perhaps limit; - is standard input. See "
    "leafward-simulate(1).";

static long count(struct argp_state *state, const char *option,
                  const char *text, long least)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (end == text || *end || n < least || n > 100000)
        argp_error(state, "--%s=%s: expected a number from %ld to 100000",
                   option, text, least);
    return n;
}

static long duration(struct argp_state *state, const char *option,
                     const char *text)
{
    long n = 0;

    if (lw_conf_seconds(text, &n) < 0)
        argp_error(state, "--%s=%s: expected a time like 90s, 15m or 4h",
                   option, text);
    return n;
}

static double percent(struct argp_state *state, const char *text)
{
    char *end;
    double v = strtod(text, &end);

    if (end == text || (*end && strcmp(end, "%") != 0) || v < 0 || v > 100)
        argp_error(state, "--slowdown=%s: expected a percentage", text);
    return v / 100;
}

static const char *const policies[] = {"off", "packed", "unlimited"};

static unsigned parse_policies(struct argp_state *state, const char *list)
{
    unsigned bits = 0;
    size_t n, i;

    for (; *list; list += n + (list[n] == ',')) {
        n = strcspn(list, ",");
        for (i = 0; i < 3; i++)
            if (strlen(policies[i]) == n && strncmp(policies[i], list, n) == 0)
                break;
        if (i == 3)
            argp_error(state,
                       "--policy: there is no '%.*s', but off, packed "
                       "and unlimited",
                       (int)n, list);
        bits |= 1U << i;
    }
    return bits;
}

static enum format parse_format(struct argp_state *state, const char *word)
{
    static const char *const words[] = {"text", "json", "csv"};
    int i;

    for (i = 0; i < 3; i++)
        if (strcmp(words[i], word) == 0)
            return (enum format)i;
    argp_error(state, "--format=%s: expected text, json or csv", word);
    return FORMAT_TEXT;
}

static int parse_cluster(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;

    switch (key) {
    case KEY_MAP:
        a->map = arg;
        return 0;
    case KEY_GPUS:
        a->gpus = count(state, "gpus-per-node", arg, 1);
        return 0;
    case KEY_ADD:
        a->add = count(state, "add-groups", arg, 0);
        return 0;
    case KEY_LOSE:
        a->lose = arg;
        return 0;
    case KEY_FORMAT:
        a->format = parse_format(state, arg);
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

static int parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;

    switch (key) {
    case KEY_POLICY:
        a->policies = parse_policies(state, arg);
        return 0;
    case KEY_PATIENCE:
        a->patience = duration(state, "patience", arg);
        return 0;
    case KEY_SLOWDOWN:
        a->slowdown = percent(state, arg);
        return 0;
    case KEY_INTERVAL:
        a->interval = duration(state, "bf-interval", arg);
        return 0;
    case KEY_RELEASE:
        a->release = duration(state, "release", arg);
        return 0;
    case KEY_JOBS:
        a->jobs = arg;
        return 0;
    case KEY_DEPTH:
        a->depth = count(state, "bf-depth", arg, 0);
        return 0;
    case ARGP_KEY_ARG:
        if (a->file)
            argp_error(state, "one FILE is enough");
        a->file = arg;
        return 0;
    case ARGP_KEY_END:
        if (!a->file)
            argp_error(state, "name the file with the jobs");
        return 0;
    }
    return parse_cluster(key, arg, state);
}

static const struct lw_column columns[] = {
    {"policy", "Policy", 0},
    {"jobs", "Jobs", 9},
    {"gangs", "Gangs", 8},
    {"packed_share", "Packed", 0},
    {"packed_gpu_share", "Packed GPU-h", 0},
    {"wait_mean_s", "Wait", 0},
    {"wait_p95_s", "95 %", 1},
    {"gang_wait_mean_s", "Gangs", 0},
    {"gang_wait_p95_s", "95 %", 1},
    {"locality_jobs", "Waited", 4},
    {"locality_max_s", "Longest", 3},
    {"utilisation_share", "Use", 0},
    {"stranded_share", "Stranded", 2},
    {"makespan_s", "Makespan", 5},
    {"never_started", "Never", 6},
    {0},
};

static void put_row(struct lw_sheet *t, const char *policy,
                    struct lw_sim_result *r)
{
    lw_sheet_text(t, policy);
    lw_sheet_count(t, (long)r->jobs);
    lw_sheet_count(t, (long)r->gangs);
    lw_sheet_share(t, (double)r->packed, (double)r->gangs);
    lw_sheet_share(t, r->packed_gpu_s, r->gang_gpu_s);
    lw_sheet_seconds(t, lw_quant_mean(&r->wait));
    lw_sheet_seconds(t, (double)lw_quant_at(&r->wait, 0.95));
    lw_sheet_seconds(t, lw_quant_mean(&r->gang_wait));
    lw_sheet_seconds(t, (double)lw_quant_at(&r->gang_wait, 0.95));
    lw_sheet_count(t, (long)r->locality.n);
    lw_sheet_seconds(t, (double)r->locality.max);
    lw_sheet_share(t, r->utilisation, 1);
    lw_sheet_share(t, r->stranded, 1);
    lw_sheet_seconds(t, r->makespan);
    lw_sheet_count(t, (long)r->never);
}

/* Jobs that the cluster cannot hold are left out. */
static void put_jobs(FILE *out, const char *policy,
                     const struct lw_sim_jobs *jobs)
{
    const struct lw_sim_job *j;

    for (j = jobs->v; j < jobs->v + jobs->n; j++)
        if (j->groups)
            fprintf(out, "%s,%.15g,%.15g,%.15g,%d,%d,%d,%d,%.15g\n", policy,
                    j->submit, j->start, j->start + j->seconds, j->nodes,
                    j->nodes * j->gpus, j->groups, j->fewest, j->locality);
}

static int run_all(const struct args *a, const struct lw_sim_cluster *c,
                   struct lw_sim_jobs *jobs, const struct lw_settings *s,
                   struct lw_sheet *t, FILE *out)
{
    struct lw_sim_policy policy = {
        .max_patience =
            (double)(a->patience < 0 ? s->max_patience : a->patience),
        .slowdown = a->slowdown < 0 ? s->slowdown : a->slowdown,
        .interval = (double)a->interval,
        .release = (double)a->release,
        .depth = (size_t)a->depth};
    struct lw_sim_result result;
    lw_error_t err = {0};
    int k;

    if (lw_sim_decide(jobs, c, s, &err) < 0)
        return lw_cli_fail("%s", err.text);
    for (k = LW_SIM_OFF; k <= LW_SIM_UNLIMITED; k++) {
        if (!(a->policies >> k & 1))
            continue;
        policy.kind = (enum lw_sim_kind)k;
        if (lw_sim_run(c, jobs, &policy, &result, &err) < 0)
            return lw_cli_fail("%s", err.text);
        put_row(t, policies[k], &result);
        lw_sim_result_free(&result);
        if (out)
            put_jobs(out, policies[k], jobs);
    }
    return LW_EXIT_OK;
}

/* The same, with what became of every job in a file of its own. */
static int run_and_write(const struct args *a, const struct lw_sim_cluster *c,
                         struct lw_sim_jobs *jobs, const struct lw_settings *s,
                         struct lw_sheet *t)
{
    FILE *out = NULL;
    int rc;

    if (a->jobs && !(out = fopen(a->jobs, "we")))
        return lw_cli_fail("%s: %s", a->jobs, strerror(errno));
    if (out)
        fputs("policy,submit,start,end,nodes,gpus,groups,fewest,locality_s\n",
              out);
    rc = run_all(a, c, jobs, s, t, out);
    if (out && (ferror(out) | fclose(out)))
        return lw_cli_fail("%s: %s", a->jobs, strerror(errno));
    return rc;
}

static void print(const struct args *a, const struct lw_sim_cluster *c,
                  struct lw_sheet *t)
{
    struct lw_style style = {0};
    struct winsize ws;

    if (a->format == FORMAT_CSV) {
        lw_sheet_print_csv(t, stdout);
    } else if (a->format == FORMAT_JSON) {
        fputs("{\n  \"policies\": ", stdout);
        lw_sheet_print_json(t, stdout);
        fputs("\n}\n", stdout);
    } else {
        snprintf(t->title, sizeof(t->title),
                 "Simulated on %zu %s of %d %s in %zu %s",
                 lw_sim_cluster_nodes(c),
                 lw_plural(lw_sim_cluster_nodes(c), "node", "nodes"), c->gpus,
                 lw_plural((unsigned long long)c->gpus, "GPU", "GPUs"),
                 c->ngroups, lw_plural(c->ngroups, "group", "groups"));
        if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0)
            style.width = ws.ws_col;
        style.colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
        lw_sheet_print_text(t, &style, stdout);
    }
}

static int simulate(const struct args *a, const struct lw_settings *s)
{
    struct lw_map *map = NULL;
    struct lw_sim_cluster c = {0};
    struct lw_sim_jobs jobs = {0};
    lw_error_t err = {0};
    struct lw_sheet t;
    int rc;

    lw_sheet_init(&t, "simulate", columns);
    if (!(map = lw_map_load(a->map ? a->map : s->map, &err)) ||
        lw_sim_cluster_init(&c, map, (int)a->gpus, a->lose, (size_t)a->add,
                            &err) < 0 ||
        lw_sim_jobs_read(&jobs, a->file, &err) < 0)
        rc = lw_cli_fail("%s", err.text);
    else if ((rc = run_and_write(a, &c, &jobs, s, &t)) == LW_EXIT_OK)
        print(a, &c, &t);
    lw_sheet_free(&t);
    lw_sim_jobs_free(&jobs);
    lw_sim_cluster_free(&c);
    lw_map_destroy(map);
    return rc;
}

int lw_cmd_simulate(int argc, char **argv)
{
    static const struct argp argp = {argp_options, parse, "FILE", doc,
                                     NULL,         NULL,  NULL};
    struct args a = {.gpus = 8,
                     .patience = -1,
                     .slowdown = -1,
                     .interval = 30,
                     .depth = 500,
                     .policies = 7};
    struct lw_settings *s;
    int rc;

    if (argp_parse(&argp, argc, argv, 0, NULL, &a) != 0)
        return LW_EXIT_USAGE;
    if (!(s = lw_cli_settings()))
        return lw_cli_fail("out of memory");
    rc = simulate(&a, s);
    lw_settings_destroy(s);
    return rc;
}
