/* SPDX-License-Identifier: GPL-2.0-or-later */
/* names.h - the host list functions that the command gives to topology/ */
#ifndef LW_CLI_NAMES_H
#define LW_CLI_NAMES_H

#include "topology/fabric/writers.h"

#ifdef HAVE_SLURM_SLURM_H
#include "slurmapi/hostlist.h"
#define LW_CLI_FOLD   lw_hostlist_fold
#define LW_CLI_EXPAND lw_hostlist_expand
#else
#define LW_CLI_FOLD   NULL
#define LW_CLI_EXPAND NULL
#endif

#endif
