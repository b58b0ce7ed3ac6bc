/* Memoised values of functions that only read, and their validity.  README.md states the protocol. */
#ifndef GROGNARD_MEMO_H
#define GROGNARD_MEMO_H

#include "context.h"
#include "budget.h"

/* ---- what is remembered: values of functions that only read ----
 *
 * Each such function has a mark, which writes of the fields that it reads take off (grog_invalidate).  When a value is wanted
 * and the mark is off, it is put on again and gets a new tag, so that nothing found before counts any more.  A value that
 * is found again takes the steps that finding it took; if there are not as many left, or the call lies deep
 * inside others, it is found out anew, and fails where it would. */

/* A run that is soon over has few values, and better keeps them close to each other. */
enum { GROG_MEMO_BITS = 14, GROG_MEMO_ENTRIES = 1 << GROG_MEMO_BITS, GROG_MEMO_SHORT_BITS = 8, GROG_MEMO_FIRST_RUNS = 16 };
/* What stands for the view among the functions: its value is kept where it has nothing to mask. */
enum { GROG_VIEW = -1 };

/* Whether anything is remembered: not at all; for the moment writes are only seen; what looks at many things, for a run that is
 * soon over; or everything.  Where it is, nobody listens and cells change by writes only. */
enum { GROG_MEMO_OFF = 0, GROG_MEMO_WRITES, GROG_MEMO_COSTLY, GROG_MEMO_ALL };
enum { GROG_HAS_VALUES = 1, GROG_HAS_BOARDS };

typedef struct grog_memo_entry {
    uint64_t epoch;        /* 0: nothing is here */
    uint64_t head, rest; /* the function and what it was given, two by two */
    int32_t value, steps;
} grog_memo_entry;

static inline uint64_t grog_two_cells(int32_t a, int32_t b) { return (uint32_t)a | (uint64_t)(uint32_t)b << 32; }

/* The same of a function that gives a set of up to so many words. */
enum { GROG_MEMO_SETS = 256, GROG_MEMO_SET_WORDS = 8 };
typedef struct grog_memo_set {
    grog_memo_entry of;
    int32_t set[GROG_MEMO_SET_WORDS];
} grog_memo_set;

/* Which elements of a domain hold each value of a field. */
enum { GROG_INVERTED = 32 };
typedef struct grog_inverted {
    uint64_t epoch;   /* 0: nothing is here */
    uint64_t *elements; /* per value a mask of elements */
    uint64_t *present; /* the values that anybody holds */
    int64_t in_domain;  /* whether all hold one of the values, or nothing */
} grog_inverted;

/* Of which elements something is true that depends on the data alone, or what it comes to for each. */
enum { GROG_STATIC_PREDICATES = 64 };
typedef struct grog_static_predicate {
    uint64_t *bits; /* those of which it is true; those for which it comes to nothing.  NULL: nothing is here */
    int32_t *value; /* NULL: it is true or not */
    int64_t failed; /* whether it cannot be asked of some */
} grog_static_predicate;

/* From now on values are remembered, if the program has any that can be and there is room; marks stay as they are. */
static inline void grog_memo_on(grog_ctx *ctx) {
    int64_t has = ctx->program->memo_kinds;
    if (!has) return;
    if (has & GROG_HAS_VALUES && !ctx->values) ctx->values = (grog_memo_entry *)calloc(GROG_MEMO_ENTRIES, sizeof(grog_memo_entry));
    if (has & GROG_HAS_VALUES && !ctx->sets) ctx->sets = (grog_memo_set *)calloc(GROG_MEMO_SETS, sizeof(grog_memo_set));
    if (has & GROG_HAS_VALUES && !ctx->inverted) ctx->inverted = (grog_inverted *)calloc(GROG_INVERTED, sizeof(grog_inverted));
    if (has & GROG_HAS_VALUES && !ctx->static_predicates) ctx->static_predicates = (grog_static_predicate *)calloc(GROG_STATIC_PREDICATES, sizeof(grog_static_predicate));
    ctx->memo_shift = 32 - GROG_MEMO_BITS;
    ctx->memo_mode = has & GROG_HAS_VALUES && (!ctx->values || !ctx->sets) ? GROG_MEMO_OFF : GROG_MEMO_ALL;
}

/* The same at a position.  `serial`: which one it is, for marks that stand since it was left; 0: nobody knows. */
static inline void grog_memo_begin(grog_ctx *ctx, uint64_t serial) {
    if (!ctx->program->memo_kinds) return;
    grog_memo_on(ctx);
    if (!serial || serial != ctx->serial) memset(ctx->valid, 0, sizeof ctx->valid);
    ctx->serial = 0;
}

