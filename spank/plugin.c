/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plugin.c - the SPANK entry points: which context does what, nothing else */
#include "config.h"

/* Everything else of the plugin is hidden; these names Slurm must find. */
#pragma GCC visibility push(default)
#include <slurm/spank.h>

SPANK_PLUGIN(leafward, 1)
#pragma GCC visibility pop

#include "spank/options.h"
#include "spank/step.h"

#include <stdlib.h>
#include <string.h>

/* One step per slurmstepd, one command per srun or sbatch. */
static struct lw_step_state state;
static const struct lw_step_ops *ops; /* NULL before user_init */

/* Slurm calls this for the command line (remote 0) and again in slurmstepd,
 * where a bad word can only be an older client's and must not end the step. */
static int option(int val, const char *optarg, int remote)
{
    lw_error_t err = {0};

    (void)val;
    if (lw_options_parse(optarg, &state.options, &err) == 0)
        return 0;
    if (remote)
        slurm_info("leafward: %s; ignored", err.text);
    else
        slurm_error("leafward: %s", err.text);
    return remote ? 0 : -1;
}

static struct spank_option leafward_option = {
    .name = LW_OPTION_NAME,
    .arginfo = LW_OPTION_ARGS,
    .usage = "how Leafward places this job and binds its tasks",
    .has_arg = 1,
    .cb = option,
};

/* conf=PATH of the plugstack line, NULL without it. */
static const char *conf_argument(int ac, char **av)
{
    int i;

    for (i = 0; i < ac; i++)
        if (strncmp(av[i], "conf=", 5) == 0)
            return av[i] + 5;
    return NULL;
}

int slurm_spank_init(spank_t sp, int ac, char **av)
{
    int i;

    switch (spank_context()) {
    case S_CTX_LOCAL:
    case S_CTX_ALLOCATOR:
    case S_CTX_REMOTE:
        if (spank_option_register(sp, &leafward_option) != ESPANK_SUCCESS)
            slurm_info("leafward: --leafward cannot be registered");
        break;
    default:
        return 0;
    }
    for (i = 0; i < ac; i++)
        if (strncmp(av[i], "conf=", 5) != 0)
            slurm_info("leafward: plugstack.conf: unknown argument '%s' "
                       "ignored (known: conf=PATH)",
                       av[i]);
    return 0;
}

int slurm_spank_user_init(spank_t sp, int ac, char **av)
{
    lw_error_t err = {0};

    if (spank_context() != S_CTX_REMOTE)
        return 0;
    if ((ops = lw_step_load(&err)))
        ops->step(sp, conf_argument(ac, av), &state);
    else
        slurm_error("leafward: %s; the step starts as Slurm made it", err.text);
    return 0;
}

int slurm_spank_task_post_fork(spank_t sp, int ac, char **av)
{
    (void)ac;
    (void)av;
    if (ops)
        ops->launch(sp, &state);
    return 0;
}

int slurm_spank_task_init(spank_t sp, int ac, char **av)
{
    (void)ac;
    (void)av;
    return ops ? ops->task(sp, &state) : 0;
}

int slurm_spank_exit(spank_t sp, int ac, char **av)
{
    (void)sp;
    (void)ac;
    (void)av;
    if (ops)
        ops->free(&state);
    return 0;
}
