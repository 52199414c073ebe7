/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loader.c - the thread that reads and writes files for job_submit */
#include "config.h"

#include "job_submit/loader.h"
#include "lib/file.h"
#include "lib/plural.h"
#include "slurmapi/adapter.h"
#include "slurmapi/hostlist.h"
#include "slurmapi/release.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <slurm/spank.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define QUEUE_LENGTH      4096 /* lines that may wait to be written */
#define LOG_MODE          0640
#define RELEASE_WAIT      5   /* seconds between two tries to let jobs go .. */
#define RELEASE_WAIT_MOST 300 /* .. when they fail again and again */

/* A file that may be replaced at any moment. */
struct watched {
    struct lw_file_id id;
    bool there;
    bool looked;
};

struct line {
    char *text;
    size_t len;
};

/* slurmctld loads the plugin once in a process; 'generation' tells a thread
 * that an older init() started to go away. */
static struct {
    pthread_rwlock_t lock; /* guards what job_submit looks at: */
    struct lw_settings *settings;
    struct lw_map *map;
    struct lw_state *state;
    struct lw_view *view;
    char why[300];

    pthread_mutex_t busy; /* one thread at a time loads and writes */

    pthread_mutex_t mutex; /* guards what job_submit hands over: */
    pthread_cond_t wake;
    struct line queue[QUEUE_LENGTH];
    size_t first, waiting, dropped;
    unsigned generation;
} shared = {
    .lock = PTHREAD_RWLOCK_INITIALIZER,
    .why = "it has not been read yet",
    .busy = PTHREAD_MUTEX_INITIALIZER,
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .wake = PTHREAD_COND_INITIALIZER,
};

/* Jobs may be waiting whose idle nodes watch is to let in again: also those
 * from before a restart. */
static atomic_bool excluding = true;

/* What only the thread touches. */
struct loader {
    unsigned generation;
    time_t released;         /* last try */
    long release_wait;       /* until the next */
    char release_error[256]; /* said already */
    struct watched conf, map, state;
    char log_error[256]; /* said already */
};

/* Has the file changed since the last look? */
static bool changed(struct watched *w, const char *path)
{
    struct lw_file_id id;
    bool there = lw_file_stat(path, &id) == 0;
    bool same =
        w->looked && there == w->there && (!there || lw_file_same(&id, &w->id));

    w->looked = true;
    w->there = there;
    if (there)
        w->id = id;
    return !same;
}

/* A typing error must not turn a site's policy round: what was read before
 * stays in force. Only at start there is nothing but the defaults. */
static struct lw_settings *load_settings(const char *path,
                                         struct lw_settings *before)
{
    lw_error_t err = {0};
    struct lw_settings *s = lw_settings_load(path, &err);

    if (err.text[0])
        slurm_error("leafward: %s; %s", err.text,
                    before
                        ? "the settings from before stay"
                        : "the defaults are used, also for map, state and log");
    if (err.text[0] && before) {
        lw_settings_destroy(s);
        s = before;
    }
    return s;
}

static struct lw_map *load_map(const char *path, lw_error_t *err)
{
    struct lw_map *map = lw_map_load(path, err);

    if (map)
        slurm_info("leafward: map %s: %zu %s in %zu %s", path, map->nnodes,
                   lw_plural(map->nnodes, "node", "nodes"), map->ngroups,
                   lw_plural(map->ngroups, "group", "groups"));
    else
        slurm_error("leafward: no map, jobs are left as they are: %s",
                    err->text);
    return map;
}

/* A missing state is an ordinary thing: watch does not run. */
static struct lw_state *load_state(const char *path, bool there)
{
    lw_error_t err = {0};
    struct lw_state *state = there ? lw_state_load(path, &err) : NULL;

    if (there && !state)
        slurm_error("leafward: no cluster state: %s", err.text);
    return state;
}

static void warn(const struct lw_view *view)
{
    char text[256];
    size_t i;
    int rc;

    for (i = 0; (rc = lw_view_warning(view, i, text, sizeof(text))) >= 0; i++)
        if (rc > 0)
            slurm_info("leafward: warning: %s", text);
}

/* Everything new is made first, swapped in under the lock, and what it
 * replaces is freed after: job_submit waits for the swap only. */
