/* Memoised values of functions that only read, and their validity.  README.md states the protocol. */
#ifndef GROGNARD_MEMO_H
#define GROGNARD_MEMO_H

#include "context.h"
#include "budget.h"

/* ---- what is remembered: values of functions that only read ----
 *
 * Each such function has a mark, which writes of the fields that it reads take off (grog_changed).  When a value is wanted
 * and the mark is off, it is put on again and gets a new tag, so that nothing found before counts any more.  A value that
 * is found again takes the steps that finding it took; if there are not as many left, or the call lies deep
 * inside others, it is found out anew, and fails where it would. */

/* A run that is soon over has few values, and better keeps them close to each other. */
enum { GROG_VALUE_BITS = 14, GROG_VALUES = 1 << GROG_VALUE_BITS, GROG_FEW_VALUE_BITS = 8, GROG_FIRST_RUNS = 16 };
/* What stands for the view among the functions: its value is kept where it has nothing to mask. */
enum { GROG_VIEW = -1 };

/* Whether anything is remembered: not at all; for the moment writes are only seen; what looks at many things, for a run that is
 * soon over; or everything.  Where it is, nobody listens and cells change by writes only. */
enum { GROG_FORGETS = 0, GROG_SEES, GROG_REMEMBERS_MUCH, GROG_REMEMBERS };
enum { GROG_HAS_VALUES = 1, GROG_HAS_MASKS };

typedef struct grog_value {
    uint64_t tag;        /* 0: nothing is here */
    uint64_t head, rest; /* the function and what it was given, two by two */
    int32_t value, steps;
} grog_value;

static inline uint64_t grog_two(int32_t a, int32_t b) { return (uint32_t)a | (uint64_t)(uint32_t)b << 32; }

/* The same of a function that gives a set of up to so many words. */
enum { GROG_SETS = 256, GROG_SET_WORDS = 8 };
typedef struct grog_known_set {
    grog_value of;
    int32_t set[GROG_SET_WORDS];
} grog_known_set;

/* Which elements of a domain hold each value of a field. */
enum { GROG_INDICES = 32 };
typedef struct grog_holders {
    uint64_t tag;   /* 0: nothing is here */
    uint64_t *held; /* per value a mask of elements */
    uint64_t *some; /* the values that anybody holds */
    int64_t whole;  /* whether all hold one of the values, or nothing */
} grog_holders;

/* Of which elements something is true that depends on the data alone, or what it comes to for each. */
enum { GROG_FIXED_HINTS = 64 };
typedef struct grog_fixed_hint {
    uint64_t *mask; /* those of which it is true; those for which it comes to nothing.  NULL: nothing is here */
    int32_t *value; /* NULL: it is true or not */
    int64_t failed; /* whether it cannot be asked of some */
} grog_fixed_hint;

/* From now on values are remembered, if the program has any that can be and there is room; marks stay as they are. */
static inline void grog_remember_on(grog_ctx *ctx) {
    int64_t has = ctx->program->remembers;
    if (!has) return;
    if (has & GROG_HAS_VALUES && !ctx->values) ctx->values = (grog_value *)calloc(GROG_VALUES, sizeof(grog_value));
    if (has & GROG_HAS_VALUES && !ctx->sets) ctx->sets = (grog_known_set *)calloc(GROG_SETS, sizeof(grog_known_set));
    if (has & GROG_HAS_VALUES && !ctx->holders) ctx->holders = (grog_holders *)calloc(GROG_INDICES, sizeof(grog_holders));
    if (has & GROG_HAS_VALUES && !ctx->asked_once) ctx->asked_once = (grog_fixed_hint *)calloc(GROG_FIXED_HINTS, sizeof(grog_fixed_hint));
    ctx->value_shift = 32 - GROG_VALUE_BITS;
    ctx->remembers = has & GROG_HAS_VALUES && (!ctx->values || !ctx->sets) ? GROG_FORGETS : GROG_REMEMBERS;
}

/* The same at a position.  `serial`: which one it is, for marks that stand since it was left; 0: nobody knows. */
static inline void grog_remember_values(grog_ctx *ctx, uint64_t serial) {
    if (!ctx->program->remembers) return;
    grog_remember_on(ctx);
    if (!serial || serial != ctx->serial) memset(ctx->marks, 0, sizeof ctx->marks);
    ctx->serial = 0;
}

