/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_desc.h - rows of tests as a job_desc_msg_t */
#ifndef LW_JOB_DESC_H
#define LW_JOB_DESC_H

#include "job_submit/request.h"
#include "tests/check.h"

/* One field of a job_desc_msg_t, and what it is set to. */
struct job {
    const char *what; /* the command line it comes from */
    const char *tres_per_job, *tres_per_node, *tres_per_task, *tres_per_socket;
    const char *cpus_per_tres, *mem_per_tres;
    const char *partition, *features, *req_nodes, *exc_nodes, *reservation;
    const char *admin_comment, *option;
    uint32_t min_nodes, max_nodes, num_tasks, min_cpus, req_switch, task_dist;
    uint32_t time_limit;
    uint64_t pn_min_memory;
    uint16_t ntasks_per_node, cpus_per_task, sockets_per_node, shared;
    uint16_t contiguous;
    const char *want;
};

static inline char *copy(const char *text)
{
    return text ? slurm_xstrdup(text) : NULL;
}

static char *env[1];

/* Zero in a row means unset. */
static inline void fill(const struct job *from, job_desc_msg_t *to)
{
    slurm_init_job_desc_msg(to);
    to->tres_per_job = copy(from->tres_per_job);
    to->tres_per_node = copy(from->tres_per_node);
    to->tres_per_task = copy(from->tres_per_task);
    to->tres_per_socket = copy(from->tres_per_socket);
    to->cpus_per_tres = copy(from->cpus_per_tres);
    to->mem_per_tres = copy(from->mem_per_tres);
    to->partition = copy(from->partition);
    to->features = copy(from->features);
    to->req_nodes = copy(from->req_nodes);
    to->exc_nodes = copy(from->exc_nodes);
    to->reservation = copy(from->reservation);
    to->admin_comment = copy(from->admin_comment);
    env[0] = (char *)from->option;
    to->spank_job_env = from->option ? env : NULL;
    to->spank_job_env_size = from->option ? 1 : 0;
#define SET(field)                                                             \
    if (from->field)                                                           \
    to->field = from->field
    SET(min_nodes);
    SET(max_nodes);
    SET(num_tasks);
    SET(min_cpus);
    SET(req_switch);
    SET(task_dist);
    SET(time_limit);
    SET(pn_min_memory);
    SET(ntasks_per_node);
    SET(cpus_per_task);
    SET(sockets_per_node);
    SET(shared);
    SET(contiguous);
#undef SET
}

static inline void empty(job_desc_msg_t *job)
{
    char **texts[] = {
        &job->tres_per_job,    &job->tres_per_node, &job->tres_per_task,
        &job->tres_per_socket, &job->cpus_per_tres, &job->mem_per_tres,
        &job->partition,       &job->features,      &job->req_nodes,
        &job->exc_nodes,       &job->reservation,   &job->admin_comment};
    size_t i;

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        slurm_xfree((void **)texts[i]);
}

/* The request in one line, only what is set. */
static inline const char *shown(const struct lw_request *r)
{
    static char out[600];
    const struct {
        const char *key;
        long value;
    } numbers[] = {
        {"min", r->nodes_min},
        {"max", r->nodes_max},
        {"tasks", r->tasks},
        {"tpn", r->tasks_per_node},
        {"cpt", r->cpus_per_task},
        {"cpus", r->cpus_min},
        {"cpg", r->cpus_per_gpu},
        {"spn", r->sockets_per_node},
        {"job", r->gpus_job},
        {"node", r->gpus_node},
        {"task", r->gpus_task},
        {"socket", r->gpus_socket},
        {"minutes", r->minutes},
        {"mem", r->memory_node},
        {"mem/cpu", r->memory_cpu},
        {"mem/gpu", r->memory_gpu},
        {"policy", r->policy},
        {"wait", r->wait},
        {"excluded", r->nexcluded ? (long)r->nexcluded : -1},
    };
    const struct {
        const char *key;
        bool set;
    } flags[] = {
        {"unclear", r->gpus_unclear},
        {"exclusive", r->exclusive},
        {"nodelist", r->nodelist},
        {"switches", r->switches},
        {"contiguous", r->contiguous},
        {"arbitrary", r->arbitrary},
        {"reservation", r->reservation},
        {"decided", r->decided},
        {"sizes", r->sizes},
        {"segment", r->segment},
    };
    size_t i, len;

    out[0] = '\0';
    for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        len = strlen(out);
        if (numbers[i].value >= 0)
            snprintf(out + len, sizeof(out) - len, "%s%s=%ld", len ? " " : "",
                     numbers[i].key, numbers[i].value);
    }
    len = strlen(out);
    if (r->gpu_type)
        snprintf(out + len, sizeof(out) - len, " type=%s", r->gpu_type);
    for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        len = strlen(out);
        if (flags[i].set)
            snprintf(out + len, sizeof(out) - len, " %s", flags[i].key);
    }
    return out;
}

/* What a gang of two nodes gets. */
static const struct lw_decision packed = {.action = LW_REWRITE,
                                          .reason = LW_TOTAL_GPUS,
                                          .nodes = 2,
                                          .gpus_node = 8,
                                          .groups = 1,
                                          .switches = 1,
                                          .wait = 900,
                                          .segment = -1};

#endif
