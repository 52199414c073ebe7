/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_request.c - job_desc_msg_t to a request, and a decision back into it */
#include "config.h"

#include "slurmapi/hostlist.h"
#include "tests/unit/job_desc.h"

/* What each command line leaves in a job_desc_msg_t, as measured: first in
 * the form of 22.05, then in that of 24.11 and 26.05. */
static const struct job jobs[] = {
    {"--gpus=8", .tres_per_job = "gres:gpu:8", .min_cpus = 1,
     .want = "cpus=1 job=8"},
    {"--gpus=8", .tres_per_job = "gres/gpu:8", .min_cpus = 1,
     .want = "cpus=1 job=8"},
    {"--gpus=h100:16", .tres_per_job = "gres:gpu:h100:16",
     .want = "job=16 type=h100"},
    {"--gpus=h100:16", .tres_per_job = "gres/gpu:h100:16",
     .want = "job=16 type=h100"},
    {"-G h100:4,gpu:2", .tres_per_job = "gres:gpu:h100:4,gres:gpu:gpu:2",
     .want = "job=4 type=h100 unclear"},
    {"-G h100:4,gpu:2", .tres_per_job = "gres/gpu:h100:4,gres/gpu:gpu:2",
     .want = "job=4 type=h100 unclear"},
    {"-N2 --gpus-per-node=8", .tres_per_node = "gres:gpu:8", .min_nodes = 2,
     .max_nodes = 2, .min_cpus = 2, .want = "min=2 max=2 cpus=2 node=8"},
    {"-N2 --gpus-per-node=8", .tres_per_node = "gres/gpu:8", .min_nodes = 2,
     .max_nodes = 2, .min_cpus = 2, .want = "min=2 max=2 cpus=2 node=8"},
    {"--gres=gpu:h100:8", .tres_per_node = "gres/gpu:h100:8",
     .want = "node=8 type=h100"},
    {"--gres=gpu", .tres_per_node = "gres:gpu", .want = "node=1"},
    {"--gres=gpu", .tres_per_node = "gres/gpu", .want = "node=1"},
    {"--gres=gpu=4", .tres_per_node = "gres/gpu=4", .want = "node=4"},
    {"--gres=gpu:4 --gpus-per-node=4", .tres_per_node = "gres:gpu:4,gres:gpu:4",
     .want = "node=4 unclear"},
    {"-n16 --gpus-per-task=1", .tres_per_task = "gres:gpu:1", .num_tasks = 16,
     .want = "tasks=16 task=1"},
    {"-n16 --gpus-per-task=1", .tres_per_task = "gres/gpu=1", .num_tasks = 16,
     .want = "tasks=16 task=1"},
    {"--gpus-per-task=h100:1", .tres_per_task = "gres/gpu:h100=1",
     .want = "task=1 type=h100"},
    {"--tres-per-task=cpu=2,gres/gpu=1", .tres_per_task = "cpu=2,gres/gpu=1",
     .cpus_per_task = 2, .want = "cpt=2 task=1"},
    {"--tres-per-task=gres:gpu:h100:1", .tres_per_task = "gres/gpu:h100:1",
     .want = "task=1 type=h100"},
    {"--gpus-per-socket=4 --sockets-per-node=2",
     .tres_per_socket = "gres:gpu:4", .sockets_per_node = 2,
     .want = "spn=2 socket=4"},
    {"--gpus=8 --ntasks-per-gpu=2", .tres_per_job = "gres:gpu:8",
     .num_tasks = 16, .want = "tasks=16 job=8"},
    {"--gpus=8 --cpus-per-gpu=2 --mem-per-gpu=4G", .tres_per_job = "gres:gpu:8",
     .cpus_per_tres = "gres:gpu:2", .mem_per_tres = "gres:gpu:4096",
     .min_cpus = 1, .want = "cpus=1 cpg=2 job=8 mem/gpu=4096"},
    {"--gpus=8 --cpus-per-gpu=2 --mem-per-gpu=4G", .tres_per_job = "gres/gpu:8",
     .cpus_per_tres = "gres/gpu:2", .mem_per_tres = "gres/gpu:4096",
     .min_cpus = 16, .want = "cpus=16 cpg=2 job=8 mem/gpu=4096"},
    {"--gres=gpu:1g.10gb:2", .tres_per_node = "gres:gpu:1g.10gb:2",
     .want = "node=2 type=1g.10gb"},
    {"--gres=gpu:1g.10gb", .tres_per_node = "gres/gpu:1g.10gb",
     .want = "node=1 type=1g.10gb"},
    {"--gres=gpu:1K", .tres_per_node = "gres/gpu:1K", .want = "node=1024"},
    {"--gres=nvme:1,gpu:2", .tres_per_node = "gres:nvme:1,gres:gpu:2",
     .want = "node=2"},
    {"--gres=gpumem:2", .tres_per_node = "gres:gpumem:2", .want = ""},
    {"--gpus=0", .tres_per_job = "gres:gpu:0", .want = "job=0"},
    {"--gpus=h100:8 --gpus-per-node=a100:8", .tres_per_job = "gres/gpu:h100:8",
     .tres_per_node = "gres/gpu:a100:8",
     .want = "job=8 node=8 type=a100 "
             "unclear"},
    {"REST gpu:8", .tres_per_node = "gpu:8", .want = " unclear"},
    {"--exclusive=user", .tres_per_job = "gres:gpu:8", .shared = 2,
     .want = "job=8 exclusive"},
    {"--exclusive=topo", .tres_per_job = "gres/gpu:8", .shared = 4,
     .want = "job=8 exclusive"},
    {"--oversubscribe", .tres_per_job = "gres/gpu:8", .shared = 1,
     .want = "job=8"},
    {"-N2-4", .tres_per_node = "gres:gpu:8", .min_nodes = 2, .max_nodes = 4,
     .want = "min=2 max=4 node=8"},
    {"-N2 --ntasks-per-node=8", .tres_per_node = "gres:gpu:8", .min_nodes = 2,
     .max_nodes = 2, .num_tasks = 16, .ntasks_per_node = 8,
     .want = "min=2 max=2 tasks=16 tpn=8 node=8"},
    {"-n16 --ntasks-per-node=8", .tres_per_node = "gres/gpu:8", .min_nodes = 2,
     .num_tasks = 16, .ntasks_per_node = 8,
     .want = "min=2 tasks=16 tpn=8 node=8"},
    {"--switches=1@10:00", .tres_per_job = "gres:gpu:8", .req_switch = 1,
     .want = "job=8 switches"},
    {"--contiguous", .tres_per_job = "gres:gpu:8", .contiguous = 1,
     .want = "job=8 contiguous"},
    {"REST contiguous unset", .tres_per_job = "gres/gpu:8",
     .contiguous = NO_VAL16, .min_cpus = NO_VAL, .task_dist = NO_VAL,
     .want = "job=8"},
    {"task_dist default", .tres_per_job = "gres:gpu:8", .task_dist = 0x2000,
     .want = "job=8"},
    {"-m arbitrary", .tres_per_job = "gres:gpu:8",
     .task_dist = SLURM_DIST_ARBITRARY, .want = "job=8 arbitrary"},
    {"-m plane=4", .tres_per_job = "gres:gpu:8", .task_dist = SLURM_DIST_PLANE,
     .want = "job=8"},
    {"-m block:block,Pack", .tres_per_job = "gres:gpu:8", .task_dist = 0x800022,
     .want = "job=8"},
    {"--mem=4G", .tres_per_job = "gres:gpu:8", .pn_min_memory = 4096,
     .want = "job=8 mem=4096"},
    {"--mem-per-cpu=2G", .tres_per_job = "gres:gpu:8",
     .pn_min_memory = 2048 | MEM_PER_CPU, .want = "job=8 mem/cpu=2048"},
    {"-w n1", .tres_per_job = "gres:gpu:8", .req_nodes = "n1",
     .want = "job=8 nodelist"},
    {"-x n[1-3]", .tres_per_job = "gres:gpu:8", .exc_nodes = "n[1-3]",
     .want = "job=8 excluded=3"},
    {"--reservation=r", .tres_per_job = "gres:gpu:8", .reservation = "r",
     .want = "job=8 reservation"},
    {"-t 60", .tres_per_job = "gres:gpu:8", .time_limit = 60,
     .want = "job=8 minutes=60"},
    {"-t unlimited", .tres_per_job = "gres:gpu:8", .time_limit = INFINITE,
     .want = "job=8"},
    {"from the origin cluster", .tres_per_job = "gres:gpu:8",
     .admin_comment = "leafward: gang nodes=2 ref=00000000",
     .want = "job=8 decided"},
    {"an admin's own comment", .tres_per_job = "gres:gpu:8",
     .admin_comment = "not leafward: at all", .want = "job=8"},
    {"--leafward=off", .tres_per_job = "gres:gpu:8",
     .option = "_SLURM_SPANK_OPTION_leafward_leafward=off",
     .want = "job=8 policy=0"},
    {"--leafward=pack,wait=30", .tres_per_job = "gres:gpu:8",
     .option = "_SLURM_SPANK_OPTION_leafward_leafward=pack,wait=30",
     .want = "job=8 policy=1 wait=1800"},
    {"--leafward=wait=2h", .tres_per_job = "gres:gpu:8",
     .option = "_SLURM_SPANK_OPTION_leafward_leafward=wait=2h",
     .want = "job=8 wait=7200"},
    {"--leafward=wait=0", .tres_per_job = "gres:gpu:8",
     .option = "_SLURM_SPANK_OPTION_leafward_leafward=wait=0",
     .want = "job=8 wait=0"},
    {"--leafward=wait=43201", .tres_per_job = "gres:gpu:8",
     .option = "_SLURM_SPANK_OPTION_leafward_leafward=wait=43201",
     .want = "job=8"},
    {"--leafward=spread", .tres_per_job = "gres:gpu:8",
     .option = "_SLURM_SPANK_OPTION_leafward_leafward=spread",
     .want = "job=8 policy=2"},
    {"--leafward=rubbish", .tres_per_job = "gres:gpu:8",
     .option = "_SLURM_SPANK_OPTION_leafward_leafward=offf,wait=-1,wait=x,",
     .want = "job=8"},
    {"another plugin's option", .tres_per_job = "gres:gpu:8",
     .option = "_SLURM_SPANK_OPTION_other_leafward=off", .want = "job=8"},
    {"a CPU job", .num_tasks = 4, .want = "tasks=4"},
};

