/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf_seconds.c - "90", "15m", "4h"; alone, because srun and sbatch need it
 * and should load no library for the rest of the configuration */
#include "config.h"

#include "lib/conf.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

int lw_conf_seconds(const char *text, long *seconds)
{
    static const struct {
        char unit;
        long factor;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    char *end;
    long n, factor = 1;
    size_t i;

    errno = 0;
    if (!isdigit((unsigned char)*text))
        return -1;
    n = strtol(text, &end, 10);
    if (errno)
        return -1;
    if (*end) {
        for (i = 0; i < 4 && units[i].unit != *end; i++)
            ;
        if (i == 4 || end[1])
            return -1;
        factor = units[i].factor;
    }
    if (n > LONG_MAX / factor)
        return -1;
    *seconds = n * factor;
    return 0;
}
