/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_moves.c - pending gangs that could start if k jobs were moved */
#include "config.h"

#include "topology/place/report_open.h"
#include "topology/place/report_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A running job as it lies on the groups; nodes per group in 'on'. */
struct mover {
    const struct lw_run *run;
    int *on;    /* by group: nodes that only this job uses */
    int *parts; /* by group: nodes that it shares */
    int nodes;
};

struct plan {
    size_t ngroups;
    int *idle; /* by group */
    int *up;
    struct mover *movers;
    size_t nmovers;
    struct lw_strtab *names; /* nodes */
    int *group_of;           /* by number of the node */
    int *users;              /* jobs on it */
};

static void plan_free(struct plan *p)
{
    size_t i;

    for (i = 0; i < p->nmovers; i++) {
        free(p->movers[i].on);
        free(p->movers[i].parts);
    }
    free(p->movers);
    free(p->idle);
    free(p->up);
    free(p->group_of);
    free(p->users);
    lw_strtab_destroy(p->names);
}

/* Node names from the map, states from the last snapshot. */
static int plan_groups(struct plan *p, const struct lw_cluster *c)
{
    size_t i, j, n = 0, number;

    p->ngroups = c->groups.n;
    for (i = 0; i < c->map.n; i++)
        n += c->map.v[i].nnodes;
    if (!(p->names = lw_strtab_create()) ||
        !(p->group_of = calloc(n + 1, sizeof(int))) ||
        !(p->users = calloc(n + 1, sizeof(int))) ||
        !(p->idle = calloc(p->ngroups + 1, sizeof(int))) ||
        !(p->up = calloc(p->ngroups + 1, sizeof(int))))
        return -1;
    for (i = 0; i < p->ngroups; i++) {
        const struct lw_cluster_group *g = &c->groups.v[i];
        const struct lw_cluster_group *m = lw_cluster_find(&c->map, g->name);

        p->idle[i] = (int)lw_group_count(g, 'i');
        p->up[i] = (int)(strlen(g->states) - lw_group_count(g, 'd') -
                         lw_group_count(g, '-'));
        for (j = 0; m && j < m->nnodes; j++) {
            number = lw_strtab_add(p->names, m->nodes[j], strlen(m->nodes[j]));
            if (number == LW_STRTAB_NONE)
                return -1;
            if (number < n)
                p->group_of[number] = (int)i;
        }
    }
    return 0;
}

/* Call 'f' for every node of a run that the map knows. */
static void each_node(const struct plan *p, const struct lw_hosts *hosts,
                      const struct lw_run *run,
                      void (*f)(const struct plan *p, size_t node, void *arg),
                      void *arg)
{
    size_t n = 0, i, node;
    char **names = run->nodes ? hosts->expand(run->nodes, &n, NULL) : NULL;

    for (i = 0; names && i < n; i++) {
        node = lw_strtab_find(p->names, names[i], strlen(names[i]));
        if (node != LW_STRTAB_NONE)
            f(p, node, arg);
    }
    if (names)
        hosts->free_names(names, n);
}

static void count_user(const struct plan *p, size_t node, void *arg)
{
    (void)arg;
    p->users[node]++;
}

static void count_on(const struct plan *p, size_t node, void *arg)
{
    struct mover *m = arg;

    m->nodes++;
    if (p->users[node] == 1)
        m->on[p->group_of[node]]++;
    else
        m->parts[p->group_of[node]]++;
}

static int plan_movers(struct plan *p, const struct lw_report *r)
{
    const struct lw_hosts *hosts = &r->options.hosts;
    const struct lw_run *run;
    size_t at = 0, n = 0;
    struct mover *m;

    while ((run = lw_report_open_next(r, &at))) {
        each_node(p, hosts, run, count_user, NULL);
        n++;
    }
    if (!(p->movers = calloc(n + 1, sizeof(*p->movers))))
        return -1;
    for (at = 0; (run = lw_report_open_next(r, &at));) {
        m = &p->movers[p->nmovers++];
        m->run = run;
        if (!(m->on = calloc(p->ngroups + 1, sizeof(int))) ||
            !(m->parts = calloc(p->ngroups + 1, sizeof(int))))
            return -1;
        each_node(p, hosts, run, count_on, m);
    }
    return 0;
}

/* One answer: which jobs to move so that the gang fits. */
struct answer {
    long jobs; /* -1: no way found */
    long free; /* idle nodes on the chosen groups before */
    char ids[120];
};

static int in_set(const size_t *set, size_t n, size_t group)
{
    size_t i;

    for (i = 0; i < n; i++)
        if (set[i] == group)
            return 1;
    return 0;
}

/* The k groups that need the fewest nodes freed: most idle nodes first,
 * among those with enough nodes up for an even share. */
static size_t choose_groups(const struct plan *p, long nodes, long k,
                            size_t *set)
{
    size_t n = 0, i, best;
    long left = nodes;

    while (n < (size_t)k && n < p->ngroups && left > 0) {
        long share = (left + (k - (long)n) - 1) / (k - (long)n);

        best = p->ngroups;
        for (i = 0; i < p->ngroups; i++)
            if (!in_set(set, n, i) && p->up[i] >= share &&
                (best == p->ngroups || p->idle[i] > p->idle[best]))
                best = i;
        if (best == p->ngroups)
            break;
        set[n++] = best;
        left -= p->up[best];
    }
    return left > 0 ? 0 : n;
}

