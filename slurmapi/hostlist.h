/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hostlist.h - "n[1-4,7]" to names and back, by libslurm */
#ifndef LW_HOSTLIST_H
#define LW_HOSTLIST_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

/* Expand 'text' ("n[1-4,7],login"). Returns an array of '*count' names, the
 * array and each name to free with lw_names_free(), or NULL with 'err'. */
char **lw_hostlist_expand(const char *text, size_t *count, lw_error_t *err);

/* The ranged form of the names, sorted as Slurm sorts, to free; NULL with
 * errno when out of memory. */
char *lw_hostlist_fold(const char *const *names, size_t count);

/* A checksum of the set of hosts: the same for every way to write it. 0 when
 * 'text' (may be NULL) names none or is no host list. */
uint32_t lw_hostlist_sum(const char *text);

void lw_names_free(char **names, size_t count);

#endif
