/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inventory_verbs.c - ports of the RDMA devices by libibverbs */
#include "config.h"

#include "topology/node/discover.h"

#include <errno.h>
#include <string.h>

#ifdef HAVE_VERBS

#include <arpa/inet.h>
#include <endian.h>
#include <infiniband/verbs.h>
#include <stdio.h>

/* Gb/s of a port; the codes are those of the PortInfo attributes. */
static int rate_of(const struct ibv_port_attr *p)
{
    static const struct {
        int code, tenths;
    } lanes[] = {{1, 25},   {2, 50},   {4, 100},    {8, 100},   {16, 140},
                 {32, 250}, {64, 500}, {128, 1000}, {256, 2000}};
    static const struct {
        int code, lanes;
    } widths[] = {{1, 1}, {2, 4}, {4, 8}, {8, 12}, {16, 2}};
    int tenths = 0, width = 0;
    size_t i;

    for (i = 0; i < sizeof(lanes) / sizeof(lanes[0]); i++)
        if (lanes[i].code == p->active_speed)
            tenths = lanes[i].tenths;
    for (i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
        if (widths[i].code == p->active_width)
            width = widths[i].lanes;
    return tenths && width ? tenths * width / 10 : -1;
}

static int state_of(enum ibv_port_state state)
{
    switch (state) {
    case IBV_PORT_ACTIVE:
        return LW_PORT_ACTIVE;
    case IBV_PORT_ARMED:
        return LW_PORT_ARMED;
    case IBV_PORT_INIT:
        return LW_PORT_INIT;
    default:
        return LW_PORT_DOWN;
    }
}

static int take_gid(struct lw_inventory *inv, struct ibv_context *c, int port,
                    struct lw_nic *nic)
{
    union ibv_gid gid;
    char text[INET6_ADDRSTRLEN];

    if (ibv_query_gid(c, (uint8_t)port, 0, &gid) != 0 ||
        !inet_ntop(AF_INET6, gid.raw, text, sizeof(text)))
        return 0;
    nic->guid = be64toh(gid.global.interface_id);
    return (nic->gid = lw_inventory_text(inv, text)) ? 0 : -1;
}

static int take_port(struct lw_inventory *inv, struct ibv_context *c, int port,
                     struct lw_nic *nic)
{
    struct ibv_port_attr p;

    memset(&p, 0, sizeof(p));
    nic->port = port;
    nic->node_guid = be64toh(ibv_get_device_guid(c->device));
    if (ibv_query_port(c, (uint8_t)port, &p) != 0)
        return 0;
    nic->state = state_of(p.state);
    nic->rate = rate_of(&p);
    nic->mtu =
        p.active_mtu >= 1 && p.active_mtu <= 5 ? 128 << (int)p.active_mtu : -1;
    nic->link =
        p.link_layer == IBV_LINK_LAYER_ETHERNET ? LW_LINK_ETHERNET : LW_LINK_IB;
    return take_gid(inv, c, port, nic);
}

/* The entry of a device and port; hwloc may have seen fewer ports. */
static struct lw_nic *entry(struct lw_inventory *inv, const char *device,
                            int port)
{
    struct lw_nic *first = NULL, *added;
    struct lw_nic copy;
    size_t i;

    for (i = 0; i < inv->nnics; i++) {
        if (strcmp(inv->nics[i].device, device) != 0)
            continue;
        if (inv->nics[i].port == port)
            return &inv->nics[i];
        first = &inv->nics[i];
    }
    if (!first)
        return NULL;
    copy = *first;
    if ((added = lw_inventory_add_nic(inv)))
        *added = copy;
    return added;
}

static int take_device(struct lw_inventory *inv, struct ibv_device *device)
{
    struct ibv_context *c = ibv_open_device(device);
    struct ibv_device_attr attr;
    struct lw_nic *nic;
    int port, rc = 0;

    if (!c)
        return 0;
    if (ibv_query_device(c, &attr) != 0)
        attr.phys_port_cnt = 0;
    for (port = 1; rc == 0 && port <= attr.phys_port_cnt; port++)
        if ((nic = entry(inv, ibv_get_device_name(device), port)))
            rc = take_port(inv, c, port, nic);
    ibv_close_device(c);
    return rc;
}

int lw_discover_verbs(struct lw_inventory *inv, lw_error_t *err)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    int i, rc = 0;

    for (i = 0; list && list[i] && rc == 0; i++)
        rc = take_device(inv, list[i]);
    if (list)
        ibv_free_device_list(list);
    return rc < 0 ? lw_err(err, "out of memory") : 0;
}

#else

int lw_discover_verbs(struct lw_inventory *inv, lw_error_t *err)
{
    (void)inv;
    (void)err;
    return 0;
}

#endif
