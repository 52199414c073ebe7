/* SPDX-License-Identifier: GPL-2.0-or-later */
/* discover.h - what the files of `leafward discover` share */
#ifndef LW_DISCOVER_H
#define LW_DISCOVER_H

#include "topology/fabric/map.h"
#include "topology/fabric/readers.h"
#include "topology/settings.h"

/* What was read so far. */
struct lw_inputs {
    struct lw_fabric *fabric;
    const char *format; /* NULL or "auto": by content */
    struct lw_map_source *sources;
    size_t nsources;
};

/* Read a file or "-" into the fabric. 0, or -1 with 'err'. */
int lw_inputs_file(struct lw_inputs *in, const char *path, lw_error_t *err);

/* Run the configured discovery command and read what it prints; when it fails
 * or runs out of time, what it printed is used and the fabric marked partial.
 * 0, or -1 with 'err'. */
int lw_inputs_live(struct lw_inputs *in, const struct lw_settings *s,
                   lw_error_t *err);

void lw_inputs_free(struct lw_inputs *in);

/* The node names that Slurm's sinfo prints, the array and names to free; NULL
 * with 'err'. */
char **lw_inputs_slurm_nodes(size_t *count, lw_error_t *err);

#endif
