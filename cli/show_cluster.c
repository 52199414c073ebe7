/* SPDX-License-Identifier: GPL-2.0-or-later */
/* show_cluster.c - the groups of the cluster, drawn in the terminal */
#include "config.h"

#include "cli/show_cluster.h"

#include "cli/cli.h"
#include "lib/plural.h"
#include "topology/place/capacity.h"
#include "topology/place/snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define PLAIN_WIDTH 80
#define GAP         3 /* between groups side by side */

/* How a state of a node looks: the sign tells it without the colour. */
static const struct look {
    char state, sign;
    const char *colour, *what;
} looks[] = {
    {'i', '.', "32", "idle"},
    {'m', '/', "33", "partly used"},
    {'f', '#', "36", "full"},
    {'d', 'x', "31", "down"},
    {'-', '?', "35", "not known to Slurm"},
};
#define LOOKS (sizeof(looks) / sizeof(looks[0]))

static void put_sign(const struct look *l, int colour, FILE *out)
{
    if (colour)
        fprintf(out, "\033[%sm%c\033[0m", l->colour, l->sign);
    else
        fputc(l->sign, out);
}

static const struct look *look_of(char state)
{
    size_t i = 0;

    while (i + 1 < LOOKS && looks[i].state != state)
        i++;
    return &looks[i];
}

static void put_head(const struct lw_snapshot *s, FILE *out)
{
    char at[32] = "?";
    struct tm tm;
    long old = (long)(time(NULL) - s->at);

    if (gmtime_r(&s->at, &tm))
        strftime(at, sizeof(at), "%Y-%m-%d %H:%M:%S", &tm);
    fprintf(out, "%s UTC", at);
    if (old > 60)
        fprintf(out, ", %ld %s ago: does leafward watch run?", old / 60,
                lw_plural((unsigned long long)(old / 60), "minute", "minutes"));
    fprintf(out,
            "\n%ld %s: %ld idle, %ld partly used, %ld full, %ld down; "
            "%ld of %ld GPUs used\n",
            s->nodes, lw_plural((unsigned long long)s->nodes, "node", "nodes"),
            s->idle, s->mixed, s->full, s->down, s->gpus_used, s->gpus);
}

/* How wide names, nodes and counts of the groups are. */
struct measure {
    size_t name, nodes, count;
    size_t across; /* groups a line */
    size_t cells;  /* nodes a line */
};

static size_t count_text(const struct lw_group_now *g, char out[48])
{
    return (size_t)snprintf(out, 48, "%ld/%ld", g->gpus_used, g->gpus);
}

static struct measure measure(const struct lw_snapshot *s, size_t width)
{
    struct measure m = {0, 1, 0, 1, 0};
    size_t i, n, one;
    char text[48];

    for (i = 0; i < s->map->ngroups; i++) {
        if ((n = strlen(s->map->groups[i].name)) > m.name)
            m.name = n;
        if ((n = s->map->groups[i].nnodes) > m.nodes)
            m.nodes = n;
        if ((n = count_text(&s->groups[i], text)) > m.count)
            m.count = n;
    }
    one = m.name + 2 + m.count + 2;
    m.cells = width > one + m.nodes ? m.nodes
              : width > one + 8     ? width - one
                                    : 8;
    m.across = (width + GAP) / (one + m.cells + GAP);
    m.across = m.across ? m.across : 1;
    return m;
}

/* Nodes from 'first' on, padded to the width of a line of them. */
static void put_cells(const char *states, size_t first, size_t n, int colour,
                      FILE *out)
{
    size_t i;

    states += first < strlen(states) ? first : strlen(states);
    for (i = 0; i < n && states[i]; i++)
        put_sign(look_of(states[i]), colour, out);
    fprintf(out, "%*s", (int)(n - i), "");
}

