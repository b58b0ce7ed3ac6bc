/* What lies in all directions of a place, one bit for each direction. */
#ifndef GROGNARD_DIRECTION_BITS_H
#define GROGNARD_DIRECTION_BITS_H

#include "geometry.h"
#include "context.h"
#include "map_queries.h"
#include "prefilter.h"

/* ---- conditions on what lies in some direction of a place, for all directions at once ---- */

/* The rays of a place of these; NULL: the directions are asked one by one, for the same reasons as with boards. */
#define grog_has_rays(rays) __builtin_expect((rays) != NULL, 1)
static inline const grog_rays *grog_rays_of(const grog_ctx *ctx, int32_t place, int64_t base, int64_t count) {
    const grog_space *space = ctx->data->spaces;
    int64_t at = (int64_t)place - base;
    if (GROG_UNLIKELY(space->base != base || space->n != count || (uint64_t)at >= (uint64_t)count || !space->rays ||
                      ctx->level >= 2 || ctx->steps < GROG_BOARD_STEPS))
        return NULL;
    return space->rays + at;
}

/* The directions in which there is a place, so many steps away, whose cell holds the value. */
static inline uint32_t grog_directions_holding(const grog_rays *rays, int32_t steps, const int32_t *cell, int32_t value) {
    const uint16_t *at = rays->place[steps - 1];
    uint32_t found = 0;
#ifdef __SSE2__
    __m128i wanted = _mm_set1_epi32(value);
    __m128i a = _mm_set_epi32(cell[at[3]], cell[at[2]], cell[at[1]], cell[at[0]]);
    __m128i b = _mm_set_epi32(cell[at[7]], cell[at[6]], cell[at[5]], cell[at[4]]);
    a = _mm_packs_epi32(_mm_cmpeq_epi32(a, wanted), _mm_cmpeq_epi32(b, wanted));
    found = (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(a, _mm_setzero_si128()));
#else
    for (int32_t d = 0; d < GROG_DIRECTIONS; d++) found |= (uint32_t)(cell[at[d]] == value) << d;
#endif
    return found & rays->there[steps - 1];
}

typedef uint32_t grog_direction_bits;

static inline uint32_t grog_directions_all(int32_t yes) { return yes ? UINT32_MAX : 0; }

static inline uint32_t grog_directions_present(const grog_rays *rays, int32_t steps) { return rays->there[steps - 1]; }

/* The directions that are among those found when they are turned by so much. */
static inline uint32_t grog_directions_turned(const grog_ctx *ctx, uint32_t found, int32_t steps) {
    int32_t turns = (int32_t)ctx->data->turns, by = grog_v_turned((grog_ctx *)ctx, 0, steps);
    if (by == GROG_NONE) return 0;
    return (found >> by | found << (turns - by)) & ((UINT32_C(1) << turns) - 1);
}

static inline uint32_t grog_directions_opposite(const grog_ctx *ctx, uint32_t found) {
    int64_t turns = ctx->data->turns, half = turns / 2;
    return (found >> half | found << (turns - half)) & ((UINT32_C(1) << turns) - 1);
}

#endif
