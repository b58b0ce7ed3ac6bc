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
    int64_t domain, base, count, alive, interchangeable;
    int64_t own, sets, lists, values;                    /* how many there are of each */
    const int64_t *own_at, *set_at, *list_at, *value_at; /* (cell, cells of a piece, default), (cell, words) three times */
    int64_t looks;
    const int64_t *look_at; /* those of its own that name no piece: (cell, cells of a piece) */
    int64_t kept;
    const int64_t *kept_at; /* pieces that somebody outside has names for */
} grog_pieces;

enum { GROG_NAMES_ONE, GROG_NAMES_LIST, GROG_NAMES_SET };

/* What of a frame can be forgotten, (offset, cells), and what of it names pieces: (how, pieces, offset, words). */
typedef struct grog_rest {
    int64_t known, clears, names;
    const int64_t *clear_at, *name_at;
} grog_rest;

/* Whose looks a cell is part of: the piece `at` of those of a number, -1: nobody's. */
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

/* Marks as many hits as wanted: by the first dice that can hit, or with a seed by any; 0 if there cannot be so many. */
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
                /* Of those that are left, as many as are still wanted, any of them alike. */
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

/* ---- pieces that nobody can tell apart ---- */

/* The groups of those that throw a die where a position stands: pieces of one group have the same limit and look alike.
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

/* ---- a remembered procedure: positions where dice fall, what is thrown there, where each result leads ---- */

/* Groups that a position has room for itself. */
enum { GROG_FEW = 4 };

/* A position.  What is thrown is told by `sort` (0: it is over); how the result is numbered, by strides.
 *   each: `parts` groups, numbers (dice, limit); result: sum of hits * stride of the group
 *   pool: `count` dice; result: sum of the strides of their faces, or (ordered) the faces as digits
 *   draw: `parts` rows, numbers: counts up to and with each; result: the row
 *   total: result: the total less the least
 * One line of the cache: this is what a walk looks at. */
typedef struct grog_node {
    int32_t sort, faces, parts, outcome;
    int64_t dense_at; /* where its results lie if there are few, else -1 */
    int32_t least;    /* the least that one throw can give */
    int32_t few;      /* the groups are here, of one die each */
    struct {
        int16_t count, limit; /* from 0 */
        int32_t stride;
    } group[GROG_FEW];
} grog_node;

/* What else is known of it: larger throws, and what differs from the first position. */
typedef struct grog_kept {
    int32_t dice, count, ordered;
    int64_t number_at, stride_at;
    int64_t change_at, changes;
    uint64_t hash;
} grog_kept;

typedef struct grog_far {
    int64_t result;
    int32_t from, to; /* from -1: a free place */
} grog_far;

typedef struct grog_memo {
    int64_t cells, nodes, node_room, kept_room, numbers, number_room, strides, stride_room, dense, dense_room, changes, change_room;
    int64_t far_used, outcomes;
    uint64_t far_mask, by_mask;
    int32_t *base; /* the first position; others are kept as what is different: cell, value */
    grog_node *node;
    grog_kept *kept;
    int32_t *number, *target, *change, *by_hash;
    int64_t *stride;
    grog_far *far;
    int64_t *tally; /* per outcome */
} grog_memo;

/* Results of a node that are kept in a table of their own. */
enum { GROG_DENSE = 4096 };
/* Results that can be numbered. */
#define GROG_RESULTS (INT64_C(1) << 60)

/* Room for so many more; 0 without memory. */
static inline int32_t grog_more(void **array, int64_t *room, int64_t used, int64_t more, size_t size) {
    if (used + more <= *room) return 1;
    int64_t wanted = 2 * (used + more) + 64;
    void *grown = realloc(*array, (size_t)wanted * size);
    if (!grown) return 0;
    *array = grown;
    *room = wanted;
    return 1;
}

static inline void grog_memo_free(grog_memo *memo) {
    free(memo->base);
    free(memo->node);
    free(memo->kept);
    free(memo->number);
    free(memo->target);
    free(memo->change);
    free(memo->by_hash);
    free(memo->stride);
    free(memo->far);
    free(memo->tally);
}

