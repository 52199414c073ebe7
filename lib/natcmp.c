/* SPDX-License-Identifier: GPL-2.0-or-later */
/* natcmp.c - the order people expect of names: n2 before n10 */
#include "config.h"

#include "lib/natcmp.h"

#include <stddef.h>
#include <string.h>

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Compare the runs of digits at '*a' and '*b' and step over them. */
static int compare_runs(const char **a, const char **b)
{
    const char *x = *a, *y = *b;
    size_t n, m;
    int rc;

    while (*x == '0')
        x++;
    while (*y == '0')
        y++;
    for (n = 0; is_digit(x[n]);)
        n++;
    for (m = 0; is_digit(y[m]);)
        m++;
    if (n != m)
        return n < m ? -1 : 1;
    if ((rc = memcmp(x, y, n)))
        return rc;
    *a = x + n;
    *b = y + m;
    return 0;
}

int lw_natcmp(const char *a, const char *b)
{
    const char *x = a, *y = b;
    int rc;

    while (*x && *y) {
        if (is_digit(*x) && is_digit(*y)) {
            if ((rc = compare_runs(&x, &y)))
                return rc;
        } else if (*x != *y) {
            return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
        } else {
            x++;
            y++;
        }
    }
    if (*x || *y)
        return *x ? 1 : -1;
    return strcmp(a, b);
}
