/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_groups.c - grouping of fabrics that are built, and broken, in memory */
#include "config.h"

#include "tests/check.h"
#include "topology/fabric/groups.h"

/* A rail-optimised fabric: 'groups' of 'nodes' with 'rails' HCAs each, one
 * leaf a rail, 'spines' above them all. */
struct plan {
    uint32_t groups, nodes, rails, spines;
};

static uint64_t leaf_guid(uint32_t group, uint32_t rail)
{
    return 0x1000 + group * 0x100 + rail;
}

static uint64_t hca_guid(uint32_t node, uint32_t rail)
{
    return 0x1000000 + node * 0x100 + rail;
}

static uint32_t device(struct lw_fabric *f, uint64_t guid,
                       enum lw_dev_kind kind, const char *name)
{
    uint32_t i = lw_fabric_dev(f, guid, kind);

    CU_ASSERT_FATAL(i != LW_NO_DEV);
    lw_fabric_name(f, i, name, strlen(name));
    return i;
}

static void cable(struct lw_fabric *f, uint32_t a, unsigned a_port, uint32_t b,
                  unsigned b_port, enum lw_speed speed)
{
    struct lw_link link = {
        a, b, (uint8_t)a_port, (uint8_t)b_port, 4, (uint8_t)speed};

    lw_check_int(lw_fabric_link(f, &link), 0);
}

static struct lw_fabric *build_switches(const struct plan *p)
{
    struct lw_fabric *f = lw_fabric_create();
    uint32_t group, rail, s, leaf, spine;
    char name[64];

    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    for (group = 0; group < p->groups; group++)
        for (rail = 0; rail < p->rails; rail++) {
            snprintf(name, sizeof(name), "leaf-%u-%u", group, rail);
            leaf = device(f, leaf_guid(group, rail), LW_DEV_SWITCH, name);
            for (s = 0; s < p->spines; s++) {
                snprintf(name, sizeof(name), "spine-%u", s);
                spine = device(f, 0x10 + s, LW_DEV_SWITCH, name);
                cable(f, leaf, 100 + s, spine, group * p->rails + rail + 1,
                      LW_NDR);
            }
        }
    return f;
}

/* One HCA of node 'n' on the leaf of 'group' and 'rail'. */
static void plug(struct lw_fabric *f, uint32_t n, uint32_t hca, uint32_t group,
                 uint32_t rail, unsigned port)
{
    char name[64];

    snprintf(name, sizeof(name), "node%u mlx5_%u", n + 1, hca);
    cable(f, device(f, hca_guid(n, hca), LW_DEV_HCA, name), 1,
          lw_fabric_find(f, leaf_guid(group, rail)), port, LW_NDR);
}

static struct lw_fabric *build(const struct plan *p)
{
    struct lw_fabric *f = build_switches(p);
    uint32_t n, rail;

    for (n = 0; n < p->groups * p->nodes; n++)
        for (rail = 0; rail < p->rails; rail++)
            plug(f, n, rail, n / p->nodes, rail, n % p->nodes + 1);
    return f;
}

