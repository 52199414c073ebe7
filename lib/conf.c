/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf.c - typed settings out of an INI file */
#include "config.h"

#include "lib/conf.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The distribution's inih cuts lines at 200 bytes (INI_MAX_LINE) and would
 * read the rest as a line of its own; we refuse such a line instead. */
#define LINE_LIMIT 198

struct reader {
    const char *at; /* what is still to be read */
    const char *source;
    int line; /* of the text handed out last */
    const struct lw_conf_key *keys;
    lw_conf_other_f other;
    void *target;
    lw_error_t *err;
    int failed;
};

static void *field(void *target, const struct lw_conf_key *key)
{
    return (char *)target + key->offset;
}

static int set_text(char **slot, const char *value)
{
    char *copy = strdup(value);

    if (!copy)
        return -1;
    free(*slot);
    *slot = copy;
    return 0;
}

static int set_bool(int *slot, const char *value)
{
    static const char *const words[] = {"no", "yes", "off",   "on",
                                        "0",  "1",   "false", "true"};
    size_t i;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcasecmp(value, words[i]) == 0) {
            *slot = i % 2;
            return 0;
        }
    }
    return -1;
}

static int parse_long(const char *text, const char **end, long *out)
{
    char *stop;

    errno = 0;
    if (!isdigit((unsigned char)*text))
        return -1;
    *out = strtol(text, &stop, 10);
    *end = stop;
    return errno ? -1 : 0;
}

static int set_count(const struct lw_conf_key *key, long *slot,
                     const char *value)
{
    const char *end = "";
    long n;
    int bad = key->type == LW_CONF_SECONDS ? lw_conf_seconds(value, &n) < 0
                                           : parse_long(value, &end, &n) < 0;

    if (bad || *end || n < key->min || n > key->max)
        return -1;
    *slot = n;
    return 0;
}

static int set_percent(double *slot, const char *value)
{
    char *end;
    double n = strtod(value, &end);

    if (end == value || (*end && strcmp(end, "%") != 0))
        return -1;
    if (!(n >= 0 && n <= 100))
        return -1;
    *slot = n / 100;
    return 0;
}

static int set_choice(const char *allowed, int *slot, const char *value)
{
    size_t len = strlen(value), n;
    int i;

    for (i = 0; *allowed; i++) {
        n = strcspn(allowed, "|");
        if (n == len && strncasecmp(allowed, value, n) == 0) {
            *slot = i;
            return 0;
        }
        allowed += n + (allowed[n] == '|');
    }
    return -1;
}

/* Say what 'key' takes; always -1. */
static int refuse(const struct lw_conf_key *key, const char *value,
                  lw_error_t *err)
{
    const char *name = key->name;

    switch (key->type) {
    case LW_CONF_BOOL:
        return lw_err(err, "%s = %s: expected yes or no", name, value);
    case LW_CONF_COUNT:
        return lw_err(err, "%s = %s: expected a number from %ld to %ld", name,
                      value, key->min, key->max);
    case LW_CONF_SECONDS:
        return lw_err(err,
                      "%s = %s: expected a time like 90s, 15m, 4h or 2d "
                      "(%ld to %ld seconds)",
                      name, value, key->min, key->max);
    case LW_CONF_PERCENT:
        return lw_err(err, "%s = %s: expected a percentage from 0 to 100", name,
                      value);
    case LW_CONF_CHOICE:
        return lw_err(err, "%s = %s: expected one of %s", name, value,
                      key->allowed);
    case LW_CONF_TEXT:
        break;
    }
    return lw_err(err, "%s: out of memory", name);
}

