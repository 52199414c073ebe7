/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state.c - the cluster state as JSON: reading, and freeing what was read */
#include "config.h"

#include "lib/file.h"
#include "topology/place/state.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where we are in the document, for errors: "nodes[3].gpus[0]". */
struct reader {
    const char *source;
    char where[96];
    lw_error_t *err;
};

static const char *const topologies[] = {"unknown", "tree", "block", "flat"};
static const char *const node_states[] = {"idle", "mixed", "full", "down"};

const char *lw_topology_word(enum lw_topology topology)
{
    return topologies[topology <= LW_TOPO_FLAT ? topology : 0];
}

const char *lw_node_state_word(enum lw_node_state state)
{
    return node_states[state <= LW_NODE_DOWN ? state : LW_NODE_DOWN];
}

/* Say what was expected of 'key' here; always -1. */
static int expected(struct reader *r, const char *key, const char *what)
{
    return lw_err(r->err, "%s: %s%s%s: expected %s", r->source, r->where,
                  r->where[0] ? "." : "", key, what);
}

static void step(struct reader *r, const char *name, size_t i)
{
    snprintf(r->where, sizeof(r->where), "%s[%zu]", name, i);
}

/* A text; NULL stays NULL when the key is absent or null and not needed. */
static int get_text(struct reader *r, const json_t *o, const char *key,
                    bool need, char **out)
{
    const json_t *v = json_object_get(o, key);

    if (!need && (!v || json_is_null(v)))
        return 0;
    if (!json_is_string(v) || (need && !*json_string_value(v)))
        return expected(r, key, "a text");
    if (!(*out = strdup(json_string_value(v))))
        return lw_err(r->err, "%s: out of memory", r->source);
    return 0;
}

/* A whole number of at least 'least'; 'preset' when absent or null. */
static int get_long(struct reader *r, const json_t *o, const char *key,
                    long least, long preset, long *out)
{
    const json_t *v = json_object_get(o, key);

    *out = preset;
    if (!v || json_is_null(v))
        return 0;
    if (!json_is_integer(v) || json_integer_value(v) < least ||
        json_integer_value(v) > LONG_MAX / 4)
        return expected(r, key, "a count");
    *out = (long)json_integer_value(v);
    return 0;
}

static int get_bool(struct reader *r, const json_t *o, const char *key,
                    bool preset, bool *out)
{
    const json_t *v = json_object_get(o, key);

    *out = v ? json_is_true(v) : preset;
    return !v || json_is_boolean(v) ? 0 : expected(r, key, "true or false");
}

/* One of 'count' words; the first when absent and not needed. */
static int get_word(struct reader *r, const json_t *o, const char *key,
                    const char *const *words, int count, bool need)
{
    const json_t *v = json_object_get(o, key);
    int i;

    if (!v && !need)
        return 0;
    for (i = 0; json_is_string(v) && i < count; i++)
        if (strcmp(json_string_value(v), words[i]) == 0)
            return i;
    return expected(r, key, "one of the words in docs/state-format.md");
}

/* The array 'key' of 'o', and zeroed memory for as many elements. An absent
 * one is empty. */
static int get_array(struct reader *r, const json_t *o, const char *key,
                     size_t size, json_t **array, void **out, size_t *count)
{
    *array = json_object_get(o, key);
    *count = 0;
    if (!*array || json_is_null(*array))
        return 0;
    if (!json_is_array(*array))
        return expected(r, key, "a list");
    if (!(*out = calloc(json_array_size(*array) + 1, size)))
        return lw_err(r->err, "%s: out of memory", r->source);
    return 0;
}

static int read_gpus(struct reader *r, const json_t *o,
                     struct lw_state_node *node)
{
    struct lw_gpus *g;
    json_t *array, *v;
    size_t i;

