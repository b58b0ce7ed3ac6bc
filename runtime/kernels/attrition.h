/* Two sides that wear each other down: what grognard.odds.attrition and grognard.odds.derive document, without Python.
 * Chains of losses, positions put together from two of them, positions that differ in the numbers of their pieces alone,
 * and the sums on the grid.
 */
#ifndef GROGNARD_ATTRITION_H
#define GROGNARD_ATTRITION_H

#include <stdlib.h>

#include "chance.h"

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

/* ---- positions that differ in the numbers of their pieces alone ---- */

/* What a piece looks like; 0 if it is not in play. */
static inline uint64_t grog_looks_of(const grog_pieces *pieces, int64_t number, const int32_t *s, int64_t at) {
    if (!s[pieces->alive + at]) return 0;
    uint64_t hash = (uint64_t)number;
    for (int64_t i = 0; i < pieces->looks; i++) {
        const int64_t *look = pieces->look_at + 2 * i;
        for (int64_t k = 0; k < look[1]; k++) hash = grog_mix(hash, (uint32_t)s[look[0] + at * look[1] + k]);
    }
    return hash;
}

/* A sum over all pieces in play of what they look like: the same for positions that differ in numbers alone. */
static inline uint64_t grog_looks(const grog_chance *all, const int32_t *s) {
    uint64_t sum = 0;
    for (int64_t n = 0; n < all->pieces_count; n++) {
        if (!all->pieces[n].interchangeable) continue;
        for (int64_t at = 0; at < all->pieces[n].count; at++) sum += grog_looks_of(&all->pieces[n], n, s, at);
    }
    return sum;
}

/* How much that sum grows with the last state of a chain: most pieces stay as they are. */
static inline uint64_t grog_looks_more(const grog_chance *all, grog_chain *chain, const int32_t *before, const int32_t *now) {
    enum { COUNTED = 2 };
    uint64_t sum = 0;
    /* A piece counts once, at the first of its cells; afterwards no mark is left of that. */
    for (int32_t pass = 0; pass < 2; pass++) {
        for (int64_t i = chain->start[chain->states - 1]; i < chain->changes; i++) {
            const grog_owner owner = all->owner[chain->change[i].cell];
            if (owner.pieces < 0) continue;
            const grog_pieces *pieces = &all->pieces[owner.pieces];
            uint8_t *mark = &chain->mark[pieces->alive + owner.at];
            if (!pass && !(*mark & COUNTED))
                sum += grog_looks_of(pieces, owner.pieces, now, owner.at) - grog_looks_of(pieces, owner.pieces, before, owner.at);
            *mark = (uint8_t)(pass ? *mark & ~COUNTED : *mark | COUNTED);
        }
    }
    return sum;
}

/* One state more, whose dice are not known yet; 0 without memory. */
static inline int32_t grog_chain_add(const grog_chance *all, grog_chain *chain, const int32_t *before, const int32_t *now) {
    int64_t n = chain->states, a = grog_used(all, before), b = grog_used(all, now), used = a > b ? a : b;
    if (!grog_more((void **)&chain->start, &chain->start_room, n, 2, sizeof(int64_t)) ||
        !grog_more((void **)&chain->pool, &chain->pool_room, n, 1, sizeof(grog_pool)) ||
        !grog_more((void **)&chain->look, &chain->look_room, n, 1, sizeof(uint64_t)))
        return 0;
    if (n == 0) chain->start[0] = 0;
    for (int64_t i = -1; before != now && (i = grog_next_change(before, now, i + 1, used)) < used;) {
        if (!grog_more((void **)&chain->change, &chain->change_room, chain->changes, 1, sizeof(grog_change))) return 0;
        grog_change made = {(int32_t)i, before[i], now[i]};
        chain->change[chain->changes++] = made;
        chain->mark[i] |= now[i] != chain->entry[i];
    }
    memset(&chain->pool[n], 0, sizeof chain->pool[n]);
    chain->start[++chain->states] = chain->changes;
    chain->look[n] = n == 0 ? grog_looks(all, now) : chain->look[n - 1] + grog_looks_more(all, chain, before, now);
    return 1;
}

