/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_placelog.c - the log as a file: rotation, several writers, cut lines */
#include "config.h"

#include "tests/check.h"
#include "topology/place/journal.h"
#include "topology/place/placelog.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WRITERS 4
#define LINES   400

#define MAX_BYTES 20000 /* of a log, until it is rotated */

static char dir[] = "/tmp/leafward-placelog.XXXXXX";

static void clear_dir(void)
{
    DIR *d = opendir(dir);
    const struct dirent *e;
    char path[512];

    while (d && (e = readdir(d))) {
        snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
        unlink(path);
    }
    if (d)
        closedir(d);
}

static const char placed[] =
    "{\"schema\":1,\"event\":\"placed\",\"job\":{\"id\":%d,\"restarts\":0,"
    "\"submit\":\"2030-01-01T00:00:00Z\"},\"run\":{\"start\":"
    "\"2030-01-01T00:00:01Z\"},\"placement\":{\"nnodes\":1,\"gpus\":0}}\n";

static void put_placed(struct lw_placelog *log, int id)
{
    char line[512];
    lw_error_t err = {0};
    int n = snprintf(line, sizeof(line), placed, id);

    lw_check_ok(lw_placelog_write(log, line, (size_t)n, &err) == 0, err);
}

/* The mark is found again by inode, through two rotations. */
static void test_rotation(void)
{
    char path[512];
    struct lw_placelog log = {.path = path, .max_bytes = 10, .keep = 2};
    struct lw_known_table *t = lw_known_create();
    struct lw_journal_mark mark = {0};
    lw_error_t err = {0};

    snprintf(path, sizeof(path), "%s/placement.jsonl", dir);
    put_placed(&log, 1);
    lw_check_int(lw_placelog_mark(&log, &mark, &err), 0);
    put_placed(&log, 2);
    lw_check_int(lw_placelog_rotate(&log, 1000000000, &err), 1);
    put_placed(&log, 3);
    lw_check_int(lw_placelog_rotate(&log, 1000000001, &err), 1);
    put_placed(&log, 4);
    lw_check_int(lw_journal_replay_log(t, path, &mark, &err), 0);
    CU_ASSERT_PTR_NULL(lw_known_find(t, 1));
    CU_ASSERT_PTR_NOT_NULL(lw_known_find(t, 2));
    CU_ASSERT_PTR_NOT_NULL(lw_known_find(t, 3));
    CU_ASSERT_PTR_NOT_NULL(lw_known_find(t, 4));
    /* a third rotation in the same second waits; two files stay */
    lw_check_int(lw_placelog_rotate(&log, 1000000001, &err), 0);
    lw_check_int(lw_placelog_rotate(&log, 1000000002, &err), 1);
    snprintf(path, sizeof(path), "%s/placement.jsonl-20010909T014640", dir);
    lw_check_int(access(path, F_OK), -1);
    lw_known_destroy(t);
    clear_dir();
}

/* Without a journal the log of today is all there is. */
static void test_first_start(void)
{
    char path[512];
    struct lw_placelog log = {.path = path};
    struct lw_known_table *t = lw_known_create();
    struct lw_journal_mark none = {0};
    lw_error_t err = {0};

    snprintf(path, sizeof(path), "%s/placement.jsonl", dir);
    lw_check_int(lw_journal_replay_log(t, path, &none, &err), 0);
    put_placed(&log, 5);
    lw_check_int(lw_journal_replay_log(t, path, &none, &err), 0);
    CU_ASSERT_PTR_NOT_NULL(lw_known_find(t, 5));
    lw_known_destroy(t);
    clear_dir();
}

/* What somebody's full disk or crash cut off takes no other line with it. */
static void test_torn(void)
{
    char path[512], text[2048] = "";
    struct lw_placelog log = {.path = path};
    struct lw_known_table *t = lw_known_create();
    struct lw_journal_mark none = {0};
    lw_error_t err = {0};
    int fd;

    snprintf(path, sizeof(path), "%s/placement.jsonl", dir);
    put_placed(&log, 6);
    CU_ASSERT_EQUAL(truncate(path, 60), 0);
    put_placed(&log, 7);
    put_placed(&log, 8);
    fd = open(path, O_RDONLY);
    CU_ASSERT_FATAL(fd >= 0);
    CU_ASSERT(read(fd, text, sizeof(text) - 1) > 0);
    close(fd);
    lw_check_int(text[60], '\n');
    CU_ASSERT_PTR_NULL(strstr(text, "\n\n"));
    lw_check_int(lw_journal_replay_log(t, path, &none, &err), 0);
    CU_ASSERT_PTR_NULL(lw_known_find(t, 6));
    CU_ASSERT_PTR_NOT_NULL(lw_known_find(t, 7));
    CU_ASSERT_PTR_NOT_NULL(lw_known_find(t, 8));
    lw_known_destroy(t);
    clear_dir();
}

