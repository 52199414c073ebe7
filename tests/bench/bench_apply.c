/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench_apply.c - how long the SPANK plugin takes in user_init and task_init */
#include "config.h"

#include "spank/apply.h"
#include "tests/fake/spank.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define RUNS 1000

static int order(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static double clock_ms(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Times of one callback: what a launch waits for, and the CPU time of it,
 * which a busy machine does not spoil. */
struct timing {
    const char *what;
    double wall[RUNS], cpu[RUNS];
};

static void begin(struct timing *t, int i)
{
    t->wall[i] = clock_ms(CLOCK_MONOTONIC);
    t->cpu[i] = clock_ms(CLOCK_THREAD_CPUTIME_ID);
}

static void end(struct timing *t, int i)
{
    t->cpu[i] = clock_ms(CLOCK_THREAD_CPUTIME_ID) - t->cpu[i];
    t->wall[i] = clock_ms(CLOCK_MONOTONIC) - t->wall[i];
}

static void show_one(const char *what, const char *kind, double *ms)
{
    qsort(ms, RUNS, sizeof(*ms), order);
    printf("%s: %s: median %.3f ms, p99 %.3f ms (%d runs)\n", what, kind,
           ms[RUNS / 2], ms[RUNS * 99 / 100], RUNS);
}

static void show(struct timing *t)
{
    show_one(t->what, "elapsed", t->wall);
    show_one(t->what, "CPU time", t->cpu);
}

static int write_conf(const char *path)
{
    const char *top = getenv("top_srcdir");
    FILE *fp = fopen(path, "we");

    if (!fp)
        return -1;
    fprintf(fp, "[node]\ninventory = %s/tests/data/node/hgx8.json\n",
            top ? top : ".");
    return fclose(fp);
}

/* An 8-GPU node's file, read anew each time. */
int main(void)
{
    static struct timing step = {.what = "user_init"};
    static struct timing task = {.what = "task_init"};
    char conf[] = "/tmp/leafward-bench.XXXXXX";
    struct lw_step_state state = {.settings = NULL};
    cpu_set_t whole;
    int i, fd = mkstemp(conf);

    if (fd < 0 || write_conf(conf) < 0 ||
        sched_getaffinity(0, sizeof(whole), &whole) < 0)
        return 2;
    close(fd);
    for (i = 0; i < RUNS; i++) {
        fake_reset();
        fake.local_tasks = 8;
        fake.task_id = (uint32_t)i % 8;
        fake_setenv("SLURM_STEP_GPUS", "0,1,2,3,4,5,6,7");
        fake_setenv("CUDA_VISIBLE_DEVICES", "0,1,2,3,4,5,6,7");
        begin(&step, i);
        lw_apply_step(NULL, conf, &state);
        end(&step, i);
        begin(&task, i);
        lw_apply_task(NULL, &state);
        end(&task, i);
        lw_apply_free(&state);
        sched_setaffinity(0, sizeof(whole), &whole);
    }
    show(&step);
    show(&task);
    unlink(conf);
    return 0;
}
