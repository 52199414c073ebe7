/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_tables_asked.c - tables: what was asked for and what was got */
#include "config.h"

#include "lib/plural.h"
#include "topology/place/report_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct lw_column locality_columns[] = {
    {"nodes", "Nodes", 0},
    {"waited", "Waited", 0},
    {"hours", "Hours", 0},
    {"median_s", "Median", 3},
    {"p90_s", "90 %", 4},
    {"p99_s", "99 %", 5},
    {"max_s", "Longest", 2},
    {"fit", "Got groups", 0},
    {"patience", "Gave up", 0},
    {"changed", "Changed", 6},
    {"cancelled", "Cancelled", 6},
    {"groups_saved", "Groups saved", 0},
    {0},
};

static void locality_row(struct lw_sheet *t, const char *name,
                         const struct lw_tally *a)
{
    struct lw_quant *q = (struct lw_quant *)&a->locality; /* sorts itself */

    lw_sheet_text(t, name);
    lw_sheet_count(t, (long)q->n);
    lw_sheet_number(t, q->sum / 3600);
    lw_sheet_seconds(t, (double)lw_quant_at(q, 0.5));
    lw_sheet_seconds(t, (double)lw_quant_at(q, 0.9));
    lw_sheet_seconds(t, (double)lw_quant_at(q, 0.99));
    lw_sheet_seconds(t, (double)q->max);
    lw_sheet_count(t, (long)a->wait_ends[LW_WAIT_FIT]);
    lw_sheet_count(t, (long)a->wait_ends[LW_WAIT_PATIENCE]);
    lw_sheet_count(t, (long)a->wait_ends[LW_WAIT_CHANGED]);
    lw_sheet_count(t, (long)a->wait_ends[LW_WAIT_CANCELLED]);
    lw_sheet_count(t, a->gain_known ? (long)a->gain : -1);
}

void lw_report_fill_locality(const struct lw_report *r, struct lw_sheet *t)
{
    char name[32];
    size_t i;

    lw_sheet_init(t, "locality", locality_columns);
    snprintf(t->title, sizeof(t->title), "Gangs that waited for locality");
    t->whole = 1;
    for (i = 0; i < LW_SIZE_CLASSES; i++)
        if (r->sizes[i].locality.n)
            locality_row(t, lw_size_class_name(i, name), &r->sizes[i]);
    if (!lw_sheet_rows(t))
        snprintf(t->note, sizeof(t->note), "None did in this period.");
    else
        locality_row(t, "all", &r->all);
}

static const struct lw_column spread_columns[] = {
    {"nodes", "Nodes", 0},
    {"gangs", "Gangs", 0},
    {"mean_groups", "Groups", 0},
    {"mean_fewest", "Fewest", 0},
    {"one_group_share", "In one group", 1},
    {"one_pod_share", "In one pod", 2},
    {"packed_share", "Packed", 0},
    {"packed_free_share", "Packed of then free", 3},
    {"balance", "Balance", 4},
    {0},
};

static void spread_row(struct lw_sheet *t, const char *name,
                       const struct lw_tally *a)
{
    double n = (double)a->scored;

    lw_sheet_text(t, name);
    lw_sheet_count(t, (long)a->scored);
    lw_sheet_number(t, n > 0 ? (double)a->groups / n : -1);
    lw_sheet_number(t, n > 0 ? (double)a->fewest / n : -1);
    lw_sheet_share(t, (double)a->one_group, n);
    lw_sheet_share(t, (double)a->one_pod, (double)a->pods_known);
    lw_sheet_share(t, (double)a->packed, n);
    lw_sheet_share(t, (double)a->packed_free, (double)a->free_known);
    lw_sheet_share(t, a->balance, (double)a->balance_known);
}

void lw_report_fill_spread(const struct lw_report *r, struct lw_sheet *t)
{
    char name[32];
    size_t i;

    lw_sheet_init(t, "spread", spread_columns);
    snprintf(t->title, sizeof(t->title), "How far gangs were spread");
    t->whole = 1;
    for (i = 1; i < LW_SIZE_CLASSES; i++)
        if (r->sizes[i].scored)
            spread_row(t, lw_size_class_name(i, name), &r->sizes[i]);
    spread_row(t, "all", &r->all);
    snprintf(t->note, sizeof(t->note),
             "Groups and Fewest are means. Balance: nodes in the gang's "
             "smallest group by those in its largest, 100 %% when even.");
}

static const struct lw_column hours_columns[] = {
    {"nodes", "Nodes", 0},
    {"gpu_hours", "GPU-hours", 0},
    {"mean_groups", "Groups", 0},
    {"mean_fewest", "Fewest", 0},
    {"mean_excess", "Too many", 0},
    {"one_group_share", "In one group", 1},
    {"one_pod_share", "In one pod", 2},
    {"packed_share", "Packed", 0},
    {"balance", "Balance", 3},
    {0},
};

