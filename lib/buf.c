/* SPDX-License-Identifier: GPL-2.0-or-later */
/* buf.c - growable text with a mandatory upper limit */
#include "config.h"

#include "lib/arena.h"
#include "lib/buf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGE ((size_t)1024 * 1024)

static int fail(struct lw_buf *b, int code)
{
    b->failed = 1;
    errno = code;
    return -1;
}

/* Like realloc(), with large pages for a large text. */
static char *enlarge(struct lw_buf *b, size_t size)
{
    char *text;

    if (size < LARGE)
        return realloc(b->text, size);
    if ((text = lw_alloc_large(size))) {
        if (b->len)
            memcpy(text, b->text, b->len);
        free(b->text);
    }
    return text;
}

/* Make room for 'n' more bytes and the NUL. */
static int reserve(struct lw_buf *b, size_t n)
{
    size_t need, size;
    char *text;

    if (b->failed)
        return fail(b, EFBIG);
    if (n > b->limit || b->len > b->limit - n)
        return fail(b, EFBIG);
    need = b->len + n + 1;
    if (need <= b->size)
        return 0;
    size = b->size ? b->size : 256;
    while (size < need)
        size *= 2;
    if (!(text = enlarge(b, size)))
        return fail(b, ENOMEM);
    b->text = text;
    b->size = size;
    return 0;
}

int lw_buf_add(struct lw_buf *b, const char *data, size_t n)
{
    if (reserve(b, n) < 0)
        return -1;
    if (n)
        memcpy(b->text + b->len, data, n);
    b->len += n;
    b->text[b->len] = '\0';
    return 0;
}

int lw_buf_puts(struct lw_buf *b, const char *s)
{
    return lw_buf_add(b, s, strlen(s));
}

int lw_buf_printf(struct lw_buf *b, const char *fmt, ...)
{
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0)
        return fail(b, EINVAL);
    if (reserve(b, (size_t)n) < 0)
        return -1;
    va_start(ap, fmt);
    vsnprintf(b->text + b->len, (size_t)n + 1, fmt, ap);
    va_end(ap);
    b->len += (size_t)n;
    return 0;
}

const char *lw_buf_text(const struct lw_buf *b)
{
    return b->text ? b->text : "";
}

char *lw_buf_take(struct lw_buf *b)
{
    char *text = NULL;

    if (!b->failed && (b->text || lw_buf_add(b, "", 0) == 0)) {
        text = b->text;
        b->text = NULL;
    }
    lw_buf_free(b);
    return text;
}

void lw_buf_free(struct lw_buf *b)
{
    size_t limit = b->limit;
    int saved = errno;

    free(b->text);
    memset(b, 0, sizeof(*b));
    b->limit = limit;
    errno = saved;
}
