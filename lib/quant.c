/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quant.c - mean and percentiles of many durations in little memory */
#include "config.h"

#include "lib/quant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT 512
#define BITS  5 /* 32 buckets for each doubling: half of 1/32 is 1.6 % */
#define SUB   (1U << BITS)
/* values below 2 * SUB have a bucket of their own */
#define BUCKETS ((32 - BITS) * SUB + SUB)

static uint32_t bucket_of(uint32_t v)
{
    uint32_t shift;

    if (v < 2 * SUB)
        return v;
    shift = 31 - BITS - (uint32_t)__builtin_clz(v);
    return (shift << BITS) + (v >> shift);
}

/* The middle of a bucket. */
static uint32_t value_of(uint32_t bucket)
{
    uint32_t shift;

    if (bucket < 2 * SUB)
        return bucket;
    shift = (bucket >> BITS) - 1;
    return ((SUB + (bucket & (SUB - 1))) << shift) + (1U << shift) / 2;
}

static int to_buckets(struct lw_quant *q)
{
    uint32_t *counts = calloc(BUCKETS, sizeof(*counts)), i;

    if (!counts)
        return -1;
    for (i = 0; i < q->n; i++)
        counts[bucket_of(q->slots[i])]++;
    free(q->slots);
    q->slots = counts;
    q->nslots = BUCKETS;
    q->bucketed = 1;
    return 0;
}

static int grow(struct lw_quant *q)
{
    uint32_t n = q->nslots ? q->nslots * 2 : 8;
    uint32_t *slots;

    if (q->n < q->nslots)
        return 0;
    if (!(slots = realloc(q->slots, n * sizeof(*slots))))
        return -1;
    q->slots = slots;
    q->nslots = n;
    return 0;
}

int lw_quant_add(struct lw_quant *q, long value)
{
    uint32_t v = value < 0             ? 0
                 : value >= UINT32_MAX ? UINT32_MAX
                                       : (uint32_t)value;

    if (!q->bucketed && (q->n == EXACT ? to_buckets(q) : grow(q)) < 0)
        return -1;
    if (q->bucketed)
        q->slots[bucket_of(v)]++;
    else
        q->slots[q->n] = v;
    q->n++;
    q->sum += v;
    if ((long)v > q->max)
        q->max = v;
    return 0;
}

void lw_quant_free(struct lw_quant *q)
{
    free(q->slots);
    memset(q, 0, sizeof(*q));
}

double lw_quant_mean(const struct lw_quant *q)
{
    return q->n ? q->sum / (double)q->n : 0;
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

long lw_quant_at(struct lw_quant *q, double p)
{
    uint64_t rank, seen = 0;
    uint32_t i;

    if (!q->n)
        return 0;
    rank = (uint64_t)ceil(p * (double)q->n);
    rank = rank < 1 ? 1 : rank > q->n ? q->n : rank;
    if (rank == q->n)
        return q->max;
    if (!q->bucketed) {
        qsort(q->slots, q->n, sizeof(*q->slots), compare);
        return q->slots[rank - 1];
    }
    for (i = 0; seen + q->slots[i] < rank; i++)
        seen += q->slots[i];
    return value_of(i) > q->max ? q->max : value_of(i);
}
