/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_metrics.c - the cluster counted, and as metrics */
#include "config.h"

#include "tests/check.h"
#include "tests/unit/watch_case.h"
#include "topology/place/metrics.h"

/* n01-n04 full, n05 half used, n09 down: groups of 0, 3, 3 and 4 idle. */
static struct lw_state *mixed_state(void)
{
    struct lw_state *s = case_state();

    case_use(s, 1, 4, 8);
    case_use(s, 5, 5, 2);
    s->nodes[8].state = LW_NODE_DOWN;
    return s;
}

static bool has(const struct lw_buf *b, const char *text)
{
    bool found = strstr(lw_buf_text(b), text) != NULL;

    if (!found)
        fprintf(stderr, "no %s in\n%s\n", text, lw_buf_text(b));
    return found;
}

static void test_snapshot(void)
{
    struct lw_map *map = case_map("n16");
    struct lw_state *state = mixed_state();
    struct lw_capacity *c = lw_capacity_create(map, state);
    struct lw_job jobs[2] = {case_job(1, 6), case_job(2, 4)};
    struct lw_snapshot s;

    jobs[1].state = LW_JOB_RUNNING;
    lw_check_int(lw_snapshot_take(c, state, jobs, 2, 1, &s), 0);
    lw_check_int(s.nodes, 16);
    lw_check_int(s.idle, 10);
    lw_check_int(s.full, 4);
    lw_check_int(s.mixed, 1);
    lw_check_int(s.down, 1);
    lw_check_int(s.gpus, 128);
    lw_check_int(s.gpus_used, 34);
    lw_check_int(s.gpus_stranded, 6);
    lw_check_int(s.gpus_down, 8);
    lw_check_str(s.groups[1].states, "miii");
    lw_check_str(s.groups[2].states, "diii");
    lw_check_int(s.nstartable, 3);
    lw_check_int(s.startable[0], 4);
    lw_check_int(s.startable[1], 7);
    lw_check_int(s.startable[2], 10);
    lw_check_int(s.startable_groups[2], 4);
    lw_check_int(s.nslots, 2);
    lw_check_int(s.slots[0], 4);
    lw_check_int(s.slots[1], 1);
    lw_check_int((long)(s.fragmentation * 1000), 600);
    lw_check_int(s.running_gangs, 1);
    lw_check_int(s.pending_gangs, 1);
    lw_check_int(s.ngangs, 1);
    lw_check_int(s.gangs[0].groups, 2);
    lw_check_int(s.degraded, 1);
    lw_snapshot_free(&s);
    lw_capacity_destroy(c);
    lw_state_destroy(state);
    lw_map_destroy(map);
}

static long sum_free(const long *gpus)
{
    long sum = 0;
    int i;

    for (i = 0; i < LW_FREES; i++)
        sum += gpus[i];
    return sum;
}

/* One node a cause, and what each leaves free of its 8 GPUs. */
static struct lw_state *state_of_causes(void)
{
    struct lw_state *s = case_state();
    int i;

    for (i = 0; i < CASE_NODES; i++)
        s->nodes[i].memory = 512 * 1024;
    case_use(s, 1, 4, 2);
    s->nodes[0].cpus_used = 64;                  /* n01: 6 without a CPU */
    s->nodes[1].memory_used = 512 * 1024;        /* n02: 6 without memory */
    s->nodes[2].cpus_used = 60;                  /* n03: CPUs for 4 of 6, .. */
    s->nodes[2].memory_used = 512 * 1024 - 3000; /* .. memory for 2 of them */
    for (i = 4; i < 8; i++) {
        s->nodes[i].state = LW_NODE_DOWN; /* n05-n08 */
        s->nodes[i].closed = (enum lw_closed)(i - 4);
    }
    s->nodes[5].gpus[0].used = 1;
    return s;
}

