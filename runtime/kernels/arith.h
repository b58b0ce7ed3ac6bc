/* Checked arithmetic and checked indexes. */
#ifndef GROGNARD_ARITH_H
#define GROGNARD_ARITH_H

#include "geometry.h"
#include "context.h"

/* ---- arithmetic ---- */

GROG_COLD static int32_t grog_too_large(grog_ctx *ctx, int32_t a, int32_t b, int32_t site) {
    grog_fail_many(ctx, GROG_FAIL_OVERFLOW, site, 2, a, b, 0);
    return 0;
}

static inline int32_t grog_narrow(grog_ctx *ctx, int64_t x, int32_t a, int32_t b, int32_t site) {
    return GROG_UNLIKELY(x > INT32_MAX || x <= INT32_MIN) ? grog_too_large(ctx, a, b, site) : (int32_t)x;
}

/* The processor reports overflow of 32 bits by itself.  The least number stands for NONE and is no result. */
static inline int32_t grog_add(grog_ctx *ctx, int32_t a, int32_t b, int32_t site) {
    int32_t x;
    if (__builtin_add_overflow(a, b, &x)) return grog_too_large(ctx, a, b, site);
    return GROG_LIKELY(x != INT32_MIN) ? x : grog_too_large(ctx, a, b, site);
}

static inline int32_t grog_sub(grog_ctx *ctx, int32_t a, int32_t b, int32_t site) {
    int32_t x;
    if (__builtin_sub_overflow(a, b, &x)) return grog_too_large(ctx, a, b, site);
    return GROG_LIKELY(x != INT32_MIN) ? x : grog_too_large(ctx, a, b, site);
}

static inline int32_t grog_mul(grog_ctx *ctx, int32_t a, int32_t b, int32_t site) {
    int32_t x;
    if (__builtin_mul_overflow(a, b, &x)) return grog_too_large(ctx, a, b, site);
    return GROG_LIKELY(x != INT32_MIN) ? x : grog_too_large(ctx, a, b, site);
}

static inline int64_t grog_floor(int64_t a, int64_t b) {
    int64_t q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}

static inline int32_t grog_divide_fails(grog_ctx *ctx, int32_t a, int32_t b, int32_t site) {
    if (GROG_LIKELY(b != 0)) return 0;
    grog_fail1(ctx, GROG_FAIL_DIVIDE, site, a);
    return 1;
}

static inline int32_t grog_div_down(grog_ctx *ctx, int32_t a, int32_t b, int32_t site) {
    return grog_divide_fails(ctx, a, b, site) ? 0 : grog_narrow(ctx, grog_floor(a, b), a, b, site);
}

static inline int32_t grog_div_up(grog_ctx *ctx, int32_t a, int32_t b, int32_t site) {
    return grog_divide_fails(ctx, a, b, site) ? 0 : grog_narrow(ctx, -grog_floor(-(int64_t)a, b), a, b, site);
}

/* Halves go away from zero. */
static inline int32_t grog_div_near(grog_ctx *ctx, int32_t a, int32_t b, int32_t site) {
    if (grog_divide_fails(ctx, a, b, site)) return 0;
    int64_t x = a < 0 ? -(int64_t)a : a, y = b < 0 ? -(int64_t)b : b;
    int64_t q = (2 * x + y) / (2 * y);
    return grog_narrow(ctx, (a < 0) != (b < 0) ? -q : q, a, b, site);
}

static inline int32_t grog_mod(grog_ctx *ctx, int32_t a, int32_t b, int32_t site) {
    /* Counting round, which needs no division. */
    if (a >= 0 && a <= b && b) return a == b ? 0 : a;
    if (grog_divide_fails(ctx, a, b, site)) return 0;
    return (int32_t)((int64_t)a - grog_floor(a, b) * b);
}

static inline int32_t grog_min(int32_t a, int32_t b) { return a < b ? a : b; }
static inline int32_t grog_max(int32_t a, int32_t b) { return a > b ? a : b; }
static inline int32_t grog_lt(int32_t a, int32_t b) { return a < b && a != GROG_NONE; }
static inline int32_t grog_le(int32_t a, int32_t b) { return a <= b && a != GROG_NONE; }
static inline int32_t grog_or_else(int32_t a, int32_t b) { return a == GROG_NONE ? b : a; }

/* ---- indexes ---- */

GROG_COLD static int64_t grog_bad_index(grog_ctx *ctx, int32_t v, int32_t site) {
    grog_fail1(ctx, GROG_FAIL_INDEX, site, v);
    return 0;
}

static inline int64_t grog_ix(grog_ctx *ctx, int32_t v, int64_t base, int64_t count, int32_t site) {
    int64_t i = (int64_t)v - base;
    return GROG_LIKELY((uint64_t)i < (uint64_t)count) ? i : grog_bad_index(ctx, v, site);
}

