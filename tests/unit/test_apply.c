/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_apply.c - what the SPANK plugin does to a step, on a fake slurmstepd */
#include "config.h"

#include "lib/buf.h"
#include "lib/file.h"
#include "spank/apply.h"
#include "tests/check.h"
#include "tests/fake/spank.h"

#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/leafward-apply.XXXXXX";
static char conf[64], inventory[64];
static struct lw_step_state state;
static cpu_set_t whole;
static int cpu[2]; /* two CPUs this process may use, equal if only one */

static void write_file(const char *path, const char *text)
{
    CU_ASSERT_FATAL(lw_file_replace(path, text, strlen(text), 0644, NULL) == 0);
}

/* Four GPUs and four rails on two NUMA nodes of one CPU each. */
static void write_inventory(const char *rails_by, const char *state_of_2)
{
    struct lw_buf b = LW_BUF_INIT(8192);
    int i;

    lw_buf_printf(&b,
                  "{\"schema\":1,\"node\":\"node001\",\"rails_by\":\"%s\","
                  "\"group\":\"leaf-a\",\"numa\":[{\"id\":0,\"cpus\":\"%d\"}",
                  rails_by, cpu[0]);
    if (cpu[1] != cpu[0])
        lw_buf_printf(&b, ",{\"id\":1,\"cpus\":\"%d\"}", cpu[1]);
    lw_buf_puts(&b, "],\"gpus\":[");
    for (i = 0; i < 4; i++)
        lw_buf_printf(&b, "%s{\"vendor\":\"nvidia\",\"numa\":%d}", i ? "," : "",
                      cpu[1] != cpu[0] ? i / 2 : 0);
    lw_buf_puts(&b, "],\"nics\":[");
    for (i = 0; i < 4; i++)
        lw_buf_printf(&b,
                      "%s{\"device\":\"mlx5_%d\",\"rail\":%d,"
                      "\"link\":\"infiniband\",\"state\":\"%s\"}",
                      i ? "," : "", 10 - i, i, i == 2 ? state_of_2 : "active");
    lw_buf_puts(&b, "]}\n");
    write_file(inventory, b.text);
    lw_buf_free(&b);
}

static void write_conf(const char *more)
{
    struct lw_buf b = LW_BUF_INIT(8192);

    lw_buf_printf(&b, "[node]\ninventory = %s/%%n.json\nsysfs = %s\n%s", dir,
                  dir, more);
    write_file(conf, b.text);
    lw_buf_free(&b);
}

/* A fresh step of 'ntasks' tasks that was given all four GPUs. */
static void begin(unsigned ntasks)
{
    lw_apply_free(&state);
    fake_reset();
    sched_setaffinity(0, sizeof(whole), &whole);
    setenv("SLURMD_NODENAME", "node001", 1);
    unlink(inventory);
    write_inventory("map", "active");
    write_conf("");
    fake.local_tasks = ntasks;
    fake_setenv("HOME", dir);
    fake_setenv("SLURM_STEP_GPUS", "0,1,2,3");
    fake_setenv("CUDA_VISIBLE_DEVICES", "0,1,2,3");
}

static void step(void)
{
    lw_apply_step(NULL, conf, &state);
}

static int task(unsigned id)
{
    fake.task_id = id;
    return lw_apply_task(NULL, &state);
}

/* The CPUs of this process. */
static int on_cpu(int n)
{
    cpu_set_t now;

    CPU_ZERO(&now);
    sched_getaffinity(0, sizeof(now), &now);
    return CPU_COUNT(&now) == 1 && CPU_ISSET(n, &now);
}

static int unmoved(void)
{
    cpu_set_t now;

    CPU_ZERO(&now);
    sched_getaffinity(0, sizeof(now), &now);
    return CPU_EQUAL(&now, &whole);
}

#define HCA "=mlx5_10:1,mlx5_9:1,mlx5_8:1,mlx5_7:1"

static void test_step_gets_its_rails(void)
{
    begin(4);
    step();
    lw_check_str(fake_getenv("NCCL_IB_HCA"), HCA);
    lw_check_str(fake_getenv("LEAFWARD_RAILS"), HCA + 1);
    lw_check_str(fake_getenv("LEAFWARD_GROUP"), "leaf-a");
    lw_check_str(fake_getenv("LEAFWARD_NOTE"),
                 "NCCL_IB_HCA set: 4 of 4 compute rails, told by the map");
    lw_check_str(fake.log, "");
}

