/* Places that loops run over: neighbours, ranges, lines, rays. */
#ifndef GROGNARD_MAP_SOURCES_H
#define GROGNARD_MAP_SOURCES_H

#include "geometry.h"
#include "context.h"
#include "arena.h"
#include "sets.h"
#include "spaces.h"
#include "map_queries.h"

/* ---- places that loops run over: a buffer in the arena, its first cell their number ---- */

static inline int32_t *grog_places(grog_ctx *ctx, int64_t room) {
    int32_t *out = grog_alloc(ctx, room + 1);
    if (GROG_UNLIKELY(!out)) {
        grog_fail(ctx, GROG_FAIL_BUDGET, -1);
        out = ctx->spare;
    }
    out[0] = 0;
    return out;
}

static inline const int32_t *grog_o_neighbours(grog_ctx *ctx, int32_t a) {
    const grog_space *space = grog_space_of(ctx, a);
    if (!space) return grog_places(ctx, 0);
    int32_t at = a - space->base, n = 0;
    int32_t from = space->sides ? space->sides * at : space->start[at];
    int32_t to = space->sides ? from + space->sides : space->start[at + 1];
    const int32_t *around = space->sides ? space->map.neighbours : space->adjacent;
    int32_t *out = grog_places(ctx, to - from);
    if (ctx->fail) return out;
    for (int32_t i = from; i < to; i++)
        if (around[i] != GROG_NONE) out[++n] = around[i] + space->base;
    out[0] = n;
    return out;
}

static inline const int32_t *grog_o_within(grog_ctx *ctx, int32_t a, int32_t n) {
    const grog_space *space = n == GROG_NONE ? NULL : grog_space_of(ctx, a);
    if (!space) return grog_places(ctx, 0);
    if (space->hexes) {
        int32_t *out = grog_places(ctx, space->n);
        if (ctx->fail) return out;
        out[0] = grog_within(&space->map, a - space->base, n, out + 1);
        for (int32_t i = 1; i <= out[0]; i++) out[i] += space->base;
        return out;
    }
    int32_t *out = grog_places(ctx, 3 * (int64_t)space->n), *steps = out + 1 + space->n;
    if (ctx->fail) return out;
    if (space->sides) {
        for (int32_t i = 0; i < space->n; i++)
            if (grog_square_distance(space, a - space->base, i) <= n) out[++out[0]] = i + space->base;
        return out;
    }
    grog_area_steps(space, a - space->base, steps);
    for (int32_t i = 0; i < space->n; i++)
        if (steps[i] != GROG_NONE && steps[i] <= n) out[++out[0]] = i + space->base;
    return out;
}

/* The exact line, item by item (or the hexsides that it meets).  The hexes are offsets from the line's first hex in
 * the map's grid. */
typedef struct grog_line {
    int64_t count, base;
    const grog_item *item;
    const int32_t *at; /* the grid, from the line's first hex on */
} grog_line;

/* A line that is not in the table of lines: its items are laid out in the arena. */
GROG_COLD static void grog_line_walked(grog_ctx *ctx, const grog_map *map, int32_t from, int32_t to,
                                       int32_t crossings, grog_line *line) {
    int64_t items = grog_told_len(map, from, to, crossings), n = 0;
    grog_item *out = (grog_item *)grog_alloc(ctx, items * (int64_t)(sizeof(grog_item) / 4));
    grog_walk w;
    if (!out) {
        grog_fail(ctx, GROG_FAIL_BUDGET, -1);
        return;
    }
    grog_walk_start(&w, map->q[to] - map->q[from], map->r[to] - map->r[from]);
    do {
        const grog_displaced *item = crossings ? w.crossings : w.items;
        const grog_displaced *end = item + (crossings ? w.crossing_count : w.item_count);
        for (; item < end && n < items; item++, n++) {
            out[n].kind = item->kind;
            out[n].first = item->dr1 * map->width + item->dq1;
            out[n].second = item->dq2 == GROG_NONE ? GROG_NONE : item->dr2 * map->width + item->dq2;
        }
    } while (grog_walk_step(&w));
    line->item = out;
    line->count = n;
}

static inline grog_line grog_line_of(grog_ctx *ctx, int32_t a, int32_t b, int32_t crossings) {
    grog_line line = {0, 0, NULL, NULL};
    const grog_space *space = grog_hexes_of_both(ctx, a, b);
    if (!space || GROG_UNLIKELY(ctx->fail)) return line;
    const grog_map *map = &space->map;
    int32_t from = (int32_t)(a - space->base), to = (int32_t)(b - space->base), count = 0;
    line.base = space->base;
    line.at = map->grid + grog_grid_place(map, from);
    line.item = grog_line_table(map, from, to, crossings, &count);
    line.count = count;
    if (GROG_UNLIKELY(!line.item)) grog_line_walked(ctx, map, from, to, crossings, &line);
    return line;
}

