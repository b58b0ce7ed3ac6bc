/* Spaces of places: what is laid out once per map, neighbours, and which space a place belongs to. */
#ifndef GROGNARD_SPACES_H
#define GROGNARD_SPACES_H

#include "geometry.h"
#include "context.h"

/* ---- spaces: interpreter/map_queries.py documents the meaning of queries ---- */

GROG_COLD static const grog_space *grog_other_space(const grog_ctx *ctx, int32_t place) {
    const grog_space *space = ctx->data->spaces, *end = space + ctx->data->space_count;
    for (; space < end; space++)
        if ((uint64_t)((int64_t)place - space->base) < (uint64_t)space->n) return space;
    return NULL;
}

/* Most places lie in the first space.  A program without spaces has an empty one. */
static inline const grog_space *grog_space_of(const grog_ctx *ctx, int32_t place) {
    const grog_space *first = ctx->data->spaces;
    if (GROG_LIKELY((uint64_t)((int64_t)place - first->base) < (uint64_t)first->n)) return first;
    return place == GROG_NONE ? NULL : grog_other_space(ctx, place);
}

/* Works out by how much boards are shifted; 0 without memory. */
static inline int32_t grog_space_shifts(grog_space *space) {
    space->board_words = 0;
    space->shift = (grog_board_shift *)calloc((size_t)space->sides + 1, sizeof(grog_board_shift));
    if (!space->shift) return 0;
    if (!space->sides || space->n > 64 * GROG_BOARD_WORDS) return 1;
    for (int64_t d = 0; d < space->sides; d++) {
        grog_board_shift *shift = &space->shift[d];
        int64_t kinds = 0;
        for (int64_t place = 0; place < space->n; place++) {
            int32_t there = space->map.neighbours[space->sides * place + d];
            if (there == GROG_NONE) continue;
            int64_t kind = 0;
            while (kind < kinds && shift->by[kind] != there - place) kind++;
            if (kind == 2) return 1;
            if (kind == kinds) shift->by[kinds++] = there - place;
            shift->from[kind].w[place >> 6] |= UINT64_C(1) << (place & 63);
        }
    }
    space->board_words = space->n <= 64 ? 1 : GROG_BOARD_WORDS;
    return 1;
}

/* Lays out what lies in all directions of each place; 0 without memory. */
static inline int32_t grog_space_rays(grog_space *space) {
    space->rays = NULL;
    if (space->sides < 1 || space->sides > GROG_DIRECTIONS || space->n > 64 * GROG_BOARD_WORDS) return 1;
    space->rays = (grog_rays *)calloc((size_t)space->n + 1, sizeof(grog_rays));
    if (!space->rays) return 0;
    for (int64_t from = 0; from < space->n; from++)
        for (int64_t d = 0; d < space->sides; d++) {
            int32_t place = (int32_t)from;
            for (int32_t far = 0; far < GROG_FAR; far++) {
                place = space->map.neighbours[space->sides * place + d];
                if (place == GROG_NONE) break;
                space->rays[from].there[far] |= UINT32_C(1) << d;
                space->rays[from].place[far][d] = (uint16_t)place;
            }
        }
    return 1;
}

/* A neighbour lies where its direction says, as far as the data do; those that do not are looked for. */
static inline void grog_space_directions(grog_space *space) {
    for (int32_t i = 0; i < 9; i++) space->toward[i] = GROG_NONE;
    for (int64_t i = 0; i < space->sides * space->n; i++) {
        int32_t to = space->map.neighbours[i];
        if (to == GROG_NONE) continue;
        int64_t q = (int64_t)space->map.q[to] - space->map.q[i / space->sides] + 1;
        int64_t r = (int64_t)space->map.r[to] - space->map.r[i / space->sides] + 1;
        if (q >= 0 && q <= 2 && r >= 0 && r <= 2) space->toward[3 * q + r] = (int32_t)(i % space->sides);
    }
    if (!space->sides || !space->side_edge) return;
    space->edge_toward = (int32_t *)malloc(4 * (size_t)(9 * space->n + 1));
    for (int64_t i = 0; space->edge_toward && i < 9 * space->n; i++) {
        int32_t d = space->toward[i % 9], local = d == GROG_NONE ? -1 : space->side_edge[space->sides * (i / 9) + d];
        /* Places that do not lie where their direction says are looked for among all neighbours. */
        int32_t to = d == GROG_NONE ? GROG_NONE : space->map.neighbours[space->sides * (i / 9) + d];
        int32_t there = to != GROG_NONE && 3 * (space->map.q[to] - space->map.q[i / 9] + 1) + space->map.r[to] -
                                                   space->map.r[i / 9] + 1 == i % 9;
        space->edge_toward[i] = there && local >= 0 ? space->edge_base + local : GROG_NONE;
    }
}

