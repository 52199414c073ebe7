/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jscan.h - one JSON object into a C structure, without a tree between */
#ifndef LW_JSCAN_H
#define LW_JSCAN_H

#include <stddef.h>

#include "lib/err.h"

/* For the placement log, of which a report may read millions of lines:
 * nothing is allocated. tests/bench/report times it. */
enum lw_jscan_type {
    LW_JSCAN_LONG,   /* long; a fraction is cut off */
    LW_JSCAN_DOUBLE, /* double */
    LW_JSCAN_BOOL,   /* int, 0 or 1 */
    LW_JSCAN_TEXT,   /* char *, into the line, escapes decoded */
    LW_JSCAN_LONGS,  /* struct lw_jscan_longs: numbers of an array */
    LW_JSCAN_RAW,    /* struct lw_jscan_raw: the value's own text */
    LW_JSCAN_OBJECT  /* its members are in 'fields' */
};

/* Numbers of an array; those beyond 'max' are counted in 'n' all the same.
 * 'v' and 'max' are the caller's. */
struct lw_jscan_longs {
    long *v;
    size_t max, n;
};

/* The text of a value, not NUL-terminated, not decoded. */
struct lw_jscan_raw {
    char *text;
    size_t len;
};

/* A member to keep: others are checked and skipped. Ended by a NULL key.
 * A member whose value is null or of another type leaves the target alone. */
struct lw_jscan_field {
    const char *key;
    size_t len; /* of the key: LW_JSCAN_KEY() fills both */
    enum lw_jscan_type type;
    size_t offset;
    const struct lw_jscan_field *fields;
};

#define LW_JSCAN_KEY(name) (name), sizeof(name) - 1

/* Read the one JSON object that is 'text' (of 'len' bytes, NUL behind them;
 * written to: texts are decoded in place) into 'target'. Members missing in
 * 'text' are left as they are. Returns 0, or -1 with 'err' (the column and
 * what was expected) when it is not one whole JSON object. */
int lw_jscan(char *text, size_t len, const struct lw_jscan_field *fields,
             void *target, lw_error_t *err);

/* Walk an array that was kept raw: each call reads the next object into
 * 'target', or the next text into '*text', and steps over it. Returns 1, 0
 * at the end of the array, -1 when the next element is of another kind. */
int lw_jscan_next(struct lw_jscan_raw *array,
                  const struct lw_jscan_field *fields, void *target);
int lw_jscan_next_text(struct lw_jscan_raw *array, char **text);

#endif
