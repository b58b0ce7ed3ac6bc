/* Pieces that nothing tells apart: what is compared, and candidates of which one of each is kept. */
#ifndef GROGNARD_INTERCHANGEABLE_H
#define GROGNARD_INTERCHANGEABLE_H

#include "context.h"
#include "arena.h"
#include "sets.h"

/* What `distinct` compares in a domain: offsets, sizes and numbers of elements of fields. */
struct grog_interchange {
    int64_t base, count;
    int64_t own, sets, lists, values;                   /* how many there are of each */
    int64_t single;                                      /* so many of the own have one word: they come first */
    const int64_t *own_at, *set_at, *list_at, *value_at; /* (offset, words), (offset, words, elements), same, (offset, cells) */
};

/* Four cells of any field. */
typedef int32_t grog_cells __attribute__((vector_size(16), aligned(4), may_alias));
enum { GROG_AT_ONCE = 8 };

static inline int32_t grog_any_cell(grog_cells cells) {
    uint64_t half[2];
    memcpy(half, &cells, sizeof half);
    return (half[0] | half[1]) != 0;
}

/* Whether sixteen cells are all GROG_NONE.  Nearly all cells that could name a piece name none. */
static inline int32_t grog_all_none(const int32_t *cell) {
    const grog_cells none = {GROG_NONE, GROG_NONE, GROG_NONE, GROG_NONE};
    const grog_cells *at = (const grog_cells *)cell;
    return !grog_any_cell((at[0] ^ none) | (at[1] ^ none) | (at[2] ^ none) | (at[3] ^ none));
}

/* Flags the pieces that cells name. */
static inline void grog_name_cells(int32_t *named, const int32_t *cell, int64_t cells, int64_t base, int64_t count) {
    for (int64_t i = 0; i < cells;) {
        int64_t end = i + 2 * GROG_AT_ONCE < cells ? i + 2 * GROG_AT_ONCE : cells;
        if (end - i == 2 * GROG_AT_ONCE && grog_all_none(cell + i)) {
            i = end;
            continue;
        }
        for (; i < end; i++)
            if ((uint64_t)(cell[i] - base) < (uint64_t)count) grog_bit(named, cell[i] - base, 1);
    }
}

/* Whether one of the cells has this value. */
static inline int32_t grog_has_cell(const int32_t *cell, int64_t cells, int32_t value) {
    const grog_cells same = {value, value, value, value};
    int64_t i = 0;
    for (; i + 2 * GROG_AT_ONCE <= cells; i += 2 * GROG_AT_ONCE) {
        const grog_cells *at = (const grog_cells *)(cell + i);
        if (grog_any_cell((at[0] == same) | (at[1] == same) | (at[2] == same) | (at[3] == same))) return 1;
    }
    for (; i < cells; i++)
        if (cell[i] == value) return 1;
    return 0;
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

/* Whether any field names one piece singly. */
static inline int32_t grog_is_named(const grog_ctx *ctx, const grog_interchange *how, int64_t piece) {
    const int32_t *s = ctx->s, value = (int32_t)(how->base + piece);
    for (int64_t i = 0; i < how->values; i++)
        if (grog_has_cell(s + how->value_at[2 * i], how->value_at[2 * i + 1], value)) return 1;
    for (int64_t i = 0; i < how->lists; i++) {
        int64_t size = how->list_at[3 * i + 1];
        const int32_t *list = s + how->list_at[3 * i];
        for (int64_t k = 0; k < how->list_at[3 * i + 2]; k++, list += size)
            for (int32_t n = 1; n <= grog_len(list, (int32_t)size - 1); n++)
                if (list[n] == value) return 1;
    }
    return 0;
}

/* Of a set of pieces those that nothing tells apart from its first one. */
static __attribute__((unused)) void grog_alike(grog_ctx *ctx, int32_t domain, const int32_t *within, int32_t *found, int64_t words) {
    const grog_interchange *how = &ctx->data->likeness[domain];
    int64_t first = -1;
    int32_t *mark = grog_mark(ctx), *named = NULL;
    for (int64_t i = 0; i < words; i++) found[i] = 0;
    for (int64_t i = 0; i < words; i++)
        for (uint32_t left = (uint32_t)within[i]; left; left &= left - 1) {
            int64_t piece = 32 * i + __builtin_ctz(left);
            if (piece >= how->count) break;
            if (first < 0) {
                first = piece;
                grog_bit(found, piece, 1);
                if (grog_is_named(ctx, how, piece)) {
                    grog_release(ctx, mark);
                    return;
                }
                continue;
            }
            if (!grog_interchangeable(ctx, how, first, piece)) continue;
            if (!named) {
                named = grog_room(ctx, (how->count + 31) / 32 + 1);
                if (ctx->fail) {
                    grog_release(ctx, mark);
                    return;
                }
                grog_flag_named(ctx, how, named);
            }
            if (!((uint32_t)named[piece >> 5] >> (piece & 31) & 1)) grog_bit(found, piece, 1);
        }
    grog_release(ctx, mark);
}

#endif
