/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_watcher.c - looks in, events out; what survives being killed */
#include "config.h"

#include "tests/check.h"
#include "tests/unit/watch_case.h"
#include "topology/place/journal.h"

struct day {
    struct lw_map *map;
    struct lw_state *state;
    struct case_log log;
    struct lw_watcher *w;
    struct lw_job jobs[8];
    size_t njobs;
};

static void day_open(struct day *d)
{
    memset(d, 0, sizeof(*d));
    d->map = case_map(NULL);
    d->state = case_state();
    d->w = case_watcher(&d->log);
}

static void day_close(struct day *d)
{
    lw_watcher_destroy(d->w);
    lw_state_destroy(d->state);
    lw_map_destroy(d->map);
    lw_buf_free(&d->log.said);
    lw_buf_free(&d->log.lines);
}

/* Look at second 'at'; returns what was said since the last look. */
static const char *look(struct day *d, time_t at)
{
    struct lw_look l = {.at = {.tv_sec = at},
                        .map = d->map,
                        .state = d->state,
                        .jobs = d->jobs,
                        .njobs = d->njobs};

    d->log.said.len = d->log.lines.len = 0;
    lw_buf_add(&d->log.said, "", 0);
    lw_buf_add(&d->log.lines, "", 0);
    lw_check_int(lw_watcher_look(d->w, &l), 0);
    return lw_buf_text(&d->log.said);
}

static bool line_has(const struct day *d, const char *text)
{
    bool has = strstr(lw_buf_text(&d->log.lines), text) != NULL;

    if (!has)
        fprintf(stderr, "no %s in %s", text, lw_buf_text(&d->log.lines));
    return has;
}

static void start(struct lw_job *j, time_t at, const char *nodes)
{
    j->state = LW_JOB_RUNNING;
    j->start = at;
    j->nodes = nodes;
}

static void end(struct lw_job *j, time_t at, const char *word)
{
    j->state = LW_JOB_ENDED;
    j->end = at;
    j->word = word;
}

static void test_one_job(void)
{
    struct day d;

    day_open(&d);
    d.jobs[0] = case_job(7, 2);
    d.jobs[0].comment = "leafward: gang k=1 ref=00c0ffee";
    d.njobs = 1;
    lw_check_str(look(&d, 1000), "");
    start(&d.jobs[0], 1003, "n01,n02");
    case_use(d.state, 1, 2, 8);
    lw_check_str(look(&d, 1005), "placed 7;");
    CU_ASSERT(line_has(&d, "\"ref\":\"00c0ffee\""));
    CU_ASSERT(line_has(&d, "\"groups\":1,\"fewest\":1,\"fewest_free\":1,"
                           "\"excess\":0"));
    CU_ASSERT(line_has(&d, "\"queue_s\":3"));
    lw_check_str(look(&d, 1010), "");
    end(&d.jobs[0], 1012, "COMPLETED");
    lw_check_str(look(&d, 1015), "ended 7 COMPLETED;");
    CU_ASSERT(line_has(&d, "\"elapsed_s\":9,\"gpu_s\":144"));
    lw_check_str(look(&d, 1020), "");
    d.njobs = 0;
    lw_check_str(look(&d, 1025), "");
    lw_check_int(lw_known_count(lw_watcher_known(d.w)), 0);
    day_close(&d);
}

/* Ran and ended between two looks: both lines, in this order. */
static void test_short_job(void)
{
    struct day d;

    day_open(&d);
    look(&d, 1000);
    d.jobs[0] = case_job(8, 1);
    d.njobs = 1;
    start(&d.jobs[0], 1001, "n01");
    end(&d.jobs[0], 1002, "FAILED");
    d.jobs[0].exit_code = 3;
    lw_check_str(look(&d, 1005), "placed 8;ended 8 FAILED;");
    CU_ASSERT(line_has(&d, "\"exit_code\":3"));
    day_close(&d);
}

