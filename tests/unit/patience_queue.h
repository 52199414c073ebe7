/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patience_queue.h - a queue of jobs that watch looks at */
#ifndef LW_PATIENCE_QUEUE_H
#define LW_PATIENCE_QUEUE_H

#include "tests/check.h"
#include "tests/unit/watch_case.h"
#include "topology/place/mark.h"
#include "topology/place/patience.h"

#define GANG(k)                                                                \
    "leafward: gang nodes=4 groups=1 switches=" k " wait=9 ref=00c0ffee"

struct queue {
    struct lw_map *map;
    struct lw_state *state;
    struct case_log log;
    struct lw_watcher *w;
    struct lw_settings settings;
    struct lw_job jobs[4];
    size_t njobs;
    struct lw_patience_result result;
    bool refuse; /* slurmctld takes no update */
    char exclude[80], mark[LW_MARK_SIZE];
};

static inline struct lw_job *job_of(struct queue *q, long id)
{
    size_t i;

    for (i = 0; i < q->njobs; i++)
        if (q->jobs[i].id == id)
            return &q->jobs[i];
    return NULL;
}

static inline int set_switches(void *arg, long job, long switches,
                               const char *mark)
{
    struct queue *q = arg;

    lw_check_str(mark, job_of(q, job)->comment);

    lw_buf_printf(&q->log.said, "switches=%ld;", switches);
    if (q->refuse)
        return -1;
    job_of(q, job)->switches = switches ? switches : -1;
    return 0;
}

static inline int set_exclude(void *arg, long job, const char *nodes,
                              const char *mark)
{
    struct queue *q = arg;

    lw_buf_printf(&q->log.said, "exclude=%s;", nodes);
    if (q->refuse)
        return -1;
    snprintf(q->exclude, sizeof(q->exclude), "%s", nodes);
    snprintf(q->mark, sizeof(q->mark), "%s", mark);
    job_of(q, job)->exclude = *nodes ? q->exclude : NULL;
    job_of(q, job)->comment = q->mark;
    return 0;
}

/* Enough of a checksum: "n01,n02" is 12. */
static inline uint32_t sum_of(const char *hosts)
{
    uint32_t sum = 0;

    for (; hosts && *hosts;
         hosts += strcspn(hosts, ","), hosts += *hosts == ',')
        sum = sum * 16 + (uint32_t)strtoul(hosts + 1, NULL, 10);
    return sum;
}

static inline int emit(void *arg, const struct lw_event *e)
{
    return case_emit(&((struct queue *)arg)->log, e);
}

static inline void queue_open(struct queue *q)
{
    memset(q, 0, sizeof(*q));
    q->map = case_map(NULL);
    q->state = case_state();
    q->w = case_watcher(&q->log);
    q->settings.max_patience = 3600;
    q->settings.slowdown = 0.1;
    q->settings.subnode_delay = 5;
}

static inline void queue_close(struct queue *q)
{
    lw_watcher_destroy(q->w);
    lw_state_destroy(q->state);
    lw_map_destroy(q->map);
    lw_buf_free(&q->log.said);
    lw_buf_free(&q->log.lines);
}

static inline const char *look(struct queue *q, time_t at)
{
    const struct lw_patience_ops ops = {emit,   set_switches, set_exclude,
                                        sum_of, case_expand,  case_names_free,
                                        q};
    struct lw_look l = {.at = {.tv_sec = at},
                        .map = q->map,
                        .state = q->state,
                        .jobs = q->jobs,
                        .njobs = q->njobs};

    q->log.said.len = q->log.lines.len = 0;
    lw_buf_add(&q->log.said, "", 0);
    lw_check_int(lw_watcher_look(q->w, &l), 0);
    lw_check_int(lw_patience_look(q->w, &l, &q->settings, &ops, &q->result), 0);
    return lw_buf_text(&q->log.said);
}

/* Two nodes free in each group: four start on two groups, not on one. */
static inline void scatter(struct queue *q)
{
    int g;

    for (g = 0; g < 4; g++)
        case_use(q->state, g * 4 + 1, g * 4 + 2, 8);
}

static inline void add_gang(struct queue *q)
{
    q->jobs[q->njobs] = case_job(5, 4);
    q->jobs[q->njobs].comment = GANG("1");
    q->jobs[q->njobs].switches = 1;
    q->njobs++;
}

#endif
