/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inventory_hwloc.c - CPUs, GPUs and NICs as hwloc sees them */
#include "config.h"

#include "lib/buf.h"
#include "topology/node/discover.h"

#include <ctype.h>
#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VENDOR_AMD       0x1002
#define VENDOR_AMAZON    0x1d0f
#define VENDOR_HPE       0x17db /* Slingshot (Cray) */
#define VENDOR_INTEL     0x8086
#define VENDOR_NVIDIA    0x10de
#define CLASS_VGA        0x0300
#define CLASS_DISPLAY    0x03
#define CLASS_ACCEL      0x12
#define CLASS_INFINIBAND 0x0207

/* What hwloc's own GPU back-ends would add may hang or initialise GPUs; PCI
 * tells all we need. */
#define NO_GPU_BACKENDS "-gl,-opencl,-cuda,-nvml,-rsmi,-levelzero"

static int no_memory(lw_error_t *err)
{
    errno = ENOMEM;
    return lw_err(err, "out of memory");
}

static void take_cpus(hwloc_const_cpuset_t from, struct lw_cpus *out)
{
    int cpu;

    memset(out, 0, sizeof(*out));
    /* an infinite set cannot come from a loaded topology */
    for (cpu = hwloc_bitmap_first(from); cpu >= 0 && cpu < LW_CPUS_MAX;
         cpu = hwloc_bitmap_next(from, cpu))
        lw_cpus_set(out, (size_t)cpu);
}

/* NUMA nodes with CPUs. GPU memory (GH200, GB200) and other memory beside
 * the main one names the CPUs it is near to: it is no place to run. */
static int take_numas(hwloc_topology_t t, struct lw_inventory *inv,
                      lw_error_t *err)
{
    int n = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_NUMANODE), i;
    struct lw_cpus seen = {{0}};

    inv->numas = calloc((size_t)(n > 0 ? n : 0) + 1, sizeof(*inv->numas));
    if (!inv->numas)
        return no_memory(err);
    for (i = 0; i < n; i++) {
        hwloc_obj_t o = hwloc_get_obj_by_type(t, HWLOC_OBJ_NUMANODE, i);
        struct lw_numa *numa = &inv->numas[inv->nnumas];

        if (o->subtype && strcmp(o->subtype, "GPUMemory") == 0)
            continue;
        take_cpus(o->cpuset, &numa->cpus);
        lw_cpus_drop(&numa->cpus, &seen);
        if (lw_cpus_empty(&numa->cpus))
            continue;
        numa->id = (int)o->os_index;
        lw_cpus_or(&seen, &numa->cpus);
        inv->nnumas++;
    }
    if (!inv->nnumas) {
        take_cpus(hwloc_get_root_obj(t)->cpuset, &inv->numas[0].cpus);
        inv->nnumas = !lw_cpus_empty(&inv->numas[0].cpus);
    }
    return inv->nnumas ? 0 : lw_err(err, "hwloc shows no CPU");
}

static int take_cores(hwloc_topology_t t, struct lw_inventory *inv,
                      lw_error_t *err)
{
    hwloc_obj_type_t type = HWLOC_OBJ_CORE;
    int n = hwloc_get_nbobjs_by_type(t, type), i;

    if (n <= 0)
        n = hwloc_get_nbobjs_by_type(t, type = HWLOC_OBJ_PU);
    inv->cores = calloc((size_t)(n > 0 ? n : 0) + 1, sizeof(*inv->cores));
    if (!inv->cores)
        return no_memory(err);
    for (i = 0; i < n && i < LW_INVENTORY_ITEMS; i++) {
        take_cpus(hwloc_get_obj_by_type(t, type, i)->cpuset,
                  &inv->cores[inv->ncores]);
        inv->ncores += !lw_cpus_empty(&inv->cores[inv->ncores]);
    }
    return 0;
}

