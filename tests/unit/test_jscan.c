/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_jscan.c - JSON objects into a structure: values, escapes, errors */
#include "config.h"

#include "lib/jscan.h"
#include "tests/check.h"

struct inner {
    long n;
};

struct target {
    long n, big;
    double x;
    int yes;
    char *text;
    struct inner in;
    struct lw_jscan_raw raw;
    struct lw_jscan_longs longs;
};

#define AT(member) offsetof(struct target, member)

static const struct lw_jscan_field inner_fields[] = {
    {LW_JSCAN_KEY("n"), LW_JSCAN_LONG, AT(in.n), NULL},
    {0},
};

static const struct lw_jscan_field fields[] = {
    {LW_JSCAN_KEY("n"), LW_JSCAN_LONG, AT(n), NULL},
    {LW_JSCAN_KEY("big"), LW_JSCAN_LONG, AT(big), NULL},
    {LW_JSCAN_KEY("x"), LW_JSCAN_DOUBLE, AT(x), NULL},
    {LW_JSCAN_KEY("yes"), LW_JSCAN_BOOL, AT(yes), NULL},
    {LW_JSCAN_KEY("text"), LW_JSCAN_TEXT, AT(text), NULL},
    {LW_JSCAN_KEY("in"), LW_JSCAN_OBJECT, 0, inner_fields},
    {LW_JSCAN_KEY("raw"), LW_JSCAN_RAW, AT(raw), NULL},
    {LW_JSCAN_KEY("longs"), LW_JSCAN_LONGS, AT(longs), NULL},
    {0},
};

static int scan(const char *json, struct target *t, lw_error_t *err)
{
    static char copy[1024];

    memset(err, 0, sizeof(*err));
    snprintf(copy, sizeof(copy), "%s", json);
    return lw_jscan(copy, strlen(copy), fields, t, err);
}

static void test_values(void)
{
    long v[2];
    struct target t = {.longs = {v, 2, 0}};
    lw_error_t err;

    lw_check_ok(scan(" { \"x\" : -1.25e1 , \"n\":-7,\"big\":9007199254740993,"
                     "\"yes\":true,\"other\":{\"n\":[1,{\"n\":2}]},"
                     "\"in\":{\"m\":null,\"n\":3},\"raw\":[ {\"a\":1} ],"
                     "\"longs\":[5,-6,7] } ",
                     &t, &err) == 0,
                err);
    CU_ASSERT(t.x == -12.5);
    lw_check_int(t.n, -7);
    lw_check_int(t.big, 9007199254740993);
    lw_check_int(t.yes, 1);
    lw_check_int(t.in.n, 3);
    lw_check_int(t.raw.len, strlen("[ {\"a\":1} ]"));
    lw_check_int(t.longs.n, 3);
    lw_check_int(v[1], -6);
}

static void test_texts(void)
{
    static const struct {
        const char *json, *want;
    } cases[] = {
        {"{\"text\":\"\"}", ""},
        {"{\"text\":\"plain\"}", "plain"},
        {"{\"text\":\"a\\\"b\\\\c\\/d\\n\"}", "a\"b\\c/d\n"},
        {"{\"text\":\"\\u00e9\\u20ac\"}", "\xc3\xa9\xe2\x82\xac"},
        {"{\"text\":\"\\ud83d\\ude00!\"}", "\xf0\x9f\x98\x80!"},
        {"{\"text\":\"a\\u0000b\"}", "a b"},
    };
    struct target t;
    lw_error_t err;
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        memset(&t, 0, sizeof(t));
        lw_check_ok(scan(cases[i].json, &t, &err) == 0, err);
        lw_check_str(t.text, cases[i].want);
    }
}

static void test_other_types_leave_the_target_alone(void)
{
    struct target t = {.n = 42, .yes = 5, .text = NULL, .in = {6}};
    lw_error_t err;

    lw_check_ok(
        scan("{\"n\":null,\"yes\":\"x\",\"text\":1,\"in\":[1]}", &t, &err) == 0,
        err);
    lw_check_int(t.n, 42);
    lw_check_int(t.yes, 5);
    lw_check_str(t.text, NULL);
    lw_check_int(t.in.n, 6);
}

