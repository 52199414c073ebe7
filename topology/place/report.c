/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report.c - what the placement log says in sum, in bounded memory */
#include "config.h"

#include "topology/place/report.h"

#include "lib/when.h"
#include "topology/place/report_open.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t lw_size_class(long nnodes)
{
    size_t i = 0;

    while (i + 1 < LW_SIZE_CLASSES && nnodes > 1L << i)
        i++;
    return i;
}

const char *lw_size_class_name(size_t i, char out[32])
{
    if (i < 2)
        snprintf(out, 32, "%zu", i + 1);
    else
        snprintf(out, 32, "%ld-%ld", (1L << (i - 1)) + 1, 1L << i);
    return out;
}

/* One "4", "2-3" or "17-" at 's', up to 'end'. */
static int size_in(const char *s, const char *end, long n)
{
    char *stop;
    long first = strtol(s, &stop, 10), last = first;

    if (stop == s || first < 1)
        return -1;
    if (stop < end && *stop == '-') {
        s = stop + 1;
        last = s == end ? LONG_MAX : strtol(s, &stop, 10);
        if (s == end)
            stop++;
    }
    if (stop != end || last < first)
        return -1;
    return n >= first && n <= last;
}

int lw_size_listed(const char *list, long nnodes)
{
    int found = 0, one;
    size_t len;

    do {
        len = strcspn(list, ",");
        if ((one = size_in(list, list + len, nnodes)) < 0)
            return -1;
        found |= one;
        list += len;
    } while (*list++);
    return found;
}

long lw_run_excess(const struct lw_run *run)
{
    if (run->groups < 1 || run->fewest < 1 || run->unknown > 0)
        return -1;
    return run->groups > run->fewest ? run->groups - run->fewest : 0;
}

struct lw_report *lw_report_create(const struct lw_report_options *options)
{
    struct lw_report *r = calloc(1, sizeof(*r));

    if (!r)
        return NULL;
    r->options = *options;
    if (!(r->users.names = lw_strtab_create()) ||
        !(r->accounts.names = lw_strtab_create()) ||
        !(r->partitions.names = lw_strtab_create()) ||
        !(r->words = lw_strtab_create()) ||
        !(r->exact = calloc(LW_SIZE_EXACT + 1, sizeof(*r->exact))) ||
        !(r->open = lw_report_open_create()) ||
        lw_requests_init(&r->requests) < 0 ||
        lw_launches_init(&r->launches) < 0 ||
        lw_cluster_init(&r->cluster) < 0) {
        lw_report_destroy(r);
        return NULL;
    }
    return r;
}

static void tally_free(struct lw_tally *t)
{
    lw_quant_free(&t->wait);
    lw_quant_free(&t->gang_wait);
    lw_quant_free(&t->locality);
}

static void tallies_free(struct lw_tallies *t)
{
    size_t i;

    for (i = 0; i < t->n; i++)
        tally_free(&t->v[i]);
    free(t->v);
    lw_strtab_destroy(t->names);
}

void lw_report_destroy(struct lw_report *r)
{
    size_t i;

    if (!r)
        return;
    tally_free(&r->all);
    for (i = 0; i < LW_SIZE_CLASSES; i++)
        tally_free(&r->sizes[i]);
    tallies_free(&r->users);
    tallies_free(&r->accounts);
    tallies_free(&r->partitions);
    lw_strtab_destroy(r->words);
    lw_report_open_destroy(r->open);
    lw_requests_free(&r->requests);
    lw_launches_free(&r->launches);
    lw_cluster_free(&r->cluster);
    free(r->exact);
    free(r->jobs);
    free(r);
}

/* The tally of name number 'i'; NULL when out of memory. */
static struct lw_tally *tally_of(struct lw_tallies *t, size_t i)
{
    size_t n = t->n ? t->n : 16;
    struct lw_tally *v;