/* Pieces that are in play or that something names. */
static inline int64_t grog_present(const grog_chance *all, int32_t *s, int64_t number, int32_t *present) {
    const grog_pieces *pieces = &all->pieces[number];
    int64_t words = (pieces->count + 31) / 32;
    memset(present, 0, (size_t)words * 4);
    grog_name_all(all, s, number, present, 1);
    for (int64_t at = 0; at < pieces->count; at++)
        if (s[pieces->alive + at]) grog_bit(present, at, 1);
    return grog_set_count(present, words);
}

static inline int32_t grog_new_number(const grog_pieces *pieces, const int32_t *to, int32_t value) {
    int64_t at = (int64_t)value - pieces->base;
    return (uint64_t)at < (uint64_t)pieces->count && to[at] >= 0 ? (int32_t)(pieces->base + to[at]) : value;
}

static inline void grog_renumber_list(const grog_pieces *pieces, const int32_t *to, int32_t *list, int64_t words) {
    int32_t length = grog_len(list, (int32_t)words - 1);
    for (int32_t k = 1; k <= length; k++) list[k] = grog_new_number(pieces, to, list[k]);
}

static inline void grog_renumber_set(const grog_pieces *pieces, const int32_t *to, int32_t *set, int32_t *scratch) {
    int64_t words = (pieces->count + 31) / 32;
    memset(scratch, 0, (size_t)words * 4);
    for (int64_t i = grog_set_scan(set, words, 0); i >= 0; i = grog_set_scan(set, words, i + 1))
        if (i < pieces->count && to[i] >= 0) grog_bit(scratch, to[i], 1);
    memcpy(set, scratch, (size_t)words * 4);
}

/* Whether `b` becomes `a` when its pieces get other numbers, in the same order: rules see numbers by their order alone, so
 * that what follows is the same too.  `made`: room for a position.  Both are in their simplest form.  0 also without memory. */
static inline int32_t grog_same_but_for_numbers(const grog_chance *all, grog_ctx *ctx, int32_t *a, int32_t *b, int32_t *made) {
    int64_t cells = all->data->cells;
    int32_t *mark = grog_mark(ctx), same = 1;
    memcpy(made, b, (size_t)cells * 4);
    /* First every piece's own cells, then what names pieces: that may lie in cells that were moved. */
    for (int32_t naming = 0; same && naming < 2; naming++) {
        for (int64_t n = 0; same && n < all->pieces_count; n++) {
            const grog_pieces *pieces = &all->pieces[n];
            int64_t words = (pieces->count + 31) / 32;
            if (!pieces->interchangeable) continue;
            int32_t *here = grog_alloc(ctx, words + 1), *there = grog_alloc(ctx, words + 1);
            int32_t *to = grog_alloc(ctx, pieces->count + 1);
            if (!here || !there || !to || grog_present(all, a, n, here) != grog_present(all, b, n, there)) {
                same = 0;
                break;
            }
            if (!memcmp(here, there, (size_t)words * 4)) continue;
            for (int64_t i = 0; i < all->loose; i++) same &= !b[all->loose_at[i]];
            memset(to, 0xff, (size_t)pieces->count * 4);
            int64_t target = grog_set_scan(here, words, 0);
            for (int64_t i = grog_set_scan(there, words, 0); i >= 0; i = grog_set_scan(there, words, i + 1)) {
                to[i] = (int32_t)target;
                target = grog_set_scan(here, words, target + 1);
            }
            if (!naming) {
                for (int64_t k = 0; k < pieces->own; k++) {
                    const int64_t *own = pieces->own_at + 3 * k;
                    for (int64_t i = 0; i < pieces->count * own[1]; i++) made[own[0] + i] = (int32_t)own[2];
                    for (int64_t i = 0; i < pieces->count; i++)
                        if (to[i] >= 0) memcpy(made + own[0] + to[i] * own[1], b + own[0] + i * own[1], (size_t)own[1] * 4);
                }
                continue;
            }
            for (int64_t k = 0; k < pieces->values; k++)
                for (int64_t i = 0; i < pieces->value_at[2 * k + 1]; i++) {
                    int32_t *cell = made + pieces->value_at[2 * k] + i;
                    *cell = grog_new_number(pieces, to, *cell);
                }
            for (int64_t k = 0; k < pieces->lists; k++)
                grog_renumber_list(pieces, to, made + pieces->list_at[2 * k], pieces->list_at[2 * k + 1]);
            for (int64_t k = 0; k < pieces->sets; k++) grog_renumber_set(pieces, to, made + pieces->set_at[2 * k], here);
            for (grog_frames at = grog_top(all, made); at.fr; grog_below(all, made, &at)) {
                const grog_rest *rest = &all->rest[2 * at.block + at.runs];
                for (int64_t i = 0; i < rest->names; i++) {
                    const int64_t *name = rest->name_at + 4 * i;
                    if (name[1] != n) continue;
                    if (name[0] == GROG_NAMES_ONE) {
                        at.fr[name[2]] = grog_new_number(pieces, to, at.fr[name[2]]);
                    } else if (name[0] == GROG_NAMES_LIST) {
                        grog_renumber_list(pieces, to, at.fr + name[2], name[3]);
                    } else {
                        grog_renumber_set(pieces, to, at.fr + name[2], here);
                    }
                }
            }
        }
    }
    same = same && !memcmp(a, made, (size_t)cells * 4);
    grog_release(ctx, mark);
    return same;
}

