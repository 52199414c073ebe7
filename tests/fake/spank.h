/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spank.h - a slurmstepd that is only an environment and a few numbers */
#ifndef LW_FAKE_SPANK_H
#define LW_FAKE_SPANK_H

#include <stdint.h>

#include <slurm/spank.h>

/* What the plugin sees; 'log' collects what it logged, one line each. */
struct fake_spank {
    uint32_t step_id, task_id, local_tasks, nodes, node_id, job_id;
    uint32_t total_tasks;
    uint16_t cpus;
    spank_context_t context;
    char **env;
    char log[8192];
    int refuse_setenv;
    struct spank_option *option;
};

extern struct fake_spank fake;

/* Back to an ordinary one-task step without variables. */
void fake_reset(void);

/* Set, or with NULL remove, a variable; look one up (NULL when not set). */
void fake_setenv(const char *name, const char *value);
const char *fake_getenv(const char *name);

/* How many variables there are. */
unsigned fake_nenv(void);

#endif
