/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz.h - what every fuzz target shares */
#ifndef LW_FUZZ_H
#define LW_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Die, so that libFuzzer keeps the input. */
static inline void fuzz_check(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

#endif