static void test_huge_numbers_are_clamped(void)
{
    struct target t = {0};
    lw_error_t err;

    lw_check_ok(
        scan("{\"n\":99999999999999999999,\"big\":1e300}", &t, &err) == 0, err);
    CU_ASSERT(t.n > 9000000000000000000);
    CU_ASSERT(t.big > 9000000000000000000);
}

static void test_errors(void)
{
    static const struct {
        const char *json, *want;
        int col;
    } cases[] = {
        {"", "expected '{'", 1},
        {"[1]", "expected '{'", 1},
        {"{\"n\":1", "expected ',' or '}'", 7},
        {"{\"n\" 1}", "expected ':'", 6},
        {"{\"n\":}", "expected a value", 6},
        {"{\"n\":01}", "expected a number", 8},
        {"{\"n\":-}", "expected a number", 7},
        {"{\"n\":1.}", "expected digits", 8},
        {"{\"n\":1,}", "expected a name in quotes", 8},
        {"{n:1}", "expected a name in quotes", 2},
        {"{\"text\":\"abc}", "expected the end of a text", 14},
        {"{\"text\":\"\\x\"}", "expected an escape of JSON", 11},
        {"{\"text\":\"\\ud83d!\"}", "expected an escape of JSON", 11},
        {"{\"o\":[1,2}", "expected ',' or ']'", 10},
        {"{\"n\":1} x", "expected nothing behind the object", 9},
        {"{\"o\":truth}", "expected a value", 6},
    };
    struct target t = {0};
    lw_error_t err;
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_check_int(scan(cases[i].json, &t, &err), -1);
        lw_check_str(err.text, cases[i].want);
        lw_check_int(err.col, cases[i].col);
    }
}

static void test_deep_nesting_is_refused(void)
{
    char json[300] = "{\"o\":";
    struct target t = {0};
    lw_error_t err;

    memset(json + 5, '[', 100);
    lw_check_int(scan(json, &t, &err), -1);
    lw_check_str(err.text, "expected less nesting");
}

/* Cut anywhere, a good line is an error and reads nothing beyond its end. */
static void test_every_cut(void)
{
    static const char good[] =
        "{\"n\":12,\"text\":\"a\\u00e9\",\"in\":{\"n\":1.5e3},\"o\":[true,"
        "null,{\"a\":\"b\"}]}";
    struct target t = {0};
    lw_error_t err;
    size_t n;

    for (n = 0; n + 1 < sizeof(good); n++) {
        char *copy = malloc(n + 1);

        memcpy(copy, good, n);
        copy[n] = '\0';
        memset(&err, 0, sizeof(err));
        lw_check_int(lw_jscan(copy, n, fields, &t, &err), -1);
        free(copy);
    }
}

static void test_arrays_are_walked(void)
{
    struct target t = {0};
    lw_error_t err;
    char *text = NULL;

    lw_check_ok(scan("{\"raw\":[{\"n\":1}, {\"n\":2} ]}", &t, &err) == 0, err);
    lw_check_int(lw_jscan_next(&t.raw, fields, &t), 1);
    lw_check_int(t.n, 1);
    lw_check_int(lw_jscan_next(&t.raw, fields, &t), 1);
    lw_check_int(t.n, 2);
    lw_check_int(lw_jscan_next(&t.raw, fields, &t), 0);
    lw_check_ok(scan("{\"raw\":[\"a\",\"b\",3]}", &t, &err) == 0, err);
    lw_check_int(lw_jscan_next_text(&t.raw, &text), 1);
    lw_check_str(text, "a");
    lw_check_int(lw_jscan_next_text(&t.raw, &text), 1);
    lw_check_int(lw_jscan_next_text(&t.raw, &text), -1);
    lw_check_ok(scan("{\"raw\":[]}", &t, &err) == 0, err);
    lw_check_int(lw_jscan_next_text(&t.raw, &text), 0);
}

static const struct lw_test tests[] = {
    {"values of every kind", test_values},
    {"texts and escapes", test_texts},
    {"another type leaves the target alone",
     test_other_types_leave_the_target_alone},
    {"numbers too large are clamped", test_huge_numbers_are_clamped},
    {"errors have a column and say what was expected", test_errors},
    {"deep nesting is refused", test_deep_nesting_is_refused},
    {"a line cut anywhere is an error", test_every_cut},
    {"arrays are walked", test_arrays_are_walked},
};

LW_CHECK_MAIN("jscan", tests)
