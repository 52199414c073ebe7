/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mark.h - reading the mark that the plugin leaves in admin_comment */
#ifndef LW_MARK_H
#define LW_MARK_H

#include <stdbool.h>

/* "leafward: gang nodes=4 groups=1 switches=1 wait=14400 ref=7f3a9c21":
 * numbers are -1 when they are not there. */
struct lw_mark {
    bool subnode; /* smaller than a node */
    long nodes, groups, switches;
    long excluded;     /* how many nodes the plugin excluded */
    bool own_excluded; /* the user excluded some too */
    long patience;     /* seconds, of the user's own wait */
};

/* False when 'comment' (may be NULL) is not the plugin's. */
bool lw_mark_parse(const char *comment, struct lw_mark *mark);

#endif
