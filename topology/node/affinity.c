/* SPDX-License-Identifier: GPL-2.0-or-later */
/* affinity.c - share the CPUs near the GPUs fairly among tasks */
#include "config.h"

#include "topology/node/affinity.h"

#include <stdlib.h>
#include <string.h>

/* Tasks that want the same CPUs. */
struct crowd {
    struct lw_cpus want; /* near and allowed */
    struct lw_cpus own;  /* what is left of it for this crowd */
    size_t ntasks;
    size_t first; /* task, for a stable order */
};

struct share {
    const struct lw_inventory *inv;
    struct lw_cpus *units; /* allowed cores, what is allowed of each */
    size_t nunits;
    struct crowd *crowds;
    size_t ncrowds;
    size_t *crowd_of; /* by task */
};

/* Cores as far as they are allowed; CPUs that belong to no core count as
 * cores of one thread. */
static int make_units(struct share *s, const struct lw_cpus *allowed)
{
    struct lw_cpus left = *allowed;
    size_t i;
    long cpu;

    s->units =
        calloc(s->inv->ncores + lw_cpus_count(allowed) + 1, sizeof(*s->units));
    if (!s->units)
        return -1;
    for (i = 0; i < s->inv->ncores; i++) {
        struct lw_cpus *unit = &s->units[s->nunits];

        *unit = s->inv->cores[i];
        lw_cpus_and(unit, allowed);
        lw_cpus_drop(&left, unit);
        if (!lw_cpus_empty(unit))
            s->nunits++;
    }
    for (cpu = lw_cpus_next(&left, 0); cpu >= 0;
         cpu = lw_cpus_next(&left, (size_t)cpu + 1)) {
        memset(&s->units[s->nunits], 0, sizeof(*s->units));
        lw_cpus_set(&s->units[s->nunits++], (size_t)cpu);
    }
    return 0;
}

static int make_crowds(struct share *s, const struct lw_cpus *allowed,
                       const struct lw_cpus *near, size_t ntasks)
{
    struct lw_cpus want;
    size_t i, k;

    s->crowds = calloc(ntasks, sizeof(*s->crowds));
    s->crowd_of = calloc(ntasks, sizeof(*s->crowd_of));
    if (!s->crowds || !s->crowd_of)
        return -1;
    for (i = 0; i < ntasks; i++) {
        want = near[i];
        lw_cpus_and(&want, allowed);
        for (k = 0; k < s->ncrowds; k++)
            if (lw_cpus_equal(&s->crowds[k].want, &want))
                break;
        if (k == s->ncrowds) {
            s->crowds[k].want = want;
            s->crowds[k].first = i;
            s->ncrowds++;
        }
        s->crowds[k].ntasks++;
        s->crowd_of[i] = k;
    }
    return 0;
}

static size_t count_units(const struct share *s, const struct lw_cpus *set)
{
    size_t i, n = 0;

    for (i = 0; i < s->nunits; i++)
        n += lw_cpus_overlap(&s->units[i], set);
    return n;
}

/* What the crowds that overlap with 'c' could each have per task. */
static size_t fair(const struct share *s, const struct crowd *c)
{
    struct lw_cpus all = c->want;
    size_t i, tasks = 0, n;

    for (i = 0; i < s->ncrowds; i++) {
        if (!lw_cpus_overlap(&s->crowds[i].want, &c->want))
            continue;
        lw_cpus_or(&all, &s->crowds[i].want);
        tasks += s->crowds[i].ntasks;
    }
    n = count_units(s, &all) / tasks;
    return n ? n : 1;
}

/* How many units of 'c' the wider crowd 'w' cannot do without. */
static size_t shortage(const struct share *s, const struct crowd *c,
                       const struct crowd *w, size_t each)
{
    struct lw_cpus elsewhere = w->own;
    size_t have;

    lw_cpus_drop(&elsewhere, &c->want);
    have = count_units(s, &elsewhere);
    return have < each * w->ntasks ? each * w->ntasks - have : 0;
}

/* Keep the first 'n' units of c->own. */
static void keep_units(const struct share *s, struct crowd *c, size_t n)
{
    size_t i;

    for (i = 0; i < s->nunits; i++) {
        if (!lw_cpus_overlap(&s->units[i], &c->own))
            continue;
        if (n)
            n--;
        else
            lw_cpus_drop(&c->own, &s->units[i]);
    }
}

