/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jscan.c - one JSON object into a C structure, without a tree between */
#include "config.h"

#include "lib/jscan.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 32 /* deeper nesting is refused */

/* The text ends in a NUL, so that one look ahead is always allowed. */
struct scan {
    char *p;
    const char *base, *end;
    const char *want; /* what was expected where it went wrong */
    int depth;
};

static int object(struct scan *s, const struct lw_jscan_field *fields,
                  void *target);
static int skip_value(struct scan *s);

static int fail(struct scan *s, const char *want)
{
    if (!s->want)
        s->want = want;
    return -1;
}

static void space(struct scan *s)
{
    while (*s->p == ' ' || *s->p == '\t' || *s->p == '\r')
        s->p++;
}

/* Step over 'c' and the space behind it; 1 when it was there. */
static int step(struct scan *s, char c)
{
    space(s);
    if (*s->p != c)
        return 0;
    s->p++;
    space(s);
    return 1;
}

/* The quote that ends the text starting at 'p', or NULL; '*escaped' says
 * whether there is anything to decode. */
static char *text_end(struct scan *s, int *escaped)
{
    char *p = s->p;

    *escaped = 0;
    for (;; p++) {
        if (*p == '"')
            return p;
        if (*p == '\\' && p[1]) {
            *escaped = 1;
            p++;
        } else if ((unsigned char)*p < 0x20) {
            s->p = p;
            fail(s, "the end of a text");
            return NULL;
        }
    }
}

static int hex4(const char *p, unsigned *out)
{
    unsigned v = 0, i, c;

    for (i = 0; i < 4; i++) {
        c = (unsigned char)p[i];
        if (c >= '0' && c <= '9')
            c -= '0';
        else if ((c | 32) >= 'a' && (c | 32) <= 'f')
            c = (c | 32) - 'a' + 10;
        else
            return -1;
        v = v << 4 | c;
    }
    *out = v;
    return 0;
}

/* The code point of "\uXXXX" (p is behind the u), a surrogate pair joined;
 * returns the characters used, 0 when it is none. */
static size_t code_point(const char *p, unsigned *out)
{
    unsigned low;

    if (hex4(p, out) < 0)
        return 0;
    if (*out < 0xd800 || *out > 0xdfff)
        return 4;
    if (*out > 0xdbff || p[4] != '\\' || p[5] != 'u' || hex4(p + 6, &low) < 0 ||
        low < 0xdc00 || low > 0xdfff)
        return 0;
    *out = 0x10000 + ((*out & 0x3ff) << 10) + (low & 0x3ff);
    return 10;
}

static char *put_utf8(char *to, unsigned c)
{
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xc0 | c >> 6);
        *to++ = (char)(0x80 | (c & 63));
    } else if (c < 0x10000) {
        *to++ = (char)(0xe0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 63));
        *to++ = (char)(0x80 | (c & 63));
    } else {
        *to++ = (char)(0xf0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 63));
        *to++ = (char)(0x80 | (c >> 6 & 63));
        *to++ = (char)(0x80 | (c & 63));
    }
    return to;
}

/* Decode one escape at '*from' (behind the backslash) to '*to'. A NUL would
 * cut the text off and becomes a space. */
static int unescape(const char **from, char **to)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char *at;
    unsigned c;
    size_t n;

    if (**from != 'u') {
        if (!**from || !(at = strchr(names, **from)))
            return -1;
        *(*to)++ = values[at - names];
        (*from)++;
        return 0;
    }
    if (!(n = code_point(*from + 1, &c)))
        return -1;
    *to = put_utf8(*to, c ? c : ' ');
    *from += 1 + n;
    return 0;
}

/* Decode in place: the result is never longer. */
static int decode(struct scan *s, char *text, const char *end)
{
    const char *from = text;
    char *to = text;

    while (from < end) {
        if (*from != '\\') {
            *to++ = *from++;
            continue;
        }
        from++;
        if (unescape(&from, &to) < 0) {
            s->p = text + (from - text);
            return fail(s, "an escape of JSON");
        }
    }
    *to = '\0';
    return 0;
}

/* A text, decoded; s->p is behind the opening quote. */
static char *text(struct scan *s)
{
    char *start = s->p, *end;
    int escaped;

    if (!(end = text_end(s, &escaped)))
        return NULL;
    if (escaped && decode(s, start, end) < 0)
        return NULL;
    if (!escaped)
        *end = '\0';
    s->p = end + 1;
    return start;
}

