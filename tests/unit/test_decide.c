/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_decide.c - the rules of the decision, on made-up clusters */
#include "config.h"

#include "tests/unit/place_cluster.h"

static void test_rule_1_and_2(void)
{
    static const struct row rows[] = {
        {ASK(.tasks = 4), "untouched not-gpu"},
        {ASK(.gpus_job = 0, .nodes_min = 2, .nodes_max = 2),
         "untouched not-gpu"},
        {ASK(.gpus_unclear = true), "untouched no-gpu-count"},
        {ASK(.gpus_task = 1), "untouched no-gpu-count"},
        {ASK(.gpus_socket = 4), "untouched no-gpu-count"},
        {ASK(.gpus_job = 16, .nodelist = true), "untouched user-nodelist"},
        {ASK(.gpus_job = 16, .switches = true), "untouched user-switches"},
        {ASK(.gpus_job = 16, .segment = true), "untouched user-segment"},
        {ASK(.gpus_job = 16, .contiguous = true), "untouched user-contiguous"},
        {ASK(.gpus_job = 16, .arbitrary = true), "untouched user-arbitrary"},
        {ASK(.gpus_job = 16, .sizes = true, .nodes_min = 2, .nodes_max = 8),
         "untouched user-sizes"},
        {ASK(.gpus_job = 16, .reservation = true),
         "untouched user-reservation"},
        {ASK(.gpus_job = 16, .policy = LW_POLICY_OFF), "untouched user-off"},
        {ASK(.gpus_job = 16, .policy = LW_POLICY_SPREAD),
         "untouched user-spread"},
        {ASK(.gpus_job = 16, .decided = true), "untouched already"},
        {ASK(.gpus_job = 16, .nodes_min = 1, .nodes_max = 2),
         "untouched user-range"},
        {ASK(.gpus_job = 16, .nodes_min = 0, .nodes_max = 0),
         "untouched unclear"},
        {ASK(.gpus_job = 16, .partition = "other"),
         "untouched unknown-partition"},
        /* a CPU job is one whatever else it asks for */
        {ASK(.tasks = 4, .nodelist = true), "untouched not-gpu"},
    };
    struct cluster c = cluster_make(four, 4, 8, NULL);

    CHECK_ROWS(rows, c.view);
    cluster_free(&c);
}