static int narrower(const struct crowd *a, const struct crowd *b)
{
    size_t x = lw_cpus_count(&a->want), y = lw_cpus_count(&b->want);

    return x != y ? x < y : a->first < b->first;
}

/* Where the wishes of crowds overlap without being equal, the narrower one
 * chooses first but leaves the wider one its fair part. */
static void settle(const struct share *s, struct crowd *c)
{
    size_t i, each = fair(s, c), mine, reserve = 0;
    struct lw_cpus own = c->own;

    for (i = 0; i < s->ncrowds; i++)
        if (&s->crowds[i] != c && narrower(c, &s->crowds[i]) &&
            lw_cpus_overlap(&s->crowds[i].want, &c->want))
            reserve += shortage(s, c, &s->crowds[i], each);
    mine = count_units(s, &c->own);
    if (mine > each * c->ntasks && reserve) {
        mine -= reserve < mine - each * c->ntasks ? reserve
                                                  : mine - each * c->ntasks;
        keep_units(s, c, mine);
    }
    for (i = 0; i < s->ncrowds; i++)
        if (&s->crowds[i] != c && narrower(c, &s->crowds[i]))
            lw_cpus_drop(&s->crowds[i].own, &c->own);
    if (lw_cpus_empty(&own))
        c->own = c->want; /* all is taken: share it */
}

static void settle_all(struct share *s)
{
    size_t done, i;
    struct crowd *next, *last = NULL;

    for (i = 0; i < s->ncrowds; i++)
        s->crowds[i].own = s->crowds[i].want;
    for (done = 0; done < s->ncrowds; done++) {
        next = NULL;
        for (i = 0; i < s->ncrowds; i++) {
            struct crowd *c = &s->crowds[i];

            if (last && (c == last || !narrower(last, c)))
                continue;
            if (!next || narrower(c, next))
                next = c;
        }
        if (!lw_cpus_empty(&next->want))
            settle(s, next);
        last = next;
    }
}

/* Pieces [from, to) of n pieces for the k-th of 'tasks': equal parts, the
 * first ones larger by one; one shared piece when there are too few. */
static void part(size_t n, size_t tasks, size_t k, size_t *from, size_t *to)
{
    size_t each = n / tasks, extra = n % tasks;

    if (!each) {
        *from = k * n / tasks;
        *to = *from + 1;
        return;
    }
    *from = k * each + (k < extra ? k : extra);
    *to = *from + each + (k < extra);
}

/* Task number 'k' of crowd 'c' gets its part, in whole cores if there are
 * enough of them, else in hardware threads. */
static void deal(const struct share *s, const struct crowd *c, size_t k,
                 struct lw_cpus *out)
{
    size_t units = count_units(s, &c->own), from, to, i, at = 0;
    long cpu;

    memset(out, 0, sizeof(*out));
    if (units >= c->ntasks) {
        part(units, c->ntasks, k, &from, &to);
        for (i = 0; i < s->nunits; i++) {
            if (!lw_cpus_overlap(&s->units[i], &c->own))
                continue;
            if (at >= from && at < to)
                lw_cpus_or(out, &s->units[i]);
            at++;
        }
        lw_cpus_and(out, &c->own);
        return;
    }
    part(lw_cpus_count(&c->own), c->ntasks, k, &from, &to);
    for (cpu = lw_cpus_next(&c->own, 0); cpu >= 0;
         cpu = lw_cpus_next(&c->own, (size_t)cpu + 1), at++)
        if (at >= from && at < to)
            lw_cpus_set(out, (size_t)cpu);
}

static void share_free(struct share *s)
{
    free(s->units);
    free(s->crowds);
    free(s->crowd_of);
}

int lw_affinity_share(const struct lw_inventory *inv,
                      const struct lw_cpus *allowed, const struct lw_cpus *near,
                      size_t ntasks, struct lw_cpus *out)
{
    struct share s = {.inv = inv};
    size_t i, k, *given;

    if (!ntasks)
        return 0;
    given = calloc(ntasks, sizeof(*given));
    if (!given || make_units(&s, allowed) < 0 ||
        make_crowds(&s, allowed, near, ntasks) < 0) {
        free(given);
        share_free(&s);
        return -1;
    }
    settle_all(&s);
    for (i = 0; i < ntasks; i++) {
        k = s.crowd_of[i];
        deal(&s, &s.crowds[k], given[k]++, &out[i]);
    }
    free(given);
    share_free(&s);
    return 0;
}
