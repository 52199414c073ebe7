/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_launch.c - ranks, hostfile and log line of a step, on a fake slurmstepd
 */
#include "config.h"

#include "lib/buf.h"
#include "lib/file.h"
#include "spank/apply.h"
#include "tests/check.h"
#include "tests/fake/spank.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/leafward-launch.XXXXXX";
static char conf[64], order[64];
static struct lw_step_state state;

static void write_file(const char *path, const char *text)
{
    CU_ASSERT_FATAL(lw_file_replace(path, text, strlen(text), 0644, NULL) == 0);
}

/* What is in a file below 'dir', NULL when it is not there; to free. */
static char *content(const char *name)
{
    char path[128];
    size_t len;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return lw_file_read(path, 1 << 20, &len, NULL, NULL);
}

static void check_content(const char *name, const char *want)
{
    char *text = content(name);

    lw_check_str(text ? text : "no such file", want);
    free(text);
}

static void write_inventory(const char *state_of_1)
{
    struct lw_buf b = LW_BUF_INIT(4096);
    char path[128];

    lw_buf_printf(&b,
                  "{\"schema\":1,\"node\":\"n1\",\"rails_by\":\"map\","
                  "\"numa\":[{\"id\":0,\"cpus\":\"0\"}],"
                  "\"gpus\":[{\"numa\":0}],\"nics\":["
                  "{\"device\":\"mlx5_0\",\"rail\":0,\"link\":\"infiniband\","
                  "\"state\":\"active\"},"
                  "{\"device\":\"mlx5_1\",\"rail\":1,\"link\":\"infiniband\","
                  "\"state\":\"%s\"}]}\n",
                  state_of_1);
    snprintf(path, sizeof(path), "%s/n1.json", dir);
    write_file(path, b.text);
    lw_buf_free(&b);
}

static void write_conf(const char *more)
{
    struct lw_buf b = LW_BUF_INIT(4096);

    lw_buf_printf(&b,
                  "[node]\ninventory = %s/%%n.json\nsysfs = %s\norder = %s\n"
                  "hostfiles = %s/steps\n%s",
                  dir, dir, order, dir, more);
    write_file(conf, b.text);
    lw_buf_free(&b);
}

/* Node n1 of a step of six nodes, two tasks on the first three of them: n2
 * and n4 are one group, the others another. */
static void begin(void)
{
    char command[128];

    lw_apply_free(&state);
    fake_reset();
    snprintf(command, sizeof(command), "rm -rf %s/steps %s/log*", dir, dir);
    CU_ASSERT_FATAL(system(command) == 0);
    setenv("SLURMD_NODENAME", "n1", 1);
    write_inventory("active");
    write_file(order, "# leafward order 1 6\n"
                      "n5 0 2 -1 2 2\nn2 1 0 -1 2 2\nn4 1 0 -1 2 2\n"
                      "n1 1 1 -1 2 2\nn3 1 1 -1 2 1\nn10 1 1 -1 2 1\n");
    write_conf("");
    fake.nodes = 6;
    fake.step_id = 3;
    fake.local_tasks = 2;
    fake.total_tasks = 9;
    fake_setenv("CUDA_VISIBLE_DEVICES", "0");
    fake_setenv("SLURM_STEP_NODELIST", "n[1-5,10]");
    fake_setenv("SLURM_STEP_TASKS_PER_NODE", "2(x3),1(x3)");
}

static void launch(void)
{
    lw_apply_step(NULL, conf, &state);
    lw_apply_launch(NULL, &state);
    CU_ASSERT(lw_apply_task(NULL, &state) == 0);
}

static void test_ranks_follow_the_topology(void)
{
    char path[128];

    begin();
    launch();
    lw_check_str(fake_getenv("LEAFWARD_NODE_RANK"), "3");
    snprintf(path, sizeof(path), "%s/steps/n1.100.3", dir);
    lw_check_str(fake_getenv("LEAFWARD_HOSTFILE"), path);
    check_content("steps/n1.100.3", "n5\nn2\nn2\nn4\nn1\nn1\nn3\nn3\nn10\n");
    lw_check_str(fake.log, "");
    lw_apply_free(&state);
    check_content("steps/n1.100.3", "no such file");
}

static void test_slurms_own_order_stays(void)
{
    begin();
    fake.nodes = 4;
    fake_setenv("SLURM_STEP_NODELIST", "n3,n1,n4,n2");
    launch();
    lw_check_str(fake_getenv("LEAFWARD_NODE_RANK"), "1");
    check_content("steps/n1.100.3", "n3\nn3\nn1\nn1\nn4\nn4\nn2\n");
}

/* Without an order, or with a broken one, a step has none of it; what an
 * outer step had, of other nodes, goes. */
