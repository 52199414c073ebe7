/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place_cluster.h - a made-up cluster for tests of the decision */
#ifndef LW_TEST_PLACE_CLUSTER_H
#define LW_TEST_PLACE_CLUSTER_H

#include "lib/buf.h"
#include "tests/check.h"
#include "topology/place/decide.h"

/* Nodes n001, n002, .. in groups g1, g2, ..; partition "gpu" has them all. */
struct cluster {
    struct lw_map *map;
    struct lw_state *state;
    struct lw_settings *settings;
    struct lw_view *view;
};

/* 'rails_down' is a list of node numbers (from 1) that ends with 0. */
static inline struct lw_map *cluster_map(const int *sizes, size_t ngroups,
                                         const int *rails_down)
{
    struct lw_buf b = LW_BUF_INIT(64 * 1024 * 1024);
    lw_error_t err = {0};
    struct lw_map *map;
    size_t g, d;
    int i, node = 0;

    lw_buf_puts(&b, "{\"schema\":1,\"created\":\"2026-01-31T12:00:00Z\","
                    "\"sources\":[],\"pods\":[\"pod1\"],\"nodes\":[");
    for (g = 0; g < ngroups; g++)
        for (i = 0; i < sizes[g]; i++) {
            node++;
            for (d = 0; rails_down && rails_down[d]; d++)
                if (rails_down[d] == node)
                    break;
            lw_buf_printf(&b,
                          "%s{\"name\":\"n%03d\",\"group\":\"g%zu\","
                          "\"rails\":8,\"rails_up\":%d,\"hcas\":[]}",
                          node > 1 ? "," : "", node, g + 1,
                          rails_down && rails_down[d] ? 7 : 8);
        }
    lw_buf_puts(&b, "],\"groups\":[");
    for (g = 0, node = 0; g < ngroups; g++) {
        lw_buf_printf(&b,
                      "%s{\"name\":\"g%zu\",\"pod\":\"pod1\",\"leaves\":[],"
                      "\"nodes\":[",
                      g ? "," : "", g + 1);
        for (i = 0; i < sizes[g]; i++)
            lw_buf_printf(&b, "%s\"n%03d\"", i ? "," : "", ++node);
        lw_buf_puts(&b, "]}");
    }
    lw_buf_puts(&b, "],\"findings\":[]}");
    map = lw_map_parse(b.text, b.len, "map", &err);
    if (!map)
        fprintf(stderr, "%s\n", err.text);
    lw_buf_free(&b);
    return map;
}

/* Every node: 'gpus' h100, 64 CPUs in 32 cores, 1000000 MiB, idle. */
static inline struct lw_state *cluster_state(int nnodes, int gpus)
{
    struct lw_buf b = LW_BUF_INIT(64 * 1024 * 1024);
    lw_error_t err = {0};
    struct lw_state *state;
    int i;

    lw_buf_puts(&b, "{\"schema\":1,\"created\":\"2026-01-31T12:00:00Z\","
                    "\"cluster\":\"test\",\"topology\":\"tree\","
                    "\"max_switch_wait\":86400,\"nodes\":[");
    for (i = 1; i <= nnodes; i++)
        lw_buf_printf(&b,
                      "%s{\"name\":\"n%03d\",\"state\":\"idle\",\"gpus\":[{"
                      "\"type\":\"h100\",\"count\":%d,\"used\":0}],\"cpus\":"
                      "64,\"threads\":2,\"memory\":1000000}",
                      i > 1 ? "," : "", i, gpus);
    lw_buf_printf(&b,
                  "],\"partitions\":[{\"name\":\"gpu\",\"default\":true,"
                  "\"nodes\":[[0,%d]]}]}",
                  nnodes - 1);
    state = lw_state_parse(b.text, b.len, "state", &err);
    if (!state)
        fprintf(stderr, "%s\n", err.text);
    lw_buf_free(&b);
    return state;
}

static inline void cluster_view(struct cluster *c)
{
    lw_error_t err = {0};

    lw_view_destroy(c->view);
    c->view = lw_view_create(c->map, c->state, c->settings, &err);
    if (!c->view) {
        fprintf(stderr, "%s\n", err.text);
        exit(2);
    }
}

