/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_order.c - topology order from the map and from the order file */
#include "config.h"

#include "lib/file.h"
#include "tests/check.h"
#include "topology/node/order.h"

#include <unistd.h>

/* Group a has n2 and n4, b n1, n3 and n10, both of pod p1; c of the first
 * pod has n5. n3 has lost a rail. */
static const struct {
    const char *name, *group, *pod;
    int up;
} nodes[] = {{"n1", "b", "p1", 4}, {"n2", "a", "p1", 4}, {"n3", "b", "p1", 3},
             {"n4", "a", "p1", 4}, {"n5", "c", "p0", 4}, {"n10", "b", "p1", 4}};

static const char groups[] =
    "],\"groups\":["
    "{\"name\":\"a\",\"pod\":\"p1\",\"leaves\":[\"l\"],"
    "\"nodes\":[\"n2\",\"n4\"]},"
    "{\"name\":\"b\",\"pod\":\"p1\",\"leaves\":[\"l\"],"
    "\"nodes\":[\"n1\",\"n3\",\"n10\"]},"
    "{\"name\":\"c\",\"pod\":\"p0\",\"leaves\":[\"l\"],"
    "\"nodes\":[\"n5\"]}],"
    "\"pods\":[\"p0\",\"p1\"],\"domains\":[],\"findings\":[]}";

static char path[] = "/tmp/leafward-order.XXXXXX";

static struct lw_map *load(void)
{
    struct lw_buf b = LW_BUF_INIT(8192);
    lw_error_t err = {0};
    struct lw_map *map;
    size_t i;

    lw_buf_puts(&b, "{\"schema\":1,\"created\":\"2024-01-02T03:04:05Z\","
                    "\"sources\":[],\"nodes\":[");
    for (i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++)
        lw_buf_printf(&b,
                      "%s{\"name\":\"%s\",\"group\":\"%s\",\"pod\":\"%s\","
                      "\"domain\":null,\"rails\":4,\"rails_up\":%d,"
                      "\"rails_slow\":0,\"hcas\":[]}",
                      i ? "," : "", nodes[i].name, nodes[i].group, nodes[i].pod,
                      nodes[i].up);
    lw_buf_puts(&b, groups);
    map = lw_map_parse(lw_buf_text(&b), b.len, "map", &err);
    lw_buf_free(&b);
    lw_check_ok(map != NULL, err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(map);
    return map;
}

static void write_text(const char *text)
{
    CU_ASSERT_FATAL(lw_file_replace(path, text, strlen(text), 0644, NULL) == 0);
}

static void write_order(void)
{
    struct lw_map *map = load();
    struct lw_buf b = LW_BUF_INIT(4096);

    lw_check_int(lw_order_print(map, &b), 0);
    lw_check_str(lw_buf_text(&b), "# leafward order 1 6\n"
                                  "n5 0 2 -1 4 4\n"
                                  "n2 1 0 -1 4 4\n"
                                  "n4 1 0 -1 4 4\n"
                                  "n1 1 1 -1 4 4\n"
                                  "n3 1 1 -1 4 3\n"
                                  "n10 1 1 -1 4 4\n");
    write_text(lw_buf_text(&b));
    lw_buf_free(&b);
    lw_map_destroy(map);
}

/* "n1 n2 .." split into nodes; the count. */
static size_t split(char *text, struct lw_order_node *v)
{
    size_t n = 0;
    char *at;

    while ((at = strsep(&text, " ")))
        v[n++].name = at;
    return n;
}

static void check_by_file(const char *list, const char *want)
{
    struct lw_order_node v[16];
    struct lw_buf got = LW_BUF_INIT(256);
    lw_error_t err = {0};
    char copy[128];
    size_t n, i;

    snprintf(copy, sizeof(copy), "%s", list);
    n = split(copy, v);
    lw_check_ok(lw_order_by_file(path, v, n, &err) >= 0, err);
    for (i = 0; i < n; i++)
        lw_buf_printf(&got, "%s%s", i ? " " : "", v[i].name);
    lw_check_str(got.text, want);
    lw_buf_free(&got);
}

/* Where nodes have to be moved, map and file agree. */
static void check_order(const char *list, const char *want)
{
    struct lw_map *map = load();
    struct lw_order_node v[16];
    struct lw_buf got = LW_BUF_INIT(256);
    char copy[128], *names[16];
    size_t n, i;

    snprintf(copy, sizeof(copy), "%s", list);
    n = split(copy, v);
    for (i = 0; i < n; i++)
        names[i] = v[i].name;
    lw_check_int(lw_order_nodes(map, names, n), 0);
    for (i = 0; i < n; i++)
        lw_buf_printf(&got, "%s%s", i ? " " : "", names[i]);
    lw_check_str(got.text, want);
    check_by_file(list, want);
    lw_buf_free(&got);
    lw_map_destroy(map);
}

static void test_neighbours_share_a_group(void)
{
    write_order();
    check_order("n1 n2 n3 n4 n5 n10 x9 x1", "n5 n2 n4 n1 n3 n10 x9 x1");
    check_order("n1 n2 n3", "n2 n1 n3");
    check_order("x1 n1 x2", "n1 x1 x2");
}

/* Slurm 26.05 and SwitchAsNodeRank order ranks already, in their own way. */
static void test_what_is_ordered_stays(void)
{
    write_order();
    check_by_file("n3 n1 n10 n4 n2", "n3 n1 n10 n4 n2");
    check_by_file("n1 n2", "n1 n2");
    check_by_file("n1", "n1");
    check_by_file("n4 n2 n5", "n4 n2 n5");
    /* groups are together, but a pod is split */
    check_by_file("n1 n5 n2", "n5 n2 n1");
}

static void test_what_the_file_knows(void)
{
    struct lw_order_node v[3] = {{.name = "n3"}, {.name = "n2"}, {.name = "x"}};
    lw_error_t err = {0};

    write_order();
    lw_check_int(lw_order_by_file(path, v, 3, &err), 2);
    lw_check_str(v[0].name, "n3");
    lw_check_int(v[0].rails_up, 3);
    lw_check_int(v[2].rails, -1);
    lw_check_int(v[1].was, 1);
}

static void test_broken_files_are_refused(void)
{
    static const char *const texts[] = {
        "",
        "n1 1 1 1 1 1\n",
        "# leafward order 2 1\nn1 0 0 0 1 1\n",
        "# leafward order 1 2\nn1 0 0 0 1 1\n",
        "# leafward order 1 1\nn1 0 0 0 1 1\nn2 0 0 0 1 1\n",
        "# leafward order 1 1\nn1 0 0 0 1\n",
        "# leafward order 1 1\nn1 0 0 0 1 1 1\n",
        "# leafward order 1 1\nn1 0 0 0 1 99999999999999999999\n",
        "# leafward order 1 1\nn1\n",
        "# leafward order 1 1\nn1 0 0 0 1 1"};
    struct lw_order_node v[1] = {{.name = "n1"}};
    size_t i;

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        lw_error_t err = {0};

        write_text(texts[i]);
        lw_check_int(lw_order_by_file(path, v, 1, &err), -1);
        CU_ASSERT(strncmp(err.text, path, strlen(path)) == 0);
        lw_check_int(v[0].rails, -1);
    }
}

