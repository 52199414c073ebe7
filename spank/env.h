/* SPDX-License-Identifier: GPL-2.0-or-later */
/* env.h - the step's or task's environment through SPANK */
#ifndef LW_SPANK_ENV_H
#define LW_SPANK_ENV_H

#include <stdbool.h>

#include <slurm/spank.h>

/* The value of 'name', NULL when it is not set ("" when set but empty). It is
 * borrowed and goes stale with the next change of the environment. */
const char *lw_env_get(spank_t sp, const char *name);

/* Set 'name'. Returns 0, or -1 when Slurm refused. */
int lw_env_set(spank_t sp, const char *name, const char *value);

/* Remove 'name'. */
void lw_env_unset(spank_t sp, const char *name);

/* A number item of SPANK (S_JOB_STEPID, ..), 'fallback' when unavailable. */
unsigned lw_item(spank_t sp, spank_item_t item, unsigned fallback);

#endif
