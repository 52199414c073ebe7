/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics.c - what Prometheus reads through node_exporter's textfiles */
#include "config.h"

#include "topology/place/metrics.h"

#include <string.h>

static const char *const sizes[LW_SIZES] = {"1", "2-4", "5-16", "17-64", "65+"};
static const long size_limits[LW_SIZES - 1] = {1, 4, 16, 64};
static const long bounds[LW_METRICS_BUCKETS - 1] = {0,    60,    300,   900,
                                                    3600, 14400, 43200, 172800};

static size_t size_class(long nodes)
{
    size_t i = 0;

    while (i < LW_SIZES - 1 && nodes > size_limits[i])
        i++;
    return i;
}

static void observe(struct lw_histogram *h, long seconds)
{
    size_t i = 0;

    if (seconds < 0)
        return;
    while (i < LW_METRICS_BUCKETS - 1 && seconds > bounds[i])
        i++;
    h->buckets[i]++;
    h->count++;
    h->sum += (unsigned long)seconds;
}

static void count_placed(struct lw_metrics *m, const struct lw_event *e)
{
    const struct lw_placement *p = e->placement;
    size_t class;

    if (!p || p->gpus <= 0)
        return;
    class = size_class(p->nnodes);
    if (e->wait) {
        observe(&m->queue[class], e->wait->queue);
        observe(&m->locality, e->wait->locality);
        m->ended_patience +=
            e->wait->ended_by && strcmp(e->wait->ended_by, "patience") == 0;
    }
    if (!p->scored)
        return;
    m->placed[class]++;
    m->packed[class] += p->score.excess <= 0;
    if (p->score.excess > 0)
        m->excess_groups += (unsigned long)p->score.excess;
}

void lw_metrics_count(struct lw_metrics *m, const struct lw_event *e)
{
    if (strcmp(e->event, "placed") == 0)
        count_placed(m, e);
    else if (strcmp(e->event, "relaxed") == 0)
        m->relaxed++;
}

/* --- printing -------------------------------------------------------------- */

static void family(struct lw_buf *b, const char *name, const char *type,
                   const char *help)
{
    lw_buf_printf(b, "# HELP leafward_%s %s\n# TYPE leafward_%s %s\n", name,
                  help, name, type);
}

static void label_value(struct lw_buf *b, const char *text)
{
    for (; *text; text++) {
        if (*text == '\\' || *text == '"')
            lw_buf_printf(b, "\\%c", *text);
        else if (*text == '\n')
            lw_buf_puts(b, "\\n");
        else
            lw_buf_add(b, text, 1);
    }
}

/* NAME{cluster="..",KEY="..",KEY2=".."} with the keys that are not NULL. */
static void series(struct lw_buf *b, const char *name, const char *cluster,
                   const char *const labels[][2], size_t n)
{
    size_t i;

    lw_buf_printf(b, "leafward_%s{cluster=\"", name);
    label_value(b, cluster);
    lw_buf_puts(b, "\"");
    for (i = 0; i < n; i++) {
        lw_buf_printf(b, ",%s=\"", labels[i][0]);
        label_value(b, labels[i][1]);
        lw_buf_puts(b, "\"");
    }
    lw_buf_puts(b, "} ");
}

static void plain(struct lw_buf *b, const char *name, const char *cluster,
                  double value)
{
    series(b, name, cluster, NULL, 0);
    lw_buf_printf(b, "%.15g\n", value);
}

static void one(struct lw_buf *b, const char *name, const char *cluster,
                const char *key, const char *label, double value)
{
    const char *const labels[][2] = {{key, label}};

    series(b, name, cluster, labels, 1);
    lw_buf_printf(b, "%.15g\n", value);
}

static void number_label(struct lw_buf *b, const char *name,
                         const char *cluster, const char *key, long label,
                         double value)
{
    struct lw_buf text = LW_BUF_INIT(32);

    lw_buf_printf(&text, "%ld", label);
    one(b, name, cluster, key, lw_buf_text(&text), value);
    lw_buf_free(&text);
}

