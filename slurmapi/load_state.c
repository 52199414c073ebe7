/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load_state.c - Slurm's nodes and partitions as the cluster state */
#include "config.h"

#include "slurmapi/gres.h"
#include "slurmapi/loader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* SchedulerParameters=max_switch_wait when it is not given (slurmctld's
 * DEFAULT_MAX_SWITCH_WAIT in all releases). */
#define MAX_SWITCH_WAIT 300

/* Any of these flags: the node takes no new job. */
#define CLOSED                                                                 \
    (NODE_STATE_DRAIN | NODE_STATE_FAIL | NODE_STATE_NO_RESPOND |              \
     NODE_STATE_RES | NODE_STATE_MAINT | NODE_STATE_REBOOT_REQUESTED |         \
     NODE_STATE_REBOOT_ISSUED | NODE_STATE_POWERING_DOWN |                     \
     NODE_STATE_POWER_DOWN | NODE_STATE_POWER_DRAIN | NODE_STATE_INVALID_REG | \
     NODE_STATE_COMPLETING)

void lw_conf_release(slurm_conf_t *conf)
{
    if (!conf)
        return;
#if LW_SLURM_AT_LEAST(26, 5)
    slurm_free_conf(conf);
#else
    slurm_free_ctl_conf(conf);
#endif
}

#if LW_SLURM_AT_LEAST(25, 5)
static void node_usage(const node_info_t *from, struct lw_state_node *n)
{
    n->cpus_used = from->alloc_cpus;
    n->memory_used = (long)from->alloc_memory;
}
#else
static void node_usage(const node_info_t *from, struct lw_state_node *n)
{
    uint16_t cpus = 0;
    uint64_t memory = 0;

    slurm_get_select_nodeinfo(from->select_nodeinfo, SELECT_NODEDATA_SUBCNT,
                              NODE_STATE_ALLOCATED, &cpus);
    slurm_get_select_nodeinfo(from->select_nodeinfo, SELECT_NODEDATA_MEM_ALLOC,
                              NODE_STATE_ALLOCATED, &memory);
    n->cpus_used = cpus;
    n->memory_used = (long)memory;
}
#endif

/* A node that is powered down on a cloud is there for whoever asks; any
 * other powered or booting one too, after a while. Only the plain truth
 * counts here: can a job start on it now or soon. */
static bool closed(uint32_t state)
{
    uint32_t base = state & NODE_STATE_BASE;

    return (state & CLOSED) || base == NODE_STATE_DOWN ||
           base == NODE_STATE_UNKNOWN || base == NODE_STATE_ERROR ||
           base == NODE_STATE_FUTURE;
}

/* Of several causes the one that lasts longest. */
static enum lw_closed why_closed(uint32_t state)
{
    uint32_t base = state & NODE_STATE_BASE;

    if (base != NODE_STATE_IDLE && base != NODE_STATE_ALLOCATED &&
        base != NODE_STATE_MIXED)
        return LW_CLOSED_DOWN;
    if (state & (NODE_STATE_DRAIN | NODE_STATE_FAIL | NODE_STATE_INVALID_REG))
        return LW_CLOSED_DRAINED;
    if (state & (NODE_STATE_RES | NODE_STATE_MAINT))
        return LW_CLOSED_RESERVED;
    if ((state & CLOSED) == NODE_STATE_COMPLETING)
        return LW_CLOSED_COMPLETING;
    return LW_CLOSED_DOWN;
}

static enum lw_node_state state_of(const node_info_t *from,
                                   const struct lw_state_node *n)
{
    long gpus = 0, used = 0;
    size_t i;

    if (closed(from->node_state))
        return LW_NODE_DOWN;
    for (i = 0; i < n->ngpus; i++) {
        gpus += n->gpus[i].count;
        used += n->gpus[i].used;
    }
    if (!used && !n->cpus_used)
        return LW_NODE_IDLE;
    if ((gpus && used >= gpus) || n->cpus_used >= n->cpus)
        return LW_NODE_FULL;
    return LW_NODE_MIXED;
}

