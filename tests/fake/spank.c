/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spank.c - a slurmstepd that is only an environment and a few numbers */
#include "config.h"

#include "tests/fake/spank.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake_spank fake;

static char **find(const char *name)
{
    size_t len = strlen(name);
    char **e;

    for (e = fake.env; e && *e; e++)
        if (strncmp(*e, name, len) == 0 && (*e)[len] == '=')
            return e;
    return NULL;
}

unsigned fake_nenv(void)
{
    unsigned n = 0;

    while (fake.env && fake.env[n])
        n++;
    return n;
}

const char *fake_getenv(const char *name)
{
    char **e = find(name);

    return e ? *e + strlen(name) + 1 : NULL;
}

static void remove_at(char **e)
{
    free(*e);
    for (; *e; e++)
        *e = e[1];
}

void fake_setenv(const char *name, const char *value)
{
    char **e = find(name), *text = NULL;
    unsigned n;

    if (value && asprintf(&text, "%s=%s", name, value) < 0)
        abort();
    if (e)
        remove_at(e);
    if (!text)
        return;
    /* always move the array, as Slurm may: old pointers must not be used */
    n = fake_nenv();
    e = calloc(n + 2, sizeof(*e));
    if (!e)
        abort();
    if (n)
        memcpy(e, fake.env, n * sizeof(*e));
    free(fake.env);
    fake.env = e;
    e[n] = text;
}

void fake_reset(void)
{
    while (fake.env && *fake.env)
        remove_at(fake.env);
    free(fake.env);
    memset(&fake, 0, sizeof(fake));
    fake.context = S_CTX_REMOTE;
    fake.local_tasks = fake.nodes = 1;
    fake.job_id = 100;
    fake.cpus = 1;
}

spank_context_t spank_context(void)
{
    return fake.context;
}

spank_err_t spank_option_register(spank_t sp, struct spank_option *opt)
{
    (void)sp;
    fake.option = opt;
    return ESPANK_SUCCESS;
}

static uint32_t number(spank_item_t item)
{
    switch (item) {
    case S_JOB_STEPID:
        return fake.step_id;
    case S_TASK_ID:
        return fake.task_id;
    case S_JOB_LOCAL_TASK_COUNT:
        return fake.local_tasks;
    case S_JOB_TOTAL_TASK_COUNT:
        return fake.total_tasks;
    case S_JOB_NNODES:
        return fake.nodes;
    case S_JOB_NODEID:
        return fake.node_id;
    case S_JOB_ID:
        return fake.job_id;
    default:
        return 0;
    }
}

spank_err_t spank_get_item(spank_t sp, spank_item_t item, ...)
{
    va_list ap;

    (void)sp;
    va_start(ap, item);
    if (item == S_JOB_ENV)
        *va_arg(ap, char ***) = fake.env;
    else
        *va_arg(ap, uint32_t *) = number(item);
    va_end(ap);
    return ESPANK_SUCCESS;
}

spank_err_t spank_setenv(spank_t sp, const char *name, const char *value,
                         int overwrite)
{
    (void)sp;
    if (fake.refuse_setenv)
        return ESPANK_BAD_ARG;
    if (!overwrite && fake_getenv(name))
        return ESPANK_ENV_EXISTS;
    fake_setenv(name, value);
    return ESPANK_SUCCESS;
}

spank_err_t spank_unsetenv(spank_t sp, const char *name)
{
    (void)sp;
    fake_setenv(name, NULL);
    return ESPANK_SUCCESS;
}

static void log_line(const char *level, const char *fmt, va_list ap)
{
    size_t used = strlen(fake.log);
    int n;

    n = snprintf(fake.log + used, sizeof(fake.log) - used, "%s: ", level);
    if (n > 0 && used + (size_t)n < sizeof(fake.log))
        used += (size_t)n;
    n = vsnprintf(fake.log + used, sizeof(fake.log) - used, fmt, ap);
    used = strlen(fake.log);
    snprintf(fake.log + used, sizeof(fake.log) - used, "\n");
}

#define LOG(name, level)                                                       \
    void name(const char *fmt, ...)                                            \
    {                                                                          \
        va_list ap;                                                            \
                                                                               \
        va_start(ap, fmt);                                                     \
        log_line(level, fmt, ap);                                              \
        va_end(ap);                                                            \
    }

LOG(slurm_info, "info")
LOG(slurm_error, "error")
LOG(slurm_debug, "debug")
LOG(slurm_spank_log, "user")