static void startable(struct lw_buf *b, const char *type, long groups,
                      const char *cluster, long nodes)
{
    struct lw_buf text = LW_BUF_INIT(32);
    const char *labels[][2] = {{"gpu_type", type}, {"groups", NULL}};

    lw_buf_printf(&text, "%ld", groups);
    labels[1][1] = lw_buf_text(&text);
    series(b, "type_startable_nodes", cluster, labels, 2);
    lw_buf_printf(b, "%ld\n", nodes);
    lw_buf_free(&text);
}

static void histogram(struct lw_buf *b, const char *name, const char *cluster,
                      const char *size, const struct lw_histogram *h)
{
    const char *label[][2] = {{"size_class", size}, {"le", "+Inf"}};
    size_t skip = size ? 0 : 1, i;
    unsigned long sum = 0;

    for (i = 0; i < LW_METRICS_BUCKETS; i++) {
        struct lw_buf bucket = LW_BUF_INIT(128), le = LW_BUF_INIT(32);

        sum += h->buckets[i];
        lw_buf_printf(&bucket, "%s_bucket", name);
        if (i < LW_METRICS_BUCKETS - 1)
            lw_buf_printf(&le, "%ld", bounds[i]);
        else
            lw_buf_puts(&le, "+Inf");
        label[1][1] = lw_buf_text(&le);
        series(b, lw_buf_text(&bucket), cluster, label + skip, 2 - skip);
        lw_buf_printf(b, "%lu\n", sum);
        lw_buf_free(&bucket);
        lw_buf_free(&le);
    }
    for (i = 0; i < 2; i++) {
        struct lw_buf part = LW_BUF_INIT(128);

        lw_buf_printf(&part, "%s_%s", name, i ? "count" : "sum");
        series(b, lw_buf_text(&part), cluster, label + skip, 1 - skip);
        lw_buf_printf(b, "%lu\n", i ? h->count : h->sum);
        lw_buf_free(&part);
    }
}

static void print_counters(struct lw_buf *b, const struct lw_metrics *m,
                           const char *c)
{
    size_t i;

    family(b, "jobs_placed_total", "counter",
           "GPU jobs that got their nodes since watch started.");
    for (i = 0; i < LW_SIZES; i++)
        one(b, "jobs_placed_total", c, "size_class", sizes[i],
            (double)m->placed[i]);
    family(b, "jobs_packed_total", "counter",
           "Of those, jobs on the fewest groups that could hold them.");
    for (i = 0; i < LW_SIZES; i++)
        one(b, "jobs_packed_total", c, "size_class", sizes[i],
            (double)m->packed[i]);
    family(b, "excess_groups_total", "counter",
           "Groups used beyond the fewest possible, summed over jobs.");
    plain(b, "excess_groups_total", c, (double)m->excess_groups);
    family(b, "relaxed_total", "counter",
           "Times a pending job was allowed more groups or nodes.");
    plain(b, "relaxed_total", c, (double)m->relaxed);
    family(b, "patience_ended_total", "counter",
           "Gangs that started after their patience was over.");
    plain(b, "patience_ended_total", c, (double)m->ended_patience);
    family(b, "queue_wait_seconds", "histogram",
           "Time from eligible to start of GPU jobs, by nodes.");
    for (i = 0; i < LW_SIZES; i++)
        histogram(b, "queue_wait_seconds", c, sizes[i], &m->queue[i]);
    family(b, "locality_wait_seconds", "histogram",
           "Part of it spent waiting for fewer groups, gangs that did.");
    histogram(b, "locality_wait_seconds", c, NULL, &m->locality);
}

