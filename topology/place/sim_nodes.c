/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sim_nodes.c - the nodes of the simulated cluster, and how Slurm picks */
#include "config.h"

#include "topology/place/sim_nodes.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static size_t cell(const struct lw_sim_nodes *s, size_t group, int free)
{
    return group * (size_t)(s->c->gpus + 1) + (size_t)free;
}

static void link_node(struct lw_sim_nodes *s, int node)
{
    size_t at = cell(s, (size_t)s->group[node], s->free[node]);

    s->prev[node] = -1;
    s->next[node] = s->head[at];
    if (s->head[at] >= 0)
        s->prev[s->head[at]] = node;
    s->head[at] = node;
}

static void unlink_node(struct lw_sim_nodes *s, int node)
{
    size_t at = cell(s, (size_t)s->group[node], s->free[node]);

    if (s->next[node] >= 0)
        s->prev[s->next[node]] = s->prev[node];
    if (s->prev[node] >= 0)
        s->next[s->prev[node]] = s->next[node];
    else
        s->head[at] = s->next[node];
}

int lw_sim_nodes_init(struct lw_sim_nodes *s, const struct lw_sim_cluster *c)
{
    size_t cells = c->ngroups * (size_t)(c->gpus + 1), g;
    int i, node;

    memset(s, 0, sizeof(*s));
    s->c = c;
    s->n = lw_sim_cluster_nodes(c);
    if (!(s->free = calloc(s->n + 1, sizeof(int))) ||
        !(s->group = calloc(s->n + 1, sizeof(int))) ||
        !(s->next = calloc(s->n + 1, sizeof(int))) ||
        !(s->prev = calloc(s->n + 1, sizeof(int))) ||
        !(s->first = calloc(c->ngroups + 1, sizeof(int))) ||
        !(s->count = calloc(cells + 1, sizeof(int))) ||
        !(s->head = malloc((cells + 1) * sizeof(int)))) {
        lw_sim_nodes_free(s);
        return -1;
    }
    memset(s->head, 0xff, (cells + 1) * sizeof(int));
    for (node = (int)s->n - 1, g = c->ngroups; g-- > 0;) {
        for (i = 0; i < c->nodes[g]; i++, node--) {
            s->group[node] = (int)g;
            s->free[node] = c->gpus;
            link_node(s, node);
        }
        s->count[cell(s, g, c->gpus)] = c->nodes[g];
        s->first[g] = node + 1;
    }
    return 0;
}

void lw_sim_nodes_free(struct lw_sim_nodes *s)
{
    free(s->free);
    free(s->group);
    free(s->next);
    free(s->prev);
    free(s->first);
    free(s->count);
    free(s->head);
    memset(s, 0, sizeof(*s));
}

void lw_sim_nodes_copy(struct lw_sim_nodes *to, const struct lw_sim_nodes *from)
{
    size_t cells = from->c->ngroups * (size_t)(from->c->gpus + 1);

    memcpy(to->free, from->free, from->n * sizeof(int));
    memcpy(to->count, from->count, cells * sizeof(int));
}

void lw_sim_nodes_count(struct lw_sim_nodes *s, int node, int gpus)
{
    size_t g = (size_t)s->group[node];

    s->count[cell(s, g, s->free[node])]--;
    s->free[node] += gpus;
    s->count[cell(s, g, s->free[node])]++;
}

void lw_sim_nodes_move(struct lw_sim_nodes *s, int node, int gpus)
{
    unlink_node(s, node);
    lw_sim_nodes_count(s, node, gpus);
    link_node(s, node);
}

void lw_sim_nodes_uncount(struct lw_sim_nodes *s, int node, int by)
{
    s->count[cell(s, (size_t)s->group[node], s->free[node])] -= by;
}

void lw_sim_nodes_hide(struct lw_sim_nodes *s, int node)
{
    unlink_node(s, node);
    lw_sim_nodes_uncount(s, node, 1);
}

void lw_sim_nodes_show(struct lw_sim_nodes *s, int node)
{
    link_node(s, node);
    lw_sim_nodes_uncount(s, node, -1);
}

int lw_sim_nodes_avail(const struct lw_sim_nodes *s, size_t group, int gpus)
{
    const int *count = s->count + cell(s, group, 0);
    int n = 0, f;

    for (f = gpus; f <= s->c->gpus; f++)
        n += count[f];
    return n;
}

/* A set of groups in the order in which they are filled. */
struct pick {
    int pod;    /* only groups of this pod, -1 any */
    int *taken; /* by group: 1 when already used; may be NULL */
};

/* The group to fill next: the tightest that holds the rest, else the
 * largest. -1 when there is none with a free node. */
static int next_group(const struct lw_sim_nodes *s, const struct pick *p,
                      int rest, int gpus)
{
    int best = -1, tight = -1, most = 0, least = INT_MAX, n;
    size_t g;

    for (g = 0; g < s->c->ngroups; g++) {
        if ((p->pod >= 0 && s->c->pod[g] != p->pod) ||
            (p->taken && p->taken[g]))
            continue;
        n = lw_sim_nodes_avail(s, g, gpus);
        if (n >= rest && n < least) {
            least = n;
            tight = (int)g;
        }
        if (n > most) {
            most = n;
            best = (int)g;
        }
    }
    return tight >= 0 ? tight : best;
}

