/* SPDX-License-Identifier: GPL-2.0-or-later */
/* read_nvidia_smi.c - the NVLink domain of each host, by nvidia-smi
 *
 * Either `nvidia-smi -q` (a Fabric part with ClusterUUID and CliqueId for
 * each GPU) or `nvidia-smi --query-gpu=fabric.clusterUuid,fabric.cliqueId
 * --format=csv`. GPUs of one cluster UUID and clique share NVLink. */
#include "config.h"

#include "topology/fabric/read.h"
#include "topology/fabric/scan.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct reader {
    struct lw_fabric *f;
    size_t n;
};

bool lw_nvidia_smi_knows(const char *text, size_t len)
{
    return lw_text_has(text, len, "", "ClusterUUID") ||
           lw_text_has(text, len, "", "NVSMI LOG") ||
           lw_text_has(text, len, "", "fabric.clusterUuid");
}

/* All zeros and "N/A" say that there is no NVLink fabric. */
static bool is_uuid(struct lw_scan s)
{
    size_t digits = 0;

    for (; s.p < s.end; s.p++) {
        if (*s.p != '-' && !isxdigit((unsigned char)*s.p))
            return false;
        digits += *s.p != '-' && *s.p != '0';
    }
    return digits > 0;
}

static struct lw_scan trimmed(struct lw_scan s)
{
    lw_scan_blanks(&s);
    while (s.end > s.p && isspace((unsigned char)s.end[-1]))
        s.end--;
    return s;
}

/* The first GPU that has a domain speaks for its host. */
static int add_domain(struct reader *r, const char *host, struct lw_scan uuid,
                      unsigned clique)
{
    char domain[80];

    snprintf(domain, sizeof(domain), "%.*s.%u", (int)(uuid.end - uuid.p),
             uuid.p, clique);
    r->n++;
    return lw_fabric_domain(r->f, host, strlen(host), domain, strlen(domain));
}

/* "ClusterUUID : value" of -q. The clique may stand before or after it, but
 * within the same GPU. */
static int read_log(struct reader *r, const char *host, const char *text,
                    size_t len)
{
    struct lw_scan line, uuid = {text, text};
    const char *at = text, *colon;
    unsigned clique = 0;
    bool has_clique = false;

    while (lw_scan_line(&at, text + len, &line)) {
        line = trimmed(line);
        colon = memchr(line.p, ':', (size_t)(line.end - line.p));
        if (lw_scan_word(&line, "GPU 0")) {
            uuid.end = uuid.p;
            has_clique = false;
        } else if (colon && lw_scan_word(&line, "ClusterUUID")) {
            uuid = trimmed((struct lw_scan){colon + 1, line.end});
        } else if (colon && lw_scan_word(&line, "CliqueId")) {
            line = trimmed((struct lw_scan){colon + 1, line.end});
            has_clique = lw_scan_uint(&line, &clique);
        }
        if (has_clique && is_uuid(uuid))
            return add_domain(r, host, uuid, clique);
    }
    return 0;
}

/* The number of the column of that name, -1 when there is none. */
static int column_of(struct lw_scan line, const char *name)
{
    struct lw_scan cell;
    int i;

    for (i = 0; line.p < line.end; i++) {
        cell.p = line.p;
        cell.end = memchr(line.p, ',', (size_t)(line.end - line.p));
        if (!cell.end)
            cell.end = line.end;
        line.p = cell.end + (cell.end < line.end);
        cell = trimmed(cell);
        if ((size_t)(cell.end - cell.p) == strlen(name) &&
            strncasecmp(cell.p, name, strlen(name)) == 0)
            return i;
    }
    return -1;
}

static struct lw_scan cell_at(struct lw_scan line, int number)
{
    struct lw_scan cell = {line.p, line.p};
    int i;

    for (i = 0; i <= number; i++) {
        cell.p = line.p;
        cell.end = memchr(line.p, ',', (size_t)(line.end - line.p));
        if (!cell.end)
            cell.end = line.end;
        line.p = cell.end + (cell.end < line.end);
    }
    return trimmed(cell);
}

static int read_csv(struct reader *r, const char *host, const char *text,
                    size_t len)
{
    struct lw_scan line, uuid, cell;
    int uuid_at = -1, clique_at = -1;
    const char *at = text;
    unsigned clique;

    while (lw_scan_line(&at, text + len, &line)) {
        if (uuid_at < 0) {
            uuid_at = column_of(line, "fabric.clusterUuid");
            clique_at = column_of(line, "fabric.cliqueId");
            continue;
        }
        uuid = cell_at(line, uuid_at);
        cell = cell_at(line, clique_at);
        if (is_uuid(uuid) && lw_scan_uint(&cell, &clique))
            return add_domain(r, host, uuid, clique);
    }
    return 0;
}

static int read_part(const char *host, const char *text, size_t len, void *arg)
{
    if (lw_text_has(text, len, "", "fabric.clusterUuid"))
        return read_csv(arg, host, text, len);
    return read_log(arg, host, text, len);
}

int lw_nvidia_smi_read(struct lw_fabric *f, const char *text, size_t len,
                       const char *source, lw_error_t *err)
{
    struct reader r = {f, 0};

    if (lw_each_host(text, len, source, read_part, &r) < 0)
        return lw_err(err, "%s: out of memory", source);
    return 0;
}
