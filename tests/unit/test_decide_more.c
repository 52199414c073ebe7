/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_decide_more.c - blocks, features, fabrics, partitions, policies */
#include "config.h"

#include "tests/unit/place_cluster.h"

static void test_block(void)
{
    static const int racks[] = {18, 18, 18, 18};
    static const struct row rows[] = {
        {ASK(.gpus_node = 8, .nodes_min = 36, .nodes_max = 36),
         "rewritten gang groups=2 segment=18"},
        {ASK(.gpus_node = 8, .nodes_min = 32, .nodes_max = 32),
         "rewritten gang groups=2 segment=16"},
        {ASK(.gpus_node = 8, .nodes_min = 48, .nodes_max = 48),
         "rewritten gang groups=3 segment=16"},
        {ASK(.gpus_node = 8, .nodes_min = 37, .nodes_max = 37),
         "untouched gang groups=3"}, /* a prime number */
        {ASK(.gpus_node = 8, .nodes_min = 18, .nodes_max = 18),
         "untouched gang groups=1"}, /* Slurm never splits it by itself */
        /* refused by topology/block as it is: a node count helps */
        {ASK(.gpus_job = 32),
         "rewritten total-gpus nodes=4 per-node=8 groups=1"},
    };
    struct cluster c = cluster_make(racks, 4, 8, NULL);
    static long sizes[] = {18, 36};

    c.state->topology = LW_TOPO_BLOCK;
    c.state->block_sizes = sizes;
    c.state->nblock_sizes = 2;
    cluster_view(&c);
    CHECK_ROWS(rows, c.view);
    c.state->block_sizes = NULL;
    cluster_free(&c);
}

/* The blocks of Slurm are what counts, not the groups of the map. */
static void test_blocks_of_slurm(void)
{
    static const int one[] = {8};
    static const struct row rows[] = {
        {ASK(.gpus_node = 8, .nodes_min = 8, .nodes_max = 8),
         "rewritten gang groups=2 segment=4"},
    };
    struct cluster c = cluster_make(one, 1, 8, NULL);
    size_t i;

    c.state->topology = LW_TOPO_BLOCK;
    for (i = 0; i < 8; i++)
        c.state->nodes[i].block = strdup(i < 4 ? "b1" : "b2");
    cluster_view(&c);
    CHECK_ROWS(rows, c.view);
    cluster_free(&c);
}

static void add_features(struct cluster *c, const char *format, size_t each)
{
    char name[16];
    size_t i;

    for (i = 0; i < c->state->nnodes; i++) {
        snprintf(name, sizeof(name), format, i / each + 1);
        c->state->nodes[i].features = calloc(1, sizeof(char *));
        c->state->nodes[i].features[0] = strdup(name);
        c->state->nodes[i].nfeatures = 1;
    }
}

static void test_flat(void)
{
    static const struct row off[] = {
        {ASK(.gpus_node = 8, .nodes_min = 4, .nodes_max = 4),
         "untouched gang groups=1"},
    };
    static const struct row on[] = {
        /* g2 is the fullest that can start it now */
        {ASK(.gpus_node = 8, .nodes_min = 3, .nodes_max = 3),
         "rewritten gang groups=1 features=[g2|g3|g4|g1]"},
        {ASK(.gpus_node = 8, .nodes_min = 5, .nodes_max = 5),
         "untouched gang groups=2"},
        {ASK(.gpus_node = 8, .nodes_min = 3, .nodes_max = 3, .features = "g1"),
         "untouched gang groups=1"},
    };
    struct cluster c = cluster_make(four, 4, 8, NULL);

    c.state->topology = LW_TOPO_FLAT;
    add_features(&c, "g%zu", 4);
    c.state->nodes[0].state = c.state->nodes[1].state = LW_NODE_FULL;
    c.state->nodes[4].state = LW_NODE_FULL;
    cluster_view(&c);
    CHECK_ROWS(off, c.view);
    c.settings->features = 1;
    cluster_view(&c);
    CHECK_ROWS(on, c.view);
    /* a group whose name is not a feature of all its nodes is none */
    c.state->nodes[15].nfeatures = 0;
    free(c.state->nodes[15].features[0]);
    cluster_view(&c);
    lw_check_str(shown(&on[0].request, c.view),
                 "rewritten gang groups=1 features=[g2|g3|g1]");
    cluster_free(&c);
}

