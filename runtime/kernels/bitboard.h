/* Bitboards: predicates of all places of a small grid at once. */
#ifndef GROGNARD_BITBOARD_H
#define GROGNARD_BITBOARD_H

#include "context.h"
#include "memo.h"
#include "sets.h"
#include "scan.h"
#include "prefilter.h"

/* Words of the masks of these places; 0: they must be asked one by one, or somebody wants to hear each answer. */
static inline int64_t grog_mask_width(const grog_ctx *ctx, int64_t base, int64_t count) {
    const grog_space *space = ctx->data->spaces;
    if (GROG_UNLIKELY(space->base != base || space->n != count || ctx->level >= 2 || ctx->steps < GROG_MASK_STEPS))
        return 0;
    return space->mask_words;
}

/* Small maps are what masks are made for. */
#define grog_is_width(wide, words) __builtin_expect((wide) == (words), (words) == 1)

static inline int32_t grog_mask_sides(const grog_ctx *ctx) { return (int32_t)ctx->data->spaces->sides; }

static inline const grog_turn *grog_turn_of(const grog_ctx *ctx, int32_t d) {
    const grog_space *space = ctx->data->spaces;
    /* One more than there are directions is empty. */
    return &space->turn[(uint64_t)(int64_t)d < (uint64_t)space->sides ? d : space->sides];
}

static inline grog_m1 grog_m1_all(int32_t yes) { return yes ? UINT64_MAX : 0; }
static inline grog_m1 grog_m1_and(grog_m1 a, grog_m1 b) { return a & b; }
static inline grog_m1 grog_m1_or(grog_m1 a, grog_m1 b) { return a | b; }
static inline grog_m1 grog_m1_but(grog_m1 a, grog_m1 b) { return a & ~b; }
static inline grog_m1 grog_m1_not(grog_m1 a) { return ~a; }
static inline grog_m1 grog_m1_holds(const int32_t *cell, int64_t n, int32_t value) {
    return grog_some_hold(cell, n, value);
}

static inline grog_m1 grog_m1_has(const grog_ctx *ctx, int32_t d) {
    const grog_turn *turn = grog_turn_of(ctx, d);
    return turn->from[0].w[0] | turn->from[1].w[0];
}

/* The places that hold a value, as a mask that writes keep right (grog_mask_follow). */
static inline grog_m1 grog_m1_followed(grog_ctx *ctx, int32_t mark, int32_t number, const int32_t *cell, int64_t n,
                                       int32_t value) {
    if (grog_mask_known(ctx, mark)) return ctx->mask[number];
    grog_m1 found = grog_m1_holds(cell, n, value);
    grog_mask_keep(ctx, mark, number, found);
    return found;
}

/* Whether any of the cells holds the value (other: anything else), by that mask where there is one. */
static inline int32_t grog_any_followed(const grog_ctx *ctx, int32_t mark, int32_t number, const int32_t *cell, int64_t n,
                                        int32_t value, int32_t other) {
    if (!grog_mask_known(ctx, mark)) return grog_any_holds(cell, n, value, other);
    if (n <= 0) return 0;
    return ((other ? ~ctx->mask[number] : ctx->mask[number]) & UINT64_MAX >> (64 - n)) != 0;
}

/* The places whose neighbour in a direction is in the mask.  Turning the word does for both ways: what comes round is
 * outside the places that have a neighbour. */
static inline grog_m1 grog_m1_shift(grog_m1 a, const grog_ctx *ctx, int32_t d) {
    const grog_turn *turn = grog_turn_of(ctx, d);
    int64_t x = turn->by[0] & 63, y = turn->by[1] & 63;
    return ((a >> x | a << (-x & 63)) & turn->from[0].w[0]) | ((a >> y | a << (-y & 63)) & turn->from[1].w[0]);
}

/* The bits of the places that there are, in the word that begins with this one. */
static inline uint64_t grog_mask_part(int64_t n, int64_t from) {
    return n - from >= 64 ? UINT64_MAX : n > from ? UINT64_MAX >> (64 - (n - from)) : 0;
}