/* 10,000 nodes: what a step of a large site reads at its launch. */
static void test_large(void)
{
    struct lw_order_node *v = calloc(5000, sizeof(*v));
    struct lw_buf b = LW_BUF_INIT(1 << 20);
    char(*names)[16] = calloc(5000, sizeof(*names));
    lw_error_t err = {0};
    int i;

    CU_ASSERT_PTR_NOT_NULL_FATAL(v);
    CU_ASSERT_PTR_NOT_NULL_FATAL(names);
    lw_buf_puts(&b, "# leafward order 1 10000\n");
    for (i = 0; i < 10000; i++)
        lw_buf_printf(&b, "node%05d 0 %d -1 8 8\n", (i * 7919) % 10000, i / 32);
    write_text(lw_buf_text(&b));
    for (i = 0; i < 5000; i++) {
        snprintf(names[i], sizeof(names[i]), "node%05d", 2 * i);
        v[i].name = names[i];
    }
    lw_check_int(lw_order_by_file(path, v, 5000, &err), 5000);
    for (i = 1; i < 5000; i++)
        CU_ASSERT(v[i - 1].node < v[i].node);
    lw_buf_free(&b);
    free(names);
    free(v);
}

static const struct lw_test tests[] = {
    {"nodes of one group are neighbours", test_neighbours_share_a_group},
    {"what is in order already stays", test_what_is_ordered_stays},
    {"what the file knows of a node", test_what_the_file_knows},
    {"broken order files", test_broken_files_are_refused},
    {"10,000 nodes", test_large},
};

int main(void)
{
    int fd = mkstemp(path), rc;

    if (fd < 0)
        return 2;
    close(fd);
    rc = lw_check_run("order", tests, sizeof(tests) / sizeof(tests[0]));
    unlink(path);
    return rc;
}
