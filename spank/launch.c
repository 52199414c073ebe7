/* SPDX-License-Identifier: GPL-2.0-or-later */
/* launch.c - the lines `launched` and `rail-down` of the placement log */
#include "config.h"

#include "lib/json.h"
#include "slurmapi/hostlist.h"
#include "spank/apply.h"
#include "spank/env.h"
#include "spank/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LINE_LIMIT    (1024 * 1024)
#define NONE          0xfffffffeU /* slurm/slurm.h: NO_VAL */
#define WRITING       (-1)        /* no errno */
#define WRITE_SECONDS 60

static void put_text(spank_t sp, struct lw_buf *b, const char *key,
                     const char *name)
{
    const char *value = lw_env_get(sp, name);

    if (value && *value)
        lw_json_text(b, key, value);
}

static void put_head(spank_t sp, const char *event, struct lw_buf *b)
{
    char stamp[32] = "1970-01-01T00:00:00";
    struct timespec now;
    struct tm tm;

    clock_gettime(CLOCK_REALTIME, &now);
    if (gmtime_r(&now.tv_sec, &tm))
        strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &tm);
    lw_buf_printf(b, "{\"schema\":1,\"@timestamp\":\"%s.%03ldZ\"", stamp,
                  now.tv_nsec / 1000000);
    lw_json_text(b, "event", event);
    put_text(sp, b, "cluster", "SLURM_CLUSTER_NAME");
}

static void put_number(spank_t sp, struct lw_buf *b, const char *key,
                       spank_item_t item, unsigned least)
{
    unsigned n = lw_item(sp, item, NONE);

    if (n < NONE && n >= least)
        lw_json_number(b, key, (long)n);
}

/* Ids are Slurm's; the texts come through the user's environment. */
static void put_job(spank_t sp, struct lw_buf *b)
{
    uid_t uid;

    lw_json_open(b, "job");
    put_number(sp, b, "id", S_JOB_ID, 1);
    if (lw_item(sp, S_JOB_ARRAY_ID, 0)) {
        put_number(sp, b, "array_job_id", S_JOB_ARRAY_ID, 1);
        put_number(sp, b, "array_task_id", S_JOB_ARRAY_TASK_ID, 0);
    }
    lw_json_number(b, "restarts", (long)lw_item(sp, S_SLURM_RESTART_COUNT, 0));
    put_text(sp, b, "partition", "SLURM_JOB_PARTITION");
    put_text(sp, b, "name", "SLURM_JOB_NAME");
    put_text(sp, b, "user", "SLURM_JOB_USER");
    if (spank_get_item(sp, S_JOB_UID, &uid) == ESPANK_SUCCESS)
        lw_json_number(b, "uid", (long)uid);
    put_text(sp, b, "account", "SLURM_JOB_ACCOUNT");
    lw_json_close(b);
}

static void put_step(spank_t sp, const struct lw_step_nodes *nodes,
                     const char *node, bool first, struct lw_buf *b)
{
    lw_json_open(b, "step");
    lw_json_number(b, "id", (long)lw_item(sp, S_JOB_STEPID, 0));
    lw_json_text(b, "node", node);
    lw_json_number(b, "nnodes", (long)lw_item(sp, S_JOB_NNODES, 1));
    if (first)
        put_text(sp, b, "nodes", "SLURM_STEP_NODELIST");
    put_number(sp, b, "tasks", S_JOB_TOTAL_TASK_COUNT, 1);
    if (nodes->n)
        lw_json_number(b, "node_rank", nodes->rank);
    lw_json_close(b);
}

/* This node's rails, as its ports are now. */
static void put_own(const struct lw_step_state *s, const char *node,
                    struct lw_buf *b)
{
    if (!s->rails.nall)
        return;
    lw_json_open(b, NULL);
    lw_json_text(b, "nodes", node);
    lw_json_number(b, "rails", (long)s->rails.nall);
    lw_json_number(b, "up", (long)(s->rails.nall - s->rails.down));
    if (s->rails.down)
        lw_json_text(b, "down", s->rails.names);
    lw_json_text(b, "seen", "launch");
    lw_json_close(b);
}

static bool alike(const struct lw_order_node *a, const struct lw_order_node *b)
{
    return a->rails == b->rails && a->rails_up == b->rails_up;
}

/* All nodes with the same rails as number 'i', but for this one: at most a
 * handful of kinds. */
static void put_kind(const struct lw_step_nodes *s, size_t i, struct lw_buf *b)
{
    const char **names = calloc(s->n, sizeof(*names));
    char *list;
    size_t k, n = 0;

    for (k = i; names && k < s->n; k++)
        if ((long)k != s->rank && alike(&s->nodes[i], &s->nodes[k]))
            names[n++] = s->nodes[k].name;
    list = n ? lw_hostlist_fold(names, n) : NULL;
    if (list) {
        lw_json_open(b, NULL);
        lw_json_text(b, "nodes", list);
        lw_json_number(b, "rails", s->nodes[i].rails);
        lw_json_number(b, "up", s->nodes[i].rails_up);
        lw_json_text(b, "seen", "map");
        lw_json_close(b);
    }
    free(list);
    free(names);
}