    if (get_array(r, o, "gpus", sizeof(*node->gpus), &array,
                  (void **)&node->gpus, &node->ngpus) < 0)
        return -1;
    json_array_foreach(array, i, v)
    {
        g = &node->gpus[node->ngpus++];
        if (get_text(r, v, "type", false, &g->type) < 0 ||
            get_long(r, v, "count", 0, 0, &g->count) < 0 ||
            get_long(r, v, "used", 0, 0, &g->used) < 0)
            return -1;
        if (!g->type && !(g->type = strdup("")))
            return lw_err(r->err, "%s: out of memory", r->source);
    }
    return 0;
}

static int read_features(struct reader *r, const json_t *o,
                         struct lw_state_node *node)
{
    json_t *array, *v;
    size_t i;

    if (get_array(r, o, "features", sizeof(*node->features), &array,
                  (void **)&node->features, &node->nfeatures) < 0)
        return -1;
    json_array_foreach(array, i, v)
    {
        if (!json_is_string(v))
            return expected(r, "features", "a list of texts");
        if (!(node->features[node->nfeatures] = strdup(json_string_value(v))))
            return lw_err(r->err, "%s: out of memory", r->source);
        node->nfeatures++;
    }
    return 0;
}

static int read_node(struct reader *r, const json_t *o,
                     struct lw_state_node *node)
{
    int state;

    if (get_text(r, o, "name", true, &node->name) < 0 ||
        (state = get_word(r, o, "state", node_states, 4, true)) < 0 ||
        get_long(r, o, "cpus", 0, 0, &node->cpus) < 0 ||
        get_long(r, o, "cpus_used", 0, 0, &node->cpus_used) < 0 ||
        get_long(r, o, "threads", 0, 1, &node->threads) < 0 ||
        get_long(r, o, "memory", 0, 0, &node->memory) < 0 ||
        get_long(r, o, "memory_used", 0, 0, &node->memory_used) < 0 ||
        get_long(r, o, "weight", 0, 1, &node->weight) < 0 ||
        get_text(r, o, "block", false, &node->block) < 0 ||
        read_gpus(r, o, node) < 0 || read_features(r, o, node) < 0)
        return -1;
    node->state = (enum lw_node_state)state;
    return 0;
}

static int read_nodes(struct reader *r, const json_t *root,
                      struct lw_state *state)
{
    json_t *array, *v;
    size_t i;

    if (get_array(r, root, "nodes", sizeof(*state->nodes), &array,
                  (void **)&state->nodes, &state->nnodes) < 0)
        return -1;
    json_array_foreach(array, i, v)
    {
        step(r, "nodes", i);
        if (read_node(r, v, &state->nodes[state->nnodes++]) < 0)
            return -1;
    }
    r->where[0] = '\0';
    return state->nnodes ? 0 : expected(r, "nodes", "at least one node");
}

/* Add the node indices of one [first, last]. */
static int add_range(struct reader *r, const json_t *range, size_t total,
                     struct lw_state_partition *p)
{
    long first = -1, last = -1, i;
    int *grown;

    if (json_is_array(range) && json_array_size(range) == 2) {
        first = (long)json_integer_value(json_array_get(range, 0));
        last = (long)json_integer_value(json_array_get(range, 1));
    }
    if (first < 0 || last < first || (size_t)last >= total ||
        (p->nnodes && p->nodes[p->nnodes - 1] >= first))
        return expected(r, "nodes", "ascending ranges of node numbers");
    grown = realloc(p->nodes, (p->nnodes + (size_t)(last - first) + 1) *
                                  sizeof(*p->nodes));
    if (!grown)
        return lw_err(r->err, "%s: out of memory", r->source);
    p->nodes = grown;
    for (i = first; i <= last; i++)
        p->nodes[p->nnodes++] = (int)i;
    return 0;
}

static int read_partition(struct reader *r, const json_t *o, size_t total,
                          struct lw_state_partition *p)
{
    const json_t *ranges = json_object_get(o, "nodes"), *range;
    int topology;
    size_t i;