int lw_conf_set(const struct lw_conf_key *key, const char *value, void *target,
                lw_error_t *err)
{
    void *slot = field(target, key);
    int rc = -1;

    switch (key->type) {
    case LW_CONF_TEXT:
        rc = set_text(slot, value);
        break;
    case LW_CONF_BOOL:
        rc = set_bool(slot, value);
        break;
    case LW_CONF_COUNT:
    case LW_CONF_SECONDS:
        rc = set_count(key, slot, value);
        break;
    case LW_CONF_PERCENT:
        rc = set_percent(slot, value);
        break;
    case LW_CONF_CHOICE:
        rc = set_choice(key->allowed, slot, value);
        break;
    }
    return rc < 0 ? refuse(key, value, err) : 0;
}

int lw_conf_preset(const struct lw_conf_key *keys, void *target,
                   lw_error_t *err)
{
    for (; keys->section; keys++)
        if (lw_conf_set(keys, keys->preset, target, err) < 0)
            return -1;
    return 0;
}

void lw_conf_free(const struct lw_conf_key *keys, void *target)
{
    char **text;

    for (; keys->section; keys++) {
        if (keys->type != LW_CONF_TEXT)
            continue;
        text = field(target, keys);
        free(*text);
        *text = NULL;
    }
}

/* inih asks for the next line as from fgets(3). */
static char *next_line(char *out, int size, void *stream)
{
    struct reader *r = stream;
    size_t n = strcspn(r->at, "\n");

    if (!*r->at)
        return NULL;
    r->line++;
    if (n > LINE_LIMIT || (int)n + 2 > size) {
        if (!r->failed)
            lw_err_at(r->err, r->source, r->line, 0,
                      "line longer than %d characters", LINE_LIMIT);
        r->failed = 1;
        r->at += n + (r->at[n] == '\n');
        out[0] = '\0';
        return out;
    }
    n += r->at[n] == '\n';
    memcpy(out, r->at, n);
    out[n] = '\0';
    r->at += n;
    return out;
}

/* Name the keys of a section, or the sections when 'section' is unknown. */
static int unknown(struct reader *r, const char *section, const char *name)
{
    const struct lw_conf_key *k;
    int known = 0;

    for (k = r->keys; k->section; k++)
        known |= strcmp(k->section, section) == 0;
    if (known)
        return lw_err_at(r->err, r->source, r->line, 0,
                         "unknown setting '%s' in section [%s]", name, section);
    return lw_err_at(r->err, r->source, r->line, 0, "unknown section [%s]",
                     section);
}

/* Give the error of a value its place. */
static int place(struct reader *r, const lw_error_t *why)
{
    return lw_err_at(r->err, r->source, r->line, 0, "%s", why->text);
}

static int take(struct reader *r, const char *section, const char *name,
                const char *value)
{
    lw_error_t why = {0};
    const struct lw_conf_key *k;
    int rc = 1;

    for (k = r->keys; k->section; k++) {
        if (strcmp(k->section, section) != 0 || strcmp(k->name, name) != 0)
            continue;
        return lw_conf_set(k, value, r->target, &why) < 0 ? place(r, &why) : 0;
    }
    if (r->other)
        rc = r->other(section, name, value, r->target, &why);
    if (rc < 0)
        return place(r, &why);
    return rc ? unknown(r, section, name) : 0;
}

static int handler(void *user, const char *section, const char *name,
                   const char *value)
{
    struct reader *r = user;

    if (!r->failed && take(r, section, name, value ? value : "") < 0)
        r->failed = 1;
    return !r->failed;
}

int lw_conf_parse(const char *text, const char *source,
                  const struct lw_conf_key *keys, lw_conf_other_f other,
                  void *target, lw_error_t *err)
{
    struct reader r = {.at = text,
                       .source = source,
                       .keys = keys,
                       .other = other,
                       .target = target,
                       .err = err};
    int line = ini_parse_stream(next_line, &r, handler, &r);

    if (r.failed)
        return -1;
    if (line < 0)
        return lw_err(err, "%s: out of memory", source);
    if (line > 0)
        return lw_err_at(err, source, line, 0,
                         "expected [section] or name = value");
    return 0;
}
