/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_score.c - fewest groups, and the score of an allocation */
#include "config.h"

#include "tests/check.h"
#include "topology/place/score.h"

static void test_fewest_groups(void)
{
    static const struct {
        long capacity[6];
        size_t ngroups;
        long n, want;
    } cases[] = {
        {{4, 4, 4, 4}, 4, 4, 1},
        {{4, 4, 4, 4}, 4, 5, 2},
        {{4, 4, 4, 4}, 4, 16, 4},
        {{4, 4, 4, 4}, 4, 17, -1},
        {{8, 4, 2, 1}, 4, 8, 1},
        {{1, 2, 4, 8}, 4, 9, 2}, /* order does not matter */
        {{8, 4, 2, 1}, 4, 13, 3},
        {{8, 4, 2, 1}, 4, 15, 4},
        {{17, 17, 17}, 3, 36, 3},
        {{0, 0, 3}, 3, 3, 1},
        {{0, 0, 0}, 3, 1, -1},
        {{5, 5, 3, 3, 3, 1}, 6, 14, 4},
        {{5}, 1, 0, 0},
        {{5}, 0, 1, -1}, /* no groups at all */
    };
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        lw_check_int(
            lw_fewest_groups(cases[i].capacity, cases[i].ngroups, cases[i].n),
            cases[i].want);
}

/* Largest first is the fewest: compared with trying every set. */
static void test_fewest_is_exact(void)
{
    unsigned seed = 7, set, round;
    long capacity[8], n, sum, best, bits;
    size_t i;

    for (round = 0; round < 500; round++) {
        for (i = 0; i < 8; i++) {
            seed = seed * 1103515245 + 12345;
            capacity[i] = (long)(seed >> 16) % 6;
        }
        n = 1 + (long)(seed >> 8) % 24;
        best = -1;
        for (set = 0; set < 256; set++) {
            for (sum = bits = 0, i = 0; i < 8; i++)
                if (set & 1U << i)
                    sum += capacity[i], bits++;
            if (sum >= n && (best < 0 || bits < best))
                best = bits;
        }
        lw_check_int(lw_fewest_groups(capacity, 8, n), best);
    }
}

/* Three groups of 4 in two pods: n0..n3 in g0, n4..n7 in g1, n8..n11 in g2;
 * n11 has a rail down. */
static char names[12][8];
static struct lw_map_node nodes[12];
static int members[3][4];
static struct lw_map_group groups[3] = {
    {"g0", 0, NULL, 0, members[0], 4},
    {"g1", 0, NULL, 0, members[1], 4},
    {"g2", 1, NULL, 0, members[2], 4},
};

/* The real index belongs to map.c; the score must work with any. */
static const struct lw_map *the_map(void)
{
    static struct lw_map map;
    static const char *pods[] = {"p0", "p1"};
    size_t i;

    for (i = 0; i < 12; i++) {
        snprintf(names[i], sizeof(names[i]), "n%zu", i);
        members[i / 4][i % 4] = (int)i;
        nodes[i] = (struct lw_map_node){.name = names[i],
                                        .group = (int)i / 4,
                                        .pod = i / 8 ? 1 : 0,
                                        .domain = -1,
                                        .rails = 8,
                                        .rails_up = i == 11 ? 7 : 8};
    }
    map.nodes = nodes;
    map.nnodes = 12;
    map.groups = groups;
    map.ngroups = 3;
    map.pods = pods;
    map.npods = 2;
    return &map;
}

int lw_map_find_node(const struct lw_map *map, const char *name)
{
    size_t i;

    for (i = 0; i < map->nnodes; i++)
        if (strcmp(map->nodes[i].name, name) == 0)
            return (int)i;
    return -1;
}

static struct lw_score score(const char *const *list, size_t n, const long *all,
                             const long *unused)
{
    struct lw_score s = {0};

    lw_check_int(lw_score_nodes(the_map(), list, n, all, unused, &s), 0);
    return s;
}

static void test_packed(void)
{
    const char *list[] = {"n0", "n1", "n2", "n3"};
    struct lw_score s = score(list, 4, NULL, NULL);

    lw_check_int(s.groups, 1);
    lw_check_int(s.fewest, 1);
    lw_check_int(s.fewest_free, -1);
    lw_check_int(s.excess, 0);
    lw_check_int(s.pods, 1);
    lw_check_int(s.ring_crossings, 0);
    CU_ASSERT_TRUE(s.rails_complete);
    lw_check_str(s.group_names[0], "g0");
    lw_check_int(s.per_group[0], 4);
    lw_score_free(&s);
}

static void test_scattered(void)
{
    const char *list[] = {"n0", "n4", "n5", "n11"};
    const long unused[] = {1, 2, 1};
    struct lw_score s = score(list, 4, NULL, unused);

    lw_check_int(s.groups, 3);
    lw_check_int(s.fewest, 1);
    lw_check_int(s.fewest_free, 3);
    lw_check_int(s.excess, 2);
    lw_check_int(s.pods, 2);
    lw_check_int(s.ring_crossings, 3); /* n0-n4, n5-n11, n11-n0 */
    CU_ASSERT_FALSE(s.rails_complete);
    lw_check_str(s.group_names[0], "g1");
    lw_check_int(s.per_group[0], 2);
    lw_check_str(s.group_names[2], "g2");
    lw_score_free(&s);
}

static void test_rank_order_counts_edges(void)
{
    const char *good[] = {"n0", "n1", "n4", "n5"};
    const char *bad[] = {"n0", "n4", "n1", "n5"};
    struct lw_score s = score(good, 4, NULL, NULL);

    lw_check_int(s.ring_crossings, 2);
    lw_score_free(&s);
    s = score(bad, 4, NULL, NULL);
    lw_check_int(s.ring_crossings, 4);
    lw_score_free(&s);
}

static void test_unknown_nodes(void)
{
    const char *list[] = {"n0", "login", "n1"};
    struct lw_score s = score(list, 3, NULL, NULL);

    lw_check_int(s.unknown, 1);
    lw_check_int(s.groups, 1);
    CU_ASSERT_FALSE(s.rails_complete);
    lw_score_free(&s);
    s = score(list, 0, NULL, NULL);
    lw_check_int(s.groups, 0);
    lw_check_int(s.excess, 0);
    lw_score_free(&s);
}

static void test_excess_is_never_negative(void)
{
    const char *list[] = {"n0", "n1", "n2"};
    const long all[] = {1, 1, 1}; /* says less than what was used */
    struct lw_score s = score(list, 3, all, all);

    lw_check_int(s.fewest, 1);
    lw_check_int(s.fewest_free, 1);
    lw_check_int(s.excess, 0);
    lw_score_free(&s);
}

static const struct lw_test tests[] = {
    {"fewest groups", test_fewest_groups},
    {"fewest groups is exact", test_fewest_is_exact},
    {"a packed allocation", test_packed},
    {"a scattered allocation", test_scattered},
    {"the rank order counts", test_rank_order_counts_edges},
    {"nodes that are not in the map", test_unknown_nodes},
    {"the excess is never negative", test_excess_is_never_negative},
};

LW_CHECK_MAIN("score", tests)
