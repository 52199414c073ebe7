/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sha256.h - the SHA-256 of a text (FIPS 180-4) */
#ifndef LW_SHA256_H
#define LW_SHA256_H

#include <stddef.h>

#define LW_SHA256_TEXT 65

/* The digest of 'len' bytes as 64 hexadecimal digits and a NUL. */
void lw_sha256(const void *data, size_t len, char out[LW_SHA256_TEXT]);

#endif
