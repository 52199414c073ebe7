/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_requests.h - what was decided at submission, counted */
#ifndef LW_REPORT_REQUESTS_H
#define LW_REPORT_REQUESTS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/strtab.h"
#include "topology/place/logread.h"

/* One kind of decision: for those that say a request cannot be packed, one
 * sentence; for the others, one reason. */
struct lw_request_count {
    size_t reason, text, partition, who; /* numbers in lw_requests.words */
    enum lw_log_event event;
    uint64_t n;
    int64_t first, last;
    long nodes, gpus; /* of the last one, -1 unknown */
};

/* At most LW_REQUEST_KINDS; what comes after them is counted in 'others'. */
#define LW_REQUEST_KINDS 2000

struct lw_requests {
    struct lw_strtab *words, *keys;
    struct lw_request_count *v; /* by number of the key */
    size_t n, size;
    uint64_t submitted, untouched, impossible, others;
};

int lw_requests_init(struct lw_requests *q);
void lw_requests_free(struct lw_requests *q);

/* Take a submitted, untouched or impossible line in; 0, or -1 when out of
 * memory. */
int lw_requests_add(struct lw_requests *q, const struct lw_log_record *line);

#endif
