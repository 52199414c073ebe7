/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.h - a table of texts on standard output */
#ifndef LW_TABLE_H
#define LW_TABLE_H

#include "lib/sheet.h"

/* Add one row to a table of lw_sheet_init(): a printf-style cell for each
 * column, separated by '\t'. */
void lw_table_row(struct lw_sheet *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Print the table in its full width, and free it. Returns 0, or -1 when out
 * of memory. */
int lw_table_print(struct lw_sheet *t);

#endif
