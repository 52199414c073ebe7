/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placelog.c - the placement log as watch writes it: whole lines, rotation */
#include "config.h"

#include "lib/buf.h"
#include "lib/file.h"
#include "topology/place/placelog.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOG_MODE 0644

static off_t size_of(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? st.st_size : 0;
}

int lw_placelog_write(struct lw_placelog *log, const char *line, size_t len,
                      lw_error_t *err)
{
    int rc = lw_file_append_line(log->path, line, len, LOG_MODE, err);

    log->lost += rc != 0;
    return rc;
}

/* Remove the oldest of the rotated files, compressed ones too. */
static void prune(const struct lw_placelog *log)
{
    struct lw_buf pattern = LW_BUF_INIT(8192);
    glob_t found;
    size_t i;

    lw_buf_printf(&pattern, "%s-[0-9]*", log->path);
    if (!pattern.failed && glob(pattern.text, 0, NULL, &found) == 0) {
        for (i = 0; i + (size_t)log->keep < found.gl_pathc; i++)
            unlink(found.gl_pathv[i]);
        globfree(&found);
    }
    lw_buf_free(&pattern);
}

int lw_placelog_rotate(struct lw_placelog *log, time_t now, lw_error_t *err)
{
    struct lw_buf name = LW_BUF_INIT(8192);
    char stamp[32] = "";
    struct tm tm;
    int rc = -1;

    if (log->max_bytes <= 0 || size_of(log->path) < log->max_bytes)
        return 0;
    if (gmtime_r(&now, &tm))
        strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%S", &tm);
    if (lw_buf_printf(&name, "%s-%s", log->path, stamp) < 0)
        lw_err(err, "out of memory");
    else if (access(name.text, F_OK) == 0)
        rc = 0; /* twice in a second: the next time will do */
    else if (rename(log->path, name.text) < 0)
        lw_err(err, "cannot rotate %s: %s", log->path, strerror(errno));
    else
        rc = 1;
    if (rc == 1 && log->keep > 0)
        prune(log);
    lw_buf_free(&name);
    return rc;
}

int lw_placelog_mark(const struct lw_placelog *log,
                     struct lw_journal_mark *mark, lw_error_t *err)
{
    int fd = open(log->path, O_WRONLY | O_APPEND | O_CLOEXEC);
    struct stat st;
    int rc = 0;

    mark->dev = mark->ino = 0;
    mark->offset = 0;
    if (fd < 0)
        return errno == ENOENT
                   ? 0
                   : lw_err(err, "%s: %s", log->path, strerror(errno));
    if (fstat(fd, &st) < 0 || (fdatasync(fd) < 0 && errno != EINVAL))
        rc = lw_err(err, "%s: %s", log->path, strerror(errno));
    else {
        mark->dev = (uint64_t)st.st_dev;
        mark->ino = (uint64_t)st.st_ino;
        mark->offset = st.st_size;
    }
    close(fd);
    return rc;
}
