/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor_slurm.c - what the running Slurm says of plugins, topology, nodes */
#include "config.h"

#include "cli/cli.h"
#include "cli/discover.h"
#include "cli/doctor.h"
#include "cli/names.h"
#include "lib/buf.h"
#include "lib/file.h"
#include "lib/run.h"
#include "slurmapi/adapter.h"
#include "slurmapi/load.h"
#include "topology/fabric/groups.h"
#include "topology/place/decide.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_SIZE   4096
#define PLUG_LIMIT  (1024 * 1024UL)
#define NAMES_SHOWN 5

/* libslurm ends the program when it finds no slurm.conf, so a program that
 * may end is asked first. */
static bool slurm_answers(struct lw_doctor *d)
{
    static char *argv[] = {"scontrol", "ping", NULL};
    struct lw_run run = {0};
    lw_error_t err = {0};
    bool up = lw_run(argv, 30, 65536, NULL, &run, &err) == 0 &&
              !run.timed_out && run.status == 0;

    free(run.text);
    if (!up)
        lw_doctor_say(d, LW_HEALTH_BAD, "slurm",
                      "slurmctld does not answer (`scontrol ping`)%s%s",
                      err.text[0] ? ": " : "", err.text);
    return up;
}

static bool has_word(const char *list, const char *word)
{
    size_t len = strlen(word), n;

    for (; list && *list; list += n + (list[n] == ',')) {
        n = strcspn(list, ",");
        if (n == len && strncmp(list, word, n) == 0)
            return true;
    }
    return false;
}

/* The plugin's file in one of PluginDir's directories, separated by ':'. */
static bool in_plugindir(const char *dirs, const char *file)
{
    char path[PATH_SIZE];
    size_t n;

    for (; dirs && *dirs; dirs += n + (dirs[n] == ':')) {
        n = strcspn(dirs, ":");
        snprintf(path, sizeof(path), "%.*s/%s", (int)n, dirs, file);
        if (access(path, R_OK) == 0)
            return true;
    }
    return false;
}

static void set_role(struct lw_doctor *d, const slurm_conf_t *conf)
{
    char host[256] = "";
    size_t n;
    uint32_t i;

    gethostname(host, sizeof(host) - 1);
    n = strcspn(host, ".");
    d->controller = false;
    for (i = 0; i < conf->control_cnt; i++) {
        const char *name = conf->control_machine[i];

        if (name && ((strncmp(name, host, n) == 0 &&
                      (name[n] == '\0' || name[n] == '.')) ||
                     strcmp(name, "localhost") == 0))
            d->controller = true;
    }
    d->slurm_user = conf->slurm_user_id;
}

static void version_health(struct lw_doctor *d, const slurm_conf_t *conf)
{
    char built[32];

    snprintf(built, sizeof(built), "%d.%02d.%d",
             (int)SLURM_VERSION_MAJOR(SLURM_VERSION_NUMBER),
             (int)SLURM_VERSION_MINOR(SLURM_VERSION_NUMBER),
             (int)SLURM_VERSION_MICRO(SLURM_VERSION_NUMBER));
    if (!conf->version || strncmp(conf->version, built, strlen(built)) != 0)
        lw_doctor_say(d, LW_HEALTH_BAD, "slurm",
                      "slurmctld is %s, Leafward was built for %s and its "
                      "plugins will not load: rebuild it",
                      conf->version ? conf->version : "unknown", built);
    else
        lw_doctor_say(d, LW_HEALTH_OK, "slurm", "slurmctld %s", conf->version);
}

static void submit_health(struct lw_doctor *d, const slurm_conf_t *conf)
{
    const char *file = "job_submit_leafward.so";

    if (!has_word(conf->job_submit_plugins, "leafward"))
        lw_doctor_say(d, LW_HEALTH_BAD, "job_submit",
                      "not loaded: JobSubmitPlugins=leafward is missing in "
                      "slurm.conf (slurmctld reads it when it starts)");
    else if (d->controller && !in_plugindir(conf->plugindir, file))
        lw_doctor_say(d, LW_HEALTH_BAD, "job_submit",
                      "%s is not in PluginDir=%s: slurmctld will not start "
                      "again; `make install` puts it there",
                      file, conf->plugindir);
    else
        lw_doctor_say(d, LW_HEALTH_OK, "job_submit", "configured");
}