static void test_rule_3_and_4(void)
{
    static const struct row rows[] = {
        {ASK(.gpus_job = 1), "rewritten fits-node nodes=1 per-node=1"},
        {ASK(.gpus_job = 8), "rewritten fits-node nodes=1 per-node=8"},
        {ASK(.gpus_job = 9), "rewritten total-gpus nodes=2 groups=1 "
                             "switches=1 wait=86400"},
        {ASK(.gpus_job = 16), "rewritten total-gpus nodes=2 per-node=8 "
                              "groups=1 switches=1 wait=86400"},
        {ASK(.gpus_job = 12), "rewritten total-gpus nodes=2 per-node=6 "
                              "groups=1 switches=1 wait=86400"},
        {ASK(.gpus_job = 33), "rewritten total-gpus nodes=5 groups=2 "
                              "switches=2 wait=86400"},
        {ASK(.gpus_job = 16, .gpu_type = "h100"),
         "rewritten total-gpus nodes=2 per-node=8 groups=1 switches=1 "
         "wait=86400"},
        {ASK(.gpus_task = 1, .tasks = 16),
         "rewritten total-gpus nodes=2 per-node=8 groups=1 switches=1 "
         "wait=86400"},
        {ASK(.gpus_task = 8, .tasks = 4),
         "rewritten total-gpus nodes=4 per-node=8 groups=1 switches=1 "
         "wait=86400"},
        /* two tasks of three GPUs on a node, so three nodes for five */
        {ASK(.gpus_task = 3, .tasks = 5),
         "rewritten total-gpus nodes=3 groups=1 switches=1 wait=86400"},
        {ASK(.gpus_task = 2, .tasks = 4),
         "rewritten fits-node nodes=1 per-node=8"},
        {ASK(.gpus_job = 16, .gpus_node = 4),
         "rewritten total-gpus nodes=4 groups=1 switches=1 wait=86400"},
        {ASK(.gpus_job = 8, .gpus_node = 8), "rewritten fits-node nodes=1"},
        {ASK(.gpus_job = 15, .gpus_node = 4), "untouched unclear"},
        {ASK(.gpus_node = 8), "untouched one-node"},
        {ASK(.gpus_node = 8, .tasks = 1), "untouched one-node"},
        {ASK(.gpus_node = 8, .tasks = 16), "untouched unclear"},
        {ASK(.gpus_node = 8, .tasks = 16, .tasks_per_node = 8),
         "rewritten total-gpus nodes=2 groups=1 switches=1 wait=86400"},
        {ASK(.gpus_socket = 4, .sockets_per_node = 2), "untouched one-node"},
        /* the tasks alone need four nodes */
        {ASK(.gpus_job = 16, .tasks = 16, .tasks_per_node = 4),
         "rewritten total-gpus nodes=4 per-node=4 groups=1 switches=1 "
         "wait=86400"},
        /* only a minimum, as by REST */
        {ASK(.gpus_job = 16, .nodes_min = 3),
         "rewritten total-gpus nodes=3 groups=1 switches=1 wait=86400"},
        {ASK(.gpus_node = 8, .nodes_min = 3),
         "rewritten total-gpus nodes=3 groups=1 switches=1 wait=86400"},
        /* 32 tasks of 4 CPUs do not fit where 8 GPUs do */
        {ASK(.gpus_job = 8, .tasks = 32, .cpus_per_task = 4),
         "untouched unclear"},
        /* one CPU a task still takes a core of two: 32 fit, 33 do not */
        {ASK(.gpus_job = 8, .tasks = 32),
         "rewritten fits-node nodes=1 per-node=8"},
        {ASK(.gpus_job = 8, .tasks = 33), "untouched unclear"},
        {ASK(.gpus_job = 8, .cpus_per_gpu = 9), "untouched unclear"},
        {ASK(.gpus_job = 8, .memory_gpu = 125001), "untouched unclear"},
        {ASK(.gpus_job = 8, .memory_gpu = 125000),
         "rewritten fits-node nodes=1 per-node=8"},
    };
    struct cluster c = cluster_make(four, 4, 8, NULL);

    CHECK_ROWS(rows, c.view);
    cluster_free(&c);
}

static void test_rule_5_tree(void)
{
    static const struct row rows[] = {
        {ASK(.gpus_node = 8, .nodes_min = 4, .nodes_max = 4),
         "rewritten gang groups=1 switches=1 wait=86400"},
        {ASK(.gpus_node = 8, .nodes_min = 5, .nodes_max = 5),
         "rewritten gang groups=2 switches=2 wait=86400"},
        {ASK(.gpus_node = 1, .nodes_min = 2, .nodes_max = 2),
         "rewritten gang groups=1 switches=1 wait=86400"},
        {ASK(.gpus_node = 8, .nodes_min = 1, .nodes_max = 1),
         "untouched one-node"},
        {ASK(.gpus_job = 16, .nodes_min = 4, .nodes_max = 4),
         "rewritten gang per-node=4 groups=1 switches=1 wait=86400"},
        {ASK(.gpus_task = 1, .tasks = 16, .nodes_min = 2, .nodes_max = 2),
         "rewritten gang per-node=8 groups=1 switches=1 wait=86400"},
        {ASK(.gpus_job = 15, .nodes_min = 4, .nodes_max = 4),
         "rewritten gang groups=1 switches=1 wait=86400"},
        /* all groups: nothing to ask for */
        {ASK(.gpus_node = 8, .nodes_min = 16, .nodes_max = 16),
         "untouched gang groups=4"},
        {ASK(.gpus_node = 8, .nodes_min = 4, .nodes_max = 4, .wait = 0),
         "untouched gang groups=1"},
        {ASK(.gpus_node = 8, .nodes_min = 2, .nodes_max = 2,
             .partition = "gpu"),
         "rewritten gang groups=1 switches=1 wait=86400"},
    };
    struct cluster c = cluster_make(four, 4, 8, NULL);

    CHECK_ROWS(rows, c.view);
    cluster_free(&c);
}

