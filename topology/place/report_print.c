/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_print.c - the report as text, JSON and CSV */
#include "config.h"

#include "topology/place/report_print.h"

#include "lib/plural.h"
#include "lib/when.h"
#include "topology/place/report_tables.h"

static const struct lw_report_section sections[] = {
    {"summary", "jobs, gangs and how many ran on the fewest groups", true,
     lw_report_fill_summary},
    {"waiting", "how long jobs waited, and how long of it for locality", true,
     lw_report_fill_waiting},
    {"sizes", "the same by number of nodes", true, lw_report_fill_sizes},
    {"waits", "waits for resources by number of nodes", false,
     lw_report_fill_waits},
    {"locality", "who waited for locality, how it ended, what it gained", false,
     lw_report_fill_locality},
    {"spread", "groups, pods and balance by number of nodes", false,
     lw_report_fill_spread},
    {"spread-hours", "the same, each gang by its GPU-hours", false,
     lw_report_fill_spread_hours},
    {"users", "by user", false, lw_report_fill_users},
    {"accounts", "by account", false, lw_report_fill_accounts},
    {"partitions", "by partition", false, lw_report_fill_partitions},
    {"asked", "who asked for few groups, and who was spread", false,
     lw_report_fill_asked},
    {"asked-accounts", "the same by account", false,
     lw_report_fill_asked_accounts},
    {"decisions", "what was decided at submission, by reason", false,
     lw_report_fill_decisions},
    {"impossible", "requests that can never be packed, or never run", false,
     lw_report_fill_impossible},
    {"rails", "steps launched with a rail missing", false,
     lw_report_fill_rails},
    {"startable", "largest gang that could start on 1, 2, 4, .. groups", false,
     lw_report_fill_startable},
    {"types", "the same by type of GPU", false, lw_report_fill_types},
    {"slots", "how many gangs of 2, 4, 8, .. nodes would fit", false,
     lw_report_fill_slots},
    {"fragmentation", "fragmentation and stranded GPUs over time", false,
     lw_report_fill_fragmentation},
    {"stranded", "where the GPUs are, group by group", false,
     lw_report_fill_stranded},
    {"causes", "why free GPUs are free, group by group", false,
     lw_report_fill_causes},
    {"moves", "pending gangs that would start if k jobs were moved", false,
     lw_report_fill_moves},
    {"failures", "what failed nodes cost", false, lw_report_fill_failures},
    {"drift", "the map against the cluster", false, lw_report_fill_drift},
    {"jobs", "job by job", true, lw_report_fill_jobs},
};

static const size_t nsections = sizeof(sections) / sizeof(sections[0]);

const struct lw_report_section *lw_report_sections(size_t *n)
{
    *n = nsections;
    return sections;
}

/* A moment as "2030-01-07 08:00", or only the time of day when the day is
 * that of 'like'. */
static void show_ms(int64_t ms, int64_t like, char *out, size_t size)
{
    time_t t = (time_t)(ms / 1000);
    struct tm tm;

    if (!ms || !gmtime_r(&t, &tm) ||
        !strftime(out, size,
                  ms / 86400000 == like / 86400000 ? "%H:%M" : "%Y-%m-%d %H:%M",
                  &tm))
        snprintf(out, size, "?");
}

static void put_heading(const struct lw_report *r,
                        const struct lw_report_view *view, FILE *out)
{
    int64_t since =
        r->options.since ? (int64_t)r->options.since * 1000 : r->first_ms;
    int64_t until =
        r->options.until ? (int64_t)r->options.until * 1000 : r->last_ms;
    char from[32], to[32];

    show_ms(since, 0, from, sizeof(from));
    show_ms(until, since, to, sizeof(to));
    fprintf(out, "%sPlacement of GPU jobs, %s to %s UTC%s\n",
            view->style.colour ? "\033[1m" : "", from, to,
            view->style.colour ? "\033[0m" : "");
}

