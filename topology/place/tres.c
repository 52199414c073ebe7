/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tres.c - GPUs in Slurm's request texts ("gres:gpu:h100:8,gres/nvme=1") */
#include "config.h"

#include "topology/place/tres.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#define COUNT_LIMIT 1000000000L

/* A count with its suffix, all of the 'len' bytes; -1 when it is none. */
static long count_of(const char *s, size_t len)
{
    static const char suffixes[] = "kmgKMG";
    const char *suffix;
    long n = 0, i;
    size_t digits;

    for (digits = 0; digits < len && isdigit((unsigned char)s[digits]);
         digits++)
        if ((n = n * 10 + (s[digits] - '0')) > COUNT_LIMIT)
            return -1;
    if (digits == 0 || digits == len)
        return digits ? n : -1;
    if (digits + 1 != len || !(suffix = strchr(suffixes, s[digits])))
        return -1;
    for (i = (suffix - suffixes) % 3; i >= 0; i--)
        if ((n *= 1024) > COUNT_LIMIT)
            return -1;
    return n;
}

/* Add one item's GPUs; two items of one kind, or of two, are more than can
 * be written back. */
static void add(struct lw_tres *t, const char *type, size_t len, long count)
{
    if (t->gpus >= 0 || len >= sizeof(t->type) || count < 0) {
        t->unclear = true;
        return;
    }
    t->gpus = count;
    memcpy(t->type, type, len);
    t->type[len] = '\0';
}

/* What follows "gpu": nothing, :COUNT, =COUNT, :TYPE, :TYPE:COUNT,
 * :TYPE=COUNT. A type may hold dots and digits (1g.10gb). */
static void read_gpu(const char *s, size_t len, struct lw_tres *t)
{
    size_t end = len;
    long count;

    if (len == 0) {
        add(t, "", 0, 1);
        return;
    }
    while (end > 0 && s[end - 1] != ':' && s[end - 1] != '=')
        end--;
    count = count_of(s + end, len - end);
    if (end == 1)
        count >= 0 ? add(t, "", 0, count)
                   : add(t, s + 1, len - 1, s[0] == ':' ? 1 : -1);
    else
        add(t, s + 1, end - 2, count);
}

static void read_item(const char *s, size_t len, struct lw_tres *t)
{
    static const char gres[] = "gres";
    size_t n;

    if (len > 4 && memcmp(s, gres, 4) == 0 && (s[4] == ':' || s[4] == '/')) {
        t->mark = s[4];
        s += 5;
        len -= 5;
        for (n = 0; n < len && s[n] != ':' && s[n] != '='; n++)
            ;
        if (n == 3 && memcmp(s, "gpu", 3) == 0)
            read_gpu(s + 3, len - 3, t);
    } else if (len >= 3 && memcmp(s, "gpu", 3) == 0) {
        /* by REST, without the "gres/": Slurm itself refuses it later */
        t->unclear = true;
    }
}

void lw_tres_read(const char *text, struct lw_tres *t)
{
    size_t n;

    *t = (struct lw_tres){.gpus = -1};
    while (text && *text) {
        n = strcspn(text, ",;");
        read_item(text, n, t);
        text += n + (text[n] != '\0');
    }
}
