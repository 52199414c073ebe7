/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_doctor.c - `leafward doctor`: is all of it installed, loaded, fresh? */
#include "config.h"

#include "cli/cli.h"
#include "cli/doctor.h"
#include "lib/plural.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "Print JSON for programs", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const char *const words[] = {"ok", "note", "warning", "error"};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    bool *json = state->input;

    switch (key) {
    case 'j':
        *json = true;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s' is one argument too many", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void lw_doctor_say(struct lw_doctor *d, enum lw_health health, const char *part,
                   const char *fmt, ...)
{
    struct lw_verdict *v = realloc(d->all, (d->count + 1) * sizeof(*v));
    va_list ap;

    if (!v) {
        d->failed = true;
        return;
    }
    d->all = v;
    v += d->count++;
    v->health = health;
    v->part = part;
    va_start(ap, fmt);
    vsnprintf(v->text, sizeof(v->text), fmt, ap);
    va_end(ap);
}

static size_t count(const struct lw_doctor *d, enum lw_health health)
{
    size_t i, n = 0;

    for (i = 0; i < d->count; i++)
        n += d->all[i].health == health;
    return n;
}

static void print_text(const struct lw_doctor *d)
{
    size_t i, bad = count(d, LW_HEALTH_BAD), warn = count(d, LW_HEALTH_WARN);

    for (i = 0; i < d->count; i++)
        printf("%-7s  %-13s  %s\n", words[d->all[i].health], d->all[i].part,
               d->all[i].text);
    printf("%zu error%s, %zu warning%s\n", bad, lw_plural(bad, "", "s"), warn,
           lw_plural(warn, "", "s"));
}

static int print_json(const struct lw_doctor *d)
{
    json_t *list = json_array();
    int rc = list ? 0 : -1;
    size_t i;

    for (i = 0; i < d->count && rc == 0; i++)
        rc = json_array_append_new(
            list, json_pack("{s:s, s:s, s:s}", "level", words[d->all[i].health],
                            "part", d->all[i].part, "text", d->all[i].text));
    if (rc == 0)
        rc = json_dumpf(list, stdout, JSON_INDENT(1));
    json_decref(list);
    putchar('\n');
    return rc;
}

static void examine(struct lw_doctor *d, const char *path, const char *error)
{
    lw_doctor_conf(d, path, error);
    lw_doctor_map(d);
    lw_doctor_slurm(d);
    lw_doctor_files(d);
}

int lw_cmd_doctor(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        NULL,
        "Tell whether everything is installed, loaded, fresh and consistent "
        "on this host, and what to do about each thing that is not. Exit 1 "
        "when there is an error.",
        NULL,
        NULL,
        NULL};
    struct lw_doctor d = {
        .slurm_user = (uid_t)-1, .user = "SlurmUser", .controller = true};
    const char *path = lw_settings_path(NULL);
    struct lw_settings *s;
    lw_error_t err = {0};
    bool json = false;
    int code;

    argp_parse(&argp, argc, argv, 0, NULL, &json);
    if (!(s = lw_settings_load(path, &err)))
        return lw_cli_fail("out of memory");
    d.settings = s;
    examine(&d, path, err.text);
    code = count(&d, LW_HEALTH_BAD) ? LW_EXIT_FINDINGS : LW_EXIT_OK;
    if (!json)
        print_text(&d);
    else if (print_json(&d) < 0)
        d.failed = true;
    if (d.failed)
        code = lw_cli_fail("out of memory");
    free(d.all);
    lw_map_destroy(d.map);
    lw_settings_destroy(s);
    return code;
}
