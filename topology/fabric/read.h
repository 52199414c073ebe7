/* SPDX-License-Identifier: GPL-2.0-or-later */
/* read.h - the readers of readers.c, and what they share */
#ifndef LW_READ_H
#define LW_READ_H

#include <jansson.h>
#include <stdbool.h>

#include "topology/fabric/fabric.h"

#define LW_READER(name)                                                        \
    bool lw_##name##_knows(const char *text, size_t len);                      \
    int lw_##name##_read(struct lw_fabric *f, const char *text, size_t len,    \
                         const char *source, lw_error_t *err)

LW_READER(db_csv);        /* ibdiagnet2.db_csv */
LW_READER(ibdiagnet_lst); /* ibdiagnet2.lst */
LW_READER(iblinkinfo);    /* iblinkinfo, with or without -l */
LW_READER(lldp);          /* lldpcli -f json show neighbors */
LW_READER(netq);          /* NetQ's topology graph */
LW_READER(nmx);           /* NMX compute nodes */
LW_READER(nvidia_smi);    /* nvidia-smi -q, or --query-gpu=fabric.* CSV */
LW_READER(topology_conf); /* a topology.conf of Slurm */
LW_READER(ufm);           /* GET /ufmRest/resources/links */

/* A GUID for something that has only a name; the same name of the same kind
 * gives the same one. */
uint64_t lw_guid_of_name(const char *kind, const char *name, size_t len);

/* The speed that a lane of so many Gbit/s has. */
enum lw_speed lw_speed_of_lane(double gbps);

/* Say what each device is of which no source told it. Returns 0, or -1 when
 * out of memory. */
int lw_guess_kinds(struct lw_fabric *f);

/* Parse JSON; NULL with 'err' (source:line:col). */
json_t *lw_read_json(const char *text, size_t len, const char *source,
                     lw_error_t *err);

/* The text of 'key', "" when there is none. */
const char *lw_read_member(const json_t *from, const char *key);

/* True when the first byte that is no blank is one of 'first', and 'word' is
 * among the first 64 KiB. */
bool lw_text_has(const char *text, size_t len, const char *first,
                 const char *word);

/* The host that 'source' is named after: "node001" of "d/node001.json". */
void lw_host_of_source(const char *source, char *host, size_t size);

/* One host's part of a text that several hosts wrote; 0, or -1 to stop. */
typedef int (*lw_host_part_f)(const char *host, const char *text, size_t len,
                              void *arg);

/* Call 'part' for each host of a text: lines that start with "host: " (pdsh,
 * clush), a host name between two lines of dashes (clush -b, dshbak), else
 * all of it for the host that 'source' is named after. Returns 0, or -1 when
 * 'part' did or memory is short. */
int lw_each_host(const char *text, size_t len, const char *source,
                 lw_host_part_f part, void *arg);

#endif