static void test_tasks_get_their_cpus(void)
{
    begin(4);
    step();
    lw_check_int(task(0), 0);
    CU_ASSERT(on_cpu(cpu[0]));
    sched_setaffinity(0, sizeof(whole), &whole);
    lw_check_int(task(3), 0);
    CU_ASSERT(on_cpu(cpu[1]));
    CU_ASSERT_PTR_NOT_NULL(
        strstr(fake_getenv("LEAFWARD_NOTE"), "; CPUs: near the GPU"));
}

/* Slurm's own masks, one per task, are the step's CPUs together: a task may
 * be moved from one to another, but never out of them. */
static void test_masks_of_slurm_are_the_limit(void)
{
    cpu_set_t one;
    char list[40];

    begin(4);
    step();
    snprintf(list, sizeof(list), "0x%llx,0x%llx", 1ULL << (cpu[0] % 64),
             1ULL << (cpu[1] % 64));
    fake_setenv("SLURM_CPU_BIND_TYPE", "mask_cpu:");
    fake_setenv("SLURM_CPU_BIND_LIST", list);
    CPU_ZERO(&one);
    CPU_SET(cpu[0], &one);
    sched_setaffinity(0, sizeof(one), &one);
    lw_check_int(task(3), 0);
    CU_ASSERT(on_cpu(cpu[1]));
    /* without the second mask its CPU is not ours */
    snprintf(list, sizeof(list), "0x%llx", 1ULL << (cpu[0] % 64));
    fake_setenv("SLURM_CPU_BIND_LIST", list);
    sched_setaffinity(0, sizeof(one), &one);
    lw_check_int(task(3), 0);
    CU_ASSERT(on_cpu(cpu[0]));
}

static void test_special_steps_are_left_alone(void)
{
    static const unsigned ids[] = {0xfffffffa, 0xfffffffb, 0xfffffffc};
    unsigned i, before;

    for (i = 0; i < 3; i++) {
        begin(1);
        fake.step_id = ids[i];
        before = fake_nenv();
        step();
        lw_check_int(task(0), 0);
        lw_check_int(fake_nenv(), before);
        CU_ASSERT(unmoved());
    }
}

static void test_steps_without_gpus(void)
{
    static const char *const visible[] = {NULL, "", "NoDevFiles", "-1"};
    unsigned i, before;

    for (i = 0; i < 4; i++) {
        begin(2);
        fake_setenv("SLURM_STEP_GPUS", NULL);
        fake_setenv("CUDA_VISIBLE_DEVICES", visible[i]);
        before = fake_nenv();
        step();
        lw_check_int(task(0), 0);
        lw_check_int(fake_nenv(), before);
        CU_ASSERT(unmoved());
        lw_check_str(fake.log, "");
    }
}

static void test_user_values_stay(void)
{
    begin(4);
    fake_setenv("NCCL_IB_HCA", "mlx5_1");
    step();
    lw_check_str(fake_getenv("NCCL_IB_HCA"), "mlx5_1");
    lw_check_str(fake_getenv("LEAFWARD_NOTE"),
                 "NCCL_IB_HCA: kept as the user set it");
    begin(4);
    fake_setenv("NCCL_IB_HCA", "");
    step();
    lw_check_str(fake_getenv("NCCL_IB_HCA"), "");
    lw_check_str(fake_getenv("LEAFWARD_NOTE"),
                 "NCCL_IB_HCA: kept empty by the user");
}

static void test_nccl_files_stay(void)
{
    char path[80];

    begin(4);
    snprintf(path, sizeof(path), "%s/.nccl.conf", dir);
    write_file(path, "NCCL_DEBUG=WARN\nNCCL_IB_HCA=mlx5_2\n");
    step();
    CU_ASSERT_PTR_NULL(fake_getenv("NCCL_IB_HCA"));
    CU_ASSERT_PTR_NOT_NULL(strstr(fake_getenv("LEAFWARD_NOTE"), path));
    /* NCCL_CONF_FILE replaces ~/.nccl.conf */
    begin(4);
    fake_setenv("NCCL_CONF_FILE", "/dev/null");
    step();
    lw_check_str(fake_getenv("NCCL_IB_HCA"), HCA);
    unlink(path);
}

