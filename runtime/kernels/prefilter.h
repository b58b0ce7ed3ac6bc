/* Prefilters: a bitset of the elements of a domain that can pass a filter at all. */
#ifndef GROGNARD_PREFILTER_H
#define GROGNARD_PREFILTER_H

#include "context.h"
#include "arena.h"
#include "memo.h"
#include "spaces.h"
#include "scan.h"

/* ---- masks of places: the same operations on one word and on several ---- */

/* Masks skip steps of the budget; near its end every place is asked by itself, as the interpreter does. */
enum { GROG_MASK_STEPS = 1 << 16 };

/* ---- hints: of which elements of a domain a filter can be true at all.  The others are not asked, so that they take no steps
 * either: as with masks, that is for runs with many left ---- */

enum { GROG_HINT_WORDS = 16 };
typedef struct grog_hint {
    uint64_t w[GROG_HINT_WORDS];
} grog_hint;

/* Whether hints are given for so many elements: where writes are seen, and nobody listens. */
static inline int32_t grog_hints(const grog_ctx *ctx, int64_t n) {
    return ctx->remembers == GROG_REMEMBERS && ctx->asked_once && ctx->holders && ctx->steps >= GROG_MASK_STEPS && !ctx->fail &&
           n <= 64 * GROG_HINT_WORDS;
}

/* Numbers with which a sum of few cannot overflow. */
static inline int32_t grog_is_small(int32_t value) { return value > -(1 << 28) && value < 1 << 28; }

static inline void grog_hint_all(grog_hint *hint, int32_t yes, int64_t n) {
    for (int64_t i = 0; 64 * i < n; i++) hint->w[i] = yes ? UINT64_MAX : 0;
}

static inline void grog_hint_and(grog_hint *hint, const grog_hint *other, int64_t n) {
    for (int64_t i = 0; 64 * i < n; i++) hint->w[i] &= other->w[i];
}

static inline void grog_hint_or(grog_hint *hint, const grog_hint *other, int64_t n) {
    for (int64_t i = 0; 64 * i < n; i++) hint->w[i] |= other->w[i];
}

static inline int32_t grog_hint_any(const grog_hint *hint, int64_t n) {
    uint64_t any = 0;
    for (int64_t i = 0; 64 * i < n; i++) any |= hint->w[i];
    return any != 0;
}

/* Those whose own cell holds a value (other: anything else). */
static __attribute__((noinline, unused)) void grog_hint_held(grog_hint *hint, const int32_t *cell, int64_t n, int32_t value,
                                                             int32_t other) {
    for (int64_t from = 0; from < n; from += 64) {
        uint64_t held = grog_some_hold(cell + from, n - from < 64 ? n - from : 64, value);
        hint->w[from >> 6] = other ? ~held : held;
    }
}

/* Those that anybody holds in a field, whose cells these are. */
static inline void grog_hint_holders(grog_ctx *ctx, grog_hint *hint, int32_t number, int32_t mark, const int32_t *cell,
                                     int64_t elements, int64_t base, int64_t n) {
    grog_holders *known = ctx->holders + number;
    uint64_t tag = grog_tag_of(ctx, mark);
    if (known->tag == tag || grog_find_holders(ctx, known, tag, cell, elements, base, n))
        memcpy(hint->w, known->some, (size_t)((n + 63) >> 6) * 8);
    else
        grog_hint_all(hint, 1, n);
}

/* Whether all hold one of the values that there are, or nothing. */
static inline int32_t grog_is_whole(grog_ctx *ctx, int32_t number, int32_t mark, const int32_t *cell, int64_t elements,
                                    int64_t base, int64_t n) {
    grog_holders *known = ctx->holders + number;
    uint64_t tag = grog_tag_of(ctx, mark);
    return (known->tag == tag || grog_find_holders(ctx, known, tag, cell, elements, base, n)) && known->whole;
}

/* Those beside a place. */
static inline void grog_hint_beside(const grog_ctx *ctx, grog_hint *hint, int32_t place, int64_t base, int64_t n) {
    grog_around around = grog_around_of(ctx, place);
    grog_hint_all(hint, 0, n);
    for (int64_t i = 0; i < around.count; i++) {
        int64_t at = (int64_t)around.place[i] + around.base - base;
        if ((uint64_t)at < (uint64_t)n) hint->w[at >> 6] |= UINT64_C(1) << (at & 63);
    }
}

/* What depends on the data alone is asked once, of all elements.  Nobody is to notice. */
typedef struct grog_fixing {
    int64_t steps, depth;
    int32_t *mark;
} grog_fixing;

static inline int32_t grog_fix_begin(grog_ctx *ctx, int32_t number, int64_t n, int32_t values, grog_fixing *fixing) {
    grog_fixed_hint *fixed = ctx->asked_once + number;
    if (GROG_LIKELY(fixed->mask != NULL)) return 0;
    uint64_t *mask = (uint64_t *)calloc((size_t)(n >> 6) + 1, 8);
    int32_t *value = mask && values ? (int32_t *)calloc((size_t)n + 1, 4) : NULL;
    fixed->failed = !mask || (values && !value);
    if (fixed->failed) {
        free(mask);
        return 0;
    }
    fixed->mask = mask;
    fixed->value = value;
    fixing->steps = ctx->steps;
    fixing->depth = ctx->depth;
    fixing->mark = grog_mark(ctx);
    return 1;
}

static inline void grog_fix(grog_ctx *ctx, int32_t number, int64_t i, int32_t value, const grog_fixing *fixing) {
    grog_fixed_hint *fixed = ctx->asked_once + number;
    if (fixed->value ? ctx->fail != 0 : value != 0) fixed->mask[i >> 6] |= UINT64_C(1) << (i & 63);
    if (fixed->value) fixed->value[i] = value;
    if (ctx->fail) {
        fixed->failed = !fixed->value;
        ctx->fail = ctx->fail_count = 0;
        ctx->steps = fixing->steps;
    }
}

static inline void grog_fix_end(grog_ctx *ctx, const grog_fixing *fixing) {
    ctx->steps = fixing->steps;
    ctx->depth = fixing->depth;
    grog_release(ctx, fixing->mark);
}

/* Whether it could be asked of all of them; which it is true of. */
static inline int32_t grog_hint_fixed(const grog_ctx *ctx, grog_hint *hint, int32_t number, int64_t n) {
    const grog_fixed_hint *fixed = ctx->asked_once + number;
    if (GROG_UNLIKELY(fixed->failed)) {
        grog_hint_all(hint, 1, n);
        return 0;
    }
    memcpy(hint->w, fixed->mask, (size_t)((n + 63) >> 6) * 8);
    return 1;
}

/* Of which it has a value (other: anything else), or cannot be asked. */
static inline void grog_hint_same(const grog_ctx *ctx, grog_hint *hint, int32_t number, int64_t n, int32_t value,
                                  int32_t other) {
    const grog_fixed_hint *fixed = ctx->asked_once + number;
    if (GROG_UNLIKELY(fixed->failed)) {
        grog_hint_all(hint, 1, n);
        return;
    }
    grog_hint_held(hint, fixed->value, n, value, other);
    for (int64_t i = 0; 64 * i < n; i++) hint->w[i] |= fixed->mask[i];
}

/* A search need not look at others. */
static inline void grog_hunt_among(grog_hunt *hunt, grog_hint *hint) {
    if (hunt->mask)
        for (int64_t i = 0; 64 * i < hunt->n; i++) hint->w[i] &= hunt->mask[i];
    hunt->mask = hint->w;
    if (!grog_hint_any(hint, hunt->n)) hunt->n = 0;
}

#endif
