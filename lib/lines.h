/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines.h - the lines of a file, plain or compressed, in a stream */
#ifndef LW_LINES_H
#define LW_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

/* A file being read; memory is one block and the longest line. */
struct lw_lines;

/* Open 'path' ("-" is standard input). A file compressed by gzip, xz, zstd or
 * bzip2 is known by its first bytes, whatever its name, and read through
 * that program. Lines longer than 'max' bytes are skipped and counted. Returns
 * a reader to free with lw_lines_close(), or NULL with 'err', which says what
 * to do when the program is not installed. */
struct lw_lines *lw_lines_open(const char *path, size_t max, lw_error_t *err);
void lw_lines_close(struct lw_lines *l);

/* The next line without its newline, NUL-terminated, in '*line', of '*len'
 * bytes; it may be written to and stays until the next call. Returns 1, 0 at
 * the end, or -1 with 'err' when the file cannot be read further. */
int lw_lines_next(struct lw_lines *l, char **line, size_t *len,
                  lw_error_t *err);

/* Number of the line handed out last, from 1. */
uint64_t lw_lines_number(const struct lw_lines *l);

/* How many lines were too long. */
uint64_t lw_lines_skipped(const struct lw_lines *l);

/* Bytes of the file (as stored) read so far. */
uint64_t lw_lines_offset(const struct lw_lines *l);

#endif
