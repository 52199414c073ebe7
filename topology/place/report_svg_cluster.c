/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_svg_cluster.c - the cluster as groups of nodes, as inline SVG */
#include "config.h"

#include "lib/sheet.h"
#include "lib/strtab.h"
#include "topology/place/report_open.h"
#include "topology/place/report_svg.h"

#include <stdlib.h>
#include <string.h>

#define ACROSS     8   /* nodes a line in a group */
#define SIDE       14  /* of a node, in units of the picture */
#define COLOURS    8   /* j0 .. j7 in the style sheet */
#define MAX_GROUPS 256 /* beyond, a page is no picture any more */

/* Which job is on which node, by the nodes' names. */
struct occupants {
    struct lw_strtab *names;
    const struct lw_run **runs; /* by number of the name */
    size_t n, size;
};

static int occupy(struct occupants *o, const char *name,
                  const struct lw_run *run)
{
    size_t i = lw_strtab_add(o->names, name, strlen(name)), size;
    const struct lw_run **runs;

    if (i == LW_STRTAB_NONE)
        return -1;
    if (i >= o->size) {
        size = o->size ? o->size * 2 : 256;
        if (!(runs = realloc(o->runs, size * sizeof(*runs))))
            return -1;
        o->runs = runs;
        o->size = size;
    }
    if (i >= o->n)
        o->n = i + 1;
    o->runs[i] = run;
    return 0;
}

static void find_occupants(const struct lw_report *r, struct occupants *o)
{
    const struct lw_hosts *hosts = &r->options.hosts;
    const struct lw_run *run;
    size_t at = 0, n, i;
    char **names;

    if (!hosts->expand || !(o->names = lw_strtab_create()))
        return;
    while ((run = lw_report_open_next(r, &at))) {
        n = 0;
        names = run->nodes ? hosts->expand(run->nodes, &n, NULL) : NULL;
        for (i = 0; i < n; i++)
            if (occupy(o, names[i], run) < 0)
                break;
        if (names)
            hosts->free_names(names, n);
    }
}

static const struct lw_run *occupant(const struct occupants *o,
                                     const char *name)
{
    size_t i = LW_STRTAB_NONE;

    if (o->names && name)
        i = lw_strtab_find(o->names, name, strlen(name));
    return i < o->n ? o->runs[i] : NULL;
}

static const char *state_word(char state)
{
    switch (state) {
    case 'i':
        return "idle";
    case 'm':
        return "partly used";
    case 'f':
        return "full";
    case 'd':
        return "down";
    default:
        return "not known to Slurm";
    }
}

/* The form tells the state, the colour the job: neither alone is needed. */
static void put_shape(char state, int x, int y, const char *colour, FILE *out)
{
    int s = SIDE - 2;

    fprintf(out,
            "<rect class=\"node\" x=\"%d\" y=\"%d\" width=\"%d\" "
            "height=\"%d\"/>",
            x, y, s, s);
    if (state == 'f')
        fprintf(out,
                "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" "
                "height=\"%d\"/>",
                colour, x, y, s, s);
    else if (state == 'm')
        fprintf(out, "<path class=\"%s\" d=\"M%d %dv%dh%dz\"/>", colour, x, y,
                s, s);
    else if (state == 'd')
        fprintf(out, "<path class=\"bad\" d=\"M%d %dl%d %dm0 -%dl-%d %d\"/>",
                x + 2, y + 2, s - 4, s - 4, s - 4, s - 4, s - 4);
    else if (state != 'i')
        fprintf(out, "<path class=\"bad\" d=\"M%d %dh%d\"/>", x + 2, y + s / 2,
                s - 4);
}

static void put_node(const struct lw_report *r, const struct occupants *o,
                     const char *name, char state, size_t i, FILE *out)
{
    const struct lw_run *run = occupant(o, name);
    int x = (int)(i % ACROSS) * SIDE + 1, y = (int)(i / ACROSS) * SIDE + 1;
    char colour[8] = "f0";

    if (run)
        snprintf(colour, sizeof(colour), "j%ld", run->id % COLOURS);
    fputs("<g><title>", out);
    lw_html_text(name ? name : "node", out);
    fprintf(out, ": %s", state_word(state));
    if (run && state != 'i' && state != 'd') {
        fprintf(out, ", job %ld of ", run->id);
        lw_html_text(lw_strtab_name(r->users.names, run->user), out);
    }
    fputs("</title>", out);
    put_shape(state, x, y, colour, out);
    fputs("</g>", out);
}

static void put_group(const struct lw_report *r, const struct occupants *o,
                      const struct lw_cluster_group *g, FILE *out)
{
    const struct lw_cluster *c = &r->cluster;
    const struct lw_cluster_group *m = lw_cluster_find(&c->map, g->name);
    size_t n = strlen(g->states), across = n < ACROSS ? n : ACROSS, i;
    int w = (int)across * SIDE, h = (int)((n + ACROSS - 1) / ACROSS) * SIDE;

    fputs("<li><span>", out);
    lw_html_text(lw_strtab_name(c->names, g->name), out);
    fprintf(out,
            "</span><svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
            "role=\"img\" aria-label=\"%zu idle, %zu partly used, %zu full, "
            "%zu down\">",
            w, h, w * 3 / 2, h * 3 / 2, lw_group_count(g, 'i'),
            lw_group_count(g, 'm'), lw_group_count(g, 'f'),
            lw_group_count(g, 'd'));
    for (i = 0; i < n; i++)
        put_node(r, o, m && i < m->nnodes ? m->nodes[i] : NULL, g->states[i], i,
                 out);
    fputs("</svg></li>\n", out);
}

