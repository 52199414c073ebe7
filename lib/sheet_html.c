/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sheet_html.c - a table for a web page */
#include "config.h"

#include "lib/plural.h"
#include "lib/sheet.h"

void lw_html_text(const char *s, FILE *out)
{
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;

        if (c == '&')
            fputs("&amp;", out);
        else if (c == '<')
            fputs("&lt;", out);
        else if (c == '>')
            fputs("&gt;", out);
        else if (c == '"')
            fputs("&quot;", out);
        else
            fputc(c < 0x20 || c == 0x7f ? '?' : c, out);
    }
}

static void put_head(const struct lw_sheet *t, FILE *out)
{
    size_t i;

    fputs("<thead><tr>", out);
    for (i = 0; i < t->ncolumns; i++) {
        fputs("<th scope=\"col\">", out);
        lw_html_text(t->columns[i].title[0] ? t->columns[i].title : "What",
                     out);
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n", out);
}

static void put_cell(const struct lw_cell *c, int first, FILE *out)
{
    char buf[LW_CELL_SIZE];

    fputs(first                     ? "<th scope=\"row\">"
          : c->type == LW_CELL_TEXT ? "<td>"
                                    : "<td class=\"n\">",
          out);
    lw_html_text(c->type == LW_CELL_TEXT ? c->text : lw_cell_show(c, buf), out);
    fputs(first ? "</th>" : "</td>", out);
}

void lw_sheet_print_html(const struct lw_sheet *t, size_t rows, FILE *out)
{
    size_t row, i, all = lw_sheet_rows(t);
    size_t n = rows && all > rows && !t->whole ? rows : all;

    if (n) {
        fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" "
              "aria-label=\"",
              out);
        lw_html_text(t->title[0] ? t->title : t->name, out);
        fputs("\"><table>\n", out);
        put_head(t, out);
        fputs("<tbody>\n", out);
    }
    for (row = 0; row < n; row++) {
        fputs("<tr>", out);
        for (i = 0; i < t->ncolumns; i++)
            put_cell(lw_sheet_cell(t, row, i), i == 0, out);
        fputs("</tr>\n", out);
    }
    if (n)
        fputs("</tbody></table></div>\n", out);
    if (n < all)
        fprintf(out, "<p class=\"note\">%zu more %s not shown.</p>\n", all - n,
                lw_plural(all - n, "row is", "rows are"));
    if (t->note[0]) {
        fputs("<p class=\"note\">", out);
        lw_html_text(t->note, out);
        fputs("</p>\n", out);
    }
}
