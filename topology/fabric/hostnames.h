/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hostnames.h - host lists, which only the caller can fold and expand */
#ifndef LW_HOSTNAMES_H
#define LW_HOSTNAMES_H

#include <stddef.h>

#include "lib/err.h"

/* The ranged form of names, to free; NULL when out of memory. This room has
 * no libslurm, so the caller brings its host list functions. */
typedef char *(*lw_fold_f)(const char *const *names, size_t count);

/* The names that a host list stands for: each and the array to free with
 * free(); NULL with 'err' when it is not a host list. */
typedef char **(*lw_expand_f)(const char *text, size_t *count, lw_error_t *err);

#endif
