/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_report.c - `leafward report`: how good placements were */
#include "config.h"

#include "cli/cli.h"
#include "cli/progress.h"
#include "lib/plural.h"
#include "lib/when.h"
#include "topology/place/logread.h"
#include "topology/place/report.h"
#include "topology/place/report_print.h"
#include "topology/place/report_sacct.h"
#ifdef HAVE_SLURM_SLURM_H
#include "slurmapi/hostlist.h"
#endif

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_HTML };

enum key {
    KEY_SINCE = 0x100,
    KEY_UNTIL,
    KEY_FORMAT,
    KEY_SHOW,
    KEY_SORT,
    KEY_COLOUR,
    KEY_WIDTH,
    KEY_GANGS,
    KEY_LIST,
    KEY_SACCT,
    KEY_MAP
};

struct args {
    struct lw_report_options options;
    enum format format;
    const char *since, *until;
    const char *sacct, *map;
    unsigned long sections; /* 0: the usual ones */
    int sorted;             /* --sort was given */
    long rows;              /* -1: not given, 0: all */
    int colour;             /* -1: on a terminal */
    long width;             /* -1: the terminal's */
    char **files;
    size_t nfiles;
};

static const struct argp_option argp_options[] = {
    {"since", KEY_SINCE, "TIME", 0,
     "Count jobs that started at TIME or later: 2026-11-30, 2026-11-30T09:15, "
     "today, yesterday, or how long ago (12h, 7d)",
     1},
    {"until", KEY_UNTIL, "TIME", 0, "Count jobs that started before TIME", 1},
    {"user", 'u', "LIST", 0, "Only jobs of these users", 2},
    {"account", 'A', "LIST", 0, "Only jobs of these accounts", 2},
    {"partition", 'p', "LIST", 0, "Only jobs in these partitions", 2},
    {"size", 's', "LIST", 0,
     "Only jobs of so many nodes: 4, 2-3 or 17- (17 and more), with commas", 2},
    {"gangs", KEY_GANGS, NULL, 0, "Only GPU jobs of more than one node", 2},
    {"sacct", KEY_SACCT, "FILE", 0,
     "Judge the jobs in this output of sacct -P -X, instead of a log", 2},
    {"map", KEY_MAP, "FILE", 0,
     "With --sacct: the fabric map (default: the site's)", 2},
    {"show", KEY_SHOW, "LIST", 0,
     "Parts to show, with commas, or all; --list names them", 3},
    {"list", KEY_LIST, NULL, 0, "Name the parts of the report and stop", 3},
    {"rows", 'n', "N", 0,
     "Show at most N rows of each table, or all (text: 20)", 3},
    {"sort", KEY_SORT, "WORD", 0,
     "Jobs to show first: cost (most GPU-hours on too many groups; usual for "
     "text), start (latest; usual otherwise), wait (longest)",
     3},
    {"format", KEY_FORMAT, "WORD", 0,
     "text, json, csv (one table) or html (one page with pictures)", 4},
    {"color", KEY_COLOUR, "WHEN", 0, "auto, always or never", 4},
    {"width", KEY_WIDTH, "N", 0,
     "Fit tables into N characters (default: the terminal's; 0: no limit)", 4},
    {0},
};

static const char doc[] =
    "How good the placements of GPU jobs were: groups used against the fewest "
    "possible, in sum and job by job, and what waiting for locality cost."
    "\vFILE is a placement log, plain or compressed by gzip, xz, zstd or "
    "bzip2; "
    "- is standard input. Without FILE the log of the configuration is read, "
    "with its "
    "rotated parts and what nodes logged of launches. See leafward-report(1).";

