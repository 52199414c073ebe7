/* SPDX-License-Identifier: GPL-2.0-or-later */
/* siteenv.c - which variables a site may have set, and are they right here */
#include "config.h"

#include "topology/node/siteenv.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <fnmatch.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

enum kind {
    NUMBER,    /* digits */
    WORD,      /* no blanks or control bytes */
    INTERFACE, /* [^][=]name,..: those that are up here */
    FILE_NAME, /* a file that is here */
    OFF_ONLY,  /* 0: a legitimate workaround; 1 turns a fallback into an end */
    NEVER
};

/* The user guide of NCCL splits its variables into system configuration and
 * debugging; the reasons are its own or of public reports. */
static const struct rule {
    const char *name;
    enum kind kind;
    const char *why; /* NEVER */
} rules[] = {
    {"NCCL_SOCKET_IFNAME", INTERFACE, NULL},
    {"GLOO_SOCKET_IFNAME", INTERFACE, NULL},
    {"NCCL_SOCKET_FAMILY", WORD, NULL},
    {"NCCL_IB_SL", NUMBER, NULL},
    {"NCCL_IB_TC", NUMBER, NULL},
    {"NCCL_IB_FIFO_TC", NUMBER, NULL},
    {"NCCL_IB_TIMEOUT", NUMBER, NULL},
    {"NCCL_IB_RETRY_CNT", NUMBER, NULL},
    {"NCCL_IB_ROCE_VERSION_NUM", NUMBER, NULL},
    {"NCCL_IB_ADDR_FAMILY", WORD, NULL},
    {"NCCL_IB_ADDR_RANGE", WORD, NULL},
    {"NCCL_IB_ADAPTIVE_ROUTING", NUMBER, NULL},
    {"NCCL_IB_QPS_PER_CONNECTION", NUMBER, NULL},
    {"NCCL_IB_SPLIT_DATA_ON_QPS", NUMBER, NULL},
    {"NCCL_IB_PCI_RELAXED_ORDERING", NUMBER, NULL},
    {"NCCL_IB_MERGE_NICS", NUMBER, NULL},
    {"NCCL_IB_MERGE_VFS", NUMBER, NULL},
    {"NCCL_IB_DEVICE_PCI_ORDER", NUMBER, NULL},
    {"NCCL_NET_MERGE_LEVEL", WORD, NULL},
    {"NCCL_NET_MERGE_POLICY", WORD, NULL},
    {"NCCL_NET_FORCE_MERGE", WORD, NULL},
    {"NCCL_CROSS_NIC", NUMBER, NULL},
    {"NCCL_NET", WORD, NULL},
    {"NCCL_NET_PLUGIN", WORD, NULL},
    {"NCCL_NETDEVS_POLICY", WORD, NULL},
    {"NCCL_RAS_ADDR", WORD, NULL},
    {"NCCL_TOPO_FILE", FILE_NAME, NULL},
    {"NCCL_NVLS_ENABLE", OFF_ONLY, NULL},
    {"NCCL_MNNVL_ENABLE", OFF_ONLY, NULL},
    {"FI_PROVIDER", WORD, NULL},
    {"FI_EFA_USE_DEVICE_RDMA", NUMBER, NULL},
    {"FI_EFA_FORK_SAFE", NUMBER, NULL},
    {"MPICH_OFI_NIC_POLICY", WORD, NULL},
    {"MPICH_OFI_NIC_MAPPING", WORD, NULL},
    {"MELLANOX_VISIBLE_DEVICES", WORD, NULL},
    {"NVSHMEM_ENABLE_NIC_PE_MAPPING", NUMBER, NULL},
    {"NVSHMEM_HCA_LIST", WORD, NULL},
    {"NVSHMEM_HCA_PE_MAPPING", WORD, NULL},
    {"CUDA_DEVICE_ORDER", WORD, NULL},
    {"NCCL_IB_HCA", NEVER, "it comes from the node's own rails"},
    {"NCCL_IB_GID_INDEX", NEVER,
     "the table shifts; use NCCL_IB_ROCE_VERSION_NUM and NCCL_IB_ADDR_RANGE"},
    {"NCCL_IGNORE_CPU_AFFINITY", NEVER, "it undoes the CPU binding"},
    {"NCCL_P2P_DISABLE", NEVER, "it hides a platform fault (ACS, IOMMU)"},
    {"NCCL_P2P_LEVEL", NEVER, "NCCL judges paths itself"},
    {"NCCL_SHM_DISABLE", NEVER, "it is for debugging"},
    {"NCCL_IB_DISABLE", NEVER, "it turns the fabric off"},
    {"NCCL_NET_GDR_LEVEL", NEVER, "NCCL judges paths itself"},
    {"NCCL_NET_GDR_READ", NEVER, "NCCL judges paths itself"},
    {"NCCL_NET_GDR_C2C", NEVER, "NCCL judges paths itself"},
    {"NCCL_ALGO", NEVER, "it is for debugging"},
    {"NCCL_PROTO", NEVER, "a forced protocol can corrupt data"},
    {"NCCL_COLLNET_ENABLE", NEVER, "it is each job's own choice"},
    {"NCCL_DEBUG", NEVER, "it floods the users' output"},
    {"CUDA_VISIBLE_DEVICES", NEVER, "it is Slurm's"},
    {"ROCR_VISIBLE_DEVICES", NEVER, "it is Slurm's"},
    {"UCX_TLS", NEVER, "it is each job's own choice"},
};

