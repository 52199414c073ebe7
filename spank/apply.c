/* SPDX-License-Identifier: GPL-2.0-or-later */
/* apply.c - user_init: the step-wide environment and what tasks will need */
#include "config.h"

#include "lib/buf.h"
#include "spank/apply.h"
#include "spank/env.h"
#include "topology/node/ncclconf.h"
#include "topology/node/siteenv.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Steps from here on are the interactive, batch and extern ones
 * (slurm/slurm.h: SLURM_INTERACTIVE_STEP is the lowest). What we set there
 * would reach every srun inside as if the user had set it. */
#define FIRST_SPECIAL_STEP 0xfffffffaU

#define NCCL_CONF "/etc/nccl.conf"

/* What user_init works with besides the state it fills. */
struct work {
    spank_t sp;
    struct lw_step_state *s;
    struct lw_nccl_conf *conf;
    struct lw_buf note; /* LEAFWARD_NOTE */
};

static const char *const visible_names[] = {
    "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK", NULL};

const char *lw_apply_visible(spank_t sp)
{
    const char *value = NULL;
    size_t i;

    for (i = 0; visible_names[i] && !(value && *value); i++)
        value = lw_env_get(sp, visible_names[i]);
    return value;
}

static char *copy(const char *s)
{
    return s ? strdup(s) : NULL;
}

/* Log and remember why nothing is done; a strict site fails its tasks. */
static void give_up(struct lw_step_state *s, const char *why)
{
    slurm_info("leafward: %s; the step starts as Slurm made it", why);
    if (s->settings && s->settings->strict)
        snprintf(s->failure, sizeof(s->failure), "%.*s",
                 (int)sizeof(s->failure) - 1, why);
}

/* slurmstepd has the node's name in its own environment before any plugin
 * runs (src/slurmd/slurmstepd/slurmstepd.c, _init_from_slurmd()). The host
 * name is another one under `slurmd -N`. */
static const char *node_name(spank_t sp, char *buf, size_t size)
{
    const char *name = getenv("SLURMD_NODENAME");

    if (!name || !*name)
        name = lw_env_get(sp, "SLURMD_NODENAME");
    if (name && *name)
        return name;
    if (gethostname(buf, size) < 0)
        return "";
    buf[size - 1] = '\0';
    buf[strcspn(buf, ".")] = '\0';
    return buf;
}

static int read_boot_id(char *out, size_t size)
{
    FILE *fp = fopen("/proc/sys/kernel/random/boot_id", "re");
    char *line = fp ? fgets(out, (int)size, fp) : NULL;

    if (fp)
        fclose(fp);
    if (!line)
        return -1;
    out[strcspn(out, "\n")] = '\0';
    return 0;
}

/* An inventory of another node, or from before a reboot that may have
 * renumbered the devices, is worse than none. */
static int check_inventory(const struct lw_inventory *inv, const char *node,
                           const char *path, lw_error_t *err)
{
    char boot[64];

    if (*inv->node && strcmp(inv->node, node) != 0)
        return lw_err(err, "%s: is of node %s, this is %s", path, inv->node,
                      node);
    if (*inv->boot_id && read_boot_id(boot, sizeof(boot)) == 0 &&
        strcmp(boot, inv->boot_id) != 0)
        return lw_err(err,
                      "%s: is older than this boot (run leafward node "
                      "--inventory)",
                      path);
    return 0;
}

static int load_inventory(struct work *w, lw_error_t *err)
{
    struct lw_step_state *s = w->s;
    char host[256];
    const char *node = node_name(w->sp, host, sizeof(host));
    char *path = lw_inventory_path(s->settings->inventory, node, err);
    int rc = -1;

    if (path && (s->inv = lw_inventory_load(path, err)))
        rc = check_inventory(s->inv, node, path, err);
    free(path);
    return rc;
}

