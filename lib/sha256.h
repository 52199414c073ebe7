/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sha256.h - the SHA-256 of a text (FIPS 180-4) */
#ifndef LW_SHA256_H
#define LW_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define LW_SHA256_TEXT 65

/* A digest in the making. */
struct lw_sha256 {
    uint32_t h[8];
    uint64_t total;
    unsigned char rest[64]; /* of the last, incomplete block */
};

/* Start, add any number of pieces, and get the digest as 64 hexadecimal
 * digits and a NUL. */
void lw_sha256_start(struct lw_sha256 *s);
void lw_sha256_add(struct lw_sha256 *s, const void *data, size_t len);
void lw_sha256_end(struct lw_sha256 *s, char out[LW_SHA256_TEXT]);

/* The digest of 'len' bytes as 64 hexadecimal digits and a NUL. */
void lw_sha256(const void *data, size_t len, char out[LW_SHA256_TEXT]);

#endif
