/* What odds ask of positions of a chance program (compiler/chance.py): where dice fall, what of a position can still
 * count, which pieces nobody can tell apart.  The same as grognard.odds.alike and grognard.odds.falls, which document the
 * meaning, without Python.
 */
#ifndef GROGNARD_CHANCE_H
#define GROGNARD_CHANCE_H

#include "engine.h"

enum { GROG_SORT_TOTAL = 1, GROG_SORT_DRAW, GROG_SORT_POOL, GROG_SORT_EACH };

/* A place where dice fall.  Locals are cells of the frame, -1 where there is none. */
typedef struct grog_stop {
    int64_t sort, dice, lo, hi;
    int64_t local, number, elements, limits, result;
    int64_t room;                /* of the limits, or of the pool */
    int64_t bag, rows, bag_base; /* the counts of the bag */
    int64_t base, words, pieces; /* of the domain of the elements; pieces: their number among all, -1: none */
    int64_t block;               /* where it goes on */
} grog_stop;

/* Where the pieces of a domain are written down. */
typedef struct grog_pieces {
    int64_t base, count, alive, interchangeable;
    int64_t own, sets, lists, values;                    /* how many there are of each */
    const int64_t *own_at, *set_at, *list_at, *value_at; /* (cell, cells of a piece, default), (cell, words) three times */
} grog_pieces;

enum { GROG_NAMES_ONE, GROG_NAMES_LIST, GROG_NAMES_SET };

/* What of a frame can be forgotten, (offset, cells), and what of it names pieces: (how, pieces, offset, words). */
typedef struct grog_rest {
    int64_t known, clears, names;
    const int64_t *clear_at, *name_at;
} grog_rest;

typedef struct grog_chance {
    const grog_data *data;
    const int64_t *block_start; /* per machine, and one more: its blocks among all */
    const int64_t *stop_of;     /* per block: the number of its stop, -1 if it has none */
    const grog_stop *stops;
    grog_rest *rest; /* two for each block: of a frame that waits, of the one that runs */
    int64_t pieces_count;
    grog_pieces *pieces;
} grog_chance;

/* The frame at an offset of the stack and the number of its block; NULL if the cells do not make sense. */
static inline int32_t *grog_chance_frame(const grog_chance *all, int32_t *s, int64_t offset, int64_t *block) {
    const grog_data *data = all->data;
    if (offset < 0 || offset + GROG_FRAME_HEADER > data->stack_cells) return NULL;
    int32_t *fr = s + data->stack_off + offset;
    if (fr[0] < 0 || fr[0] >= data->machine_count || offset + data->frame_size[fr[0]] > data->stack_cells) return NULL;
    *block = all->block_start[fr[0]] + fr[1];
    return fr[1] >= 0 && *block < all->block_start[fr[0] + 1] ? fr : NULL;
}

/* The stop that the position stands at, and its frame; NULL if it stands at none. */
static inline const grog_stop *grog_stop_at(const grog_chance *all, int32_t *s, int32_t **fr) {
    int64_t block = 0;
    if (s[GROG_H_STATUS] != GROG_DECISION) return NULL;
    *fr = grog_chance_frame(all, s, s[GROG_H_FP], &block);
    return *fr && all->stop_of[block] >= 0 ? &all->stops[all->stop_of[block]] : NULL;
}

/* ---- one form for positions that are the same for all that follows ---- */

static inline void grog_name(int32_t *named, const grog_pieces *pieces, int32_t value) {
    int64_t at = (int64_t)value - pieces->base;
    if ((uint64_t)at < (uint64_t)pieces->count) grog_bit(named, at, 1);
}

