/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mark.c - reading the mark that the plugin leaves in admin_comment */
#include "config.h"

#include "topology/place/mark.h"

#include <stdlib.h>
#include <string.h>

/* The number behind " KEY=". */
static long value(const char *comment, const char *key)
{
    size_t len = strlen(key);
    const char *at = comment;
    char *end;
    long n;

    while ((at = strstr(at, key))) {
        at += len;
        if (at[-(long)len - 1] != ' ' || *at < '0' || *at > '9')
            continue;
        n = strtol(at, &end, 10);
        return *end == ' ' || !*end ? n : -1;
    }
    return -1;
}

bool lw_mark_parse(const char *comment, struct lw_mark *m)
{
    static const char head[] = "leafward: ";

    if (!comment || strncmp(comment, head, sizeof(head) - 1) != 0)
        return false;
    m->subnode = strncmp(comment + sizeof(head) - 1, "sub-node ", 9) == 0;
    m->nodes = value(comment, "nodes=");
    m->groups = value(comment, "groups=");
    m->switches = value(comment, "switches=");
    m->excluded = value(comment, "excluded=");
    m->own_excluded = value(comment, "own-excluded=") > 0;
    m->patience = value(comment, "patience=");
    return true;
}