static void print_health(struct lw_buf *b, const struct lw_metrics *m,
                         const char *c)
{
    family(b, "log_lines_lost_total", "counter",
           "Lines of the placement log that watch could not write at once.");
    plain(b, "log_lines_lost_total", c, (double)m->lines_lost);
    family(b, "runs_lost_total", "counter",
           "Runs that Slurm had forgotten before their end was seen.");
    plain(b, "runs_lost_total", c, (double)m->runs_lost);
    family(b, "looks_failed_total", "counter",
           "Looks at the cluster that slurmctld did not answer.");
    plain(b, "looks_failed_total", c, (double)m->looks_failed);
    family(b, "last_look_timestamp_seconds", "gauge",
           "When slurmctld answered last.");
    plain(b, "last_look_timestamp_seconds", c, (double)m->last_look);
    family(b, "look_duration_seconds", "gauge",
           "How long the last look took, with all that followed.");
    plain(b, "look_duration_seconds", c, m->look_seconds);
    family(b, "start_timestamp_seconds", "gauge", "When watch was started.");
    plain(b, "start_timestamp_seconds", c, (double)m->started);
}

static void print_nodes(struct lw_buf *b, const struct lw_snapshot *s,
                        const char *c)
{
    size_t i;

    family(b, "nodes", "gauge", "Nodes by what they can take now.");
    one(b, "nodes", c, "state", "idle", (double)s->idle);
    one(b, "nodes", c, "state", "mixed", (double)s->mixed);
    one(b, "nodes", c, "state", "full", (double)s->full);
    one(b, "nodes", c, "state", "down", (double)s->down);
    family(b, "nodes_unmapped", "gauge",
           "GPU nodes that the fabric map does not hold.");
    plain(b, "nodes_unmapped", c, (double)s->unmapped);
    family(b, "gpus", "gauge", "GPUs configured.");
    plain(b, "gpus", c, (double)s->gpus);
    family(b, "gpus_used", "gauge", "GPUs allocated.");
    plain(b, "gpus_used", c, (double)s->gpus_used);
    family(b, "gpus_down", "gauge", "Free GPUs on nodes that take no job.");
    plain(b, "gpus_down", c, (double)s->gpus_down);
    family(b, "gpus_stranded", "gauge",
           "Free GPUs on partly used nodes: no use to a gang.");
    plain(b, "gpus_stranded", c, (double)s->gpus_stranded);
    family(b, "gpus_free", "gauge",
           "GPUs not allocated, by why a gang cannot have them.");
    for (i = 0; i < LW_FREES; i++)
        one(b, "gpus_free", c, "cause", lw_free_word((enum lw_free)i),
            (double)s->free[i]);
    if (s->unusable < 0)
        return;
    family(b, "gpus_unusable", "gauge",
           "Free GPUs that a job cannot use, mean over the jobs there are.");
    plain(b, "gpus_unusable", c, s->unusable);
}

static void print_jobs(struct lw_buf *b, const struct lw_snapshot *s,
                       const char *c)
{
    family(b, "jobs", "gauge", "Jobs now.");
    one(b, "jobs", c, "state", "running", (double)s->running);
    one(b, "jobs", c, "state", "pending", (double)s->pending);
    family(b, "gangs", "gauge", "GPU jobs of more than one node now.");
    one(b, "gangs", c, "state", "running", (double)s->running_gangs);
    one(b, "gangs", c, "state", "pending", (double)s->pending_gangs);
    family(b, "gangs_waiting", "gauge",
           "Gangs that could start scattered and wait for fewer groups.");
    plain(b, "gangs_waiting", c, (double)s->waiting);
}