static void publish(struct lw_settings *settings, struct lw_map *map,
                    struct lw_state *state, const char *why)
{
    struct lw_settings *old_settings = shared.settings;
    struct lw_map *old_map = shared.map;
    struct lw_state *old_state = shared.state;
    struct lw_view *old_view = shared.view, *view = NULL;
    lw_error_t err = {0};

    if (map) {
        view = lw_view_create(map, state, settings, &err);
        if (view)
            lw_view_fold(view, lw_hostlist_fold);
        else
            slurm_error("leafward: %s", err.text);
    }
    pthread_rwlock_wrlock(&shared.lock);
    shared.settings = settings;
    shared.map = map;
    shared.state = state;
    shared.view = view;
    if (err.text[0] || why != shared.why)
        snprintf(shared.why, sizeof(shared.why), "%s",
                 err.text[0] ? err.text : why);
    pthread_rwlock_unlock(&shared.lock);
    lw_view_destroy(old_view);
    if (old_settings != settings)
        lw_settings_destroy(old_settings);
    if (old_map != map)
        lw_map_destroy(old_map);
    if (old_state != state)
        lw_state_destroy(old_state);
}

/* Load what was replaced since the last look. */
static void refresh_locked(struct loader *l)
{
    struct lw_settings *settings = shared.settings;
    struct lw_map *map = shared.map;
    struct lw_state *state = shared.state;
    const char *conf = lw_settings_path(NULL);
    lw_error_t err = {0};
    bool fresh_conf, fresh_map, fresh_state, had_state = state != NULL;

    fresh_conf = changed(&l->conf, conf) || !settings;
    if (fresh_conf) {
        if (!(settings = load_settings(conf, settings)))
            return;
        l->map.looked = l->state.looked = false;
    }
    fresh_map = changed(&l->map, settings->map);
    if (fresh_map)
        map = load_map(settings->map, &err);
    fresh_state = changed(&l->state, settings->state);
    if (fresh_state)
        state = load_state(settings->state, l->state.there);
    if (!fresh_conf && !fresh_map && !fresh_state)
        return;
    publish(settings, map, state, fresh_map ? err.text : shared.why);
    if (shared.view &&
        (fresh_conf || fresh_map || had_state != (state != NULL)))
        warn(shared.view);
}

/* Is nobody there to take exclusions back? */
static bool watch_is_gone(time_t now)
{
    bool gone;

    pthread_rwlock_rdlock(&shared.lock);
    /* the wait once more: a job of the last moment must be in the queue */
    gone = shared.settings &&
           !(shared.view && lw_view_fresh(shared.view, now - RELEASE_WAIT));
    pthread_rwlock_unlock(&shared.lock);
    return gone;
}

/* A failure is said once, and tried again less and less often. */
static void release_failed(struct loader *l, const char *text)
{
    excluding = true;
    if (strcmp(l->release_error, text) != 0)
        slurm_error("leafward: watch does not run, and %s", text);
    snprintf(l->release_error, sizeof(l->release_error), "%s", text);
    l->release_wait *= 2;
    if (l->release_wait > RELEASE_WAIT_MOST)
        l->release_wait = RELEASE_WAIT_MOST;
}

/* Without watch nobody else would take an exclusion back, and a job must not
 * wait for it longer than the state that it was made by is believed. This is
 * the only call to slurmctld, and happens only then. */
static void release(struct loader *l, time_t now)
{
    lw_error_t err = {0};
    long n;

    if (!excluding || now - l->released < l->release_wait ||
        !watch_is_gone(now))
        return;
    l->released = now;
    excluding = false; /* from here on a new one counts again */
    n = lw_release_subnode(&err);
    if (n > 0)
        slurm_info("leafward: watch does not run: idle nodes are free again "
                   "to %ld job%s that waited for partly used ones",
                   n, lw_plural((unsigned long long)n, "", "s"));
    if (n < 0) {
        release_failed(l, err.text);
        return;
    }
    l->release_error[0] = '\0';
    l->release_wait = RELEASE_WAIT;
}

/* The thread of an earlier init() may still sit in a file system that hangs;
 * then there is nothing new, and decisions are made from what there is. */
