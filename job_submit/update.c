/* SPDX-License-Identifier: GPL-2.0-or-later */
/* update.c - an update of a pending job to a request, and a decision back */
#include "config.h"

#include "job_submit/update.h"
#include "slurmapi/hostlist.h"

#include <stdlib.h>
#include <string.h>

static bool is_set(const char *text)
{
    return text && *text;
}

static bool is_count(uint32_t n)
{
    return n != NO_VAL && n != INFINITE;
}

static bool is_ours(const char *admin_comment)
{
    return admin_comment &&
           strncmp(admin_comment, LW_MARK, sizeof(LW_MARK) - 1) == 0;
}

/* Does it change what a decision was made from? */
static bool changes_request(const job_desc_msg_t *u)
{
    return (is_count(u->min_nodes) && u->min_nodes) ||
           (is_count(u->max_nodes) && u->max_nodes) ||
           is_set(u->tres_per_job) || is_set(u->tres_per_node) ||
           is_set(u->tres_per_task) || is_set(u->tres_per_socket) ||
           is_set(u->partition) || is_set(u->req_nodes) ||
           is_set(u->reservation) || u->contiguous == 1 || u->features;
}

enum lw_update_kind lw_update_kind(const job_desc_msg_t *u)
{
    if (lw_features_alternatives(u->features) > LW_MAX_ALTERNATIVES ||
        lw_features_alternatives(u->prefer) > LW_MAX_ALTERNATIVES)
        return LW_UPDATE_CRASHES;
    if (is_ours(u->admin_comment))
        return LW_UPDATE_OTHER;
    if (is_count(u->req_switch))
        return LW_UPDATE_SWITCHES;
    return changes_request(u) ? LW_UPDATE_REQUEST : LW_UPDATE_OTHER;
}

/* scontrol names it by a text, slurm_update_job() by a number, of which
 * slurmctld makes a text. */
long lw_update_job(const job_desc_msg_t *u, long *component)
{
    const char *text = u->job_id_str;
    long id = lw_update_job_id(u);
    char *end;

    *component = -1;
    if (!is_set(text))
        return is_count((uint32_t)id) ? id : 0;
    id = strtol(text, &end, 10);
    if (*end == '+')
        *component = strtol(end + 1, NULL, 10);
    return id > 0 ? id : 0;
}

const struct lw_state_job *lw_update_find(const struct lw_state *state,
                                          const job_desc_msg_t *u)
{
    const struct lw_state_job *job;
    long component, id = lw_update_job(u, &component);
    size_t i;

    if (component < 0 && (job = lw_state_find_job(state, id)))
        return job->het_job < 0 || job->id != job->het_job ? job : NULL;
    for (i = 0; state && i < state->njobs; i++) {
        job = &state->jobs[i];
        if (component < 0 ? job->array_job == id
                          : job->het_job == id && job->het_offset == component)
            return job;
    }
    return NULL;
}

static bool asks_for_gpus(const struct lw_request *r)
{
    return r->gpus_job > 0 || r->gpus_node > 0 || r->gpus_task > 0 ||
           r->gpus_socket > 0;
}

/* What the user excluded, by the mark; an update of it is his. */
static void read_excluded(const job_desc_msg_t *u, const struct lw_mark *m,
                          struct lw_submit *s)
{
    struct lw_request *r = &s->request;

    if (!u->exc_nodes && *m->own) {
        s->excluded = lw_hostlist_expand(m->own, &s->nexcluded, NULL);
        r->excluded = (const char *const *)s->excluded;
        r->nexcluded = s->excluded ? s->nexcluded : 0;
    }
    /* none can be added here: what is excluded now is not known for sure */
    r->no_exclude =
        u->exc_nodes || m->subnode || m->excluded <= 0 || r->nodes_min == 1;
}

void lw_update_read(const job_desc_msg_t *u, const struct lw_state_job *job,
                    struct lw_submit *s)
{
    struct lw_request *r = &s->request;
    struct lw_mark m = {.patience = -1};

    lw_submit_read(u, s);
    r->no_mark = is_set(u->admin_comment);
    if (!r->partition)
        r->partition = job->partition;
    if (r->nodes_min <= 0)
        r->nodes_min = job->nodes;
    if (r->nodes_max <= 0)
        r->nodes_max = job->nodes;
    if (!asks_for_gpus(r)) {
        r->gpus_node = job->gpus_node > 0 ? job->gpus_node : 1;
        r->gpu_type = job->gpu_type;
    }
    if (r->minutes < 0)
        r->minutes = job->minutes;
    if (!u->features)
        r->features = job->features;
    if (lw_mark_parse(job->mark, &m))
        read_excluded(u, &m, s);
    if (r->wait < 0)
        r->wait = m.patience;
}

/* The exclusion as it stands: kept, or to go. */
static void mark_exclusion(const job_desc_msg_t *u, const struct lw_mark *m,
                           const struct lw_decision *d, char *mark)
{
    bool keep = d->exclude && !m->subnode && m->excluded > 0;
    char with[LW_MARK_SIZE];

    if (!u->exc_nodes && m->sum &&
        lw_mark_exclude(mark, keep ? m->excluded : 0, m->own, m->sum, with,
                        sizeof(with)) == 0)
        memcpy(mark, with, sizeof(with));
}

/* Clearing the switches (0) is as much a decision as setting them: those of
 * the old size would hold the job for nothing. */
void lw_update_apply(job_desc_msg_t *u, const struct lw_state_job *job,
                     const struct lw_submit *s, const struct lw_decision *d,
                     const char *ref)
{
    bool waits = d->action == LW_REWRITE && d->switches > 0;
    char mark[LW_MARK_SIZE];
    struct lw_mark m;

    if (!lw_mark_parse(job->mark, &m))
        return;
    if (waits || m.switches >= 0) {
        u->req_switch = waits ? (uint32_t)d->switches : 0;
        u->wait4switch = waits ? (uint32_t)d->wait : 0;
    }
    if (is_set(u->admin_comment))
        return;
    lw_submit_mark(s, d, ref, mark, sizeof(mark));
    mark_exclusion(u, &m, d, mark);
    slurm_xfree((void **)&u->admin_comment);
    u->admin_comment = slurm_xstrdup(mark);
}
