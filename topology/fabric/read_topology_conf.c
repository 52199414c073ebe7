/* SPDX-License-Identifier: GPL-2.0-or-later */
/* read_topology_conf.c - a topology.conf of Slurm, for sites that have nothing
 * better, and to compare with what the others see */
#include "config.h"

#include "topology/fabric/read.h"
#include "topology/fabric/writers.h"

#include <stdlib.h>
#include <string.h>

/* Kinds of names of its own: what is declared and what another source sees
 * are two devices, even where both are known by one name only. */
#define SWITCH "declared switch"
#define NODE   "declared node"

bool lw_topology_conf_knows(const char *text, size_t len)
{
    return lw_text_has(text, len, "", "SwitchName=") ||
           lw_text_has(text, len, "", "BlockName=");
}

static uint32_t add_named(struct lw_fabric *f, const char *kind,
                          const char *name, enum lw_dev_kind dev_kind)
{
    uint32_t dev =
        lw_fabric_dev(f, lw_guid_of_name(kind, name, strlen(name)), dev_kind);

    if (dev == LW_NO_DEV || lw_fabric_name(f, dev, name, strlen(name)) < 0)
        return LW_NO_DEV;
    lw_fabric_describe(f, dev, 0, 0, 0, 0);
    lw_fabric_declare(f, dev);
    return dev;
}

/* Each name of the list below switch 'sw'. */
static int add_below(struct lw_fabric *f, uint32_t sw, char *const *names,
                     size_t n, bool are_nodes)
{
    size_t i;

    for (i = 0; i < n; i++) {
        struct lw_link link = {.a = sw};

        link.b = add_named(f, are_nodes ? NODE : SWITCH, names[i],
                           are_nodes ? LW_DEV_HCA : LW_DEV_SWITCH);
        /* A node has one NIC, as far as this file tells: one port, so that a
         * second leaf is a contradiction. */
        link.b_port = are_nodes;
        if (link.b == LW_NO_DEV || lw_fabric_link(f, &link) < 0)
            return -1;
    }
    return 0;
}

static int add_list(struct lw_fabric *f, const struct lw_topoconf_line *line,
                    const char *list, bool are_nodes, const char *source,
                    lw_error_t *err)
{
    uint32_t sw = add_named(f, SWITCH, line->name, LW_DEV_SWITCH);
    lw_error_t why = {0};
    char **names;
    size_t n, i;
    int rc;

    if (!list)
        return 0;
    if (sw == LW_NO_DEV)
        return lw_err(err, "%s: out of memory", source);
    if (!(names = lw_fabric_expand(f)(list, &n, &why)))
        return lw_err_at(err, source, line->line, 0, "%s", why.text);
    rc = add_below(f, sw, names, n, are_nodes);
    for (i = 0; i < n; i++)
        free(names[i]);
    free(names);
    return rc < 0 ? lw_err(err, "%s: out of memory", source) : 0;
}

static int add_lines(struct lw_fabric *f, const struct lw_topoconf *conf,
                     const char *source, lw_error_t *err)
{
    size_t i;

    for (i = 0; i < conf->n; i++) {
        const struct lw_topoconf_line *l = &conf->lines[i];

        if (!l->name)
            return lw_err_at(err, source, l->line, 0,
                             "expected SwitchName= or BlockName=");
        if (add_list(f, l, l->nodes, true, source, err) < 0 ||
            add_list(f, l, l->switches, false, source, err) < 0)
            return -1;
    }
    return 0;
}

int lw_topology_conf_read(struct lw_fabric *f, const char *text, size_t len,
                          const char *source, lw_error_t *err)
{
    struct lw_topoconf conf;
    char *copy;
    int rc;

    if (!lw_fabric_expand(f))
        return lw_err(err, "%s: host lists need a build with Slurm", source);
    if (!(copy = strndup(text, len)))
        return lw_err(err, "%s: out of memory", source);
    rc = lw_topoconf_parse(&conf, copy, source, err);
    free(copy);
    if (rc < 0)
        return -1;
    rc = add_lines(f, &conf, source, err);
    lw_topoconf_free(&conf);
    return rc;
}
