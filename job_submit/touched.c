/* SPDX-License-Identifier: GPL-2.0-or-later */
/* touched.c - jobs that a user or admin has made his own a moment ago */
#include "config.h"

#include "job_submit/touched.h"

#include <pthread.h>
#include <stddef.h>

/* A ring: the oldest gives way. */
static struct {
    pthread_mutex_t mutex;
    struct {
        long id;
        time_t at;
    } jobs[LW_TOUCHED_JOBS];
    size_t next;
} ring = {.mutex = PTHREAD_MUTEX_INITIALIZER};

void lw_touched_add(long id, time_t now)
{
    pthread_mutex_lock(&ring.mutex);
    ring.jobs[ring.next].id = id;
    ring.jobs[ring.next].at = now;
    ring.next = (ring.next + 1) % LW_TOUCHED_JOBS;
    pthread_mutex_unlock(&ring.mutex);
}

bool lw_touched_since(long id, time_t since)
{
    bool found = false;
    size_t i;

    pthread_mutex_lock(&ring.mutex);
    for (i = 0; i < LW_TOUCHED_JOBS && !found; i++)
        found = ring.jobs[i].id == id && ring.jobs[i].at >= since;
    pthread_mutex_unlock(&ring.mutex);
    return found;
}