static const struct rule *find(const char *name)
{
    size_t i;

    for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        if (strcmp(rules[i].name, name) == 0)
            return &rules[i];
    return NULL;
}

static bool all(const char *s, int (*is)(int))
{
    if (!*s)
        return false;
    for (; *s; s++)
        if (!is((unsigned char)*s))
            return false;
    return true;
}

/* "=bond0,eth1": keep those that are up. "^docker" names what not to use:
 * nothing to look at. */
static bool interfaces(const char *value, const struct lw_site_probe *probe,
                       struct lw_buf *out)
{
    char name[IF_NAMESIZE];
    size_t len, n = 0;

    if (*value == '^')
        return lw_buf_puts(out, value) == 0;
    if (*value == '=')
        value++;
    for (; *value; value += len + (value[len] == ',')) {
        len = strcspn(value, ",");
        if (len == 0 || len >= sizeof(name))
            continue;
        memcpy(name, value, len);
        name[len] = '\0';
        if (!probe->interface(name, probe->user))
            continue;
        lw_buf_printf(out, "%s%s", n++ ? "," : "=", name);
    }
    return n > 0;
}

static bool check(const struct rule *r, const char *value,
                  const struct lw_site_probe *probe, struct lw_buf *out,
                  const char **why)
{
    switch (r->kind) {
    case NUMBER:
        *why = "its value is not a number";
        return all(value, isdigit) && lw_buf_puts(out, value) == 0;
    case WORD:
        *why = "its value is not one word";
        return all(value, isgraph) && lw_buf_puts(out, value) == 0;
    case INTERFACE:
        *why = "no such interface is up here with an address";
        return interfaces(value, probe, out);
    case FILE_NAME:
        *why = "there is no such file here";
        return access(value, R_OK) == 0 && lw_buf_puts(out, value) == 0;
    case OFF_ONLY:
        *why = "only 0 is safe: 1 turns a fallback into a failure";
        return strcmp(value, "0") == 0 && lw_buf_puts(out, value) == 0;
    case NEVER:
        break;
    }
    *why = r->why;
    return false;
}

bool lw_site_value(const char *name, const char *value,
                   const struct lw_site_probe *probe, struct lw_buf *out,
                   const char **why)
{
    const struct rule *r = find(name);

    if (!r) {
        *why = "it is not a variable that Leafward sets";
        return false;
    }
    return check(r, value, probe, out, why);
}

static bool reachable(const struct sockaddr *a)
{
    const struct sockaddr_in6 *six = (const void *)a;

    if (a->sa_family == AF_INET6)
        return !IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr);
    return a->sa_family == AF_INET;
}

bool lw_interface_up(const char *name, void *user)
{
    struct ifaddrs *list = NULL, *i;
    bool up = false;

    (void)user;
    if (getifaddrs(&list) < 0)
        return false;
    for (i = list; i && !up; i = i->ifa_next)
        up = strcmp(i->ifa_name, name) == 0 && i->ifa_addr &&
             (i->ifa_flags & IFF_UP) && (i->ifa_flags & IFF_RUNNING) &&
             reachable(i->ifa_addr);
    freeifaddrs(list);
    return up;
}

bool lw_site_matches(const char *patterns, const char *name)
{
    char one[256];
    size_t len;

    for (; *patterns; patterns += len + (patterns[len] == ',')) {
        patterns += strspn(patterns, " ");
        len = strcspn(patterns, ",");
        if (len >= sizeof(one))
            continue;
        memcpy(one, patterns, len);
        one[len] = '\0';
        one[strcspn(one, " ")] = '\0';
        if (fnmatch(one, name, 0) == 0)
            return true;
    }
    return false;
}
