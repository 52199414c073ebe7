/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mark.h - the mark that the plugin leaves in admin_comment */
#ifndef LW_MARK_H
#define LW_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LW_MARK      "leafward:" /* every admin_comment of ours begins so */
#define LW_MARK_SIZE 200
#define LW_MARK_OWN  64 /* the longest list of a user that goes into a mark */

/* "leafward: gang nodes=4 groups=1 switches=1 wait=14400 ref=7f3a9c21":
 * numbers are -1 when they are not there. */
struct lw_mark {
    bool subnode; /* smaller than a node */
    long nodes, groups, switches;
    long excluded; /* nodes that the plugin excluded; 0: to be let in again */
    char own[LW_MARK_OWN + 1]; /* what the user excluded, "" nothing */
    uint32_t sum;  /* of all that is excluded, as it was left; 0 unknown */
    long patience; /* seconds, of the user's own wait */
};

/* False when 'comment' (may be NULL) is not the plugin's. */
bool lw_mark_parse(const char *comment, struct lw_mark *mark);

/* True when this host list can stand in a mark. */
bool lw_mark_holds(const char *own);

/* Write into 'out' the same mark with other words about exclusions: none at
 * all when 'sum' is 0. Returns 0, or -1 when it does not fit or 'comment' is
 * no mark; then 'out' is "". */
int lw_mark_exclude(const char *comment, long excluded, const char *own,
                    uint32_t sum, char *out, size_t size);

#endif
