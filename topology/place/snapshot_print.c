/* SPDX-License-Identifier: GPL-2.0-or-later */
/* snapshot_print.c - `snapshot` and `map-changed` lines */
#include "config.h"

#include "lib/json.h"
#include "topology/place/snapshot.h"

/* Groups are many, and most causes are not there: only those that are. */
static void put_free(struct lw_buf *b, const long *gpus, bool all)
{
    size_t i;

    lw_json_open(b, "free");
    for (i = 0; i < LW_FREES; i++)
        if (all || gpus[i])
            lw_json_number(b, lw_free_word((enum lw_free)i), gpus[i]);
    lw_json_close(b);
}

static void put_counts(struct lw_buf *b, const struct lw_snapshot *s)
{
    lw_json_open(b, "nodes");
    lw_json_number(b, "total", s->nodes);
    lw_json_number(b, "idle", s->idle);
    lw_json_number(b, "mixed", s->mixed);
    lw_json_number(b, "full", s->full);
    lw_json_number(b, "down", s->down);
    lw_json_number(b, "unmapped", s->unmapped);
    lw_json_close(b);
    lw_json_open(b, "gpus");
    lw_json_number(b, "total", s->gpus);
    lw_json_number(b, "used", s->gpus_used);
    lw_json_number(b, "down", s->gpus_down);
    lw_json_number(b, "stranded", s->gpus_stranded);
    put_free(b, s->free, true);
    if (s->unusable >= 0) {
        lw_json_real(b, "unusable", s->unusable);
        lw_json_number(b, "mix", s->mix);
    }
    lw_json_close(b);
}

static const char *pod_name(const struct lw_map *map, int pod)
{
    return pod >= 0 && (size_t)pod < map->npods ? map->pods[pod] : "";
}

static void put_groups(struct lw_buf *b, const struct lw_snapshot *s)
{
    size_t i;

    lw_json_open_array(b, "groups");
    for (i = 0; i < s->map->ngroups; i++) {
        lw_json_open(b, NULL);
        lw_json_text(b, "group", s->map->groups[i].name);
        lw_json_text(b, "pod", pod_name(s->map, s->map->groups[i].pod));
        lw_json_text(b, "states", s->groups[i].states);
        lw_json_number(b, "gpus", s->groups[i].gpus);
        lw_json_number(b, "gpus_used", s->groups[i].gpus_used);
        put_free(b, s->groups[i].free, false);
        lw_json_close(b);
    }
    lw_json_close_array(b);
}

static void put_startable(struct lw_buf *b, const struct lw_snapshot *s,
                          const long *nodes)
{
    size_t i;

    lw_json_open_array(b, "startable");
    for (i = 0; i < s->nstartable; i++) {
        lw_json_open(b, NULL);
        lw_json_number(b, "groups", s->startable_groups[i]);
        lw_json_number(b, "nodes", nodes[i]);
        lw_json_close(b);
    }
    lw_json_close_array(b);
}

static void put_types(struct lw_buf *b, const struct lw_snapshot *s)
{
    size_t i;

    lw_json_open_array(b, "types");
    for (i = 0; i < s->ntypes; i++) {
        const struct lw_type_now *t = &s->types[i];

        lw_json_open(b, NULL);
        lw_json_text(b, "type", t->type);
        lw_json_number(b, "gpus", t->gpus);
        lw_json_number(b, "used", t->used);
        lw_json_number(b, "idle_nodes", t->idle);
        put_startable(b, s, t->startable);
        lw_json_close(b);
    }
    lw_json_close_array(b);
}

static void put_room(struct lw_buf *b, const struct lw_snapshot *s)
{
    size_t i;

    put_startable(b, s, s->startable);
    lw_json_open_array(b, "slots");
    for (i = 0; i < s->nslots; i++) {
        lw_json_open(b, NULL);
        lw_json_number(b, "nodes", 2L << i);
        lw_json_number(b, "count", s->slots[i]);
        lw_json_close(b);
    }
    lw_json_close_array(b);
    lw_json_real(b, "fragmentation", s->fragmentation);
}

static void put_jobs(struct lw_buf *b, const struct lw_snapshot *s)
{
    size_t i;

    lw_json_open(b, "jobs");
    lw_json_number(b, "running", s->running);
    lw_json_number(b, "running_gangs", s->running_gangs);
    lw_json_number(b, "pending", s->pending);
    lw_json_number(b, "pending_gangs", s->pending_gangs);
    lw_json_number(b, "waiting", s->waiting);
    lw_json_close(b);
    lw_json_open_array(b, "pending");
    for (i = 0; i < s->ngangs; i++) {
        lw_json_open(b, NULL);
        lw_json_number(b, "id", s->gangs[i].id);
        lw_json_number(b, "nodes", s->gangs[i].nodes);
        lw_json_number(b, "gpus", s->gangs[i].gpus);
        lw_json_number(b, "groups", s->gangs[i].groups);
        lw_json_text(b, "partition", s->gangs[i].partition);
        lw_json_time(b, "eligible", s->gangs[i].eligible);
        lw_json_close(b);
    }
    lw_json_close_array(b);
}

static void put_map(struct lw_buf *b, const struct lw_snapshot *s)
{
    time_t created = lw_json_time_parse(s->map->created);

    lw_json_open(b, "map");
    lw_json_time(b, "created", created);
    lw_json_number(b, "age_s",
                   created > 0 && s->at >= created ? (long)(s->at - created)
                                                   : -1);
    lw_json_number(b, "nodes", (long)s->map->nnodes);
    lw_json_number(b, "groups", (long)s->map->ngroups);
    lw_json_number(b, "degraded", s->degraded);
    lw_json_close(b);
}

void lw_snapshot_print(struct lw_buf *b, const struct lw_snapshot *s)
{
    put_counts(b, s);
    if (s->map)
        put_groups(b, s);
    put_room(b, s);
    if (s->map)
        put_types(b, s);
    put_jobs(b, s);
    if (s->map)
        put_map(b, s);
}

static void put_map_group(struct lw_buf *b, const struct lw_map *map,
                          const struct lw_map_group *g)
{
    size_t i;

    lw_json_open(b, NULL);
    lw_json_text(b, "group", g->name);
    lw_json_text(b, "pod", pod_name(map, g->pod));
    lw_json_open_array(b, "nodes");
    for (i = 0; i < g->nnodes; i++)
        lw_json_text(b, NULL, map->nodes[g->nodes[i]].name);
    lw_json_close_array(b);
    lw_json_close(b);
}

void lw_snapshot_print_map(struct lw_buf *b, const struct lw_map *map)
{
    long degraded = 0;
    size_t i;

    for (i = 0; i < map->nnodes; i++)
        degraded += lw_map_node_is_degraded(&map->nodes[i]);
    lw_json_open(b, "map");
    lw_json_time(b, "created", lw_json_time_parse(map->created));
    lw_json_number(b, "nodes", (long)map->nnodes);
    lw_json_number(b, "groups", (long)map->ngroups);
    lw_json_number(b, "pods", (long)map->npods);
    lw_json_number(b, "degraded", degraded);
    lw_json_close(b);
    lw_json_open_array(b, "groups");
    for (i = 0; i < map->ngroups; i++)
        put_map_group(b, map, &map->groups[i]);
    lw_json_close_array(b);
    lw_json_open_array(b, "degraded_nodes");
    for (i = 0; i < map->nnodes; i++)
        if (lw_map_node_is_degraded(&map->nodes[i]))
            lw_json_text(b, NULL, map->nodes[i].name);
    lw_json_close_array(b);
}
