/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_report.c - from lines of the log to sums: runs, requeues, lost ends */
#include "config.h"

#include "lib/file.h"
#include "tests/check.h"
#include "topology/place/report.h"

#include <unistd.h>

static char path[] = "/tmp/leafward-report.XXXXXX";

#define AT                                                                     \
    "\"schema\":1,\"@timestamp\":\"2030-01-01T01:00:00Z\",\"cluster\":\"c\","
#define JOB(id)                                                                \
    "\"job\":{\"id\":" id ",\"user\":\"ann\",\"eligible\":"                    \
    "\"2030-01-01T00:00:00Z\"},"
#define GANG                                                                   \
    "\"placement\":{\"nnodes\":4,\"gpus\":32,\"groups\":2,\"fewest\":1}"
#define PLACED(id)                                                             \
    "{" AT "\"event\":\"placed\"," JOB(                                        \
        id) "\"run\":{\"start\":\"2030-01-01T00:10:00Z\"}," GANG "}\n"
#define ENDED(id, state)                                                       \
    "{" AT "\"event\":\"ended\"," JOB(                                         \
        id) "\"run\":{\"start\":\"2030-01-01T00:10:00Z\",\"elapsed_s\":3600,"  \
            "\"state\":\"" state "\"}," GANG "}\n"

static struct lw_report *read_text(const char *text,
                                   const struct lw_report_options *options)
{
    const char *files[] = {path};
    struct lw_report *r = lw_report_create(options);
    struct lw_logread *log;
    struct lw_log_record line;
    lw_error_t err = {0};

    CU_ASSERT_FATAL(lw_file_replace(path, text, strlen(text), 0600, NULL) == 0);
    CU_ASSERT_FATAL((log = lw_logread_open(files, 1, NULL)) != NULL);
    while (lw_logread_next(log, &line, &err) > 0)
        lw_report_add(r, &line);
    lw_check_int(lw_logread_stats(log)->broken, 0);
    lw_check_ok(lw_report_finish(r, &err) == 0, err);
    lw_logread_close(log);
    return r;
}

static struct lw_report *read_all(const char *text)
{
    struct lw_report_options options = {.jobs = 10};

    return read_text(text, &options);
}

static void test_one_run(void)
{
    struct lw_report *r = read_all(PLACED("7") ENDED("7", "COMPLETED"));

    lw_check_int(r->all.runs, 1);
    lw_check_int(r->all.gangs, 1);
    lw_check_int(r->all.packed, 0);
    lw_check_int(r->all.excess, 1);
    lw_check_int(r->all.gpu_s, 3600 * 32);
    lw_check_int(r->running, 0);
    lw_check_int(r->njobs, 1);
    lw_check_int(r->jobs[0].queue, 600);
    lw_report_destroy(r);
}

static void test_end_alone_is_enough(void)
{
    struct lw_report *r = read_all(ENDED("7", "FAILED"));

    lw_check_int(r->all.runs, 1);
    lw_check_int(r->all.excess, 1);
    lw_check_int(r->jobs[0].queue, 600);
    lw_report_destroy(r);
}

static void test_running(void)
{
    struct lw_report *r = read_all(PLACED("7"));

    lw_check_int(r->running, 1);
    lw_check_int(r->all.gpu_s, 50 * 60 * 32); /* until the last line */
    lw_report_destroy(r);
}

static void test_requeue_is_two_runs(void)
{
    struct lw_report *r = read_all(PLACED("7") ENDED(
        "7",
        "REQUEUED") "{" AT
                    "\"event\":\"placed\",\"job\":{\"id\":7,\"restarts\":1},"
                    "\"run\":{\"start\":\"2030-01-01T00:50:00Z\"}," GANG "}\n");

    lw_check_int(r->all.runs, 2);
    lw_check_int(r->requeued, 1);
    lw_check_int(r->running, 1);
    lw_report_destroy(r);
}

/* Slurm's job ids wrap; a lost end must not hide the next job. */
static void test_id_that_comes_back(void)
{
    struct lw_report *r =
        read_all(PLACED("7") PLACED("7") ENDED("7", "COMPLETED"));

    lw_check_int(r->all.runs, 2);
    lw_check_int(r->lost_ends, 1);
    lw_check_int(r->all.gpu_s, 3600 * 32);
    lw_report_destroy(r);
}

static void test_waiting_and_gain(void)
{
    struct lw_report *r = read_all("{" AT "\"event\":\"waiting\"," JOB(
        "7") "\"wait\":{\"patience_s\":900,\"groups_now\":3}}\n"
             "{" AT "\"event\":\"placed\"," JOB(
                 "7") "\"wait\":{\"queue_s\":500,\"locality_s\":120,\"ended_"
                      "by\":\"fit\"},"
                      "\"placement\":{\"nnodes\":4,\"gpus\":32,\"groups\":1,"
                      "\"fewest\":1}}\n"
                      "{" AT "\"event\":\"ended\"," JOB(
                          "8") "\"wait\":{\"queue_s\":50,\"locality_s\":30,"
                               "\"ended_by\":\"cancelled\"},\"run\":{\"state\":"
                               "\"CANCELLED\"}}\n");

    lw_check_int(r->all.runs, 1);
    lw_check_int(r->all.locality.n, 2);
    lw_check_int(r->all.locality.sum, 150);
    lw_check_int(r->all.wait_ends[LW_WAIT_FIT], 1);
    lw_check_int(r->all.wait_ends[LW_WAIT_CANCELLED], 1);
    lw_check_int(r->all.gain, 2);
    lw_check_int(r->all.packed, 1);
    lw_report_destroy(r);
}

