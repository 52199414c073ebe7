/* SPDX-License-Identifier: GPL-2.0-or-later */
/* section.c - our marked part of a file that others write in too */
#include "config.h"

#include "topology/fabric/writers.h"

#include <stdlib.h>
#include <string.h>

#define BEGIN_MARK "# BEGIN leafward"
#define END_MARK   "# END leafward"

/* Where the line that starts with 'mark' starts, from 'text' on. */
static const char *find_line(const char *text, const char *mark)
{
    const char *p = text;

    while ((p = strstr(p, mark))) {
        if (p == text || p[-1] == '\n')
            return p;
        p += strlen(mark);
    }
    return NULL;
}

static const char *next_line(const char *p)
{
    const char *end = strchr(p, '\n');

    return end ? end + 1 : p + strlen(p);
}

char *lw_section_find(const char *text)
{
    const char *begin = find_line(text, BEGIN_MARK), *end;

    if (!begin || !(end = find_line(begin, END_MARK)))
        return NULL;
    begin = next_line(begin);
    return begin <= end ? strndup(begin, (size_t)(end - begin)) : NULL;
}

static int line_number(const char *text, const char *at)
{
    int line = 1;

    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

/* The marks come in one pair, in this order; anything else is for a person
 * to mend, since guessing could lose what was written by hand. */
static int check_marks(const char *old, const char *begin, const char *end,
                       const char *source, lw_error_t *err)
{
    if (!begin && !end)
        return 0;
    if (!begin)
        return lw_err_at(err, source, line_number(old, end), 0,
                         "'%s' has no '%s' before it", END_MARK, BEGIN_MARK);
    if (!end || end < begin)
        return lw_err_at(err, source, line_number(old, begin), 0,
                         "'%s' has no '%s' after it", BEGIN_MARK, END_MARK);
    begin = find_line(next_line(begin), BEGIN_MARK);
    if (begin)
        return lw_err_at(err, source, line_number(old, begin), 0,
                         "a second '%s'", BEGIN_MARK);
    return 0;
}

char *lw_section_replace(const char *old, const char *section,
                         const char *source, lw_error_t *err)
{
    struct lw_buf b = LW_BUF_INIT(2 * LW_EXPORT_LIMIT);
    const char *begin, *end, *text = old ? old : "";
    char *out;

    begin = find_line(text, BEGIN_MARK);
    end = find_line(text, END_MARK);
    if (check_marks(text, begin, end, source, err) < 0)
        return NULL;
    if (!begin)
        begin = end = text + strlen(text);
    else
        end = next_line(end);
    lw_buf_add(&b, text, (size_t)(begin - text));
    if (b.len && b.text[b.len - 1] != '\n')
        lw_buf_puts(&b, "\n");
    lw_buf_puts(&b, BEGIN_MARK " - written by `leafward export`; what stands "
                               "between the marks is replaced\n");
    lw_buf_puts(&b, section);
    lw_buf_puts(&b, END_MARK "\n");
    lw_buf_puts(&b, end);
    if (!(out = lw_buf_take(&b)))
        lw_err(err, "%s: out of memory, or too large", source);
    return out;
}