GROG_COLD static int32_t grog_side_towards(const grog_space *space, int64_t from, int64_t local) {
    const int32_t *around = space->map.neighbours + space->sides * from;
    for (int32_t d = 0; d < space->sides; d++)
        if (around[d] == local) return d;
    return GROG_NONE;
}

static inline int32_t grog_hex_towards(const grog_space *space, int32_t a, int32_t b) {
    int64_t from = a - space->base, local = (int64_t)b - space->base;
    if ((uint64_t)local >= (uint64_t)space->n) return GROG_NONE;
    /* Neighbours follow the coordinates: most pairs are further apart. */
    const int32_t *q = space->map.q, *r = space->map.r;
    uint32_t along = (uint32_t)(q[local] - q[from] + 1), across = (uint32_t)(r[local] - r[from] + 1);
    if (along > 2 || across > 2) return GROG_NONE;
    int32_t d = space->toward[3 * along + across];
    if (GROG_LIKELY(d != GROG_NONE && space->map.neighbours[space->sides * from + d] == local)) return d;
    return grog_side_towards(space, from, local);
}

/* The place in `adjacent` where b is listed as adjacent to a, -1 if it is not. */
static inline int32_t grog_area_entry(const grog_space *space, int32_t a, int32_t b) {
    int64_t local = (int64_t)b - space->base;
    for (int32_t i = space->start[a - space->base]; i < space->start[a - space->base + 1]; i++)
        if (space->adjacent[i] == local) return i;
    return -1;
}

static inline int32_t grog_is_beside(const grog_space *space, int32_t a, int32_t b) {
    return space->sides ? grog_hex_towards(space, a, b) != GROG_NONE : grog_area_entry(space, a, b) >= 0;
}

/* Which places are adjacent is asked so often that on maps of a usual size it is written down for all pairs. */
enum { GROG_NEAR_PLACES = 1024 };
static inline void grog_space_near(grog_space *space) {
    int64_t n = space->n;
    space->near_bits = n > GROG_NEAR_PLACES ? NULL : (uint64_t *)calloc((size_t)(n * n / 64 + 1), sizeof(uint64_t));
    for (int64_t from = 0; space->near_bits && from < n; from++)
        for (int64_t i = space->ring_start[from]; i < space->ring_start[from + 1]; i++) {
            int64_t at = from * n + space->ring[i];
            uint64_t beside = (uint64_t)grog_is_beside(space, (int32_t)(from + space->base), (int32_t)(space->ring[i] + space->base));
            space->near_bits[at >> 6] |= beside << (at & 63);
        }
}

/* Steps from an area to all others into out, which has room for 2 n cells (the second half is the queue). */
static inline void grog_area_steps(const grog_space *space, int32_t start, int32_t *out) {
    int32_t *queue = out + space->n, head = 0, tail = 0;
    for (int32_t i = 0; i < space->n; i++) out[i] = GROG_NONE;
    out[start] = 0;
    queue[tail++] = start;
    while (head < tail) {
        int32_t area = queue[head++];
        for (int32_t i = space->start[area]; i < space->start[area + 1]; i++) {
            int32_t z = space->adjacent[i];
            if (out[z] == GROG_NONE) {
                out[z] = out[area] + 1;
                queue[tail++] = z;
            }
        }
    }
}

