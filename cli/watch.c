/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watch.c - one look of `leafward watch` and what it keeps between looks */
#include "config.h"

#include "cli/cli.h"
#include "cli/watch.h"
#include "lib/file.h"
#include "lib/plural.h"
#include "lib/when.h"
#include "slurmapi/hostlist.h"
#include "slurmapi/load.h"
#include "slurmapi/update.h"
#include "topology/place/journal.h"
#include "topology/place/metrics.h"
#include "topology/place/patience.h"
#include "topology/place/placelog.h"
#include "topology/place/watcher.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/buf.h"

#define FILE_MODE 0644

/* A kind of trouble that is told once, and its end too. */
struct trouble {
    bool on;
    time_t since;
    char text[256];
};

struct lw_watch {
    const struct lw_watch_options *options;
    struct lw_settings *settings;
    struct lw_map *map;
    struct lw_file_id map_id;
    struct lw_journal_mark mark;
    char *journal;
    int lock;
    struct lw_loader *loader;
    struct lw_watcher *watcher;
    struct lw_placelog log;
    bool reload;
    bool journal_due;
    char *state_text; /* as last written */
    time_t state_at;
    struct lw_patience_result patience;
    struct lw_metrics metrics;
    time_t snapshot_at;
    struct trouble slurm, map_file, log_file, state_file, journal_file,
        metrics_file;
};

static const char *map_path(const struct lw_watch *w)
{
    return w->options->map ?: w->settings->map;
}

static const char *state_path(const struct lw_watch *w)
{
    return w->options->state ?: w->settings->state;
}

static void say(const char *text)
{
    fprintf(stderr, "leafward watch: %s\n", text);
}

/* Tell a new trouble, or a different text of it, once; NULL is its end. */
static void tell(struct trouble *t, const char *text, const char *good)
{
    if (text) {
        if (!t->on || strcmp(t->text, text) != 0)
            say(text);
        if (!t->on)
            t->since = time(NULL);
        t->on = true;
        snprintf(t->text, sizeof(t->text), "%s", text);
    } else if (t->on) {
        fprintf(stderr, "leafward watch: %s, after %ld s\n", good,
                (long)(time(NULL) - t->since));
        t->on = false;
    }
}

/* --- events ------------------------------------------------------------------ */

static int emit(void *arg, const struct lw_event *event)
{
    struct lw_watch *w = arg;
    lw_error_t err = {0};
    size_t len = 0;
    char *line = lw_event_line(event, &len, &err);
    int rc = line ? lw_placelog_write(&w->log, line, len, &err) : -1;

    free(line);
    if (rc == 0)
        lw_metrics_count(&w->metrics, event);
    tell(&w->log_file, rc < 0 ? err.text : NULL,
         "the placement log can be written again");
    return rc;
}

/* --- the map ------------------------------------------------------------------ */

/* Once for every map, also over restarts. */
static void say_map(struct lw_watch *w, const char *cluster)
{
    struct lw_event e = LW_EVENT_INIT;

    if (!w->map || strcmp(w->mark.map, w->map->created) == 0)
        return;
    e.event = "map-changed";
    e.cluster = cluster;
    e.map = w->map;
    clock_gettime(CLOCK_REALTIME, &e.at);
    if (emit(w, &e) < 0)
        return;
    snprintf(w->mark.map, sizeof(w->mark.map), "%s", w->map->created);
    w->journal_due = true;
}

/* Load the map when the file is another one. A bad or missing map leaves the
 * last good one in place. Returns the map that was replaced: the caller
 * destroys it after the look, since facts of the last one point into it. */
static struct lw_map *refresh_map(struct lw_watch *w)
{
    struct lw_map *fresh, *old = NULL;
    struct lw_file_id id = {0};
    lw_error_t err = {0};

    if (lw_file_stat(map_path(w), &id) == 0 && w->map &&
        lw_file_same(&id, &w->map_id))
        return NULL;
    if ((fresh = lw_map_load(map_path(w), &err))) {
        old = w->map;
        w->map = fresh;
        w->map_id = id;
    }
    tell(&w->map_file, fresh ? NULL : err.text, "the fabric map is read");
    return old;
}

/* --- jobs that wait --- */

/* What slurmctld refuses is tried again at every look, and said once for each
 * job and cause. */
static int told(struct lw_watch *w, long job, int rc, const lw_error_t *err)
{
    struct lw_known *k = lw_known_find(lw_watcher_known(w->watcher), job);
    const char *at = err->text;
    uint32_t sum = 2166136261U;

    for (; rc < 0 && *at; at++)
        sum = (sum ^ (unsigned char)*at) * 16777619U;
    if (rc < 0 && (!k || k->trouble != sum))
        say(err->text);
    if (k)
        k->trouble = rc < 0 ? sum : 0;
    return rc;
}

