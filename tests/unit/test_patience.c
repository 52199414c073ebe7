/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_patience.c - when waits for locality end */
#include "config.h"

#include "tests/unit/patience_queue.h"

static void test_seconds(void)
{
    struct lw_settings s = {.max_patience = 3600, .slowdown = 0.1};

    lw_check_int(lw_patience_seconds(&s, 60, -1), 360);
    lw_check_int(lw_patience_seconds(&s, 10000, -1), 3600);
    lw_check_int(lw_patience_seconds(&s, -1, -1), 3600);
    lw_check_int(lw_patience_seconds(&s, 60, 0), 0);
    lw_check_int(lw_patience_seconds(&s, 60, 7200), 7200);
}

static void test_marks(void)
{
    struct lw_mark m;

    CU_ASSERT_FALSE(lw_mark_parse(NULL, &m));
    CU_ASSERT_FALSE(lw_mark_parse("", &m));
    CU_ASSERT_FALSE(lw_mark_parse("keep: leafward: gang", &m));
    CU_ASSERT_TRUE(lw_mark_parse("leafward: total-gpus nodes=4 groups=1 "
                                 "switches=2 wait=900 patience=60 excluded=3 "
                                 "own=n[1-2],m-7 sum=0000abcd ref=1",
                                 &m));
    lw_check_int(m.nodes, 4);
    lw_check_int(m.groups, 1);
    lw_check_int(m.switches, 2);
    lw_check_int(m.excluded, 3);
    lw_check_int(m.patience, 60);
    lw_check_str(m.own, "n[1-2],m-7");
    lw_check_int(m.sum, 0xabcd);
    CU_ASSERT_FALSE(m.subnode);
    CU_ASSERT_TRUE(lw_mark_parse("leafward: sub-node excluded=9 ref=1", &m));
    CU_ASSERT_TRUE(m.subnode);
    lw_check_str(m.own, "");
    lw_check_int(m.sum, 0);
    lw_check_int(m.switches, -1);
    CU_ASSERT_TRUE(lw_mark_parse("leafward: gang nodes=4x switches=", &m));
    lw_check_int(m.nodes, -1);
    lw_check_int(m.switches, -1);
}

/* 60 minutes at 10 % are 360 seconds. */
static void test_patience_ends(void)
{
    struct queue q;

    queue_open(&q);
    scatter(&q);
    add_gang(&q);
    lw_check_str(look(&q, 1000), "waiting 5;");
    lw_check_int(q.result.waiting, 1);
    lw_check_str(look(&q, 1300), "");
    lw_check_int(q.result.next, 60);
    lw_check_str(look(&q, 1360), "relaxed 5;switches=2;");
    CU_ASSERT_PTR_NOT_NULL(strstr(q.log.lines.text,
                                  "\"locality_s\":360,\"patience_s\":360,"
                                  "\"groups_now\":2,\"switches_from\":1,"
                                  "\"switches_to\":2"));
    lw_check_str(look(&q, 1365), "");
    lw_check_str(look(&q, 1380), "relaxed 5;switches=0;");
    lw_check_str(look(&q, 1400), "");
    queue_close(&q);
}

/* While nothing would start at all it is not locality that is waited for. */
static void test_full_cluster(void)
{
    struct queue q;

    queue_open(&q);
    case_use(q.state, 1, 14, 8);
    add_gang(&q);
    lw_check_str(look(&q, 1000), "");
    lw_check_str(look(&q, 9000), "");
    case_use(q.state, 1, 16, 8);
    scatter(&q);
    case_use(q.state, 3, 4, 0);
    case_use(q.state, 7, 8, 0);
    lw_check_str(look(&q, 9100), "waiting 5;");
    case_use(q.state, 1, 16, 8); /* full again: the clock stands */
    lw_check_str(look(&q, 9200), "");
    lw_check_str(look(&q, 9900), "");
    case_use(q.state, 3, 4, 0);
    case_use(q.state, 7, 8, 0);
    lw_check_str(look(&q, 10000), "");
    lw_check_str(look(&q, 10300), "");
    lw_check_str(look(&q, 10360), "relaxed 5;switches=2;");
    queue_close(&q);
}

