/* SPDX-License-Identifier: GPL-2.0-or-later */
/* groups_findings.c - what is wrong with the fabric, and what to do */
#include "config.h"

#include "topology/fabric/groups_priv.h"

int lw_groups_findings(struct lw_grouping *g)
{
    (void)g;
    return 0;
}
