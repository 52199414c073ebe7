/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_settings.c - leafward.conf: values, defaults, errors with a line */
#include "config.h"

#include "lib/conf.h"
#include "lib/file.h"
#include "tests/check.h"
#include "topology/settings.h"

#include <sys/stat.h>
#include <unistd.h>

static char path[] = "/tmp/leafward-conf.XXXXXX";

/* Load 'text' as a configuration file. */
static struct lw_settings *load(const char *text, lw_error_t *err)
{
    memset(err, 0, sizeof(*err));
    CU_ASSERT_FATAL(lw_file_replace(path, text, strlen(text), 0644, NULL) == 0);
    return lw_settings_load(path, err);
}

static void test_defaults(void)
{
    lw_error_t err = {0};
    struct lw_settings *s = lw_settings_load("/nonexistent.conf", &err);

    lw_check_str(err.text, "");
    lw_check_int(s->policy, LW_POLICY_PACK);
    lw_check_int(s->max_patience, 4 * 3600);
    CU_ASSERT(s->slowdown > 0.099 && s->slowdown < 0.101);
    lw_settings_destroy(s);
}

static void test_values(void)
{
    lw_error_t err;
    struct lw_settings *s = load("# site\n"
                                 "[place]\n"
                                 "policy = off\n"
                                 "slowdown = 25%\n"
                                 "max_patience = 90m ; long\n"
                                 "[partition gpu]\n"
                                 "policy = spread\n"
                                 "[nccl]\n"
                                 "NCCL_IB_TC = 41\n"
                                 "[nccl partition roce]\n"
                                 "NCCL_IB_TC = 96\n"
                                 "[nccl nodes gpu-a*,gpu-b1]\n"
                                 "NCCL_SOCKET_IFNAME = =bond0\n",
                                 &err);

    lw_check_str(err.text, "");
    lw_check_int(lw_settings_policy(s, "gpu"), LW_POLICY_SPREAD);
    lw_check_int(lw_settings_policy(s, "cpu"), LW_POLICY_OFF);
    lw_check_int(s->max_patience, 5400);
    lw_check_int(s->nenv, 3);
    lw_check_str(s->env[0].value, "41");
    lw_check_str(s->env[0].partition, NULL);
    lw_check_str(s->env[1].partition, "roce");
    lw_check_str(s->env[2].nodes, "gpu-a*,gpu-b1");
    lw_check_str(s->env[2].value, "=bond0");
    lw_settings_destroy(s);
}

static void test_errors(void)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"[place]\npolicy = fast\n",
         ":2: policy = fast: expected one of off|pack|spread"},
        {"[place]\nslowdown = 200%\n",
         ":2: slowdown = 200%: expected a percentage from 0 to 100"},
        {"[place]\n\nmax_patience = soon\n",
         ":3: max_patience = soon: expected a time like 90s, 15m, 4h or 2d "
         "(0 to 2592000 seconds)"},
        {"[place]\npolitic = off\n",
         ":2: unknown setting 'politic' in section [place]"},
        {"[plaice]\npolicy = off\n", ":2: unknown section [plaice]"},
        {"[node]\nstrict = maybe\n", ":2: strict = maybe: expected yes or no"},
        {"[place]\npolicy\n", ":2: expected [section] or name = value"},
        {"[place]\ngpus_per_node = -4\n",
         ":2: gpus_per_node = -4: expected a number from 0 to 1024"},
        {"[partition a]\npolicy = no\n",
         ":2: policy = no: expected one of off|pack|spread"},
    };
    char want[400];
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_error_t err;
        struct lw_settings *s = load(cases[i].text, &err);

        snprintf(want, sizeof(want), "%s%s", path, cases[i].want);
        want[sizeof(err.text) - 1] = '\0';
        lw_check_str(err.text, want);
        /* a broken file changes nothing at all */
        lw_check_int(s->policy, LW_POLICY_PACK);
        lw_check_int(s->npartitions, 0);
        lw_settings_destroy(s);
    }
}

static void test_long_line_is_refused(void)
{
    char text[400] = "[leafward]\nmap = ";
    lw_error_t err;
    struct lw_settings *s;
    char want[100];

    memset(text + strlen(text), 'x', 250);
    s = load(text, &err);
    snprintf(want, sizeof(want), "%s:2: line longer than 198 characters", path);
    lw_check_str(err.text, want);
    lw_settings_destroy(s);
}

static void test_unsafe_file_is_refused(void)
{
    lw_error_t err;
    struct lw_settings *s = load("[place]\npolicy = off\n", &err);

    lw_settings_destroy(s);
    chmod(path, 0666);
    s = lw_settings_load(path, &err);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "is writable by others"));
    lw_check_int(s->policy, LW_POLICY_PACK);
    lw_settings_destroy(s);
    chmod(path, 0644);
}

static void test_seconds(void)
{
    long n;

    lw_check_int(lw_conf_seconds("2d", &n), 0);
    lw_check_int(n, 172800);
    lw_check_int(lw_conf_seconds("1h30", &n), -1);
    lw_check_int(lw_conf_seconds("", &n), -1);
    lw_check_int(lw_conf_seconds("-1", &n), -1);
    lw_check_int(lw_conf_seconds("99999999999999999999", &n), -1);
    lw_check_int(lw_conf_seconds("9223372036854775807d", &n), -1);
}

static const struct lw_test tests[] = {
    {"a missing file gives the defaults", test_defaults},
    {"values of every kind", test_values},
    {"errors name file, line and what is allowed", test_errors},
    {"a line that inih would cut is refused", test_long_line_is_refused},
    {"a file others may write is refused", test_unsafe_file_is_refused},
    {"durations", test_seconds},
};

int main(void)
{
    int fd = mkstemp(path), rc;

    if (fd < 0)
        return 2;
    close(fd);
    rc = lw_check_run("settings", tests, sizeof(tests) / sizeof(tests[0]));
    unlink(path);
    return rc;
}
