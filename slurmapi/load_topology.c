/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load_topology.c - which topology each partition has, and its blocks */
#include "config.h"

#include "lib/run.h"
#include "slurmapi/hostlist.h"
#include "slurmapi/loader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void one_free(struct lw_topology_one *one)
{
    free(one->name);
    free(one->text);
}

void lw_topology_free(struct lw_topologies *t)
{
    size_t i;

    for (i = 0; i < t->count; i++)
        one_free(&t->all[i]);
    free(t->all);
    memset(t, 0, sizeof(*t));
}

#if LW_SLURM_AT_LEAST(24, 11)
#define ASK_SECONDS 20
#define TEXT_LIMIT  (64 * 1024 * 1024UL)

/* From 24.11 on the answer can only be unpacked by Slurm's topology plugin,
 * which needs symbols that libslurm does not have (topo_conf): the plugin is
 * not loaded, and printing the answer crashes. scontrol has them. */
static char *topology_text(const char *name)
{
    char *argv[] = {"scontrol", "-o", "show", "topology", (char *)name, NULL};
    struct lw_run out = {0};

    if (!*name)
        argv[4] = NULL;
    if (lw_run(argv, ASK_SECONDS, TEXT_LIMIT, NULL, &out, NULL) < 0)
        return strdup("");
    if (out.status == 0 && !out.timed_out && out.text)
        return out.text;
    free(out.text);
    return strdup("");
}
#else
static void print_message(FILE *out, topo_info_response_msg_t *msg)
{
#if LW_SLURM_AT_LEAST(23, 11)
    slurm_print_topo_info_msg(out, msg, NULL, 1);
#else
    slurm_print_topo_info_msg(out, msg, 1);
#endif
}

/* The text of one topology, "" when there is none. */
static char *topology_text(const char *name)
{
    topo_info_response_msg_t *msg = NULL;
    char *text = NULL;
    size_t len = 0;
    FILE *out;

    (void)name;
    if (slurm_load_topo(&msg) != SLURM_SUCCESS || !msg)
        return strdup("");
    if ((out = open_memstream(&text, &len))) {
        print_message(out, msg);
        fclose(out);
    }
    slurm_free_topo_info_msg(msg);
    return text;
}
#endif

static enum lw_topology kind_of(const char *text)
{
    if (strstr(text, "BlockName="))
        return LW_TOPO_BLOCK;
    if (strstr(text, "SwitchName="))
        return LW_TOPO_TREE;
    return LW_TOPO_FLAT;
}

static const struct lw_topology_one *find(const struct lw_topologies *t,
                                          const char *name)
{
    size_t i;

    for (i = 0; i < t->count; i++)
        if (strcmp(t->all[i].name, name ? name : "") == 0)
            return &t->all[i];
    return NULL;
}

/* A topology that could not be asked for is still known by its plugin. */
static enum lw_topology kind_of_plugin(const char *plugin)
{
    if (plugin && strstr(plugin, "block"))
        return LW_TOPO_BLOCK;
    if (plugin && strstr(plugin, "tree"))
        return LW_TOPO_TREE;
    return LW_TOPO_FLAT;
}

static int add(struct lw_topologies *t, const char *name, const char *plugin)
{
    struct lw_topology_one *grown, one = {0};

    if (find(t, name))
        return 0;
    if (!(grown = realloc(t->all, (t->count + 1) * sizeof(*grown))))
        return -1;
    t->all = grown;
    one.name = strdup(name ? name : "");
    one.text = topology_text(name ? name : "");
    if (!one.name || !one.text) {
        one_free(&one);
        return -1;
    }
    one.kind = *one.text ? kind_of(one.text) : kind_of_plugin(plugin);
    grown[t->count++] = one;
    return 0;
}

static int add_partitions(struct lw_topologies *t,
                          const partition_info_msg_t *parts)
{
#if LW_SLURM_AT_LEAST(25, 5)
    uint32_t i;

    for (i = 0; i < parts->record_count; i++)
        if (add(t, parts->partition_array[i].topology_name, NULL) < 0)
            return -1;
#else
    (void)t;
    (void)parts;
#endif
    return 0;
}

