/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_print.h - the report as tables, and one printer a format */
#ifndef LW_REPORT_PRINT_H
#define LW_REPORT_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/sheet.h"
#include "topology/place/report.h"

/* One part of the report: a name for --show, and how its table is made.
 * 'what' is one line for --help. */
struct lw_report_section {
    const char *name;
    const char *what;
    bool usual; /* shown when nothing is chosen */
    void (*fill)(const struct lw_report *r, struct lw_sheet *t);
};

const struct lw_report_section *lw_report_sections(size_t *n);

/* The chosen sections are bits, by their place in lw_report_sections(). */
struct lw_report_view {
    unsigned long sections;
    struct lw_style style;
    size_t files;
    const struct lw_log_stats *stats;
};

void lw_report_print_text(const struct lw_report *r,
                          const struct lw_report_view *view, FILE *out);
void lw_report_print_json(const struct lw_report *r,
                          const struct lw_report_view *view, FILE *out);
/* One page: pictures, and every chosen section as a table. */
void lw_report_print_html(const struct lw_report *r,
                          const struct lw_report_view *view, FILE *out);
/* The first of the chosen sections. */
void lw_report_print_csv(const struct lw_report *r,
                         const struct lw_report_view *view, FILE *out);

/* The table of jobs, for one run at a time. */
void lw_report_jobs_table(struct lw_sheet *t);
void lw_report_jobs_row(const struct lw_report *r, const struct lw_run *run,
                        struct lw_sheet *t);

#endif