/* srun inside a task: what is in the environment is the outer step's. */
static void test_nested_step_is_not_the_user(void)
{
    begin(4);
    fake_setenv("NCCL_IB_HCA", "=mlx5_0:1,mlx5_1:1");
    fake_setenv("LEAFWARD_RAILS", "mlx5_0:1,mlx5_1:1");
    fake_setenv("LEAFWARD_OUTER_BIND", "0x1,0x2");
    fake_setenv("SLURM_CPU_BIND_TYPE", "mask_cpu:");
    fake_setenv("SLURM_CPU_BIND_LIST", "1,02"); /* as srun writes it again */
    step();
    lw_check_str(fake_getenv("NCCL_IB_HCA"), HCA);
    CU_ASSERT(state.bind);
    /* other masks than the outer step's are the user's */
    begin(4);
    fake_setenv("LEAFWARD_OUTER_BIND", "0x1,0x2");
    fake_setenv("SLURM_CPU_BIND_TYPE", "mask_cpu:");
    fake_setenv("SLURM_CPU_BIND_LIST", "0x1,0x2,0x1");
    step();
    CU_ASSERT(!state.bind);
    /* and so is a value that changed in between */
    begin(4);
    fake_setenv("NCCL_IB_HCA", "mlx5_5");
    fake_setenv("LEAFWARD_RAILS", "mlx5_0:1,mlx5_1:1");
    step();
    lw_check_str(fake_getenv("NCCL_IB_HCA"), "mlx5_5");
}

static void test_user_binding_stays(void)
{
    static const char *const types[] = {
        "none",  "mask_cpu:", "map_cpu:", "rank",
        "cores", "sockets",   "threads",  "ldoms"};
    size_t i;

    for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        begin(4);
        fake_setenv("SLURM_CPU_BIND_TYPE", types[i]);
        step();
        lw_check_str(fake_getenv("NCCL_IB_HCA"), HCA);
        lw_check_int(task(0), 0);
        CU_ASSERT(unmoved());
        CU_ASSERT_PTR_NOT_NULL(strstr(fake_getenv("LEAFWARD_NOTE"),
                                      "; CPUs: kept as the user asked"));
    }
    begin(4); /* --cpu-bind=verbose asks for nothing */
    fake_setenv("SLURM_CPU_BIND_TYPE", "");
    step();
    CU_ASSERT(state.bind);
}

static void test_broken_inventories_fail_open(void)
{
    static const char *const texts[] = {
        NULL,
        "",
        "{\"schema\":1",
        "{\"schema\":3}",
        "{\"schema\":1,\"node\":\"node002\",\"numa\":[{\"id\":0,\"cpus\":"
        "\"0\"}]}",
        "{\"schema\":1,\"boot_id\":\"0-0\",\"numa\":[{\"id\":0,\"cpus\":"
        "\"0\"}]}"};
    unsigned before;
    size_t i;

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        begin(4);
        unlink(inventory);
        if (texts[i])
            write_file(inventory, texts[i]);
        before = fake_nenv();
        step();
        lw_check_int(task(0), 0);
        lw_check_int(fake_nenv(), before);
        CU_ASSERT(unmoved());
        /* exactly one line */
        CU_ASSERT(strncmp(fake.log, "info: leafward: ", 16) == 0);
        CU_ASSERT_PTR_EQUAL(strchr(fake.log, '\n'),
                            fake.log + strlen(fake.log) - 1);
    }
}

static void test_strict_fails_the_task_only(void)
{
    begin(4);
    unlink(inventory);
    write_conf("strict = yes\n");
    step();
    lw_check_int(task(0), -1);
    CU_ASSERT_PTR_NOT_NULL(strstr(fake.log, "error: leafward: "));
    /* an ordinary reason not to bind is no failure */
    begin(4);
    write_conf("strict = yes\n");
    fake_setenv("SLURM_CPU_BIND_TYPE", "none");
    step();
    lw_check_int(task(0), 0);
    begin(1);
    write_conf("strict = yes\n");
    step();
    lw_check_int(task(0), 0);
    CU_ASSERT(unmoved());
}

static void test_port_down(void)
{
    begin(4);
    write_inventory("map", "down");
    step();
    lw_check_str(fake_getenv("NCCL_IB_HCA"), "=mlx5_10:1,mlx5_9:1,mlx5_7:1");
    CU_ASSERT_PTR_NOT_NULL(
        strstr(fake.log, "1 of 4 compute rails down (mlx5_8:1 rail 2)"));
    begin(4);
    write_inventory("map", "armed");
    write_conf("on_port_down = keep\n");
    step();
    lw_check_str(fake_getenv("NCCL_IB_HCA"), HCA);
    lw_check_int(task(0), 0);
    begin(4);
    write_inventory("map", "down");
    write_conf("on_port_down = fail\n");
    step();
    lw_check_int(task(0), -1);
}

