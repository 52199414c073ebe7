/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.c - a table of texts on standard output */
#include "config.h"

#include "cli/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void lw_table_row(struct lw_sheet *t, const char *fmt, ...)
{
    char *text = NULL, *rest, *cell;
    size_t i;
    va_list ap;

    va_start(ap, fmt);
    if (vasprintf(&text, fmt, ap) < 0)
        text = NULL;
    va_end(ap);
    if (!text)
        t->failed = 1;
    rest = text;
    for (i = 0; text && i < t->ncolumns; i++) {
        cell = strsep(&rest, "\t");
        lw_sheet_text(t, cell ? cell : "");
    }
    free(text);
}

int lw_table_print(struct lw_sheet *t)
{
    const struct lw_style style = {0};
    int failed = t->failed;

    if (!failed)
        lw_sheet_print_text(t, &style, stdout);
    lw_sheet_free(t);
    return failed ? -1 : 0;
}
