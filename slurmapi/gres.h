/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gres.h - counts of GPUs in what Slurm prints of nodes and jobs */
#ifndef LW_GRES_H
#define LW_GRES_H

#include <stdbool.h>
#include <stddef.h>

/* One GPU item of a list. 'type' is borrowed and not NUL-terminated. */
struct lw_gres_item {
    const char *type;
    size_t type_len; /* 0: no type */
    long count;
};

/* The next GPU item at '*text', which moves behind it. Reads every form that
 * Slurm prints: "gpu:h100:8(S:0-1)", "gpu:h100:3(IDX:0-2)", "gres:gpu:4",
 * "gres/gpu:h100=2", "gres/gpu"; other items are passed over. Returns false
 * at the end. */
bool lw_gres_next(const char **text, struct lw_gres_item *item);

/* All GPUs of a list. In allocations ("gres/gpu=16,gres/gpu:h100=16") the
 * item without a type is the total of the typed ones, and is not counted
 * twice. */
long lw_gres_gpus(const char *text);

/* The one type that the list names, borrowed, its length in '*len'; NULL when
 * it names none or several. */
const char *lw_gres_type(const char *text, size_t *len);

#endif