static inline int32_t grog_line_first(const grog_line *line, int64_t i) {
    return grog_shift(line->at[line->item[i].first], line->base);
}

static inline int32_t grog_line_second(const grog_line *line, int64_t i) {
    int32_t second = line->item[i].second;
    return second == GROG_NONE ? GROG_NONE : grog_shift(line->at[second], line->base);
}

/* A line that is not in the table of lines: how many hexes it meets, and where they lie from its first hex on. */
GROG_COLD static int64_t grog_hexes_walked(grog_ctx *ctx, int32_t a, int32_t b, const int32_t **hexes) {
    grog_line line = grog_line_of(ctx, a, b, 0);
    int32_t *out = grog_need(ctx, ctx->fail ? 0 : 2 * line.count), n = 0;
    for (int64_t i = 0; i < line.count && !ctx->fail; i++) n += grog_item_hexes(&line.item[i], out + n);
    *hexes = out;
    return n;
}

static inline const int32_t *grog_places_of_line(grog_ctx *ctx, int32_t a, int32_t b, int32_t ends) {
    const grog_space *space = grog_hexes_of_both(ctx, a, b);
    if (!space || GROG_UNLIKELY(ctx->fail)) return grog_places(ctx, 0);
    const grog_map *map = &space->map;
    int32_t from = (int32_t)(a - space->base), to = (int32_t)(b - space->base), base = (int32_t)space->base;
    const int32_t *at = map->grid + grog_grid_place(map, from), *hexes;
    const grog_line_start *start = grog_line_entry(map, from, to);
    int64_t count;
    if (GROG_LIKELY(start != NULL)) {
        hexes = map->lines->hexes + start[0].hex;
        count = start[1].hex - start[0].hex;
    } else {
        count = grog_hexes_walked(ctx, a, b, &hexes);
    }
    int32_t *out = grog_places(ctx, count + 1), *put = out + 1;
    if (ctx->fail) return out;
    /* Each hex is put down, and kept if there is one, without a jump. */
    for (const int32_t *end = hexes + count; hexes < end; hexes++) {
        int32_t place = at[*hexes];
        *put = (int32_t)((uint32_t)place + (uint32_t)base);
        put += place != GROG_NONE;
    }
    int32_t n = (int32_t)(put - out) - 1;
    /* The ends of a line are its first and its last hex. */
    if (!ends && n && out[n] == b) n--;
    if (!ends && n && out[1] == a) out++, n--;
    out[0] = n;
    return out;
}

static inline const int32_t *grog_o_line(grog_ctx *ctx, int32_t a, int32_t b) {
    return grog_places_of_line(ctx, a, b, 1);
}

static inline const int32_t *grog_o_between(grog_ctx *ctx, int32_t a, int32_t b) {
    return grog_places_of_line(ctx, a, b, 0);
}

static inline const int32_t *grog_o_ray(grog_ctx *ctx, int32_t a, int32_t d, int32_t n) {
    const grog_space *space = grog_grid_of(ctx, a);
    if (!space || (uint32_t)d >= (uint32_t)space->sides) return grog_places(ctx, 0);
    /* The data block's neighbours follow the coordinates, so that a ray cannot meet a place twice. */
    int32_t *out = grog_places(ctx, space->n), at = a - space->base;
    if (ctx->fail) return out;
    for (; at != GROG_NONE && out[0] < n && out[0] < space->n; at = grog_beside(space, at, d))
        out[++out[0]] = at + space->base;
    return out;
}

static inline const int32_t *grog_o_edge_ends(grog_ctx *ctx, int32_t edge) {
    const grog_space *space = grog_space_of_edge(ctx, edge);
    int32_t *out = grog_places(ctx, 2);
    if (!space || ctx->fail) return out;
    out[0] = 2;
    out[1] = grog_v_edge_end(ctx, edge, 0);
    out[2] = grog_v_edge_end(ctx, edge, 1);
    return out;
}

/* Whether the cell of any member of a set holds a value (other: anything else); a loop over so many members. */
static inline int32_t grog_any_member(const int32_t *set, int64_t words, int64_t count, const int32_t *cell, int32_t value,
                                      int32_t other) {
    if (GROG_LIKELY(words == 2)) {
        for (uint64_t bits = count ? grog_set_pair(set, 2, 0) : 0; bits; bits &= bits - 1)
            if ((cell[__builtin_ctzll(bits)] == value) != other) return 1;
        return 0;
    }
    for (int64_t at = 0; count && at < words; at += 2)
        for (uint64_t bits = grog_set_pair(set, words, at); bits; bits &= bits - 1)
            if ((cell[32 * at + __builtin_ctzll(bits)] == value) != other) return 1;
    return 0;
}

#endif
