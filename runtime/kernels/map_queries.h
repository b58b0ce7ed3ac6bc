/* Questions about maps that rules ask: distances, directions, arcs, lines. */
#ifndef GROGNARD_MAP_QUERIES_H
#define GROGNARD_MAP_QUERIES_H

#include "geometry.h"
#include "context.h"
#include "arena.h"
#include "spaces.h"

/* King's moves between two squares, in local numbers. */
static inline int32_t grog_square_distance(const grog_space *space, int32_t a, int32_t b) {
    int32_t across = abs(space->map.q[a] - space->map.q[b]), down = abs(space->map.r[a] - space->map.r[b]);
    return across > down ? across : down;
}

/* The neighbour of a place of a grid, in local numbers. */
static inline int32_t grog_beside(const grog_space *space, int32_t a, int32_t d) {
    return (uint32_t)d < (uint32_t)space->sides ? space->map.neighbours[space->sides * a + d] : GROG_NONE;
}

/* Steps between squares or areas. */
static __attribute__((noinline, unused)) int32_t grog_steps_apart(grog_ctx *ctx, int32_t a, int32_t b) {
    const grog_space *space = grog_space_of(ctx, a);
    if (!space || grog_space_of(ctx, b) != space) return GROG_NONE;
    if (space->sides) return grog_square_distance(space, a - space->base, b - space->base);
    if (GROG_LIKELY(space->apart != NULL)) {
        int32_t far = space->apart[(a - space->base) * space->n + (b - space->base)];
        return far < 0 ? GROG_NONE : far;
    }
    int32_t *mark = grog_mark(ctx), *steps = grog_alloc(ctx, 2 * (int64_t)space->n);
    if (!steps) {
        grog_fail(ctx, GROG_FAIL_BUDGET, -1);
        return GROG_NONE;
    }
    grog_area_steps(space, a - space->base, steps);
    int32_t found = steps[b - space->base];
    grog_release(ctx, mark);
    return found;
}

static inline int32_t grog_v_distance(grog_ctx *ctx, int32_t a, int32_t b) {
    const grog_space *space = grog_hexes_of_both(ctx, a, b);
    if (GROG_UNLIKELY(!space)) return grog_steps_apart(ctx, a, b);
    const int32_t *q = space->map.q, *r = space->map.r;
    int64_t from = a - space->base, to = b - space->base;
    return grog_axial_distance(q[to] - q[from], r[to] - r[from]);
}

static inline int32_t grog_v_adjacent(grog_ctx *ctx, int32_t a, int32_t b) {
    const grog_space *space = grog_space_of(ctx, a);
    if (!space || b == GROG_NONE) return 0;
    if (GROG_UNLIKELY(!space->near_bits)) return grog_is_beside(space, a, b);
    int64_t local = (int64_t)b - space->base, at = (a - space->base) * space->n + local;
    return (uint64_t)local < (uint64_t)space->n && space->near_bits[at >> 6] >> (at & 63) & 1;
}

static inline int32_t grog_v_neighbour(grog_ctx *ctx, int32_t a, int32_t d) {
    const grog_space *space = grog_grid_of(ctx, a);
    if (!space || (uint64_t)(int64_t)d >= (uint64_t)space->sides) return GROG_NONE;
    return space->beside[space->sides * (a - space->base) + d];
}

static inline int32_t grog_v_direction(grog_ctx *ctx, int32_t a, int32_t b) {
    const grog_space *space = grog_grid_of(ctx, a);
    return space ? grog_hex_towards(space, a, b) : GROG_NONE;
}

/* Direction of the row, column or diagonal between two squares; rows count downwards. */
static inline int32_t grog_square_straight(const grog_space *space, int32_t a, int32_t b) {
    static const int32_t OF_STEP[9] = {7, 0, 1, 6, GROG_NONE, 2, 5, 4, 3};
    int32_t dq = space->map.q[b] - space->map.q[a], dr = space->map.r[b] - space->map.r[a];
    if (dq && dr && abs(dq) != abs(dr)) return GROG_NONE;
    return OF_STEP[3 * ((dr > 0) - (dr < 0) + 1) + (dq > 0) - (dq < 0) + 1];
}

static inline int32_t grog_v_straight(grog_ctx *ctx, int32_t a, int32_t b) {
    const grog_space *space = grog_grid_of(ctx, a);
    if (!space || grog_space_of(ctx, b) != space) return GROG_NONE;
    if (space->hexes) return grog_straight(&space->map, a - space->base, b - space->base);
    return grog_square_straight(space, a - space->base, b - space->base);
}

static inline int32_t grog_v_toward(grog_ctx *ctx, int32_t a, int32_t d, int32_t n) {
    const grog_space *space = grog_grid_of(ctx, a);
    if (!space || (uint64_t)(int64_t)d >= (uint64_t)space->sides || n < 0) return GROG_NONE;
    const int32_t *beside = space->beside + d;
    while (n-- > 0 && a != GROG_NONE) a = beside[space->sides * (a - space->base)];
    return a;
}

static inline int32_t grog_v_turned(grog_ctx *ctx, int32_t d, int32_t steps) {
    int64_t turns = ctx->data->turns;
    if (steps == GROG_NONE || (uint64_t)(int64_t)d >= (uint64_t)turns) return GROG_NONE;
    int64_t turned = (int64_t)d + steps;
    /* Mostly it is less than one turn, for which a division is expensive. */
    if (GROG_UNLIKELY((uint64_t)(turned + turns) >= (uint64_t)(3 * turns))) turned %= turns;
    return (int32_t)(turned < 0 ? turned + turns : turned >= turns ? turned - turns : turned);
}

