/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_node.c - `leafward node`: this node's inventory, and plans from it */
#include "config.h"

#include "cli/cli.h"
#include "cli/table.h"
#include "lib/buf.h"
#include "lib/file.h"
#include "lib/plural.h"
#include "topology/fabric/map.h"
#include "topology/node/assign.h"
#include "topology/node/discover.h"
#include "topology/node/match.h"
#include "topology/node/order.h"
#include "topology/node/plan.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    OPT_INVENTORY = 256,
    OPT_PLAN,
    OPT_XML,
    OPT_ROOT,
    OPT_FROM,
    OPT_NODE,
    OPT_WRITE,
    OPT_STALE,
    OPT_MIG,
    OPT_VISIBLE,
    OPT_GRANTED,
    OPT_CPUS
};

static const struct argp_option options[] = {
    {"inventory", OPT_INVENTORY, NULL, 0,
     "Show or write the inventory (the default)", 0},
    {"plan", OPT_PLAN, NULL, 0, "Show the plan for a step", 0},
    {"json", 'j', NULL, 0, "Print JSON for programs", 0},
    {"xml", OPT_XML, "FILE", 0, "Read hwloc's XML instead of this machine", 1},
    {"root", OPT_ROOT, "DIR", 0, "Read sys/ and proc/ below DIR", 1},
    {"from", OPT_FROM, "FILE", 0, "Read a written inventory instead", 1},
    {"mig", OPT_MIG, "FILE", 0,
     "Take MIG instances from the output of nvidia-smi -L in FILE", 1},
    {"map", 'm', "MAP", 0, "The fabric map (default: from leafward.conf)", 1},
    {"node", OPT_NODE, "NAME", 0, "Slurm's name of the node", 1},
    {"output", 'o', "FILE", 0, "Write the inventory to FILE", 2},
    {"write", OPT_WRITE, NULL, 0,
     "Write it where leafward.conf says (inventory =)", 2},
    {"if-stale", OPT_STALE, NULL, 0,
     "Only when it is of another boot or other devices", 2},
    {"visible", OPT_VISIBLE, "LIST", 0,
     "The step's CUDA_VISIBLE_DEVICES (default: all GPUs)", 3},
    {"granted", OPT_GRANTED, "LIST", 0, "The step's SLURM_STEP_GPUS", 3},
    {"ntasks", 'n', "N", 0, "Tasks on the node (default: one a GPU)", 3},
    {"cpus", OPT_CPUS, "LIST", 0,
     "CPUs that Slurm gave the step (default: all)", 3},
    {NULL, 0, NULL, 0, NULL, 0},
};

struct arguments {
    bool plan, json, write, stale;
    const char *xml, *root, *from, *mig, *map, *node, *output;
    const char *visible, *granted, *cpus;
    long ntasks; /* -1: one a GPU */
};

