/* Many dice at once: how many show no more than a limit, thrown side by side in wide registers. */
#ifndef GROGNARD_DICE_POOLS_H
#define GROGNARD_DICE_POOLS_H

#include "engine.h"

/* How many of n dice show no more than the limit (from 0). */
static inline int32_t grog_hits(uint64_t *state, int32_t n, uint32_t faces, int32_t limit) {
    uint64_t x = *state;
    int32_t hits = 0;
    for (; n > 0; n--) hits += (int32_t)grog_pcg_draw(&x, faces) <= limit;
    *state = x;
    return hits;
}

#if defined(__x86_64__) && defined(__GNUC__)
#define GROG_WIDE_HITS __attribute__((target("avx2,popcnt")))
#include <immintrin.h>

/* Dice that are thrown side by side. */
enum { GROG_WIDE_DICE = 8 };

/* The generator some steps on: state * GROG_JUMP + GROG_SHIFT. */
static const uint64_t GROG_JUMP[GROG_WIDE_DICE + 1] = {
    UINT64_C(0x0000000000000001), UINT64_C(0x5851F42D4C957F2D), UINT64_C(0x685F98A2018FADE9), UINT64_C(0x0B046976F22528F5),
    UINT64_C(0xFB4D3AE39272BE11), UINT64_C(0x696D29DA565AD7FD), UINT64_C(0xF08D02B0115F7A79), UINT64_C(0x798E21C49FF78E45),
    UINT64_C(0xB59DDA5F38413D21)};
static const uint64_t GROG_SHIFT[GROG_WIDE_DICE + 1] = {
    UINT64_C(0x0000000000000000), UINT64_C(0x14057B7EF767814F), UINT64_C(0x1A08EE1184BA6D32), UINT64_C(0x9AF678222E728119),
    UINT64_C(0x66B61AE97F2099B4), UINT64_C(0x62354CDA6226D1F3), UINT64_C(0x8F947F36D0D0F606), UINT64_C(0x144093704FADBA5D),
    UINT64_C(0x5B21778E3C8666A8)};

/* What four states of the generator give, times the faces. */
GROG_WIDE_HITS static inline __m256i grog_four(__m256i low, __m256i high, const uint64_t *jump, const uint64_t *shift,
                                               __m256i faces) {
    __m256i by = _mm256_loadu_si256((const __m256i *)jump);
    __m256i cross = _mm256_add_epi64(_mm256_mul_epu32(high, by), _mm256_mul_epu32(low, _mm256_srli_epi64(by, 32)));
    __m256i x = _mm256_add_epi64(_mm256_mul_epu32(low, by), _mm256_slli_epi64(cross, 32));
    x = _mm256_add_epi64(x, _mm256_loadu_si256((const __m256i *)shift));
    __m256i shifted = _mm256_srli_epi64(_mm256_xor_si256(_mm256_srli_epi64(x, 18), x), 27);
    shifted = _mm256_blend_epi32(shifted, _mm256_slli_epi64(shifted, 32), 0xAA);
    return _mm256_mul_epu32(_mm256_srlv_epi64(shifted, _mm256_srli_epi64(x, 59)), faces);
}

/* The same as grog_hits, eight dice at a time; where one of them would have to be thrown again, one by one. */
GROG_WIDE_HITS static inline int32_t grog_hits_wide(uint64_t *state, int32_t n, uint32_t faces, int32_t limit) {
    uint64_t x = *state;
    int32_t hits = 0;
    __m256i all_faces = _mm256_set1_epi64x(faces), bound = _mm256_set1_epi64x((int64_t)(limit + 1) << 32);
    __m256i half = _mm256_set1_epi64x(0xFFFFFFFF);
    for (; n > 0; n -= GROG_WIDE_DICE) {
        __m256i low = _mm256_set1_epi64x((int64_t)x), high = _mm256_set1_epi64x((int64_t)(x >> 32));
        __m256i a = grog_four(low, high, GROG_JUMP, GROG_SHIFT, all_faces);
        __m256i b = grog_four(low, high, GROG_JUMP + 4, GROG_SHIFT + 4, all_faces);
        __m256i again = _mm256_or_si256(_mm256_cmpgt_epi64(all_faces, _mm256_and_si256(a, half)),
                                        _mm256_cmpgt_epi64(all_faces, _mm256_and_si256(b, half)));
        int32_t steps = n < GROG_WIDE_DICE ? n : GROG_WIDE_DICE;
        if (GROG_UNLIKELY(!_mm256_testz_si256(again, again))) {
            hits += grog_hits(&x, steps, faces, limit);
            continue;
        }
        uint32_t hit = (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(bound, a)));
        hit |= (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(bound, b))) << 4;
        hits += __builtin_popcount(hit & ((1u << steps) - 1));
        x = x * GROG_JUMP[steps] + GROG_SHIFT[steps];
    }
    *state = x;
    return hits;
}

/* The same with all eight in one register. */
#define GROG_WIDEST_HITS __attribute__((target("avx512f,avx512dq,popcnt")))
GROG_WIDEST_HITS static inline int32_t grog_hits_widest(uint64_t *state, int32_t n, uint32_t faces, int32_t limit) {
    uint64_t x = *state;
    int32_t hits = 0;
    __m512i jump = _mm512_loadu_si512(GROG_JUMP), shift = _mm512_loadu_si512(GROG_SHIFT);
    __m512i all_faces = _mm512_set1_epi64(faces), bound = _mm512_set1_epi64((int64_t)(limit + 1) << 32);
    for (; n > 0; n -= GROG_WIDE_DICE) {
        __m512i y = _mm512_add_epi64(_mm512_mullo_epi64(_mm512_set1_epi64((int64_t)x), jump), shift);
        __m512i shifted = _mm512_srli_epi64(_mm512_xor_si512(_mm512_srli_epi64(y, 18), y), 27);
        __m512i drawn = _mm512_mul_epu32(_mm512_rorv_epi32(shifted, _mm512_srli_epi64(y, 59)), all_faces);
        int32_t steps = n < GROG_WIDE_DICE ? n : GROG_WIDE_DICE;
        /* A low half below the faces may have to be thrown again. */
        if (GROG_UNLIKELY(_mm512_cmplt_epu64_mask(_mm512_slli_epi64(drawn, 32), _mm512_slli_epi64(all_faces, 32)))) {
            hits += grog_hits(&x, steps, faces, limit);
            continue;
        }
        hits += __builtin_popcount(_mm512_cmplt_epu64_mask(drawn, bound) & ((1u << steps) - 1));
        x = x * GROG_JUMP[steps] + GROG_SHIFT[steps];
    }
    *state = x;
    return hits;
}
#endif

#endif