/* The same for a run that is soon over: what looks at many things, and nothing of what was found before. */
static inline void grog_memo_begin_short(grog_ctx *ctx) {
    grog_memo_begin(ctx, 0);
    if (ctx->memo_mode) ctx->memo_mode = GROG_MEMO_COSTLY;
    ctx->memo_shift = 32 - GROG_MEMO_SHORT_BITS;
}

/* A position that is come back to many times.  All marks are put on before anything is tried from it: what is then found under
 * such a tag was found before a write took the mark off, so it is true of the position itself, whatever was tried since. */
typedef struct grog_memo_snapshot {
    uint64_t epoch[64 * GROG_VALIDITY_WORDS];
} grog_memo_snapshot;

static inline void grog_memo_snapshot_restore(grog_ctx *ctx, const grog_memo_snapshot *at) {
    /* Masks have no tags: of them nothing is known here. */
    memset(ctx->valid, ctx->program->memo_kinds & GROG_HAS_BOARDS ? 0 : 0xff, sizeof ctx->valid);
    memcpy(ctx->epoch, at->epoch, sizeof ctx->epoch);
}

static inline void grog_memo_snapshot_take(grog_ctx *ctx, grog_memo_snapshot *at) {
    for (int32_t validity = 0; validity < 64 * GROG_VALIDITY_WORDS; validity++)
        if (!(ctx->valid[validity >> 6] >> (validity & 63) & 1)) ctx->epoch[validity] = ++ctx->epochs;
    memcpy(at->epoch, ctx->epoch, sizeof ctx->epoch);
    grog_memo_snapshot_restore(ctx, at);
}

/* Fields were written whose readers have these marks. */
static inline void grog_invalidate(grog_ctx *ctx, int32_t word, uint64_t valid) {
    if (ctx->memo_mode) ctx->valid[word] &= ~valid;
}

static inline uint64_t grog_epoch_of(grog_ctx *ctx, int32_t validity) {
    uint64_t bit = UINT64_C(1) << (validity & 63), *valid = &ctx->valid[validity >> 6];
    if (!(*valid & bit)) {
        *valid |= bit;
        ctx->epoch[validity] = ++ctx->epochs;
    }
    return ctx->epoch[validity];
}

/* Some functions are hardly ever asked for the same value twice before something that they read has changed.  To look for
 * their values and to keep them costs more than it gives, so that they go without for a while: each value that was there
 * gains trust, by the steps that it saved, and each that was not loses some.  Whether runs that are soon over remember anything
 * is settled by the first of them (grog_samples). */
enum { GROG_MEMO_CREDITS = 1024, GROG_MEMO_FIRST_CREDIT = 256, GROG_MEMO_MOST_CREDIT = 1024, GROG_MEMO_PAUSE = 4096, GROG_MEMO_CREDIT_STEPS = 32 };

GROG_ALWAYS int32_t *grog_memo_credit(grog_ctx *ctx, int32_t function) { return &ctx->credit[function & (GROG_MEMO_CREDITS - 1)]; }

/* Whether values of a function are looked for and kept now. */
static inline int32_t grog_memo_admits(grog_ctx *ctx, int32_t function) {
    int32_t *credit = grog_memo_credit(ctx, function);
    if (*credit > 0) return 1;
    if (++*credit < 0) return 0;
    *credit = GROG_MEMO_FIRST_CREDIT;
    return 1;
}

static inline uint32_t grog_memo_hash(int32_t function, int32_t a, int32_t b, int32_t c) {
    return ((uint32_t)a + (uint32_t)b * 769u + (uint32_t)c * 6151u + (uint32_t)function * 24593u) * 2654435761u;
}

/* The value, if it is known and can be paid for; NULL: it must be found out.  Functions that are remembered go less than
 * GROG_CALLS_DOWN calls down. */
static inline int32_t grog_memo_hit(grog_ctx *ctx, const grog_memo_entry *at, int32_t function, int32_t validity, int32_t a, int32_t b,
                                    int32_t c) {
    if (!(ctx->valid[validity >> 6] >> (validity & 63) & 1) || at->epoch != ctx->epoch[validity] || at->head != grog_two_cells(function, a) ||
        at->rest != grog_two_cells(b, c) || at->steps > ctx->steps || ctx->depth > GROG_CALL_DEPTH - GROG_CALLS_DOWN)
        return 0;
    ctx->steps -= at->steps;
    ctx->memo_hits++;
    int32_t *credit = grog_memo_credit(ctx, function);
    if (*credit > 0 && *credit < GROG_MEMO_MOST_CREDIT) *credit += 1 + (int32_t)((uint32_t)at->steps / GROG_MEMO_CREDIT_STEPS);
    return 1;
}