static int skip_text(struct scan *s)
{
    int escaped;
    char *end = text_end(s, &escaped);

    if (!end)
        return -1;
    s->p = end + 1;
    return 0;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits and their value, which stops growing at 18 of them. */
static size_t digits(struct scan *s, uint64_t *value)
{
    const char *start = s->p;

    for (; is_digit(*s->p); s->p++)
        if (*value < 100000000000000000ULL)
            *value = *value * 10 + (uint64_t)(*s->p - '0');
    return (size_t)(s->p - start);
}

static long clamp(double v)
{
    return v >= 9e18 ? LONG_MAX : v <= -9e18 ? LONG_MIN : (long)v;
}

/* A number: exact as long as it has at most 15 digits and no exponent. */
static int number(struct scan *s, long *whole, double *exact)
{
    static const double tens[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const char *start = s->p;
    int minus = *s->p == '-';
    uint64_t v = 0, all;
    size_t nint, nfrac = 0;

    s->p += minus;
    if (!(nint = digits(s, &v)) || (nint > 1 && start[minus] == '0'))
        return fail(s, "a number");
    all = v;
    if (*s->p == '.') {
        s->p++;
        if (!(nfrac = digits(s, &all)))
            return fail(s, "digits");
    }
    *whole = minus ? -(long)v : (long)v;
    if ((*s->p | 32) != 'e' && nint + nfrac <= 15) {
        *exact = (minus ? -(double)all : (double)all) / tens[nfrac];
        return 0;
    }
    *exact = strtod(start, &s->p);
    if (s->p == start + minus + nint)
        *whole = strtol(start, NULL, 10);
    else
        *whole = clamp(*exact);
    return 0;
}

/* true, false or null: 1, 0 or -1 in '*value'. */
static int word(struct scan *s, int *value)
{
    static const struct {
        const char *word;
        size_t len;
        int value;
    } words[] = {{"true", 4, 1}, {"false", 5, 0}, {"null", 4, -1}};
    size_t i;

    for (i = 0; i < 3; i++) {
        if (strncmp(s->p, words[i].word, words[i].len) == 0) {
            s->p += words[i].len;
            *value = words[i].value;
            return 0;
        }
    }
    return fail(s, "a value");
}

static int skip_members(struct scan *s, char close)
{
    if (step(s, close))
        return 0;
    do {
        if (close == '}') {
            if (*s->p != '"')
                return fail(s, "a name in quotes");
            s->p++;
            if (skip_text(s) < 0)
                return -1;
            if (!step(s, ':'))
                return fail(s, "':'");
        }
        if (skip_value(s) < 0)
            return -1;
    } while (step(s, ','));
    return step(s, close) ? 0
                          : fail(s, close == '}' ? "',' or '}'" : "',' or ']'");
}

static int skip_nested(struct scan *s, char close)
{
    int rc;

    if (++s->depth > DEPTH)
        return fail(s, "less nesting");
    s->p++;
    rc = skip_members(s, close);
    s->depth--;
    return rc;
}

static int skip_value(struct scan *s)
{
    double exact;
    long whole;
    int value;

    switch (*s->p) {
    case '"':
        s->p++;
        return skip_text(s);
    case '{':
        return skip_nested(s, '}');
    case '[':
        return skip_nested(s, ']');
    case '-':
        return number(s, &whole, &exact);
    default:
        return is_digit(*s->p) ? number(s, &whole, &exact) : word(s, &value);
    }
}

static int keep_longs(struct scan *s, struct lw_jscan_longs *out)
{
    double exact;
    long v;

    out->n = 0;
    s->p++;
    if (step(s, ']'))
        return 0;
    do {
        space(s);
        if (*s->p != '-' && !is_digit(*s->p))
            v = -1;
        if ((*s->p == '-' || is_digit(*s->p)) ? number(s, &v, &exact) < 0
                                              : skip_value(s) < 0)
            return -1;
        if (out->n++ < out->max)
            out->v[out->n - 1] = v;
    } while (step(s, ','));
    return step(s, ']') ? 0 : fail(s, "',' or ']'");
}

static int keep_number(struct scan *s, const struct lw_jscan_field *f,
                       void *slot)
{
    double exact;
    long whole;

    if (number(s, &whole, &exact) < 0)
        return -1;
    if (f->type == LW_JSCAN_LONG)
        *(long *)slot = whole;
    else
        *(double *)slot = exact;
    return 0;
}

static int keep_bool(struct scan *s, int *slot)
{
    int value;

    if (word(s, &value) < 0)
        return -1;
    if (value >= 0)
        *slot = value;
    return 0;
}

static int keep_text(struct scan *s, char **slot)
{
    char *t;

    s->p++;
    if (!(t = text(s)))
        return -1;
    *slot = t;
    return 0;
}

static int keep_raw(struct scan *s, struct lw_jscan_raw *slot)
{
    char *start = s->p;

    if (skip_value(s) < 0)
        return -1;
    slot->text = start;
    slot->len = (size_t)(s->p - start);
    return 0;
}

/* Keep the value if it is of the field's type, else only check it. */
static int keep_value(struct scan *s, const struct lw_jscan_field *f,
                      void *target)
{
    void *slot = (char *)target + f->offset;
    char c = *s->p;

    if (f->type == LW_JSCAN_TEXT && c == '"')
        return keep_text(s, slot);
    if (f->type <= LW_JSCAN_DOUBLE && (c == '-' || is_digit(c)))
        return keep_number(s, f, slot);
    if (f->type == LW_JSCAN_OBJECT && c == '{')
        return object(s, f->fields, slot);
    if (f->type == LW_JSCAN_BOOL && (c == 't' || c == 'f'))
        return keep_bool(s, slot);
    if (f->type == LW_JSCAN_LONGS && c == '[')
        return keep_longs(s, slot);
    if (f->type == LW_JSCAN_RAW)
        return keep_raw(s, slot);
    return skip_value(s);
}

/* The field of a name. The writer's order is the table's order, so the one
 * behind the last is nearly always the one. */
static const struct lw_jscan_field *
find_field(const struct lw_jscan_field *fields,
           const struct lw_jscan_field **next, const char *key, size_t len)
{
    const struct lw_jscan_field *f = *next;

    if (!f->key || f->len != len || memcmp(f->key, key, len) != 0)
        for (f = fields; f->key; f++)
            if (f->len == len && memcmp(f->key, key, len) == 0)
                break;
    if (!f->key)
        return NULL;
    *next = f + 1;
    return f;
}

static int member(struct scan *s, const struct lw_jscan_field *fields,
                  const struct lw_jscan_field **next, void *target)
{
    const struct lw_jscan_field *f;
    char *key = s->p, *end;
    int escaped;

    if (!(end = text_end(s, &escaped)))
        return -1;
    s->p = end + 1;
    if (!step(s, ':'))
        return fail(s, "':'");
    f = find_field(fields, next, key, (size_t)(end - key));
    return f ? keep_value(s, f, target) : skip_value(s);
}

static int members(struct scan *s, const struct lw_jscan_field *fields,
                   void *target)
{
    const struct lw_jscan_field *next = fields;

    s->p++;
    if (step(s, '}'))
        return 0;
    do {
        if (*s->p != '"')
            return fail(s, "a name in quotes");
        s->p++;
        if (member(s, fields, &next, target) < 0)
            return -1;
    } while (step(s, ','));
    return step(s, '}') ? 0 : fail(s, "',' or '}'");
}

static int object(struct scan *s, const struct lw_jscan_field *fields,
                  void *target)
{
    int rc;

    if (++s->depth > DEPTH)
        return fail(s, "less nesting");
    rc = members(s, fields, target);
    s->depth--;
    return rc;
}

int lw_jscan(char *line, size_t len, const struct lw_jscan_field *fields,
             void *target, lw_error_t *err)
{
    struct scan s = {.p = line, .base = line, .end = line + len};
    int rc;

    space(&s);
    rc = *s.p == '{' ? object(&s, fields, target) : fail(&s, "'{'");
    if (rc == 0) {
        space(&s);
        if (s.p != s.end)
            rc = fail(&s, "nothing behind the object");
    }
    if (rc < 0 && err && !err->text[0]) {
        lw_err(err, "expected %s", s.want);
        err->col = (int)(s.p - s.base) + 1;
    }
    return rc;
}

/* Stand on the next element of an array; 1, 0 when there is none. */
static int element(struct scan *s, const struct lw_jscan_raw *array)
{
    s->p = array->text;
    if (!array->len || (*s->p != '[' && *s->p != ','))
        return 0;
    s->p++;
    space(s);
    return *s->p != ']';
}

/* Step over the element that was read. */
static int stepped(struct scan *s, struct lw_jscan_raw *array)
{
    space(s);
    array->len -= (size_t)(s->p - array->text);
    array->text = s->p;
    return 1;
}

int lw_jscan_next(struct lw_jscan_raw *array,
                  const struct lw_jscan_field *fields, void *target)
{
    struct scan s = {0};

    if (!element(&s, array))
        return 0;
    if (*s.p != '{' || object(&s, fields, target) < 0)
        return -1;
    return stepped(&s, array);
}

int lw_jscan_next_text(struct lw_jscan_raw *array, char **out)
{
    struct scan s = {0};

    if (!element(&s, array))
        return 0;
    if (*s.p != '"' || keep_text(&s, out) < 0)
        return -1;
    return stepped(&s, array);
}