static void spank_health(struct lw_doctor *d, const slurm_conf_t *conf)
{
    const char *file = "spank_leafward.so";
    lw_error_t err = {0};
    size_t len = 0;
    char *text = conf->plugstack ? lw_file_read(conf->plugstack, PLUG_LIMIT,
                                                &len, NULL, &err)
                                 : NULL;

    if (!text)
        lw_doctor_say(d, LW_HEALTH_BAD, "spank",
                      "%s; add the line of Leafward's plugstack.conf",
                      err.text[0] ? err.text : "no PlugStackConfig");
    else if (!strstr(text, file) && strstr(text, "include"))
        lw_doctor_say(d, LW_HEALTH_NOTE, "spank",
                      "%s names no %s; perhaps a file that it includes does",
                      conf->plugstack, file);
    else if (!strstr(text, file))
        lw_doctor_say(d, LW_HEALTH_BAD, "spank",
                      "%s names no %s: --leafward= is unknown and steps run "
                      "as before",
                      conf->plugstack, file);
    else if (!strstr(text, "/spank_leafward.so") &&
             !in_plugindir(conf->plugindir, file))
        lw_doctor_say(d, LW_HEALTH_BAD, "spank",
                      "%s is not in PluginDir=%s; `make install` puts it there",
                      file, conf->plugindir);
    else
        lw_doctor_say(d, LW_HEALTH_OK, "spank", "in %s", conf->plugstack);
    free(text);
}

/* The first node of a group that topology.conf puts elsewhere, -1 when both
 * agree: one group there for each group here, and none for two. */
static int first_astray(const struct lw_map *ours, const struct lw_map *theirs)
{
    int *of = calloc(ours->ngroups + 1, sizeof(*of));
    int *owner = calloc(theirs->ngroups + 1, sizeof(*owner));
    int astray = -1, there, g, t;
    size_t i;

    for (i = 0; of && owner && astray < 0 && i < ours->nnodes; i++) {
        g = ours->nodes[i].group;
        there = lw_map_find_node(theirs, ours->nodes[i].name);
        if (there < 0 || g < 0)
            continue;
        t = theirs->nodes[there].group;
        if (t < 0 || (of[g] && of[g] != t + 1) ||
            (owner[t] && owner[t] != g + 1)) {
            astray = (int)i;
        } else {
            of[g] = t + 1;
            owner[t] = g + 1;
        }
    }
    free(of);
    free(owner);
    return astray;
}

static struct lw_map *read_topology(const char *path, lw_error_t *err)
{
    struct lw_inputs in = {.fabric = lw_fabric_create(),
                           .format = "topology.conf"};
    static const struct lw_groups_options none;
    struct lw_map *map = NULL;

    if (!in.fabric) {
        lw_err(err, "out of memory");
        return NULL;
    }
    lw_fabric_set_expand(in.fabric, LW_CLI_EXPAND);
    if (lw_inputs_file(&in, path, err) == 0)
        map = lw_groups_map(in.fabric, &none, err);
    lw_inputs_free(&in);
    return map;
}

/* topology.conf lies beside slurm.conf; where topology.yaml has replaced it,
 * or it is on the controller only, there is nothing to compare. */
static void topology_conf(struct lw_doctor *d, const slurm_conf_t *conf)
{
    char path[PATH_SIZE], dir[PATH_SIZE];
    lw_error_t err = {0};
    struct lw_map *theirs;
    int astray;

    snprintf(dir, sizeof(dir), "%s", conf->slurm_conf ? conf->slurm_conf : "");
    snprintf(path, sizeof(path), "%s/topology.conf", dirname(dir));
    if (!d->map || access(path, R_OK) < 0)
        return;
    if (!(theirs = read_topology(path, &err))) {
        lw_doctor_say(d, LW_HEALTH_WARN, "topology", "%s", err.text);
        return;
    }
    astray = first_astray(d->map, theirs);
    if (astray >= 0)
        lw_doctor_say(d, LW_HEALTH_BAD, "topology",
                      "%s and the map do not agree about %s: `leafward export "
                      "--format topology.conf -o %s`, then `scontrol "
                      "reconfigure`",
                      path, d->map->nodes[astray].name, path);
    else
        lw_doctor_say(d, LW_HEALTH_OK, "topology", "%s, %s agrees with the map",
                      conf->topology_plugin, path);
    lw_map_destroy(theirs);
}