static void test_reads_every_form(void)
{
    job_desc_msg_t job;
    struct lw_submit s;
    size_t i;

    for (i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
        fill(&jobs[i], &job);
        lw_submit_read(&job, &s);
        if (strcmp(shown(&s.request), jobs[i].want) != 0)
            fprintf(stderr, "row %zu: %s\n", i, jobs[i].what);
        lw_check_str(shown(&s.request), jobs[i].want);
        lw_submit_free(&s);
        empty(&job);
    }
}

/* Read 'from', apply 'd', and leave the result in 'job'. */
static void apply(const struct job *from, const struct lw_decision *d,
                  job_desc_msg_t *job)
{
    struct lw_submit s;

    fill(from, job);
    lw_submit_read(job, &s);
    lw_submit_apply(job, &s, d, "7f3a9c21");
    lw_submit_free(&s);
}

static void test_writes_each_version_s_form(void)
{
    static const struct {
        struct job job;
        const char *tres_per_node;
    } rows[] = {
        {{"", .tres_per_job = "gres:gpu:16"}, "gres:gpu:8"},
        {{"", .tres_per_job = "gres/gpu:16"}, "gres/gpu:8"},
        {{"", .tres_per_job = "gres:gpu:h100:16"}, "gres:gpu:h100:8"},
        {{"", .tres_per_job = "gres/gpu:h100:16"}, "gres/gpu:h100:8"},
        {{"", .tres_per_task = "gres/gpu:h100=1"}, "gres/gpu:h100:8"},
        {{"", .tres_per_job = "gres/gpu:16", .tres_per_node = "gres/nvme:1"},
         "gres/nvme:1,gres/gpu:8"},
    };
    job_desc_msg_t job;
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        apply(&rows[i].job, &packed, &job);
        lw_check_str(job.tres_per_node, rows[i].tres_per_node);
        lw_check_str(job.tres_per_job, rows[i].job.tres_per_job);
        lw_check_int(job.min_nodes, 2);
        lw_check_int(job.max_nodes, 2);
        lw_check_int(job.req_switch, 1);
        lw_check_int(job.wait4switch, 900);
        lw_check_str(job.admin_comment,
                     "leafward: total-gpus nodes=2 groups=1 switches=1 "
                     "wait=900 ref=7f3a9c21");
        empty(&job);
    }
}

