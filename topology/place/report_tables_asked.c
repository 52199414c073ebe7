/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_tables_asked.c - tables: what was asked for and what was got */
#include "config.h"

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

static const struct lw_column asked_columns[] = {
    {"user", "User", 0},
    {"gangs", "Gangs", 0},
    {"by_leafward", "By Leafward", 0},
    {"by_leafward_spread", "spread", 1},
    {"by_user", "Own --switches", 2},
    {"by_user_spread", "spread", 3},
    {"nothing", "Asked nothing", 0},
    {"nothing_spread", "spread", 0},
    {0},
};

static void asked_row(struct lw_sheet *t, const char *name,
                      const struct lw_tally *a)
{
    static const enum lw_asked order[] = {LW_ASKED_LEAFWARD, LW_ASKED_USER,
                                          LW_ASKED_NOTHING};
    size_t i;

    lw_sheet_text(t, name);
    lw_sheet_count(t, (long)a->gangs);
    for (i = 0; i < 3; i++) {
        lw_sheet_count(t, (long)a->asked[order[i]]);
        lw_sheet_count(t, (long)a->asked_spread[order[i]]);
    }
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

void lw_report_fill_asked(const struct lw_report *r, struct lw_sheet *t)
{
    const struct lw_tallies *u = &r->users;
    size_t *order = calloc(u->n + 1, sizeof(*order)), n = 0, i;
    const char *name;

    lw_sheet_init(t, "asked", asked_columns);
    snprintf(t->title, sizeof(t->title),
             "Who asked for few groups, and who was spread");
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

static const struct lw_column decision_columns[] = {
    {"decision", "Decision", 0}, {"reason", "Reason", 0},   {"jobs", "Jobs", 0},
    {"share", "Share", 0},       {"last", "Last (UTC)", 1}, {0},
};

/* The counts of one kind, the most frequent first; '*n' of them, to free. */
static const struct lw_request_count **sorted(const struct lw_requests *q,
                                              int impossible, size_t *n)
{
    const struct lw_request_count **v = calloc(q->n + 1, sizeof(*v)), *c;
    size_t i, j;

    *n = 0;
    for (i = 0; v && i < q->n; i++) {
        c = &q->v[i];
        if ((c->event == LW_LOG_IMPOSSIBLE) != impossible)
            continue;
        for (j = (*n)++; j && v[j - 1]->n < c->n; j--)
            v[j] = v[j - 1];
        v[j] = c;
    }
    return v;
}

void lw_report_fill_decisions(const struct lw_report *r, struct lw_sheet *t)
{
    const struct lw_requests *q = &r->requests;
    double all = (double)(q->submitted + q->untouched + q->impossible);
    const struct lw_request_count **v;
    size_t n, i;

    lw_sheet_init(t, "decisions", decision_columns);
    snprintf(t->title, sizeof(t->title), "What was decided at submission");
    if (!(v = sorted(q, 0, &n))) {
        t->failed = 1;
        return;
    }
    for (i = 0; i < n; i++) {
        lw_sheet_text(t, v[i]->event == LW_LOG_SUBMITTED ? "rewritten"
                                                         : "untouched");
        lw_sheet_text(t, lw_strtab_name(q->words, v[i]->reason));
        lw_sheet_count(t, (long)v[i]->n);
        lw_sheet_share(t, (double)v[i]->n, all);
        lw_sheet_time(t, v[i]->last);
    }
    if (q->impossible) {
        lw_sheet_text(t, "impossible");
        lw_sheet_text(t, NULL);
        lw_sheet_count(t, (long)q->impossible);
        lw_sheet_share(t, (double)q->impossible, all);
        lw_sheet_time(t, 0);
    }
    free(v);
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
    const struct lw_request_count **v;
    size_t n, i;

    lw_sheet_init(t, "impossible", impossible_columns);
    snprintf(t->title, sizeof(t->title),
             "Requests that can never be packed, or never run");
    if (!(v = sorted(q, 1, &n))) {
        t->failed = 1;
        return;
    }
    for (i = 0; i < n; i++) {
        lw_sheet_text(t, lw_strtab_name(q->words, v[i]->who));
        lw_sheet_text(t, lw_strtab_name(q->words, v[i]->partition));
        lw_sheet_count(t, (long)v[i]->n);
        lw_sheet_count(t, v[i]->nodes);
        lw_sheet_count(t, v[i]->gpus);
        lw_sheet_time(t, v[i]->last);
        lw_sheet_text(t, lw_strtab_name(q->words, v[i]->text));
    }
    if (!n)
        snprintf(t->note, sizeof(t->note), "There were none.");
    free(v);
}
