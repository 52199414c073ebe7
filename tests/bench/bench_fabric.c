/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench_fabric.c - CPU time and memory of reading and grouping a fabric, or of
 * any command, in one line: seconds, kilobytes, nodes */
#include "config.h"

#include "topology/fabric/groups.h"
#include "topology/fabric/readers.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIECE ((size_t)128 * 1024)

static double seconds(const struct rusage *u)
{
    return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
           (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e6;
}

static int fail(const char *what)
{
    fprintf(stderr, "bench_fabric: %s\n", what);
    return 1;
}

/* As leafward discover reads it, in pieces of whole lines. */
static int feed(const struct lw_reader *r, struct lw_feed *f, int fd, char *buf,
                lw_error_t *err)
{
    size_t have = 0, whole;
    const char *nl;
    ssize_t n;

    while ((n = read(fd, buf + have, PIECE - have)) > 0) {
        have += (size_t)n;
        if (!(nl = memrchr(buf, '\n', have)))
            return lw_err(err, "a line is too long");
        whole = (size_t)(nl + 1 - buf);
        if (r->feed(f, buf, whole, err) < 0)
            return -1;
        have -= whole;
        memmove(buf, buf + whole, have);
    }
    return r->feed(f, buf, have, err);
}

static struct lw_map *map_of(const char *path, lw_error_t *err)
{
    static const struct lw_groups_options none;
    const struct lw_reader *r = lw_reader_find("ibnetdiscover");
    struct lw_fabric *fabric = lw_fabric_create();
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *buf = malloc(PIECE);
    struct lw_map *map = NULL;
    struct lw_feed *f = NULL;
    struct stat st;

    if (!fabric || !buf || fd < 0 || fstat(fd, &st) < 0 ||
        !(f = r->open(fabric, path, (size_t)st.st_size)))
        lw_err(err, "cannot open it");
    else if (feed(r, f, fd, buf, err) == 0 && r->close(f, err) == 0)
        map = lw_groups_map(fabric, &none, err);
    if (fd >= 0)
        close(fd);
    free(buf);
    lw_fabric_destroy(fabric);
    return map;
}

static int run_groups(const char *path)
{
    lw_error_t err = {0};
    struct lw_map *map = map_of(path, &err);
    struct rusage u;

    if (!map)
        return fail(err.text);
    getrusage(RUSAGE_SELF, &u);
    printf("%.4f %ld %zu\n", seconds(&u), u.ru_maxrss, map->nnodes);
    lw_map_destroy(map);
    return 0;
}

static int run_command(char **argv)
{
    struct rusage u;
    int status, null;
    pid_t pid = fork();

    if (pid == 0) {
        null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (null >= 0) {
            dup2(null, STDOUT_FILENO);
            dup2(null, STDERR_FILENO);
        }
        execvp(argv[0], argv);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &u) != pid || status != 0)
        return fail("the command failed");
    printf("%.4f %ld 0\n", seconds(&u), u.ru_maxrss);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "--"))
        return run_command(argv + 2);
    if (argc == 2)
        return run_groups(argv[1]);
    return fail("usage: bench_fabric FILE | bench_fabric -- COMMAND..");
}
