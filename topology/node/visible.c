/* SPDX-License-Identifier: GPL-2.0-or-later */
/* visible.c - which GPUs of the node a step or task sees, in its order */
#include "config.h"

#include "topology/node/visible.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* One list, split: entry i is number[i], or -1 and gpus[i] for a UUID. */
struct list {
    long number[LW_VISIBLE_MAX];
    int gpus[LW_VISIBLE_MAX];
    size_t n;
    bool numbers;
    bool uuids;
    bool mig;
};

/* The GPU that the vendor's runtime calls 'number', -1 when there is none. */
static int by_number(const struct lw_inventory *inv, long number)
{
    size_t i;

    for (i = 0; i < inv->ngpus; i++)
        if (inv->gpus[i].index >= 0 && inv->gpus[i].index == number)
            return (int)i;
    if (number < 0 || (size_t)number >= inv->ngpus ||
        inv->gpus[number].index >= 0)
        return -1;
    return (int)number;
}

/* CUDA takes any unambiguous beginning of a UUID. */
static int by_uuid(const struct lw_inventory *inv, const char *s, size_t len)
{
    int found = -1;
    size_t i;

    for (i = 0; i < inv->ngpus; i++) {
        if (strncasecmp(inv->gpus[i].uuid, s, len) != 0)
            continue;
        if (found >= 0)
            return -1;
        found = (int)i;
    }
    return found;
}

/* "MIG-<uuid>", or the older "MIG-GPU-<uuid of the GPU>/gi/ci". */
static int by_mig(const struct lw_inventory *inv, const char *s, size_t len)
{
    size_t i, k;

    if (len > 8 && strncasecmp(s, "MIG-GPU-", 8) == 0) {
        const char *slash = memchr(s, '/', len);

        return by_uuid(inv, s + 4, (slash ? (size_t)(slash - s) : len) - 4);
    }
    for (i = 0; i < inv->ngpus; i++)
        for (k = 0; k < inv->gpus[i].nmig; k++)
            if (strlen(inv->gpus[i].mig[k]) == len &&
                strncasecmp(inv->gpus[i].mig[k], s, len) == 0)
                return (int)i;
    return -1;
}

/* One entry of 'len' bytes; 0, or -1 when CUDA would end the list here. */
static int add_entry(const struct lw_inventory *inv, const char *s, size_t len,
                     struct list *l)
{
    size_t i;
    int gpu = -1;

    if (l->n == LW_VISIBLE_MAX || len == 0 || len > 100)
        return -1;
    for (i = 0; i < len && isdigit((unsigned char)s[i]); i++)
        ;
    if (i == len && len < 6) {
        l->number[l->n] = strtol(s, NULL, 10);
        l->numbers = true;
        l->n++;
        return 0;
    }
    if (len > 4 && strncasecmp(s, "MIG-", 4) == 0) {
        gpu = by_mig(inv, s, len);
        l->mig = true;
    } else if (len > 4 && strncasecmp(s, "GPU-", 4) == 0) {
        gpu = by_uuid(inv, s, len);
    }
    if (gpu < 0)
        return -1;
    l->uuids = true;
    l->number[l->n] = -1;
    l->gpus[l->n++] = gpu;
    return 0;
}

/* "NoDevFiles", "-1" and "" end up as no entries. */
static void split(const struct lw_inventory *inv, const char *text,
                  struct list *l)
{
    size_t len;

    memset(l, 0, sizeof(*l));
    while (text && *text) {
        len = strcspn(text, ",");
        if (add_entry(inv, text, len, l) < 0)
            return;
        text += len + (text[len] == ',');
    }
}

static bool counts_up(const struct list *l)
{
    size_t i;

    for (i = 0; i < l->n; i++)
        if (l->number[i] != (long)i)
            return false;
    return true;
}

/* The granted numbers are of the whole node. A visible list of the same
 * length that counts 0, 1, 2, .. although the granted one does not was
 * renumbered behind a device cgroup (ConstrainDevices). */
static int numbering(const struct list *visible, const struct list *granted)
{
    if (!visible->numbers)
        return LW_NUMBERS_NONE;
    if (granted->n && !counts_up(granted) && visible->n <= granted->n &&
        counts_up(visible))
        return LW_NUMBERS_LOCAL;
    return LW_NUMBERS_GLOBAL;
}

static int ascending(const void *a, const void *b)
{
    const long *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The GPU that entry 'i' of 'l' means. */
static int resolve(const struct lw_inventory *inv, const struct list *l,
                   size_t i, int mode, const struct list *sorted)
{
    if (l->number[i] < 0)
        return l->gpus[i];
    if (mode != LW_NUMBERS_LOCAL)
        return by_number(inv, l->number[i]);
    if ((size_t)l->number[i] >= sorted->n)
        return -1;
    return by_number(inv, sorted->number[l->number[i]]);
}

static int fill(const struct lw_inventory *inv, const struct list *l, int mode,
                const struct list *granted, struct lw_visible *out)
{
    struct list sorted = *granted;
    size_t i;

    qsort(sorted.number, sorted.n, sizeof(sorted.number[0]), ascending);
    for (i = 0; i < l->n; i++) {
        if ((out->gpus[i] = resolve(inv, l, i, mode, &sorted)) < 0) {
            out->trouble = "the list of visible GPUs names one that the "
                           "inventory does not hold";
            return -1;
        }
    }
    out->n = l->n;
    out->mig = l->mig;
    out->numbering = mode;
    return 0;
}

void lw_visible_step(const struct lw_inventory *inv,
                     const struct lw_visible_env *env, struct lw_visible *out)
{
    struct list visible, granted, all = {.n = 0};

    memset(out, 0, sizeof(*out));
    split(inv, env->visible, &visible);
    split(inv, env->granted, &granted);
    out->count = (long)(visible.n ? visible.n : granted.n);
    if (!out->count && env->visible && *env->visible)
        return; /* "NoDevFiles", "-1": the step is told to see none */
    if (!out->count && env->count > 0)
        out->count = env->count;
    if (visible.n) {
        fill(inv, &visible, numbering(&visible, &granted), &granted, out);
    } else if (granted.n) {
        fill(inv, &granted, LW_NUMBERS_GLOBAL, &granted, out);
    } else if (out->count > 0 && (size_t)out->count == inv->ngpus &&
               inv->ngpus <= LW_VISIBLE_MAX) {
        for (; all.n < inv->ngpus; all.n++)
            all.number[all.n] = (long)all.n;
        fill(inv, &all, LW_NUMBERS_GLOBAL, &all, out);
    } else if (out->count > 0) {
        out->trouble = "Slurm tells how many GPUs the step has, but not which";
    }
}

int lw_visible_task(const struct lw_inventory *inv,
                    const struct lw_visible_env *env,
                    const struct lw_visible *step, const char *visible,
                    struct lw_visible *out)
{
    struct list l, granted;

    memset(out, 0, sizeof(*out));
    split(inv, visible, &l);
    split(inv, env->granted, &granted);
    if (!l.n || fill(inv, &l, step->numbering, &granted, out) < 0)
        return -1;
    out->count = (long)l.n;
    return 0;
}
