/* Decisions: candidates, those that are the same, and answers. */
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

/* ---- decisions ---- */

/* What `distinct` compares in a domain: offsets, sizes and numbers of elements of fields. */
struct grog_interchange {
    int64_t base, count;
    int64_t own, sets, lists, values;                   /* how many there are of each */
    int64_t single;                                      /* so many of the own have one word: they come first */
    const int64_t *own_at, *set_at, *list_at, *value_at; /* (offset, words), (offset, words, elements), same, (offset, cells) */
};

/* Flags the pieces that cells name.  Nearly all name none: four at a time are passed over. */
static inline void grog_name_cells(int32_t *named, const int32_t *cell, int64_t cells, int64_t base, int64_t count) {
    const uint64_t none = (uint64_t)(uint32_t)GROG_NONE << 32 | (uint32_t)GROG_NONE;
    for (int64_t i = 0; i < cells;) {
        int64_t end = i + 8 < cells ? i + 8 : cells;
        if (end - i == 8) {
            uint64_t part[4];
            memcpy(part, cell + i, sizeof part);
            if (!((part[0] ^ none) | (part[1] ^ none) | (part[2] ^ none) | (part[3] ^ none))) {
                i = end;
                continue;
            }
        }
        for (; i < end; i++)
            if ((uint64_t)(cell[i] - base) < (uint64_t)count) grog_bit(named, cell[i] - base, 1);
    }
}

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

