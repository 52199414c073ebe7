/* SPDX-License-Identifier: GPL-2.0-or-later */
/* commands.h - one row a subcommand, included by main.c and nothing else */
{"export", lw_cmd_export, "write topology.conf and other programs' formats"},
{"show", lw_cmd_show, "show the fabric map"},
{"report", lw_cmd_report, "how good placements were, from the placement log"},
{"discover", lw_cmd_discover, "read the fabric and write the fabric map"},
