/* Movement: the least cost of reaching places (Dijkstra), as interpreter/reachability.py does it. */
#ifndef GROGNARD_MOVEMENT_H
#define GROGNARD_MOVEMENT_H

#include "geometry.h"
#include "context.h"
#include "budget.h"
#include "memo.h"
#include "arith.h"
#include "spaces.h"

/* ---- movement: as in interpreter/reachability.py ---- */

typedef struct grog_label {
    int64_t cost;
    int32_t place, stopped;
} grog_label;

/* A search.  Places of the space have a slot each; the start has one more if it lies outside. */
typedef struct grog_search {
    int64_t base, count;
    int32_t start;
    int64_t *label;   /* 2 per slot: least cost so far, free and stopped; -1: none */
    int64_t *reached; /* per slot: least cost, -1: none */
    uint8_t *settled; /* per slot: bit 0 free, bit 1 stopped */
    grog_label *heap;
    int64_t heap_count, heap_room;
    int32_t place; /* what the last pop settled */
    int64_t spent;
    int64_t opened; /* whether there was a place to start from */
    int64_t room;   /* slots that there is room for */
    int64_t begun;  /* steps that were left before it */
    int64_t *used;  /* per slot: the steps it took until the place was reached; of searches that are kept only */
    int64_t keeps;
} grog_search;

/* A memoised search for all that can be reached: by the epoch of its movement's validity, as values are. */
enum { GROG_MEMO_SEARCHES = 8 };
typedef struct grog_memo_search {
    uint64_t epoch; /* 0: nothing is here */
    int32_t movement, a, b;
    int64_t steps;
    int64_t busy; /* how many use it */
    grog_search search;
} grog_memo_search;

static inline int64_t grog_search_slot(const grog_search *q, int32_t place) {
    int64_t slot = (int64_t)place - q->base;
    return (uint64_t)slot < (uint64_t)q->count ? slot : q->count;
}

static inline int32_t grog_label_less(const grog_label *a, const grog_label *b) {
    if (a->cost != b->cost) return a->cost < b->cost;
    if (a->place != b->place) return a->place < b->place;
    return a->stopped < b->stopped;
}

static inline void grog_search_close(grog_search *q) {
    free(q->label);
    free(q->reached);
    free(q->settled);
    free(q->heap);
    free(q->used);
    q->label = q->reached = q->used = NULL;
    q->settled = NULL;
    q->heap = NULL;
    q->heap_count = q->heap_room = q->room = q->opened = 0;
}

/* A search that is not memoised. */
static inline void grog_search_blank(grog_search *q) { memset(q, 0, sizeof *q); }

