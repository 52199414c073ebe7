/* SPDX-License-Identifier: GPL-2.0-or-later */
/* discover_input.c - where the fabric text comes from: files or a live run */
#include "config.h"

#include "cli/discover.h"
#include "lib/file.h"
#include "lib/run.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/base16.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INPUT_LIMIT ((size_t)2 * 1024 * 1024 * 1024)
#define PIECE       ((size_t)128 * 1024)
#define MAX_WORDS   64
#define DIGEST_TEXT (2 * SHA256_DIGEST_SIZE + 1)

static const struct lw_reader *choose(const struct lw_inputs *in,
                                      const char *text, size_t len,
                                      lw_error_t *err)
{
    const struct lw_reader *r;
    char names[256];

    if (!in->format || !strcmp(in->format, "auto"))
        return lw_reader_guess(text, len);
    if (!(r = lw_reader_find(in->format))) {
        lw_reader_names(names, sizeof(names));
        lw_err(err, "there is no format '%s', only: auto, %s", in->format,
               names);
    }
    return r;
}

static int add_source(struct lw_inputs *in, const struct lw_reader *r,
                      const char *name, const char *digest, lw_error_t *err)
{
    struct lw_map_source *s, one = {r->name, strdup(name), strdup(digest)};

    s = realloc(in->sources, (in->nsources + 1) * sizeof(*s));
    if (s)
        in->sources = s;
    if (!s || !one.name || !one.sha256) {
        free((char *)one.name);
        free((char *)one.sha256);
        return lw_err(err, "out of memory");
    }
    s[in->nsources++] = one;
    return 0;
}

/* The digest of what went into 'sha', as hexadecimal digits. */
static void end_digest(struct sha256_ctx *sha, char text[DIGEST_TEXT])
{
    uint8_t raw[SHA256_DIGEST_SIZE];

    sha256_digest(sha, sizeof(raw), raw);
    base16_encode_update(text, sizeof(raw), raw);
    text[DIGEST_TEXT - 1] = '\0';
}

static int add_text(struct lw_inputs *in, const char *name, const char *text,
                    size_t len, lw_error_t *err)
{
    const struct lw_reader *r = choose(in, text, len, err);
    char digest[DIGEST_TEXT];
    struct sha256_ctx sha;

    if (!r || r->read(in->fabric, text, len, name, err) < 0)
        return -1;
    sha256_init(&sha);
    sha256_update(&sha, len, (const uint8_t *)text);
    end_digest(&sha, digest);
    return add_source(in, r, name, digest, err);
}

static int add_whole(struct lw_inputs *in, const char *path, lw_error_t *err)
{
    size_t len = 0;
    char *text = lw_file_read(path, INPUT_LIMIT, &len, NULL, err);
    int rc = text ? add_text(in, path, text, len, err) : -1;

    free(text);
    return rc;
}

/* Pieces of whole lines go into the reader; what is left of the last line
 * moves to the front. A line longer than a piece goes in cut. */
static int feed_pieces(const struct lw_reader *r, struct lw_feed *feed, int fd,
                       char *buf, struct sha256_ctx *sha, lw_error_t *err)
{
    size_t have = 0, whole;
    const char *nl;
    ssize_t n;

    for (;;) {
        n = read(fd, buf + have, PIECE - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return lw_err(err, "%s", strerror(errno));
        if (n == 0)
            return r->feed(feed, buf, have, err);
        sha256_update(sha, (size_t)n, (uint8_t *)buf + have);
        have += (size_t)n;
        nl = memrchr(buf, '\n', have);
        if (!nl && have < PIECE)
            continue;
        whole = nl ? (size_t)(nl + 1 - buf) : have;
        if (r->feed(feed, buf, whole, err) < 0)
            return -1;
        have -= whole;
        memmove(buf, buf + whole, have);
    }
}

/* A large file is read through one small buffer: it is never whole in
 * memory, and its text is still in the cache when it is parsed. */
static int add_pieces(struct lw_inputs *in, const struct lw_reader *r,
                      const char *path, int fd, size_t size, char *buf,
                      lw_error_t *err)
{
    struct lw_feed *feed = r->open(in->fabric, path, size);
    char digest[DIGEST_TEXT];
    struct sha256_ctx sha;
    int rc;

    if (!feed)
        return lw_err(err, "%s: out of memory", path);
    sha256_init(&sha);
    rc = feed_pieces(r, feed, fd, buf, &sha, err);
    if (r->close(feed, err) < 0 || rc < 0)
        return -1;
    end_digest(&sha, digest);
    return add_source(in, r, path, digest, err);
}

static int add_regular(struct lw_inputs *in, const char *path, size_t size,
                       lw_error_t *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), rc = -1;
    const struct lw_reader *r = NULL;
    char *buf = malloc(PIECE);
    ssize_t n = -1;

    if (!buf)
        lw_err(err, "%s: out of memory", path);
    else if (fd < 0 || (n = pread(fd, buf, PIECE, 0)) < 0)
        lw_err(err, "%s: %s", path, strerror(errno));
    else if ((r = choose(in, buf, (size_t)n, err)))
        rc = r->feed ? add_pieces(in, r, path, fd, size, buf, err)
                     : add_whole(in, path, err);
    if (fd >= 0)
        close(fd);
    free(buf);
    return rc;
}