/* 512 groups: at most 60 alternatives, and at most 1000 bytes. */
static void test_flat_is_capped(void)
{
    static int sizes[512];
    struct lw_request r = ASK(.gpus_node = 8, .nodes_min = 2, .nodes_max = 2);
    struct lw_decision d;
    struct cluster c;
    size_t i;

    for (i = 0; i < 512; i++)
        sizes[i] = 2;
    c = cluster_make(sizes, 512, 8, NULL);
    c.state->topology = LW_TOPO_FLAT;
    c.settings->features = 1;
    add_features(&c, "g%zu", 2);
    cluster_view(&c);
    lw_decide(&r, c.view, &d);
    lw_check_int(d.action, LW_REWRITE);
    lw_check_int(lw_features_alternatives(d.features), 60);
    CU_ASSERT(d.features && strlen(d.features) < 1024);
    lw_decision_free(&d);
    cluster_free(&c);
}

static void test_constraints(void)
{
    static const struct row rows[] = {
        {ASK(.gpus_node = 8, .nodes_min = 6, .nodes_max = 6, .features = "f1"),
         "rewritten gang groups=2 switches=2 wait=86400"},
        {ASK(.gpus_node = 8, .nodes_min = 9, .nodes_max = 9, .features = "f1"),
         "impossible too-large"},
        {ASK(.gpus_node = 8, .nodes_min = 9, .nodes_max = 9,
             .features = "f1|f2"),
         "rewritten gang groups=3 switches=3 wait=86400"},
        {ASK(.gpus_node = 8, .nodes_min = 2, .nodes_max = 2,
             .features = "f1&f2"),
         "impossible too-large"},
        {ASK(.gpus_node = 8, .nodes_min = 2, .nodes_max = 2,
             .features = "[f1|f2]"),
         "untouched user-constraint"},
        {ASK(.gpus_node = 8, .nodes_min = 2, .nodes_max = 2,
             .features = "f1*2&f2*1"),
         "untouched user-constraint"},
        {ASK(.gpus_job = 16, .features = "(f1|f2)&f1"),
         "untouched user-constraint"},
        {ASK(.gpus_job = 16, .features = "f2"),
         "rewritten total-gpus nodes=2 per-node=8 groups=1 switches=1 "
         "wait=86400"},
    };
    struct cluster c = cluster_make(four, 4, 8, NULL);

    add_features(&c, "f%zu", 8);
    cluster_view(&c);
    CHECK_ROWS(rows, c.view);
    cluster_free(&c);
}

static void test_too_many_alternatives(void)
{
    char list[400] = "[f";
    struct lw_request r = LW_REQUEST_INIT;
    struct lw_decision d;
    size_t i;

    for (i = 1; i < 60; i++)
        strcat(list, "|f");
    strcat(list, "]");
    r.features = list;
    lw_decide(&r, NULL, &d);
    lw_check_int(d.action, LW_UNTOUCHED);
    list[strlen(list) - 1] = '\0';
    strcat(list, "|f]");
    lw_decide(&r, NULL, &d); /* also for a CPU job, also without a map */
    lw_check_int(d.action, LW_REFUSE);
    lw_check_int(d.reason, LW_TOO_MANY_FEATURES);
    lw_check_int(lw_features_alternatives("a|b|c"), 0);
    lw_check_int(lw_features_alternatives("x&[a|b|c]"), 3);
    lw_check_int(lw_features_alternatives(NULL), 0);
}

