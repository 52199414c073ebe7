/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_event.c - lines of the placement log */
#include "config.h"

#include "tests/check.h"
#include "topology/place/event.h"

#include <jansson.h>

static void test_smallest_line(void)
{
    struct lw_event e = LW_EVENT_INIT;
    lw_error_t err = {0};
    size_t len = 0;
    char *line;

    e.event = "untouched";
    e.at.tv_sec = 1769860800;
    e.at.tv_nsec = 7999999;
    line = lw_event_line(&e, &len, &err);
    lw_check_str(line, "{\"schema\":1,\"@timestamp\":\"2026-01-31T12:00:00."
                       "007Z\",\"event\":\"untouched\",\"job\":{}}\n");
    lw_check_int(len, strlen(line));
    free(line);
}

static void test_submitted_line(void)
{
    struct lw_request r = LW_REQUEST_INIT;
    struct lw_decision d = {.action = LW_REWRITE,
                            .reason = LW_TOTAL_GPUS,
                            .nodes = 2,
                            .gpus_node = 8,
                            .gpu_type = "h100",
                            .groups = 1,
                            .switches = 1,
                            .wait = 900,
                            .segment = -1,
                            .text = "why"};
    struct lw_event e = LW_EVENT_INIT;
    lw_error_t err = {0};
    size_t len;
    char *line;

    r.gpus_job = 16;
    r.gpu_type = "h100";
    r.exclusive = true;
    e.event = "submitted";
    e.ref = "7f3a9c21";
    e.uid = 1000;
    e.partition = "gpu";
    e.request = &r;
    e.decision = &d;
    e.at.tv_sec = 1769860800;
    line = lw_event_line(&e, &len, &err);
    lw_check_str(
        line,
        "{\"schema\":1,\"@timestamp\":\"2026-01-31T12:00:00.000Z\","
        "\"event\":\"submitted\",\"ref\":\"7f3a9c21\",\"job\":{\"partition\":"
        "\"gpu\",\"uid\":1000},\"request\":{\"gpus\":16,"
        "\"gpu_type\":\"h100\",\"exclusive\":true},\"decision\":{\"action\":"
        "\"rewritten\",\"reason\":\"total-gpus\",\"text\":\"why\",\"nodes\":2,"
        "\"gpus_per_node\":8,\"gpu_type\":\"h100\",\"groups\":1,"
        "\"switches\":1,\"wait_s\":900}}\n");
    free(line);
}

static void test_placed_line(void)
{
    long per_group[] = {3, 1};
    const char *names[] = {"g1", "g0"};
    struct lw_job job = {.id = 17,
                         .array_job = -1,
                         .het_job = -1,
                         .restarts = 0,
                         .uid = 1000,
                         .submit = 1769860700,
                         .minutes = 60,
                         .switches = 1,
                         .start = 1769860801};
    struct lw_placement p = {
        .nodes = "n[0,4-6]", .nnodes = 4, .gpus = 32, .scored = true};
    struct lw_wait wait = LW_WAIT_INIT;
    struct lw_event e = LW_EVENT_INIT;
    lw_error_t err = {0};
    size_t len;
    char *line;

    p.score = (struct lw_score){.groups = 2,
                                .fewest = 1,
                                .fewest_free = -1,
                                .excess = 1,
                                .pods = 1,
                                .rails_complete = true,
                                .ring_crossings = 2,
                                .per_group = per_group,
                                .group_names = names,
                                .nper_group = 2};
    wait.queue = 5;
    e.event = "placed";
    e.job = &job;
    e.placement = &p;
    e.wait = &wait;
    e.at.tv_sec = 1769860800;
    line = lw_event_line(&e, &len, &err);
    lw_check_str(line,
                 "{\"schema\":1,\"@timestamp\":\"2026-01-31T12:00:00.000Z\","
                 "\"event\":\"placed\",\"job\":{\"id\":17,\"restarts\":0,"
                 "\"submit\":\"2026-01-31T11:58:20Z\",\"uid\":1000},"
                 "\"request\":{\"minutes\":60,\"switches\":1},\"placement\":{"
                 "\"nodes\":\"n[0,4-6]\",\"nnodes\":4,\"gpus\":32,"
                 "\"groups\":2,\"fewest\":1,"
                 "\"excess\":1,\"pods\":1,\"rails_complete\":true,"
                 "\"ring_crossings\":2,\"per_group\":[{\"group\":\"g1\","
                 "\"nodes\":3},{\"group\":\"g0\",\"nodes\":1}]},\"run\":{"
                 "\"start\":\"2026-01-31T12:00:01Z\"},\"wait\":{"
                 "\"queue_s\":5}}\n");
    free(line);
}

