/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pairs.h - how often two numbers were seen together */
#ifndef LW_PAIRS_H
#define LW_PAIRS_H

#include <stddef.h>
#include <stdint.h>

struct lw_pair {
    uint32_t a, b;
    uint32_t count; /* 0: a free place */
};

/* Starts as all zero bytes; walk over the 'size' places of 'at'. */
struct lw_pairs {
    struct lw_pair *at;
    size_t size, used;
};

/* Count (a, b) once more; 0, or -1 when out of memory. */
int lw_pairs_add(struct lw_pairs *p, uint32_t a, uint32_t b);

void lw_pairs_free(struct lw_pairs *p);

#endif
