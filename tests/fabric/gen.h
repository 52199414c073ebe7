/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gen.h - the model of a made-up fabric, shared by the parts of genfabric */
#ifndef LW_GEN_H
#define LW_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define GEN_MAX_RAILS 64
#define GEN_MAX_PORT  254

enum gen_names { GEN_SHORT, GEN_FQDN, GEN_HOST, GEN_SPACES };

struct gen_options {
    size_t groups, nodes, rails, spines, pods, cores;
    size_t uplinks; /* of a leaf; 0: as many as it has nodes */
    size_t radix;
    size_t logins;     /* hosts with one HCA on the first spine */
    size_t storage;    /* storage leaves, one more HCA a node */
    size_t core_links; /* from a core to each of its spines */
    bool planes;       /* a spine serves one rail only */
    bool core_planes;  /* and a core too */
    bool sharp;        /* an aggregation node on every switch */
    bool no_ca;        /* print no Ca blocks */
    enum gen_names names;
    const char *prefix;
    const char *speed;
    size_t digits, first;
    size_t device[GEN_MAX_RAILS]; /* number after mlx5_, by rail */
};

/* A device's end of a link. 'peer' counts switches and HCAs apart. */
struct gen_end {
    bool used;
    bool hca;
    uint32_t peer;
    uint8_t port;
    uint8_t width;
    const char *speed;
};

struct gen_switch {
    uint64_t guid;
    char name[64];
    bool gone;
    size_t nports; /* highest port used */
    struct gen_end ends[GEN_MAX_PORT + 2];
};

struct gen_hca {
    uint64_t guid;
    char name[96];
    bool aggregation;
    struct gen_end end;
};

struct gen {
    struct gen_options o;
    struct gen_switch *sw; /* leaves (group, rail), spines, cores, storage */
    size_t nsw, spine0, core0, storage0;
    struct gen_hca *hca; /* (node, rail), storage, logins, aggregation */
    size_t nhca, hstorage0, hlogin0;
};

/* Build the healthy fabric; false (and a text on stderr) when it is not
 * possible, as when a switch would need more than 254 ports. */
bool gen_build(struct gen *g);
void gen_free(struct gen *g);

/* Apply one fault, "cut=0:3"; false with a text on stderr. */
bool gen_degrade(struct gen *g, const char *spec);

/* The name of node 'n' as Slurm knows it. */
void gen_node_name(const struct gen *g, size_t n, char *name, size_t size);

void gen_print_default(const struct gen *g, FILE *out);
void gen_print_ports(const struct gen *g, FILE *out);
void gen_print_truth(const struct gen *g, FILE *out);
void gen_print_slurm(const struct gen *g, FILE *out);

#endif