static inline int32_t grog_memo_open(grog_memo *memo, const int32_t *base, int64_t cells) {
    memset(memo, 0, sizeof *memo);
    memo->cells = cells;
    memo->far_mask = memo->by_mask = 1023;
    memo->base = (int32_t *)malloc((size_t)cells * 4);
    memo->by_hash = (int32_t *)malloc((memo->by_mask + 1) * 4);
    memo->far = (grog_far *)malloc((memo->far_mask + 1) * sizeof(grog_far));
    if (!memo->base || !memo->by_hash || !memo->far) return 0;
    memcpy(memo->base, base, (size_t)cells * 4);
    memset(memo->by_hash, 0xff, (memo->by_mask + 1) * 4);
    memset(memo->far, 0xff, (memo->far_mask + 1) * sizeof(grog_far));
    return 1;
}

static inline uint64_t grog_far_place(const grog_memo *memo, int32_t from, int64_t result) {
    uint64_t at = grog_mix(grog_mix(grog_mix(0, (uint32_t)from), (uint32_t)result), (uint32_t)(result >> 32));
    at &= memo->far_mask;
    while (memo->far[at].from >= 0 && (memo->far[at].from != from || memo->far[at].result != result))
        at = (at + 1) & memo->far_mask;
    return at;
}

/* Where a result leads; -1: not known yet. */
static inline int32_t grog_leads_to(const grog_memo *memo, const grog_node *node, int32_t from, int64_t result) {
    if (node->dense_at >= 0) return memo->target[node->dense_at + result];
    const grog_far *far = &memo->far[grog_far_place(memo, from, result)];
    return far->from >= 0 ? far->to : -1;
}

/* Remembers it; 0 without memory. */
static inline int32_t grog_lead(grog_memo *memo, int32_t from, int64_t result, int32_t to) {
    const grog_node *node = &memo->node[from];
    if (node->dense_at >= 0) {
        memo->target[node->dense_at + result] = to;
        return 1;
    }
    if (2 * (uint64_t)memo->far_used > memo->far_mask) {
        grog_memo grown = *memo;
        grown.far_mask = 2 * memo->far_mask + 1;
        grown.far = (grog_far *)malloc((grown.far_mask + 1) * sizeof(grog_far));
        if (!grown.far) return 0;
        memset(grown.far, 0xff, (grown.far_mask + 1) * sizeof(grog_far));
        for (uint64_t i = 0; i <= memo->far_mask; i++)
            if (memo->far[i].from >= 0)
                grown.far[grog_far_place(&grown, memo->far[i].from, memo->far[i].result)] = memo->far[i];
        free(memo->far);
        *memo = grown;
    }
    grog_far *far = &memo->far[grog_far_place(memo, from, result)];
    far->from = from;
    far->result = result;
    far->to = to;
    memo->far_used++;
    return 1;
}

/* The cells of a node. */
static inline void grog_node_cells(const grog_memo *memo, int64_t number, int32_t *to) {
    const grog_kept *kept = &memo->kept[number];
    memcpy(to, memo->base, (size_t)memo->cells * 4);
    for (int64_t i = 0; i < kept->changes; i++)
        to[memo->change[kept->change_at + 2 * i]] = memo->change[kept->change_at + 2 * i + 1];
}

