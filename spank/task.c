/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task.c - task_init: this task's CPU mask, memory policy and environment */
#include "config.h"

#include "lib/buf.h"
#include "spank/apply.h"
#include "spank/env.h"
#include "topology/node/plan.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TABLE_LIMIT (256 * 1024)

int lw_bind_list(const char *text, struct lw_cpus *out)
{
    struct lw_cpus all = {{0}}, one;
    size_t len;

    if (!text || !*text)
        return -1;
    for (; *text; text += len + (text[len] == ',')) {
        len = strcspn(text, ",");
        if (lw_cpus_parse_mask(text, len, &one, NULL) < 0)
            return -1;
        lw_cpus_or(&all, &one);
    }
    *out = all;
    return 0;
}

static int get_mask(struct lw_cpus *out)
{
    memset(out, 0, sizeof(*out));
    return sched_getaffinity(0, sizeof(*out), (cpu_set_t *)(void *)out);
}

/* What Slurm gave the whole step on this node: the union of the masks that
 * it handed out, as far as they can be used here, else this task's own mask
 * (then a cgroup or nothing confines the step). */
static int find_allowed(spank_t sp, const struct lw_step_state *s,
                        struct lw_cpus *out)
{
    const char *type = lw_env_get(sp, "SLURM_CPU_BIND_TYPE");
    struct lw_cpus mine, step;

    if (get_mask(&mine) < 0)
        return -1;
    *out = mine;
    if (!type || strncmp(type, "mask_cpu", 8) != 0 ||
        lw_bind_list(lw_env_get(sp, "SLURM_CPU_BIND_LIST"), &step) < 0)
        return 0;
    lw_cpus_and(&step, &s->base);
    if (lw_cpus_within(&mine, &step))
        *out = step;
    return 0;
}

static bool same_gpus(const struct lw_plan *plan, const struct lw_task_plan *t,
                      const struct lw_visible *own)
{
    size_t i;

    for (i = 0; i < t->n && i < own->n; i++)
        if (plan->gpus.gpus[t->first + i] != own->gpus[i])
            return false;
    return t->n == own->n;
}

/* Slurm may have given this task GPUs of its own (--gpus-per-task,
 * --gpu-bind). Where they are not those of the plan, the task gets all
 * allowed CPUs near them, shared with whoever else is there. */
static void respect_own_gpus(spank_t sp, const struct lw_step_state *s,
                             const struct lw_plan *plan,
                             const struct lw_cpus *allowed,
                             struct lw_task_plan *t)
{
    const char *visible = lw_apply_visible(sp);
    const char *bind = lw_env_get(sp, "SLURMD_TRES_BIND");
    struct lw_visible_env env = {s->visible, s->granted, -1};
    struct lw_visible own;
    size_t i;

    if (!visible || !s->visible || strcmp(visible, s->visible) == 0)
        return;
    /* Behind a device cgroup per task every one of them sees "0": Slurm
     * deals the GPUs in order, and so does the plan. */
    if (bind && strstr(bind, "per_task"))
        return;
    if (lw_visible_task(s->inv, &env, &s->gpus, visible, &own) < 0 ||
        same_gpus(plan, t, &own))
        return;
    memset(&t->cpus, 0, sizeof(t->cpus));
    for (i = 0; i < own.n; i++)
        lw_cpus_or(&t->cpus, &s->inv->gpus[own.gpus[i]].cpus);
    lw_cpus_and(&t->cpus, allowed);
}

/* Memory comes from the one NUMA node that the task runs on as long as it
 * has some; a policy across several nodes is what the kernel does anyway. */
static void prefer_memory(const struct lw_step_state *s,
                          const struct lw_cpus *cpus)
{
    struct lw_cpus numas;
    long node;

    lw_plan_numas(s->inv, cpus, &numas);
    node = lw_cpus_next(&numas, 0);
    if (!s->memory || lw_cpus_count(&numas) != 1 || node >= 1024)
        return;
    /* the kernel reads one bit less than it is told of */
    if (syscall(SYS_set_mempolicy, MPOL_PREFERRED, &numas, 1025UL) < 0)
        slurm_debug("leafward: memory policy: %s", strerror(errno));
}

/* One write(2), so that the tables of several nodes do not mix. */
static void show(spank_t sp, const struct lw_step_state *s,
                 const struct lw_plan *plan, const char *note)
{
    struct lw_buf out = LW_BUF_INIT(TABLE_LIMIT);
    const char *node = lw_env_get(sp, "SLURMD_NODENAME");
    ssize_t n = 0;

    lw_buf_printf(&out, "leafward: node %s: %s\n", node ? node : "?",
                  note ? note : "nothing set");
    lw_plan_table(s->inv, plan, &out);
    if (!out.failed)
        n = write(STDERR_FILENO, out.text, out.len);
    if (n < 0)
        slurm_debug("leafward: the table: %s", strerror(errno));
    lw_buf_free(&out);
}

