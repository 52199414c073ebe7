/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sim_jobs.c - jobs to simulate, from CSV or from a placement log */
#include "config.h"

#include "lib/lines.h"
#include "lib/when.h"
#include "topology/place/logread.h"
#include "topology/place/sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LINE_LIMIT ((size_t)64 * 1024 * 1024)

enum column { SUBMIT, NODES, GPUS, SECONDS, LIMIT, NCOLUMNS };

static const char *const columns[NCOLUMNS] = {"submit", "nodes", "gpus",
                                              "seconds", "limit"};

void lw_sim_jobs_free(struct lw_sim_jobs *jobs)
{
    free(jobs->v);
    memset(jobs, 0, sizeof(*jobs));
}

static int add(struct lw_sim_jobs *jobs, const struct lw_sim_job *job)
{
    size_t size = jobs->size ? jobs->size * 2 : 1024;
    struct lw_sim_job *v;

    if (jobs->n == jobs->size) {
        if (!(v = realloc(jobs->v, size * sizeof(*v))))
            return -1;
        jobs->v = v;
        jobs->size = size;
    }
    jobs->v[jobs->n++] = *job;
    return 0;
}

static int by_submit(const void *a, const void *b)
{
    const struct lw_sim_job *x = a, *y = b;

    return (x->submit > y->submit) - (x->submit < y->submit);
}

/* Which field holds which column; a column that is missing is -1. */
static int read_header(const char *line, int place[NCOLUMNS], lw_error_t *err)
{
    size_t n;
    int i, field;

    for (i = 0; i < NCOLUMNS; i++)
        place[i] = -1;
    for (field = 0; *line; field++) {
        line += strspn(line, " ");
        n = strcspn(line, ", \r");
        for (i = 0; i < NCOLUMNS; i++)
            if (strlen(columns[i]) == n &&
                strncasecmp(line, columns[i], n) == 0)
                place[i] = field;
        line += n + strspn(line + n, " \r");
        line += *line == ',';
    }
    for (i = 0; i < LIMIT; i++)
        if (place[i] < 0)
            return lw_err(err,
                          "the header has no column '%s': expected submit, "
                          "nodes, gpus, seconds and perhaps limit",
                          columns[i]);
    return 0;
}

static int read_value(const char *text, double *out)
{
    int64_t ms;
    char *end;

    if (lw_when_rfc3339(text, &ms) == 0) {
        *out = (double)ms / 1000;
        return 0;
    }
    *out = strtod(text, &end);
    while (*end == ' ' || *end == '\r')
        end++;
    return end == text || *end || !(*out >= 0 && *out < 1e15) ? -1 : 0;
}

/* The values of one line, in the order of the columns. */
static int read_values(char *line, const int place[NCOLUMNS],
                       double v[NCOLUMNS], lw_error_t *err)
{
    char *field = line, *comma;
    int at = 0, i;

    v[LIMIT] = -1;
    for (i = 0; i < LIMIT; i++)
        v[i] = -1;
    for (; field; field = comma, at++) {
        if ((comma = strchr(field, ',')))
            *comma++ = '\0';
        for (i = 0; i < NCOLUMNS; i++)
            if (place[i] == at && *field && read_value(field, &v[i]) < 0)
                return lw_err(err, "%s is '%s': expected a number", columns[i],
                              field);
    }
    for (i = 0; i < LIMIT; i++)
        if (v[i] < 0)
            return lw_err(err, "no value for %s", columns[i]);
    if (v[NODES] < 1 || v[NODES] > 1e6 || v[GPUS] > 1e8)
        return lw_err(err, "nodes must be 1 or more, gpus not absurd");
    return 0;
}

static int add_csv(struct lw_sim_jobs *jobs, char *line,
                   const int place[NCOLUMNS], lw_error_t *err)
{
    struct lw_sim_job job = {0};
    double v[NCOLUMNS];

    if (read_values(line, place, v, err) < 0)
        return -1;
    job.submit = v[SUBMIT];
    job.nodes = (int)v[NODES];
    job.gpus = (int)((v[GPUS] + v[NODES] - 1) / v[NODES]);
    job.seconds = v[SECONDS];
    job.limit = v[LIMIT] < 0 ? 2 * job.seconds : v[LIMIT];
    if (job.gpus < 1) /* a job without GPUs takes none of them */
        return 0;
    return add(jobs, &job) < 0 ? lw_err(err, "out of memory") : 0;
}

static int read_csv(struct lw_sim_jobs *jobs, struct lw_lines *lines,
                    const char *path, char *line, lw_error_t *err)
{
    lw_error_t why = {0};
    int place[NCOLUMNS], rc = read_header(line, place, &why);
    size_t len;

    while (rc == 0 && (rc = lw_lines_next(lines, &line, &len, &why)) > 0)
        rc = len && *line != '#' ? add_csv(jobs, line, place, &why) : 0;
    return rc < 0 ? lw_err_at(err, path, (int)lw_lines_number(lines), 0, "%s",
                              why.text)
                  : 0;
}

static double when(const char *text)
{
    int64_t ms;

    return text && lw_when_rfc3339(text, &ms) == 0 ? (double)ms / 1000 : -1;
}

/* A run of the log; one that never started or has not ended is left out. */
static int add_run(struct lw_sim_jobs *jobs, const struct lw_log_record *line)
{
    struct lw_sim_job job = {0};

    if (line->event != LW_LOG_ENDED || line->placement.nnodes < 1 ||
        line->placement.gpus < 1 || line->run.elapsed < 0)
        return 0;
    job.submit =
        when(line->job.eligible ? line->job.eligible : line->job.submit);
    if (job.submit < 0)
        return 0;
    job.nodes = (int)line->placement.nnodes;
    job.gpus = (int)((line->placement.gpus + line->placement.nnodes - 1) /
                     line->placement.nnodes);
    job.seconds = (double)line->run.elapsed;
    job.limit = line->request.minutes > 0 ? (double)line->request.minutes * 60
                                          : 2 * job.seconds;
    return add(jobs, &job);
}

static int read_log(struct lw_sim_jobs *jobs, const char *path, lw_error_t *err)
{
    struct lw_logread *log = lw_logread_open(&path, 1, err);
    struct lw_log_record line;
    int rc = log ? 0 : -1;

    while (rc == 0 && (rc = lw_logread_next(log, &line, err)) > 0)
        rc = add_run(jobs, &line) < 0 ? lw_err(err, "out of memory") : 0;
    lw_logread_close(log);
    return rc;
}

int lw_sim_jobs_read(struct lw_sim_jobs *jobs, const char *path,
                     lw_error_t *err)
{
    struct lw_lines *lines = lw_lines_open(path, LINE_LIMIT, err);
    char *line;
    size_t len;
    int rc;

    memset(jobs, 0, sizeof(*jobs));
    if (!lines)
        return -1;
    rc = lw_lines_next(lines, &line, &len, err);
    if (rc == 0)
        rc = lw_err(err, "%s: is empty", path);
    else if (rc > 0 && *line != '{')
        rc = read_csv(jobs, lines, path, line, err);
    else if (rc > 0)
        rc = read_log(jobs, path, err);
    lw_lines_close(lines);
    if (rc == 0 && !jobs->n)
        rc = lw_err(err, "%s: holds no GPU job that ran", path);
    if (rc < 0)
        lw_sim_jobs_free(jobs);
    else
        qsort(jobs->v, jobs->n, sizeof(*jobs->v), by_submit);
    return rc;
}
