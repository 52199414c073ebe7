/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watcher.c - what one look after the other says of every job: events */
#include "config.h"

#include "topology/place/roots.h"
#include "topology/place/watcher.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Seconds that a job's nodes may be cleaned up before its end is told. */
#define SETTLE 60

struct lw_watcher {
    struct lw_watcher_ops ops;
    struct lw_known_table *known;
    struct lw_capacity *before; /* free at the last look, minus what started */
    struct lw_capacity *now;
    time_t last; /* when the last look was, 0 for none */
    bool changed;
    unsigned long lost;
};

/* The look at hand. */
struct looking {
    struct lw_watcher *w;
    const struct lw_look *look;
    const struct lw_job **fresh; /* runs that started since the last look */
    size_t nfresh;
};

struct lw_watcher *lw_watcher_create(const struct lw_watcher_ops *ops)
{
    struct lw_watcher *w = calloc(1, sizeof(*w));

    if (w && !(w->known = lw_known_create())) {
        free(w);
        return NULL;
    }
    if (w)
        w->ops = *ops;
    return w;
}

void lw_watcher_destroy(struct lw_watcher *w)
{
    int saved = errno;

    if (!w)
        return;
    lw_known_destroy(w->known);
    lw_capacity_destroy(w->before);
    lw_capacity_destroy(w->now);
    free(w);
    errno = saved;
}

struct lw_known_table *lw_watcher_known(struct lw_watcher *w)
{
    return w->known;
}

const struct lw_capacity *lw_watcher_capacity(const struct lw_watcher *w)
{
    return w->now;
}

bool lw_watcher_changed(struct lw_watcher *w)
{
    bool changed = w->changed;

    w->changed = false;
    return changed;
}

unsigned long lw_watcher_lost(const struct lw_watcher *w)
{
    return w->lost;
}

char *lw_watcher_ref(const char *comment)
{
    static const char key[] = "ref=";
    const char *at = comment;
    size_t n;

    if (!comment || strncmp(comment, "leafward:", 9) != 0)
        return NULL;
    while ((at = strstr(at, key))) {
        n = strspn(at + 4, "0123456789abcdef");
        if (at[-1] == ' ' && n >= 8 && n <= 32)
            return strndup(at + 4, n);
        at += 4;
    }
    return NULL;
}

/* Offer one event; on success the flag is set. */
static int say(struct looking *l, struct lw_known *k, struct lw_event *e,
               enum lw_said flag)
{
    e->at = l->look->at;
    e->cluster = l->look->state->cluster;
    e->ref = k->ref;
    if (l->w->ops.emit(l->w->ops.arg, e) != 0)
        return -1;
    k->said |= flag;
    l->w->changed = true;
    return 0;
}

static long seconds_between(time_t from, time_t to)
{
    return from > 0 && to >= from ? (long)(to - from) : -1;
}

/* How the wait for locality ended, seen from the end of the wait. */
static void fill_locality(const struct lw_known *k, bool started,
                          struct lw_wait *wait)
{
    const struct lw_clock *c = &k->clock;

    if (!(k->said & LW_SAID_WAITING))
        return;
    wait->locality = c->waited;
    wait->patience = c->patience;
    wait->ended_by = c->let_be                      ? "changed"
                     : !started                     ? "cancelled"
                     : (k->said & LW_SAID_PATIENCE) ? "patience"
                                                    : "fit";
}

/* --- placed ---------------------------------------------------------------- */

/* By start, and what started in the same second in the order in which the
 * scheduler goes through the queue. */
static int by_start(const void *a, const void *b)
{
    const struct lw_job *x = *(const struct lw_job *const *)a;
    const struct lw_job *y = *(const struct lw_job *const *)b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->priority != y->priority)
        return x->priority < y->priority ? 1 : -1;
    return (x->id > y->id) - (x->id < y->id);
}

/* The nodes of the allocation by the map's index. */
static bool *own_nodes(const struct lw_map *map, char *const *names, size_t n)
{
    bool *own = calloc(map->nnodes + 1, sizeof(*own));
    size_t i;
    int node;

    for (i = 0; own && i < n; i++)
        if ((node = lw_map_find_node(map, names[i])) >= 0)
            own[node] = true;
    return own;
}

