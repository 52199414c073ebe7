/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sim_decide.c - the simulated cluster, and the real decision about its jobs */
#include "config.h"

#include "lib/buf.h"
#include "topology/place/decide.h"
#include "topology/place/score.h"
#include "topology/place/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TEXT_LIMIT ((size_t)256 * 1024 * 1024)

void lw_sim_cluster_free(struct lw_sim_cluster *c)
{
    free(c->nodes);
    free(c->pod);
    memset(c, 0, sizeof(*c));
}

size_t lw_sim_cluster_nodes(const struct lw_sim_cluster *c)
{
    size_t n = 0, g;

    for (g = 0; g < c->ngroups; g++)
        n += (size_t)c->nodes[g];
    return n;
}

static bool listed(const char *list, const char *name)
{
    size_t n = strlen(name);

    for (; list && *list; list += strcspn(list, ",")) {
        list += *list == ',';
        if (strncmp(list, name, n) == 0 && (!list[n] || list[n] == ','))
            return true;
    }
    return false;
}

/* Every name of the list must be a group. */
static int check_lost(const struct lw_map *map, const char *lost,
                      lw_error_t *err)
{
    size_t n, g;

    for (; lost && *lost; lost += n + (lost[n] == ',')) {
        n = strcspn(lost, ",");
        for (g = 0; g < map->ngroups; g++)
            if (strlen(map->groups[g].name) == n &&
                strncmp(map->groups[g].name, lost, n) == 0)
                break;
        if (g == map->ngroups)
            return lw_err(err, "the map has no group '%.*s'", (int)n, lost);
    }
    return 0;
}

/* Groups of the map that are kept, then copies of the largest. */
static void fill_groups(struct lw_sim_cluster *c, const struct lw_map *map,
                        const char *lost, size_t added)
{
    size_t g, largest = 0;

    for (g = 0; g < map->ngroups; g++) {
        if (listed(lost, map->groups[g].name) || !map->groups[g].nnodes)
            continue;
        c->nodes[c->ngroups] = (int)map->groups[g].nnodes;
        c->pod[c->ngroups] = map->groups[g].pod < 0 ? 0 : map->groups[g].pod;
        if (c->nodes[c->ngroups] > c->nodes[largest])
            largest = c->ngroups;
        c->ngroups++;
    }
    for (; c->ngroups && added; added--, c->ngroups++) {
        c->nodes[c->ngroups] = c->nodes[largest];
        c->pod[c->ngroups] = c->pod[largest];
    }
}

int lw_sim_cluster_init(struct lw_sim_cluster *c, const struct lw_map *map,
                        int gpus, const char *lost, size_t added,
                        lw_error_t *err)
{
    memset(c, 0, sizeof(*c));
    if (check_lost(map, lost, err) < 0)
        return -1;
    c->gpus = gpus;
    c->npods = map->npods ? map->npods : 1;
    if (!(c->nodes = calloc(map->ngroups + added + 1, sizeof(int))) ||
        !(c->pod = calloc(map->ngroups + added + 1, sizeof(int)))) {
        lw_sim_cluster_free(c);
        return lw_err(err, "out of memory");
    }
    fill_groups(c, map, lost, added);
    if (!c->ngroups) {
        lw_sim_cluster_free(c);
        return lw_err(err, "no group is left to simulate");
    }
    return 0;
}

/* A map of the cluster as it is simulated: groups g0, g1, .. */
static struct lw_map *make_map(const struct lw_sim_cluster *c, lw_error_t *err)
{
    struct lw_buf b = LW_BUF_INIT(TEXT_LIMIT);
    struct lw_map *map = NULL;
    size_t g;
    int i;

    lw_buf_puts(&b, "{\"schema\":1,\"created\":\"1970-01-01T00:00:00Z\","
                    "\"sources\":[],\"nodes\":[");
    for (g = 0; g < c->ngroups; g++)
        for (i = 0; i < c->nodes[g]; i++)
            lw_buf_printf(&b,
                          "%s{\"name\":\"g%zun%d\",\"group\":\"g%zu\","
                          "\"pod\":\"p%d\",\"domain\":null,\"rails\":1,"
                          "\"rails_up\":1,\"rails_slow\":0,\"hcas\":[]}",
                          g || i ? "," : "", g, i, g, c->pod[g]);
    lw_buf_puts(&b, "],\"groups\":[");
    for (g = 0; g < c->ngroups; g++) {
        lw_buf_printf(&b,
                      "%s{\"name\":\"g%zu\",\"pod\":\"p%d\",\"leaves\":[\"l%zu"
                      "\"],\"nodes\":[",
                      g ? "," : "", g, c->pod[g], g);
        for (i = 0; i < c->nodes[g]; i++)
            lw_buf_printf(&b, "%s\"g%zun%d\"", i ? "," : "", g, i);
        lw_buf_puts(&b, "]}");
    }
    lw_buf_puts(&b, "],\"pods\":[");
    for (g = 0; g < c->npods; g++)
        lw_buf_printf(&b, "%s\"p%zu\"", g ? "," : "", g);
    lw_buf_puts(&b, "],\"domains\":[],\"findings\":[]}");
    if (b.failed)
        lw_err(err, "out of memory");
    else
        map = lw_map_parse(b.text, b.len, "the simulated cluster", err);
    lw_buf_free(&b);
    return map;
}

