/* The generator of random numbers, and rolls of dice. */
#ifndef GROGNARD_DICE_H
#define GROGNARD_DICE_H

#include "geometry.h"
#include "context.h"
#include "arith.h"
#include "trace.h"

/* ---- dice: generator "pcg32/1", as in grognard.contract.generator ---- */

static inline uint32_t grog_pcg_next(uint64_t *state) {
    uint64_t x = *state;
    uint32_t shifted = (uint32_t)(((x >> 18) ^ x) >> 27), turn = (uint32_t)(x >> 59);
    *state = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (shifted >> turn) | (shifted << (-turn & 31));
}

static inline uint64_t grog_pcg_seeded(uint64_t seed) {
    uint64_t state = 0;
    grog_pcg_next(&state);
    state += seed;
    grog_pcg_next(&state);
    return state;
}

/* A number 0 .. n - 1 (Lemire's method); n is at least 1. */
static inline uint32_t grog_pcg_draw(uint64_t *state, uint32_t n) {
    uint64_t product = (uint64_t)grog_pcg_next(state) * n;
    if ((uint32_t)product < n) {
        uint32_t threshold = (uint32_t)(-n) % n;
        while ((uint32_t)product < threshold) product = (uint64_t)grog_pcg_next(state) * n;
    }
    return (uint32_t)(product >> 32);
}

static inline uint64_t grog_rng_state(const int32_t *s) {
    return (uint64_t)(uint32_t)s[GROG_H_RNG_LO] | (uint64_t)(uint32_t)s[GROG_H_RNG_HI] << 32;
}

static inline void grog_rng_store(int32_t *s, uint64_t state) {
    s[GROG_H_RNG_LO] = (int32_t)(uint32_t)state;
    s[GROG_H_RNG_HI] = (int32_t)(uint32_t)(state >> 32);
}

/* ---- dice ---- */

static inline int32_t grog_die(grog_ctx *ctx, int32_t lo, int32_t hi, int32_t site) {
    if (ctx->script) {
        if (ctx->script_used >= ctx->script_count) {
            grog_fail_many(ctx, GROG_FAIL_DICE, site, 2, lo, hi, 0);
            return 0;
        }
        int32_t face = ctx->script[ctx->script_used];
        if (face < lo || face > hi) {
            grog_fail_many(ctx, GROG_FAIL_DICE, site, 3, lo, hi, face);
            return 0;
        }
        ctx->script_used++;
        return face;
    }
    uint64_t state = grog_rng_state(ctx->s);
    int64_t face = (int64_t)lo + grog_pcg_draw(&state, (uint32_t)((int64_t)hi - lo + 1));
    grog_rng_store(ctx->s, state);
    return (int32_t)face;
}

/* Throws dice; the total.  The single dice go to the pool, if there is one, and to the trace. */
static inline int32_t grog_roll(grog_ctx *ctx, int32_t count, int32_t lo, int32_t hi, int32_t *pool, int32_t capacity,
                                int32_t site) {
    if (ctx->fail) return 0;
    if (count == GROG_NONE || lo == GROG_NONE || hi == GROG_NONE || hi < lo) {
        int32_t none = count == GROG_NONE || lo == GROG_NONE || hi == GROG_NONE;
        grog_fail_many(ctx, none ? GROG_FAIL_INDEX : GROG_FAIL_RANGE, site, 3, count, lo, hi);
        return 0;
    }
    if (pool && count > capacity) {
        grog_fail1(ctx, GROG_FAIL_LIST, site, count);
        return 0;
    }
    int64_t total = 0, before = ctx->trace_count;
    int32_t dice = count < 0 ? 0 : count, *record = NULL;
    if (ctx->level >= 1) {
        record = grog_note(ctx, site, -1, (int64_t)dice + 3);
        record[0] = count;
        record[1] = lo;
        record[2] = hi;
    }
    for (int32_t i = 0; i < dice && !ctx->fail; i++) {
        int32_t face = grog_die(ctx, lo, hi, site);
        total += face;
        if (pool) pool[i + 1] = face;
        if (record && !ctx->fail) record[i + 3] = face;
    }
    if (pool) {
        pool[0] = dice;
        memset(pool + 1 + dice, 0, (size_t)(capacity - dice) * 4);
    }
    int32_t result = grog_total(ctx, total, site);
    if (ctx->fail) ctx->trace_count = before;
    return result;
}

#endif