static inline int32_t grog_v_opposite(grog_ctx *ctx, int32_t d) {
    return grog_v_turned(ctx, d, (int32_t)(ctx->data->turns / 2));
}

static inline int32_t grog_v_turns_between(grog_ctx *ctx, int32_t d, int32_t e) {
    int64_t turns = ctx->data->turns;
    if ((uint64_t)(int64_t)d >= (uint64_t)turns || (uint64_t)(int64_t)e >= (uint64_t)turns) return GROG_NONE;
    int32_t apart = abs(d - e);
    return apart <= turns / 2 ? apart : (int32_t)turns - apart;
}

static inline int32_t grog_v_arc_place(grog_ctx *ctx, int32_t a, int32_t facing, int32_t degrees, int32_t b) {
    const grog_space *space = grog_hexes_of_both(ctx, a, b);
    if (!space || facing == GROG_NONE || degrees == GROG_NONE) return GROG_NONE;
    if (!grog_is_direction(facing)) return 0;
    const int32_t *q = space->map.q, *r = space->map.r;
    int64_t from = a - space->base, to = b - space->base;
    return grog_arc_towards(&space->map, q[to] - q[from], r[to] - r[from], 4 * facing, degrees);
}

static inline int32_t grog_edge_at(const grog_space *space, int64_t entry) {
    int32_t local = space->side_edge[entry];
    return local < 0 ? GROG_NONE : space->edge_base + local;
}

static inline int32_t grog_v_hexside(grog_ctx *ctx, int32_t a, int32_t b) {
    const grog_space *space = grog_space_of(ctx, a);
    if (!space || !space->side_edge || b == GROG_NONE) return GROG_NONE;
    int64_t from = a - space->base, local = (int64_t)b - space->base;
    if (GROG_LIKELY(space->edge_toward != NULL && (uint64_t)local < (uint64_t)space->n)) {
        const int32_t *q = space->map.q, *r = space->map.r;
        uint32_t along = (uint32_t)(q[local] - q[from] + 1), across = (uint32_t)(r[local] - r[from] + 1);
        if (along > 2 || across > 2) return GROG_NONE;
        int32_t edge = space->edge_toward[9 * from + 3 * along + across];
        if (GROG_LIKELY(edge != GROG_NONE)) return edge;
    }
    if (space->sides) {
        int32_t d = grog_hex_towards(space, a, b);
        return d == GROG_NONE ? GROG_NONE : grog_edge_at(space, space->sides * (int64_t)(a - space->base) + d);
    }
    int32_t entry = grog_area_entry(space, a, b);
    return entry < 0 ? GROG_NONE : grog_edge_at(space, entry);
}

static inline int32_t grog_v_side_of(grog_ctx *ctx, int32_t a, int32_t d) {
    const grog_space *space = grog_grid_of(ctx, a);
    if (!space || (uint32_t)d >= (uint32_t)space->sides || !space->side_edge) return GROG_NONE;
    return grog_edge_at(space, space->sides * (int64_t)(a - space->base) + d);
}

static inline const grog_space *grog_space_of_edge(const grog_ctx *ctx, int32_t edge) {
    const grog_space *space = ctx->data->spaces, *end = space + ctx->data->space_count;
    for (; space < end; space++)
        if ((uint64_t)((int64_t)edge - space->edge_base) < (uint64_t)space->edges) return space;
    return NULL;
}

static inline int32_t grog_v_edge_end(grog_ctx *ctx, int32_t edge, int32_t which) {
    const grog_space *space = grog_space_of_edge(ctx, edge);
    if (!space || (which != 0 && which != 1)) return GROG_NONE;
    return space->base + (which ? space->edge_b : space->edge_a)[edge - space->edge_base];
}

static inline int32_t grog_v_last_side(grog_ctx *ctx, int32_t a, int32_t b) {
    const grog_space *space = grog_hexes_of_both(ctx, a, b);
    if (!space) return GROG_NONE;
    const grog_map *map = &space->map;
    int32_t from = a - space->base, to = b - space->base, count = 0, kind, first, second;
    const grog_item *list = grog_line_table(map, from, to, 0, &count);
    if (GROG_LIKELY(list != NULL)) {
        if (count < 2) return GROG_NONE;
        kind = list[count - 2].kind;
        first = map->grid[grog_grid_place(map, from) + list[count - 2].first];
    } else if (!grog_line_item(map, from, to, grog_line_len(map, from, to) - 2, &kind, &first, &second)) {
        return GROG_NONE;
    }
    if (kind != GROG_CELL || first == GROG_NONE) return GROG_NONE;
    return grog_v_hexside(ctx, first + space->base, b);
}

static inline int32_t grog_v_domain_of(grog_ctx *ctx, int32_t place) {
    return (uint64_t)(int64_t)place < (uint64_t)ctx->data->place_count ? ctx->data->place_domain[place] : GROG_NONE;
}

static inline int32_t grog_v_popcount(grog_ctx *ctx, int32_t word) {
    return (void)ctx, word == GROG_NONE ? GROG_NONE : __builtin_popcount((uint32_t)word);
}

#endif
