/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_stream.c - what long logs need: lines, times, percentiles */
#include "config.h"

#include "lib/file.h"
#include "lib/lines.h"
#include "lib/quant.h"
#include "lib/run.h"
#include "lib/when.h"
#include "tests/check.h"

#include <unistd.h>

static char path[] = "/tmp/leafward-stream.XXXXXX";

static struct lw_lines *open_text(const char *text, size_t len, size_t max)
{
    lw_error_t err = {0};
    struct lw_lines *l;

    CU_ASSERT_FATAL(lw_file_replace(path, text, len, 0600, NULL) == 0);
    l = lw_lines_open(path, max, &err);
    lw_check_ok(l != NULL, err);
    return l;
}

static void check_lines(const char *text, size_t max, const char *const *want,
                        size_t skipped)
{
    struct lw_lines *l = open_text(text, strlen(text), max);
    char *line;
    size_t len;

    for (; *want; want++) {
        lw_check_int(lw_lines_next(l, &line, &len, NULL), 1);
        lw_check_str(line, *want);
        lw_check_int(len, strlen(*want));
    }
    lw_check_int(lw_lines_next(l, &line, &len, NULL), 0);
    lw_check_int(lw_lines_skipped(l), skipped);
    lw_lines_close(l);
}

static void test_lines(void)
{
    check_lines("", 8, (const char *[]){NULL}, 0);
    check_lines("a\n\nbc\n", 8, (const char *[]){"a", "", "bc", NULL}, 0);
    check_lines("a\nlast", 8, (const char *[]){"a", "last", NULL}, 0);
    check_lines("12345678\n123456789\nok\n", 8,
                (const char *[]){"12345678", "ok", NULL}, 1);
    check_lines("123456789", 8, (const char *[]){NULL}, 1);
}

/* Longer than the reader's block, so that lines lie across its border. */
static void test_long_files(void)
{
    size_t n = 100000, i, len, bad = 0;
    char *text = malloc(n * 16 + 1), *line, want[32];
    struct lw_lines *l;

    for (i = 0; i < n; i++)
        snprintf(text + i * 16, 17, "line %010zu", i);
    for (i = 0; i < n; i++)
        text[i * 16 + 15] = '\n';
    l = open_text(text, n * 16, 100);
    for (i = 0; lw_lines_next(l, &line, &len, NULL) == 1; i++) {
        snprintf(want, sizeof(want), "line %010zu", i);
        bad += strcmp(line, want) != 0;
    }
    lw_check_int(i, n);
    lw_check_int(bad, 0);
    lw_check_int(lw_lines_offset(l), n * 16);
    lw_lines_close(l);
    free(text);
}

/* One line without end, then a good one: the memory stays small. */
static void test_endless_line(void)
{
    size_t n = 2000000, len;
    char *text = malloc(n + 4), *line;
    struct lw_lines *l;

    memset(text, 'x', n);
    memcpy(text + n, "\nok", 4);
    l = open_text(text, n + 3, 1000);
    lw_check_int(lw_lines_next(l, &line, &len, NULL), 1);
    lw_check_str(line, "ok");
    lw_check_int(lw_lines_skipped(l), 1);
    lw_check_int(lw_lines_number(l), 2);
    lw_lines_close(l);
    free(text);
}

/* Write 'text' compressed, without its last 'cut' bytes; false when the
 * program is not installed. */
static bool write_compressed(const char *program, const char *text, long cut)
{
    char *argv[] = {(char *)program, "-c", NULL}, packed[4096];
    FILE *f = tmpfile();
    ssize_t n = 0, got;
    pid_t pid;
    int fd;

    CU_ASSERT_FATAL(f != NULL);
    fputs(text, f);
    rewind(f);
    fd = lw_run_filter(argv, fileno(f), &pid, NULL);
    fclose(f);
    if (fd < 0)
        return false;
    while ((got = read(fd, packed + n, sizeof(packed) - (size_t)n)) > 0)
        n += got;
    close(fd);
    lw_check_int(lw_run_wait(pid), 0);
    CU_ASSERT_FATAL(n > cut);
    CU_ASSERT(lw_file_replace(path, packed, (size_t)(n - cut), 0600, NULL) ==
              0);
    return true;
}

static const char *const programs[] = {"gzip", "xz", "zstd", "bzip2"};

static void test_compressed(void)
{
    struct lw_lines *l;
    char *line;
    size_t len, i;

    for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
        if (!write_compressed(programs[i], "one\ntwo\n", 0))
            continue;
        l = lw_lines_open(path, 100, NULL);
        CU_ASSERT_FATAL(l != NULL);
        lw_check_int(lw_lines_next(l, &line, &len, NULL), 1);
        lw_check_str(line, "one");
        lw_check_int(lw_lines_next(l, &line, &len, NULL), 1);
        lw_check_str(line, "two");
        lw_check_int(lw_lines_next(l, &line, &len, NULL), 0);
        CU_ASSERT(lw_lines_offset(l) > 8);
        lw_lines_close(l);
    }
}

static void test_compressed_cut_off(void)
{
    lw_error_t err = {0};
    struct lw_lines *l;
    char *line;
    size_t len, i;
    int rc;

    for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
        if (!write_compressed(programs[i], "one\ntwo\n", 6))
            continue;
        memset(&err, 0, sizeof(err));
        l = lw_lines_open(path, 100, NULL);
        CU_ASSERT_FATAL(l != NULL);
        while ((rc = lw_lines_next(l, &line, &len, &err)) > 0)
            ;
        lw_check_int(rc, -1);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "cannot be read further"));
        lw_lines_close(l);
    }
}

