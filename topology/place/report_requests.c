/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_requests.c - what was decided at submission, counted */
#include "config.h"

#include "topology/place/report_requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int lw_requests_init(struct lw_requests *q)
{
    memset(q, 0, sizeof(*q));
    return (q->words = lw_strtab_create()) && (q->keys = lw_strtab_create())
               ? 0
               : -1;
}

void lw_requests_free(struct lw_requests *q)
{
    lw_strtab_destroy(q->words);
    lw_strtab_destroy(q->keys);
    free(q->v);
    free(q->uids);
}

/* Where the uid is, or the free place where it would go. */
static struct lw_request_uid *place_of(const struct lw_requests *q, long uid)
{
    size_t i = (size_t)uid * 0x9e3779b97f4a7c15ULL >> 32;

    for (i &= q->uids_size - 1; q->uids[i].uid != uid && q->uids[i].uid != -1;)
        i = (i + 1) & (q->uids_size - 1);
    return &q->uids[i];
}

static int grow_uids(struct lw_requests *q)
{
    struct lw_requests old = *q;
    size_t i;

    q->uids_size = old.uids_size ? old.uids_size * 2 : 64;
    if (!(q->uids = malloc(q->uids_size * sizeof(*q->uids)))) {
        *q = old;
        return -1;
    }
    for (i = 0; i < q->uids_size; i++)
        q->uids[i].uid = -1;
    for (i = 0; i < old.uids_size; i++)
        if (old.uids[i].uid != -1)
            *place_of(q, old.uids[i].uid) = old.uids[i];
    free(old.uids);
    return 0;
}

int lw_requests_learn(struct lw_requests *q, long uid, const char *user)
{
    struct lw_request_uid *u;

    if (uid < 0 || !user)
        return 0;
    if (q->nuids * 2 >= q->uids_size && grow_uids(q) < 0)
        return -1;
    u = place_of(q, uid);
    if (u->uid == uid)
        return 0;
    u->user = lw_strtab_add(q->words, user, strlen(user));
    if (u->user == LW_STRTAB_NONE)
        return -1;
    u->uid = uid;
    q->nuids++;
    return 0;
}

const char *lw_request_user(const struct lw_requests *q,
                            const struct lw_request_count *c, char buf[32])
{
    const struct lw_request_uid *u =
        q->uids_size && c->uid >= 0 ? place_of(q, c->uid) : NULL;

    if (c->user != LW_STRTAB_NONE)
        return lw_strtab_name(q->words, c->user);
    if (u && u->uid == c->uid)
        return lw_strtab_name(q->words, u->user);
    buf[0] = '\0';
    if (c->uid >= 0)
        snprintf(buf, 32, "uid %ld", c->uid);
    return buf;
}

static size_t word(struct lw_requests *q, const char *s)
{
    return lw_strtab_add(q->words, s ? s : "", s ? strlen(s) : 0);
}

/* The count that a line belongs to; NULL when there are too many kinds. */
static struct lw_request_count *count_of(struct lw_requests *q, const char *key,
                                         int *failed)
{
    size_t len = strlen(key), i = lw_strtab_find(q->keys, key, len), size;
    struct lw_request_count *v;

    if (i != LW_STRTAB_NONE)
        return &q->v[i];
    if (q->n >= LW_REQUEST_KINDS)
        return NULL;
    if (q->n == q->size) {
        size = q->size ? q->size * 2 : 32;
        if (!(v = realloc(q->v, size * sizeof(*v)))) {
            *failed = 1;
            return NULL;
        }
        q->v = v;
        q->size = size;
    }
    if (lw_strtab_add(q->keys, key, len) == LW_STRTAB_NONE) {
        *failed = 1;
        return NULL;
    }
    v = &q->v[q->n++];
    memset(v, 0, sizeof(*v));
    return v;
}

static void fill(struct lw_requests *q, struct lw_request_count *c,
                 const struct lw_log_record *line)
{
    c->event = line->event;
    c->reason = word(q, line->decision.reason);
    c->text = word(q, line->decision.text);
    c->partition = word(q, line->job.partition);
    c->user = line->job.user ? word(q, line->job.user) : LW_STRTAB_NONE;
    c->uid = line->job.uid;
    c->first = line->at_ms / 1000;
}

int lw_requests_add(struct lw_requests *q, const struct lw_log_record *line)
{
    const char *what = line->event == LW_LOG_IMPOSSIBLE ? line->decision.text
                                                        : line->decision.reason;
    const char *user = line->job.user ? line->job.user : "";
    struct lw_request_count *c;
    int failed = 0;
    char key[400];

    snprintf(key, sizeof(key), "%d %ld %.64s %s", (int)line->event,
             line->job.uid, user, what ? what : "?");
    if (!(c = count_of(q, key, &failed))) {
        q->others++;
        return failed ? -1 : 0;
    }
    if (c->n++ == 0)
        fill(q, c, line);
    c->last = line->at_ms / 1000;
    c->nodes = line->request.nodes_min;
    c->gpus = line->request.gpus;
    return 0;
}
