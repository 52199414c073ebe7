/* SPDX-License-Identifier: GPL-2.0-or-later */
/* logfiles.c - the placement log and what rotation left beside it */
#include "config.h"

#include "lib/buf.h"
#include "topology/place/logread.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct part {
    char *path;
    struct timespec mtime;
};

struct parts {
    struct part *v;
    size_t n, size;
};

void lw_logread_free_names(char **names, size_t n)
{
    size_t i;

    for (i = 0; names && i < n; i++)
        free(names[i]);
    free(names);
}

static int add(struct parts *p, const char *dir, const char *name, time_t since)
{
    struct stat st;
    char *path;
    struct part *v;

    if (asprintf(&path, "%s/%s", dir, name) < 0)
        return -1;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_mtime < since) {
        free(path);
        return 0;
    }
    if (p->n == p->size) {
        p->size = p->size ? p->size * 2 : 16;
        if (!(v = realloc(p->v, p->size * sizeof(*v)))) {
            free(path);
            return -1;
        }
        p->v = v;
    }
    p->v[p->n++] = (struct part){path, st.st_mtim};
    return 0;
}

/* A part is the log's name with something behind it that rotation adds:
 * "-20300101T000000.gz", ".1", ".2.gz". */
static int is_part(const char *name, const char *base)
{
    size_t n = strlen(base);

    return strncmp(name, base, n) == 0 && (name[n] == '-' || name[n] == '.') &&
           name[n + 1] >= '0' && name[n + 1] <= '9';
}

/* Oldest first. The time of the last write is right for every way of naming,
 * and compression keeps it. */
static int by_age(const void *a, const void *b)
{
    const struct part *x = a, *y = b;

    if (x->mtime.tv_sec != y->mtime.tv_sec)
        return x->mtime.tv_sec < y->mtime.tv_sec ? -1 : 1;
    if (x->mtime.tv_nsec != y->mtime.tv_nsec)
        return x->mtime.tv_nsec < y->mtime.tv_nsec ? -1 : 1;
    return strcmp(x->path, y->path);
}

static int collect(struct parts *p, const char *dir, const char *base,
                   time_t since)
{
    DIR *d = opendir(dir);
    struct dirent *e;
    int rc = 0;

    if (!d)
        return -1;
    while (rc == 0 && (e = readdir(d)))
        if (is_part(e->d_name, base))
            rc = add(p, dir, e->d_name, since);
    closedir(d);
    return rc;
}

/* The paths, with the log itself at the end: right after a rotation it may
 * not be there yet. */
static char **names_of(struct parts *p, const char *path, size_t *n)
{
    char **names = calloc(p->n + 1, sizeof(*names));
    int have_log = p->n == 0 || access(path, F_OK) == 0;
    size_t i;

    if (!names || (have_log && !(names[p->n] = strdup(path)))) {
        free(names);
        return NULL;
    }
    if (p->n)
        qsort(p->v, p->n, sizeof(*p->v), by_age);
    for (i = 0; i < p->n; i++) {
        names[i] = p->v[i].path;
        p->v[i].path = NULL;
    }
    *n = p->n + (have_log != 0);
    return names;
}

char **lw_logread_rotated(const char *path, time_t since, size_t *n,
                          lw_error_t *err)
{
    const char *slash = strrchr(path, '/');
    char *dir = slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
    struct parts parts = {0};
    char **names = NULL;
    size_t i;

    if (!dir ||
        collect(&parts, *dir ? dir : "/", slash ? slash + 1 : path, since) <
            0 ||
        !(names = names_of(&parts, path, n)))
        lw_err(err, "%s: %s", path, strerror(errno));
    for (i = 0; i < parts.n; i++)
        free(parts.v[i].path);
    free(parts.v);
    free(dir);
    return names;
}

/* "/shared/launched-%n.jsonl" with stars for the node, and 'more' behind it;
 * to free. */
static char *stars(const char *pattern, const char *more)
{
    struct lw_buf b = LW_BUF_INIT(8192);
    const char *mark;

    for (; (mark = strstr(pattern, "%n")); pattern = mark + 2) {
        lw_buf_add(&b, pattern, (size_t)(mark - pattern));
        lw_buf_puts(&b, "*");
    }
    lw_buf_puts(&b, pattern);
    lw_buf_puts(&b, more);
    return lw_buf_take(&b);
}

static int add_matches(glob_t *g, const char *pattern, const char *more)
{
    char *text = stars(pattern, more);
    int rc = text ? glob(text, g->gl_pathv ? GLOB_APPEND : 0, NULL, g) : -1;

    free(text);
    return rc == 0 || rc == GLOB_NOMATCH ? 0 : -1;
}

char **lw_logread_of_nodes(const char *pattern, time_t since, size_t *n,
                           lw_error_t *err)
{
    glob_t g = {0};
    struct stat st;
    char **names = NULL;
    size_t i;

    *n = 0;
    if (add_matches(&g, pattern, "[-.][0-9]*") < 0 ||
        add_matches(&g, pattern, "") < 0 ||
        !(names = calloc(g.gl_pathc + 1, sizeof(*names))))
        lw_err(err, "%s: cannot be searched", pattern);
    for (i = 0; names && i < g.gl_pathc; i++)
        if (stat(g.gl_pathv[i], &st) == 0 && S_ISREG(st.st_mode) &&
            st.st_mtime >= since && (names[*n] = strdup(g.gl_pathv[i])))
            ++*n;
    globfree(&g);
    return names;
}