static void put_key(int jobs, FILE *out)
{
    static const char states[] = "imfd";
    size_t i;

    fputs("<ul class=\"key\">", out);
    for (i = 0; i < 4; i++) {
        fputs("<li><svg viewBox=\"0 0 14 14\" class=\"sq\" "
              "aria-hidden=\"true\">",
              out);
        put_shape(states[i], 1, 1, "f0", out);
        fprintf(out, "</svg>%s</li>", state_word(states[i]));
    }
    fputs(jobs ? "<li>other colours: one a job</li></ul></figure>\n"
               : "</ul></figure>\n",
          out);
}

void lw_svg_cluster(const struct lw_report *r, FILE *out)
{
    const struct lw_cluster *c = &r->cluster;
    struct occupants o = {0};
    size_t i;

    if (!c->groups.n)
        return;
    find_occupants(r, &o);
    fputs("<figure class=\"full\" aria-labelledby=\"c-cluster\"><figcaption "
          "id=\"c-cluster\">The cluster at the last snapshot</figcaption>"
          "<ul class=\"groups\">\n",
          out);
    for (i = 0; i < c->groups.n && i < MAX_GROUPS; i++)
        put_group(r, &o, &c->groups.v[i], out);
    fputs("</ul>", out);
    if (i < c->groups.n)
        fprintf(out, "<p class=\"note\">%zu more groups are not drawn.</p>",
                c->groups.n - i);
    put_key(o.n > 0, out);
    lw_strtab_destroy(o.names);
    free(o.runs);
}

static double at(const float *v, const struct lw_bin *b, size_t group)
{
    return group < b->ngroups ? v[group] / (double)b->n : 0;
}

/* One group over time: a strip that is as wide as the window lets it. */
static void put_strip(const struct lw_cluster *c,
                      const struct lw_cluster_group *g, FILE *out)
{
    double nodes = (double)strlen(g->states), busy, lost;
    int64_t start = c->bins[0].from, w = c->bin_width;
    int64_t end = c->bins[c->nbins - 1].from + w;
    size_t i;

    fputs("<div class=\"strip\"><span>", out);
    lw_html_text(lw_strtab_name(c->names, g->name), out);
    fprintf(out,
            "</span><svg viewBox=\"0 0 %lld 10\" preserveAspectRatio=\"none\" "
            "shape-rendering=\"crispEdges\" "
            "aria-hidden=\"true\">",
            (long long)((end - start) / w));
    for (i = 0; i < c->nbins && nodes > 0; i++) {
        const struct lw_bin *b = &c->bins[i];

        busy = at(b->busy, b, g->name) / nodes;
        lost = at(b->lost, b, g->name) / nodes;
        fprintf(out,
                "<rect class=\"f0\" fill-opacity=\"%.2f\" x=\"%lld\" y=\"0\" "
                "width=\"%lld\" height=\"10\"/>",
                busy > 1 ? 1 : busy, (long long)((b->from - start) / w),
                (long long)(((i + 1 < c->nbins ? c->bins[i + 1].from : end) -
                             b->from) /
                            w));
        if (lost > 0)
            fprintf(out,
                    "<rect class=\"bad\" x=\"%lld\" y=\"%.1f\" width=\"1\" "
                    "height=\"%.1f\"/>",
                    (long long)((b->from - start) / w), 10 - lost * 10,
                    lost * 10);
    }
    fputs("</svg></div>\n", out);
}

/* When the strips begin and end, below them. */
static void put_ends(const struct lw_cluster *c, FILE *out)
{
    time_t ends[2] = {(time_t)c->bins[0].from,
                      (time_t)(c->bins[c->nbins - 1].from + c->bin_width)};
    char text[32];
    struct tm tm;
    size_t i;

    fputs("<div class=\"strip\"><span></span><div class=\"ends\">", out);
    for (i = 0; i < 2; i++) {
        text[0] = '\0';
        if (gmtime_r(&ends[i], &tm))
            strftime(text, sizeof(text), "%b %d %H:%M UTC", &tm);
        fprintf(out, "<small>%s</small>", text);
    }
    fputs("</div></div>\n", out);
}

void lw_svg_groups_over_time(const struct lw_report *r, FILE *out)
{
    const struct lw_cluster *c = &r->cluster;
    size_t i;

    if (!c->nbins)
        return;
    fputs("<figure class=\"full\" aria-labelledby=\"c-time\"><figcaption "
          "id=\"c-time\">The groups over time</figcaption>\n"
          "<div role=\"img\" aria-label=\"One strip a group, from left to "
          "right in time; the darker, the more of its nodes are in use. The "
          "table Fragmentation has the numbers.\">",
          out);
    for (i = 0; i < c->groups.n && i < MAX_GROUPS; i++)
        put_strip(c, &c->groups.v[i], out);
    put_ends(c, out);
    fputs("</div><p class=\"note\">The fuller the colour, the more nodes of "
          "the group are in use; red from below: nodes down.</p></figure>\n",
          out);
}
