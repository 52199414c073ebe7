/* SPDX-License-Identifier: GPL-2.0-or-later */
/* known.c - the jobs that watch has seen, and what it said of each */
#include "config.h"

#include "topology/place/known.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct lw_known_table {
    struct lw_known **buckets;
    size_t nbuckets; /* a power of two */
    size_t count;
};

/* The texts of a job that are kept. */
static const size_t texts[] = {
    offsetof(struct lw_job, name),        offsetof(struct lw_job, user),
    offsetof(struct lw_job, account),     offsetof(struct lw_job, partition),
    offsetof(struct lw_job, qos),         offsetof(struct lw_job, nodes),
    offsetof(struct lw_job, gpu_type),    offsetof(struct lw_job, features),
    offsetof(struct lw_job, array_tasks),
};
static const size_t ntexts = sizeof(texts) / sizeof(texts[0]);

static const char **text_at(struct lw_job *job, size_t i)
{
    return (const char **)((char *)job + texts[i]);
}

static void free_texts(struct lw_job *job)
{
    size_t i;

    for (i = 0; i < ntexts; i++) {
        free((char *)*text_at(job, i));
        *text_at(job, i) = NULL;
    }
}

static void free_placement(struct lw_placement *p)
{
    free((char *)p->nodes);
    free((char *)p->gpu_type);
    free((char *)p->map);
    lw_score_free(&p->score);
    memset(p, 0, sizeof(*p));
}

static void known_free(struct lw_known *k)
{
    free_texts(&k->job);
    free_placement(&k->placement);
    free(k->ref);
    free(k);
}

struct lw_known_table *lw_known_create(void)
{
    struct lw_known_table *t = calloc(1, sizeof(*t));

    if (t && !(t->buckets = calloc(256, sizeof(*t->buckets)))) {
        free(t);
        return NULL;
    }
    if (t)
        t->nbuckets = 256;
    return t;
}

static int free_one(struct lw_known *k, void *arg)
{
    lw_known_remove(arg, k);
    return 0;
}

void lw_known_destroy(struct lw_known_table *t)
{
    int saved = errno;

    if (!t)
        return;
    lw_known_each(t, free_one, t);
    free(t->buckets);
    free(t);
    errno = saved;
}

static struct lw_known **bucket(const struct lw_known_table *t, long id)
{
    return &t->buckets[(size_t)id & (t->nbuckets - 1)];
}

struct lw_known *lw_known_find(const struct lw_known_table *t, long id)
{
    struct lw_known *k = *bucket(t, id);

    while (k && k->job.id != id)
        k = k->next;
    return k;
}

/* Twice the buckets; when there is no memory for them it only gets slower. */
static void grow(struct lw_known_table *t)
{
    struct lw_known **old = t->buckets, *k, *next;
    size_t n = t->nbuckets, i;

    t->buckets = calloc(n * 2, sizeof(*t->buckets));
    if (!t->buckets) {
        t->buckets = old;
        return;
    }
    t->nbuckets = n * 2;
    for (i = 0; i < n; i++)
        for (k = old[i]; k; k = next) {
            next = k->next;
            k->next = *bucket(t, k->job.id);
            *bucket(t, k->job.id) = k;
        }
    free(old);
}

struct lw_known *lw_known_add(struct lw_known_table *t, long id)
{
    struct lw_known *k = calloc(1, sizeof(*k));

    if (!k)
        return NULL;
    if (t->count >= t->nbuckets * 2)
        grow(t);
    k->job.id = id;
    lw_known_reset(k);
    k->next = *bucket(t, id);
    *bucket(t, id) = k;
    t->count++;
    return k;
}

void lw_known_remove(struct lw_known_table *t, struct lw_known *k)
{
    struct lw_known **at = bucket(t, k->job.id);

    while (*at != k)
        at = &(*at)->next;
    *at = k->next;
    t->count--;
    known_free(k);
}

int lw_known_each(struct lw_known_table *t,
                  int (*each)(struct lw_known *k, void *arg), void *arg)
{
    struct lw_known *k, *next;
    size_t i;
    int rc;

    for (i = 0; i < t->nbuckets; i++)
        for (k = t->buckets[i]; k; k = next) {
            next = k->next;
            if ((rc = each(k, arg)) != 0)
                return rc;
        }
    return 0;
}

size_t lw_known_count(const struct lw_known_table *t)
{
    return t->count;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_texts(struct lw_job *a, struct lw_job *b)
{
    size_t i;

    for (i = 0; i < ntexts; i++)
        if (!same_text(*text_at(a, i), *text_at(b, i)))
            return false;
    return true;
}

/* Copies of the texts of 'from' into 'to'. */
static int copy_texts(struct lw_job *to, struct lw_job *from)
{
    size_t i;

    for (i = 0; i < ntexts; i++)
        *text_at(to, i) = NULL;
    for (i = 0; i < ntexts; i++)
        if (*text_at(from, i) &&
            !(*text_at(to, i) = strdup(*text_at(from, i)))) {
            free_texts(to);
            return -1;
        }
    return 0;
}

int lw_known_update(struct lw_known *k, const struct lw_job *job)
{
    struct lw_job from = *job, fresh = *job;
    size_t i;

    /* The first look at a cluster copies every text, later ones few. */
    if (same_texts(&k->job, &from)) {
        for (i = 0; i < ntexts; i++)
            *text_at(&fresh, i) = *text_at(&k->job, i);
    } else {
        if (copy_texts(&fresh, &from) < 0)
            return -1;
        free_texts(&k->job);
    }
    /* borrowed from the look, and gone after it */
    fresh.comment = fresh.exclude = fresh.include = fresh.reservation = NULL;
    k->job = fresh;
    return 0;
}

void lw_known_reset(struct lw_known *k)
{
    const struct lw_clock unset = {.patience = -1, .switches = -1};

    free_placement(&k->placement);
    k->said = 0;
    k->configuring = false;
    k->measured = false;
    k->fewest_free = -1;
    k->clock = unset;
    k->job.start = 0;
}
