/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ncclconf.c - what NCCL's own configuration files set */
#include "config.h"

#include "lib/buf.h"
#include "topology/node/ncclconf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_LIMIT (64 * 1024)

struct lw_nccl_conf {
    struct {
        char *path;
        char *text;
    } file[2]; /* the user's, the site's */
};

/* The user names this file, so it may be a pipe or a terminal: never wait. */
static char *read_regular(const char *path)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat st;
    char *text = NULL;
    ssize_t n = -1;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= FILE_LIMIT)
        text = malloc(FILE_LIMIT + 1);
    if (text)
        n = read(fd, text, FILE_LIMIT);
    close(fd);
    if (n < 0) {
        free(text);
        return NULL;
    }
    text[n] = '\0';
    return text;
}

struct lw_nccl_conf *lw_nccl_conf_read(const char *named, const char *home,
                                       const char *etc)
{
    struct lw_nccl_conf *conf = calloc(1, sizeof(*conf));
    struct lw_buf user = LW_BUF_INIT(4096);

    if (!conf)
        return NULL;
    if (named && *named)
        lw_buf_puts(&user, named);
    else if (home && *home)
        lw_buf_printf(&user, "%s/.nccl.conf", home);
    conf->file[0].path = lw_buf_take(&user);
    conf->file[1].path = strdup(etc);
    if (conf->file[0].path && *conf->file[0].path)
        conf->file[0].text = read_regular(conf->file[0].path);
    if (conf->file[1].path)
        conf->file[1].text = read_regular(conf->file[1].path);
    return conf;
}

void lw_nccl_conf_destroy(struct lw_nccl_conf *conf)
{
    int saved = errno;
    size_t i;

    for (i = 0; conf && i < 2; i++) {
        free(conf->file[i].path);
        free(conf->file[i].text);
    }
    free(conf);
    errno = saved;
}

bool lw_nccl_conf_line(const char *text, const char *name)
{
    size_t len = strlen(name);

    while (*text) {
        if (strncmp(text, name, len) == 0 && text[len] == '=')
            return true;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return false;
}

const char *lw_nccl_conf_sets(const struct lw_nccl_conf *conf, const char *name)
{
    size_t i;

    for (i = 0; conf && i < 2; i++)
        if (conf->file[i].text && lw_nccl_conf_line(conf->file[i].text, name))
            return conf->file[i].path;
    return NULL;
}
