/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arena.c - memory that is freed all at once */
#include "config.h"

#include "lib/arena.h"

#include <errno.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Blocks grow with what the arena holds. Those behind the first are mapped
 * with all their pages, since a page fault for every 4 KB costs more than
 * filling them. */
#define BLOCK_SIZE ((size_t)64 * 1024)
#define PAGE       ((size_t)4096)
#define HUGE_PAGE  ((size_t)2 * 1024 * 1024)
#define TEXT_LIMIT 65536

struct lw_arena_block {
    struct lw_arena_block *older;
    size_t mapped; /* bytes, 0 when it comes from calloc() */
    alignas(max_align_t) char data[];
};

void lw_prefault(void *p, size_t size)
{
#ifdef MADV_POPULATE_WRITE
    size_t skip = (size_t)(-(uintptr_t)p & (PAGE - 1));
    int saved = errno;

    if (size > skip + PAGE)
        madvise((char *)p + skip, (size - skip) & ~(PAGE - 1),
                MADV_POPULATE_WRITE);
    errno = saved;
#else
    (void)p;
    (void)size;
#endif
}

void *lw_alloc_large(size_t size)
{
    char *p;

    if (size < HUGE_PAGE / 2 || size > SIZE_MAX - HUGE_PAGE) {
        if ((p = malloc(size)) && size >= BLOCK_SIZE)
            lw_prefault(p, size);
        return p;
    }
    size = (size + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    if ((p = aligned_alloc(HUGE_PAGE, size)))
        madvise(p, size, MADV_HUGEPAGE);
    return p;
}

/* Zeroed pages, from 2 MB on at a multiple of 2 MB so that they can be large
 * ones; '*size' becomes what was mapped. */
static void *map_pages(size_t *size)
{
    size_t want = (*size + PAGE - 1) & ~(PAGE - 1), skip;
    bool huge = want >= HUGE_PAGE;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | (huge ? 0 : MAP_POPULATE);
    size_t room = huge ? want + HUGE_PAGE : want;
    char *p = mmap(NULL, room, PROT_READ | PROT_WRITE, flags, -1, 0);

    *size = want;
    if (p == MAP_FAILED || !huge)
        return p == MAP_FAILED ? NULL : p;
    skip = (size_t)(-(uintptr_t)p & (HUGE_PAGE - 1));
    if (skip)
        munmap(p, skip);
    if (room > skip + want)
        munmap(p + skip + want, room - skip - want);
    madvise(p + skip, want, MADV_HUGEPAGE);
    return p + skip;
}

/* A zeroed block of that many bytes; 'lazy' where it may never be filled. */
static struct lw_arena_block *new_block(size_t size, bool lazy)
{
    struct lw_arena_block *b;

    if (lazy || size < BLOCK_SIZE)
        return calloc(1, size);
    if ((b = map_pages(&size)))
        b->mapped = size;
    return b;
}

/* The size of the next block, by what the arena holds. */
static size_t next_size(const struct lw_arena *a)
{
    if (a->total < HUGE_PAGE / 4)
        return BLOCK_SIZE;
    return a->total < 8 * HUGE_PAGE ? HUGE_PAGE : 2 * HUGE_PAGE;
}

/* A block of its own for something large; the open one stays open. */
static void *alloc_alone(struct lw_arena *a, size_t n)
{
    struct lw_arena_block *b = new_block(sizeof(*b) + n, false);

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
    size_t size = next_size(a);
    struct lw_arena_block *b = new_block(size, a->total == 0);

    if (!b)
        return -1;
    b->older = a->blocks;
    a->blocks = b;
    a->next = b->data;
    a->left = size - sizeof(*b);
    a->total += size;
    return 0;
}

/* 'n' bytes at a multiple of 'align' (a power of two). */
static void *take(struct lw_arena *a, size_t n, size_t align)
{
    size_t pad = (size_t)(-(uintptr_t)a->next & (align - 1));
    void *p;

    if (!a->next || a->left < pad + n) {
        if (n > next_size(a) / 4)
            return alloc_alone(a, n);
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
