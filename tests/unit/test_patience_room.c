/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_patience_room.c - what is taken back, and when a gang could start */
#include "config.h"

#include "tests/unit/patience_queue.h"

/* The words about exclusions are put in, changed and taken out. */
static void test_marks_of_exclusions(void)
{
    static const char gang[] = "leafward: gang nodes=4 wait=9 ref=00c0ffee";
    char out[LW_MARK_SIZE], again[LW_MARK_SIZE];
    char longest[LW_MARK_OWN + 2] = {0};
    struct lw_mark m;

    lw_check_int(lw_mark_exclude(gang, 3, "n[1-2]", 0xab, out, sizeof(out)), 0);
    lw_check_str(out, "leafward: gang nodes=4 wait=9 excluded=3 own=n[1-2] "
                      "sum=000000ab ref=00c0ffee");
    CU_ASSERT_TRUE(lw_mark_parse(out, &m));
    lw_check_int(m.excluded, 3);
    lw_check_str(m.own, "n[1-2]");
    lw_check_int(m.sum, 0xab);
    lw_check_int(lw_mark_exclude(out, 0, "", 7, again, sizeof(again)), 0);
    lw_check_str(again, "leafward: gang nodes=4 wait=9 excluded=0 "
                        "sum=00000007 ref=00c0ffee");
    lw_check_int(lw_mark_exclude(out, 0, "", 0, again, sizeof(again)), 0);
    lw_check_str(again, gang);
    /* what does not fit, what could be taken for another word, no mark */
    lw_check_int(lw_mark_exclude(gang, 3, "n1", 1, out, sizeof(gang) + 8), -1);
    lw_check_str(out, "");
    lw_check_int(lw_mark_exclude(gang, 3, "n1 x=2", 1, out, sizeof(out)), -1);
    lw_check_int(lw_mark_exclude("mine", 3, "n1", 1, out, sizeof(out)), -1);
    memset(longest, 'n', LW_MARK_OWN);
    CU_ASSERT_TRUE(lw_mark_holds(longest));
    longest[LW_MARK_OWN] = 'n';
    CU_ASSERT_FALSE(lw_mark_holds(longest));
}

#define SUBNODE(words) "leafward: sub-node " words " ref=00c0ffee"

static void test_subnode(void)
{
    struct queue q;

    queue_open(&q);
    q.jobs[0] = case_job(7, 1);
    q.jobs[0].gpus = 2;
    q.jobs[0].exclude = "n01,n02";
    q.jobs[0].comment = SUBNODE("excluded=2 sum=00000012");
    q.njobs = 1;
    lw_check_str(look(&q, 1002), "");
    lw_check_int(q.result.next, 3);
    q.refuse = true;
    lw_check_str(look(&q, 1005), "relaxed 7;exclude=;");
    q.refuse = false;
    lw_check_str(look(&q, 1006), "exclude=;");
    lw_check_str(q.jobs[0].comment, "leafward: sub-node ref=00c0ffee");
    lw_check_str(look(&q, 1007), "");
    queue_close(&q);
}

/* The user's own stays, and needs no log to be known. */
static void test_subnode_beside_own(void)
{
    struct queue q;

    queue_open(&q);
    q.jobs[0] = case_job(8, 1);
    q.jobs[0].exclude = "n01,n02";
    q.jobs[0].comment = SUBNODE("excluded=1 own=n01 sum=00000012");
    q.njobs = 1;
    lw_check_str(look(&q, 1010), "relaxed 8;exclude=n01;");
    lw_check_str(look(&q, 1011), "");
    queue_close(&q);
}