/* What was free when it started; then its nodes are not for the next. The
 * number is known only when the start was after the last look. */
static long measure(struct looking *l, const struct lw_job *job,
                    char *const *names, size_t n)
{
    struct lw_watcher *w = l->w;
    const struct lw_map *map = l->look->map;
    struct lw_need need = lw_capacity_need(job);
    bool *own = own_nodes(map, names, n);
    long *room = calloc(map->ngroups + 1, sizeof(*room)), fewest = -1,
         known = 0, most;
    size_t i;

    if (own && room && w->before) {
        for (i = 0; i < map->nnodes; i++)
            known += own[i];
        lw_capacity_free_then(w->before, w->now, l->look->state, job->partition,
                              &need, own, room);
        if (w->last && job->start >= w->last)
            fewest = lw_roots_fewest(map, room, known, &most);
        for (i = 0; i < map->nnodes; i++)
            if (own[i])
                lw_capacity_take(w->before, i, &need);
    }
    free(own);
    free(room);
    return fewest;
}

static int score(struct looking *l, struct lw_known *k, char **names, size_t n)
{
    const struct lw_map *map = l->look->map;
    struct lw_need need = lw_capacity_need(&k->job);
    struct lw_placement *p = &k->placement;
    long *room = calloc(map->ngroups + 1, sizeof(*room));
    int rc = -1;

    if (room && (p->map || (p->map = strdup(map->created)))) {
        lw_capacity_all(l->w->now, l->look->state, k->job.partition, &need,
                        room);
        rc = lw_score_nodes(map, (const char *const *)names, n, room, NULL,
                            &p->score);
    }
    free(room);
    p->scored = rc == 0;
    if (p->scored)
        p->score.fewest_free = k->fewest_free;
    return rc;
}

/* What it got, and how good that is. */
static int fill_placement(struct looking *l, struct lw_known *k)
{
    struct lw_placement *p = &k->placement;
    const struct lw_job *j = &k->job;
    size_t n = 0;
    char **names;
    int rc = 0;

    p->nnodes = j->nnodes;
    p->gpus = j->gpus;
    if (!p->nodes && !(p->nodes = strdup(j->nodes)))
        return -1;
    if (j->gpu_type && !p->gpu_type && !(p->gpu_type = strdup(j->gpu_type)))
        return -1;
    if (!l->w->now || !(names = l->w->ops.expand(j->nodes, &n, NULL)))
        return 0;
    p->nnodes = (long)n;
    if (!k->measured) {
        k->fewest_free = measure(l, j, names, n);
        k->measured = true;
    }
    lw_score_free(&p->score);
    rc = score(l, k, names, n);
    l->w->ops.names_free(names, n);
    return rc;
}

/* Names of groups are the map's: they go once the line is written. */
static void drop_per_group(struct lw_score *s)
{
    free(s->per_group);
    free(s->group_names);
    s->per_group = NULL;
    s->group_names = NULL;
    s->nper_group = 0;
}

static int say_placed(struct looking *l, struct lw_known *k)
{
    struct lw_event e = LW_EVENT_INIT;
    struct lw_wait wait = LW_WAIT_INIT;
    const char *word = k->job.word;
    int rc;

    if (fill_placement(l, k) < 0)
        return -1;
    wait.queue = seconds_between(k->job.eligible, k->job.start);
    fill_locality(k, true, &wait);
    e.event = "placed";
    e.job = &k->job;
    e.placement = &k->placement;
    e.wait = &wait;
    k->job.word = NULL; /* it may have ended already; that is the next line */
    rc = say(l, k, &e, LW_SAID_PLACED);
    k->job.word = word;
    drop_per_group(&k->placement.score);
    return rc;
}

/* --- ready, ended ---------------------------------------------------------- */

/* The placement without what only `placed` holds. */
static struct lw_placement summary(const struct lw_known *k)
{
    struct lw_placement p = k->placement;

    p.nodes = NULL;
    p.score.nper_group = 0;
    return p;
}

