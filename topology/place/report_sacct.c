/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_sacct.c - placements of the time before there was a log */
#include "config.h"

#include "topology/place/report_sacct.h"

#include "lib/lines.h"
#include "lib/when.h"
#include "topology/place/score.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LINE_LIMIT ((size_t)16 * 1024 * 1024)

enum column {
    JOBIDRAW,
    JOBID,
    USER,
    ACCOUNT,
    PARTITION,
    SUBMIT,
    ELIGIBLE,
    START,
    END,
    ELAPSEDRAW,
    STATE,
    NODELIST,
    ALLOCTRES,
    NCOLUMNS
};

static const char *const columns[NCOLUMNS] = {
    "JobIDRaw", "JobID",    "User",     "Account", "Partition",
    "Submit",   "Eligible", "Start",    "End",     "ElapsedRaw",
    "State",    "NodeList", "AllocTRES"};

struct reader {
    struct lw_report *r;
    const struct lw_map *map;
    long *capacity; /* of the map's groups */
    int place[NCOLUMNS];
};

static int read_header(struct reader *s, const char *line, lw_error_t *err)
{
    static const enum column needed[] = {START, NODELIST, ALLOCTRES};
    size_t n, i;
    int field;

    for (i = 0; i < NCOLUMNS; i++)
        s->place[i] = -1;
    for (field = 0; *line; field++, line += n + (line[n] == '|')) {
        n = strcspn(line, "|");
        for (i = 0; i < NCOLUMNS; i++)
            if (strlen(columns[i]) == n &&
                strncasecmp(columns[i], line, n) == 0)
                s->place[i] = field;
    }
    for (i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
        if (s->place[needed[i]] < 0)
            return lw_err(err,
                          "the header has no column '%s': write the file with "
                          "sacct -P -X -o JobIDRaw,JobID,User,Account,"
                          "Partition,Submit,Eligible,Start,End,ElapsedRaw,"
                          "State,NodeList,AllocTRES",
                          columns[needed[i]]);
    if (s->place[JOBIDRAW] < 0 && s->place[JOBID] < 0)
        return lw_err(err, "the header has no column 'JobIDRaw'");
    return 0;
}

/* Cut the line at its bars; a column that is not there becomes "". */
static void split(const struct reader *s, char *line, const char *v[NCOLUMNS])
{
    char *bar;
    int field = 0;
    size_t i;

    for (i = 0; i < NCOLUMNS; i++)
        v[i] = "";
    for (; line; line = bar, field++) {
        if ((bar = strchr(line, '|')))
            *bar++ = '\0';
        for (i = 0; i < NCOLUMNS; i++)
            if (s->place[i] == field)
                v[i] = line;
    }
}

static int64_t when(const char *text)
{
    time_t t;

    return *text >= '0' && *text <= '9' && lw_when_parse(text, 0, &t, NULL) == 0
               ? (int64_t)t
               : 0;
}

/* "billing=4,cpu=4,gres/gpu=16,gres/gpu:h100=16" to 16. */
static int gpus_of(const char *tres)
{
    const char *at = strstr(tres, "gres/gpu=");
    long n = at ? strtol(at + strlen("gres/gpu="), NULL, 10) : 0;

    return n > 0 && n < 1000000 ? (int)n : 0;
}

static uint32_t name(struct reader *s, struct lw_strtab *t, const char *text)
{
    size_t i = lw_strtab_add(t, text, strlen(text));

    if (i == LW_STRTAB_NONE)
        s->r->failed = true;
    return i == LW_STRTAB_NONE ? 0 : (uint32_t)i;
}

static int score(struct reader *s, const char *nodes, struct lw_run *run)
{
    const struct lw_hosts *hosts = &s->r->options.hosts;
    struct lw_score score;
    size_t n = 0;
    char **names = hosts->expand(nodes, &n, NULL);

    if (!names || !n)
        return -1;
    run->nnodes = (int)n;
    if (s->map && lw_score_nodes(s->map, (const char *const *)names, n,
                                 s->capacity, NULL, &score) == 0) {
        run->groups = (int)score.groups;
        run->fewest = (int)score.fewest;
        run->pods = (int)score.pods;
        run->unknown = (int)score.unknown;
        lw_score_free(&score);
    }
    hosts->free_names(names, n);
    return 0;
}

static void fill_times(struct lw_run *run, const char *const v[NCOLUMNS])
{
    int64_t ready = when(*v[ELIGIBLE] ? v[ELIGIBLE] : v[SUBMIT]);

    run->start = when(v[START]);
    run->end = when(v[END]);
    run->eligible = ready;
    run->ended = run->end > 0;
    run->queue = ready && run->start > ready ? (long)(run->start - ready)
                 : ready                     ? 0
                                             : -1;
    run->elapsed = strtod(v[ELAPSEDRAW], NULL);
    if (run->elapsed <= 0 && run->end > run->start)
        run->elapsed = (double)(run->end - run->start);
    run->gpu_s = run->elapsed * run->gpus;
}

static void note_period(struct lw_report *r, const struct lw_run *run)
{
    int64_t last = (run->end ? run->end : run->start) * 1000;

    if (!r->first_ms || run->start * 1000 < r->first_ms)
        r->first_ms = run->start * 1000;
    if (last > r->last_ms)
        r->last_ms = last;
}

/* One line; -1 when it is no job that sacct could have written. */
static int take(struct reader *s, char *line)
{
    struct lw_run run = {.groups = -1,
                         .fewest = -1,
                         .fewest_free = -1,
                         .pods = -1,
                         .unknown = -1,
                         .rails = -1,
                         .groups_now = -1,
                         .locality = -1,
                         .patience = -1,
                         .array_job_id = -1,
                         .array_task_id = -1,
                         .het_job_id = -1,
                         .het_offset = -1,
                         .balance = -1};
    const char *v[NCOLUMNS], *id;
    char *end;

    split(s, line, v);
    id = *v[JOBIDRAW] ? v[JOBIDRAW] : v[JOBID];
    run.id = strtol(id, &end, 10);
    if (end == id)
        return -1;
    if (strchr(id, '.')) /* a step */
        return 0;
    run.gpus = gpus_of(v[ALLOCTRES]);
    fill_times(&run, v);
    if (!run.start || strcmp(v[NODELIST], "None assigned") == 0)
        return 0; /* never ran */
    if (score(s, v[NODELIST], &run) < 0)
        return -1;
    run.placed = true;
    run.cluster = name(s, s->r->words, "");
    run.state = name(s, s->r->words, v[STATE]);
    run.user = name(s, s->r->users.names, v[USER]);
    run.account = name(s, s->r->accounts.names, v[ACCOUNT]);
    run.partition = name(s, s->r->partitions.names, v[PARTITION]);
    note_period(s->r, &run);
    lw_report_add_run(s->r, &run);
    return 0;
}

static int read_lines(struct reader *s, struct lw_lines *lines,
                      const char *path, struct lw_log_stats *stats,
                      lw_error_t *err)
{
    lw_error_t why = {0};
    char *line;
    size_t len;
    int rc = lw_lines_next(lines, &line, &len, &why);

    if (rc == 0)
        rc = lw_err(&why, "is empty");
    else if (rc > 0)
        rc = read_header(s, line, &why);
    if (rc < 0)
        return lw_err_at(err, path, 1, 0, "%s", why.text);
    while ((rc = lw_lines_next(lines, &line, &len, err)) > 0) {
        stats->lines++;
        if (len && take(s, line) < 0 && stats->broken++ == 0)
            lw_err_at(&stats->first_broken, path, (int)lw_lines_number(lines),
                      0, "expected a job of sacct -P");
    }
    return rc;
}

int lw_report_sacct(struct lw_report *r, const char *path,
                    const struct lw_map *map, struct lw_log_stats *stats,
                    lw_error_t *err)
{
    struct reader s = {.r = r, .map = map};
    struct lw_lines *lines;
    size_t g;
    int rc;

    if (!r->options.hosts.expand)
        return lw_err(err, "this build has no Slurm to read host lists with");
    if (map && !(s.capacity = calloc(map->ngroups + 1, sizeof(long))))
        return lw_err(err, "out of memory");
    for (g = 0; map && g < map->ngroups; g++)
        s.capacity[g] = (long)map->groups[g].nnodes;
    if (!(lines = lw_lines_open(path, LINE_LIMIT, err))) {
        free(s.capacity);
        return -1;
    }
    rc = read_lines(&s, lines, path, stats, err);
    lw_lines_close(lines);
    free(s.capacity);
    return rc;
}
