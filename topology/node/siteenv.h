/* SPDX-License-Identifier: GPL-2.0-or-later */
/* siteenv.h - which variables a site may have set, and are they right here */
#ifndef LW_SITEENV_H
#define LW_SITEENV_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/buf.h"

/* True when this node has the interface 'name', up and with an address that
 * others can reach. */
typedef bool (*lw_interface_f)(const char *name, void *user);

/* How this node is looked at: the real functions are lw_interface_up() and
 * access(2); tests bring their own. */
struct lw_site_probe {
    lw_interface_f interface;
    void *user;
};

/* May the site set 'name' to 'value' on this node? Returns true with the
 * value to set appended to 'out' (interfaces that are not up are left out of
 * it), or false with the reason in '*why'. Names that are not in the table
 * are refused: what is never right for every step of a site, and everything
 * unknown. */
bool lw_site_value(const char *name, const char *value,
                   const struct lw_site_probe *probe, struct lw_buf *out,
                   const char **why);

bool lw_interface_up(const char *name, void *user);

/* True when 'name' matches one of the comma-separated shell patterns. */
bool lw_site_matches(const char *patterns, const char *name);

#endif
