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
#include <sys/mman.h>

/* Blocks grow with what the arena holds. From 2 MB on they are mapped, since
 * a page fault for every 4 KB costs more than filling them. */
#define BLOCK_SIZE ((size_t)64 * 1024)
#define HUGE_PAGE  ((size_t)2 * 1024 * 1024)
#define TEXT_LIMIT 65536

struct lw_arena_block {
    struct lw_arena_block *older;
    size_t mapped; /* bytes, 0 when it comes from calloc() */
    alignas(max_align_t) char data[];
};

void *lw_alloc_large(size_t size)
{
    char *p;

    if (size < 2 * HUGE_PAGE || size > SIZE_MAX - HUGE_PAGE)
        return malloc(size);
    size = (size + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    if ((p = aligned_alloc(HUGE_PAGE, size)))
        madvise(p, size, MADV_HUGEPAGE);
    return p;
}

/* A zeroed block with room for 'n' bytes. */
static struct lw_arena_block *new_block(size_t n)
{
    struct lw_arena_block *b;
    size_t size = sizeof(*b) + n;

    if (size < HUGE_PAGE)
        return calloc(1, size);
    b = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
             -1, 0);
    if (b == MAP_FAILED)
        return NULL;
    madvise(b, size, MADV_HUGEPAGE);
    b->mapped = size;
    return b;
}

/* A block of its own for something large; the open one stays open. */
static void *alloc_alone(struct lw_arena *a, size_t n)
{
    struct lw_arena_block *b = new_block(n);

    if (!b)
        return NULL;
    a->total += n;
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
    size_t size = BLOCK_SIZE;
    struct lw_arena_block *b;

    while (size < a->total / 4 && size < 2 * HUGE_PAGE)
        size *= 2;
    if (!(b = new_block(size)))
        return -1;
    b->older = a->blocks;
    a->blocks = b;
    a->next = b->data;
    a->left = size;
    a->total += size;
    return 0;
}

/* 'n' bytes at a multiple of 'align' (a power of two). */
static void *take(struct lw_arena *a, size_t n, size_t align)
{
    size_t pad = (size_t)(-(uintptr_t)a->next & (align - 1));
    void *p;

    if (n > BLOCK_SIZE / 4)
        return alloc_alone(a, n);
    if (!a->next || a->left < pad + n) {
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
        if (b->mapped)
            munmap(b, b->mapped);
        else
            free(b);
    }
    memset(a, 0, sizeof(*a));
    errno = saved;
}