int lw_inputs_file(struct lw_inputs *in, const char *path, lw_error_t *err)
{
    struct stat st;

    if (!strcmp(path, "-"))
        return add_whole(in, path, err);
    if (stat(path, &st) < 0)
        return lw_err(err, "%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return add_whole(in, path, err);
    if (st.st_size == 0)
        return lw_err(err, "%s: is empty", path);
    return add_regular(in, path, (size_t)st.st_size, err);
}

/* The command and its options as argv, split at blanks; 'text' is cut. */
static void split(char *command, char *text, char *argv[MAX_WORDS])
{
    size_t n = 0;

    argv[n++] = command;
    while (n + 1 < MAX_WORDS && *(text += strspn(text, " \t"))) {
        argv[n++] = text;
        text += strcspn(text, " \t");
        if (*text)
            *text++ = '\0';
    }
    argv[n] = NULL;
}

static void mark_partial(struct lw_inputs *in, const char *command,
                         const struct lw_run *run)
{
    char why[256];

    if (run->timed_out)
        snprintf(why, sizeof(why), "%s was stopped at its time limit", command);
    else if (run->status)
        snprintf(why, sizeof(why), "%s ended with code %d", command,
                 run->status);
    else
        return;
    lw_fabric_partial(in->fabric, why);
}

int lw_inputs_live(struct lw_inputs *in, const struct lw_settings *s,
                   lw_error_t *err)
{
    char *options = strdup(s->discover_options), *argv[MAX_WORDS];
    struct lw_run run = {0};
    int rc = -1;

    if (!options)
        return lw_err(err, "out of memory");
    split(s->discover_command, options, argv);
    if (lw_run(argv, s->discover_timeout, INPUT_LIMIT, s->discover_command,
               &run, err) < 0)
        lw_err(err, "cannot run %s", s->discover_command);
    else if (run.len == 0)
        lw_err(err,
               run.timed_out ? "%s: nothing within %ld s"
                             : "%s: ended without output (code %ld)",
               s->discover_command,
               run.timed_out ? s->discover_timeout : (long)run.status);
    else {
        mark_partial(in, s->discover_command, &run);
        rc = add_text(in, s->discover_command, run.text, run.len, err);
    }
    free(run.text);
    free(options);
    return rc;
}

void lw_inputs_free(struct lw_inputs *in)
{
    size_t i;

    for (i = 0; i < in->nsources; i++) {
        free((char *)in->sources[i].name);
        free((char *)in->sources[i].sha256);
    }
    free(in->sources);
    lw_fabric_destroy(in->fabric);
}

static int add_name(char ***names, size_t *n, const char *s, size_t len)
{
    char **grown = realloc(*names, (*n + 1) * sizeof(*grown));

    if (!grown)
        return -1;
    *names = grown;
    if (!(grown[*n] = strndup(s, len)))
        return -1;
    (*n)++;
    return 0;
}

char **lw_inputs_slurm_nodes(size_t *count, lw_error_t *err)
{
    static char *argv[] = {"sinfo", "--noheader", "--Node", "--format=%N",
                           NULL};
    struct lw_run run = {0};
    char **names = NULL;
    const char *p;
    size_t len;

    *count = 0;
    if (lw_run(argv, 60, INPUT_LIMIT, NULL, &run, err) < 0)
        return NULL;
    if (run.status || run.timed_out)
        lw_err(err, "sinfo does not tell the nodes (code %d)", run.status);
    for (p = run.text; !run.status && p && *p; p += len + (p[len] == '\n')) {
        len = strcspn(p, "\n");
        if (len && add_name(&names, count, p, len) < 0)
            lw_err(err, "out of memory");
    }
    if (!names)
        lw_err(err, "sinfo names no node");
    free(run.text);
    return names;
}
