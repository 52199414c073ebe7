/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inventory_sysfs.c - what the kernel and the GPU drivers tell in files */
#include "config.h"

#include "lib/file.h"
#include "topology/node/discover.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SMALL_FILE (64 * 1024)

/* The file root + path (printf-style), NULL when there is none. */
static char *small_file(const char *fmt, const char *root, const char *name)
{
    char path[1024];
    size_t len;

    if (snprintf(path, sizeof(path), fmt, root, name) >= (int)sizeof(path))
        return NULL;
    return lw_file_read(path, SMALL_FILE, &len, NULL, NULL);
}

/* The value of a line "key: value" or "key value", to its end, borrowed from
 * 'text'; its length in '*len'. NULL when there is none. */
static const char *value_of(const char *text, const char *key, size_t *len)
{
    size_t n = strlen(key);

    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        if (strncmp(text, key, n) != 0 ||
            (text[n] != ':' && !isblank((unsigned char)text[n])))
            continue;
        text += n + (text[n] == ':');
        text += strspn(text, " \t");
        *len = strcspn(text, "\n");
        while (*len && isspace((unsigned char)text[*len - 1]))
            (*len)--;
        return text;
    }
    return NULL;
}

static const char *take_value(struct lw_inventory *inv, const char *text,
                              const char *key, const char *absent)
{
    char copy[128];
    size_t len;
    const char *v = value_of(text, key, &len);

    if (!v || len >= sizeof(copy))
        return absent;
    memcpy(copy, v, len);
    copy[len] = '\0';
    v = lw_inventory_text(inv, copy);
    return v ? v : absent;
}

static long number_of(const char *text, const char *key)
{
    size_t len;
    const char *v = value_of(text, key, &len);

    return v && isdigit((unsigned char)*v) ? strtol(v, NULL, 10) : -1;
}

/* /proc/driver/nvidia/gpus/ADDRESS/information */
static void take_nvidia(struct lw_inventory *inv, const char *root,
                        struct lw_gpu *g)
{
    char *text =
        small_file("%s/proc/driver/nvidia/gpus/%s/information", root, g->pci);

    if (!text)
        return;
    g->name = take_value(inv, text, "Model", g->name);
    g->uuid = take_value(inv, text, "GPU UUID", g->uuid);
    if (strncmp(g->uuid, "GPU-", 4) != 0 || strchr(g->uuid, '?'))
        g->uuid = lw_inventory_text(inv, "");
    g->minor = (int)number_of(text, "Device Minor");
    free(text);
}

/* The number of renderD128 below the device's drm directory. */
static void take_render_node(const char *root, struct lw_gpu *g)
{
    char path[1024];
    struct dirent *e;
    DIR *d;

    snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/%s/drm", root, g->pci);
    if (!(d = opendir(path)))
        return;
    while ((e = readdir(d)))
        if (strncmp(e->d_name, "renderD", 7) == 0)
            g->minor = (int)strtol(e->d_name + 7, NULL, 10);
    closedir(d);
}

/* The GPU at the address that the AMD compute driver notes as domain and
 * location_id (bus, device, function); -1 when it is not ours. */
static int kfd_gpu(const struct lw_inventory *inv, const char *text)
{
    long domain = number_of(text, "domain");
    long where = number_of(text, "location_id");
    char pci[40];
    size_t i;

    snprintf(pci, sizeof(pci), "%04lx:%02lx:%02lx.%lx", domain < 0 ? 0 : domain,
             (where >> 8) & 0xff, (where >> 3) & 0x1f, where & 7);
    for (i = 0; i < inv->ngpus; i++)
        if (inv->gpus[i].vendor == LW_GPU_AMD && inv->gpus[i].index < 0 &&
            strcmp(inv->gpus[i].pci, pci) == 0)
            return (int)i;
    return -1;
}

/* A second node at the same address is a partition of that GPU. */
static int add_partition(struct lw_inventory *inv, const char *text)
{
    struct lw_gpu copy, *g;
    long where = number_of(text, "location_id");
    char pci[40];
    size_t i;

    snprintf(pci, sizeof(pci), "%04lx:%02lx:%02lx.%lx",
             number_of(text, "domain") < 0 ? 0 : number_of(text, "domain"),
             (where >> 8) & 0xff, (where >> 3) & 0x1f, where & 7);
    for (i = 0; i < inv->ngpus; i++) {
        if (strcmp(inv->gpus[i].pci, pci) != 0)
            continue;
        copy = inv->gpus[i];
        copy.mig = NULL;
        copy.nmig = 0;
        if (!(g = lw_inventory_add_gpu(inv)))
            return -1;
        /* beside its siblings, so that the list stays in PCI order */
        memmove(&inv->gpus[i + 1], &inv->gpus[i],
                (inv->ngpus - 1 - i) * sizeof(*g));
        inv->gpus[i] = copy;
        inv->gpus[i].index = -1;
        return (int)i;
    }
    return -1;
}