/* The tightest pod that holds the job, -1 when none does. */
static int tightest_pod(const struct lw_sim_nodes *s, int nodes, int gpus)
{
    int *sum = calloc(s->c->npods + 1, sizeof(int)), best = -1;
    size_t g, p;

    for (g = 0; sum && g < s->c->ngroups; g++)
        sum[s->c->pod[g]] += lw_sim_nodes_avail(s, g, gpus);
    for (p = 0; sum && p < s->c->npods; p++)
        if (sum[p] >= nodes && (best < 0 || sum[p] < sum[best]))
            best = (int)p;
    free(sum);
    return best;
}

static int total(const struct lw_sim_nodes *s, int gpus)
{
    size_t g;
    int n = 0;

    for (g = 0; g < s->c->ngroups; g++)
        n += lw_sim_nodes_avail(s, g, gpus);
    return n;
}

/* Fill groups one after the other; 'use' is called for each. Returns how
 * many, 0 when the job does not fit, most + 1 when it needs too many. */
static int walk(const struct lw_sim_nodes *s, int nodes, int gpus, int most,
                void (*use)(const struct lw_sim_nodes *s, int group, int n,
                            int gpus, void *arg),
                void *arg)
{
    struct pick p = {-1, NULL};
    int groups = 0, rest = nodes, g, n;

    g = next_group(s, &p, rest, gpus);
    if (g < 0 || lw_sim_nodes_avail(s, (size_t)g, gpus) < rest) {
        if (total(s, gpus) < nodes)
            return 0;
        if (most == 1)
            return 2;
        p.pod = tightest_pod(s, nodes, gpus);
        if (!(p.taken = calloc(s->c->ngroups + 1, sizeof(int))))
            return 0;
        g = next_group(s, &p, rest, gpus);
    }
    while (g >= 0 && rest > 0 && !(most && groups == most)) {
        n = lw_sim_nodes_avail(s, (size_t)g, gpus);
        n = n > rest ? rest : n;
        if (use)
            use(s, g, n, gpus, arg);
        rest -= n;
        groups++;
        if (p.taken)
            p.taken[g] = 1;
        g = rest ? next_group(s, &p, rest, gpus) : -1;
    }
    free(p.taken);
    return rest > 0 ? most + 1 : groups;
}

int lw_sim_nodes_fit(const struct lw_sim_nodes *s, int nodes, int gpus,
                     int most)
{
    return walk(s, nodes, gpus, most, NULL, NULL);
}

/* Take nodes of a group, the least free first. */
static void take(const struct lw_sim_nodes *s, int group, int n, int gpus,
                 void *arg)
{
    int **out = arg, f, node;

    for (f = gpus; f <= s->c->gpus && n; f++)
        for (node = s->head[cell(s, (size_t)group, f)]; node >= 0 && n;
             node = s->next[node], n--)
            *(*out)++ = node;
}

struct picking {
    const int *covers;
    int *out;
};

/* The same without lists. */
static void take_counted(const struct lw_sim_nodes *s, int group, int n,
                         int gpus, void *arg)
{
    struct picking *p = arg;
    int node = s->first[group], end = node + s->c->nodes[group];

    for (; node < end && n; node++)
        if (s->free[node] >= gpus && !p->covers[node]) {
            *p->out++ = node;
            n--;
        }
}

void lw_sim_nodes_pick(const struct lw_sim_nodes *s, int nodes, int gpus,
                       int most, const int *covers, int *picked)
{
    struct picking p = {covers, picked};

    walk(s, nodes, gpus, most, take_counted, &p);
}

/* A small job: on the fullest node that has room, wherever it is. */
static int fill_node(const struct lw_sim_nodes *s, int gpus)
{
    size_t g;
    int f;

    for (f = gpus; f < s->c->gpus; f++)
        for (g = 0; g < s->c->ngroups; g++)
            if (s->head[cell(s, g, f)] >= 0)
                return s->head[cell(s, g, f)];
    return -1;
}

/* Slurm by itself: the tightest group, there the emptiest node. */
static int empty_node(const struct lw_sim_nodes *s, int gpus)
{
    struct pick p = {-1, NULL};
    int g = next_group(s, &p, 1, gpus), f;

    for (f = s->c->gpus; g >= 0 && f >= gpus; f--)
        if (s->head[cell(s, (size_t)g, f)] >= 0)
            return s->head[cell(s, (size_t)g, f)];
    return -1;
}

int lw_sim_nodes_choose(const struct lw_sim_nodes *s, int nodes, int gpus,
                        int most, bool fill, int *chosen)
{
    int groups;

    if (nodes == 1 && gpus < s->c->gpus) {
        chosen[0] = fill ? fill_node(s, gpus) : -1;
        if (chosen[0] < 0)
            chosen[0] = empty_node(s, gpus);
        return chosen[0] >= 0;
    }
    groups = walk(s, nodes, gpus, most, take, &chosen);
    return most && groups > most ? 0 : groups;
}