static void test_packed_fit(void)
{
    struct queue q;

    queue_open(&q);
    add_gang(&q);
    lw_check_str(look(&q, 1000), "");
    lw_check_int(q.result.waiting, 0);
    queue_close(&q);
}

/* Nodes that a job ahead in the queue takes are not free for those behind. */
static void test_queue_order(void)
{
    struct queue q;

    queue_open(&q);
    scatter(&q);
    add_gang(&q);
    q.jobs[1] = case_job(6, 6);
    q.jobs[1].priority = 900;
    q.njobs = 2;
    lw_check_str(look(&q, 1000), "");
    q.jobs[1].priority = 1;
    lw_check_str(look(&q, 1010), "waiting 5;");
    queue_close(&q);
}

static void test_changed_by_user(void)
{
    static const struct {
        long nodes, switches;
        const char *include;
    } cases[] = {{4, 3, NULL}, {4, -1, NULL}, {5, 1, NULL}, {4, 1, "n01"}};
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct queue q;

        queue_open(&q);
        scatter(&q);
        add_gang(&q);
        look(&q, 1000);
        q.jobs[0].nnodes = cases[i].nodes;
        q.jobs[0].switches = cases[i].switches;
        q.jobs[0].include = cases[i].include;
        lw_check_str(look(&q, 2000), "");
        lw_check_str(look(&q, 9000), "");
        q.jobs[0].state = LW_JOB_RUNNING;
        q.jobs[0].start = 9001;
        q.jobs[0].nodes = "n03,n04,n07,n08";
        lw_check_str(look(&q, 9005), "placed 5;");
        CU_ASSERT_PTR_NOT_NULL(
            strstr(q.log.lines.text, "\"ended_by\":\"changed\""));
        queue_close(&q);
    }
}

/* Not marked, held, waiting for something else: none of our business. */
static void test_not_ours(void)
{
    struct queue q;

    queue_open(&q);
    scatter(&q);
    add_gang(&q);
    q.jobs[0].comment = "an admin's";
    lw_check_str(look(&q, 1000), "");
    q.jobs[0].comment = GANG("1");
    q.jobs[0].held = true;
    lw_check_str(look(&q, 1100), "");
    q.jobs[0].held = false;
    q.jobs[0].reason = LW_WAIT_OTHER;
    lw_check_str(look(&q, 1200), "");
    q.jobs[0].reason = LW_WAIT_PRIORITY;
    lw_check_str(look(&q, 1300), "waiting 5;");
    queue_close(&q);
}

/* slurmctld does not take the update: tried again, said once. */
static void test_update_fails(void)
{
    struct queue q;

    queue_open(&q);
    scatter(&q);
    add_gang(&q);
    look(&q, 1000);
    q.refuse = true;
    lw_check_str(look(&q, 1400), "relaxed 5;switches=2;");
    lw_check_str(look(&q, 1405), "switches=2;");
    q.refuse = false;
    lw_check_str(look(&q, 1410), "switches=2;");
    lw_check_int(q.jobs[0].switches, 2);
    queue_close(&q);
}

/* Decided anew: another mark, the clock begins anew. */
static void test_decided_anew(void)
{
    struct queue q;

    queue_open(&q);
    scatter(&q);
    add_gang(&q);
    look(&q, 1000);
    look(&q, 1300);
    q.jobs[0].comment = "leafward: gang nodes=4 groups=1 switches=1 wait=9 "
                        "ref=0badcafe";
    lw_check_str(look(&q, 1310), "waiting 5;");
    lw_check_str(look(&q, 1400), "");
    lw_check_str(look(&q, 1670), "relaxed 5;switches=2;");
    queue_close(&q);
}

static const struct lw_test tests[] = {
    {"how long", test_seconds},
    {"reading marks", test_marks},
    {"patience ends", test_patience_ends},
    {"a full cluster does not count", test_full_cluster},
    {"a gang that fits packed", test_packed_fit},
    {"the queue is gone through in its order", test_queue_order},
    {"a job changed since is let be", test_changed_by_user},
    {"jobs that are not ours", test_not_ours},
    {"an update that fails", test_update_fails},
    {"a job decided anew", test_decided_anew},
};

LW_CHECK_MAIN("patience", tests)
