/* SPDX-License-Identifier: GPL-2.0-or-later */
/* submit.c - one job through the decision */
#include "config.h"

#include "job_submit/loader.h"
#include "job_submit/recent.h"
#include "job_submit/request.h"
#include "job_submit/submit.h"
#include "job_submit/touched.h"
#include "job_submit/update.h"
#include "topology/place/event.h"

#include <slurm/spank.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Everything about one call that its parts share. */
struct call {
    struct lw_submit submit;
    struct lw_decision decision;
    struct lw_loaded snapshot;
    struct timespec at;
    char ref[LW_REF_SIZE];
    long job_id; /* of an update, else -1 */
    bool test;   /* nothing follows: not a word about it */
    uint32_t uid;
};

/* Eight hexadecimal digits that do not come again soon: time, a counter and
 * the process, well mixed (the finalizer of splitmix64). */
static void make_ref(struct call *c)
{
    static atomic_uint_fast64_t counter;
    uint64_t x = (uint64_t)c->at.tv_sec * 1000000000 + (uint64_t)c->at.tv_nsec;

    x += atomic_fetch_add(&counter, 1) * 0x9e3779b97f4a7c15U;
    x ^= (uint64_t)getpid() << 32;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    snprintf(c->ref, sizeof(c->ref), "%08x", (unsigned)((x ^ x >> 31) >> 32));
}

static void begin(struct call *c, uint32_t uid)
{
    memset(c, 0, sizeof(*c));
    c->job_id = -1;
    c->uid = uid;
    clock_gettime(CLOCK_REALTIME, &c->at);
    make_ref(c);
}

static const char *event_name(const struct lw_decision *d)
{
    switch (d->action) {
    case LW_REWRITE:
        return "submitted";
    case LW_IMPOSSIBLE:
    case LW_REFUSE:
        return "impossible";
    case LW_UNTOUCHED:
        break;
    }
    return "untouched";
}

/* What the site has turned off, and jobs without GPUs, are nobody's news. */
static bool is_news(const struct lw_decision *d)
{
    return d->action != LW_UNTOUCHED ||
           (d->reason != LW_NOT_GPU && d->reason != LW_SITE_OFF &&
            d->reason != LW_ALREADY);
}

static void log_line(const struct call *c, const job_desc_msg_t *job)
{
    const struct lw_decision *d = &c->decision;

    if (c->test || !is_news(d)) {
        slurm_debug("leafward: %s: %s uid=%u", lw_reason_word(d->reason),
                    d->text, c->uid);
        return;
    }
    slurm_info("leafward: %s: %s: %s ref=%s uid=%u%s%.64s",
               lw_action_word(d->action), lw_reason_word(d->reason), d->text,
               c->ref, c->uid, job->partition ? " partition=" : "",
               job->partition ? job->partition : "");
}

/* The line is made here, in memory, and written by the loader's thread. */
static void log_event(const struct call *c, const job_desc_msg_t *job)
{
    struct lw_event e = LW_EVENT_INIT;
    lw_error_t err = {0};
    size_t len = 0;
    char *line;

    if (c->test || !is_news(&c->decision))
        return;
    e.event = event_name(&c->decision);
    e.at = c->at;
    e.ref = c->ref;
    e.cluster = c->snapshot.state ? c->snapshot.state->cluster : NULL;
    e.partition = job->partition && *job->partition ? job->partition : NULL;
    e.account = job->account && *job->account ? job->account : NULL;
    e.job_name = job->name;
    e.uid = c->uid;
    e.job_id = c->job_id;
    e.het_offset = job->het_job_offset == NO_VAL || c->job_id >= 0
                       ? -1
                       : (long)job->het_job_offset;
    e.request = &c->submit.request;
    e.decision = &c->decision;
    line = lw_event_line(&e, &len, &err);
    lw_loader_log(line, len);
}

/* What the user can fix, or wants to see. */
static void tell_user(const struct call *c, char **err_msg)
{
    const struct lw_decision *d = &c->decision;
    int level = c->snapshot.settings ? c->snapshot.settings->messages
                                     : LW_MESSAGES_WARNINGS;
    char text[sizeof(d->text) + 16];

    if (!err_msg || *err_msg)
        return;
    if (d->action != LW_REFUSE &&
        (level == LW_MESSAGES_OFF || d->action == LW_UNTOUCHED ||
         (level == LW_MESSAGES_WARNINGS && d->action == LW_REWRITE)))
        return;
    snprintf(text, sizeof(text), "leafward: %s", d->text);
    *err_msg = slurm_xstrdup(text);
}