static void add_note(spank_t sp, const char *what, const char *why)
{
    const char *now = lw_env_get(sp, "LEAFWARD_NOTE");
    struct lw_buf b = LW_BUF_INIT(4096);

    lw_buf_printf(&b, "%s%s%s: %s", now ? now : "", now ? "; " : "", what, why);
    if (!b.failed)
        lw_env_set(sp, "LEAFWARD_NOTE", b.text);
    lw_buf_free(&b);
}

/* A nested srun takes the outer task's masks for the user's wish. */
static void leave_marker(spank_t sp)
{
    const char *list = lw_env_get(sp, "SLURM_CPU_BIND_LIST");
    char *copy = list ? strdup(list) : NULL;

    if (copy)
        lw_env_set(sp, "LEAFWARD_OUTER_BIND", copy);
    free(copy);
}

static int bind_task(spank_t sp, const struct lw_step_state *s,
                     const struct lw_plan *plan, const struct lw_task_plan *t)
{
    struct lw_cpus cpus = t->cpus;

    if (plan->unbound) {
        add_note(sp, "CPUs", plan->unbound);
        return 0;
    }
    if (lw_cpus_empty(&cpus)) {
        add_note(sp, "CPUs", "none near the GPU is in the allocation");
        return 0;
    }
    if (sched_setaffinity(0, sizeof(cpus), (cpu_set_t *)(void *)&cpus) < 0) {
        slurm_info("leafward: CPU mask: %s; Slurm's mask stays",
                   strerror(errno));
        add_note(sp, "CPUs", "the kernel refused the mask");
        return -1;
    }
    prefer_memory(s, &cpus);
    add_note(sp, "CPUs", "near the GPU");
    return 0;
}

/* Hardware cores in 'cpus'. */
static size_t count_cores(const struct lw_inventory *inv,
                          const struct lw_cpus *cpus)
{
    size_t i, n = 0;

    for (i = 0; i < inv->ncores; i++)
        n += lw_cpus_overlap(&inv->cores[i], cpus);
    return n ? n : lw_cpus_count(cpus);
}

/* The two variables that differ from task to task, where the site wants them
 * and step-wide ones were not set before. */
static void set_own_environment(spank_t sp, const struct lw_step_state *s,
                                const struct lw_plan *plan,
                                const struct lw_task_plan *t)
{
    const struct lw_nic *nic;
    struct lw_cpus mask;
    char text[100];

    if (s->omp && get_mask(&mask) == 0) {
        snprintf(text, sizeof(text), "%zu", count_cores(s->inv, &mask));
        lw_env_set(sp, "OMP_NUM_THREADS", text);
    }
    if (s->ucx && t->n && plan->nic[t->first] >= 0) {
        nic = &s->inv->nics[plan->nic[t->first]];
        snprintf(text, sizeof(text), "%s:%d", nic->device, nic->port);
        lw_env_set(sp, "UCX_NET_DEVICES", text);
    }
}

static int strictly(const struct lw_step_state *s, const char *why)
{
    if (!s->settings->strict)
        return 0;
    slurm_error("leafward: %s", why);
    return -1;
}

/* The plan of the whole node, from this task's point of view. */
static struct lw_plan *make_plan(spank_t sp, const struct lw_step_state *s,
                                 struct lw_cpus *allowed)
{
    struct lw_step step = {.gpus = &s->gpus, .allowed = allowed};

    if (find_allowed(sp, s, allowed) < 0)
        return NULL;
    step.ntasks = lw_item(sp, S_JOB_LOCAL_TASK_COUNT, 1);
    return lw_plan_create(s->inv, &s->rails, &step);
}

int lw_apply_task(spank_t sp, struct lw_step_state *s)
{
    unsigned id = lw_item(sp, S_TASK_ID, 0);
    struct lw_cpus allowed;
    struct lw_plan *plan;
    int rc = 0;

    if (s->failure[0]) {
        slurm_error("leafward: %s", s->failure);
        return -1;
    }
    if (lw_nodes_written(&s->nodes))
        lw_env_set(sp, "LEAFWARD_HOSTFILE", s->nodes.path);
    if (!s->inv || s->gpus.count == 0)
        return 0;
    plan = make_plan(sp, s, &allowed);
    if (!plan || id >= plan->ntasks) {
        lw_plan_destroy(plan);
        return strictly(s, "no plan could be made");
    }
    if (s->bind) {
        leave_marker(sp);
        respect_own_gpus(sp, s, plan, &allowed, &plan->tasks[id]);
        rc = bind_task(sp, s, plan, &plan->tasks[id]);
    } else {
        add_note(sp, "CPUs", s->bind_note);
    }
    set_own_environment(sp, s, plan, &plan->tasks[id]);
    if (s->options.verbose && id == 0)
        show(sp, s, plan, lw_env_get(sp, "LEAFWARD_NOTE"));
    lw_plan_destroy(plan);
    return rc < 0 ? strictly(s, "the task could not be bound") : 0;
}
