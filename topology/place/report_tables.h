/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_tables.h - each part of the report as a table */
#ifndef LW_REPORT_TABLES_H
#define LW_REPORT_TABLES_H

#include "lib/sheet.h"
#include "topology/place/report.h"
#include "topology/place/report_print.h"

/* Each starts the table anew; free it with lw_sheet_free(). */
void lw_report_fill_accounts(const struct lw_report *r, struct lw_sheet *t);
void lw_report_fill_asked(const struct lw_report *r, struct lw_sheet *t);
void lw_report_fill_asked_accounts(const struct lw_report *r,
                                   struct lw_sheet *t);
void lw_report_fill_causes(const struct lw_report *r, struct lw_sheet *t);
void lw_report_fill_decisions(const struct lw_report *r, struct lw_sheet *t);
void lw_report_fill_drift(const struct lw_report *r, struct lw_sheet *t);
void lw_report_fill_failures(const struct lw_report *r, struct lw_sheet *t);
void lw_report_fill_fragmentation(const struct lw_report *r,
                                  struct lw_sheet *t);
void lw_report_fill_impossible(const struct lw_report *r, struct lw_sheet *t);
void lw_report_fill_jobs(const struct lw_report *r, struct lw_sheet *t);
void lw_report_fill_locality(const struct lw_report *r, struct lw_sheet *t);
void lw_report_fill_moves(const struct lw_report *r, struct lw_sheet *t);
void lw_report_fill_partitions(const struct lw_report *r, struct lw_sheet *t);
void lw_report_fill_rails(const struct lw_report *r, struct lw_sheet *t);
void lw_report_fill_sizes(const struct lw_report *r, struct lw_sheet *t);
void lw_report_fill_slots(const struct lw_report *r, struct lw_sheet *t);
void lw_report_fill_spread(const struct lw_report *r, struct lw_sheet *t);
void lw_report_fill_spread_hours(const struct lw_report *r, struct lw_sheet *t);
void lw_report_fill_startable(const struct lw_report *r, struct lw_sheet *t);
void lw_report_fill_stranded(const struct lw_report *r, struct lw_sheet *t);
void lw_report_fill_summary(const struct lw_report *r, struct lw_sheet *t);
void lw_report_fill_types(const struct lw_report *r, struct lw_sheet *t);
void lw_report_fill_users(const struct lw_report *r, struct lw_sheet *t);
void lw_report_fill_waiting(const struct lw_report *r, struct lw_sheet *t);
void lw_report_fill_waits(const struct lw_report *r, struct lw_sheet *t);

/* How many requests can never be packed or never run. */
uint64_t lw_report_impossible(const struct lw_report *r);

/* What several tables about the cluster share: say in the note why the table
 * is empty, true when it is; say in the note what "now" is; the four cells
 * now, mean, least and most. */
bool lw_report_no_snapshot(const struct lw_report *r, struct lw_sheet *t);
void lw_report_note_now(const struct lw_report *r, struct lw_sheet *t);
void lw_report_range_cells(struct lw_sheet *t, const struct lw_range *range);

#endif
