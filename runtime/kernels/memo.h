/* Memoised values of functions that only read, and their validity.  README.md states the protocol. */
#ifndef GROGNARD_MEMO_H
#define GROGNARD_MEMO_H

#include "context.h"
#include "budget.h"

/* ---- memoised values of functions that only read ----
 *
 * Each such function has a validity, a bit that writes of the fields that it reads clear (grog_invalidate).  When a value is
 * stored and the bit is clear, it is set and gets a new epoch, so that entries of earlier epochs no longer match.  A hit
 * takes the steps that computing the value took; if there are not as many left, or the call depth is large, the value is
 * computed again, and fails where it would. */

/* A short run has few values: a small part of the table stays in the processor's cache. */
enum { GROG_MEMO_BITS = 14, GROG_MEMO_ENTRIES = 1 << GROG_MEMO_BITS, GROG_MEMO_SHORT_BITS = 8, GROG_MEMO_FIRST_RUNS = 16 };
/* Stands for the view among the functions: that it has nothing to mask is memoised. */
enum { GROG_VIEW = -1 };

/* What is memoised: nothing; nothing, but writes invalidate; functions that loop over many elements, in short runs; all.
 * Wherever something is, the run is untraced and cells change by writes only. */
enum { GROG_MEMO_OFF = 0, GROG_MEMO_WRITES, GROG_MEMO_COSTLY, GROG_MEMO_ALL };
enum { GROG_HAS_VALUES = 1, GROG_HAS_BOARDS };

typedef struct grog_memo_entry {
    uint64_t epoch;        /* 0: nothing is here */
    uint64_t head, rest; /* the function and what it was given, two by two */
    int32_t value, steps;
} grog_memo_entry;

static inline uint64_t grog_two_cells(int32_t a, int32_t b) { return (uint32_t)a | (uint64_t)(uint32_t)b << 32; }

/* The same for a function that gives a set of up to so many words. */
enum { GROG_MEMO_SETS = 256, GROG_MEMO_SET_WORDS = 8 };
typedef struct grog_memo_set {
    grog_memo_entry of;
    int32_t set[GROG_MEMO_SET_WORDS];
} grog_memo_set;

/* An inverted index: which elements of a domain hold each value of a field. */
enum { GROG_INVERTED = 32 };
typedef struct grog_inverted {
    uint64_t epoch;   /* 0: nothing is here */
    uint64_t *elements; /* per value a bitset of elements */
    uint64_t *present; /* the values that some element holds */
    int64_t in_domain;  /* whether every cell holds one of the values, or NONE */
} grog_inverted;

/* A predicate, or a value, of every element that depends on the data block alone: computed once for a context. */
enum { GROG_STATIC_PREDICATES = 64 };
typedef struct grog_static_predicate {
    uint64_t *bits; /* predicate: elements of which it is true; value: elements for which it fails.  NULL: not computed yet */
    int32_t *value; /* NULL: it is a predicate */
    int64_t failed; /* whether it fails for some */
} grog_static_predicate;

/* From now on values are memoised, if the program has any and there is memory; validities stay as they are. */
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

/* The same at the start of a run.  `serial`: the number of the position, whose validities are kept if the context left it last;
 * 0: unknown. */
static inline void grog_memo_begin(grog_ctx *ctx, uint64_t serial) {
    if (!ctx->program->memo_kinds) return;
    grog_memo_on(ctx);
    if (!serial || serial != ctx->serial) memset(ctx->valid, 0, sizeof ctx->valid);
    ctx->serial = 0;
}

/* The same for a short run: functions that loop over many elements, and no value from before. */
static inline void grog_memo_begin_short(grog_ctx *ctx) {
    grog_memo_begin(ctx, 0);
    if (ctx->memo_mode) ctx->memo_mode = GROG_MEMO_COSTLY;
    ctx->memo_shift = 32 - GROG_MEMO_SHORT_BITS;
}

/* A snapshot of the memo at a position that is returned to many times.  All validities get an epoch before anything is tried: an
 * entry of such an epoch was stored before any write invalidated it, so it is true of the position, whatever was tried since. */
typedef struct grog_memo_snapshot {
    uint64_t epoch[64 * GROG_VALIDITY_WORDS];
} grog_memo_snapshot;