/* The order of ROCm's runtime is that of the compute driver's nodes. */
static void take_kfd(struct lw_inventory *inv, const char *root)
{
    char name[16], *text;
    int node, index = 0, gpu;

    for (node = 0; node < 1024; node++) {
        snprintf(name, sizeof(name), "%d", node);
        text = small_file("%s/sys/class/kfd/kfd/topology/nodes/%s/properties",
                          root, name);
        if (!text)
            break;
        if (number_of(text, "simd_count") > 0) {
            gpu = kfd_gpu(inv, text);
            if (gpu < 0)
                gpu = add_partition(inv, text);
            if (gpu >= 0) {
                inv->gpus[gpu].index = index;
                inv->gpus[gpu].minor = (int)number_of(text, "drm_render_minor");
            }
            index++;
        }
        free(text);
    }
}

static void take_virtual(const char *root, struct lw_nic *nic)
{
    char path[1024];

    snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/%s/physfn", root,
             nic->pci);
    nic->virtual_function = *nic->pci && access(path, F_OK) == 0;
}

static int plain_names(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static uint64_t hash_directory(uint64_t h, const char *root, const char *dir)
{
    struct dirent **list = NULL;
    char path[1024];
    const char *s;
    int n, i;

    snprintf(path, sizeof(path), "%s%s", root, dir);
    n = scandir(path, &list, plain_names, alphasort);
    for (i = 0; i < n; i++) {
        for (s = list[i]->d_name; *s; s++)
            h = (h ^ (unsigned char)*s) * 1099511628211ULL;
        h = (h ^ '\n') * 1099511628211ULL;
        free(list[i]);
    }
    free(list);
    return h;
}

void lw_discover_digest(const char *root, char out[17])
{
    static const uint64_t start = 14695981039346656037ULL; /* FNV-1a */
    uint64_t h = hash_directory(start, root, "/sys/bus/pci/devices");

    if (h == start) {
        out[0] = '\0';
        return;
    }
    h = hash_directory(h, root, "/sys/class/infiniband");
    snprintf(out, 17, "%016llx", (unsigned long long)h);
}

static int take_identity(struct lw_inventory *inv, const char *root)
{
    char digest[17];
    char *text = small_file("%s/proc/sys/kernel/random/%s", root, "boot_id");

    lw_discover_digest(root, digest);
    inv->devices = lw_inventory_text(inv, digest);
    if (text) {
        text[strcspn(text, "\n")] = '\0';
        inv->boot_id = lw_inventory_text(inv, text);
    }
    free(text);
    return inv->devices && inv->boot_id ? 0 : -1;
}

int lw_discover_sysfs(struct lw_inventory *inv, const char *root,
                      lw_error_t *err)
{
    size_t i;

    for (i = 0; i < inv->ngpus; i++) {
        if (inv->gpus[i].vendor == LW_GPU_NVIDIA)
            take_nvidia(inv, root, &inv->gpus[i]);
        else
            take_render_node(root, &inv->gpus[i]);
    }
    take_kfd(inv, root);
    for (i = 0; i < inv->nnics; i++)
        take_virtual(root, &inv->nics[i]);
    return take_identity(inv, root) < 0 ? lw_err(err, "out of memory") : 0;
}

static int add_mig(struct lw_inventory *inv, struct lw_gpu *g, const char *uuid,
                   size_t len)
{
    const char **grown;
    char copy[80];

    if (len >= sizeof(copy))
        return 0;
    memcpy(copy, uuid, len);
    copy[len] = '\0';
    grown = realloc(g->mig, (g->nmig + 1) * sizeof(*grown));
    if (!grown)
        return -1;
    g->mig = grown;
    if (!(g->mig[g->nmig] = lw_inventory_text(inv, copy)))
        return -1;
    g->nmig++;
    return 1;
}

static struct lw_gpu *gpu_of_uuid(struct lw_inventory *inv, const char *uuid,
                                  size_t len)
{
    size_t i;

    for (i = 0; i < inv->ngpus; i++)
        if (strlen(inv->gpus[i].uuid) == len &&
            strncmp(inv->gpus[i].uuid, uuid, len) == 0)
            return &inv->gpus[i];
    return NULL;
}

/* GPU 0: NAME (UUID: GPU-..)
 *   MIG 1g.10gb     Device  0: (UUID: MIG-..) */
int lw_discover_mig(struct lw_inventory *inv, const char *text)
{
    struct lw_gpu *gpu = NULL;
    const char *uuid, *end;
    int taken = 0, rc;

    for (; (uuid = strstr(text, "(UUID: ")); text = end) {
        uuid += 7;
        end = uuid + strcspn(uuid, ")\n");
        if (strncmp(uuid, "GPU-", 4) == 0) {
            gpu = gpu_of_uuid(inv, uuid, (size_t)(end - uuid));
        } else if (gpu && strncmp(uuid, "MIG-", 4) == 0 && gpu->nmig < 64) {
            if ((rc = add_mig(inv, gpu, uuid, (size_t)(end - uuid))) < 0)
                return -1;
            taken += rc;
        }
    }
    return taken;
}