/* The node of a position, made if there is none (*fresh); -1 without memory. */
static inline int32_t grog_node_of(grog_memo *memo, const int32_t *s, int32_t *fresh) {
    int64_t at = memo->changes, count = 0;
    uint64_t hash = 0;
    *fresh = 0;
    for (int64_t i = -1; (i = grog_next_change(memo->base, s, i + 1, memo->cells)) < memo->cells;) {
        if (!grog_more((void **)&memo->change, &memo->change_room, at + 2 * count, 2, 4)) return -1;
        memo->change[at + 2 * count] = (int32_t)i;
        memo->change[at + 2 * count++ + 1] = s[i];
        hash = grog_mix(grog_mix(hash, (uint32_t)i), (uint32_t)s[i]);
    }
    uint64_t place = hash & memo->by_mask;
    for (; memo->by_hash[place] >= 0; place = (place + 1) & memo->by_mask) {
        const grog_kept *kept = &memo->kept[memo->by_hash[place]];
        if (kept->hash == hash && kept->changes == count &&
            !memcmp(memo->change + kept->change_at, memo->change + at, (size_t)count * 8))
            return memo->by_hash[place];
    }
    if (memo->nodes == INT32_MAX || !grog_more((void **)&memo->kept, &memo->kept_room, memo->nodes, 1, sizeof(grog_kept)))
        return -1;
    if (memo->nodes == memo->node_room) {
        /* Each on a line of its own, which realloc would not keep. */
        int64_t room = 2 * memo->node_room + 64;
        grog_node *grown = (grog_node *)aligned_alloc(64, (size_t)room * sizeof(grog_node));
        if (!grown) return -1;
        if (memo->nodes) memcpy(grown, memo->node, (size_t)memo->nodes * sizeof(grog_node));
        free(memo->node);
        memo->node = grown;
        memo->node_room = room;
    }
    memset(&memo->node[memo->nodes], 0, sizeof(grog_node));
    memset(&memo->kept[memo->nodes], 0, sizeof(grog_kept));
    memo->node[memo->nodes].dense_at = -1;
    memo->kept[memo->nodes].change_at = at;
    memo->kept[memo->nodes].changes = count;
    memo->kept[memo->nodes].hash = hash;
    memo->changes = at + 2 * count;
    memo->by_hash[place] = (int32_t)memo->nodes;
    memo->nodes++;
    *fresh = 1;
    if (2 * (uint64_t)memo->nodes > memo->by_mask) {
        uint64_t mask = 2 * memo->by_mask + 1;
        int32_t *grown = (int32_t *)malloc((mask + 1) * 4);
        if (!grown) return -1;
        memset(grown, 0xff, (mask + 1) * 4);
        for (int64_t i = 0; i < memo->nodes; i++) {
            uint64_t to = memo->kept[i].hash & mask;
            while (grown[to] >= 0) to = (to + 1) & mask;
            grown[to] = (int32_t)i;
        }
        free(memo->by_hash);
        memo->by_hash = grown;
        memo->by_mask = mask;
    }
    return (int32_t)(memo->nodes - 1);
}

/* The results of a node have so many numbers: a table for them if they are few.  0 without memory. */
static inline int32_t grog_node_results(grog_memo *memo, grog_node *node, int64_t size) {
    if (size > GROG_DENSE) return 1;
    if (!grog_more((void **)&memo->target, &memo->dense_room, memo->dense, size, 4)) return 0;
    node->dense_at = memo->dense;
    memset(memo->target + memo->dense, 0xff, (size_t)size * 4);
    memo->dense += size;
    return 1;
}

/* Describes what is thrown where a new node stands, but for pools, of which Python knows what rules look at.
 * 1 done, 0 without memory, -1 if the results cannot be numbered. */
