/* SPDX-License-Identifier: GPL-2.0-or-later */
/* step.c - the entry to leafward_step.so */
#include "config.h"

#include "spank/step.h"

#pragma GCC visibility push(default)
extern const struct lw_step_ops leafward_step_ops;
#pragma GCC visibility pop

const struct lw_step_ops leafward_step_ops = {
    .version = PACKAGE_VERSION,
    .state_size = sizeof(struct lw_step_state),
    .step = lw_apply_step,
    .launch = lw_apply_launch,
    .task = lw_apply_task,
    .free = lw_apply_free,
};
