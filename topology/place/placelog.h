/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placelog.h - the placement log as watch writes it: whole lines, rotation */
#ifndef LW_PLACELOG_H
#define LW_PLACELOG_H

#include <stddef.h>
#include <time.h>

#include "lib/err.h"
#include "topology/place/journal.h"

/* Where to write. The writer keeps no file open, so the log may be renamed
 * at any moment. */
struct lw_placelog {
    const char *path;   /* borrowed */
    long max_bytes;     /* rotate when larger; 0 never */
    long keep;          /* rotated files that stay; 0 all */
    unsigned long lost; /* lines that could not be written */
};

/* Append one line (newline at the end). 0, or -1 with 'err' and 'lost'
 * counted; a piece that was written then is closed off by the next line,
 * whoever writes it. */
int lw_placelog_write(struct lw_placelog *log, const char *line, size_t len,
                      lw_error_t *err);

/* Rename the log to "PATH-YYYYMMDDTHHMMSS" when it is too large, and remove
 * the oldest rotated files. 1 when it did, 0 when there was no need, -1 with
 * 'err'. */
int lw_placelog_rotate(struct lw_placelog *log, time_t now, lw_error_t *err);

/* Flush to the disk what was written, and tell where the log stands. A
 * missing log gives zeros; 'map' is left alone. 0, or -1 with 'err'. */
int lw_placelog_mark(const struct lw_placelog *log,
                     struct lw_journal_mark *mark, lw_error_t *err);

#endif
