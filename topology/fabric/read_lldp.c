/* SPDX-License-Identifier: GPL-2.0-or-later */
/* read_lldp.c - lldpcli -f json show neighbors, of one host or of many
 *
 * A host's own name is not in the output: it comes from the file's name, from
 * "host: " before each line, from a heading between dashes, or from the key
 * of an object that holds several outputs. */
#include "config.h"

#include "topology/fabric/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct lw_fabric *f;
    const char *source;
    lw_error_t *err;
    size_t n;
};

bool lw_lldp_knows(const char *text, size_t len)
{
    return lw_text_has(text, len, "", "\"lldp\"") &&
           lw_text_has(text, len, "", "\"interface\"");
}

/* The name of a neighbour: the key of its chassis, or the "name" in it (as a
 * text, or as json0 has it), else its id. */
static const char *chassis_name(const json_t *chassis)
{
    const char *key = json_object_iter_key(json_object_iter((json_t *)chassis));
    const json_t *v;

    if (json_is_array(chassis))
        return chassis_name(json_array_get(chassis, 0));
    if ((v = json_object_get(chassis, "name")) || !key ||
        (v = json_object_get(chassis, "id"))) {
        if (json_is_array(v))
            v = json_array_get(v, 0);
        if (json_is_object(v))
            return lw_read_member(v, "value");
        return json_string_value(v) ? json_string_value(v) : "";
    }
    return key;
}

/* The chassis itself, below its name or not. */
static const json_t *chassis_body(const json_t *chassis)
{
    if (json_is_array(chassis))
        chassis = json_array_get(chassis, 0);
    if (json_object_get(chassis, "id") || json_object_get(chassis, "name"))
        return chassis;
    return json_object_iter_value(json_object_iter((json_t *)chassis));
}

/* A neighbour that says it bridges or routes is a switch, and one that says
 * it does not is none; most say nothing wrong. */
static bool is_switch(const json_t *chassis)
{
    const json_t *list = json_object_get(chassis_body(chassis), "capability");
    const json_t *c;
    bool told = false;
    size_t i;

    if (json_is_object(list))
        return json_is_true(json_object_get(list, "enabled")) ||
               strcmp(lw_read_member(list, "type"), "Station") != 0;
    json_array_foreach(list, i, c)
    {
        const char *type = lw_read_member(c, "type");

        if (strcmp(type, "Bridge") != 0 && strcmp(type, "Router") != 0)
            continue;
        told = true;
        if (json_is_true(json_object_get(c, "enabled")))
            return true;
    }
    return !told;
}

static int add_neighbour(struct reader *r, const char *host, const char *port,
                         const json_t *neighbour)
{
    const json_t *chassis = json_object_get(neighbour, "chassis");
    const char *name = chassis ? chassis_name(chassis) : "";
    struct lw_link link = {0};
    char nic[256];
    int n = snprintf(nic, sizeof(nic), "%s %s", host, port);

    if (!*name || !is_switch(chassis) || (size_t)n >= sizeof(nic))
        return 0;
    link.a =
        lw_fabric_dev(r->f, lw_guid_of_name("nic", nic, (size_t)n), LW_DEV_HCA);
    link.b = lw_fabric_dev(r->f, lw_guid_of_name("switch", name, strlen(name)),
                           LW_DEV_SWITCH);
    if (link.a == LW_NO_DEV || link.b == LW_NO_DEV)
        return -1;
    link.a_port = 1;
    lw_fabric_describe(r->f, link.a, 0, 0, 0, 1);
    lw_fabric_describe(r->f, link.b, 0, 0, 0, 0);
    if (lw_fabric_name(r->f, link.a, nic, (size_t)n) < 0 ||
        lw_fabric_name(r->f, link.b, name, strlen(name)) < 0)
        return -1;
    r->n++;
    return lw_fabric_link(r->f, &link);
}

/* An object whose keys are interfaces, each with one neighbour. */
static int add_interfaces(struct reader *r, const char *host,
                          const json_t *object)
{
    const char *port;
    json_t *neighbour;

    if (json_object_get(object, "chassis"))
        return add_neighbour(r, host, lw_read_member(object, "name"), object);
    json_object_foreach((json_t *)object, port, neighbour)
    {
        if (add_neighbour(r, host, port, neighbour) < 0)
            return -1;
    }
    return 0;
}

static int add_host(struct reader *r, const char *host, const json_t *lldp)
{
    const json_t *list, *entry;
    size_t i;

    if (json_is_array(lldp))
        lldp = json_array_get(lldp, 0);
    list = json_object_get(lldp, "interface");
    if (json_is_object(list))
        return add_interfaces(r, host, list);
    json_array_foreach(list, i, entry)
    {
        if (add_interfaces(r, host, entry) < 0)
            return -1;
    }
    return 0;
}

/* One output, or an object of them by host. */
static int add_json(struct reader *r, const char *host, const json_t *root)
{
    const json_t *lldp = json_object_get(root, "lldp");
    const char *key;
    json_t *value;

    if (lldp)
        return add_host(r, host, lldp);
    json_object_foreach((json_t *)root, key, value)
    {
        lldp = json_object_get(value, "lldp");
        if (lldp && add_host(r, key, lldp) < 0)
            return -1;
    }
    return 0;
}

static int read_part(const char *host, const char *text, size_t len, void *arg)
{
    struct reader *r = arg;
    json_t *root = lw_read_json(text, len, r->source, r->err);
    int rc = root ? add_json(r, host, root) : -1;

    json_decref(root);
    return rc;
}

int lw_lldp_read(struct lw_fabric *f, const char *text, size_t len,
                 const char *source, lw_error_t *err)
{
    lw_error_t why = {0};
    struct reader r = {f, source, &why, 0};

    if (lw_each_host(text, len, source, read_part, &r) < 0)
        return lw_err(err, "%s", why.text[0] ? why.text : "out of memory");
    lw_fabric_leaves_only(f);
    return r.n ? 0 : lw_err(err, "%s: no neighbour that is a switch", source);
}
