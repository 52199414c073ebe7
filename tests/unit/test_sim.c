/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_sim.c - the simulator on cases small enough to work out by hand */
#include "config.h"

#include "tests/check.h"
#include "topology/place/sim.h"
#include "topology/place/sim_nodes.h"

/* Two groups of two nodes, or one pod of three groups. */
static int nodes2[] = {2, 2}, nodes3[] = {4, 3, 2}, pods[] = {0, 0, 0};
static const struct lw_sim_cluster two = {2, 1, nodes2, pods, 8};
static const struct lw_sim_cluster three = {3, 1, nodes3, pods, 8};

#define JOB(at, n, g, secs, k)                                                 \
    {                                                                          \
        .submit = (at), .seconds = (secs), .limit = (secs), .nodes = (n),      \
        .gpus = (g), .fewest = 1, .switches = (k)                              \
    }

static struct lw_sim_result run(const struct lw_sim_cluster *c,
                                struct lw_sim_job *jobs, size_t n,
                                enum lw_sim_kind kind)
{
    struct lw_sim_policy policy = {kind, 3600, 0.1, 30, 0, 500};
    struct lw_sim_jobs list = {jobs, n, n};
    struct lw_sim_result result;
    lw_error_t err = {0};

    lw_check_ok(lw_sim_run(c, &list, &policy, &result, &err) == 0, err);
    return result;
}

static void test_off_spreads(void)
{
    struct lw_sim_job jobs[] = {JOB(0, 1, 8, 1000, 0), JOB(0, 2, 8, 100, 0),
                                JOB(0, 1, 8, 2000, 0), JOB(50, 2, 8, 500, 1)};
    struct lw_sim_result r;

    /* group 0: job 0 and job 2; group 1: job 1 until 100 */
    r = run(&two, jobs, 4, LW_SIM_OFF);
    lw_check_int(jobs[3].start, 100);
    lw_check_int(jobs[3].groups, 1);
    lw_check_int(r.gangs, 2);
    lw_check_int(r.packed, 2);
    lw_sim_result_free(&r);
}

static void test_patience(void)
{
    static const struct {
        enum lw_sim_kind kind;
        int start, groups;
    } cases[] = {
        /* a node of each group is free from 100 on, both of one from 900 */
        {LW_SIM_OFF, 100, 2},
        {LW_SIM_PACKED, 200, 2}, /* patience is a tenth of 1000 s */
        {LW_SIM_UNLIMITED, 900, 1},
    };
    size_t i;

    for (i = 0; i < 3; i++) {
        struct lw_sim_job jobs[] = {JOB(0, 1, 8, 100, 0), JOB(0, 1, 8, 900, 0),
                                    JOB(0, 1, 8, 100, 0), JOB(0, 1, 8, 950, 0),
                                    JOB(1, 2, 8, 1000, 1)};
        struct lw_sim_result r = run(&two, jobs, 5, cases[i].kind);

        lw_check_int(jobs[4].start, cases[i].start);
        lw_check_int(jobs[4].groups, cases[i].groups);
        lw_check_int(r.packed, cases[i].groups == 1);
        lw_sim_result_free(&r);
    }
}

/* The first job waits for both groups; a short one may go before it, a long
 * one may not. */
static void test_backfill(void)
{
    struct lw_sim_job jobs[] = {JOB(0, 3, 8, 1000, 0), JOB(1, 4, 8, 100, 0),
                                JOB(2, 1, 8, 2000, 0), JOB(3, 1, 8, 500, 0)};
    struct lw_sim_result r = run(&two, jobs, 4, LW_SIM_OFF);

    lw_check_int(jobs[1].start, 1000);
    CU_ASSERT(jobs[3].start >= 3 && jobs[3].start < 100);
    lw_check_int(jobs[2].start, 1100);
    lw_sim_result_free(&r);
}

/* Those behind the first are protected as well: the third waits for a node
 * that comes free at 100, and what would hold the other one longer does not
 * start before it. */
static void test_backfill_all(void)
{
    struct lw_sim_job jobs[] = {JOB(0, 2, 8, 1000, 0), JOB(0, 1, 8, 100, 0),
                                JOB(1, 3, 8, 1000, 0), JOB(2, 2, 8, 500, 0),
                                JOB(3, 1, 8, 400, 0),  JOB(4, 1, 8, 50, 0)};
    struct lw_sim_result r = run(&two, jobs, 6, LW_SIM_OFF);

    lw_check_int(jobs[2].start, 1000);
    CU_ASSERT(jobs[3].start >= 100 && jobs[3].start <= 130);
    CU_ASSERT(jobs[4].start >= 600);
    CU_ASSERT(jobs[5].start < 50);
    lw_sim_result_free(&r);
}