    if (i >= t->n) {
        while (n <= i)
            n *= 2;
        if (!(v = realloc(t->v, n * sizeof(*v))))
            return NULL;
        memset(v + t->n, 0, (n - t->n) * sizeof(*v));
        t->v = v;
        t->n = n;
    }
    return &t->v[i];
}

static void tally_spread(struct lw_tally *t, const struct lw_run *run)
{
    t->groups += (uint64_t)run->groups;
    t->fewest += (uint64_t)run->fewest;
    t->one_group += run->groups == 1;
    if (run->pods > 0) {
        t->pods_known++;
        t->one_pod += run->pods == 1;
    }
    if (run->balance >= 0) {
        t->balance_known++;
        t->balance += run->balance;
    }
}

static void tally_hours(struct lw_tally_hours *h, const struct lw_run *run)
{
    h->groups += run->groups * run->gpu_s;
    h->fewest += run->fewest * run->gpu_s;
    if (run->groups == 1)
        h->one_group += run->gpu_s;
    if (run->pods > 0)
        h->pods_known += run->gpu_s;
    if (run->pods == 1)
        h->one_pod += run->gpu_s;
    if (run->balance >= 0) {
        h->balance_known += run->gpu_s;
        h->balance += run->balance * run->gpu_s;
    }
}

static void tally_gang(struct lw_tally *t, const struct lw_run *run)
{
    long excess = lw_run_excess(run);

    t->gangs++;
    t->gang_gpu_s += run->gpu_s;
    t->degraded += run->rails == 0;
    t->asked[run->asked]++;
    if (run->switches > 0) {
        t->switches_known++;
        t->switches += (uint64_t)run->switches;
    }
    if (excess < 0)
        return;
    t->scored++;
    t->scored_gpu_s += run->gpu_s;
    t->excess += (uint64_t)excess;
    tally_spread(t, run);
    tally_hours(&t->hours, run);
    t->asked_spread[run->asked] += excess > 0;
    if (excess == 0) {
        t->packed++;
        t->packed_gpu_s += run->gpu_s;
    }
    if (run->fewest_free > 0) {
        t->free_known++;
        t->packed_free += run->groups <= run->fewest_free;
    }
}

/* A wait for locality, of a run or of a job that ended while pending. */
static int tally_wait(struct lw_tally *t, const struct lw_run *run)
{
    if (run->locality < 0)
        return 0;
    t->wait_ends[run->wait_end]++;
    if (run->placed && run->groups > 0 && run->groups_now > 0) {
        t->gain_known++;
        if (run->groups_now > run->groups)
            t->gain += (uint64_t)(run->groups_now - run->groups);
    }
    return lw_quant_add(&t->locality, run->locality);
}

static int tally_run(struct lw_tally *t, const struct lw_run *run)
{
    int rc = tally_wait(t, run);

    if (!run->placed)
        return rc;
    t->runs++;
    t->gpu_s += run->gpu_s;
    if (run->queue >= 0)
        rc |= lw_quant_add(&t->wait, run->queue);
    if (run->nnodes < 2)
        return rc;
    tally_gang(t, run);
    if (run->queue >= 0)
        rc |= lw_quant_add(&t->gang_wait, run->queue);
    return rc;
}

static void tally_everywhere(struct lw_report *r, const struct lw_run *run)
{
    struct lw_tally *to[5];
    size_t i;

    to[0] = &r->all;
    to[1] = &r->sizes[lw_size_class(run->nnodes)];
    to[2] = tally_of(&r->users, run->user);
    to[3] = tally_of(&r->accounts, run->account);
    to[4] = tally_of(&r->partitions, run->partition);
    for (i = 0; i < 5; i++)
        if (!to[i] || tally_run(to[i], run) < 0)
            r->failed = true;
}

/* What the jobs are ranked by; the best stay. */
static double rank(const struct lw_report *r, const struct lw_run *run)
{
    long excess = lw_run_excess(run);

    switch (r->options.order) {
    case LW_ORDER_COST:
        return excess > 0 ? (double)excess * run->gpu_s : 0;
    case LW_ORDER_WAIT:
        return (double)run->queue;
    case LW_ORDER_START:
        break;
    }
    return 0;
}

