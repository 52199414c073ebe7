/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.c - text in columns that line up */
#include "config.h"

#include "cli/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static int add(struct lw_table *t, char *cell)
{
    char **more;

    if (t->n == t->room) {
        t->room = t->room ? t->room * 2 : 64;
        if (!(more = realloc(t->cells, t->room * sizeof(*more))))
            return -1;
        t->cells = more;
    }
    t->cells[t->n++] = cell;
    return 0;
}

void lw_table_row(struct lw_table *t, const char *fmt, ...)
{
    char *text = NULL, *rest, *cell;
    size_t i;
    va_list ap;

    va_start(ap, fmt);
    if (vasprintf(&text, fmt, ap) < 0)
        text = NULL;
    va_end(ap);
    rest = text;
    for (i = 0; i < t->columns && !t->failed; i++) {
        cell = strsep(&rest, "\t");
        if (!text || !(cell = strdup(cell ? cell : "")) || add(t, cell) < 0)
            t->failed = 1;
    }
    free(text);
}

static void print_row(const struct lw_table *t, size_t row, const int *width,
                      FILE *out)
{
    char *const *cell = t->cells + row * t->columns;
    size_t i, last = 0;

    for (i = 0; i < t->columns; i++)
        if (*cell[i])
            last = i;
    for (i = 0; i < last; i++)
        fprintf(out, "%-*s  ", width[i], cell[i]);
    fprintf(out, "%s\n", cell[last]);
}

int lw_table_print(struct lw_table *t, FILE *out)
{
    int width[LW_TABLE_COLUMNS] = {0}, failed = t->failed;
    size_t i;

    for (i = 0; i < t->n; i++)
        if (width[i % t->columns] < (int)strlen(t->cells[i]))
            width[i % t->columns] = (int)strlen(t->cells[i]);
    for (i = 0; !failed && i < t->n / t->columns; i++)
        print_row(t, i, width, out);
    for (i = 0; i < t->n; i++)
        free(t->cells[i]);
    free(t->cells);
    memset(t, 0, sizeof(*t));
    return failed ? -1 : 0;
}