/* ---- whether pieces come into play ---- */

/* A piece that comes into play takes the first free number, so that positions that differ in the numbers of pieces of its
 * kind may go on in other ways.  Whether that has happened since ctx->born was cleared. */
static inline int32_t grog_came_into_play(const grog_chance *all, const grog_ctx *ctx) {
    for (int64_t n = 0; ctx->born && n < all->pieces_count; n++)
        if (all->pieces[n].interchangeable && ctx->born >> (all->pieces[n].domain & 63) & 1) return 1;
    return 0;
}

/* ---- the ends of a grid ---- */

/* Ends are numbered: those where the first side is gone by the losses of the second, 0 .. n, then those where only the second
 * is, by the losses of the first.  Of each it is kept what was seen there, or, where Python looks, the position that was come
 * to first, as what differs from `base`. */
typedef struct grog_ends {
    int64_t m, n, wanted, cells, cell_room;
    const int32_t *base;
    int64_t *start, *count; /* of the cells of each that are kept; count -1: not come to yet */
    int32_t *cell, *value;
} grog_ends;

static inline void grog_ends_free(grog_ends *ends) {
    free(ends->start);
    free(ends->count);
    free(ends->cell);
    free(ends->value);
}

static inline int32_t grog_ends_open(grog_ends *ends, int64_t m, int64_t n, int64_t wanted, const int32_t *base) {
    memset(ends, 0, sizeof *ends);
    ends->m = m;
    ends->n = n;
    ends->wanted = wanted;
    ends->base = base;
    ends->start = (int64_t *)malloc((size_t)(m + n + 1) * sizeof(int64_t));
    ends->count = (int64_t *)malloc((size_t)(m + n + 1) * sizeof(int64_t));
    ends->value = (int32_t *)calloc((size_t)((m + n + 1) * (wanted + 1)), 4);
    if (!ends->start || !ends->count || !ends->value) return 0;
    memset(ends->count, 0xff, (size_t)(m + n + 1) * sizeof(int64_t));
    return 1;
}

static inline int64_t grog_end_of(const grog_ends *ends, int64_t i, int64_t j) {
    return i >= ends->m ? (j < ends->n ? j : ends->n) : ends->n + 1 + i;
}

/* Whether this is the position that the end was come to with before. */
static inline int32_t grog_end_same(const grog_ends *ends, int64_t end, const int32_t *packed, int64_t count) {
    return ends->count[end] == count && !memcmp(ends->cell + ends->start[end], packed, (size_t)count * 4);
}

