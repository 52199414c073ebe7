/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arena.c - memory that is freed all at once */
#include "config.h"

#include "lib/arena.h"

#include <errno.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)64 * 1024)
#define TEXT_LIMIT 65536

struct lw_arena_block {
    struct lw_arena_block *older;
    alignas(max_align_t) char data[];
};

/* A block of its own for something large; the open one stays open. */
static void *alloc_large(struct lw_arena *a, size_t n)
{
    struct lw_arena_block *b = calloc(1, sizeof(*b) + n);

    if (!b)
        return NULL;
    if (a->blocks) {
        b->older = a->blocks->older;
        a->blocks->older = b;
    } else {
        a->blocks = b;
    }
    return b->data;
}

static int open_block(struct lw_arena *a)
{
    struct lw_arena_block *b = calloc(1, sizeof(*b) + BLOCK_SIZE);

    if (!b)
        return -1;
    b->older = a->blocks;
    a->blocks = b;
    a->next = b->data;
    a->left = BLOCK_SIZE;
    return 0;
}

/* 'n' bytes at a multiple of 'align' (a power of two). */
static void *take(struct lw_arena *a, size_t n, size_t align)
{
    size_t pad = (size_t)(-(uintptr_t)a->next & (align - 1));
    void *p;

    if (n > BLOCK_SIZE / 4)
        return alloc_large(a, n);
    if (a->left < pad + n) {
        if (open_block(a) < 0)
            return NULL;
        pad = 0;
    }
    p = a->next + pad;
    a->next += pad + n;
    a->left -= pad + n;
    return p;
}

void *lw_arena_array(struct lw_arena *a, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX / 2) / size) {
        errno = ENOMEM;
        return NULL;
    }
    return take(a, count * size, alignof(max_align_t));
}

char *lw_arena_text(struct lw_arena *a, const char *s, size_t len)
{
    char *text = take(a, len + 1, 1);

    if (text && len)
        memcpy(text, s, len);
    return text;
}

char *lw_arena_printf(struct lw_arena *a, const char *fmt, ...)
{
    char *text = NULL;
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0 || n > TEXT_LIMIT)
        errno = EOVERFLOW;
    else if ((text = take(a, (size_t)n + 1, 1))) {
        va_start(ap, fmt);
        vsnprintf(text, (size_t)n + 1, fmt, ap);
        va_end(ap);
    }
    return text;
}

void lw_arena_free(struct lw_arena *a)
{
    struct lw_arena_block *b = a->blocks, *older;
    int saved = errno;

    for (; b; b = older) {
        older = b->older;
        free(b);
    }
    memset(a, 0, sizeof(*a));
    errno = saved;
}
