/* SPDX-License-Identifier: GPL-2.0-or-later */
/* desc.h - what a node description says: host, domain, device */
#ifndef LW_DESC_H
#define LW_DESC_H

#include <stdbool.h>
#include <stddef.h>

/* Slices of the description, not NUL-terminated; empty when not told. */
struct lw_slice {
    const char *s;
    size_t n;
};

struct lw_desc {
    struct lw_slice host;   /* "node001", without domain */
    struct lw_slice domain; /* "cluster.example" */
    struct lw_slice device; /* "mlx5_0", "HCA-1" */
};

/* Split an HCA's description ("node001.example mlx5_0", "hfi1_0 node001",
 * "node001"). Returns false when no host can be told: factory text, or a
 * name that an unconfigured system has (localhost). */
bool lw_desc_split(const char *text, struct lw_desc *out);

/* True for the SHARP aggregation node within a switch. */
bool lw_desc_is_aggregation(const char *text, unsigned devid);

/* The part of a switch's description that people use: "leaf-a1" out of
 * "MF0;leaf-a1:MQM9700/U1"; an ASIC of a director keeps its place
 * ("core1/L02/U1"). Empty when the text is a factory one. Writes at most
 * 'size' bytes with the NUL. */
void lw_desc_switch(const char *text, char *out, size_t size);

#endif