static void test_without_an_order(void)
{
    static const char *const orders[] = {NULL, "", "# leafward order 1 1\n",
                                         "# leafward order 1 1\nx 0 0 0 1 1\n"};
    size_t i;

    for (i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        begin();
        unlink(order);
        if (orders[i])
            write_file(order, orders[i]);
        fake_setenv("LEAFWARD_NODE_RANK", "7");
        fake_setenv("LEAFWARD_HOSTFILE", "/nonexistent");
        launch();
        CU_ASSERT_PTR_NULL(fake_getenv("LEAFWARD_NODE_RANK"));
        CU_ASSERT_PTR_NULL(fake_getenv("LEAFWARD_HOSTFILE"));
        lw_check_str(fake_getenv("LEAFWARD_RAILS"), "mlx5_0:1,mlx5_1:1");
        lw_check_int(strstr(fake.log, "no topology order") != NULL,
                     i == 1 || i == 2);
    }
}

/* The list of nodes and the counts of tasks come through the user. */
static void test_a_step_that_is_not_so(void)
{
    begin();
    fake_setenv("SLURM_STEP_NODELIST", "n[1-5000]");
    launch();
    CU_ASSERT_PTR_NULL(fake_getenv("LEAFWARD_NODE_RANK"));
    CU_ASSERT_PTR_NOT_NULL(strstr(fake.log, "no topology order"));
    begin();
    fake_setenv("SLURM_STEP_TASKS_PER_NODE", "60000(x6)");
    launch();
    lw_check_str(fake_getenv("LEAFWARD_NODE_RANK"), "3");
    CU_ASSERT_PTR_NULL(fake_getenv("LEAFWARD_HOSTFILE"));
    begin();
    fake_setenv("SLURM_STEP_NODELIST", NULL);
    launch();
    CU_ASSERT_PTR_NULL(fake_getenv("LEAFWARD_NODE_RANK"));
}

/* A directory that others can write would let them choose what root writes
 * over. */
static void test_a_directory_of_others(void)
{
    char path[128];

    begin();
    snprintf(path, sizeof(path), "%s/steps", dir);
    CU_ASSERT_FATAL(mkdir(path, 0777) == 0 && chmod(path, 0777) == 0);
    launch();
    lw_check_str(fake_getenv("LEAFWARD_NODE_RANK"), "3");
    CU_ASSERT_PTR_NULL(fake_getenv("LEAFWARD_HOSTFILE"));
    CU_ASSERT_PTR_NOT_NULL(strstr(fake.log, "only root can write"));
    CU_ASSERT_FATAL(rmdir(path) == 0 && symlink("/tmp", path) == 0);
    lw_apply_free(&state);
    launch();
    CU_ASSERT_PTR_NULL(fake_getenv("LEAFWARD_HOSTFILE"));
}

static void test_steps_that_are_none_of_ours(void)
{
    unsigned before;

    begin();
    fake_setenv("CUDA_VISIBLE_DEVICES", NULL);
    before = fake_nenv();
    launch();
    lw_check_int(fake_nenv(), before);
    begin();
    fake.step_id = 0xfffffffbU;
    before = fake_nenv();
    launch();
    lw_check_int(fake_nenv(), before);
    begin();
    state.options.off = true;
    before = fake_nenv();
    launch();
    lw_check_int(fake_nenv(), before);
    check_content("steps/n1.100.3", "no such file");
}

/* The writer is a process of its own. */
static void wait_for_writer(void)
{
    int i;

    for (i = 0; i < 2000 && state.launch.result && *state.launch.result < 0;
         i++)
        usleep(5000);
}

static char *logged(void)
{
    wait_for_writer();
    return content("log-n1");
}

static void begin_logging(uint32_t node_id)
{
    char more[128];

    begin();
    snprintf(more, sizeof(more), "launch_log = %s/log-%%n\n", dir);
    write_conf(more);
    fake.node_id = node_id;
    fake_setenv("SLURM_JOB_PARTITION", "gpu");
    fake_setenv("SLURM_JOB_NAME", "a \"b\"\n\xff");
    fake_setenv("SLURM_CLUSTER_NAME", "c");
}

/* The line from 'key' on. */
static const char *from(const char *line, const char *key)
{
    const char *at = line ? strstr(line, key) : NULL;

    return at ? at : "not there";
}

static void test_launch_is_logged_once(void)
{
    char *line;

    begin_logging(0);
    launch();
    lw_apply_launch(NULL, &state);
    line = logged();
    CU_ASSERT(line &&
              strncmp(line, "{\"schema\":1,\"@timestamp\":\"2", 27) == 0);
    lw_check_str(
        from(line, "\"event\""),
        "\"event\":\"launched\",\"cluster\":\"c\",\"job\":{\"id\":100,"
        "\"restarts\":0,\"partition\":\"gpu\","
        "\"name\":\"a \\\"b\\\"\\u000a\xef\xbf\xbd\",\"uid\":0},"
        "\"step\":{\"id\":3,\"node\":\"n1\",\"nnodes\":6,"
        "\"nodes\":\"n[1-5,10]\",\"tasks\":9,\"node_rank\":3},\"rails\":["
        "{\"nodes\":\"n1\",\"rails\":2,\"up\":2,\"seen\":\"launch\"},"
        "{\"nodes\":\"n[2,4-5]\",\"rails\":2,\"up\":2,\"seen\":\"map\"},"
        "{\"nodes\":\"n[3,10]\",\"rails\":2,\"up\":1,\"seen\":\"map\"}]}\n");
    free(line);
    lw_check_str(fake.log, "");
}

