/* What loops need: the price of their passes and room for their elements. */
#ifndef GROGNARD_LOOPS_H
#define GROGNARD_LOOPS_H

#include "geometry.h"
#include "context.h"
#include "arena.h"

/* ---- loops ---- */

/* The number of passes if they can be paid for, else 0. */
static inline int64_t grog_spend(grog_ctx *ctx, int64_t count, int32_t site) {
    ctx->steps -= count;
    if (GROG_LIKELY(ctx->steps >= 0)) return count;
    grog_fail(ctx, GROG_FAIL_BUDGET, site);
    return 0;
}

static inline int64_t grog_span(int32_t lo, int32_t hi) {
    return lo == GROG_NONE || lo > hi ? 0 : (int64_t)hi - lo + 1;
}

/* Room for the elements of a loop; no passes if there is none. */
static inline int32_t *grog_fixed(grog_ctx *ctx, int64_t *count) {
    int32_t *got = grog_alloc(ctx, *count);
    if (GROG_LIKELY(got != NULL)) return got;
    grog_fail(ctx, GROG_FAIL_BUDGET, -1);
    *count = 0;
    return ctx->spare;
}

/* Takes an element out; the others keep their order. */
static inline int32_t grog_take(int32_t *list, int64_t count, int64_t place) {
    int32_t item = list[place];
    memmove(list + place, list + place + 1, (size_t)(count - place - 1) * 4);
    return item;
}

#endif
