/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patience.c - how long a gang may wait for its groups, and what is taken
 * back when that is over */
#include "config.h"

#include "topology/place/patience.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/buf.h"
#include "topology/place/mark.h"
#include "topology/place/roots.h"

/* After one more group was allowed Slurm has this long to start the job;
 * then any number is. */
#define GRACE 15

/* The end of a job without a time limit. */
#define FOREVER ((time_t)INT64_MAX)

struct going {
    struct lw_watcher *w;
    const struct lw_look *look;
    const struct lw_settings *settings;
    const struct lw_patience_ops *ops;
    struct lw_patience_result *result;
    struct lw_capacity *free; /* what the jobs ahead in the queue leave */
    long *room;               /* by group */
    bool *barred;             /* by node of the map: excluded by the job */
    time_t *held;             /* by node: until when a job ahead that cannot
                                 start yet leaves it; 0 it wants it not */
    time_t ends;              /* of the job at hand, should it start now */
};

long lw_patience_seconds(const struct lw_settings *s, long minutes, long own)
{
    double cost;

    if (own >= 0)
        return own;
    if (minutes < 0)
        return s->max_patience;
    cost = (double)minutes * 60.0 * s->slowdown;
    return cost < (double)s->max_patience ? (long)cost : s->max_patience;
}

static void due_in(struct going *g, long seconds)
{
    long *next = &g->result->next;

    if (seconds < 1)
        seconds = 1;
    if (*next < 0 || seconds < *next)
        *next = seconds;
}

static int say(struct going *g, const struct lw_known *k, const char *event,
               const struct lw_wait *wait)
{
    struct lw_event e = LW_EVENT_INIT;

    e.event = event;
    e.at = g->look->at;
    e.cluster = g->look->state->cluster;
    e.ref = k->ref;
    e.job = &k->job;
    e.wait = wait;
    if (g->ops->emit(g->ops->arg, &e) != 0)
        return -1;
    g->result->changed = true;
    return 0;
}

/* --- which nodes --------------------------------------------------------------- */

static void bar(struct going *g, const char *exclude, bool barred)
{
    size_t n = 0, i;
    char **names;
    int node;

    if (!exclude || !(names = g->ops->expand(exclude, &n, NULL)))
        return;
    for (i = 0; i < n; i++)
        if ((node = lw_map_find_node(g->look->map, names[i])) >= 0)
            g->barred[node] = barred;
    g->ops->names_free(names, n);
}

static bool is_free(const struct going *g, int node, const struct lw_need *need)
{
    return node >= 0 && !g->barred[node] &&
           (!g->held[node] || g->ends <= g->held[node]) &&
           g->look->map->nodes[node].group >= 0 &&
           lw_capacity_suits(g->free, (size_t)node, need) &&
           lw_capacity_is_free(g->free, (size_t)node, need);
}

static bool takes(const struct lw_state_partition *p, const struct lw_job *j)
{
    return p->up && j->nnodes >= p->min_nodes &&
           (p->max_nodes < 0 || j->nnodes <= p->max_nodes) &&
           (p->max_minutes < 0 || j->minutes <= p->max_minutes);
}

/* Free nodes of one partition by group; the fewest groups on which the job
 * could start there, -1 when it cannot. */
static long room_in(struct going *g, const struct lw_state_partition *p,
                    const struct lw_job *j, const struct lw_need *need)
{
    const struct lw_capacity *now = lw_watcher_capacity(g->w);
    long total = 0, most;
    size_t i;

    memset(g->room, 0, g->look->map->ngroups * sizeof(*g->room));
    for (i = 0; takes(p, j) && i < p->nnodes; i++) {
        int node = now->index[p->nodes[i]];

        if (is_free(g, node, need)) {
            g->room[g->look->map->nodes[node].group]++;
            total++;
        }
    }
    return total < j->nnodes
               ? -1
               : lw_roots_fewest(g->look->map, g->room, j->nnodes, &most);
}

/* The same in the best of its partitions, whose room stays in g->room. */
static long count_room(struct going *g, const struct lw_job *j,
                       const struct lw_need *need)
{
    const struct lw_state_partition *best = NULL, *p;
    const char *names = j->partition, *at = names;
    long fewest = -1, n;

    do {
        p = lw_state_find_partition(g->look->state, at);
        n = p ? room_in(g, p, j, need) : -1;
        if (p && (!best || (n > 0 && (fewest < 0 || n < fewest)))) {
            best = p;
            fewest = n;
        }
        at = at ? strchr(at, ',') : NULL;
    } while (at++);
    return best ? room_in(g, best, j, need) : -1;
}