static int load_settings(struct work *w, const char *conf)
{
    lw_error_t err = {0};
    struct lw_step_state *s = w->s;

    s->settings = lw_settings_load(lw_settings_path(conf), &err);
    if (!s->settings) {
        give_up(s, "out of memory");
        return -1;
    }
    if (err.text[0])
        slurm_info("leafward: %s; using the defaults", err.text);
    return 0;
}

static int load_node(struct work *w)
{
    lw_error_t why = {0};
    struct lw_step_state *s = w->s;

    if (load_inventory(w, &why) < 0) {
        give_up(s, why.text);
        return -1;
    }
    lw_rails_refresh(s->inv, s->settings->sysfs);
    lw_rails_find(s->inv, s->settings->port_down, &s->rails);
    return 0;
}

static void note(struct work *w, const char *what, const char *why)
{
    lw_buf_printf(&w->note, "%s%s: %s", w->note.len ? "; " : "", what, why);
}

/* Why 'name' must be left as it is, NULL when it may be set. A value that is
 * our own of an outer step, of another node perhaps, may be replaced. */
static const char *taken(struct work *w, const char *name, const char *ours)
{
    const char *now = lw_env_get(w->sp, name);

    if (now && !(ours && strcmp(now, ours) == 0))
        return *now ? "kept as the user set it" : "kept empty by the user";
    return lw_nccl_conf_sets(w->conf, name);
}

/* NCCL_IB_HCA as an outer step of ours set it: "=" and LEAFWARD_RAILS. */
static char *inherited_hca(struct work *w)
{
    const char *rails = lw_env_get(w->sp, "LEAFWARD_RAILS");
    struct lw_buf b = LW_BUF_INIT(4096);

    if (!rails)
        return NULL;
    lw_buf_printf(&b, "=%s", rails);
    return lw_buf_take(&b);
}

static void set_hca(struct work *w)
{
    struct lw_step_state *s = w->s;
    char *hca = lw_rails_hca(s->inv, &s->rails), *outer = inherited_hca(w);
    const char *kept = taken(w, "NCCL_IB_HCA", outer);
    char why[120];

    if (!hca) {
        note(w, "NCCL_IB_HCA not set",
             s->rails.none ? s->rails.none : "out of memory");
    } else if (kept) {
        note(w, "NCCL_IB_HCA", kept);
    } else if (lw_env_set(w->sp, "NCCL_IB_HCA", hca) == 0) {
        snprintf(why, sizeof(why), "%zu of %zu compute rails%s%s", s->rails.n,
                 s->rails.nall, *s->inv->rails_by ? ", told by the " : "",
                 s->inv->rails_by);
        note(w, "NCCL_IB_HCA set", why);
    }
    if (hca)
        lw_env_set(w->sp, "LEAFWARD_RAILS", hca + 1);
    free(hca);
    free(outer);
}

static bool applies(const struct lw_env_setting *e, const char *partition,
                    const char *node)
{
    if (e->partition && (!partition || strcmp(e->partition, partition) != 0))
        return false;
    return !e->nodes || lw_site_matches(e->nodes, node);
}

/* True when a later section that applies sets the same variable. */
static bool overruled(const struct lw_settings *s, size_t i,
                      const char *partition, const char *node)
{
    size_t k;

    for (k = i + 1; k < s->nenv; k++)
        if (strcmp(s->env[k].name, s->env[i].name) == 0 &&
            applies(&s->env[k], partition, node))
            return true;
    return false;
}

