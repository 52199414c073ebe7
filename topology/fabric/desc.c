/* SPDX-License-Identifier: GPL-2.0-or-later */
/* desc.c - what a node description says: host, domain, device */
#include "config.h"

#include "topology/fabric/desc.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define AGGREGATION_DEVID 0xcf09

/* rdma-ndd(8) writes "%h %d"; until it has run, the firmware's text stands. */
static const char *const factory[] = {
    "Mellanox",    "ConnectX",     "NVIDIA",   "Technologies",
    "Infiniscale", "Host Channel", "Adapter",  "BlueField",
    "InfiniHost",  "Voltaire",     "Omni-Path"};

/* Host names that a system has before it gets its own. */
static const char *const generic[] = {
    "localhost", "ubuntu", "debian",  "centos",  "rocky",   "almalinux",
    "rhel",      "redhat", "linux",   "fedora",  "sles",    "opensuse",
    "(none)",    "none",   "unknown", "default", "hostname"};

/* Device words of the kernel's drivers and of rdma-ndd. */
static const char *const devices[] = {
    "mlx4_", "mlx5_", "mthca", "hfi1_", "qib",   "ibp",   "ibs",   "ib",
    "HCA-",  "HCA",   "roce",  "rocep", "rdmap", "irdma", "bnxt_", "cxgb4_",
    "siw",   "rxe",   "enp",   "ens",   "eth",   "eno",   "efa_"};

static bool starts(struct lw_slice w, const char *word)
{
    size_t n;

    if (!w.n || ((w.s[0] ^ word[0]) & ~0x20))
        return false;
    n = strlen(word);
    return w.n >= n && !strncasecmp(w.s, word, n);
}

static bool is_device(struct lw_slice w)
{
    size_t i;

    if (!w.n || !memchr("0123456789", w.s[w.n - 1], 10))
        if (!memchr(w.s, '_', w.n) && !starts(w, "ens") && !starts(w, "enp") &&
            !starts(w, "ibp"))
            return false;
    for (i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
        size_t n = strlen(devices[i]);
        if (starts(w, devices[i]) && w.n > n &&
            (isdigit((unsigned char)w.s[n]) || n >= 5))
            return true;
    }
    return false;
}

static bool is_factory(const char *text)
{
    size_t i;

    if (text[0] == 'M' && text[1] == 'T' && isdigit((unsigned char)text[2]) &&
        isdigit((unsigned char)text[3]))
        return true;
    for (; *text; text++) {
        if (*text < 'A' || *text > 'Z')
            continue;
        for (i = 0; i < sizeof(factory) / sizeof(factory[0]); i++)
            if (*text == factory[i][0] &&
                !strncmp(text, factory[i], strlen(factory[i])))
                return true;
    }
    return false;
}

static bool is_host(struct lw_slice w)
{
    size_t i;

    if (!w.n || w.n > 255 || !isalnum((unsigned char)w.s[0]))
        return false;
    for (i = 0; i < w.n; i++)
        if (!isalnum((unsigned char)w.s[i]) && !strchr("-._", w.s[i]))
            return false;
    return true;
}

static bool is_generic(struct lw_slice w)
{
    size_t i;

    for (i = 0; i < sizeof(generic) / sizeof(generic[0]); i++)
        if (starts(w, generic[i]) && w.n == strlen(generic[i]))
            return true;
    return false;
}

/* The next word of '*p'; blanks and quotes stand between words. */
static struct lw_slice next_word(const char **p)
{
    struct lw_slice w;

    *p += strspn(*p, " \t'\"");
    w.s = *p;
    w.n = strcspn(*p, " \t'\"");
    *p += w.n;
    return w;
}

/* "node001:mlx5_0" and "node001/mlx5_0" are one word for two. */
static void split_word(struct lw_slice *host, struct lw_slice *device)
{
    size_t i;

    for (i = host->n; i-- > 1;) {
        struct lw_slice tail = {host->s + i + 1, host->n - i - 1};
        if (strchr(":/", host->s[i]) && is_device(tail)) {
            *device = tail;
            host->n = i;
            return;
        }
    }
}

static void split_domain(struct lw_desc *d)
{
    const char *dot = memchr(d->host.s, '.', d->host.n);

    if (!dot)
        return;
    d->domain.s = dot + 1;
    d->domain.n = d->host.n - (size_t)(dot + 1 - d->host.s);
    d->host.n = (size_t)(dot - d->host.s);
    while (d->domain.n && d->domain.s[d->domain.n - 1] == '.')
        d->domain.n--;
}

bool lw_desc_split(const char *text, struct lw_desc *out)
{
    struct lw_slice first, second, none = {"", 0};
    struct lw_desc d = {none, none, none};
    const char *p = text;

    *out = d;
    if (is_factory(text))
        return false;
    first = next_word(&p);
    second = next_word(&p);
    d.host = first;
    d.device = second.n ? second : none;
    if (second.n && is_device(first) && !is_device(second)) {
        d.host = second; /* "hfi1_0 node001", as Omni-Path's tools write */
        d.device = first;
    } else if (!second.n) {
        split_word(&d.host, &d.device);
    }
    out->device = d.device;
    /* A host may be called ib01, but then its device stands beside it. */
    if (!is_host(d.host) || (is_device(d.host) && !is_device(d.device)))
        return false;
    split_domain(&d);
    if (is_generic(d.host))
        return false;
    *out = d;
    return true;
}

bool lw_desc_is_aggregation(const char *text, unsigned devid)
{
    return devid == AGGREGATION_DEVID ||
           (text && strstr(text, "Aggregation Node"));
}

void lw_desc_switch(const char *text, char *out, size_t size)
{
    const char *colon, *slash;

    if (strncmp(text, "MF0;", 4) == 0 && (colon = strchr(text, ':'))) {
        slash = strchr(colon, '/');
        if (!slash || strcmp(slash, "/U1") == 0)
            slash = "";
        snprintf(out, size, "%.*s%s", (int)(colon - text - 4), text + 4, slash);
        return;
    }
    snprintf(out, size, "%s", is_factory(text) ? "" : text);
}
