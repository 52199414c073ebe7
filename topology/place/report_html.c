/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_html.c - the report as one page that needs nothing else */
#include "config.h"

#include "lib/plural.h"
#include "lib/when.h"
#include "topology/place/report_print.h"
#include "topology/place/report_svg.h"

#include <ctype.h>

/* Colours are chosen for both themes; forms, dashes and words say the same
 * for those who do not tell colours apart. */
static const char style[] =
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1a1d21;--soft:#5a626b;"
    "--line:#d5dae0;--card:#f5f7f9;--a:#0b63b0;--b:#b35a00;--c:#3d7a3d;"
    "--d:#7a3e9d;--bad:#c0262d}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e8eaed;"
    "--soft:#a3abb4;--line:#3a4148;--card:#1d2125;--a:#63aef0;--b:#f0a35a;"
    "--c:#7fc47f;--d:#c79be0;--bad:#ff7a7f}}\n"
    "body{margin:0 auto;padding:1rem;max-width:76rem;background:var(--bg);"
    "color:var(--fg);font:16px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.4rem;line-height:1.25;margin:.3rem 0}"
    "h2{font-size:1.1rem;margin:1.6rem 0 .4rem}"
    "p{margin:.3rem 0}.note{color:var(--soft);font-size:.9rem}\n"
    "a{color:var(--a)}:focus-visible{outline:3px solid var(--a);"
    "outline-offset:2px}\n"
    ".cards{display:grid;gap:.6rem;padding:0;list-style:none;"
    "grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr))}"
    ".cards li{background:var(--card);border:1px solid var(--line);"
    "border-radius:.4rem;padding:.5rem .7rem}"
    ".cards b{display:block;font-size:1.5rem;line-height:1.2}\n"
    ".pics{display:grid;gap:1rem;"
    "grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr))}"
    "figure{margin:0;min-width:0}figure.full{grid-column:1/-1}"
    "figcaption{font-weight:600;margin-bottom:.3rem}"
    "figure>svg{width:100%;height:auto;display:block}\n"
    "svg text{font-size:11px;fill:var(--fg)}svg .e{text-anchor:end}"
    ".grid{stroke:var(--line);fill:none}.l{fill:none;stroke-width:2}"
    ".s0{stroke:var(--a)}.s1{stroke:var(--b);stroke-dasharray:6 3}"
    ".s2{stroke:var(--c);stroke-dasharray:2 3}"
    ".s3{stroke:var(--d);stroke-dasharray:8 3 2 3}"
    ".f0{fill:var(--a)}.f1{fill:var(--b)}"
    ".node{fill:none;stroke:var(--soft)}"
    ".bad{fill:var(--bad);stroke:var(--bad);stroke-width:1}\n"
    ".j0{fill:#3b82c4}.j1{fill:#c9772b}.j2{fill:#4f9a58}.j3{fill:#a05fc0}"
    ".j4{fill:#b8a12a}.j5{fill:#2f9c9c}.j6{fill:#c25b86}.j7{fill:#7a7f87}\n"
    ".key{display:flex;flex-wrap:wrap;gap:.1rem 1rem;padding:0;margin:.3rem 0;"
    "list-style:none;font-size:.85rem;color:var(--soft)}"
    ".key svg{width:24px;height:8px;margin-right:.35rem}"
    ".key .sq{width:14px;height:14px;vertical-align:-2px}\n"
    ".groups{display:flex;flex-wrap:wrap;gap:.7rem 1.1rem;padding:0;"
    "list-style:none;margin:0}.groups span{display:block;font-size:.85rem}"
    ".groups svg{display:block}\n"
    ".strip{display:flex;align-items:center;gap:.5rem}"
    ".strip span{flex:0 0 6.5rem;font-size:.8rem;overflow:hidden;"
    "text-overflow:ellipsis;white-space:nowrap}"
    ".strip svg{flex:1;min-width:0;height:13px;background:var(--card)}"
    ".strip .bad{stroke:none}.ends{flex:1;display:flex;"
    "justify-content:space-between;font-size:.8rem;color:var(--soft)}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem}"
    "th,td{padding:.2rem .7rem .2rem 0;text-align:left;white-space:nowrap;"
    "border-bottom:1px solid var(--line)}thead th{color:var(--soft);"
    "font-weight:600}tbody th{font-weight:400;white-space:pre}"
    "td.n{text-align:right;font-variant-numeric:tabular-nums}"
    "thead th:not(:first-child){text-align:right}\n"
    "details{border-top:1px solid var(--line);padding:.4rem 0}"
    "summary{cursor:pointer;font-weight:600}\n"
    "@media print{details{break-inside:avoid}}\n";