/* All nodes idle, in one partition with topology/tree. What it points to is
 * the caller's. */
static int make_state(struct lw_state *s, struct lw_state_partition *part,
                      struct lw_gpus *gpus, const struct lw_map *map)
{
    size_t i;

    s->created = time(NULL);
    s->topology = part->topology = LW_TOPO_TREE;
    s->max_switch_wait = 1L << 30;
    s->nnodes = part->nnodes = map->nnodes;
    if (!(s->nodes = calloc(map->nnodes + 1, sizeof(*s->nodes))) ||
        !(part->nodes = calloc(map->nnodes + 1, sizeof(*part->nodes))))
        return -1;
    for (i = 0; i < map->nnodes; i++) {
        s->nodes[i].name = (char *)map->nodes[i].name;
        s->nodes[i].state = LW_NODE_IDLE;
        s->nodes[i].gpus = gpus;
        s->nodes[i].ngpus = 1;
        s->nodes[i].cpus = gpus->count;
        s->nodes[i].weight = 1;
        part->nodes[i] = (int)i;
    }
    part->is_default = part->up = true;
    part->max_nodes = part->max_minutes = -1;
    s->partitions = part;
    s->npartitions = 1;
    return 0;
}

static struct lw_request request_of(const struct lw_sim_job *job)
{
    return (struct lw_request){.nodes_min = job->nodes,
                               .nodes_max = job->nodes,
                               .tasks = -1,
                               .tasks_per_node = -1,
                               .cpus_per_task = -1,
                               .cpus_min = -1,
                               .cpus_per_gpu = -1,
                               .sockets_per_node = -1,
                               .gpus_job = -1,
                               .gpus_node = job->gpus,
                               .gpus_task = -1,
                               .gpus_socket = -1,
                               .minutes = (long)(job->limit / 60) + 1,
                               .memory_node = -1,
                               .memory_cpu = -1,
                               .memory_gpu = -1,
                               .policy = -1,
                               .wait = -1};
}

static void decide_all(struct lw_sim_jobs *jobs, const struct lw_sim_cluster *c,
                       const struct lw_view *view, const long *capacity)
{
    struct lw_decision decision;
    struct lw_request request;
    struct lw_sim_job *job;
    size_t i;
    long n;

    for (i = 0; i < jobs->n; i++) {
        job = &jobs->v[i];
        n = lw_fewest_groups(capacity, c->ngroups, job->nodes);
        job->fewest = n > 0 && job->gpus <= c->gpus ? (int)n : 0;
        request = request_of(job);
        lw_decide(&request, view, &decision);
        job->switches = decision.switches > 0 ? (int)decision.switches : 0;
        lw_decision_free(&decision);
    }
}

int lw_sim_decide(struct lw_sim_jobs *jobs, const struct lw_sim_cluster *c,
                  const struct lw_settings *settings, lw_error_t *err)
{
    struct lw_gpus gpus = {.type = (char *)"", .count = c->gpus};
    struct lw_state_partition part = {.name = (char *)"sim"};
    struct lw_state state = {.cluster = (char *)"sim",
                             .slurm_version = (char *)""};
    struct lw_settings packed = *settings;
    struct lw_map *map = make_map(c, err);
    struct lw_view *view = NULL;
    long *capacity = calloc(c->ngroups + 1, sizeof(*capacity));
    size_t g;
    int rc = -1;

    packed.policy = LW_POLICY_PACK;
    packed.npartitions = 0;
    packed.subnode = 0; /* the simulator fills nodes by itself */
    for (g = 0; capacity && g < c->ngroups; g++)
        capacity[g] = c->nodes[g];
    if (map && capacity && make_state(&state, &part, &gpus, map) == 0 &&
        (view = lw_view_create(map, &state, &packed, err))) {
        decide_all(jobs, c, view, capacity);
        rc = 0;
    }
    lw_view_destroy(view);
    lw_map_destroy(map);
    free(state.nodes);
    free(part.nodes);
    free(capacity);
    return rc < 0 ? lw_err(err, "out of memory") : 0;
}