/* Whatever anybody made of it since is theirs, also less, or as many. */
static void test_exclusion_of_others(void)
{
    static const char *const theirs[] = {"n01,n02,n03", "n01", "n01,n03",
                                         "n05,n06", NULL};
    static const char *const marks[] = {
        SUBNODE("excluded=2 sum=00000012"),
        SUBNODE("excluded=1 own=n01 sum=12"), SUBNODE("excluded=2"),
        "leafward: gang nodes=1 excluded=0 sum=00000012 ref=00c0ffee",
        "leafward: gang nodes=1 excluded=2 sum=00000012 ref=00c0ffee"};
    size_t i, j;

    for (i = 0; i < sizeof(theirs) / sizeof(theirs[0]); i++)
        for (j = 0; j < sizeof(marks) / sizeof(marks[0]); j++) {
            struct queue q;

            queue_open(&q);
            q.jobs[0] = case_job(9, 1);
            q.jobs[0].exclude = theirs[i];
            q.jobs[0].comment = marks[j];
            q.njobs = 1;
            lw_check_str(look(&q, 1020), "");
            queue_close(&q);
        }
}

#define DEGRADED(words)                                                        \
    "leafward: gang nodes=4 switches=1 " words " ref=00c0ffee"

static void test_degraded_heals(void)
{
    struct queue q;

    queue_open(&q);
    lw_map_destroy(q.map);
    q.map = case_map("n05");
    q.jobs[0] = case_job(7, 4);
    q.jobs[0].exclude = "n02,n05,n06";
    q.jobs[0].comment = DEGRADED("excluded=2 own=n02 sum=00000256");
    q.jobs[0].switches = 1;
    q.njobs = 1;
    q.refuse = true;
    lw_check_str(look(&q, 1000), "relaxed 7;exclude=n02,n05;");
    lw_check_str(look(&q, 1001), "exclude=n02,n05;");
    q.refuse = false;
    lw_check_str(look(&q, 1002), "exclude=n02,n05;");
    lw_check_str(q.jobs[0].comment,
                 DEGRADED("excluded=1 own=n02 sum=00000025"));
    lw_check_str(look(&q, 1003), "");
    lw_map_destroy(q.map);
    q.map = case_map(NULL);
    lw_check_str(look(&q, 1010), "relaxed 7;exclude=n02;");
    lw_check_str(q.jobs[0].comment, "leafward: gang nodes=4 switches=1 "
                                    "ref=00c0ffee");
    lw_check_str(look(&q, 1020), "");
    queue_close(&q);
}

/* An update of the job has made the exclusion pointless. */
static void test_exclusion_to_go(void)
{
    struct queue q;

    queue_open(&q);
    lw_map_destroy(q.map);
    q.map = case_map("n05");
    q.jobs[0] = case_job(7, 4);
    q.jobs[0].exclude = "n02,n05";
    q.jobs[0].comment = DEGRADED("excluded=0 own=n02 sum=00000025");
    q.jobs[0].switches = 1;
    q.njobs = 1;
    lw_check_str(look(&q, 1000), "relaxed 7;exclude=n02;");
    lw_check_str(look(&q, 1010), "");
    queue_close(&q);
}

/* --- what "could start" means ---------------------------------------------------- */

static void give_feature(struct queue *q, int node, const char *name)
{
    struct lw_state_node *n = &q->state->nodes[node - 1];

    n->features = calloc(1, sizeof(*n->features));
    n->features[0] = strdup(name);
    n->nfeatures = 1;
}

/* The clock runs only when enough free nodes have what it asked for. */
static void test_constraint(void)
{
    struct queue q;

    queue_open(&q);
    scatter(&q);
    add_gang(&q);
    q.jobs[0].features = "fast&big";
    lw_check_str(look(&q, 1000), "");
    q.jobs[0].features = "fast";
    give_feature(&q, 3, "fast");
    give_feature(&q, 4, "fast");
    give_feature(&q, 7, "fast");
    lw_check_str(look(&q, 1005), "");
    give_feature(&q, 8, "fast");
    lw_check_str(look(&q, 1010), "waiting 5;");
    queue_close(&q);
}

