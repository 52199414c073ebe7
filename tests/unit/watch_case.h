/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watch_case.h - a small cluster for the tests of watch: 4 groups of 4 nodes
 * of 8 GPUs, n01 to n16, and a watcher whose lines are kept */
#ifndef LW_WATCH_CASE_H
#define LW_WATCH_CASE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/buf.h"
#include "topology/place/watcher.h"

#define CASE_NODES 16

static char case_names[CASE_NODES][8];

static inline struct lw_map *case_map(const char *degraded)
{
    struct lw_buf b = LW_BUF_INIT(65536);
    struct lw_map *map;
    lw_error_t err = {0};
    int i;

    lw_buf_puts(&b, "{\"schema\":1,\"created\":\"2030-01-01T00:00:00Z\","
                    "\"pods\":[\"p1\",\"p2\"],\"nodes\":[");
    for (i = 0; i < CASE_NODES; i++) {
        snprintf(case_names[i], sizeof(case_names[i]), "n%02d", i + 1);
        lw_buf_printf(&b,
                      "%s{\"name\":\"%s\",\"group\":\"g%d\",\"pod\":\"p%d\","
                      "\"rails\":8,\"rails_up\":%d}",
                      i ? "," : "", case_names[i], i / 4 + 1, i / 8 + 1,
                      degraded && !strcmp(degraded, case_names[i]) ? 7 : 8);
    }
    lw_buf_puts(&b, "],\"groups\":[");
    for (i = 0; i < 4; i++)
        lw_buf_printf(&b,
                      "%s{\"name\":\"g%d\",\"pod\":\"p%d\",\"nodes\":[\"%s\","
                      "\"%s\",\"%s\",\"%s\"]}",
                      i ? "," : "", i + 1, i / 2 + 1, case_names[i * 4],
                      case_names[i * 4 + 1], case_names[i * 4 + 2],
                      case_names[i * 4 + 3]);
    lw_buf_puts(&b, "]}");
    map = lw_map_parse(lw_buf_text(&b), b.len, "map", &err);
    if (!map)
        fprintf(stderr, "%s\n", err.text);
    lw_buf_free(&b);
    return map;
}

/* All nodes idle, one partition "main" of all. */
static inline struct lw_state *case_state(void)
{
    struct lw_state *s = calloc(1, sizeof(*s));
    struct lw_state_partition *p = calloc(1, sizeof(*p));
    int i;

    s->cluster = strdup("test");
    s->created = 1000;
    s->nodes = calloc(CASE_NODES, sizeof(*s->nodes));
    s->nnodes = CASE_NODES;
    s->partitions = p;
    s->npartitions = 1;
    p->name = strdup("main");
    p->is_default = p->up = true;
    p->max_nodes = p->max_minutes = -1;
    p->nodes = calloc(CASE_NODES, sizeof(*p->nodes));
    p->nnodes = CASE_NODES;
    for (i = 0; i < CASE_NODES; i++) {
        struct lw_state_node *n = &s->nodes[i];

        n->name = strdup(case_names[i]);
        n->gpus = calloc(1, sizeof(*n->gpus));
        n->gpus[0].type = strdup("h100");
        n->gpus[0].count = 8;
        n->ngpus = 1;
        n->cpus = 64;
        p->nodes[i] = i;
    }
    return s;
}

/* Nodes first..last (from 1) have 'gpus' GPUs in use. */
static inline void case_use(struct lw_state *s, int first, int last, long gpus)
{
    int i;

    for (i = first - 1; i < last; i++) {
        s->nodes[i].gpus[0].used = gpus;
        s->nodes[i].cpus_used = gpus * 8;
        s->nodes[i].state = gpus >= 8  ? LW_NODE_FULL
                            : gpus > 0 ? LW_NODE_MIXED
                                       : LW_NODE_IDLE;
    }
}

/* A pending gang of whole nodes. */
static inline struct lw_job case_job(long id, long nodes)
{
    struct lw_job j = {.id = id,
                       .array_job = -1,
                       .array_task = -1,
                       .het_job = -1,
                       .het_offset = -1,
                       .submit = 1000,
                       .eligible = 1000,
                       .minutes = 60,
                       .priority = 100,
                       .name = "job",
                       .user = "ann",
                       .partition = "main",
                       .uid = 1001,
                       .nnodes = nodes,
                       .nodes_max = nodes,
                       .gpus = nodes * 8,
                       .cpus = nodes,
                       .switches = -1,
                       .switch_wait = -1,
                       .reason = LW_WAIT_RESOURCES};

    return j;
}

/* The lines said so far, "EVENT ID;" each, and whether saying works. */
struct case_log {
    struct lw_buf said;
    struct lw_buf lines;
    bool broken;
};

static inline int case_emit(void *arg, const struct lw_event *e)
{
    struct case_log *log = arg;
    size_t len = 0;
    char *line;

    if (log->broken)
        return -1;
    if (!(line = lw_event_line(e, &len, NULL)))
        return -1;
    lw_buf_add(&log->lines, line, len);
    free(line);
    lw_buf_printf(&log->said, "%s %ld", e->event, e->job ? e->job->id : 0L);
    if (e->job && e->job->word)
        lw_buf_printf(&log->said, " %s", e->job->word);
    lw_buf_puts(&log->said, ";");
    return 0;
}

/* "n01,n02": enough of a host list for a test. */
static inline char **case_expand(const char *text, size_t *count,
                                 lw_error_t *err)
{
    char **names = calloc(CASE_NODES + 1, sizeof(*names));
    size_t n = 0, len;

    (void)err;
    for (; *text && n < CASE_NODES; text += len + (text[len] == ',')) {
        len = strcspn(text, ",");
        names[n++] = strndup(text, len);
    }
    *count = n;
    return names;
}

static inline void case_names_free(char **names, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        free(names[i]);
    free(names);
}

static inline struct lw_watcher *case_watcher(struct case_log *log)
{
    const struct lw_watcher_ops ops = {case_emit, case_expand, case_names_free,
                                       log};

    log->said.limit = log->lines.limit = 1 << 20;
    return lw_watcher_create(&ops);
}

#endif