/* The cached state is overruled by what sysfs says at launch. */
static void test_ports_are_looked_at_again(void)
{
    char path[160];
    int i;

    begin(4);
    write_inventory("map", "down"); /* it came up since */
    for (i = 7; i < 10; i++) {      /* and mlx5_10 is gone */
        snprintf(path, sizeof(path),
                 "mkdir -p %s/class/infiniband/mlx5_%d/"
                 "ports/1",
                 dir, i);
        CU_ASSERT_FATAL(system(path) == 0);
        snprintf(path, sizeof(path),
                 "%s/class/infiniband/mlx5_%d/ports/1/state", dir, i);
        write_file(path, i == 7 ? "2: INIT\n" : "4: ACTIVE\n");
    }
    step();
    lw_check_str(fake_getenv("NCCL_IB_HCA"), "=mlx5_9:1,mlx5_8:1");
    CU_ASSERT_PTR_NOT_NULL(
        strstr(fake.log, "(mlx5_10:1 rail 0, mlx5_7:1 rail 3)"));
    snprintf(path, sizeof(path), "rm -rf %s/class", dir);
    CU_ASSERT(system(path) == 0);
}

static void test_switched_off(void)
{
    unsigned before;

    begin(4);
    state.options.off = true;
    before = fake_nenv();
    step();
    lw_check_int(task(0), 0);
    lw_check_int(fake_nenv(), before);
    begin(4);
    write_conf("bind_cpus = no\nset_nccl = no\n");
    step();
    lw_check_int(task(0), 0);
    CU_ASSERT(unmoved());
    CU_ASSERT_PTR_NULL(fake_getenv("NCCL_IB_HCA"));
}

/* [nccl]: by partition and node, checked here, never over the user. */
static void test_site_variables(void)
{
    begin(4);
    write_conf("[nccl]\n"
               "NCCL_IB_TC = 41\n"
               "NCCL_IB_SL = 3\n"
               "NCCL_SOCKET_IFNAME = =lo,nosuch0\n"
               "GLOO_SOCKET_IFNAME = nosuch0\n"
               "NCCL_P2P_DISABLE = 1\n"
               "NCCL_NVLS_ENABLE = 1\n"
               "NCCL_TOPO_FILE = /nonexistent.xml\n"
               "MY_VARIABLE = 1\n"
               "OMP_NUM_THREADS = cores\n"
               "UCX_NET_DEVICES = near\n"
               "[nccl partition roce]\n"
               "NCCL_IB_TC = 96\n"
               "[nccl partition other]\n"
               "NCCL_IB_TC = 7\n"
               "[nccl nodes gpu*, node00?]\n"
               "NCCL_IB_TIMEOUT = 22\n"
               "[nccl nodes node002]\n"
               "NCCL_IB_RETRY_CNT = 7\n");
    fake_setenv("SLURM_JOB_PARTITION", "roce");
    fake_setenv("NCCL_IB_SL", "1");
    step();
    lw_check_str(fake_getenv("NCCL_IB_TC"), "96");
    lw_check_str(fake_getenv("NCCL_IB_SL"), "1");
    lw_check_str(fake_getenv("NCCL_SOCKET_IFNAME"), "=lo");
    lw_check_str(fake_getenv("GLOO_SOCKET_IFNAME"), NULL);
    lw_check_str(fake_getenv("NCCL_P2P_DISABLE"), NULL);
    lw_check_str(fake_getenv("NCCL_NVLS_ENABLE"), NULL);
    lw_check_str(fake_getenv("NCCL_TOPO_FILE"), NULL);
    lw_check_str(fake_getenv("MY_VARIABLE"), NULL);
    lw_check_str(fake_getenv("NCCL_IB_TIMEOUT"), "22");
    lw_check_str(fake_getenv("NCCL_IB_RETRY_CNT"), NULL);
    lw_check_str(fake_getenv("OMP_NUM_THREADS"), NULL);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(fake.log, "NCCL_P2P_DISABLE = 1 of leafward.conf is not set: "
                         "it hides a platform fault"));
    lw_check_int(task(3), 0);
    lw_check_str(fake_getenv("OMP_NUM_THREADS"), "1");
    lw_check_str(fake_getenv("UCX_NET_DEVICES"), "mlx5_7:1");
}

/* Without [nccl], these are all the names that may ever appear. */
static void test_nothing_else_is_set(void)
{
    static const char *const ours[] = {"NCCL_IB_HCA", "LEAFWARD_", NULL};
    unsigned before, i, k, known = 0;

    begin(4);
    before = fake_nenv();
    step();
    lw_check_int(task(1), 0);
    for (i = 0; i < fake_nenv(); i++)
        for (k = 0; ours[k]; k++)
            known += strncmp(fake.env[i], ours[k], strlen(ours[k])) == 0;
    lw_check_int(fake_nenv(), before + known);
    lw_check_str(fake_getenv("CUDA_VISIBLE_DEVICES"), "0,1,2,3");
}