/* A job ahead that cannot start yet has the nodes that it waits with: who
 * runs longer than until its planned start does not get them. */
static void hold(struct going *g, const struct lw_job *j,
                 const struct lw_need *need)
{
    const struct lw_capacity *now = lw_watcher_capacity(g->w);
    const struct lw_state_partition *p =
        lw_state_find_partition(g->look->state, j->partition);
    time_t until = j->planned > 0 ? j->planned : 1;
    size_t i;

    for (i = 0; p && takes(p, j) && i < p->nnodes; i++) {
        int node = now->index[p->nodes[i]];

        if (is_free(g, node, need) && (!g->held[node] || until < g->held[node]))
            g->held[node] = until;
    }
}

/* The fullest group that holds what is left, else the largest. */
static size_t next_group(const struct going *g, long left)
{
    size_t best = 0, i;

    for (i = 1; i < g->look->map->ngroups; i++) {
        long a = g->room[i], b = g->room[best];

        if (a >= left ? b < left || a < b : b < left && a > b)
            best = i;
    }
    return best;
}

/* Take the nodes that the job would get, so that those behind it in the
 * queue are judged by what is left. */
static void take(struct going *g, const struct lw_job *j,
                 const struct lw_need *need)
{
    const struct lw_map *map = g->look->map;
    long left = j->nnodes;
    size_t i;

    while (left > 0) {
        const struct lw_map_group *group;
        size_t best = next_group(g, left);

        if (g->room[best] <= 0)
            return;
        group = &map->groups[best];
        for (i = 0; i < group->nnodes && left > 0; i++)
            if (is_free(g, group->nodes[i], need)) {
                lw_capacity_take(g->free, (size_t)group->nodes[i], need);
                left--;
            }
        g->room[best] = 0;
    }
}

/* --- the clock --------------------------------------------------------------------- */

/* The job is as the plugin, or watch, left it. */
static bool is_untouched(const struct lw_known *k, const struct lw_job *j,
                         const struct lw_mark *m)
{
    long asked = j->switches > 0 ? j->switches : 0;

    return (m->nodes < 0 || j->nnodes == m->nodes) && !j->include &&
           (asked == m->switches ||
            (k->clock.switches >= 0 && asked == k->clock.switches));
}

bool lw_patience_is_changed(const struct lw_known *k, const struct lw_job *j)
{
    struct lw_mark m;

    return lw_mark_parse(j->comment, &m) &&
           (k->clock.let_be || j->include ||
            (m.switches > 0 && !is_untouched(k, j, &m)));
}

static int start_clock(struct going *g, struct lw_known *k, long groups_now)
{
    struct lw_wait wait = LW_WAIT_INIT;

    wait.patience = k->clock.patience;
    wait.switches = k->job.switches;
    wait.groups_now = groups_now;
    if (say(g, k, "waiting", &wait) < 0)
        return -1;
    k->said |= LW_SAID_WAITING;
    return 0;
}

static int change_switches(struct going *g, struct lw_known *k,
                           const struct lw_job *j, long from, long to,
                           long groups_now)
{
    struct lw_wait wait = LW_WAIT_INIT;

    wait.what = "switches";
    wait.locality = k->clock.waited;
    wait.patience = k->clock.patience;
    wait.groups_now = groups_now;
    wait.from = from;
    wait.to = to;
    say(g, k, "relaxed", &wait); /* a lost line does not hold the job */
    k->said |= LW_SAID_PATIENCE;
    g->result->changed = true;
    k->clock.switches = to;
    k->clock.relaxed = g->look->at.tv_sec;
    return g->ops->set_switches(g->ops->arg, j->id, to, j->comment);
}

/* Patience is over: first the fewest groups on which it can start now, then,
 * when Slurm does not find them, any. */
static int relax(struct going *g, struct lw_known *k, const struct lw_job *j,
                 const struct lw_mark *m, long groups_now)
{
    struct lw_clock *c = &k->clock;
    time_t now = g->look->at.tv_sec;
    long from = c->switches >= 0 ? c->switches : m->switches;

    if (c->switches == 0)
        return 0;
    if (c->switches > 0 && now - c->relaxed < GRACE) {
        due_in(g, GRACE - (long)(now - c->relaxed));
        return 0;
    }
    if (c->switches > 0)
        return change_switches(g, k, j, from, 0, groups_now);
    return change_switches(
        g, k, j, from, groups_now > from ? groups_now : from + 1, groups_now);
}

