/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan.c - inventory + step -> plan, a pure function */
#include "config.h"

#include "topology/node/affinity.h"
#include "topology/node/match.h"
#include "topology/node/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void lw_plan_destroy(struct lw_plan *plan)
{
    int saved = errno;

    if (plan)
        free(plan->tasks);
    free(plan);
    errno = saved;
}

/* GPUs of the step in the inventory's order, each once: MIG instances of one
 * GPU share its NIC. */
static size_t distinct(const struct lw_inventory *inv,
                       const struct lw_visible *v, int *out)
{
    size_t i, k, n = 0;

    for (i = 0; i < inv->ngpus && n < LW_VISIBLE_MAX; i++) {
        for (k = 0; k < v->n && v->gpus[k] != (int)i; k++)
            ;
        if (k < v->n)
            out[n++] = (int)i;
    }
    return n;
}

/* Match over all GPUs of the node, not only the step's: then two steps that
 * share a node agree, and a partial step does not take its neighbour's NIC.
 * The step's own GPUs are matched alone only when the node is too large. */
static int match(const struct lw_inventory *inv, const struct lw_rails *rails,
                 struct lw_plan *plan)
{
    int gpus[LW_VISIBLE_MAX], nics[LW_VISIBLE_MAX];
    size_t i, k, n = 0;

    if (inv->ngpus <= LW_VISIBLE_MAX)
        for (; n < inv->ngpus; n++)
            gpus[n] = (int)n;
    else
        n = distinct(inv, &plan->gpus, gpus);
    if (lw_match(inv, gpus, n, rails->nics, rails->n, nics) < 0)
        return -1;
    for (i = 0; i < plan->gpus.n; i++) {
        plan->nic[i] = -1;
        for (k = 0; k < n; k++)
            if (gpus[k] == plan->gpus.gpus[i])
                plan->nic[i] = nics[k];
    }
    return 0;
}

/* Which GPUs a task uses: the i-th of n when there is one for each; blocks
 * of the list, as --gpu-bind=single deals them, when the counts differ. */
static void deal_gpus(struct lw_plan *plan)
{
    size_t i, n = plan->gpus.n, tasks = plan->ntasks, end;

    for (i = 0; i < tasks; i++) {
        plan->tasks[i].first = i * n / tasks;
        end = (i + 1) * n / tasks;
        if (end <= plan->tasks[i].first)
            end = plan->tasks[i].first + 1;
        plan->tasks[i].n = end - plan->tasks[i].first;
    }
}

/* The CPUs near all GPUs of a task; all when one of them is near none. */
static void near_task(const struct lw_inventory *inv,
                      const struct lw_plan *plan, const struct lw_task_plan *t,
                      struct lw_cpus *near)
{
    const struct lw_gpu *gpu;
    size_t i;

    memset(near, 0, sizeof(*near));
    for (i = t->first; i < t->first + t->n; i++) {
        gpu = &inv->gpus[plan->gpus.gpus[i]];
        if (lw_cpus_empty(&gpu->cpus)) {
            memset(near, 0xff, sizeof(*near));
            return;
        }
        lw_cpus_or(near, &gpu->cpus);
    }
}

/* One task alone on a node (torchrun, mpirun of another kind) starts workers
 * for all GPUs itself; they inherit its mask, so it must stay wide. */
static const char *reason_to_leave(const struct lw_plan *plan,
                                   const struct lw_step *step)
{
    if (step->gpus->trouble)
        return step->gpus->trouble;
    if (!plan->gpus.n)
        return "the step has no GPU here";
    if (plan->ntasks < 2)
        return "one task on the node keeps all its CPUs";
    if (plan->ntasks > LW_PLAN_TASKS)
        return "too many tasks on the node";
    if (lw_cpus_empty(step->allowed))
        return "the CPUs that Slurm gave the step are not known";
    return NULL;
}

static int share(const struct lw_inventory *inv, const struct lw_step *step,
                 struct lw_plan *plan)
{
    struct lw_cpus *near = calloc(plan->ntasks, sizeof(*near));
    struct lw_cpus *cpus = calloc(plan->ntasks, sizeof(*cpus));
    size_t i;
    int rc = -1;

    if (near && cpus) {
        for (i = 0; i < plan->ntasks; i++)
            near_task(inv, plan, &plan->tasks[i], &near[i]);
        rc = lw_affinity_share(inv, step->allowed, near, plan->ntasks, cpus);
        for (i = 0; rc == 0 && i < plan->ntasks; i++)
            plan->tasks[i].cpus = cpus[i];
    }
    free(near);
    free(cpus);
    return rc;
}

