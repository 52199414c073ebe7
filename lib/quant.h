/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quant.h - mean and percentiles of many durations in little memory */
#ifndef LW_QUANT_H
#define LW_QUANT_H

#include <stddef.h>
#include <stdint.h>

/* Exact up to 512 values; beyond that a percentile is at most 1.6 % off, the
 * mean and the maximum stay exact, and memory stays below 8 KiB. Start from
 * zeros. */
struct lw_quant {
    uint64_t n;
    double sum;
    long max;
    uint32_t *slots; /* the values, or counts per bucket */
    uint32_t nslots;
    int bucketed;
};

/* Add a value; negative ones count as 0, those above 2^32-1 as that. Returns
 * 0, or -1 when out of memory. */
int lw_quant_add(struct lw_quant *q, long value);
void lw_quant_free(struct lw_quant *q);

/* 0 when nothing was added. */
double lw_quant_mean(const struct lw_quant *q);

/* The smallest value that at least the share p (0..1) of all values do not
 * exceed (nearest rank); 0 when nothing was added. */
long lw_quant_at(struct lw_quant *q, double p);

#endif