static void put_head(const struct lw_report *r, FILE *out)
{
    char from[LW_WHEN_SIZE], to[LW_WHEN_SIZE];
    time_t since =
        r->options.since ? r->options.since : (time_t)(r->first_ms / 1000);
    time_t until =
        r->options.until ? r->options.until : (time_t)(r->last_ms / 1000);

    lw_when_print(since, from);
    lw_when_print(until, to);
    fprintf(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width,"
        "initial-scale=1\"><title>Placement of GPU jobs</title><style>\n%s"
        "</style></head>\n<body><header><h1>Placement of GPU jobs</h1>"
        "<p><time datetime=\"%s\">%.10s %.5s</time> to "
        "<time datetime=\"%s\">%.10s %.5s</time> UTC</p></header>\n<main>\n",
        style, from, from, from + 11, to, to, to + 11);
}

static void put_card(const struct lw_cell *value, const char *what, FILE *out)
{
    char text[LW_CELL_SIZE];

    fputs("<li><b>", out);
    lw_html_text(lw_cell_show(value, text), out);
    fprintf(out, "</b>%s</li>\n", what);
}

static struct lw_cell share(double part, double whole)
{
    struct lw_cell c = {.type = whole > 0 ? LW_CELL_SHARE : LW_CELL_NONE};

    c.x = whole > 0 ? part / whole : 0;
    return c;
}

static struct lw_cell value(enum lw_cell_type type, double x)
{
    return (struct lw_cell){.type = type, .x = x, .n = (long)x};
}

static void put_cards(const struct lw_report *r, FILE *out)
{
    const struct lw_tally *a = &r->all;
    struct lw_quant *wait = (struct lw_quant *)&a->gang_wait;
    struct lw_cell c;

    fputs("<ul class=\"cards\">\n", out);
    c = share((double)a->packed, (double)a->scored);
    put_card(&c, "of gangs on the fewest groups", out);
    c = share(a->packed_gpu_s, a->scored_gpu_s);
    put_card(&c, "of gang GPU-hours on the fewest groups", out);
    c = value(LW_CELL_COUNT, (double)a->gangs);
    put_card(&c, "gangs", out);
    c = value(LW_CELL_NUMBER, a->gpu_s / 3600);
    put_card(&c, "GPU-hours in all", out);
    c = value(LW_CELL_SECONDS, lw_quant_mean(wait));
    put_card(&c, "mean wait of gangs", out);
    c = value(LW_CELL_SECONDS, (double)lw_quant_at(wait, 0.95));
    put_card(&c, "wait that 95 % of gangs stayed below", out);
    c = value(LW_CELL_NUMBER, a->locality.sum / 3600);
    put_card(&c, "hours waited for locality", out);
    fputs("</ul>\n", out);
}

static void put_pictures(const struct lw_report *r, FILE *out)
{
    fputs("<h2>Pictures</h2>\n<div class=\"pics\">\n", out);
    lw_svg_cluster(r, out);
    lw_svg_groups_over_time(r, out);
    lw_svg_sizes(r, out);
    lw_svg_waits(r, out);
    lw_svg_startable(r, out);
    lw_svg_fragmentation(r, out);
    lw_svg_causes(r, out);
    lw_svg_locality(r, out);
    fputs("</div>\n", out);
}

static void put_section(const struct lw_report *r,
                        const struct lw_report_section *s, size_t rows,
                        FILE *out)
{
    struct lw_sheet t;

    s->fill(r, &t);
    fprintf(out, "<details id=\"%s\"%s><summary>", s->name,
            s->usual ? " open" : "");
    if (t.title[0]) {
        lw_html_text(t.title, out);
    } else {
        fputc(toupper((unsigned char)s->what[0]), out);
        lw_html_text(s->what + 1, out);
    }
    fputs("</summary>\n", out);
    lw_sheet_print_html(&t, rows, out);
    fputs("</details>\n", out);
    lw_sheet_free(&t);
}

void lw_report_print_html(const struct lw_report *r,
                          const struct lw_report_view *view, FILE *out)
{
    const struct lw_report_section *s;
    size_t n, i;

    s = lw_report_sections(&n);
    put_head(r, out);
    put_cards(r, out);
    put_pictures(r, out);
    fputs("<h2>Tables</h2>\n", out);
    for (i = 0; i < n; i++)
        if (view->sections >> i & 1)
            put_section(r, &s[i], view->style.rows, out);
    fprintf(out, "</main>\n<footer class=\"note\"><p>From %llu %s of %zu %s",
            (unsigned long long)view->stats->lines,
            lw_plural(view->stats->lines, "line", "lines"), view->files,
            lw_plural(view->files, "file", "files"));
    if (view->stats->broken)
        fprintf(out, "; %llu broken %s skipped",
                (unsigned long long)view->stats->broken,
                lw_plural(view->stats->broken, "line was", "lines were"));
    fputs(".</p></footer></body></html>\n", out);
}
