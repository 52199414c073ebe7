/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_svg.h - the pictures of the report, as inline SVG */
#ifndef LW_REPORT_SVG_H
#define LW_REPORT_SVG_H

#include <stdio.h>

#include "topology/place/report.h"

/* Each prints one <figure> with a caption, a description for those who
 * cannot see it and a legend; nothing when the log holds no data for it. */
void lw_svg_cluster(const struct lw_report *r, FILE *out);
void lw_svg_groups_over_time(const struct lw_report *r, FILE *out);
void lw_svg_startable(const struct lw_report *r, FILE *out);
void lw_svg_fragmentation(const struct lw_report *r, FILE *out);
void lw_svg_causes(const struct lw_report *r, FILE *out);
void lw_svg_sizes(const struct lw_report *r, FILE *out);
void lw_svg_waits(const struct lw_report *r, FILE *out);
void lw_svg_locality(const struct lw_report *r, FILE *out);

#endif
