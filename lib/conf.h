/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf.h - typed settings out of an INI file */
#ifndef LW_CONF_H
#define LW_CONF_H

#include <stddef.h>

#include "lib/err.h"

enum lw_conf_type {
    LW_CONF_TEXT,    /* char *, "" when never set */
    LW_CONF_BOOL,    /* int: yes/no, on/off, true/false, 1/0 */
    LW_CONF_COUNT,   /* long, between min and max */
    LW_CONF_SECONDS, /* long: 90, 90s, 15m, 4h, 2d; between min and max */
    LW_CONF_PERCENT, /* double, 0..1 in memory: "10%" or "10" */
    LW_CONF_CHOICE,  /* int, index into the words of 'allowed' */
};

/* One setting. 'preset' is parsed like text from a file, so that the default
 * and what a man page says of it cannot differ in form. */
struct lw_conf_key {
    const char *section;
    const char *name;
    enum lw_conf_type type;
    size_t offset; /* of the value in the caller's structure */
    const char *preset;
    const char *allowed; /* LW_CONF_CHOICE: words separated by '|' */
    long min, max;
};

/* Called for a section or key that the table does not hold; returns 0 when
 * taken, 1 when it is unknown after all, -1 with 'err' for a bad value. */
typedef int (*lw_conf_other_f)(const char *section, const char *name,
                               const char *value, void *target,
                               lw_error_t *err);

/* Set every setting of 'keys' (ended by a NULL section) in 'target' to its
 * preset. Returns 0, or -1 with 'err'. */
int lw_conf_preset(const struct lw_conf_key *keys, void *target,
                   lw_error_t *err);

/* Read the INI text 'text' over the settings in 'target'; 'source' names it
 * in errors. Returns 0, or -1 with 'err' (source:line, what was found and
 * what is allowed) and 'target' partly changed. */
int lw_conf_parse(const char *text, const char *source,
                  const struct lw_conf_key *keys, lw_conf_other_f other,
                  void *target, lw_error_t *err);

/* Parse one value of 'key' into 'target'; 0, or -1 with 'err'. */
int lw_conf_set(const struct lw_conf_key *key, const char *value, void *target,
                lw_error_t *err);

/* Free the texts that the table owns in 'target'. */
void lw_conf_free(const struct lw_conf_key *keys, void *target);

/* Parse a duration (90, 90s, 15m, 4h, 2d) into seconds; 0, or -1. */
int lw_conf_seconds(const char *text, long *seconds);

#endif