static inline void grog_memo_snapshot_restore(grog_ctx *ctx, const grog_memo_snapshot *at) {
    /* Boards have no epochs: none is valid after a return. */
    memset(ctx->valid, ctx->program->memo_kinds & GROG_HAS_BOARDS ? 0 : 0xff, sizeof ctx->valid);
    memcpy(ctx->epoch, at->epoch, sizeof ctx->epoch);
}

static inline void grog_memo_snapshot_take(grog_ctx *ctx, grog_memo_snapshot *at) {
    for (int32_t validity = 0; validity < 64 * GROG_VALIDITY_WORDS; validity++)
        if (!(ctx->valid[validity >> 6] >> (validity & 63) & 1)) ctx->epoch[validity] = ++ctx->epochs;
    memcpy(at->epoch, ctx->epoch, sizeof ctx->epoch);
    grog_memo_snapshot_restore(ctx, at);
}

/* Fields were written whose readers have these validities. */
static inline void grog_invalidate(grog_ctx *ctx, int32_t word, uint64_t valid) {
    if (ctx->memo_mode) ctx->valid[word] &= ~valid;
}

/* The same for all words, as the program's numbers have them. */
static inline void grog_invalidate_all(grog_ctx *ctx, const uint64_t *valid) {
    if (!ctx->memo_mode) return;
    for (int32_t word = 0; word < GROG_VALIDITY_WORDS; word++) ctx->valid[word] &= ~valid[word];
}

static inline uint64_t grog_epoch_of(grog_ctx *ctx, int32_t validity) {
    uint64_t bit = UINT64_C(1) << (validity & 63), *valid = &ctx->valid[validity >> 6];
    if (!(*valid & bit)) {
        *valid |= bit;
        ctx->epoch[validity] = ++ctx->epochs;
    }
    return ctx->epoch[validity];
}

/* Admission.  Some functions are seldom asked for the same value twice before a field that they read has changed.  To look up and
 * store their values costs more than it saves, so that they bypass the memo for a while: a hit gains credit, by the steps that
 * it saved, and a miss loses some.  Whether short runs use the memo at all is settled by the first of them (grog_samples). */
enum { GROG_MEMO_CREDITS = 1024, GROG_MEMO_FIRST_CREDIT = 256, GROG_MEMO_MOST_CREDIT = 1024, GROG_MEMO_PAUSE = 4096, GROG_MEMO_CREDIT_STEPS = 32 };

GROG_ALWAYS int32_t *grog_memo_credit(grog_ctx *ctx, int32_t function) { return &ctx->credit[function & (GROG_MEMO_CREDITS - 1)]; }

/* Whether values of a function are looked up and stored now. */
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

/* Whether the entry holds the value and its steps can be paid for.  Memoised functions call less than GROG_CALLS_DOWN levels
 * down. */
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

/* Whether a value that was computed from so many steps on can be stored; fills in all of the entry but the value. */
static inline int32_t grog_memo_store(grog_ctx *ctx, grog_memo_entry *at, int32_t function, int32_t validity, int32_t a, int32_t b,
                                 int32_t c, int64_t steps) {
    /* After a failure no steps are left. */
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

/* Sets are mostly of a few words, for which a call of memmove or memset is expensive. */
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

/* The same for sets: whether there is an entry, which is then copied to `out`. */
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

/* Whether a shared board is valid. */
#define grog_board_known(ctx, validity) __builtin_expect(grog_board_is_valid(ctx, validity), 1)
static inline int32_t grog_board_is_valid(const grog_ctx *ctx, int32_t validity) {
    return ctx->memo_mode == GROG_MEMO_ALL && ctx->valid[validity >> 6] >> (validity & 63) & 1;
}

static inline void grog_board_store(grog_ctx *ctx, int32_t validity, int32_t number, uint64_t board) {
    if (ctx->memo_mode != GROG_MEMO_ALL) return;
    ctx->valid[validity >> 6] |= UINT64_C(1) << (validity & 63);
    ctx->board[number] = board;
}

/* The cell number `at` of a field was written: the board of those that hold a value is updated. */
static inline void grog_board_update(grog_ctx *ctx, int32_t validity, int32_t number, int64_t first, int64_t at, int32_t value) {
    uint64_t bit = UINT64_C(1) << (at & 63);
    if (GROG_UNLIKELY(ctx->memo_mode != GROG_MEMO_ALL || at < 0))
        grog_invalidate(ctx, validity >> 6, UINT64_C(1) << (validity & 63));
    else
        ctx->board[number] = ctx->s[first + at] == value ? ctx->board[number] | bit : ctx->board[number] & ~bit;
}

#endif
