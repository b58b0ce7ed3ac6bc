/* The budget of a run: steps, and entering and leaving functions. */
#ifndef GROGNARD_BUDGET_H
#define GROGNARD_BUDGET_H

#include "context.h"
#include "arena.h"

/* ---- steps: what bounds a runaway rule ---- */

#define grog_step(ctx, site) __builtin_expect(grog_may_step(ctx, site), 1)
GROG_ALWAYS int32_t grog_may_step(grog_ctx *ctx, int32_t site) {
    if (GROG_LIKELY(--ctx->steps >= 0)) return 1;
    grog_fail(ctx, GROG_FAIL_BUDGET, site);
    return 0;
}

/* ---- functions ---- */

/* 200 calls inside each other, as the interpreter; the C stack is watched as well, because frames differ in size. */
enum { GROG_CALL_DEPTH = 200, GROG_CALLS_DOWN = 100, GROG_STACK_BYTES = 2 << 20 };

/* Whether the function may run; every function begins with it.  The hint that it mostly may keeps the compiler from laying out
 * the body as a rare case. */
#define grog_enter(ctx, site) __builtin_expect(grog_may_enter(ctx, site), 1)
GROG_ALWAYS int32_t grog_may_enter(grog_ctx *ctx, int32_t site) {
    if (GROG_UNLIKELY(--ctx->steps < 0 || ctx->depth >= GROG_CALL_DEPTH ||
                      ctx->stack - grog_stack_here() > GROG_STACK_BYTES)) {
        grog_fail(ctx, GROG_FAIL_BUDGET, site);
        return 0;
    }
    ctx->depth++;
    return 1;
}

/* The same where no call inside comes back to the function: what lies between two such calls is bounded by the program's text. */
#define grog_enter_plain(ctx, site) __builtin_expect(grog_may_enter_plain(ctx, site), 1)
GROG_ALWAYS int32_t grog_may_enter_plain(grog_ctx *ctx, int32_t site) {
    if (GROG_UNLIKELY(--ctx->steps < 0 || ctx->depth >= GROG_CALL_DEPTH)) {
        grog_fail(ctx, GROG_FAIL_BUDGET, site);
        return 0;
    }
    ctx->depth++;
    return 1;
}

/* The same for a function with no others inside that would ask how deep they lie; it does not count. */
#define grog_enter_leaf(ctx, site) __builtin_expect(grog_may_enter_leaf(ctx, site), 1)
GROG_ALWAYS int32_t grog_may_enter_leaf(grog_ctx *ctx, int32_t site) {
    if (GROG_LIKELY(--ctx->steps >= 0 && ctx->depth < GROG_CALL_DEPTH)) return 1;
    grog_fail(ctx, GROG_FAIL_BUDGET, site);
    return 0;
}

/* Leaves a function with its result. */
static inline int32_t grog_leave(grog_ctx *ctx, int32_t result) {
    ctx->depth--;
    return result;
}

static inline int32_t grog_leave_at(grog_ctx *ctx, int32_t *mark, int32_t result) {
    grog_release(ctx, mark);
    ctx->depth--;
    return result;
}

/* The same for a function of bounded cost, which does not count among the calls. */
static inline int32_t grog_uncounted_leave_at(grog_ctx *ctx, int32_t *mark, int32_t result) {
    grog_release(ctx, mark);
    return result;
}

/* After an untraced function: what follows is traced again. */
static inline int32_t grog_trace_again(grog_ctx *ctx, int64_t level, int32_t result) {
    ctx->level = level;
    return result;
}

#endif