/* The other nodes have nothing to say unless a rail is down. */
static void test_other_nodes(void)
{
    char *line;

    begin_logging(4);
    launch();
    CU_ASSERT_PTR_NULL(state.launch.result);
    check_content("log-n1", "no such file");
    begin_logging(4);
    write_inventory("down");
    launch();
    line = logged();
    lw_check_str(from(line, "\"step\""),
                 "\"step\":{\"id\":3,\"node\":\"n1\",\"nnodes\":6,\"tasks\":9,"
                 "\"node_rank\":3},\"rails\":[{\"nodes\":\"n1\",\"rails\":2,"
                 "\"up\":1,\"down\":\"mlx5_1:1 rail 1\","
                 "\"seen\":\"launch\"}]}\n");
    CU_ASSERT(strstr(from(line, "\"event\""), "\"rail-down\"") != NULL);
    free(line);
}

/* A node says of itself only what it has seen, of the others what the map
 * says: nothing, without one. */
static void test_what_is_not_known(void)
{
    char path[64], *line;

    begin_logging(0);
    unlink(order);
    snprintf(path, sizeof(path), "%s/n1.json", dir);
    unlink(path);
    launch();
    line = logged();
    lw_check_str(from(line, "\"step\""),
                 "\"step\":{\"id\":3,\"node\":\"n1\",\"nnodes\":6,"
                 "\"nodes\":\"n[1-5,10]\",\"tasks\":9},\"rails\":[]}\n");
    free(line);
}

/* What is at the path instead of a log; the step goes on, and its end says
 * in one line what was wrong. */
static void test_a_log_that_cannot_be_written(void)
{
    static const char *const commands[] = {
        "mkdir %s/log-n1", "mkfifo %s/log-n1", "ln -s elsewhere %s/log-n1",
        "ln -s /dev/full %s/log-n1"};
    char command[128];
    size_t i;

    for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        begin_logging(0);
        snprintf(command, sizeof(command), commands[i], dir);
        CU_ASSERT_FATAL(system(command) == 0);
        launch();
        wait_for_writer();
        lw_check_str(fake.log, "");
        lw_check_str(fake_getenv("LEAFWARD_NODE_RANK"), "3");
        lw_apply_free(&state);
        CU_ASSERT_PTR_NOT_NULL(strstr(fake.log, "the launch is not logged: "));
        CU_ASSERT_PTR_NULL(content("elsewhere"));
    }
    begin_logging(0);
    write_conf("launch_log = /nonexistent/log\n");
    launch();
    wait_for_writer();
    lw_apply_free(&state);
    CU_ASSERT_PTR_NOT_NULL(strstr(fake.log, "/nonexistent/log: No such file"));
}

static void test_counts_of_tasks(void)
{
    static const struct {
        const char *text;
        long want[5];
    } cases[] = {{"2(x3),1", {2, 2, 2, 1, 1}},     {"4", {4, 1, 1, 1, 1}},
                 {"1,2,3(x2),9", {1, 2, 3, 3, 9}}, {"x", {1, 1, 1, 1, 1}},
                 {"-3(x2)", {1, 1, 1, 1, 1}},      {"2(x0),7", {2, 7, 1, 1, 1}},
                 {NULL, {1, 1, 1, 1, 1}}};
    size_t i, k;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *at = cases[i].text;
        long left = 0;

        for (k = 0; k < 5; k++)
            lw_check_int(lw_nodes_tasks(&at, &left), cases[i].want[k]);
    }
}

static const struct lw_test tests[] = {
    {"ranks follow the topology", test_ranks_follow_the_topology},
    {"what Slurm ordered stays", test_slurms_own_order_stays},
    {"without an order", test_without_an_order},
    {"lists that are not the step's", test_a_step_that_is_not_so},
    {"a directory that others can write", test_a_directory_of_others},
    {"steps that are left alone", test_steps_that_are_none_of_ours},
    {"a launch is logged once, by the first node", test_launch_is_logged_once},
    {"the other nodes", test_other_nodes},
    {"what is not known is not said", test_what_is_not_known},
    {"logs that cannot be written", test_a_log_that_cannot_be_written},
    {"counts of tasks", test_counts_of_tasks},
};

int main(void)
{
    char command[128];
    int rc;

    if (!mkdtemp(dir))
        return 2;
    snprintf(conf, sizeof(conf), "%s/leafward.conf", dir);
    snprintf(order, sizeof(order), "%s/order", dir);
    rc = lw_check_run("launch", tests, sizeof(tests) / sizeof(tests[0]));
    lw_apply_free(&state);
    fake_reset();
    snprintf(command, sizeof(command), "rm -rf %s", dir);
    return system(command) == 0 ? rc : 2;
}
