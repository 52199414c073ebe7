/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_fabric.c - the graph: devices by GUID, links by port; descriptions */
#include "config.h"

#include "tests/check.h"
#include "topology/fabric/desc.h"
#include "topology/fabric/fabric.h"
#include "topology/fabric/pairs.h"

static uint32_t dev(struct lw_fabric *f, uint64_t guid, enum lw_dev_kind kind)
{
    uint32_t i = lw_fabric_dev(f, guid, kind);

    CU_ASSERT_FATAL(i != LW_NO_DEV);
    return i;
}

static void test_devices(void)
{
    struct lw_fabric *f = lw_fabric_create();
    const struct lw_dev *d;
    uint64_t i;
    size_t n;

    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    for (i = 0; i < 5000; i++)
        lw_check_int(dev(f, 0x2c90300000000 + i, LW_DEV_UNKNOWN), i);
    for (i = 0; i < 5000; i++)
        lw_check_int(dev(f, 0x2c90300000000 + i, LW_DEV_HCA), i);
    CU_ASSERT(lw_fabric_find(f, 1) == LW_NO_DEV);
    d = lw_fabric_devs(f, &n);
    lw_check_int(n, 5000);
    lw_check_int(d[7].kind, LW_DEV_HCA);
    lw_fabric_destroy(f);
}

static void test_names(void)
{
    struct lw_fabric *f = lw_fabric_create();
    uint32_t a = dev(f, 1, LW_DEV_HCA);
    const struct lw_dev *d;
    size_t n;

    lw_fabric_name(f, a, " node001 mlx5_0  ", 17);
    lw_fabric_name(f, a, "node001 mlx5_0", 14);
    d = lw_fabric_devs(f, &n);
    lw_check_str(d[a].name, "node001 mlx5_0");
    CU_ASSERT_PTR_NULL(d[a].alias);
    lw_fabric_name(f, a, "MT4129 \x01\xff", 9);
    lw_check_str(d[a].alias, "MT4129 ??");
    lw_fabric_name(f, a, "third", 5);
    lw_check_str(d[a].alias, "MT4129 ??");
    lw_fabric_rename(f, a, "gpu01", 5);
    lw_check_str(d[a].name, "gpu01");
    lw_fabric_destroy(f);
}

/* The same cable from both ends is one link; what one end knows is kept. */
static void test_links(void)
{
    struct lw_fabric *f = lw_fabric_create();
    uint32_t a = dev(f, 1, LW_DEV_SWITCH), b = dev(f, 2, LW_DEV_HCA);
    uint32_t c = dev(f, 3, LW_DEV_HCA);
    struct lw_link one = {a, b, 200, 1, 0, 0}, two = {b, a, 1, 200, 4, LW_NDR};
    struct lw_link other = {a, c, 200, 1, 4, LW_NDR}, self = {a, a, 3, 4, 0, 0};
    struct lw_link vague = {b, a, 1, 0, 4, LW_NDR};
    struct lw_fabric_notes notes;
    const struct lw_link *l;
    size_t n;

    lw_check_int(lw_fabric_link(f, &one), 0);
    lw_check_int(lw_fabric_link(f, &two), 0);
    lw_check_int(lw_fabric_link(f, &self), 0);
    lw_check_int(lw_fabric_link(f, &vague), 0);
    l = lw_fabric_links(f, &n);
    lw_check_int(n, 1);
    lw_check_int(l[0].width, 4);
    lw_check_int(l[0].speed, LW_NDR);
    lw_check_int(lw_fabric_link(f, &other), 0);
    lw_fabric_links(f, &n);
    lw_check_int(n, 1);
    lw_fabric_notes(f, &notes);
    lw_check_int(notes.nconflicts, 1);
    lw_check_int(notes.conflicts[0].dev, a);
    lw_check_int(notes.conflicts[0].port, 200);
    lw_check_int(notes.conflicts[0].first, b);
    lw_check_int(notes.conflicts[0].second, c);
    lw_fabric_destroy(f);
}