    if (get_text(r, o, "name", true, &p->name) < 0 ||
        get_bool(r, o, "default", false, &p->is_default) < 0 ||
        get_bool(r, o, "up", true, &p->up) < 0 ||
        (topology = get_word(r, o, "topology", topologies, 4, false)) < 0 ||
        get_long(r, o, "min_nodes", 0, 0, &p->min_nodes) < 0 ||
        get_long(r, o, "max_nodes", -1, -1, &p->max_nodes) < 0 ||
        get_long(r, o, "max_minutes", -1, -1, &p->max_minutes) < 0)
        return -1;
    p->topology = (enum lw_topology)topology;
    if (!json_is_array(ranges))
        return expected(r, "nodes", "a list of [first, last]");
    json_array_foreach(ranges, i, range)
    {
        if (add_range(r, range, total, p) < 0)
            return -1;
    }
    return 0;
}

static int read_partitions(struct reader *r, const json_t *root,
                           struct lw_state *state)
{
    json_t *array, *v;
    size_t i;

    if (get_array(r, root, "partitions", sizeof(*state->partitions), &array,
                  (void **)&state->partitions, &state->npartitions) < 0)
        return -1;
    json_array_foreach(array, i, v)
    {
        step(r, "partitions", i);
        if (read_partition(r, v, state->nnodes,
                           &state->partitions[state->npartitions++]) < 0)
            return -1;
    }
    r->where[0] = '\0';
    return 0;
}

static int read_job(struct reader *r, const json_t *o, struct lw_state_job *job)
{
    if (get_long(r, o, "id", 1, -1, &job->id) < 0 ||
        get_text(r, o, "partition", false, &job->partition) < 0 ||
        get_long(r, o, "nodes", 1, -1, &job->nodes) < 0 ||
        get_long(r, o, "gpus_node", -1, -1, &job->gpus_node) < 0 ||
        get_text(r, o, "gpu_type", false, &job->gpu_type) < 0 ||
        get_long(r, o, "minutes", -1, -1, &job->minutes) < 0 ||
        get_long(r, o, "array_job", -1, -1, &job->array_job) < 0 ||
        get_long(r, o, "het_job", -1, -1, &job->het_job) < 0 ||
        get_long(r, o, "het_offset", -1, -1, &job->het_offset) < 0 ||
        get_text(r, o, "features", false, &job->features) < 0 ||
        get_text(r, o, "mark", false, &job->mark) < 0 ||
        get_bool(r, o, "changed", false, &job->changed) < 0)
        return -1;
    return job->id > 0 ? 0 : expected(r, "id", "a job id");
}

