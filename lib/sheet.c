/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sheet.c - a table of typed cells */
#include "config.h"

#include "lib/sheet.h"

#include "lib/when.h"

#include <stdlib.h>
#include <string.h>

void lw_sheet_init(struct lw_sheet *t, const char *name,
                   const struct lw_column *columns)
{
    memset(t, 0, sizeof(*t));
    t->name = name;
    t->columns = columns;
    while (columns[t->ncolumns].key)
        t->ncolumns++;
}

void lw_sheet_free(struct lw_sheet *t)
{
    size_t i;

    for (i = 0; i < t->ncells; i++)
        free(t->cells[i].text);
    free(t->cells);
    t->cells = NULL;
    t->ncells = t->size = 0;
}

size_t lw_sheet_rows(const struct lw_sheet *t)
{
    return t->ncolumns ? t->ncells / t->ncolumns : 0;
}

const struct lw_cell *lw_sheet_cell(const struct lw_sheet *t, size_t row,
                                    size_t column)
{
    return &t->cells[row * t->ncolumns + column];
}

static struct lw_cell *append(struct lw_sheet *t, enum lw_cell_type type)
{
    static struct lw_cell nowhere;
    size_t size = t->size ? t->size * 2 : 64;
    struct lw_cell *cells;

    if (t->ncells == t->size) {
        if (t->failed || !(cells = realloc(t->cells, size * sizeof(*cells)))) {
            t->failed = 1;
            return &nowhere;
        }
        t->cells = cells;
        t->size = size;
    }
    cells = &t->cells[t->ncells++];
    memset(cells, 0, sizeof(*cells));
    cells->type = type;
    return cells;
}

void lw_sheet_text(struct lw_sheet *t, const char *text)
{
    char *copy = text ? strdup(text) : NULL;
    struct lw_cell *c = append(t, copy ? LW_CELL_TEXT : LW_CELL_NONE);

    if (t->failed || (text && !copy)) {
        t->failed = 1;
        free(copy);
        return;
    }
    c->text = copy;
}

void lw_sheet_count(struct lw_sheet *t, long n)
{
    append(t, n < 0 ? LW_CELL_NONE : LW_CELL_COUNT)->n = n;
}

void lw_sheet_number(struct lw_sheet *t, double x)
{
    append(t, x < 0 ? LW_CELL_NONE : LW_CELL_NUMBER)->x = x;
}

void lw_sheet_share(struct lw_sheet *t, double part, double whole)
{
    int have = part >= 0 && whole > 0;

    append(t, have ? LW_CELL_SHARE : LW_CELL_NONE)->x = have ? part / whole : 0;
}

void lw_sheet_seconds(struct lw_sheet *t, double seconds)
{
    append(t, seconds < 0 ? LW_CELL_NONE : LW_CELL_SECONDS)->x = seconds;
}

void lw_sheet_time(struct lw_sheet *t, int64_t when)
{
    append(t, when <= 0 ? LW_CELL_NONE : LW_CELL_TIME)->n = (long)when;
}

/* "1234567" to "1,234,567". */
static void thousands(const char *digits, char *out, size_t size)
{
    size_t whole = strcspn(digits, "."), i, n = 0;

    for (i = 0; digits[i] && n + 2 < size; i++) {
        if (i && i < whole && (whole - i) % 3 == 0)
            out[n++] = ',';
        out[n++] = digits[i];
    }
    out[n] = '\0';
}

static void show_number(const char *fmt, double x, char *out)
{
    char digits[40];

    snprintf(digits, sizeof(digits), fmt, x);
    thousands(digits, out, LW_CELL_SIZE);
}

static void show_seconds(double x, char *out)
{
    long s = (long)(x + 0.5);

    if (s < 60)
        snprintf(out, LW_CELL_SIZE, "%lds", s);
    else if (s < 3600)
        snprintf(out, LW_CELL_SIZE, "%ldm%02lds", s / 60, s % 60);
    else if (s < 86400)
        snprintf(out, LW_CELL_SIZE, "%ldh%02ldm", s / 3600, s / 60 % 60);
    else
        snprintf(out, LW_CELL_SIZE, "%ldd%02ldh", s / 86400, s / 3600 % 24);
}

/* 100 % is all of it and 0 % nothing: what is only nearly so shows that. */
static void show_share(double x, char *out)
{
    double p = x * 100;

    if (p > 99.9 && p < 100)
        p = 99.9;
    else if (p > 0 && p < 0.1)
        p = 0.1;
    snprintf(out, LW_CELL_SIZE, p == 0 || p == 100 ? "%.0f %%" : "%.1f %%", p);
}

static void show_time(time_t when, char *out)
{
    struct tm tm;

    out[0] = '\0';
    if (gmtime_r(&when, &tm))
        strftime(out, LW_CELL_SIZE, "%Y-%m-%d %H:%M", &tm);
}

const char *lw_cell_show(const struct lw_cell *cell, char out[LW_CELL_SIZE])
{
    switch (cell->type) {
    case LW_CELL_NONE:
    case LW_CELL_TEXT:
        snprintf(out, LW_CELL_SIZE, "-");
        break;
    case LW_CELL_COUNT:
        show_number("%.0f", (double)cell->n, out);
        break;
    case LW_CELL_NUMBER:
        show_number("%.1f", cell->x, out);
        break;
    case LW_CELL_SHARE:
        show_share(cell->x, out);
        break;
    case LW_CELL_SECONDS:
        show_seconds(cell->x, out);
        break;
    case LW_CELL_TIME:
        show_time((time_t)cell->n, out);
        break;
    }
    return out;
}
