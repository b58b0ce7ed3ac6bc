/* A procedure that is done many times: a cache of positions where dice fall, of what is thrown there, and of where each
 * result leads.
 */
#ifndef GROGNARD_TRANSITION_CACHE_H
#define GROGNARD_TRANSITION_CACHE_H

#include "engine.h"
#include "outcomes.h"
#include "dice_pools.h"

/* ---- positions where dice fall, what is thrown there, where each result leads ---- */

/* Groups that a position has room for itself. */
enum { GROG_FEW = 4 };

/* A position.  `sort` says what is thrown (0: it is over); how the result is numbered, by strides.
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

typedef struct grog_transitions {
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
} grog_transitions;

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

static inline void grog_transitions_free(grog_transitions *memo) {
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

static inline int32_t grog_transitions_open(grog_transitions *memo, const int32_t *base, int64_t cells) {
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

static inline uint64_t grog_far_place(const grog_transitions *memo, int32_t from, int64_t result) {
    uint64_t at = grog_mix(grog_mix(grog_mix(0, (uint32_t)from), (uint32_t)result), (uint32_t)(result >> 32));
    at &= memo->far_mask;
    while (memo->far[at].from >= 0 && (memo->far[at].from != from || memo->far[at].result != result))
        at = (at + 1) & memo->far_mask;
    return at;
}

/* Where a result leads; -1: not known yet. */
static inline int32_t grog_leads_to(const grog_transitions *memo, const grog_node *node, int32_t from, int64_t result) {
    if (node->dense_at >= 0) return memo->target[node->dense_at + result];
    const grog_far *far = &memo->far[grog_far_place(memo, from, result)];
    return far->from >= 0 ? far->to : -1;
}

/* Stores it; 0 without memory. */
static inline int32_t grog_lead(grog_transitions *memo, int32_t from, int64_t result, int32_t to) {
    const grog_node *node = &memo->node[from];
    if (node->dense_at >= 0) {
        memo->target[node->dense_at + result] = to;
        return 1;
    }
    if (2 * (uint64_t)memo->far_used > memo->far_mask) {
        grog_transitions grown = *memo;
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
static inline void grog_node_cells(const grog_transitions *memo, int64_t number, int32_t *to) {
    const grog_kept *kept = &memo->kept[number];
    memcpy(to, memo->base, (size_t)memo->cells * 4);
    for (int64_t i = 0; i < kept->changes; i++)
        to[memo->change[kept->change_at + 2 * i]] = memo->change[kept->change_at + 2 * i + 1];
}

/* The node of a position, made if there is none (*fresh); -1 without memory. */
static inline int32_t grog_node_of(grog_transitions *memo, const int32_t *s, int32_t *fresh) {
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
static inline int32_t grog_node_results(grog_transitions *memo, grog_node *node, int64_t size) {
    if (size > GROG_DENSE) return 1;
    if (!grog_more((void **)&memo->target, &memo->dense_room, memo->dense, size, 4)) return 0;
    node->dense_at = memo->dense;
    memset(memo->target + memo->dense, 0xff, (size_t)size * 4);
    memo->dense += size;
    return 1;
}

/* Describes what is thrown where a new node stands, but for pools, of which Python knows what rules look at.
 * 1 done, 0 without memory, -1 if the results cannot be numbered. */
static inline int32_t grog_describe(const grog_chance *all, grog_ctx *ctx, grog_transitions *memo, int32_t number, int32_t *s) {
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

/* Throws of another kind than a few groups of single dice; the number of the result. */
static int64_t grog_throw_more(const grog_transitions *memo, int64_t place, uint64_t *state) {
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

typedef struct grog_transition_run {
    int64_t result, throws;
    int32_t at;    /* -1: no run any more */
    int32_t waits; /* the result has fallen, where it leads is not known yet */
} grog_transition_run;

typedef struct grog_walking {
    uint64_t dice;
    int64_t left; /* runs that have not begun */
    int32_t fallen;
    grog_transition_run run[GROG_ABREAST];
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

/* Runs the procedure through the cache and counts outcomes.  -1: all is done; -2: a run threw more than `most` times; else the
 * run whose result has no transition yet: when that is stored, the run goes on. */
static inline __attribute__((always_inline)) int32_t grog_walk_by(
    const grog_transitions *memo, grog_walking *all, int64_t most,
    int32_t (*hits)(uint64_t *state, int32_t n, uint32_t faces, int32_t limit)) {
    uint64_t dice = all->dice;
    for (;;) {
        int32_t busy = 0;
        for (int32_t k = 0; !all->fallen && k < GROG_ABREAST; k++) {
            grog_transition_run *run = &all->run[k];
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
            grog_transition_run *run = &all->run[k];
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

static int32_t grog_transitions_walk_plain(const grog_transitions *memo, grog_walking *all, int64_t most) {
    return grog_walk_by(memo, all, most, grog_hits);
}

#ifdef GROG_WIDE_HITS
GROG_WIDE_HITS static int32_t grog_transitions_walk_wide(const grog_transitions *memo, grog_walking *all, int64_t most) {
    return grog_walk_by(memo, all, most, grog_hits_wide);
}

GROG_WIDEST_HITS static int32_t grog_transitions_walk_widest(const grog_transitions *memo, grog_walking *all, int64_t most) {
    return grog_walk_by(memo, all, most, grog_hits_widest);
}
#endif

static inline int32_t grog_transitions_walk(const grog_transitions *memo, grog_walking *all, int64_t most) {
#ifdef GROG_WIDE_HITS
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("popcnt"))
        return grog_transitions_walk_widest(memo, all, most);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) return grog_transitions_walk_wide(memo, all, most);
#endif
    return grog_transitions_walk_plain(memo, all, most);
}

/* Lets the result with this number fall where the node's cells stand; 0 without memory.  `classes`: for each class of
 * faces of a pool the face that stands for it. */
static inline int32_t grog_put_result(const grog_chance *all, grog_ctx *ctx, const grog_transitions *memo, int32_t place,
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
