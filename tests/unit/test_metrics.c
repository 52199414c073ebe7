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
    lw_check_int(b.text[b.len - 1], '\n');
    lw_snapshot_free(&s);
    lw_buf_free(&b);
    lw_capacity_destroy(c);
    lw_state_destroy(state);
    lw_map_destroy(map);
}

static const struct lw_test tests[] = {
    {"the cluster at one moment", test_snapshot},
    {"metrics", test_text},
};

LW_CHECK_MAIN("metrics", tests)