static void run_clock(struct going *g, struct lw_known *k, bool waiting)
{
    struct lw_clock *c = &k->clock;
    time_t now = g->look->at.tv_sec;

    if (waiting && c->since && now > c->since)
        c->waited += (long)(now - c->since);
    if ((c->since != 0) != waiting)
        g->result->changed = true;
    c->since = waiting ? now : 0;
}

/* A marked gang that waits for its groups. 'room' nodes are free for it, on
 * 'groups_now' groups at least. */
static void look_at_gang(struct going *g, struct lw_known *k,
                         const struct lw_job *j, const struct lw_mark *m,
                         long groups_now)
{
    struct lw_clock *c = &k->clock;
    bool startable = groups_now > 0;
    bool waiting = startable && groups_now > m->switches;

    if (!is_untouched(k, j, m)) {
        g->result->changed |= !c->let_be;
        c->let_be = true;
        c->since = 0;
        return;
    }
    c->patience = lw_patience_seconds(g->settings, j->minutes, m->patience);
    if (c->switches >= 0 && (j->switches > 0 ? j->switches : 0) != c->switches)
        g->ops->set_switches(g->ops->arg, j->id, c->switches, j->comment);
    if (waiting && !(k->said & LW_SAID_WAITING) &&
        start_clock(g, k, groups_now) < 0)
        return;
    /* once allowed more groups it is for Slurm to start it */
    run_clock(g, k, waiting || (startable && c->switches > 0));
    if (!c->since)
        return;
    g->result->waiting++;
    if (c->waited >= c->patience)
        relax(g, k, j, m, groups_now);
    else
        due_in(g, c->patience - c->waited);
}

/* --- exclusions ---------------------------------------------------------------------- */

/* Somebody who changed it since has made it his own. */
static bool is_as_left(const struct going *g, const struct lw_job *j,
                       const struct lw_mark *m)
{
    return m->sum && j->exclude && g->ops->sum(j->exclude) == m->sum;
}

static void say_exclude(struct going *g, const struct lw_known *k,
                        const char *what)
{
    struct lw_wait wait = LW_WAIT_INIT;

    wait.what = what;
    say(g, k, "relaxed", &wait);
}

/* Let nodes in again; 'left' of ours stay beside the user's own. Each change
 * is said once, however often slurmctld refuses it. */
static void let_in(struct going *g, struct lw_known *k, const struct lw_job *j,
                   const struct lw_mark *m, const char *nodes, long left)
{
    const char *what = m->subnode ? "sub-node" : "degraded";
    uint32_t sum = left > 0 ? g->ops->sum(nodes) : 0;
    char mark[LW_MARK_SIZE];

    if ((left > 0 && !sum) ||
        lw_mark_exclude(j->comment, left, m->own, sum, mark, sizeof(mark)) < 0)
        return;
    if (!k->clock.lifting)
        say_exclude(g, k, what);
    g->result->changed = true;
    k->clock.lifting =
        g->ops->set_exclude(g->ops->arg, j->id, nodes, mark) != 0;
}

/* Idle nodes were excluded in favour of partly used ones; after a few
 * seconds they are let in again. */
static void look_at_subnode(struct going *g, struct lw_known *k,
                            const struct lw_job *j, const struct lw_mark *m)
{
    time_t from = j->eligible > j->submit ? j->eligible : j->submit;
    long left = g->settings->subnode_delay - (long)(g->look->at.tv_sec - from);

    if (left > 0)
        due_in(g, left);
    else
        let_in(g, k, j, m, m->own, 0);
}