static inline int32_t grog_m1_any(grog_m1 mask, int64_t n) { return (mask & grog_mask_part(n, 0)) != 0; }

static inline int32_t grog_m1_count(grog_m1 mask, int64_t n) {
    mask &= grog_mask_part(n, 0);
    return grog_ones((uint32_t)mask) + grog_ones((uint32_t)(mask >> 32));
}

static inline void grog_hunt_mask1(grog_hunt *hunt, grog_m1 mask) {
    hunt->found = mask & grog_mask_part(hunt->n, 0);
    hunt->from = 0;
}

static inline grog_m6 grog_m6_all(int32_t yes) {
    grog_m6 r;
    for (int32_t i = 0; i < GROG_WORDS; i++) r.w[i] = yes ? UINT64_MAX : 0;
    return r;
}

static inline grog_m6 grog_m6_and(grog_m6 a, grog_m6 b) {
    for (int32_t i = 0; i < GROG_WORDS; i++) a.w[i] &= b.w[i];
    return a;
}

static inline grog_m6 grog_m6_or(grog_m6 a, grog_m6 b) {
    for (int32_t i = 0; i < GROG_WORDS; i++) a.w[i] |= b.w[i];
    return a;
}

static inline grog_m6 grog_m6_but(grog_m6 a, grog_m6 b) {
    for (int32_t i = 0; i < GROG_WORDS; i++) a.w[i] &= ~b.w[i];
    return a;
}

static inline grog_m6 grog_m6_not(grog_m6 a) {
    for (int32_t i = 0; i < GROG_WORDS; i++) a.w[i] = ~a.w[i];
    return a;
}

static inline grog_m6 grog_m6_holds(const int32_t *cell, int64_t n, int32_t value) {
    grog_m6 r = grog_m6_all(0);
    for (int64_t i = 0; i * 64 < n; i++) r.w[i] = grog_some_hold(cell + i * 64, n - i * 64 < 64 ? n - i * 64 : 64, value);
    return r;
}

/* A mask of several words is not kept. */
static inline grog_m6 grog_m6_followed(grog_ctx *ctx, int32_t mark, int32_t number, const int32_t *cell, int64_t n,
                                       int32_t value) {
    return (void)ctx, (void)mark, (void)number, grog_m6_holds(cell, n, value);
}

static inline grog_m6 grog_m6_has(const grog_ctx *ctx, int32_t d) {
    const grog_turn *turn = grog_turn_of(ctx, d);
    return grog_m6_or(turn->from[0], turn->from[1]);
}

static inline uint64_t grog_m6_word(const grog_m6 *a, int64_t i) { return i >= 0 && i < GROG_WORDS ? a->w[i] : 0; }

static inline grog_m6 grog_m6_shift(grog_m6 a, const grog_ctx *ctx, int32_t d) {
    const grog_turn *turn = grog_turn_of(ctx, d);
    grog_m6 r;
    for (int32_t i = 0; i < GROG_WORDS; i++) {
        r.w[i] = 0;
        for (int32_t kind = 0; kind < 2; kind++) {
            int64_t first = i * 64 + turn->by[kind], word = first >> 6, bit = first & 63;
            uint64_t found = grog_m6_word(&a, word) >> bit;
            if (bit) found |= grog_m6_word(&a, word + 1) << (64 - bit);
            r.w[i] |= found & turn->from[kind].w[i];
        }
    }
    return r;
}

static inline int32_t grog_m6_any(const grog_m6 *mask, int64_t n) {
    uint64_t found = 0;
    for (int32_t i = 0; i < GROG_WORDS; i++) found |= mask->w[i] & grog_mask_part(n, 64 * i);
    return found != 0;
}

static inline int32_t grog_m6_count(const grog_m6 *mask, int64_t n) {
    int32_t count = 0;
    for (int32_t i = 0; i < GROG_WORDS; i++) count += grog_m1_count(mask->w[i], n - 64 * i);
    return count;
}

static inline void grog_hunt_mask6(grog_hunt *hunt, const grog_m6 *mask) { hunt->mask = mask->w; }

#endif