/* Groups of these sizes; gpus 0: no state. Change state or settings, then
 * call cluster_view() again. */
static inline struct cluster cluster_make(const int *sizes, size_t ngroups,
                                          int gpus, const int *rails_down)
{
    struct cluster c = {0};
    int nnodes = 0;
    size_t g;

    for (g = 0; g < ngroups; g++)
        nnodes += sizes[g];
    c.settings = lw_settings_load("/nonexistent.conf", NULL);
    c.map = cluster_map(sizes, ngroups, rails_down);
    if (gpus > 0)
        c.state = cluster_state(nnodes, gpus);
    cluster_view(&c);
    return c;
}

static inline void cluster_free(struct cluster *c)
{
    lw_view_destroy(c->view);
    lw_state_destroy(c->state);
    lw_map_destroy(c->map);
    lw_settings_destroy(c->settings);
}

static const int four[] = {4, 4, 4, 4};

/* What a decision does, in one line. */
static inline const char *shown(const struct lw_request *r,
                                const struct lw_view *view)
{
    static char out[600];
    struct lw_decision d;
    const struct {
        const char *key;
        long value;
    } parts[] = {
        {"nodes", 0},    {"per-node", 0}, {"groups", 0},
        {"switches", 0}, {"wait", 0},     {"segment", 0},
    };
    long values[6];
    size_t i, len;

    lw_decide(r, view, &d);
    values[0] = d.nodes, values[1] = d.gpus_node, values[2] = d.groups;
    values[3] = d.switches, values[4] = d.wait, values[5] = d.segment;
    snprintf(out, sizeof(out), "%s %s", lw_action_word(d.action),
             lw_reason_word(d.reason));
    for (i = 0; i < 6; i++) {
        len = strlen(out);
        if (values[i] >= 0)
            snprintf(out + len, sizeof(out) - len, " %s=%ld", parts[i].key,
                     values[i]);
    }
    len = strlen(out);
    if (d.exclude)
        snprintf(out + len, sizeof(out) - len, " exclude=%s", d.exclude);
    len = strlen(out);
    if (d.features)
        snprintf(out + len, sizeof(out) - len, " features=%s", d.features);
    CU_ASSERT(d.text[0] != '\0' && d.text[strlen(d.text) - 1] == '.');
    lw_decision_free(&d);
    return out;
}

/* Rows: the request, and what is done with it on 4 groups of 4 nodes with 8
 * GPUs, 64 CPUs (32 cores) and 1000000 MiB each. */
struct row {
    struct lw_request request;
    const char *want;
};

#define ASK(...)                                                               \
    {                                                                          \
        .nodes_min = -1, .nodes_max = -1, .tasks = -1, .tasks_per_node = -1,   \
        .cpus_per_task = -1, .cpus_min = -1, .cpus_per_gpu = -1,               \
        .sockets_per_node = -1, .gpus_job = -1, .gpus_node = -1,               \
        .gpus_task = -1, .gpus_socket = -1, .minutes = -1, .memory_node = -1,  \
        .memory_cpu = -1, .memory_gpu = -1, .policy = -1, .wait = -1,          \
        __VA_ARGS__                                                            \
    }

#pragma GCC diagnostic ignored "-Woverride-init"
#if defined(__clang__)
#pragma clang diagnostic ignored "-Winitializer-overrides"
#endif

static inline void check_rows(const struct row *rows, size_t n,
                              const struct lw_view *view)
{
    size_t i;

    for (i = 0; i < n; i++)
        lw_check_str(shown(&rows[i].request, view), rows[i].want);
}

#define CHECK_ROWS(rows, view)                                                 \
    check_rows(rows, sizeof(rows) / sizeof(rows[0]), view)

static inline void check_text(struct lw_request r, const struct lw_view *view,
                              const char *want)
{
    struct lw_decision d;

    lw_decide(&r, view, &d);
    lw_check_str(d.text, want);
    lw_decision_free(&d);
}

#endif
