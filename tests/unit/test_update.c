/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_update.c - updates of jobs: which matter, and what becomes of them */
#include "config.h"

#include "job_submit/touched.h"
#include "job_submit/update.h"
#include "tests/unit/job_desc.h"

static void test_updates(void)
{
    static const struct {
        struct job job;
        enum lw_update_kind kind;
    } rows[] = {
        {{.what = "a comment, hold, release, priority"}, LW_UPDATE_OTHER},
        {{"NumNodes", .min_nodes = 8, .max_nodes = 8}, LW_UPDATE_REQUEST},
        {{"Gres", .tres_per_node = "gres/gpu:4"}, LW_UPDATE_REQUEST},
        {{"Features", .features = "a"}, LW_UPDATE_REQUEST},
        {{"Features=", .features = ""}, LW_UPDATE_REQUEST},
        {{"Partition", .partition = "p"}, LW_UPDATE_REQUEST},
        {{"ReqNodeList", .min_nodes = 8, .req_nodes = "n1"}, LW_UPDATE_REQUEST},
        {{"ExcNodeList", .exc_nodes = "n1"}, LW_UPDATE_OTHER},
        {{"Switches", .min_nodes = 8, .req_switch = 2}, LW_UPDATE_SWITCHES},
        {{"ours", .req_switch = 8, .admin_comment = "leafward: gang"},
         LW_UPDATE_OTHER},
    };
    job_desc_msg_t job;
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        fill(&rows[i].job, &job);
        lw_check_int(lw_update_kind(&job), rows[i].kind);
        empty(&job);
    }
}

/* As many as crash slurmctld, in an update too, of whatever job. */
static void test_updates_that_crash(void)
{
    char list[400] = "[a0";
    job_desc_msg_t job;
    int i;

    for (i = 1; i < 60; i++)
        snprintf(list + strlen(list), sizeof(list) - strlen(list), "|a%d", i);
    slurm_init_job_desc_msg(&job);
    job.prefer = list;
    lw_check_int(lw_update_kind(&job), LW_UPDATE_OTHER);
    snprintf(list + strlen(list), sizeof(list) - strlen(list), "|a60]");
    lw_check_int(lw_update_kind(&job), LW_UPDATE_CRASHES);
    job.prefer = NULL;
    job.features = list;
    lw_check_int(lw_update_kind(&job), LW_UPDATE_CRASHES);
}

/* Jobs are named by texts, and a text may mean several. */
static void test_which_job(void)
{
    static const struct {
        char *text;
        uint32_t id;
        long found;
    } rows[] = {
        {NULL, 12, 12},    {"12", NO_VAL, 12},   {"11", NO_VAL, 0},
        {"20", 0, 21},     {"20_3", NO_VAL, 21}, {"20_[1-3]", NO_VAL, 21},
        {"30", NO_VAL, 0}, {"30+1", NO_VAL, 31}, {"30+2", NO_VAL, 0},
        {"x", NO_VAL, 0},  {NULL, NO_VAL, 0},
    };
    struct lw_state_job known[] = {
        {.id = 12, .array_job = -1, .het_job = -1, .het_offset = -1},
        {.id = 21, .array_job = 20, .het_job = -1, .het_offset = -1},
        {.id = 30, .array_job = -1, .het_job = 30, .het_offset = 0},
        {.id = 31, .array_job = -1, .het_job = 30, .het_offset = 1},
    };
    struct lw_state state = {.jobs = known, .njobs = 4};
    const struct lw_state_job *found;
    job_desc_msg_t job;
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        slurm_init_job_desc_msg(&job);
        job.job_id_str = rows[i].text;
#if LW_SLURM_AT_LEAST(25, 11)
        job.step_id.job_id = rows[i].id;
#else
        job.job_id = rows[i].id;
#endif
        found = lw_update_find(&state, &job);
        lw_check_int(found ? found->id : 0, rows[i].found);
    }
    CU_ASSERT_PTR_NULL(lw_update_find(NULL, &job));
}

/* Apply 'd' to an update of 'before'; what it makes of the mark. */
static const char *updated(const struct job *update, char *mark,
                           const struct lw_decision *d, job_desc_msg_t *job,
                           char *shows)
{
    struct lw_state_job before = {.id = 12,
                                  .array_job = -1,
                                  .het_job = -1,
                                  .partition = "gpu",
                                  .nodes = 4,
                                  .gpus_node = 8,
                                  .gpu_type = "h100",
                                  .minutes = 60,
                                  .features = "fast"};
    struct lw_submit s;

    before.mark = mark;
    fill(update, job);
    lw_update_read(job, &before, &s);
    snprintf(shows, 200, "%s partition=%s features=%s%s", shown(&s.request),
             s.request.partition, s.request.features,
             s.request.no_exclude ? " no-exclude" : "");
    lw_update_apply(job, &before, &s, d, "7f3a9c21");
    lw_submit_free(&s);
    return job->admin_comment;
}

