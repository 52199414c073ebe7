/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_request.c - job_desc_msg_t to a request, and a decision back into it */
#include "config.h"

#include "job_submit/request.h"
#include "job_submit/touched.h"
#include "job_submit/update.h"
#include "slurmapi/hostlist.h"
#include "tests/check.h"

/* One field of a job_desc_msg_t, and what it is set to. */
struct job {
    const char *what; /* the command line it comes from */
    const char *tres_per_job, *tres_per_node, *tres_per_task, *tres_per_socket;
    const char *cpus_per_tres, *mem_per_tres;
    const char *partition, *features, *req_nodes, *exc_nodes, *reservation;
    const char *admin_comment, *option;
    uint32_t min_nodes, max_nodes, num_tasks, min_cpus, req_switch, task_dist;
    uint32_t time_limit;
    uint64_t pn_min_memory;
    uint16_t ntasks_per_node, cpus_per_task, sockets_per_node, shared;
    uint16_t contiguous;
    const char *want;
};

static char *copy(const char *text)
{
    return text ? slurm_xstrdup(text) : NULL;
}

static char *env[1];

/* Zero in a row means unset. */
static void fill(const struct job *from, job_desc_msg_t *to)
{
    slurm_init_job_desc_msg(to);
    to->tres_per_job = copy(from->tres_per_job);
    to->tres_per_node = copy(from->tres_per_node);
    to->tres_per_task = copy(from->tres_per_task);
    to->tres_per_socket = copy(from->tres_per_socket);
    to->cpus_per_tres = copy(from->cpus_per_tres);
    to->mem_per_tres = copy(from->mem_per_tres);
    to->partition = copy(from->partition);
    to->features = copy(from->features);
    to->req_nodes = copy(from->req_nodes);
    to->exc_nodes = copy(from->exc_nodes);
    to->reservation = copy(from->reservation);
    to->admin_comment = copy(from->admin_comment);
    env[0] = (char *)from->option;
    to->spank_job_env = from->option ? env : NULL;
    to->spank_job_env_size = from->option ? 1 : 0;
#define SET(field)                                                             \
    if (from->field)                                                           \
    to->field = from->field
    SET(min_nodes);
    SET(max_nodes);
    SET(num_tasks);
    SET(min_cpus);
    SET(req_switch);
    SET(task_dist);
    SET(time_limit);
    SET(pn_min_memory);
    SET(ntasks_per_node);
    SET(cpus_per_task);
    SET(sockets_per_node);
    SET(shared);
    SET(contiguous);
#undef SET
}

static void empty(job_desc_msg_t *job)
{
    char **texts[] = {
        &job->tres_per_job,    &job->tres_per_node, &job->tres_per_task,
        &job->tres_per_socket, &job->cpus_per_tres, &job->mem_per_tres,
        &job->partition,       &job->features,      &job->req_nodes,
        &job->exc_nodes,       &job->reservation,   &job->admin_comment};
    size_t i;

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        slurm_xfree((void **)texts[i]);
}

/* The request in one line, only what is set. */
static const char *shown(const struct lw_request *r)
{
    static char out[600];
    const struct {
        const char *key;
        long value;
    } numbers[] = {
        {"min", r->nodes_min},
        {"max", r->nodes_max},
        {"tasks", r->tasks},
        {"tpn", r->tasks_per_node},
        {"cpt", r->cpus_per_task},
        {"cpus", r->cpus_min},
        {"cpg", r->cpus_per_gpu},
        {"spn", r->sockets_per_node},
        {"job", r->gpus_job},
        {"node", r->gpus_node},
        {"task", r->gpus_task},
        {"socket", r->gpus_socket},
        {"minutes", r->minutes},
        {"mem", r->memory_node},
        {"mem/cpu", r->memory_cpu},
        {"mem/gpu", r->memory_gpu},
        {"policy", r->policy},
        {"wait", r->wait},
        {"excluded", r->nexcluded ? (long)r->nexcluded : -1},
    };
    const struct {
        const char *key;
        bool set;
    } flags[] = {
        {"unclear", r->gpus_unclear},
        {"exclusive", r->exclusive},
        {"nodelist", r->nodelist},
        {"switches", r->switches},
        {"contiguous", r->contiguous},
        {"arbitrary", r->arbitrary},
        {"reservation", r->reservation},
        {"decided", r->decided},
        {"sizes", r->sizes},
        {"segment", r->segment},
    };
    size_t i, len;

    out[0] = '\0';
    for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        len = strlen(out);
        if (numbers[i].value >= 0)
            snprintf(out + len, sizeof(out) - len, "%s%s=%ld", len ? " " : "",
                     numbers[i].key, numbers[i].value);
    }
    len = strlen(out);
    if (r->gpu_type)
        snprintf(out + len, sizeof(out) - len, " type=%s", r->gpu_type);
    for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        len = strlen(out);
        if (flags[i].set)
            snprintf(out + len, sizeof(out) - len, " %s", flags[i].key);
    }
    return out;
}

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

static const struct lw_decision packed = {.action = LW_REWRITE,
                                          .reason = LW_TOTAL_GPUS,
                                          .nodes = 2,
                                          .gpus_node = 8,
                                          .groups = 1,
                                          .switches = 1,
                                          .wait = 900,
                                          .segment = -1};

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
    {"which updates matter", test_updates},
    {"updates that would crash slurmctld", test_updates_that_crash},
    {"which job an update is about", test_which_job},
    {"an update of a gang", test_update_of_a_gang},
    {"an update and what is excluded", test_update_and_exclusions},
    {"jobs that somebody has just changed", test_touched_jobs},
    {"what is only a test", test_only_tests},
};

LW_CHECK_MAIN("request", tests)
