/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ibnetdiscover.c - every form of ibnetdiscover text, and what is none */
#include "config.h"

#include "tests/check.h"
#include "topology/fabric/readers.h"

/* One switch with a named and a split port, as the tool writes it. */
static const char plain[] =
    "#\n# Topology file: generated on Mon Jan  6 10:00:00 2025\n#\n"
    "# Initiated from node 0002c90300000001 port 0002c90300000001\n\n"
    "vendid=0x2c9\ndevid=0xd2f2\nsysimgguid=0x2c90300000100\n"
    "switchguid=0x2c90300000100(2c90300000100)\n"
    "Switch\t65 \"S-0002c90300000100\"\t\t# \"MF0;leaf-a1:MQM9700/U1\" "
    "enhanced port 0 lid 2 lmc 0\n"
    "[1]\t\"H-0002c90300000001\"[1](2c90300000001) \t\t# \"node001 mlx5_0\" "
    "lid 3 4xNDR\n"
    "[2]\t\"H-0002c90300000002\"[1](2c90300000002) \t\t# "
    "\"odd \"quoted\" # name\" lid 65535 2x??? s=512 w=2 v=4\n"
    "[33]\t\"S-0002c90300000200\"[7]\t\t# \"spine1\" lid 9 4xXDR\n"
    "\nvendid=0x2c9\ndevid=0x1021\nsysimgguid=0x2c90300000001\n"
    "caguid=0x2c90300000001\n"
    "Ca\t1 \"H-0002c90300000001\"\t\t# \"MT4129 ConnectX7   Mellanox "
    "Technologies\"\n"
    "[1](2c90300000001) \t\"S-0002c90300000100\"[1]\t\t# lid 3 lmc 0 "
    "\"MF0;leaf-a1:MQM9700/U1\" lid 2 4xNDR\n";

struct graph {
    struct lw_fabric *f;
    const struct lw_dev *devs;
    const struct lw_link *links;
    size_t ndevs, nlinks;
    struct lw_fabric_notes notes;
    lw_error_t err;
    int rc;
};

static struct graph read_text(const char *text, size_t len)
{
    struct graph g = {.f = lw_fabric_create()};

    CU_ASSERT_PTR_NOT_NULL_FATAL(g.f);
    g.rc = lw_ibnetdiscover_read(g.f, text, len, "a.txt", &g.err);
    g.devs = lw_fabric_devs(g.f, &g.ndevs);
    g.links = lw_fabric_links(g.f, &g.nlinks);
    lw_fabric_notes(g.f, &g.notes);
    return g;
}

static const struct lw_dev *find(const struct graph *g, uint64_t guid)
{
    uint32_t i = lw_fabric_find(g->f, guid);

    return i == LW_NO_DEV ? NULL : &g->devs[i];
}

/* What 'plain' holds, however it was mangled. */
static void check_plain(const struct graph *g)
{
    const struct lw_dev *sw = find(g, 0x2c90300000100);
    const struct lw_dev *a = find(g, 0x2c90300000001);
    const struct lw_dev *b = find(g, 0x2c90300000002);

    lw_check_ok(g->rc == 0, g->err);
    lw_check_int(g->ndevs, 4);
    lw_check_int(g->nlinks, 3);
    CU_ASSERT_FATAL(sw && a && b && g->nlinks == 3);
    lw_check_int(sw->kind, LW_DEV_SWITCH);
    lw_check_int(sw->nports, 65);
    lw_check_int(sw->devid, 0xd2f2);
    lw_check_str(sw->name, "MF0;leaf-a1:MQM9700/U1");
    lw_check_str(a->name, "node001 mlx5_0");
    lw_check_str(a->alias, "MT4129 ConnectX7   Mellanox Technologies");
    CU_ASSERT(a->sysguid == 0x2c90300000001ULL);
    CU_ASSERT(a->seen && !b->seen);
    lw_check_str(b->name, "odd \"quoted\" # name");
    lw_check_int(g->links[0].a_port, 1);
    lw_check_int(g->links[0].width, 4);
    lw_check_int(g->links[0].speed, LW_NDR);
    lw_check_int(g->links[1].width, 2);
    lw_check_int(g->links[1].speed, LW_SPEED_UNKNOWN);
    lw_check_int(g->links[2].a_port, 33);
    lw_check_int(g->links[2].b_port, 7);
    lw_check_int(g->links[2].speed, LW_XDR);
}

