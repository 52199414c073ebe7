/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_tables.c - the tables of the report that are about jobs */
#include "config.h"

#include "lib/plural.h"
#include "topology/place/report_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double hours(double seconds)
{
    return seconds / 3600;
}

static const struct lw_column summary_columns[] = {
    {"what", "", 0},           {"jobs", "Jobs", 0},
    {"share", "Share", 0},     {"gpu_hours", "GPU-hours", 0},
    {"gpu_share", "Share", 1}, {0},
};

static void summary_row(struct lw_sheet *t, const char *what, uint64_t jobs,
                        uint64_t of, double gpu_s, double of_gpu_s)
{
    lw_sheet_text(t, what);
    lw_sheet_count(t, (long)jobs);
    lw_sheet_share(t, (double)jobs, (double)of);
    lw_sheet_number(t, gpu_s < 0 ? -1 : hours(gpu_s));
    lw_sheet_share(t, gpu_s, of_gpu_s);
}

static void summary_notes(const struct lw_report *r, struct lw_sheet *t)
{
    unsigned long long unjudged = r->all.gangs - r->all.scored;
    size_t n = 0;

    if (unjudged)
        n += (size_t)snprintf(t->note + n, sizeof(t->note) - n,
                              "%llu %s ran without a fabric map or on nodes "
                              "outside it and %s not judged. ",
                              unjudged, lw_plural(unjudged, "gang", "gangs"),
                              lw_plural(unjudged, "is", "are"));
    if (r->cpu_runs)
        n += (size_t)snprintf(t->note + n, sizeof(t->note) - n,
                              "%llu %s without GPUs %s left "
                              "out. ",
                              (unsigned long long)r->cpu_runs,
                              lw_plural(r->cpu_runs, "job", "jobs"),
                              lw_plural(r->cpu_runs, "is", "are"));
    if (r->running)
        snprintf(t->note + n, sizeof(t->note) - n,
                 "%llu %s; %s GPU-hours are counted so far.",
                 (unsigned long long)r->running,
                 lw_plural(r->running, "job still runs", "jobs still run"),
                 lw_plural(r->running, "its", "their"));
}

void lw_report_fill_summary(const struct lw_report *r, struct lw_sheet *t)
{
    const struct lw_tally *a = &r->all;

    lw_sheet_init(t, "summary", summary_columns);
    t->whole = 1;
    summary_row(t, "GPU jobs", a->runs, 0, a->gpu_s, 0);
    summary_row(t, "  on one node", a->runs - a->gangs, a->runs,
                a->gpu_s - a->gang_gpu_s, a->gpu_s);
    summary_row(t, "  gangs of more", a->gangs, a->runs, a->gang_gpu_s,
                a->gpu_s);
    summary_row(t, "Gangs on the fewest groups", a->packed, a->scored,
                a->packed_gpu_s, a->scored_gpu_s);
    summary_row(t, "  on too many", a->scored - a->packed, a->scored,
                a->scored_gpu_s - a->packed_gpu_s, a->scored_gpu_s);
    if (a->free_known)
        summary_row(t, "  on the fewest then free", a->packed_free,
                    a->free_known, -1, 0);
    if (a->degraded)
        summary_row(t, "  with a rail down or slow", a->degraded, a->gangs, -1,
                    0);
    if (lw_report_impossible(r))
        summary_row(t, "Requests that can never be packed",
                    lw_report_impossible(r), 0, -1, 0);
    summary_notes(r, t);
}

static const struct lw_column waiting_columns[] = {
    {"what", "Waiting", 0},    {"jobs", "Jobs", 0},
    {"mean_s", "Mean", 0},     {"median_s", "Median", 3},
    {"p90_s", "90 %", 4},      {"p95_s", "95 %", 0},
    {"p99_s", "99 %", 5},      {"max_s", "Longest", 2},
    {"hours", "Job-hours", 1}, {0},
};

static void waiting_row(struct lw_sheet *t, const char *what,
                        const struct lw_quant *quant)
{
    struct lw_quant *q = (struct lw_quant *)quant; /* it sorts its values */

    lw_sheet_text(t, what);
    lw_sheet_count(t, (long)q->n);
    lw_sheet_seconds(t, q->n ? lw_quant_mean(q) : -1);
    lw_sheet_seconds(t, q->n ? (double)lw_quant_at(q, 0.5) : -1);
    lw_sheet_seconds(t, q->n ? (double)lw_quant_at(q, 0.9) : -1);
    lw_sheet_seconds(t, q->n ? (double)lw_quant_at(q, 0.95) : -1);
    lw_sheet_seconds(t, q->n ? (double)lw_quant_at(q, 0.99) : -1);
    lw_sheet_seconds(t, q->n ? (double)q->max : -1);
    lw_sheet_number(t, hours(q->sum));
}

