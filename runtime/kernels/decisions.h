/* Decisions: candidates and answers. */
#ifndef GROGNARD_DECISIONS_H
#define GROGNARD_DECISIONS_H

#include "geometry.h"
#include "context.h"
#include "arena.h"
#include "memo.h"
#include "sets.h"
#include "dice.h"
#include "scan.h"
#include "bitboard.h"
#include "writes.h"
#include "interchangeable.h"

/* ---- decisions ---- */

/* Room for so many candidates more; 0 if there is none. */
GROG_COLD static int32_t grog_yield_room(grog_ctx *ctx, int64_t more) {
    int64_t room = 2 * ctx->cand_room + 256 + more;
    int32_t *grown = ctx->fail ? NULL : (int32_t *)realloc(ctx->cand, (size_t)room * 4);
    if (!grown) {
        grog_fail(ctx, GROG_FAIL_BUDGET, -1);
        return 0;
    }
    ctx->cand = grown;
    ctx->cand_room = room;
    return 1;
}

/* Whether so many different candidates as are wanted (one or two) have been found. */
static __attribute__((noinline, unused)) int32_t grog_found_enough(const grog_ctx *ctx) {
    int32_t first = GROG_NONE;
    for (int64_t i = 0; i < ctx->cand_count; i++) {
        int32_t value = ctx->cand[i];
        if (value == GROG_NONE || value == first) continue;
        if (ctx->enough == 1 || first != GROG_NONE) return 1;
        first = value;
    }
    return 0;
}

static inline int32_t grog_full(const grog_ctx *ctx) {
    if (GROG_LIKELY(ctx->cand_count < ctx->enough)) return 0;
    return (ctx->cand_count == 1 && ctx->cand[0] != GROG_NONE) || grog_found_enough(ctx);
}

/* How many candidates of an Ask are looked for: where the first is taken, `few` are enough. */
static inline int64_t grog_wanted(const grog_ctx *ctx, int64_t few) {
    return few && ctx->first && ctx->draws > 0 ? few : INT64_MAX;
}

/* Offers a candidate; whether no more are wanted. */
static inline int32_t grog_yield(grog_ctx *ctx, int32_t value) {
    if (GROG_UNLIKELY(ctx->cand_count == ctx->cand_room) && !grog_yield_room(ctx, 1)) return 0;
    ctx->cand[ctx->cand_count++] = value;
    return grog_full(ctx);
}

/* Offers the elements of up to 64, counted from the first. */
static inline void grog_yield_bits(grog_ctx *ctx, uint64_t found, int32_t first) {
    if (GROG_UNLIKELY(ctx->cand_count + GROG_SCAN_BLOCK > ctx->cand_room) && !grog_yield_room(ctx, GROG_SCAN_BLOCK)) return;
    int32_t *to = ctx->cand + ctx->cand_count;
    for (; found; found &= found - 1) *to++ = first + __builtin_ctzll(found);
    ctx->cand_count = to - ctx->cand;
}

/* Offers every element that a search finds. */
static inline void grog_yield_all(grog_ctx *ctx, grog_scan *scan, int64_t base) {
    while (scan->found || grog_scan_more(scan)) {
        grog_yield_bits(ctx, scan->found, (int32_t)(scan->from + base));
        scan->found = 0;
    }
}

static inline void grog_board1_yield(grog_ctx *ctx, grog_board1 board, int64_t n, int64_t base) {
    uint64_t found = board & grog_board_part(n, 0);
    if (ctx->defers) {
        /* How many there are is not asked for yet: none, one, or more. */
        ctx->cand_bits = found;
        ctx->cand_first = base;
        ctx->cand_count = (found != 0) + ((found & (found - 1)) != 0);
        return;
    }
    grog_yield_bits(ctx, found, (int32_t)base);
}

static inline void grog_board6_yield(grog_ctx *ctx, const grog_board6 *board, int64_t n, int64_t base) {
    for (int32_t i = 0; i < GROG_BOARD_WORDS; i++)
        grog_yield_bits(ctx, board->w[i] & grog_board_part(n, 64 * i), (int32_t)(base + 64 * i));
}

