/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gres.c - counts of GPUs in what Slurm prints of nodes and jobs */
#include "config.h"

#include "slurmapi/gres.h"

#include <stdlib.h>
#include <string.h>

/* The end of the item at 's': a comma or semicolon outside parentheses. */
static const char *item_end(const char *s)
{
    int depth = 0;

    for (; *s; s++) {
        if (*s == '(')
            depth++;
        else if (*s == ')' && depth > 0)
            depth--;
        else if (depth == 0 && (*s == ',' || *s == ';'))
            break;
    }
    return s;
}

static long suffix(char c)
{
    switch (c) {
    case 'k':
    case 'K':
        return 1024;
    case 'm':
    case 'M':
        return 1024 * 1024L;
    default:
        return 1;
    }
}

/* "4", "4K": the number that fills 's' up to 'end'; -1 when it is a type. */
static long count_of(const char *s, const char *end)
{
    char *stop;
    long n;

    if (s == end || *s < '0' || *s > '9')
        return -1;
    n = strtol(s, &stop, 10);
    if (stop < end && suffix(*stop) > 1)
        n *= suffix(*stop++);
    return stop == end ? n : -1;
}

/* What follows "gpu": [:TYPE][(:|=)COUNT][(..)] */
static void read_item(const char *s, const char *end, struct lw_gres_item *item)
{
    const char *paren = memchr(s, '(', (size_t)(end - s));
    const char *last;
    long n;

    memset(item, 0, sizeof(*item));
    item->count = 1;
    if (paren)
        end = paren;
    if (s == end)
        return;
    for (last = end; last > s && last[-1] != ':' && last[-1] != '=';)
        last--;
    if ((n = count_of(last, end)) >= 0) {
        item->count = n;
        end = last - 1;
    }
    if (end > s + 1) {
        item->type = s + 1;
        item->type_len = (size_t)(end - s - 1);
    }
}

bool lw_gres_next(const char **text, struct lw_gres_item *item)
{
    const char *s = *text;

    while (s && *s) {
        const char *end = item_end(s);
        const char *name = s;

        if (strncmp(name, "gres:", 5) == 0 || strncmp(name, "gres/", 5) == 0)
            name += 5;
        s = *end ? end + 1 : end;
        if (strncmp(name, "gpu", 3) == 0 && strchr(":=(,;", name[3])) {
            read_item(name + 3, end, item);
            *text = s;
            return true;
        }
    }
    *text = s;
    return false;
}

long lw_gres_gpus(const char *text)
{
    long typed = 0, untyped = 0;
    struct lw_gres_item item;

    while (lw_gres_next(&text, &item)) {
        if (item.type_len)
            typed += item.count;
        else
            untyped += item.count;
    }
    return untyped > typed ? untyped : typed;
}

const char *lw_gres_type(const char *text, size_t *len)
{
    struct lw_gres_item item;
    const char *type = NULL;

    while (lw_gres_next(&text, &item)) {
        if (!item.type_len)
            continue;
        if (type && (item.type_len != *len ||
                     memcmp(type, item.type, item.type_len) != 0))
            return NULL;
        type = item.type;
        *len = item.type_len;
    }
    return type;
}