/* How the waits for locality ended, and what they were good for. */
static void locality_note(const struct lw_tally *a, struct lw_sheet *t)
{
    const uint64_t *e = a->wait_ends;
    size_t n;

    if (!a->locality.n)
        return;
    n = (size_t)snprintf(t->note, sizeof(t->note),
                         "Of those that waited for locality %llu got their "
                         "groups, %llu ran out of patience, %llu %s changed "
                         "and %llu cancelled.",
                         (unsigned long long)e[LW_WAIT_FIT],
                         (unsigned long long)e[LW_WAIT_PATIENCE],
                         (unsigned long long)e[LW_WAIT_CHANGED],
                         lw_plural(e[LW_WAIT_CHANGED], "was", "were"),
                         (unsigned long long)e[LW_WAIT_CANCELLED]);
    if (a->gain_known && n < sizeof(t->note))
        snprintf(t->note + n, sizeof(t->note) - n,
                 " Together they run on %llu %s fewer than when they began "
                 "to wait.",
                 (unsigned long long)a->gain,
                 lw_plural(a->gain, "group", "groups"));
}

void lw_report_fill_waiting(const struct lw_report *r, struct lw_sheet *t)
{
    const struct lw_tally *a = &r->all;

    lw_sheet_init(t, "waiting", waiting_columns);
    t->whole = 1;
    waiting_row(t, "GPU jobs, for resources", &a->wait);
    waiting_row(t, "gangs, for resources", &a->gang_wait);
    waiting_row(t, "  of it for locality", &a->locality);
    locality_note(a, t);
}

static const struct lw_column waits_columns[] = {
    {"nodes", "Nodes", 0},     {"jobs", "Jobs", 0},
    {"mean_s", "Mean", 0},     {"median_s", "Median", 3},
    {"p90_s", "90 %", 4},      {"p95_s", "95 %", 0},
    {"p99_s", "99 %", 5},      {"max_s", "Longest", 2},
    {"hours", "Job-hours", 1}, {0},
};

void lw_report_fill_waits(const struct lw_report *r, struct lw_sheet *t)
{
    char name[32];
    size_t i;

    lw_sheet_init(t, "waits", waits_columns);
    snprintf(t->title, sizeof(t->title), "Waits for resources by size");
    t->whole = 1;
    for (i = 0; i < LW_SIZE_CLASSES; i++)
        if (r->sizes[i].wait.n)
            waiting_row(t, lw_size_class_name(i, name), &r->sizes[i].wait);
    waiting_row(t, "all", &r->all.wait);
}

#define BREAKDOWN(key, title)                                                  \
    {                                                                          \
        {key, title, 0}, {"jobs", "Jobs", 0}, {"gangs", "Gangs", 0},           \
            {"packed_share", "Packed", 0}, {"gpu_hours", "GPU-hours", 2},      \
            {"packed_gpu_share", "Packed GPU-h", 0},                           \
            {"excess_groups", "Too many", 3}, {"wait_median_s", "Wait", 5},    \
            {"wait_p95_s", "95 %", 4}, {"locality_jobs", "Waited", 6},         \
            {"locality_hours", "Hours", 7}, {0},                               \
    }

static const struct lw_column size_columns[] = BREAKDOWN("nodes", "Nodes");
static const struct lw_column user_columns[] = BREAKDOWN("user", "User");
static const struct lw_column account_columns[] =
    BREAKDOWN("account", "Account");
static const struct lw_column partition_columns[] =
    BREAKDOWN("partition", "Partition");

static void breakdown_row(struct lw_sheet *t, const char *name,
                          const struct lw_tally *a)
{
    struct lw_quant *wait = (struct lw_quant *)&a->wait;

    lw_sheet_text(t, name);
    lw_sheet_count(t, (long)a->runs);
    lw_sheet_count(t, (long)a->gangs);
    lw_sheet_share(t, (double)a->packed, (double)a->scored);
    lw_sheet_number(t, hours(a->gpu_s));
    lw_sheet_share(t, a->packed_gpu_s, a->scored_gpu_s);
    lw_sheet_count(t, a->scored ? (long)a->excess : -1);
    lw_sheet_seconds(t, wait->n ? (double)lw_quant_at(wait, 0.5) : -1);
    lw_sheet_seconds(t, wait->n ? (double)lw_quant_at(wait, 0.95) : -1);
    lw_sheet_count(t, (long)a->locality.n);
    lw_sheet_number(t, hours(a->locality.sum));
}

void lw_report_fill_sizes(const struct lw_report *r, struct lw_sheet *t)
{
    char name[32];
    size_t i;

    lw_sheet_init(t, "sizes", size_columns);
    t->whole = 1;
    snprintf(t->title, sizeof(t->title), "By size");
    for (i = 0; i < LW_SIZE_CLASSES; i++)
        if (r->sizes[i].runs)
            breakdown_row(t, lw_size_class_name(i, name), &r->sizes[i]);
}

static int by_gpu_time(const void *a, const void *b, void *tallies)
{
    const struct lw_tallies *t = tallies;
    size_t i = *(const size_t *)a, j = *(const size_t *)b;

    if (t->v[i].gpu_s != t->v[j].gpu_s)
        return t->v[i].gpu_s > t->v[j].gpu_s ? -1 : 1;
    return strcmp(lw_strtab_name(t->names, i), lw_strtab_name(t->names, j));
}

