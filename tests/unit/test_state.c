/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_state.c - the cluster state: reading, printing, refusing */
#include "config.h"

#include "tests/check.h"
#include "topology/place/state.h"

static const char sample[] =
    "{\n"
    " \"schema\": 1,\n"
    " \"created\": \"2026-01-31T12:00:00Z\",\n"
    " \"cluster\": \"alpha\",\n"
    " \"slurm_version\": \"22.05.8\",\n"
    " \"topology\": \"tree\",\n"
    " \"max_switch_wait\": 86400,\n"
    " \"block_sizes\": [4,8],\n"
    " \"nodes\": [\n"
    "  {\"name\":\"node1\",\"state\":\"mixed\",\"gpus\":[{\"type\":\"h100\","
    "\"count\":8,\"used\":3}],\"cpus\":64,\"cpus_used\":6,\"threads\":2,"
    "\"memory\":1000,\"memory_used\":10,\"weight\":1,\"features\":[\"a\","
    "\"b\"],\"block\":\"b1\"},\n"
    "  {\"name\":\"node2\",\"state\":\"down\",\"gpus\":[],\"cpus\":64,"
    "\"cpus_used\":0,\"threads\":1,\"memory\":1000,\"memory_used\":0,"
    "\"weight\":7,\"features\":[],\"block\":null},\n"
    "  {\"name\":\"node3\",\"state\":\"idle\",\"gpus\":[],\"cpus\":64,"
    "\"cpus_used\":0,\"threads\":1,\"memory\":1000,\"memory_used\":0,"
    "\"weight\":1,\"features\":[],\"block\":null}\n"
    " ],\n"
    " \"partitions\": [\n"
    "  {\"name\":\"gpu\",\"default\":true,\"up\":true,\"topology\":\"tree\","
    "\"min_nodes\":1,\"max_nodes\":-1,\"max_minutes\":1440,\"nodes\":[[0,0],"
    "[2,2]]}\n"
    " ],\n"
    " \"jobs\": [\n"
    "  {\"id\":12,\"array_job\":12,\"het_job\":-1,\"het_offset\":-1,"
    "\"partition\":\"gpu\",\"nodes\":4,\"gpus_node\":8,\"gpu_type\":null,"
    "\"minutes\":60,\"features\":\"a&b\",\"mark\":null,\"changed\":false},\n"
    "  {\"id\":40,\"array_job\":-1,\"het_job\":39,\"het_offset\":1,"
    "\"partition\":null,\"nodes\":2,\"gpus_node\":-1,\"gpu_type\":\"h100\","
    "\"minutes\":-1,\"features\":null,\"mark\":\"leafward: gang\","
    "\"changed\":true}\n"
    " ]\n"
    "}\n";

static void test_reads_everything(void)
{
    lw_error_t err = {0};
    struct lw_state *s =
        lw_state_parse(sample, strlen(sample), "state.json", &err);

    lw_check_ok(s != NULL, err);
    if (!s)
        return;
    lw_check_int(s->created, 1769860800);
    lw_check_str(s->cluster, "alpha");
    lw_check_int(s->topology, LW_TOPO_TREE);
    lw_check_int(s->max_switch_wait, 86400);
    lw_check_int(s->block_sizes[1], 8);
    lw_check_int(s->nnodes, 3);
    lw_check_int(s->nodes[0].state, LW_NODE_MIXED);
    lw_check_str(s->nodes[0].gpus[0].type, "h100");
    lw_check_int(s->nodes[0].gpus[0].used, 3);
    lw_check_int(s->nodes[0].threads, 2);
    lw_check_str(s->nodes[0].features[1], "b");
    lw_check_str(s->nodes[0].block, "b1");
    lw_check_str(s->nodes[1].block, NULL);
    lw_check_int(s->nodes[1].weight, 7);
    lw_check_int(s->partitions[0].nnodes, 2);
    lw_check_int(s->partitions[0].nodes[1], 2);
    lw_check_int(s->partitions[0].max_nodes, -1);
    lw_check_int(lw_state_find_job(s, 40)->nodes, 2);
    CU_ASSERT_PTR_NULL(lw_state_find_job(s, 41));
    lw_state_destroy(s);
}

