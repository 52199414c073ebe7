/* SPDX-License-Identifier: GPL-2.0-or-later */
/* err.c - one error text with its place in the input */
#include "config.h"

#include "lib/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int lw_err(lw_error_t *err, const char *fmt, ...)
{
    int saved = errno;
    va_list ap;

    if (err && !err->text[0]) {
        va_start(ap, fmt);
        vsnprintf(err->text, sizeof(err->text), fmt, ap);
        va_end(ap);
    }
    errno = saved;
    return -1;
}

int lw_err_at(lw_error_t *err, const char *source, int line, int col,
              const char *fmt, ...)
{
    int saved = errno;
    va_list ap;
    int n;

    if (err && !err->text[0]) {
        if (col > 0)
            n = snprintf(err->text, sizeof(err->text), "%s:%d:%d: ", source,
                         line, col);
        else
            n = snprintf(err->text, sizeof(err->text), "%s:%d: ", source, line);
        err->line = line;
        err->col = col;
        if (n > 0 && (size_t)n < sizeof(err->text)) {
            va_start(ap, fmt);
            vsnprintf(err->text + n, sizeof(err->text) - (size_t)n, fmt, ap);
            va_end(ap);
        }
    }
    errno = saved;
    return -1;
}