static void hours_row(struct lw_sheet *t, const char *name,
                      const struct lw_tally *a)
{
    const struct lw_tally_hours *h = &a->hours;
    double n = a->scored_gpu_s;

    lw_sheet_text(t, name);
    lw_sheet_number(t, n / 3600);
    lw_sheet_number(t, n > 0 ? h->groups / n : -1);
    lw_sheet_number(t, n > 0 ? h->fewest / n : -1);
    lw_sheet_number(t, n > 0 ? (h->groups - h->fewest) / n : -1);
    lw_sheet_share(t, h->one_group, n);
    lw_sheet_share(t, h->one_pod, h->pods_known);
    lw_sheet_share(t, a->packed_gpu_s, n);
    lw_sheet_share(t, h->balance, h->balance_known);
}

void lw_report_fill_spread_hours(const struct lw_report *r, struct lw_sheet *t)
{
    char name[32];
    size_t i;

    lw_sheet_init(t, "spread-hours", hours_columns);
    snprintf(t->title, sizeof(t->title),
             "How far gangs were spread, by GPU-hours");
    t->whole = 1;
    for (i = 1; i < LW_SIZE_CLASSES; i++)
        if (r->sizes[i].scored)
            hours_row(t, lw_size_class_name(i, name), &r->sizes[i]);
    hours_row(t, "all", &r->all);
    snprintf(t->note, sizeof(t->note),
             "As the table by number of gangs, each gang with the weight of "
             "its GPU-hours.");
}

#define ASKED(key, title)                                                      \
    {                                                                          \
        {key, title, 0}, {"gangs", "Gangs", 0},                                \
            {"by_leafward", "By Leafward", 0},                                 \
            {"by_leafward_spread", "spread", 1},                               \
            {"by_user", "Own --switches", 2}, {"by_user_spread", "spread", 3}, \
            {"nothing", "Asked nothing", 0}, {"nothing_spread", "spread", 0},  \
            {"mean_switches", "Switches asked", 4},                            \
            {"mean_groups", "Groups got", 5}, {"mean_fewest", "Fewest", 6},    \
            {"one_pod_share", "In one pod", 7}, {0},                           \
    }

static const struct lw_column asked_columns[] = ASKED("user", "User");
static const struct lw_column asked_account_columns[] =
    ASKED("account", "Account");

static void asked_row(struct lw_sheet *t, const char *name,
                      const struct lw_tally *a)
{
    static const enum lw_asked order[] = {LW_ASKED_LEAFWARD, LW_ASKED_USER,
                                          LW_ASKED_NOTHING};
    double n = (double)a->scored;
    size_t i;

    lw_sheet_text(t, name);
    lw_sheet_count(t, (long)a->gangs);
    for (i = 0; i < 3; i++) {
        lw_sheet_count(t, (long)a->asked[order[i]]);
        lw_sheet_count(t, (long)a->asked_spread[order[i]]);
    }
    lw_sheet_number(t, a->switches_known
                           ? (double)a->switches / (double)a->switches_known
                           : -1);
    lw_sheet_number(t, a->scored ? (double)a->groups / n : -1);
    lw_sheet_number(t, a->scored ? (double)a->fewest / n : -1);
    lw_sheet_share(t, (double)a->one_pod, (double)a->pods_known);
}

/* Those who ask for nothing and spread most stand first. */
static int by_unasked(const void *a, const void *b, void *tallies)
{
    const struct lw_tallies *t = tallies;
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    uint64_t x = t->v[i].asked_spread[LW_ASKED_NOTHING];
    uint64_t y = t->v[j].asked_spread[LW_ASKED_NOTHING];

    if (x != y)
        return x > y ? -1 : 1;
    if (t->v[i].gangs != t->v[j].gangs)
        return t->v[i].gangs > t->v[j].gangs ? -1 : 1;
    return strcmp(lw_strtab_name(t->names, i), lw_strtab_name(t->names, j));
}

static void fill_asked(const struct lw_tallies *u, struct lw_sheet *t)
{
    size_t *order = calloc(u->n + 1, sizeof(*order)), n = 0, i;
    const char *name;

    if (!order) {
        t->failed = 1;
        return;
    }
    for (i = 0; i < u->n; i++)
        if (u->v[i].gangs)
            order[n++] = i;
    qsort_r(order, n, sizeof(*order), by_unasked, (void *)u);
    for (i = 0; i < n; i++) {
        name = lw_strtab_name(u->names, order[i]);
        asked_row(t, *name ? name : "(none)", &u->v[order[i]]);
    }
    free(order);
}

void lw_report_fill_asked(const struct lw_report *r, struct lw_sheet *t)
{
    lw_sheet_init(t, "asked", asked_columns);
    snprintf(t->title, sizeof(t->title),
             "Who asked for few groups, and who was spread");
    fill_asked(&r->users, t);
}

void lw_report_fill_asked_accounts(const struct lw_report *r,
                                   struct lw_sheet *t)
{
    lw_sheet_init(t, "asked-accounts", asked_account_columns);
    snprintf(t->title, sizeof(t->title),
             "Accounts that asked for few groups, and that were spread");
    fill_asked(&r->accounts, t);
}

static const struct lw_column decision_columns[] = {
    {"decision", "Decision", 0}, {"reason", "Reason", 0},   {"jobs", "Jobs", 0},
    {"share", "Share", 0},       {"last", "Last (UTC)", 1}, {0},
};