struct lw_plan *lw_plan_create(const struct lw_inventory *inv,
                               const struct lw_rails *rails,
                               const struct lw_step *step)
{
    struct lw_plan *plan = calloc(1, sizeof(*plan));

    if (!plan)
        return NULL;
    plan->gpus = *step->gpus;
    plan->ntasks = step->ntasks;
    plan->tasks = calloc(plan->ntasks + 1, sizeof(*plan->tasks));
    if (!plan->tasks || match(inv, rails, plan) < 0)
        goto error;
    if (plan->gpus.n)
        deal_gpus(plan);
    plan->unbound = reason_to_leave(plan, step);
    if (!plan->unbound && share(inv, step, plan) < 0)
        goto error;
    return plan;
error:
    lw_plan_destroy(plan);
    errno = ENOMEM;
    return NULL;
}

void lw_plan_numas(const struct lw_inventory *inv, const struct lw_cpus *cpus,
                   struct lw_cpus *out)
{
    size_t i;

    memset(out, 0, sizeof(*out));
    for (i = 0; i < inv->nnumas; i++)
        if (lw_cpus_overlap(&inv->numas[i].cpus, cpus))
            lw_cpus_set(out, (size_t)inv->numas[i].id);
}

/* The number that the vendor's runtime gives a GPU. */
static size_t gpu_number(const struct lw_inventory *inv, int gpu)
{
    int index = inv->gpus[gpu].index;

    return (size_t)(index >= 0 ? index : gpu);
}

/* One row of the table. */
struct row {
    struct lw_buf cpus, numas, gpus, nics, rails;
};

static const char *or_dash(const struct lw_buf *b)
{
    return b->len ? b->text : "-";
}

static void fill_devices(const struct lw_inventory *inv,
                         const struct lw_plan *plan,
                         const struct lw_task_plan *t, struct row *r)
{
    struct lw_cpus gpus = {{0}};
    size_t i;
    int nic, last = -1;

    for (i = t->first; i < t->first + t->n; i++) {
        lw_cpus_set(&gpus, gpu_number(inv, plan->gpus.gpus[i]));
        nic = plan->nic[i];
        if (nic < 0 || nic == last)
            continue;
        lw_buf_printf(&r->nics, "%s%s:%d", r->nics.len ? "," : "",
                      inv->nics[nic].device, inv->nics[nic].port);
        lw_buf_printf(&r->rails, "%s%d", r->rails.len ? "," : "",
                      inv->nics[nic].rail);
        last = nic;
    }
    lw_cpus_print(&gpus, &r->gpus);
}

static void put_row(const struct lw_inventory *inv, const struct lw_plan *plan,
                    size_t task, struct lw_buf *out)
{
    struct row r = {LW_BUF_INIT(65536), LW_BUF_INIT(65536), LW_BUF_INIT(65536),
                    LW_BUF_INIT(65536), LW_BUF_INIT(65536)};
    const struct lw_task_plan *t = &plan->tasks[task];
    struct lw_cpus numas;

    lw_cpus_print(&t->cpus, &r.cpus);
    if (!r.cpus.len)
        lw_buf_puts(&r.cpus, "Slurm's");
    lw_plan_numas(inv, &t->cpus, &numas);
    lw_cpus_print(&numas, &r.numas);
    fill_devices(inv, plan, t, &r);
    lw_buf_printf(out, "%-4zu  %-16s  %-4s  %-4s  %-10s  %s\n", task,
                  r.cpus.text, or_dash(&r.numas), or_dash(&r.gpus),
                  or_dash(&r.nics), or_dash(&r.rails));
    lw_buf_free(&r.cpus);
    lw_buf_free(&r.numas);
    lw_buf_free(&r.gpus);
    lw_buf_free(&r.nics);
    lw_buf_free(&r.rails);
}

int lw_plan_table(const struct lw_inventory *inv, const struct lw_plan *plan,
                  struct lw_buf *out)
{
    size_t i;

    lw_buf_printf(out, "%-4s  %-16s  %-4s  %-4s  %-10s  %s\n", "task", "cpus",
                  "numa", "gpu", "nic", "rail");
    for (i = 0; i < plan->ntasks; i++)
        put_row(inv, plan, i, out);
    return out->failed ? -1 : 0;
}