/* What of the log could not be used: said last, so that it is seen. */
static void put_trouble(const struct lw_report *r, const struct lw_log_stats *s,
                        FILE *out)
{
    if (s->broken)
        fprintf(out,
                "\n%llu of %llu %s broken and %s skipped; the "
                "first: %s\n",
                (unsigned long long)s->broken, (unsigned long long)s->lines,
                lw_plural(s->broken, "lines is", "lines are"),
                lw_plural(s->broken, "was", "were"),
                s->first_broken.text[0] ? s->first_broken.text
                                        : "longer than a line may be");
    if (s->newer)
        fprintf(out,
                "\n%llu %s of a newer format than this version reads and %s "
                "skipped.\n",
                (unsigned long long)s->newer,
                lw_plural(s->newer, "line is", "lines are"),
                lw_plural(s->newer, "was", "were"));
    if (s->cut_off)
        fprintf(out,
                "\n%llu %s damaged: what stands behind the damage was not "
                "read; the first: %s\n",
                (unsigned long long)s->cut_off,
                lw_plural(s->cut_off, "file is", "files are"),
                s->first_cut_off.text);
    if (s->unreadable)
        fprintf(
            out, "\n%llu %s not be read and %s missing here; the first: %s\n",
            (unsigned long long)s->unreadable,
            lw_plural(s->unreadable, "file could", "files could"),
            lw_plural(s->unreadable, "is", "are"), s->first_unreadable.text);
    if (r->lost_ends)
        fprintf(out,
                "\nThe end of %llu %s not in the log; %s without GPU-hours.\n",
                (unsigned long long)r->lost_ends,
                lw_plural(r->lost_ends, "run is", "runs is"),
                lw_plural(r->lost_ends, "it counts", "they count"));
}

static bool chosen(const struct lw_report_view *view, size_t i)
{
    return view->sections >> i & 1;
}

void lw_report_print_text(const struct lw_report *r,
                          const struct lw_report_view *view, FILE *out)
{
    struct lw_sheet t;
    size_t i;

    put_heading(r, view, out);
    for (i = 0; i < nsections; i++) {
        if (!chosen(view, i))
            continue;
        sections[i].fill(r, &t);
        fputc('\n', out);
        lw_sheet_print_text(&t, &view->style, out);
        lw_sheet_free(&t);
    }
    put_trouble(r, view->stats, out);
}

void lw_report_print_csv(const struct lw_report *r,
                         const struct lw_report_view *view, FILE *out)
{
    struct lw_sheet t;
    size_t i;

    for (i = 0; i < nsections && !chosen(view, i); i++)
        ;
    if (i == nsections)
        return;
    sections[i].fill(r, &t);
    lw_sheet_print_csv(&t, out);
    lw_sheet_free(&t);
}

static void json_time(const char *key, int64_t ms, FILE *out)
{
    char text[LW_WHEN_SIZE];

    if (ms) {
        lw_when_print((time_t)(ms / 1000), text);
        fprintf(out, "\"%s\": \"%s\", ", key, text);
    }
}

static void json_head(const struct lw_report *r, const struct lw_log_stats *s,
                      size_t files, FILE *out)
{
    fputs("{\n  \"schema\": 1,\n  \"period\": {", out);
    json_time("since", (int64_t)r->options.since * 1000, out);
    json_time("until", (int64_t)r->options.until * 1000, out);
    json_time("first", r->first_ms, out);
    json_time("last", r->last_ms, out);
    fprintf(out, "\"timezone\": \"UTC\"},\n");
    fprintf(out,
            "  \"log\": {\"files\": %zu, \"lines\": %llu, \"broken\": "
            "%llu, \"newer\": %llu, \"damaged_files\": %llu, "
            "\"lost_ends\": %llu}",
            files, (unsigned long long)s->lines, (unsigned long long)s->broken,
            (unsigned long long)s->newer, (unsigned long long)s->cut_off,
            (unsigned long long)r->lost_ends);
}

/* "spread-hours" would need quotes in jq: "spread_hours". */
static void json_key(const char *name, FILE *out)
{
    fputs(",\n  \"", out);
    for (; *name; name++)
        fputc(*name == '-' ? '_' : *name, out);
    fputs("\": ", out);
}

void lw_report_print_json(const struct lw_report *r,
                          const struct lw_report_view *view, FILE *out)
{
    struct lw_sheet t;
    size_t i;

    json_head(r, view->stats, view->files, out);
    for (i = 0; i < nsections; i++) {
        if (!chosen(view, i))
            continue;
        sections[i].fill(r, &t);
        json_key(sections[i].name, out);
        lw_sheet_print_json(&t, out);
        lw_sheet_free(&t);
    }
    fputs("\n}\n", out);
}