static void test_own_gpus_of_a_task(void)
{
    begin(2);
    step();
    /* the plan's half is GPUs 0 and 1; Slurm gave this task the last one */
    fake_setenv("CUDA_VISIBLE_DEVICES", "3");
    lw_check_int(task(0), 0);
    CU_ASSERT(on_cpu(cpu[1]));
    /* "0" behind a device cgroup per task means the task's own block */
    begin(4);
    step();
    fake_setenv("CUDA_VISIBLE_DEVICES", "0");
    fake_setenv("SLURMD_TRES_BIND", "gres/gpu:per_task:1");
    lw_check_int(task(3), 0);
    CU_ASSERT(on_cpu(cpu[1]));
}

static void test_setenv_refused(void)
{
    begin(4);
    fake.refuse_setenv = 1;
    step();
    lw_check_int(task(0), 0);
    CU_ASSERT_PTR_NULL(fake_getenv("NCCL_IB_HCA"));
    CU_ASSERT(on_cpu(cpu[0]));
}

static void test_options(void)
{
    static const char *const bad[] = {
        "",     "fast",     "off,",
        "wait", "wait=",    "wait=soon",
        "offf", "\x1b[31m", "wait=99999999999999999999"};
    struct lw_options o = {false, false};
    lw_error_t err = {0};
    size_t i;

    lw_check_int(lw_options_parse("off", &o, &err), 0);
    CU_ASSERT(o.off && !o.verbose);
    lw_check_int(lw_options_parse("spread,wait=30,verbose", &o, &err), 0);
    CU_ASSERT(!o.off && o.verbose);
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        memset(&err, 0, sizeof(err));
        if (i == 2)
            continue;
        lw_check_int(lw_options_parse(bad[i], &o, &err), -1);
        CU_ASSERT_PTR_NULL(strchr(err.text, '\x1b'));
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "expected off|pack|spread"));
    }
    CU_ASSERT(o.verbose);
}

static const struct lw_test tests[] = {
    {"the step gets its compute rails", test_step_gets_its_rails},
    {"tasks get the CPUs near their GPU", test_tasks_get_their_cpus},
    {"Slurm's masks are the limit", test_masks_of_slurm_are_the_limit},
    {"batch, interactive and extern steps", test_special_steps_are_left_alone},
    {"steps without GPUs", test_steps_without_gpus},
    {"the user's NCCL_IB_HCA stays, even empty", test_user_values_stay},
    {"nccl.conf files stay", test_nccl_files_stay},
    {"a nested step", test_nested_step_is_not_the_user},
    {"the user's CPU binding stays", test_user_binding_stays},
    {"broken inventories change nothing", test_broken_inventories_fail_open},
    {"strict fails in task_init only", test_strict_fails_the_task_only},
    {"a port that is down", test_port_down},
    {"ports are looked at again in sysfs", test_ports_are_looked_at_again},
    {"switched off", test_switched_off},
    {"what the site wants set", test_site_variables},
    {"nothing else is set", test_nothing_else_is_set},
    {"GPUs that Slurm gave one task", test_own_gpus_of_a_task},
    {"an environment that cannot be changed", test_setenv_refused},
    {"the words of --leafward=", test_options},
};

static int pick_cpus(void)
{
    int i, n = 0;

    CPU_ZERO(&whole);
    if (sched_getaffinity(0, sizeof(whole), &whole) < 0)
        return -1;
    for (i = 0; i < CPU_SETSIZE && n < 2; i++)
        if (CPU_ISSET(i, &whole) && i < 64)
            cpu[n++] = i;
    if (n == 1)
        cpu[1] = cpu[0];
    return n ? 0 : -1;
}

int main(void)
{
    int rc;
    char command[64];

    if (!mkdtemp(dir) || pick_cpus() < 0)
        return 2;
    snprintf(conf, sizeof(conf), "%s/leafward.conf", dir);
    snprintf(inventory, sizeof(inventory), "%s/node001.json", dir);
    rc = lw_check_run("apply", tests, sizeof(tests) / sizeof(tests[0]));
    lw_apply_free(&state);
    fake_reset();
    snprintf(command, sizeof(command), "rm -rf %s", dir);
    return system(command) == 0 ? rc : 2;
}
