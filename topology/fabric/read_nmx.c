/* SPDX-License-Identifier: GPL-2.0-or-later */
/* read_nmx.c - the NVLink domain of each compute node, by NMX */
#include "config.h"

#include "topology/fabric/read.h"

#include <string.h>

bool lw_nmx_knows(const char *text, size_t len)
{
    return lw_text_has(text, len, "[{", "\"DomainUUID\"") &&
           lw_text_has(text, len, "[{", "\"Name\"");
}

int lw_nmx_read(struct lw_fabric *f, const char *text, size_t len,
                const char *source, lw_error_t *err)
{
    json_t *root = lw_read_json(text, len, source, err);
    const json_t *node;
    size_t i, n = 0;
    int rc = 0;

    if (!root)
        return -1;
    json_array_foreach(root, i, node)
    {
        const char *host = lw_read_member(node, "Name");
        const char *domain = lw_read_member(node, "DomainUUID");

        if (!*host || !*domain) {
            lw_fabric_skip(f, source, i + 1);
            continue;
        }
        n++;
        if ((rc = lw_fabric_domain(f, host, strlen(host), domain,
                                   strlen(domain))) < 0)
            break;
    }
    if (rc < 0)
        lw_err(err, "%s: out of memory", source);
    else if (n == 0)
        rc = lw_err(err, "%s: no node with a domain", source);
    json_decref(root);
    return rc;
}