/* Whether a goes before b: higher rank, then the later start. */
static int before(const struct lw_report *r, const struct lw_run *a,
                  const struct lw_run *b)
{
    double x = rank(r, a), y = rank(r, b);

    if (x != y)
        return x > y;
    if (a->start != b->start)
        return a->start > b->start;
    return a->id > b->id;
}

/* A heap with the run to give up next at the root. */
static void sift_down(struct lw_report *r, size_t i, size_t n)
{
    struct lw_run moved = r->jobs[i];
    size_t child;

    while ((child = 2 * i + 1) < n) {
        if (child + 1 < n && before(r, &r->jobs[child], &r->jobs[child + 1]))
            child++;
        if (!before(r, &moved, &r->jobs[child]))
            break;
        r->jobs[i] = r->jobs[child];
        i = child;
    }
    r->jobs[i] = moved;
}

static void sift_up(struct lw_report *r, size_t i)
{
    struct lw_run moved = r->jobs[i];

    while (i && before(r, &r->jobs[(i - 1) / 2], &moved)) {
        r->jobs[i] = r->jobs[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    r->jobs[i] = moved;
}

static void keep_job(struct lw_report *r, const struct lw_run *run)
{
    struct lw_run *v;

    if (r->njobs >= r->options.jobs) {
        if (r->njobs && before(r, run, &r->jobs[0])) {
            r->jobs[0] = *run;
            r->jobs[0].nodes = NULL;
            sift_down(r, 0, r->njobs);
        }
        return;
    }
    if ((r->njobs & (r->njobs - 1)) == 0) { /* full: a power of two */
        v = realloc(r->jobs, (r->njobs ? r->njobs * 2 : 1) * sizeof(*v));
        if (!v) {
            r->failed = true;
            return;
        }
        r->jobs = v;
    }
    r->jobs[r->njobs] = *run;
    r->jobs[r->njobs].nodes = NULL;
    sift_up(r, r->njobs++);
}

static void sort_jobs(struct lw_report *r)
{
    struct lw_run last;
    size_t n;

    for (n = r->njobs; n > 1; n--) {
        last = r->jobs[n - 1];
        r->jobs[n - 1] = r->jobs[0];
        r->jobs[0] = last;
        sift_down(r, 0, n - 1);
    }
}

bool lw_name_listed(const char *list, const char *name)
{
    size_t n = strlen(name);

    if (!list)
        return true;
    for (; *list; list += strcspn(list, ",")) {
        list += *list == ',';
        if (strncmp(list, name, n) == 0 && (!list[n] || list[n] == ','))
            return true;
    }
    return false;
}

static bool wanted(const struct lw_report *r, const struct lw_run *run)
{
    const struct lw_report_options *o = &r->options;
    int64_t when = run->start ? run->start : run->end;

    if ((o->since && when < o->since) || (o->until && when >= o->until))
        return false;
    if (o->gangs_only && (run->nnodes < 2 || run->gpus < 1))
        return false;
    if (o->sizes && lw_size_listed(o->sizes, run->nnodes) < 1)
        return false;
    return lw_name_listed(o->users,
                          lw_strtab_name(r->users.names, run->user)) &&
           lw_name_listed(o->accounts,
                          lw_strtab_name(r->accounts.names, run->account)) &&
           lw_name_listed(o->partitions,
                          lw_strtab_name(r->partitions.names, run->partition));
}

/* "a,b" of a request: where it may run. */
static bool partition_listed(const char *list, const char *names)
{
    char one[256];
    size_t n;

    for (; list && *names; names += n + (names[n] == ',')) {
        n = strcspn(names, ",");
        snprintf(one, sizeof(one), "%.*s", (int)n, names);
        if (lw_name_listed(list, one))
            return true;
    }
    return !list;
}

/* The plugin's lines hold what it knows of a job at its submission: a uid,
 * the account when it was named, nodes when they were named or set. The name
 * of the user comes with later lines. */
static bool wanted_line(struct lw_report *r, const struct lw_log_record *line)
{
    const struct lw_report_options *o = &r->options;
    long nodes = line->decision.nodes > 0 ? line->decision.nodes
                                          : line->request.nodes_min;

    if ((o->gangs_only && nodes < 2) ||
        (o->sizes && (nodes < 1 || lw_size_listed(o->sizes, nodes) < 1)) ||
        !partition_listed(o->partitions,
                          line->job.partition ? line->job.partition : ""))
        return false;
    if (o->accounts && !line->job.account) {
        r->requests.no_account++;
        return false;
    }
    return lw_name_listed(o->accounts,
                          line->job.account ? line->job.account : "");
}

/* A step's line has the user's name, and the size of the step. */
static bool wanted_step(const struct lw_report_options *o,
                        const struct lw_log_record *line)
{
    const char *partition = line->job.partition, *account = line->job.account;
    const char *user = line->job.user;
    long nodes = line->step.nnodes;

    return (!o->gangs_only || nodes > 1) &&
           (!o->sizes || (nodes > 0 && lw_size_listed(o->sizes, nodes) > 0)) &&
           lw_name_listed(o->users, user ? user : "") &&
           lw_name_listed(o->accounts, account ? account : "") &&
           partition_listed(o->partitions, partition ? partition : "");
}

void lw_report_add_run(struct lw_report *r, const struct lw_run *run)
{
    if (!wanted(r, run))
        return;
    if (run->placed && run->gpus < 1) {
        r->cpu_runs++;
        return;
    }
    tally_everywhere(r, run);
    if (!run->placed)
        return;
    if (run->nnodes > 1)
        r->exact[run->nnodes < LW_SIZE_EXACT ? run->nnodes : LW_SIZE_EXACT]++;
    r->running += !run->ended;
    keep_job(r, run);
    if (r->options.job)
        r->options.job(run, r->options.job_arg);
}

/* True when the line is of the period. */
static bool note_time(struct lw_report *r, int64_t at)
{
    const struct lw_report_options *o = &r->options;

    if (at > r->seen_ms)
        r->seen_ms = at;
    if ((o->since && at < (int64_t)o->since * 1000) ||
        (o->until && at >= (int64_t)o->until * 1000))
        return false;
    if (!r->first_ms || at < r->first_ms)
        r->first_ms = at;
    if (at > r->last_ms)
        r->last_ms = at;
    return true;
}

void lw_report_add(struct lw_report *r, struct lw_log_record *line)
{
    bool inside = note_time(r, line->at_ms);

    switch (line->event) {
    case LW_LOG_SUBMITTED:
    case LW_LOG_UNTOUCHED:
    case LW_LOG_IMPOSSIBLE:
        if (inside && wanted_line(r, line) &&
            lw_requests_add(&r->requests, line) < 0)
            r->failed = true;
        break;
    case LW_LOG_RELAXED:
        r->relaxed += inside;
        lw_report_open_add(r, line);
        break;
    case LW_LOG_WAITING:
    case LW_LOG_PLACED:
    case LW_LOG_ENDED:
        lw_report_open_add(r, line);
        break;
    case LW_LOG_LAUNCHED:
    case LW_LOG_RAIL_DOWN:
        if (inside && wanted_step(&r->options, line) &&
            lw_launches_add(&r->launches, line) < 0)
            r->failed = true;
        break;
    case LW_LOG_SNAPSHOT:
    case LW_LOG_MAP_CHANGED:
        if (inside)
            lw_cluster_add(&r->cluster, line);
        break;
    default:
        break;
    }
}

int lw_report_finish(struct lw_report *r, lw_error_t *err)
{
    lw_report_open_finish(r);
    sort_jobs(r);
    return r->failed || r->cluster.failed ? lw_err(err, "out of memory") : 0;
}
