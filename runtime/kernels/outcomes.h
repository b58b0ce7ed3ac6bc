/* Positions of a chance program (compiler/lower/situations/chance_program.py): where dice fall, which of a position's cells
 * can still count, and what the dice may show.  On top of engine.h; only the binding of engines includes it.
 */
#ifndef GROGNARD_OUTCOMES_H
#define GROGNARD_OUTCOMES_H

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
    int64_t domain, base, count, alive, interchangeable;
    int64_t own, sets, lists, values;                    /* how many there are of each */
    const int64_t *own_at, *set_at, *list_at, *value_at; /* (cell, cells of a piece, default), (cell, words) three times */
    int64_t looks;
    const int64_t *look_at; /* those of its own that name no piece: (cell, cells of a piece) */
    int64_t kept;
    const int64_t *kept_at; /* pieces that are named outside the position */
} grog_pieces;

enum { GROG_NAMES_ONE, GROG_NAMES_LIST, GROG_NAMES_SET };

/* What of a frame can be forgotten, (offset, cells), and what of it names pieces: (how, pieces, offset, words). */
typedef struct grog_rest {
    int64_t known, clears, names;
    const int64_t *clear_at, *name_at;
} grog_rest;

/* Which piece's state a cell is part of: the piece `at` of those of a number, -1: of no piece. */
typedef struct grog_owner {
    int32_t pieces, at;
} grog_owner;

