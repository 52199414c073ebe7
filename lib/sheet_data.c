/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sheet_data.c - a table for programs: CSV and JSON */
#include "config.h"

#include "lib/sheet.h"

#include "lib/when.h"

#include <string.h>

void lw_table_json_text(const char *s, FILE *out)
{
    fputc('"', out);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;

        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

/* A value that needs no quotes in either format. */
static void put_plain(const struct lw_cell *c, FILE *out)
{
    if (c->type == LW_CELL_COUNT)
        fprintf(out, "%ld", c->n);
    else if (c->type == LW_CELL_SHARE)
        fprintf(out, "%.6g", c->x);
    else
        fprintf(out, "%.12g", c->x);
}

static void csv_text(const char *s, FILE *out)
{
    /* =, +, - and @ start a formula in spreadsheets */
    int formula = *s && strchr("=+-@\t\r", *s) != NULL;

    if (!formula && !strpbrk(s, ",\"\r\n")) {
        fputs(s, out);
        return;
    }
    fputs(formula ? "\"'" : "\"", out);
    for (; *s; s++) {
        if (*s == '"')
            fputc('"', out);
        fputc(*s, out);
    }
    fputc('"', out);
}

static void csv_cell(const struct lw_cell *c, FILE *out)
{
    char when[LW_WHEN_SIZE];

    if (c->type == LW_CELL_TEXT) {
        csv_text(c->text, out);
    } else if (c->type == LW_CELL_TIME) {
        lw_when_print((time_t)c->n, when);
        fputs(when, out);
    } else if (c->type != LW_CELL_NONE) {
        put_plain(c, out);
    }
}

void lw_sheet_csv_header(const struct lw_sheet *t, FILE *out)
{
    size_t i;

    for (i = 0; i < t->ncolumns; i++)
        fprintf(out, "%s%s", i ? "," : "", t->columns[i].key);
    fputc('\n', out);
}

void lw_sheet_csv_row(const struct lw_sheet *t, size_t row, FILE *out)
{
    size_t i;

    for (i = 0; i < t->ncolumns; i++) {
        if (i)
            fputc(',', out);
        csv_cell(lw_sheet_cell(t, row, i), out);
    }
    fputc('\n', out);
}

void lw_sheet_print_csv(const struct lw_sheet *t, FILE *out)
{
    size_t row, n = lw_sheet_rows(t);

    lw_sheet_csv_header(t, out);
    for (row = 0; row < n; row++)
        lw_sheet_csv_row(t, row, out);
}

static void json_cell(const struct lw_cell *c, FILE *out)
{
    char when[LW_WHEN_SIZE];

    if (c->type == LW_CELL_TEXT) {
        lw_table_json_text(c->text, out);
    } else if (c->type == LW_CELL_TIME) {
        lw_when_print((time_t)c->n, when);
        fprintf(out, "\"%s\"", when);
    } else if (c->type == LW_CELL_NONE) {
        fputs("null", out);
    } else {
        put_plain(c, out);
    }
}

void lw_sheet_json_row(const struct lw_sheet *t, size_t row, FILE *out)
{
    size_t i;

    fputc('{', out);
    for (i = 0; i < t->ncolumns; i++) {
        fprintf(out, "%s\"%s\": ", i ? ", " : "", t->columns[i].key);
        json_cell(lw_sheet_cell(t, row, i), out);
    }
    fputc('}', out);
}

void lw_sheet_print_json(const struct lw_sheet *t, FILE *out)
{
    size_t row, n = lw_sheet_rows(t);

    fputc('[', out);
    for (row = 0; row < n; row++) {
        fputs(row ? ",\n    " : "\n    ", out);
        lw_sheet_json_row(t, row, out);
    }
    fputs(n ? "\n  ]" : "]", out);
}
