/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place_request.h - sbatch-like options of `leafward place` */
#ifndef LW_CLI_PLACE_REQUEST_H
#define LW_CLI_PLACE_REQUEST_H

#include <argp.h>

#include "topology/place/decide.h"
#include "topology/place/tres.h"

/* A request made from options; texts are borrowed from argv. */
struct lw_asked {
    struct lw_request request;
    char type[LW_TRES_TYPE];
    char **excluded;
    size_t nexcluded;
};

/* Options with sbatch's names; the input is a struct lw_asked whose request
 * is LW_REQUEST_INIT. Use it as a child parser. */
extern const struct argp lw_asked_argp;

void lw_asked_free(struct lw_asked *asked);

#endif
