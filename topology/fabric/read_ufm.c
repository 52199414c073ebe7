/* SPDX-License-Identifier: GPL-2.0-or-later */
/* read_ufm.c - the links of UFM, GET /ufmRest/resources/links */
#include "config.h"

#include "topology/fabric/read.h"
#include "topology/fabric/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool lw_ufm_knows(const char *text, size_t len)
{
    return lw_text_has(text, len, "[{", "\"source_guid\"") &&
           lw_text_has(text, len, "[{", "\"destination_guid\"");
}

static uint64_t guid_of(const json_t *link, const char *key)
{
    const char *s = lw_read_member(link, key);
    struct lw_scan scan = {s, s + strlen(s)};
    uint64_t guid = 0;

    lw_scan_hex(&scan, &guid);
    return guid;
}

/* A port is a number, or a text that ends in one. */
static uint8_t port_of(const json_t *link, const char *key)
{
    const json_t *v = json_object_get(link, key);
    const char *s = json_string_value(v);
    long n;

    if (json_is_integer(v))
        n = (long)json_integer_value(v);
    else
        n = s ? strtol(s + strcspn(s, "0123456789"), NULL, 10) : 0;
    return n > 0 && n < 256 ? (uint8_t)n : 0;
}

static int add_end(struct lw_fabric *f, const json_t *link, const char *side,
                   uint32_t *dev, uint8_t *port)
{
    const char *desc;
    uint64_t guid;
    char key[64];

    snprintf(key, sizeof(key), "%s_guid", side);
    if (!(guid = guid_of(link, key)))
        return 1;
    if ((*dev = lw_fabric_dev(f, guid, LW_DEV_UNKNOWN)) == LW_NO_DEV)
        return -1;
    lw_fabric_describe(f, *dev, 0, 0, 0, 0);
    snprintf(key, sizeof(key), "%s_port", side);
    *port = port_of(link, key);
    snprintf(key, sizeof(key), "%s_port_node_description", side);
    desc = lw_read_member(link, key);
    return lw_fabric_name(f, *dev, desc, strlen(desc));
}

/* Returns 0, 1 when it is no link, -1 when out of memory. */
static int add_link(struct lw_fabric *f, const json_t *entry)
{
    struct lw_link link = {0};
    unsigned width = 0;
    int rc;

    if ((rc = add_end(f, entry, "source", &link.a, &link.a_port)) != 0 ||
        (rc = add_end(f, entry, "destination", &link.b, &link.b_port)) != 0)
        return rc;
    if (sscanf(lw_read_member(entry, "width"), "IB_%ux", &width) == 1)
        link.width = (uint8_t)width;
    return lw_fabric_link(f, &link);
}

int lw_ufm_read(struct lw_fabric *f, const char *text, size_t len,
                const char *source, lw_error_t *err)
{
    json_t *root = lw_read_json(text, len, source, err);
    const json_t *list = root, *entry;
    size_t i, n = 0;
    int rc = 0;

    if (!root)
        return -1;
    if (json_is_object(root))
        list = json_object_get(root, "links");
    json_array_foreach(list, i, entry)
    {
        if ((rc = add_link(f, entry)) < 0)
            break;
        n += rc == 0;
        if (rc > 0)
            lw_fabric_skip(f, source, i + 1);
    }
    if (rc < 0 || lw_guess_kinds(f) < 0)
        rc = lw_err(err, "%s: out of memory", source);
    else
        rc = n ? 0 : lw_err(err, "%s: no link in this list of UFM", source);
    json_decref(root);
    return rc;
}
