/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file.c - whole files in and out, never half of one */
#include "config.h"

#include "lib/arena.h"
#include "lib/buf.h"
#include "lib/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static void fill_id(const struct stat *st, struct lw_file_id *id)
{
    memset(id, 0, sizeof(*id));
    id->dev = st->st_dev;
    id->ino = st->st_ino;
    id->size = st->st_size;
    id->mtime = st->st_mtim;
}

int lw_file_stat(const char *path, struct lw_file_id *id)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return -1;
    fill_id(&st, id);
    return 0;
}

int lw_file_same(const struct lw_file_id *a, const struct lw_file_id *b)
{
    return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
           a->mtime.tv_sec == b->mtime.tv_sec &&
           a->mtime.tv_nsec == b->mtime.tv_nsec;
}

/* Read 'fd' to its end into memory sized from 'hint'. */
static char *slurp(int fd, const char *path, size_t hint, size_t limit,
                   size_t *len, lw_error_t *err)
{
    size_t size = hint + 1 < 4096 ? 4096 : hint + 1, used = 0;
    char *text = lw_alloc_large(size), *grown;
    ssize_t n = 0;

    while (text) {
        if (used + 1 >= size) {
            size *= 2;
            if (!(grown = realloc(text, size)))
                break;
            text = grown;
        }
        n = read(fd, text + used, size - used - 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        used += (size_t)n;
        if (used > limit) {
            errno = EFBIG;
            n = -1;
            lw_err(err, "%s: larger than %zu bytes", path, limit);
            break;
        }
    }
    if (!text || n != 0) {
        lw_err(err, "%s: %s", path, strerror(text ? errno : ENOMEM));
        free(text);
        return NULL;
    }
    text[used] = '\0';
    *len = used;
    return text;
}

char *lw_file_read(const char *path, size_t limit, size_t *len,
                   struct lw_file_id *id, lw_error_t *err)
{
    int is_stdin = !strcmp(path, "-");
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    char *text = NULL;
    size_t hint = 0;

    if (fd < 0 || fstat(fd, &st) < 0) {
        lw_err(err, "%s: %s", path, strerror(errno));
        goto out;
    }
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        lw_err(err, "%s: is a directory", path);
        goto out;
    }
    if (S_ISREG(st.st_mode) && (size_t)st.st_size > limit) {
        errno = EFBIG;
        lw_err(err, "%s: larger than %zu bytes", path, limit);
        goto out;
    }
    if (S_ISREG(st.st_mode))
        hint = (size_t)st.st_size + 1;
    if ((text = slurp(fd, path, hint, limit, len, err)) && id)
        fill_id(&st, id);
out:
    if (fd >= 0 && !is_stdin) {
        int saved = errno;
        close(fd);
        errno = saved;
    }
    return text;
}

static int write_all(int fd, const char *data, size_t len)
{
    while (len) {
        ssize_t n = write(fd, data, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        data += n;
        len -= (size_t)n;
    }
    return 0;
}

/* Give the new file the mode and owner that the one it replaces has. */
static int inherit(int fd, const char *path, mode_t mode)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return fchmod(fd, mode);
    /* Only root may give files away; anyone else keeps its own name. */
    if (fchown(fd, st.st_uid, st.st_gid) < 0 && errno != EPERM)
        return -1;
    return fchmod(fd, st.st_mode & 07777);
}

/* Make the rename itself durable; a file system without directory fsync
 * (some network ones) is no reason to fail. */
static void sync_directory(const char *path)
{
    char *copy = strdup(path);
    int fd = copy ? open(dirname(copy), O_RDONLY | O_CLOEXEC) : -1;

    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(copy);
}

int lw_file_replace(const char *path, const char *data, size_t len, mode_t mode,
                    lw_error_t *err)
{
    struct lw_buf name = LW_BUF_INIT(4096);
    int fd = -1, saved;

    if (lw_buf_printf(&name, "%s.XXXXXX", path) < 0) {
        lw_err(err, "%s: %s", path, strerror(errno));
        goto error;
    }
    if ((fd = mkostemp(name.text, O_CLOEXEC)) < 0) {
        lw_err(err, "%s: %s", path, strerror(errno));
        goto error;
    }
    if (write_all(fd, data, len) < 0 || inherit(fd, path, mode) < 0 ||
        fsync(fd) < 0 || rename(name.text, path) < 0) {
        lw_err(err, "%s: %s", path, strerror(errno));
        saved = errno;
        unlink(name.text);
        errno = saved;
        goto error;
    }
    close(fd);
    lw_buf_free(&name);
    sync_directory(path);
    return 0;
error:
    saved = errno;
    if (fd >= 0)
        close(fd);
    lw_buf_free(&name);
    errno = saved;
    return -1;
}

/* The size of a file that does not end in a newline, 0 of any other. */
static off_t unfinished(int fd)
{
    struct stat st;
    char last;

    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
                   pread(fd, &last, 1, st.st_size - 1) == 1 && last != '\n'
               ? st.st_size
               : 0;
}

/* Whether the file ends in a piece of a line: a full disk or a crash cut off
 * what somebody wrote. A line that is being written shows for a moment, too;
 * taken for cut off it would cost no more than an empty line. */
static bool is_torn(int fd)
{
    const struct timespec moment = {0, 1000000};
    off_t size = unfinished(fd);

    if (!size)
        return false;
    nanosleep(&moment, NULL);
    return unfinished(fd) == size;
}

/* One write(), so that lines of several writers never mix. */
static int append(int fd, const char *line, size_t len)
{
    static const char newline[] = "\n";
    struct iovec parts[2] = {{(void *)newline, is_torn(fd)},
                             {(void *)line, len}};
    ssize_t n = writev(fd, parts, 2);

    if (n >= 0 && (size_t)n != parts[0].iov_len + len) {
        errno = ENOSPC;
        return -1;
    }
    return n < 0 ? -1 : 0;
}

int lw_file_append_line(const char *path, const char *line, size_t len,
                        mode_t mode, lw_error_t *err)
{
    int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, mode);
    int saved;

    /* one that may be written only: a pipe, or by its mode */
    if (fd < 0 && errno == EACCES)
        fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd < 0)
        return lw_err(err, "%s: %s", path, strerror(errno));
    saved = append(fd, line, len) < 0 ? errno : 0;
    close(fd);
    if (!saved)
        return 0;
    errno = saved;
    return lw_err(err, "%s: %s", path, strerror(saved));
}
