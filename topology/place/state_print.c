/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state_print.c - the cluster state as JSON: writing */
#include "config.h"

#include "lib/buf.h"
#include "topology/place/state.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PRINT_FLAGS (JSON_COMPACT | JSON_PRESERVE_ORDER)

/* Print and release 'value'; a NULL value fails the buffer. */
static void put(struct lw_buf *b, json_t *value)
{
    char *text =
        value ? json_dumps(value, PRINT_FLAGS | JSON_ENCODE_ANY) : NULL;

    if (text)
        lw_buf_puts(b, text);
    else
        b->failed = 1;
    free(text);
    json_decref(value);
}

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

/* A key with a value that is released; keeps quiet about a NULL value, which
 * json_object_set_new() refuses: the caller checks 'failed'. */
static void set(json_t *o, const char *key, json_t *value, bool *failed)
{
    if (json_object_set_new(o, key, value) < 0)
        *failed = true;
}

static json_t *gpus(const struct lw_state_node *node)
{
    json_t *array = json_array();
    size_t i;

    for (i = 0; i < node->ngpus; i++) {
        const struct lw_gpus *g = &node->gpus[i];

        if (json_array_append_new(array,
                                  json_pack("{s:s,s:I,s:I}", "type", g->type,
                                            "count", (json_int_t)g->count,
                                            "used", (json_int_t)g->used)) < 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *features(const struct lw_state_node *node)
{
    json_t *array = json_array();
    size_t i;

    for (i = 0; i < node->nfeatures; i++)
        json_array_append_new(array, json_string(node->features[i]));
    return array;
}

static json_t *node_object(const struct lw_state_node *n)
{
    json_t *o = json_object();
    bool failed = !o;

    set(o, "name", json_string(n->name), &failed);
    set(o, "state", json_string(lw_node_state_word(n->state)), &failed);
    set(o, "gpus", gpus(n), &failed);
    set(o, "cpus", json_integer(n->cpus), &failed);
    set(o, "cpus_used", json_integer(n->cpus_used), &failed);
    set(o, "threads", json_integer(n->threads), &failed);
    set(o, "memory", json_integer(n->memory), &failed);
    set(o, "memory_used", json_integer(n->memory_used), &failed);
    set(o, "weight", json_integer(n->weight), &failed);
    set(o, "features", features(n), &failed);
    set(o, "block", text_or_null(n->block), &failed);
    if (failed) {
        json_decref(o);
        o = NULL;
    }
    return o;
}

/* Node indices as [first, last] pairs. */
static json_t *ranges(const struct lw_state_partition *p)
{
    json_t *array = json_array();
    size_t i = 0, j;

    while (i < p->nnodes) {
        for (j = i; j + 1 < p->nnodes && p->nodes[j + 1] == p->nodes[j] + 1;)
            j++;
        json_array_append_new(array,
                              json_pack("[i,i]", p->nodes[i], p->nodes[j]));
        i = j + 1;
    }
    return array;
}

static json_t *partition_object(const struct lw_state_partition *p)
{
    json_t *o = json_object();
    bool failed = !o;

    set(o, "name", json_string(p->name), &failed);
    set(o, "default", json_boolean(p->is_default), &failed);
    set(o, "up", json_boolean(p->up), &failed);
    set(o, "topology", json_string(lw_topology_word(p->topology)), &failed);
    set(o, "min_nodes", json_integer(p->min_nodes), &failed);
    set(o, "max_nodes", json_integer(p->max_nodes), &failed);
    set(o, "max_minutes", json_integer(p->max_minutes), &failed);
    set(o, "nodes", ranges(p), &failed);
    if (failed) {
        json_decref(o);
        o = NULL;
    }
    return o;
}

static json_t *job_object(const struct lw_state_job *j)
{
    return json_pack(
        "{s:I,s:I,s:I,s:I,s:o,s:I,s:I,s:o,s:I,s:o,s:o,s:b}", "id",
        (json_int_t)j->id, "array_job", (json_int_t)j->array_job, "het_job",
        (json_int_t)j->het_job, "het_offset", (json_int_t)j->het_offset,
        "partition", text_or_null(j->partition), "nodes", (json_int_t)j->nodes,
        "gpus_node", (json_int_t)j->gpus_node, "gpu_type",
        text_or_null(j->gpu_type), "minutes", (json_int_t)j->minutes,
        "features", text_or_null(j->features), "mark", text_or_null(j->mark),
        "changed", j->changed);
}

static void put_key(struct lw_buf *b, const char *key, json_t *value)
{
    lw_buf_printf(b, " \"%s\": ", key);
    put(b, value);
    lw_buf_puts(b, ",\n");
}

static void put_head(struct lw_buf *b, const struct lw_state *s)
{
    json_t *sizes = json_array();
    char created[32] = "";
    struct tm tm;
    size_t i;

    if (gmtime_r(&s->created, &tm))
        strftime(created, sizeof(created), "%Y-%m-%dT%H:%M:%SZ", &tm);
    for (i = 0; i < s->nblock_sizes; i++)
        json_array_append_new(sizes, json_integer(s->block_sizes[i]));
    lw_buf_puts(b, "{\n");
    put_key(b, "schema", json_integer(LW_STATE_SCHEMA));
    put_key(b, "created", json_string(created));
    put_key(b, "cluster", text_or_null(s->cluster));
    put_key(b, "slurm_version", text_or_null(s->slurm_version));
    put_key(b, "topology", json_string(lw_topology_word(s->topology)));
    put_key(b, "max_switch_wait", json_integer(s->max_switch_wait));
    put_key(b, "block_sizes", sizes);
}

char *lw_state_print(const struct lw_state *s, size_t *len, lw_error_t *err)
{
    struct lw_buf b = LW_BUF_INIT(LW_STATE_LIMIT);
    char *text;
    size_t i;

    put_head(&b, s);
    lw_buf_puts(&b, " \"nodes\": [");
    for (i = 0; i < s->nnodes; i++) {
        lw_buf_puts(&b, i ? ",\n  " : "\n  ");
        put(&b, node_object(&s->nodes[i]));
    }
    lw_buf_puts(&b, "\n ],\n \"partitions\": [");
    for (i = 0; i < s->npartitions; i++) {
        lw_buf_puts(&b, i ? ",\n  " : "\n  ");
        put(&b, partition_object(&s->partitions[i]));
    }
    lw_buf_puts(&b, "\n ],\n \"jobs\": [");
    for (i = 0; i < s->njobs; i++) {
        lw_buf_puts(&b, i ? ",\n  " : "\n  ");
        put(&b, job_object(&s->jobs[i]));
    }
    lw_buf_puts(&b, "\n ]\n}\n");
    *len = b.len;
    if (!(text = lw_buf_take(&b)))
        lw_err(err, "cannot print the cluster state: a name is not UTF-8, or "
                    "out of memory");
    return text;
}