static void test_gpu_type(void)
{
    struct queue q;

    queue_open(&q);
    scatter(&q);
    add_gang(&q);
    q.jobs[0].gpu_type = "a100";
    lw_check_str(look(&q, 1000), "");
    q.jobs[0].gpu_type = "h100";
    lw_check_str(look(&q, 1005), "waiting 5;");
    queue_close(&q);
}

static void test_memory_and_cpus(void)
{
    struct queue q;
    int i;

    queue_open(&q);
    scatter(&q);
    add_gang(&q);
    for (i = 0; i < CASE_NODES; i++) {
        q.state->nodes[i].memory = 1000;
        q.state->nodes[i].memory_used = i % 4 == 3 ? 600 : 0;
    }
    /* 4 of the 8 free nodes have 1000 left, 4 have 400 */
    q.jobs[0].nnodes = q.jobs[0].nodes_max = 5;
    q.jobs[0].comment =
        "leafward: gang nodes=5 groups=2 switches=2 ref=00c0ffee";
    q.jobs[0].switches = 2;
    q.jobs[0].node_memory = 401;
    lw_check_str(look(&q, 1000), "");
    q.jobs[0].node_memory = 0;
    q.jobs[0].all_memory = true;
    lw_check_str(look(&q, 1005), "");
    q.jobs[0].all_memory = false;
    q.jobs[0].node_cpus = 65;
    lw_check_str(look(&q, 1010), "");
    q.jobs[0].node_cpus = 64;
    q.jobs[0].node_memory = 400;
    lw_check_str(look(&q, 1015), "waiting 5;");
    queue_close(&q);
}

static void test_partition_limits(void)
{
    struct queue q;
    struct lw_state_partition *p;

    queue_open(&q);
    scatter(&q);
    add_gang(&q);
    p = &q.state->partitions[0];
    p->max_nodes = 3;
    lw_check_str(look(&q, 1000), "");
    p->max_nodes = 4;
    p->max_minutes = 59;
    lw_check_str(look(&q, 1005), "");
    p->max_minutes = 60;
    p->min_nodes = 5;
    lw_check_str(look(&q, 1010), "");
    p->min_nodes = 4;
    q.jobs[0].partition = "other,main";
    lw_check_str(look(&q, 1015), "waiting 5;");
    queue_close(&q);
}

/* A larger job ahead waits for nodes: the free ones are kept for it, but not
 * from whoever is done before it starts. */
static void test_behind_a_larger_one(void)
{
    struct queue q;

    queue_open(&q);
    scatter(&q);
    add_gang(&q);
    q.jobs[1] = case_job(4, 12);
    q.jobs[1].priority = 200;
    q.njobs = 2;
    lw_check_str(look(&q, 1000), "");
    q.jobs[1].planned = 1000 + 3600;
    lw_check_str(look(&q, 1005), "");
    q.jobs[1].planned = 1010 + 3600;
    lw_check_str(look(&q, 1010), "waiting 5;");
    q.jobs[0].minutes = -1;
    lw_check_str(look(&q, 1015), "");
    lw_check_int(q.result.waiting, 0);
    /* held, or waiting for something else, it keeps nothing */
    q.jobs[1].reason = LW_WAIT_OTHER;
    look(&q, 1020);
    lw_check_int(q.result.waiting, 1);
    queue_close(&q);
}

static const struct lw_test tests[] = {
    {"marks of exclusions", test_marks_of_exclusions},
    {"the exclusion of idle nodes", test_subnode},
    {"beside what the user excludes", test_subnode_beside_own},
    {"an exclusion that others changed", test_exclusion_of_others},
    {"a degraded node heals", test_degraded_heals},
    {"an exclusion that is to go", test_exclusion_to_go},
    {"a constraint", test_constraint},
    {"the type of the GPUs", test_gpu_type},
    {"memory and CPUs", test_memory_and_cpus},
    {"limits of partitions", test_partition_limits},
    {"behind a larger job", test_behind_a_larger_one},
};

LW_CHECK_MAIN("patience-room", tests)
