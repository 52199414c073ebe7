/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_print.c - the fabric map as JSON text, one node a line */
#include "config.h"

#include "lib/buf.h"
#include "topology/fabric/map.h"

#include <errno.h>
#include <string.h>

/* A JSON tree of 100,000 HCAs costs more than reading the fabric did, so the
 * text is written straight into the buffer. */

static const char *const none = "null";

static void put(struct lw_buf *b, const char *s)
{
    lw_buf_puts(b, s);
}

static void put_number(struct lw_buf *b, long long value)
{
    char digits[24], *p = digits + sizeof(digits);
    unsigned long long rest =
        value < 0 ? -(unsigned long long)value : (unsigned long long)value;

    do
        *--p = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        *--p = '-';
    lw_buf_add(b, p, (size_t)(digits + sizeof(digits) - p));
}

static void put_guid(struct lw_buf *b, uint64_t guid)
{
    static const char hex[] = "0123456789abcdef";
    char text[20] = "\"0x";
    int i;

    for (i = 0; i < 16; i++)
        text[3 + i] = hex[(guid >> (60 - 4 * i)) & 15];
    text[19] = '"';
    lw_buf_add(b, text, sizeof(text));
}

static int is_plain(unsigned char c)
{
    return c >= 0x20 && c != '"' && c != '\\' && c != 0x7f;
}

static void put_escaped(struct lw_buf *b, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    char text[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};

    if (c == '"' || c == '\\') {
        text[1] = (char)c;
        lw_buf_add(b, text, 2);
    } else {
        lw_buf_add(b, text, sizeof(text));
    }
}

/* Texts in a map are UTF-8: lw_fabric_name() and jansson see to that. */
static void put_text(struct lw_buf *b, const char *s)
{
    size_t n;

    if (!s) {
        put(b, none);
        return;
    }
    lw_buf_add(b, "\"", 1);
    for (;;) {
        for (n = 0; s[n] && is_plain((unsigned char)s[n]);)
            n++;
        if (n)
            lw_buf_add(b, s, n);
        if (!s[n])
            break;
        put_escaped(b, (unsigned char)s[n]);
        s += n + 1;
    }
    lw_buf_add(b, "\"", 1);
}

static void put_name_list(struct lw_buf *b, const char *const *names, size_t n)
{
    size_t i;

    put(b, "[");
    for (i = 0; i < n; i++) {
        if (i)
            put(b, ",");
        put_text(b, names[i]);
    }
    put(b, "]");
}

/* Start element 'i' of a list, one a line. */
static void next_line(struct lw_buf *b, size_t i)
{
    put(b, i ? ",\n  " : "\n  ");
}

static void print_sources(struct lw_buf *b, const struct lw_map *map)
{
    size_t i;

    put(b, " \"sources\": [");
    for (i = 0; i < map->nsources; i++) {
        next_line(b, i);
        put(b, "{\"kind\":");
        put_text(b, map->sources[i].kind);
        put(b, ",\"name\":");
        put_text(b, map->sources[i].name);
        put(b, ",\"sha256\":");
        put_text(b, map->sources[i].sha256);
        put(b, "}");
    }
    put(b, "],\n");
}

static void print_hca(struct lw_buf *b, const struct lw_map_hca *h)
{
    put(b, "{\"guid\":");
    put_guid(b, h->guid);
    put(b, ",\"device\":");
    put_text(b, h->device);
    if (h->port != 1) {
        put(b, ",\"port\":");
        put_number(b, h->port);
    }
    put(b, ",\"rail\":");
    put_number(b, h->rail);
    put(b, ",\"leaf\":");
    put_text(b, h->leaf);
    put(b, ",\"width\":");
    put_text(b, h->width);
    put(b, ",\"speed\":");
    put_text(b, h->speed);
    put(b, "}");
}

static void print_node(struct lw_buf *b, const struct lw_map *map,
                       const struct lw_map_node *n)
{
    size_t i;

    put(b, "{\"name\":");
    put_text(b, n->name);
    put(b, ",\"group\":");
    put_text(b, map->groups[n->group].name);
    put(b, ",\"pod\":");
    put_text(b, n->pod < 0 ? NULL : map->pods[n->pod]);
    put(b, ",\"domain\":");
    put_text(b, n->domain < 0 ? NULL : map->domains[n->domain]);
    put(b, ",\"rails\":");
    put_number(b, n->rails);
    put(b, ",\"rails_up\":");
    put_number(b, n->rails_up);
    put(b, ",\"rails_slow\":");
    put_number(b, n->rails_slow);
    put(b, ",\"hcas\":[");
    for (i = 0; i < n->nhcas; i++) {
        if (i)
            put(b, ",");
        print_hca(b, &n->hcas[i]);
    }
    put(b, "]}");
}

