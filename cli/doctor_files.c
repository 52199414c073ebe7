/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor_files.c - the files that Leafward reads and writes on this host */
#include "config.h"

#include "cli/doctor.h"
#include "lib/plural.h"
#include "lib/when.h"
#include "topology/node/inventory.h"

#include <errno.h>
#include <libgen.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DAY      86400L
#define MAP_DAYS 30 /* a fabric changes; a map this old is worth a new look */

static long age_of(const char *created, time_t now)
{
    int64_t ms;

    return lw_when_rfc3339(created ? created : "", &ms) < 0
               ? -1
               : (long)(now - (time_t)(ms / 1000));
}

/* Whether a user may do with a file what the mode bit (4 read, 2 write) says,
 * as far as owner and mode tell; groups are not asked. */
static bool may(const struct stat *st, uid_t uid, unsigned bit)
{
    if (uid == 0 || uid == (uid_t)-1)
        return true;
    return st->st_mode & (st->st_uid == uid ? bit << 6 : bit << 3 | bit);
}

void lw_doctor_conf(struct lw_doctor *d, const char *path, const char *error)
{
    struct stat st;

    if (error[0])
        lw_doctor_say(d, LW_HEALTH_BAD, "configuration",
                      "%s; every part runs with the defaults until this is "
                      "mended",
                      error);
    else if (stat(path, &st) < 0)
        lw_doctor_say(d, LW_HEALTH_NOTE, "configuration",
                      "%s: %s; the defaults hold", path, strerror(errno));
    else if (st.st_uid != 0 || st.st_mode & (S_IWGRP | S_IWOTH))
        lw_doctor_say(d, LW_HEALTH_WARN, "configuration",
                      "%s can be written by others than root: chown root and "
                      "chmod go-w",
                      path);
    else
        lw_doctor_say(d, LW_HEALTH_OK, "configuration", "%s", path);
}

void lw_doctor_map(struct lw_doctor *d)
{
    lw_error_t err = {0};

    d->map = lw_map_load(d->settings->map, &err);
    if (!d->map)
        lw_doctor_say(d, LW_HEALTH_BAD, "map",
                      "%s; make one with `leafward discover -o %s`", err.text,
                      d->settings->map);
}

static void map_health(struct lw_doctor *d)
{
    const char *path = d->settings->map;
    long age = age_of(d->map->created, time(NULL));
    size_t i, errors = 0;
    struct stat st;

    for (i = 0; i < d->map->nfindings; i++)
        errors += d->map->findings[i].level == LW_ERROR;
    if (stat(path, &st) == 0 && !may(&st, d->slurm_user, 4))
        lw_doctor_say(d, LW_HEALTH_BAD, "map",
                      "%s cannot be read by %s: chmod a+r", path, d->user);
    else if (d->map->partial)
        lw_doctor_say(d, LW_HEALTH_WARN, "map",
                      "%s comes from a discovery that was cut short; run "
                      "`leafward discover` again",
                      path);
    else if (errors)
        lw_doctor_say(d, LW_HEALTH_WARN, "map",
                      "%zu %s in the cabling; see `leafward check`", errors,
                      lw_plural(errors, "error", "errors"));
    else if (age > MAP_DAYS * DAY)
        lw_doctor_say(d, LW_HEALTH_WARN, "map",
                      "%s is %ld days old; run `leafward discover` and "
                      "`leafward diff`",
                      path, age / DAY);
    else
        lw_doctor_say(
            d, LW_HEALTH_OK, "map", "%zu %s in %zu %s", d->map->nnodes,
            lw_plural(d->map->nnodes, "node", "nodes"), d->map->ngroups,
            lw_plural(d->map->ngroups, "group", "groups"));
}

static void state_health(struct lw_doctor *d)
{
    const struct lw_settings *s = d->settings;
    lw_error_t err = {0};
    struct lw_state *state = lw_state_load(s->state, &err);
    long age;

    if (!state) {
        lw_doctor_say(d, LW_HEALTH_BAD, "watch",
                      "%s; is leafward-watch.service running?", err.text);
        return;
    }
    age = (long)(time(NULL) - state->created);
    if (age > s->state_age)
        lw_doctor_say(d, LW_HEALTH_BAD, "watch",
                      "%s is %ld s old, the plugin takes at most %ld: start "
                      "leafward-watch.service",
                      s->state, age, s->state_age);
    else
        lw_doctor_say(d, LW_HEALTH_OK, "watch", "its state is %ld s old",
                      age < 0 ? 0 : age);
    lw_state_destroy(state);
}

static void log_health(struct lw_doctor *d)
{
    const char *path = d->settings->log;
    char *copy = strdup(path);
    const char *dir;
    struct stat st;

    if (!copy) {
        d->failed = true;
        return;
    }
    dir = dirname(copy);
    if (stat(dir, &st) < 0)
        lw_doctor_say(d, LW_HEALTH_BAD, "log", "%s: %s; create it for %s", dir,
                      strerror(errno), d->user);
    else if ((stat(path, &st) == 0 || stat(dir, &st) == 0) &&
             !may(&st, d->slurm_user, 2))
        lw_doctor_say(d, LW_HEALTH_BAD, "log",
                      "%s cannot be written by %s: chown it", path, d->user);
    else
        lw_doctor_say(d, LW_HEALTH_OK, "log", "%s", path);
    free(copy);
}

/* The inventory of this host when the map says that it is a compute node. */
static void node_health(struct lw_doctor *d)
{
    char host[256] = "";
    struct lw_inventory *inv;
    lw_error_t err = {0};
    char *path;

    gethostname(host, sizeof(host) - 1);
    if (!d->map || lw_map_find_node(d->map, host) < 0)
        return;
    host[strcspn(host, ".")] = '\0';
    path = lw_inventory_path(d->settings->inventory, host, &err);
    inv = path ? lw_inventory_load(path, &err) : NULL;
    if (inv)
        lw_doctor_say(d, LW_HEALTH_OK, "node", "%s", path);
    else
        lw_doctor_say(d, LW_HEALTH_BAD, "node",
                      "%s; enable leafward-node.service", err.text);
    lw_inventory_destroy(inv);
    free(path);
}

void lw_doctor_files(struct lw_doctor *d)
{
    if (d->map)
        map_health(d);
    if (d->controller) {
        state_health(d);
        log_health(d);
    }
    node_health(d);
}