static void test_cancelled_while_pending(void)
{
    struct day d;

    day_open(&d);
    d.jobs[0] = case_job(9, 2);
    d.njobs = 1;
    look(&d, 1000);
    end(&d.jobs[0], 1030, "CANCELLED");
    lw_check_str(look(&d, 1031), "ended 9 CANCELLED;");
    CU_ASSERT(line_has(&d, "\"wait\":{\"queue_s\":30}"));
    CU_ASSERT_PTR_NULL(strstr(lw_buf_text(&d.log.lines), "\"placement\""));
    lw_check_str(look(&d, 1032), "");
    day_close(&d);
}

/* A requeued job is pending at first, with its old count of restarts and its
 * old submit time, while its nodes are cleaned up; its end is that of the run
 * to come, for ever when it has no limit. */
static void test_requeue(void)
{
    struct day d;

    day_open(&d);
    d.jobs[0] = case_job(10, 2);
    d.njobs = 1;
    start(&d.jobs[0], 1000, "n01,n02");
    look(&d, 1001);
    d.jobs[0] = case_job(10, 2);
    d.jobs[0].completing = true;
    d.jobs[0].end = 6091665411;
    lw_check_str(look(&d, 1050), "ended 10 REQUEUED;");
    CU_ASSERT(line_has(&d, "\"restarts\":0,\"submit\":\"1970-01-01T00:16:40Z"));
    CU_ASSERT(line_has(&d, "\"elapsed_s\":50"));
    d.jobs[0].completing = false;
    d.jobs[0].restarts = 1;
    d.jobs[0].submit = 1054;
    lw_check_str(look(&d, 1055), "");
    start(&d.jobs[0], 1200, "n03,n04");
    lw_check_str(look(&d, 1201), "placed 10;");
    CU_ASSERT(line_has(&d, "\"restarts\":1"));
    day_close(&d);
}

/* Requeued and started again between two looks. */
static void test_requeue_unseen(void)
{
    struct day d;

    day_open(&d);
    d.jobs[0] = case_job(11, 1);
    d.njobs = 1;
    start(&d.jobs[0], 1000, "n01");
    look(&d, 1001);
    d.jobs[0].restarts = 1;
    d.jobs[0].submit = 1003;
    start(&d.jobs[0], 1004, "n02");
    lw_check_str(look(&d, 1006), "ended 11 REQUEUED;placed 11;");
    CU_ASSERT(line_has(&d, "\"end\":\"1970-01-01T00:16:43Z\""));
    day_close(&d);
}

/* Twice: when the first run ended is not known, the second was never seen. */
static void test_requeue_twice(void)
{
    struct day d;

    day_open(&d);
    d.jobs[0] = case_job(11, 1);
    d.njobs = 1;
    start(&d.jobs[0], 1000, "n01");
    look(&d, 1001);
    d.jobs[0].restarts = 2;
    d.jobs[0].submit = 1080;
    start(&d.jobs[0], 1081, "n02");
    lw_check_str(look(&d, 1082), "ended 11 REQUEUED;placed 11;");
    CU_ASSERT_PTR_NULL(strstr(lw_buf_text(&d.log.lines), "\"end\":"));
    day_close(&d);
}

/* The signal of a cancelled job comes while its nodes are cleaned up. */
static void test_settles(void)
{
    struct day d;

    day_open(&d);
    d.jobs[0] = case_job(14, 1);
    d.njobs = 1;
    start(&d.jobs[0], 1000, "n01");
    look(&d, 1001);
    end(&d.jobs[0], 1010, "CANCELLED");
    d.jobs[0].completing = true;
    lw_check_str(look(&d, 1011), "");
    d.jobs[0].completing = false;
    d.jobs[0].signal = 15;
    lw_check_str(look(&d, 1012), "ended 14 CANCELLED;");
    CU_ASSERT(line_has(&d, "\"elapsed_s\":10"));
    CU_ASSERT(line_has(&d, "\"signal\":15"));
    /* a clean-up that hangs, and one whose job goes away meanwhile */
    d.jobs[0] = case_job(15, 1);
    start(&d.jobs[0], 1020, "n01");
    d.jobs[1] = case_job(16, 1);
    start(&d.jobs[1], 1020, "n02");
    d.njobs = 2;
    look(&d, 1021);
    end(&d.jobs[0], 1030, "FAILED");
    end(&d.jobs[1], 1030, "FAILED");
    d.jobs[0].completing = d.jobs[1].completing = true;
    lw_check_str(look(&d, 1031), "");
    d.njobs = 1;
    lw_check_str(look(&d, 1032), "ended 16 FAILED;");
    lw_check_str(look(&d, 1100), "ended 15 FAILED;");
    lw_check_int(lw_watcher_lost(d.w), 0);
    day_close(&d);
}