static void test_uneven_groups(void)
{
    static const int sizes[] = {17, 17, 17, 3};
    static const struct row rows[] = {
        {ASK(.gpus_node = 8, .nodes_min = 17, .nodes_max = 17),
         "rewritten gang groups=1 switches=1 wait=86400"},
        {ASK(.gpus_node = 8, .nodes_min = 36, .nodes_max = 36),
         "rewritten gang groups=3 switches=3 wait=86400"},
    };
    struct cluster c = cluster_make(sizes, 4, 8, NULL);

    CHECK_ROWS(rows, c.view);
    cluster_free(&c);
}

/* Drained nodes are still configured: they count. */
static void test_down_nodes_count(void)
{
    static const struct row rows[] = {
        {ASK(.gpus_node = 8, .nodes_min = 4, .nodes_max = 4),
         "rewritten gang groups=1 switches=1 wait=86400"},
    };
    struct cluster c = cluster_make(four, 4, 8, NULL);
    size_t i;

    for (i = 0; i < 16; i += 4)
        c.state->nodes[i].state = LW_NODE_DOWN;
    cluster_view(&c);
    CHECK_ROWS(rows, c.view);
    cluster_free(&c);
}

static void test_several_gpu_counts(void)
{
    static const struct row rows[] = {
        /* 8 nodes of 8, 8 of 4 */
        {ASK(.gpus_job = 64), "rewritten total-gpus nodes=8 per-node=8 "
                              "groups=2 switches=2 wait=86400"},
        {ASK(.gpus_job = 72), "untouched unclear"},
        {ASK(.gpus_job = 56, .nodes_min = 14, .nodes_max = 14),
         "rewritten gang per-node=4 groups=4"},
        {ASK(.gpus_node = 8, .nodes_min = 8, .nodes_max = 8),
         "rewritten gang groups=2 switches=2 wait=86400"},
    };
    struct cluster c = cluster_make(four, 4, 8, NULL);
    size_t i;

    for (i = 8; i < 16; i++)
        c.state->nodes[i].gpus[0].count = 4;
    cluster_view(&c);
    CHECK_ROWS(rows, c.view);
    cluster_free(&c);
}

static void test_rule_6_degraded(void)
{
    static const int down[] = {2, 7, 0};
    static const char *const both[] = {"n002", "n007"};
    static const struct row rows[] = {
        {ASK(.gpus_node = 8, .nodes_min = 4, .nodes_max = 4),
         "rewritten gang groups=1 switches=1 wait=86400 exclude=n002,n007"},
        {ASK(.gpus_node = 8, .nodes_min = 14, .nodes_max = 14),
         "rewritten gang groups=4 exclude=n002,n007"},
        /* not enough healthy ones: all may serve */
        {ASK(.gpus_node = 8, .nodes_min = 15, .nodes_max = 15),
         "untouched gang groups=4"},
        {ASK(.gpus_job = 16),
         "rewritten total-gpus nodes=2 per-node=8 groups=1 switches=1 "
         "wait=86400 exclude=n002,n007"},
        /* a single node may be any */
        {ASK(.gpus_job = 8), "rewritten fits-node nodes=1 per-node=8"},
        /* the user has excluded them already */
        {ASK(.gpus_node = 8, .nodes_min = 4, .nodes_max = 4,
             .exclude = "n002,n007", .excluded = both, .nexcluded = 2),
         "rewritten gang groups=1 switches=1 wait=86400"},
    };
    struct cluster c = cluster_make(four, 4, 8, down);

    CHECK_ROWS(rows, c.view);
    cluster_free(&c);
}