/* "node003, node004 and 12 more" of names that come one by one. */
struct names {
    struct lw_buf text;
    size_t n;
};

static void add_name(struct names *l, const char *name)
{
    if (l->n++ < NAMES_SHOWN)
        lw_buf_printf(&l->text, "%s%s", l->n > 1 ? ", " : "", name);
}

static void say_names(struct lw_doctor *d, enum lw_health health,
                      struct names *l, const char *what)
{
    char more[32] = "";

    if (l->n > NAMES_SHOWN)
        snprintf(more, sizeof(more), " and %zu more", l->n - NAMES_SHOWN);
    if (l->n)
        lw_doctor_say(d, health, "nodes", "%s%s: %s", lw_buf_text(&l->text),
                      more, what);
    lw_buf_free(&l->text);
}

static bool in_state(const struct lw_state *s, const char *name)
{
    size_t i;

    for (i = 0; i < s->nnodes; i++)
        if (strcmp(s->nodes[i].name, name) == 0)
            return true;
    return false;
}

static void nodes_health(struct lw_doctor *d, const struct lw_state *s)
{
    struct names unmapped = {.text = LW_BUF_INIT(512)};
    struct names unknown = {.text = LW_BUF_INIT(512)};
    size_t i, gpu_nodes = 0;

    for (i = 0; i < s->nnodes; i++) {
        if (!s->nodes[i].ngpus)
            continue;
        gpu_nodes++;
        if (lw_map_find_node(d->map, s->nodes[i].name) < 0)
            add_name(&unmapped, s->nodes[i].name);
    }
    for (i = 0; i < d->map->nnodes; i++)
        if (!in_state(s, d->map->nodes[i].name))
            add_name(&unknown, d->map->nodes[i].name);
    if (!gpu_nodes)
        lw_doctor_say(d, LW_HEALTH_BAD, "nodes",
                      "Slurm knows no GPU: Gres=gpu:.. is missing in its node "
                      "lines");
    else if (!unmapped.n && !unknown.n)
        lw_doctor_say(d, LW_HEALTH_OK, "nodes",
                      "%zu GPU nodes, all of them in the map", gpu_nodes);
    say_names(d, LW_HEALTH_WARN, &unmapped,
              "in Slurm with GPUs, but not in the map; see `leafward check`");
    say_names(d, LW_HEALTH_NOTE, &unknown, "in the map, but not in Slurm");
}

/* What the plugin, too, says when it takes up a map. */
static void partitions_health(struct lw_doctor *d, const struct lw_state *s)
{
    lw_error_t err = {0};
    struct lw_view *view = lw_view_create(d->map, s, d->settings, &err);
    char text[300];
    size_t i;
    int rc;

    if (!view) {
        lw_doctor_say(d, LW_HEALTH_BAD, "partitions", "%s", err.text);
        return;
    }
    for (i = 0; (rc = lw_view_warning(view, i, text, sizeof(text))) >= 0; i++)
        if (rc > 0)
            lw_doctor_say(d, LW_HEALTH_WARN, "partitions", "%s", text);
    lw_view_destroy(view);
}

static void cluster_health(struct lw_doctor *d)
{
    struct lw_loader *loader = lw_loader_create();
    lw_error_t err = {0};
    struct lw_load load;

    if (!loader)
        d->failed = true;
    else if (lw_loader_look(loader, &load, &err) < 0)
        lw_doctor_say(d, LW_HEALTH_BAD, "slurm", "%s", err.text);
    else if (d->map) {
        nodes_health(d, load.state);
        partitions_health(d, load.state);
    }
    lw_loader_destroy(loader);
}

void lw_doctor_slurm(struct lw_doctor *d)
{
    slurm_conf_t *conf = NULL;

    if (!slurm_answers(d))
        return;
    slurm_init(NULL);
    if (slurm_load_ctl_conf(0, &conf)) {
        lw_doctor_say(d, LW_HEALTH_BAD, "slurm", "%s", slurm_strerror(errno));
    } else {
        set_role(d, conf);
        version_health(d, conf);
        submit_health(d, conf);
        spank_health(d, conf);
        topology_conf(d, conf);
        cluster_health(d);
        slurm_free_ctl_conf(conf);
    }
    slurm_fini();
}