static const struct {
    const char *text, *host, *domain, *device;
} descriptions[] = {
    {"node001 mlx5_0", "node001", "", "mlx5_0"},
    {"node001 HCA-1", "node001", "", "HCA-1"},
    {"node001", "node001", "", ""},
    {"Node001.cluster.example mlx5_10", "Node001", "cluster.example",
     "mlx5_10"},
    {"node001. mlx5_0", "node001", "", "mlx5_0"},
    {"  node001   ibp24s0 ", "node001", "", "ibp24s0"},
    {"hfi1_0 node001", "node001", "", "hfi1_0"},
    {"node001:mlx5_3", "node001", "", "mlx5_3"},
    {"'node001 HCA-2'", "node001", "", "HCA-2"},
    {"ib01 mlx5_0", "ib01", "", "mlx5_0"},
    {"node001 enp1s0f0np0", "node001", "", "enp1s0f0np0"},
    {"node001 data card", "node001", "", "data"},
    {"MT4129 ConnectX7   Mellanox Technologies", NULL, "", ""},
    {"Mellanox Technologies Aggregation Node", NULL, "", ""},
    {"localhost HCA-6", NULL, "", "HCA-6"},
    {"localhost.localdomain mlx5_0", NULL, "", "mlx5_0"},
    {"ubuntu mlx5_0", NULL, "", "mlx5_0"},
    {"(none) mlx5_0", NULL, "", "mlx5_0"},
    {"mlx5_0", NULL, "", ""},
    {"no#de mlx5_0", NULL, "", "mlx5_0"},
    {"", NULL, "", ""},
    {"   ", NULL, "", ""},
    {"\"\" \"", NULL, "", ""},
};

static void check_slice(struct lw_slice got, const char *want)
{
    char text[128];

    snprintf(text, sizeof(text), "%.*s", (int)got.n, got.n ? got.s : "");
    lw_check_str(text, want);
}

static void test_descriptions(void)
{
    struct lw_desc d;
    size_t i;

    for (i = 0; i < sizeof(descriptions) / sizeof(descriptions[0]); i++) {
        bool known = lw_desc_split(descriptions[i].text, &d);
        if (known != (descriptions[i].host != NULL))
            fprintf(stderr, "'%s'\n", descriptions[i].text);
        lw_check_int(known, descriptions[i].host != NULL);
        check_slice(d.host, descriptions[i].host ? descriptions[i].host : "");
        check_slice(d.domain, descriptions[i].domain);
        check_slice(d.device, descriptions[i].device);
    }
    lw_check_int(lw_desc_is_aggregation("renamed", 0xcf09), 1);
    lw_check_int(
        lw_desc_is_aggregation("Mellanox Technologies Aggregation Node", 0), 1);
    lw_check_int(lw_desc_is_aggregation("node001 mlx5_0", 0x1021), 0);
    lw_check_int(lw_desc_is_aggregation(NULL, 0), 0);
}

static const struct {
    const char *text, *name;
} switches[] = {
    {"MF0;leaf-a1:MQM9700/U1", "leaf-a1"},
    {"MF0;core1:CS8500/L02/U1", "core1/L02/U1"},
    {"MF0;leaf-a1", "MF0;leaf-a1"},
    {"leaf-a1", "leaf-a1"},
    {"Quantum Mellanox Technologies", ""},
    {"SwitchIB Mellanox Technologies", ""},
};

static void test_switch_names(void)
{
    char out[64];
    size_t i;

    for (i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
        lw_desc_switch(switches[i].text, out, sizeof(out));
        lw_check_str(out, switches[i].name);
    }
}

static void test_pairs(void)
{
    struct lw_pairs p = {0};
    uint32_t i, total = 0;

    for (i = 0; i < 30000; i++)
        lw_check_int(lw_pairs_add(&p, i % 3000, i % 7), 0);
    for (i = 0; i < p.size; i++)
        total += p.at[i].count;
    lw_check_int(total, 30000);
    lw_check_int(p.used, 21000);
    lw_pairs_free(&p);
}

static const struct lw_test tests[] = {
    {"devices keep their numbers", test_devices},
    {"names are trimmed and a second one is kept", test_names},
    {"a cable is one link, a contradiction is noted", test_links},
    {"hosts and devices out of descriptions", test_descriptions},
    {"switch names", test_switch_names},
    {"pairs are counted", test_pairs},
};

LW_CHECK_MAIN("fabric", tests)
