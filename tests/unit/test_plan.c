/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_plan.c - inventory + step -> plan: rails, matching, CPU shares */
#include "config.h"

#include "lib/buf.h"
#include "tests/check.h"
#include "topology/node/affinity.h"
#include "topology/node/match.h"
#include "topology/node/plan.h"

static struct lw_inventory *load(const char *name)
{
    char path[4096];
    const char *top = getenv("top_srcdir");
    lw_error_t err = {0};
    struct lw_inventory *inv;

    snprintf(path, sizeof(path), "%s/tests/data/node/%s", top ? top : ".",
             name);
    inv = lw_inventory_load(path, &err);
    lw_check_ok(inv != NULL, err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(inv);
    return inv;
}

static struct lw_inventory *parse(const char *text)
{
    lw_error_t err = {0};
    struct lw_inventory *inv =
        lw_inventory_parse(text, strlen(text), "text", &err);

    lw_check_ok(inv != NULL, err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(inv);
    return inv;
}

/* The plan's table with single spaces. */
static char *plan_text(const struct lw_inventory *inv, const char *visible,
                       const char *granted, size_t ntasks, const char *allowed)
{
    struct lw_visible_env env = {visible, granted, -1};
    struct lw_buf out = LW_BUF_INIT(1 << 20);
    struct lw_cpus cpus;
    struct lw_visible gpus;
    struct lw_rails rails;
    struct lw_step step = {&gpus, &cpus, ntasks};
    struct lw_plan *plan;
    char *at, *to;

    lw_inventory_cpus(inv, &cpus);
    if (allowed)
        lw_cpus_parse(allowed, strlen(allowed), &cpus, NULL);
    lw_visible_step(inv, &env, &gpus);
    lw_rails_find(inv, LW_PORT_DROP, &rails);
    plan = lw_plan_create(inv, &rails, &step);
    CU_ASSERT_PTR_NOT_NULL_FATAL(plan);
    if (plan->unbound)
        lw_buf_printf(&out, "unbound: %s\n", plan->unbound);
    lw_plan_table(inv, plan, &out);
    lw_plan_destroy(plan);
    for (at = to = out.text; *at; at++)
        if (*at != ' ' || at[1] != ' ')
            *to++ = *at;
    *to = '\0';
    return lw_buf_take(&out);
}

static void check_plan(const struct lw_inventory *inv, const char *visible,
                       const char *granted, size_t ntasks, const char *allowed,
                       const char *want)
{
    char *got = plan_text(inv, visible, granted, ntasks, allowed);

    lw_check_str(got, want);
    free(got);
}

#define TABLE "task cpus numa gpu nic rail\n"

static void test_eight_gpus(void)
{
    struct lw_inventory *inv = load("hgx8.json");

    check_plan(inv, "0,1,2,3,4,5,6,7", NULL, 8, NULL,
               TABLE "0 0-7,64-71 0 0 mlx5_0:1 0\n"
                     "1 8-15,72-79 0 1 mlx5_3:1 1\n"
                     "2 16-23,80-87 0 2 mlx5_4:1 2\n"
                     "3 24-31,88-95 0 3 mlx5_5:1 3\n"
                     "4 32-39,96-103 1 4 mlx5_6:1 4\n"
                     "5 40-47,104-111 1 5 mlx5_9:1 5\n"
                     "6 48-55,112-119 1 6 mlx5_10:1 6\n"
                     "7 56-63,120-127 1 7 mlx5_11:1 7\n");
    lw_inventory_destroy(inv);
}

/* torchrun starts its workers from one task: they inherit its mask. */
static void test_one_task_is_never_narrowed(void)
{
    struct lw_inventory *inv = load("hgx8.json");

    check_plan(inv, "0,1,2,3,4,5,6,7", NULL, 1, NULL,
               "unbound: one task on the node keeps all its CPUs\n" TABLE
               "0 Slurm's - 0-7 mlx5_0:1,mlx5_3:1,mlx5_4:1,mlx5_5:1,mlx5_6:1,"
               "mlx5_9:1,mlx5_10:1,mlx5_11:1 0,1,2,3,4,5,6,7\n");
    lw_inventory_destroy(inv);
}

static void test_partial_steps(void)
{
    struct lw_inventory *inv = load("hgx8.json");

    /* global numbers, order as the step sees it */
    check_plan(inv, "6,1", NULL, 2, NULL,
               TABLE "0 32-63,96-127 1 6 mlx5_10:1 6\n"
                     "1 0-31,64-95 0 1 mlx5_3:1 1\n");
    /* the same GPUs renumbered behind a device cgroup: in PCI order */
    check_plan(inv, "0,1", "6,1", 2, NULL,
               TABLE "0 0-31,64-95 0 1 mlx5_3:1 1\n"
                     "1 32-63,96-127 1 6 mlx5_10:1 6\n");
    /* only part of the CPUs */
    check_plan(inv, "4,5", "4,5", 2, "40-43,104-107",
               TABLE "0 40-41,104-105 1 4 mlx5_6:1 4\n"
                     "1 42-43,106-107 1 5 mlx5_9:1 5\n");
    /* none of the CPUs near the second GPU is allowed */
    check_plan(inv, "0,7", NULL, 2, "0-3",
               TABLE "0 0-3 0 0 mlx5_0:1 0\n"
                     "1 Slurm's - 7 mlx5_11:1 7\n");
    lw_inventory_destroy(inv);
}

static void test_other_task_counts(void)
{
    struct lw_inventory *inv = load("hgx8.json");

    check_plan(inv, "0,1,2,3,4,5,6,7", NULL, 2, NULL,
               TABLE "0 0-31,64-95 0 0-3 mlx5_0:1,mlx5_3:1,mlx5_4:1,mlx5_5:1 "
                     "0,1,2,3\n"
                     "1 32-63,96-127 1 4-7 mlx5_6:1,mlx5_9:1,mlx5_10:1,"
                     "mlx5_11:1 4,5,6,7\n");
    check_plan(inv, "0,4", NULL, 4, "0-3,32-33",
               TABLE "0 0-1 0 0 mlx5_0:1 0\n"
                     "1 2-3 0 0 mlx5_0:1 0\n"
                     "2 32 1 4 mlx5_6:1 4\n"
                     "3 33 1 4 mlx5_6:1 4\n");
    /* fewer cores than tasks: threads, then sharing */
    check_plan(inv, "0,1,2", NULL, 3, "0,64",
               TABLE "0 0 0 0 mlx5_0:1 0\n"
                     "1 0 0 1 mlx5_3:1 1\n"
                     "2 64 0 2 mlx5_4:1 2\n");
    lw_inventory_destroy(inv);
}

static void check_visible(const struct lw_inventory *inv, const char *visible,
                          const char *granted, long count, const char *want)
{
    struct lw_visible_env env = {visible, granted, count};
    struct lw_buf b = LW_BUF_INIT(4096);
    struct lw_visible v;
    size_t i;

    lw_visible_step(inv, &env, &v);
    for (i = 0; i < v.n; i++)
        lw_buf_printf(&b, "%s%d", i ? "," : "", v.gpus[i]);
    lw_buf_printf(&b, "/%ld%s%s", v.count, v.mig ? " mig" : "",
                  v.trouble ? " trouble" : "");
    lw_check_str(b.text, want);
    lw_buf_free(&b);
}

static void test_visible_lists(void)
{
    struct lw_inventory *inv = load("hgx8.json");

    check_visible(inv, "3,1", NULL, -1, "3,1/2");
    check_visible(inv, NULL, "2,3", -1, "2,3/2");
    check_visible(inv, "0,1", "2,3", 2, "2,3/2");
    check_visible(inv, "0,1", "0,1", 2, "0,1/2");
    check_visible(inv, "1,0", "2,3", 2, "1,0/2");
    check_visible(inv, NULL, NULL, 8, "0,1,2,3,4,5,6,7/8");
    check_visible(inv, NULL, NULL, 3, "/3 trouble");
    check_visible(inv, "NoDevFiles", NULL, 4, "/0");
    check_visible(inv, "-1", NULL, -1, "/0");
    check_visible(inv, "", NULL, -1, "/0");
    check_visible(inv, "0,-1,1", NULL, -1, "0/1");
    check_visible(inv, "9", NULL, -1, "/1 trouble");
    check_visible(inv, "GPU-000000a3-1111-2222-3333-444444444444,GPU-000000a0",
                  "0,3", -1, "3,0/2");
    check_visible(inv, "GPU-0000", NULL, -1, "/0"); /* ambiguous */
    check_visible(inv, "MIG-GPU-000000a5-1111-2222-3333-444444444444/1/0", NULL,
                  -1, "5/1 mig");
    check_visible(inv, "MIG-unknown", NULL, -1, "/0");
    check_visible(inv, "0,0", NULL, -1, "0,0/2");
    lw_inventory_destroy(inv);
}

static void test_hca_names(void)
{
    struct lw_inventory *inv = load("hgx8.json");
    struct lw_rails r;
    char *hca;

    lw_rails_find(inv, LW_PORT_DROP, &r);
    hca = lw_rails_hca(inv, &r);
    lw_check_str(hca, "=mlx5_0:1,mlx5_3:1,mlx5_4:1,mlx5_5:1,mlx5_6:1,mlx5_9:1,"
                      "mlx5_10:1,mlx5_11:1");
    free(hca);
    inv->nics[r.all[2]].state = LW_PORT_INIT;
    lw_rails_find(inv, LW_PORT_DROP, &r);
    lw_check_int(r.n, 7);
    lw_check_int(r.down, 1);
    lw_check_str(r.names, "mlx5_4:1 rail 2");
    lw_rails_find(inv, LW_PORT_KEEP, &r);
    lw_check_int(r.n, 8);
    lw_inventory_destroy(inv);
}

#define HEAD                                                                   \
    "{\"schema\":1,\"numa\":[{\"id\":0,\"cpus\":\"0-3\"},"                     \
    "{\"id\":1,\"cpus\":\"4-7\"}],"

/* Two GPUs and two NICs under one switch, twice: each GPU ties with two
 * NICs, and a nearest-first choice gives both GPUs the same one. */
static void test_pairs_under_one_switch(void)
{
    struct lw_inventory *inv = parse(
        HEAD "\"gpus\":[{\"path\":\"a/b/c\"},{\"path\":\"a/b/c\"},"
             "{\"path\":\"d/e/f\"},{\"path\":\"d/e/f\"}],"
             "\"nics\":[{\"device\":\"m2\",\"path\":\"d/e/f\",\"rail\":2},"
             "{\"device\":\"m3\",\"path\":\"d/e/f\",\"rail\":3},"
             "{\"device\":\"m0\",\"path\":\"a/b/c\",\"rail\":0},"
             "{\"device\":\"m1\",\"path\":\"a/b/c\",\"rail\":1}]}");

    check_plan(inv, "0,1,2,3", NULL, 1, NULL,
               "unbound: one task on the node keeps all its CPUs\n" TABLE
               "0 Slurm's - 0-3 m0:1,m1:1,m2:1,m3:1 0,1,2,3\n");
    lw_inventory_destroy(inv);
}

/* Nearest-first would give GPU 0 the NIC that GPU 1 needs more. */
static void test_matching_is_not_greedy(void)
{
    struct lw_inventory *inv = parse(
        HEAD "\"gpus\":[{\"path\":\"a/b/c\",\"numa\":0},"
             "{\"path\":\"a/b/c\",\"numa\":0},{\"path\":\"a/x\",\"numa\":0}],"
             "\"nics\":[{\"device\":\"m0\",\"path\":\"a/b/d\",\"rail\":0},"
             "{\"device\":\"m1\",\"path\":\"z/b/c\",\"rail\":1,\"numa\":1},"
             "{\"device\":\"m2\",\"path\":\"a/b/c\",\"rail\":2}]}");
    int gpus[] = {0, 1, 2}, nics[] = {0, 1, 2}, out[3];

    lw_check_int(lw_match(inv, gpus, 3, nics, 3, out), 0);
    lw_check_int(out[0], 0); /* PXB, the tie with GPU 1 goes by order */
    lw_check_int(out[1], 2); /* PIX */
    lw_check_int(out[2], 1); /* what is left */
    lw_inventory_destroy(inv);
}

/* More GPUs than NICs: every NIC serves as many as it must, no more. */
static void test_shared_nics(void)
{
    struct lw_inventory *inv =
        parse(HEAD "\"gpus\":[{\"numa\":0},{\"numa\":0},{\"numa\":0},"
                   "{\"numa\":0}],\"nics\":[{\"device\":\"m0\",\"numa\":0,"
                   "\"rail\":0},{\"device\":\"m1\",\"numa\":1,\"rail\":1}]}");
    int gpus[] = {0, 1, 2, 3}, nics[] = {0, 1}, out[4];

    lw_check_int(lw_match(inv, gpus, 4, nics, 2, out), 0);
    lw_check_int(out[0], 0);
    lw_check_int(out[1], 0);
    lw_check_int(out[2], 1);
    lw_check_int(out[3], 1);
    lw_inventory_destroy(inv);
}

static void check_share(const struct lw_inventory *inv, const char *allowed,
                        const char *const *near, size_t n, const char *want)
{
    struct lw_buf b = LW_BUF_INIT(1 << 16);
    struct lw_cpus all, want_near[8], out[8];
    size_t i;

    lw_cpus_parse(allowed, strlen(allowed), &all, NULL);
    for (i = 0; i < n; i++)
        lw_cpus_parse(near[i], strlen(near[i]), &want_near[i], NULL);
    lw_check_int(lw_affinity_share(inv, &all, want_near, n, out), 0);
    for (i = 0; i < n; i++) {
        lw_buf_puts(&b, i ? " | " : "");
        lw_cpus_print(&out[i], &b);
    }
    lw_check_str(lw_buf_text(&b), want);
    lw_buf_free(&b);
}

static void test_shares(void)
{
    struct lw_inventory *inv =
        parse(HEAD "\"cores\":[\"0,1\",\"2,3\",\"4,5\",\"6,7\"]}");
    const char *same[] = {"0-7", "0-7", "0-7"};
    const char *nested[] = {"0-3", "0-7", "0-7"};
    const char *starved[] = {"0-7", "0-7", "0-1"};
    const char *taken[] = {"0-1", "0-1", "0-1"};

    check_share(inv, "0-7", same, 3, "0-3 | 4-5 | 6-7");
    check_share(inv, "0-7", same, 2, "0-3 | 4-7");
    check_share(inv, "1-6", same, 3, "1-3 | 4-5 | 6");
    /* the narrow one first, but the wide ones get their part elsewhere */
    check_share(inv, "0-7", nested, 3, "0-3 | 4-5 | 6-7");
    check_share(inv, "0-3", nested, 2, "0-1 | 2-3");
    check_share(inv, "0-7", starved, 3, "2-5 | 6-7 | 0-1");
    check_share(inv, "0-7", taken, 3, "0 | 0 | 1");
    check_share(inv, "4-7", taken, 2, " | ");
    lw_inventory_destroy(inv);
}

/* A small generator of numbers, the same in every run. */
static unsigned next_number(unsigned *seed, unsigned below)
{
    *seed = *seed * 1103515245u + 12345u;
    return (*seed >> 16) % below;
}

/* A machine of 1 to 4 NUMA nodes, SMT 1, 2, 4 or 8, up to 8 GPUs and up
 * to 10 NICs anywhere; '*smt' are the threads of a core. */
static struct lw_inventory *made_up(unsigned seed, unsigned *smt)
{
    struct lw_buf b = LW_BUF_INIT(1 << 16);
    unsigned numas = 1 + next_number(&seed, 4), cores, i, k, n;
    struct lw_inventory *inv;

