/* SPDX-License-Identifier: GPL-2.0-or-later */
/* commands.h - one row a subcommand, included by main.c and nothing else */
