/* SPDX-License-Identifier: GPL-2.0-or-later */
/* progress.c - a progress bar on standard error, on a terminal only */
#include "config.h"

#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#define BAR 30

static double seconds_between(const struct timespec *a,
                              const struct timespec *b)
{
    return (double)(b->tv_sec - a->tv_sec) +
           (double)(b->tv_nsec - a->tv_nsec) / 1e9;
}

void lw_progress_start(struct lw_progress *p, const char *what)
{
    p->what = what;
    p->on = isatty(STDERR_FILENO);
    p->shown = 0;
    clock_gettime(CLOCK_MONOTONIC, &p->start);
    p->last = p->start;
}

static void draw(const struct lw_progress *p, double share, double left)
{
    int full = (int)(share * BAR), i;

    fprintf(stderr, "\r%s [", p->what);
    for (i = 0; i < BAR; i++)
        fputc(i < full ? '#' : '.', stderr);
    fprintf(stderr, "] %3.0f %%, %.0f s left \033[K", share * 100, left);
}

void lw_progress_show(struct lw_progress *p, uint64_t done, uint64_t total)
{
    struct timespec now;
    double share, spent;

    if (!p->on)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    spent = seconds_between(&p->start, &now);
    if (spent < 0.5 || (p->shown && seconds_between(&p->last, &now) < 0.1))
        return;
    p->last = now;
    p->shown = 1;
    share = total ? (double)done / (double)total : 0;
    if (share > 0)
        draw(p, share > 1 ? 1 : share, spent / share - spent);
    else
        fprintf(stderr, "\r%s, %.1f MB \033[K", p->what, (double)done / 1e6);
}

void lw_progress_end(struct lw_progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = 0;
}