static bool wanted(const struct lw_report *r, const struct lw_request_count *c)
{
    char buf[32];

    return lw_name_listed(r->options.users,
                          lw_request_user(&r->requests, c, buf));
}

static int by_count(const void *a, const void *b)
{
    const struct lw_request_count *x = a, *y = b;

    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->reason > y->reason) - (x->reason < y->reason);
}

/* Where the count of the same event and reason is, or 'n'. */
static size_t same_reason(const struct lw_request_count *v, size_t n,
                          const struct lw_request_count *c)
{
    size_t i = 0;

    while (i < n && (v[i].event != c->event || v[i].reason != c->reason))
        i++;
    return i;
}

/* The counts that are wanted, to free: those of one event and reason become
 * one, but of impossible ones each is kept. The most frequent first. */
static struct lw_request_count *sorted(const struct lw_report *r,
                                       int impossible, size_t *n)
{
    const struct lw_requests *q = &r->requests;
    struct lw_request_count *v = calloc(q->n + 1, sizeof(*v));
    const struct lw_request_count *c;
    size_t i, j;

    *n = 0;
    for (i = 0; v && i < q->n; i++) {
        c = &q->v[i];
        if ((c->event == LW_LOG_IMPOSSIBLE) != impossible || !wanted(r, c))
            continue;
        if (impossible || (j = same_reason(v, *n, c)) == *n) {
            v[(*n)++] = *c;
            continue;
        }
        v[j].n += c->n;
        v[j].last = v[j].last > c->last ? v[j].last : c->last;
    }
    if (*n)
        qsort(v, *n, sizeof(*v), by_count);
    return v;
}

static uint64_t sum(const struct lw_request_count *v, size_t n)
{
    uint64_t out = 0;

    while (n--)
        out += v[n].n;
    return out;
}

static void request_note(const struct lw_report *r, struct lw_sheet *t)
{
    unsigned long long n = r->requests.no_account;

    if (n)
        snprintf(t->note + strlen(t->note), sizeof(t->note) - strlen(t->note),
                 "%s%llu %s named no account and %s left out.",
                 t->note[0] ? " " : "", n, lw_plural(n, "request", "requests"),
                 lw_plural(n, "is", "are"));
}

void lw_report_fill_decisions(const struct lw_report *r, struct lw_sheet *t)
{
    size_t n = 0, none = 0, i;
    struct lw_request_count *v = sorted(r, 0, &n), *w = sorted(r, 1, &none);
    double all = (double)(sum(v, n) + sum(w, none));

    lw_sheet_init(t, "decisions", decision_columns);
    snprintf(t->title, sizeof(t->title), "What was decided at submission");
    t->failed = !v || !w;
    for (i = 0; i < n; i++) {
        lw_sheet_text(t, v[i].event == LW_LOG_SUBMITTED ? "rewritten"
                                                        : "untouched");
        lw_sheet_text(t, lw_strtab_name(r->requests.words, v[i].reason));
        lw_sheet_count(t, (long)v[i].n);
        lw_sheet_share(t, (double)v[i].n, all);
        lw_sheet_time(t, v[i].last);
    }
    if (none) {
        lw_sheet_text(t, "impossible");
        lw_sheet_text(t, NULL);
        lw_sheet_count(t, (long)sum(w, none));
        lw_sheet_share(t, (double)sum(w, none), all);
        lw_sheet_time(t, 0);
    }
    request_note(r, t);
    free(v);
    free(w);
}

static const struct lw_column impossible_columns[] = {
    {"user", "User", 0},   {"partition", "Partition", 3},
    {"times", "Times", 0}, {"nodes", "Nodes", 2},
    {"gpus", "GPUs", 2},   {"last", "Last (UTC)", 4},
    {"text", "Why", 0},    {0},
};

void lw_report_fill_impossible(const struct lw_report *r, struct lw_sheet *t)
{
    const struct lw_requests *q = &r->requests;
    size_t n = 0, i;
    struct lw_request_count *v = sorted(r, 1, &n);
    char buf[32];

    lw_sheet_init(t, "impossible", impossible_columns);
    snprintf(t->title, sizeof(t->title),
             "Requests that can never be packed, or never run");
    t->failed = !v;
    for (i = 0; i < n; i++) {
        lw_sheet_text(t, lw_request_user(q, &v[i], buf));
        lw_sheet_text(t, lw_strtab_name(q->words, v[i].partition));
        lw_sheet_count(t, (long)v[i].n);
        lw_sheet_count(t, v[i].nodes);
        lw_sheet_count(t, v[i].gpus);
        lw_sheet_time(t, v[i].last);
        lw_sheet_text(t, lw_strtab_name(q->words, v[i].text));
    }
    if (!n)
        snprintf(t->note, sizeof(t->note), "There were none.");
    request_note(r, t);
    free(v);
}

uint64_t lw_report_impossible(const struct lw_report *r)
{
    size_t n = 0;
    struct lw_request_count *v = sorted(r, 1, &n);
    uint64_t out = sum(v, n);

    free(v);
    return out;
}
