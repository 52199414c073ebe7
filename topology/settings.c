/* SPDX-License-Identifier: GPL-2.0-or-later */
/* settings.c - /etc/leafward/leafward.conf, one file for all parts */
#include "config.h"

#include "lib/conf.h"
#include "lib/file.h"
#include "topology/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SETTINGS_LIMIT (1024 * 1024)
#define DAY            86400L

#define TEXT(sec, key, member, preset)                                         \
    {                                                                          \
        sec, key, LW_CONF_TEXT, offsetof(struct lw_settings, member), preset,  \
            "", 0, 0                                                           \
    }
#define BOOL(sec, key, member, preset)                                         \
    {                                                                          \
        sec, key, LW_CONF_BOOL, offsetof(struct lw_settings, member), preset,  \
            "", 0, 0                                                           \
    }
#define COUNT(sec, key, member, preset, lo, hi)                                \
    {                                                                          \
        sec, key, LW_CONF_COUNT, offsetof(struct lw_settings, member), preset, \
            "", lo, hi                                                         \
    }
#define SECONDS(sec, key, member, preset, lo, hi)                              \
    {                                                                          \
        sec, key, LW_CONF_SECONDS, offsetof(struct lw_settings, member),       \
            preset, "", lo, hi                                                 \
    }
#define PERCENT(sec, key, member, preset)                                      \
    {                                                                          \
        sec, key, LW_CONF_PERCENT, offsetof(struct lw_settings, member),       \
            preset, "", 0, 0                                                   \
    }
#define CHOICE(sec, key, member, preset, words)                                \
    {                                                                          \
        sec, key, LW_CONF_CHOICE, offsetof(struct lw_settings, member),        \
            preset, words, 0, 0                                                \
    }

static const struct lw_conf_key keys[] = {
    TEXT("leafward", "map", map, LW_STATEDIR "/map.json"),
    TEXT("leafward", "state", state, LW_STATEDIR "/state.json"),
    TEXT("leafward", "log", log, LW_LOGDIR "/placement.jsonl"),
    TEXT("discover", "command", discover_command, "ibnetdiscover"),
    TEXT("discover", "options", discover_options, ""),
    SECONDS("discover", "timeout", discover_timeout, "10m", 1, DAY),
    TEXT("discover", "names", names, ""),
    CHOICE("place", "policy", policy, "pack", "off|pack|spread"),
    CHOICE("place", "messages", messages, "warnings", "off|warnings|all"),
    COUNT("place", "gpus_per_node", gpus_per_node, "0", 0, 1024),
    SECONDS("place", "max_patience", max_patience, "4h", 0, 30 * DAY),
    PERCENT("place", "slowdown", slowdown, "10%"),
    SECONDS("place", "fallback_wait", fallback_wait, "15m", 0, 30 * DAY),
    SECONDS("place", "state_age", state_age, "2m", 1, DAY),
    BOOL("place", "features", features, "no"),
    BOOL("place", "subnode", subnode, "yes"),
    SECONDS("place", "subnode_delay", subnode_delay, "5s", 1, 3600),
    SECONDS("watch", "interval", interval, "5s", 1, 3600),
    TEXT("watch", "metrics", metrics, ""),
    SECONDS("watch", "snapshot_interval", snapshot_interval, "5m", 10, DAY),
    COUNT("watch", "log_size", log_size, "0", 0, 1048576),
    COUNT("watch", "log_keep", log_keep, "30", 0, 100000),
    TEXT("node", "inventory", inventory, LW_RUNDIR "/node.json"),
    BOOL("node", "strict", strict, "no"),
    CHOICE("node", "on_port_down", port_down, "drop", "drop|keep|fail"),
    BOOL("node", "bind_cpus", bind_cpus, "yes"),
    BOOL("node", "bind_memory", bind_memory, "yes"),
    BOOL("node", "set_nccl", set_nccl, "yes"),
    TEXT("node", "order", order, LW_RUNDIR "/order"),
    TEXT("node", "hostfiles", hostfiles, LW_RUNDIR "/steps"),
    TEXT("node", "launch_log", launch_log, ""),
    TEXT("node", "rails", rails, ""),
    TEXT("node", "sysfs", sysfs, "/sys"),
    {NULL, NULL, LW_CONF_TEXT, 0, NULL, NULL, 0, 0},
};

const char *lw_settings_path(const char *given)
{
    const char *env = getenv("LEAFWARD_CONF");

    if (given)
        return given;
    return env && *env ? env : LW_SYSCONFDIR "/leafward.conf";
}