static void test_forgotten(void)
{
    struct day d;

    day_open(&d);
    d.jobs[0] = case_job(12, 1);
    d.njobs = 1;
    start(&d.jobs[0], 1000, "n01");
    look(&d, 1001);
    d.njobs = 0;
    lw_check_str(look(&d, 9000), "ended 12 UNKNOWN;");
    lw_check_int(lw_watcher_lost(d.w), 1);
    day_close(&d);
}

/* The id belongs to another job: the first one's end went by unseen. */
static void test_id_again(void)
{
    struct day d;

    day_open(&d);
    d.jobs[0] = case_job(13, 1);
    d.njobs = 1;
    start(&d.jobs[0], 1000, "n01");
    look(&d, 1001);
    d.jobs[0] = case_job(13, 1);
    d.jobs[0].uid = 2002;
    d.jobs[0].submit = 5000;
    start(&d.jobs[0], 5001, "n01");
    lw_check_str(look(&d, 5002), "ended 13 UNKNOWN;placed 13;");
    day_close(&d);
}

/* Nodes that had to boot: Slurm moves the start to when they were ready. */
static void test_configuring(void)
{
    struct day d;

    day_open(&d);
    d.jobs[0] = case_job(14, 1);
    d.jobs[0].configuring = true;
    d.njobs = 1;
    start(&d.jobs[0], 1000, "n01");
    lw_check_str(look(&d, 1001), "placed 14;");
    d.jobs[0].configuring = false;
    start(&d.jobs[0], 1090, "n01");
    lw_check_str(look(&d, 1091), "ready 14;");
    end(&d.jobs[0], 1100, "COMPLETED");
    lw_check_str(look(&d, 1101), "ended 14 COMPLETED;");
    day_close(&d);
}

/* A line that could not be written comes again, and with the same number. */
static void test_full_disk(void)
{
    struct day d;

    day_open(&d);
    look(&d, 1000);
    d.jobs[0] = case_job(15, 2);
    d.njobs = 1;
    start(&d.jobs[0], 1001, "n01,n05");
    case_use(d.state, 1, 1, 8);
    case_use(d.state, 5, 5, 8);
    d.log.broken = true;
    lw_check_str(look(&d, 1005), "");
    lw_check_str(look(&d, 1010), "");
    d.log.broken = false;
    end(&d.jobs[0], 1012, "COMPLETED");
    lw_check_str(look(&d, 1015), "placed 15;ended 15 COMPLETED;");
    CU_ASSERT(line_has(&d, "\"groups\":2,\"fewest\":1,\"fewest_free\":1,"
                           "\"excess\":1"));
    day_close(&d);
}

/* Two gangs of four in the same second with one whole group and twice two
 * nodes free: the first could have one group, the second could not. */
static void test_free_at_start(void)
{
    struct day d;

    day_open(&d);
    case_use(d.state, 5, 6, 8);
    case_use(d.state, 9, 10, 8);
    case_use(d.state, 13, 16, 8);
    look(&d, 1000);
    d.jobs[0] = case_job(21, 4);
    d.jobs[0].priority = 50;
    start(&d.jobs[0], 1001, "n07,n08,n11,n12");
    d.jobs[1] = case_job(20, 4);
    start(&d.jobs[1], 1001, "n01,n02,n03,n04");
    d.njobs = 2;
    lw_check_str(look(&d, 1005), "placed 20;placed 21;");
    CU_ASSERT(line_has(&d, "\"groups\":2,\"fewest\":1,\"fewest_free\":2,"
                           "\"excess\":1,\"pods\":2"));
    day_close(&d);
}