/* Fabrics without a link between: a gang stays in one of them. */
static void test_roots_are_apart(void)
{
    static const struct row rows[] = {
        {ASK(.gpus_node = 8, .nodes_min = 6, .nodes_max = 6),
         "rewritten gang groups=2 switches=2 wait=86400"},
        {ASK(.gpus_node = 8, .nodes_min = 8, .nodes_max = 8),
         "rewritten gang groups=2 switches=2 wait=86400"},
        {ASK(.gpus_node = 8, .nodes_min = 9, .nodes_max = 9),
         "impossible too-large"},
        {ASK(.gpus_job = 72), "impossible too-large"},
        {ASK(.gpus_node = 8, .nodes_min = 17, .nodes_max = 17),
         "impossible too-large"},
        /* the larger capacity lies in the second fabric */
        {ASK(.gpus_node = 8, .nodes_min = 5, .nodes_max = 5,
             .features = "fast"),
         "rewritten gang groups=2 switches=2 wait=86400"},
    };
    static const int down[] = {9, 0};
    struct cluster c = cluster_make(four, 4, 8, down);
    static const char *names[] = {"east", "west"}, *pods[] = {"p1", "p2"};
    static int roots[] = {0, 1};
    static char *fast[] = {"fast"};
    size_t i;

    c.map->roots = names;
    c.map->nroots = 2;
    c.map->pods = pods;
    c.map->pod_roots = roots;
    c.map->npods = 2;
    for (i = 0; i < 4; i++)
        c.map->groups[i].pod = (int)i / 2;
    cluster_view(&c);
    lw_check_str(shown(&rows[0].request, c.view),
                 "rewritten gang groups=2 switches=2 wait=86400 exclude=n009");
    c.map->nodes[8].rails_up = 8;
    cluster_view(&c);
    for (i = 0; i < 5; i++)
        lw_check_str(shown(&rows[i].request, c.view), rows[i].want);
    check_text(rows[2].request, c.view,
               "9 nodes: no fabric joins more than 8 of those of partition "
               "gpu; the job can never be packed as it is.");
    for (i = 6; i < 16; i++) {
        c.state->nodes[i].features = fast;
        c.state->nodes[i].nfeatures = 1;
    }
    cluster_view(&c);
    lw_check_str(shown(&rows[5].request, c.view), rows[5].want);
    for (i = 6; i < 16; i++) {
        c.state->nodes[i].features = NULL;
        c.state->nodes[i].nfeatures = 0;
    }
    cluster_free(&c);
}

static void test_weights(void)
{
    static const struct row rows[] = {
        {ASK(.gpus_node = 8, .nodes_min = 3, .nodes_max = 3),
         "untouched gang groups=1"},
        {ASK(.gpus_job = 16),
         "rewritten total-gpus nodes=2 per-node=8 groups=1"},
    };
    struct cluster c = cluster_make(four, 4, 8, NULL);
    char text[256];

    lw_check_int(lw_view_warning(c.view, 0, text, sizeof(text)), 0);
    c.state->nodes[3].weight = 10;
    cluster_view(&c);
    CHECK_ROWS(rows, c.view);
    check_text(rows[0].request, c.view,
               "3 nodes, fits in 1 group; node Weights differ, so no switches "
               "asked for.");
    lw_check_int(lw_view_warning(c.view, 0, text, sizeof(text)), 1);
    lw_check_str(text, "partition gpu: GPU nodes have different Weights, which "
                       "beat topology; gangs are not packed across them");
    lw_check_int(lw_view_warning(c.view, 1, text, sizeof(text)), -1);
    cluster_free(&c);
}

static void add_partition(struct cluster *c, const char *name, int first,
                          int last)
{
    struct lw_state *s = c->state;
    struct lw_state_partition *p;
    int i;

    s->partitions =
        realloc(s->partitions, (s->npartitions + 1) * sizeof(*s->partitions));
    p = &s->partitions[s->npartitions++];
    *p = (struct lw_state_partition){
        .name = strdup(name), .up = true, .max_nodes = -1, .max_minutes = -1};
    p->nodes = calloc((size_t)(last - first + 1), sizeof(int));
    for (i = first; i <= last; i++)
        p->nodes[p->nnodes++] = i;
    cluster_view(c);
}