static void test_keeps_what_the_user_said(void)
{
    struct lw_decision d = {.action = LW_REWRITE,
                            .reason = LW_GANG,
                            .nodes = -1,
                            .gpus_node = -1,
                            .groups = 1,
                            .switches = 1,
                            .wait = 900,
                            .segment = -1,
                            .exclude = "n[7-8]",
                            .nexcluded = 2};
    const struct job mine = {"",
                             .tres_per_node = "gres:gpu:8",
                             .min_nodes = 4,
                             .max_nodes = 4,
                             .exc_nodes = "n1",
                             .admin_comment = "own"};
    job_desc_msg_t job;

    apply(&mine, &d, &job);
    lw_check_str(job.exc_nodes, "n1"); /* nobody could take it back */
    lw_check_str(job.admin_comment, "own");
    lw_check_int(job.min_nodes, 4);
    lw_check_int(job.max_nodes, 4);
    lw_check_str(job.tres_per_node, "gres:gpu:8");
    empty(&job);
}

/* What is excluded stands in the mark, the user's own in its short form. */
static void test_excludes_what_the_mark_holds(void)
{
    struct lw_decision d = {.action = LW_REWRITE,
                            .reason = LW_SUBNODE,
                            .nodes = -1,
                            .gpus_node = -1,
                            .groups = -1,
                            .switches = -1,
                            .wait = -1,
                            .segment = -1,
                            .exclude = "n[7-8]",
                            .nexcluded = 2};
    struct job mine = {"", .tres_per_node = "gres:gpu:1",
                       .exc_nodes = "n2,n1,n3,n8"};
    char want[LW_MARK_SIZE];
    job_desc_msg_t job;

    apply(&mine, &d, &job);
    lw_check_str(job.exc_nodes, "n2,n1,n3,n8,n[7-8]");
    snprintf(want, sizeof(want),
             "leafward: sub-node excluded=2 own=n[1-3,8] sum=%08x ref=7f3a9c21",
             (unsigned)lw_hostlist_sum("n[1-3,7-8]"));
    lw_check_str(job.admin_comment, want);
    empty(&job);
    mine.exc_nodes = NULL;
    apply(&mine, &d, &job);
    lw_check_str(job.exc_nodes, "n[7-8]");
    CU_ASSERT_PTR_NULL(strstr(job.admin_comment, "own="));
    empty(&job);
}

