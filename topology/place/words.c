/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words.c - the stable words of actions and reasons */
#include "config.h"

#include "topology/place/decide.h"

static const char *const actions[] = {
    [LW_UNTOUCHED] = "untouched",
    [LW_REWRITE] = "rewritten",
    [LW_IMPOSSIBLE] = "impossible",
    [LW_REFUSE] = "refused",
};

static const char *const reasons[] = {
    [LW_NOT_GPU] = "not-gpu",
    [LW_NO_GPU_COUNT] = "no-gpu-count",
    [LW_USER_NODELIST] = "user-nodelist",
    [LW_USER_SWITCHES] = "user-switches",
    [LW_USER_SEGMENT] = "user-segment",
    [LW_USER_CONTIGUOUS] = "user-contiguous",
    [LW_USER_ARBITRARY] = "user-arbitrary",
    [LW_USER_SIZES] = "user-sizes",
    [LW_USER_RESERVATION] = "user-reservation",
    [LW_USER_OFF] = "user-off",
    [LW_SITE_OFF] = "site-off",
    [LW_NO_MAP] = "no-map",
    [LW_NO_STATE] = "no-state",
    [LW_UNKNOWN_PARTITION] = "unknown-partition",
    [LW_ONE_NODE] = "one-node",
    [LW_FITS_NODE] = "fits-node",
    [LW_TOTAL_GPUS] = "total-gpus",
    [LW_GANG] = "gang",
    [LW_SUBNODE] = "sub-node",
    [LW_TOO_LARGE] = "too-large",
    [LW_UNCLEAR] = "unclear",
    [LW_USER_RANGE] = "user-range",
    [LW_USER_CONSTRAINT] = "user-constraint",
    [LW_TOO_MANY_FEATURES] = "too-many-features",
    [LW_ALREADY] = "already",
    [LW_USER_SPREAD] = "user-spread",
    [LW_SITE_SPREAD] = "site-spread",
};

const char *lw_action_word(enum lw_action action)
{
    size_t i = (size_t)action;

    return i < sizeof(actions) / sizeof(actions[0]) ? actions[i] : "untouched";
}

const char *lw_reason_word(enum lw_reason reason)
{
    size_t i = (size_t)reason;

    return i < sizeof(reasons) / sizeof(reasons[0]) ? reasons[i] : "unclear";
}