/* What was free when a job started before the first look is not known. */
static void test_free_unknown(void)
{
    struct day d;

    day_open(&d);
    d.jobs[0] = case_job(22, 2);
    start(&d.jobs[0], 500, "n01,n05");
    d.njobs = 1;
    look(&d, 1000);
    CU_ASSERT(line_has(&d, "\"groups\":2,\"fewest\":1,\"excess\":1"));
    day_close(&d);
}

static void test_without_map(void)
{
    struct lw_map *map;
    struct day d;

    day_open(&d);
    map = d.map;
    d.map = NULL;
    d.jobs[0] = case_job(23, 2);
    start(&d.jobs[0], 1000, "n01,n02");
    d.njobs = 1;
    lw_check_str(look(&d, 1001), "placed 23;");
    CU_ASSERT_PTR_NULL(strstr(lw_buf_text(&d.log.lines), "\"groups\""));
    CU_ASSERT(line_has(&d, "\"nnodes\":2,\"gpus\":16"));
    d.map = map;
    day_close(&d);
}

static void test_refs(void)
{
    static const struct {
        const char *comment, *ref;
    } cases[] = {
        {NULL, NULL},
        {"", NULL},
        {"an admin's words ref=00c0ffee", NULL},
        {"leafward: gang ref=00c0ffee", "00c0ffee"},
        {"leafward: ref=00c0ffee12345678 k=2", "00c0ffee12345678"},
        {"leafward: xref=00c0ffee", NULL},
        {"leafward: ref=12", NULL},
        {"leafward: ref=", NULL},
    };
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *ref = lw_watcher_ref(cases[i].comment);

        lw_check_str(ref, cases[i].ref);
        free(ref);
    }
}

/* --- killed and started again ------------------------------------------------ */

/* Go on with a new watcher that knows the journal and the lines behind it. */
static void reborn(struct day *d, const char *journal, const char *lines)
{
    struct lw_journal_mark mark = {0};
    lw_error_t err = {0};
    const char *nl;

    lw_watcher_destroy(d->w);
    d->w = case_watcher(&d->log);
    if (journal)
        lw_check_ok(lw_journal_parse(journal, strlen(journal), "journal",
                                     lw_watcher_known(d->w), &mark, &err) == 0,
                    err);
    for (; lines && (nl = strchr(lines, '\n')); lines = nl + 1)
        lw_check_int(lw_journal_replay(lw_watcher_known(d->w), lines,
                                       (size_t)(nl - lines) + 1),
                     0);
}

static char *journal_of(struct day *d)
{
    struct lw_journal_mark mark = {.dev = 1, .ino = 2, .offset = 3};
    size_t len;

    return lw_journal_print(lw_watcher_known(d->w), &mark, &len, NULL);
}

/* Killed after the journal, before it, and without one: nothing twice. */
static void test_killed(void)
{
    char *journal, *lines;
    struct day d;

    day_open(&d);
    look(&d, 1000);
    journal = journal_of(&d);
    d.jobs[0] = case_job(30, 2);
    d.jobs[0].comment = "leafward: ref=00c0ffee";
    start(&d.jobs[0], 1001, "n01,n02");
    d.jobs[1] = case_job(31, 1);
    start(&d.jobs[1], 1001, "n05");
    end(&d.jobs[1], 1002, "FAILED");
    d.njobs = 2;
    lw_check_str(look(&d, 1005), "placed 30;placed 31;ended 31 FAILED;");
    lines = strdup(lw_buf_text(&d.log.lines));

    reborn(&d, journal, lines);
    lw_check_str(look(&d, 1010), "");
    reborn(&d, NULL, lines);
    lw_check_str(look(&d, 1010), "");
    free(journal);
    journal = journal_of(&d);
    reborn(&d, journal, NULL);
    lw_check_str(look(&d, 1020), "");

    end(&d.jobs[0], 1025, "COMPLETED");
    lw_check_str(look(&d, 1030), "ended 30 COMPLETED;");
    CU_ASSERT(line_has(&d, "\"ref\":\"00c0ffee\""));
    CU_ASSERT(line_has(&d, "\"nnodes\":2,\"gpus\":16,\"groups\":1,"
                           "\"fewest\":1,\"fewest_free\":1"));
    free(journal);
    free(lines);
    day_close(&d);
}

