/* SPDX-License-Identifier: GPL-2.0-or-later */
/* env.c - the step's or task's environment through SPANK */
#include "config.h"

#include "spank/env.h"

#include <stdint.h>
#include <string.h>

const char *lw_env_get(spank_t sp, const char *name)
{
    char **env = NULL;
    size_t len = strlen(name);

    if (spank_get_item(sp, S_JOB_ENV, &env) != ESPANK_SUCCESS)
        return NULL;
    for (; env && *env; env++)
        if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
            return *env + len + 1;
    return NULL;
}

int lw_env_set(spank_t sp, const char *name, const char *value)
{
    return spank_setenv(sp, name, value, 1) == ESPANK_SUCCESS ? 0 : -1;
}

void lw_env_unset(spank_t sp, const char *name)
{
    if (lw_env_get(sp, name))
        spank_unsetenv(sp, name);
}

unsigned lw_item(spank_t sp, spank_item_t item, unsigned fallback)
{
    uint32_t n = fallback;

    return spank_get_item(sp, item, &n) == ESPANK_SUCCESS ? n : fallback;
}
