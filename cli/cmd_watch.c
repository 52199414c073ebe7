/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_watch.c - `leafward watch`: options, signals and the loop */
#include "config.h"

#include "cli/cli.h"
#include "cli/watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <slurm/slurm.h>

struct options {
    struct lw_watch_options watch;
    bool once;
};

enum {
    OPT_JOURNAL = 256,
    OPT_LOG,
    OPT_MAP,
    OPT_METRICS,
    OPT_ONCE,
    OPT_READ_ONLY,
    OPT_STATE
};

static const struct argp_option argp_options[] = {
    {"interval", 'i', "SECONDS", 0, "time between two looks", 0},
    {"journal", OPT_JOURNAL, "FILE", 0,
     "what watch remembers when it is killed", 0},
    {"log", OPT_LOG, "FILE", 0, "placement log to append to", 0},
    {"map", OPT_MAP, "FILE", 0, "fabric map", 0},
    {"metrics", OPT_METRICS, "FILE", 0,
     "metrics for node_exporter's textfile collector", 0},
    {"once", OPT_ONCE, NULL, 0, "one look, then exit", 0},
    {"read-only", OPT_READ_ONLY, NULL, 0, "change no job", 0},
    {"state", OPT_STATE, "FILE", 0, "cluster state to write", 0},
    {"verbose", 'v', NULL, 0, "tell of every look", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    char *end;

    switch (key) {
    case 'i':
        o->watch.interval = strtol(arg, &end, 10);
        if (*end || o->watch.interval < 1 || o->watch.interval > 3600)
            argp_error(state, "--interval: '%s' is not 1 to 3600 seconds", arg);
        break;
    case 'v':
        o->watch.verbose = true;
        break;
    case OPT_JOURNAL:
        o->watch.journal = arg;
        break;
    case OPT_LOG:
        o->watch.log = arg;
        break;
    case OPT_MAP:
        o->watch.map = arg;
        break;
    case OPT_METRICS:
        o->watch.metrics = arg;
        break;
    case OPT_ONCE:
        o->once = true;
        break;
    case OPT_READ_ONLY:
        o->watch.read_only = true;
        break;
    case OPT_STATE:
        o->watch.state = arg;
        break;
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected argument '%s'", arg);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp argp = {
    argp_options,
    parse,
    NULL,
    "Watch the cluster: write its state for the plugin, the placement log and "
    "metrics; end waits for locality that have lasted long enough.",
    NULL,
    NULL,
    NULL,
};

static volatile sig_atomic_t stop, hup;

static void on_signal(int sig)
{
    if (sig == SIGHUP)
        hup = 1;
    else
        stop = 1;
}

/* The signals are blocked but for the time of the sleep, so that none comes
 * between a line and the journal entry of it, and none is missed. */
static void catch_signals(sigset_t *while_asleep)
{
    struct sigaction sa = {.sa_handler = on_signal};
    sigset_t ours;

    sigemptyset(&ours);
    sigaddset(&ours, SIGTERM);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGHUP);
    sigaction(SIGTERM, &sa, NULL);
    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGHUP, &sa, NULL);
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_BLOCK, &ours, while_asleep);
}

static long milliseconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Sleep until 'due', or until a signal. */
static void sleep_until(long due, const sigset_t *while_asleep)
{
    long left = due - milliseconds();
    struct timespec t = {0};

    if (left > 0) {
        t.tv_sec = left / 1000;
        t.tv_nsec = left % 1000 * 1000000;
    }
    /* also when nothing is left: pending signals arrive here */
    if (ppoll(NULL, 0, &t, while_asleep) < 0 && errno != EINTR)
        stop = 1;
}

static int loop(struct lw_watch *w)
{
    sigset_t while_asleep;
    long due;

    catch_signals(&while_asleep);
    while (!stop) {
        due = milliseconds() + lw_watch_interval(w) * 1000;
        if (lw_watch_step(w) == LW_WATCH_REFUSED)
            return LW_EXIT_FINDINGS;
        sleep_until(due, &while_asleep);
        if (hup) {
            hup = 0;
            lw_watch_reload(w);
        }
    }
    return LW_EXIT_OK;
}

int lw_cmd_watch(int argc, char **argv)
{
    struct options o = {0};
    lw_error_t err = {0};
    struct lw_watch *w;
    int code = LW_EXIT_OK;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    slurm_init(NULL);
    if (!(w = lw_watch_open(&o.watch, &err)))
        code = lw_cli_fail("%s", err.text);
    else if (!o.once)
        code = loop(w);
    else if (lw_watch_step(w) < 0)
        code = LW_EXIT_FINDINGS;
    lw_watch_close(w);
    slurm_fini();
    return code;
}
