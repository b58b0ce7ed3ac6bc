/* Exact lines between hexes, and sight along them. */
#ifndef GROGNARD_LINES_H
#define GROGNARD_LINES_H

#include "hexes.h"

/* ---- lines ---- */

/* An item before it is tied to a map: axial displacements from the line's first hex. */
typedef struct grog_displaced {
    int32_t kind, dq1, dr1, dq2, dr2; /* dq2 is GROG_NONE where there is no second hex */
} grog_displaced;

/* A walk along a line, hex interior by hex interior.  After grog_walk_start and after each
 * grog_walk_step, items and crossings hold what has come since the step before. */
typedef struct grog_walk {
    int32_t dq, dr, q, r;
    int32_t off;           /* three times how far (q, r) lies off the line: negative left, positive right */
    int32_t step_off[7];   /* what one step adds to that, in thirds of it */
    int32_t corner_off[6]; /* what separates corner v from the centre */
    int32_t item_count, crossing_count;
    grog_displaced items[2], crossings[5];
} grog_walk;

static inline void grog_walk_emit(grog_displaced *list, int32_t *count, int32_t kind, int32_t q1, int32_t r1,
                                  int32_t q2, int32_t r2) {
    grog_displaced *item = &list[(*count)++];
    item->kind = kind;
    item->dq1 = q1;
    item->dr1 = r1;
    item->dq2 = q2;
    item->dr2 = r2;
}

static inline void grog_walk_start(grog_walk *w, int32_t dq, int32_t dr) {
    w->dq = dq;
    w->dr = dr;
    w->q = w->r = w->off = 0;
    for (int32_t d = 0; d < 7; d++) w->step_off[d] = dq * grog_step_r[d] - dr * grog_step_q[d];
    for (int32_t v = 0; v < 6; v++) w->corner_off[v] = w->step_off[v] + w->step_off[v + 1];
    w->item_count = w->crossing_count = 0;
    grog_walk_emit(w->items, &w->item_count, GROG_CELL, 0, 0, GROG_NONE, GROG_NONE);
}

/* Goes on into the next interior; 0 if the walk had already arrived. */
static inline int32_t grog_walk_step(grog_walk *w) {
    w->item_count = w->crossing_count = 0;
    int32_t q = w->q, r = w->r;
    if (q == w->dq && r == w->dr) return 0;
    /* Clockwise round the hex, the line comes out where the corners change from its left to its right. */
    int32_t out = 0, before = w->off + w->corner_off[5];
    for (;; out++) {
        int32_t corner = w->off + w->corner_off[out];
        if (before < 0 && corner >= 0) break;
        before = corner;
    }
    int32_t lq = q + grog_step_q[out], lr = r + grog_step_r[out];
    if (w->off + w->corner_off[out] > 0) {
        grog_walk_emit(w->crossings, &w->crossing_count, GROG_SIDE, q, r, lq, lr);
        w->q = lq;
        w->r = lr;
        w->off += 3 * w->step_off[out];
    } else {
        /* Out through a corner, from which the hexside left|right leads straight away. */
        int32_t rq = q + grog_step_q[out + 1], rr = r + grog_step_r[out + 1];
        if (w->corner_off[out] == 0) {
            int32_t bq = lq + rq - q, br = lr + rr - r;
            grog_walk_emit(w->crossings, &w->crossing_count, GROG_TOUCH, q, r, lq, lr);
            grog_walk_emit(w->crossings, &w->crossing_count, GROG_TOUCH, q, r, rq, rr);
            grog_walk_emit(w->crossings, &w->crossing_count, GROG_ALONG, lq, lr, rq, rr);
            grog_walk_emit(w->crossings, &w->crossing_count, GROG_TOUCH, lq, lr, bq, br);
            grog_walk_emit(w->crossings, &w->crossing_count, GROG_TOUCH, rq, rr, bq, br);
            grog_walk_emit(w->items, &w->item_count, GROG_PAIR, lq, lr, rq, rr);
            w->q = bq;
            w->r = br;
        } else {
            int32_t rightward = w->corner_off[out] < 0;
            int32_t eq = rightward ? rq : lq, er = rightward ? rr : lr;
            int32_t tq = rightward ? lq : rq, tr = rightward ? lr : rr;
            grog_walk_emit(w->crossings, &w->crossing_count, GROG_TOUCH, q, r, tq, tr);
            grog_walk_emit(w->crossings, &w->crossing_count, GROG_VERTEX, q, r, eq, er);
            grog_walk_emit(w->crossings, &w->crossing_count, GROG_TOUCH, tq, tr, eq, er);
            grog_walk_emit(w->items, &w->item_count, GROG_CORNER, tq, tr, GROG_NONE, GROG_NONE);
            w->q = eq;
            w->r = er;
            w->off += 3 * w->step_off[out + rightward];
        }
    }
    grog_walk_emit(w->items, &w->item_count, GROG_CELL, w->q, w->r, GROG_NONE, GROG_NONE);
    return 1;
}