static void print_nodes(struct lw_buf *b, const struct lw_map *map)
{
    size_t i;

    put(b, " \"nodes\": [");
    for (i = 0; i < map->nnodes; i++) {
        next_line(b, i);
        print_node(b, map, &map->nodes[i]);
    }
    put(b, "],\n");
}

static void print_group(struct lw_buf *b, const struct lw_map *map,
                        const struct lw_map_group *g)
{
    size_t i;

    put(b, "{\"name\":");
    put_text(b, g->name);
    put(b, ",\"pod\":");
    put_text(b, g->pod < 0 ? NULL : map->pods[g->pod]);
    put(b, ",\"leaves\":");
    put_name_list(b, g->leaves, g->nleaves);
    put(b, ",\"nodes\":[");
    for (i = 0; i < g->nnodes; i++) {
        if (i)
            put(b, ",");
        put_text(b, map->nodes[g->nodes[i]].name);
    }
    put(b, "]}");
}

static void print_groups(struct lw_buf *b, const struct lw_map *map)
{
    size_t i;

    put(b, " \"groups\": [");
    for (i = 0; i < map->ngroups; i++) {
        next_line(b, i);
        print_group(b, map, &map->groups[i]);
    }
    put(b, "],\n \"pods\": [");
    for (i = 0; i < map->npods; i++) {
        next_line(b, i);
        put(b, "{\"name\":");
        put_text(b, map->pods[i]);
        put(b, ",\"root\":");
        put_text(b, map->nroots ? map->roots[map->pod_roots[i]] : NULL);
        put(b, "}");
    }
    put(b, "],\n \"domains\": ");
    put_name_list(b, map->domains, map->ndomains);
    put(b, ",\n");
}

static void print_switch(struct lw_buf *b, const struct lw_map *map,
                         const struct lw_map_switch *s)
{
    put(b, "{\"name\":");
    put_text(b, s->name);
    put(b, ",\"guid\":");
    put_guid(b, s->guid);
    put(b, ",\"tier\":");
    put_number(b, s->tier);
    put(b, ",\"group\":");
    put_text(b, s->group < 0 ? NULL : map->groups[s->group].name);
    put(b, ",\"pod\":");
    put_text(b, s->pod < 0 ? NULL : map->pods[s->pod]);
    put(b, ",\"hcas\":");
    put_number(b, (long long)s->hcas);
    put(b, ",\"uplinks\":");
    put_number(b, (long long)s->uplinks);
    put(b, ",\"expected\":");
    put_number(b, (long long)s->expected);
    put(b, "}");
}

static void print_rest(struct lw_buf *b, const struct lw_map *map)
{
    const struct lw_finding *f;
    size_t i;

    put(b, " \"switches\": [");
    for (i = 0; i < map->nswitches; i++) {
        next_line(b, i);
        print_switch(b, map, &map->switches[i]);
    }
    put(b, "],\n \"others\": ");
    put_name_list(b, map->others, map->nothers);
    put(b, ",\n \"findings\": [");
    for (i = 0; i < map->nfindings; i++) {
        f = &map->findings[i];
        next_line(b, i);
        put(b, "{\"level\":");
        put_text(b, lw_level_word(f->level));
        put(b, ",\"kind\":");
        put_text(b, f->kind);
        put(b, ",\"node\":");
        put_text(b, f->node);
        put(b, ",\"switch\":");
        put_text(b, f->sw);
        put(b, ",\"text\":");
        put_text(b, f->text);
        put(b, "}");
    }
    put(b, "]\n}\n");
}

char *lw_map_print(const struct lw_map *map, size_t *len, lw_error_t *err)
{
    struct lw_buf b = LW_BUF_INIT(LW_MAP_LIMIT);
    char *text;

    put(&b, "{\n \"schema\": ");
    put_number(&b, LW_MAP_SCHEMA);
    put(&b, ",\n \"created\": ");
    put_text(&b, map->created);
    put(&b, ",\n \"partial\": ");
    put(&b, map->partial ? "true,\n" : "false,\n");
    print_sources(&b, map);
    print_nodes(&b, map);
    print_groups(&b, map);
    print_rest(&b, map);
    *len = b.len;
    if (!(text = lw_buf_take(&b)))
        lw_err(err, "the map is larger than %lu bytes, or out of memory",
               LW_MAP_LIMIT);
    return text;
}
