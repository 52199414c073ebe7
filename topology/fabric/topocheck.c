/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topocheck.c - refuse what slurmctld would die of in a topology.conf */
#include "config.h"

#include "lib/strtab.h"
#include "topology/fabric/writers.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Slurm's own limit on the levels of a tree (topology_tree.c 22.05). */
#define MAX_LEVELS 20
/* A number of more digits overflows in a host list, and the name no longer
 * equals its reference. */
#define MAX_DIGITS 18

struct check {
    const struct lw_topoconf *conf;
    lw_expand_f expand;
    const char *source;
    lw_error_t *err;
    struct lw_strtab *switches; /* number = index into conf->lines */
    struct lw_strtab *nodes;
    size_t *level; /* 0 not known yet */
};

static int at(const struct check *c, size_t i, const char *what,
              const char *detail)
{
    return lw_err_at(c->err, c->source, c->conf->lines[i].line, 0, "%s%s", what,
                     detail);
}

static void free_names(char **names, size_t n)
{
    size_t i;

    for (i = 0; names && i < n; i++)
        free(names[i]);
    free(names);
}

static char **split(const char *text, size_t *n)
{
    size_t room = 1, len;
    const char *p;
    char **names;

    for (p = text; *p; p++)
        room += *p == ',';
    if (!(names = calloc(room, sizeof(*names))))
        return NULL;
    for (*n = 0; *text; text += len + (text[len] == ',')) {
        len = strcspn(text, ",");
        if (!(names[(*n)++] = strndup(text, len))) {
            free_names(names, *n);
            return NULL;
        }
    }
    return names;
}

/* libslurm takes "n[1-" for a host "n". */
static bool is_balanced(const char *text)
{
    bool open = false;

    for (; *text; text++) {
        if (*text == (open ? '[' : ']'))
            return false;
        if (*text == '[' || *text == ']')
            open = !open;
    }
    return !open;
}

/* Expand a host list. Returns 1 and the names, 0 when it cannot be told
 * (ranges, and nobody to expand them), -1 with the error set. */
static int expand(const struct check *c, size_t i, const char *text,
                  char ***names, size_t *n)
{
    lw_error_t why = {0};

    if (!is_balanced(text))
        return at(c, i, "not a host list: ", text);
    if (!c->expand && strchr(text, '['))
        return 0;
    *names = c->expand ? c->expand(text, n, &why) : split(text, n);
    if (!*names)
        return at(c, i, why.text[0] ? why.text : "out of memory", "");
    if (*n > 0)
        return 1;
    free_names(*names, *n);
    *names = NULL;
    return at(c, i, "an empty list", "");
}

static int check_name(const struct check *c, size_t i)
{
    const struct lw_topoconf_line *l = &c->conf->lines[i];
    size_t len, digits = 0;

    if (!l->name)
        return at(c, i, "expected SwitchName= or BlockName=", "");
    len = strlen(l->name);
    while (digits < len && isdigit((unsigned char)l->name[len - 1 - digits]))
        digits++;
    if (len == 0 || len > LW_SWITCH_NAME_MAX)
        return at(c, i, "a name of 1 to 63 characters is needed: ", l->name);
    if (digits > MAX_DIGITS)
        return at(c, i, "a name may not end in more than 18 digits: ", l->name);
    if (strpbrk(l->name, "[],"))
        return at(c, i, "a name may not hold brackets or commas: ", l->name);
    return 0;
}

/* Names are given numbers in the order of lines, so a repeated one shows by
 * getting an old number. */
static int add_name(struct check *c, size_t i)
{
    const char *name = c->conf->lines[i].name;
    size_t number = lw_strtab_add(c->switches, name, strlen(name));

    if (number == LW_STRTAB_NONE)
        return at(c, i, "out of memory", "");
    if (number != i)
        return at(c, i, "a second switch or block named ", name);
    return 0;
}

static int check_keys(const struct check *c, size_t i)
{
    const struct lw_topoconf_line *l = &c->conf->lines[i];

    if (l->block != c->conf->lines[0].block)
        return at(c, i, "switches and blocks in one file", "");
    if (l->block && !l->nodes)
        return at(c, i, "a block needs Nodes=: ", l->name);
    if (l->nodes && l->switches)
        return at(c, i, "Nodes= and Switches= on one line: ", l->name);
    if (!l->nodes && !l->switches)
        return at(c, i, "neither Nodes= nor Switches=: ", l->name);
    return 0;
}

