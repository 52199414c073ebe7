/* SPDX-License-Identifier: GPL-2.0-or-later */
/* strtab.c - strings to small numbers, in order of arrival */
#include "config.h"

#include "lib/strtab.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    uint64_t hash;
    size_t len;
    char *text;
};

struct lw_strtab {
    struct entry *entries; /* by number */
    size_t count, size;
    uint32_t *slots; /* number + 1, 0 is free; nslots is a power of two */
    size_t nslots;
};

/* FNV-1a, 64 bits: the names are short. */
static uint64_t hash_of(const char *s, size_t len)
{
    uint64_t h = 14695981039346656037ULL;
    size_t i;

    for (i = 0; i < len; i++)
        h = (h ^ (unsigned char)s[i]) * 1099511628211ULL;
    return h;
}

struct lw_strtab *lw_strtab_create(void)
{
    struct lw_strtab *t = calloc(1, sizeof(*t));

    if (t && !(t->slots = calloc(t->nslots = 64, sizeof(*t->slots)))) {
        free(t);
        t = NULL;
    }
    return t;
}

void lw_strtab_destroy(struct lw_strtab *t)
{
    int saved = errno;
    size_t i;

    if (!t)
        return;
    for (i = 0; i < t->count; i++)
        free(t->entries[i].text);
    free(t->entries);
    free(t->slots);
    free(t);
    errno = saved;
}

/* The slot that holds the string, or the free one where it belongs. */
static size_t probe(const struct lw_strtab *t, uint64_t hash, const char *s,
                    size_t len)
{
    size_t i = hash & (t->nslots - 1);

    while (t->slots[i]) {
        const struct entry *e = &t->entries[t->slots[i] - 1];
        if (e->hash == hash && e->len == len && !memcmp(e->text, s, len))
            break;
        i = (i + 1) & (t->nslots - 1);
    }
    return i;
}

/* Double the slots so that at most half of them are used. */
static int rehash(struct lw_strtab *t)
{
    size_t nslots = t->nslots * 2, i, at;
    uint32_t *slots = calloc(nslots, sizeof(*slots));

    if (!slots)
        return -1;
    for (i = 0; i < t->count; i++) {
        at = t->entries[i].hash & (nslots - 1);
        while (slots[at])
            at = (at + 1) & (nslots - 1);
        slots[at] = (uint32_t)i + 1;
    }
    free(t->slots);
    t->slots = slots;
    t->nslots = nslots;
    return 0;
}

static int grow(struct lw_strtab *t)
{
    size_t size = t->size ? t->size * 2 : 32;
    struct entry *entries;

    if (t->count >= UINT32_MAX - 1) {
        errno = EOVERFLOW;
        return -1;
    }
    if (t->count * 2 >= t->nslots && rehash(t) < 0)
        return -1;
    if (t->count < t->size)
        return 0;
    if (!(entries = realloc(t->entries, size * sizeof(*entries))))
        return -1;
    t->entries = entries;
    t->size = size;
    return 0;
}

size_t lw_strtab_add(struct lw_strtab *t, const char *s, size_t len)
{
    uint64_t hash = hash_of(s, len);
    size_t at = probe(t, hash, s, len);
    char *text;

    if (t->slots[at])
        return t->slots[at] - 1;
    if (grow(t) < 0 || !(text = malloc(len + 1)))
        return LW_STRTAB_NONE;
    memcpy(text, s, len);
    text[len] = '\0';
    t->entries[t->count] = (struct entry){hash, len, text};
    /* grow() may have moved the slots. */
    t->slots[probe(t, hash, s, len)] = (uint32_t)++t->count;
    return t->count - 1;
}

size_t lw_strtab_find(const struct lw_strtab *t, const char *s, size_t len)
{
    size_t at = probe(t, hash_of(s, len), s, len);

    return t->slots[at] ? t->slots[at] - 1 : LW_STRTAB_NONE;
}

const char *lw_strtab_name(const struct lw_strtab *t, size_t i)
{
    return t->entries[i].text;
}

size_t lw_strtab_count(const struct lw_strtab *t)
{
    return t->count;
}