/* The same value twice counts once; NONE is left out. */
static inline void grog_unite(grog_ctx *ctx) {
    int64_t kept = 0, ascending = 1;
    for (int64_t i = 0; i < ctx->cand_count; i++) {
        int32_t value = ctx->cand[i];
        if (value == GROG_NONE) continue;
        if (kept && ctx->cand[kept - 1] >= value) ascending = 0;
        ctx->cand[kept++] = value;
    }
    ctx->cand_count = kept;
    if (ascending) return;
    uint64_t mask;
    int32_t *mark = grog_mark(ctx), *table = grog_hash_table(ctx, kept, &mask);
    int64_t count = 0;
    for (int64_t i = 0; table && i < kept; i++) {
        int32_t value = ctx->cand[i];
        uint64_t at = grog_mix(0, (uint32_t)value) & mask;
        while (table[at] && ctx->cand[table[at] - 1] != value) at = (at + 1) & mask;
        if (table[at]) continue;
        ctx->cand[count++] = value;
        table[at] = (int32_t)count;
    }
    ctx->cand_count = count;
    grog_release(ctx, mark);
}

/* Puts candidates that were collected in order.  `ordered`: they came in ascending order, each once. */
static inline void grog_offered(grog_ctx *ctx, int32_t ordered) {
    /* One candidate is in order. */
    if (!ordered && (ctx->cand_count > 1 || (ctx->cand_count == 1 && ctx->cand[0] == GROG_NONE))) grog_unite(ctx);
}

/* Offers the candidates of an Ask, or says whether its extra answer is allowed now. */
typedef int32_t (*grog_offer_fn)(grog_ctx *ctx, int32_t *fr, int32_t extra);

/* Masks what the chooser may not know, to be put back afterwards; whether there is anything.  `masked`: the validities that this
 * invalidates, which show when all of them are valid before.  That there is nothing to mask is memoised. */
static __attribute__((noinline, unused)) int32_t grog_mask_for(grog_ctx *ctx, int32_t chooser, uint64_t *masked) {
    int64_t memo_mode = ctx->memo_mode, steps = ctx->steps, keeps = ctx->keeps, kept = ctx->undo_count;
    int32_t viewed = (int32_t)ctx->program->view_validity;
    uint64_t valid[GROG_VALIDITY_WORDS];
    if (memo_mode) ctx->memo_mode = GROG_MEMO_WRITES;
    memcpy(valid, ctx->valid, sizeof valid);
    memset(ctx->valid, 0xff, sizeof valid);
    ctx->keeps = 1;
    ctx->program->view(ctx, chooser);
    ctx->keeps = keeps;
    ctx->memo_mode = memo_mode;
    int32_t any = ctx->undo_count != kept;
    for (int32_t i = 0; i < GROG_VALIDITY_WORDS; i++) {
        /* Where all cells are as before, what was memoised is right still. */
        masked[i] = any ? ~ctx->valid[i] : 0;
        ctx->valid[i] = valid[i] & ~masked[i];
    }
    if (!any && memo_mode && viewed >= 0) grog_memo_put(ctx, GROG_VIEW, viewed, chooser, 0, 0, steps, 0);
    return any;
}

/* Collects the candidates that the chooser may know of, untraced.  `ordered`: they come in ascending
 * order, each once; `few`: as many as settle which is the first, 0: all of them; `has_extra`: 2 if it is asked
 * for even then. */
static inline void grog_offer(grog_ctx *ctx, int32_t *fr, int32_t chooser, grog_offer_fn offer, int32_t on_view,
                              int32_t ordered, int32_t few, int32_t distinct, int32_t has_extra, int32_t extra) {
    int64_t level = ctx->level, kept = ctx->undo_count;
    uint64_t masked[GROG_VALIDITY_WORDS];
    int32_t *cells = ctx->s, branch = cells[GROG_H_BRANCH], *mark = grog_mark(ctx), any = 0;
    on_view = on_view && !ctx->fail;
    ctx->level = 0;
    if (on_view && ctx->foreign) {
        int32_t *copy = grog_alloc(ctx, ctx->data->cells);
        if (copy) {
            memcpy(copy, cells, (size_t)ctx->data->cells * 4);
            fr = copy + (fr - cells);
            ctx->s = copy;
        } else {
            grog_fail(ctx, GROG_FAIL_BUDGET, -1);
            on_view = 0;
        }
    }
    if (on_view) {
        int32_t viewed = (int32_t)ctx->program->view_validity;
        ctx->s[GROG_H_BRANCH] = GROG_NONE;
        if (!ctx->memo_mode || viewed < 0 || !grog_memo_find(ctx, GROG_VIEW, viewed, chooser, 0, 0))
            any = grog_mask_for(ctx, chooser, masked);
    }
    ctx->cand_count = 0;
    ctx->enough = grog_wanted(ctx, few);
    offer(ctx, fr, 0);
    grog_offered(ctx, ordered);
    if (distinct >= 0 && !ctx->fail) grog_distinct(ctx, &ctx->data->likeness[distinct]);
    if (has_extra && !ctx->fail && (has_extra == 2 || ctx->cand_count < ctx->enough)) {
        int64_t i = 0;
        while (i < ctx->cand_count && ctx->cand[i] != extra) i++;
        if (i == ctx->cand_count && offer(ctx, fr, 1)) grog_yield(ctx, extra);
    }
    if (on_view) {
        if (any) {
            grog_undo(ctx, kept);
            for (int32_t i = 0; i < GROG_VALIDITY_WORDS; i++) grog_invalidate(ctx, i, masked[i]);
        }
        ctx->s[GROG_H_BRANCH] = branch;
        ctx->s = cells;
    }
    ctx->level = level;
    grog_release(ctx, mark);
}

