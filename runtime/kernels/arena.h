/* The arena of a run: temporary sets, lists and elements of loops. */
#ifndef GROGNARD_ARENA_H
#define GROGNARD_ARENA_H

#include "context.h"

/* ---- arena: temporary sets, lists and elements of loops; released from the top ---- */

static inline void grog_use_chunk(grog_ctx *ctx, grog_chunk *chunk, int32_t *top) {
    ctx->chunk = chunk;
    ctx->floor = chunk->cells;
    ctx->end = chunk->end;
    ctx->top = top;
}

GROG_COLD static int32_t *grog_alloc_slow(grog_ctx *ctx, int64_t words) {
    grog_chunk *chunk = ctx->chunk;
    while (chunk && chunk->after) {
        chunk = chunk->after;
        if (chunk->end - chunk->cells >= words) {
            grog_use_chunk(ctx, chunk, chunk->cells + words);
            return chunk->cells;
        }
    }
    int64_t room = words > 16384 ? words : 16384;
    grog_chunk *fresh = words < (INT64_C(1) << 32) ? (grog_chunk *)malloc(sizeof(grog_chunk) + (size_t)room * 4) : NULL;
    if (!fresh) return NULL;
    fresh->before = chunk;
    fresh->after = NULL;
    fresh->end = fresh->cells + room;
    if (chunk) chunk->after = fresh;
    grog_use_chunk(ctx, fresh, fresh->cells + words);
    return fresh->cells;
}

/* Room for so many cells; NULL when memory runs out.  There is a first chunk always. */
static inline int32_t *grog_alloc(grog_ctx *ctx, int64_t words) {
    int32_t *got = ctx->top;
    if (GROG_LIKELY(ctx->end - got >= words)) {
        ctx->top = got + words;
        return got;
    }
    return grog_alloc_slow(ctx, words);
}

/* Room for a set or list, with rubbish in it. */
static inline int32_t *grog_need(grog_ctx *ctx, int64_t words) {
    int32_t *got = grog_alloc(ctx, words);
    if (GROG_LIKELY(got != NULL)) return got;
    grog_fail(ctx, GROG_FAIL_BUDGET, -1);
    return ctx->spare;
}

/* Room for several of them; NULL and a failure without memory. */
static inline int32_t *grog_rooms(grog_ctx *ctx, int64_t words) {
    int32_t *got = grog_alloc(ctx, words);
    if (GROG_UNLIKELY(got == NULL)) grog_fail(ctx, GROG_FAIL_BUDGET, -1);
    return got;
}

/* An empty set or list. */
static inline int32_t *grog_room(grog_ctx *ctx, int64_t words) {
    int32_t *got = grog_need(ctx, words);
    memset(got, 0, (size_t)words * 4);
    return got;
}

/* An empty list that is no part of a position: what lies behind its last item is never read. */
static inline int32_t *grog_list_room(grog_ctx *ctx, int64_t words) {
    int32_t *got = grog_need(ctx, words);
    got[0] = 0;
    return got;
}

static inline int32_t *grog_mark(grog_ctx *ctx) { return ctx->top; }

/* Back to a chunk before. */
GROG_COLD static void grog_release_slow(grog_ctx *ctx, int32_t *mark) {
    grog_chunk *chunk = ctx->chunk;
    while (chunk->before && (mark < chunk->cells || mark > chunk->end)) chunk = chunk->before;
    grog_use_chunk(ctx, chunk, mark < chunk->cells || mark > chunk->end ? chunk->cells : mark);
}

static inline void grog_release(grog_ctx *ctx, int32_t *mark) {
    if (GROG_LIKELY(mark >= ctx->floor && mark <= ctx->end))
        ctx->top = mark;
    else
        grog_release_slow(ctx, mark);
}

#endif
