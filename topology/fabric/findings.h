/* SPDX-License-Identifier: GPL-2.0-or-later */
/* findings.h - what the files of findings share */
#ifndef LW_FINDINGS_H
#define LW_FINDINGS_H

#include "topology/fabric/groups_priv.h"

/* Note a finding; 'node' and 'sw' are copied and may be NULL. 0, or -1 with
 * g->err when out of memory. */
int lw_finding(struct lw_grouping *g, enum lw_level level, const char *kind,
               const char *node, const char *sw, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));

/* The findings about one kind of thing each; 0, or -1 with g->err. */
int lw_findings_nodes(struct lw_grouping *g);
int lw_findings_switches(struct lw_grouping *g);
int lw_findings_hosts(struct lw_grouping *g);
int lw_findings_sources(struct lw_grouping *g);
int lw_findings_declared(struct lw_grouping *g);

/* "4xNDR", into 'out'. */
#define LW_RATE_TEXT 16
const char *lw_rate_text(unsigned width, unsigned speed,
                         char out[LW_RATE_TEXT]);

#endif
