/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines.c - the lines of a file, plain or compressed, in a stream */
#include "config.h"

#include "lib/lines.h"

#include "lib/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK ((size_t)256 * 1024)

struct lw_lines {
    char *path;
    int fd;     /* of the file */
    int filter; /* what its decompressor prints, -1 when it is plain */
    pid_t pid;  /* the decompressor, 0 when none runs */
    char *text; /* BLOCK, the longest line, and a NUL */
    size_t start, end;
    size_t scan; /* no newline from start to here */
    size_t max;
    uint64_t number, skipped, offset;
    int eof;
    int overlong; /* inside a line that is being skipped */
};

/* What the first bytes of a compressed file look like. */
static const struct magic {
    const char *bytes;
    size_t len;
    const char *program, *package; /* package: of Debian */
} magics[] = {
    {"\x1f\x8b", 2, "gzip", "gzip"},
    {"\xfd"
     "7zXZ",
     5, "xz", "xz-utils"},
    {"\x28\xb5\x2f\xfd", 4, "zstd", "zstd"},
    {"BZh", 3, "bzip2", "bzip2"},
};

static const struct magic *find_magic(const char *text, size_t n)
{
    size_t i;

    for (i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
        if (n >= magics[i].len &&
            memcmp(text, magics[i].bytes, magics[i].len) == 0)
            return &magics[i];
    return NULL;
}

/* How the decompressor ended: 0, or -1 when it did not like the file. */
static int filter_end(struct lw_lines *l)
{
    int status = l->pid ? lw_run_wait(l->pid) : 0;

    l->pid = 0;
    return status ? -1 : 0;
}

static ssize_t read_block(struct lw_lines *l, char *to, size_t n)
{
    int fd = l->filter >= 0 ? l->filter : l->fd;
    ssize_t got;
    off_t at;

    do
        got = read(fd, to, n);
    while (got < 0 && errno == EINTR);
    if (l->filter < 0) {
        l->offset += got > 0 ? (uint64_t)got : 0;
        return got;
    }
    /* the program reads through our descriptor, so its place is ours */
    if ((at = lseek(l->fd, 0, SEEK_CUR)) > 0)
        l->offset = (uint64_t)at;
    return got ? got : filter_end(l);
}

/* Start again from the first byte, through the program. */
static int decompress(struct lw_lines *l, const struct magic *m,
                      lw_error_t *err)
{
    char *argv[] = {(char *)m->program, "-dc", NULL};

    if (lseek(l->fd, 0, SEEK_SET) != 0)
        return lw_err(err,
                      "%s: is compressed by %s, which is read from a file "
                      "only; put %s -dc before the pipe",
                      l->path, m->program, m->program);
    if ((l->filter = lw_run_filter(argv, l->fd, &l->pid, NULL)) < 0)
        return lw_err(err,
                      "%s: is compressed by %s, which cannot be run here; "
                      "install %s (package %s)",
                      l->path, m->program, m->program, m->package);
    l->start = l->scan = l->end = 0;
    l->offset = 0;
    return 0;
}

/* Read the first block and choose how to go on. */
static int sniff(struct lw_lines *l, lw_error_t *err)
{
    const struct magic *m;
    ssize_t got = read_block(l, l->text, BLOCK);

    if (got < 0)
        return lw_err(err, "%s: %s", l->path, strerror(errno));
    l->end = (size_t)got;
    l->eof = got == 0;
    return (m = find_magic(l->text, l->end)) ? decompress(l, m, err) : 0;
}

struct lw_lines *lw_lines_open(const char *path, size_t max, lw_error_t *err)
{
    struct lw_lines *l = calloc(1, sizeof(*l));

    if (!l) {
        lw_err(err, "%s: out of memory", path);
        return NULL;
    }
    l->fd = l->filter = -1;
    l->max = max;
    if (!(l->path = strdup(path)) || !(l->text = malloc(BLOCK + max + 1))) {
        lw_err(err, "%s: out of memory", path);
        goto error;
    }
    l->fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                   : open(path, O_RDONLY | O_CLOEXEC);
    if (l->fd < 0) {
        lw_err(err, "%s: %s", path, strerror(errno));
        goto error;
    }
    if (sniff(l, err) == 0)
        return l;
error:
    lw_lines_close(l);
    return NULL;
}

void lw_lines_close(struct lw_lines *l)
{
    int saved = errno;

    if (!l)
        return;
    if (l->filter >= 0)
        close(l->filter); /* ends a program that still prints */
    filter_end(l);
    if (l->fd >= 0)
        close(l->fd);
    free(l->text);
    free(l->path);
    free(l);
    errno = saved;
}

/* Read more behind what is not handed out yet; 0, or -1. */
static int fill(struct lw_lines *l, lw_error_t *err)
{
    size_t left = l->end - l->start;
    ssize_t got;

    if (left > l->max) { /* no newline so far: give the line up */
        l->overlong = 1;
        left = 0;
    }
    if (left < l->end)
        memmove(l->text, l->text + l->end - left, left);
    l->start = 0;
    l->scan = l->end = left;
    /* a block at a time stays in the cache until it has been looked through */
    got = read_block(l, l->text + left, BLOCK);
    if (got < 0)
        return lw_err(err, "%s:%llu: cannot be read further", l->path,
                      (unsigned long long)l->number);
    l->end += (size_t)got;
    l->eof = got == 0;
    return 0;
}

/* Hand out text up to 'end', or drop it when the line was too long. */
static int hand_out(struct lw_lines *l, size_t end, char **line, size_t *len)
{
    size_t n = end - l->start;

    *line = l->text + l->start;
    *len = n;
    l->text[end] = '\0';
    l->scan = l->start = end < l->end ? end + 1 : end;
    l->number++;
    if (!l->overlong && n <= l->max)
        return 1;
    l->overlong = 0;
    l->skipped++;
    return 0;
}

int lw_lines_next(struct lw_lines *l, char **line, size_t *len, lw_error_t *err)
{
    char *nl;

    for (;;) {
        nl = memchr(l->text + l->scan, '\n', l->end - l->scan);
        if (nl || (l->eof && (l->start < l->end || l->overlong))) {
            if (hand_out(l, nl ? (size_t)(nl - l->text) : l->end, line, len))
                return 1;
        } else if (l->eof) {
            return 0;
        } else if (fill(l, err) < 0) {
            return -1;
        }
    }
}

uint64_t lw_lines_number(const struct lw_lines *l)
{
    return l->number;
}

uint64_t lw_lines_skipped(const struct lw_lines *l)
{
    return l->skipped;
}

uint64_t lw_lines_offset(const struct lw_lines *l)
{
    return l->offset;
}
