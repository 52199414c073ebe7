/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inventory.c - what one node holds: CPUs, NUMA nodes, GPUs and NICs */
#include "config.h"

#include "lib/buf.h"
#include "lib/strtab.h"
#include "topology/node/inventory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct lw_inventory *lw_inventory_create(void)
{
    struct lw_inventory *inv = calloc(1, sizeof(*inv));

    if (!inv || !(inv->texts = lw_strtab_create()) ||
        !(inv->node = lw_inventory_text(inv, ""))) {
        lw_inventory_destroy(inv);
        return NULL;
    }
    inv->created = inv->boot_id = inv->devices = inv->node;
    inv->rails_by = inv->group = inv->pod = inv->domain = inv->node;
    return inv;
}

void lw_inventory_destroy(struct lw_inventory *inv)
{
    int saved = errno;
    size_t i;

    if (!inv)
        return;
    for (i = 0; i < inv->ngpus; i++)
        free(inv->gpus[i].mig);
    free(inv->gpus);
    free(inv->nics);
    free(inv->numas);
    free(inv->cores);
    lw_strtab_destroy(inv->texts);
    free(inv);
    errno = saved;
}

const char *lw_inventory_text(struct lw_inventory *inv, const char *s)
{
    size_t i = lw_strtab_add(inv->texts, s, strlen(s));

    return i == LW_STRTAB_NONE ? NULL : lw_strtab_name(inv->texts, i);
}

void lw_inventory_cpus(const struct lw_inventory *inv, struct lw_cpus *out)
{
    size_t i;

    memset(out, 0, sizeof(*out));
    for (i = 0; i < inv->nnumas; i++)
        lw_cpus_or(out, &inv->numas[i].cpus);
}

char *lw_inventory_path(const char *pattern, const char *node, lw_error_t *err)
{
    struct lw_buf path = LW_BUF_INIT(4096);
    const char *at, *mark;
    char *text;

    if (strstr(pattern, "%n") &&
        (!*node || strchr(node, '/') || node[0] == '.')) {
        lw_err(err, "%s: the node name '%s' cannot stand for %%n", pattern,
               node);
        errno = EINVAL;
        return NULL;
    }
    for (at = pattern; (mark = strstr(at, "%n")); at = mark + 2) {
        lw_buf_add(&path, at, (size_t)(mark - at));
        lw_buf_puts(&path, node);
    }
    lw_buf_puts(&path, at);
    if (!(text = lw_buf_take(&path)))
        lw_err(err, "%s: %s", pattern, strerror(errno));
    return text;
}

const char *lw_gpu_vendor_word(int vendor)
{
    static const char *const words[] = {"other", "nvidia", "amd", "intel"};

    return words[vendor >= 0 && vendor < 4 ? vendor : 0];
}

const char *lw_link_word(int link)
{
    static const char *const words[] = {"unknown", "infiniband", "ethernet"};

    return words[link >= 0 && link < 3 ? link : 0];
}

const char *lw_port_state_word(int state)
{
    static const char *const words[] = {"unknown", "down", "init", "armed",
                                        "active"};

    return words[state >= 0 && state < 5 ? state : 0];
}
