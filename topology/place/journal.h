/* SPDX-License-Identifier: GPL-2.0-or-later */
/* journal.h - what watch must not forget when it is killed */
#ifndef LW_JOURNAL_H
#define LW_JOURNAL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"
#include "topology/place/known.h"

#define LW_JOURNAL_SCHEMA 1
#define LW_JOURNAL_LIMIT  (1024 * 1024 * 1024UL)

/* Up to where in the placement log the journal tells the whole story: the
 * file is found again by its inode after it was rotated. */
struct lw_journal_mark {
    uint64_t dev, ino;
    int64_t offset;
    char map[32]; /* "created" of the map that was told last, "" none */
};

/* The journal as text to free; NULL with 'err'. */
char *lw_journal_print(struct lw_known_table *t,
                       const struct lw_journal_mark *mark, size_t *len,
                       lw_error_t *err);

/* Read a journal into the empty table 't'. 0, or -1 with 'err'. */
int lw_journal_parse(const char *text, size_t len, const char *source,
                     struct lw_known_table *t, struct lw_journal_mark *mark,
                     lw_error_t *err);

/* Learn from one line of the log that was written after the journal: what it
 * says need not be said again. Lines that are broken, or about something
 * else, are passed over. 0, or -1 with errno when out of memory. */
int lw_journal_replay(struct lw_known_table *t, const char *line, size_t len);

/* Replay the log at 'path' and its rotated files from 'mark' on; with an
 * 'ino' of 0 the whole of 'path'. A missing log is no error. 0, or -1 with
 * 'err'. */
int lw_journal_replay_log(struct lw_known_table *t, const char *path,
                          const struct lw_journal_mark *mark, lw_error_t *err);

#endif