static struct lw_map *group_with(struct lw_fabric *f,
                                 const struct lw_groups_options *o)
{
    lw_error_t err = {0};
    struct lw_map *map = lw_groups_map(f, o, &err);

    lw_check_ok(map != NULL, err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(map);
    lw_fabric_destroy(f);
    return map;
}

static struct lw_map *group(struct lw_fabric *f)
{
    static const struct lw_groups_options none;

    return group_with(f, &none);
}

/* Every node in the group it was built into, all rails in order. */
static void check_groups(const struct lw_map *map, const struct plan *p)
{
    char name[64];
    uint32_t n;
    int at;

    lw_check_int(map->nnodes, p->groups * p->nodes);
    lw_check_int(map->ngroups, p->groups);
    for (n = 0; n < p->groups * p->nodes; n++) {
        snprintf(name, sizeof(name), "node%u", n + 1);
        at = lw_map_find_node(map, name);
        CU_ASSERT_FATAL(at >= 0);
        lw_check_int(map->nodes[at].rails, p->rails);
        snprintf(name, sizeof(name), "rg-node%u", n / p->nodes * p->nodes + 1);
        lw_check_str(map->groups[map->nodes[at].group].name, name);
    }
}

static void test_rail_optimised(void)
{
    const struct plan p = {4, 6, 8, 2};
    struct lw_map *map = group(build(&p));
    size_t i;

    check_groups(map, &p);
    lw_check_int(map->npods, 1);
    lw_check_int(map->nroots, 1);
    lw_check_int(map->groups[1].nleaves, 8);
    lw_check_str(map->groups[1].leaves[3], "leaf-1-3");
    for (i = 0; i < 8; i++)
        lw_check_int(map->nodes[9].hcas[i].rail, i);
    lw_check_str(map->nodes[9].hcas[3].device, "mlx5_3");
    lw_check_int(map->nodes[9].rails_up, 8);
    lw_check_int(map->nodes[9].rails_slow, 0);
    lw_map_destroy(map);
}

static void test_top_of_rack(void)
{
    const struct plan p = {3, 5, 1, 2};
    struct lw_fabric *f = build(&p);
    struct lw_map *map;
    uint32_t n, k;

    for (n = 0; n < 15; n++)
        for (k = 1; k < 4; k++)
            plug(f, n, k, n / 5, 0, 10 * k + n % 5);
    map = group(f);
    lw_check_int(map->ngroups, 3);
    lw_check_int(map->nodes[7].rails, 4);
    lw_check_int(map->nodes[7].rails_up, 4);
    lw_check_int(map->nodes[7].hcas[2].rail, 2);
    lw_check_str(map->nodes[7].hcas[2].device, "mlx5_2");
    lw_check_int(map->groups[0].nleaves, 4);
    lw_check_str(map->groups[0].leaves[3], "leaf-0-0");
    lw_map_destroy(map);
}

static void test_one_rail(void)
{
    const struct plan p = {5, 7, 1, 3};
    struct lw_map *map = group(build(&p));

    check_groups(map, &p);
    lw_map_destroy(map);
}

/* Two HCAs of different groups have changed places: both nodes stay where
 * most of their HCAs are, and have a rail that is not as good as the rest. */
static void test_swapped(void)
{
    const struct plan p = {2, 4, 4, 2};
    struct lw_fabric *f = build_switches(&p);
    struct lw_map *map;
    uint32_t n, k;

    for (n = 0; n < 8; n++)
        for (k = 0; k < 4; k++) {
            uint32_t g = n / 4;
            if (k == 2 && (n == 1 || n == 6))
                g = 1 - g;
            plug(f, n, k, g, k, n + 1);
        }
    map = group(f);
    check_groups(map, &p);
    lw_check_int(map->nodes[1].rails_up, 4);
    lw_check_int(map->nodes[1].rails_slow, 1);
    lw_check_str(map->nodes[1].hcas[2].leaf, "leaf-1-2");
    lw_check_int(map->nodes[0].rails_slow, 0);
    lw_map_destroy(map);
}

/* A storage fabric reaches the nodes of every group by slower HCAs. */
static void test_storage_plane(void)
{
    const struct plan p = {3, 4, 4, 2};
    struct lw_fabric *f = build(&p);
    struct lw_map *map;
    uint32_t n, sw;
    char name[64];

    sw = device(f, 0x20, LW_DEV_SWITCH, "storage-1");
    for (n = 0; n < 12; n++) {
        snprintf(name, sizeof(name), "node%u mlx5_9", n + 1);
        cable(f, device(f, hca_guid(n, 9), LW_DEV_HCA, name), 1, sw, n + 1,
              LW_HDR);
    }
    for (n = 0; n < 3; n++) {
        snprintf(name, sizeof(name), "oss%u mlx5_0", n + 1);
        cable(f, device(f, 0x900 + n, LW_DEV_HCA, name), 1, sw, n + 50, LW_HDR);
    }
    map = group(f);
    check_groups(map, &p);
    lw_check_int(map->nodes[0].rails_up, 4);
    lw_check_int(map->nodes[0].nhcas, 5);
    lw_check_int(map->nodes[0].hcas[4].rail, -1);
    lw_check_str(map->nodes[0].hcas[4].leaf, "storage-1");
    lw_check_int(map->nothers, 3);
    lw_map_destroy(map);
}

static void test_slurm_names(void)
{
    static const char *const nodes[] = {"NODE1.cluster", "node2", "Node3",
                                        "node99"};
    const struct lw_groups_options o = {.compute = nodes, .ncompute = 4};
    const struct plan p = {2, 2, 2, 1};
    struct lw_map *map = group_with(build(&p), &o);

    lw_check_int(map->nnodes, 3);
    lw_check_str(map->nodes[0].name, "NODE1.cluster");
    lw_check_int(lw_map_find_node(map, "Node3") >= 0, 1);
    lw_check_int(map->nothers, 1);
    lw_check_str(map->others[0], "node4");
    lw_map_destroy(map);
}

static void test_no_nodes(void)
{
    static const char *const nodes[] = {"elsewhere1"};
    const struct lw_groups_options o = {.compute = nodes, .ncompute = 1};
    const struct plan p = {1, 2, 1, 0};
    struct lw_fabric *f = build(&p);
    lw_error_t err = {0};

    CU_ASSERT_PTR_NULL(lw_groups_map(f, &o, &err));
    lw_check_str(err.text, "none of the 1 given nodes is among the 2 hosts of "
                           "the fabric: compare the names, or give --names");
    lw_fabric_destroy(f);
}

/* The groups of the map at -o keep their names when their first node goes. */
static void test_previous_names(void)
{
    const struct plan p = {2, 3, 2, 1};
    struct lw_map *old = group(build(&p)), *map;
    struct lw_groups_options o = {.previous = old};
    struct lw_fabric *f = build_switches(&p);
    uint32_t n, k;

    for (n = 1; n < 6; n++)
        for (k = 0; k < 2; k++)
            plug(f, n, k, n / 3, k, n + 1);
    map = group_with(f, &o);
    lw_check_int(map->nnodes, 5);
    lw_check_str(map->groups[0].name, "rg-node1");
    lw_check_str(map->groups[1].name, "rg-node4");
    lw_check_str(map->pods[0], "pod-node1");
    lw_map_destroy(map);
    lw_map_destroy(old);
}

static const struct lw_test tests[] = {
    {"rail-optimised", test_rail_optimised},
    {"top of rack", test_top_of_rack},
    {"one rail", test_one_rail},
    {"two swapped HCAs", test_swapped},
    {"a storage plane", test_storage_plane},
    {"Slurm's node names", test_slurm_names},
    {"no compute node", test_no_nodes},
    {"names are kept from the previous map", test_previous_names},
};

LW_CHECK_MAIN("groups", tests)