/* The place of 'word' in the list, -1 with a usage error. */
static int choose(struct argp_state *state, const char *option,
                  const char *word, const char *const *words, int n)
{
    int i;

    for (i = 0; i < n; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    argp_error(state, "--%s=%s: there is no such choice; see --help", option,
               word);
    return -1;
}

static long number(struct argp_state *state, const char *option,
                   const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (end == text || *end || n < 0 || n > 1000000000)
        argp_error(state, "--%s=%s: expected a number", option, text);
    return n;
}

static unsigned long one_section(struct argp_state *state, const char *word,
                                 size_t len)
{
    const struct lw_report_section *s;
    size_t n, i;

    s = lw_report_sections(&n);
    if (len == 3 && strncmp(word, "all", 3) == 0)
        return (1UL << n) - 1;
    for (i = 0; i < n; i++)
        if (strlen(s[i].name) == len && strncmp(s[i].name, word, len) == 0)
            return 1UL << i;
    argp_error(state,
               "--show: the report has no part '%.*s'; --list names "
               "them",
               (int)len, word);
    return 0;
}

static unsigned long parse_sections(struct argp_state *state, const char *list)
{
    unsigned long bits = 0;
    size_t n;

    for (; *list; list += n + (list[n] == ',')) {
        n = strcspn(list, ",");
        bits |= one_section(state, list, n);
    }
    return bits;
}

static void list_sections(void)
{
    const struct lw_report_section *s;
    size_t n, i;

    s = lw_report_sections(&n);
    for (i = 0; i < n; i++)
        printf("%-14s %s%s\n", s[i].name, s[i].what,
               s[i].usual ? " (usual)" : "");
}

static int parse_view(int key, char *arg, struct argp_state *state)
{
    static const char *const colours[] = {"never", "always", "auto"};
    static const char *const formats[] = {"text", "json", "csv", "html"};
    static const char *const orders[] = {"start", "cost", "wait"};
    struct args *a = state->input;

    switch (key) {
    case KEY_SHOW:
        a->sections = parse_sections(state, arg);
        return 0;
    case 'n':
        a->rows = strcmp(arg, "all") == 0 ? 0 : number(state, "rows", arg);
        return 0;
    case KEY_SORT:
        a->options.order =
            (enum lw_report_order)choose(state, "sort", arg, orders, 3);
        a->sorted = 1;
        return 0;
    case KEY_FORMAT:
        a->format = (enum format)choose(state, "format", arg, formats, 4);
        return 0;
    case KEY_COLOUR:
        a->colour = choose(state, "color", arg, colours, 3);
        a->colour = a->colour == 2 ? -1 : a->colour;
        return 0;
    case KEY_WIDTH:
        a->width = number(state, "width", arg);
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

static int parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;

    switch (key) {
    case KEY_SINCE:
        a->since = arg;
        return 0;
    case KEY_UNTIL:
        a->until = arg;
        return 0;
    case 'u':
        a->options.users = arg;
        return 0;
    case 'A':
        a->options.accounts = arg;
        return 0;
    case 'p':
        a->options.partitions = arg;
        return 0;
    case 's':
        if (lw_size_listed(arg, 1) < 0)
            argp_error(state,
                       "--size=%s: expected numbers of nodes like 4, "
                       "2-3 or 17-, with commas",
                       arg);
        a->options.sizes = arg;
        return 0;
    case KEY_GANGS:
        a->options.gangs_only = true;
        return 0;
    case KEY_SACCT:
        a->sacct = arg;
        return 0;
    case KEY_MAP:
        a->map = arg;
        return 0;
    case KEY_LIST:
        list_sections();
        exit(LW_EXIT_OK);
    case ARGP_KEY_ARGS:
        a->files = state->argv + state->next;
        a->nfiles = (size_t)(state->argc - state->next);
        return 0;
    }
    return parse_view(key, arg, state);
}

static int parse_times(struct args *a)
{
    lw_error_t err = {0};
    time_t now = time(NULL);

    if ((a->since &&
         lw_when_parse(a->since, now, &a->options.since, &err) < 0) ||
        (a->until &&
         lw_when_parse(a->until, now, &a->options.until, &err) < 0)) {
        lw_cli_fail("%s", err.text);
        return LW_EXIT_USAGE;
    }
    if (a->since && a->until && a->options.since >= a->options.until) {
        lw_cli_fail("--since is not before --until");
        return LW_EXIT_USAGE;
    }
    return LW_EXIT_OK;
}

static unsigned long usual_sections(enum format format)
{
    const struct lw_report_section *s;
    unsigned long bits = 0;
    size_t n, i;

    s = lw_report_sections(&n);
    for (i = 0; i < n; i++)
        if (format == FORMAT_HTML ||
            (format == FORMAT_CSV ? strcmp(s[i].name, "jobs") == 0
                                  : s[i].usual))
            bits |= 1UL << i;
    return bits;
}

static struct lw_style terminal_style(const struct args *a)
{
    struct lw_style style = {0};
    struct winsize ws;
    int tty = isatty(STDOUT_FILENO);

    style.colour = a->colour < 0 ? tty && !getenv("NO_COLOR") : a->colour;
    style.width = a->width < 0 ? 0 : (size_t)a->width;
    style.rows = a->rows < 0 ? 20 : (size_t)a->rows;
    if (a->width < 0 && tty && ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0)
        style.width = ws.ws_col;
    return style;
}

/* Jobs as CSV go out one by one: any number of them. */
static void stream_job(const struct lw_run *run, void *arg)
{
    const struct lw_report *r = *(struct lw_report **)arg;
    struct lw_sheet t;

    lw_report_jobs_table(&t);
    lw_report_jobs_row(r, run, &t);
    lw_sheet_csv_row(&t, 0, stdout);
    lw_sheet_free(&t);
}

static int read_log(struct lw_report *r, struct lw_logread *log)
{
    const struct lw_log_stats *stats = lw_logread_stats(log);
    struct lw_progress progress;
    struct lw_log_record line;
    lw_error_t err = {0};
    int rc;

    lw_progress_start(&progress, "Reading");
    while ((rc = lw_logread_next(log, &line, &err)) > 0) {
        lw_report_add(r, &line);
        if ((stats->lines & 0xfff) == 0)
            lw_progress_show(&progress, stats->bytes, stats->total_bytes);
    }
    lw_progress_end(&progress);
    if (rc < 0 || lw_report_finish(r, &err) < 0)
        return lw_cli_fail("%s", err.text);
    return LW_EXIT_OK;
}

static void print(const struct lw_report *r, const struct args *a,
                  size_t nfiles, const struct lw_log_stats *stats)
{
    struct lw_report_view view = {.sections = a->sections,
                                  .style = terminal_style(a),
                                  .files = nfiles,
                                  .stats = stats};

    if (a->format == FORMAT_TEXT)
        lw_report_print_text(r, &view, stdout);
    else if (a->format == FORMAT_JSON)
        lw_report_print_json(r, &view, stdout);
    else if (a->format == FORMAT_HTML)
        lw_report_print_html(r, &view, stdout);
    else if (!r->options.job)
        lw_report_print_csv(r, &view, stdout);
}

/* Say on standard error what a format for programs has no place for. */
static void warn(const struct lw_log_stats *s)
{
    if (s->broken || s->newer)
        lw_cli_fail("warning: %llu broken %s, %llu of a newer format; the "
                    "first: %s",
                    (unsigned long long)s->broken,
                    lw_plural(s->broken, "line", "lines"),
                    (unsigned long long)s->newer, s->first_broken.text);
    if (s->cut_off)
        lw_cli_fail("warning: %llu damaged %s; the first: %s",
                    (unsigned long long)s->cut_off,
                    lw_plural(s->cut_off, "file", "files"),
                    s->first_cut_off.text);
    if (s->unreadable)
        lw_cli_fail("warning: %llu %s could not be read; the first: %s",
                    (unsigned long long)s->unreadable,
                    lw_plural(s->unreadable, "file", "files"),
                    s->first_unreadable.text);
}

static int report(struct args *a, const char *const *files, size_t nfiles)
{
    lw_error_t err = {0};
    struct lw_logread *log = lw_logread_open(files, nfiles, &err);
    struct lw_report *r = NULL;
    struct lw_sheet head;
    int rc;

    if (a->options.job) {
        a->options.job_arg = &r;
        lw_report_jobs_table(&head);
        lw_sheet_csv_header(&head, stdout);
    }
    if (!log || !(r = lw_report_create(&a->options))) {
        rc = lw_cli_fail("out of memory");
    } else if ((rc = read_log(r, log)) == LW_EXIT_OK) {
        print(r, a, nfiles, lw_logread_stats(log));
        if (a->format != FORMAT_TEXT)
            warn(lw_logread_stats(log));
    }
    lw_report_destroy(r);
    lw_logread_close(log);
    return rc;
}

/* The output of sacct, judged by a map. */
static int report_sacct(struct args *a)
{
    struct lw_settings *settings = lw_cli_settings();
    struct lw_log_stats stats = {0};
    lw_error_t err = {0};
    struct lw_report *r = NULL;
    struct lw_map *map = NULL;
    int rc;

    a->options.job = NULL;
    if (a->format == FORMAT_CSV && !a->options.jobs)
        a->options.jobs = (size_t)-1;
    if (!settings || !(r = lw_report_create(&a->options)))
        rc = lw_cli_fail("out of memory");
    else if (!(map = lw_map_load(a->map ? a->map : settings->map, &err)) ||
             lw_report_sacct(r, a->sacct, map, &stats, &err) < 0 ||
             lw_report_finish(r, &err) < 0)
        rc = lw_cli_fail("%s", err.text);
    else {
        print(r, a, 1, &stats);
        rc = LW_EXIT_OK;
    }
    lw_map_destroy(map);
    lw_report_destroy(r);
    lw_settings_destroy(settings);
    return rc;
}

/* Put what nodes logged of their launches behind the '*n' names. */
static char **add_launches(char **names, size_t *n, const char *pattern,
                           time_t since, lw_error_t *err)
{
    size_t more = 0;
    char **found = lw_logread_of_nodes(pattern, since, &more, err);
    char **all = found ? realloc(names, (*n + more + 1) * sizeof(*all)) : NULL;

    if (!all) {
        lw_logread_free_names(found, more);
        return names;
    }
    memcpy(all + *n, found, more * sizeof(*all));
    *n += more;
    free(found);
    return all;
}

/* The logs of the configuration, with their rotated parts. */
static int report_default(struct args *a)
{
    struct lw_settings *settings = lw_cli_settings();
    lw_error_t err = {0};
    char **names = NULL;
    size_t n = 0;
    int rc;

    if (!settings)
        return lw_cli_fail("out of memory");
    names = lw_logread_rotated(settings->log, a->options.since, &n, &err);
    if (names && *settings->launch_log)
        names = add_launches(names, &n, settings->launch_log, a->options.since,
                             &err);
    if (err.text[0])
        rc = lw_cli_fail("%s", err.text);
    else
        rc = report(a, (const char *const *)names, n);
    lw_logread_free_names(names, n);
    lw_settings_destroy(settings);
    return rc;
}

/* What follows from the options taken together. */
static int settle(struct args *a)
{
    unsigned long usual = usual_sections(FORMAT_CSV);
    bool people = a->format == FORMAT_TEXT || a->format == FORMAT_HTML;

    if (!a->sections)
        a->sections = usual_sections(a->format);
    if (a->format == FORMAT_CSV && (a->sections & (a->sections - 1))) {
        lw_cli_fail("CSV holds one table: choose it with --show");
        return LW_EXIT_USAGE;
    }
    if (a->format == FORMAT_CSV && a->sections == usual && a->rows <= 0 &&
        !a->sorted) {
        a->options.job = stream_job;
        a->options.jobs = 0;
        return LW_EXIT_OK;
    }
    if (!a->sorted && people)
        a->options.order = LW_ORDER_COST;
    if (a->rows < 0)
        a->options.jobs = people ? 20 : 1000;
    else
        a->options.jobs = a->rows ? (size_t)a->rows : (size_t)-1;
    return LW_EXIT_OK;
}

int lw_cmd_report(int argc, char **argv)
{
    static const struct argp argp = {argp_options, parse, "[FILE...]", doc,
                                     NULL,         NULL,  NULL};
    struct args a = {.rows = -1, .colour = -1, .width = -1};

#ifdef HAVE_SLURM_SLURM_H
    a.options.hosts.expand = lw_hostlist_expand;
    a.options.hosts.free_names = lw_names_free;
#endif
    int rc;

    if (argp_parse(&argp, argc, argv, 0, NULL, &a) != 0)
        return LW_EXIT_USAGE;
    if ((rc = parse_times(&a)) != LW_EXIT_OK || (rc = settle(&a)) != LW_EXIT_OK)
        return rc;
    if (a.sacct && a.nfiles) {
        lw_cli_fail("--sacct takes the place of a log: name one of them");
        return LW_EXIT_USAGE;
    }
    if (a.sacct)
        return report_sacct(&a);
    return a.nfiles ? report(&a, (const char *const *)a.files, a.nfiles)
                    : report_default(&a);
}
