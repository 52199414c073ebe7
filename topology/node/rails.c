/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rails.c - the compute rails of a node and their name for NCCL */
#include "config.h"

#include "lib/buf.h"
#include "topology/node/rails.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int lw_name_order(const char *a, const char *b)
{
    char *end_a, *end_b;
    unsigned long x, y;

    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            x = strtoul(a, &end_a, 10);
            y = strtoul(b, &end_b, 10);
            if (x != y)
                return x < y ? -1 : 1;
            a = end_a;
            b = end_b;
            continue;
        }
        if (*a != *b)
            break;
        a++;
        b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

static bool is_rail(const struct lw_nic *nic)
{
    return nic->rail >= 0 && nic->verbs;
}

static int rail_order(const struct lw_nic *a, const struct lw_nic *b)
{
    int by_name;

    if (a->rail != b->rail)
        return a->rail - b->rail;
    by_name = lw_name_order(a->device, b->device);
    return by_name ? by_name : a->port - b->port;
}

/* NICs of different link layers in one list make NCCL fail
 * (src/graph/connect.cc, internal error): the larger kind wins, InfiniBand
 * on a tie. */
static int common_link(const struct lw_inventory *inv)
{
    size_t i, ib = 0, ethernet = 0;

    for (i = 0; i < inv->nnics; i++) {
        if (!is_rail(&inv->nics[i]))
            continue;
        ib += inv->nics[i].link == LW_LINK_IB;
        ethernet += inv->nics[i].link == LW_LINK_ETHERNET;
    }
    if (!ib && !ethernet)
        return LW_LINK_UNKNOWN;
    return ib >= ethernet ? LW_LINK_IB : LW_LINK_ETHERNET;
}

/* All compute rails of link type 'link', sorted; the count. */
static size_t collect(const struct lw_inventory *inv, int link, int *out,
                      size_t *other)
{
    size_t i, n = 0, at;

    for (i = 0; i < inv->nnics; i++) {
        if (!is_rail(&inv->nics[i]))
            continue;
        if (inv->nics[i].link != link) {
            (*other)++;
            continue;
        }
        for (at = n < LW_RAILS_MAX ? n : LW_RAILS_MAX;
             at > 0 && rail_order(&inv->nics[i], &inv->nics[out[at - 1]]) < 0;
             at--)
            if (at < LW_RAILS_MAX)
                out[at] = out[at - 1];
        if (at < LW_RAILS_MAX)
            out[at] = (int)i;
        n += n < LW_RAILS_MAX;
    }
    return n;
}

static const char *why_none(const struct lw_inventory *inv, size_t nall)
{
    size_t i, verbs = 0;

    if (nall)
        return "every compute rail is down";
    for (i = 0; i < inv->nnics; i++)
        verbs += inv->nics[i].verbs;
    if (!inv->nnics)
        return "the node has no NIC";
    return verbs ? "no NIC is known as a compute rail"
                 : "no NIC is one that NCCL drives as InfiniBand or RoCE";
}

void lw_rails_find(const struct lw_inventory *inv, enum lw_port_down port_down,
                   struct lw_rails *out)
{
    struct lw_buf names = LW_BUF_INIT(sizeof(out->names) - 1);
    size_t i;

    memset(out, 0, sizeof(*out));
    out->nall = collect(inv, common_link(inv), out->all, &out->other);
    for (i = 0; i < out->nall; i++) {
        const struct lw_nic *nic = &inv->nics[out->all[i]];
        bool up = nic->state == LW_PORT_ACTIVE || nic->state == LW_PORT_UNKNOWN;

        if (!up) {
            lw_buf_printf(&names, "%s%s:%d rail %d", out->down ? ", " : "",
                          nic->device, nic->port, nic->rail);
            out->down++;
        }
        if (up || port_down == LW_PORT_KEEP)
            out->nics[out->n++] = out->all[i];
    }
    snprintf(out->names, sizeof(out->names), "%s", lw_buf_text(&names));
    lw_buf_free(&names);
    if (!out->n)
        out->none = why_none(inv, out->nall);
}

char *lw_rails_hca(const struct lw_inventory *inv, const struct lw_rails *r)
{
    struct lw_buf b = LW_BUF_INIT(LW_RAILS_MAX * 80);
    size_t i;

    if (!r->n)
        return NULL;
    for (i = 0; i < r->n; i++)
        lw_buf_printf(&b, "%s%s:%d", i ? "," : "=",
                      inv->nics[r->nics[i]].device, inv->nics[r->nics[i]].port);
    return lw_buf_take(&b);
}

/* The first bytes of a small file of sysfs; 0, or -1. */
static int read_small(const char *path, char *out, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n;

    if (fd < 0)
        return -1;
    n = read(fd, out, size - 1);
    close(fd);
    if (n < 0)
        return -1;
    out[n] = '\0';
    return 0;
}

/* "4: ACTIVE" */
static int port_state(const char *sysfs, const struct lw_nic *nic)
{
    static const int states[] = {LW_PORT_DOWN, LW_PORT_DOWN, LW_PORT_INIT,
                                 LW_PORT_ARMED, LW_PORT_ACTIVE};
    char path[512], text[32];

    if (snprintf(path, sizeof(path), "%s/class/infiniband/%s/ports/%d/state",
                 sysfs, nic->device, nic->port) >= (int)sizeof(path) ||
        read_small(path, text, sizeof(text)) < 0)
        return -1;
    /* 5 is ACTIVE_DEFER: data may not flow */
    return text[0] >= '0' && text[0] <= '4' ? states[text[0] - '0']
                                            : LW_PORT_DOWN;
}

void lw_rails_refresh(struct lw_inventory *inv, const char *sysfs)
{
    bool found = false;
    size_t i;

    for (i = 0; i < inv->nnics && !found; i++)
        found = is_rail(&inv->nics[i]) && port_state(sysfs, &inv->nics[i]) >= 0;
    for (i = 0; found && i < inv->nnics; i++) {
        int state;

        if (!is_rail(&inv->nics[i]))
            continue;
        state = port_state(sysfs, &inv->nics[i]);
        inv->nics[i].state = state < 0 ? LW_PORT_DOWN : state;
    }
}
