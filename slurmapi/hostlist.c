/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hostlist.c - "n[1-4,7]" to names and back, by libslurm */
#include "config.h"

#include "slurmapi/adapter.h"
#include "slurmapi/hostlist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void lw_names_free(char **names, size_t count)
{
    int saved = errno;
    size_t i;

    for (i = 0; names && i < count; i++)
        free(names[i]);
    free(names);
    errno = saved;
}

/* Move every host of 'hl' into a new array. */
static char **drain(lw_slurm_hostlist_t hl, size_t *count)
{
    int total = slurm_hostlist_count(hl);
    char **names = calloc(total > 0 ? (size_t)total : 1, sizeof(*names));
    char *host;
    size_t n = 0;

    /* slurm_hostlist_shift() returns malloc'd memory (slurm.h). */
    while (names && n < (size_t)total && (host = slurm_hostlist_shift(hl)))
        names[n++] = host;
    *count = n;
    return names;
}

char **lw_hostlist_expand(const char *text, size_t *count, lw_error_t *err)
{
    lw_slurm_hostlist_t hl = slurm_hostlist_create(text);
    char **names;

    if (!hl) {
        lw_err(err, "'%s' is not a host list", text);
        return NULL;
    }
    names = drain(hl, count);
    slurm_hostlist_destroy(hl);
    if (!names)
        lw_err(err, "out of memory");
    return names;
}

/* slurm_hostlist_ranged_string_malloc() went after 22.05; the one that gives
 * xmalloc'd memory is in every release, and its text must not leave here. */
static char *ranged(lw_slurm_hostlist_t hl)
{
    char *theirs = slurm_hostlist_ranged_string_xmalloc(hl);
    char *ours = theirs ? strdup(theirs) : NULL;

    slurm_xfree((void **)&theirs);
    return ours;
}

char *lw_hostlist_fold(const char *const *names, size_t count)
{
    lw_slurm_hostlist_t hl = slurm_hostlist_create("");
    char *folded = NULL;
    size_t i;

    if (!hl)
        return NULL;
    for (i = 0; i < count; i++)
        slurm_hostlist_push_host(hl, names[i]);
    slurm_hostlist_uniq(hl);
    folded = ranged(hl);
    slurm_hostlist_destroy(hl);
    return folded;
}

/* FNV-1a of the sorted ranges, which costs nothing for each host. */
uint32_t lw_hostlist_sum(const char *text)
{
    lw_slurm_hostlist_t hl = text && *text ? slurm_hostlist_create(text) : NULL;
    char *folded = NULL;
    const char *at;
    uint32_t sum = 2166136261U;

    if (hl && slurm_hostlist_count(hl) > 0) {
        slurm_hostlist_uniq(hl);
        folded = ranged(hl);
    }
    if (hl)
        slurm_hostlist_destroy(hl);
    for (at = folded; at && *at; at++)
        sum = (sum ^ (unsigned char)*at) * 16777619U;
    if (!folded)
        return 0;
    free(folded);
    return sum ? sum : 1;
}
