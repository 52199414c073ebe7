/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_map.c - the fabric map: read, refuse, print, look up */
#include "config.h"

#include "lib/file.h"
#include "lib/natcmp.h"
#include "tests/check.h"
#include "topology/fabric/map.h"

#include <stdlib.h>
#include <unistd.h>

#define HEAD "{\"schema\":1,\"created\":\"2025-01-01T00:00:00Z\","
#define HCA                                                                    \
    "{\"guid\":\"0x0002c90300000001\",\"device\":\"mlx5_0\",\"rail\":0,"       \
    "\"leaf\":\"leaf-a1\",\"width\":\"4x\",\"speed\":\"NDR\"}"
#define NODE(name, group)                                                      \
    "{\"name\":\"" name "\",\"group\":\"" group "\",\"pod\":\"pod-1\","        \
    "\"domain\":null,\"rails\":1,\"rails_up\":1,\"hcas\":[" HCA "]}"
#define GROUP(name, nodes)                                                     \
    "{\"name\":\"" name "\",\"pod\":\"pod-1\",\"leaves\":[\"leaf-a1\"],"       \
    "\"nodes\":[" nodes "]}"
#define PODS "\"pods\":[\"pod-1\"],"

static const char good[] = HEAD PODS
    "\"sources\":[{\"kind\":\"ibnetdiscover\",\"name\":\"a.txt\","
    "\"sha256\":\"00\"}],"
    "\"nodes\":[" NODE("n10", "g1") "," NODE("n2", "g1") "," NODE(
        "n1", "g2") "],"
                    "\"groups\":[" GROUP("g1", "\"n2\",\"n10\"") "," GROUP(
                        "g2", "\"n1\"") "],"
                                        "\"findings\":[{\"level\":\"warning\","
                                        "\"kind\":\"rail-down\","
                                        "\"node\":\"n1\",\"text\":\"a "
                                        "\\\"quoted\\\" text\"}]}";

static struct lw_map *parse(const char *text, lw_error_t *err)
{
    return lw_map_parse(text, strlen(text), "map.json", err);
}

static void test_reads(void)
{
    lw_error_t err = {0};
    struct lw_map *map = parse(good, &err);

    lw_check_ok(map != NULL, err);
    if (!map)
        return;
    lw_check_int(map->nnodes, 3);
    lw_check_str(map->nodes[0].name, "n1");
    lw_check_str(map->nodes[1].name, "n2");
    lw_check_str(map->nodes[2].name, "n10");
    lw_check_int(map->nodes[0].group, 1);
    lw_check_int(map->nodes[0].domain, -1);
    lw_check_int(map->nodes[0].rails_up, 1);
    CU_ASSERT(map->nodes[2].hcas[0].guid == 0x2c90300000001ULL);
    lw_check_str(map->nodes[2].hcas[0].leaf, "leaf-a1");
    lw_check_int(map->ngroups, 2);
    lw_check_int(map->groups[0].nnodes, 2);
    lw_check_int(map->groups[0].nodes[0], 1);
    lw_check_int(map->groups[0].nodes[1], 2);
    lw_check_str(map->roots[map->pod_roots[0]], "fabric");
    lw_check_int(map->findings[0].level, LW_WARNING);
    lw_check_str(map->findings[0].text, "a \"quoted\" text");
    CU_ASSERT_PTR_NULL(map->findings[0].sw);
    lw_map_destroy(map);
}