static void test_missing_program_is_named(void)
{
    char *before = strdup(getenv("PATH"));
    lw_error_t err = {0};

    CU_ASSERT_FATAL(lw_file_replace(path,
                                    "\xfd"
                                    "7zXZ..",
                                    8, 0600, NULL) == 0);
    setenv("PATH", "/nowhere", 1);
    CU_ASSERT_PTR_NULL(lw_lines_open(path, 8, &err));
    setenv("PATH", before, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "install xz (package xz-utils)"));
    free(before);
}

static void test_rfc3339(void)
{
    static const struct {
        const char *text;
        long long ms; /* -1: refused */
    } cases[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"2030-01-07T08:00:00.331Z", 1894003200331LL},
        {"2030-01-07T09:00:00+01:00", 1894003200000LL},
        {"2030-01-07T08:00:00.5-00:30", 1894005000500LL},
        {"2000-02-29T12:00:00Z", 951825600000LL},
        {"2030-01-07T08:00:00", -1},
        {"2030-13-07T08:00:00Z", -1},
        {"2030-01-07T24:00:00Z", -1},
        {"2030-01-07T08:00:00Zx", -1},
        {"2030-01-07", -1},
        {"", -1},
    };
    int64_t ms;
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_check_int(lw_when_rfc3339(cases[i].text, &ms),
                     cases[i].ms < 0 ? -1 : 0);
        if (cases[i].ms >= 0)
            lw_check_int(ms, cases[i].ms);
    }
}

static void test_times_of_people(void)
{
    time_t now = 1894010400, t; /* 2030-01-07 10:00 UTC */
    lw_error_t err = {0};
    char out[LW_WHEN_SIZE];

    setenv("TZ", "Europe/Paris", 1);
    tzset();
    lw_check_int(lw_when_parse("2h", now, &t, NULL), 0);
    lw_check_int(now - t, 7200);
    lw_check_int(lw_when_parse("today", now, &t, NULL), 0);
    lw_when_print(t, out);
    lw_check_str(out, "2030-01-06T23:00:00Z");
    lw_check_int(lw_when_parse("2030-07-01T12:30", now, &t, NULL), 0);
    lw_when_print(t, out);
    lw_check_str(out, "2030-07-01T10:30:00Z");
    lw_check_int(lw_when_parse("2030-07-01T12:30:00Z", now, &t, NULL), 0);
    lw_when_print(t, out);
    lw_check_str(out, "2030-07-01T12:30:00Z");
    lw_check_int(lw_when_parse("@5", now, &t, NULL), 0);
    lw_check_int(t, 5);
    lw_check_int(lw_when_parse("next week", now, &t, &err), -1);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "'next week' is no time"));
    unsetenv("TZ");
    tzset();
}

static void test_percentiles_are_exact_when_few(void)
{
    struct lw_quant q = {0};
    long i;

    lw_check_int(lw_quant_at(&q, 0.5), 0);
    for (i = 100; i >= 1; i--)
        lw_check_int(lw_quant_add(&q, i * 1000), 0);
    lw_check_int(lw_quant_at(&q, 0.5), 50000);
    lw_check_int(lw_quant_at(&q, 0.95), 95000);
    lw_check_int(lw_quant_at(&q, 1), 100000);
    lw_check_int(lw_quant_at(&q, 0), 1000);
    CU_ASSERT(lw_quant_mean(&q) == 50500);
    lw_quant_free(&q);
}

static void test_percentiles_are_near_when_many(void)
{
    struct lw_quant q = {0};
    double want, got;
    long i;
    int p;

    for (i = 0; i < 1000000; i++)
        lw_quant_add(&q, i * 7919 % 1000000);
    CU_ASSERT(lw_quant_mean(&q) == 499999.5);
    lw_check_int(q.max, 999999);
    for (p = 1; p < 100; p++) {
        want = p * 10000.0 - 1;
        got = (double)lw_quant_at(&q, p / 100.0);
        CU_ASSERT(got > want * 0.983 && got < want * 1.017);
    }
    lw_quant_free(&q);
}

static void test_percentiles_take_any_value(void)
{
    struct lw_quant q = {0};
    long i;

    for (i = 0; i < 600; i++)
        lw_quant_add(&q, i % 2 ? -5 : 1L << 40);
    lw_check_int(lw_quant_at(&q, 0.25), 0);
    lw_check_int(lw_quant_at(&q, 1), 4294967295);
    lw_quant_free(&q);
}

static const struct lw_test tests[] = {
    {"lines", test_lines},
    {"lines across blocks", test_long_files},
    {"a line without end is skipped", test_endless_line},
    {"compressed files", test_compressed},
    {"a compressed file cut off is an error", test_compressed_cut_off},
    {"a missing program is named", test_missing_program_is_named},
    {"RFC 3339 times", test_rfc3339},
    {"times as people write them", test_times_of_people},
    {"percentiles are exact when few", test_percentiles_are_exact_when_few},
    {"percentiles are near when many", test_percentiles_are_near_when_many},
    {"percentiles take any value", test_percentiles_take_any_value},
};

int main(void)
{
    int fd = mkstemp(path), rc;

    if (fd < 0)
        return 2;
    close(fd);
    rc = lw_check_run("stream", tests, sizeof(tests) / sizeof(tests[0]));
    unlink(path);
    return rc;
}