static int check_nodes(struct check *c, size_t i)
{
    const char *list = c->conf->lines[i].nodes;
    char **names = NULL;
    size_t n, k, before;
    int rc;

    if (!list || (rc = expand(c, i, list, &names, &n)) == 0)
        return 0;
    for (k = 0; rc > 0 && k < n; k++) {
        before = lw_strtab_count(c->nodes);
        if (lw_strtab_add(c->nodes, names[k], strlen(names[k])) != before)
            rc = at(c, i, "a node that another leaf or block has: ", names[k]);
    }
    free_names(names, n);
    return rc < 0 ? -1 : 0;
}

static int find_level(struct check *c, size_t i, size_t depth);

static int check_children(struct check *c, size_t i, char *const *names,
                          size_t n, size_t depth)
{
    size_t k, child;

    for (k = 0; k < n; k++) {
        child = lw_strtab_find(c->switches, names[k], strlen(names[k]));
        if (child == LW_STRTAB_NONE)
            return at(c, i, "a child that is no switch: ", names[k]);
        if (child == i)
            return at(c, i, "its own child: ", names[k]);
        if (find_level(c, child, depth + 1) < 0)
            return -1;
        if (c->level[i] < c->level[child] + 1)
            c->level[i] = c->level[child] + 1;
    }
    if (c->level[i] > MAX_LEVELS)
        return at(c, i, "more than 20 levels: ", c->conf->lines[i].name);
    return 0;
}

/* The level of a switch, its children's first. A cycle shows as a depth that
 * no tree may have. */
static int find_level(struct check *c, size_t i, size_t depth)
{
    const char *list = c->conf->lines[i].switches;
    char **names = NULL;
    size_t n;
    int rc;

    if (depth > MAX_LEVELS)
        return at(c, i,
                  "a cycle, or more than 20 levels: ", c->conf->lines[i].name);
    if (c->level[i])
        return 0;
    if (!list) {
        c->level[i] = 1;
        return 0;
    }
    if ((rc = expand(c, i, list, &names, &n)) <= 0)
        return rc;
    rc = check_children(c, i, names, n, depth);
    free_names(names, n);
    return rc;
}

static int sizes_at(const struct check *c, const char *what)
{
    return lw_err_at(c->err, c->source, c->conf->sizes_line, 0, "%s: %s", what,
                     c->conf->sizes);
}

/* Each size a power of two of the first, as block_record.c wants it. */
static int check_sizes(const struct check *c, size_t *base)
{
    const char *p = c->conf->sizes;
    unsigned long size;
    char *end;

    do {
        errno = 0;
        size = strtoul(p, &end, 10);
        if (!*base)
            *base = size;
        if (errno || end == p || (*end && *end != ',') || size == 0 ||
            size % *base || (size / *base & (size / *base - 1)) ||
            size / *base > 32768)
            return sizes_at(c, "sizes are a number and powers of two of it");
        p = end + 1;
    } while (*end);
    return 0;
}

/* Up to 24.11 a block of fewer nodes than the base size is fatal. */
static int check_blocks(const struct check *c)
{
    size_t base = 0, i, n;
    char **names;
    int rc;

    if (!c->conf->sizes)
        return 0;
    if (!c->conf->lines[0].block)
        return sizes_at(c, "BlockSizes= in a file of switches");
    rc = check_sizes(c, &base);
    for (i = 0; rc == 0 && i < c->conf->n; i++) {
        if ((rc = expand(c, i, c->conf->lines[i].nodes, &names, &n)) <= 0)
            continue;
        free_names(names, n);
        rc = n < base ? at(c, i, "a block of fewer nodes than BlockSizes: ",
                           c->conf->lines[i].name)
                      : 0;
    }
    return rc;
}

/* All that can be told of each line by itself. */
static int check_lines(struct check *c)
{
    size_t i;

    for (i = 0; i < c->conf->n; i++)
        if (check_name(c, i) < 0 || add_name(c, i) < 0 ||
            check_keys(c, i) < 0 || check_nodes(c, i) < 0)
            return -1;
    return check_blocks(c);
}

int lw_topoconf_check(const struct lw_topoconf *conf, lw_expand_f expand_f,
                      const char *source, lw_error_t *err)
{
    struct check c = {conf, expand_f, source, err, NULL, NULL, NULL};
    size_t i;
    int rc = -1;

    if (conf->n == 0)
        return lw_err(err, "%s: no switch and no block", source);
    c.switches = lw_strtab_create();
    c.nodes = lw_strtab_create();
    c.level = calloc(conf->n, sizeof(*c.level));
    if (!c.switches || !c.nodes || !c.level)
        lw_err(err, "out of memory");
    else
        rc = check_lines(&c);
    for (i = 0; rc == 0 && i < conf->n; i++)
        rc = find_level(&c, i, 1);
    lw_strtab_destroy(c.switches);
    lw_strtab_destroy(c.nodes);
    free(c.level);
    return rc;
}
