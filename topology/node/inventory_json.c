/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inventory_json.c - the inventory's cache file: JSON in and out */
#include "config.h"

#include "lib/buf.h"
#include "lib/file.h"
#include "topology/node/inventory.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the small readers below share: where we are, for error texts. */
struct reader {
    struct lw_inventory *inv;
    const char *source;
    const char *list; /* "gpus" while in one, "" at the top */
    size_t index;
    lw_error_t *err;
};

static int bad(struct reader *r, const char *key, const char *want)
{
    errno = EINVAL;
    if (*r->list)
        return lw_err(r->err, "%s: %s[%zu]: %s: expected %s", r->source,
                      r->list, r->index, key, want);
    return lw_err(r->err, "%s: %s: expected %s", r->source, key, want);
}

static int no_memory(struct reader *r)
{
    errno = ENOMEM;
    return lw_err(r->err, "%s: out of memory", r->source);
}

/* An absent text is "". */
static int get_text(struct reader *r, const json_t *o, const char *key,
                    const char **out)
{
    const json_t *v = json_object_get(o, key);

    if (v && !json_is_string(v))
        return bad(r, key, "a text");
    *out = lw_inventory_text(r->inv, v ? json_string_value(v) : "");
    return *out ? 0 : no_memory(r);
}

/* An absent number is -1. */
static int get_int(struct reader *r, const json_t *o, const char *key, int min,
                   int max, int *out)
{
    const json_t *v = json_object_get(o, key);
    json_int_t n;

    *out = -1;
    if (!v || json_is_null(v))
        return 0;
    n = json_integer_value(v);
    if (!json_is_integer(v) || n < min || n > max)
        return bad(r, key, "a whole number in range");
    *out = (int)n;
    return 0;
}

static int get_bool(struct reader *r, const json_t *o, const char *key,
                    bool absent, bool *out)
{
    const json_t *v = json_object_get(o, key);

    if (v && !json_is_boolean(v))
        return bad(r, key, "true or false");
    *out = v ? json_is_true(v) : absent;
    return 0;
}

static int get_cpus(struct reader *r, const json_t *v, const char *key,
                    struct lw_cpus *out)
{
    if (!json_is_string(v) ||
        lw_cpus_parse(json_string_value(v), json_string_length(v), out, NULL) <
            0)
        return bad(r, key, "a CPU list like \"0-15,64-79\"");
    return 0;
}

/* A word of 'word_of' for 0..'count'-1; absent is 0. */
static int get_word(struct reader *r, const json_t *o, const char *key,
                    const char *(*word_of)(int), int count, int *out)
{
    const json_t *v = json_object_get(o, key);
    int i;

    *out = 0;
    if (!v)
        return 0;
    for (i = 0; json_is_string(v) && i < count; i++) {
        if (strcmp(word_of(i), json_string_value(v)) == 0) {
            *out = i;
            return 0;
        }
    }
    return bad(r, key, "one of the words of docs/node-format.md");
}

/* Names that reach the environment or a path hold nothing but these. */
static int get_name(struct reader *r, const json_t *o, const char *key,
                    const char **out)
{
    const char *s;

    if (get_text(r, o, key, out) < 0)
        return -1;
    for (s = *out; *s; s++)
        if (!isalnum((unsigned char)*s) && !strchr("_-.:@", *s))
            return bad(r, key, "letters, digits and _-.:@");
    return s - *out > 63 ? bad(r, key, "at most 63 characters") : 0;
}

static int get_guid(struct reader *r, const json_t *o, const char *key,
                    uint64_t *out)
{
    const json_t *v = json_object_get(o, key);
    char *end;

    *out = 0;
    if (!v)
        return 0;
    if (!json_is_string(v) || strncmp(json_string_value(v), "0x", 2) != 0)
        return bad(r, key, "a text like \"0x0002c90300000001\"");
    errno = 0;
    *out = strtoull(json_string_value(v), &end, 16);
    if (errno || *end || end == json_string_value(v) + 2)
        return bad(r, key, "a text like \"0x0002c90300000001\"");
    return 0;
}