/* The same for a run that is soon over: what looks at many things, and nothing of what was found before. */
static inline void grog_remember_a_while(grog_ctx *ctx) {
    grog_remember_values(ctx, 0);
    if (ctx->remembers) ctx->remembers = GROG_REMEMBERS_MUCH;
    ctx->value_shift = 32 - GROG_FEW_VALUE_BITS;
}

/* A position that is come back to many times.  All marks are put on before anything is tried from it: what is then found under
 * such a tag was found before a write took the mark off, so it is true of the position itself, whatever was tried since. */
typedef struct grog_anchor {
    uint64_t tag[64 * GROG_MARK_WORDS];
} grog_anchor;

static inline void grog_anchor_back(grog_ctx *ctx, const grog_anchor *at) {
    /* Masks have no tags: of them nothing is known here. */
    memset(ctx->marks, ctx->program->remembers & GROG_HAS_MASKS ? 0 : 0xff, sizeof ctx->marks);
    memcpy(ctx->tag, at->tag, sizeof ctx->tag);
}

static inline void grog_anchor_here(grog_ctx *ctx, grog_anchor *at) {
    for (int32_t mark = 0; mark < 64 * GROG_MARK_WORDS; mark++)
        if (!(ctx->marks[mark >> 6] >> (mark & 63) & 1)) ctx->tag[mark] = ++ctx->tags;
    memcpy(at->tag, ctx->tag, sizeof ctx->tag);
    grog_anchor_back(ctx, at);
}

/* Fields were written whose readers have these marks. */
static inline void grog_changed(grog_ctx *ctx, int32_t word, uint64_t marks) {
    if (ctx->remembers) ctx->marks[word] &= ~marks;
}

static inline uint64_t grog_tag_of(grog_ctx *ctx, int32_t mark) {
    uint64_t bit = UINT64_C(1) << (mark & 63), *marks = &ctx->marks[mark >> 6];
    if (!(*marks & bit)) {
        *marks |= bit;
        ctx->tag[mark] = ++ctx->tags;
    }
    return ctx->tag[mark];
}

/* Some functions are hardly ever asked for the same value twice before something that they read has changed.  To look for
 * their values and to keep them costs more than it gives, so that they go without for a while: each value that was there
 * gains trust, by the steps that it saved, and each that was not loses some.  Whether runs that are soon over remember anything
 * is settled by the first of them (grog_samples). */
enum { GROG_TRUSTED = 1024, GROG_FIRST_TRUST = 256, GROG_MOST_TRUST = 1024, GROG_DISTRUST = 4096, GROG_TRUST_STEPS = 32 };

GROG_ALWAYS int32_t *grog_trust_in(grog_ctx *ctx, int32_t function) { return &ctx->trust[function & (GROG_TRUSTED - 1)]; }

/* Whether values of a function are looked for and kept now. */
static inline int32_t grog_trusts(grog_ctx *ctx, int32_t function) {
    int32_t *trust = grog_trust_in(ctx, function);
    if (*trust > 0) return 1;
    if (++*trust < 0) return 0;
    *trust = GROG_FIRST_TRUST;
    return 1;
}

static inline uint32_t grog_mixed(int32_t function, int32_t a, int32_t b, int32_t c) {
    return ((uint32_t)a + (uint32_t)b * 769u + (uint32_t)c * 6151u + (uint32_t)function * 24593u) * 2654435761u;
}

/* The value, if it is known and can be paid for; NULL: it must be found out.  Functions that are remembered go less than
 * GROG_CALLS_DOWN calls down. */
static inline int32_t grog_is_known(grog_ctx *ctx, const grog_value *at, int32_t function, int32_t mark, int32_t a, int32_t b,
                                    int32_t c) {
    if (!(ctx->marks[mark >> 6] >> (mark & 63) & 1) || at->tag != ctx->tag[mark] || at->head != grog_two(function, a) ||
        at->rest != grog_two(b, c) || at->steps > ctx->steps || ctx->depth > GROG_CALL_DEPTH - GROG_CALLS_DOWN)
        return 0;
    ctx->steps -= at->steps;
    ctx->recalled++;
    int32_t *trust = grog_trust_in(ctx, function);
    if (*trust > 0 && *trust < GROG_MOST_TRUST) *trust += 1 + (int32_t)((uint32_t)at->steps / GROG_TRUST_STEPS);
    return 1;
}