/* An index that is known to be right from here on: the first there is, after a failure. */
static inline int32_t grog_member(grog_ctx *ctx, int32_t v, int64_t base, int64_t count, int32_t site) {
    if (GROG_LIKELY((uint64_t)((int64_t)v - base) < (uint64_t)count)) return v;
    grog_bad_index(ctx, v, site);
    return (int32_t)base;
}

/* Whether there is such an element. */
static inline int32_t grog_inside(int32_t v, int64_t base, int64_t count) {
    return GROG_LIKELY((uint64_t)((int64_t)v - base) < (uint64_t)count);
}

/* Whether there is such an element and its cell holds a value, without a jump for either. */
static inline int32_t grog_cell_is(grog_ctx *ctx, const int32_t *cell, int32_t v, int64_t base, int64_t count,
                                   int32_t value, int32_t site) {
    int64_t i = (int64_t)v - base, there = (uint64_t)i < (uint64_t)count;
    if (GROG_UNLIKELY(!there & (v != GROG_NONE))) grog_bad_index(ctx, v, site);
    return ((cell[i & -there] ^ value) | (int32_t)(there - 1)) == 0;
}

/* The same, and that it holds another one. */
static inline int32_t grog_cell_isnt(grog_ctx *ctx, const int32_t *cell, int32_t v, int64_t base, int64_t count,
                                     int32_t value, int32_t site) {
    int64_t i = (int64_t)v - base, there = (uint64_t)i < (uint64_t)count;
    if (GROG_UNLIKELY(!there & (v != GROG_NONE))) grog_bad_index(ctx, v, site);
    return (int32_t)there & (cell[i & -there] != value);
}

/* ---- elements of arrays, step by step ---- */

GROG_COLD static void grog_fail_list(grog_ctx *ctx, int32_t kind, int32_t site, int32_t count, const int32_t *detail) {
    if (ctx->fail) return;
    grog_fail_many(ctx, kind, site, count < GROG_DETAIL ? count : GROG_DETAIL, 0, 0, 0);
    for (int32_t i = 0; i < ctx->fail_count; i++) ctx->fail_detail[i] = detail[i];
}

/* An index among the elements of an array, step by step: -1 outside. */
static inline int64_t grog_kx(grog_ctx *ctx, int32_t v, int64_t base, int64_t count, int32_t site) {
    int64_t i = (int64_t)v - base;
    if (GROG_LIKELY((uint64_t)i < (uint64_t)count)) return i;
    grog_bad_index(ctx, v, site);
    return -1;
}

static inline int64_t grog_jx(grog_ctx *ctx, int64_t place, int32_t v, int64_t base, int64_t count, int32_t site) {
    int64_t i = grog_kx(ctx, v, base, count, site);
    return place < 0 || i < 0 ? -1 : place * count + i;
}

/* An element of an array with two axes: 0 outside, which can always be read. */
static inline int64_t grog_ix_two(grog_ctx *ctx, int32_t v, int64_t base, int64_t count, int32_t w, int64_t base_two,
                                  int64_t count_two, int32_t site) {
    int64_t i = (int64_t)v - base, j = (int64_t)w - base_two;
    if (GROG_LIKELY((uint64_t)i < (uint64_t)count) && GROG_LIKELY((uint64_t)j < (uint64_t)count_two))
        return i * count_two + j;
    return grog_bad_index(ctx, (uint64_t)i < (uint64_t)count ? w : v, site);
}

static inline int64_t grog_ok(int64_t place) { return place < 0 ? 0 : place; }

static inline int64_t grog_where(int64_t offset, int64_t place, int64_t words) {
    return place < 0 ? -1 : offset + place * words;
}

static inline const int32_t *grog_elem(grog_ctx *ctx, int64_t offset, int64_t place, int64_t words) {
    return place < 0 ? ctx->spare : ctx->s + offset + place * words;
}

static inline int32_t grog_neg(grog_ctx *ctx, int32_t a, int32_t site) {
    if (GROG_LIKELY(a != GROG_NONE)) return -a;
    grog_fail1(ctx, GROG_FAIL_OVERFLOW, site, a);
    return 0;
}

static inline int32_t grog_magnitude(grog_ctx *ctx, int32_t a, int32_t site) {
    return a < 0 ? grog_neg(ctx, a, site) : a;
}

static inline int32_t grog_total(grog_ctx *ctx, int64_t x, int32_t site) {
    if (GROG_LIKELY(x <= INT32_MAX && x > INT32_MIN)) return (int32_t)x;
    grog_fail(ctx, GROG_FAIL_OVERFLOW, site);
    return 0;
}

#endif
