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
    char uid[32] = "";
    const char *who = line->job.user;

    if (!who && line->job.uid >= 0) {
        snprintf(uid, sizeof(uid), "uid %ld", line->job.uid);
        who = uid;
    }
    c->event = line->event;
    c->reason = word(q, line->decision.reason);
    c->text = word(q, line->decision.text);
    c->partition = word(q, line->job.partition);
    c->who = word(q, who);
    c->first = line->at_ms / 1000;
}

int lw_requests_add(struct lw_requests *q, const struct lw_log_record *line)
{
    const char *reason = line->decision.reason ? line->decision.reason : "?";
    const char *text = line->decision.text ? line->decision.text : "";
    struct lw_request_count *c;
    int failed = 0;
    char key[320];

    q->submitted += line->event == LW_LOG_SUBMITTED;
    q->untouched += line->event == LW_LOG_UNTOUCHED;
    q->impossible += line->event == LW_LOG_IMPOSSIBLE;
    if (line->event == LW_LOG_IMPOSSIBLE)
        snprintf(key, sizeof(key), "!%ld %s", line->job.uid, text);
    else
        snprintf(key, sizeof(key), "%d %s", (int)line->event, reason);
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
