/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load.c - find and load leafward_step.so */
#include "config.h"

#include "spank/step.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The path of the object beside this one; 0, or -1. */
static int find(char *path, size_t size)
{
    Dl_info self;
    const char *slash;
    int n;

    if (!dladdr((const void *)(uintptr_t)lw_step_load, &self) ||
        !self.dli_fname || !(slash = strrchr(self.dli_fname, '/')))
        return -1;
    n = snprintf(path, size, "%.*s/" LW_STEP_OBJECT,
                 (int)(slash - self.dli_fname), self.dli_fname);
    return n > 0 && (size_t)n < size ? 0 : -1;
}

const struct lw_step_ops *lw_step_load(lw_error_t *err)
{
    char path[PATH_MAX];
    const struct lw_step_ops *ops;
    void *object;

    if (find(path, sizeof(path)) < 0) {
        lw_err(err, "cannot tell where this plugin is");
        return NULL;
    }
    if (!(object = dlopen(path, RTLD_NOW | RTLD_LOCAL))) {
        lw_err(err, "%s", dlerror());
        return NULL;
    }
    ops = dlsym(object, LW_STEP_SYMBOL);
    if (ops && ops->state_size == sizeof(struct lw_step_state) &&
        strcmp(ops->version, PACKAGE_VERSION) == 0)
        return ops;
    /* half of an upgrade */
    lw_err(err, "%s: is not of version " PACKAGE_VERSION, path);
    dlclose(object);
    return NULL;
}
