/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpus.h - sets of CPU numbers as the kernel counts them */
#ifndef LW_CPUS_H
#define LW_CPUS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/buf.h"
#include "lib/err.h"

/* The largest NR_CPUS of any Linux configuration. */
#define LW_CPUS_MAX   8192
#define LW_CPUS_WORDS (LW_CPUS_MAX / 64)

/* A plain value: zero it to empty it, assign it to copy it. Bit n of word
 * n / 64 is CPU n, which on little-endian machines, and on 64-bit
 * big-endian ones, is also the layout of the kernel's masks. */
struct lw_cpus {
    unsigned long long word[LW_CPUS_WORDS];
};

void lw_cpus_set(struct lw_cpus *s, size_t cpu);
bool lw_cpus_has(const struct lw_cpus *s, size_t cpu);
bool lw_cpus_empty(const struct lw_cpus *s);
size_t lw_cpus_count(const struct lw_cpus *s);
bool lw_cpus_equal(const struct lw_cpus *a, const struct lw_cpus *b);
bool lw_cpus_overlap(const struct lw_cpus *a, const struct lw_cpus *b);

/* True when every CPU of 'part' is in 'whole'. */
bool lw_cpus_within(const struct lw_cpus *part, const struct lw_cpus *whole);

/* to |= from, to &= from, to &= ~from */
void lw_cpus_or(struct lw_cpus *to, const struct lw_cpus *from);
void lw_cpus_and(struct lw_cpus *to, const struct lw_cpus *from);
void lw_cpus_drop(struct lw_cpus *to, const struct lw_cpus *from);

/* The first CPU of the set at or after 'from', -1 when there is none. */
long lw_cpus_next(const struct lw_cpus *s, size_t from);

/* Read a kernel list ("0-3,64-67", "" for none) of 'len' bytes; 0, or -1
 * with 'err' and 's' untouched. */
int lw_cpus_parse(const char *text, size_t len, struct lw_cpus *s,
                  lw_error_t *err);

/* Read a mask in hexadecimal ("0x0f", "f") of 'len' bytes; same returns. */
int lw_cpus_parse_mask(const char *text, size_t len, struct lw_cpus *s,
                       lw_error_t *err);

/* Append the set as a kernel list. */
int lw_cpus_print(const struct lw_cpus *s, struct lw_buf *out);

#endif