static int set_switches(void *arg, long job, long switches, const char *mark)
{
    struct lw_watch *w = arg;
    lw_error_t err = {0};
    int rc = told(w, job, lw_update_switches(job, switches, mark, &err), &err);

    if (rc == 0 && w->options->verbose)
        fprintf(stderr, "leafward watch: job %ld: switches %ld\n", job,
                switches);
    return rc;
}

static int set_exclude(void *arg, long job, const char *nodes, const char *mark)
{
    struct lw_watch *w = arg;
    lw_error_t err = {0};
    int rc = told(w, job, lw_update_exclude(job, nodes, mark, &err), &err);

    if (rc == 0 && w->options->verbose)
        fprintf(stderr, "leafward watch: job %ld: exclude '%s'\n", job, nodes);
    return rc;
}

static void patience(struct lw_watch *w, const struct lw_look *l)
{
    const struct lw_patience_ops ops = {emit,
                                        set_switches,
                                        set_exclude,
                                        lw_hostlist_sum,
                                        lw_hostlist_expand,
                                        lw_names_free,
                                        w};

    w->patience.next = -1;
    if (w->options->read_only)
        return;
    if (lw_patience_look(w->watcher, l, w->settings, &ops, &w->patience) < 0)
        say("out of memory; trying again");
    if (w->patience.changed)
        w->journal_due = true;
}

/* --- files ---------------------------------------------------------------------- */

/* The text without the time that stands in its first lines. */
static const char *behind_created(const char *text)
{
    const char *at = strstr(text, "\"created\"");

    return at ? strchr(at, '\n') : text;
}

/* The plugin takes an old state for none, so an unchanged one is written
 * again in time. */
static bool state_is_due(const struct lw_watch *w, const char *text, time_t now)
{
    long age = w->settings->state_age / 4;

    return !w->state_text || now - w->state_at >= (age < 30 ? age : 30) ||
           now < w->state_at ||
           strcmp(behind_created(w->state_text), behind_created(text)) != 0;
}

/* What was set by hand is not the plugin's to decide anew. */
static void note_changes(const struct lw_watch *w, const struct lw_load *load,
                         struct lw_state *state)
{
    const struct lw_state_job *found;
    const struct lw_known *k;
    size_t i;

    for (i = 0; i < load->njobs; i++) {
        found = lw_state_find_job(state, load->jobs[i].id);
        k = found ? lw_known_find(lw_watcher_known(w->watcher), found->id)
                  : NULL;
        if (k)
            state->jobs[found - state->jobs].changed =
                lw_patience_is_changed(k, &load->jobs[i]);
    }
}

static void write_state(struct lw_watch *w, const struct lw_load *load)
{
    struct lw_state state = *load->state;
    lw_error_t err = {0};
    size_t len = 0;
    char *text;
    int rc = 0;

    state.created = time(NULL);
    note_changes(w, load, &state);
    if (!(text = lw_state_print(&state, &len, &err))) {
        tell(&w->state_file, err.text, "");
        return;
    }
    if (state_is_due(w, text, state.created)) {
        rc = lw_file_replace(state_path(w), text, len, FILE_MODE, &err);
        free(w->state_text);
        w->state_text = rc == 0 ? text : NULL;
        w->state_at = state.created;
        if (rc == 0)
            text = NULL;
    }
    free(text);
    tell(&w->state_file, rc < 0 ? err.text : NULL,
         "the cluster state can be written again");
}

/* A line now and then, and the metrics at every look: both are the same
 * counts. */
static void say_snapshot(struct lw_watch *w, const struct lw_snapshot *s,
                         const char *cluster)
{
    struct lw_event e = LW_EVENT_INIT;

    clock_gettime(CLOCK_REALTIME, &e.at);
    if (e.at.tv_sec >= w->snapshot_at &&
        e.at.tv_sec - w->snapshot_at < w->settings->snapshot_interval)
        return;
    e.event = "snapshot";
    e.cluster = cluster;
    e.snapshot = s;
    if (emit(w, &e) == 0)
        w->snapshot_at = e.at.tv_sec;
}

static const char *metrics_path(const struct lw_watch *w)
{
    const char *path = w->options->metrics ?: w->settings->metrics;

    return path && *path ? path : NULL;
}

