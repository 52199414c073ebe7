/* SPDX-License-Identifier: GPL-2.0-or-later */
/* discover.c - make an inventory: which source tells what, in which order */
#include "config.h"

#include "topology/node/discover.h"
#include "topology/node/rails.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void *grow(void *items, size_t n, size_t size)
{
    /* powers of two, so that growing stays cheap */
    if (n & (n - 1))
        return items;
    return realloc(items, (n ? 2 * n : 1) * size);
}

struct lw_gpu *lw_inventory_add_gpu(struct lw_inventory *inv)
{
    struct lw_gpu *g = grow(inv->gpus, inv->ngpus, sizeof(*g));

    if (!g)
        return NULL;
    inv->gpus = g;
    g += inv->ngpus++;
    memset(g, 0, sizeof(*g));
    g->pci = g->path = g->uuid = g->name = lw_inventory_text(inv, "");
    g->index = g->minor = g->numa = -1;
    return g;
}

struct lw_nic *lw_inventory_add_nic(struct lw_inventory *inv)
{
    struct lw_nic *n = grow(inv->nics, inv->nnics, sizeof(*n));

    if (!n)
        return NULL;
    inv->nics = n;
    n += inv->nnics++;
    memset(n, 0, sizeof(*n));
    n->device = n->netdev = n->pci = n->path = n->gid =
        lw_inventory_text(inv, "");
    n->port = 1;
    n->rate = n->rail = n->numa = n->mtu = -1;
    return n;
}

int lw_pci_order(const char *a, const char *b)
{
    unsigned long x[4] = {0}, y[4] = {0};
    size_t i;

    if (sscanf(a, "%lx:%lx:%lx.%lx", &x[0], &x[1], &x[2], &x[3]) != 4 ||
        sscanf(b, "%lx:%lx:%lx.%lx", &y[0], &y[1], &y[2], &y[3]) != 4)
        return strcmp(a, b);
    for (i = 0; i < 4; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static int gpu_order(const void *a, const void *b)
{
    const struct lw_gpu *x = a, *y = b;
    int by_pci = lw_pci_order(x->pci, y->pci);

    return by_pci ? by_pci : x->index - y->index;
}

static int nic_order(const void *a, const void *b)
{
    const struct lw_nic *x = a, *y = b;
    int order = lw_pci_order(x->pci, y->pci);

    if (order == 0)
        order = lw_name_order(x->device, y->device);
    return order ? order : x->port - y->port;
}

/* Of the empty lists of an inventory with nothing in them. */
static void sort(void *items, size_t n, size_t size,
                 int (*order)(const void *, const void *))
{
    if (n > 1)
        qsort(items, n, size, order);
}

static int stamp(struct lw_inventory *inv)
{
    char text[32];
    time_t now = time(NULL);
    struct tm tm;

    if (!gmtime_r(&now, &tm) ||
        strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        return 0;
    return (inv->created = lw_inventory_text(inv, text)) ? 0 : -1;
}

struct lw_inventory *lw_inventory_discover(const char *xml, const char *root,
                                           lw_error_t *err)
{
    lw_error_t mine = {0};
    struct lw_inventory *inv = lw_inventory_create();

    if (!inv || stamp(inv) < 0) {
        lw_err(err, "out of memory");
        goto error;
    }
    if (lw_discover_hwloc(inv, xml, &mine) < 0 ||
        (!xml && lw_discover_verbs(inv, &mine) < 0))
        goto error;
    sort(inv->gpus, inv->ngpus, sizeof(*inv->gpus), gpu_order);
    sort(inv->nics, inv->nnics, sizeof(*inv->nics), nic_order);
    if ((!xml || *root) && lw_discover_sysfs(inv, root, &mine) < 0)
        goto error;
    return inv;
error:
    if (mine.text[0])
        lw_err(err, "%s", mine.text);
    lw_inventory_destroy(inv);
    return NULL;
}
