/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ibnetdiscover_refuse.c - files that are no text of ibnetdiscover, by name */
#include "config.h"

#include "topology/fabric/ibnetdiscover.h"

/* How files of other kinds begin, and what to do about them. */
static const struct {
    const char *magic, *what;
} kinds[] = {
    {"\x1f\x8b", "is compressed by gzip: give it to `zcat FILE | leafward "
                 "discover -i -`"},
    {"\xfd"
     "7zXZ",
     "is compressed by xz: give it to `xzcat FILE | leafward discover -i -`"},
    {"\x28\xb5\x2f\xfd",
     "is compressed by zstd: give it to `zstdcat FILE | leafward discover -i "
     "-`"},
    {"BZh", "is compressed by bzip2: give it to `bzcat FILE | leafward "
            "discover -i -`"},
    {"PK\x03\x04", "is a zip archive: unpack it"},
    {"\xff\xfe", "is UTF-16 text: convert it with `iconv -f UTF-16 -t UTF-8`"},
    {"\xfe\xff", "is UTF-16 text: convert it with `iconv -f UTF-16 -t UTF-8`"},
    {"<?xml", "is XML, which no reader takes"},
    {"<!DOCTYPE", "is a web page"},
    {"<html", "is a web page"},
    {"{\n \"schema\"", "is JSON of no kind that a reader takes: is it a map "
                       "already?"},
    {"{", "is JSON of no kind that a reader takes"},
    {"[{", "is JSON of no kind that a reader takes"},
};

static bool starts(const char *text, size_t len, const char *word)
{
    size_t n = strlen(word);

    return len >= n && memcmp(text, word, n) == 0;
}

static const char *kind_of(const char *text, size_t len)
{
    size_t i;

    for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (starts(text, len, kinds[i].magic))
            return kinds[i].what;
    return NULL;
}

/* Other outputs of the tool, which have its words but no links. */
static const char *form_of(struct lw_scan line)
{
    static const char *const lists[] = {
        "Ca\t :", "Switch\t :", "Router\t :", "Ca :", "Switch :", "Router :"};
    size_t len = (size_t)(line.end - line.p), i;

    if (starts(line.p, len, "< ") || starts(line.p, len, "> "))
        return "is the output of ibnetdiscover --diff, expected that of a "
               "plain run";
    for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        if (starts(line.p, len, lists[i]))
            return "is a list of nodes (ibnetdiscover -l, -S, -H or -R), "
                   "which has no links; run it without these options";
    return NULL;
}

int lw_ibnetdiscover_refuse(const char *text, size_t len, const char *source,
                            lw_error_t *err)
{
    const char *at = text, *end = text + len, *what = kind_of(text, len);
    struct lw_scan line;
    int n = 0;

    if (what)
        return lw_err(err, "%s: %s", source, what);
    if (memchr(text, '\0', len < 4096 ? len : 4096))
        return lw_err(err,
                      "%s: is a binary file, expected the text of "
                      "ibnetdiscover (a file of ibnetdiscover --cache has to "
                      "be printed with ibnetdiscover --load-cache)",
                      source);
    while (n++ < 32 && lw_scan_line(&at, end, &line))
        if ((what = form_of(line)))
            return lw_err_at(err, source, n, 1, "%s", what);
    return 0;
}