/* The bridges above a device as sysfs names them, the root first. */
static const char *path_of(struct lw_inventory *inv, hwloc_obj_t dev)
{
    hwloc_obj_t chain[32], o;
    struct lw_buf b = LW_BUF_INIT(1024);
    const char *text;
    size_t n = 0;

    for (o = dev->parent; o && n < 32; o = o->parent)
        if (o->type == HWLOC_OBJ_BRIDGE)
            chain[n++] = o;
    while (n--) {
        struct hwloc_bridge_attr_s *a = &chain[n]->attr->bridge;
        struct hwloc_pcidev_attr_s *p = &a->upstream.pci;

        if (b.len)
            lw_buf_puts(&b, "/");
        if (a->upstream_type == HWLOC_OBJ_BRIDGE_HOST)
            lw_buf_printf(&b, "pci%04x:%02x", a->downstream.pci.domain,
                          a->downstream.pci.secondary_bus);
        else
            lw_buf_printf(&b, "%04x:%02x:%02x.%01x", p->domain, p->bus, p->dev,
                          p->func);
    }
    text = b.failed ? NULL : lw_inventory_text(inv, lw_buf_text(&b));
    lw_buf_free(&b);
    return text;
}

static const char *address_of(struct lw_inventory *inv, hwloc_obj_t dev)
{
    struct hwloc_pcidev_attr_s *p = &dev->attr->pcidev;
    char text[40];

    snprintf(text, sizeof(text), "%04x:%02x:%02x.%01x", p->domain, p->bus,
             p->dev, p->func);
    return lw_inventory_text(inv, text);
}

/* The CPUs near a device, empty when that is all of them: then nothing is
 * known. '*numa' is the one NUMA node they touch, -1 when several. */
static void locality(hwloc_topology_t t, const struct lw_inventory *inv,
                     hwloc_obj_t dev, struct lw_cpus *cpus, int *numa)
{
    hwloc_obj_t near = hwloc_get_non_io_ancestor_obj(t, dev);
    struct lw_cpus all;
    size_t i, touched = 0;

    *numa = -1;
    lw_inventory_cpus(inv, &all);
    take_cpus(near->cpuset, cpus);
    for (i = 0; i < inv->nnumas; i++) {
        if (!lw_cpus_overlap(&inv->numas[i].cpus, cpus))
            continue;
        touched++;
        *numa = inv->numas[i].id;
    }
    if (touched != 1)
        *numa = -1;
    if (lw_cpus_equal(cpus, &all) && inv->nnumas > 1)
        memset(cpus, 0, sizeof(*cpus));
}

/* A BMC's VGA never counts (no vendor of ours), nor graphics inside the CPU:
 * Intel's is always 0000:00:02.0, and AMD's compute GPUs are never VGA. */
static int gpu_vendor(const struct hwloc_pcidev_attr_s *p)
{
    int base = p->class_id >> 8;

    if (base != CLASS_DISPLAY && base != CLASS_ACCEL)
        return -1;
    if (p->vendor_id == VENDOR_NVIDIA)
        return LW_GPU_NVIDIA;
    if (p->vendor_id == VENDOR_AMD && p->class_id != CLASS_VGA)
        return LW_GPU_AMD;
    if (p->vendor_id == VENDOR_INTEL && base == CLASS_DISPLAY &&
        (p->bus != 0 || p->dev != 2))
        return LW_GPU_INTEL;
    return -1;
}

/* N of an OS device "rsmiN", -1 for anything else. */
static int rsmi_number(const char *name)
{
    if (!name || strncmp(name, "rsmi", 4) != 0 ||
        !isdigit((unsigned char)name[4]))
        return -1;
    return (int)strtol(name + 4, NULL, 10);
}

static const char *info(struct lw_inventory *inv, hwloc_obj_t o,
                        const char *name)
{
    const char *value = hwloc_obj_get_info_by_name(o, name);
    char low[64];
    size_t i;

    if (!value)
        return NULL;
    for (i = 0; value[i] && i + 1 < sizeof(low); i++)
        low[i] = (char)tolower((unsigned char)value[i]);
    low[i] = '\0';
    if (strncmp(low, "gpu-", 4) == 0)
        memcpy(low, "GPU", 3);
    return lw_inventory_text(inv, low);
}