static inline void grog_lines_free(grog_map *m) {
    if (!m->lines) return;
    free(m->lines->starts);
    free(m->lines->items);
    free(m->lines->crossings);
    free(m->lines->hexes);
    free(m->lines);
    m->lines = NULL;
}

typedef struct grog_item_buffer {
    grog_item *list;
    int32_t count, room;
} grog_item_buffer;

/* Appends as grid offsets; 0 when memory runs out.
 *
 * Offsets are safe without bounds checks: corners stick out of a hex by 2/3 of an axial step, so every
 * hex that meets a line lies in the axial rectangle spanned by the line's ends, hence in the grid. */
static inline int32_t grog_item_append(grog_item_buffer *buffer, const grog_displaced *from, int32_t count,
                                       int32_t width) {
    if (buffer->count + count > buffer->room) {
        if (buffer->room > INT32_MAX / 4) return 0;
        int32_t room = 2 * buffer->room + 1024;
        grog_item *list = (grog_item *)realloc(buffer->list, sizeof(grog_item) * (size_t)room);
        if (!list) return 0;
        buffer->list = list;
        buffer->room = room;
    }
    for (int32_t i = 0; i < count; i++) {
        grog_item *item = &buffer->list[buffer->count++];
        item->kind = from[i].kind;
        item->first = from[i].dr1 * width + from[i].dq1;
        item->second = from[i].dq2 == GROG_NONE ? GROG_NONE : from[i].dr2 * width + from[i].dq2;
    }
    return 1;
}

/* How many hexes an item brings to a line: a corner is only touched. */
static inline int32_t grog_hexes_of_item(int32_t kind) { return kind == GROG_PAIR ? 2 : kind == GROG_CELL; }

/* Puts them down; the number of them. */
static inline int32_t grog_item_hexes(const grog_item *item, int32_t *out) {
    int32_t count = grog_hexes_of_item(item->kind);
    if (count > 0) out[0] = item->first;
    if (count > 1) out[1] = item->second;
    return count;
}

/* A table of unlimited range would fill the memory on the largest maps. */
#define GROG_LINES_FAR 64

/* Prepares the lines up to max_range (negative: all that fit on the map, up to GROG_LINES_FAR).  Gives 0,
 * or -1 when memory runs out.  Longer lines, or a map without this table, are walked afresh at each
 * question: slower, with the same answers. */