/* What moving a job frees in the set; 0 when it would not help, or when its
 * own nodes do not fit elsewhere. */
static int gain(const struct plan *p, const struct mover *m, const size_t *set,
                size_t n, long room)
{
    int freed = 0;
    size_t i;

    for (i = 0; i < n; i++)
        freed += m->on[set[i]];
    (void)p;
    return m->nodes <= room ? freed : 0;
}

static void note_id(struct answer *a, const struct lw_run *run)
{
    size_t n = strlen(a->ids);

    if (n + 24 < sizeof(a->ids))
        snprintf(a->ids + n, sizeof(a->ids) - n, "%s%ld", n ? "," : "",
                 run->id);
    else if (n && a->ids[n - 1] != '.')
        snprintf(a->ids + n, sizeof(a->ids) - n, ",..");
}

/* Take the job that frees most nodes, and of those the smallest, until
 * enough are free. */
static void free_nodes(const struct plan *p, const size_t *set, size_t n,
                       long need, long room, struct answer *a)
{
    char *moved = calloc(p->nmovers + 1, 1);
    size_t i, best;
    int g, most;

    a->jobs = 0;
    while (moved && need > 0) {
        best = p->nmovers;
        most = 0;
        for (i = 0; i < p->nmovers; i++) {
            g = moved[i] ? 0 : gain(p, &p->movers[i], set, n, room);
            if (g > need)
                g = (int)need;
            if (g > most || (g && g == most &&
                             p->movers[i].nodes < p->movers[best].nodes)) {
                most = g;
                best = i;
            }
        }
        if (best == p->nmovers)
            break;
        moved[best] = 1;
        need -= gain(p, &p->movers[best], set, n, room);
        room -= p->movers[best].nodes;
        a->jobs++;
        note_id(a, p->movers[best].run);
    }
    if (need > 0 || !moved)
        a->jobs = -1;
    free(moved);
}

static void answer(const struct plan *p, const struct lw_pending *gang,
                   struct answer *a)
{
    size_t *set = calloc(p->ngroups + 1, sizeof(*set)), n, i;
    long k = gang->groups > 0 ? gang->groups : 1, room = 0;

    memset(a, 0, sizeof(*a));
    a->jobs = -1;
    n = set ? choose_groups(p, gang->nodes, k, set) : 0;
    for (i = 0; i < p->ngroups; i++)
        if (!in_set(set, n, i))
            room += p->idle[i];
    for (i = 0; i < n; i++)
        a->free += p->idle[set[i]];
    if (n)
        free_nodes(p, set, n, gang->nodes - a->free, room, a);
    if (n && a->free >= gang->nodes)
        a->jobs = 0;
    free(set);
}

static const struct lw_column move_columns[] = {
    {"job", "Pending job", 0},
    {"nodes", "Nodes", 0},
    {"groups", "Groups", 0},
    {"idle", "Idle there", 1},
    {"moves", "Jobs to move", 0},
    {"which", "Which", 0},
    {0},
};

/* A snapshot knows no users. */
static bool wanted(const struct lw_report *r, const struct lw_pending *p)
{
    return lw_name_listed(r->options.partitions,
                          lw_strtab_name(r->cluster.names, p->partition)) &&
           (!r->options.sizes ||
            lw_size_listed(r->options.sizes, p->nodes) > 0);
}

static void fill(const struct lw_report *r, const struct plan *p,
                 struct lw_sheet *t)
{
    const struct lw_cluster *c = &r->cluster;
    struct answer a;
    char id[32];
    size_t i;

    for (i = 0; i < c->npending; i++) {
        if (!wanted(r, &c->pending[i]))
            continue;
        answer(p, &c->pending[i], &a);
        snprintf(id, sizeof(id), "%ld", c->pending[i].id);
        lw_sheet_text(t, id);
        lw_sheet_count(t, c->pending[i].nodes);
        lw_sheet_count(t, c->pending[i].groups);
        lw_sheet_count(t, a.free);
        lw_sheet_count(t, a.jobs);
        lw_sheet_text(t, a.jobs > 0 ? a.ids : NULL);
    }
    snprintf(t->note, sizeof(t->note),
             lw_sheet_rows(t)
                 ? "As of the last snapshot. 0 jobs to move: it fits, "
                   "and waits for its turn. No number: moving does "
                   "not help, nodes are missing."
                 : "No gang was pending at the last snapshot.");
}

void lw_report_fill_moves(const struct lw_report *r, struct lw_sheet *t)
{
    struct plan p = {0};

    lw_sheet_init(t, "moves", move_columns);
    snprintf(t->title, sizeof(t->title),
             "Pending gangs that would start on the fewest groups if jobs "
             "were moved");
    if (!r->cluster.snapshots || !r->cluster.map.n ||
        !r->options.hosts.expand) {
        snprintf(t->note, sizeof(t->note),
                 r->options.hosts.expand
                     ? "This needs a snapshot and the map's line in the log."
                     : "This needs a build with Slurm, to read host lists.");
        return;
    }
    if (plan_groups(&p, &r->cluster) < 0 || plan_movers(&p, r) < 0)
        t->failed = 1;
    else
        fill(r, &p, t);
    plan_free(&p);
}