static void test_plain(void)
{
    struct graph g = read_text(plain, strlen(plain));

    check_plain(&g);
    lw_check_int(g.notes.skipped, 0);
    CU_ASSERT_PTR_NULL(g.notes.partial);
    lw_fabric_destroy(g.f);
}

/* Copy 'plain' with every 'from' replaced by 'to'; free it. */
static char *mangle(char from, const char *to)
{
    char *out = calloc(2, sizeof(plain)), *p = out;
    const char *s;

    CU_ASSERT_PTR_NOT_NULL_FATAL(out);
    for (s = plain; *s; s++) {
        if (*s != from) {
            *p++ = *s;
            continue;
        }
        memcpy(p, to, strlen(to));
        p += strlen(to);
    }
    return out;
}

static void test_mangled(void)
{
    static const struct {
        char from;
        const char *to;
    } ways[] = {{'\n', "\r\n"}, {'\t', ""}, {'\t', " "}, {'\n', "\n \n"}};
    size_t i;

    for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        char *text = mangle(ways[i].from, ways[i].to);
        struct graph g = read_text(text, strlen(text));
        check_plain(&g);
        lw_check_int(g.notes.skipped, 0);
        lw_fabric_destroy(g.f);
        free(text);
    }
}

static void test_concatenated(void)
{
    char *twice = calloc(2, sizeof(plain));
    struct graph g;

    CU_ASSERT_PTR_NOT_NULL_FATAL(twice);
    memcpy(twice, plain, strlen(plain));
    memcpy(twice + strlen(plain), plain, strlen(plain));
    g = read_text(twice, strlen(twice));
    check_plain(&g);
    lw_check_int(g.notes.nconflicts, 0);
    lw_fabric_destroy(g.f);
    free(twice);
}

static void test_noise(void)
{
    static const char text[] =
        "$ ibnetdiscover\n"
        "src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1,35 Attr "
        "0x11:0) bad status 110; Connection timed out\n"
        "Switch\t36 \"S-0000000000000010\"\t\t# \"leaf\" base port 0 lid 1 "
        "lmc 0\n"
        "[1]\t\"H-0000000000000001\"[1] \n"
        "[x]\n";
    struct graph g = read_text(text, strlen(text));

    lw_check_ok(g.rc == 0, g.err);
    lw_check_int(g.nlinks, 1);
    lw_check_int(g.notes.skipped, 3);
    lw_check_str(g.notes.first_skipped, "a.txt:1");
    CU_ASSERT_PTR_NOT_NULL(g.notes.partial);
    lw_fabric_destroy(g.f);
}

/* -g: headings, chassis notes, external ports; a switch twice. */
static void test_grouping_form(void)
{
    static const char text[] =
        "\nChassis 1 (guid 0x10)\n# Spine Nodes\n# Line Nodes\n"
        "vendid=0x2c9\ndevid=0x1\nsysimgguid=0x10\t\t# Chassis 1 (core) slot "
        "3\nswitchguid=0x10(10)\t# QM8790 Line 3 Chip 1\n"
        "Switch\t40 \"S-0000000000000010\"\t\t# \"a\" base port 0 lid 1 lmc "
        "0\n[1][ext 3]\t\"H-0000000000000001\"[1](1) \t\t# \"node001\" lid 2 "
        "4xHDR\n# Chassis Switches\nChassis 1 (guid 0x10)\nNon-Chassis Nodes\n"
        "switchguid=0x10(10)\n"
        "Switch\t40 \"S-0000000000000010\"\t\t# \"a\" base port 0 lid 1 lmc "
        "0\n[1][ext 3]\t\"H-0000000000000001\"[1](1) \t\t# \"node001\" lid 2 "
        "4xHDR slot 3\n";
    struct graph g = read_text(text, strlen(text));

    lw_check_ok(g.rc == 0, g.err);
    lw_check_int(g.ndevs, 2);
    lw_check_int(g.nlinks, 1);
    lw_check_int(g.notes.skipped, 0);
    lw_check_int(g.links[0].speed, LW_HDR);
    lw_fabric_destroy(g.f);
}