static void write_metrics(struct lw_watch *w, const struct lw_snapshot *s,
                          const char *cluster)
{
    struct lw_buf b = LW_BUF_INIT(64 * 1024 * 1024);
    struct lw_metrics *m = &w->metrics;
    lw_error_t err = {0};
    int64_t ms;
    int rc = -1;

    if (!metrics_path(w))
        return;
    m->lines_lost = w->log.lost;
    m->runs_lost = lw_watcher_lost(w->watcher);
    m->map_created = s && s->map && lw_when_rfc3339(s->map->created, &ms) == 0
                         ? (time_t)(ms / 1000)
                         : 0;
    lw_metrics_print(&b, m, s, cluster);
    if (b.failed)
        lw_err(&err, "out of memory");
    else
        rc = lw_file_replace(metrics_path(w), b.text, b.len, FILE_MODE, &err);
    lw_buf_free(&b);
    tell(&w->metrics_file, rc < 0 ? err.text : NULL,
         "the metrics can be written again");
}

static void overview(struct lw_watch *w, const struct lw_load *load)
{
    struct lw_snapshot s;

    if (lw_snapshot_take(lw_watcher_capacity(w->watcher), load->state,
                         load->jobs, load->njobs, w->patience.waiting, &s) < 0)
        return;
    s.at = time(NULL);
    say_snapshot(w, &s, load->state->cluster);
    write_metrics(w, &s, load->state->cluster);
    lw_snapshot_free(&s);
}

static void write_journal(struct lw_watch *w)
{
    lw_error_t err = {0};
    char *text = NULL;
    size_t len = 0;
    int rc = -1;

    if (lw_watcher_changed(w->watcher))
        w->journal_due = true;
    if (!w->journal_due)
        return;
    if (lw_placelog_mark(&w->log, &w->mark, &err) == 0 &&
        (text = lw_journal_print(lw_watcher_known(w->watcher), &w->mark, &len,
                                 &err)))
        rc = lw_file_replace(w->journal, text, len, FILE_MODE, &err);
    free(text);
    if (rc == 0)
        w->journal_due = false;
    tell(&w->journal_file, rc < 0 ? err.text : NULL,
         "the journal can be written again");
}

/* --- one step --------------------------------------------------------------------- */

static void use_log(struct lw_watch *w)
{
    w->log.path = w->options->log ?: w->settings->log;
    w->log.max_bytes = w->settings->log_size * 1024 * 1024;
    w->log.keep = w->settings->log_keep;
}

static void reload(struct lw_watch *w)
{
    struct lw_settings *fresh;

    if (!w->reload)
        return;
    w->reload = false;
    if (!(fresh = lw_cli_settings()))
        return;
    lw_settings_destroy(w->settings);
    w->settings = fresh;
    use_log(w);
    say("configuration read again");
}

static void look(struct lw_watch *w, const struct lw_load *load)
{
    struct lw_map *old = refresh_map(w);
    struct lw_look l = {.map = w->map,
                        .state = load->state,
                        .jobs = load->jobs,
                        .njobs = load->njobs};

    clock_gettime(CLOCK_REALTIME, &l.at);
    say_map(w, load->state->cluster);
    if (lw_watcher_look(w->watcher, &l) < 0)
        say("out of memory; trying again");
    else
        patience(w, &l);
    lw_map_destroy(old);
}

static void rotate(struct lw_watch *w)
{
    lw_error_t err = {0};

    if (lw_placelog_rotate(&w->log, time(NULL), &err) != 0)
        w->journal_due = true;
    if (err.text[0])
        tell(&w->log_file, err.text, "");
}

static double seconds_since(const struct timespec *from)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - from->tv_sec) +
           (double)(now.tv_nsec - from->tv_nsec) / 1e9;
}

/* What root writes SlurmUser could not replace. */
static bool is_wrong_user(const struct lw_load *load)
{
    const struct passwd *user = getpwuid(load->slurm_user);

    if (geteuid() != 0 || load->slurm_user == 0)
        return false;
    fprintf(stderr,
            "leafward watch: not as root: run it as SlurmUser, %s (systemctl "
            "start leafward-watch does)\n",
            user ? user->pw_name : "another user");
    return true;
}

int lw_watch_step(struct lw_watch *w)
{
    struct lw_load load;
    lw_error_t err = {0};
    struct timespec from;

    reload(w);
    clock_gettime(CLOCK_MONOTONIC, &from);
    if (lw_loader_look(w->loader, &load, &err) < 0) {
        tell(&w->slurm, err.text, "");
        w->metrics.looks_failed++;
        write_metrics(w, NULL, NULL);
        return -1;
    }
    if (is_wrong_user(&load))
        return LW_WATCH_REFUSED;
    w->metrics.last_look = time(NULL);
    tell(&w->slurm, NULL, "slurmctld answers again");
    look(w, &load);
    write_state(w, &load);
    overview(w, &load);
    rotate(w);
    write_journal(w);
    if (w->options->verbose)
        fprintf(stderr, "leafward watch: %zu %s, %zu %s\n", load.state->nnodes,
                lw_plural(load.state->nnodes, "node", "nodes"), load.njobs,
                lw_plural(load.njobs, "job", "jobs"));
    w->metrics.look_seconds = seconds_since(&from);
    return 0;
}