static bool is_one_of(char *const *names, size_t n, const char *name)
{
    size_t i;

    for (i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool is_degraded(const struct lw_map *map, const char *name)
{
    int i = lw_map_find_node(map, name);

    return i >= 0 && (map->nodes[i].rails_up < map->nodes[i].rails ||
                      map->nodes[i].rails_slow > 0);
}

/* Nodes with a rail down were excluded; those that have healed come back. */
static void look_at_degraded(struct going *g, struct lw_known *k,
                             const struct lw_job *j, const struct lw_mark *m)
{
    struct lw_buf still = LW_BUF_INIT(1 << 20);
    size_t n = 0, nown = 0, i, left = 0, healed = 0;
    char **names = g->ops->expand(j->exclude, &n, NULL);
    char **own = *m->own ? g->ops->expand(m->own, &nown, NULL) : NULL;

    lw_buf_puts(&still, m->own);
    for (i = 0; names && i < n; i++) {
        if (is_one_of(own, nown, names[i]))
            continue;
        if (!is_degraded(g->look->map, names[i])) {
            healed++;
            continue;
        }
        lw_buf_printf(&still, "%s%s", still.len ? "," : "", names[i]);
        left++;
    }
    if (healed && (own || !*m->own) && !still.failed)
        let_in(g, k, j, m, lw_buf_text(&still), (long)left);
    lw_buf_free(&still);
    g->ops->names_free(names, n);
    g->ops->names_free(own, nown);
}

/* --- the queue --------------------------------------------------------------------------- */

static void look_at_marked(struct going *g, struct lw_known *k,
                           const struct lw_job *j, const struct lw_mark *m,
                           long groups_now)
{
    if (k->clock.let_be)
        return;
    if (m->switches > 0)
        look_at_gang(g, k, j, m, groups_now);
    if (k->clock.let_be || m->excluded < 0 || !is_as_left(g, j, m))
        return;
    if (m->excluded == 0)
        let_in(g, k, j, m, m->own, 0);
    else if (m->subnode)
        look_at_subnode(g, k, j, m);
    else
        look_at_degraded(g, k, j, m);
}

static void look_at_job(struct going *g, const struct lw_job *j)
{
    struct lw_known *k = lw_known_find(lw_watcher_known(g->w), j->id);
    struct lw_need need = lw_capacity_need(j);
    struct lw_mark mark;
    long groups_now;

    bar(g, j->exclude, true);
    g->ends =
        j->minutes < 0 ? FOREVER : g->look->at.tv_sec + (time_t)j->minutes * 60;
    groups_now = count_room(g, j, &need);
    if (k && lw_mark_parse(j->comment, &mark))
        look_at_marked(g, k, j, &mark, groups_now);
    if (groups_now > 0)
        take(g, j, &need);
    else
        hold(g, j, &need);
    bar(g, j->exclude, false);
}

/* Nothing but resources keeps it. */
static bool competes(const struct lw_job *j, time_t now)
{
    return j->state == LW_JOB_PENDING && !j->held && !j->completing &&
           j->eligible > 0 && j->eligible <= now && j->nnodes > 0 &&
           j->reason != LW_WAIT_OTHER;
}

static int by_priority(const void *a, const void *b)
{
    const struct lw_job *x = *(const struct lw_job *const *)a;
    const struct lw_job *y = *(const struct lw_job *const *)b;

    if (x->priority != y->priority)
        return x->priority < y->priority ? 1 : -1;
    return (x->id > y->id) - (x->id < y->id);
}

static int go(struct going *g)
{
    const struct lw_look *look = g->look;
    const struct lw_job **queue = calloc(look->njobs + 1, sizeof(*queue));
    size_t n = 0, i;

    if (!queue)
        return -1;
    for (i = 0; i < look->njobs; i++)
        if (competes(&look->jobs[i], look->at.tv_sec))
            queue[n++] = &look->jobs[i];
    if (n)
        qsort(queue, n, sizeof(*queue), by_priority);
    for (i = 0; i < n; i++)
        look_at_job(g, queue[i]);
    free(queue);
    return 0;
}

int lw_patience_look(struct lw_watcher *w, const struct lw_look *look,
                     const struct lw_settings *settings,
                     const struct lw_patience_ops *ops,
                     struct lw_patience_result *result)
{
    struct going g = {.w = w,
                      .look = look,
                      .settings = settings,
                      .ops = ops,
                      .result = result};
    int rc = -1;

    memset(result, 0, sizeof(*result));
    result->next = -1;
    if (!look->map || !lw_watcher_capacity(w))
        return 0;
    g.free = lw_capacity_create(look->map, look->state);
    g.room = calloc(look->map->ngroups + 1, sizeof(*g.room));
    g.barred = calloc(look->map->nnodes + 1, sizeof(*g.barred));
    g.held = calloc(look->map->nnodes + 1, sizeof(*g.held));
    if (g.free && g.room && g.barred && g.held)
        rc = go(&g);
    lw_capacity_destroy(g.free);
    free(g.room);
    free(g.barred);
    free(g.held);
    return rc;
}