static void test_finds(void)
{
    lw_error_t err = {0};
    struct lw_map *map = parse(
        HEAD PODS
        "\"nodes\":[" NODE("a1.one", "g") "," NODE("a2.one", "g") "," NODE(
            "a2.two",
            "g") "," NODE("b-1", "g") "],\"groups\":[" GROUP("g",
                                                             "\"a1.one\",\"a2."
                                                             "one\",\"a2.two\","
                                                             "\"b-1\"") "]}",
        &err);

    lw_check_ok(map != NULL, err);
    if (!map)
        return;
    lw_check_int(lw_map_find_node(map, "a1.one"), 0);
    lw_check_int(lw_map_find_node(map, "a1"), 0);
    lw_check_int(lw_map_find_node(map, "a2"), -1);
    lw_check_int(lw_map_find_node(map, "a2.two"), 2);
    lw_check_int(lw_map_find_node(map, "b-1.any.domain"), 3);
    lw_check_int(lw_map_find_node(map, "b"), -1);
    lw_check_int(lw_map_find_node(map, ""), -1);
    lw_check_int(lw_map_find_group(map, "g"), 0);
    lw_check_int(lw_map_find_group(map, "x"), -1);
    lw_map_destroy(map);
}

/* What was printed reads back and prints the same bytes. */
static void test_print_round_trip(void)
{
    lw_error_t err = {0};
    struct lw_map *map = parse(good, &err), *again = NULL;
    char *one = NULL, *two = NULL;
    size_t n = 0, m = 0;

    lw_check_ok(map && (one = lw_map_print(map, &n, &err)), err);
    if (one)
        again = lw_map_parse(one, n, "again", &err);
    lw_check_ok(again && (two = lw_map_print(again, &m, &err)), err);
    lw_check_str(two, one);
    lw_check_int(n, m);
    CU_ASSERT_PTR_NOT_NULL(one ? strstr(one, "\\\"quoted\\\"") : NULL);
    free(one);
    free(two);
    lw_map_destroy(map);
    lw_map_destroy(again);
}

static const struct {
    const char *text, *error;
} bad[] = {
    {"", "map.json: is empty"},
    {"{\"schema\":1", "map.json:1:11: '}' expected near end of file"},
    {"[]", "map.json: is not a fabric map (no \"schema\")"},
    {"{\"schema\":2}",
     "map.json: is of schema 2, expected 1; write it again with this "
     "version's leafward discover"},
    {HEAD "\"nodes\":[]}", "map.json: nodes: the map holds no node"},
    {HEAD "\"nodes\":7}", "map.json: nodes: expected a list"},
    {HEAD PODS "\"nodes\":[" NODE("n1", "g") "]}",
     "map.json: nodes[0].group: names something that the map does not hold"},
    {HEAD PODS
     "\"groups\":[" GROUP("g", "") "],\"nodes\":[" NODE("n1", "g") "]}",
     "map.json: groups[0].nodes: differs from what the nodes say"},
    {HEAD PODS "\"groups\":[" GROUP("g", "\"n1\"") "," GROUP(
         "h", "\"n1\"") "],\"nodes\":[" NODE("n1", "g") "]}",
     "map.json: groups[1].nodes: differs from what the nodes say"},
    {HEAD PODS "\"groups\":[" GROUP("g", "\"n1\",\"n1\"") "],\"nodes\":[" NODE(
         "n1", "g") "," NODE("n1", "g") "]}",
     "map.json: node n1 stands twice"},
    {HEAD PODS "\"groups\":[" GROUP("g", "\"n1\"") "," GROUP(
         "g", "") "],\"nodes\":[" NODE("n1", "g") "]}",
     "map.json: groups[1].name: stands twice"},
    {HEAD PODS "\"groups\":[" GROUP("a b", "\"n1\"") "],\"nodes\":[" NODE(
         "n1", "a b") "]}",
     "map.json: groups[0].name: is not a name"},
    {HEAD "\"groups\":[{\"name\":\"g\",\"nodes\":[\"n1\"]}],\"nodes\":["
          "{\"name\":\"n1\",\"group\":\"g\",\"rails\":4,\"rails_up\":5}]}",
     "map.json: nodes[0].rails_up: is more than the rails there are"},
    {HEAD "\"groups\":[{\"name\":\"g\",\"nodes\":[\"n1\"]}],\"nodes\":["
          "{\"name\":\"n1\",\"group\":\"g\",\"rails\":-1}]}",
     "map.json: nodes[0].rails: expected a whole number that is not negative"},
};

