/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ncclconf.c - NCCL's own configuration files, read as NCCL does */
#include "config.h"

#include "lib/file.h"
#include "tests/check.h"
#include "topology/node/ncclconf.h"

#include <sys/stat.h>
#include <unistd.h>

static void test_lines(void)
{
    static const struct {
        const char *text;
        int sets;
    } cases[] = {
        {"NCCL_IB_HCA=mlx5_0", 1},
        {"NCCL_DEBUG=WARN\nNCCL_IB_HCA=mlx5_0\n", 1},
        {"NCCL_IB_HCA=\n", 1}, /* set, though empty */
        {"NCCL_IB_HCA\n", 0},
        {"# NCCL_IB_HCA=mlx5_0\n", 0},
        {" NCCL_IB_HCA=mlx5_0\n", 0}, /* NCCL trims nothing */
        {"NCCL_IB_HCA =mlx5_0\n", 0},
        {"NCCL_IB_HCA_X=1\nXNCCL_IB_HCA=1\n", 0},
        {"", 0},
        {"\n\n\n", 0},
    };
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        lw_check_int(lw_nccl_conf_line(cases[i].text, "NCCL_IB_HCA"),
                     cases[i].sets);
}

static char dir[] = "/tmp/leafward-nccl.XXXXXX";

static void path_of(char *out, size_t size, const char *name)
{
    snprintf(out, size, "%s/%s", dir, name);
}

static void put(const char *name, const char *text)
{
    char path[80];

    path_of(path, sizeof(path), name);
    CU_ASSERT_FATAL(lw_file_replace(path, text, strlen(text), 0644, NULL) == 0);
}

static void test_which_file_counts(void)
{
    char named[80], etc[80], dot[80];
    struct lw_nccl_conf *c;

    path_of(named, sizeof(named), "mine");
    path_of(etc, sizeof(etc), "etc");
    path_of(dot, sizeof(dot), ".nccl.conf");
    put("mine", "A=1\n");
    put(".nccl.conf", "B=1\n");
    put("etc", "C=1\nA=2\n");
    c = lw_nccl_conf_read(NULL, dir, etc);
    lw_check_str(lw_nccl_conf_sets(c, "A"), etc);
    lw_check_str(lw_nccl_conf_sets(c, "B"), dot);
    lw_check_str(lw_nccl_conf_sets(c, "C"), etc);
    lw_check_str(lw_nccl_conf_sets(c, "D"), NULL);
    lw_nccl_conf_destroy(c);
    c = lw_nccl_conf_read(named, dir, etc);
    lw_check_str(lw_nccl_conf_sets(c, "A"), named);
    lw_check_str(lw_nccl_conf_sets(c, "B"), NULL);
    lw_nccl_conf_destroy(c);
    c = lw_nccl_conf_read("", NULL, "/nonexistent");
    lw_check_str(lw_nccl_conf_sets(c, "A"), NULL);
    lw_nccl_conf_destroy(c);
}

/* The user names the file: it must not be able to stop slurmstepd. */
static void test_no_file_can_hang_us(void)
{
    char fifo[80];
    struct lw_nccl_conf *c;

    path_of(fifo, sizeof(fifo), "fifo");
    CU_ASSERT_FATAL(mkfifo(fifo, 0600) == 0);
    c = lw_nccl_conf_read(fifo, NULL, "/dev/zero");
    lw_check_str(lw_nccl_conf_sets(c, "A"), NULL);
    lw_nccl_conf_destroy(c);
    c = lw_nccl_conf_read(dir, NULL, "/dev/tty");
    lw_check_str(lw_nccl_conf_sets(c, "A"), NULL);
    lw_nccl_conf_destroy(c);
}

static void test_binary_and_huge_files(void)
{
    char path[80], *text = malloc(70001);
    struct lw_nccl_conf *c;

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    memset(text, 'x', 70000);
    memcpy(text, "A=1\n", 4);
    text[70000] = '\0';
    put("huge", text);
    path_of(path, sizeof(path), "huge");
    c = lw_nccl_conf_read(path, NULL, "/nonexistent");
    lw_check_str(lw_nccl_conf_sets(c, "A"), NULL);
    lw_nccl_conf_destroy(c);
    free(text);
}

static const struct lw_test tests[] = {
    {"lines that set a variable", test_lines},
    {"which file counts", test_which_file_counts},
    {"pipes and devices", test_no_file_can_hang_us},
    {"too large a file", test_binary_and_huge_files},
};

int main(void)
{
    char command[64];
    int rc;

    if (!mkdtemp(dir))
        return 2;
    rc = lw_check_run("ncclconf", tests, sizeof(tests) / sizeof(tests[0]));
    snprintf(command, sizeof(command), "rm -rf %s", dir);
    return system(command) == 0 ? rc : 2;
}
