/* SPDX-License-Identifier: GPL-2.0-or-later */
/* buf.h - growable text with a mandatory upper limit */
#ifndef LW_BUF_H
#define LW_BUF_H

#include <stddef.h>

/* Text that grows up to 'limit' bytes. The first failure (limit reached or
 * out of memory) sticks in 'failed' and later appends do nothing, so that a
 * writer checks once at the end. */
struct lw_buf {
    char *text; /* always NUL-terminated once something was added */
    size_t len; /* bytes without the NUL */
    size_t size;
    size_t limit;
    int failed;
};

#define LW_BUF_INIT(max)                                                       \
    {                                                                          \
        .limit = (max)                                                         \
    }

/* Append 'n' bytes; returns 0, or -1 with errno EFBIG or ENOMEM. */
int lw_buf_add(struct lw_buf *b, const char *data, size_t n);

/* Append a NUL-terminated string; same returns as lw_buf_add(). */
int lw_buf_puts(struct lw_buf *b, const char *s);

/* Append printf-style text; same returns as lw_buf_add(). */
int lw_buf_printf(struct lw_buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The text, "" when nothing was added; borrowed from 'b'. */
const char *lw_buf_text(const struct lw_buf *b);

/* Hand the text over to the caller, who frees it; NULL after a failure.
 * 'b' is empty afterwards. */
char *lw_buf_take(struct lw_buf *b);

/* Free the text and forget a failure; the limit stays. */
void lw_buf_free(struct lw_buf *b);

#endif