static error_t parse_count(char *arg, long *out, struct argp_state *state)
{
    char *end;

    *out = strtol(arg, &end, 10);
    if (end == arg || *end || *out < 1 || *out > LW_PLAN_TASKS)
        argp_error(state, "--ntasks takes a number from 1 to %d",
                   LW_PLAN_TASKS);
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;

    switch (key) {
    case OPT_INVENTORY:
        a->plan = false;
        return 0;
    case OPT_PLAN:
        a->plan = true;
        return 0;
    case 'j':
        a->json = true;
        return 0;
    case OPT_XML:
        a->xml = arg;
        return 0;
    case OPT_ROOT:
        a->root = arg;
        return 0;
    case OPT_FROM:
        a->from = arg;
        return 0;
    case OPT_MIG:
        a->mig = arg;
        return 0;
    case 'm':
        a->map = arg;
        return 0;
    case OPT_NODE:
        a->node = arg;
        return 0;
    case 'o':
        a->output = arg;
        return 0;
    case OPT_WRITE:
        a->write = true;
        return 0;
    case OPT_STALE:
        a->stale = true;
        return 0;
    case OPT_VISIBLE:
        a->visible = arg;
        return 0;
    case OPT_GRANTED:
        a->granted = arg;
        return 0;
    case OPT_CPUS:
        a->cpus = arg;
        return 0;
    case 'n':
        return parse_count(arg, &a->ntasks, state);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Slurm's name of this node: given, or what slurmd set, or the host name
 * without its domain; "" for a file of another machine. */
static const char *node_name(const struct arguments *a, char *buf, size_t size)
{
    const char *name = a->node ? a->node : getenv("SLURMD_NODENAME");

    if (name && *name)
        return name;
    if (a->xml || gethostname(buf, size) < 0)
        return "";
    buf[size - 1] = '\0';
    buf[strcspn(buf, ".")] = '\0';
    return buf;
}

static int take_mig(struct lw_inventory *inv, const char *path, lw_error_t *err)
{
    size_t len;
    char *text = lw_file_read(path, 1 << 20, &len, NULL, err);
    int rc = text ? lw_discover_mig(inv, text) : -1;

    free(text);
    return rc < 0 ? lw_err(err, "out of memory") : 0;
}

/* The map, when there is one: an explicit one must be readable, the
 * configured one may be missing on a node that was never given it. */
static int take_rails(struct lw_inventory *inv, const struct arguments *a,
                      const struct lw_settings *s, lw_error_t *err)
{
    const char *path = a->map ? a->map : s->map;
    struct lw_map *map = NULL;
    int rc = 0;

    if (a->map || (!a->xml && access(path, F_OK) == 0)) {
        map = lw_map_load(path, err);
        if (!map && a->map)
            return -1;
        if (!map)
            fprintf(stderr, "leafward node: warning: %s\n", err->text);
        err->text[0] = '\0';
    }
    if (map && lw_map_find_node(map, inv->node) < 0)
        fprintf(stderr, "leafward node: warning: %s: has no node '%s'\n", path,
                inv->node);
    rc = lw_rails_assign(inv, map, s->rails, err);
    lw_map_destroy(map);
    return rc;
}

#ifdef HAVE_HWLOC
static struct lw_inventory *discover(const struct arguments *a,
                                     const struct lw_settings *s,
                                     lw_error_t *err)
{
    struct lw_inventory *inv =
        lw_inventory_discover(a->xml, a->root ? a->root : "", err);
    char host[256];

    if (inv && (!(inv->node = lw_inventory_text(
                      inv, node_name(a, host, sizeof(host)))) ||
                (a->mig && take_mig(inv, a->mig, err) < 0) ||
                take_rails(inv, a, s, err) < 0)) {
        lw_inventory_destroy(inv);
        inv = NULL;
    }
    return inv;
}
#else
static struct lw_inventory *discover(const struct arguments *a,
                                     const struct lw_settings *s,
                                     lw_error_t *err)
{
    (void)take_rails;
    (void)take_mig;
    (void)node_name;
    (void)a;
    (void)s;
    lw_err(err, "this leafward was built without hwloc (Debian: "
                "libhwloc-dev); only --from FILE works");
    return NULL;
}
#endif

/* A number for people: "-" when it is unknown. */
struct number {
    char text[16];
};

static struct number number(int n)
{
    struct number out = {"-"};

    if (n >= 0)
        snprintf(out.text, sizeof(out.text), "%d", n);
    return out;
}

static const struct lw_column gpus_columns[] = {
    {"gpu", "GPU", 0},
    {"pci", "PCI", 0},
    {"vendor", "VENDOR", 0},
    {"minor", "MINOR", 0},
    {"numa", "NUMA", 0},
    {"model", "MODEL", 0},
    {0},
};

static void show_gpus(const struct lw_inventory *inv)
{
    struct lw_sheet t;
    size_t i;

    lw_sheet_init(&t, "gpus", gpus_columns);
    for (i = 0; i < inv->ngpus; i++) {
        const struct lw_gpu *g = &inv->gpus[i];

        lw_table_row(&t, "%d\t%s\t%s\t%s\t%s\t%s",
                     g->index >= 0 ? g->index : (int)i, g->pci,
                     lw_gpu_vendor_word(g->vendor), number(g->minor).text,
                     number(g->numa).text, *g->name ? g->name : "-");
    }
    lw_table_print(&t);
}

static const struct lw_column nics_columns[] = {
    {"nic", "NIC", 0},   {"rail", "RAIL", 0},   {"pci", "PCI", 0},
    {"link", "LINK", 0}, {"state", "STATE", 0}, {"gb_per_s", "GB/S", 0},
    {"numa", "NUMA", 0}, {"nccl", "NCCL", 0},   {0},
};

static void show_nics(const struct lw_inventory *inv)
{
    struct lw_sheet t;
    size_t i;

    lw_sheet_init(&t, "nics", nics_columns);
    for (i = 0; i < inv->nnics; i++) {
        const struct lw_nic *n = &inv->nics[i];

        lw_table_row(&t, "%s:%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s", n->device,
                     n->port, number(n->rail).text, n->pci,
                     lw_link_word(n->link), lw_port_state_word(n->state),
                     number(n->rate).text, number(n->numa).text,
                     n->verbs ? "yes" : "no");
    }
    lw_table_print(&t);
}

static int show_inventory(const struct lw_inventory *inv)
{
    struct lw_rails rails;
    struct lw_cpus all;
    char *hca;

    lw_inventory_cpus(inv, &all);
    lw_rails_find(inv, LW_PORT_KEEP, &rails);
    hca = lw_rails_hca(inv, &rails);
    printf("%s: %zu %s in %zu %s on %zu NUMA %s, %zu %s, %zu NIC %s",
           *inv->node ? inv->node : "node", lw_cpus_count(&all),
           lw_plural(lw_cpus_count(&all), "CPU", "CPUs"), inv->ncores,
           lw_plural(inv->ncores, "core", "cores"), inv->nnumas,
           lw_plural(inv->nnumas, "node", "nodes"), inv->ngpus,
           lw_plural(inv->ngpus, "GPU", "GPUs"), inv->nnics,
           lw_plural(inv->nnics, "port", "ports"));
    if (*inv->group)
        printf(", group %s", inv->group);
    putchar('\n');
    if (inv->ngpus)
        show_gpus(inv);
    if (inv->nnics)
        show_nics(inv);
    if (hca)
        printf("NCCL_IB_HCA%s (told by the %s)\n", hca, inv->rails_by);
    else
        printf("no NCCL_IB_HCA: %s\n", rails.none);
    free(hca);
    return LW_EXIT_OK;
}

/* True when the inventory at 'path' is of this boot and these devices. */
static bool fresh(const char *path)
{
    struct lw_inventory *inv = lw_inventory_load(path, NULL);
    char digest[17] = "", boot[64] = "";
    FILE *fp = fopen("/proc/sys/kernel/random/boot_id", "re");
    bool ok;

    if (fp && fgets(boot, sizeof(boot), fp))
        boot[strcspn(boot, "\n")] = '\0';
    if (fp)
        fclose(fp);
#ifdef HAVE_HWLOC
    lw_discover_digest("", digest);
#endif
    ok = inv && strcmp(inv->boot_id, boot) == 0 &&
         strcmp(inv->devices, digest) == 0;
    lw_inventory_destroy(inv);
    return ok;
}

static int write_inventory(const struct lw_inventory *inv, const char *path)
{
    lw_error_t err = {0};
    size_t len;
    char *text = lw_inventory_print(inv, &len, &err);
    int rc = -1;

    if (text)
        rc = path ? lw_file_replace(path, text, len, 0644, &err)
                  : -(fputs(text, stdout) == EOF);
    free(text);
    return rc < 0 ? lw_cli_fail("%s", err.text) : LW_EXIT_OK;
}

/* True when the order file is younger than the map that it is made of. */
static bool ordered(const char *map, const char *order)
{
    struct lw_file_id m, o;

    return lw_file_stat(map, &m) == 0 && lw_file_stat(order, &o) == 0 &&
           (o.mtime.tv_sec > m.mtime.tv_sec ||
            (o.mtime.tv_sec == m.mtime.tv_sec &&
             o.mtime.tv_nsec > m.mtime.tv_nsec));
}

/* What slurmstepd needs of the map, beside the inventory. A node without it
 * has steps without a topology order, nothing worse, so the inventory counts
 * as written all the same. */
static void write_order(const struct arguments *a, const struct lw_settings *s)
{
    const char *path = a->map ? a->map : s->map;
    struct lw_buf b = LW_BUF_INIT(LW_ORDER_LIMIT);
    struct lw_map *map = NULL;
    lw_error_t err = {0};

    if (!*s->order || access(path, F_OK) < 0 ||
        (a->stale && ordered(path, s->order)))
        return;
    map = lw_map_load(path, &err);
    if (map && lw_order_print(map, &b) < 0)
        lw_err(&err, "out of memory");
    else if (map)
        lw_file_replace(s->order, b.text, b.len, 0644, &err);
    if (err.text[0])
        fprintf(stderr, "leafward node: warning: no node order: %s\n",
                err.text);
    lw_map_destroy(map);
    lw_buf_free(&b);
}

static int inventory(const struct arguments *a, const struct lw_settings *s)
{
    lw_error_t err = {0};
    struct lw_inventory *inv = NULL;
    char host[256], *path = NULL;
    int code;

    if (a->write)
        path = lw_inventory_path(s->inventory, node_name(a, host, sizeof(host)),
                                 &err);
    else if (a->output)
        path = strdup(a->output);
    if ((a->write || a->output) && !path)
        return lw_cli_fail("%s", err.text);
    if (a->write)
        write_order(a, s);
    if (a->stale && path && fresh(path)) {
        free(path);
        return LW_EXIT_OK;
    }
    inv = a->from ? lw_inventory_load(a->from, &err) : discover(a, s, &err);
    if (!inv)
        code = lw_cli_fail("%s", err.text);
    else if (path || a->json)
        code = write_inventory(inv, path);
    else
        code = show_inventory(inv);
    lw_inventory_destroy(inv);
    free(path);
    return code;
}

/* Numbers of all GPUs, as a step that was given the whole node sees them. */
static char *all_gpus(const struct lw_inventory *inv)
{
    struct lw_buf b = LW_BUF_INIT(1 << 16);
    size_t i;

    for (i = 0; i < inv->ngpus; i++)
        lw_buf_printf(&b, "%s%zu", i ? "," : "", i);
    return lw_buf_take(&b);
}

static json_t *task_json(const struct lw_inventory *inv,
                         const struct lw_plan *plan,
                         const struct lw_task_plan *t)
{
    json_t *o = json_object(), *gpus = json_array(), *nics = json_array();
    struct lw_buf b = LW_BUF_INIT(LW_CPUS_MAX * 6);
    size_t i;

    lw_cpus_print(&t->cpus, &b);
    json_object_set_new(o, "cpus", json_string(lw_buf_text(&b)));
    for (i = t->first; i < t->first + t->n; i++) {
        json_array_append_new(gpus, json_integer(plan->gpus.gpus[i]));
        json_array_append_new(
            nics, plan->nic[i] < 0
                      ? json_null()
                      : json_string(inv->nics[plan->nic[i]].device));
    }
    json_object_set_new(o, "gpus", gpus);
    json_object_set_new(o, "nics", nics);
    lw_buf_free(&b);
    return o;
}

static int print_plan_json(const struct lw_inventory *inv,
                           const struct lw_plan *plan, const char *hca)
{
    json_t *root = json_object(), *tasks = json_array();
    size_t i;
    int rc;

    json_object_set_new(root, "schema", json_integer(1));
    json_object_set_new(root, "nccl_ib_hca",
                        hca ? json_string(hca) : json_null());
    json_object_set_new(root, "unbound",
                        plan->unbound ? json_string(plan->unbound)
                                      : json_null());
    for (i = 0; i < plan->ntasks; i++)
        json_array_append_new(tasks, task_json(inv, plan, &plan->tasks[i]));
    json_object_set_new(root, "tasks", tasks);
    rc = json_dumpf(root, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(root);
    return rc < 0 ? lw_cli_fail("out of memory") : LW_EXIT_OK;
}

static int print_plan(const struct lw_inventory *inv,
                      const struct lw_plan *plan, const struct lw_rails *rails,
                      const char *hca)
{
    struct lw_buf b = LW_BUF_INIT(1 << 22);

    if (hca)
        printf("NCCL_IB_HCA%s\n", hca);
    else
        printf("no NCCL_IB_HCA: %s\n", rails->none);
    if (plan->unbound)
        printf("CPUs stay as Slurm gives them: %s\n", plan->unbound);
    lw_plan_table(inv, plan, &b);
    fputs(lw_buf_text(&b), stdout);
    lw_buf_free(&b);
    return LW_EXIT_OK;
}

static int plan_step(const struct arguments *a, const struct lw_settings *s,
                     const struct lw_inventory *inv, const char *visible)
{
    struct lw_visible_env env = {visible, a->granted, -1};
    struct lw_visible gpus;
    struct lw_rails rails;
    struct lw_cpus allowed;
    struct lw_step step = {&gpus, &allowed, 1};
    lw_error_t err = {0};
    struct lw_plan *plan;
    char *hca;
    int code;

    lw_inventory_cpus(inv, &allowed);
    if (a->cpus && lw_cpus_parse(a->cpus, strlen(a->cpus), &allowed, &err) < 0)
        return lw_cli_fail("--cpus: %s", err.text);
    lw_visible_step(inv, &env, &gpus);
    step.ntasks = a->ntasks > 0 ? (size_t)a->ntasks : gpus.n ? gpus.n : 1;
    lw_rails_find(inv, (enum lw_port_down)s->port_down, &rails);
    if (!(plan = lw_plan_create(inv, &rails, &step)))
        return lw_cli_fail("out of memory");
    hca = lw_rails_hca(inv, &rails);
    code = a->json ? print_plan_json(inv, plan, hca)
                   : print_plan(inv, plan, &rails, hca);
    free(hca);
    lw_plan_destroy(plan);
    return code;
}

static int plan(const struct arguments *a, const struct lw_settings *s)
{
    lw_error_t err = {0};
    struct lw_inventory *inv = NULL;
    char host[256], *path = NULL, *visible = NULL;
    int code;

    if (a->from)
        inv = lw_inventory_load(a->from, &err);
    else if (a->xml || a->root)
        inv = discover(a, s, &err);
    else if ((path = lw_inventory_path(s->inventory,
                                       node_name(a, host, sizeof(host)), &err)))
        inv = lw_inventory_load(path, &err);
    free(path);
    if (!inv)
        return lw_cli_fail("%s", err.text);
    if (!a->visible && !a->granted)
        visible = all_gpus(inv);
    code = plan_step(a, s, inv, a->visible ? a->visible : visible);
    free(visible);
    lw_inventory_destroy(inv);
    return code;
}

int lw_cmd_node(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        NULL,
        "Show this node's GPUs, NICs and rails, or the plan for a step.\v"
        "The SPANK plugin reads what --inventory --write leaves; a systemd "
        "unit runs it before slurmd starts.",
        NULL,
        NULL,
        NULL};
    struct arguments a = {.ntasks = -1};
    struct lw_settings *s;
    int code;

    if (argp_parse(&argp, argc, argv, 0, NULL, &a))
        return LW_EXIT_USAGE;
    if (!(s = lw_cli_settings()))
        return lw_cli_fail("out of memory");
    code = a.plan ? plan(&a, s) : inventory(&a, s);
    lw_settings_destroy(s);
    return code;
}
