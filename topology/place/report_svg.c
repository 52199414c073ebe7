/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_svg.c - charts of the report, as inline SVG */
#include "config.h"

#include "lib/plural.h"
#include "lib/sheet.h"
#include "topology/place/report_svg.h"

#include <math.h>
#include <string.h>

/* Drawn for a phone's width; a wide window shows several side by side. */
#define WIDTH  360
#define LEFT   40
#define RIGHT  352
#define TOP    10
#define BOTTOM 150
#define HEIGHT 172

#define MAX_SERIES 4

/* Lines over time, one a series; values per bin. */
struct lines {
    const char *id, *title, *what;
    const char *names[MAX_SERIES];
    size_t n;
    double top; /* of the y axis, 0: from the values */
    int percent;
    double (*value)(const struct lw_bin *b, size_t series);
};

static void open_figure(const char *id, const char *title, FILE *out)
{
    fprintf(out, "<figure aria-labelledby=\"c-%s\"><figcaption id=\"c-%s\">",
            id, id);
    lw_html_text(title, out);
    fputs("</figcaption>\n", out);
}

static void open_svg(const char *id, int height, const char *what, FILE *out)
{
    fprintf(out,
            "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"d-%s\">"
            "<desc id=\"d-%s\">",
            WIDTH, height, id, id);
    lw_html_text(what, out);
    fputs("</desc>\n", out);
}

/* What the series look like: a piece of the line, or of the bar. */
static void legend(const char *const *names, size_t n, int bars, FILE *out)
{
    size_t i;

    fputs("<ul class=\"key\">", out);
    for (i = 0; i < n; i++) {
        fputs("<li><svg viewBox=\"0 0 24 8\" aria-hidden=\"true\">", out);
        if (bars)
            fprintf(out, "<rect class=\"f%zu\" width=\"24\" height=\"8\"/>", i);
        else
            fprintf(out, "<path class=\"l s%zu\" d=\"M0 4H24\"/>", i);
        fputs("</svg>", out);
        lw_html_text(names[i], out);
        fputs("</li>", out);
    }
    fputs("</ul></figure>\n", out);
}

/* The next number of 1, 2 or 5 times a power of ten. */
static double nice_top(double v)
{
    double p = v > 0 ? pow(10, floor(log10(v))) : 1;

    return v <= 0       ? 1
           : v <= p     ? p
           : v <= 2 * p ? 2 * p
           : v <= 5 * p ? 5 * p
                        : 10 * p;
}

static void y_axis(double top, int percent, FILE *out)
{
    double y;
    int i;

    for (i = 0; i <= 2; i++) {
        y = BOTTOM - (BOTTOM - TOP) * i / 2.0;
        fprintf(out,
                "<path class=\"grid\" d=\"M%d %.1fH%d\"/>"
                "<text x=\"%d\" y=\"%.1f\" class=\"e\">%g%s</text>\n",
                LEFT, y, RIGHT, LEFT - 4, y + 4,
                percent ? top * i * 50 : top * i / 2, percent ? "%" : "");
    }
}

static void time_label(int64_t t, int x, const char *anchor, FILE *out)
{
    time_t when = (time_t)t;
    char text[32] = "";
    struct tm tm;

    if (gmtime_r(&when, &tm))
        strftime(text, sizeof(text), "%b %d %H:%M", &tm);
    fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"%s\">%s</text>\n", x,
            HEIGHT - 4, anchor, text);
}

static int64_t span(const struct lw_cluster *c)
{
    return c->bins[c->nbins - 1].from + c->bin_width - c->bins[0].from;
}

static double x_of(const struct lw_cluster *c, int64_t t)
{
    return LEFT + (double)(RIGHT - LEFT) * (double)(t - c->bins[0].from) /
                      (double)span(c);
}

/* A value holds for its bin, so the line goes in steps. */
static void one_line(const struct lw_cluster *c, const struct lines *l,
                     size_t series, double top, FILE *out)
{
    double y;
    size_t i;

    fprintf(out, "<path class=\"l s%zu\" d=\"", series);
    for (i = 0; i < c->nbins; i++) {
        y = l->value(&c->bins[i], series);
        y = BOTTOM - (BOTTOM - TOP) * (y > top ? 1 : y / top);
        fprintf(out, "%s%.1f %.1fH%.1f", i ? "L" : "M",
                x_of(c, c->bins[i].from), y,
                x_of(c, i + 1 < c->nbins ? c->bins[i + 1].from
                                         : c->bins[i].from + c->bin_width));
    }
    fputs("\"/>\n", out);
}

