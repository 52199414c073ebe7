/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.c - the words of --leafward= */
#include "config.h"

#include "lib/conf.h"
#include "spank/options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is(const char *text, size_t len, const char *word)
{
    return strlen(word) == len && strncmp(text, word, len) == 0;
}

/* "wait=30": minutes, or with a unit. */
static bool is_wait(const char *text, size_t len)
{
    char copy[16];
    long n;

    if (len < 6 || strncmp(text, "wait=", 5) != 0 || len - 5 >= sizeof(copy))
        return false;
    memcpy(copy, text + 5, len - 5);
    copy[len - 5] = '\0';
    return lw_conf_seconds(copy, &n) == 0;
}

/* User text ends in logs and terminals: keep what is printable of it. */
static int refuse(const char *text, size_t len, lw_error_t *err)
{
    char shown[41];
    size_t i;

    for (i = 0; i < len && i + 1 < sizeof(shown); i++)
        shown[i] = isprint((unsigned char)text[i]) ? text[i] : '?';
    shown[i] = '\0';
    return lw_err(err, "--leafward=%s: expected %s", shown, LW_OPTION_ARGS);
}

int lw_options_parse(const char *text, struct lw_options *o, lw_error_t *err)
{
    struct lw_options got = {false, false};
    size_t len;

    if (!text || !*text)
        return refuse("", 0, err);
    for (; *text; text += len + (text[len] == ',')) {
        len = strcspn(text, ",");
        if (is(text, len, "off"))
            got.off = true;
        else if (is(text, len, "verbose"))
            got.verbose = true;
        else if (!is(text, len, "pack") && !is(text, len, "spread") &&
                 !is_wait(text, len))
            return refuse(text, len, err);
    }
    *o = got;
    return 0;
}