static void test_unjudged(void)
{
    struct lw_report *r = read_all("{" AT "\"event\":\"ended\"," JOB(
        "1") "\"placement\":{\"nnodes\":2,\"gpus\":16},\"run\":{\"elapsed_s\":"
             "60}}\n"
             "{" AT "\"event\":\"ended\"," JOB(
                 "2") "\"placement\":{\"nnodes\":3,"
                      "\"gpus\":16,\"groups\":1,\"fewest\":1,\"unknown\":1},"
                      "\"run\":{\"elapsed_s\":60}}\n"
                      "{" AT "\"event\":\"ended\"," JOB(
                          "3") "\"placement\":{\"nnodes\":2,"
                               "\"gpus\":0,\"groups\":2,\"fewest\":1},\"run\":{"
                               "\"elapsed_s\":60}}\n");

    lw_check_int(r->all.gangs, 2);
    lw_check_int(r->all.scored, 0);
    lw_check_int(r->cpu_runs, 1);
    lw_report_destroy(r);
}

/* Many runs open at the same time, ended in another order. */
static void test_many_open(void)
{
    enum { N = 5000 };
    char *text = malloc(N * 2 * 400), *p = text;
    struct lw_report_options options = {.jobs = 3};
    struct lw_report *r;
    int i;

    for (i = 1; i <= N; i++)
        p += snprintf(p, 400,
                      "{" AT "\"event\":\"placed\",\"job\":{\"id\":%d},"
                      "\"placement\":{\"nodes\":\"n%d\",\"nnodes\":1,\"gpus\":"
                      "8},\"run\":{\"start\":\"2030-01-01T00:00:00Z\"}}\n",
                      i, i);
    for (i = 1; i <= N; i++)
        p += snprintf(p, 400,
                      "{" AT "\"event\":\"ended\",\"job\":{\"id\":%d},"
                      "\"placement\":{\"nnodes\":1,\"gpus\":8},\"run\":{"
                      "\"elapsed_s\":1,\"start\":\"2030-01-01T00:00:00Z\"}}\n",
                      i * 7 % N + 1);
    r = read_text(text, &options);
    free(text);
    lw_check_int(r->all.runs, N);
    lw_check_int(r->running, 0);
    lw_check_int(r->all.gpu_s, N * 8);
    lw_check_int(r->njobs, 3);
    lw_check_int(r->jobs[0].id, N);
    lw_check_int(r->jobs[2].id, N - 2);
    lw_report_destroy(r);
}

static void test_snapshots_over_time(void)
{
    static const char line[] =
        "{\"schema\":1,\"@timestamp\":\"20%02d-01-01T%02d:00:00Z\",\"event\":"
        "\"snapshot\",\"nodes\":{\"total\":2,\"idle\":1},\"groups\":[{"
        "\"group\":\"a\",\"pod\":\"p\",\"states\":\"if\"}],\"startable\":[{"
        "\"groups\":1,\"nodes\":%d}],\"fragmentation\":0.5}\n";
    enum { N = 600 };
    char *text = malloc(N * sizeof(line)), *p = text;
    struct lw_report *r;
    uint64_t n = 0;
    double sum = 0;
    size_t i;

    for (i = 0; i < N; i++)
        p += snprintf(p, sizeof(line), line, (int)(i / 24) + 10, (int)(i % 24),
                      (int)(i % 7));
    r = read_all(text);
    free(text);
    for (i = 0; i < r->cluster.nbins; i++) {
        n += r->cluster.bins[i].n;
        sum += r->cluster.bins[i].idle;
        if (i)
            CU_ASSERT(r->cluster.bins[i].from > r->cluster.bins[i - 1].from);
    }
    CU_ASSERT(r->cluster.nbins > 20 && r->cluster.nbins <= LW_BINS);
    lw_check_int(n, N);
    CU_ASSERT(sum == N);
    lw_check_int(r->cluster.startable[0].least, 0);
    lw_check_int(r->cluster.startable[0].most, 6);
    lw_check_int(r->cluster.startable[0].now, (N - 1) % 7);
    lw_report_destroy(r);
}

static void test_size_classes(void)
{
    static const struct {
        long nodes;
        const char *name;
    } cases[] = {{1, "1"},   {2, "2"},   {3, "3-4"},  {4, "3-4"},
                 {5, "5-8"}, {8, "5-8"}, {9, "9-16"}, {1024, "513-1024"}};
    char name[32];
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        lw_check_str(lw_size_class_name(lw_size_class(cases[i].nodes), name),
                     cases[i].name);
}

static const struct lw_test tests[] = {
    {"one run", test_one_run},
    {"an end alone is enough", test_end_alone_is_enough},
    {"what still runs counts so far", test_running},
    {"a requeue makes two runs", test_requeue_is_two_runs},
    {"an id that comes back", test_id_that_comes_back},
    {"waiting for locality, and what it gained", test_waiting_and_gain},
    {"gangs that cannot be judged", test_unjudged},
    {"many runs open at a time", test_many_open},
    {"snapshots over many years", test_snapshots_over_time},
    {"size classes", test_size_classes},
};

int main(void)
{
    int fd = mkstemp(path), rc;

    if (fd < 0)
        return 2;
    close(fd);
    rc = lw_check_run("report", tests, sizeof(tests) / sizeof(tests[0]));
    unlink(path);
    return rc;
}