static void refresh(struct loader *l)
{
    if (pthread_mutex_trylock(&shared.busy) != 0)
        return;
    refresh_locked(l);
    pthread_mutex_unlock(&shared.busy);
}

/* A log that cannot be written touches no job, and is said once. */
static void write_line(struct loader *l, const struct line *line)
{
    lw_error_t err = {0};
    const char *path;

    pthread_mutex_lock(&shared.busy);
    path = shared.settings ? shared.settings->log : "";
    if (!*path ||
        lw_file_append_line(path, line->text, line->len, LOG_MODE, &err) == 0) {
        l->log_error[0] = '\0';
    } else if (strcmp(l->log_error, err.text) != 0) {
        slurm_error("leafward: a line of the placement log is lost: %s",
                    err.text);
        snprintf(l->log_error, sizeof(l->log_error), "%s", err.text);
    }
    pthread_mutex_unlock(&shared.busy);
}

/* Take the next line, or wait for one, for a second at most. Returns false
 * when the thread is to end. */
static bool next_line(struct loader *l, struct line *line, size_t *dropped)
{
    struct timespec until;
    bool go_on;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    line->text = NULL;
    pthread_mutex_lock(&shared.mutex);
    if (!shared.waiting && l->generation == shared.generation)
        pthread_cond_timedwait(&shared.wake, &shared.mutex, &until);
    go_on = l->generation == shared.generation;
    if (shared.waiting && go_on) {
        *line = shared.queue[shared.first];
        shared.first = (shared.first + 1) % QUEUE_LENGTH;
        shared.waiting--;
    }
    *dropped = shared.dropped;
    shared.dropped = 0;
    pthread_mutex_unlock(&shared.mutex);
    return go_on;
}

static void *run(void *argument)
{
    struct loader *l = argument;
    struct line line;
    size_t dropped;
    time_t last = 0, now;

    do {
        now = time(NULL);
        if (now != last)
            refresh(l);
        if (now != last)
            release(l, now);
        last = now;
        if (!next_line(l, &line, &dropped))
            break;
        if (dropped)
            slurm_error("leafward: %zu %s of the placement log lost: more "
                        "came than could be written",
                        dropped, lw_plural(dropped, "line", "lines"));
        if (line.text)
            write_line(l, &line);
        free(line.text);
    } while (1);
    free(l);
    return NULL;
}

int lw_loader_start(void)
{
    struct loader *l = calloc(1, sizeof(*l));
    pthread_attr_t attr;
    sigset_t all, before;
    pthread_t thread;
    int rc;

    if (!l)
        return -1;
    pthread_mutex_lock(&shared.mutex);
    l->generation = ++shared.generation;
    l->released = time(NULL); /* slurmctld must be up first */
    l->release_wait = RELEASE_WAIT;
    pthread_mutex_unlock(&shared.mutex);
    /* slurmctld's signals are its own: the thread inherits this mask */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    rc = pthread_create(&thread, &attr, run, l);
    pthread_attr_destroy(&attr);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc) {
        free(l);
        errno = rc;
    }
    return rc ? -1 : 0;
}

void lw_loader_stop(void)
{
    pthread_mutex_lock(&shared.mutex);
    shared.generation++;
    pthread_cond_signal(&shared.wake);
    pthread_mutex_unlock(&shared.mutex);
}

void lw_loader_enter(struct lw_loaded *snapshot)
{
    pthread_rwlock_rdlock(&shared.lock);
    snapshot->settings = shared.settings;
    snapshot->state = shared.state;
    snapshot->view = shared.view;
    snapshot->why = shared.why;
}

void lw_loader_leave(void)
{
    pthread_rwlock_unlock(&shared.lock);
}

void lw_loader_excludes(void)
{
    excluding = true;
}

void lw_loader_log(char *line, size_t len)
{
    if (!line)
        return;
    pthread_mutex_lock(&shared.mutex);
    if (shared.waiting < QUEUE_LENGTH) {
        shared.queue[(shared.first + shared.waiting++) % QUEUE_LENGTH] =
            (struct line){line, len};
        line = NULL;
        pthread_cond_signal(&shared.wake);
    } else {
        shared.dropped++;
    }
    pthread_mutex_unlock(&shared.mutex);
    free(line);
}