/* Pieces that something names, and with `held` those that some set holds. */
static inline void grog_name_all(const grog_chance *all, int32_t *s, int64_t number, int32_t *named, int32_t held) {
    const grog_pieces *pieces = &all->pieces[number];
    int64_t words = (pieces->count + 31) / 32, block = 0;
    for (int64_t i = 0; i < pieces->values; i++) {
        const int32_t *cell = s + pieces->value_at[2 * i], *end = cell + pieces->value_at[2 * i + 1];
        for (; cell < end; cell++)
            if (*cell != GROG_NONE) grog_name(named, pieces, *cell);
    }
    for (int64_t i = 0; i < pieces->lists; i++) {
        const int32_t *list = s + pieces->list_at[2 * i];
        int32_t length = grog_len(list, (int32_t)pieces->list_at[2 * i + 1] - 1);
        for (int32_t k = 1; k <= length; k++) grog_name(named, pieces, list[k]);
    }
    for (int64_t i = 0; held && i < pieces->sets; i++)
        grog_set_union(named, named, s + pieces->set_at[2 * i], words);
    int32_t runs = 1, *fr;
    for (int64_t offset = s[GROG_H_FP]; (fr = grog_chance_frame(all, s, offset, &block)); runs = 0) {
        const grog_rest *rest = &all->rest[2 * block + runs];
        for (int64_t i = 0; i < rest->names; i++) {
            const int64_t *name = rest->name_at + 4 * i;
            const int32_t *cell = fr + name[2];
            if (name[1] != number) continue;
            if (name[0] == GROG_NAMES_ONE) {
                grog_name(named, pieces, *cell);
            } else if (name[0] == GROG_NAMES_LIST) {
                int32_t length = grog_len(cell, (int32_t)name[3] - 1);
                for (int32_t k = 1; k <= length; k++) grog_name(named, pieces, cell[k]);
            } else if (held) {
                grog_set_union(named, named, cell, words);
            }
        }
        if (fr[2] >= offset) break;
        offset = fr[2];
    }
}

/* A piece that went out of play and that nothing names any more is nothing. */
static inline void grog_forget_dead(const grog_chance *all, grog_ctx *ctx, int32_t *s, const int32_t *before,
                                    int64_t number) {
    const grog_pieces *pieces = &all->pieces[number];
    const int32_t *now = s + pieces->alive, *then = before ? before + pieces->alive : NULL;
    int32_t *mark = grog_mark(ctx), *named = NULL;
    if (then && !memcmp(now, then, (size_t)pieces->count * 4)) return;
    for (int64_t at = 0; at < pieces->count; at++) {
        if (now[at] || (then && !then[at])) continue;
        if (!named) {
            named = grog_room(ctx, (pieces->count + 31) / 32);
            if (ctx->fail) break;
            grog_name_all(all, s, number, named, 1);
        }
        if ((uint32_t)named[at >> 5] >> (at & 31) & 1) continue;
        for (int64_t i = 0; i < pieces->own; i++) {
            const int64_t *own = pieces->own_at + 3 * i;
            for (int64_t k = 0; k < own[1]; k++) s[own[0] + at * own[1] + k] = (int32_t)own[2];
        }
    }
    grog_release(ctx, mark);
}

/* Clears all that cannot count any more; -1, or the number of a rest that is not known yet (then nothing is done).
 * `before`: the position it came from, simplified itself, or NULL. */
static inline int64_t grog_simplify(const grog_chance *all, grog_ctx *ctx, int32_t *s, const int32_t *before) {
    int32_t runs = 1, *fr;
    int64_t block = 0;
    for (int64_t offset = s[GROG_H_FP]; (fr = grog_chance_frame(all, s, offset, &block)); runs = 0) {
        if (!all->rest[2 * block + runs].known) return 2 * block + runs;
        if (fr[2] >= offset) break;
        offset = fr[2];
    }
    s[GROG_H_RNG_LO] = s[GROG_H_RNG_HI] = s[GROG_H_EPOCH] = 0;
    runs = 1;
    for (int64_t offset = s[GROG_H_FP]; (fr = grog_chance_frame(all, s, offset, &block)); runs = 0) {
        const grog_rest *rest = &all->rest[2 * block + runs];
        for (int64_t i = 0; i < rest->clears; i++)
            memset(fr + rest->clear_at[2 * i], 0, (size_t)rest->clear_at[2 * i + 1] * 4);
        if (fr[2] >= offset) break;
        offset = fr[2];
    }
    for (int64_t i = 0; i < all->pieces_count; i++) grog_forget_dead(all, ctx, s, before, i);
    return -1;
}

/* ---- a die for each ---- */

/* The limit of the element with this number among those that roll. */
static inline int32_t grog_limit(const grog_stop *stop, const int32_t *fr, int64_t number) {
    return number < stop->room ? fr[stop->limits + 1 + number] : GROG_NONE;
}

