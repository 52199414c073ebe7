/* SPDX-License-Identifier: GPL-2.0-or-later */
/* match.c - which NIC serves which GPU */
#include "config.h"

#include "topology/node/match.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MATCH_LIMIT 512 /* rows; beyond that the order alone decides */

/* The number of leading path components that both have. */
static size_t shared(const char *a, const char *b)
{
    size_t n = 0, len;

    while (*a && *b) {
        len = strcspn(a, "/");
        if (strcspn(b, "/") != len || memcmp(a, b, len) != 0)
            break;
        n++;
        a += len + (a[len] == '/');
        b += len + (b[len] == '/');
    }
    return n;
}

static size_t components(const char *s)
{
    size_t n = *s != '\0';

    for (; *s; s++)
        n += *s == '/';
    return n;
}

enum lw_near lw_near(const struct lw_gpu *gpu, const struct lw_nic *nic)
{
    size_t common = shared(gpu->path, nic->path);

    if (common > 1 && common == components(gpu->path) &&
        common == components(nic->path))
        return LW_NEAR_PIX;
    if (common > 1)
        return LW_NEAR_PXB;
    if (common == 1)
        return LW_NEAR_PHB;
    if (gpu->numa >= 0 && gpu->numa == nic->numa)
        return LW_NEAR_NODE;
    return LW_NEAR_SYS;
}

const char *lw_near_word(int near)
{
    static const char *const words[] = {"PIX", "PXB", "PHB", "NODE", "SYS"};

    return words[near >= 0 && near < 5 ? near : 4];
}

/* The assignment problem: rows 1..n to columns 1..m, n <= m, by shortest
 * augmenting paths with potentials (Kuhn and Munkres), O(n n m). Index 0 is
 * the algorithm's own. */
struct solver {
    size_t n, m;
    const long *cost; /* n x m */
    long *u, *v;      /* potentials of rows and columns */
    size_t *row;      /* row[j]: the row that column j serves */
    size_t *way;
    long *least;
    bool *used;
};

/* Grow the tree from the column 'j0' by one column; returns that column. */
static size_t step(struct solver *s, size_t j0)
{
    size_t i0 = s->row[j0], j, j1 = 0;
    long delta = LONG_MAX, reduced;

    s->used[j0] = true;
    for (j = 1; j <= s->m; j++) {
        if (s->used[j])
            continue;
        reduced = s->cost[(i0 - 1) * s->m + j - 1] - s->u[i0] - s->v[j];
        if (reduced < s->least[j]) {
            s->least[j] = reduced;
            s->way[j] = j0;
        }
        if (s->least[j] < delta) {
            delta = s->least[j];
            j1 = j;
        }
    }
    for (j = 0; j <= s->m; j++) {
        if (s->used[j]) {
            s->u[s->row[j]] += delta;
            s->v[j] -= delta;
        } else {
            s->least[j] -= delta;
        }
    }
    return j1;
}

static void solve(struct solver *s)
{
    size_t i, j, j0;

    for (i = 1; i <= s->n; i++) {
        s->row[0] = i;
        j0 = 0;
        for (j = 0; j <= s->m; j++) {
            s->least[j] = LONG_MAX / 2;
            s->used[j] = false;
        }
        do
            j0 = step(s, j0);
        while (s->row[j0] != 0);
        do {
            j = s->way[j0];
            s->row[j0] = s->row[j];
            j0 = j;
        } while (j0);
    }
}

/* Distance counts first; equal distances go by the place in the lists, so
 * that GPU 0 gets rail 0 where nothing else tells them apart. */
static long cost_of(const struct lw_inventory *inv, int gpu, int nic,
                    size_t row, size_t place)
{
    long off = row > place ? (long)(row - place) : (long)(place - row);

    return (long)lw_near(&inv->gpus[gpu], &inv->nics[nic]) * 1000000 + off;
}

static int solver_run(struct solver *s, void *memory)
{
    char *at = memory;

    s->u = (void *)at;
    at += (s->n + 1) * sizeof(long);
    s->v = (void *)at;
    at += (s->m + 1) * sizeof(long);
    s->least = (void *)at;
    at += (s->m + 1) * sizeof(long);
    s->row = (void *)at;
    at += (s->m + 1) * sizeof(size_t);
    s->way = (void *)at;
    at += (s->m + 1) * sizeof(size_t);
    s->used = (void *)at;
    solve(s);
    return 0;
}

int lw_match(const struct lw_inventory *inv, const int *gpus, size_t n,
             const int *nics, size_t m, int *out)
{
    /* each NIC stands for as many columns as GPUs it may serve */
    size_t fold = m ? (n + m - 1) / m : 0, width = m * (fold ? fold : 1);
    struct solver s = {.n = n, .m = width};
    long *cost = NULL;
    void *memory = NULL;
    size_t i, j;
    int rc = -1;

    for (i = 0; i < n; i++)
        out[i] = m ? nics[i * m / n] : -1;
    if (!n || !m || width > MATCH_LIMIT)
        return 0;
    cost = malloc(n * width * sizeof(*cost));
    memory = calloc(n + 1 + 5 * (width + 1), sizeof(long));
    if (!cost || !memory)
        goto out;
    for (i = 0; i < n; i++)
        for (j = 0; j < width; j++)
            cost[i * width + j] =
                cost_of(inv, gpus[i], nics[j / fold], i, j * n / width);
    s.cost = cost;
    rc = solver_run(&s, memory);
    for (j = 1; j <= width; j++)
        if (s.row[j])
            out[s.row[j] - 1] = nics[(j - 1) / fold];
out:
    free(cost);
    free(memory);
    return rc;
}