/* Keeps the position of an end that was not come to yet; 0 without memory. */
static inline int32_t grog_end_keep(grog_ends *ends, int64_t end, const int32_t *packed, int64_t count) {
    if (!grog_more((void **)&ends->cell, &ends->cell_room, ends->cells, count, 4)) return 0;
    memcpy(ends->cell + ends->cells, packed, (size_t)count * 4);
    ends->start[end] = ends->cells;
    ends->count[end] = count;
    ends->cells += count;
    return 1;
}

/* Takes over those where the first side is gone from another grid with as many losses of the second; 0 without memory. */
static inline int32_t grog_ends_take(grog_ends *ends, const grog_ends *other) {
    for (int64_t end = 0; end <= ends->n; end++) {
        if (other->count[end] < 0 || ends->count[end] >= 0) continue;
        if (other->count[end] == 0) ends->count[end] = 0;
        else if (!grog_end_keep(ends, end, other->cell + other->start[end], other->count[end])) return 0;
        memcpy(ends->value + end * ends->wanted, other->value + end * ends->wanted, (size_t)ends->wanted * 4);
    }
    return 1;
}

/* ---- which positions of which grids are known, by the looks of their pieces ---- */

typedef struct grog_place {
    uint64_t look;
    int32_t grid;  /* -1: a free place */
    uint16_t i, j; /* no chain is longer than GROG_LONGEST */
} grog_place;

enum { GROG_LONGEST = 60000 };

typedef struct grog_index {
    int64_t used;
    uint64_t mask;
    grog_place *place;
} grog_index;

static inline int32_t grog_index_room(grog_index *index, int64_t more) {
    if (index->place && 2 * (uint64_t)(index->used + more) <= index->mask) return 1;
    grog_index grown = {0, 1023, NULL};
    while (grown.mask < 4 * (uint64_t)(index->used + more)) grown.mask = 2 * grown.mask + 1;
    grown.place = (grog_place *)malloc((size_t)(grown.mask + 1) * sizeof(grog_place));
    if (!grown.place) return 0;
    memset(grown.place, 0xff, (size_t)(grown.mask + 1) * sizeof(grog_place));
    for (uint64_t k = 0; index->place && k <= index->mask; k++) {
        if (index->place[k].grid < 0) continue;
        uint64_t at = index->place[k].look & grown.mask;
        while (grown.place[at].grid >= 0) at = (at + 1) & grown.mask;
        grown.place[at] = index->place[k];
        grown.used++;
    }
    free(index->place);
    *index = grown;
    return 1;
}

static inline const grog_place *grog_index_find(const grog_index *index, uint64_t look) {
    if (!index->place) return NULL;
    for (uint64_t at = look & index->mask; index->place[at].grid >= 0; at = (at + 1) & index->mask)
        if (index->place[at].look == look) return &index->place[at];
    return NULL;
}

/* All positions of a grid; where there is one that looks the same, it stays unless this grid is `better`.  0 without memory. */
static inline int32_t grog_index_add(grog_index *index, int32_t grid, const grog_chain *first, const grog_chain *second,
                                     uint64_t entry, int32_t better) {
    if (first->states > GROG_LONGEST || second->states > GROG_LONGEST) return 1;
    if (!grog_index_room(index, first->states * second->states)) return 0;
    for (int64_t i = 0; i < first->states; i++) {
        for (int64_t j = 0; j < second->states; j++) {
            uint64_t look = entry + (first->look[i] - first->look[0]) + (second->look[j] - second->look[0]);
            uint64_t at = look & index->mask;
            while (index->place[at].grid >= 0 && index->place[at].look != look) at = (at + 1) & index->mask;
            if (index->place[at].grid >= 0 && !better) continue;
            grog_place made = {look, grid, (uint16_t)i, (uint16_t)j};
            index->used += index->place[at].grid < 0;
            index->place[at] = made;
        }
    }
    return 1;
}

/* ---- the sums ---- */

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define GROG_WIDE __attribute__((target_clones("avx2,fma", "default"), optimize("O3")))
#else
#define GROG_WIDE
#endif

