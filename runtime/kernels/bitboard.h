/* Bitboards: predicates of all places of a small grid at once. */
#ifndef GROGNARD_BITBOARD_H
#define GROGNARD_BITBOARD_H

#include "context.h"
#include "memo.h"
#include "sets.h"
#include "scan.h"
#include "prefilter.h"

/* Words of the boards of these places; 0: places are asked one by one, because there is no board or each answer is traced. */
static inline int64_t grog_board_width(const grog_ctx *ctx, int64_t base, int64_t count) {
    const grog_space *space = ctx->data->spaces;
    if (GROG_UNLIKELY(space->base != base || space->n != count || ctx->level >= 2 || ctx->steps < GROG_BOARD_STEPS))
        return 0;
    return space->board_words;
}

/* Boards of one word are the common case. */
#define grog_is_width(wide, words) __builtin_expect((wide) == (words), (words) == 1)

static inline int32_t grog_board_sides(const grog_ctx *ctx) { return (int32_t)ctx->data->spaces->sides; }

static inline const grog_board_shift *grog_board_shift_of(const grog_ctx *ctx, int32_t d) {
    const grog_space *space = ctx->data->spaces;
    /* One more than there are directions is empty. */
    return &space->shift[(uint64_t)(int64_t)d < (uint64_t)space->sides ? d : space->sides];
}

static inline grog_board1 grog_board1_all(int32_t yes) { return yes ? UINT64_MAX : 0; }
static inline grog_board1 grog_board1_and(grog_board1 a, grog_board1 b) { return a & b; }
static inline grog_board1 grog_board1_or(grog_board1 a, grog_board1 b) { return a | b; }
static inline grog_board1 grog_board1_but(grog_board1 a, grog_board1 b) { return a & ~b; }
static inline grog_board1 grog_board1_not(grog_board1 a) { return ~a; }
static inline grog_board1 grog_board1_holds(const int32_t *cell, int64_t n, int32_t value) {
    return grog_some_hold(cell, n, value);
}

static inline grog_board1 grog_board1_has(const grog_ctx *ctx, int32_t d) {
    const grog_board_shift *shift = grog_board_shift_of(ctx, d);
    return shift->from[0].w[0] | shift->from[1].w[0];
}

/* The places that hold a value, as a board that writes maintain (grog_board_update). */
static inline grog_board1 grog_board1_maintained(grog_ctx *ctx, int32_t validity, int32_t number, const int32_t *cell, int64_t n,
                                       int32_t value) {
    if (grog_board_known(ctx, validity)) return ctx->board[number];
    grog_board1 found = grog_board1_holds(cell, n, value);
    grog_board_store(ctx, validity, number, found);
    return found;
}

/* Whether any of the cells holds the value (other: anything else), by that board where there is one. */
static inline int32_t grog_board_any(const grog_ctx *ctx, int32_t validity, int32_t number, const int32_t *cell, int64_t n,
                                        int32_t value, int32_t other) {
    if (!grog_board_known(ctx, validity)) return grog_any_holds(cell, n, value, other);
    if (n <= 0) return 0;
    return ((other ? ~ctx->board[number] : ctx->board[number]) & UINT64_MAX >> (64 - n)) != 0;
}

/* The places whose neighbour in a direction is on the board.  Rotating the word does for both ways: bits that come round are
 * outside the places that have a neighbour. */
static inline grog_board1 grog_board1_shift(grog_board1 a, const grog_ctx *ctx, int32_t d) {
    const grog_board_shift *shift = grog_board_shift_of(ctx, d);
    int64_t x = shift->by[0] & 63, y = shift->by[1] & 63;
    return ((a >> x | a << (-x & 63)) & shift->from[0].w[0]) | ((a >> y | a << (-y & 63)) & shift->from[1].w[0]);
}

/* The bits of the places that there are, in the word that begins with this one. */
static inline uint64_t grog_board_part(int64_t n, int64_t from) {
    return n - from >= 64 ? UINT64_MAX : n > from ? UINT64_MAX >> (64 - (n - from)) : 0;
}