/* --- open and close ----------------------------------------------------------------- */

/* Beside the state unless it is named. */
static char *journal_path(const struct lw_watch *w)
{
    struct lw_buf b = LW_BUF_INIT(4096);
    char *copy;

    if (w->options->journal)
        return strdup(w->options->journal);
    if ((copy = strdup(state_path(w))))
        lw_buf_printf(&b, "%s/watch.json", dirname(copy));
    free(copy);
    return lw_buf_take(&b);
}

/* Root does not come farther than to the lock when it is not SlurmUser; the
 * owner of the directory must be able to take it then. */
static void give_away(const struct lw_watch *w, const char *path)
{
    char *copy = strdup(path);
    struct stat st;

    if (geteuid() == 0 && w->lock >= 0 && copy &&
        stat(dirname(copy), &st) == 0 &&
        fchown(w->lock, st.st_uid, st.st_gid) < 0)
        say(strerror(errno));
    free(copy);
}

/* Two of them would write every event twice. */
static int take_lock(struct lw_watch *w, lw_error_t *err)
{
    struct lw_buf path = LW_BUF_INIT(4096);
    int rc = -1;

    lw_buf_printf(&path, "%s.lock", w->journal);
    w->lock = open(lw_buf_text(&path), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    give_away(w, lw_buf_text(&path));
    if (w->lock < 0)
        lw_err(err, "%s: %s", lw_buf_text(&path), strerror(errno));
    else if (flock(w->lock, LOCK_EX | LOCK_NB) < 0)
        lw_err(err, "another `leafward watch` is running (%s is locked)",
               lw_buf_text(&path));
    else
        rc = 0;
    lw_buf_free(&path);
    return rc;
}

/* A journal that cannot be read is put aside, not thrown away; then the log
 * tells what was said. */
static int read_journal(struct lw_watch *w, lw_error_t *err)
{
    struct lw_known_table *known = lw_watcher_known(w->watcher);
    struct lw_buf aside = LW_BUF_INIT(4096);
    lw_error_t why = {0};
    size_t len = 0;
    char *text = lw_file_read(w->journal, LW_JOURNAL_LIMIT, &len, NULL, &why);

    if (!text && errno != ENOENT)
        return lw_err(err, "%s", why.text);
    if (text &&
        lw_journal_parse(text, len, w->journal, known, &w->mark, &why) < 0) {
        lw_buf_printf(&aside, "%s.bad", w->journal);
        if (!aside.failed)
            rename(w->journal, aside.text);
        say(why.text);
    }
    lw_buf_free(&aside);
    free(text);
    return lw_journal_replay_log(known, w->log.path, &w->mark, err);
}

struct lw_watch *lw_watch_open(const struct lw_watch_options *options,
                               lw_error_t *err)
{
    struct lw_watch *w = calloc(1, sizeof(*w));
    const struct lw_watcher_ops ops = {emit, lw_hostlist_expand, lw_names_free,
                                       w};

    if (!w || !(w->settings = lw_cli_settings()))
        goto error;
    w->options = options;
    w->lock = -1;
    use_log(w);
    w->metrics.started = time(NULL);
    if (!(w->loader = lw_loader_create()) ||
        !(w->watcher = lw_watcher_create(&ops)) ||
        !(w->journal = journal_path(w)) || take_lock(w, err) < 0 ||
        read_journal(w, err) < 0)
        goto error;
    return w;
error:
    lw_err(err, "%s", strerror(errno));
    lw_watch_close(w);
    return NULL;
}

void lw_watch_close(struct lw_watch *w)
{
    if (!w)
        return;
    lw_watcher_destroy(w->watcher);
    lw_loader_destroy(w->loader);
    lw_map_destroy(w->map);
    lw_settings_destroy(w->settings);
    free(w->state_text);
    free(w->journal);
    if (w->lock >= 0)
        close(w->lock);
    free(w);
}

void lw_watch_reload(struct lw_watch *w)
{
    w->reload = true;
}

long lw_watch_interval(const struct lw_watch *w)
{
    long every = w->options->interval ?: w->settings->interval;
    long next = w->patience.next;

    return next > 0 && next < every ? next : every;
}
