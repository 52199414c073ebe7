/* SPDX-License-Identifier: GPL-2.0-or-later */
/* readers.c - the sources a fabric can be read from */
#include "config.h"

#include "topology/fabric/ibnetdiscover.h"
#include "topology/fabric/read.h"
#include "topology/fabric/readers.h"

#include <stdio.h>
#include <string.h>

/* Such a text is read as one. */
#define WHOLE NULL, NULL, NULL

/* By name; --format auto asks them in this order. */
static const struct lw_reader readers[] = {
    {"db_csv", lw_db_csv_knows, lw_db_csv_read, WHOLE},
    {"ibdiagnet-lst", lw_ibdiagnet_lst_knows, lw_ibdiagnet_lst_read, WHOLE},
    {"iblinkinfo", lw_iblinkinfo_knows, lw_iblinkinfo_read, WHOLE},
    {"ibnetdiscover", lw_ibnetdiscover_knows, lw_ibnetdiscover_read,
     lw_ibnetdiscover_open, lw_ibnetdiscover_feed, lw_ibnetdiscover_close},
    {"lldp", lw_lldp_knows, lw_lldp_read, WHOLE},
    {"netq", lw_netq_knows, lw_netq_read, WHOLE},
    {"nmx", lw_nmx_knows, lw_nmx_read, WHOLE},
    {"nvidia-smi", lw_nvidia_smi_knows, lw_nvidia_smi_read, WHOLE},
    {"topology.conf", lw_topology_conf_knows, lw_topology_conf_read, WHOLE},
    {"ufm", lw_ufm_knows, lw_ufm_read, WHOLE},
};

static const size_t nreaders = sizeof(readers) / sizeof(readers[0]);

const struct lw_reader *lw_reader_find(const char *name)
{
    size_t i;

    for (i = 0; i < nreaders; i++)
        if (!strcmp(readers[i].name, name))
            return &readers[i];
    return NULL;
}

const struct lw_reader *lw_reader_guess(const char *text, size_t len)
{
    size_t i;

    for (i = 0; i < nreaders; i++)
        if (readers[i].knows(text, len))
            return &readers[i];
    return lw_reader_find("ibnetdiscover");
}

void lw_reader_names(char *out, size_t size)
{
    size_t i, used = 0;

    for (i = 0; i < nreaders && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "",
                                 readers[i].name);
}