static struct lw_gpu *add_gpu(hwloc_topology_t t, struct lw_inventory *inv,
                              hwloc_obj_t dev, int vendor)
{
    struct lw_gpu *g = lw_inventory_add_gpu(inv);
    const char *name = hwloc_obj_get_info_by_name(dev, "PCIDevice");

    if (!g || !(g->pci = address_of(inv, dev)) ||
        !(g->path = path_of(inv, dev)) ||
        (name && !(g->name = lw_inventory_text(inv, name))))
        return NULL;
    g->vendor = vendor;
    locality(t, inv, dev, &g->cpus, &g->numa);
    return g;
}

/* cuda, nvml and opencl devices of one function are one GPU; several rsmi
 * devices are partitions, each a GPU of its own. */
static int take_gpu(hwloc_topology_t t, struct lw_inventory *inv,
                    hwloc_obj_t dev, int vendor)
{
    struct lw_gpu *g = add_gpu(t, inv, dev, vendor);
    const char *uuid;
    hwloc_obj_t os;
    int n;

    for (os = dev->io_first_child; g && os; os = os->next_sibling) {
        n = rsmi_number(os->name);
        if (n >= 0 && g->index >= 0)
            g = add_gpu(t, inv, dev, vendor);
        if (!g)
            break;
        if (n >= 0)
            g->index = n;
        uuid = info(inv, os, "NVIDIAUUID");
        if (uuid || (uuid = info(inv, os, "AMDUUID")))
            g->uuid = uuid;
    }
    return g ? 0 : -1;
}

/* "506b:4b03:003c:eee8", or the lower half of a GID. */
static uint64_t guid_of(const char *text)
{
    uint64_t guid = 0;
    size_t len = text ? strlen(text) : 0, i;

    for (i = len > 19 ? len - 19 : 0; i < len; i++) {
        if (text[i] == ':')
            continue;
        if (!isxdigit((unsigned char)text[i]))
            return 0;
        guid = guid << 4 | (uint64_t)(isdigit((unsigned char)text[i])
                                          ? text[i] - '0'
                                          : tolower(text[i]) - 'a' + 10);
    }
    return guid;
}

/* What hwloc noted of one port: "Port1State", "Port1GID0"; 0 when there is
 * no such port. */
static int take_port(struct lw_inventory *inv, hwloc_obj_t os, int port,
                     struct lw_nic *nic)
{
    char key[32];
    const char *state, *gid;

    snprintf(key, sizeof(key), "Port%dState", port);
    state = hwloc_obj_get_info_by_name(os, key);
    snprintf(key, sizeof(key), "Port%dGID0", port);
    gid = hwloc_obj_get_info_by_name(os, key);
    if (!state && port > 1)
        return 0;
    if (state && *state >= '1' && *state <= '4')
        nic->state = LW_PORT_DOWN + (*state - '1');
    if (gid && (nic->gid = lw_inventory_text(inv, gid)) == NULL)
        return -1;
    nic->guid = guid_of(gid);
    nic->node_guid = guid_of(hwloc_obj_get_info_by_name(os, "NodeGUID"));
    nic->port = port;
    return 1;
}

/* EFA and Omni-Path have verbs devices that NCCL's InfiniBand transport does
 * not use; Slingshot has none at all. */
static bool usable_by_nccl(hwloc_obj_t dev, const char *name)
{
    return dev->attr->pcidev.vendor_id != VENDOR_AMAZON &&
           strncmp(name, "hfi1", 4) != 0 && strncmp(name, "opa", 3) != 0;
}

static hwloc_obj_t child_of_type(hwloc_obj_t dev, hwloc_obj_osdev_type_t type)
{
    hwloc_obj_t os;

    for (os = dev->io_first_child; os; os = os->next_sibling)
        if (os->type == HWLOC_OBJ_OS_DEVICE && os->attr->osdev.type == type)
            return os;
    return NULL;
}