static inline int32_t grog_describe(const grog_chance *all, grog_ctx *ctx, grog_memo *memo, int32_t number, int32_t *s) {
    int32_t *fr = NULL, *mark = grog_mark(ctx), fine = 1;
    const grog_stop *stop = grog_stop_at(all, s, &fr);
    grog_node *node = &memo->node[number];
    grog_kept *kept = &memo->kept[number];
    if (!stop) return 1;
    node->sort = (int32_t)stop->sort;
    node->faces = (int32_t)(stop->hi - stop->lo + 1);
    node->least = (int32_t)(stop->dice * stop->lo);
    kept->dice = (int32_t)stop->dice;
    kept->number_at = memo->numbers;
    kept->stride_at = memo->strides;
    if (stop->sort == GROG_SORT_TOTAL) {
        fine = grog_node_results(memo, node, stop->dice * (node->faces - 1) + 1);
    } else if (stop->sort == GROG_SORT_DRAW) {
        int64_t sum = 0;
        if (!grog_more((void **)&memo->number, &memo->number_room, memo->numbers, stop->rows, 4)) return 0;
        for (int64_t i = 0; i < stop->rows; i++) {
            sum += s[stop->bag + i] > 0 ? s[stop->bag + i] : 0;
            if (sum > INT32_MAX) return -1;
            memo->number[memo->numbers++] = (int32_t)sum;
        }
        if (!sum) return -1;
        node->parts = (int32_t)stop->rows;
        fine = grog_node_results(memo, node, stop->rows);
    } else if (stop->sort == GROG_SORT_EACH) {
        int64_t total = grog_set_count(fr + stop->elements, stop->words), size = 1;
        int32_t *group = grog_alloc(ctx, total + 1);
        int64_t groups = group ? grog_groups(all, ctx, s, stop, fr, group) : -1;
        if (groups < 0 || !grog_more((void **)&memo->number, &memo->number_room, memo->numbers, 2 * groups, 4) ||
            !grog_more((void **)&memo->stride, &memo->stride_room, memo->strides, groups, 8)) {
            grog_release(ctx, mark);
            return 0;
        }
        int32_t *numbers = memo->number + memo->numbers;
        for (int64_t i = 0; i < groups; i++) numbers[2 * i] = 0;
        for (int64_t i = 0; i < total; i++) {
            numbers[2 * group[i]]++;
            numbers[2 * group[i] + 1] = grog_limit(stop, fr, i);
        }
        for (int64_t i = 0; i < groups; i++) {
            int32_t prospect = grog_prospect(stop, numbers[2 * i + 1]);
            /* As wide as the least limit that never holds, so that a comparison decides. */
            if (prospect < 0) numbers[2 * i + 1] = (int32_t)(stop->dice * stop->lo - 1);
            memo->stride[memo->strides + i] = size;
            if (size > GROG_RESULTS / (numbers[2 * i] + 1)) fine = -1;
            else size *= numbers[2 * i] + 1;
        }
        node->parts = (int32_t)groups;
        if (fine > 0) fine = grog_node_results(memo, node, size);
        if (stop->dice == 1 && groups <= GROG_FEW && node->dense_at >= 0) {
            node->few = 1;
            for (int64_t i = 0; i < groups; i++) {
                int64_t limit = (int64_t)numbers[2 * i + 1] - stop->lo;
                node->group[i].count = (int16_t)numbers[2 * i];
                node->group[i].limit = (int16_t)(limit < INT16_MAX ? limit : INT16_MAX);
                node->group[i].stride = (int32_t)memo->stride[memo->strides + i];
            }
        }
        memo->numbers += 2 * groups;
        memo->strides += groups;
    }
    grog_release(ctx, mark);
    return fine;
}

/* How many of n dice show no more than the limit (from 0). */
static inline int32_t grog_hits(uint64_t *state, int32_t n, uint32_t faces, int32_t limit) {
    uint64_t x = *state;
    int32_t hits = 0;
    for (; n > 0; n--) hits += (int32_t)grog_pcg_draw(&x, faces) <= limit;
    *state = x;
    return hits;
}

#if defined(__x86_64__) && defined(__GNUC__)
#define GROG_WIDE_HITS __attribute__((target("avx2,popcnt")))
#include <immintrin.h>

/* Dice that are thrown side by side. */
enum { GROG_WIDE_DICE = 8 };

/* The generator some steps on: state * GROG_JUMP + GROG_SHIFT. */
static const uint64_t GROG_JUMP[GROG_WIDE_DICE + 1] = {
    UINT64_C(0x0000000000000001), UINT64_C(0x5851F42D4C957F2D), UINT64_C(0x685F98A2018FADE9), UINT64_C(0x0B046976F22528F5),
    UINT64_C(0xFB4D3AE39272BE11), UINT64_C(0x696D29DA565AD7FD), UINT64_C(0xF08D02B0115F7A79), UINT64_C(0x798E21C49FF78E45),
    UINT64_C(0xB59DDA5F38413D21)};
static const uint64_t GROG_SHIFT[GROG_WIDE_DICE + 1] = {
    UINT64_C(0x0000000000000000), UINT64_C(0x14057B7EF767814F), UINT64_C(0x1A08EE1184BA6D32), UINT64_C(0x9AF678222E728119),
    UINT64_C(0x66B61AE97F2099B4), UINT64_C(0x62354CDA6226D1F3), UINT64_C(0x8F947F36D0D0F606), UINT64_C(0x144093704FADBA5D),
    UINT64_C(0x5B21778E3C8666A8)};

/* What four states of the generator give, times the faces. */
GROG_WIDE_HITS static inline __m256i grog_four(__m256i low, __m256i high, const uint64_t *jump, const uint64_t *shift,
                                               __m256i faces) {
    __m256i by = _mm256_loadu_si256((const __m256i *)jump);
    __m256i cross = _mm256_add_epi64(_mm256_mul_epu32(high, by), _mm256_mul_epu32(low, _mm256_srli_epi64(by, 32)));
    __m256i x = _mm256_add_epi64(_mm256_mul_epu32(low, by), _mm256_slli_epi64(cross, 32));
    x = _mm256_add_epi64(x, _mm256_loadu_si256((const __m256i *)shift));
    __m256i shifted = _mm256_srli_epi64(_mm256_xor_si256(_mm256_srli_epi64(x, 18), x), 27);
    shifted = _mm256_blend_epi32(shifted, _mm256_slli_epi64(shifted, 32), 0xAA);
    return _mm256_mul_epu32(_mm256_srlv_epi64(shifted, _mm256_srli_epi64(x, 59)), faces);
}