/* 'last': nothing stands to the right of it. */
static void put_group(const struct lw_snapshot *s, size_t group,
                      const struct measure *m, int colour, int last, FILE *out)
{
    const struct lw_group_now *g = &s->groups[group];
    size_t n = strlen(g->states), first;
    char text[48];

    count_text(g, text);
    fprintf(out, "%-*s  ", (int)m->name, s->map->groups[group].name);
    put_cells(g->states, 0, m->cells, colour, out);
    fprintf(out, "  %*s", (int)m->count, text);
    if (!last)
        fprintf(out, "%*s", GAP, "");
    for (first = m->cells; first < n; first += m->cells) {
        fprintf(out, "\n%*s", (int)m->name + 2, "");
        put_cells(g->states, first, n - first < m->cells ? n - first : m->cells,
                  colour, out);
    }
}

/* Pod by pod; groups that need several lines stand alone. */
static void put_groups(const struct lw_snapshot *s, const struct measure *m,
                       int colour, FILE *out)
{
    const struct lw_map *map = s->map;
    size_t i, pod, at, all;

    for (pod = 0; pod <= map->npods; pod++) {
        int number = pod < map->npods ? (int)pod : -1;

        for (all = i = 0; i < map->ngroups; i++)
            all += map->groups[i].pod == number;
        if (all)
            fprintf(out, "\n%s\n",
                    number < 0 ? "in no pod" : map->pods[number]);
        for (at = i = 0; i < map->ngroups; i++) {
            if (map->groups[i].pod != number)
                continue;
            at++;
            put_group(s, i, m, colour, at == all || at % m->across == 0, out);
            if (at == all || at % m->across == 0)
                fputc('\n', out);
        }
    }
}

static void put_key(int colour, FILE *out)
{
    size_t i;

    fputc('\n', out);
    for (i = 0; i < LOOKS; i++) {
        put_sign(&looks[i], colour, out);
        fprintf(out, " %s%s", looks[i].what, i + 1 < LOOKS ? "   " : "\n");
    }
}

static void put_room(const struct lw_snapshot *s, FILE *out)
{
    size_t i;

    fputs("Largest gang now, nodes on groups:", out);
    for (i = 0; i < s->nstartable; i++)
        fprintf(out, "%s %ld on %ld", i ? "," : "", s->startable[i],
                s->startable_groups[i]);
    fputc('\n', out);
}

int lw_show_cluster(const struct lw_map *map, const struct lw_state *state,
                    const struct lw_picture *picture, FILE *out)
{
    struct lw_capacity *c = lw_capacity_create(map, state);
    struct lw_snapshot s;
    struct measure m;
    int rc = -1;

    if (c && lw_snapshot_take(c, state, NULL, 0, 0, &s) == 0) {
        m = measure(&s, picture->width);
        put_head(&s, out);
        put_groups(&s, &m, picture->colour, out);
        put_key(picture->colour, out);
        put_room(&s, out);
        lw_snapshot_free(&s);
        rc = 0;
    }
    lw_capacity_destroy(c);
    return rc;
}

static struct lw_picture terminal(void)
{
    struct lw_picture p = {PLAIN_WIDTH, 0};
    struct winsize ws;

    if (!isatty(STDOUT_FILENO))
        return p;
    p.colour = !getenv("NO_COLOR");
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col)
        p.width = ws.ws_col;
    return p;
}

static int draw(const char *map_path, const char *state_path, int again)
{
    lw_error_t err = {0};
    struct lw_map *map = lw_map_load(map_path, &err);
    struct lw_state *state = map ? lw_state_load(state_path, &err) : NULL;
    struct lw_picture p = terminal();
    int code = LW_EXIT_OK;

    if (again)
        fputs(isatty(STDOUT_FILENO) ? "\033[H\033[2J" : "\n", stdout);
    if (!state)
        code = lw_cli_fail("%s", err.text);
    else if (lw_show_cluster(map, state, &p, stdout) < 0)
        code = lw_cli_fail("out of memory");
    if (fflush(stdout) != 0)
        code = lw_cli_fail("cannot write: %s", strerror(errno));
    lw_state_destroy(state);
    lw_map_destroy(map);
    return code;
}

int lw_show_live(const char *map, const char *state, long seconds)
{
    int code = draw(map, state, 0);

    while (seconds > 0 && !ferror(stdout)) {
        sleep((unsigned)seconds);
        code = draw(map, state, 1);
    }
    return code;
}
