/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sheet_text.c - a table for a terminal of any width */
#include "config.h"

#include "lib/plural.h"
#include "lib/sheet.h"

#include <stdlib.h>
#include <string.h>

#define GAP       2
#define NARROWEST 8 /* a text column is cut to this before one is left out */

/* How one table is laid out on the lines there are. */
struct layout {
    size_t *widths; /* of each column, 0 for one left out */
    size_t dropped;
};

static const char *cell_text(const struct lw_cell *c, char *buf)
{
    return c->type == LW_CELL_TEXT ? c->text : lw_cell_show(c, buf);
}

/* Characters of UTF-8 text. */
static size_t text_width(const char *s)
{
    size_t n = 0;

    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

static int is_text_column(const struct lw_sheet *t, size_t col)
{
    size_t row, n = lw_sheet_rows(t);

    for (row = 0; row < n; row++)
        if (lw_sheet_cell(t, row, col)->type == LW_CELL_TEXT)
            return 1;
    return 0;
}

static size_t natural_width(const struct lw_sheet *t, size_t col)
{
    size_t w = text_width(t->columns[col].title), row, n = lw_sheet_rows(t), x;
    char buf[LW_CELL_SIZE];

    for (row = 0; row < n; row++) {
        x = text_width(cell_text(lw_sheet_cell(t, row, col), buf));
        if (x > w)
            w = x;
    }
    return w ? w : 1;
}

static size_t line_width(const struct lw_sheet *t, const struct layout *l)
{
    size_t sum = 0, i;

    for (i = 0; i < t->ncolumns; i++)
        if (l->widths[i])
            sum += l->widths[i] + GAP;
    return sum;
}

/* Take 'over' characters from the widest text column from 'first' on; how
 * many were got. */
static size_t shrink(const struct lw_sheet *t, struct layout *l, size_t first,
                     size_t over)
{
    size_t best = t->ncolumns, i, spare;

    for (i = first; i < t->ncolumns; i++)
        if (l->widths[i] > NARROWEST && is_text_column(t, i) &&
            (best == t->ncolumns || l->widths[i] > l->widths[best]))
            best = i;
    if (best == t->ncolumns)
        return 0;
    spare = l->widths[best] - NARROWEST;
    if (spare > over)
        spare = over;
    l->widths[best] -= spare;
    return spare;
}

/* Leave out the column that can best be missed; 0 when none may go. */
static int drop_one(const struct lw_sheet *t, struct layout *l)
{
    size_t best = t->ncolumns, i;

    for (i = 0; i < t->ncolumns; i++)
        if (l->widths[i] && t->columns[i].drop > 0 &&
            (best == t->ncolumns ||
             t->columns[i].drop >= t->columns[best].drop))
            best = i;
    if (best == t->ncolumns)
        return 0;
    l->widths[best] = 0;
    l->dropped++;
    return 1;
}

static int lay_out(const struct lw_sheet *t, size_t width, struct layout *l)
{
    size_t i, over;

    l->dropped = 0;
    if (!(l->widths = calloc(t->ncolumns + 1, sizeof(*l->widths))))
        return -1;
    for (i = 0; i < t->ncolumns; i++)
        l->widths[i] = natural_width(t, i);
    while (width && line_width(t, l) > width + GAP) {
        over = line_width(t, l) - width - GAP;
        /* the first column says what a row is: it is cut last */
        if (!shrink(t, l, 1, over) && !drop_one(t, l) && !shrink(t, l, 0, over))
            break;
    }
    return 0;
}

/* Control characters could move the cursor or change its colours. */
static void put_safe(const char *s, size_t chars, FILE *out)
{
    unsigned char c;

    for (; (c = (unsigned char)*s); s++) {
        if ((c & 0xc0) != 0x80 && chars-- == 0)
            return;
        if (c == 0xc2 && (unsigned char)s[1] < 0xa0 && s[1]) {
            fputc('?', out); /* U+0080..9f: controls as well */
            s++;
        } else {
            fputc(c < 0x20 || c == 0x7f ? '?' : c, out);
        }
    }
}

static void pad(size_t n, FILE *out)
{
    while (n--)
        fputc(' ', out);
}

/* One field, cut with an ellipsis when it is too long. */
static void put_field(const char *s, size_t width, int right, int last,
                      FILE *out)
{
    size_t n = text_width(s);

    if (n > width) {
        put_safe(s, width - 1, out);
        fputs("\xe2\x80\xa6", out);
        n = width;
    } else {
        if (right)
            pad(width - n, out);
        put_safe(s, n, out);
    }
    if (!last)
        pad((right ? 0 : width - n) + GAP, out);
}

static size_t last_column(const struct lw_sheet *t, const struct layout *l)
{
    size_t i = t->ncolumns;

    while (i > 1 && !l->widths[i - 1])
        i--;
    return i - 1;
}

static void put_header(const struct lw_sheet *t, const struct layout *l,
                       FILE *out)
{
    size_t i, last = last_column(t, l);

    for (i = 0; i < t->ncolumns; i++)
        if (l->widths[i])
            put_field(t->columns[i].title, l->widths[i], !is_text_column(t, i),
                      i == last, out);
}

static void put_row(const struct lw_sheet *t, const struct layout *l,
                    size_t row, FILE *out)
{
    size_t i, last = last_column(t, l);
    const struct lw_cell *c;
    char buf[LW_CELL_SIZE];

    while (last && !*cell_text(lw_sheet_cell(t, row, last), buf))
        last--; /* no spaces at the end of a line */
    for (i = 0; i <= last; i++) {
        if (!l->widths[i])
            continue;
        c = lw_sheet_cell(t, row, i);
        put_field(cell_text(c, buf), l->widths[i],
                  c->type != LW_CELL_TEXT && !is_text_column(t, i), i == last,
                  out);
    }
    fputc('\n', out);
}

/* Sentences, broken between words. */
static void put_note(const char *s, size_t width, FILE *out)
{
    size_t at = 0, n;

    while (*s) {
        n = strcspn(s, " ");
        if (at && width && at + 1 + text_width(s) - text_width(s + n) > width) {
            fputc('\n', out);
            at = 0;
        }
        if (at)
            fputc(' ', out);
        at += (at != 0) + n;
        put_safe(s, n, out);
        s += n + (s[n] == ' ');
    }
    fputc('\n', out);
}

void lw_sheet_print_text(const struct lw_sheet *t, const struct lw_style *style,
                         FILE *out)
{
    size_t row, all = lw_sheet_rows(t);
    size_t n =
        style->rows && all > style->rows && !t->whole ? style->rows : all;
    struct layout l;
    char note[100];

    if (lay_out(t, style->width, &l) < 0)
        return;
    if (t->title[0])
        fprintf(out, "%s%s%s\n", style->colour ? "\033[1m" : "", t->title,
                style->colour ? "\033[0m" : "");
    if (n) {
        fputs(style->colour ? "\033[2m" : "", out);
        put_header(t, &l, out);
        fputs(style->colour ? "\033[0m\n" : "\n", out);
    }
    for (row = 0; row < n; row++)
        put_row(t, &l, row, out);
    if (n < all) {
        snprintf(note, sizeof(note), "(%zu more %s with --rows=all)", all - n,
                 lw_plural(all - n, "row", "rows"));
        put_note(note, style->width, out);
    }
    if (t->note[0])
        put_note(t->note, style->width, out);
    if (l.dropped) {
        snprintf(note, sizeof(note),
                 "(%zu more %s in a wider window or with --format csv)",
                 l.dropped, lw_plural(l.dropped, "column", "columns"));
        put_note(note, style->width, out);
    }
    free(l.widths);
}