/* The same as grog_hits, eight dice at a time; where one of them would have to be thrown again, one by one. */
GROG_WIDE_HITS static inline int32_t grog_hits_wide(uint64_t *state, int32_t n, uint32_t faces, int32_t limit) {
    uint64_t x = *state;
    int32_t hits = 0;
    __m256i all_faces = _mm256_set1_epi64x(faces), bound = _mm256_set1_epi64x((int64_t)(limit + 1) << 32);
    __m256i half = _mm256_set1_epi64x(0xFFFFFFFF);
    for (; n > 0; n -= GROG_WIDE_DICE) {
        __m256i low = _mm256_set1_epi64x((int64_t)x), high = _mm256_set1_epi64x((int64_t)(x >> 32));
        __m256i a = grog_four(low, high, GROG_JUMP, GROG_SHIFT, all_faces);
        __m256i b = grog_four(low, high, GROG_JUMP + 4, GROG_SHIFT + 4, all_faces);
        __m256i again = _mm256_or_si256(_mm256_cmpgt_epi64(all_faces, _mm256_and_si256(a, half)),
                                        _mm256_cmpgt_epi64(all_faces, _mm256_and_si256(b, half)));
        int32_t steps = n < GROG_WIDE_DICE ? n : GROG_WIDE_DICE;
        if (GROG_UNLIKELY(!_mm256_testz_si256(again, again))) {
            hits += grog_hits(&x, steps, faces, limit);
            continue;
        }
        uint32_t hit = (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(bound, a)));
        hit |= (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(bound, b))) << 4;
        hits += __builtin_popcount(hit & ((1u << steps) - 1));
        x = x * GROG_JUMP[steps] + GROG_SHIFT[steps];
    }
    *state = x;
    return hits;
}

/* The same with all eight in one register. */
#define GROG_WIDEST_HITS __attribute__((target("avx512f,avx512dq,popcnt")))
GROG_WIDEST_HITS static inline int32_t grog_hits_widest(uint64_t *state, int32_t n, uint32_t faces, int32_t limit) {
    uint64_t x = *state;
    int32_t hits = 0;
    __m512i jump = _mm512_loadu_si512(GROG_JUMP), shift = _mm512_loadu_si512(GROG_SHIFT);
    __m512i all_faces = _mm512_set1_epi64(faces), bound = _mm512_set1_epi64((int64_t)(limit + 1) << 32);
    for (; n > 0; n -= GROG_WIDE_DICE) {
        __m512i y = _mm512_add_epi64(_mm512_mullo_epi64(_mm512_set1_epi64((int64_t)x), jump), shift);
        __m512i shifted = _mm512_srli_epi64(_mm512_xor_si512(_mm512_srli_epi64(y, 18), y), 27);
        __m512i drawn = _mm512_mul_epu32(_mm512_rorv_epi32(shifted, _mm512_srli_epi64(y, 59)), all_faces);
        int32_t steps = n < GROG_WIDE_DICE ? n : GROG_WIDE_DICE;
        /* A low half below the faces may have to be thrown again. */
        if (GROG_UNLIKELY(_mm512_cmplt_epu64_mask(_mm512_slli_epi64(drawn, 32), _mm512_slli_epi64(all_faces, 32)))) {
            hits += grog_hits(&x, steps, faces, limit);
            continue;
        }
        hits += __builtin_popcount(_mm512_cmplt_epu64_mask(drawn, bound) & ((1u << steps) - 1));
        x = x * GROG_JUMP[steps] + GROG_SHIFT[steps];
    }
    *state = x;
    return hits;
}
#endif

