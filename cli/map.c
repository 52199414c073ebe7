/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map.c - the fabric map that a subcommand works on */
#include "config.h"

#include "cli/cli.h"
#include "topology/fabric/map.h"

#include <stdlib.h>

struct lw_map *lw_cli_map(const char *given)
{
    lw_error_t err = {0};
    struct lw_settings *s = given ? NULL : lw_cli_settings();
    struct lw_map *map = NULL;

    if (!given && !s)
        lw_cli_fail("out of memory");
    else if (!(map = lw_map_load(given ? given : s->map, &err)))
        lw_cli_fail("%s", err.text);
    lw_settings_destroy(s);
    return map;
}
