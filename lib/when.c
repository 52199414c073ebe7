/* SPDX-License-Identifier: GPL-2.0-or-later */
/* when.c - points in time as text: RFC 3339, and as people write them */
#include "config.h"

#include "lib/when.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/conf.h"

/* Days from 1970-01-01 in the Gregorian calendar; years start in March so
 * that the leap day is the last. */
static int64_t days_from_date(int64_t y, int64_t m, int64_t d)
{
    int64_t era, yoe, doy;

    y -= m <= 2;
    era = (y >= 0 ? y : y - 399) / 400;
    yoe = y - era * 400;
    doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

/* 'n' digits at '*p' as a number from 'min' to 'max'; -1 when they are not. */
static int field(const char **p, int n, int min, int max)
{
    int v = 0;

    for (; n > 0; n--, (*p)++) {
        if (**p < '0' || **p > '9')
            return -1;
        v = v * 10 + (**p - '0');
    }
    return v < min || v > max ? -1 : v;
}

static int skip(const char **p, char c)
{
    if (**p != c)
        return 0;
    (*p)++;
    return 1;
}

static int date(const char **p, struct tm *tm)
{
    if ((tm->tm_year = field(p, 4, 1970, 9999)) < 0 || !skip(p, '-') ||
        (tm->tm_mon = field(p, 2, 1, 12)) < 0 || !skip(p, '-') ||
        (tm->tm_mday = field(p, 2, 1, 31)) < 0)
        return -1;
    return 0;
}

/* HH:MM, with seconds if they are there. */
static int clock_time(const char **p, struct tm *tm)
{
    if ((tm->tm_hour = field(p, 2, 0, 23)) < 0 || !skip(p, ':') ||
        (tm->tm_min = field(p, 2, 0, 59)) < 0)
        return -1;
    tm->tm_sec = 0;
    return skip(p, ':') ? tm->tm_sec = field(p, 2, 0, 60) : 0;
}

static int fraction(const char **p)
{
    int ms = 0, digits;

    if (!skip(p, '.'))
        return 0;
    for (digits = 0; isdigit((unsigned char)**p); digits++, (*p)++)
        if (digits < 3)
            ms = ms * 10 + (**p - '0');
    for (; digits < 3 && digits > 0; digits++)
        ms *= 10;
    return digits ? ms : -1;
}

/* Minutes east of Greenwich: Z, +HH:MM, -HH:MM, +HHMM. */
static int zone(const char **p, int *minutes)
{
    int sign = **p == '-' ? -1 : 1, h, m;

    *minutes = 0;
    if (skip(p, 'Z') || skip(p, 'z'))
        return 0;
    if (!skip(p, '+') && !skip(p, '-'))
        return -1;
    h = field(p, 2, 0, 23);
    skip(p, ':');
    m = h < 0 ? -1 : field(p, 2, 0, 59);
    if (m < 0)
        return -1;
    *minutes = sign * (h * 60 + m);
    return 0;
}

static int64_t seconds(const struct tm *tm, int east)
{
    int64_t days = days_from_date(tm->tm_year, tm->tm_mon, tm->tm_mday);

    return days * 86400 + tm->tm_hour * 3600 + (tm->tm_min - east) * 60 +
           tm->tm_sec;
}

int lw_when_rfc3339(const char *text, int64_t *ms)
{
    struct tm tm = {0};
    int part, east;

    if (date(&text, &tm) < 0 || (!skip(&text, 'T') && !skip(&text, ' ')) ||
        clock_time(&text, &tm) < 0 || (part = fraction(&text)) < 0 ||
        zone(&text, &east) < 0 || *text)
        return -1;
    *ms = seconds(&tm, east) * 1000 + part;
    return 0;
}

static time_t local(struct tm *tm)
{
    struct tm copy = *tm;

    copy.tm_year -= 1900;
    copy.tm_mon -= 1;
    copy.tm_isdst = -1;
    return mktime(&copy);
}

/* A date, with a time of day and a zone if they are there. */
static int absolute(const char *text, time_t *out)
{
    struct tm tm = {0};
    int64_t ms;

    if (lw_when_rfc3339(text, &ms) == 0) {
        *out = (time_t)(ms / 1000);
        return 0;
    }
    if (date(&text, &tm) < 0)
        return -1;
    if ((skip(&text, 'T') || skip(&text, ' ')) && clock_time(&text, &tm) < 0)
        return -1;
    if (*text)
        return -1;
    *out = local(&tm);
    return 0;
}

static time_t midnight(time_t now, int days_before)
{
    struct tm tm;

    localtime_r(&now, &tm);
    tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
    tm.tm_mday -= days_before;
    tm.tm_isdst = -1;
    return mktime(&tm);
}

static int epoch(const char *text, time_t *out)
{
    char *end;
    long long v;

    if (*text != '@' || !isdigit((unsigned char)text[1]))
        return -1;
    errno = 0;
    v = strtoll(text + 1, &end, 10);
    if (errno || *end)
        return -1;
    *out = (time_t)v;
    return 0;
}

int lw_when_parse(const char *text, time_t now, time_t *out, lw_error_t *err)
{
    long ago;

    if (strcmp(text, "now") == 0)
        *out = now;
    else if (strcmp(text, "today") == 0)
        *out = midnight(now, 0);
    else if (strcmp(text, "yesterday") == 0)
        *out = midnight(now, 1);
    else if (lw_conf_seconds(text, &ago) == 0)
        *out = now - ago;
    else if (epoch(text, out) < 0 && absolute(text, out) < 0)
        return lw_err(err,
                      "'%s' is no time: expected 2026-11-30, "
                      "2026-11-30T09:15, today, yesterday, or how long ago "
                      "(90m, 12h, 7d)",
                      text);
    return 0;
}

void lw_when_print(time_t t, char out[LW_WHEN_SIZE])
{
    struct tm tm;

    out[0] = '\0';
    if (gmtime_r(&t, &tm))
        strftime(out, LW_WHEN_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm);
}