static void test_partitions(void)
{
    static const struct row rows[] = {
        /* "some" has two nodes of each of the first two groups */
        {ASK(.gpus_node = 8, .nodes_min = 3, .nodes_max = 3,
             .partition = "some"),
         "untouched gang groups=2"},
        {ASK(.gpus_node = 8, .nodes_min = 2, .nodes_max = 2,
             .partition = "some"),
         "rewritten gang groups=1 switches=1 wait=86400"},
        /* what both allow */
        {ASK(.gpus_node = 8, .nodes_min = 3, .nodes_max = 3,
             .partition = "gpu,some"),
         "untouched unclear"},
        {ASK(.gpus_node = 8, .nodes_min = 2, .nodes_max = 2,
             .partition = "gpu,some"),
         "rewritten gang groups=1 switches=1 wait=86400"},
        /* never in "some": the other one decides, in either order */
        {ASK(.gpus_node = 8, .nodes_min = 5, .nodes_max = 5,
             .partition = "some,gpu"),
         "rewritten gang groups=2 switches=2 wait=86400"},
        {ASK(.gpus_node = 8, .nodes_min = 5, .nodes_max = 5,
             .partition = "gpu,some"),
         "rewritten gang groups=2 switches=2 wait=86400"},
        {ASK(.gpus_node = 8, .nodes_min = 17, .nodes_max = 17,
             .partition = "some,gpu"),
         "impossible too-large"},
        {ASK(.gpus_job = 16, .partition = "some,none"),
         "untouched unknown-partition"},
    };
    struct cluster c = cluster_make(four, 4, 8, NULL);

    add_partition(&c, "some", 2, 5);
    CHECK_ROWS(rows, c.view);
    c.state->partitions[1].min_nodes = 3;
    cluster_view(&c);
    lw_check_str(
        shown(&(struct lw_request)ASK(.gpus_job = 16, .partition = "some"),
              c.view),
        "untouched unclear");
    cluster_free(&c);
}

static void test_policies(void)
{
    struct lw_request r = ASK(.gpus_job = 16);
    struct lw_partition_policy own = {(char *)"gpu", LW_POLICY_OFF};
    struct cluster c = cluster_make(four, 4, 8, NULL);

    c.settings->policy = LW_POLICY_SPREAD;
    lw_check_str(shown(&r, c.view), "untouched site-spread");
    r.policy = LW_POLICY_PACK; /* the user's word goes first */
    lw_check_str(shown(&r, c.view),
                 "rewritten total-gpus nodes=2 per-node=8 groups=1 switches=1 "
                 "wait=86400");
    r.policy = -1;
    c.settings->policy = LW_POLICY_PACK;
    c.settings->partitions = &own;
    c.settings->npartitions = 1;
    lw_check_str(shown(&r, c.view), "untouched site-off");
    c.settings->partitions = NULL;
    c.settings->npartitions = 0;
    cluster_free(&c);
}

