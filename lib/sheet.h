/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sheet.h - a table of typed cells, and one printer a format */
#ifndef LW_SHEET_H
#define LW_SHEET_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum lw_cell_type {
    LW_CELL_NONE, /* no value: "-", null, empty */
    LW_CELL_TEXT,
    LW_CELL_COUNT,
    LW_CELL_NUMBER,  /* one digit behind the point for people */
    LW_CELL_SHARE,   /* 0..1, a percentage for people */
    LW_CELL_SECONDS, /* "2h05m" for people */
    LW_CELL_TIME     /* seconds since 1970 */
};

struct lw_cell {
    enum lw_cell_type type;
    long n;
    double x;
    char *text;
};

/* 'key' names the column to programs, 'title' to people. When a table does
 * not fit, the column of the highest 'drop' goes first; 0 never goes. */
struct lw_column {
    const char *key;
    const char *title;
    int drop;
};

/* Rows are filled cell by cell from the left. A failed allocation sticks in
 * 'failed' and is asked for once, at the end. */
struct lw_sheet {
    const char *name;
    char title[200];
    char note[400]; /* sentences below the table, "" for none */
    const struct lw_column *columns;
    size_t ncolumns;
    struct lw_cell *cells;
    size_t ncells, size;
    int failed;
    int whole; /* short: never cut to lw_style.rows */
};

/* 'name' and 'columns' (ended by a NULL key) are borrowed. */
void lw_sheet_init(struct lw_sheet *t, const char *name,
                   const struct lw_column *columns);
void lw_sheet_free(struct lw_sheet *t);
size_t lw_sheet_rows(const struct lw_sheet *t);
const struct lw_cell *lw_sheet_cell(const struct lw_sheet *t, size_t row,
                                    size_t column);

/* Append a cell. A NULL text, a negative count, share, number or duration
 * and a time of 0 become "no value". */
void lw_sheet_text(struct lw_sheet *t, const char *text);
void lw_sheet_count(struct lw_sheet *t, long n);
void lw_sheet_number(struct lw_sheet *t, double x);
void lw_sheet_share(struct lw_sheet *t, double part, double whole);
void lw_sheet_seconds(struct lw_sheet *t, double seconds);
void lw_sheet_time(struct lw_sheet *t, int64_t when);

/* How texts of people look: escapes for a terminal or plain. */
struct lw_style {
    size_t width; /* characters a line, 0 for no limit */
    size_t rows;  /* shown at most, 0 for all */
    int colour;
};

/* Bytes enough for every cell that is not a text. */
#define LW_CELL_SIZE 48
/* A cell that is not a text as people read it. Returns 'out'. */
const char *lw_cell_show(const struct lw_cell *cell, char out[LW_CELL_SIZE]);

/* Title, header, rows and note; columns that do not fit are left out and
 * the note says so. Control characters in texts are shown as '?'. */
void lw_sheet_print_text(const struct lw_sheet *t, const struct lw_style *style,
                         FILE *out);
/* RFC 4180 (but lines end in LF) with a header line; raw values (seconds, 0..1, RFC 3339). A text
 * that a spreadsheet would take for a formula gets a quote before it. */
void lw_sheet_print_csv(const struct lw_sheet *t, FILE *out);
void lw_sheet_csv_header(const struct lw_sheet *t, FILE *out);
void lw_sheet_csv_row(const struct lw_sheet *t, size_t row, FILE *out);
/* A JSON array with one object a row, keys being the columns' keys. */
void lw_sheet_print_json(const struct lw_sheet *t, FILE *out);
void lw_sheet_json_row(const struct lw_sheet *t, size_t row, FILE *out);
/* The rows (0: all) as an HTML table that scrolls by itself, and the note. */
void lw_sheet_print_html(const struct lw_sheet *t, size_t rows, FILE *out);
/* A text with what HTML would take for markup escaped. */
void lw_html_text(const char *text, FILE *out);
/* A text as a JSON text with its quotes. */
void lw_table_json_text(const char *text, FILE *out);

#endif