static void test_ports_form(void)
{
    static const char text[] =
        "CA   134  1 0x0000000000000001 4x EDR - SW  1719 10 "
        "0x0000000000000010 ( 'node001 HCA-1' - ' it's a leaf ' )\n"
        "SW  1719 10 0x0000000000000010 4x EDR - CA   134  1 "
        "0x0000000000000001 ( 'it's a leaf' - 'node001 HCA-1' )\n"
        "SW  1719 11 0x0000000000000010 ?? ??? - SW  2  129 "
        "0x0000000000000020 ( it's a leaf - spine 1 )\n"
        "SW  1719 37 0x0000000000000010 4x ???                                "
        "    'it's a leaf'\n\n";
    struct graph g = read_text(text, strlen(text));

    lw_check_ok(g.rc == 0, g.err);
    lw_check_int(g.ndevs, 3);
    lw_check_int(g.nlinks, 2);
    lw_check_int(g.notes.skipped, 0);
    CU_ASSERT_FATAL(g.nlinks == 2 && g.ndevs == 3);
    lw_check_str(g.devs[0].name, "node001 HCA-1");
    lw_check_str(find(&g, 0x10)->name, "it's a leaf");
    lw_check_str(find(&g, 0x20)->name, "spine 1");
    lw_check_int(g.links[0].speed, LW_EDR);
    lw_check_int(g.links[0].width, 4);
    lw_check_int(g.links[1].b_port, 129);
    lw_fabric_destroy(g.f);
}

static const struct {
    const char *text;
    size_t len;
    const char *error;
} bad[] = {
    {"", 0, "a.txt: is empty"},
    {"\x2b\x83\xe7\x8f\0\0\0", 7,
     "a.txt: is a binary file, expected the text of ibnetdiscover (a file of "
     "ibnetdiscover --cache has to be printed with ibnetdiscover "
     "--load-cache)"},
    {"hello\nworld\n", 12,
     "a.txt:1:1: is not the output of ibnetdiscover: none of its 2 lines is a "
     "Switch, Ca or port line"},
    {"> Switch\t36 \"S-1\"\n", 18,
     "a.txt:1:1: is the output of ibnetdiscover --diff, expected that of a "
     "plain run"},
    {"Switch\t : 0x0000000000000010 ports 36 devid 0x1 vendid 0x2 \"a\"\n", 62,
     "a.txt:1:1: is a list of nodes (ibnetdiscover -l, -S, -H or -R), which "
     "has no links; run it without these options"},
};

static void test_refused(void)
{
    size_t i;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct graph g = read_text(bad[i].text, bad[i].len);
        lw_check_int(g.rc, -1);
        lw_check_str(g.err.text, bad[i].error);
        lw_fabric_destroy(g.f);
    }
}

/* Cut at every byte: never a crash, never more than the whole holds. Each
 * piece is a block of its own size, so that reading beyond it is noticed. */
static void test_truncated(void)
{
    size_t n;

    for (n = 1; n < strlen(plain); n++) {
        char *text = malloc(n);
        struct graph g;
        CU_ASSERT_PTR_NOT_NULL_FATAL(text);
        memcpy(text, plain, n);
        g = read_text(text, n);
        CU_ASSERT(g.nlinks <= 3 && g.ndevs <= 5);
        lw_fabric_destroy(g.f);
        free(text);
    }
}

static void test_name_map(void)
{
    static const char map[] = "# names\n"
                              "0x2c90300000001 \"gpu01 mlx5_7\" # moved\n"
                              "\n0x0002c90300000002 gpu02\n0x99 \"gone\"\n";
    struct graph g = read_text(plain, strlen(plain));
    lw_error_t err = {0};
    size_t unused = 0;

    lw_check_ok(lw_names_read(g.f, map, strlen(map), "n", &unused, &err) == 0,
                err);
    lw_check_int(unused, 1);
    lw_check_str(find(&g, 0x2c90300000001)->name, "gpu01 mlx5_7");
    lw_check_str(find(&g, 0x2c90300000002)->name, "gpu02");
    lw_check_str(find(&g, 0x2c90300000002)->alias, "odd \"quoted\" # name");
    lw_check_int(lw_names_read(g.f, "\n  gpu01\n", 9, "n", NULL, &err), -1);
    lw_check_str(err.text, "n:2:3: expected a GUID and a name: "
                           "0x0002c90300000001 \"node001 mlx5_0\"");
    lw_fabric_destroy(g.f);
}

static const struct lw_test tests[] = {
    {"plain output", test_plain},
    {"lost tabs, carriage returns, blank lines", test_mangled},
    {"two files in one", test_concatenated},
    {"complaints in between", test_noise},
    {"grouped output (-g)", test_grouping_form},
    {"ports report (-p)", test_ports_form},
    {"what is no ibnetdiscover text is refused by name", test_refused},
    {"a truncated file never crashes", test_truncated},
    {"a node name map", test_name_map},
};

LW_CHECK_MAIN("ibnetdiscover", tests)
