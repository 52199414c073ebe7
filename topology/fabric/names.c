/* SPDX-License-Identifier: GPL-2.0-or-later */
/* names.c - a node name map: GUIDs to the names the site uses */
#include "config.h"

#include "topology/fabric/readers.h"
#include "topology/fabric/scan.h"

/* `0xGUID "name"  # comment`, as ibnetdiscover's --node-name-map reads it;
 * the quotes may be missing around a name without blanks. */
static bool scan_entry(struct lw_scan s, uint64_t *guid, struct lw_scan *name)
{
    const char *quote;

    if (!lw_scan_hex(&s, guid))
        return false;
    lw_scan_blanks(&s);
    name->p = s.p;
    if (lw_scan_char(&s, '"')) {
        quote = memchr(s.p, '"', (size_t)(s.end - s.p));
        name->p = s.p;
        name->end = quote;
        return quote != NULL;
    }
    while (s.p < s.end && *s.p != ' ' && *s.p != '\t' && *s.p != '#')
        s.p++;
    name->end = s.p;
    return name->end > name->p;
}

int lw_names_read(struct lw_fabric *f, const char *text, size_t len,
                  const char *source, size_t *unused, lw_error_t *err)
{
    const char *at = text, *start;
    struct lw_scan line, name;
    size_t missing = 0;
    uint64_t guid;
    uint32_t dev;
    int n = 0;

    while (lw_scan_line(&at, text + len, &line)) {
        n++;
        start = line.p;
        lw_scan_blanks(&line);
        if (!lw_scan_more(&line) || *line.p == '#')
            continue;
        if (!scan_entry(line, &guid, &name))
            return lw_err_at(err, source, n, (int)(line.p - start) + 1,
                             "expected a GUID and a name: 0x0002c90300000001 "
                             "\"node001 mlx5_0\"");
        if ((dev = lw_fabric_find(f, guid)) == LW_NO_DEV)
            missing++;
        else if (lw_fabric_rename(f, dev, name.p, (size_t)(name.end - name.p)) <
                 0)
            return lw_err(err, "%s: out of memory", source);
    }
    if (unused)
        *unused = missing;
    return 0;
}
