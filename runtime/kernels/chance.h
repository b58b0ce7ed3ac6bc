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

/* ---- pieces that nobody can tell apart ---- */

/* The groups of those that throw a die where a position stands: pieces of one group have the same limit and look alike.
 * group[number] for each element in order; the number of groups, -1 without memory. */
static inline int64_t grog_groups(const grog_chance *all, grog_ctx *ctx, int32_t *s, const grog_stop *stop, int32_t *fr,
                                  int32_t *group) {
    const grog_pieces *pieces = stop->pieces >= 0 ? &all->pieces[stop->pieces] : NULL;
    const int32_t *elements = fr + stop->elements;
    int64_t total = grog_set_count(elements, stop->words), sets = 0, groups = 0, number = 0, block = 0;
    int32_t alike = pieces && pieces->interchangeable, *named = NULL;
    int32_t *first = grog_alloc(ctx, 2 * total + 2);
    const int32_t **held = NULL;
    if (!first) return -1;
    if (alike) {
        /* Sets of fields, and of frames as far as they count. */
        int64_t room = pieces->sets;
        int32_t runs = 1, *frame;
        for (int64_t offset = s[GROG_H_FP]; (frame = grog_chance_frame(all, s, offset, &block)); runs = 0) {
            room += all->rest[2 * block + runs].names;
            if (frame[2] >= offset) break;
            offset = frame[2];
        }
        named = grog_room(ctx, (pieces->count + 31) / 32 + 1);
        int32_t *cells = grog_alloc(ctx, 2 * room + 4);
        if (ctx->fail || !cells) return -1;
        held = (const int32_t **)(void *)(cells + ((uintptr_t)cells % 8 != 0));
        for (int64_t i = 0; i < pieces->sets; i++) held[sets++] = s + pieces->set_at[2 * i];
        runs = 1;
        for (int64_t offset = s[GROG_H_FP]; (frame = grog_chance_frame(all, s, offset, &block)); runs = 0) {
            const grog_rest *rest = &all->rest[2 * block + runs];
            for (int64_t i = 0; i < rest->names; i++)
                if (rest->name_at[4 * i] == GROG_NAMES_SET && rest->name_at[4 * i + 1] == stop->pieces)
                    held[sets++] = frame + rest->name_at[4 * i + 2];
            if (frame[2] >= offset) break;
            offset = frame[2];
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

/* A position.  What is thrown is told by `sort` (0: it is over); how the result is numbered, by `stride`.
 *   each: `parts` groups, numbers (dice, limit); result: sum of hits * stride of the group
 *   pool: `count` dice; result: sum of the strides of their faces, or (ordered) the faces as digits
 *   draw: `parts` rows, numbers: counts up to and with each; result: the row
 *   total: result: the total less the least */
typedef struct grog_node {
    int32_t sort, dice, lo, faces, count, parts, ordered, outcome;
    int64_t stop;
    int64_t number_at, stride_at;
    int64_t size, dense_at; /* results; where they lie if there are few, else -1 */
    int64_t change_at, changes;
    uint64_t hash;
} grog_node;

typedef struct grog_far {
    int64_t result;
    int32_t from, to; /* from -1: a free place */
} grog_far;

typedef struct grog_memo {
    int64_t cells, nodes, node_room, numbers, number_room, strides, stride_room, dense, dense_room, changes, change_room;
    int64_t far_used, outcomes;
    uint64_t far_mask, by_mask;
    int32_t *base; /* the first position; others are kept as what is different: cell, value */
    grog_node *node;
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
    const grog_node *node = &memo->node[number];
    memcpy(to, memo->base, (size_t)memo->cells * 4);
    for (int64_t i = 0; i < node->changes; i++)
        to[memo->change[node->change_at + 2 * i]] = memo->change[node->change_at + 2 * i + 1];
}

/* The node of a position, made if there is none (*fresh); -1 without memory. */
static inline int32_t grog_node_of(grog_memo *memo, const int32_t *s, int32_t *fresh) {
    int64_t at = memo->changes, count = 0;
    uint64_t hash = 0;
    *fresh = 0;
    for (int64_t part = 0; part < memo->cells; part += GROG_PART) {
        int64_t end = part + GROG_PART < memo->cells ? part + GROG_PART : memo->cells;
        if (!memcmp(memo->base + part, s + part, (size_t)(end - part) * 4)) continue;
        if (!grog_more((void **)&memo->change, &memo->change_room, at + 2 * count, 2 * GROG_PART, 4)) return -1;
        for (int64_t i = part; i < end; i++) {
            if (s[i] == memo->base[i]) continue;
            memo->change[at + 2 * count] = (int32_t)i;
            memo->change[at + 2 * count++ + 1] = s[i];
            hash = grog_mix(grog_mix(hash, (uint32_t)i), (uint32_t)s[i]);
        }
    }
    uint64_t place = hash & memo->by_mask;
    for (; memo->by_hash[place] >= 0; place = (place + 1) & memo->by_mask) {
        const grog_node *node = &memo->node[memo->by_hash[place]];
        if (node->hash == hash && node->changes == count &&
            !memcmp(memo->change + node->change_at, memo->change + at, (size_t)count * 8))
            return memo->by_hash[place];
    }
    if (memo->nodes == INT32_MAX || !grog_more((void **)&memo->node, &memo->node_room, memo->nodes, 1, sizeof(grog_node)))
        return -1;
    grog_node *made = &memo->node[memo->nodes];
    memset(made, 0, sizeof *made);
    made->change_at = at;
    made->changes = count;
    made->hash = hash;
    made->dense_at = -1;
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
            uint64_t to = memo->node[i].hash & mask;
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
    node->size = size;
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
    if (!stop) return 1;
    node->sort = (int32_t)stop->sort;
    node->stop = stop - all->stops;
    node->dice = (int32_t)stop->dice;
    node->lo = (int32_t)stop->lo;
    node->faces = (int32_t)(stop->hi - stop->lo + 1);
    node->number_at = memo->numbers;
    node->stride_at = memo->strides;
    if (stop->sort == GROG_SORT_TOTAL) {
        fine = grog_node_results(memo, node, (int64_t)node->dice * (node->faces - 1) + 1);
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
        memo->numbers += 2 * groups;
        memo->strides += groups;
        node->parts = (int32_t)groups;
        if (fine > 0) fine = grog_node_results(memo, node, size);
    }
    grog_release(ctx, mark);
    return fine;
}

/* Throws what a node throws; the number of the result. */
static inline int64_t grog_throw(const grog_memo *memo, const grog_node *node, uint64_t *state) {
    const int32_t *number = memo->number + node->number_at;
    const int64_t *stride = memo->stride + node->stride_at;
    uint64_t dice = *state;
    int64_t result = 0;
    uint32_t faces = (uint32_t)node->faces;
    if (node->sort == GROG_SORT_EACH) {
        for (int32_t part = 0; part < node->parts; part++) {
            int32_t limit = number[2 * part + 1] - node->lo * node->dice, hits = 0;
            if (node->dice == 1) {
                for (int32_t k = number[2 * part]; k > 0; k--) hits += (int32_t)grog_pcg_draw(&dice, faces) <= limit;
            } else {
                for (int32_t k = number[2 * part]; k > 0; k--) {
                    int32_t total = 0;
                    for (int32_t d = 0; d < node->dice; d++) total += (int32_t)grog_pcg_draw(&dice, faces);
                    hits += total <= limit;
                }
            }
            result += hits * stride[part];
        }
    } else if (node->sort == GROG_SORT_TOTAL) {
        for (int32_t d = 0; d < node->dice; d++) result += grog_pcg_draw(&dice, faces);
    } else if (node->sort == GROG_SORT_POOL) {
        for (int32_t d = 0; d < node->count; d++) {
            uint32_t face = grog_pcg_draw(&dice, faces);
            result = node->ordered ? result * faces + face : result + stride[face];
        }
    } else {
        int32_t drawn = (int32_t)grog_pcg_draw(&dice, (uint32_t)number[node->parts - 1]);
        while (number[result] <= drawn) result++;
    }
    *state = dice;
    return result;
}

/* Does the remembered procedure so many times and counts outcomes.  Stops at a result that leads nobody knows where yet,
 * with that run still to be done: it goes on from `at` with `result`.  `at`: -1 between runs. */
static inline int64_t grog_memo_walk(const grog_memo *memo, uint64_t *state, int64_t runs, int64_t most, int32_t *at,
                                int64_t *result, int64_t *throws) {
    int32_t here = *at;
    int64_t thrown = *throws, fallen = *result;
    uint64_t dice = *state;
    int32_t waits = here >= 0;
    if (!waits) here = 0;
    while (runs > 0) {
        const grog_node *node = &memo->node[here];
        if (!node->sort) {
            memo->tally[node->outcome]++;
            runs--;
            here = 0;
            thrown = 0;
            continue;
        }
        if (!waits) {
            if (++thrown > most) break;
            fallen = grog_throw(memo, node, &dice);
        }
        waits = 0;
        int32_t to = grog_leads_to(memo, node, here, fallen);
        if (to < 0) {
            waits = 1;
            break;
        }
        here = to;
    }
    *at = waits ? here : -1;
    *result = fallen;
    *throws = thrown;
    *state = dice;
    return runs;
}

/* Lets the result with this number fall where the node's cells stand; 0 without memory.  `classes`: for each class of
 * faces of a pool the face that stands for it. */
static inline int32_t grog_put_result(const grog_chance *all, grog_ctx *ctx, const grog_memo *memo, const grog_node *node,
                                      int64_t result, int32_t *s) {
    int32_t *fr = NULL, *mark = grog_mark(ctx);
    const grog_stop *stop = grog_stop_at(all, s, &fr);
    if (!stop) return 0;
    const int32_t *number = memo->number + node->number_at;
    int64_t count = 1;
    int32_t *fallen;
    if (stop->sort == GROG_SORT_EACH) {
        const int64_t *stride = memo->stride + node->stride_at;
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
        count = node->count;
        fallen = grog_alloc(ctx, count + 1);
        if (!fallen) return 0;
        if (node->ordered) {
            for (int64_t i = count - 1; i >= 0; i--, result /= node->faces)
                fallen[i] = node->lo + (int32_t)(result % node->faces);
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