static int say_ready(struct looking *l, struct lw_known *k)
{
    struct lw_event e = LW_EVENT_INIT;
    struct lw_placement p = summary(k);

    e.event = "ready";
    e.job = &k->job;
    e.placement = &p;
    e.configuring = seconds_between(k->job.start, l->look->at.tv_sec);
    return say(l, k, &e, LW_SAID_READY);
}

/* 'job' is k->job, or a copy that says how the run ended. */
static int say_ended(struct looking *l, struct lw_known *k,
                     const struct lw_job *job)
{
    struct lw_event e = LW_EVENT_INIT;
    struct lw_wait wait = LW_WAIT_INIT;
    struct lw_placement p = summary(k);

    e.event = "ended";
    e.job = job;
    if (k->said & LW_SAID_PLACED) {
        e.placement = &p;
    } else {
        wait.queue = seconds_between(job->eligible, job->end);
        fill_locality(k, false, &wait);
        e.wait = &wait;
    }
    return say(l, k, &e, LW_SAID_ENDED);
}

/* A run that is over although the job is not, or that Slurm has forgotten. */
static int say_cut(struct looking *l, struct lw_known *k, const char *word,
                   time_t end)
{
    struct lw_job job = k->job;

    job.word = word;
    job.end = end;
    job.exit_code = job.signal = 0;
    return say_ended(l, k, &job);
}

/* --- one job --------------------------------------------------------------- */

static bool same_nodes(const struct lw_known *k, const struct lw_job *job)
{
    return job->nodes && k->placement.nodes &&
           strcmp(job->nodes, k->placement.nodes) == 0;
}

/* Slurm moves the start of a job whose nodes had to boot to the moment they
 * were ready: same restarts and same nodes is the same run. */
static bool is_same_run(const struct lw_known *k, const struct lw_job *job)
{
    if (!(k->said & (LW_SAID_PLACED | LW_SAID_ENDED)))
        return true;
    if (k->said & LW_SAID_PLACED)
        return job->start == k->job.start ||
               (k->configuring && job->start &&
                job->restarts == k->job.restarts && same_nodes(k, job));
    return job->state == LW_JOB_ENDED && job->restarts == k->job.restarts &&
           job->submit == k->job.submit;
}

/* When a run ended whose job was put back into the queue. Slurm shows that
 * nowhere: while the nodes are cleaned up, the end is that of the next run as
 * it is planned (job_mgr.c packs it so in all releases), then the job is
 * submitted anew. 0 when other runs came in between. */
static time_t end_of_requeued(const struct looking *l, const struct lw_known *k,
                              const struct lw_job *job)
{
    time_t end = job->completing ? l->look->at.tv_sec : job->submit;

    if (job->restarts > k->job.restarts + 1 || end < k->job.start)
        return 0;
    return end;
}

/* A requeued job keeps its id and its owner; anything else with that id is
 * another job, and the end of the old one went by unseen. */
static int close_run(struct looking *l, struct lw_known *k,
                     const struct lw_job *job)
{
    bool requeued =
        job->uid == k->job.uid &&
        (job->restarts > k->job.restarts || job->state == LW_JOB_PENDING);

    if (!(k->said & LW_SAID_PLACED) || (k->said & LW_SAID_ENDED))
        return 0;
    if (requeued)
        return say_cut(l, k, "REQUEUED", end_of_requeued(l, k, job));
    if (say_cut(l, k, "UNKNOWN", 0) < 0)
        return -1;
    l->w->lost++;
    return 0;
}

static int take_ref(struct lw_known *k, const char *comment)
{
    char *ref = lw_watcher_ref(comment);

    if (!ref)
        return 0;
    /* decided anew, by an update of the job: its patience begins anew */
    if (k->ref && strcmp(k->ref, ref) != 0 && !(k->said & LW_SAID_PLACED))
        lw_known_reset(k);
    free(k->ref);
    k->ref = ref;
    return 0;
}

static struct lw_known *known_for(struct looking *l, const struct lw_job *job)
{
    struct lw_known *k = lw_known_find(l->w->known, job->id);

    if (k)
        return k;
    if ((k = lw_known_add(l->w->known, job->id)))
        l->w->changed = true;
    return k;
}

