/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topoconf.c - read a topology.conf into lines */
#include "config.h"

#include "topology/fabric/writers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct parse {
    struct lw_topoconf *conf;
    size_t room;
    const char *source;
    int line;
    lw_error_t *err;
};

static int at(struct parse *p, const char *what, const char *detail)
{
    return lw_err_at(p->err, p->source, p->line, 0, "%s%s", what, detail);
}

static struct lw_topoconf_line *add_line(struct parse *p)
{
    struct lw_topoconf *c = p->conf;
    struct lw_topoconf_line *more;

    if (c->n == p->room) {
        p->room = p->room ? p->room * 2 : 64;
        more = lw_arena_array(&c->arena, p->room, sizeof(*more));
        if (!more)
            return NULL;
        if (c->n)
            memcpy(more, c->lines, c->n * sizeof(*more));
        c->lines = more;
    }
    c->lines[c->n].line = p->line;
    return &c->lines[c->n++];
}

static bool is_key(const char *key, size_t len, const char *wanted)
{
    return strlen(wanted) == len && strncasecmp(key, wanted, len) == 0;
}

/* Store one value; the keys are those of topology.conf(5), in any case. */
static int take(struct parse *p, struct lw_topoconf_line **line,
                const char *key, size_t nkey, const char *value, size_t nvalue)
{
    const char *text = lw_arena_text(&p->conf->arena, value, nvalue);
    struct lw_topoconf_line *l = *line;

    if (text && is_key(key, nkey, "BlockSizes")) {
        if (p->conf->sizes)
            return at(p, "a second BlockSizes=", "");
        p->conf->sizes = text;
        p->conf->sizes_line = p->line;
        return 0;
    }
    if (!l && text)
        l = *line = add_line(p);
    if (!l || !text)
        return at(p, "out of memory", "");
    if (is_key(key, nkey, "Nodes"))
        l->nodes = text;
    else if (is_key(key, nkey, "Switches"))
        l->switches = text;
    else if (is_key(key, nkey, "SwitchName") || is_key(key, nkey, "BlockName"))
        l->name = text;
    else if (!is_key(key, nkey, "LinkSpeed"))
        return at(p, "Slurm knows no such key: ",
                  lw_arena_text(&p->conf->arena, key, nkey));
    l->block = l->block || is_key(key, nkey, "BlockName");
    return 0;
}

/* The "Key=Value" words of one line that is not empty. */
static int parse_line(struct parse *p, const char *s)
{
    struct lw_topoconf_line *l = NULL;
    const char *key, *value;
    size_t nkey, nvalue;

    for (s += strspn(s, " \t\r"); *s; s += strspn(s, " \t\r")) {
        key = s;
        nkey = strcspn(s, "= \t\r");
        s += nkey;
        s += strspn(s, " \t");
        if (*s != '=')
            return strncasecmp(key, "include", 7) == 0
                       ? 0
                       : at(p, "expected Key=Value, found ", key);
        s += 1 + strspn(s + 1, " \t");
        if (*s == '"') {
            value = ++s;
            nvalue = strcspn(s, "\"");
            s += nvalue + (s[nvalue] != '\0');
        } else {
            value = s;
            nvalue = strcspn(s, " \t\r");
            s += nvalue;
        }
        if (take(p, &l, key, nkey, value, nvalue) < 0)
            return -1;
    }
    return 0;
}

/* Cut a comment off; "\#" is no comment. */
static void cut_comment(char *s)
{
    char *p;

    for (p = s; (p = strchr(p, '#')); p++)
        if (p == s || p[-1] != '\\') {
            *p = '\0';
            return;
        }
}

/* One line, joined with those that a backslash at the end continues it by.
 * Returns where the next one starts; '*last' is the number of the last. */
static const char *gather(const char *text, struct lw_buf *line, int *last)
{
    const char *end;

    lw_buf_free(line);
    for (;;) {
        end = text + strcspn(text, "\n");
        lw_buf_add(line, text, (size_t)(end - text));
        text = *end ? end + 1 : end;
        if (!*text || line->failed || !line->len ||
            line->text[line->len - 1] != '\\')
            return text;
        line->text[--line->len] = '\0';
        ++*last;
    }
}

int lw_topoconf_parse(struct lw_topoconf *conf, const char *text,
                      const char *source, lw_error_t *err)
{
    struct lw_topoconf fresh = {0};
    struct parse p = {&fresh, 0, source, 0, err};
    struct lw_buf line = LW_BUF_INIT(LW_EXPORT_LIMIT);
    int last = 0, rc = 0;

    while (*text && rc == 0) {
        p.line = ++last;
        text = gather(text, &line, &last);
        if (line.failed)
            rc = at(&p, "out of memory, or the line is too long", "");
        if (rc == 0 && line.len > 0) {
            cut_comment(line.text);
            rc = parse_line(&p, line.text);
        }
    }
    lw_buf_free(&line);
    if (rc < 0)
        lw_topoconf_free(&fresh);
    else
        *conf = fresh;
    return rc;
}

void lw_topoconf_free(struct lw_topoconf *conf)
{
    lw_arena_free(&conf->arena);
    conf->lines = NULL;
    conf->n = 0;
}
