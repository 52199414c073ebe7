/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_decide_subnode.c - rule 8: parts of a node, and what is excluded */
#include "config.h"

#include "tests/unit/place_cluster.h"

static void test_rule_8_subnode(void)
{
    static const char *const names[] = {"n006"};
    static const struct row rows[] = {
        {ASK(.gpus_job = 1), "rewritten sub-node nodes=1 per-node=1 "
                             "exclude=n001,n002,n003,n004,n005,n007,n008"},
        {ASK(.gpus_node = 4, .nodes_min = 1, .nodes_max = 1),
         "rewritten sub-node exclude=n001,n002,n003,n004,n005,n007,n008"},
        {ASK(.gpus_node = 5, .nodes_min = 1, .nodes_max = 1),
         "untouched one-node"}, /* no partly used node has five */
        {ASK(.gpus_node = 8, .nodes_min = 1, .nodes_max = 1),
         "untouched one-node"},
        {ASK(.gpus_node = 1, .nodes_min = 1, .nodes_max = 1, .exclusive = true),
         "untouched one-node"},
        {ASK(.gpus_node = 1, .nodes_min = 1, .nodes_max = 1, .memory_node = 0),
         "untouched one-node"}, /* all of the memory */
        {ASK(.gpus_node = 1, .tasks = 1, .cpus_per_task = 40),
         "untouched one-node"}, /* 32 CPUs are free there */
        {ASK(.gpus_node = 1, .tasks = 1, .cpus_per_task = 32),
         "rewritten sub-node exclude=n001,n002,n003,n004,n005,n007,n008"},
        {ASK(.gpus_node = 1, .memory_node = 500001), "untouched one-node"},
        {ASK(.gpus_node = 1, .exclude = "n006", .excluded = names,
             .nexcluded = 1),
         "untouched one-node"},
        {ASK(.gpus_node = 1, .now = 1769860800 + 120),
         "rewritten sub-node exclude=n001,n002,n003,n004,n005,n007,n008"},
        {ASK(.gpus_node = 1, .now = 1769860800 + 121),
         "untouched one-node"}, /* the state is too old */
        {ASK(.gpus_node = 8, .nodes_min = 2, .nodes_max = 2,
             .now = 1769860800 + 121),
         "rewritten gang groups=1 switches=1 wait=900"},
    };
    static const int two[] = {4, 4};
    struct cluster c = cluster_make(two, 2, 8, NULL);
    struct lw_state_node *n = &c.state->nodes[5];
    size_t i;

    for (i = 4; i < 8; i++)
        c.state->nodes[i].state = LW_NODE_FULL;
    n->state = LW_NODE_MIXED;
    n->gpus[0].used = 4;
    n->cpus_used = 32;
    n->memory_used = 500000;
    cluster_view(&c);
    CHECK_ROWS(rows, c.view);
    c.settings->subnode = 0;
    lw_check_str(shown(&rows[1].request, c.view), "untouched one-node");
    c.settings->subnode = 1;
    for (i = 0; i < 4; i++)
        c.state->nodes[i].state = LW_NODE_FULL;
    cluster_view(&c); /* nothing idle, but a node may be in a moment */
    lw_check_str(
        shown(&rows[1].request, c.view),
        "rewritten sub-node exclude=n001,n002,n003,n004,n005,n007,n008");
    cluster_free(&c);
}

/* Nodes are excluded only where somebody can let them in again. */
static void test_exclusions_can_be_taken_back(void)
{
    static const char *const other[] = {"n009x"};
    static const struct row rows[] = {
        {ASK(.gpus_node = 8, .nodes_min = 2, .nodes_max = 2),
         "rewritten gang groups=1 switches=1 wait=86400 exclude=n004"},
        /* no room in admin_comment: nobody would end the wait either */
        {ASK(.gpus_node = 8, .nodes_min = 2, .nodes_max = 2, .no_mark = true),
         "rewritten gang groups=1 switches=1 wait=900"},
        {ASK(.gpus_node = 8, .nodes_min = 2, .nodes_max = 2,
             .no_exclude = true),
         "rewritten gang groups=1 switches=1 wait=86400"},
        {ASK(.gpus_node = 8, .nodes_min = 2, .nodes_max = 2, .exclude = "n009x",
             .excluded = other, .nexcluded = 1),
         "rewritten gang groups=1 switches=1 wait=86400"},
        {ASK(.gpus_node = 8, .nodes_min = 2, .nodes_max = 2,
             .now = 1769860800 + 121), /* the state is too old */
         "rewritten gang groups=1 switches=1 wait=900"},
        {ASK(.gpus_node = 1, .nodes_min = 1, .nodes_max = 1),
         "rewritten sub-node exclude=n001,n002,n003,n004,n005,n007,n008"},
        {ASK(.gpus_node = 1, .nodes_min = 1, .nodes_max = 1, .no_mark = true),
         "untouched one-node"},
        {ASK(.gpus_node = 1, .nodes_min = 1, .nodes_max = 1,
             .no_exclude = true),
         "untouched one-node"},
    };
    static const int two[] = {4, 4}, down[] = {4, 0};
    struct cluster c = cluster_make(two, 2, 8, down), bare;
    size_t i;

    for (i = 3; i < 8; i++)
        c.state->nodes[i].state = LW_NODE_FULL;
    c.state->nodes[5].state = LW_NODE_MIXED;
    c.state->nodes[5].gpus[0].used = 4;
    cluster_view(&c);
    CHECK_ROWS(rows, c.view);
    cluster_free(&c);
    /* without a state who knows whether Slurm has such a node? */
    bare = cluster_make(two, 2, 0, down);
    lw_check_str(shown(&rows[0].request, bare.view),
                 "rewritten gang groups=1 switches=1 wait=900");
    cluster_free(&bare);
}