    cores = 1 + next_number(&seed, 6);
    *smt = 1u << next_number(&seed, 4);
    lw_buf_puts(&b, "{\"schema\":1,\"numa\":[");
    for (i = 0; i < numas; i++)
        lw_buf_printf(&b, "%s{\"id\":%u,\"cpus\":\"%u-%u\"}", i ? "," : "", i,
                      i * cores * *smt, (i + 1) * cores * *smt - 1);
    lw_buf_puts(&b, "],\"cores\":[");
    for (i = 0; i < numas * cores; i++)
        lw_buf_printf(&b, "%s\"%u-%u\"", i ? "," : "", i * *smt,
                      (i + 1) * *smt - 1);
    lw_buf_puts(&b, "],\"gpus\":[");
    n = 1 + next_number(&seed, 8);
    for (i = 0; i < n; i++) {
        k = next_number(&seed, numas);
        lw_buf_printf(&b, "%s{\"numa\":%u,\"path\":\"p%u/b%u\"}", i ? "," : "",
                      k, k, next_number(&seed, 3));
    }
    lw_buf_puts(&b, "],\"nics\":[");
    n = next_number(&seed, 11);
    for (i = 0; i < n; i++) {
        k = next_number(&seed, numas);
        lw_buf_printf(&b,
                      "%s{\"device\":\"mlx5_%u\",\"rail\":%u,\"numa\":%u,"
                      "\"link\":\"infiniband\",\"path\":\"p%u/b%u\"}",
                      i ? "," : "", i, i, k, k, next_number(&seed, 3));
    }
    lw_buf_puts(&b, "]}");
    inv = parse(b.text);
    lw_buf_free(&b);
    return inv;
}

/* What must hold of any plan whose GPUs are each a task's. */
static void check_properties(const struct lw_inventory *inv, unsigned smt,
                             const struct lw_cpus *allowed)
{
    struct lw_visible_env env = {NULL, NULL, (long)inv->ngpus};
    struct lw_cpus seen = {{0}}, near;
    struct lw_visible gpus;
    struct lw_rails rails;
    struct lw_step step = {&gpus, allowed, inv->ngpus};
    struct lw_plan *plan;
    size_t used[LW_RAILS_MAX] = {0}, i, k, fold, enough = 1;

    lw_visible_step(inv, &env, &gpus);
    lw_rails_find(inv, LW_PORT_DROP, &rails);
    plan = lw_plan_create(inv, &rails, &step);
    CU_ASSERT_PTR_NOT_NULL_FATAL(plan);
    for (i = 0; i < inv->nnumas; i++) { /* a core for each task there? */
        near = inv->numas[i].cpus;
        lw_cpus_and(&near, allowed);
        for (k = 0, fold = 0; k < inv->ngpus; k++)
            fold += inv->gpus[k].numa == inv->numas[i].id;
        enough = enough && lw_cpus_count(&near) >= fold * smt;
    }
    for (i = 0; !plan->unbound && i < plan->ntasks; i++) {
        const struct lw_cpus *cpus = &plan->tasks[i].cpus;

        near = inv->gpus[plan->gpus.gpus[i]].cpus;
        CU_ASSERT(lw_cpus_within(cpus, allowed));
        CU_ASSERT(lw_cpus_within(cpus, &near));
        CU_ASSERT(lw_cpus_empty(cpus) == !lw_cpus_overlap(&near, allowed));
        CU_ASSERT(!enough || !lw_cpus_overlap(cpus, &seen));
        lw_cpus_or(&seen, cpus);
    }
    fold = rails.n ? (inv->ngpus + rails.n - 1) / rails.n : 0;
    for (i = 0; i < plan->gpus.n; i++) {
        CU_ASSERT((plan->nic[i] >= 0) == (rails.n > 0));
        for (k = 0; k < rails.n; k++)
            used[k] += plan->nic[i] == rails.nics[k];
    }
    for (k = 0; k < rails.n; k++)
        CU_ASSERT(used[k] <= fold);
    for (k = 0; rails.n == inv->ngpus && k < rails.n; k++)
        lw_check_int(used[k], 1);
    lw_plan_destroy(plan);
}

static void test_properties(void)
{
    unsigned seed, smt, cut;

    for (seed = 1; seed <= 500; seed++) {
        struct lw_inventory *inv = made_up(seed, &smt);
        struct lw_cpus all, part;
        long cpu;

        lw_inventory_cpus(inv, &all);
        check_properties(inv, smt, &all);
        part = all; /* and with holes */
        cut = seed * 7919u;
        for (cpu = lw_cpus_next(&all, 0); cpu >= 0;
             cpu = lw_cpus_next(&all, (size_t)cpu + 1))
            if (next_number(&cut, 3) == 0)
                part.word[cpu / 64] &= ~(1ULL << (cpu % 64));
        if (!lw_cpus_empty(&part))
            check_properties(inv, smt == 1 ? 1 : 1000, &part);
        lw_inventory_destroy(inv);
    }
}

/* CPU numbers that do not fit into a cpu_set_t, and devices that differ only
 * in their PCI domain, which has 32 bits under VMD and in some clouds. */
static void test_large_machines(void)
{
    struct lw_inventory *inv = parse(
        "{\"schema\":1,\"numa\":[{\"id\":0,\"cpus\":\"0-1023\"},"
        "{\"id\":1,\"cpus\":\"1024-2047\"}],\"gpus\":["
        "{\"pci\":\"0001:00:00.0\",\"numa\":1,"
        "\"path\":\"pciffff:ff/0001:00:00.0\"},"
        "{\"pci\":\"10000:00:00.0\",\"numa\":0,"
        "\"path\":\"pci10000:00/10000:00:01.0\"}],\"nics\":["
        "{\"device\":\"mlx5_0\",\"rail\":0,\"numa\":0,\"state\":\"active\","
        "\"link\":\"infiniband\",\"path\":\"pci10000:00/10000:00:01.0\"},"
        "{\"device\":\"mlx5_1\",\"rail\":1,\"numa\":1,\"state\":\"active\","
        "\"link\":\"infiniband\",\"path\":\"pciffff:ff/0001:00:00.0\"}]}");

    check_plan(inv, "0,1", NULL, 2, NULL,
               TABLE "0 1024-2047 1 0 mlx5_1:1 1\n"
                     "1 0-1023 0 1 mlx5_0:1 0\n");
    check_plan(inv, "0,1", NULL, 2, "1000-1030",
               TABLE "0 1024-1030 1 0 mlx5_1:1 1\n"
                     "1 1000-1023 0 1 mlx5_0:1 0\n");
    lw_inventory_destroy(inv);
}

static const struct lw_test tests[] = {
    {"8 GPUs, 8 rails, 2 storage NICs", test_eight_gpus},
    {"one task keeps all CPUs", test_one_task_is_never_narrowed},
    {"part of the GPUs, part of the CPUs", test_partial_steps},
    {"fewer and more tasks than GPUs", test_other_task_counts},
    {"lists of visible GPUs", test_visible_lists},
    {"NCCL_IB_HCA: exact names, rail order, ports down", test_hca_names},
    {"GPU pairs and NIC pairs under one switch", test_pairs_under_one_switch},
    {"the best matching, not nearest first", test_matching_is_not_greedy},
    {"more GPUs than NICs", test_shared_nics},
    {"CPU shares", test_shares},
    {"more than 1,024 CPUs, PCI domains of 32 bits", test_large_machines},
    {"what holds on 500 machines", test_properties},
};

LW_CHECK_MAIN("plan", tests)