static void draw_lines(const struct lw_cluster *c, const struct lines *l,
                       FILE *out)
{
    double top = l->top, v;
    size_t i, s;

    if (!c->nbins)
        return;
    for (i = 0; i < c->nbins && l->top == 0; i++)
        for (s = 0; s < l->n; s++)
            if ((v = l->value(&c->bins[i], s)) > top)
                top = v;
    if (l->top == 0)
        top = nice_top(top);
    open_figure(l->id, l->title, out);
    open_svg(l->id, HEIGHT, l->what, out);
    y_axis(top, l->percent, out);
    for (s = l->n; s-- > 0;)
        one_line(c, l, s, top, out);
    time_label(c->bins[0].from, LEFT, "b", out);
    time_label(c->bins[c->nbins - 1].from + c->bin_width, RIGHT, "e", out);
    fputs("</svg>\n", out);
    legend(l->names, l->n, 0, out);
}

static double startable_value(const struct lw_bin *b, size_t series)
{
    return (double)b->least[series];
}

void lw_svg_startable(const struct lw_report *r, FILE *out)
{
    const struct lw_cluster *c = &r->cluster;
    struct lines l = {.id = "startable",
                      .title = "Largest gang that could start, in nodes",
                      .what = "Over time, the smallest number of nodes that a "
                              "gang could have had on 1, 2, 4 and 8 groups. "
                              "The table Startable has the numbers.",
                      .value = startable_value};
    char names[MAX_SERIES][40];

    for (l.n = 0; l.n < c->nk && l.n < MAX_SERIES; l.n++) {
        snprintf(names[l.n], sizeof(names[0]), "on %ld group%s", c->k[l.n],
                 lw_plural((unsigned long long)c->k[l.n], "", "s"));
        l.names[l.n] = names[l.n];
    }
    if (l.n)
        draw_lines(c, &l, out);
}

static double fragmentation_value(const struct lw_bin *b, size_t series)
{
    double gpus = b->gpus > 0 ? b->gpus : 1;

    if (series == 0)
        return b->used / gpus;
    if (series == 1)
        return b->stranded / gpus;
    return b->fragmentation / (double)b->n;
}

/* The same with the number that newer snapshots have. */
static double unusable_value(const struct lw_bin *b, size_t series)
{
    if (series < 2)
        return fragmentation_value(b, series);
    return b->gpus > 0 ? b->unusable / b->gpus : 0;
}

static int tells_unusable(const struct lw_cluster *c)
{
    size_t i;

    for (i = 0; i < c->nbins; i++)
        if (!c->bins[i].unusable_n)
            return 0;
    return 1;
}

void lw_svg_fragmentation(const struct lw_report *r, FILE *out)
{
    struct lines l = {
        .id = "fragmentation",
        .title = "GPUs used, stranded and unusable",
        .what = "Over time, of all GPUs: those in use, those idle on partly "
                "used nodes, and the free ones that a job of the time could "
                "not use. The table Fragmentation has the numbers.",
        .names = {"used", "idle on partly used nodes", "free, but no job fits"},
        .n = 3,
        .top = 1,
        .percent = 1,
        .value = unusable_value};

    if (!tells_unusable(&r->cluster)) {
        l.title = "GPUs used and stranded, and broken groups";
        l.what = "Over time: the share of all GPUs in use, of those stranded, "
                 "and of the idle nodes in groups that are not wholly idle. "
                 "The table Fragmentation has the numbers.";
        l.names[2] = "idle nodes in broken groups";
        l.value = fragmentation_value;
    }
    draw_lines(&r->cluster, &l, out);
}

static const char *const uses[] = {"a gang can have them",
                                   "it cannot, or avoids them"};

static double bar(long v, long top)
{
    double w = (double)v / (double)top * (RIGHT - 150);

    return w > 1 ? w : 1;
}

/* One bar for each cause that there is, as the last snapshot has them. */
void lw_svg_causes(const struct lw_report *r, FILE *out)
{
    static const char *const names[LW_FREES] = {
        "whole nodes", "rail bad", "partly used", "no CPU", "no memory",
        "completing",  "reserved", "drained",     "down"};
    const long *gpus = r->cluster.last.gpus.free;
    long top = 0, rows = 0, y = 4;
    size_t i;

    for (i = 0; r->cluster.snapshots && i < LW_FREES; i++) {
        rows += gpus[i] > 0;
        top = gpus[i] > top ? gpus[i] : top;
    }
    if (!rows)
        return;
    open_figure("causes", "Why GPUs are free, at the last snapshot", out);
    open_svg("causes", (int)rows * 20 + 8,
             "Free GPUs by cause. A gang of whole nodes can have only those "
             "on whole nodes. The table Why free GPUs are free has the "
             "numbers, group by group.",
             out);
    for (i = 0; i < LW_FREES; i++) {
        if (gpus[i] < 1)
            continue;
        fprintf(out,
                "<text x=\"84\" y=\"%ld\" class=\"e\">%s</text>"
                "<rect class=\"f%d\" x=\"90\" y=\"%ld\" width=\"%.1f\" "
                "height=\"10\"/><text x=\"%.1f\" y=\"%ld\">%ld</text>\n",
                y + 9, names[i], i != LW_FREE_IDLE, y, bar(gpus[i], top),
                94 + bar(gpus[i], top), y + 9, gpus[i]);
        y += 20;
    }
    fputs("</svg>\n", out);
    legend(uses, 2, 1, out);
}