/* A decision is pending. */
static inline void grog_decide(grog_ctx *ctx, int32_t chooser, int32_t ask) {
    ctx->s[GROG_H_STATUS] = GROG_DECISION;
    ctx->s[GROG_H_CHOOSER] = chooser;
    ctx->s[GROG_H_ASK] = ask;
    ctx->offered = 1;
}

/* Gives an answer, at random or the first, where one would have to be waited for, as if the driver had stopped here and gone
 * on; leaves it in front of the candidates.  0: answers are not given so, or enough were. */
static __attribute__((noinline, unused)) int32_t grog_draw_answer(grog_ctx *ctx) {
    int32_t *s = ctx->s;
    if (s[GROG_H_PLY] >= ctx->draw_ply) return 0;
    ctx->draws--;
    grog_allow(ctx, ctx->draw_steps);
    if (!ctx->first) ctx->cand[0] = ctx->cand[grog_pcg_draw(&ctx->dice, (uint32_t)ctx->cand_count)];
    s[GROG_H_EPOCH] = (int32_t)((uint32_t)s[GROG_H_EPOCH] + 1);
    return 1;
}

/* Whether a machine takes the first of its candidates as the answer: it is the only one, which settles it (`lone`), or
 * answers are given without waiting. */
static inline int32_t grog_answers_first(grog_ctx *ctx, int32_t lone) {
    if (lone && ctx->cand_count == 1) return 1;
    return ctx->draws > 0 && grog_draw_answer(ctx);
}

#if defined(__x86_64__) && defined(__GNUC__)
#define GROG_PICKS (__builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt"))

/* As grog_draw_answer, from a board. */
__attribute__((target("bmi2,popcnt"))) static __attribute__((noinline, unused)) int32_t grog_draw_bit(grog_ctx *ctx) {
    int32_t *s = ctx->s;
    if (s[GROG_H_PLY] >= ctx->draw_ply || !ctx->cand_room) return 0;
    ctx->draws--;
    grog_allow(ctx, ctx->draw_steps);
    uint64_t found = ctx->cand_bits;
    uint32_t drawn = grog_pcg_draw(&ctx->dice, (uint32_t)__builtin_popcountll(found));
    ctx->cand[0] = (int32_t)(ctx->cand_first + __builtin_ctzll(_pdep_u64(UINT64_C(1) << drawn, found)));
    s[GROG_H_EPOCH] = (int32_t)((uint32_t)s[GROG_H_EPOCH] + 1);
    return 1;
}
#else
#define GROG_PICKS 0
static inline int32_t grog_draw_bit(grog_ctx *ctx) { return (void)ctx, 0; }
#endif

/* Before candidates are collected by a function that does nothing else: a board of them need not be listed. */
static inline void grog_defer(grog_ctx *ctx) {
    ctx->cand_count = 0;
    ctx->cand_bits = 0;
    ctx->defers = ctx->draws > 0 && !ctx->first && GROG_PICKS;
}

/* As grog_answers_first, behind grog_defer: the answer lies in front, or all candidates are written down. */
static inline int32_t grog_answers_first_deferred(grog_ctx *ctx, int32_t lone) {
    if (!ctx->cand_bits) return grog_answers_first(ctx, lone);
    if (!(lone && ctx->cand_count == 1) && grog_draw_bit(ctx)) return 1;
    ctx->cand_count = 0;
    grog_yield_bits(ctx, ctx->cand_bits, (int32_t)ctx->cand_first);
    return grog_answers_first(ctx, lone);
}

#endif