/* Sums from each place to the end, for all parts. */
static double *grog_tails(int64_t parts, const double *values, const int64_t *at) {
    double *tails = (double *)malloc((size_t)(at[parts] + parts + 1) * sizeof(double));
    if (!tails) return NULL;
    for (int64_t n = 0; n < parts; n++) {
        double *tail = tails + at[n] + n;
        int64_t count = at[n + 1] - at[n];
        tail[count] = 0;
        for (int64_t k = count - 1; k >= 0; k--) tail[k] = tail[k + 1] + values[at[n] + k];
    }
    return tails;
}

/* Four places at once. */
typedef double grog_four_places __attribute__((vector_size(32), aligned(8), may_alias));
enum { GROG_FOUR = 4 };

/* row[k] += share * part[k] for k < count.  Up to three places behind get a share of what lies behind the part: zeros. */
#define GROG_SPREAD_OVER(row, part, count, share)                                                                 \
    for (int64_t k_ = 0; k_ < (count); k_ += GROG_FOUR)                                                           \
        *(grog_four_places *)((row) + k_) += (share) * *(const grog_four_places *)((part) + k_)

/* Spreads what lies in each place of the grid, row by row.  `a`: room for the longest part of the first side and three more;
 * behind the grid there is room for three more places, too. */
GROG_WIDE static void grog_sweep(int64_t m, int64_t n, const double *restrict first, const int64_t *first_at,
                                 const double *restrict tails, const double *restrict second, const int64_t *second_at,
                                 const double *restrict other, double least, double *restrict a, double *restrict grid) {
    int64_t width = n + 1;
    for (int64_t i = 0; i < m; i++) {
        const double *tail = tails + first_at[i] + i;
        int64_t most_a = first_at[i + 1] - first_at[i] - 1;
        memcpy(a, first + first_at[i], (size_t)(most_a + 1) * sizeof(double));
        memset(a + most_a + 1, 0, (GROG_FOUR - 1) * sizeof(double));
        for (int64_t j = 0; j < n; j++) {
            const double *b = second + second_at[j], *tail_b = other + second_at[j] + j;
            int64_t most_b = second_at[j + 1] - second_at[j] - 1, most = most_a < n - j - 1 ? most_a : n - j - 1;
            double here = grid[i * width + j];
            if (here <= least) {
                grid[i * width + j] = 0;
                continue;
            }
            double leave = (most_a > 0 ? tail[1] : 0) + a[0] * (most_b > 0 ? tail_b[1] : 0);
            if (leave <= 0) continue;
            grid[i * width + j] = 0;
            here /= leave;
            for (int64_t g = 0; g <= most_b && g <= m - i; g++) {
                double share = here * (g == m - i ? tail_b[g] : b[g]);
                if (share <= least) continue;
                double *row = grid + (i + g) * width + j;
                if (most_a > most) {
                    for (int64_t k = 0; k <= most; k++) row[k] += share * a[k];
                    row[n - j] += share * tail[most + 1];
                } else {
                    GROG_SPREAD_OVER(row, a, most + 1, share);
                }
                /* What stays as it is was divided out. */
                if (g == 0) row[0] = 0;
            }
        }
    }
}

/* `grid` has room for (m + 1) * (n + 1) + 3. */
static int grog_attrition(int64_t m, int64_t n, const double *first, const int64_t *first_at, const double *second,
                          const int64_t *second_at, double least, double *grid) {
    double *tails = grog_tails(m, first, first_at), *other = grog_tails(n, second, second_at);
    int64_t longest = 0;
    for (int64_t i = 0; i < m; i++)
        if (first_at[i + 1] - first_at[i] > longest) longest = first_at[i + 1] - first_at[i];
    double *part = (double *)malloc((size_t)(longest + GROG_FOUR) * sizeof(double));
    int done = tails && other && part;
    if (done) {
        grid[0] = 1;
        grog_sweep(m, n, first, first_at, tails, second, second_at, other, least, part, grid);
    }
    free(part);
    free(tails);
    free(other);
    return done;
}

#endif
