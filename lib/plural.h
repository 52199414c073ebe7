/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plural.h - "1 job", "2 jobs" */
#ifndef LW_PLURAL_H
#define LW_PLURAL_H

/* The words that go with a count of 'n'. */
static inline const char *lw_plural(unsigned long long n, const char *one,
                                    const char *many)
{
    return n == 1 ? one : many;
}

#endif