/* The other nodes', as the fabric map had them: how their ports are now, only
 * they know, and they say so (`rail-down`) where one is down. */
static void put_others(const struct lw_step_nodes *s, struct lw_buf *b)
{
    size_t i, k;

    for (i = 0; i < s->n; i++) {
        if ((long)i == s->rank || s->nodes[i].rails < 1)
            continue;
        for (k = 0; k < i &&
                    ((long)k == s->rank || !alike(&s->nodes[i], &s->nodes[k]));
             k++)
            ;
        if (k == i)
            put_kind(s, i, b);
    }
}

/* --- writing --------------------------------------------------------------- */

/* Everything that a hanging file system could make wait for: slurmstepd's
 * pipes and sockets, whose other ends wait for them to close. */
static void close_all(void)
{
    int fd;

#ifdef SYS_close_range
    if (syscall(SYS_close_range, 0U, ~0U, 0U) == 0)
        return;
#endif
    for (fd = 0; fd < 4096; fd++)
        close(fd);
}

/* A FIFO or a terminal could be at the end of the path, or a link to
 * elsewhere. Returns 0 or an errno. */
static int append(const char *path, const char *text, size_t len)
{
    int fd = open(path,
                  O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
                      O_NOCTTY | O_CLOEXEC,
                  0644);
    struct stat st;
    ssize_t n;

    if (fd < 0)
        return errno;
    if (fstat(fd, &st) < 0)
        return errno;
    if (!S_ISREG(st.st_mode))
        return EINVAL;
    n = write(fd, text, len);
    return n < 0 ? errno : (size_t)n < len ? ENOSPC : 0;
}

/* In a process of its own, which may hang as long as it likes. Between fork
 * and _exit only what is safe in a child of a threaded process. */
static void write_and_exit(struct lw_launch *l)
{
    sigset_t all;

    sigfillset(&all);
    signal(SIGALRM, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    alarm(WRITE_SECONDS);
    close_all();
    umask(022);
    *l->result = append(l->path, l->line, l->len);
    _exit(0);
}

/* A grandchild writes: a launch must not wait for a network file system, and
 * slurmstepd neither knows nor kills what init has adopted. */
static int start_writer(struct lw_launch *l, lw_error_t *err)
{
    pid_t pid;

    l->result = mmap(NULL, sizeof(*l->result), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (l->result == MAP_FAILED) {
        l->result = NULL;
        return lw_err(err, "%s", strerror(errno));
    }
    *l->result = WRITING;
    pid = fork();
    if (pid == 0) {
        pid = fork();
        if (pid == 0)
            write_and_exit(l);
        if (pid < 0)
            *l->result = errno;
        _exit(0);
    }
    if (pid < 0)
        return lw_err(err, "%s", strerror(errno));
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return 0;
}

static char *make_line(spank_t sp, const struct lw_step_state *s,
                       const char *node, bool first, size_t *len)
{
    struct lw_buf b = LW_BUF_INIT(LINE_LIMIT);

    put_head(sp, first ? "launched" : "rail-down", &b);
    put_job(sp, &b);
    put_step(sp, &s->nodes, node, first, &b);
    lw_json_open_array(&b, "rails");
    put_own(s, node, &b);
    if (first)
        put_others(&s->nodes, &b);
    lw_json_close_array(&b);
    lw_json_close(&b);
    lw_buf_puts(&b, "\n");
    *len = b.len;
    return lw_buf_take(&b);
}

void lw_launch_log(spank_t sp, const struct lw_step_state *s, const char *node,
                   struct lw_launch *l)
{
    bool first = lw_item(sp, S_JOB_NODEID, 0) == 0;
    lw_error_t err = {0};

    if (!*s->settings->launch_log || (!first && !s->rails.down))
        return;
    l->path = lw_inventory_path(s->settings->launch_log, node, &err);
    if (l->path && !(l->line = make_line(sp, s, node, first, &l->len)))
        lw_err(&err, "out of memory");
    if (err.text[0] || start_writer(l, &err) < 0)
        slurm_info("leafward: the launch is not logged: %s", err.text);
}

void lw_launch_free(struct lw_launch *l)
{
    if (l->result && *l->result == WRITING)
        slurm_info("leafward: the launch is not logged yet: %s is slow",
                   l->path);
    else if (l->result && *l->result)
        slurm_info("leafward: the launch is not logged: %s: %s", l->path,
                   strerror(*l->result));
    if (l->result)
        munmap(l->result, sizeof(*l->result));
    free(l->path);
    free(l->line);
    memset(l, 0, sizeof(*l));
}
