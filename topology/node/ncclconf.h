/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ncclconf.h - what NCCL's own configuration files set */
#ifndef LW_NCCLCONF_H
#define LW_NCCLCONF_H

#include <stdbool.h>
#include <stddef.h>

/* NCCL reads NCCL_CONF_FILE, or ~/.nccl.conf without it, and then
 * /etc/nccl.conf, and never overrides the environment (src/misc/param.cc):
 * a variable that we put there would silently beat the file. */
struct lw_nccl_conf;

/* Read the files: 'named' is NCCL_CONF_FILE's value or NULL, 'home' the
 * user's home directory or NULL, 'etc' the site's file. A file that is
 * missing, unreadable, no regular file or larger than 64 KiB counts as empty,
 * as it does for NCCL. Returns what to free with lw_nccl_conf_destroy(), or
 * NULL when out of memory. */
struct lw_nccl_conf *lw_nccl_conf_read(const char *named, const char *home,
                                       const char *etc);
void lw_nccl_conf_destroy(struct lw_nccl_conf *conf);

/* The file that sets 'name', NULL when none does; borrowed from 'conf'. */
const char *lw_nccl_conf_sets(const struct lw_nccl_conf *conf,
                              const char *name);

/* True when the text of one such file has a line "name=..". */
bool lw_nccl_conf_line(const char *text, const char *name);

#endif
