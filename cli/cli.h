/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cli.h - the subcommands of `leafward` */
#ifndef LW_CLI_H
#define LW_CLI_H

#include <argp.h>

#include "topology/fabric/map.h"
#include "topology/settings.h"

/* Exit codes of every subcommand. */
enum lw_exit { LW_EXIT_OK = 0, LW_EXIT_FINDINGS = 1, LW_EXIT_USAGE = 2 };

/* Each takes its own argv (argv[0] is "leafward NAME") and returns an exit
 * code; they parse with argp, which handles --help and bad options. */
int lw_cmd_check(int argc, char **argv);
int lw_cmd_diff(int argc, char **argv);
int lw_cmd_discover(int argc, char **argv);
int lw_cmd_doctor(int argc, char **argv);
int lw_cmd_export(int argc, char **argv);
int lw_cmd_node(int argc, char **argv);
int lw_cmd_order(int argc, char **argv);
int lw_cmd_place(int argc, char **argv);
int lw_cmd_report(int argc, char **argv);
int lw_cmd_show(int argc, char **argv);
int lw_cmd_simulate(int argc, char **argv);
int lw_cmd_watch(int argc, char **argv);

/* Print "leafward NAME: text" on standard error; returns LW_EXIT_FINDINGS,
 * so that a failing command is one line. */
int lw_cli_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The settings, with one warning on standard error when the configuration
 * could not be read. NULL only when out of memory. */
struct lw_settings *lw_cli_settings(void);

/* The fabric map at 'given', or where the settings say when NULL; NULL after
 * the reason was printed. */
struct lw_map *lw_cli_map(const char *given);

#endif
