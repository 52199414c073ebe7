/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_inventory.c - CPU sets and the inventory's cache file */
#include "config.h"

#include "lib/buf.h"
#include "lib/file.h"
#include "tests/check.h"
#include "topology/node/inventory.h"

#include <errno.h>

static char *data(const char *name, size_t *len)
{
    char path[4096];
    const char *top = getenv("top_srcdir");
    lw_error_t err = {0};
    char *text;

    snprintf(path, sizeof(path), "%s/tests/data/node/%s", top ? top : ".",
             name);
    text = lw_file_read(path, LW_INVENTORY_LIMIT, len, NULL, &err);
    if (!text)
        fprintf(stderr, "%s\n", err.text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    return text;
}

/* Parse a list and print it again. */
static void check_list(const char *text, const char *want)
{
    struct lw_buf b = LW_BUF_INIT(100000);
    struct lw_cpus s;
    lw_error_t err = {0};

    lw_check_ok(lw_cpus_parse(text, strlen(text), &s, &err) == 0, err);
    lw_cpus_print(&s, &b);
    lw_check_str(lw_buf_text(&b), want);
    lw_buf_free(&b);
}

static void test_cpu_lists(void)
{
    static const char *const bad[] = {
        "a",  "1,", ",1",  "3-1",  "1-",
        "-1", " ",  "1 2", "8192", "0-99999999999999"};
    struct lw_cpus s = {{0}};
    size_t i;

    check_list("", "");
    check_list("0", "0");
    check_list("3,1,2,64-66", "1-3,64-66");
    check_list("8191", "8191");
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        lw_error_t err = {0};

        lw_check_int(lw_cpus_parse(bad[i], strlen(bad[i]), &s, &err), -1);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "is not a CPU list"));
        CU_ASSERT(lw_cpus_empty(&s));
    }
}

static void test_cpu_masks(void)
{
    struct lw_cpus s;

    lw_check_int(lw_cpus_parse_mask("0xF0", 4, &s, NULL), 0);
    lw_check_int(lw_cpus_count(&s), 4);
    lw_check_int(lw_cpus_next(&s, 0), 4);
    lw_check_int(lw_cpus_next(&s, 8), -1);
    lw_check_int(lw_cpus_parse_mask("100000000000000000", 18, &s, NULL), 0);
    lw_check_int(lw_cpus_next(&s, 0), 68);
    lw_check_int(lw_cpus_parse_mask("0x", 2, &s, NULL), -1);
    lw_check_int(lw_cpus_parse_mask("0xg", 3, &s, NULL), -1);
}

static void test_reads_a_node(void)
{
    lw_error_t err = {0};
    struct lw_inventory *inv;
    size_t len;
    char *text = data("hgx8.json", &len);

    inv = lw_inventory_parse(text, len, "hgx8.json", &err);
    lw_check_ok(inv != NULL, err);
    lw_check_int(inv->nnumas, 2);
    lw_check_int(inv->ncores, 64);
    lw_check_int(inv->ngpus, 8);
    lw_check_int(inv->nnics, 10);
    lw_check_str(inv->group, "leaf-a");
    lw_check_int(inv->gpus[7].numa, 1);
    lw_check_int(lw_cpus_count(&inv->gpus[7].cpus), 64);
    lw_inventory_destroy(inv);
    free(text);
}

static void test_prints_what_it_read(void)
{
    lw_error_t err = {0};
    struct lw_inventory *inv;
    size_t len, out_len;
    char *text = data("hgx8.json", &len), *out;

    inv = lw_inventory_parse(text, len, "hgx8.json", &err);
    out = lw_inventory_print(inv, &out_len, &err);
    lw_check_str(out, text);
    lw_inventory_destroy(inv);
    free(text);
    free(out);
}

/* slurmd may be started while the file is being copied by other tools. */
static void test_every_cut_is_refused(void)
{
    size_t len, i;
    char *text = data("hgx8.json", &len);

    for (i = 0; i + 2 < len; i++) {
        lw_error_t err = {0};
        struct lw_inventory *inv = lw_inventory_parse(text, i, "cut", &err);

        CU_ASSERT_PTR_NULL(inv);
        CU_ASSERT(strncmp(err.text, "cut:", 4) == 0);
        lw_inventory_destroy(inv);
    }
    free(text);
}

