/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tres.h - GPUs in Slurm's request texts ("gres:gpu:h100:8,gres/nvme=1") */
#ifndef LW_TRES_H
#define LW_TRES_H

#include <stdbool.h>

#define LW_TRES_TYPE 64

/* What one text says about GPUs. */
struct lw_tres {
    long gpus;               /* -1: nothing */
    char type[LW_TRES_TYPE]; /* "" for none */
    char mark;               /* ':' or '/': how this Slurm writes "gres:gpu" */
    bool unclear;            /* several types, or not understood */
};

/* Read 'text' (may be NULL) in any form that the commands of Slurm 22.05 to
 * 26.05 send: gres[:/]gpu[:TYPE][(:|=)COUNT], among others, with K, M or G
 * behind the count. Never fails: see 'unclear'. */
void lw_tres_read(const char *text, struct lw_tres *tres);

#endif
