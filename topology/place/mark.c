/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mark.c - the mark that the plugin leaves in admin_comment */
#include "config.h"

#include "topology/place/mark.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = LW_MARK " ";

/* What stands behind " KEY=", NULL when the key is not there. */
static const char *find(const char *comment, const char *key)
{
    const char *at = comment;

    while ((at = strstr(at, key))) {
        if (at > comment && at[-1] == ' ')
            return at + strlen(key);
        at++;
    }
    return NULL;
}

/* The number behind " KEY=". */
static long value(const char *comment, const char *key)
{
    const char *at = find(comment, key);
    char *end;
    long n;

    if (!at || *at < '0' || *at > '9')
        return -1;
    n = strtol(at, &end, 10);
    return *end == ' ' || !*end ? n : -1;
}

static uint32_t hex(const char *comment, const char *key)
{
    const char *at = find(comment, key);
    char *end;
    unsigned long n;

    if (!at || strspn(at, "0123456789abcdef") != 8)
        return 0;
    n = strtoul(at, &end, 16);
    return *end == ' ' || !*end ? (uint32_t)n : 0;
}

static void read_own(const char *comment, struct lw_mark *m)
{
    const char *at = find(comment, "own=");
    size_t n = at ? strcspn(at, " ") : 0;

    if (n > LW_MARK_OWN) /* not ours: it would be let in again */
        m->sum = 0;
    if (n > LW_MARK_OWN)
        n = 0;
    if (n)
        memcpy(m->own, at, n);
    m->own[n] = '\0';
}

bool lw_mark_parse(const char *comment, struct lw_mark *m)
{
    if (!comment || strncmp(comment, head, sizeof(head) - 1) != 0)
        return false;
    m->subnode = strncmp(comment + sizeof(head) - 1, "sub-node ", 9) == 0;
    m->nodes = value(comment, "nodes=");
    m->groups = value(comment, "groups=");
    m->switches = value(comment, "switches=");
    m->excluded = value(comment, "excluded=");
    m->patience = value(comment, "patience=");
    m->sum = hex(comment, "sum=");
    read_own(comment, m);
    return true;
}

bool lw_mark_holds(const char *own)
{
    size_t n = strlen(own);

    return n <= LW_MARK_OWN && strspn(own, "abcdefghijklmnopqrstuvwxyz"
                                           "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                           "0123456789_.,[]-") == n;
}

static bool is_about_exclusions(const char *word)
{
    return strncmp(word, "excluded=", 9) == 0 ||
           strncmp(word, "own=", 4) == 0 || strncmp(word, "sum=", 4) == 0;
}

/* Append what fits; a cut text is noticed by its length. */
static size_t put(char *out, size_t size, size_t len, const char *text,
                  size_t n)
{
    if (len + n < size)
        memcpy(out + len, text, n);
    return len + n;
}

static size_t put_exclusions(char *out, size_t size, size_t len, long excluded,
                             const char *own, uint32_t sum)
{
    char text[LW_MARK_OWN + 64];
    int n = snprintf(text, sizeof(text), " excluded=%ld%s%s sum=%08x", excluded,
                     *own ? " own=" : "", own, (unsigned)sum);

    return put(out, size, len, text, (size_t)n);
}

int lw_mark_exclude(const char *comment, long excluded, const char *own,
                    uint32_t sum, char *out, size_t size)
{
    size_t len = 0, n;
    struct lw_mark m;

    *out = '\0';
    if (!lw_mark_parse(comment, &m) || !lw_mark_holds(own))
        return -1;
    for (; *comment; comment += n) {
        n = strspn(comment, " ");
        if (sum && strncmp(comment + n, "ref=", 4) == 0)
            len = put_exclusions(out, size, len, excluded, own, sum);
        n += strcspn(comment + n, " ");
        if (!is_about_exclusions(comment + strspn(comment, " ")))
            len = put(out, size, len, comment, n);
    }
    if (len >= size) {
        *out = '\0';
        return -1;
    }
    out[len] = '\0';
    return 0;
}
