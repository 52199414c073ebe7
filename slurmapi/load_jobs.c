/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load_jobs.c - Slurm's jobs as plain structs */
#include "config.h"

#include "slurmapi/gres.h"
#include "slurmapi/loader.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* slurm.conf's SelectTypeParameters say that memory is handed out; slurm.h of
 * 26.05 calls the same bit SELECT_MEMORY. */
#ifdef CR_MEMORY
#define LW_MEMORY_IS_SHARED_OUT CR_MEMORY
#else
#define LW_MEMORY_IS_SHARED_OUT 0x0010
#endif

static long number(uint32_t n)
{
    return n == NO_VAL || n == INFINITE ? -1 : (long)n;
}

/* An empty text says no more than none. */
static const char *text(const char *s)
{
    return s && *s ? s : NULL;
}

/* As sacct spells them. */
static const char *ended_word(uint32_t base)
{
    switch (base) {
    case JOB_COMPLETE:
        return "COMPLETED";
    case JOB_CANCELLED:
        return "CANCELLED";
    case JOB_TIMEOUT:
        return "TIMEOUT";
    case JOB_NODE_FAIL:
        return "NODE_FAIL";
    case JOB_PREEMPTED:
        return "PREEMPTED";
    case JOB_BOOT_FAIL:
        return "BOOT_FAIL";
    case JOB_DEADLINE:
        return "DEADLINE";
    case JOB_OOM:
        return "OUT_OF_MEMORY";
    default:
        return "FAILED";
    }
}

/* A job that was not looked at yet, or whose nodes are partly away, waits
 * for resources too. */
static enum lw_job_reason reason_of(uint32_t reason)
{
    switch (reason) {
    case WAIT_NO_REASON:
    case WAIT_RESOURCES:
    case WAIT_NODE_NOT_AVAIL:
        return LW_WAIT_RESOURCES;
    case WAIT_PRIORITY:
        return LW_WAIT_PRIORITY;
    default:
        return LW_WAIT_OTHER;
    }
}

/* The reason of nodes that are down, and of nodes that somebody reserved for
 * later; only its text tells them apart. */
static bool is_reserved(const slurm_job_info_t *from)
{
    return from->state_reason == WAIT_NODE_NOT_AVAIL && from->state_desc &&
           strstr(from->state_desc, "eserved");
}

static void fill_state(const slurm_job_info_t *from, struct lw_job *j)
{
    uint32_t base = from->job_state & JOB_STATE_BASE;

    j->configuring = from->job_state & JOB_CONFIGURING;
    j->completing = from->job_state & JOB_COMPLETING;
    j->held = from->priority == 0;
    j->reason =
        is_reserved(from) ? LW_WAIT_OTHER : reason_of(from->state_reason);
    if (base == JOB_PENDING) {
        j->state = LW_JOB_PENDING;
    } else if (base == JOB_RUNNING || base == JOB_SUSPENDED) {
        j->state = LW_JOB_RUNNING;
    } else {
        j->state = LW_JOB_ENDED;
        j->word = ended_word(base);
        if (WIFEXITED(from->exit_code))
            j->exit_code = WEXITSTATUS(from->exit_code);
        else if (WIFSIGNALED(from->exit_code))
            j->signal = WTERMSIG(from->exit_code);
    }
}

static void fill_ids(const slurm_job_info_t *from, struct lw_job *j)
{
    j->id = (long)from->job_id;
    j->array_job = from->array_job_id ? (long)from->array_job_id : -1;
    j->array_task = number(from->array_task_id);
    j->array_tasks = text(from->array_task_str);
    j->het_job = from->het_job_id ? (long)from->het_job_id : -1;
    j->het_offset = from->het_job_id ? number(from->het_job_offset) : -1;
    j->restarts = from->restart_cnt;
    j->uid = (long)from->user_id;
}

/* A pending job's start is what backfill expects, so it does not count; an
 * ended one that never ran has none or, cancelled, start == end without
 * nodes. */
static void fill_times(const slurm_job_info_t *from, struct lw_job *j)
{
    j->submit = from->submit_time;
    j->eligible = from->eligible_time;
    j->minutes = number(from->time_limit);
    j->priority = (long)from->priority;
    if (j->state != LW_JOB_PENDING && j->nodes)
        j->start = from->start_time;
    if (j->state == LW_JOB_PENDING)
        j->planned = from->start_time;
    if (j->state == LW_JOB_ENDED || j->completing)
        j->end = from->end_time;
}

static bool is_exclusive(const slurm_job_info_t *from)
{
#if LW_SLURM_AT_LEAST(26, 5)
    return from->exclusive == JOB_EXCLUSIVE_NODE;
#else
    return from->shared == JOB_SHARED_NONE;
#endif
}

/* GPUs of the allocation by what is there: the accounting text when GPUs are
 * tracked, else node by node, else the total that Slurm keeps. */
static long gpus_allocated(const slurm_job_info_t *from)
{
    long n = lw_gres_gpus(from->tres_alloc_str);
    uint32_t i;

    if (n)
        return n;
    for (i = 0; from->gres_detail_str && i < from->gres_detail_cnt; i++)
        n += lw_gres_gpus(from->gres_detail_str[i]);
    return n ? n : lw_gres_gpus(from->gres_total);
}

