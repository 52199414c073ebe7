/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_recent.c - GPUs that were promised since `leafward watch` last looked */
#include "config.h"

#include "job_submit/recent.h"
#include "tests/check.h"

static void test_sum(void)
{
    lw_check_int(lw_recent_since(0), 0);
    lw_recent_add(1000, 2);
    lw_recent_add(1000, 1);
    lw_recent_add(1001, 4);
    lw_check_int(lw_recent_since(999), 7);
    lw_check_int(lw_recent_since(1000), 7);
    lw_check_int(lw_recent_since(1001), 4);
    lw_check_int(lw_recent_since(1002), 0);
}

static void test_forgets(void)
{
    lw_recent_add(1000 + LW_RECENT_SECONDS, 1);
    lw_check_int(lw_recent_since(0), 5); /* the place of 1000 is taken */
    lw_recent_add(1001 + LW_RECENT_SECONDS, 1);
    lw_check_int(lw_recent_since(0), 2);
}

static const struct lw_test tests[] = {
    {"sum of what is young enough", test_sum},
    {"old seconds make room", test_forgets},
};

LW_CHECK_MAIN("recent", tests)