/* Offers a way into a place; the search keeps it if it is better than the one it knows. */
static inline void grog_search_offer(grog_ctx *ctx, grog_search *q, int32_t place, int32_t stopped, int64_t cost) {
    int64_t *label = &q->label[2 * grog_search_slot(q, place) + stopped];
    if (*label >= 0 && *label <= cost) return;
    if (q->heap_count == q->heap_room) {
        int64_t room = 2 * q->heap_room + 64;
        grog_label *grown = (grog_label *)realloc(q->heap, sizeof(grog_label) * (size_t)room);
        if (!grown) {
            grog_fail(ctx, GROG_FAIL_BUDGET, -1);
            return;
        }
        q->heap = grown;
        q->heap_room = room;
    }
    *label = cost;
    grog_label made = {cost, place, stopped};
    int64_t at = q->heap_count++;
    while (at > 0 && grog_label_less(&made, &q->heap[(at - 1) / 2])) {
        q->heap[at] = q->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    q->heap[at] = made;
}

static inline void grog_search_open(grog_ctx *ctx, grog_search *q, int32_t start, int64_t base, int64_t count,
                                    int32_t site) {
    q->base = base;
    q->count = count;
    q->start = start;
    q->heap_count = q->opened = 0;
    if (start == GROG_NONE || ctx->fail) return;
    if (!grog_space_of(ctx, start)) {
        grog_bad_index(ctx, start, site);
        return;
    }
    size_t slots = (size_t)count + 1;
    if (q->room <= count) {
        grog_search_close(q);
        q->label = (int64_t *)malloc(slots * 2 * sizeof(int64_t));
        q->reached = (int64_t *)malloc(slots * sizeof(int64_t));
        q->settled = (uint8_t *)malloc(slots);
        if (q->keeps) q->used = (int64_t *)malloc(slots * sizeof(int64_t));
        if (!q->label || !q->reached || !q->settled || (q->keeps && !q->used)) {
            grog_search_close(q);
            grog_fail(ctx, GROG_FAIL_BUDGET, site);
            return;
        }
        q->room = count + 1;
    }
    q->opened = 1;
    memset(q->settled, 0, slots);
    memset(q->label, 0xff, slots * 2 * sizeof(int64_t));
    memset(q->reached, 0xff, slots * sizeof(int64_t));
    grog_search_offer(ctx, q, start, 0, 0);
}

/* Settles the next place that can be gone on from, or is the target; 0 when the search is over. */
static inline int32_t grog_search_next(grog_ctx *ctx, grog_search *q, int32_t target) {
    while (q->heap_count > 0 && !ctx->fail) {
        grog_label top = q->heap[0], last = q->heap[--q->heap_count];
        int64_t at = 0, child;
        while ((child = 2 * at + 1) < q->heap_count) {
            if (child + 1 < q->heap_count && grog_label_less(&q->heap[child + 1], &q->heap[child])) child++;
            if (!grog_label_less(&q->heap[child], &last)) break;
            q->heap[at] = q->heap[child];
            at = child;
        }
        q->heap[at] = last;
        int64_t slot = grog_search_slot(q, top.place);
        if (q->settled[slot] >> top.stopped & 1) continue;
        q->settled[slot] |= (uint8_t)(1 << top.stopped);
        if (q->reached[slot] < 0) {
            q->reached[slot] = top.cost;
            if (q->keeps) q->used[slot] = q->begun - ctx->steps;
        }
        if (top.place == target) return 0;
        if (top.stopped) continue;
        q->place = top.place;
        q->spent = top.cost;
        return 1;
    }
    return 0;
}

/* Whether the search wants to know of a way into the place. */
static inline int32_t grog_search_wants(const grog_search *q, int32_t place) {
    int64_t slot = (int64_t)place - q->base;
    return (uint64_t)slot < (uint64_t)q->count && !(q->settled[slot] & 1);
}

/* What was spent so far, as a rule can read it. */
static inline int32_t grog_search_spent(grog_ctx *ctx, const grog_search *q, int32_t site) {
    return grog_total(ctx, q->spent, site);
}

/* Whether a step of that price is within the allowance; prices below 0 fail. */
static inline int32_t grog_search_pays(grog_ctx *ctx, const grog_search *q, int32_t price, int32_t allowance,
                                       int32_t minimum, int32_t site) {
    if (price == GROG_NONE || ctx->fail) return 0;
    if (price < 0) {
        grog_fail1(ctx, GROG_FAIL_RANGE, site, price);
        return 0;
    }
    return allowance == GROG_NONE || q->spent + price <= allowance || (minimum && q->place == q->start);
}

/* The least cost of getting to a place, -1 if it was not reached. */
static inline int64_t grog_search_cost(const grog_search *q, int32_t place) {
    int64_t slot = grog_search_slot(q, place);
    return slot < q->count || place == q->start ? q->reached[slot] : -1;
}

/* A memoised search for all places, or NULL.  It takes the steps that a search for the target
 * would take, which goes the same ways and ends when the target is reached; without a target, those of all of it. */
static inline grog_search *grog_search_find(grog_ctx *ctx, int32_t movement, int32_t validity, int32_t a, int32_t b,
                                              int32_t target) {
    if (ctx->memo_mode < GROG_MEMO_COSTLY || !ctx->searches || ctx->fail || ctx->depth > GROG_CALL_DEPTH - GROG_CALLS_DOWN) return NULL;
    uint64_t epoch = grog_epoch_of(ctx, validity);
    for (int32_t i = 0; i < GROG_MEMO_SEARCHES; i++) {
        grog_memo_search *at = &ctx->searches[i];
        if (at->epoch != epoch || at->movement != movement || at->a != a || at->b != b) continue;
        grog_search *q = &at->search;
        int64_t steps = at->steps;
        if (target != GROG_NONE && q->opened && grog_search_cost(q, target) >= 0) steps = q->used[grog_search_slot(q, target)];
        if (steps > ctx->steps) return NULL;
        ctx->steps -= steps;
        at->busy++;
        return q;
    }
    return NULL;
}

/* Room for a search for all places: in the memo, else the caller's own. */
static inline grog_search *grog_search_room(grog_ctx *ctx, grog_search *own) {
    grog_search_blank(own);
    if (ctx->memo_mode < GROG_MEMO_COSTLY) return own;
    if (!ctx->searches) ctx->searches = (grog_memo_search *)calloc(GROG_MEMO_SEARCHES, sizeof(grog_memo_search));
    if (!ctx->searches) return own;
    for (int32_t i = 0; i < GROG_MEMO_SEARCHES; i++) {
        grog_memo_search *at = &ctx->searches[ctx->search_next++ % GROG_MEMO_SEARCHES];
        if (at->busy) continue;
        at->epoch = 0;
        at->busy = 1;
        at->search.keeps = 1;
        at->search.begun = ctx->steps;
        return &at->search;
    }
    return own;
}

static inline grog_memo_search *grog_memo_search_of(grog_search *q) {
    return (grog_memo_search *)((char *)q - offsetof(grog_memo_search, search));
}

static inline void grog_search_store(grog_ctx *ctx, grog_search *q, int32_t movement, int32_t validity, int32_t a, int32_t b) {
    if (!q->keeps || ctx->fail) return;
    grog_memo_search *at = grog_memo_search_of(q);
    at->epoch = grog_epoch_of(ctx, validity);
    at->movement = movement;
    at->a = a;
    at->b = b;
    at->steps = q->begun - ctx->steps;
}

/* The search is no longer in use. */
static inline void grog_search_done(grog_search *q) {
    if (q->keeps)
        grog_memo_search_of(q)->busy--;
    else
        grog_search_close(q);
}

/* The k-th place of all that might be reached, in order of place numbers: 0 <= k <= count. */
static inline int32_t grog_search_place(const grog_search *q, int64_t k, int64_t *slot) {
    int64_t outside = grog_search_slot(q, q->start) == q->count, first = outside && q->start < q->base;
    *slot = first ? (k == 0 ? q->count : k - 1) : k;
    return *slot == q->count ? q->start : (int32_t)(q->base + *slot);
}

#endif