static inline const grog_memo_entry *grog_memo_find(grog_ctx *ctx, int32_t function, int32_t validity, int32_t a, int32_t b,
                                                 int32_t c) {
    const grog_memo_entry *at = ctx->values + (grog_memo_hash(function, a, b, c) >> ctx->memo_shift);
    return grog_memo_hit(ctx, at, function, validity, a, b, c) ? at : NULL;
}

/* Whether what was found out from so many steps on can be kept; then it stands at this place. */
static inline int32_t grog_memo_store(grog_ctx *ctx, grog_memo_entry *at, int32_t function, int32_t validity, int32_t a, int32_t b,
                                 int32_t c, int64_t steps) {
    /* After a failure nothing is left of the steps. */
    if (GROG_UNLIKELY(ctx->steps < 0 || steps - ctx->steps > INT32_MAX)) return 0;
    ctx->memo_misses++;
    int32_t *credit = grog_memo_credit(ctx, function);
    if (*credit > 0 && --*credit == 0) *credit = -GROG_MEMO_PAUSE;
    at->epoch = grog_epoch_of(ctx, validity);
    at->head = grog_two_cells(function, a);
    at->rest = grog_two_cells(b, c);
    at->steps = (int32_t)(steps - ctx->steps);
    return 1;
}

static inline int32_t grog_memo_put(grog_ctx *ctx, int32_t function, int32_t validity, int32_t a, int32_t b, int32_t c,
                                      int64_t steps, int32_t value) {
    grog_memo_entry *at = ctx->values + (grog_memo_hash(function, a, b, c) >> ctx->memo_shift);
    if (grog_memo_store(ctx, at, function, validity, a, b, c, steps)) at->value = value;
    return value;
}

/* Sets are mostly of a few words, for which a call of memmove or memset is dear. */
static inline void grog_set_copy(int32_t *to, const int32_t *from, int64_t words) {
    if (GROG_LIKELY(words == 2)) {
        memmove(to, from, 8);
        return;
    }
    if (GROG_UNLIKELY(words > 8)) {
        memmove(to, from, (size_t)words * 4);
        return;
    }
    for (; words >= 2; words -= 2, to += 2, from += 2) memmove(to, from, 8);
    if (words) *to = *from;
}

/* The same of sets: whether it is known, and then put into `out`. */
static inline int32_t grog_memo_find_set(grog_ctx *ctx, int32_t function, int32_t validity, int32_t a, int32_t b, int32_t c,
                                    int32_t *out, int64_t words) {
    const grog_memo_set *at = ctx->sets + grog_memo_hash(function, a, b, c) / (UINT32_MAX / GROG_MEMO_SETS + 1);
    if (GROG_UNLIKELY(words > GROG_MEMO_SET_WORDS) || !grog_memo_hit(ctx, &at->of, function, validity, a, b, c)) return 0;
    if (GROG_LIKELY(words == 2))
        memcpy(out, at->set, 8);
    else
        for (int64_t i = 0; i < words; i++) out[i] = at->set[i];
    return 1;
}

static inline void grog_memo_put_set(grog_ctx *ctx, int32_t function, int32_t validity, int32_t a, int32_t b, int32_t c, int64_t steps,
                                 const int32_t *set, int64_t words) {
    grog_memo_set *at = ctx->sets + grog_memo_hash(function, a, b, c) / (UINT32_MAX / GROG_MEMO_SETS + 1);
    if (words <= GROG_MEMO_SET_WORDS && grog_memo_store(ctx, &at->of, function, validity, a, b, c, steps))
        grog_set_copy(at->set, set, words);
}

/* Whether a mask that several ask for is right still. */
#define grog_board_known(ctx, validity) __builtin_expect(grog_board_is_valid(ctx, validity), 1)
static inline int32_t grog_board_is_valid(const grog_ctx *ctx, int32_t validity) {
    return ctx->memo_mode == GROG_MEMO_ALL && ctx->valid[validity >> 6] >> (validity & 63) & 1;
}

static inline void grog_board_store(grog_ctx *ctx, int32_t validity, int32_t number, uint64_t board) {
    if (ctx->memo_mode != GROG_MEMO_ALL) return;
    ctx->valid[validity >> 6] |= UINT64_C(1) << (validity & 63);
    ctx->board[number] = board;
}

/* A cell was written, the so many-th of its field: the mask of those that hold a value follows. */
static inline void grog_board_update(grog_ctx *ctx, int32_t validity, int32_t number, int64_t first, int64_t at, int32_t value) {
    uint64_t bit = UINT64_C(1) << (at & 63);
    if (GROG_UNLIKELY(ctx->memo_mode != GROG_MEMO_ALL || at < 0))
        grog_invalidate(ctx, validity >> 6, UINT64_C(1) << (validity & 63));
    else
        ctx->board[number] = ctx->s[first + at] == value ? ctx->board[number] | bit : ctx->board[number] & ~bit;
}

#endif