typedef struct grog_chance {
    const grog_data *data;
    const int64_t *block_start; /* per machine, and one more: its blocks among all */
    const int64_t *stop_of;     /* per block: the number of its stop, -1 if it has none */
    const grog_stop *stops;
    grog_rest *rest; /* two for each block: of a frame that waits, of the one that runs */
    int64_t pieces_count;
    grog_pieces *pieces;
    int64_t loose;
    const int64_t *loose_at; /* lists whose type does not say what they hold */
    grog_owner *owner;       /* per cell */
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

/* The frames on the stack, from the running one down: `for (grog_frames at = grog_top(all, s); at.fr; grog_below(all, s, &at))`. */
typedef struct grog_frames {
    int32_t *fr; /* NULL: no more */
    int64_t offset, block;
    int32_t runs;
} grog_frames;

static inline grog_frames grog_top(const grog_chance *all, int32_t *s) {
    grog_frames at = {NULL, s[GROG_H_FP], 0, 1};
    at.fr = grog_chance_frame(all, s, at.offset, &at.block);
    return at;
}

static inline void grog_below(const grog_chance *all, int32_t *s, grog_frames *at) {
    int64_t below = at->fr[2];
    at->fr = below < at->offset ? grog_chance_frame(all, s, below, &at->block) : NULL;
    at->offset = below;
    at->runs = 0;
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
    int64_t words = (pieces->count + 31) / 32;
    for (int64_t i = 0; i < pieces->kept; i++) grog_name(named, pieces, (int32_t)pieces->kept_at[i]);
    for (int64_t i = 0; i < pieces->values; i++)
        grog_name_cells(named, s + pieces->value_at[2 * i], pieces->value_at[2 * i + 1], pieces->base, pieces->count);
    for (int64_t i = 0; i < pieces->lists; i++) {
        const int32_t *list = s + pieces->list_at[2 * i];
        int32_t length = grog_len(list, (int32_t)pieces->list_at[2 * i + 1] - 1);
        for (int32_t k = 1; k <= length; k++) grog_name(named, pieces, list[k]);
    }
    for (int64_t i = 0; held && i < pieces->sets; i++)
        grog_set_union(named, named, s + pieces->set_at[2 * i], words);
    for (grog_frames at = grog_top(all, s); at.fr; grog_below(all, s, &at)) {
        const grog_rest *rest = &all->rest[2 * at.block + at.runs];
        for (int64_t i = 0; i < rest->names; i++) {
            const int64_t *name = rest->name_at + 4 * i;
            const int32_t *cell = at.fr + name[2];
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
    for (grog_frames at = grog_top(all, s); at.fr; grog_below(all, s, &at))
        if (!all->rest[2 * at.block + at.runs].known) return 2 * at.block + at.runs;
    s[GROG_H_RNG_LO] = s[GROG_H_RNG_HI] = s[GROG_H_EPOCH] = 0;
    for (grog_frames at = grog_top(all, s); at.fr; grog_below(all, s, &at)) {
        const grog_rest *rest = &all->rest[2 * at.block + at.runs];
        for (int64_t i = 0; i < rest->clears; i++)
            memset(at.fr + rest->clear_at[2 * i], 0, (size_t)rest->clear_at[2 * i + 1] * 4);
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

/* Flags as many hits as wanted: by the first dice that can hit, or with a seed by any; 0 if there cannot be so many. */
static inline int32_t grog_put_hits(const grog_stop *stop, int32_t *fr, int64_t hits, uint64_t seed) {
    const int32_t *elements = fr + stop->elements;
    int32_t *result = fr + stop->result;
    int64_t count = grog_set_count(elements, stop->words), number = 0, sure = 0, perhaps = 0;
    for (int64_t i = 0; i < count; i++) {
        int32_t prospect = grog_prospect(stop, grog_limit(stop, fr, i));
        sure += prospect > 0;
        perhaps += prospect == 0;
    }
    if (hits < sure || hits > sure + perhaps) return 0;
    uint64_t dice = grog_pcg_seeded(seed);
    int64_t wanted = hits - sure;
    memset(result, 0, (size_t)stop->words * 4);
    if (!hits) return 1;
    for (int64_t word = 0; word < stop->words; word++) {
        for (uint32_t left = (uint32_t)elements[word]; left; left &= left - 1) {
            int32_t prospect = grog_prospect(stop, grog_limit(stop, fr, number++));
            if (prospect < 0) continue;
            if (prospect == 0) {
                /* Of those that are left, as many as are still wanted, each with the same chance. */
                int32_t taken = seed ? (int64_t)grog_pcg_draw(&dice, (uint32_t)perhaps) < wanted : wanted > 0;
                perhaps--;
                if (!taken) continue;
                wanted--;
            }
            result[word] |= (int32_t)(left & -left);
        }
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

/* The first cell from `at` on that differs between two positions, most of which are the same; `end` if there is none. */
static inline int64_t grog_plain_change(const int32_t *a, const int32_t *b, int64_t at, int64_t end) {
    enum { PART = 64 };
    while (end - at >= PART && !memcmp(a + at, b + at, PART * 4)) at += PART;
    while (at < end && a[at] == b[at]) at++;
    return at;
}

#ifdef GROG_WIDER
GROG_WIDER static inline __m256i grog_wider_same(const int32_t *a, const int32_t *b) {
    return _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)a), _mm256_loadu_si256((const __m256i *)b));
}

GROG_WIDER static __attribute__((noinline, unused)) int64_t grog_wider_change(const int32_t *a, const int32_t *b, int64_t at,
                                                                              int64_t end) {
    for (; end - at >= 32; at += 32) {
        __m256i one = _mm256_and_si256(grog_wider_same(a + at, b + at), grog_wider_same(a + at + 8, b + at + 8));
        __m256i two = _mm256_and_si256(grog_wider_same(a + at + 16, b + at + 16), grog_wider_same(a + at + 24, b + at + 24));
        if (_mm256_movemask_epi8(_mm256_and_si256(one, two)) != -1) break;
    }
    for (; end - at >= 8; at += 8) {
        int32_t same = _mm256_movemask_ps(_mm256_castsi256_ps(grog_wider_same(a + at, b + at)));
        if (same != 0xff) return at + __builtin_ctz(~(uint32_t)same);
    }
    while (at < end && a[at] == b[at]) at++;
    return at;
}
#endif

static inline int64_t grog_next_change(const int32_t *a, const int32_t *b, int64_t at, int64_t end) {
#ifdef GROG_WIDER
    if (__builtin_cpu_supports("avx2")) return grog_wider_change(a, b, at, end);
#endif
    return grog_plain_change(a, b, at, end);
}

/* ---- interchangeable pieces ---- */

/* The groups of those that throw a die where a position stands: pieces of one group have the same limit and are interchangeable.
 * group[number] for each element in order; the number of groups, -1 without memory. */
static inline int64_t grog_groups(const grog_chance *all, grog_ctx *ctx, int32_t *s, const grog_stop *stop, int32_t *fr,
                                  int32_t *group) {
    const grog_pieces *pieces = stop->pieces >= 0 ? &all->pieces[stop->pieces] : NULL;
    const int32_t *elements = fr + stop->elements;
    int64_t total = grog_set_count(elements, stop->words), sets = 0, groups = 0, number = 0;
    int32_t alike = pieces && pieces->interchangeable, *named = NULL;
    int32_t *first = grog_alloc(ctx, 2 * total + 2);
    const int32_t **held = NULL;
    if (!first) return -1;
    if (alike) {
        /* Sets of fields, and of frames as far as they count. */
        int64_t room = pieces->sets;
        for (grog_frames at = grog_top(all, s); at.fr; grog_below(all, s, &at))
            room += all->rest[2 * at.block + at.runs].names;
        named = grog_room(ctx, (pieces->count + 31) / 32 + 1);
        int32_t *cells = grog_alloc(ctx, 2 * room + 4);
        if (ctx->fail || !cells) return -1;
        held = (const int32_t **)(void *)(cells + ((uintptr_t)cells % 8 != 0));
        for (int64_t i = 0; i < pieces->sets; i++) held[sets++] = s + pieces->set_at[2 * i];
        for (grog_frames at = grog_top(all, s); at.fr; grog_below(all, s, &at)) {
            const grog_rest *rest = &all->rest[2 * at.block + at.runs];
            for (int64_t i = 0; i < rest->names; i++)
                if (rest->name_at[4 * i] == GROG_NAMES_SET && rest->name_at[4 * i + 1] == stop->pieces)
                    held[sets++] = at.fr + rest->name_at[4 * i + 2];
        }
        grog_name_all(all, s, stop->pieces, named, 0);
    }
    /* first: the element that stands for each group, and its limit */
    for (int64_t i = grog_set_scan(elements, stop->words, 0); i >= 0; i = grog_set_scan(elements, stop->words, i + 1)) {
        int32_t limit = grog_limit(stop, fr, number);
        int64_t found = 0;
        int32_t own = !alike || i >= pieces->count || (uint32_t)named[i >> 5] >> (i & 31) & 1;
        for (found = own ? groups : 0; found < groups; found++) {
            int64_t other = first[2 * found];
            int32_t same = first[2 * found + 1] == limit && !((uint32_t)named[other >> 5] >> (other & 31) & 1);
            for (int64_t k = 0; same && k < pieces->own; k++) {
                const int64_t *at = pieces->own_at + 3 * k;
                same = !memcmp(s + at[0] + i * at[1], s + at[0] + other * at[1], (size_t)at[1] * 4);
            }
            for (int64_t k = 0; same && k < sets; k++)
                same = !(((uint32_t)held[k][i >> 5] >> (i & 31) ^ (uint32_t)held[k][other >> 5] >> (other & 31)) & 1);
            if (same) break;
        }
        if (found == groups) {
            first[2 * groups] = (int32_t)i;
            first[2 * groups + 1] = limit;
            groups++;
        }
        group[number++] = (int32_t)found;
    }
    return groups;
}

#endif
