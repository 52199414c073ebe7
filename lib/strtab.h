/* SPDX-License-Identifier: GPL-2.0-or-later */
/* strtab.h - strings to small numbers, in order of arrival */
#ifndef LW_STRTAB_H
#define LW_STRTAB_H

#include <stddef.h>

#define LW_STRTAB_NONE ((size_t)-1)

/* A set of strings numbered 0, 1, 2, .. in the order they were added. */
struct lw_strtab;

/* Returns an empty table to free with lw_strtab_destroy(), or NULL with
 * errno. */
struct lw_strtab *lw_strtab_create(void);
void lw_strtab_destroy(struct lw_strtab *t);

/* The number of the 'len' bytes at 's', added when new; LW_STRTAB_NONE with
 * errno when out of memory. */
size_t lw_strtab_add(struct lw_strtab *t, const char *s, size_t len);

/* The number of the string, LW_STRTAB_NONE when it is not in the table. */
size_t lw_strtab_find(const struct lw_strtab *t, const char *s, size_t len);

/* The NUL-terminated string of number 'i', borrowed from the table. */
const char *lw_strtab_name(const struct lw_strtab *t, size_t i);

/* How many strings there are. */
size_t lw_strtab_count(const struct lw_strtab *t);

#endif
