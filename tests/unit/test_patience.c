/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_patience.c - when waits for locality end, and what is taken back */
#include "config.h"

#include "tests/check.h"
#include "tests/unit/watch_case.h"
#include "topology/place/mark.h"
#include "topology/place/patience.h"

#define GANG(k)                                                                \
    "leafward: gang nodes=4 groups=1 switches=" k " wait=9 ref=00c0ffee"

struct queue {
    struct lw_map *map;
    struct lw_state *state;
    struct case_log log;
    struct lw_watcher *w;
    struct lw_settings settings;
    struct lw_job jobs[4];
    size_t njobs;
    struct lw_patience_result result;
    bool refuse; /* slurmctld takes no update */
    char exclude[80], mark[LW_MARK_SIZE];
};

static struct lw_job *job_of(struct queue *q, long id)
{
    size_t i;

    for (i = 0; i < q->njobs; i++)
        if (q->jobs[i].id == id)
            return &q->jobs[i];
    return NULL;
}

static int set_switches(void *arg, long job, long switches, const char *mark)
{
    struct queue *q = arg;

    lw_check_str(mark, job_of(q, job)->comment);

    lw_buf_printf(&q->log.said, "switches=%ld;", switches);
    if (q->refuse)
        return -1;
    job_of(q, job)->switches = switches ? switches : -1;
    return 0;
}

static int set_exclude(void *arg, long job, const char *nodes, const char *mark)
{
    struct queue *q = arg;

    lw_buf_printf(&q->log.said, "exclude=%s;", nodes);
    if (q->refuse)
        return -1;
    snprintf(q->exclude, sizeof(q->exclude), "%s", nodes);
    snprintf(q->mark, sizeof(q->mark), "%s", mark);
    job_of(q, job)->exclude = *nodes ? q->exclude : NULL;
    job_of(q, job)->comment = q->mark;
    return 0;
}

/* Enough of a checksum: "n01,n02" is 12. */
static uint32_t sum_of(const char *hosts)
{
    uint32_t sum = 0;

    for (; hosts && *hosts;
         hosts += strcspn(hosts, ","), hosts += *hosts == ',')
        sum = sum * 16 + (uint32_t)strtoul(hosts + 1, NULL, 10);
    return sum;
}

static int emit(void *arg, const struct lw_event *e)
{
    return case_emit(&((struct queue *)arg)->log, e);
}

static void queue_open(struct queue *q)
{
    memset(q, 0, sizeof(*q));
    q->map = case_map(NULL);
    q->state = case_state();
    q->w = case_watcher(&q->log);
    q->settings.max_patience = 3600;
    q->settings.slowdown = 0.1;
    q->settings.subnode_delay = 5;
}

static void queue_close(struct queue *q)
{
    lw_watcher_destroy(q->w);
    lw_state_destroy(q->state);
    lw_map_destroy(q->map);
    lw_buf_free(&q->log.said);
    lw_buf_free(&q->log.lines);
}

static const char *look(struct queue *q, time_t at)
{
    const struct lw_patience_ops ops = {emit,   set_switches, set_exclude,
                                        sum_of, case_expand,  case_names_free,
                                        q};
    struct lw_look l = {.at = {.tv_sec = at},
                        .map = q->map,
                        .state = q->state,
                        .jobs = q->jobs,
                        .njobs = q->njobs};

    q->log.said.len = q->log.lines.len = 0;
    lw_buf_add(&q->log.said, "", 0);
    lw_check_int(lw_watcher_look(q->w, &l), 0);
    lw_check_int(lw_patience_look(q->w, &l, &q->settings, &ops, &q->result), 0);
    return lw_buf_text(&q->log.said);
}

/* Two nodes free in each group: four start on two groups, not on one. */
static void scatter(struct queue *q)
{
    int g;

    for (g = 0; g < 4; g++)
        case_use(q->state, g * 4 + 1, g * 4 + 2, 8);
}

static void add_gang(struct queue *q)
{
    q->jobs[q->njobs] = case_job(5, 4);
    q->jobs[q->njobs].comment = GANG("1");
    q->jobs[q->njobs].switches = 1;
    q->njobs++;
}

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

LW_CHECK_MAIN("patience", tests)