/* Section [partition NAME]. */
static int take_partition(struct lw_settings *s, const char *name,
                          const char *key, const char *value, lw_error_t *err)
{
    static const struct lw_conf_key policy = {
        "partition",
        "policy",
        LW_CONF_CHOICE,
        offsetof(struct lw_partition_policy, policy),
        "pack",
        "off|pack|spread",
        0,
        0};
    struct lw_partition_policy *p, fresh = {0};

    if (strcmp(key, "policy") != 0)
        return 1;
    if (lw_conf_set(&policy, value, &fresh, err) < 0)
        return -1;
    p = realloc(s->partitions, (s->npartitions + 1) * sizeof(*p));
    if (!p)
        return lw_err(err, "out of memory");
    s->partitions = p;
    if (!(fresh.partition = strdup(name)))
        return lw_err(err, "out of memory");
    p[s->npartitions++] = fresh;
    return 0;
}

/* Sections [nccl], [nccl partition NAME] and [nccl nodes PATTERN]; 'scope' is
 * what follows "nccl". The names are checked where they are set, on the
 * node. Returns 1 for another scope. */
static int take_env(struct lw_settings *s, const char *scope, const char *name,
                    const char *value, lw_error_t *err)
{
    static const char partition[] = " partition ", nodes[] = " nodes ";
    struct lw_env_setting *e, fresh = {0};
    const char *in_partition = NULL, *on_nodes = NULL;

    if (strncmp(scope, partition, sizeof(partition) - 1) == 0)
        in_partition = scope + sizeof(partition) - 1;
    else if (strncmp(scope, nodes, sizeof(nodes) - 1) == 0)
        on_nodes = scope + sizeof(nodes) - 1;
    else if (*scope)
        return 1;
    fresh.partition = in_partition ? strdup(in_partition) : NULL;
    fresh.nodes = on_nodes ? strdup(on_nodes) : NULL;
    fresh.name = strdup(name);
    fresh.value = strdup(value);
    e = realloc(s->env, (s->nenv + 1) * sizeof(*s->env));
    if (e)
        s->env = e;
    if (!e || !fresh.name || !fresh.value ||
        (in_partition && !fresh.partition) || (on_nodes && !fresh.nodes)) {
        free(fresh.name);
        free(fresh.value);
        free(fresh.partition);
        free(fresh.nodes);
        return lw_err(err, "out of memory");
    }
    e[s->nenv++] = fresh;
    return 0;
}

static int other(const char *section, const char *name, const char *value,
                 void *target, lw_error_t *err)
{
    static const char prefix[] = "partition ";

    if (strncmp(section, "nccl", 4) == 0)
        return take_env(target, section + 4, name, value, err);
    if (strncmp(section, prefix, sizeof(prefix) - 1) == 0)
        return take_partition(target, section + sizeof(prefix) - 1, name, value,
                              err);
    return 1;
}

static struct lw_settings *defaults(lw_error_t *err)
{
    struct lw_settings *s = calloc(1, sizeof(*s));

    if (s && lw_conf_preset(keys, s, err) < 0) {
        lw_settings_destroy(s);
        s = NULL;
    }
    return s;
}

/* The file decides what root does, so it must be root's (or, for a private
 * cluster, the reader's own). */
static int check_owner(const char *path, lw_error_t *err)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return lw_err(err, "%s: %s", path, strerror(errno));
    if (st.st_uid != 0 && st.st_uid != geteuid())
        return lw_err(err, "%s: is owned by neither root nor this user", path);
    if (st.st_mode & S_IWOTH)
        return lw_err(err, "%s: is writable by others (chmod o-w)", path);
    return 0;
}

struct lw_settings *lw_settings_load(const char *path, lw_error_t *err)
{
    struct lw_settings *s = defaults(err);
    struct stat st;
    char *text = NULL;
    size_t len;

    if (!s || (stat(path, &st) < 0 && errno == ENOENT))
        return s;
    if (check_owner(path, err) < 0 ||
        !(text = lw_file_read(path, SETTINGS_LIMIT, &len, NULL, err)) ||
        lw_conf_parse(text, path, keys, other, s, err) < 0) {
        lw_settings_destroy(s);
        s = defaults(err);
    }
    free(text);
    return s;
}

void lw_settings_destroy(struct lw_settings *s)
{
    int saved = errno;
    size_t i;

    if (!s)
        return;
    for (i = 0; i < s->npartitions; i++)
        free(s->partitions[i].partition);
    for (i = 0; i < s->nenv; i++) {
        free(s->env[i].name);
        free(s->env[i].value);
        free(s->env[i].partition);
        free(s->env[i].nodes);
    }
    free(s->partitions);
    free(s->env);
    lw_conf_free(keys, s);
    free(s);
    errno = saved;
}

enum lw_policy lw_settings_policy(const struct lw_settings *s,
                                  const char *partition)
{
    size_t i;

    for (i = 0; partition && i < s->npartitions; i++)
        if (strcmp(s->partitions[i].partition, partition) == 0)
            return (enum lw_policy)s->partitions[i].policy;
    return (enum lw_policy)s->policy;
}
