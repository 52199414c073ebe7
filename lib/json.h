/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.h - JSON text into a buffer, one member after the other */
#ifndef LW_JSON_H
#define LW_JSON_H

#include <stdbool.h>
#include <time.h>

#include "lib/buf.h"

/* For what is written at a high rate, or inside slurmctld, where one growing
 * buffer is all that a line may cost. Commas come by themselves. 'key' is a
 * plain word, NULL inside an array. Failures stick in the buffer. */

/* "{" and "[", with the key before it; and their ends. */
void lw_json_open(struct lw_buf *b, const char *key);
void lw_json_close(struct lw_buf *b);
void lw_json_open_array(struct lw_buf *b, const char *key);
void lw_json_close_array(struct lw_buf *b);

/* Nothing for NULL. Bytes that are not UTF-8 become U+FFFD. */
void lw_json_text(struct lw_buf *b, const char *key, const char *value);

/* Nothing for a negative number: -1 means unset all over. */
void lw_json_number(struct lw_buf *b, const char *key, long value);

void lw_json_real(struct lw_buf *b, const char *key, double value);
void lw_json_bool(struct lw_buf *b, const char *key, bool value);

/* RFC 3339 in UTC; nothing for 0 and below. */
void lw_json_time(struct lw_buf *b, const char *key, time_t value);

/* The same text without quotes, into 'out' of at least 21 bytes; "" for a
 * time that has none. */
void lw_json_time_text(time_t value, char *out, size_t size);

/* The reverse: "2030-01-01T08:00:00Z" (a fraction of a second is cut off) to
 * seconds; -1 when it is not that. */
time_t lw_json_time_parse(const char *text);

#endif