/* A bar chart by size class: one or two bars a class, with their values. */
struct bars {
    const char *id, *title, *what;
    const char *names[2];
    size_t n;
    enum lw_cell_type unit;
    double (*value)(const struct lw_tally *t, size_t series); /* < 0: none */
};

static void one_bar(const struct bars *b, double v, double top, size_t series,
                    int y, FILE *out)
{
    struct lw_cell cell = {.type = b->unit, .x = v, .n = (long)v};
    double w = top > 0 ? v / top * (RIGHT - 120) : 0;
    char text[LW_CELL_SIZE];

    fprintf(out,
            "<rect class=\"f%zu\" x=\"60\" y=\"%d\" width=\"%.1f\" "
            "height=\"10\"/><text x=\"%.1f\" y=\"%d\">%s</text>\n",
            series, y, w > 1 ? w : 1, 64 + w, y + 9, lw_cell_show(&cell, text));
}

static double bars_top(const struct lw_report *r, const struct bars *b,
                       size_t *rows)
{
    double top = b->unit == LW_CELL_SHARE ? 1 : 0, v;
    size_t i, s;

    for (*rows = i = 0; i < LW_SIZE_CLASSES; i++) {
        *rows += b->value(&r->sizes[i], 0) >= 0;
        for (s = 0; s < b->n; s++)
            if ((v = b->value(&r->sizes[i], s)) > top)
                top = v;
    }
    return top;
}

static void draw_bars(const struct lw_report *r, const struct bars *b,
                      FILE *out)
{
    size_t i, s, rows;
    double top = bars_top(r, b, &rows);
    int each = b->n > 1 ? 32 : 20, y = 4;
    char name[32];

    if (!rows)
        return;
    open_figure(b->id, b->title, out);
    open_svg(b->id, (int)rows * each + 8, b->what, out);
    for (i = 0; i < LW_SIZE_CLASSES; i++) {
        if (b->value(&r->sizes[i], 0) < 0)
            continue;
        fprintf(out, "<text x=\"54\" y=\"%d\" class=\"e\">%s</text>\n", y + 9,
                lw_size_class_name(i, name));
        for (s = 0; s < b->n; s++)
            one_bar(b, b->value(&r->sizes[i], s), top, s, y + (int)s * 12, out);
        y += each;
    }
    fputs("</svg>\n", out);
    legend(b->names, b->n, 1, out);
}

static double packed_value(const struct lw_tally *t, size_t series)
{
    if (!t->scored)
        return -1;
    if (series == 0)
        return (double)t->packed / (double)t->scored;
    return t->scored_gpu_s > 0 ? t->packed_gpu_s / t->scored_gpu_s : 0;
}

void lw_svg_sizes(const struct lw_report *r, FILE *out)
{
    static const struct bars b = {
        "packed",
        "Gangs on the fewest groups, by nodes",
        "For each size of gang the share that ran on the fewest groups, by "
        "number and by GPU-hours. The table By size has the numbers.",
        {"of gangs", "of their GPU-hours"},
        2,
        LW_CELL_SHARE,
        packed_value};

    draw_bars(r, &b, out);
}

static double wait_value(const struct lw_tally *t, size_t series)
{
    struct lw_quant *q = (struct lw_quant *)&t->wait; /* sorts itself */

    return q->n ? (double)lw_quant_at(q, series ? 0.95 : 0.5) : -1;
}

void lw_svg_waits(const struct lw_report *r, FILE *out)
{
    static const struct bars b = {
        "waits",
        "Wait for resources, by nodes",
        "For each size of job the median wait and the one that 95 percent "
        "stayed below. The table By size has the numbers.",
        {"median", "95 %"},
        2,
        LW_CELL_SECONDS,
        wait_value};

    draw_bars(r, &b, out);
}

static double locality_value(const struct lw_tally *t, size_t series)
{
    if (!t->locality.n)
        return -1;
    if (series == 0)
        return t->locality.sum / (double)t->locality.n;
    return (double)t->locality.max;
}

void lw_svg_locality(const struct lw_report *r, FILE *out)
{
    const struct lw_tally *all = &r->all;
    char title[120] = "What waiting for locality cost, by nodes";
    struct bars b = {
        "locality",
        title,
        "For each size of gang that waited for fewer groups the mean and the "
        "longest such wait. The table of gangs that waited has the numbers.",
        {"mean", "longest"},
        2,
        LW_CELL_SECONDS,
        locality_value};

    if (all->gain_known)
        snprintf(title, sizeof(title),
                 "What waiting for locality cost, for %llu %s fewer",
                 (unsigned long long)all->gain,
                 lw_plural(all->gain, "group", "groups"));
    draw_bars(r, &b, out);
}