static inline uint64_t grog_mix(uint64_t hash, uint32_t word) {
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

/* A table of candidate numbers + 1 by hash, empty, with at least twice the room; NULL without memory. */
static inline int32_t *grog_hash_table(grog_ctx *ctx, int64_t count, uint64_t *mask) {
    int64_t size = 16;
    while (size < 2 * count) size *= 2;
    *mask = (uint64_t)size - 1;
    int32_t *table = grog_alloc(ctx, size);
    if (table)
        memset(table, 0, (size_t)size * 4);
    else
        grog_fail(ctx, GROG_FAIL_BUDGET, -1);
    return table;
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

/* Whether two pieces are interchangeable as to fields of more than one cell, and sets. */
static inline int32_t grog_interchangeable_else(const grog_ctx *ctx, const grog_interchange *how, int64_t a, int64_t b) {
    const int32_t *s = ctx->s;
    for (int64_t i = how->single; i < how->own; i++) {
        int64_t at = how->own_at[2 * i], words = how->own_at[2 * i + 1];
        if (memcmp(s + at + a * words, s + at + b * words, (size_t)words * 4) != 0) return 0;
    }
    for (int64_t i = 0; i < how->sets; i++) {
        int64_t at = how->set_at[3 * i], words = how->set_at[3 * i + 1];
        for (int64_t k = 0; k < how->set_at[3 * i + 2]; k++, at += words)
            if (((uint32_t)s[at + (a >> 5)] >> (a & 31) ^ (uint32_t)s[at + (b >> 5)] >> (b & 31)) & 1) return 0;
    }
    return 1;
}

/* Whether two pieces are interchangeable (neither is named anywhere). */
static inline int32_t grog_interchangeable(const grog_ctx *ctx, const grog_interchange *how, int64_t a, int64_t b) {
    const int32_t *s = ctx->s;
    /* Nearly all fields have one cell, for which a call takes longer than the comparison. */
    for (int64_t i = 0; i < how->single; i++)
        if (s[how->own_at[2 * i] + a] != s[how->own_at[2 * i] + b]) return 0;
    return grog_interchangeable_else(ctx, how, a, b);
}

/* Four cells of any field. */
typedef int32_t grog_cells __attribute__((vector_size(16), aligned(4), may_alias));
enum { GROG_AT_ONCE = 8 };

/* Which of eight pieces from this one on differ from the one before in a field of one cell: not 0 in differs[piece]. */
static inline void grog_eight_differ(const grog_ctx *ctx, const grog_interchange *how, int64_t piece, int32_t *differs) {
    grog_cells found = {0}, more = {0};
    for (int64_t i = 0; i < how->single; i++) {
        const int32_t *cell = ctx->s + how->own_at[2 * i] + piece;
        found |= *(const grog_cells *)cell ^ *(const grog_cells *)(cell - 1);
        more |= *(const grog_cells *)(cell + 4) ^ *(const grog_cells *)(cell + 3);
    }
    *(grog_cells *)(differs + piece) = found;
    *(grog_cells *)(differs + piece + 4) = more;
}

/* The same of the pieces from `first` to `last`. */
static inline void grog_neighbours_differ(const grog_ctx *ctx, const grog_interchange *how, int64_t first, int64_t last,
                                          int32_t *differs) {
    int64_t piece = first;
    for (; piece + GROG_AT_ONCE <= last + 1; piece += GROG_AT_ONCE) grog_eight_differ(ctx, how, piece, differs);
    if (piece > last) return;
    /* Rather some of them twice than one by one. */
    if (last - first + 1 >= GROG_AT_ONCE) {
        grog_eight_differ(ctx, how, last + 1 - GROG_AT_ONCE, differs);
        return;
    }
    for (; piece <= last; piece++) {
        differs[piece] = 0;
        for (int64_t i = 0; i < how->single; i++) {
            const int32_t *cell = ctx->s + how->own_at[2 * i] + piece;
            differs[piece] |= cell[0] ^ cell[-1];
        }
    }
}

static inline uint64_t grog_look(const grog_ctx *ctx, const grog_interchange *how, int64_t piece) {
    uint64_t hash = 0;
    for (int64_t i = 0; i < how->own; i++) {
        int64_t words = how->own_at[2 * i + 1], at = how->own_at[2 * i] + piece * words;
        for (int64_t k = 0; k < words; k++) hash = grog_mix(hash, (uint32_t)ctx->s[at + k]);
    }
    return hash;
}

/* Flags the pieces that any field names singly. */
static inline void grog_flag_named(const grog_ctx *ctx, const grog_interchange *how, int32_t *named) {
    for (int64_t i = 0; i < how->values; i++)
        grog_name_cells(named, ctx->s + how->value_at[2 * i], how->value_at[2 * i + 1], how->base, how->count);
    for (int64_t i = 0; i < how->lists; i++) {
        int64_t size = how->list_at[3 * i + 1];
        const int32_t *list = ctx->s + how->list_at[3 * i];
        for (int64_t k = 0; k < how->list_at[3 * i + 2]; k++, list += size)
            for (int32_t n = 1; n <= grog_len(list, (int32_t)size - 1); n++)
                if ((uint64_t)(list[n] - how->base) < (uint64_t)how->count) grog_bit(named, list[n] - how->base, 1);
    }
}

/* Pieces that differ, as long as a look at each of them is quicker than a table. */
enum { GROG_LEADERS = 8 };

/* Leaves out pieces that equal an earlier candidate. */
static inline void grog_distinct(grog_ctx *ctx, const grog_interchange *how) {
    if (ctx->cand_count < 2) return;
    int32_t *mark = grog_mark(ctx);
    int64_t words = (how->count + 31) / 32 + 1, kept = 0;
    uint64_t mask = 0;
    int32_t *named = grog_room(ctx, words), *table = NULL, leader[GROG_LEADERS];
    int32_t leaders = 0; /* as long as there are few, they are looked through; with more there is a table of all */
    if (ctx->fail) {
        grog_release(ctx, mark);
        return;
    }
    grog_flag_named(ctx, how, named);
    /* Interchangeable pieces mostly have consecutive numbers. */
    int64_t last = -1, first = ctx->cand[0] - how->base, end = ctx->cand[ctx->cand_count - 1] - how->base;
    int32_t *differs = NULL;
    if (first >= 0 && end > first && end < how->count && end - first < 2 * ctx->cand_count) {
        differs = grog_alloc(ctx, how->count);
        if (differs) grog_neighbours_differ(ctx, how, first + 1, end, differs);
    }
    for (int64_t i = 0; i < ctx->cand_count; i++) {
        int32_t value = ctx->cand[i];
        int64_t piece = value - how->base;
        if ((uint64_t)piece < (uint64_t)how->count && !((uint32_t)named[piece >> 5] >> (piece & 31) & 1)) {
            int32_t beside = differs && last == piece - 1 && piece > first && piece <= end;
            if (beside ? !differs[piece] && grog_interchangeable_else(ctx, how, last, piece) : last >= 0 && grog_interchangeable(ctx, how, last, piece)) {
                last = piece;
                continue;
            }
            last = piece;
            int32_t k = 0;
            if (!table) {
                while (k < leaders && !grog_interchangeable(ctx, how, ctx->cand[leader[k]] - how->base, piece)) k++;
                if (k < leaders) continue;
                if (leaders < GROG_LEADERS) {
                    leader[leaders++] = (int32_t)kept;
                } else {
                    table = grog_hash_table(ctx, ctx->cand_count, &mask);
                    if (!table) break;
                    for (k = 0; k < leaders; k++) {
                        uint64_t at = grog_look(ctx, how, ctx->cand[leader[k]] - how->base) & mask;
                        while (table[at]) at = (at + 1) & mask;
                        table[at] = leader[k] + 1;
                    }
                }
            }
            if (table) {
                uint64_t at = grog_look(ctx, how, piece) & mask;
                while (table[at] && !grog_interchangeable(ctx, how, ctx->cand[table[at] - 1] - how->base, piece)) at = (at + 1) & mask;
                if (table[at]) continue;
                table[at] = (int32_t)kept + 1;
            }
        }
        ctx->cand[kept++] = value;
    }
    ctx->cand_count = kept;
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