#define HEAD "{\"schema\":1,\"numa\":[{\"id\":0,\"cpus\":\"0-3\"}],"

static void test_errors_name_the_place(void)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"[]", "x: the file: expected a JSON object"},
        {"{\"schema\":3}",
         "x: schema: expected 1 (run leafward node --inventory again)"},
        {"{\"schema\":1}", "x: numa: expected at least one NUMA node"},
        {"{\"schema\":1,\"numa\":[{\"id\":0,\"cpus\":\"zero\"}]}",
         "x: numa[0]: cpus: expected a CPU list like \"0-15,64-79\""},
        {"{\"schema\":1,\"numa\":[{\"id\":0,\"cpus\":\"0-3\"},"
         "{\"id\":1,\"cpus\":\"3-4\"}]}",
         "x: numa[1]: cpus: expected CPUs that no other NUMA node has"},
        {HEAD "\"gpus\":[{\"numa\":1}]}",
         "x: gpus[0]: numa: expected the id of a NUMA node of this file"},
        {HEAD "\"nics\":[{}]}",
         "x: nics[0]: device: expected the name of the device"},
        {HEAD "\"nics\":[{\"device\":\"a b\"}]}",
         "x: nics[0]: device: expected letters, digits and _-.:@"},
        {HEAD "\"nics\":[{\"device\":\"a\"},{\"device\":\"a\"}]}",
         "x: nics[1]: device: expected a device and port named only once"},
        {HEAD "\"nics\":[{\"device\":\"a\",\"guid\":\"12\"}]}",
         "x: nics[0]: guid: expected a text like \"0x0002c90300000001\""},
        {HEAD "\"nics\":[{\"device\":\"a\",\"state\":\"UP\"}]}",
         "x: nics[0]: state: expected one of the words of "
         "docs/node-format.md"},
        {HEAD "\"nics\":[{\"device\":\"a\",\"rail\":-7}]}",
         "x: nics[0]: rail: expected a whole number in range"},
        {HEAD "\"cores\":[\"0\",\"0\"]}",
         "x: cores[1]: item: expected CPUs that no other core has"},
        {HEAD "\"gpus\":{}}", "x: gpus: expected a list of at most 4096 items"},
    };
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_error_t err = {0};
        struct lw_inventory *inv =
            lw_inventory_parse(cases[i].text, strlen(cases[i].text), "x", &err);

        CU_ASSERT_PTR_NULL(inv);
        lw_check_str(err.text, cases[i].want);
        lw_inventory_destroy(inv);
    }
}

static void test_path(void)
{
    static const char *const bad[] = {"", "a/b", "..", ".hidden"};
    lw_error_t err = {0};
    char *path = lw_inventory_path("/run/%n/x-%n.json", "node001", &err);
    size_t i;

    lw_check_str(path, "/run/node001/x-node001.json");
    free(path);
    path = lw_inventory_path("/run/node.json", "", &err);
    lw_check_str(path, "/run/node.json");
    free(path);
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        path = lw_inventory_path("/run/%n.json", bad[i], &err);
        CU_ASSERT_PTR_NULL(path);
        free(path);
    }
}

static void test_missing_file(void)
{
    lw_error_t err = {0};

    CU_ASSERT_PTR_NULL(lw_inventory_load("/nonexistent/node.json", &err));
    lw_check_int(errno, ENOENT);
    lw_check_str(err.text, "/nonexistent/node.json: No such file or directory");
}

static const struct lw_test tests[] = {
    {"CPU lists in and out", test_cpu_lists},
    {"CPU masks in", test_cpu_masks},
    {"a node with 8 GPUs and 10 NICs", test_reads_a_node},
    {"printed again, byte for byte", test_prints_what_it_read},
    {"a file cut off anywhere is refused", test_every_cut_is_refused},
    {"errors name the place and what was expected", test_errors_name_the_place},
    {"%n in the path", test_path},
    {"a missing file", test_missing_file},
};

LW_CHECK_MAIN("inventory", tests)