static void test_sums_of_host_lists(void)
{
    lw_check_int(lw_hostlist_sum(NULL), 0);
    lw_check_int(lw_hostlist_sum(""), 0);
    CU_ASSERT_EQUAL(lw_hostlist_sum("n[1-3],n9"),
                    lw_hostlist_sum("n9,n3,n2,n1"));
    CU_ASSERT_EQUAL(lw_hostlist_sum("n1,n1,n[1-2]"), lw_hostlist_sum("n[1-2]"));
    CU_ASSERT_EQUAL(lw_hostlist_sum("b2,a[3-4],b1"),
                    lw_hostlist_sum("a4,b[1-2],a3"));
    CU_ASSERT_NOT_EQUAL(lw_hostlist_sum("n[1-3]"), lw_hostlist_sum("n[1-4]"));
    CU_ASSERT_NOT_EQUAL(lw_hostlist_sum("n1,n2"), lw_hostlist_sum("n1,n3"));
}

/* A list of the user's too long for the mark is known before the decision. */
static void test_no_room_for_the_mark(void)
{
    char names[400] = "";
    struct job mine = {"", .tres_per_node = "gres:gpu:1", .exc_nodes = names};
    job_desc_msg_t job;
    struct lw_submit s;
    int i;

    for (i = 0; i < 40; i++)
        snprintf(names + strlen(names), sizeof(names) - strlen(names),
                 "%sn%03d", i ? "," : "", 2 * i);
    fill(&mine, &job);
    lw_submit_read(&job, &s);
    CU_ASSERT_TRUE(s.request.no_exclude);
    CU_ASSERT_FALSE(s.request.no_mark);
    lw_check_int(s.request.nexcluded, 40);
    lw_submit_free(&s);
    empty(&job);
    mine.exc_nodes = NULL;
    mine.admin_comment = "of another plugin";
    fill(&mine, &job);
    lw_submit_read(&job, &s);
    CU_ASSERT_TRUE(s.request.no_mark);
    lw_submit_free(&s);
    empty(&job);
}

