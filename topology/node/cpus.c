/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpus.c - sets of CPU numbers as the kernel counts them */
#include "config.h"

#include "topology/node/cpus.h"

#include <ctype.h>
#include <string.h>

#define BIT(cpu) (1ULL << ((cpu) % 64))

void lw_cpus_set(struct lw_cpus *s, size_t cpu)
{
    if (cpu < LW_CPUS_MAX)
        s->word[cpu / 64] |= BIT(cpu);
}

bool lw_cpus_has(const struct lw_cpus *s, size_t cpu)
{
    return cpu < LW_CPUS_MAX && (s->word[cpu / 64] & BIT(cpu));
}

bool lw_cpus_empty(const struct lw_cpus *s)
{
    size_t i;

    for (i = 0; i < LW_CPUS_WORDS; i++)
        if (s->word[i])
            return false;
    return true;
}

size_t lw_cpus_count(const struct lw_cpus *s)
{
    size_t i, n = 0;

    for (i = 0; i < LW_CPUS_WORDS; i++)
        n += (size_t)__builtin_popcountll(s->word[i]);
    return n;
}

bool lw_cpus_equal(const struct lw_cpus *a, const struct lw_cpus *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

bool lw_cpus_overlap(const struct lw_cpus *a, const struct lw_cpus *b)
{
    size_t i;

    for (i = 0; i < LW_CPUS_WORDS; i++)
        if (a->word[i] & b->word[i])
            return true;
    return false;
}

bool lw_cpus_within(const struct lw_cpus *part, const struct lw_cpus *whole)
{
    size_t i;

    for (i = 0; i < LW_CPUS_WORDS; i++)
        if (part->word[i] & ~whole->word[i])
            return false;
    return true;
}

void lw_cpus_or(struct lw_cpus *to, const struct lw_cpus *from)
{
    size_t i;

    for (i = 0; i < LW_CPUS_WORDS; i++)
        to->word[i] |= from->word[i];
}

void lw_cpus_and(struct lw_cpus *to, const struct lw_cpus *from)
{
    size_t i;

    for (i = 0; i < LW_CPUS_WORDS; i++)
        to->word[i] &= from->word[i];
}

void lw_cpus_drop(struct lw_cpus *to, const struct lw_cpus *from)
{
    size_t i;

    for (i = 0; i < LW_CPUS_WORDS; i++)
        to->word[i] &= ~from->word[i];
}

long lw_cpus_next(const struct lw_cpus *s, size_t from)
{
    size_t i = from / 64;
    unsigned long long word;

    if (from >= LW_CPUS_MAX)
        return -1;
    word = s->word[i] & (~0ULL << (from % 64));
    while (!word) {
        if (++i == LW_CPUS_WORDS)
            return -1;
        word = s->word[i];
    }
    return (long)(i * 64) + __builtin_ctzll(word);
}

/* One number at '*at'; -1 when there is none or it is too large. */
static int number(const char **at, const char *end, size_t *out)
{
    size_t n = 0;

    if (*at == end || !isdigit((unsigned char)**at))
        return -1;
    for (; *at < end && isdigit((unsigned char)**at); (*at)++) {
        n = n * 10 + (size_t)(**at - '0');
        if (n >= LW_CPUS_MAX)
            return -1;
    }
    *out = n;
    return 0;
}

/* One "a" or "a-b" at '*at'. */
static int range(const char **at, const char *end, struct lw_cpus *s)
{
    size_t first, last;

    if (number(at, end, &first) < 0)
        return -1;
    last = first;
    if (*at < end && **at == '-') {
        (*at)++;
        if (number(at, end, &last) < 0 || last < first)
            return -1;
    }
    for (; first <= last; first++)
        lw_cpus_set(s, first);
    return 0;
}

int lw_cpus_parse(const char *text, size_t len, struct lw_cpus *s,
                  lw_error_t *err)
{
    const char *at = text, *end = text + len;
    struct lw_cpus got = {{0}};

    while (at < end) {
        if (range(&at, end, &got) < 0 || (at < end && *at++ != ',') ||
            (at == end && at[-1] == ','))
            return lw_err(err,
                          "'%.*s' is not a CPU list like 0-3,8 (CPUs below "
                          "%d)",
                          (int)(len > 60 ? 60 : len), text, LW_CPUS_MAX);
    }
    *s = got;
    return 0;
}

static int hex_value(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = tolower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int lw_cpus_parse_mask(const char *text, size_t len, struct lw_cpus *s,
                       lw_error_t *err)
{
    struct lw_cpus got = {{0}};
    size_t skip, i;
    int value, bit;

    skip = len >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    skip *= 2;
    if (len == skip || len - skip > LW_CPUS_MAX / 4)
        goto bad;
    for (i = 0; i < len - skip; i++) {
        if ((value = hex_value((unsigned char)text[len - 1 - i])) < 0)
            goto bad;
        for (bit = 0; bit < 4; bit++)
            if (value & (1 << bit))
                lw_cpus_set(&got, i * 4 + (size_t)bit);
    }
    *s = got;
    return 0;
bad:
    return lw_err(err, "'%.*s' is not a CPU mask like 0x0f",
                  (int)(len > 60 ? 60 : len), text);
}

int lw_cpus_print(const struct lw_cpus *s, struct lw_buf *out)
{
    long first = lw_cpus_next(s, 0), last;
    const char *comma = "";

    while (first >= 0) {
        for (last = first; lw_cpus_has(s, (size_t)last + 1); last++)
            ;
        if (last == first)
            lw_buf_printf(out, "%s%ld", comma, first);
        else
            lw_buf_printf(out, "%s%ld-%ld", comma, first, last);
        comma = ",";
        first = lw_cpus_next(s, (size_t)last + 1);
    }
    return out->failed ? -1 : 0;
}