static void test_causes(void)
{
    static const struct {
        enum lw_free why;
        long all, g1;
    } want[] = {{LW_FREE_CPU, 6 + 2, 6 + 2},    {LW_FREE_MEMORY, 6 + 2, 6 + 2},
                {LW_FREE_PARTLY, 2 + 6, 2 + 6}, {LW_FREE_DOWN, 8, 0},
                {LW_FREE_DRAINED, 7, 0},        {LW_FREE_RESERVED, 8, 0},
                {LW_FREE_COMPLETING, 8, 0},     {LW_FREE_RAIL, 8, 0},
                {LW_FREE_IDLE, 7 * 8, 0}};
    struct lw_map *map = case_map("n16");
    struct lw_state *state = state_of_causes();
    struct lw_capacity *c = lw_capacity_create(map, state);
    struct lw_snapshot s;
    size_t i;

    lw_check_int(lw_snapshot_take(c, state, NULL, 0, 0, &s), 0);
    for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        lw_check_int(s.free[want[i].why], want[i].all);
        lw_check_int(s.groups[0].free[want[i].why], want[i].g1);
    }
    lw_check_int(sum_free(s.free), s.gpus - s.gpus_used);
    lw_check_int(s.free[LW_FREE_CPU] + s.free[LW_FREE_MEMORY] +
                     s.free[LW_FREE_PARTLY],
                 s.gpus_stranded);
    lw_check_int(s.free[LW_FREE_DOWN] + s.free[LW_FREE_DRAINED] +
                     s.free[LW_FREE_RESERVED] + s.free[LW_FREE_COMPLETING],
                 s.gpus_down);
    lw_check_int(s.unusable < 0, true); /* no job, no mix */
    lw_snapshot_free(&s);
    lw_capacity_destroy(c);
    lw_state_destroy(state);
    lw_map_destroy(map);
}

/* n13 and n14 are of another type: each has its own largest gangs. */
static void test_types(void)
{
    struct lw_map *map = case_map(NULL);
    struct lw_state *state = mixed_state();
    struct lw_capacity *c;
    struct lw_snapshot s;
    int i;

    for (i = 12; i < 14; i++)
        strcpy(state->nodes[i].gpus[0].type, "a100");
    c = lw_capacity_create(map, state);
    lw_check_int(lw_snapshot_take(c, state, NULL, 0, 0, &s), 0);
    lw_check_int(s.ntypes, 2);
    lw_check_str(s.types[0].type, "a100");
    lw_check_int(s.types[0].gpus, 16);
    lw_check_int(s.types[0].idle, 2);
    lw_check_int(s.types[0].startable[0], 2);
    lw_check_int(s.types[0].startable[2], 2);
    lw_check_int(s.types[1].gpus, 112);
    lw_check_int(s.types[1].used, 34);
    lw_check_int(s.types[1].idle, 8);
    lw_check_int(s.types[1].startable[0], 3);
    lw_check_int(s.types[1].startable[1], 6);
    lw_check_int(s.types[1].startable[2], 8);
    lw_snapshot_free(&s);
    lw_capacity_destroy(c);
    lw_state_destroy(state);
    lw_map_destroy(map);
}

/* mixed_state(): idle 0, 3, 3 and 4 nodes, and 6 GPUs free on n05: 86 free
 * GPUs on nodes that take jobs. Of them cannot be used by
 *   a gang of 4 nodes (fewest: 1 group): all but those of g4: 86 - 32 = 54
 *   one of 7 (2 groups): g4 with 4 needs 3 more, which g2 or g3 has: 6
 *   one of 8 (2 groups): 7 at most are there: 86
 *   one of 17 (never): 86
 *   a job of one GPU: 0
 *   a job of 8 GPUs on one node: those on n05: 6 */
static void test_unusable(void)
{
    static const struct {
        long nodes, gpus, unusable;
    } want[] = {{4, 32, 54},   {7, 56, 6}, {8, 64, 86},
                {17, 136, 86}, {1, 1, 0},  {1, 8, 6}};
    enum { N = sizeof(want) / sizeof(want[0]) };
    struct lw_map *map = case_map(NULL);
    struct lw_state *state = mixed_state();
    struct lw_capacity *c = lw_capacity_create(map, state);
    struct lw_job jobs[N + 3];
    struct lw_snapshot s;
    long sum = 0;
    size_t i;

    for (i = 0; i < N; i++) {
        jobs[i] = case_job((long)i + 1, want[i].nodes);
        jobs[i].gpus = want[i].gpus;
        jobs[i].gpu_type = i % 2 ? "h100" : NULL;
        sum += want[i].unusable;
        lw_check_int(lw_snapshot_take(c, state, &jobs[i], 1, 0, &s), 0);
        lw_check_int((long)(s.unusable + 0.5), want[i].unusable);
        lw_check_int(s.mix, 1);
        lw_snapshot_free(&s);
    }
    jobs[N] = jobs[N + 1] = jobs[0]; /* three gangs of 4 in all */
    jobs[N + 2] = case_job(99, 2);
    jobs[N + 2].gpus = 0; /* no business of ours */
    lw_check_int(lw_snapshot_take(c, state, jobs, N + 3, 0, &s), 0);
    lw_check_int(s.mix, N + 2);
    lw_check_int((long)(s.unusable * (N + 2) + 0.5),
                 sum + 2 * want[0].unusable);
    lw_snapshot_free(&s);
    lw_capacity_destroy(c);
    lw_state_destroy(state);
    lw_map_destroy(map);
}