static inline int32_t grog_lines_build(grog_map *m, int32_t max_range) {
    grog_lines_free(m);
    if (m->n == 0) return 0;
    /* No line on the map exceeds the spread of its cells along the three axes. */
    int32_t smin = m->q[0] + m->r[0], smax = smin;
    for (int32_t i = 1; i < m->n; i++) {
        int32_t s = m->q[i] + m->r[i];
        if (s < smin) smin = s;
        if (s > smax) smax = s;
    }
    int32_t reach_q = m->width - 1, reach_r = m->height - 1, reach_s = smax - smin;
    int32_t longest = reach_q > reach_r ? reach_q : reach_r;
    if (reach_s > longest) longest = reach_s;
    if (max_range < 0) max_range = GROG_LINES_FAR;
    if (max_range > longest) max_range = longest;
    if (reach_q > max_range) reach_q = max_range;
    if (reach_r > max_range) reach_r = max_range;

    grog_lines *lines = (grog_lines *)calloc(1, sizeof(grog_lines));
    if (!lines) return -1;
    m->lines = lines;
    lines->max_range = max_range;
    lines->reach_q = reach_q;
    lines->reach_r = reach_r;
    size_t entries = (size_t)(2 * reach_q + 1) * (size_t)(2 * reach_r + 1);
    lines->starts = (grog_line_start *)malloc(sizeof(grog_line_start) * (entries + 1));
    grog_item_buffer items = {NULL, 0, 0}, crossings = {NULL, 0, 0};
    int32_t fine = lines->starts != NULL, hexes = 0;
    grog_line_start *start = lines->starts;
    grog_walk w;
    for (int32_t dr = -reach_r; fine && dr <= reach_r; dr++) {
        for (int32_t dq = -reach_q; fine && dq <= reach_q; dq++) {
            start->item = items.count;
            start->crossing = crossings.count;
            start->hex = hexes;
            start++;
            if (grog_axial_distance(dq, dr) > max_range || grog_abs(dq + dr) > reach_s) continue;
            grog_walk_start(&w, dq, dr);
            do {
                fine = grog_item_append(&items, w.items, w.item_count, m->width) &&
                       grog_item_append(&crossings, w.crossings, w.crossing_count, m->width);
                for (int32_t i = 0; i < w.item_count; i++) hexes += grog_hexes_of_item(w.items[i].kind);
            } while (fine && grog_walk_step(&w));
        }
    }
    lines->items = items.list;
    lines->crossings = crossings.list;
    lines->hexes = (int32_t *)malloc(sizeof(int32_t) * ((size_t)hexes + 1));
    if (!fine || !lines->hexes) {
        grog_lines_free(m);
        return -1;
    }
    start->item = items.count;
    start->crossing = crossings.count;
    start->hex = hexes;
    int32_t *hex = lines->hexes;
    for (int32_t i = 0; i < items.count; i++) hex += grog_item_hexes(&items.list[i], hex);
    return 0;
}

/* The table's items (or crossings) from a to b and their number; NULL if the line is not in the table.
 * Both cells must exist.  The hexes are then m->grid[grog_grid_place(m, a) + item->first] and so on. */
static inline const grog_line_start *grog_line_entry(const grog_map *m, int32_t a, int32_t b) {
    const grog_lines *lines = m->lines;
    if (!lines) return NULL;
    int32_t dq = m->q[b] - m->q[a], dr = m->r[b] - m->r[a];
    if (grog_axial_distance(dq, dr) > lines->max_range) return NULL;
    return lines->starts + (dr + lines->reach_r) * (2 * lines->reach_q + 1) + dq + lines->reach_q;
}

static inline const grog_item *grog_line_table(const grog_map *m, int32_t a, int32_t b, int32_t want_crossings,
                                               int32_t *count) {
    const grog_lines *lines = m->lines;
    const grog_line_start *start = grog_line_entry(m, a, b);
    if (!start) return NULL;
    if (want_crossings) {
        *count = start[1].crossing - start[0].crossing;
        return lines->crossings + start[0].crossing;
    }
    *count = start[1].item - start[0].item;
    return lines->items + start[0].item;
}

static inline int32_t grog_grid_place(const grog_map *m, int32_t a) {
    return (m->r[a] - m->rmin) * m->width + m->q[a] - m->qmin;
}

static inline int32_t grog_walk_len(const grog_map *m, int32_t a, int32_t b, int32_t want_crossings) {
    grog_walk w;
    int32_t count = 0;
    grog_walk_start(&w, m->q[b] - m->q[a], m->r[b] - m->r[a]);
    do count += want_crossings ? w.crossing_count : w.item_count;
    while (grog_walk_step(&w));
    return count;
}

static inline int32_t grog_walk_item(const grog_map *m, int32_t a, int32_t b, int32_t i, int32_t want_crossings,
                                     int32_t *kind, int32_t *hex1, int32_t *hex2) {
    grog_walk w;
    grog_walk_start(&w, m->q[b] - m->q[a], m->r[b] - m->r[a]);
    do {
        int32_t count = want_crossings ? w.crossing_count : w.item_count;
        if (i < count) {
            const grog_displaced *item = want_crossings ? &w.crossings[i] : &w.items[i];
            *kind = item->kind;
            *hex1 = grog_at(m, m->q[a] + item->dq1, m->r[a] + item->dr1);
            *hex2 = item->dq2 == GROG_NONE ? GROG_NONE : grog_at(m, m->q[a] + item->dq2, m->r[a] + item->dr2);
            return 1;
        }
        i -= count;
    } while (grog_walk_step(&w));
    return 0;
}

