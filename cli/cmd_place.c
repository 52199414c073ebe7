/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_place.c - `leafward place`: what the plugin would do, and why */
#include "config.h"

#include "cli/cli.h"
#include "cli/names.h"
#include "cli/place_request.h"
#include "topology/place/event.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define OPT_MAP   0x200
#define OPT_STATE 0x201

static const struct argp_option options[] = {
    {"map", OPT_MAP, "MAP", 0, "The fabric map (default: from leafward.conf)",
     2},
    {"state", OPT_STATE, "FILE", 0,
     "The cluster state (default: from leafward.conf; none: do without)", 2},
    {"json", 'j', NULL, 0, "Print JSON for programs", 2},
    {NULL, 0, NULL, 0, NULL, 0},
};

struct arguments {
    struct lw_asked asked;
    const char *map;
    const char *state;
    bool json;
};

/* What a decision is made from. */
struct input {
    struct lw_settings *settings;
    struct lw_map *map;
    struct lw_state *state;
    struct lw_view *view;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->asked;
        return 0;
    case OPT_MAP:
        a->map = arg;
        return 0;
    case OPT_STATE:
        a->state = arg;
        return 0;
    case 'j':
        a->json = true;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s': only options are expected", arg);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void close_input(struct input *in)
{
    lw_view_destroy(in->view);
    lw_state_destroy(in->state);
    lw_map_destroy(in->map);
    lw_settings_destroy(in->settings);
}

/* A state that was named must be there; the configured one may be missing. */
static int load_state(const struct arguments *a, struct input *in)
{
    const char *path = a->state ? a->state : in->settings->state;
    lw_error_t err = {0};

    if (strcmp(path, "none") == 0)
        return 0;
    in->state = lw_state_load(path, &err);
    if (in->state)
        return 0;
    if (a->state)
        return lw_cli_fail("%s", err.text);
    fprintf(stderr,
            "leafward place: note: deciding without a cluster state: "
            "%s\n",
            err.text);
    return 0;
}

static int open_input(const struct arguments *a, struct input *in)
{
    lw_error_t err = {0};

    if (!(in->settings = lw_cli_settings()))
        return lw_cli_fail("out of memory");
    if (!(in->map = lw_map_load(a->map ? a->map : in->settings->map, &err)))
        return lw_cli_fail("%s", err.text);
    if (load_state(a, in))
        return LW_EXIT_FINDINGS;
    if (!(in->view = lw_view_create(in->map, in->state, in->settings, &err)))
        return lw_cli_fail("%s", err.text);
    if (lw_view_fold(in->view, LW_CLI_FOLD) < 0)
        return lw_cli_fail("out of memory");
    return 0;
}

/* A file is looked at as if it were new; the configured one has its age. */
static void set_now(const struct arguments *a, struct lw_request *r)
{
    r->now = a->state ? 0 : time(NULL);
}

static void print_options(const struct lw_decision *d)
{
    const char *type = d->gpu_type ? d->gpu_type : "";

    fputs("as if it had:", stdout);
    if (d->nodes > 0)
        printf(" --nodes=%ld", d->nodes);
    if (d->gpus_node > 0)
        printf(" --gpus-per-node=%s%s%ld", type, *type ? ":" : "",
               d->gpus_node);
    if (d->switches > 0)
        printf(" --switches=%ld@%ld:%02ld", d->switches, d->wait / 60,
               d->wait % 60);
    if (d->segment > 0)
        printf(" --segment=%ld", d->segment);
    if (d->exclude)
        printf(" --exclude=%s", d->exclude);
    if (d->features)
        printf(" --constraint='%s'", d->features);
    putchar('\n');
}

static void print_text(const struct lw_decision *d)
{
    printf("%s (%s)\n%s\n", lw_action_word(d->action),
           lw_reason_word(d->reason), d->text);
    if (d->action == LW_REWRITE)
        print_options(d);
}

/* The same object as in the placement log. */
static int print_json(const struct lw_request *r, const struct lw_decision *d)
{
    struct lw_event e = LW_EVENT_INIT;
    lw_error_t err = {0};
    size_t len;
    char *line;

    e.event = d->action == LW_REWRITE     ? "submitted"
              : d->action == LW_UNTOUCHED ? "untouched"
                                          : "impossible";
    clock_gettime(CLOCK_REALTIME, &e.at);
    e.partition = r->partition;
    e.request = r;
    e.decision = d;
    if (!(line = lw_event_line(&e, &len, &err)))
        return lw_cli_fail("%s", err.text);
    fputs(line, stdout);
    free(line);
    return LW_EXIT_OK;
}

static int place(const struct arguments *a, const struct input *in)
{
    struct lw_request r = a->asked.request;
    struct lw_decision d;
    int code = LW_EXIT_OK;

    if (!r.gpu_type && a->asked.type[0])
        r.gpu_type = a->asked.type;
    set_now(a, &r);
    lw_decide(&r, in->view, &d);
    if (a->json)
        code = print_json(&r, &d);
    else
        print_text(&d);
    if (d.action == LW_IMPOSSIBLE || d.action == LW_REFUSE)
        code = LW_EXIT_FINDINGS;
    lw_decision_free(&d);
    return code;
}

int lw_cmd_place(int argc, char **argv)
{
    static const struct argp_child children[] = {{&lw_asked_argp, 0, "", 1},
                                                 {NULL, 0, NULL, 0}};
    static const struct argp argp = {
        options,
        parse,
        "",
        "What the job_submit plugin would do with a job, and why.\v"
        "The decision is made by the plugin's own code from the fabric map, "
        "the cluster state and leafward.conf; nothing is submitted. Exit "
        "status 1: the job could never run.",
        children,
        NULL,
        NULL};
    struct arguments a = {.asked = {.request = LW_REQUEST_INIT}};
    struct input in = {0};
    int code = LW_EXIT_USAGE;

    if (argp_parse(&argp, argc, argv, 0, NULL, &a) == 0 &&
        (code = open_input(&a, &in)) == LW_EXIT_OK)
        code = place(&a, &in);
    close_input(&in);
    lw_asked_free(&a.asked);
    return code;
}
