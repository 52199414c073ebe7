/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sha256.c - the SHA-256 of a text (FIPS 180-4) */
#include "config.h"

#include "lib/sha256.h"

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define LW_SHA_NI 1
#include <immintrin.h>
#endif

static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static uint32_t load(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 |
           p[3];
}

static void expand(uint32_t w[64], const unsigned char *p)
{
    uint32_t a, b;
    unsigned i;

    for (i = 0; i < 16; i++)
        w[i] = load(p + 4 * i);
    for (; i < 64; i++) {
        a = w[i - 15];
        b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
}

static void one_block(uint32_t h[8], const unsigned char *p)
{
    uint32_t w[64], s[8], t, u;
    unsigned i;

    expand(w, p);
    memcpy(s, h, sizeof(s));
    for (i = 0; i < 64; i++) {
        t = s[7] + k[i] + w[i] + ((s[4] & s[5]) ^ (~s[4] & s[6])) +
            (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25));
        u = ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2])) +
            (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22));
        memmove(s + 1, s, 7 * sizeof(*s));
        s[4] += t;
        s[0] = t + u;
    }
    for (i = 0; i < 8; i++)
        h[i] += s[i];
}

static void plain_blocks(uint32_t h[8], const unsigned char *p, size_t n)
{
    for (; n; n--, p += 64)
        one_block(h, p);
}

#ifdef LW_SHA_NI
/* The processor's own instructions: a map of a large fabric names sources of
 * 100 MB, and hashing them in plain C costs more than reading them. */
__attribute__((target("sha,sse4.1"))) static void
ni_block(__m128i *state0, __m128i *state1, const unsigned char *p)
{
    const __m128i order =
        _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
    __m128i a = *state0, b = *state1, m[4], t;
    unsigned i;

    for (i = 0; i < 16; i++) {
        if (i < 4) {
            t = _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i));
            m[i] = _mm_shuffle_epi8(t, order);
        } else {
            t = _mm_sha256msg1_epu32(m[i & 3], m[(i + 1) & 3]);
            t = _mm_add_epi32(
                t, _mm_alignr_epi8(m[(i + 3) & 3], m[(i + 2) & 3], 4));
            m[i & 3] = _mm_sha256msg2_epu32(t, m[(i + 3) & 3]);
        }
        t = _mm_add_epi32(
            m[i & 3],
            _mm_loadu_si128((const __m128i *)(const void *)(k + 4 * i)));
        b = _mm_sha256rnds2_epu32(b, a, t);
        a = _mm_sha256rnds2_epu32(a, b, _mm_shuffle_epi32(t, 0x0e));
    }
    *state0 = _mm_add_epi32(*state0, a);
    *state1 = _mm_add_epi32(*state1, b);
}

/* The instructions want the state as ABEF and CDGH. */
__attribute__((target("sha,sse4.1"))) static void
ni_blocks(uint32_t h[8], const unsigned char *p, size_t n)
{
    __m128i abcd = _mm_loadu_si128((const __m128i *)(const void *)h);
    __m128i efgh = _mm_loadu_si128((const __m128i *)(const void *)(h + 4));
    __m128i cdab = _mm_shuffle_epi32(abcd, 0xb1);
    __m128i hgfe = _mm_shuffle_epi32(efgh, 0x1b);
    __m128i abef = _mm_alignr_epi8(cdab, hgfe, 8);
    __m128i cdgh = _mm_blend_epi16(hgfe, cdab, 0xf0);

    for (; n; n--, p += 64)
        ni_block(&abef, &cdgh, p);
    abcd = _mm_shuffle_epi32(abef, 0x1b);
    efgh = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)(void *)h, _mm_blend_epi16(abcd, efgh, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(h + 4),
                     _mm_alignr_epi8(efgh, abcd, 8));
}

/* CPUID leaf 7, EBX bit 29; and SSSE3 and SSE4.1 of leaf 1. */
static int has_sha_ni(void)
{
    unsigned a, b, c, d;

    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(0), "c"(0));
    if (a < 7)
        return 0;
    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(1), "c"(0));
    if (!(c & 1U << 9) || !(c & 1U << 19))
        return 0;
    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(7), "c"(0));
    return (b & 1U << 29) != 0;
}
#endif

static void blocks(uint32_t h[8], const unsigned char *p, size_t n)
{
#ifdef LW_SHA_NI
    if (has_sha_ni()) {
        ni_blocks(h, p, n);
        return;
    }
#endif
    plain_blocks(h, p, n);
}

void lw_sha256_start(struct lw_sha256 *s)
{
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                      0xa54ff53a, 0x510e527f, 0x9b05688c,
                                      0x1f83d9ab, 0x5be0cd19};

    memcpy(s->h, first, sizeof(first));
    s->total = 0;
}

void lw_sha256_add(struct lw_sha256 *s, const void *data, size_t len)
{
    size_t have = s->total % 64, n = 64 - have;
    const unsigned char *p = data;

    s->total += len;
    if (have && len >= n) {
        memcpy(s->rest + have, p, n);
        blocks(s->h, s->rest, 1);
        p += n;
        len -= n;
        have = 0;
    }
    if (!have) {
        blocks(s->h, p, len / 64);
        p += len / 64 * 64;
        len %= 64;
    }
    if (len)
        memcpy(s->rest + have, p, len);
}

void lw_sha256_end(struct lw_sha256 *s, char out[LW_SHA256_TEXT])
{
    static const char hex[] = "0123456789abcdef";
    unsigned char last[128] = {0};
    size_t have = s->total % 64, n = have < 56 ? 1 : 2, i;

    memcpy(last, s->rest, have);
    last[have] = 0x80;
    for (i = 0; i < 8; i++)
        last[n * 64 - 1 - i] = (unsigned char)(s->total * 8 >> 8 * i);
    blocks(s->h, last, n);
    for (i = 0; i < 64; i++)
        out[i] = hex[s->h[i / 8] >> (28 - 4 * (i % 8)) & 15];
    out[64] = '\0';
}

void lw_sha256(const void *data, size_t len, char out[LW_SHA256_TEXT])
{
    struct lw_sha256 s;

    lw_sha256_start(&s);
    lw_sha256_add(&s, data, len);
    lw_sha256_end(&s, out);
}