/* Areas have no coordinates: how far they are apart is written down, as long as they are not too many. */
enum { GROG_APART_PLACES = 512 };
static inline void grog_space_apart(grog_space *space) {
    int64_t n = space->n;
    if (space->sides || n > GROG_APART_PLACES) return;
    int32_t *steps = (int32_t *)malloc(sizeof(int32_t) * (size_t)(2 * n + 1));
    space->apart = steps ? (int16_t *)malloc(sizeof(int16_t) * (size_t)(n * n + 1)) : NULL;
    for (int64_t from = 0; space->apart && from < n; from++) {
        grog_area_steps(space, (int32_t)from, steps);
        for (int64_t to = 0; to < n; to++)
            space->apart[from * n + to] = (int16_t)(steps[to] == GROG_NONE ? -1 : steps[to]);
    }
    free(steps);
}

/* Lays out the neighbours of all places; 0 without memory. */
static inline int32_t grog_space_prepare(grog_space *space) {
    const int32_t *around = space->sides ? space->map.neighbours : space->adjacent;
    int64_t entries = space->sides ? space->sides * space->n : space->start[space->n], at = 0;
    space->ring_start = (int64_t *)malloc(sizeof(int64_t) * (size_t)(space->n + 1));
    space->ring = (int32_t *)malloc(4 * (size_t)(entries + 1));
    space->ring_side = (int32_t *)malloc(4 * (size_t)(entries + 1));
    space->beside = (int32_t *)malloc(4 * (size_t)(entries + 1));
    if (!space->ring_start || !space->ring || !space->ring_side || !space->beside) return 0;
    for (int64_t i = 0; i < entries; i++)
        space->beside[i] = around[i] == GROG_NONE ? GROG_NONE : (int32_t)(around[i] + space->base);
    for (int64_t place = 0; place < space->n; place++) {
        int64_t from = space->sides ? space->sides * place : space->start[place];
        int64_t to = space->sides ? from + space->sides : space->start[place + 1];
        space->ring_start[place] = at;
        for (int64_t i = from; i < to; i++) {
            if (around[i] == GROG_NONE) continue;
            space->ring[at] = around[i];
            space->ring_side[at++] = space->sides ? (int32_t)(i - from) : GROG_NONE;
        }
    }
    space->ring_start[space->n] = at;
    grog_space_directions(space);
    grog_space_near(space);
    grog_space_apart(space);
    return grog_space_shifts(space) && grog_space_rays(space);
}

static inline void grog_space_release(grog_space *space) {
    free(space->ring_start);
    free(space->ring);
    free(space->ring_side);
    free(space->beside);
    free(space->shift);
    free(space->rays);
    free(space->edge_toward);
    free(space->near_bits);
    free(space->apart);
}

/* A loop over the neighbours of a place. */
typedef struct grog_around {
    int64_t count;
    int32_t base;
    const int32_t *place, *side;
} grog_around;

static inline grog_around grog_around_of(const grog_ctx *ctx, int32_t place) {
    grog_around all = {0, 0, NULL, NULL};
    const grog_space *space = grog_space_of(ctx, place);
    if (GROG_LIKELY(space != NULL)) {
        int64_t from = space->ring_start[place - space->base];
        all.count = space->ring_start[place - space->base + 1] - from;
        all.base = (int32_t)space->base;
        all.place = space->ring + from;
        all.side = space->ring_side + from;
    }
    return all;
}

static inline const grog_space *grog_hexes_of(const grog_ctx *ctx, int32_t place) {
    const grog_space *space = grog_space_of(ctx, place);
    return space && space->hexes ? space : NULL;
}

/* The hex map that both places belong to. */
static inline const grog_space *grog_hexes_of_both(const grog_ctx *ctx, int32_t a, int32_t b) {
    const grog_space *space = grog_hexes_of(ctx, a);
    return space && (uint64_t)((int64_t)b - space->base) < (uint64_t)space->n ? space : NULL;
}

/* The grid, of hexes or squares, that the place belongs to. */
static inline const grog_space *grog_grid_of(const grog_ctx *ctx, int32_t place) {
    const grog_space *space = grog_space_of(ctx, place);
    return space && space->sides ? space : NULL;
}

static inline int32_t grog_shift(int32_t local, int64_t base) {
    return local == GROG_NONE ? GROG_NONE : (int32_t)(local + base);
}

#endif
