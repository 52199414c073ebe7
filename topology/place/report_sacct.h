/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_sacct.h - placements of the time before there was a log */
#ifndef LW_REPORT_SACCT_H
#define LW_REPORT_SACCT_H

#include "topology/fabric/map.h"
#include "topology/place/report.h"

/* Take the jobs of `sacct -P -X` output at 'path' ("-" standard input) into
 * the report; placements are judged by 'map' (NULL: they are not) and the
 * report's hosts functions. The header line must name JobIDRaw or JobID,
 * Start, NodeList and AllocTRES; User, Account, Partition, Submit, Eligible,
 * End, ElapsedRaw and State are used when they are there. Lines that do not
 * fit are counted in 'stats'. Returns 0, or -1 with 'err'. */
int lw_report_sacct(struct lw_report *r, const char *path,
                    const struct lw_map *map, struct lw_log_stats *stats,
                    lw_error_t *err);

#endif