/* The names with any run, those with the most GPU-hours first. */
static void fill_names(const struct lw_tallies *tallies, struct lw_sheet *t)
{
    size_t *order = calloc(tallies->n + 1, sizeof(*order)), n = 0, i;
    const char *name;

    if (!order) {
        t->failed = 1;
        return;
    }
    for (i = 0; i < tallies->n; i++)
        if (tallies->v[i].runs)
            order[n++] = i;
    qsort_r(order, n, sizeof(*order), by_gpu_time, (void *)tallies);
    for (i = 0; i < n; i++) {
        name = lw_strtab_name(tallies->names, order[i]);
        breakdown_row(t, *name ? name : "(none)", &tallies->v[order[i]]);
    }
    free(order);
}

void lw_report_fill_users(const struct lw_report *r, struct lw_sheet *t)
{
    lw_sheet_init(t, "users", user_columns);
    snprintf(t->title, sizeof(t->title), "By user");
    fill_names(&r->users, t);
}

void lw_report_fill_accounts(const struct lw_report *r, struct lw_sheet *t)
{
    lw_sheet_init(t, "accounts", account_columns);
    snprintf(t->title, sizeof(t->title), "By account");
    fill_names(&r->accounts, t);
}

void lw_report_fill_partitions(const struct lw_report *r, struct lw_sheet *t)
{
    lw_sheet_init(t, "partitions", partition_columns);
    snprintf(t->title, sizeof(t->title), "By partition");
    fill_names(&r->partitions, t);
}

static const struct lw_column job_columns[] = {
    {"job", "Job", 0},
    {"user", "User", 1},
    {"account", "Account", 12},
    {"partition", "Partition", 9},
    {"nodes", "Nodes", 0},
    {"gpus", "GPUs", 8},
    {"groups", "Groups", 0},
    {"fewest", "Fewest", 0},
    {"fewest_free", "Then free", 7},
    {"wait_s", "Wait", 2},
    {"locality_s", "Locality", 4},
    {"ended_by", "Ended by", 11},
    {"start", "Start (UTC)", 5},
    {"elapsed_s", "Run time", 6},
    {"gpu_hours", "GPU-hours", 3},
    {"state", "State", 10},
    {"restarts", "Requeued", 13},
    {0},
};

void lw_report_jobs_table(struct lw_sheet *t)
{
    lw_sheet_init(t, "jobs", job_columns);
}

/* As sacct writes it: ARRAY_TASK, HET+OFFSET or the plain id. */
static void job_id(const struct lw_run *run, char out[64])
{
    if (run->array_job_id > 0 && run->array_task_id >= 0)
        snprintf(out, 64, "%ld_%ld", run->array_job_id, run->array_task_id);
    else if (run->het_job_id > 0 && run->het_offset >= 0)
        snprintf(out, 64, "%ld+%ld", run->het_job_id, run->het_offset);
    else
        snprintf(out, 64, "%ld", run->id);
}

static const char *wait_word(enum lw_wait_end end)
{
    static const char *const words[LW_WAIT_ENDS] = {NULL, "fit", "patience",
                                                    "changed", "cancelled"};

    return words[end];
}

void lw_report_jobs_row(const struct lw_report *r, const struct lw_run *run,
                        struct lw_sheet *t)
{
    char id[64];

    job_id(run, id);
    lw_sheet_text(t, id);
    lw_sheet_text(t, lw_strtab_name(r->users.names, run->user));
    lw_sheet_text(t, lw_strtab_name(r->accounts.names, run->account));
    lw_sheet_text(t, lw_strtab_name(r->partitions.names, run->partition));
    lw_sheet_count(t, run->nnodes);
    lw_sheet_count(t, run->gpus);
    lw_sheet_count(t, run->groups);
    lw_sheet_count(t, run->fewest);
    lw_sheet_count(t, run->fewest_free);
    lw_sheet_seconds(t, (double)run->queue);
    lw_sheet_seconds(t, (double)run->locality);
    lw_sheet_text(t, wait_word(run->wait_end));
    lw_sheet_time(t, run->start);
    lw_sheet_seconds(t, run->elapsed);
    lw_sheet_number(t, hours(run->gpu_s));
    lw_sheet_text(t, run->ended ? lw_strtab_name(r->words, run->state)
                                : "RUNNING");
    lw_sheet_count(t, run->restarts);
}

void lw_report_fill_jobs(const struct lw_report *r, struct lw_sheet *t)
{
    static const char *const orders[] = {
        "the latest", "with the most GPU-hours on too many groups",
        "with the longest waits"};
    unsigned long long of = r->all.runs;
    size_t i;

    lw_report_jobs_table(t);
    if (r->njobs < of)
        snprintf(t->title, sizeof(t->title), "%zu of %llu GPU jobs, %s",
                 r->njobs, of, orders[r->options.order]);
    else
        snprintf(t->title, sizeof(t->title), "All %llu GPU jobs", of);
    for (i = 0; i < r->njobs; i++)
        lw_report_jobs_row(r, &r->jobs[i], t);
}