static void test_user_exclude(void)
{
    static const char *const names[] = {"n001", "n005", "n009", "n013",
                                        "elsewhere"};
    static const struct row rows[] = {
        {ASK(.gpus_node = 8, .nodes_min = 4, .nodes_max = 4, .exclude = "x",
             .excluded = names, .nexcluded = 5),
         "rewritten gang groups=2 switches=2 wait=86400"},
        {ASK(.gpus_node = 8, .nodes_min = 13, .nodes_max = 13, .exclude = "x",
             .excluded = names, .nexcluded = 5),
         "impossible too-large"},
    };
    struct cluster c = cluster_make(four, 4, 8, NULL);

    CHECK_ROWS(rows, c.view);
    cluster_free(&c);
}

static void test_rule_7_impossible(void)
{
    static const struct row rows[] = {
        {ASK(.gpus_node = 8, .nodes_min = 17, .nodes_max = 17),
         "impossible too-large"},
        {ASK(.gpus_node = 9), "impossible too-large"},
        {ASK(.gpus_job = 129), "impossible too-large"},
        {ASK(.gpus_task = 16, .tasks = 2), "impossible too-large"},
        {ASK(.gpus_job = 8, .gpu_type = "b200"), "impossible too-large"},
        {ASK(.gpus_job = 128), "rewritten total-gpus nodes=16 per-node=8 "
                               "groups=4"},
    };
    struct cluster c = cluster_make(four, 4, 8, NULL);

    CHECK_ROWS(rows, c.view);
    check_text(rows[0].request, c.view,
               "17 nodes: partition gpu has 16 that could serve the job; the "
               "job can never run as it is.");
    check_text(rows[1].request, c.view,
               "9 GPUs on one node: the largest node of partition gpu has 8; "
               "the job can never run as it is.");
    check_text(rows[2].request, c.view,
               "129 GPUs: partition gpu has 128; the job can never run as it "
               "is.");
    check_text(rows[4].request, c.view,
               "partition gpu has no b200 GPUs; the job can never run as it "
               "is.");
    c.state->partitions[0].max_nodes = 2;
    cluster_view(&c);
    check_text((struct lw_request)ASK(.gpus_job = 32), c.view,
               "4 nodes: partition gpu allows at most 2 a job; the job can "
               "never run as it is.");
    cluster_free(&c);
}

static void test_sentences(void)
{
    static const int down[] = {2, 0};
    struct cluster c = cluster_make(four, 4, 8, down);

    check_text((struct lw_request)ASK(.gpus_job = 16, .gpu_type = "h100"),
               c.view,
               "16 h100 GPUs: 2 nodes of 8 GPUs, fits in 1 group; waits for "
               "at most 1 leaf switch; not on 1 with a rail down or slow.");
    check_text((struct lw_request)ASK(.gpus_job = 1), c.view,
               "1 GPU: 1 node of 1 GPU.");
    check_text((struct lw_request)ASK(.gpus_node = 8, .nodes_min = 14,
                                      .nodes_max = 14),
               c.view,
               "14 nodes, fits in 4 groups, all that there are; not on 1 with "
               "a rail down or slow.");
    cluster_free(&c);
}

static const struct lw_test tests[] = {
    {"rules 1 and 2: left alone", test_rule_1_and_2},
    {"rules 3 and 4: no node count", test_rule_3_and_4},
    {"rule 5: gangs on a tree", test_rule_5_tree},
    {"uneven groups", test_uneven_groups},
    {"drained nodes count", test_down_nodes_count},
    {"nodes with different GPU counts", test_several_gpu_counts},
    {"rule 6: nodes with a rail down", test_rule_6_degraded},
    {"the user's own --exclude", test_user_exclude},
    {"rule 7: what can never run", test_rule_7_impossible},
    {"sentences", test_sentences},
};

LW_CHECK_MAIN("decide", tests)
