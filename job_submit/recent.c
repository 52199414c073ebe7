/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recent.c - GPUs that were promised since `leafward watch` last looked */
#include "config.h"

#include "job_submit/recent.h"

#include <pthread.h>

/* The sum of every second; a place is used again when its second is over. */
static struct {
    time_t at;
    long gpus;
} seconds[LW_RECENT_SECONDS];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void lw_recent_add(time_t now, long gpus)
{
    size_t i = (size_t)now % LW_RECENT_SECONDS;

    pthread_mutex_lock(&mutex);
    if (seconds[i].at != now)
        seconds[i].gpus = 0;
    seconds[i].at = now;
    seconds[i].gpus += gpus;
    pthread_mutex_unlock(&mutex);
}

long lw_recent_since(time_t since)
{
    long sum = 0;
    size_t i;

    pthread_mutex_lock(&mutex);
    for (i = 0; i < LW_RECENT_SECONDS; i++)
        if (seconds[i].gpus && seconds[i].at >= since)
            sum += seconds[i].gpus;
    pthread_mutex_unlock(&mutex);
    return sum;
}