/* Learn what Slurm shows; -1 when the end of an earlier run could not be
 * said, so that it comes first at the next look. */
static int learn(struct looking *l, const struct lw_job *job)
{
    struct lw_known *k = known_for(l, job);

    if (!k)
        return -1;
    k->seen = true;
    if (!is_same_run(k, job)) {
        if (close_run(l, k, job) < 0)
            return 0;
        lw_known_reset(k);
        l->w->changed = true;
    }
    if (lw_known_update(k, job) < 0)
        return -1;
    if (job->start && !(k->said & LW_SAID_PLACED))
        l->fresh[l->nfresh++] = job;
    return take_ref(k, job->comment);
}

/* While its nodes are cleaned up a job's exit code may still change: a failed
 * node or a cancel brings the signal only then. A clean-up that hangs is not
 * waited for. */
static bool has_settled(const struct looking *l, const struct lw_job *job)
{
    return job->state == LW_JOB_ENDED &&
           (!job->completing || l->look->at.tv_sec - job->end >= SETTLE);
}

static int settle(struct looking *l, const struct lw_job *job)
{
    struct lw_known *k = lw_known_find(l->w->known, job->id);

    /* an earlier run's end, or the start of this one, is still unsaid */
    if (!k || k->job.start != job->start || k->job.restarts != job->restarts ||
        (job->start && !(k->said & LW_SAID_PLACED)))
        return 0;
    if (job->state == LW_JOB_RUNNING && k->configuring && !job->configuring &&
        !(k->said & LW_SAID_READY))
        say_ready(l, k);
    if (job->state == LW_JOB_RUNNING && k->configuring != job->configuring) {
        k->configuring = job->configuring;
        l->w->changed = true;
    }
    if (has_settled(l, job) && !(k->said & LW_SAID_ENDED))
        say_ended(l, k, &k->job);
    return 0;
}

/* Slurm does not know it any more. */
static int sweep(struct lw_known *k, void *arg)
{
    struct looking *l = arg;

    if (k->seen) {
        k->seen = false;
        return 0;
    }
    if (k->job.state == LW_JOB_ENDED && !(k->said & LW_SAID_ENDED)) {
        if (say_ended(l, k, &k->job) < 0)
            return 0;
    } else if ((k->said & LW_SAID_PLACED) && !(k->said & LW_SAID_ENDED)) {
        if (say_cut(l, k, "UNKNOWN", 0) < 0)
            return 0;
        l->w->lost++;
    }
    lw_known_remove(l->w->known, k);
    l->w->changed = true;
    return 0;
}

/* The facts of this look; those of the last one are of use only while the
 * map is the same. */
static int refresh(struct lw_watcher *w, const struct lw_look *look)
{
    lw_capacity_destroy(w->before);
    w->before = w->now;
    w->now = NULL;
    if (w->before && w->before->map != look->map) {
        lw_capacity_destroy(w->before);
        w->before = NULL;
    }
    if (!look->map)
        return 0;
    return (w->now = lw_capacity_create(look->map, look->state)) ? 0 : -1;
}

static int look_at_jobs(struct looking *l)
{
    const struct lw_look *look = l->look;
    size_t i;

    for (i = 0; i < look->njobs; i++)
        if (learn(l, &look->jobs[i]) < 0)
            return -1;
    if (l->nfresh)
        qsort(l->fresh, l->nfresh, sizeof(*l->fresh), by_start);
    for (i = 0; i < l->nfresh; i++) {
        struct lw_known *k = lw_known_find(l->w->known, l->fresh[i]->id);

        if (k)
            say_placed(l, k);
    }
    for (i = 0; i < look->njobs; i++)
        settle(l, &look->jobs[i]);
    return lw_known_each(l->w->known, sweep, l);
}

int lw_watcher_look(struct lw_watcher *w, const struct lw_look *look)
{
    struct looking l = {.w = w, .look = look};
    int rc = -1;

    if (refresh(w, look) == 0 &&
        (l.fresh = calloc(look->njobs + 1, sizeof(*l.fresh))))
        rc = look_at_jobs(&l);
    free(l.fresh);
    if (rc == 0)
        w->last = look->at.tv_sec;
    return rc;
}
