/* Sides that lose pieces: pools of dice, shapes of the stack, chains of losses. */
#ifndef GROGNARD_ATTRITION_CHAIN_H
#define GROGNARD_ATTRITION_CHAIN_H

#include "engine.h"
#include "outcomes.h"

/* ---- the dice of a side ---- */

enum { GROG_LIMITS = 128, GROG_A_FEW = 3 };

/* Where a die is thrown for each of some elements: how many succeed with each total from the least on, and nothing behind the
 * last; those that cannot succeed are not there. */
typedef struct grog_pool {
    int64_t dice, lo, hi;
    int32_t count[GROG_LIMITS];
} grog_pool;

/* 0: no such dice fall here, or of too many faces. */
static inline int32_t grog_pool_at(const grog_chance *all, int32_t *s, grog_pool *pool) {
    int32_t *fr = NULL;
    const grog_stop *stop = grog_stop_at(all, s, &fr);
    if (!stop || stop->sort != GROG_SORT_EACH) return 0;
    int64_t number = 0, last = stop->dice * (stop->hi - stop->lo);
    if (last < 0 || last >= GROG_LIMITS) return 0;
    pool->dice = stop->dice;
    pool->lo = stop->lo;
    pool->hi = stop->hi;
    memset(pool->count, 0, (size_t)(last + 1) * sizeof pool->count[0]);
    for (int64_t elements = grog_set_count(fr + stop->elements, stop->words); number < elements; number++) {
        int32_t limit = grog_limit(stop, fr, number);
        if (grog_prospect(stop, limit) < 0) continue;
        int64_t at = limit - stop->dice * stop->lo;
        pool->count[at < last ? at : last]++;
    }
    return 1;
}

/* The last total that any die of a pool can succeed with, from the least on. */
static inline int64_t grog_pool_last(const grog_pool *pool) { return pool->dice * (pool->hi - pool->lo); }

static inline int32_t grog_same_dice(const grog_pool *a, const grog_pool *b) {
    return a->dice == b->dice && a->lo == b->lo && a->hi == b->hi;
}

static inline int32_t grog_same_pool(const grog_pool *a, const grog_pool *b) {
    return grog_same_dice(a, b) && !memcmp(a->count, b->count, (size_t)(grog_pool_last(a) + 1) * sizeof a->count[0]);
}

/* Whether the dice of two pools are of the same kinds, however many. */
static inline int32_t grog_same_kinds(const grog_pool *a, const grog_pool *b) {
    int32_t same = grog_same_dice(a, b);
    for (int64_t at = 0, last = grog_pool_last(a); same && at <= last; at++) same = !a->count[at] == !b->count[at];
    return same;
}

/* Hits as the dice would fall, or, which is quicker to try (and with `few` the rule), a few; now and then any number that would
 * be felt.  Or `enough` for all, and sometimes one more. */
static inline int64_t grog_some_hits(const grog_pool *pool, int64_t most, int32_t enough, int32_t few, uint64_t *dice) {
    int64_t all = 0, hits = 0, last = grog_pool_last(pool);
    uint32_t faces = (uint32_t)(pool->hi - pool->lo + 1);
    for (int64_t at = 0; at <= last; at++) all += pool->count[at];
    uint32_t how = grog_pcg_draw(dice, 20);
    if (enough) return all < most + (how < 10) ? all : most + (how < 10);
    if (few || how < 5) {
        int64_t top = how < 2 ? most + 1 : GROG_A_FEW;
        return grog_pcg_draw(dice, (uint32_t)((all < top ? all : top) + 1));
    }
    for (int64_t at = 0; at <= last; at++)
        for (int32_t k = pool->count[at]; k > 0; k--) {
            int64_t total = 0;
            for (int64_t d = 0; d < pool->dice; d++) total += grog_pcg_draw(dice, faces);
            hits += total <= at;
        }
    return hits;
}

/* ---- which blocks of which machines run ---- */

enum { GROG_DEEP = 60 };

