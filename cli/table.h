/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.h - text in columns that line up */
#ifndef LW_TABLE_H
#define LW_TABLE_H

#include <stddef.h>
#include <stdio.h>

#define LW_TABLE_COLUMNS 12

/* Cells in order of arrival; the first row is the heading. */
struct lw_table {
    size_t columns;
    char **cells;
    size_t n, room;
    int failed; /* out of memory: lw_table_print() says so */
};

/* Add one row of 'columns' printf-style cells separated by '\t'. */
void lw_table_row(struct lw_table *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Print and free; two spaces between columns, none at the end of a line.
 * Returns 0, or -1 when out of memory. */
int lw_table_print(struct lw_table *t, FILE *out);

#endif
