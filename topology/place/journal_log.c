/* SPDX-License-Identifier: GPL-2.0-or-later */
/* journal_log.c - the placement log and its rotated files, from a mark on */
#include "config.h"

#include "topology/place/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/buf.h"

/* Replay one file from 'offset' on. A line that is still being written has no
 * newline yet and is not ours: ours are written whole before anything else
 * happens. */
static int replay_file(struct lw_known_table *t, const char *path,
                       int64_t offset, lw_error_t *err)
{
    FILE *fp = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    ssize_t n;
    int rc = 0;

    if (!fp)
        return errno == ENOENT ? 0
                               : lw_err(err, "%s: %s", path, strerror(errno));
    if (offset > 0 && fseeko(fp, (off_t)offset, SEEK_SET) < 0)
        rc = lw_err(err, "%s: %s", path, strerror(errno));
    while (rc == 0 && (n = getline(&line, &size, fp)) > 0)
        if (line[n - 1] == '\n' && lw_journal_replay(t, line, (size_t)n) < 0)
            rc = lw_err(err, "%s: out of memory", path);
    free(line);
    fclose(fp);
    return rc;
}

/* Rotated files stand beside the log as NAME-TIME; only plain ones matter:
 * compression comes a rotation later. */
static int is_rotated(const struct dirent *entry, const char *base)
{
    size_t len = strlen(base);
    const char *name = entry->d_name, *dot;

    if (strncmp(name, base, len) != 0 || name[len] != '-')
        return 0;
    dot = strrchr(name + len, '.');
    return !dot;
}

struct rotated {
    char **paths;
    size_t count;
};

static void rotated_free(struct rotated *r)
{
    size_t i;

    for (i = 0; i < r->count; i++)
        free(r->paths[i]);
    free(r->paths);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_path(struct rotated *r, const char *dir, const char *name)
{
    struct lw_buf path = LW_BUF_INIT(8192);
    char **grown = realloc(r->paths, (r->count + 1) * sizeof(*grown));

    if (!grown)
        return -1;
    r->paths = grown;
    lw_buf_printf(&path, "%s/%s", dir, name);
    if (!(grown[r->count] = lw_buf_take(&path)))
        return -1;
    r->count++;
    return 0;
}

/* In the order of their names, which is the order of time. */
static int find_rotated(const char *path, struct rotated *r)
{
    char *copy = strdup(path), *copy2 = strdup(path);
    const char *dir = copy ? dirname(copy) : NULL;
    const char *base = copy2 ? basename(copy2) : NULL;
    DIR *d = dir && base ? opendir(dir) : NULL;
    const struct dirent *entry;
    int rc = copy && copy2 ? 0 : -1;

    while (d && rc == 0 && (entry = readdir(d)))
        if (is_rotated(entry, base))
            rc = add_path(r, dir, entry->d_name);
    if (d)
        closedir(d);
    if (r->count)
        qsort(r->paths, r->count, sizeof(*r->paths), by_name);
    free(copy);
    free(copy2);
    return rc;
}

static bool is_marked(const char *path, const struct lw_journal_mark *mark)
{
    struct stat st;

    return mark->ino && stat(path, &st) == 0 &&
           (uint64_t)st.st_ino == mark->ino &&
           (uint64_t)st.st_dev == mark->dev && st.st_size >= mark->offset;
}

int lw_journal_replay_log(struct lw_known_table *t, const char *path,
                          const struct lw_journal_mark *mark, lw_error_t *err)
{
    struct rotated r = {0};
    bool found = is_marked(path, mark);
    int rc = 0;
    size_t i;

    if (found)
        return replay_file(t, path, mark->offset, err);
    if (mark->ino && find_rotated(path, &r) < 0)
        rc = lw_err(err, "out of memory");
    for (i = 0; rc == 0 && i < r.count; i++) {
        int64_t from = 0;

        if (!found && !(found = is_marked(r.paths[i], mark)))
            continue;
        if (is_marked(r.paths[i], mark))
            from = mark->offset;
        rc = replay_file(t, r.paths[i], from, err);
    }
    rotated_free(&r);
    return rc == 0 ? replay_file(t, path, 0, err) : rc;
}