static void test_refuses(void)
{
    size_t i;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        lw_error_t err = {0};
        struct lw_map *map = parse(bad[i].text, &err);
        CU_ASSERT_PTR_NULL(map);
        lw_check_str(err.text, bad[i].error);
        lw_map_destroy(map);
    }
}

/* A map cut anywhere is refused, never half used. */
static void test_truncated(void)
{
    size_t i;

    for (i = 0; i < strlen(good); i++) {
        struct lw_map *map = lw_map_parse(good, i, "cut", NULL);
        CU_ASSERT_PTR_NULL(map);
        lw_map_destroy(map);
    }
}

/* What is read for its names only says the same as all of it. */
static void check_names(const char *path)
{
    struct lw_map *names = lw_map_load_names(path), *map;
    lw_error_t err = {0};
    size_t i;

    map = lw_map_load(path, &err);
    lw_check_ok(map != NULL, err);
    CU_ASSERT_FATAL(map && names);
    lw_check_int(names->nnodes, map->nnodes);
    for (i = 0; i < map->nnodes && i < names->nnodes; i++) {
        const struct lw_map_node *a = &names->nodes[i], *b = &map->nodes[i];
        lw_check_str(a->name, b->name);
        lw_check_str(names->groups[a->group].name, map->groups[b->group].name);
        lw_check_str(names->pods[a->pod], map->pods[b->pod]);
    }
    lw_map_destroy(names);
    lw_map_destroy(map);
}

static void write_file(const char *path, const char *text, size_t len)
{
    lw_error_t err = {0};

    lw_check_ok(lw_file_replace(path, text, len, 0600, &err) == 0, err);
}

static void test_names(void)
{
    char dir[] = "/tmp/leafward-test.XXXXXX", path[64], *text;
    lw_error_t err = {0};
    struct lw_map *map = parse(good, &err);
    size_t len = 0;

    CU_ASSERT_FATAL(map && mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/map", dir);
    text = lw_map_print(map, &len, &err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    write_file(path, text, len);
    check_names(path);
    /* Not ours, and in another order: read the long way. */
    write_file(path, good, strlen(good));
    check_names(path);
    write_file(path, text, len / 3);
    CU_ASSERT_PTR_NULL(lw_map_load_names(path));
    unlink(path);
    CU_ASSERT_PTR_NULL(lw_map_load_names(path));
    rmdir(dir);
    free(text);
    lw_map_destroy(map);
}

static void test_natcmp(void)
{
    static const char *const order[] = {"",    "a",    "a1",   "a01",
                                        "a2",  "a2.x", "a10",  "a10b",
                                        "a-1", "b",    "n1r9", "n01r10"};
    size_t i, n = sizeof(order) / sizeof(order[0]);

    lw_check_int(lw_natcmp("n2", "n10") < 0, 1);
    lw_check_int(lw_natcmp("n02", "n2") < 0, 1);
    lw_check_int(
        lw_natcmp("n99999999999999999998", "n99999999999999999999") < 0, 1);
    lw_check_int(lw_natcmp("x", "x"), 0);
    for (i = 0; i < n * n; i++) {
        int ab = lw_natcmp(order[i / n], order[i % n]);
        int ba = lw_natcmp(order[i % n], order[i / n]);
        CU_ASSERT((ab < 0) == (ba > 0) && (ab == 0) == (i / n == i % n));
    }
}

static const struct lw_test tests[] = {
    {"a map is read", test_reads},
    {"nodes are found by short and full name", test_finds},
    {"print and read again give the same bytes", test_print_round_trip},
    {"bad maps are refused with a reason", test_refuses},
    {"a truncated map is refused", test_truncated},
    {"of a map that is replaced only the names", test_names},
    {"natural order", test_natcmp},
};

LW_CHECK_MAIN("map", tests)