static void decide(struct call *c)
{
    struct lw_decision *d = &c->decision;

    c->submit.request.now = c->at.tv_sec;
    c->submit.request.ahead =
        c->snapshot.state ? lw_recent_since(c->snapshot.state->created) : 0;
    lw_decide(&c->submit.request, c->snapshot.view, d);
    if (d->reason == LW_NO_MAP)
        snprintf(d->text, sizeof(d->text), "There is no fabric map: %s",
                 c->snapshot.why);
}

int lw_submit(job_desc_msg_t *job, uint32_t uid, char **err_msg)
{
    struct call c;

    begin(&c, uid);
    c.test = lw_submit_is_test(job);
    lw_submit_read(job, &c.submit);
    lw_loader_enter(&c.snapshot);
    decide(&c);
    log_event(&c, job);
    tell_user(&c, err_msg);
    lw_loader_leave();
    log_line(&c, job);
    if (!c.test && c.decision.exclude && c.decision.reason == LW_SUBNODE) {
        lw_recent_add(c.at.tv_sec, c.decision.gpus);
        lw_loader_excludes();
    }
    if (c.decision.action == LW_REWRITE)
        lw_submit_apply(job, &c.submit, &c.decision, c.ref);
    lw_submit_free(&c.submit);
    lw_decision_free(&c.decision);
    return c.decision.action == LW_REFUSE ? ESLURM_INVALID_FEATURE
                                          : SLURM_SUCCESS;
}

/* The cluster state shows a change at the next look of watch, and may have
 * been written by one that began before it. */
#define STATE_LAG 30

/* Whose placement is it? Once somebody has set it by hand, his. */
static bool is_by_hand(const struct call *c, const struct lw_state_job *job,
                       long named)
{
    return job->changed ||
           lw_touched_since(named, c->snapshot.state->created - STATE_LAG);
}

/* The job as `leafward watch` saw it, with the update in it. A job that was
 * only just submitted, or that is not ours, is left alone. */
static void update_in_snapshot(struct call *c, job_desc_msg_t *update,
                               long named)
{
    const struct lw_state_job *job = lw_update_find(c->snapshot.state, update);

    if (!job || is_by_hand(c, job, named))
        return;
    c->job_id = job->id;
    lw_update_read(update, job, &c->submit);
    /* "NumNodes=5" of a job of 3-3 nodes: slurmctld is about to refuse it,
     * but would keep what we add */
    if (c->submit.request.nodes_min > c->submit.request.nodes_max)
        return;
    decide(c);
    log_event(c, update);
    log_line(c, update);
    lw_update_apply(update, job, &c->submit, &c->decision, c->ref);
    lw_loader_excludes(); /* it may have an exclusion that is to go now */
}

static int refuse(struct call *c, const job_desc_msg_t *update, char **err_msg)
{
    struct lw_decision *d = &c->decision;

    d->action = LW_REFUSE;
    d->reason = LW_TOO_MANY_FEATURES;
    lw_reason_text(d->reason, &c->submit.request, d->text, sizeof(d->text));
    tell_user(c, err_msg);
    log_line(c, update);
    return ESLURM_INVALID_FEATURE;
}

int lw_update(job_desc_msg_t *update, uint32_t uid, char **err_msg)
{
    enum lw_update_kind kind = lw_update_kind(update);
    long named, component;
    struct call c;

    if (kind == LW_UPDATE_OTHER)
        return SLURM_SUCCESS;
    begin(&c, uid);
    named = lw_update_job(update, &component);
    if (kind == LW_UPDATE_CRASHES)
        return refuse(&c, update, err_msg);
    if (kind == LW_UPDATE_SWITCHES) {
        lw_touched_add(named, c.at.tv_sec);
        return SLURM_SUCCESS;
    }
    lw_loader_enter(&c.snapshot);
    update_in_snapshot(&c, update, named);
    lw_loader_leave();
    lw_submit_free(&c.submit);
    lw_decision_free(&c.decision);
    return SLURM_SUCCESS;
}
