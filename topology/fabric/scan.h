/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scan.h - walking over one line of text, for the readers */
#ifndef LW_SCAN_H
#define LW_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The rest of a line: bytes from 'p' up to 'end'. Every lw_scan_ function
 * moves 'p' only when it returns true. */
struct lw_scan {
    const char *p, *end;
};

static inline bool lw_scan_more(const struct lw_scan *s)
{
    return s->p < s->end;
}

static inline void lw_scan_blanks(struct lw_scan *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t'))
        s->p++;
}

static inline bool lw_scan_char(struct lw_scan *s, char c)
{
    if (s->p >= s->end || *s->p != c)
        return false;
    s->p++;
    return true;
}

static inline bool lw_scan_word(struct lw_scan *s, const char *word)
{
    size_t n = strlen(word);

    if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0)
        return false;
    s->p += n;
    return true;
}

/* A decimal number of at most 9 digits. */
static inline bool lw_scan_uint(struct lw_scan *s, unsigned *out)
{
    const char *p = s->p;
    unsigned n = 0;

    while (p < s->end && *p >= '0' && *p <= '9' && p - s->p < 9)
        n = n * 10 + (unsigned)(*p++ - '0');
    if (p == s->p)
        return false;
    s->p = p;
    *out = n;
    return true;
}

/* The value of a hexadecimal digit, above 15 for anything else. */
static inline unsigned lw_scan_digit(unsigned char c)
{
    unsigned low = (c | 32U) - 'a';

    if (c - (unsigned)'0' < 10)
        return c - (unsigned)'0';
    return low < 6 ? low + 10 : 16;
}

/* 1 to 16 hexadecimal digits, "0x" in front or not. */
static inline bool lw_scan_hex(struct lw_scan *s, uint64_t *out)
{
    const char *p = s->p, *first;
    uint64_t n = 0;
    unsigned d;

    if (s->end - p > 2 && p[0] == '0' && (p[1] | 32) == 'x')
        p += 2;
    for (first = p; p < s->end && p - first < 16; p++) {
        if ((d = lw_scan_digit((unsigned char)*p)) > 15)
            break;
        n = n << 4 | d;
    }
    if (p == first)
        return false;
    s->p = p;
    *out = n;
    return true;
}

/* The next line of [*at, end) without its end of line (LF or CR LF); false
 * when there is none. */
static inline bool lw_scan_line(const char **at, const char *end,
                                struct lw_scan *line)
{
    const char *nl;

    if (*at >= end)
        return false;
    nl = memchr(*at, '\n', (size_t)(end - *at));
    line->p = *at;
    line->end = nl ? nl : end;
    *at = nl ? nl + 1 : end;
    if (line->end > line->p && line->end[-1] == '\r')
        line->end--;
    return true;
}

#endif
