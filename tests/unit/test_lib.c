/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_lib.c - errors, text buffers, string tables, files */
#include "config.h"

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/file.h"
#include "lib/strtab.h"
#include "tests/check.h"

#include <errno.h>
#include <unistd.h>

static void test_err_first_wins(void)
{
    lw_error_t err = {0};

    errno = ENOENT;
    lw_check_int(lw_err_at(&err, "f.txt", 3, 7, "expected %s", "a number"), -1);
    lw_check_int(errno, ENOENT);
    lw_err(&err, "later");
    lw_check_str(err.text, "f.txt:3:7: expected a number");
    lw_check_int(err.line, 3);
    lw_check_int(err.col, 7);
    lw_check_int(lw_err(NULL, "no place to put it"), -1);
}

static void test_err_truncates(void)
{
    lw_error_t err = {0};
    char longer[1024];

    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    lw_err_at(&err, longer, 1, 1, "text");
    lw_check_int(strlen(err.text), sizeof(err.text) - 1);
}

static void test_buf_limit_sticks(void)
{
    struct lw_buf b = LW_BUF_INIT(5);

    lw_check_str(lw_buf_text(&b), "");
    lw_check_int(lw_buf_puts(&b, "abc"), 0);
    lw_check_int(lw_buf_puts(&b, "def"), -1);
    lw_check_int(errno, EFBIG);
    lw_check_int(lw_buf_puts(&b, "d"), -1);
    lw_check_str(lw_buf_text(&b), "abc");
    CU_ASSERT_PTR_NULL(lw_buf_take(&b));
    lw_check_int(lw_buf_printf(&b, "%d%s", 12, "345"), 0);
    lw_check_str(lw_buf_text(&b), "12345");
    lw_buf_free(&b);
}

static void test_buf_take_empty(void)
{
    struct lw_buf b = LW_BUF_INIT(10);
    char *text = lw_buf_take(&b);

    lw_check_str(text, "");
    free(text);
}

static void test_strtab_numbers(void)
{
    struct lw_strtab *t = lw_strtab_create();
    char name[32];
    size_t i;

    for (i = 0; i < 5000; i++) {
        snprintf(name, sizeof(name), "node%zu", i);
        lw_check_int(lw_strtab_add(t, name, strlen(name)), i);
    }
    for (i = 0; i < 5000; i++) {
        snprintf(name, sizeof(name), "node%zu", i);
        lw_check_int(lw_strtab_find(t, name, strlen(name)), i);
        lw_check_str(lw_strtab_name(t, i), name);
    }
    lw_check_int(lw_strtab_add(t, "node7xyz", 5), 7);
    CU_ASSERT(lw_strtab_find(t, "nod", 3) == LW_STRTAB_NONE);
    lw_check_int(lw_strtab_count(t), 5000);
    lw_strtab_destroy(t);
}

static void test_file_replace(void)
{
    char dir[] = "/tmp/leafward-unit.XXXXXX", path[64], *text;
    struct lw_file_id a, b;
    lw_error_t err = {0};
    size_t len = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/f", dir);
    lw_check_ok(lw_file_replace(path, "one", 3, 0640, &err) == 0, err);
    lw_check_int(lw_file_stat(path, &a), 0);
    lw_check_ok(lw_file_replace(path, "two", 3, 0600, &err) == 0, err);
    text = lw_file_read(path, 100, &len, &b, &err);
    lw_check_str(text, "two");
    lw_check_int(len, 3);
    CU_ASSERT_FALSE(lw_file_same(&a, &b));
    free(text);
    lw_check_ok(lw_file_append_line(path, "x\n", 2, 0600, &err) == 0, err);
    text = lw_file_read(path, 100, &len, NULL, &err);
    lw_check_str(text, "two\nx\n");
    free(text);
    CU_ASSERT_PTR_NULL(lw_file_read(path, 3, &len, NULL, &err));
    lw_check_int(errno, EFBIG);
    unlink(path);
    rmdir(dir);
}

static void test_file_errors_name_the_path(void)
{
    lw_error_t err = {0};
    size_t len;

    CU_ASSERT_PTR_NULL(lw_file_read("/nonexistent/x", 9, &len, NULL, &err));
    lw_check_int(errno, ENOENT);
    lw_check_str(err.text, "/nonexistent/x: No such file or directory");
    err.text[0] = '\0';
    lw_check_int(lw_file_replace("/nonexistent/x", "a", 1, 0600, &err), -1);
    lw_check_str(err.text, "/nonexistent/x: No such file or directory");
    err.text[0] = '\0';
    CU_ASSERT_PTR_NULL(lw_file_read("/tmp", 9, &len, NULL, &err));
    lw_check_str(err.text, "/tmp: is a directory");
}

static const struct lw_test tests[] = {
    {"the first error wins", test_err_first_wins},
    {"a long error is cut", test_err_truncates},
    {"a full buffer stays failed", test_buf_limit_sticks},
    {"an empty buffer gives an empty text", test_buf_take_empty},
    {"strings keep their numbers", test_strtab_numbers},
    {"a file is replaced whole", test_file_replace},
    {"file errors name the path", test_file_errors_name_the_path},
};

LW_CHECK_MAIN("lib", tests)