/* -1: never, 0: perhaps, 1: surely. */
static inline int32_t grog_prospect(const grog_stop *stop, int32_t limit) {
    if (limit == GROG_NONE || limit < stop->dice * stop->lo) return -1;
    return limit >= stop->dice * stop->hi;
}

/* Marks as many hits as wanted: by the first dice that can hit, or with a seed by any; 0 if there cannot be so many. */
static inline int32_t grog_put_hits(const grog_stop *stop, int32_t *fr, int64_t hits, uint64_t seed) {
    const int32_t *elements = fr + stop->elements;
    int32_t *result = fr + stop->result;
    int64_t number = 0, sure = 0, perhaps = 0;
    for (int64_t i = grog_set_scan(elements, stop->words, 0); i >= 0; i = grog_set_scan(elements, stop->words, i + 1)) {
        int32_t prospect = grog_prospect(stop, grog_limit(stop, fr, number++));
        sure += prospect > 0;
        perhaps += prospect == 0;
    }
    if (hits < sure || hits > sure + perhaps) return 0;
    uint64_t dice = grog_pcg_seeded(seed);
    int64_t wanted = hits - sure;
    memset(result, 0, (size_t)stop->words * 4);
    number = 0;
    for (int64_t i = grog_set_scan(elements, stop->words, 0); i >= 0; i = grog_set_scan(elements, stop->words, i + 1)) {
        int32_t prospect = grog_prospect(stop, grog_limit(stop, fr, number++));
        if (prospect < 0) continue;
        if (prospect == 0) {
            /* Of those that are left, as many as are still wanted, any of them alike. */
            int32_t taken = seed ? (int64_t)grog_pcg_draw(&dice, (uint32_t)perhaps) < wanted : wanted > 0;
            perhaps--;
            if (!taken) continue;
            wanted--;
        }
        grog_bit(result, i, 1);
    }
    return 1;
}

/* ---- what fell ---- */

/* Writes it into the frame: one value, the dice of a pool, or the elements that rolled no more than their limit. */
static inline void grog_put_fallen(const grog_stop *stop, int32_t *fr, const int32_t *fallen, int64_t count) {
    if (stop->sort == GROG_SORT_TOTAL || stop->sort == GROG_SORT_DRAW) {
        fr[stop->local] = fallen[0];
    } else if (stop->sort == GROG_SORT_POOL) {
        int32_t *list = fr + stop->result;
        if (count > stop->room) count = stop->room;
        memset(list, 0, (size_t)(stop->room + 1) * 4);
        list[0] = (int32_t)count;
        memcpy(list + 1, fallen, (size_t)count * 4);
    } else {
        memset(fr + stop->result, 0, (size_t)stop->words * 4);
        for (int64_t i = 0; i < count; i++) {
            int64_t at = (int64_t)fallen[i] - stop->base;
            if ((uint64_t)at < (uint64_t)(32 * stop->words)) grog_bit(fr + stop->result, at, 1);
        }
    }
}

/* The machine goes on behind the dice when it is run. */
static inline void grog_fallen(const grog_stop *stop, int32_t *s, int32_t *fr) {
    fr[1] = (int32_t)stop->block;
    s[GROG_H_STATUS] = GROG_RUNNING;
    s[GROG_H_CHOOSER] = s[GROG_H_ASK] = GROG_NONE;
}

/* ---- positions put together ---- */

enum { GROG_PART = 64 };

/* Changes what differs between two positions into what the second has. */
static inline void grog_put_on(int32_t *to, const int32_t *base, const int32_t *state, int64_t cells) {
    for (int64_t at = 0; at < cells; at += GROG_PART) {
        int64_t end = at + GROG_PART < cells ? at + GROG_PART : cells;
        if (!memcmp(base + at, state + at, (size_t)(end - at) * 4)) continue;
        for (int64_t i = at; i < end; i++)
            if (state[i] != base[i]) to[i] = state[i];
    }
}

/* Marks the cells that differ. */
static inline void grog_mark_changes(uint8_t *mark, const int32_t *a, const int32_t *b, int64_t cells) {
    for (int64_t at = 0; at < cells; at += GROG_PART) {
        int64_t end = at + GROG_PART < cells ? at + GROG_PART : cells;
        if (!memcmp(a + at, b + at, (size_t)(end - at) * 4)) continue;
        for (int64_t i = at; i < end; i++) mark[i] |= a[i] != b[i];
    }
}

#endif