/* An array of at most LW_INVENTORY_ITEMS, memory for its items of 'size' in
 * '*out'; an absent one is empty. */
static int get_list(struct reader *r, const json_t *root, const char *key,
                    size_t size, const json_t **list, void *out)
{
    void *items;
    size_t n;

    *list = json_object_get(root, key);
    r->list = "";
    n = json_array_size(*list);
    if (*list && (!json_is_array(*list) || n > LW_INVENTORY_ITEMS))
        return bad(r, key, "a list of at most 4096 items");
    if (!(items = calloc(n + 1, size)))
        return no_memory(r);
    memcpy(out, &items, sizeof(items));
    r->list = key;
    return 0;
}

static int read_numas(struct reader *r, const json_t *root)
{
    struct lw_inventory *inv = r->inv;
    struct lw_cpus seen = {{0}};
    const json_t *list, *o;

    if (get_list(r, root, "numa", sizeof(*inv->numas), &list, &inv->numas) < 0)
        return -1;
    json_array_foreach(list, r->index, o)
    {
        struct lw_numa *n = &inv->numas[r->index];

        if (get_int(r, o, "id", 0, 1 << 20, &n->id) < 0 ||
            get_cpus(r, json_object_get(o, "cpus"), "cpus", &n->cpus) < 0)
            return -1;
        if (n->id < 0)
            return bad(r, "id", "the kernel's number of the node");
        if (lw_cpus_empty(&n->cpus) || lw_cpus_overlap(&n->cpus, &seen))
            return bad(r, "cpus", "CPUs that no other NUMA node has");
        lw_cpus_or(&seen, &n->cpus);
        inv->nnumas++;
    }
    return 0;
}

static int read_cores(struct reader *r, const json_t *root)
{
    struct lw_inventory *inv = r->inv;
    struct lw_cpus seen = {{0}};
    const json_t *list, *o;

    if (get_list(r, root, "cores", sizeof(*inv->cores), &list, &inv->cores) < 0)
        return -1;
    json_array_foreach(list, r->index, o)
    {
        struct lw_cpus *c = &inv->cores[r->index];

        if (get_cpus(r, o, "item", c) < 0)
            return -1;
        if (lw_cpus_empty(c) || lw_cpus_overlap(c, &seen))
            return bad(r, "item", "CPUs that no other core has");
        lw_cpus_or(&seen, c);
        inv->ncores++;
    }
    return 0;
}

static const struct lw_numa *find_numa(const struct lw_inventory *inv, int id)
{
    size_t i;

    for (i = 0; i < inv->nnumas; i++)
        if (inv->numas[i].id == id)
            return &inv->numas[i];
    return NULL;
}

static int get_numa(struct reader *r, const json_t *o, int *out)
{
    if (get_int(r, o, "numa", -1, 1 << 20, out) < 0)
        return -1;
    if (*out >= 0 && !find_numa(r->inv, *out))
        return bad(r, "numa", "the id of a NUMA node of this file");
    return 0;
}

static int read_mig(struct reader *r, const json_t *o, struct lw_gpu *gpu)
{
    const json_t *list = json_object_get(o, "mig"), *v;
    size_t i;

    if (list && (!json_is_array(list) || json_array_size(list) > 64))
        return bad(r, "mig", "a list of at most 64 UUIDs");
    if (!(gpu->mig = calloc(json_array_size(list) + 1, sizeof(*gpu->mig))))
        return no_memory(r);
    json_array_foreach(list, i, v)
    {
        if (!json_is_string(v))
            return bad(r, "mig", "a list of UUIDs");
        if (!(gpu->mig[i] = lw_inventory_text(r->inv, json_string_value(v))))
            return no_memory(r);
        gpu->nmig++;
    }
    return 0;
}

