/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decide_features.c - what a --constraint means for counting nodes */
#include "config.h"

#include "topology/place/decide_view.h"

#include <string.h>

static bool has(const struct lw_state_node *node, const char *name, size_t len)
{
    size_t i;

    for (i = 0; i < node->nfeatures; i++)
        if (strlen(node->features[i]) == len &&
            memcmp(node->features[i], name, len) == 0)
            return true;
    return false;
}

/* Counts (*), matching OR ([]), groups and whatever comes later are left
 * alone: the job is then not ours to count. Slurm reads a comma like &. */
int lw_features_match(const char *expr, const struct lw_state_node *node)
{
    bool all = true, any = false, either;
    size_t n;

    if (!expr || !*expr)
        return 1;
    either = strchr(expr, '|') != NULL;
    if (!node || strpbrk(expr, "[]()*!~ ") || (either && strpbrk(expr, "&,")))
        return -1;
    while (*expr) {
        if ((n = strcspn(expr, "&|,")) == 0)
            return -1;
        if (has(node, expr, n))
            any = true;
        else
            all = false;
        expr += n + (expr[n] != '\0');
    }
    return either ? any : all;
}

size_t lw_features_alternatives(const char *expr)
{
    size_t most = 0, here = 0;
    bool inside = false;

    for (; expr && *expr; expr++) {
        if (*expr == '[') {
            inside = true;
            here = 1;
        } else if (*expr == ']') {
            inside = false;
        } else if (*expr == '|' && inside) {
            here++;
        }
        if (here > most)
            most = here;
    }
    return most;
}