static void set_site(struct work *w, const struct lw_env_setting *e)
{
    static const struct lw_site_probe probe = {lw_interface_up, NULL};
    struct lw_buf value = LW_BUF_INIT(1024);
    const char *why = NULL, *kept = taken(w, e->name, NULL);

    if (kept)
        note(w, e->name, kept);
    else if (strcmp(e->name, "OMP_NUM_THREADS") == 0)
        w->s->omp = strcmp(e->value, "cores") == 0;
    else if (strcmp(e->name, "UCX_NET_DEVICES") == 0)
        w->s->ucx = strcmp(e->value, "near") == 0;
    else if (!lw_site_value(e->name, e->value, &probe, &value, &why))
        slurm_info("leafward: %s = %s of leafward.conf is not set: %s", e->name,
                   e->value, why);
    else if (lw_env_set(w->sp, e->name, value.text) == 0)
        note(w, e->name, "set by the site");
    lw_buf_free(&value);
}

/* What the site wants, the later section over the earlier one. */
static void set_site_environment(struct work *w)
{
    const struct lw_settings *s = w->s->settings;
    const char *partition = lw_env_get(w->sp, "SLURM_JOB_PARTITION");
    char host[256], *copied = copy(partition);
    const char *node = node_name(w->sp, host, sizeof(host));
    size_t i;

    for (i = 0; i < s->nenv; i++)
        if (applies(&s->env[i], copied, node) && !overruled(s, i, copied, node))
            set_site(w, &s->env[i]);
    free(copied);
}

/* A rail that is down on one node makes the counts differ between nodes,
 * which NCCL answers with a hang at worst: say it loudly. */
static void check_ports(struct work *w)
{
    static const char *const doing[] = {"left out of NCCL_IB_HCA",
                                        "named in NCCL_IB_HCA all the same",
                                        "the tasks fail"};
    struct lw_step_state *s = w->s;

    if (!s->rails.down)
        return;
    slurm_error("leafward: %zu of %zu compute rails down (%s): %s",
                s->rails.down, s->rails.nall, s->rails.names,
                doing[s->settings->port_down]);
    note(w, "rails down", s->rails.names);
    if (s->settings->port_down == LW_PORT_FAIL)
        snprintf(s->failure, sizeof(s->failure), "compute rails down: %.150s",
                 s->rails.names);
}

/* Where this node stands in the step. What an outer step had of it, perhaps
 * on other nodes, goes. */
static void set_place(struct work *w)
{
    struct lw_step_state *s = w->s;
    char host[256], rank[24];
    const char *node = node_name(w->sp, host, sizeof(host));

    lw_env_unset(w->sp, "LEAFWARD_NODE_RANK");
    lw_env_unset(w->sp, "LEAFWARD_HOSTFILE");
    if (lw_nodes_find(w->sp, s->settings, node, &s->nodes) < 0)
        return;
    snprintf(rank, sizeof(rank), "%ld", s->nodes.rank);
    lw_env_set(w->sp, "LEAFWARD_NODE_RANK", rank);
}

static void set_environment(struct work *w)
{
    struct lw_step_state *s = w->s;

    if (!s->settings->set_nccl) {
        note(w, "NCCL_IB_HCA not set", "set_nccl = no");
        return;
    }
    w->conf = lw_nccl_conf_read(lw_env_get(w->sp, "NCCL_CONF_FILE"),
                                lw_env_get(w->sp, "HOME"), NCCL_CONF);
    if (s->gpus.mig)
        note(w, "NCCL_IB_HCA not set", "NCCL does not work across MIG slices");
    else
        set_hca(w);
    set_site_environment(w);
    if (*s->inv->group)
        lw_env_set(w->sp, "LEAFWARD_GROUP", s->inv->group);
}

/* The same masks in the same order; srun turns 0x0f into f. */
static bool same_masks(const char *a, const char *b)
{
    struct lw_cpus x, y;
    size_t na, nb;

    while (*a && *b) {
        na = strcspn(a, ",");
        nb = strcspn(b, ",");
        if (lw_cpus_parse_mask(a, na, &x, NULL) < 0 ||
            lw_cpus_parse_mask(b, nb, &y, NULL) < 0 || !lw_cpus_equal(&x, &y))
            return false;
        a += na + (a[na] == ',');
        b += nb + (b[nb] == ',');
    }
    return !*a && !*b;
}