static struct lw_nic *add_nic(hwloc_topology_t t, struct lw_inventory *inv,
                              hwloc_obj_t dev, hwloc_obj_t os)
{
    struct lw_nic *nic = lw_inventory_add_nic(inv);
    hwloc_obj_t net = child_of_type(dev, HWLOC_OBJ_OSDEV_NETWORK);
    struct lw_cpus cpus;

    if (!nic || !(nic->device = lw_inventory_text(inv, os->name)) ||
        !(nic->pci = address_of(inv, dev)) ||
        !(nic->path = path_of(inv, dev)) ||
        (net && !(nic->netdev = lw_inventory_text(inv, net->name))))
        return NULL;
    nic->link = dev->attr->pcidev.class_id == CLASS_INFINIBAND
                    ? LW_LINK_IB
                    : LW_LINK_ETHERNET;
    locality(t, inv, dev, &cpus, &nic->numa);
    return nic;
}

static int take_nic(hwloc_topology_t t, struct lw_inventory *inv,
                    hwloc_obj_t dev)
{
    hwloc_obj_t os = child_of_type(dev, HWLOC_OBJ_OSDEV_OPENFABRICS);
    hwloc_obj_t net = child_of_type(dev, HWLOC_OBJ_OSDEV_NETWORK);
    struct lw_nic *nic;
    int port, more = 1;

    if (!os && net && dev->attr->pcidev.vendor_id == VENDOR_HPE)
        return add_nic(t, inv, dev, net) ? 0 : -1;
    for (port = 1; os && more > 0; port++) {
        if (!(nic = add_nic(t, inv, dev, os)))
            return -1;
        nic->verbs = usable_by_nccl(dev, os->name);
        if ((more = take_port(inv, os, port, nic)) == 0)
            inv->nnics--;
    }
    return more < 0 ? -1 : 0;
}

static int take_devices(hwloc_topology_t t, struct lw_inventory *inv,
                        lw_error_t *err)
{
    hwloc_obj_t dev = NULL;
    int vendor;

    while ((dev = hwloc_get_next_pcidev(t, dev))) {
        vendor = gpu_vendor(&dev->attr->pcidev);
        if (inv->ngpus >= LW_INVENTORY_ITEMS ||
            inv->nnics >= LW_INVENTORY_ITEMS)
            return lw_err(err, "more than %d devices of a kind",
                          LW_INVENTORY_ITEMS);
        if ((vendor >= 0 && take_gpu(t, inv, dev, vendor) < 0) ||
            take_nic(t, inv, dev) < 0)
            return no_memory(err);
    }
    return 0;
}

static int load(hwloc_topology_t *t, const char *xml, lw_error_t *err)
{
    char *saved = getenv("HWLOC_COMPONENTS");

    *t = NULL;
    if (hwloc_topology_init(t) < 0)
        return lw_err(err, "hwloc: %s", strerror(errno));
    if (xml && hwloc_topology_set_xml(*t, xml) < 0)
        return lw_err(err, "%s: %s", xml, strerror(errno));
    hwloc_topology_set_io_types_filter(*t, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (!saved)
        setenv("HWLOC_COMPONENTS", NO_GPU_BACKENDS, 1);
    errno = 0;
    if (hwloc_topology_load(*t) < 0)
        lw_err(err,
               "%s: hwloc %u.%u cannot load it (it must be the XML of hwloc "
               "%u or older: lstopo --export-xml-flags v2)",
               xml ? xml : "this machine", hwloc_get_api_version() >> 16,
               hwloc_get_api_version() >> 8 & 255,
               hwloc_get_api_version() >> 16);
    if (!saved)
        unsetenv("HWLOC_COMPONENTS");
    return err->text[0] ? -1 : 0;
}

int lw_discover_hwloc(struct lw_inventory *inv, const char *xml,
                      lw_error_t *err)
{
    hwloc_topology_t t;
    int rc = -1;

    if (load(&t, xml, err) == 0 && take_numas(t, inv, err) == 0 &&
        take_cores(t, inv, err) == 0)
        rc = take_devices(t, inv, err);
    if (t)
        hwloc_topology_destroy(t);
    return rc;
}
