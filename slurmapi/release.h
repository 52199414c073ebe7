/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release.h - small jobs are let onto idle nodes when watch is gone */
#ifndef LW_RELEASE_H
#define LW_RELEASE_H

#include "lib/err.h"

/* Take back the exclusion of idle nodes from every pending job that carries
 * it as it was left; what the users excluded themselves stays. Asks slurmctld:
 * never to be called under its locks. Returns how many jobs that were, or -1
 * with 'err' when one is left or none could be read. */
long lw_release_subnode(lw_error_t *err);

#endif
