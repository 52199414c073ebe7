/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assign.c - which NICs of a node are compute rails, and which rail */
#include "config.h"

#include "topology/node/assign.h"
#include "topology/node/match.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FEW 512 /* NICs or GPUs that a guess looks at */

/* NICs of one kind: a fabric is built of one link type and rate. */
struct kind {
    int link, rate;
    size_t n;
    size_t close; /* GPUs with one of them on their own switch */
};

static int set_text(struct lw_inventory *inv, const char **field,
                    const char *value)
{
    const char *text = lw_inventory_text(inv, value);

    if (!text)
        return -1;
    *field = text;
    return 0;
}

static struct lw_nic *by_guid(struct lw_inventory *inv, uint64_t guid)
{
    size_t i;

    for (i = 0; guid && i < inv->nnics; i++)
        if (inv->nics[i].rail < 0 &&
            (inv->nics[i].guid == guid || inv->nics[i].node_guid == guid))
            return &inv->nics[i];
    return NULL;
}

/* How many NICs got a rail; -1 when out of memory. */
static int by_map(struct lw_inventory *inv, const struct lw_map *map)
{
    int index = map ? lw_map_find_node(map, inv->node) : -1, n = 0;
    const struct lw_map_node *node;
    struct lw_nic *nic;
    size_t i;

    if (index < 0)
        return 0;
    node = &map->nodes[index];
    for (i = 0; i < node->nhcas; i++) {
        if (node->hcas[i].rail < 0 || !(nic = by_guid(inv, node->hcas[i].guid)))
            continue;
        nic->rail = node->hcas[i].rail;
        n++;
    }
    if ((node->group >= 0 &&
         set_text(inv, &inv->group, map->groups[node->group].name) < 0) ||
        (node->pod >= 0 &&
         set_text(inv, &inv->pod, map->pods[node->pod]) < 0) ||
        (node->domain >= 0 &&
         set_text(inv, &inv->domain, map->domains[node->domain]) < 0))
        return -1;
    return n;
}

/* A port number, 0 for anything else. */
static int port_number(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    return end != text && n > 0 && n < 256 ? (int)n : 0;
}

/* The NIC called 'device' or 'device:port'. */
static struct lw_nic *by_name(struct lw_inventory *inv, const char *name,
                              size_t len)
{
    const char *colon = memchr(name, ':', len);
    size_t base = colon ? (size_t)(colon - name) : len, i;
    int port = colon ? port_number(colon + 1) : 1;

    for (i = 0; i < inv->nnics; i++)
        if (inv->nics[i].port == port && strlen(inv->nics[i].device) == base &&
            strncmp(inv->nics[i].device, name, base) == 0)
            return &inv->nics[i];
    return NULL;
}

/* Devices in rail order. One that is missing here keeps its rail number
 * free, so that rails mean the same on every node. */
static int by_rule(struct lw_inventory *inv, const char *rule, lw_error_t *err)
{
    struct lw_nic *nic;
    int rail = 0, n = 0;
    size_t len;

    for (; *rule; rule += len, rail++) {
        rule += strspn(rule, ", \t");
        len = strcspn(rule, ", \t");
        if (len && (nic = by_name(inv, rule, len))) {
            nic->rail = rail;
            n++;
        }
    }
    if (!n && inv->nnics)
        return lw_err(err, "rails: none of the devices is on this node");
    return n;
}

static bool candidate(const struct lw_nic *nic)
{
    return nic->verbs && !nic->virtual_function;
}

static size_t close_gpus(const struct lw_inventory *inv, const struct kind *k)
{
    size_t i, j, n = 0;

    for (i = 0; i < inv->ngpus; i++) {
        for (j = 0; j < inv->nnics; j++)
            if (candidate(&inv->nics[j]) && inv->nics[j].link == k->link &&
                inv->nics[j].rate == k->rate &&
                lw_near(&inv->gpus[i], &inv->nics[j]) <= LW_NEAR_PXB)
                break;
        n += j < inv->nnics;
    }
    return n;
}

/* The compute fabric is the one with the most bandwidth, not the one with
 * the nearest NIC: a slow card may sit on the GPU's own switch. */
static bool better(const struct kind *a, const struct kind *b)
{
    long x = (long)a->n * (a->rate > 0 ? a->rate : 1);
    long y = (long)b->n * (b->rate > 0 ? b->rate : 1);

    if (x != y)
        return x > y;
    if (a->close != b->close)
        return a->close > b->close;
    return a->link == LW_LINK_IB && b->link != LW_LINK_IB;
}

/* Collect the NICs of the best kind, in the inventory's (PCI) order. */
static size_t best_kind(const struct lw_inventory *inv, int *out)
{
    struct kind best = {0}, k;
    size_t i, j, n = 0;

    for (i = 0; i < inv->nnics; i++) {
        if (!candidate(&inv->nics[i]))
            continue;
        k = (struct kind){inv->nics[i].link, inv->nics[i].rate, 0, 0};
        for (j = 0; j < inv->nnics; j++)
            k.n += candidate(&inv->nics[j]) && inv->nics[j].link == k.link &&
                   inv->nics[j].rate == k.rate;
        k.close = close_gpus(inv, &k);
        if (!best.n || better(&k, &best))
            best = k;
    }
    for (i = 0; best.n && i < inv->nnics && n < FEW; i++)
        if (candidate(&inv->nics[i]) && inv->nics[i].link == best.link &&
            inv->nics[i].rate == best.rate)
            out[n++] = (int)i;
    return n;
}

/* Storage NICs are often of the same kind: where there are more NICs than
 * GPUs, those that the matching leaves over and that share no GPU's switch
 * are not rails. */
static bool leftover(const struct lw_inventory *inv, int nic, const int *taken,
                     size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        if (taken[i] == nic)
            return false;
    for (i = 0; i < inv->ngpus; i++)
        if (lw_near(&inv->gpus[i], &inv->nics[nic]) == LW_NEAR_PIX)
            return false;
    return true;
}

static int by_guess(struct lw_inventory *inv)
{
    int nics[FEW], gpus[FEW], taken[FEW];
    size_t n = best_kind(inv, nics), i, ngpus;
    int rail = 0;

    for (ngpus = 0; ngpus < inv->ngpus && ngpus < FEW; ngpus++)
        gpus[ngpus] = (int)ngpus;
    if (!n || !ngpus)
        return 0;
    if (lw_match(inv, gpus, ngpus, nics, n, taken) < 0)
        return -1;
    for (i = 0; i < n; i++)
        if (n <= ngpus || !leftover(inv, nics[i], taken, ngpus))
            inv->nics[nics[i]].rail = rail++;
    return rail;
}

int lw_rails_assign(struct lw_inventory *inv, const struct lw_map *map,
                    const char *rule, lw_error_t *err)
{
    const char *by = "map";
    size_t i;
    int n;

    for (i = 0; i < inv->nnics; i++)
        inv->nics[i].rail = -1;
    n = by_map(inv, map);
    if (n == 0 && *rule) {
        by = "rules";
        if ((n = by_rule(inv, rule, err)) < 0)
            return -1;
    }
    if (n == 0) {
        by = "guess";
        n = by_guess(inv);
    }
    if (n < 0 || set_text(inv, &inv->rails_by, n ? by : "") < 0) {
        errno = ENOMEM;
        return lw_err(err, "out of memory");
    }
    return 0;
}
