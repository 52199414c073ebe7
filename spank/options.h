/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.h - the words of --leafward= */
#ifndef LW_OPTIONS_H
#define LW_OPTIONS_H

#include <stdbool.h>

#include "lib/err.h"

#define LW_OPTION_NAME "leafward"
#define LW_OPTION_ARGS "off|pack|spread[,wait=MIN]|verbose"

/* job_submit reads the first three from the job's SPANK environment; on the
 * node only 'off' and 'verbose' matter. */
struct lw_options {
    bool off;
    bool verbose;
};

/* Read the comma-separated words of 'text' into 'o'. Returns 0, or -1 with
 * 'err' (what was found, what is allowed) and 'o' untouched. */
int lw_options_parse(const char *text, struct lw_options *o, lw_error_t *err);

#endif
