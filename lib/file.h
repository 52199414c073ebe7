/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file.h - whole files in and out, never half of one */
#ifndef LW_FILE_H
#define LW_FILE_H

#include <stddef.h>
#include <sys/stat.h>

#include "lib/err.h"

/* What tells one version of a file from the next: a replaced file differs in
 * inode, an edited one in size or time (nanoseconds). */
struct lw_file_id {
    dev_t dev;
    ino_t ino;
    off_t size;
    struct timespec mtime;
};

/* Read the whole of 'path' ("-" is standard input) of at most 'limit' bytes.
 * Returns text to free, NUL-terminated, its length in '*len'; or NULL with
 * errno and 'err' (which names the path). '*id' (may be NULL) is that of the
 * opened file. */
char *lw_file_read(const char *path, size_t limit, size_t *len,
                   struct lw_file_id *id, lw_error_t *err);

/* Replace 'path' by 'len' bytes of 'data': temporary file in the same
 * directory, fsync, rename, so that a reader sees the old or the new one. A
 * new file gets 'mode', an existing one keeps its mode and owner. Returns 0,
 * or -1 with errno and 'err'; then the old file is untouched. */
int lw_file_replace(const char *path, const char *data, size_t len, mode_t mode,
                    lw_error_t *err);

/* Append one line with a single write(2) on an O_APPEND descriptor, so that
 * lines of several writers never mix; 'line' ends in a newline. A piece of a
 * line that a full disk or a crash left at the end is closed off first. The
 * file is created with 'mode'. Returns 0, or -1 with errno and 'err'. */
int lw_file_append_line(const char *path, const char *line, size_t len,
                        mode_t mode, lw_error_t *err);

/* Fill '*id' for 'path'; returns 0, or -1 with errno. */
int lw_file_stat(const char *path, struct lw_file_id *id);

/* True when both ids tell the same version of a file. */
int lw_file_same(const struct lw_file_id *a, const struct lw_file_id *b);

#endif