static void print_room(struct lw_buf *b, const struct lw_snapshot *s,
                       const char *c)
{
    size_t i;

    family(b, "startable_nodes", "gauge",
           "Largest gang of whole nodes startable now on so many groups.");
    for (i = 0; i < s->nstartable; i++)
        number_label(b, "startable_nodes", c, "groups", s->startable_groups[i],
                     (double)s->startable[i]);
    family(b, "free_slots", "gauge",
           "Gangs of so many nodes that fit side by side, one group each.");
    for (i = 0; i < s->nslots; i++)
        number_label(b, "free_slots", c, "nodes", 2L << i, (double)s->slots[i]);
    family(b, "fragmentation_ratio", "gauge",
           "Share of idle nodes in groups that are not wholly idle.");
    plain(b, "fragmentation_ratio", c, s->fragmentation);
}

static void print_types(struct lw_buf *b, const struct lw_snapshot *s,
                        const char *c)
{
    size_t i, j;

    family(b, "type_gpus", "gauge", "GPUs configured, by type.");
    for (i = 0; i < s->ntypes; i++)
        one(b, "type_gpus", c, "gpu_type", s->types[i].type,
            (double)s->types[i].gpus);
    family(b, "type_gpus_used", "gauge", "GPUs allocated, by type.");
    for (i = 0; i < s->ntypes; i++)
        one(b, "type_gpus_used", c, "gpu_type", s->types[i].type,
            (double)s->types[i].used);
    family(b, "type_startable_nodes", "gauge",
           "Largest gang startable now on so many groups, by GPU type.");
    for (i = 0; i < s->ntypes; i++)
        for (j = 0; j < s->nstartable; j++)
            startable(b, s->types[i].type, s->startable_groups[j], c,
                      s->types[i].startable[j]);
}

static void print_groups(struct lw_buf *b, const struct lw_snapshot *s,
                         const char *c)
{
    const struct lw_map *map = s->map;
    size_t i;

    family(b, "group_gpus", "gauge", "GPUs configured, by rail group.");
    for (i = 0; i < map->ngroups; i++)
        one(b, "group_gpus", c, "group", map->groups[i].name,
            (double)s->groups[i].gpus);
    family(b, "group_gpus_used", "gauge", "GPUs allocated, by rail group.");
    for (i = 0; i < map->ngroups; i++)
        one(b, "group_gpus_used", c, "group", map->groups[i].name,
            (double)s->groups[i].gpus_used);
    family(b, "group_nodes_idle", "gauge", "Idle GPU nodes, by rail group.");
    for (i = 0; i < map->ngroups; i++)
        one(b, "group_nodes_idle", c, "group", map->groups[i].name,
            (double)s->groups[i].idle);
    family(b, "nodes_degraded", "gauge",
           "Nodes of the map with a rail down or slow.");
    plain(b, "nodes_degraded", c, (double)s->degraded);
}

static void print_node_info(struct lw_buf *b, const struct lw_map *map,
                            const char *c)
{
    size_t i;

    family(b, "node_group_info", "gauge",
           "Where each node is: joins Slurm's series per node.");
    for (i = 0; i < map->nnodes; i++) {
        const struct lw_map_node *n = &map->nodes[i];
        const char *pod =
            n->pod >= 0 && (size_t)n->pod < map->npods ? map->pods[n->pod] : "";
        const char *const labels[][2] = {{"node", n->name},
                                         {"group", map->groups[n->group].name},
                                         {"pod", pod}};

        series(b, "node_group_info", c, labels, 3);
        lw_buf_puts(b, "1\n");
    }
}

void lw_metrics_print(struct lw_buf *b, const struct lw_metrics *m,
                      const struct lw_snapshot *s, const char *cluster)
{
    const char *c = cluster ? cluster : "";

    print_counters(b, m, c);
    print_health(b, m, c);
    if (!s)
        return;
    print_nodes(b, s, c);
    print_jobs(b, s, c);
    if (!s->map)
        return;
    print_room(b, s, c);
    print_types(b, s, c);
    print_groups(b, s, c);
    family(b, "map_created_timestamp_seconds", "gauge",
           "When the fabric map was made.");
    plain(b, "map_created_timestamp_seconds", c, (double)m->map_created);
    print_node_info(b, s->map, c);
}