static struct lw_gpus *gpus_of_type(struct lw_state_node *n, const char *type,
                                    size_t len)
{
    struct lw_gpus *g;
    size_t i;

    for (i = 0; i < n->ngpus; i++)
        if (strlen(n->gpus[i].type) == len &&
            memcmp(n->gpus[i].type, type, len) == 0)
            return &n->gpus[i];
    if (!(g = realloc(n->gpus, (n->ngpus + 1) * sizeof(*g))))
        return NULL;
    n->gpus = g;
    g += n->ngpus;
    memset(g, 0, sizeof(*g));
    if (!(g->type = strndup(len ? type : "", len)))
        return NULL;
    n->ngpus++;
    return g;
}

static int node_gpus(const node_info_t *from, struct lw_state_node *n)
{
    const char *text = from->gres;
    struct lw_gres_item item;
    struct lw_gpus *g;

    while (lw_gres_next(&text, &item)) {
        if (!(g = gpus_of_type(n, item.type, item.type_len)))
            return -1;
        g->count += item.count;
    }
    text = from->gres_used;
    while (lw_gres_next(&text, &item)) {
        if (!(g = gpus_of_type(n, item.type, item.type_len)))
            return -1;
        g->used += item.count;
    }
    return 0;
}

static int node_features(const char *text, struct lw_state_node *n)
{
    while (text && *text) {
        size_t len = strcspn(text, ",");
        char **grown =
            realloc(n->features, (n->nfeatures + 1) * sizeof(char *));

        if (!grown)
            return -1;
        n->features = grown;
        if (!(grown[n->nfeatures] = strndup(text, len)))
            return -1;
        n->nfeatures++;
        text += len;
        text += *text == ',';
    }
    return 0;
}

static int fill_node(const node_info_t *from, struct lw_state_node *n)
{
    if (!(n->name = strdup(from->name)) || node_gpus(from, n) < 0 ||
        node_features(from->features_act ? from->features_act : from->features,
                      n) < 0)
        return -1;
    n->cpus = from->cpus_efctv ? from->cpus_efctv : from->cpus;
    n->threads = from->threads;
    n->memory = (long)from->real_memory;
    n->weight = (long)from->weight;
    node_usage(from, n);
    n->state = state_of(from, n);
    n->closed = why_closed(from->node_state);
    return 0;
}

/* 'index' maps Slurm's node table, which has nameless gaps, to ours. */
static int fill_nodes(const node_info_msg_t *msg, struct lw_state *s,
                      int *index)
{
    uint32_t i;

    if (!(s->nodes = calloc(msg->record_count + 1, sizeof(*s->nodes))))
        return -1;
    for (i = 0; i < msg->record_count; i++) {
        index[i] = -1;
        if (!msg->node_array[i].name)
            continue;
        index[i] = (int)s->nnodes;
        if (fill_node(&msg->node_array[i], &s->nodes[s->nnodes++]) < 0)
            return -1;
    }
    return 0;
}

static int partition_nodes(const partition_info_t *from, const int *index,
                           uint32_t nindex, struct lw_state_partition *p)
{
    const int32_t *pair;
    size_t room = 0;
    int32_t i;

    for (pair = from->node_inx; pair && pair[0] >= 0; pair += 2)
        if (pair[1] >= pair[0])
            room += (size_t)(pair[1] - pair[0]) + 1;
    if (!(p->nodes = calloc(room + 1, sizeof(*p->nodes))))
        return -1;
    for (pair = from->node_inx; pair && pair[0] >= 0; pair += 2)
        for (i = pair[0]; i <= pair[1]; i++)
            if ((uint32_t)i < nindex && index[i] >= 0)
                p->nodes[p->nnodes++] = index[i];
    return 0;
}

static const char *topology_name(const partition_info_t *from)
{
#if LW_SLURM_AT_LEAST(25, 5)
    return from->topology_name;
#else
    (void)from;
    return NULL;
#endif
}

