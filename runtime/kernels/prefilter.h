/* Prefilters: a bitset of the elements of a domain that can pass a filter at all. */
#ifndef GROGNARD_PREFILTER_H
#define GROGNARD_PREFILTER_H

#include "context.h"
#include "arena.h"
#include "memo.h"
#include "spaces.h"
#include "scan.h"

/* ---- budget ---- */

/* Prefilters and boards skip steps of the budget; near its end every element is asked by itself, as the interpreter does. */
enum { GROG_BOARD_STEPS = 1 << 16 };

/* ---- prefilters: the elements of a domain that can pass a filter at all.  The others are not asked, and take no steps either ---- */

enum { GROG_PREFILTER_WORDS = 16 };
typedef struct grog_prefilter {
    uint64_t w[GROG_PREFILTER_WORDS];
} grog_prefilter;

/* Whether prefilters are used for so many elements: where everything is memoised, which implies untraced. */
static inline int32_t grog_prefilters(const grog_ctx *ctx, int64_t n) {
    return ctx->memo_mode == GROG_MEMO_ALL && ctx->static_predicates && ctx->inverted && ctx->steps >= GROG_BOARD_STEPS && !ctx->fail &&
           n <= 64 * GROG_PREFILTER_WORDS;
}

/* Numbers with which a sum of few cannot overflow. */
static inline int32_t grog_is_small(int32_t value) { return value > -(1 << 28) && value < 1 << 28; }

static inline void grog_prefilter_all(grog_prefilter *filter, int32_t yes, int64_t n) {
    for (int64_t i = 0; 64 * i < n; i++) filter->w[i] = yes ? UINT64_MAX : 0;
}

static inline void grog_prefilter_and(grog_prefilter *filter, const grog_prefilter *other, int64_t n) {
    for (int64_t i = 0; 64 * i < n; i++) filter->w[i] &= other->w[i];
}

static inline void grog_prefilter_or(grog_prefilter *filter, const grog_prefilter *other, int64_t n) {
    for (int64_t i = 0; 64 * i < n; i++) filter->w[i] |= other->w[i];
}

static inline int32_t grog_prefilter_any(const grog_prefilter *filter, int64_t n) {
    uint64_t any = 0;
    for (int64_t i = 0; 64 * i < n; i++) any |= filter->w[i];
    return any != 0;
}

/* Those whose own cell holds a value (other: anything else). */
static __attribute__((noinline, unused)) void grog_prefilter_cells(grog_prefilter *filter, const int32_t *cell, int64_t n, int32_t value,
                                                             int32_t other) {
    for (int64_t from = 0; from < n; from += 64) {
        uint64_t held = grog_some_hold(cell + from, n - from < 64 ? n - from : 64, value);
        filter->w[from >> 6] = other ? ~held : held;
    }
}

/* The values that some element holds in a field, whose cells these are. */
static inline void grog_prefilter_index(grog_ctx *ctx, grog_prefilter *filter, int32_t number, int32_t validity, const int32_t *cell,
                                     int64_t elements, int64_t base, int64_t n) {
    grog_inverted *known = ctx->inverted + number;
    uint64_t epoch = grog_epoch_of(ctx, validity);
    if (known->epoch == epoch || grog_inverted_build(ctx, known, epoch, cell, elements, base, n))
        memcpy(filter->w, known->present, (size_t)((n + 63) >> 6) * 8);
    else
        grog_prefilter_all(filter, 1, n);
}

/* Whether all hold one of the values that there are, or nothing. */
static inline int32_t grog_index_in_domain(grog_ctx *ctx, int32_t number, int32_t validity, const int32_t *cell, int64_t elements,
                                    int64_t base, int64_t n) {
    grog_inverted *known = ctx->inverted + number;
    uint64_t epoch = grog_epoch_of(ctx, validity);
    return (known->epoch == epoch || grog_inverted_build(ctx, known, epoch, cell, elements, base, n)) && known->in_domain;
}

/* Those beside a place. */
static inline void grog_prefilter_adjacent(const grog_ctx *ctx, grog_prefilter *filter, int32_t place, int64_t base, int64_t n) {
    grog_around around = grog_around_of(ctx, place);
    grog_prefilter_all(filter, 0, n);
    for (int64_t i = 0; i < around.count; i++) {
        int64_t at = (int64_t)around.place[i] + around.base - base;
        if ((uint64_t)at < (uint64_t)n) filter->w[at >> 6] |= UINT64_C(1) << (at & 63);
    }
}

/* A predicate of the data block alone is computed once, for all elements, without a trace in budget, depth or arena. */
typedef struct grog_static_run {
    int64_t steps, depth;
    int32_t *mark;
} grog_static_run;

static inline int32_t grog_static_begin(grog_ctx *ctx, int32_t number, int64_t n, int32_t values, grog_static_run *run) {
    grog_static_predicate *known = ctx->static_predicates + number;
    if (GROG_LIKELY(known->bits != NULL)) return 0;
    uint64_t *bits = (uint64_t *)calloc((size_t)(n >> 6) + 1, 8);
    int32_t *value = bits && values ? (int32_t *)calloc((size_t)n + 1, 4) : NULL;
    known->failed = !bits || (values && !value);
    if (known->failed) {
        free(bits);
        return 0;
    }
    known->bits = bits;
    known->value = value;
    run->steps = ctx->steps;
    run->depth = ctx->depth;
    run->mark = grog_mark(ctx);
    return 1;
}

static inline void grog_static_put(grog_ctx *ctx, int32_t number, int64_t i, int32_t value, const grog_static_run *run) {
    grog_static_predicate *known = ctx->static_predicates + number;
    if (known->value ? ctx->fail != 0 : value != 0) known->bits[i >> 6] |= UINT64_C(1) << (i & 63);
    if (known->value) known->value[i] = value;
    if (ctx->fail) {
        known->failed = !known->value;
        ctx->fail = ctx->fail_count = 0;
        ctx->steps = run->steps;
    }
}

static inline void grog_static_end(grog_ctx *ctx, const grog_static_run *run) {
    ctx->steps = run->steps;
    ctx->depth = run->depth;
    grog_release(ctx, run->mark);
}

/* Those of which a static predicate is true; 0 if it fails for some. */
static inline int32_t grog_prefilter_static(const grog_ctx *ctx, grog_prefilter *filter, int32_t number, int64_t n) {
    const grog_static_predicate *known = ctx->static_predicates + number;
    if (GROG_UNLIKELY(known->failed)) {
        grog_prefilter_all(filter, 1, n);
        return 0;
    }
    memcpy(filter->w, known->bits, (size_t)((n + 63) >> 6) * 8);
    return 1;
}

/* Those whose static value is this one (other: anything else), or for which it fails. */
static inline void grog_prefilter_static_value(const grog_ctx *ctx, grog_prefilter *filter, int32_t number, int64_t n, int32_t value,
                                  int32_t other) {
    const grog_static_predicate *known = ctx->static_predicates + number;
    if (GROG_UNLIKELY(known->failed)) {
        grog_prefilter_all(filter, 1, n);
        return;
    }
    grog_prefilter_cells(filter, known->value, n, value, other);
    for (int64_t i = 0; 64 * i < n; i++) filter->w[i] |= known->bits[i];
}

/* Restricts a scan to these. */
static inline void grog_scan_among(grog_scan *scan, grog_prefilter *filter) {
    if (scan->among)
        for (int64_t i = 0; 64 * i < scan->n; i++) filter->w[i] &= scan->among[i];
    scan->among = filter->w;
    if (!grog_prefilter_any(filter, scan->n)) scan->n = 0;
}

#endif
