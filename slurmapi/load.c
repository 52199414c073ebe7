/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load.c - the live cluster by public libslurm calls: when to ask for what */
#include "config.h"

#include "slurmapi/load.h"
#include "slurmapi/loader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Seconds after which the topology is read again although neither the
 * configuration nor a partition changed: a node can be moved in it live. */
#define TOPOLOGY_AGE 60

/* slurm_get_errno() went away in 24.11; errno is set in all releases. */
static int failed(const char *what, lw_error_t *err)
{
    int code = errno;

    return lw_err(err, "cannot read %s from slurmctld: %s", what,
                  slurm_strerror(code));
}

static int no_change(void)
{
    return errno == SLURM_NO_CHANGE_IN_DATA;
}

static int load_conf(struct lw_loader *l, bool *changed, lw_error_t *err)
{
    slurm_conf_t *fresh = NULL;

    if (slurm_load_ctl_conf(l->conf ? l->conf->last_update : 0, &fresh)) {
        if (l->conf && no_change())
            return 0;
        return failed("the configuration", err);
    }
    lw_conf_release(l->conf);
    l->conf = fresh;
    *changed = true;
    return 0;
}

static int load_nodes(struct lw_loader *l, bool *changed, lw_error_t *err)
{
    node_info_msg_t *fresh = NULL;

    if (slurm_load_node(l->nodes ? l->nodes->last_update : 0, &fresh,
                        SHOW_ALL | SHOW_DETAIL | SHOW_LOCAL)) {
        if (l->nodes && no_change())
            return 0;
        return failed("the nodes", err);
    }
    slurm_free_node_info_msg(l->nodes);
    l->nodes = fresh;
    *changed = true;
    return 0;
}

static int load_partitions(struct lw_loader *l, bool *changed, lw_error_t *err)
{
    partition_info_msg_t *fresh = NULL;

    if (slurm_load_partitions(l->parts ? l->parts->last_update : 0, &fresh,
                              SHOW_ALL | SHOW_LOCAL)) {
        if (l->parts && no_change())
            return 0;
        return failed("the partitions", err);
    }
    slurm_free_partition_info_msg(l->parts);
    l->parts = fresh;
    *changed = true;
    return 0;
}

static int load_jobs(struct lw_loader *l, bool *changed, lw_error_t *err)
{
    job_info_msg_t *fresh = NULL;

    if (slurm_load_jobs(l->jobs ? l->jobs->last_update : 0, &fresh,
                        SHOW_ALL | SHOW_DETAIL | SHOW_LOCAL)) {
        if (l->jobs && no_change())
            return 0;
        return failed("the jobs", err);
    }
    slurm_free_job_info_msg(l->jobs);
    l->jobs = fresh;
    *changed = true;
    return 0;
}

/* Forget the answers, so that the next look asks for everything: after a
 * restart slurmctld counts its update times anew. */
static void forget(struct lw_loader *l)
{
    lw_conf_release(l->conf);
    slurm_free_node_info_msg(l->nodes);
    slurm_free_partition_info_msg(l->parts);
    slurm_free_job_info_msg(l->jobs);
    l->conf = NULL;
    l->nodes = NULL;
    l->parts = NULL;
    l->jobs = NULL;
    l->njobs = 0;
}

struct lw_loader *lw_loader_create(void)
{
    struct lw_loader *l = calloc(1, sizeof(*l));

    if (l && !(l->users = lw_users_create())) {
        free(l);
        return NULL;
    }
    return l;
}

void lw_loader_destroy(struct lw_loader *l)
{
    int saved = errno;

    if (!l)
        return;
    forget(l);
    lw_topology_free(&l->topology);
    lw_state_destroy(l->state);
    lw_users_destroy(l->users);
    free(l->job_array);
    free(l);
    errno = saved;
}

static int refresh_topology(struct lw_loader *l, bool *changed, lw_error_t *err)
{
    time_t now = time(NULL);

    if (!*changed && now >= l->topology_read &&
        now - l->topology_read < TOPOLOGY_AGE)
        return 0;
    if (lw_topology_load(&l->topology, l->parts, l->conf->topology_plugin,
                         changed, err) < 0)
        return -1;
    l->topology_read = now;
    return 0;
}

/* Build the state again from the messages. */
static int refresh_state(struct lw_loader *l, lw_error_t *err)
{
    struct lw_state *fresh = lw_loader_state(l, err);

    if (!fresh)
        return -1;
    lw_state_destroy(l->state);
    l->state = fresh;
    return 0;
}

static int look(struct lw_loader *l, struct lw_load *load, lw_error_t *err)
{
    bool layout = false, nodes = false, jobs = false;

    /* Jobs last: every job that has nodes then has them in the node table
     * of the next look at the latest, and of this one if it was there. */
    if (load_conf(l, &layout, err) < 0 ||
        load_partitions(l, &layout, err) < 0 ||
        refresh_topology(l, &layout, err) < 0 ||
        load_nodes(l, &nodes, err) < 0 || load_jobs(l, &jobs, err) < 0)
        return -1;
    if ((layout || nodes || !l->state) && refresh_state(l, err) < 0)
        return -1;
    if (jobs && lw_loader_jobs(l, err) < 0)
        return -1;
    if ((layout || nodes || jobs) && lw_loader_state_jobs(l, err) < 0)
        return -1;
    load->state_changed = layout || nodes;
    load->jobs_changed = jobs;
    return 0;
}

int lw_loader_look(struct lw_loader *l, struct lw_load *load, lw_error_t *err)
{
    struct lw_load fresh = {0};

    if (look(l, &fresh, err) < 0) {
        forget(l);
        return -1;
    }
    fresh.state = l->state;
    fresh.jobs = l->job_array;
    fresh.njobs = l->njobs;
    fresh.min_job_age = (long)l->conf->min_job_age;
    fresh.slurm_user = l->conf->slurm_user_id;
    *load = fresh;
    return 0;
}
