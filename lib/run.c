/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.c - another program's output, with a time limit */
#include "config.h"

#include "lib/buf.h"
#include "lib/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GRACE 2 /* seconds between SIGTERM and SIGKILL */

struct child {
    pid_t pid;
    int fd;
    struct lw_buf out;
    const char *what; /* NULL: show nothing */
    time_t start;
};

static time_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

/* In the child: nothing but exec; its errno goes back through 'report'. A
 * filter (of 'in') is quiet: whoever reads it sees that it failed. */
static void become(char *const argv[], int in, int out, int report)
{
    int code, null = open("/dev/null", O_RDWR);

    if (null >= 0 && in >= 0)
        dup2(null, STDERR_FILENO);
    if (null >= 0 || in >= 0)
        dup2(in >= 0 ? in : null, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    setpgid(0, 0);
    execvp(argv[0], argv);
    code = errno;
    if (write(report, &code, sizeof(code)) < 0)
        _exit(126);
    _exit(127);
}

static int start(struct child *c, char *const argv[], int in, lw_error_t *err)
{
    int out[2], report[2], code = 0;
    ssize_t n;

    if (pipe2(out, O_CLOEXEC) < 0)
        return lw_err(err, "%s: %s", argv[0], strerror(errno));
    if (pipe2(report, O_CLOEXEC) < 0) {
        close(out[0]);
        close(out[1]);
        return lw_err(err, "%s: %s", argv[0], strerror(errno));
    }
    if ((c->pid = fork()) == 0)
        become(argv, in, out[1], report[1]);
    close(out[1]);
    close(report[1]);
    while ((n = read(report[0], &code, sizeof(code))) < 0 && errno == EINTR)
        ;
    close(report[0]);
    c->fd = out[0];
    if (c->pid > 0 && n <= 0)
        return 0;
    if (c->pid > 0)
        waitpid(c->pid, NULL, 0);
    close(out[0]);
    return lw_err(err, "%s: %s", argv[0], strerror(n > 0 ? code : EAGAIN));
}

static void show(const struct child *c)
{
    if (c->what && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%s: %lld s, %zu KB ", c->what,
                (long long)(now() - c->start), c->out.len / 1024);
}

static void unshow(const struct child *c)
{
    if (c->what && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

/* Take in what is there; 0 at the end, 1 to go on, -1 too much. */
static int take(struct child *c)
{
    char piece[65536];
    ssize_t n = read(c->fd, piece, sizeof(piece));

    if (n < 0)
        return errno == EINTR || errno == EAGAIN ? 1 : 0;
    if (n == 0)
        return 0;
    return lw_buf_add(&c->out, piece, (size_t)n) < 0 ? -1 : 1;
}

/* Until the program closes its output or its time is over. */
static int drain(struct child *c, long seconds, bool *timed_out)
{
    struct pollfd p = {.fd = c->fd, .events = POLLIN};
    time_t end = c->start + seconds, killed = 0;
    int rc = 1;

    while (rc > 0) {
        show(c);
        rc = poll(&p, 1, 250);
        if (rc > 0)
            rc = take(c);
        else
            rc = rc == 0 || errno == EINTR;
        if (now() < end)
            continue;
        if (!killed) {
            *timed_out = true;
            killed = now();
            kill(-c->pid, SIGTERM);
        } else if (now() - killed >= GRACE) {
            kill(-c->pid, SIGKILL);
            break;
        }
    }
    return rc;
}

int lw_run_filter(char *const argv[], int in, pid_t *pid, lw_error_t *err)
{
    struct child c = {.pid = 0};

    if (start(&c, argv, in, err) < 0)
        return -1;
    *pid = c.pid;
    return c.fd;
}

int lw_run_wait(pid_t pid)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int lw_run(char *const argv[], long seconds, size_t limit, const char *what,
           struct lw_run *out, lw_error_t *err)
{
    struct child c = {.out = LW_BUF_INIT(limit), .what = what};
    int rc;

    memset(out, 0, sizeof(*out));
    c.start = now();
    if (start(&c, argv, -1, err) < 0)
        return -1;
    rc = drain(&c, seconds, &out->timed_out);
    unshow(&c);
    close(c.fd);
    if (rc < 0)
        kill(-c.pid, SIGKILL);
    out->status = lw_run_wait(c.pid);
    out->len = c.out.len;
    if (!(out->text = lw_buf_take(&c.out)))
        return lw_err(err, "%s: printed more than %zu bytes, or out of memory",
                      argv[0], limit);
    return 0;
}
