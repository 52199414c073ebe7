/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arena.h - memory that is freed all at once */
#ifndef LW_ARENA_H
#define LW_ARENA_H

#include <stddef.h>

struct lw_arena_block;

/* Start with all zero bytes; {0} is an empty arena. */
struct lw_arena {
    struct lw_arena_block *blocks;
    char *next;
    size_t left;
    size_t total;
};

/* Zeroed memory for 'count' elements of 'size' bytes, aligned for any type,
 * owned by the arena; NULL with errno when out of memory or when the product
 * overflows. A zero count gives a valid pointer. */
void *lw_arena_array(struct lw_arena *a, size_t count, size_t size);

/* A NUL-terminated copy of 'len' bytes, owned by the arena; NULL with errno
 * when out of memory. */
char *lw_arena_text(struct lw_arena *a, const char *s, size_t len);

/* A printf-style text of at most 64 KiB, owned by the arena; NULL with errno
 * when out of memory. */
char *lw_arena_printf(struct lw_arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Memory that free() frees, for something that may be large and will be
 * filled: its pages are there at once, and large where the kernel has such.
 * NULL with errno. */
void *lw_alloc_large(size_t size);

/* Have the whole pages within [p, p + size) there before they are touched one
 * by one; only a matter of speed. */
void lw_prefault(void *p, size_t size);

/* Free everything; the arena is empty afterwards. Keeps errno. */
void lw_arena_free(struct lw_arena *a);

#endif
