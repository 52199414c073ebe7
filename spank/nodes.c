/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nodes.c - the step's nodes in topology order, and its hostfile */
#include "config.h"

#include "lib/buf.h"
#include "slurmapi/hostlist.h"
#include "spank/env.h"
#include "spank/nodes.h"
#include "topology/node/inventory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOSTFILE_LIMIT (64 * 1024 * 1024UL)
#define TASKS_MAX      65536 /* of one node */

long lw_nodes_tasks(const char **at, long *left)
{
    char *end = NULL;
    long n = *at ? strtol(*at, &end, 10) : 0, times = 1;

    if (!end || end == *at || n < 1 || n > TASKS_MAX)
        return 1;
    if (strncmp(end, "(x", 2) == 0)
        times = strtol(end + 2, &end, 10);
    if (*left == 0)
        *left = times > 0 ? times : 1;
    if (--*left == 0) {
        end = strchr(end, ',');
        *at = end ? end + 1 : NULL;
    }
    return n;
}

/* How many tasks each node has, in Slurm's order. NULL when out of memory, or
 * when they are more than the step has: the text comes through the user's
 * environment, and what root writes must not grow with it. */
static long *count_tasks(spank_t sp, size_t n)
{
    const char *at = lw_env_get(sp, "SLURM_STEP_TASKS_PER_NODE");
    unsigned total = lw_item(sp, S_JOB_TOTAL_TASK_COUNT, 0);
    long *tasks = calloc(n + 1, sizeof(*tasks)), left = 0;
    unsigned long sum = 0;
    size_t i;

    for (i = 0; tasks && i < n; i++)
        sum += (unsigned long)(tasks[i] = lw_nodes_tasks(&at, &left));
    if (sum <= total)
        return tasks;
    free(tasks);
    return NULL;
}

/* One line a task: srun --distribution=arbitrary takes it so, mpirun counts
 * lines as slots, and with a task a node each line is a node. */
static char *hostfile(spank_t sp, const struct lw_step_nodes *s)
{
    struct lw_buf b = LW_BUF_INIT(HOSTFILE_LIMIT);
    long *tasks = count_tasks(sp, s->n), k;
    size_t i;

    if (!tasks)
        return NULL;
    for (i = 0; i < s->n; i++)
        for (k = 0; k < tasks[s->nodes[i].was]; k++) {
            lw_buf_puts(&b, s->nodes[i].name);
            lw_buf_puts(&b, "\n");
        }
    free(tasks);
    return lw_buf_take(&b);
}

static long find_rank(const struct lw_step_nodes *s, const char *node)
{
    size_t i;

    for (i = 0; i < s->n; i++)
        if (strcmp(s->nodes[i].name, node) == 0)
            return (long)i;
    return -1;
}

/* A step's name is unique on a node, and a requeued job's step takes the
 * place of the one before it. */
static char *path_of(spank_t sp, const char *dir, const char *node)
{
    struct lw_buf b = LW_BUF_INIT(4096);

    if (!*dir)
        return NULL;
    lw_buf_printf(&b, "%s/%s.%u.%u", dir, node, lw_item(sp, S_JOB_ID, 0),
                  lw_item(sp, S_JOB_STEPID, 0));
    return lw_buf_take(&b);
}

static int expand(spank_t sp, struct lw_step_nodes *s, lw_error_t *err)
{
    const char *list = lw_env_get(sp, "SLURM_STEP_NODELIST");
    size_t i;

    if (!list || !*list || !(s->names = lw_hostlist_expand(list, &s->n, err)))
        return -1;
    if (s->n != lw_item(sp, S_JOB_NNODES, 0))
        return lw_err(err, "SLURM_STEP_NODELIST is not the step's");
    if (!(s->nodes = calloc(s->n + 1, sizeof(*s->nodes))))
        return -1;
    for (i = 0; i < s->n; i++)
        s->nodes[i].name = s->names[i];
    return 0;
}

int lw_nodes_find(spank_t sp, const struct lw_settings *settings,
                  const char *node, struct lw_step_nodes *out)
{
    struct lw_step_nodes s = {.rank = -1};
    lw_error_t err = {0};
    char *path;

    if (!*settings->order || access(settings->order, F_OK) < 0)
        return -1;
    if (expand(sp, &s, &err) == 0 &&
        lw_order_by_file(settings->order, s.nodes, s.n, &err) > 0)
        s.rank = find_rank(&s, node);
    if (err.text[0])
        slurm_info("leafward: %s; the step has no topology order", err.text);
    if (s.rank < 0) {
        lw_nodes_free(&s);
        return -1;
    }
    s.text = hostfile(sp, &s);
    path = path_of(sp, settings->hostfiles, node);
    s.path = s.text ? path : NULL;
    if (!s.text)
        free(path);
    *out = s;
    return 0;
}

/* Others must not be able to put links into it. */
static int make_directory(const char *path, lw_error_t *err)
{
    char *dir = strdup(path), *slash = dir ? strrchr(dir, '/') : NULL;
    struct stat st;
    int rc = -1;

    if (slash)
        *slash = '\0';
    if (!slash)
        lw_err(err, "%s: expected a path with a directory", path);
    else if (mkdir(dir, 0755) < 0 && errno != EEXIST)
        lw_err(err, "%s: %s", dir, strerror(errno));
    else if (lstat(dir, &st) < 0 || !S_ISDIR(st.st_mode) ||
             (st.st_uid != 0 && st.st_uid != geteuid()) ||
             (st.st_mode & (S_IWGRP | S_IWOTH)))
        lw_err(err, "%s: is no directory that only root can write", dir);
    else
        rc = 0;
    free(dir);
    return rc;
}

static int write_file(const char *path, const char *text, lw_error_t *err)
{
    size_t len = strlen(text);
    int fd, rc = 0;

    if (unlink(path) < 0 && errno != ENOENT)
        return lw_err(err, "%s: %s", path, strerror(errno));
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0)
        return lw_err(err, "%s: %s", path, strerror(errno));
    /* slurmstepd has the user's umask */
    if (write(fd, text, len) != (ssize_t)len || fchmod(fd, 0644) < 0)
        rc = lw_err(err, "%s: %s", path, strerror(errno ? errno : ENOSPC));
    close(fd);
    if (rc < 0)
        unlink(path);
    return rc;
}

void lw_nodes_write(struct lw_step_nodes *s)
{
    lw_error_t err = {0};

    if (!s->path)
        return;
    if (make_directory(s->path, &err) < 0 ||
        write_file(s->path, s->text, &err) < 0)
        slurm_info("leafward: %s; the step has no hostfile", err.text);
    else
        s->written = true;
}

bool lw_nodes_written(const struct lw_step_nodes *s)
{
    struct stat st;

    return s->path && lstat(s->path, &st) == 0 && S_ISREG(st.st_mode) &&
           (size_t)st.st_size == strlen(s->text);
}

void lw_nodes_free(struct lw_step_nodes *s)
{
    if (s->written)
        unlink(s->path);
    lw_names_free(s->names, s->n);
    free(s->nodes);
    free(s->text);
    free(s->path);
    memset(s, 0, sizeof(*s));
}