/* Nodes come free some time after the job's end. */
static void test_release(void)
{
    struct lw_sim_job v[] = {JOB(0, 4, 8, 100, 0), JOB(1, 1, 8, 100, 0)};
    struct lw_sim_policy policy = {LW_SIM_OFF, 3600, 0.1, 30, 5, 500};
    struct lw_sim_jobs jobs = {v, 2, 2};
    struct lw_sim_result r;
    lw_error_t err = {0};

    lw_check_ok(lw_sim_run(&two, &jobs, &policy, &r, &err) == 0, err);
    lw_check_int(v[1].start, 105);
    lw_sim_result_free(&r);
}

static void test_small_jobs(void)
{
    struct lw_sim_job off[] = {JOB(0, 1, 4, 100, 0), JOB(1, 1, 4, 100, 0)};
    struct lw_sim_job on[] = {JOB(0, 1, 4, 100, 0), JOB(1, 1, 4, 100, 0)};
    struct lw_sim_result a = run(&two, off, 2, LW_SIM_OFF);
    struct lw_sim_result b = run(&two, on, 2, LW_SIM_PACKED);

    CU_ASSERT(a.stranded > 0.2);  /* two nodes half used */
    CU_ASSERT(b.stranded < 0.01); /* one node, used in full */
    lw_sim_result_free(&a);
    lw_sim_result_free(&b);
}

static void test_what_never_fits(void)
{
    struct lw_sim_job jobs[] = {JOB(0, 5, 8, 100, 0), JOB(0, 1, 8, 100, 0)};
    struct lw_sim_result r;

    jobs[0].fewest = 0;
    r = run(&two, jobs, 2, LW_SIM_PACKED);
    lw_check_int(r.never, 1);
    lw_check_int(r.wait.n, 1);
    lw_sim_result_free(&r);
}

static void test_choice_of_groups(void)
{
    static const struct {
        int nodes, most, groups;
    } cases[] = {
        {2, 0, 1}, {3, 0, 1}, {4, 0, 1},  {5, 0, 2}, /* 4 and the tight 2 */
        {9, 0, 3}, {9, 2, 0}, {10, 0, 0}, {5, 1, 0},
    };
    struct lw_sim_nodes s;
    int chosen[16];
    size_t i;

    CU_ASSERT_FATAL(lw_sim_nodes_init(&s, &three) == 0);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        lw_check_int(lw_sim_nodes_choose(&s, cases[i].nodes, 8, cases[i].most,
                                         true, chosen),
                     cases[i].groups);
    /* the tightest group that holds two is the last one */
    lw_sim_nodes_choose(&s, 2, 8, 0, true, chosen);
    lw_check_int(s.group[chosen[0]], 2);
    lw_check_int(s.group[chosen[1]], 2);
    lw_sim_nodes_free(&s);
}

static void test_decision(void)
{
    struct lw_sim_job v[] = {JOB(0, 4, 8, 60, 0), JOB(0, 5, 8, 60, 0),
                             JOB(0, 1, 2, 60, 0), JOB(0, 10, 8, 60, 0)};
    struct lw_sim_jobs jobs = {v, 4, 4};
    struct lw_settings *settings = lw_settings_load("/nonexistent", NULL);
    lw_error_t err = {0};

    lw_check_ok(lw_sim_decide(&jobs, &three, settings, &err) == 0, err);
    lw_check_int(v[0].fewest, 1);
    lw_check_int(v[0].switches, 1);
    lw_check_int(v[1].fewest, 2);
    lw_check_int(v[1].switches, 2);
    lw_check_int(v[2].switches, 0);
    lw_check_int(v[3].fewest, 0);
    lw_settings_destroy(settings);
}

static const struct lw_test tests[] = {
    {"a gang takes the group that comes free", test_off_spreads},
    {"patience ends, or does not", test_patience},
    {"backfill never delays the first", test_backfill},
    {"backfill never delays those behind it", test_backfill_all},
    {"nodes come free after the end", test_release},
    {"small jobs fill nodes", test_small_jobs},
    {"what never fits is counted", test_what_never_fits},
    {"groups are chosen as topology/tree does", test_choice_of_groups},
    {"the decision is the plugin's", test_decision},
};

LW_CHECK_MAIN("sim", tests)