static int fill_partitions(struct lw_loader *l, struct lw_state *s,
                           const int *index)
{
    const partition_info_msg_t *msg = l->parts;
    uint32_t i;

    if (!(s->partitions =
              calloc(msg->record_count + 1, sizeof(*s->partitions))))
        return -1;
    for (i = 0; i < msg->record_count; i++) {
        const partition_info_t *from = &msg->partition_array[i];
        struct lw_state_partition *p = &s->partitions[s->npartitions];

        if (!from->name)
            continue;
        s->npartitions++;
        if (!(p->name = strdup(from->name)) ||
            partition_nodes(from, index, l->nodes->record_count, p) < 0)
            return -1;
        p->is_default = from->flags & PART_FLAG_DEFAULT;
        p->up = from->state_up == PARTITION_UP;
        p->topology = lw_topology_kind(&l->topology, topology_name(from));
        p->min_nodes = (long)from->min_nodes;
        p->max_nodes = from->max_nodes == INFINITE ? -1 : (long)from->max_nodes;
        p->max_minutes = from->max_time == INFINITE ? -1 : (long)from->max_time;
    }
    return 0;
}

/* Slurm takes the first that stands in the text (job_mgr.c). */
static long max_switch_wait(const char *params)
{
    static const char key[] = "max_switch_wait=";
    const char *at = params ? strcasestr(params, key) : NULL;
    long wait = at ? strtol(at + sizeof(key) - 1, NULL, 10) : MAX_SWITCH_WAIT;

    return wait >= 0 ? wait : MAX_SWITCH_WAIT;
}

static int fill_cluster(struct lw_loader *l, struct lw_state *s)
{
    const slurm_conf_t *c = l->conf;

    s->created = time(NULL);
    s->topology = lw_topology_kind(&l->topology, NULL);
    s->max_switch_wait = max_switch_wait(c->sched_params);
    s->cluster = strdup(c->cluster_name ? c->cluster_name : "");
    s->slurm_version = strdup(c->version ? c->version : "");
    return s->cluster && s->slurm_version ? 0 : -1;
}

static char *copy(const char *text, bool *failed)
{
    char *out = text ? strdup(text) : NULL;

    if (text && !out)
        *failed = true;
    return out;
}

static int by_id(const void *a, const void *b)
{
    const struct lw_state_job *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

/* Pending jobs with our mark: an update of one names only what it changes,
 * and the plugin needs the rest. */
int lw_loader_state_jobs(struct lw_loader *l, lw_error_t *err)
{
    struct lw_state *s = l->state;
    struct lw_state_job *jobs = calloc(l->njobs + 1, sizeof(*jobs));
    bool failed = !jobs;
    size_t i, n = 0;

    for (i = 0; !failed && i < l->njobs; i++) {
        const struct lw_job *j = &l->job_array[i];

        if (j->state != LW_JOB_PENDING || !j->comment ||
            strncmp(j->comment, LW_ADMIN_MARK, sizeof(LW_ADMIN_MARK) - 1) != 0)
            continue;
        jobs[n].id = j->id;
        jobs[n].array_job = j->array_job;
        jobs[n].het_job = j->het_job;
        jobs[n].het_offset = j->het_offset;
        jobs[n].nodes = j->nnodes;
        jobs[n].gpus_node = j->nnodes > 0 ? j->gpus / j->nnodes : -1;
        jobs[n].minutes = j->minutes;
        jobs[n].partition = copy(j->partition, &failed);
        jobs[n].features = copy(j->features, &failed);
        jobs[n].mark = copy(j->comment, &failed);
        jobs[n++].gpu_type = copy(j->gpu_type, &failed);
    }
    if (n)
        qsort(jobs, n, sizeof(*jobs), by_id);
    for (i = 0; i < s->njobs; i++)
        lw_state_job_clear(&s->jobs[i]);
    free(s->jobs);
    s->jobs = jobs;
    s->njobs = n;
    return failed ? lw_err(err, "out of memory") : 0;
}

struct lw_state *lw_loader_state(struct lw_loader *l, lw_error_t *err)
{
    struct lw_state *s = calloc(1, sizeof(*s));
    int *index = calloc((size_t)l->nodes->record_count + 1, sizeof(*index));

    if (!s || !index || fill_cluster(l, s) < 0 ||
        fill_nodes(l->nodes, s, index) < 0 ||
        fill_partitions(l, s, index) < 0) {
        lw_err(err, "out of memory");
        goto error;
    }
    if (lw_topology_blocks(&l->topology, s, err) < 0)
        goto error;
    free(index);
    return s;
error:
    free(index);
    lw_state_destroy(s);
    return NULL;
}
