/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check.h - what every unit test shares: CUnit with the values shown */
#ifndef LW_CHECK_H
#define LW_CHECK_H

#include <CUnit/Basic.h>
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lw_test {
    const char *name;
    void (*run)(void);
};

/* CU_ASSERT prints no values; these do. */
#define lw_check_str(got, want)                                                \
    lw_check_str_at((got), (want), __FILE__, __LINE__)
#define lw_check_int(got, want)                                                \
    lw_check_int_at((long)(got), (long)(want), __FILE__, __LINE__)
#define lw_check_ok(rc, err)                                                   \
    do {                                                                       \
        int ok_ = (rc);                                                        \
        if (!ok_)                                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, (err).text);    \
        CU_ASSERT(ok_);                                                        \
    } while (0)

static inline void lw_check_str_at(const char *got, const char *want,
                                   const char *file, int line)
{
    int same = got && want ? strcmp(got, want) == 0 : got == want;

    if (!same)
        fprintf(stderr, "%s:%d: got '%s', want '%s'\n", file, line,
                got ? got : "(null)", want ? want : "(null)");
    CU_assertImplementation(same, (unsigned)line, "lw_check_str", file, "",
                            CU_FALSE);
}

static inline void lw_check_int_at(long got, long want, const char *file,
                                   int line)
{
    if (got != want)
        fprintf(stderr, "%s:%d: got %ld, want %ld\n", file, line, got, want);
    CU_assertImplementation(got == want, (unsigned)line, "lw_check_int", file,
                            "", CU_FALSE);
}

/* Run all tests as one suite; the return value is main()'s. */
static inline int lw_check_run(const char *suite, const struct lw_test *tests,
                               size_t n)
{
    CU_pSuite s;
    unsigned failures;
    size_t i;

    if (CU_initialize_registry() != CUE_SUCCESS)
        return 2;
    if (!(s = CU_add_suite(suite, NULL, NULL)))
        return 2;
    for (i = 0; i < n; i++)
        if (!CU_add_test(s, tests[i].name, tests[i].run))
            return 2;
    CU_basic_set_mode(CU_BRM_NORMAL);
    if (CU_basic_run_tests() != CUE_SUCCESS)
        return 2;
    failures = CU_get_number_of_failures();
    if (CU_get_number_of_tests_run() != n)
        failures++;
    CU_cleanup_registry();
    return failures ? 1 : 0;
}

#define LW_CHECK_MAIN(suite, tests)                                            \
    int main(void)                                                             \
    {                                                                          \
        return lw_check_run(suite, tests, sizeof(tests) / sizeof(tests[0]));   \
    }

#endif
