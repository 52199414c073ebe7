/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_launch.h - steps that were launched with a rail missing */
#ifndef LW_REPORT_LAUNCH_H
#define LW_REPORT_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

#include "lib/strtab.h"
#include "topology/place/logread.h"

/* Nodes of one step with equally many rails up; texts are numbers in
 * lw_launches.words. */
struct lw_launch {
    long job, step, nnodes, rails, up;
    size_t user, nodes, down, seen;
    int64_t at_ms;
};

/* At most LW_LAUNCHES are kept, the first ones; all are counted. */
#define LW_LAUNCHES 10000

struct lw_launches {
    struct lw_strtab *words;
    struct lw_launch *v;
    size_t n, size;
    uint64_t lines;
    uint64_t missing; /* entries with a rail missing */
};

int lw_launches_init(struct lw_launches *l);
void lw_launches_free(struct lw_launches *l);

/* Take a launched or rail-down line in; 0, or -1 when out of memory. */
int lw_launches_add(struct lw_launches *l, struct lw_log_record *line);

#endif