/* --- several writers while it is rotated -------------------------------------- */

static size_t length(int i)
{
    return (size_t)(i * 37 % 8000 + 1);
}

/* However busy the machine, some rotations come in between. */
static void wait_for_rotation(const char *path)
{
    struct stat st;
    int tries = 200;

    while (tries-- && stat(path, &st) == 0 && st.st_size > MAX_BYTES)
        usleep(10000);
}

/* "WRITER NUMBER xxx..": of all lengths, also beyond a page. */
static void write_lines(const char *path, int writer)
{
    struct lw_placelog log = {.path = path};
    static char line[9000];
    int i, n;

    for (i = 0; i < LINES; i++) {
        n = snprintf(line, sizeof(line), "%d %d ", writer, i);
        memset(line + n, 'x', length(i));
        n += (int)length(i);
        line[n++] = '\n';
        if (lw_placelog_write(&log, line, (size_t)n, NULL) < 0)
            _exit(1);
        if (i % 50 == 0)
            wait_for_rotation(path);
    }
    _exit(0);
}

/* Count the whole lines of one file. */
static void count_lines(const char *path, int seen[WRITERS][LINES], long *bad)
{
    FILE *fp = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    ssize_t n;
    int w, i, at;

    while (fp && (n = getline(&line, &size, fp)) > 0) {
        at = 0;
        if (n == 1) /* nothing to a reader */
            continue;
        if (line[n - 1] != '\n' || sscanf(line, "%d %d %n", &w, &i, &at) < 2 ||
            w < 0 || w >= WRITERS || i < 0 || i >= LINES ||
            strspn(line + at, "x") != length(i) ||
            (size_t)n != (size_t)at + length(i) + 1)
            (*bad)++;
        else
            seen[w][i]++;
    }
    free(line);
    if (fp)
        fclose(fp);
}

static bool any_left(int *left)
{
    while (*left > 0 && waitpid(-1, NULL, WNOHANG) > 0)
        (*left)--;
    return *left > 0;
}

static void test_writers(void)
{
    static int seen[WRITERS][LINES];
    char path[512], name[1024];
    struct lw_placelog log = {.path = path, .max_bytes = MAX_BYTES};
    long bad = 0, wrong = 0, rotated = 0;
    time_t now = 1000000000;
    const struct dirent *e;
    lw_error_t err = {0};
    int i, j, left = WRITERS;
    DIR *d;

    snprintf(path, sizeof(path), "%s/placement.jsonl", dir);
    for (i = 0; i < WRITERS; i++)
        if (fork() == 0)
            write_lines(path, i);
    while (any_left(&left))
        rotated += lw_placelog_rotate(&log, now++, &err) == 1;
    d = opendir(dir);
    while (d && (e = readdir(d))) {
        snprintf(name, sizeof(name), "%s/%s", dir, e->d_name);
        count_lines(name, seen, &bad);
    }
    if (d)
        closedir(d);
    for (i = 0; i < WRITERS; i++)
        for (j = 0; j < LINES; j++)
            wrong += seen[i][j] != 1;
    lw_check_int(bad, 0);
    lw_check_int(wrong, 0);
    CU_ASSERT(rotated > 3);
    clear_dir();
}

static const struct lw_test tests[] = {
    {"the log is rotated", test_rotation},
    {"the first start", test_first_start},
    {"a line that was cut off", test_torn},
    {"several writers and a rotation", test_writers},
};

int main(void)
{
    int rc;

    if (!mkdtemp(dir))
        return 2;
    rc = lw_check_run("placelog", tests, sizeof(tests) / sizeof(tests[0]));
    clear_dir();
    rmdir(dir);
    return rc;
}