/* Throws of another kind than a few groups of single dice; the number of the result. */
static int64_t grog_throw_more(const grog_memo *memo, int64_t place, uint64_t *state) {
    const grog_node *node = &memo->node[place];
    const grog_kept *kept = &memo->kept[place];
    const int32_t *number = memo->number + kept->number_at;
    const int64_t *stride = memo->stride + kept->stride_at;
    int64_t result = 0;
    uint32_t faces = (uint32_t)node->faces;
    if (node->sort == GROG_SORT_EACH) {
        for (int32_t part = 0; part < node->parts; part++) {
            int32_t limit = number[2 * part + 1] - node->least, hits = 0;
            if (kept->dice == 1) {
                hits = grog_hits(state, number[2 * part], faces, limit);
            } else {
                for (int32_t k = number[2 * part]; k > 0; k--) {
                    int32_t total = 0;
                    for (int32_t d = 0; d < kept->dice; d++) total += (int32_t)grog_pcg_draw(state, faces);
                    hits += total <= limit;
                }
            }
            result += hits * stride[part];
        }
    } else if (node->sort == GROG_SORT_TOTAL) {
        for (int32_t d = 0; d < kept->dice; d++) result += grog_pcg_draw(state, faces);
    } else if (node->sort == GROG_SORT_POOL) {
        for (int32_t d = 0; d < kept->count; d++) {
            uint32_t face = grog_pcg_draw(state, faces);
            result = kept->ordered ? result * faces + face : result + stride[face];
        }
    } else {
        int32_t drawn = (int32_t)grog_pcg_draw(state, (uint32_t)number[node->parts - 1]);
        while (number[result] <= drawn) result++;
    }
    return result;
}

/* Runs that go on side by side, so that none waits for memory alone. */
enum { GROG_ABREAST = 8 };

typedef struct grog_run_of_memo {
    int64_t result, throws;
    int32_t at;    /* -1: no run any more */
    int32_t waits; /* the result has fallen, where it leads is not known yet */
} grog_run_of_memo;

typedef struct grog_walking {
    uint64_t dice;
    int64_t left; /* runs that have not begun */
    int32_t fallen;
    grog_run_of_memo run[GROG_ABREAST];
} grog_walking;

static inline void grog_walking_open(grog_walking *all, int64_t runs, uint64_t seed) {
    all->dice = grog_pcg_seeded(seed);
    all->left = runs;
    all->fallen = 0;
    for (int32_t k = 0; k < GROG_ABREAST; k++) {
        all->run[k].at = all->left > 0 ? 0 : -1;
        all->run[k].waits = 0;
        all->run[k].throws = 0;
        all->left -= all->left > 0;
    }
}

/* Does the remembered procedure and counts outcomes.  -1: all is done; -2: a run threw more than `most` times; else the
 * run whose result leads nobody knows where yet: with that found out it goes on, as if it had been known. */
static inline __attribute__((always_inline)) int32_t grog_walk_by(
    const grog_memo *memo, grog_walking *all, int64_t most,
    int32_t (*hits)(uint64_t *state, int32_t n, uint32_t faces, int32_t limit)) {
    uint64_t dice = all->dice;
    for (;;) {
        int32_t busy = 0;
        for (int32_t k = 0; !all->fallen && k < GROG_ABREAST; k++) {
            grog_run_of_memo *run = &all->run[k];
            if (run->at < 0) continue;
            const grog_node *node = &memo->node[run->at];
            while (GROG_UNLIKELY(!node->sort)) {
                memo->tally[node->outcome]++;
                run->at = all->left > 0 ? 0 : -1;
                run->throws = 0;
                if (run->at < 0) break;
                all->left--;
                node = &memo->node[0];
            }
            if (run->at < 0) continue;
            if (GROG_UNLIKELY(++run->throws > most)) return -2;
            if (GROG_LIKELY(node->few)) {
                uint64_t x = dice;
                int32_t result = 0;
                for (int32_t part = 0; part < node->parts; part++)
                    result += node->group[part].stride *
                              hits(&x, node->group[part].count, (uint32_t)node->faces, node->group[part].limit);
                run->result = result;
                dice = x;
            } else {
                run->result = grog_throw_more(memo, run->at, &dice);
            }
            run->waits = 1;
            if (node->dense_at >= 0) __builtin_prefetch(memo->target + node->dense_at + run->result);
        }
        all->fallen = 1;
        for (int32_t k = 0; k < GROG_ABREAST; k++) {
            grog_run_of_memo *run = &all->run[k];
            if (run->at < 0) continue;
            busy = 1;
            if (!run->waits) continue;
            int32_t to = grog_leads_to(memo, &memo->node[run->at], run->at, run->result);
            if (GROG_UNLIKELY(to < 0)) {
                all->dice = dice;
                return k;
            }
            run->at = to;
            run->waits = 0;
            __builtin_prefetch(&memo->node[to]);
        }
        all->fallen = 0;
        if (!busy) return -1;
    }
}