static void test_without_a_state(void)
{
    static const struct row rows[] = {
        {ASK(.gpus_node = 8, .nodes_min = 4, .nodes_max = 4,
             .partition = "whatever"),
         "rewritten gang groups=1 switches=1 wait=900"},
        {ASK(.gpus_node = 8, .nodes_min = 4, .nodes_max = 4, .wait = 60),
         "rewritten gang groups=1 switches=1 wait=60"},
        {ASK(.gpus_job = 16), "untouched no-state"},
        {ASK(.gpus_job = 16, .features = "f"), "untouched no-state"},
        {ASK(.gpus_node = 8, .nodes_min = 4, .nodes_max = 4, .features = "f"),
         "untouched user-constraint"},
        {ASK(.gpus_node = 8, .nodes_min = 17, .nodes_max = 17),
         "impossible too-large"},
    };
    static const struct row known[] = {
        {ASK(.gpus_job = 16), "rewritten total-gpus nodes=2 per-node=8 "
                              "groups=1 switches=1 wait=900"},
        {ASK(.gpus_job = 8), "rewritten fits-node nodes=1 per-node=8"},
        /* more CPUs or memory than any node is sure to have */
        {ASK(.gpus_job = 8, .tasks = 9), "untouched no-state"},
        {ASK(.gpus_job = 8, .tasks = 8, .cpus_per_task = 2),
         "untouched no-state"},
        {ASK(.gpus_job = 8, .memory_gpu = 1), "untouched no-state"},
        {ASK(.gpus_job = 16, .features = "f"), "untouched user-constraint"},
    };
    struct cluster c = cluster_make(four, 4, 0, NULL);

    CHECK_ROWS(rows, c.view);
    c.settings->gpus_per_node = 8;
    cluster_view(&c);
    CHECK_ROWS(known, c.view);
    cluster_free(&c);
}

static void test_without_a_map(void)
{
    struct lw_request r = ASK(.gpus_job = 16);

    lw_check_str(shown(&r, NULL), "untouched no-map");
    r.nodelist = true;
    lw_check_str(shown(&r, NULL), "untouched user-nodelist");
}

/* Nodes that the map does not know can serve, but are in no group. */
static void test_unmapped_nodes(void)
{
    static const int few[] = {4, 4};
    struct cluster c = cluster_make(few, 2, 8, NULL);
    struct lw_request r = ASK(.gpus_node = 8, .nodes_min = 10, .nodes_max = 10);

    lw_state_destroy(c.state);
    c.state = cluster_state(12, 8);
    cluster_view(&c);
    lw_check_str(shown(&r, c.view), "untouched gang");
    r.nodes_min = r.nodes_max = 4;
    lw_check_str(shown(&r, c.view),
                 "rewritten gang groups=1 switches=1 wait=86400");
    cluster_free(&c);
}

static char *fold(const char *const *names, size_t count)
{
    char out[64];

    snprintf(out, sizeof(out), "%s..%zu", names[0], count);
    return strdup(out);
}

static void test_folded_lists(void)
{
    static const int down[] = {2, 7, 0};
    struct lw_request r = ASK(.gpus_node = 8, .nodes_min = 4, .nodes_max = 4);
    struct cluster c = cluster_make(four, 4, 8, down);

    lw_check_int(lw_view_fold(c.view, fold), 0);
    lw_check_str(shown(&r, c.view),
                 "rewritten gang groups=1 switches=1 wait=86400 "
                 "exclude=n002..2");
    cluster_free(&c);
}

/* 700 groups are more than the stack's share of them. */
static void test_many_groups(void)
{
    static int sizes[700];
    struct lw_request r = ASK(.gpus_node = 8, .nodes_min = 5, .nodes_max = 5);
    struct cluster c;
    size_t i;

    for (i = 0; i < 700; i++)
        sizes[i] = 2;
    c = cluster_make(sizes, 700, 8, NULL);
    lw_check_str(shown(&r, c.view),
                 "rewritten gang groups=3 switches=3 wait=86400");
    cluster_free(&c);
}

static const struct lw_test tests[] = {
    {"segments on topology/block", test_block},
    {"the blocks of Slurm count", test_blocks_of_slurm},
    {"features without a topology plugin", test_flat},
    {"a feature list has an end", test_flat_is_capped},
    {"the user's --constraint", test_constraints},
    {"too many alternatives are refused", test_too_many_alternatives},
    {"fabrics without a link between", test_roots_are_apart},
    {"node Weights", test_weights},
    {"partitions, and lists of them", test_partitions},
    {"policies", test_policies},
    {"without a cluster state", test_without_a_state},
    {"without a map", test_without_a_map},
    {"nodes that are not in the map", test_unmapped_nodes},
    {"host lists are folded", test_folded_lists},
    {"many groups", test_many_groups},
};

LW_CHECK_MAIN("decide more", tests)