/* Between the lines of one look too: each prefix of them gives the rest. */
static void test_killed_between_lines(void)
{
    char *lines, *nl;
    struct day d;
    int left;

    for (left = 0; left < 4; left++) {
        day_open(&d);
        d.jobs[0] = case_job(30, 1);
        start(&d.jobs[0], 1001, "n01");
        end(&d.jobs[0], 1002, "FAILED");
        d.jobs[1] = case_job(31, 1);
        start(&d.jobs[1], 1002, "n05");
        d.njobs = 2;
        lw_check_str(look(&d, 1005), "placed 30;placed 31;ended 30 FAILED;");
        lines = strdup(lw_buf_text(&d.log.lines));
        nl = lines;
        for (int i = 0; i < left; i++)
            nl = strchr(nl, '\n') + 1;
        *nl = '\0';
        reborn(&d, NULL, lines);
        lw_check_str(look(&d, 1010),
                     left == 0   ? "placed 30;placed 31;ended 30 FAILED;"
                     : left == 1 ? "placed 31;ended 30 FAILED;"
                     : left == 2 ? "ended 30 FAILED;"
                                 : "");
        free(lines);
        day_close(&d);
    }
}

/* The end of an earlier run in the log does not end the later one. */
static void test_killed_after_requeue(void)
{
    struct day d;
    char *lines;

    day_open(&d);
    d.jobs[0] = case_job(32, 1);
    start(&d.jobs[0], 1000, "n01");
    d.njobs = 1;
    look(&d, 1001);
    d.jobs[0].restarts = 1;
    d.jobs[0].submit = 1003;
    start(&d.jobs[0], 1004, "n02");
    look(&d, 1006);
    lines = strdup(lw_buf_text(&d.log.lines));
    reborn(&d, NULL, lines);
    lw_check_str(look(&d, 1010), "");
    end(&d.jobs[0], 1025, "COMPLETED");
    lw_check_str(look(&d, 1030), "ended 32 COMPLETED;");
    free(lines);
    day_close(&d);
}

static void test_bad_journal(void)
{
    static const char *const bad[] = {"", "{", "[]", "{\"schema\":9}"};
    struct lw_known_table *t = lw_known_create();
    struct lw_journal_mark mark;
    size_t i;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        lw_error_t err = {0};

        lw_check_int(
            lw_journal_parse(bad[i], strlen(bad[i]), "j", t, &mark, &err), -1);
        CU_ASSERT(err.text[0] != '\0');
    }
    lw_check_int(lw_journal_replay(t, "{\"event\":\"placed\",\n", 19), 0);
    lw_check_int(lw_journal_replay(t, "\"event\":\"placed\"\n", 17), 0);
    lw_check_int(lw_known_count(t), 0);
    lw_known_destroy(t);
}

static const struct lw_test tests[] = {
    {"a job from pending to forgotten", test_one_job},
    {"a job between two looks", test_short_job},
    {"cancelled while pending", test_cancelled_while_pending},
    {"requeue", test_requeue},
    {"requeue between two looks", test_requeue_unseen},
    {"two requeues between two looks", test_requeue_twice},
    {"an end waits for the clean-up", test_settles},
    {"a run that Slurm has forgotten", test_forgotten},
    {"an id that comes again", test_id_again},
    {"nodes that boot", test_configuring},
    {"a full disk loses no line", test_full_disk},
    {"what was free at the start", test_free_at_start},
    {"what was free is not known", test_free_unknown},
    {"without a map", test_without_map},
    {"the plugin's ref", test_refs},
    {"killed and started again", test_killed},
    {"killed between two lines", test_killed_between_lines},
    {"killed after a requeue", test_killed_after_requeue},
    {"a journal that is none", test_bad_journal},
};

int main(void)
{
    return lw_check_run("watcher", tests, sizeof(tests) / sizeof(tests[0]));
}