static inline int32_t grog_board1_any(grog_board1 board, int64_t n) { return (board & grog_board_part(n, 0)) != 0; }

static inline int32_t grog_board1_count(grog_board1 board, int64_t n) {
    board &= grog_board_part(n, 0);
    return grog_ones((uint32_t)board) + grog_ones((uint32_t)(board >> 32));
}

static inline void grog_scan_board1(grog_scan *scan, grog_board1 board) {
    scan->found = board & grog_board_part(scan->n, 0);
    scan->from = 0;
}

static inline grog_board6 grog_board6_all(int32_t yes) {
    grog_board6 r;
    for (int32_t i = 0; i < GROG_BOARD_WORDS; i++) r.w[i] = yes ? UINT64_MAX : 0;
    return r;
}

static inline grog_board6 grog_board6_and(grog_board6 a, grog_board6 b) {
    for (int32_t i = 0; i < GROG_BOARD_WORDS; i++) a.w[i] &= b.w[i];
    return a;
}

static inline grog_board6 grog_board6_or(grog_board6 a, grog_board6 b) {
    for (int32_t i = 0; i < GROG_BOARD_WORDS; i++) a.w[i] |= b.w[i];
    return a;
}

static inline grog_board6 grog_board6_but(grog_board6 a, grog_board6 b) {
    for (int32_t i = 0; i < GROG_BOARD_WORDS; i++) a.w[i] &= ~b.w[i];
    return a;
}

static inline grog_board6 grog_board6_not(grog_board6 a) {
    for (int32_t i = 0; i < GROG_BOARD_WORDS; i++) a.w[i] = ~a.w[i];
    return a;
}

static inline grog_board6 grog_board6_holds(const int32_t *cell, int64_t n, int32_t value) {
    grog_board6 r = grog_board6_all(0);
    for (int64_t i = 0; i * 64 < n; i++) r.w[i] = grog_some_hold(cell + i * 64, n - i * 64 < 64 ? n - i * 64 : 64, value);
    return r;
}

/* A board of several words is not maintained. */
static inline grog_board6 grog_board6_maintained(grog_ctx *ctx, int32_t validity, int32_t number, const int32_t *cell, int64_t n,
                                       int32_t value) {
    return (void)ctx, (void)validity, (void)number, grog_board6_holds(cell, n, value);
}

static inline grog_board6 grog_board6_has(const grog_ctx *ctx, int32_t d) {
    const grog_board_shift *shift = grog_board_shift_of(ctx, d);
    return grog_board6_or(shift->from[0], shift->from[1]);
}

static inline uint64_t grog_board6_word(const grog_board6 *a, int64_t i) { return i >= 0 && i < GROG_BOARD_WORDS ? a->w[i] : 0; }

static inline grog_board6 grog_board6_shift(grog_board6 a, const grog_ctx *ctx, int32_t d) {
    const grog_board_shift *shift = grog_board_shift_of(ctx, d);
    grog_board6 r;
    for (int32_t i = 0; i < GROG_BOARD_WORDS; i++) {
        r.w[i] = 0;
        for (int32_t kind = 0; kind < 2; kind++) {
            int64_t first = i * 64 + shift->by[kind], word = first >> 6, bit = first & 63;
            uint64_t found = grog_board6_word(&a, word) >> bit;
            if (bit) found |= grog_board6_word(&a, word + 1) << (64 - bit);
            r.w[i] |= found & shift->from[kind].w[i];
        }
    }
    return r;
}

static inline int32_t grog_board6_any(const grog_board6 *board, int64_t n) {
    uint64_t found = 0;
    for (int32_t i = 0; i < GROG_BOARD_WORDS; i++) found |= board->w[i] & grog_board_part(n, 64 * i);
    return found != 0;
}

static inline int32_t grog_board6_count(const grog_board6 *board, int64_t n) {
    int32_t count = 0;
    for (int32_t i = 0; i < GROG_BOARD_WORDS; i++) count += grog_board1_count(board->w[i], n - 64 * i);
    return count;
}

static inline void grog_scan_board6(grog_scan *scan, const grog_board6 *board) { scan->among = board->w; }

#endif