static int read_gpu(struct reader *r, const json_t *o, struct lw_gpu *gpu)
{
    const json_t *cpus = json_object_get(o, "cpus");

    if (get_name(r, o, "pci", &gpu->pci) < 0 ||
        get_text(r, o, "path", &gpu->path) < 0 ||
        get_name(r, o, "uuid", &gpu->uuid) < 0 ||
        get_text(r, o, "name", &gpu->name) < 0 ||
        get_word(r, o, "vendor", lw_gpu_vendor_word, 4, &gpu->vendor) < 0 ||
        get_int(r, o, "index", -1, LW_INVENTORY_ITEMS, &gpu->index) < 0 ||
        get_int(r, o, "minor", -1, 1 << 20, &gpu->minor) < 0 ||
        get_numa(r, o, &gpu->numa) < 0 || read_mig(r, o, gpu) < 0)
        return -1;
    if (cpus)
        return get_cpus(r, cpus, "cpus", &gpu->cpus);
    if (gpu->numa >= 0)
        gpu->cpus = find_numa(r->inv, gpu->numa)->cpus;
    return 0;
}

static int read_gpus(struct reader *r, const json_t *root)
{
    struct lw_inventory *inv = r->inv;
    const json_t *list, *o;

    if (get_list(r, root, "gpus", sizeof(*inv->gpus), &list, &inv->gpus) < 0)
        return -1;
    json_array_foreach(list, r->index, o)
    {
        inv->ngpus++; /* first, so that its own lists are freed */
        if (read_gpu(r, o, &inv->gpus[r->index]) < 0)
            return -1;
    }
    return 0;
}

static int read_nic(struct reader *r, const json_t *o, struct lw_nic *nic)
{
    if (get_name(r, o, "device", &nic->device) < 0 ||
        get_name(r, o, "netdev", &nic->netdev) < 0 ||
        get_name(r, o, "pci", &nic->pci) < 0 ||
        get_text(r, o, "path", &nic->path) < 0 ||
        get_guid(r, o, "guid", &nic->guid) < 0 ||
        get_guid(r, o, "node_guid", &nic->node_guid) < 0 ||
        get_name(r, o, "gid", &nic->gid) < 0 ||
        get_int(r, o, "port", 1, 255, &nic->port) < 0 ||
        get_word(r, o, "link", lw_link_word, 3, &nic->link) < 0 ||
        get_word(r, o, "state", lw_port_state_word, 5, &nic->state) < 0 ||
        get_int(r, o, "rate", 0, 1 << 20, &nic->rate) < 0 ||
        get_int(r, o, "mtu", -1, 1 << 20, &nic->mtu) < 0 ||
        get_int(r, o, "rail", -1, 1023, &nic->rail) < 0 ||
        get_numa(r, o, &nic->numa) < 0 ||
        get_bool(r, o, "verbs", true, &nic->verbs) < 0 ||
        get_bool(r, o, "vf", false, &nic->virtual_function) < 0)
        return -1;
    if (!*nic->device)
        return bad(r, "device", "the name of the device");
    if (nic->port < 0)
        nic->port = 1;
    return 0;
}

static int read_nics(struct reader *r, const json_t *root)
{
    struct lw_inventory *inv = r->inv;
    const json_t *list, *o;
    size_t i;

    if (get_list(r, root, "nics", sizeof(*inv->nics), &list, &inv->nics) < 0)
        return -1;
    json_array_foreach(list, r->index, o)
    {
        struct lw_nic *nic = &inv->nics[r->index];

        if (read_nic(r, o, nic) < 0)
            return -1;
        for (i = 0; i < inv->nnics; i++)
            if (inv->nics[i].port == nic->port &&
                strcmp(inv->nics[i].device, nic->device) == 0)
                return bad(r, "device", "a device and port named only once");
        inv->nnics++;
    }
    return 0;
}

