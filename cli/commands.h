/* SPDX-License-Identifier: GPL-2.0-or-later */
/* commands.h - one row a subcommand, included by main.c and nothing else */
{"check", lw_cmd_check, "tell what is wrong with the fabric"},
{"diff", lw_cmd_diff, "tell what changed between two fabric maps"},
{"discover", lw_cmd_discover, "read the fabric and write the fabric map"},
#ifdef HAVE_SLURM
{"doctor", lw_cmd_doctor, "tell whether all of it is installed, loaded and fresh"},
#endif
{"export", lw_cmd_export, "write topology.conf and other programs' formats"},
{"node", lw_cmd_node, "this node's GPUs, NICs and rails; the plan for a step"},
{"order", lw_cmd_order, "nodes so that neighbours share a rail group"},
{"place", lw_cmd_place, "what the plugin would do with a job, and why"},
{"report", lw_cmd_report, "how good placements were, from the placement log"},
{"show", lw_cmd_show, "show the fabric map"},
{"simulate", lw_cmd_simulate, "tell what another placement policy would have done"},
#ifdef HAVE_SLURM
{"watch", lw_cmd_watch, "the daemon: cluster state, placement log, patience"},
#endif