/* srun puts what the user asked for into the client's environment before
 * defaults apply, and only user_init still sees it: in the task "nothing
 * asked" has become mask_cpu as well (srun's setup_env(), lllp_distribution()
 * in slurmd). A nested srun inherits the outer task's masks, which our marker
 * tells from a wish. */
static bool user_bound(spank_t sp)
{
    const char *type = lw_env_get(sp, "SLURM_CPU_BIND_TYPE");
    const char *list = lw_env_get(sp, "SLURM_CPU_BIND_LIST");
    const char *seen = lw_env_get(sp, "LEAFWARD_OUTER_BIND");

    if (!type || !*type)
        return false;
    return !(list && seen && same_masks(list, seen));
}

static void decide_binding(struct work *w)
{
    struct lw_step_state *s = w->s;
    const char *memory = lw_env_get(w->sp, "SLURM_MEM_BIND_TYPE");

    if (!s->settings->bind_cpus)
        s->bind_note = "bind_cpus = no";
    else if (user_bound(w->sp))
        s->bind_note = "kept as the user asked";
    else
        s->bind = true;
    s->memory = s->bind && s->settings->bind_memory &&
                (!memory || !*memory || strcmp(memory, "none") == 0);
}

/* True when Slurm gave the step GPUs on this node. */
static bool has_gpus(struct work *w)
{
    const char *count = lw_env_get(w->sp, "SLURM_GPUS_ON_NODE");

    return (w->s->visible && *w->s->visible) ||
           (w->s->granted && *w->s->granted) || (count && atol(count) > 0);
}

static void find_gpus(struct work *w)
{
    struct lw_step_state *s = w->s;
    const char *count = lw_env_get(w->sp, "SLURM_GPUS_ON_NODE");
    struct lw_visible_env env = {s->visible, s->granted,
                                 count ? strtol(count, NULL, 10) : -1};

    lw_visible_step(s->inv, &env, &s->gpus);
    if (s->gpus.trouble)
        slurm_info("leafward: %s; tasks are not bound", s->gpus.trouble);
}

void lw_apply_step(spank_t sp, const char *conf, struct lw_step_state *s)
{
    struct work w = {.sp = sp, .s = s, .note = LW_BUF_INIT(2048)};

    if (s->options.off || lw_item(sp, S_JOB_STEPID, 0) >= FIRST_SPECIAL_STEP)
        return;
    s->visible = copy(lw_apply_visible(sp));
    s->granted = copy(lw_env_get(sp, "SLURM_STEP_GPUS"));
    if (!has_gpus(&w) || load_settings(&w, conf) < 0)
        return;
    set_place(&w);
    if (load_node(&w) < 0)
        return;
    find_gpus(&w);
    if (s->gpus.count == 0)
        return;
    if (sched_getaffinity(0, sizeof(s->base), (cpu_set_t *)(void *)&s->base) <
        0)
        memset(&s->base, 0xff, sizeof(s->base));
    check_ports(&w);
    set_environment(&w);
    decide_binding(&w);
    if (w.note.len)
        lw_env_set(sp, "LEAFWARD_NOTE", lw_buf_text(&w.note));
    lw_nccl_conf_destroy(w.conf);
    lw_buf_free(&w.note);
}

void lw_apply_launch(spank_t sp, struct lw_step_state *s)
{
    char host[256];

    if (!s->settings || s->launched)
        return;
    s->launched = true;
    lw_nodes_write(&s->nodes);
    lw_launch_log(sp, s, node_name(sp, host, sizeof(host)), &s->launch);
}

void lw_apply_free(struct lw_step_state *s)
{
    lw_launch_free(&s->launch);
    lw_nodes_free(&s->nodes);
    lw_settings_destroy(s->settings);
    lw_inventory_destroy(s->inv);
    free(s->granted);
    free(s->visible);
    memset(s, 0, sizeof(*s));
}