static int read_top(struct reader *r, const json_t *root)
{
    struct lw_inventory *inv = r->inv;
    int schema;

    if (!json_is_object(root))
        return bad(r, "the file", "a JSON object");
    if (get_int(r, root, "schema", 0, 1 << 20, &schema) < 0)
        return -1;
    if (schema != LW_INVENTORY_SCHEMA)
        return bad(r, "schema", "1 (run leafward node --inventory again)");
    if (get_text(r, root, "created", &inv->created) < 0 ||
        get_name(r, root, "node", &inv->node) < 0 ||
        get_name(r, root, "boot_id", &inv->boot_id) < 0 ||
        get_name(r, root, "devices", &inv->devices) < 0 ||
        get_name(r, root, "rails_by", &inv->rails_by) < 0 ||
        get_name(r, root, "group", &inv->group) < 0 ||
        get_name(r, root, "pod", &inv->pod) < 0 ||
        get_name(r, root, "domain", &inv->domain) < 0)
        return -1;
    if (read_numas(r, root) < 0 || read_cores(r, root) < 0 ||
        read_gpus(r, root) < 0 || read_nics(r, root) < 0)
        return -1;
    r->list = "";
    return inv->nnumas ? 0 : bad(r, "numa", "at least one NUMA node");
}

struct lw_inventory *lw_inventory_parse(const char *text, size_t len,
                                        const char *source, lw_error_t *err)
{
    struct reader r = {.source = source, .list = "", .err = err};
    json_error_t why;
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
    int saved;

    if (!root) {
        lw_err_at(err, source, why.line, why.column, "%s", why.text);
        errno = EINVAL;
        return NULL;
    }
    if (!(r.inv = lw_inventory_create()))
        no_memory(&r);
    else if (read_top(&r, root) < 0) {
        lw_inventory_destroy(r.inv);
        r.inv = NULL;
    }
    saved = errno;
    json_decref(root);
    errno = saved;
    return r.inv;
}

struct lw_inventory *lw_inventory_load(const char *path, lw_error_t *err)
{
    struct lw_inventory *inv = NULL;
    size_t len;
    char *text = lw_file_read(path, LW_INVENTORY_LIMIT, &len, NULL, err);

    if (text)
        inv = lw_inventory_parse(text, len, path, err);
    free(text);
    return inv;
}

/* Printing: one item a line, keys in a fixed order, unknown ones left out. */

static void put_text(json_t *o, const char *key, const char *s)
{
    if (*s)
        json_object_set_new(o, key, json_string(s));
}

static void put_int(json_t *o, const char *key, int n)
{
    if (n >= 0)
        json_object_set_new(o, key, json_integer(n));
}

static void put_cpus(json_t *o, const char *key, const struct lw_cpus *cpus)
{
    struct lw_buf b = LW_BUF_INIT(LW_CPUS_MAX * 6);

    if (lw_cpus_print(cpus, &b) == 0 && b.len)
        json_object_set_new(o, key, json_string(b.text));
    lw_buf_free(&b);
}

static json_t *numa_json(const struct lw_numa *n)
{
    json_t *o = json_object();

    put_int(o, "id", n->id);
    put_cpus(o, "cpus", &n->cpus);
    return o;
}

static json_t *gpu_json(const struct lw_gpu *g)
{
    json_t *o = json_object(), *mig;
    size_t i;

    put_text(o, "pci", g->pci);
    put_text(o, "path", g->path);
    json_object_set_new(o, "vendor",
                        json_string(lw_gpu_vendor_word(g->vendor)));
    put_int(o, "index", g->index);
    put_int(o, "minor", g->minor);
    put_text(o, "uuid", g->uuid);
    put_text(o, "name", g->name);
    put_int(o, "numa", g->numa);
    put_cpus(o, "cpus", &g->cpus);
    if (g->nmig) {
        mig = json_array();
        for (i = 0; i < g->nmig; i++)
            json_array_append_new(mig, json_string(g->mig[i]));
        json_object_set_new(o, "mig", mig);
    }
    return o;
}