static void test_prints_what_it_read(void)
{
    lw_error_t err = {0};
    struct lw_state *s =
        lw_state_parse(sample, strlen(sample), "state.json", &err);
    size_t len = 0;
    char *text = s ? lw_state_print(s, &len, &err) : NULL;

    lw_check_str(text, sample);
    lw_check_int(len, strlen(sample));
    free(text);
    lw_state_destroy(s);
}

static void test_defaults(void)
{
    static const char text[] =
        "{\"schema\":1,\"created\":\"2026-01-31T12:00:00Z\",\"new\":[1],"
        "\"nodes\":[{\"name\":\"a\",\"state\":\"idle\"}]}";
    lw_error_t err = {0};
    struct lw_state *s = lw_state_parse(text, strlen(text), "s", &err);

    lw_check_ok(s != NULL, err);
    if (!s)
        return;
    lw_check_int(s->max_switch_wait, -1);
    lw_check_int(s->topology, LW_TOPO_UNKNOWN);
    lw_check_int(s->nodes[0].threads, 1);
    lw_check_int(s->npartitions, 0);
    CU_ASSERT_PTR_NULL(lw_state_find_job(s, 1));
    lw_state_destroy(s);
}

#define HEAD "{\"schema\":1,\"created\":\"2026-01-31T12:00:00Z\","
#define NODE "\"nodes\":[{\"name\":\"a\",\"state\":\"idle\"}],"

static void test_refuses(void)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", "s:1: '[' or '{' expected near end of file"},
        {"[]", "s: expected a JSON object"},
        {"{\"schema\":2}", "s: schema: expected 1"},
        {"{\"schema\":1,\"created\":\"today\"}",
         "s: created: expected a time like 2026-01-31T12:00:00Z"},
        {HEAD "\"nodes\":[]}", "s: nodes: expected at least one node"},
        {HEAD "\"nodes\":{}}", "s: nodes: expected a list"},
        {HEAD "\"nodes\":[{\"state\":\"idle\"}]}",
         "s: nodes[0].name: expected a text"},
        {HEAD "\"nodes\":[7]}", "s: nodes[0].name: expected a text"},
        {HEAD "\"nodes\":[{\"name\":\"a\",\"state\":\"odd\"}]}",
         "s: nodes[0].state: expected one of the words in "
         "docs/state-format.md"},
        {HEAD "\"nodes\":[{\"name\":\"a\",\"state\":\"idle\",\"cpus\":-1}]}",
         "s: nodes[0].cpus: expected a count"},
        {HEAD NODE "\"partitions\":[{\"name\":\"p\",\"nodes\":[[0,1]]}]}",
         "s: partitions[0].nodes: expected ascending ranges of node numbers"},
        {HEAD NODE "\"partitions\":[{\"name\":\"p\",\"nodes\":[[0,0],[0,0]]}]}",
         "s: partitions[0].nodes: expected ascending ranges of node numbers"},
        {HEAD NODE "\"partitions\":[{\"name\":\"p\",\"up\":1,\"nodes\":[]}]}",
         "s: partitions[0].up: expected true or false"},
        {HEAD NODE "\"jobs\":[{\"nodes\":1}]}", "s: jobs[0].id: expected a "
                                                "job id"},
        {HEAD "\"block_sizes\":[0]," NODE "\"x\":1}",
         "s: block_sizes: expected a list of node counts"},
    };
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_error_t err = {0};
        struct lw_state *s =
            lw_state_parse(cases[i].text, strlen(cases[i].text), "s", &err);

        CU_ASSERT_PTR_NULL(s);
        lw_check_str(err.text, cases[i].want);
        lw_state_destroy(s);
    }
}

/* A file that is cut off anywhere is refused, and never crashes. */
static void test_cut_off_anywhere(void)
{
    size_t i;

    for (i = 0; i + 2 < strlen(sample); i++) {
        lw_error_t err = {0};
        char *cut = malloc(i + 1); /* exact, for the sanitizer */

        memcpy(cut, sample, i);
        CU_ASSERT_PTR_NULL(lw_state_parse(cut, i, "s", &err));
        CU_ASSERT(err.text[0] != '\0');
        free(cut);
    }
}

static const struct lw_test tests[] = {
    {"reads everything", test_reads_everything},
    {"prints what it read", test_prints_what_it_read},
    {"what is absent has defaults", test_defaults},
    {"refuses with place and expectation", test_refuses},
    {"cut off anywhere", test_cut_off_anywhere},
};

LW_CHECK_MAIN("state", tests)