static void test_ended_line(void)
{
    struct lw_job job = {.id = 18,
                         .array_job = 17,
                         .array_task = 3,
                         .het_job = -1,
                         .restarts = 2,
                         .uid = -1,
                         .minutes = -1,
                         .submit = 1769860700,
                         .start = 1769860801,
                         .end = 1769860901,
                         .word = "FAILED",
                         .exit_code = 2};
    struct lw_placement p = {.nnodes = 1, .gpus = 4};
    struct lw_event e = LW_EVENT_INIT;
    lw_error_t err = {0};
    size_t len;
    char *line;

    e.event = "ended";
    e.job = &job;
    e.placement = &p;
    e.at.tv_sec = 1769860902;
    line = lw_event_line(&e, &len, &err);
    lw_check_str(line,
                 "{\"schema\":1,\"@timestamp\":\"2026-01-31T12:01:42.000Z\","
                 "\"event\":\"ended\",\"job\":{\"id\":18,\"array_job_id\":17,"
                 "\"array_task_id\":3,\"restarts\":2,"
                 "\"submit\":\"2026-01-31T11:58:20Z\"},\"request\":{},"
                 "\"placement\":{\"nnodes\":1,\"gpus\":4},\"run\":{"
                 "\"start\":\"2026-01-31T12:00:01Z\","
                 "\"end\":\"2026-01-31T12:01:41Z\",\"elapsed_s\":100,"
                 "\"gpu_s\":400,\"state\":\"FAILED\",\"exit_code\":2}}\n");
    free(line);
}

/* Names of users and jobs are data: whatever they hold, the line stays one
 * line of valid JSON with the same text in it. */
static void test_hostile_names(void)
{
    static const struct {
        const char *name, *want;
    } cases[] = {
        {"plain", "plain"},
        {"a\"b\\c", "a\"b\\c"},
        {"two\nlines\t\x01\x7f", "two\nlines\t\x01\x7f"},
        {"%s%n", "%s%n"},
        {"\xc3\xa9t\xc3\xa9", "\xc3\xa9t\xc3\xa9"},
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
        {"bad \xff end", "bad \xef\xbf\xbd end"},
        {"cut \xc3", "cut \xef\xbf\xbd"},
        {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"}, /* overlong */
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"", ""},
    };
    size_t i, len;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lw_event e = LW_EVENT_INIT;
        lw_error_t err = {0};
        json_t *root;
        char *line;

        e.event = "placed";
        e.job_name = cases[i].name;
        line = lw_event_line(&e, &len, &err);
        lw_check_ok(line != NULL, err);
        CU_ASSERT_PTR_EQUAL(strchr(line, '\n'), line + len - 1);
        root = json_loads(line, 0, NULL);
        lw_check_str(json_string_value(
                         json_object_get(json_object_get(root, "job"), "name")),
                     cases[i].want);
        json_decref(root);
        free(line);
    }
}

static void test_too_large_is_refused(void)
{
    struct lw_event e = LW_EVENT_INIT;
    lw_error_t err = {0};
    char *name = malloc(2 * 1024 * 1024);
    size_t len;

    memset(name, 'x', 2 * 1024 * 1024 - 1);
    name[2 * 1024 * 1024 - 1] = '\0';
    e.event = "placed";
    e.job_name = name;
    CU_ASSERT_PTR_NULL(lw_event_line(&e, &len, &err));
    lw_check_str(err.text,
                 "an event larger than 1048576 bytes, or out of memory");
    free(name);
}

static const struct lw_test tests[] = {
    {"what is unset is left out", test_smallest_line},
    {"a submitted job", test_submitted_line},
    {"a placed job", test_placed_line},
    {"an ended job", test_ended_line},
    {"hostile names stay data", test_hostile_names},
    {"a line has a limit", test_too_large_is_refused},
};

LW_CHECK_MAIN("event", tests)
