/* Positions that differ in the numbers of their pieces alone, the ends of a grid, and an index of known positions. */
#ifndef GROGNARD_ATTRITION_INDEX_H
#define GROGNARD_ATTRITION_INDEX_H

#include "engine.h"
#include "outcomes.h"
#include "transition_cache.h"
#include "attrition_chain.h"

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
    /* A piece counts once, at the first of its cells; the flags are cleared afterwards. */
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
    for (int64_t n = 0; ctx->created && n < all->pieces_count; n++)
        if (all->pieces[n].interchangeable && ctx->created >> (all->pieces[n].domain & 63) & 1) return 1;
    return 0;
}

/* ---- the ends of a grid ---- */

/* Ends are numbered: those where the first side is gone by the losses of the second, 0 .. n, then those where only the second
 * is, by the losses of the first.  Of each it is kept what was seen there, or, where Python looks, the position that was come
 * to first, as what differs from `base`. */
typedef struct grog_ends {
    int64_t m, n, wanted, cells, cell_room;
    const int32_t *base;
    int64_t *start, *count; /* of the cells of each that are kept; count -1: not reached yet */
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

/* Whether this is the position that the end was reached with before. */
static inline int32_t grog_end_same(const grog_ends *ends, int64_t end, const int32_t *packed, int64_t count) {
    return ends->count[end] == count && !memcmp(ends->cell + ends->start[end], packed, (size_t)count * 4);
}

/* Keeps the position of an end that was not reached yet; 0 without memory. */
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

#endif