static long gpus_asked(const slurm_job_info_t *from, long nnodes)
{
    long n = lw_gres_gpus(from->tres_req_str);

    if (!n)
        n = lw_gres_gpus(from->tres_per_job);
    if (!n)
        n = lw_gres_gpus(from->tres_per_node) * (nnodes > 0 ? nnodes : 1);
    if (!n && from->num_tasks != NO_VAL)
        n = lw_gres_gpus(from->tres_per_task) * (long)from->num_tasks;
    return n;
}

/* By the first text that names one; kept with the names of users, since both
 * are few. */
static const char *gpu_type(struct lw_loader *l, const slurm_job_info_t *from)
{
    const char *const texts[] = {
        from->tres_alloc_str,
        from->gres_detail_str && from->gres_detail_cnt
            ? from->gres_detail_str[0]
            : NULL,
        from->tres_per_node,
        from->tres_per_job,
        from->tres_per_task,
        from->tres_req_str,
    };
    const char *type = NULL;
    size_t i, len = 0;

    for (i = 0; !type && i < sizeof(texts) / sizeof(texts[0]); i++)
        type = lw_gres_type(texts[i], &len);
    return type ? lw_users_keep(l->users, type, len) : NULL;
}

static long larger(long a, long b)
{
    return a > b ? a : b;
}

/* What one node must have left, as far as Slurm shows what was asked for. */
static void fill_node_needs(const struct lw_loader *l,
                            const slurm_job_info_t *from, struct lw_job *j)
{
    long n = j->nnodes > 0 ? j->nnodes : 1;
    long gpus = j->gpus > 0 ? (j->gpus + n - 1) / n : 0;
    long cpus =
        larger(from->pn_min_cpus, lw_gres_gpus(from->cpus_per_tres) * gpus);

    if (from->ntasks_per_node && from->ntasks_per_node != NO_VAL16 &&
        from->cpus_per_task && from->cpus_per_task != NO_VAL16)
        cpus = larger(cpus, (long)from->ntasks_per_node * from->cpus_per_task);
    j->node_cpus = cpus;
    j->node_memory = lw_gres_gpus(from->mem_per_tres) * gpus;
    if (from->pn_min_memory == NO_VAL64)
        return;
    if (from->pn_min_memory & MEM_PER_CPU)
        j->node_memory = larger(
            j->node_memory, (long)(from->pn_min_memory & ~MEM_PER_CPU) *
                                larger(cpus, j->cpus > 0 ? j->cpus / n : 1));
    else
        j->node_memory = larger(j->node_memory, (long)from->pn_min_memory);
    j->all_memory = !j->node_memory && l->conf &&
                    (l->conf->select_type_param & LW_MEMORY_IS_SHARED_OUT);
}

static void fill_size(const struct lw_loader *l, const slurm_job_info_t *from,
                      struct lw_job *j)
{
    j->nnodes = number(from->num_nodes);
    j->nodes_max = from->max_nodes ? number(from->max_nodes) : -1;
    j->cpus = number(from->num_cpus);
    j->exclusive = is_exclusive(from);
    j->gpus = j->start ? gpus_allocated(from) : 0;
    if (!j->gpus)
        j->gpus = gpus_asked(from, j->nnodes);
    fill_node_needs(l, from, j);
    j->switches = from->req_switch ? number(from->req_switch) : -1;
    j->switch_wait = from->req_switch ? number(from->wait4switch) : -1;
}

static void fill_texts(const slurm_job_info_t *from, struct lw_job *j)
{
    j->name = text(from->name);
    j->user = text(from->user_name);
    j->account = text(from->account);
    j->partition = text(from->partition);
    j->qos = text(from->qos);
    j->comment = text(from->admin_comment);
    j->nodes = text(from->nodes);
    j->exclude = text(from->exc_nodes);
    j->include = text(from->req_nodes);
    j->features = text(from->features);
    j->reservation = text(from->resv_name);
}

static void fill_job(struct lw_loader *l, const slurm_job_info_t *from,
                     struct lw_job *j)
{
    memset(j, 0, sizeof(*j));
    fill_ids(from, j);
    fill_texts(from, j);
    fill_state(from, j);
    fill_times(from, j);
    fill_size(l, from, j);
    if (j->gpus > 0)
        j->gpu_type = gpu_type(l, from);
    if (!j->user)
        j->user = lw_users_name(l->users, (uid_t)from->user_id);
}

int lw_loader_jobs(struct lw_loader *l, lw_error_t *err)
{
    size_t n = l->jobs->record_count, i;
    struct lw_job *grown;

    if (n > l->job_space) {
        if (!(grown = realloc(l->job_array, n * sizeof(*grown))))
            return lw_err(err, "out of memory");
        l->job_array = grown;
        l->job_space = n;
    }
    for (i = 0; i < n; i++)
        fill_job(l, &l->jobs->job_array[i], &l->job_array[i]);
    l->njobs = n;
    return 0;
}