/* n001 and n002 are idle, n003 .. n006 have 1, 2, 2 and 6 GPUs free, n007 and
 * n008 are full. */
static void test_rule_8_fullest(void)
{
    static const char *const names[] = {"n004"};
    static const struct row rows[] = {
        /* the fullest that has room */
        {ASK(.gpus_node = 1, .nodes_min = 1, .nodes_max = 1),
         "rewritten sub-node exclude=n001,n002,n007,n008,n004,n005,n006"},
        {ASK(.gpus_node = 2, .nodes_min = 1, .nodes_max = 1),
         "rewritten sub-node exclude=n001,n002,n007,n008,n006"},
        {ASK(.gpus_node = 3, .nodes_min = 1, .nodes_max = 1),
         "rewritten sub-node exclude=n001,n002,n007,n008"},
        {ASK(.gpus_node = 2, .nodes_min = 1, .nodes_max = 1, .exclude = "n004",
             .excluded = names, .nexcluded = 1),
         "rewritten sub-node exclude=n001,n002,n007,n008,n006"}, /* n005 is left */
        {ASK(.gpus_node = 1, .tasks = 1, .cpus_per_task = 9),
         "rewritten sub-node exclude=n001,n002,n007,n008"}, /* no CPUs on n003-n005 */
        /* what was promised since watch looked takes room */
        {ASK(.gpus_node = 1, .nodes_min = 1, .nodes_max = 1, .ahead = 1),
         "rewritten sub-node exclude=n001,n002,n007,n008,n006"},
        {ASK(.gpus_node = 1, .nodes_min = 1, .nodes_max = 1, .ahead = 4),
         "rewritten sub-node exclude=n001,n002,n007,n008,n006"},
        {ASK(.gpus_node = 1, .nodes_min = 1, .nodes_max = 1, .ahead = 5),
         "rewritten sub-node exclude=n001,n002,n007,n008"},
        {ASK(.gpus_node = 1, .nodes_min = 1, .nodes_max = 1, .ahead = 10),
         "rewritten sub-node exclude=n001,n002,n007,n008"},
        {ASK(.gpus_node = 1, .nodes_min = 1, .nodes_max = 1, .ahead = 11),
         "untouched one-node"},
        {ASK(.gpus_node = 4, .nodes_min = 1, .nodes_max = 1, .ahead = 1),
         "untouched one-node"},
        /* nobody knows here how many tasks */
        {ASK(.gpus_node = 1, .nodes_min = 1, .nodes_max = 1, .array = true),
         "rewritten sub-node exclude=n001,n002,n007,n008"},
    };
    static const int two[] = {4, 4};
    static const long used[] = {0, 0, 7, 6, 6, 2, 8, 8};
    struct cluster c = cluster_make(two, 2, 8, NULL);
    struct lw_state_node *n = c.state->nodes;
    size_t i;

    for (i = 2; i < 8; i++) {
        n[i].state = i < 6 ? LW_NODE_MIXED : LW_NODE_FULL;
        n[i].gpus[0].used = used[i];
        n[i].cpus_used = used[i] * 8;
        if (i > 2 && i < 5)
            n[i].cpus_used = 56;
    }
    cluster_view(&c);
    CHECK_ROWS(rows, c.view);
    for (i = 0; i < 2; i++)
        n[i].state = LW_NODE_FULL;
    cluster_view(&c); /* nothing idle: the emptier ones are kept as well */
    lw_check_str(
        shown(&rows[0].request, c.view),
        "rewritten sub-node exclude=n001,n002,n007,n008,n004,n005,n006");
    cluster_free(&c);
}

static const struct lw_test tests[] = {
    {"rule 8: parts of a node", test_rule_8_subnode},
    {"exclusions can be taken back", test_exclusions_can_be_taken_back},
    {"rule 8: the fullest nodes first", test_rule_8_fullest},
};

LW_CHECK_MAIN("decide-subnode", tests)
