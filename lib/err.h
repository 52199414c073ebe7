/* SPDX-License-Identifier: GPL-2.0-or-later */
/* err.h - one error text with its place in the input */
#ifndef LW_ERR_H
#define LW_ERR_H

/* An error lives on the caller's stack. The first (deepest) error wins:
 * later calls on a filled error change nothing. line and col count from 1
 * and are 0 when the error has no place in a file. */
typedef struct {
    char text[256];
    int line;
    int col;
} lw_error_t;

/* Fill 'err' (may be NULL) with a printf-style text. Always returns -1 and
 * keeps errno, so that `return lw_err(err, "..")` is one line. */
int lw_err(lw_error_t *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The same with a place: the text becomes "source:line:col: text"; col 0
 * leaves the column out. Always returns -1. */
int lw_err_at(lw_error_t *err, const char *source, int line, int col,
              const char *fmt, ...) __attribute__((format(printf, 5, 6)));

#endif