static void test_mark_fits(void)
{
    const long most = 999999999;
    struct lw_decision d = {LW_REWRITE, LW_TOTAL_GPUS, most, most, NULL,
                            most,       most,          most, most, NULL,
                            most,       NULL,          "",   most};
    struct lw_submit s = {.request = LW_REQUEST_INIT};
    char mark[LW_MARK_SIZE];

    s.request.exclude = "n1";
    s.request.wait = most;
    lw_submit_mark(&s, &d, "7f3a9c21", mark, sizeof(mark));
    lw_check_str(mark, "leafward: total-gpus nodes=999999999 groups=999999999 "
                       "switches=999999999 wait=999999999 segment=999999999 "
                       "patience=999999999 ref=7f3a9c21");
}

static void test_only_tests(void)
{
    static char *const words[] = {"job.sh", "--test-only"};
    static const struct {
        const char *line, *script, *name;
        uint32_t argc;
        uint16_t port, immediate;
        bool test;
    } rows[] = {
        {"sbatch --gpus=16 job.sh", "#!", NULL, 0, 0, 0, false},
        {"sbatch --test-only --gpus=16 job.sh", "#!", NULL, 1, 0, 0, true},
        {"sbatch --gpus=16 --test-only", "#!", NULL, 0, 0, 0, true},
        {"sbatch job.sh --test-only", "#!", NULL, 2, 0, 0, false},
        {"sbatch --wrap=run --test-only", "#!\nrun --test-only\n", NULL, 0, 0,
         0, false},
        {"sbatch -J a --test-only job.sh", "#!", "a --test-only", 0, 0, 0,
         false},
        {"sbatch --comment=--test-only job.sh", "#!", NULL, 0, 0, 0, false},
        {NULL, "#!", NULL, 0, 0, 0, false}, /* REST */
        {NULL, NULL, NULL, 0, 0, 0, false},
        {"srun -N2 hostname", NULL, NULL, 0, 4711, 0, false},
        {"srun -I -N2 hostname", NULL, NULL, 0, 0, 1, false},
        {"srun -N2 hostname", NULL, NULL, 0, 0, 0, true}, /* SLURM_TEST_ONLY */
        {"srun -N2 x --test-only", NULL, NULL, 2, 4711, 0, false},
    };
    job_desc_msg_t job;
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        slurm_init_job_desc_msg(&job);
        job.submit_line = (char *)rows[i].line;
        job.script = (char *)rows[i].script;
        job.name = (char *)rows[i].name;
        job.argv = (char **)words;
        job.argc = rows[i].argc;
        job.alloc_resp_port = rows[i].port;
        job.immediate = rows[i].immediate;
        if (lw_submit_is_test(&job) != rows[i].test)
            fprintf(stderr, "row %zu\n", i);
        lw_check_int(lw_submit_is_test(&job), rows[i].test);
    }
}

static const struct lw_test tests[] = {
    {"reads every form of every version", test_reads_every_form},
    {"writes each version's own form", test_writes_each_version_s_form},
    {"keeps what the user said", test_keeps_what_the_user_said},
    {"excludes what the mark holds", test_excludes_what_the_mark_holds},
    {"no room for the mark", test_no_room_for_the_mark},
    {"sums of host lists", test_sums_of_host_lists},
    {"the mark fits", test_mark_fits},
    {"what is only a test", test_only_tests},
};

LW_CHECK_MAIN("request", tests)