typedef struct grog_shape {
    int64_t frames; /* -1: more than there is room for; 0: it is over */
    int64_t block[GROG_DEEP];
} grog_shape;

static inline void grog_shape_of(const grog_chance *all, int32_t *s, grog_shape *shape) {
    shape->frames = 0;
    if (s[GROG_H_STATUS] == GROG_OVER) return;
    for (grog_frames at = grog_top(all, s); at.fr; grog_below(all, s, &at)) {
        if (shape->frames == GROG_DEEP) {
            shape->frames = -1;
            return;
        }
        shape->block[shape->frames++] = at.block;
    }
}

static inline int32_t grog_same_shape(const grog_shape *a, const grog_shape *b) {
    return a->frames == b->frames && a->frames >= 0 && !memcmp(a->block, b->block, (size_t)a->frames * sizeof(int64_t));
}

/* ---- copies ---- */

/* Cells up to the top of the stack; above it a position has nothing but zeros. */
static inline int64_t grog_used_of(const grog_data *data, const int32_t *s) {
    int64_t top = s[GROG_H_SP], most = data->stack_cells;
    return data->stack_off + (top < 0 || top > most ? most : top);
}

static inline int64_t grog_used(const grog_chance *all, const int32_t *s) { return grog_used_of(all->data, s); }

/* `to`, which is a position already, becomes `from` but for the cells `first` to `last`, which stay. */
static inline void grog_copy_around(const grog_data *data, int32_t *to, const int32_t *from, int64_t first, int64_t last) {
    int64_t before = grog_used_of(data, to), now = grog_used_of(data, from);
    memcpy(to, from, (size_t)first * 4);
    if (now > last) memcpy(to + last, from + last, (size_t)(now - last) * 4);
    if (before > now) memset(to + now, 0, (size_t)(before - now) * 4);
}

/* `to` is a position already. */
static inline void grog_copy_used(const grog_chance *all, int32_t *to, const int32_t *from) {
    grog_copy_around(all->data, to, from, 0, 0);
}

static inline int32_t grog_same_used(const grog_chance *all, const int32_t *a, const int32_t *b) {
    return a[GROG_H_SP] == b[GROG_H_SP] && !memcmp(a, b, (size_t)grog_used(all, a) * 4);
}

/* What differs from another position, (cell, value); how many numbers that are.  `to` has room for two for each cell. */
static inline int64_t grog_pack(const grog_chance *all, const int32_t *base, const int32_t *s, int32_t *to) {
    int64_t a = grog_used(all, base), b = grog_used(all, s), cells = a > b ? a : b, count = 0;
    for (int64_t i = -1; (i = grog_next_change(base, s, i + 1, cells)) < cells;) {
        to[count++] = (int32_t)i;
        to[count++] = s[i];
    }
    return count;
}

/* ---- chains of losses ---- */

/* What becomes of a cell with one more loss. */
typedef struct grog_change {
    int32_t cell, before, value;
} grog_change;

/* A side after 0, 1, 2 ... losses: each state as what differs from the one before. */
typedef struct grog_chain {
    int64_t cells, states, changes, change_room, start_room, pool_room, look_room;
    int32_t *entry;
    grog_change *change;
    int64_t *start;
    grog_pool *pool;
    uint64_t *look;
    uint8_t *mark; /* whether a cell ever differs from the entry's */
} grog_chain;

static inline void grog_chain_free(grog_chain *chain) {
    free(chain->entry);
    free(chain->change);
    free(chain->start);
    free(chain->pool);
    free(chain->look);
    free(chain->mark);
}

static inline int32_t grog_chain_open(grog_chain *chain, const int32_t *entry, int64_t cells) {
    memset(chain, 0, sizeof *chain);
    chain->cells = cells;
    chain->entry = (int32_t *)malloc((size_t)cells * 4 + 4);
    chain->mark = (uint8_t *)calloc((size_t)cells + 1, 1);
    if (!chain->entry || !chain->mark) return 0;
    memcpy(chain->entry, entry, (size_t)cells * 4);
    return 1;
}