static void put_guid(json_t *o, const char *key, uint64_t guid)
{
    char text[24];

    if (!guid)
        return;
    snprintf(text, sizeof(text), "0x%016" PRIx64, guid);
    put_text(o, key, text);
}

static json_t *nic_json(const struct lw_nic *n)
{
    json_t *o = json_object();

    put_text(o, "device", n->device);
    put_int(o, "port", n->port);
    put_int(o, "rail", n->rail);
    put_text(o, "pci", n->pci);
    put_text(o, "path", n->path);
    put_text(o, "netdev", n->netdev);
    put_guid(o, "guid", n->guid);
    put_guid(o, "node_guid", n->node_guid);
    put_text(o, "gid", n->gid);
    json_object_set_new(o, "link", json_string(lw_link_word(n->link)));
    json_object_set_new(o, "state", json_string(lw_port_state_word(n->state)));
    put_int(o, "rate", n->rate);
    put_int(o, "mtu", n->mtu);
    put_int(o, "numa", n->numa);
    json_object_set_new(o, "verbs", json_boolean(n->verbs));
    if (n->virtual_function)
        json_object_set_new(o, "vf", json_true());
    return o;
}

/* Append one item; takes the reference. */
static void put_item(struct lw_buf *out, size_t index, json_t *item)
{
    char *line = item ? json_dumps(item, 0) : NULL;

    if (line)
        lw_buf_printf(out, "%s\n  %s", index ? "," : "", line);
    else
        out->failed = 1;
    free(line);
    json_decref(item);
}

static void put_head(struct lw_buf *out, const char *key, const char *value)
{
    json_t *v = json_string(value);
    char *text = v ? json_dumps(v, JSON_ENCODE_ANY) : NULL;

    if (!text)
        out->failed = 1;
    else if (*value)
        lw_buf_printf(out, " \"%s\": %s,\n", key, text);
    free(text);
    json_decref(v);
}

static void put_cores(struct lw_buf *out, const struct lw_inventory *inv)
{
    size_t i;

    lw_buf_puts(out, " \"cores\": [");
    for (i = 0; i < inv->ncores; i++) {
        lw_buf_puts(out, i ? "," : "");
        lw_buf_puts(out, i % 8 ? " \"" : "\n  \"");
        lw_cpus_print(&inv->cores[i], out);
        lw_buf_puts(out, "\"");
    }
    lw_buf_puts(out, "],\n");
}

char *lw_inventory_print(const struct lw_inventory *inv, size_t *len,
                         lw_error_t *err)
{
    struct lw_buf out = LW_BUF_INIT(LW_INVENTORY_LIMIT);
    char *text;
    size_t i;

    lw_buf_printf(&out, "{\n \"schema\": %d,\n", LW_INVENTORY_SCHEMA);
    put_head(&out, "created", inv->created);
    put_head(&out, "node", inv->node);
    put_head(&out, "boot_id", inv->boot_id);
    put_head(&out, "devices", inv->devices);
    put_head(&out, "rails_by", inv->rails_by);
    put_head(&out, "group", inv->group);
    put_head(&out, "pod", inv->pod);
    put_head(&out, "domain", inv->domain);
    lw_buf_puts(&out, " \"numa\": [");
    for (i = 0; i < inv->nnumas; i++)
        put_item(&out, i, numa_json(&inv->numas[i]));
    lw_buf_puts(&out, "],\n");
    put_cores(&out, inv);
    lw_buf_puts(&out, " \"gpus\": [");
    for (i = 0; i < inv->ngpus; i++)
        put_item(&out, i, gpu_json(&inv->gpus[i]));
    lw_buf_puts(&out, "],\n \"nics\": [");
    for (i = 0; i < inv->nnics; i++)
        put_item(&out, i, nic_json(&inv->nics[i]));
    lw_buf_puts(&out, "]\n}\n");
    *len = out.len;
    if (!(text = lw_buf_take(&out)))
        lw_err(err, "the inventory cannot be printed: %s", strerror(ENOMEM));
    return text;
}