static int by_id(const void *a, const void *b)
{
    const struct lw_state_job *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static int read_jobs(struct reader *r, const json_t *root,
                     struct lw_state *state)
{
    json_t *array, *v;
    size_t i;

    if (get_array(r, root, "jobs", sizeof(*state->jobs), &array,
                  (void **)&state->jobs, &state->njobs) < 0)
        return -1;
    json_array_foreach(array, i, v)
    {
        step(r, "jobs", i);
        if (read_job(r, v, &state->jobs[state->njobs++]) < 0)
            return -1;
    }
    r->where[0] = '\0';
    if (state->njobs)
        qsort(state->jobs, state->njobs, sizeof(*state->jobs), by_id);
    return 0;
}

static int read_block_sizes(struct reader *r, const json_t *root,
                            struct lw_state *state)
{
    json_t *array, *v;
    size_t i;

    if (get_array(r, root, "block_sizes", sizeof(*state->block_sizes), &array,
                  (void **)&state->block_sizes, &state->nblock_sizes) < 0)
        return -1;
    json_array_foreach(array, i, v)
    {
        if (!json_is_integer(v) || json_integer_value(v) < 1)
            return expected(r, "block_sizes", "a list of node counts");
        state->block_sizes[state->nblock_sizes++] = (long)json_integer_value(v);
    }
    return 0;
}

static int read_created(struct reader *r, const json_t *root,
                        struct lw_state *state)
{
    const char *text = json_string_value(json_object_get(root, "created"));
    struct tm tm = {0};
    const char *end = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;

    if (!end || strcmp(end, "Z") != 0)
        return expected(r, "created", "a time like 2026-01-31T12:00:00Z");
    state->created = timegm(&tm);
    return 0;
}

static int read_head(struct reader *r, const json_t *root,
                     struct lw_state *state)
{
    const json_t *schema = json_object_get(root, "schema");
    int topology;

    if (!json_is_integer(schema) ||
        json_integer_value(schema) != LW_STATE_SCHEMA)
        return expected(r, "schema", "1");
    if (read_created(r, root, state) < 0 ||
        get_text(r, root, "cluster", false, &state->cluster) < 0 ||
        get_text(r, root, "slurm_version", false, &state->slurm_version) < 0 ||
        (topology = get_word(r, root, "topology", topologies, 4, false)) < 0 ||
        get_long(r, root, "max_switch_wait", -1, -1, &state->max_switch_wait) <
            0)
        return -1;
    state->topology = (enum lw_topology)topology;
    return read_block_sizes(r, root, state);
}

static struct lw_state *read_root(struct reader *r, const json_t *root)
{
    struct lw_state *state = calloc(1, sizeof(*state));

    if (!state)
        lw_err(r->err, "%s: out of memory", r->source);
    else if (read_head(r, root, state) < 0 || read_nodes(r, root, state) < 0 ||
             read_partitions(r, root, state) < 0 ||
             read_jobs(r, root, state) < 0) {
        lw_state_destroy(state);
        state = NULL;
        errno = EINVAL;
    }
    return state;
}

struct lw_state *lw_state_parse(const char *text, size_t len,
                                const char *source, lw_error_t *err)
{
    struct reader r = {.source = source, .err = err};
    struct lw_state *state = NULL;
    json_error_t why;
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);

    if (!root) {
        lw_err_at(err, source, why.line, why.column, "%s", why.text);
        errno = EINVAL;
    } else if (!json_is_object(root)) {
        lw_err(err, "%s: expected a JSON object", source);
        errno = EINVAL;
    } else {
        state = read_root(&r, root);
    }
    json_decref(root);
    return state;
}

struct lw_state *lw_state_load(const char *path, lw_error_t *err)
{
    struct lw_state *state = NULL;
    size_t len = 0;
    char *text = lw_file_read(path, LW_STATE_LIMIT, &len, NULL, err);

    if (text)
        state = lw_state_parse(text, len, path, err);
    free(text);
    return state;
}

static void free_node(struct lw_state_node *node)
{
    size_t i;

    for (i = 0; i < node->ngpus; i++)
        free(node->gpus[i].type);
    for (i = 0; i < node->nfeatures; i++)
        free(node->features[i]);
    free(node->gpus);
    free(node->features);
    free(node->block);
    free(node->name);
}

void lw_state_job_clear(struct lw_state_job *job)
{
    free(job->partition);
    free(job->gpu_type);
    free(job->features);
    free(job->mark);
    memset(job, 0, sizeof(*job));
}

void lw_state_destroy(struct lw_state *state)
{
    int saved = errno;
    size_t i;

    if (!state)
        return;
    for (i = 0; i < state->nnodes; i++)
        free_node(&state->nodes[i]);
    for (i = 0; i < state->npartitions; i++) {
        free(state->partitions[i].name);
        free(state->partitions[i].nodes);
    }
    for (i = 0; i < state->njobs; i++)
        lw_state_job_clear(&state->jobs[i]);
    free(state->nodes);
    free(state->partitions);
    free(state->jobs);
    free(state->block_sizes);
    free(state->cluster);
    free(state->slurm_version);
    free(state);
    errno = saved;
}

const struct lw_state_job *lw_state_find_job(const struct lw_state *state,
                                             long id)
{
    const struct lw_state_job key = {.id = id};

    if (!state || !state->njobs)
        return NULL;
    return bsearch(&key, state->jobs, state->njobs, sizeof(key), by_id);
}
