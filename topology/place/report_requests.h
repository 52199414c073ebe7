/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_requests.h - what was decided at submission, counted */
#ifndef LW_REPORT_REQUESTS_H
#define LW_REPORT_REQUESTS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/strtab.h"
#include "topology/place/logread.h"

/* One kind of decision of one user: for those that say a request cannot be
 * packed, one sentence; for the others, one reason. */
struct lw_request_count {
    size_t reason, text, partition; /* numbers in lw_requests.words */
    size_t user;                    /* the same; LW_STRTAB_NONE: see uid */
    long uid;
    enum lw_log_event event;
    uint64_t n;
    int64_t first, last;
    long nodes, gpus; /* of the last one, -1 unknown */
};

/* At most LW_REQUEST_KINDS; what comes after them is counted in 'others'. */
#define LW_REQUEST_KINDS 20000

/* The plugin knows uids, watch names as well. */
struct lw_request_uid {
    long uid;
    size_t user; /* number in lw_requests.words */
};

struct lw_requests {
    struct lw_strtab *words, *keys;
    struct lw_request_count *v; /* by number of the key */
    size_t n, size;
    uint64_t others;
    uint64_t no_account; /* left out for naming none, see lw_requests_add() */
    struct lw_request_uid *uids; /* open addressing, -1 is free */
    size_t nuids, uids_size;     /* size is 0 or a power of two */
};

int lw_requests_init(struct lw_requests *q);
void lw_requests_free(struct lw_requests *q);

/* Take a submitted, untouched or impossible line in; 0, or -1 when out of
 * memory. */
int lw_requests_add(struct lw_requests *q, const struct lw_log_record *line);

/* Note that the user of that number is called 'user'; 0, or -1 when out of
 * memory. */
int lw_requests_learn(struct lw_requests *q, long uid, const char *user);

/* The name of the user, or "uid 1001" in 'buf' when no line told it. */
const char *lw_request_user(const struct lw_requests *q,
                            const struct lw_request_count *c, char buf[32]);

#endif