static bool same(const struct lw_topologies *a, const struct lw_topologies *b)
{
    size_t i;

    if (a->count != b->count)
        return false;
    for (i = 0; i < a->count; i++)
        if (strcmp(a->all[i].name, b->all[i].name) != 0 ||
            strcmp(a->all[i].text, b->all[i].text) != 0)
            return false;
    return true;
}

int lw_topology_load(struct lw_topologies *t, const partition_info_msg_t *parts,
                     const char *plugin, bool *changed, lw_error_t *err)
{
    struct lw_topologies fresh = {0};

    if (add(&fresh, "", plugin) < 0 || add_partitions(&fresh, parts) < 0) {
        lw_topology_free(&fresh);
        return lw_err(err, "out of memory");
    }
    if (same(t, &fresh)) {
        lw_topology_free(&fresh);
        return 0;
    }
    lw_topology_free(t);
    *t = fresh;
    *changed = true;
    return 0;
}

enum lw_topology lw_topology_kind(const struct lw_topologies *t,
                                  const char *name)
{
    const struct lw_topology_one *one = find(t, name);

    return one ? one->kind : LW_TOPO_UNKNOWN;
}

/* The value behind "KEY=" in a line of 'len' bytes, to free; NULL if none. */
static char *value(const char *line, size_t len, const char *key)
{
    size_t klen = strlen(key), i, n;

    for (i = 0; i + klen < len; i++) {
        if ((i && line[i - 1] != ' ') || strncmp(line + i, key, klen) != 0)
            continue;
        line += i + klen;
        for (n = 0; i + klen + n < len && line[n] != ' '; n++)
            ;
        return strndup(line, n);
    }
    return NULL;
}

static struct lw_state_node *node_named(struct lw_state *s, const char *name)
{
    size_t i;

    for (i = 0; i < s->nnodes; i++)
        if (strcmp(s->nodes[i].name, name) == 0)
            return &s->nodes[i];
    return NULL;
}

static int set_block(struct lw_state *s, const char *nodes, const char *block)
{
    size_t n = 0, i;
    char **names = lw_hostlist_expand(nodes, &n, NULL);
    int rc = 0;

    for (i = 0; names && i < n; i++) {
        struct lw_state_node *node = node_named(s, names[i]);

        if (node && !node->block && !(node->block = strdup(block)))
            rc = -1;
    }
    lw_names_free(names, n);
    return rc;
}

static int add_size(struct lw_state *s, long size)
{
    long *grown;
    size_t i;

    for (i = 0; i < s->nblock_sizes; i++)
        if (s->block_sizes[i] == size)
            return 0;
    if (!(grown = realloc(s->block_sizes, (i + 1) * sizeof(*grown))))
        return -1;
    s->block_sizes = grown;
    for (; i > 0 && grown[i - 1] > size; i--)
        grown[i] = grown[i - 1];
    grown[i] = size;
    s->nblock_sizes++;
    return 0;
}

/* "BlockName=b1 BlockIndex=0 Nodes=n[1-4] BlockSize=4"; an aggregated block
 * names its size only. */
static int block_line(struct lw_state *s, const char *line, size_t len)
{
    char *name = value(line, len, "BlockName=");
    char *nodes = value(line, len, "Nodes=");
    char *size = value(line, len, "BlockSize=");
    int rc = 0;

    if (name && nodes)
        rc = set_block(s, nodes, name);
    if (rc == 0 && size)
        rc = add_size(s, strtol(size, NULL, 10));
    free(name);
    free(nodes);
    free(size);
    return rc;
}

int lw_topology_blocks(const struct lw_topologies *t, struct lw_state *s,
                       lw_error_t *err)
{
    size_t i;

    for (i = 0; i < t->count; i++) {
        const char *line = t->all[i].text;

        while (t->all[i].kind == LW_TOPO_BLOCK && *line) {
            size_t len = strcspn(line, "\n");

            if (block_line(s, line, len) < 0)
                return lw_err(err, "out of memory");
            line += len;
            line += *line == '\n';
        }
    }
    return 0;
}