static void test_update_of_a_gang(void)
{
    static char mark[] = "leafward: gang nodes=4 groups=1 switches=1 wait=9 "
                         "patience=60 ref=00c0ffee";
    const struct job update = {"NumNodes", .min_nodes = 8, .max_nodes = 8};
    struct lw_decision d = packed;
    job_desc_msg_t job;
    char shows[200];

    d.nodes = d.gpus_node = -1;
    d.switches = 2;
    lw_check_str(updated(&update, mark, &d, &job, shows),
                 "leafward: total-gpus nodes=8 groups=1 switches=2 wait=900 "
                 "patience=60 ref=7f3a9c21");
    lw_check_str(shows, "min=8 max=8 node=8 minutes=60 wait=60 type=h100 "
                        "partition=gpu features=fast no-exclude");
    lw_check_int(job.req_switch, 2);
    lw_check_int(job.wait4switch, 900);
    empty(&job);
    /* nothing to wait for any more */
    d.action = LW_UNTOUCHED;
    d.reason = LW_USER_NODELIST;
    d.switches = d.wait = d.groups = -1;
    lw_check_str(updated(&update, mark, &d, &job, shows),
                 "leafward: user-nodelist nodes=8 ref=7f3a9c21");
    lw_check_int(job.req_switch, 0);
    lw_check_int(job.min_nodes, 8);
    CU_ASSERT_PTR_NULL(job.tres_per_node);
    CU_ASSERT_PTR_NULL(job.exc_nodes);
    empty(&job);
}

/* The mark never tells of an exclusion that is not there, nor forgets one. */
static void test_update_and_exclusions(void)
{
    static char gang[] = "leafward: gang nodes=4 switches=1 excluded=2 own=n9 "
                         "sum=0000abcd ref=00c0ffee";
    static char small[] = "leafward: sub-node excluded=2 sum=0000abcd "
                          "ref=00c0ffee";
    static char plain[] = "leafward: gang nodes=4 ref=00c0ffee";
    const struct job update = {"NumNodes", .min_nodes = 8, .max_nodes = 8};
    const struct job theirs = {"NumNodes ExcNodeList", .min_nodes = 8,
                               .max_nodes = 8, .exc_nodes = "n3"};
    struct lw_decision d = {.action = LW_REWRITE,
                            .reason = LW_GANG,
                            .nodes = -1,
                            .gpus_node = -1,
                            .groups = -1,
                            .switches = 1,
                            .wait = 9,
                            .segment = -1,
                            .exclude = "n[7-8]",
                            .nexcluded = 2};
    job_desc_msg_t job;
    char shows[200];

    lw_check_str(updated(&update, gang, &d, &job, shows),
                 "leafward: gang nodes=8 switches=1 wait=9 excluded=2 own=n9 "
                 "sum=0000abcd ref=7f3a9c21");
    CU_ASSERT_PTR_NOT_NULL(strstr(shows, " excluded=1 "));
    CU_ASSERT_PTR_NULL(strstr(shows, "no-exclude"));
    CU_ASSERT_PTR_NULL(job.exc_nodes);
    empty(&job);
    lw_check_str(updated(&update, small, &d, &job, shows),
                 "leafward: gang nodes=8 switches=1 wait=9 excluded=0 "
                 "sum=0000abcd ref=7f3a9c21");
    CU_ASSERT_PTR_NOT_NULL(strstr(shows, "no-exclude"));
    empty(&job);
    lw_check_str(updated(&update, plain, &d, &job, shows),
                 "leafward: gang nodes=8 switches=1 wait=9 ref=7f3a9c21");
    empty(&job);
    lw_check_str(updated(&theirs, gang, &d, &job, shows),
                 "leafward: gang nodes=8 switches=1 wait=9 ref=7f3a9c21");
    lw_check_str(job.exc_nodes, "n3");
    empty(&job);
    d.exclude = NULL; /* all nodes are needed now */
    d.nexcluded = 0;
    lw_check_str(updated(&update, gang, &d, &job, shows),
                 "leafward: gang nodes=8 switches=1 wait=9 excluded=0 own=n9 "
                 "sum=0000abcd ref=7f3a9c21");
    empty(&job);
}

static void test_touched_jobs(void)
{
    long i;

    CU_ASSERT_FALSE(lw_touched_since(12, 0));
    lw_touched_add(12, 1000);
    CU_ASSERT_TRUE(lw_touched_since(12, 1000));
    CU_ASSERT_FALSE(lw_touched_since(12, 1001));
    CU_ASSERT_FALSE(lw_touched_since(13, 0));
    for (i = 0; i < LW_TOUCHED_JOBS; i++)
        lw_touched_add(100 + i, 2000);
    CU_ASSERT_FALSE(lw_touched_since(12, 0));
    CU_ASSERT_TRUE(lw_touched_since(100, 0));
}

static const struct lw_test tests[] = {
    {"which updates matter", test_updates},
    {"updates that would crash slurmctld", test_updates_that_crash},
    {"which job an update is about", test_which_job},
    {"an update of a gang", test_update_of_a_gang},
    {"an update and what is excluded", test_update_and_exclusions},
    {"jobs that somebody has just changed", test_touched_jobs},
};

LW_CHECK_MAIN("update", tests)