static void test_text(void)
{
    struct lw_map *map = case_map(NULL);
    struct lw_state *state = mixed_state();
    struct lw_capacity *c = lw_capacity_create(map, state);
    struct lw_buf b = LW_BUF_INIT(1 << 20);
    struct lw_metrics m = {.started = 5};
    struct lw_placement p = {.nnodes = 4, .gpus = 32, .scored = true};
    struct lw_wait wait = LW_WAIT_INIT;
    struct lw_event e = LW_EVENT_INIT;
    struct lw_snapshot s;

    e.event = "placed";
    e.placement = &p;
    e.wait = &wait;
    wait.queue = 61;
    lw_metrics_count(&m, &e);
    p.score.excess = 2;
    wait.queue = 0;
    wait.locality = 300;
    wait.ended_by = "patience";
    lw_metrics_count(&m, &e);
    p.gpus = 0; /* no business of ours */
    lw_metrics_count(&m, &e);
    lw_check_int(lw_snapshot_take(c, state, NULL, 0, 0, &s), 0);
    lw_metrics_print(&b, &m, &s, "a\"b");
    CU_ASSERT(has(&b, "leafward_jobs_placed_total{cluster=\"a\\\"b\","
                      "size_class=\"2-4\"} 2\n"));
    CU_ASSERT(has(&b, "leafward_jobs_packed_total{cluster=\"a\\\"b\","
                      "size_class=\"2-4\"} 1\n"));
    CU_ASSERT(has(&b, "leafward_excess_groups_total{cluster=\"a\\\"b\"} 2\n"));
    CU_ASSERT(has(&b, "leafward_queue_wait_seconds_bucket{cluster=\"a\\\"b\","
                      "size_class=\"2-4\",le=\"60\"} 1\n"));
    CU_ASSERT(has(&b, "leafward_queue_wait_seconds_bucket{cluster=\"a\\\"b\","
                      "size_class=\"2-4\",le=\"300\"} 2\n"));
    CU_ASSERT(has(&b, "leafward_queue_wait_seconds_sum{cluster=\"a\\\"b\","
                      "size_class=\"2-4\"} 61\n"));
    CU_ASSERT(has(&b, "leafward_locality_wait_seconds_count{"
                      "cluster=\"a\\\"b\"} 1\n"));
    CU_ASSERT(has(&b, "leafward_patience_ended_total{cluster=\"a\\\"b\"} 1\n"));
    CU_ASSERT(has(&b, "leafward_startable_nodes{cluster=\"a\\\"b\","
                      "groups=\"2\"} 7\n"));
    CU_ASSERT(has(&b, "leafward_node_group_info{cluster=\"a\\\"b\","
                      "node=\"n16\",group=\"g4\",pod=\"p2\"} 1\n"));
    CU_ASSERT(has(&b, "leafward_gpus_free{cluster=\"a\\\"b\","
                      "cause=\"partly\"} 6\n"));
    CU_ASSERT(has(&b, "leafward_type_startable_nodes{cluster=\"a\\\"b\","
                      "gpu_type=\"h100\",groups=\"2\"} 7\n"));
    lw_check_int(b.text[b.len - 1], '\n');
    lw_snapshot_free(&s);
    lw_buf_free(&b);
    lw_capacity_destroy(c);
    lw_state_destroy(state);
    lw_map_destroy(map);
}

static const struct lw_test tests[] = {
    {"the cluster at one moment", test_snapshot},
    {"free GPUs by cause", test_causes},
    {"by type of GPU", test_types},
    {"what the jobs of the day could not use", test_unusable},
    {"metrics", test_text},
};

LW_CHECK_MAIN("metrics", tests)
