/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.c - JSON text into a buffer, one member after the other */
#include "config.h"

#include "lib/json.h"

#include <stdint.h>
#include <string.h>

/* Length of the UTF-8 sequence at 's', 0 when it is none. */
static size_t utf8(const unsigned char *s)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = *s < 0x80             ? 1
               : (*s & 0xe0) == 0xc0 ? 2
               : (*s & 0xf0) == 0xe0 ? 3
               : (*s & 0xf8) == 0xf0 ? 4
                                     : 0;
    uint32_t c = n > 1 ? *s & (0x7fU >> n) : *s;
    size_t i;

    for (i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3fU);
    }
    if (n > 1 && (c < least[n] || c > 0x10ffff || (c & 0x1ff800) == 0xd800))
        return 0;
    return n;
}

/* One character that does not stand for itself; returns its length. */
static size_t put_special(struct lw_buf *b, const unsigned char *s)
{
    size_t n = 1;

    if (*s == '"' || *s == '\\')
        lw_buf_printf(b, "\\%c", *s);
    else if (*s < 0x20 || *s == 0x7f)
        lw_buf_printf(b, "\\u%04x", *s);
    else if ((n = utf8(s)))
        lw_buf_add(b, (const char *)s, n);
    else
        lw_buf_puts(b, "\xef\xbf\xbd");
    return n ? n : 1;
}

static void put_string(struct lw_buf *b, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t n;

    lw_buf_add(b, "\"", 1);
    while (*s) {
        for (n = 0; s[n] >= 0x20 && s[n] < 0x7f && s[n] != '"' && s[n] != '\\';)
            n++;
        if (n)
            lw_buf_add(b, (const char *)s, n);
        else
            n = put_special(b, s);
        s += n;
    }
    lw_buf_add(b, "\"", 1);
}

/* The comma is due unless something was opened just now. */
static void put_key(struct lw_buf *b, const char *key)
{
    char last = b->len ? b->text[b->len - 1] : '{';

    if (last != '{' && last != '[' && last != '\n')
        lw_buf_add(b, ",", 1);
    if (key)
        lw_buf_printf(b, "\"%s\":", key);
}

void lw_json_open(struct lw_buf *b, const char *key)
{
    if (key || b->len)
        put_key(b, key);
    lw_buf_add(b, "{", 1);
}

void lw_json_close(struct lw_buf *b)
{
    lw_buf_add(b, "}", 1);
}

void lw_json_open_array(struct lw_buf *b, const char *key)
{
    put_key(b, key);
    lw_buf_add(b, "[", 1);
}

void lw_json_close_array(struct lw_buf *b)
{
    lw_buf_add(b, "]", 1);
}

void lw_json_text(struct lw_buf *b, const char *key, const char *value)
{
    if (value) {
        put_key(b, key);
        put_string(b, value);
    }
}

void lw_json_number(struct lw_buf *b, const char *key, long value)
{
    if (value >= 0) {
        put_key(b, key);
        lw_buf_printf(b, "%ld", value);
    }
}

void lw_json_real(struct lw_buf *b, const char *key, double value)
{
    put_key(b, key);
    lw_buf_printf(b, "%.4g", value);
}

void lw_json_bool(struct lw_buf *b, const char *key, bool value)
{
    put_key(b, key);
    lw_buf_puts(b, value ? "true" : "false");
}

void lw_json_time_text(time_t value, char *out, size_t size)
{
    struct tm tm;

    *out = '\0';
    if (value > 0 && gmtime_r(&value, &tm))
        strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

void lw_json_time(struct lw_buf *b, const char *key, time_t value)
{
    char out[32];

    lw_json_time_text(value, out, sizeof(out));
    lw_json_text(b, key, *out ? out : NULL);
}

time_t lw_json_time_parse(const char *text)
{
    struct tm tm = {0};
    const char *end = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;

    if (end && *end == '.')
        end += 1 + strspn(end + 1, "0123456789");
    return end && strcmp(end, "Z") == 0 ? timegm(&tm) : -1;
}