static inline int32_t grog_told_len(const grog_map *m, int32_t a, int32_t b, int32_t want_crossings) {
    int32_t count;
    if (!grog_has(m, a) || !grog_has(m, b)) return 0;
    if (grog_line_table(m, a, b, want_crossings, &count)) return count;
    return grog_walk_len(m, a, b, want_crossings);
}

static inline int32_t grog_told_item(const grog_map *m, int32_t a, int32_t b, int32_t i, int32_t want_crossings,
                                     int32_t *kind, int32_t *hex1, int32_t *hex2) {
    int32_t count;
    *kind = *hex1 = *hex2 = GROG_NONE;
    if (!grog_has(m, a) || !grog_has(m, b) || i < 0) return 0;
    const grog_item *list = grog_line_table(m, a, b, want_crossings, &count);
    if (!list) return grog_walk_item(m, a, b, i, want_crossings, kind, hex1, hex2);
    if (i >= count) return 0;
    const int32_t *origin = m->grid + grog_grid_place(m, a);
    *kind = list[i].kind;
    *hex1 = origin[list[i].first];
    if (list[i].second != GROG_NONE) *hex2 = origin[list[i].second];
    return 1;
}

/* Number of items of the line from a to b; 0 if a or b is no cell. */
static inline int32_t grog_line_len(const grog_map *m, int32_t a, int32_t b) { return grog_told_len(m, a, b, 0); }

/* Item i of the line from a to b; gives 1, or 0 and GROG_NONE throughout if there is no such item. */
static inline int32_t grog_line_item(const grog_map *m, int32_t a, int32_t b, int32_t i, int32_t *kind,
                                     int32_t *hex1, int32_t *hex2) {
    return grog_told_item(m, a, b, i, 0, kind, hex1, hex2);
}

/* The same for the hexsides that the line meets. */
static inline int32_t grog_crossing_len(const grog_map *m, int32_t a, int32_t b) {
    return grog_told_len(m, a, b, 1);
}

static inline int32_t grog_crossing_item(const grog_map *m, int32_t a, int32_t b, int32_t i, int32_t *kind,
                                         int32_t *hex1, int32_t *hex2) {
    return grog_told_item(m, a, b, i, 1, kind, hex1, hex2);
}

/* ---- sight ---- */

static inline int32_t grog_sight_item_blocks(const int32_t *blocks, int32_t policy, int32_t kind, int32_t hex1,
                                             int32_t hex2) {
    int32_t first = hex1 != GROG_NONE && blocks[hex1] != 0;
    if (kind == GROG_CELL) return first;
    if (kind == GROG_CORNER) return first && policy == GROG_SIGHT_CORNERS;
    int32_t second = hex2 != GROG_NONE && blocks[hex2] != 0;
    return policy == GROG_SIGHT_BOTH ? first && second : first || second;
}

/* blocks holds one value per cell, not 0 where the cell blocks. */
static inline int32_t grog_sight_simple(const grog_map *m, const int32_t *blocks, int32_t a, int32_t b,
                                        int32_t policy) {
    int32_t count = 0;
    if (!grog_has(m, a) || !grog_has(m, b)) return 0;
    const grog_item *list = grog_line_table(m, a, b, 0, &count);
    if (list) {
        const int32_t *origin = m->grid + grog_grid_place(m, a);
        for (int32_t i = 1; i < count - 1; i++) {
            int32_t hex2 = list[i].second == GROG_NONE ? GROG_NONE : origin[list[i].second];
            if (grog_sight_item_blocks(blocks, policy, list[i].kind, origin[list[i].first], hex2)) return 0;
        }
        return 1;
    }
    grog_walk w;
    grog_walk_start(&w, m->q[b] - m->q[a], m->r[b] - m->r[a]);
    while (grog_walk_step(&w)) {
        for (int32_t i = 0; i < w.item_count; i++) {
            const grog_displaced *item = &w.items[i];
            int32_t hex1 = grog_at(m, m->q[a] + item->dq1, m->r[a] + item->dr1), hex2 = GROG_NONE;
            if (hex1 == b) return 1;
            if (item->dq2 != GROG_NONE) hex2 = grog_at(m, m->q[a] + item->dq2, m->r[a] + item->dr2);
            if (grog_sight_item_blocks(blocks, policy, item->kind, hex1, hex2)) return 0;
        }
    }
    return 1;
}

#endif