/* Dice of all states together. */
static inline int64_t grog_chain_dice(const grog_chain *chain) {
    int64_t all = 0;
    for (int64_t n = 0; n < chain->states; n++)
        for (int64_t at = 0; at <= grog_pool_last(&chain->pool[n]); at++) all += chain->pool[n].count[at];
    return all;
}

/* Ways that so many dice of so many faces from 0 on give no more than each total; 0 if doubles cannot count them all. */
static inline int32_t grog_ways(int64_t dice, int64_t faces, double *ways) {
    double all = 1;
    memset(ways, 0, GROG_LIMITS * sizeof(double));
    ways[0] = 1;
    for (int64_t d = 0; d < dice; d++) {
        all *= (double)faces;
        if (all > 9007199254740992.0) return 0;
        for (int64_t at = GROG_LIMITS - 1; at >= 0; at--) {
            double sum = 0;
            for (int64_t face = 0; face < faces && face <= at; face++) sum += ways[at - face];
            ways[at] = sum;
        }
    }
    for (int64_t at = 1; at < GROG_LIMITS; at++) ways[at] += ways[at - 1];
    return 1;
}

/* The chance of 0, 1, 2 ... hits in every state, die by die, those that succeed least first; ends below `least` are cut off.
 * Where each begins, and how many dice there are.  The same as grognard.odds.attrition.hits.  0: not with doubles. */
static int32_t grog_chain_hits(const grog_chain *chain, double least, double *spread, int64_t *starts, int64_t *dice) {
    double ways[GROG_LIMITS];
    int64_t at = 0, of = -1, faces = -1;
    starts[0] = 0;
    for (int64_t n = 0; n < chain->states; n++) {
        const grog_pool *pool = &chain->pool[n];
        int64_t last = grog_pool_last(pool), count = 1;
        if ((of != pool->dice || faces != pool->hi - pool->lo + 1) && !grog_ways(pool->dice, pool->hi - pool->lo + 1, ways)) return 0;
        of = pool->dice;
        faces = pool->hi - pool->lo + 1;
        spread[at] = 1;
        for (int64_t limit = 0; limit <= last; limit++) {
            double p = ways[limit] / ways[last], q = (ways[last] - ways[limit]) / ways[last];
            for (int32_t die = 0; die < pool->count[limit]; die++) {
                spread[at + count] = 0;
                for (int64_t k = at + count; k > at; k--) spread[k] = spread[k] * q + spread[k - 1] * p;
                spread[at] *= q;
                count++;
            }
        }
        dice[n] = count - 1;
        while (count > 1 && spread[at + count - 1] < least) count--;
        at += count;
        starts[n + 1] = at;
    }
    return 1;
}

/* Which pieces are in play: all that grog_simplify looks at in the position that it came from. */
static inline void grog_keep_alive(const grog_chance *all, const int32_t *s, int32_t *to) {
    for (int64_t n = 0; n < all->pieces_count; n++)
        memcpy(to + all->pieces[n].alive, s + all->pieces[n].alive, (size_t)all->pieces[n].count * 4);
}

/* Takes cells from one number of losses to another. */
static inline void grog_chain_put(const grog_chain *chain, int64_t from, int64_t to, int32_t *s) {
    for (int64_t i = chain->start[from + 1]; i < chain->start[to + 1]; i++) s[chain->change[i].cell] = chain->change[i].value;
    for (int64_t i = chain->start[from + 1]; i > chain->start[to + 1]; i--)
        s[chain->change[i - 1].cell] = chain->change[i - 1].before;
}

/* Whether two positions differ in a cell that the chain changes. */
static inline int32_t grog_chain_differs(const grog_chain *chain, const int32_t *a, const int32_t *b) {
    for (int64_t i = 0; i < chain->cells; i++)
        if (chain->mark[i] && a[i] != b[i]) return 1;
    return 0;
}

#endif