static inline const grog_value *grog_known_value(grog_ctx *ctx, int32_t function, int32_t mark, int32_t a, int32_t b,
                                                 int32_t c) {
    const grog_value *at = ctx->values + (grog_mixed(function, a, b, c) >> ctx->value_shift);
    return grog_is_known(ctx, at, function, mark, a, b, c) ? at : NULL;
}

/* Whether what was found out from so many steps on can be kept; then it stands at this place. */
static inline int32_t grog_keeps(grog_ctx *ctx, grog_value *at, int32_t function, int32_t mark, int32_t a, int32_t b,
                                 int32_t c, int64_t steps) {
    /* After a failure nothing is left of the steps. */
    if (GROG_UNLIKELY(ctx->steps < 0 || steps - ctx->steps > INT32_MAX)) return 0;
    ctx->worked_out++;
    int32_t *trust = grog_trust_in(ctx, function);
    if (*trust > 0 && --*trust == 0) *trust = -GROG_DISTRUST;
    at->tag = grog_tag_of(ctx, mark);
    at->head = grog_two(function, a);
    at->rest = grog_two(b, c);
    at->steps = (int32_t)(steps - ctx->steps);
    return 1;
}

static inline int32_t grog_keep_value(grog_ctx *ctx, int32_t function, int32_t mark, int32_t a, int32_t b, int32_t c,
                                      int64_t steps, int32_t value) {
    grog_value *at = ctx->values + (grog_mixed(function, a, b, c) >> ctx->value_shift);
    if (grog_keeps(ctx, at, function, mark, a, b, c, steps)) at->value = value;
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
static inline int32_t grog_known_in(grog_ctx *ctx, int32_t function, int32_t mark, int32_t a, int32_t b, int32_t c,
                                    int32_t *out, int64_t words) {
    const grog_known_set *at = ctx->sets + grog_mixed(function, a, b, c) / (UINT32_MAX / GROG_SETS + 1);
    if (GROG_UNLIKELY(words > GROG_SET_WORDS) || !grog_is_known(ctx, &at->of, function, mark, a, b, c)) return 0;
    if (GROG_LIKELY(words == 2))
        memcpy(out, at->set, 8);
    else
        for (int64_t i = 0; i < words; i++) out[i] = at->set[i];
    return 1;
}

static inline void grog_keep_set(grog_ctx *ctx, int32_t function, int32_t mark, int32_t a, int32_t b, int32_t c, int64_t steps,
                                 const int32_t *set, int64_t words) {
    grog_known_set *at = ctx->sets + grog_mixed(function, a, b, c) / (UINT32_MAX / GROG_SETS + 1);
    if (words <= GROG_SET_WORDS && grog_keeps(ctx, &at->of, function, mark, a, b, c, steps))
        grog_set_copy(at->set, set, words);
}

/* Whether a mask that several ask for is right still. */
#define grog_mask_known(ctx, mark) __builtin_expect(grog_mask_stands(ctx, mark), 1)
static inline int32_t grog_mask_stands(const grog_ctx *ctx, int32_t mark) {
    return ctx->remembers == GROG_REMEMBERS && ctx->marks[mark >> 6] >> (mark & 63) & 1;
}

static inline void grog_mask_keep(grog_ctx *ctx, int32_t mark, int32_t number, uint64_t mask) {
    if (ctx->remembers != GROG_REMEMBERS) return;
    ctx->marks[mark >> 6] |= UINT64_C(1) << (mark & 63);
    ctx->mask[number] = mask;
}

/* A cell was written, the so many-th of its field: the mask of those that hold a value follows. */
static inline void grog_mask_follow(grog_ctx *ctx, int32_t mark, int32_t number, int64_t first, int64_t at, int32_t value) {
    uint64_t bit = UINT64_C(1) << (at & 63);
    if (GROG_UNLIKELY(ctx->remembers != GROG_REMEMBERS || at < 0))
        grog_changed(ctx, mark >> 6, UINT64_C(1) << (mark & 63));
    else
        ctx->mask[number] = ctx->s[first + at] == value ? ctx->mask[number] | bit : ctx->mask[number] & ~bit;
}

#endif
