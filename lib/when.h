/* SPDX-License-Identifier: GPL-2.0-or-later */
/* when.h - points in time as text: RFC 3339, and as people write them */
#ifndef LW_WHEN_H
#define LW_WHEN_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "lib/err.h"

/* Milliseconds since 1970 of an RFC 3339 time ("2026-11-30T09:15:02.250Z",
 * "..+01:00"). Returns 0, or -1 when it is none. */
int lw_when_rfc3339(const char *text, int64_t *ms);

/* A time as given to --since: "2026-11-30", "2026-11-30T09:15" (local time
 * unless a zone is given), "now", "today", "yesterday", a duration before
 * 'now' ("90m", "7d"), or seconds since 1970 as "@1790000000". Returns 0, or
 * -1 with 'err', which says what is allowed. */
int lw_when_parse(const char *text, time_t now, time_t *out, lw_error_t *err);

/* The time as "YYYY-MM-DDTHH:MM:SSZ" into 'out'. */
#define LW_WHEN_SIZE 32
void lw_when_print(time_t t, char out[LW_WHEN_SIZE]);

#endif