static int32_t grog_memo_walk_plain(const grog_memo *memo, grog_walking *all, int64_t most) {
    return grog_walk_by(memo, all, most, grog_hits);
}

#ifdef GROG_WIDE_HITS
GROG_WIDE_HITS static int32_t grog_memo_walk_wide(const grog_memo *memo, grog_walking *all, int64_t most) {
    return grog_walk_by(memo, all, most, grog_hits_wide);
}

GROG_WIDEST_HITS static int32_t grog_memo_walk_widest(const grog_memo *memo, grog_walking *all, int64_t most) {
    return grog_walk_by(memo, all, most, grog_hits_widest);
}
#endif

static inline int32_t grog_memo_walk(const grog_memo *memo, grog_walking *all, int64_t most) {
#ifdef GROG_WIDE_HITS
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("popcnt"))
        return grog_memo_walk_widest(memo, all, most);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) return grog_memo_walk_wide(memo, all, most);
#endif
    return grog_memo_walk_plain(memo, all, most);
}

/* Lets the result with this number fall where the node's cells stand; 0 without memory.  `classes`: for each class of
 * faces of a pool the face that stands for it. */
static inline int32_t grog_put_result(const grog_chance *all, grog_ctx *ctx, const grog_memo *memo, int32_t place,
                                      int64_t result, int32_t *s) {
    const grog_node *node = &memo->node[place];
    const grog_kept *kept = &memo->kept[place];
    int32_t *fr = NULL, *mark = grog_mark(ctx);
    const grog_stop *stop = grog_stop_at(all, s, &fr);
    if (!stop) return 0;
    const int32_t *number = memo->number + kept->number_at;
    int64_t count = 1;
    int32_t *fallen;
    if (stop->sort == GROG_SORT_EACH) {
        const int64_t *stride = memo->stride + kept->stride_at;
        int64_t total = grog_set_count(fr + stop->elements, stop->words), at = 0;
        int32_t *group = grog_alloc(ctx, total + 1), *left = grog_alloc(ctx, node->parts + 1);
        fallen = grog_alloc(ctx, total + 1);
        if (!group || !left || !fallen || grog_groups(all, ctx, s, stop, fr, group) != node->parts) {
            grog_release(ctx, mark);
            return 0;
        }
        for (int32_t i = 0; i < node->parts; i++) left[i] = (int32_t)(result / stride[i] % (number[2 * i] + 1));
        const int32_t *elements = fr + stop->elements;
        count = 0;
        for (int64_t i = grog_set_scan(elements, stop->words, 0); i >= 0; i = grog_set_scan(elements, stop->words, i + 1))
            if (left[group[at++]]-- > 0) fallen[count++] = (int32_t)(i + stop->base);
    } else if (stop->sort == GROG_SORT_POOL) {
        count = kept->count;
        fallen = grog_alloc(ctx, count + 1);
        if (!fallen) return 0;
        if (kept->ordered) {
            for (int64_t i = count - 1; i >= 0; i--, result /= node->faces)
                fallen[i] = (int32_t)stop->lo + (int32_t)(result % node->faces);
        } else {
            /* number: the face that stands for each class, in the order of faces; the last takes what is left. */
            int64_t at = 0;
            for (int32_t part = 0; part < node->parts; part++) {
                int64_t here = part + 1 < node->parts ? result % (count + 1) : count - at;
                if (part + 1 < node->parts) result /= count + 1;
                for (int64_t k = 0; k < here && at < count; k++) fallen[at++] = number[part];
            }
        }
    } else {
        fallen = grog_alloc(ctx, 1);
        if (!fallen) return 0;
        fallen[0] = (int32_t)(result + (stop->sort == GROG_SORT_DRAW ? stop->bag_base : stop->dice * stop->lo));
    }
    grog_put_fallen(stop, fr, fallen, count);
    grog_fallen(stop, s, fr);
    grog_release(ctx, mark);
    return 1;
}

#endif
