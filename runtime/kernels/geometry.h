/* Exact integer geometry of hex maps, for generated modules.
 *
 * Each function gives the same answer as the Python function of the same name in grognard.geometry,
 * which documents the meaning.  Only grog_lines_build allocates memory; grog_lines_free gives it back.
 */
#ifndef GROGNARD_GEOMETRY_H
#define GROGNARD_GEOMETRY_H

#include <stdint.h>
#include <stdlib.h>

#define GROG_NONE INT32_MIN

enum { GROG_FLAT = 0, GROG_POINTY = 1 };

enum {
    GROG_CELL = 0,
    GROG_PAIR = 1,
    GROG_CORNER = 2,
    GROG_SIDE = 3,
    GROG_VERTEX = 4,
    GROG_ALONG = 5,
    GROG_TOUCH = 6
};

enum { GROG_SIGHT_BOTH = 0, GROG_SIGHT_EITHER = 1, GROG_SIGHT_CORNERS = 2 };

/* One item or crossing of a line.  The hexes are offsets into the map's grid, counted from the grid
 * place of the line's first hex; `second` is GROG_NONE where the item has only one hex. */
typedef struct grog_item {
    int32_t kind;
    int32_t first;
    int32_t second;
} grog_item;

/* Where one displacement's items and crossings start in the table; they end where the next one's start. */
typedef struct grog_line_start {
    int32_t item;
    int32_t crossing;
    int32_t hex;
} grog_line_start;

/* Lines for all displacements with |dq| <= reach_q, |dr| <= reach_r and distance <= max_range. */
typedef struct grog_lines {
    int32_t max_range;
    int32_t reach_q, reach_r;
    grog_line_start *starts; /* (2 reach_q + 1) * (2 reach_r + 1) + 1 entries */
    grog_item *items;
    grog_item *crossings;
    int32_t *hexes; /* those that the lines pass through, or between, one after the other: items without corners */
} grog_lines;

/* A map.  The arrays belong to the caller and must outlive it. */
typedef struct grog_map {
    int32_t n;
    int32_t orientation;
    const int32_t *q;
    const int32_t *r;
    const int32_t *neighbours; /* 6 per cell, clockwise */
    int32_t qmin, rmin, width, height;
    const int32_t *grid; /* cell at (q, r): grid[(r - rmin) * width + (q - qmin)] */
    grog_lines *lines;   /* NULL until grog_lines_build */
} grog_map;

/* The axial steps clockwise from flat-top north; pointy-top directions start one later. */
static const int32_t grog_step_q[7] = {0, 1, 1, 0, -1, -1, 0};
static const int32_t grog_step_r[7] = {-1, -1, 0, 1, 1, 0, -1};

static inline void grog_map_init(grog_map *m, int32_t n, int32_t orientation, const int32_t *q,
                                 const int32_t *r, const int32_t *neighbours, int32_t qmin, int32_t rmin,
                                 int32_t width, int32_t height, const int32_t *grid) {
    m->n = n;
    m->orientation = orientation;
    m->q = q;
    m->r = r;
    m->neighbours = neighbours;
    m->qmin = qmin;
    m->rmin = rmin;
    m->width = width;
    m->height = height;
    m->grid = grid;
    m->lines = NULL;
}

/* ---- directions ---- */

static inline int32_t grog_is_direction(int32_t d) { return (uint32_t)d < 6u; }

static inline int32_t grog_opposite(int32_t d) {
    return grog_is_direction(d) ? (d < 3 ? d + 3 : d - 3) : GROG_NONE;
}

static inline int32_t grog_turned(int32_t d, int32_t steps) {
    if (!grog_is_direction(d)) return GROG_NONE;
    int32_t turned = (d + steps % 6) % 6;
    return turned < 0 ? turned + 6 : turned;
}

static inline int32_t grog_turns_between(int32_t d1, int32_t d2) {
    if (!grog_is_direction(d1) || !grog_is_direction(d2)) return GROG_NONE;
    int32_t apart = d1 < d2 ? d2 - d1 : d1 - d2;
    return apart <= 3 ? apart : 6 - apart;
}

/* ---- cells ---- */

static inline int32_t grog_has(const grog_map *m, int32_t cell) { return (uint32_t)cell < (uint32_t)m->n; }

static inline int32_t grog_at(const grog_map *m, int32_t q, int32_t r) {
    /* Unsigned, so that one comparison sees both ends of the range and nothing overflows. */
    uint32_t column = (uint32_t)q - (uint32_t)m->qmin;
    uint32_t row = (uint32_t)r - (uint32_t)m->rmin;
    if (column >= (uint32_t)m->width || row >= (uint32_t)m->height) return GROG_NONE;
    return m->grid[(int32_t)row * m->width + (int32_t)column];
}

static inline int32_t grog_abs(int32_t x) { return x < 0 ? -x : x; }

static inline int32_t grog_axial_distance(int32_t dq, int32_t dr) {
    int32_t a = grog_abs(dq), b = grog_abs(dr), c = grog_abs(dq + dr);
    int32_t ab = a > b ? a : b;
    return ab > c ? ab : c;
}

static inline int32_t grog_distance(const grog_map *m, int32_t a, int32_t b) {
    if (!grog_has(m, a) || !grog_has(m, b)) return GROG_NONE;
    return grog_axial_distance(m->q[b] - m->q[a], m->r[b] - m->r[a]);
}

static inline int32_t grog_neighbour(const grog_map *m, int32_t a, int32_t d) {
    return grog_has(m, a) && grog_is_direction(d) ? m->neighbours[6 * a + d] : GROG_NONE;
}

static inline int32_t grog_axial_direction(const grog_map *m, int32_t dq, int32_t dr) {
    for (int32_t d = 0; d < 6; d++) {
        int32_t step = d + (m->orientation == GROG_POINTY);
        if (grog_step_q[step] == dq && grog_step_r[step] == dr) return d;
    }
    return GROG_NONE;
}

static inline int32_t grog_direction(const grog_map *m, int32_t a, int32_t b) {
    if (!grog_has(m, a) || !grog_has(m, b)) return GROG_NONE;
    return grog_axial_direction(m, m->q[b] - m->q[a], m->r[b] - m->r[a]);
}

static inline int32_t grog_straight(const grog_map *m, int32_t a, int32_t b) {
    if (a == b || !grog_has(m, a) || !grog_has(m, b)) return GROG_NONE;
    int32_t dq = m->q[b] - m->q[a], dr = m->r[b] - m->r[a];
    if (dq && dr && dq + dr) return GROG_NONE;
    int32_t away = grog_axial_distance(dq, dr);
    return grog_axial_direction(m, dq / away, dr / away);
}

static inline int32_t grog_toward(const grog_map *m, int32_t a, int32_t d, int32_t n) {
    if (!grog_has(m, a) || !grog_is_direction(d) || n < 0) return GROG_NONE;
    for (; n > 0 && a != GROG_NONE; n--) a = m->neighbours[6 * a + d];
    return a;
}

/* Fills out, which must have room for n cells (or for all of the map's); gives their number. */
static inline int32_t grog_ray(const grog_map *m, int32_t a, int32_t d, int32_t n, int32_t *out) {
    int32_t count = 0;
    if (!grog_has(m, a) || !grog_is_direction(d)) return 0;
    while (a != GROG_NONE && count < n) {
        out[count++] = a;
        a = m->neighbours[6 * a + d];
    }
    return count;
}

/* Fills out with the cells within n of a in index order; gives their number.  out must have room for
 * all cells of the map, or for the 3 n (n + 1) + 1 cells of a full disc if that is fewer. */
static inline int32_t grog_within(const grog_map *m, int32_t a, int32_t n, int32_t *out) {
    int32_t count = 0;
    if (!grog_has(m, a) || n < 0) return 0;
    int32_t aq = m->q[a], ar = m->r[a];
    if (n > 16 || 3 * n * (n + 1) >= m->n) {
        for (int32_t cell = 0; cell < m->n; cell++)
            if (grog_axial_distance(m->q[cell] - aq, m->r[cell] - ar) <= n) out[count++] = cell;
        return count;
    }
    /* A small disc: visit only its places, along the columns of a flat and the rows of a pointy map,
     * which is how cells are usually numbered, so that the insertion sort has next to nothing to do. */
    for (int32_t x = -n; x <= n; x++) {
        int32_t low = x < 0 ? -n - x : -n, high = x < 0 ? n : n - x;
        for (int32_t y = low; y <= high; y++) {
            int32_t cell = m->orientation == GROG_FLAT ? grog_at(m, aq + x, ar + y) : grog_at(m, aq + y, ar + x);
            if (cell == GROG_NONE) continue;
            int32_t at = count++;
            for (; at > 0 && out[at - 1] > cell; at--) out[at] = out[at - 1];
            out[at] = cell;
        }
    }
    return count;
}

/* ---- arcs ---- */

/* Where (dq, dr) lies on a clock of 24: even hours are the 12 rays towards neighbours and vertices,
 * starting with direction 0; odd hours are the open sectors between two rays. */
static inline int32_t grog_clock(const grog_map *m, int32_t dq, int32_t dr) {
    int32_t ds = dq + dr, way, first, next; /* (dq, dr) is so many steps that way, and so many the next way clockwise */
    if (dq >= 0 && ds < 0)
        way = 0, first = -ds, next = dq;
    else if (ds >= 0 && dr < 0)
        way = 1, first = -dr, next = ds;
    else if (dr >= 0 && dq > 0)
        way = 2, first = dq, next = dr;
    else if (dq <= 0 && ds > 0)
        way = 3, first = ds, next = -dq;
    else if (ds <= 0 && dr > 0)
        way = 4, first = dr, next = -ds;
    else if (dr <= 0 && dq < 0)
        way = 5, first = -dq, next = -dr;
    else
        return GROG_NONE; /* only the origin lies nowhere */
    if (m->orientation == GROG_POINTY) way = way ? way - 1 : 5;
    return 4 * way + (next == 0 ? 0 : next < first ? 1 : next == first ? 2 : 3);
}

static inline int32_t grog_arc_towards(const grog_map *m, int32_t dq, int32_t dr, int32_t centre, int32_t degrees) {
    uint32_t wide = (uint32_t)degrees / 60;
    if (wide - 1 > 4 || 60 * wide != (uint32_t)degrees) return GROG_NONE;
    if (dq == 0 && dr == 0) return 2;
    int32_t apart = grog_abs(grog_clock(m, dq, dr) - centre);
    if (apart > 12) apart = 24 - apart;
    int32_t border = (int32_t)(2 * wide);
    return apart < border ? 2 : apart == border;
}

static inline int32_t grog_arc_on_clock(const grog_map *m, int32_t a, int32_t centre, int32_t degrees, int32_t b) {
    if (degrees < 60 || degrees > 300 || degrees % 60 != 0) return GROG_NONE;
    if (!grog_has(m, a) || !grog_has(m, b)) return 0;
    return grog_arc_towards(m, m->q[b] - m->q[a], m->r[b] - m->r[a], centre, degrees);
}

static inline int32_t grog_arc_place(const grog_map *m, int32_t a, int32_t facing, int32_t degrees, int32_t b) {
    return grog_is_direction(facing) ? grog_arc_on_clock(m, a, 4 * facing, degrees, b) : 0;
}

static inline int32_t grog_vertex_arc_place(const grog_map *m, int32_t a, int32_t vertex, int32_t degrees,
                                            int32_t b) {
    return grog_is_direction(vertex) ? grog_arc_on_clock(m, a, 4 * vertex + 2, degrees, b) : 0;
}

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

/* ---- areas ---- */

/* Steps from a to b in a graph of areas whose exits from area i are exits[starts[i]..starts[i + 1]);
 * GROG_NONE if there is no way.  scratch has room for 2 n values. */
static inline int32_t grog_area_distance(int32_t n, const int32_t *starts, const int32_t *exits, int32_t a,
                                         int32_t b, int32_t *scratch) {
    if ((uint32_t)a >= (uint32_t)n || (uint32_t)b >= (uint32_t)n) return GROG_NONE;
    int32_t *steps = scratch, *queue = scratch + n;
    int32_t head = 0, tail = 0;
    for (int32_t i = 0; i < n; i++) steps[i] = GROG_NONE;
    steps[a] = 0;
    queue[tail++] = a;
    while (head < tail) {
        int32_t area = queue[head++];
        if (area == b) return steps[b];
        for (int32_t e = starts[area]; e < starts[area + 1]; e++) {
            if (steps[exits[e]] != GROG_NONE) continue;
            steps[exits[e]] = steps[area] + 1;
            queue[tail++] = exits[e];
        }
    }
    return GROG_NONE;
}

/* ---- heap ---- */

/* A binary heap of (key, node); the least key comes first, among equal keys the least node. */
typedef struct grog_heap {
    int32_t count, room;
    int32_t *keys, *nodes; /* the caller's arrays, with room for `room` values each */
} grog_heap;

static inline void grog_heap_init(grog_heap *h, int32_t room, int32_t *keys, int32_t *nodes) {
    h->count = 0;
    h->room = room;
    h->keys = keys;
    h->nodes = nodes;
}

static inline int32_t grog_heap_before(int32_t key1, int32_t node1, int32_t key2, int32_t node2) {
    return key1 < key2 || (key1 == key2 && node1 < node2);
}

/* Gives 1, or 0 if the heap is full. */
static inline int32_t grog_heap_push(grog_heap *h, int32_t key, int32_t node) {
    if (h->count >= h->room) return 0;
    int32_t at = h->count++;
    while (at > 0) {
        int32_t parent = (at - 1) / 2;
        if (!grog_heap_before(key, node, h->keys[parent], h->nodes[parent])) break;
        h->keys[at] = h->keys[parent];
        h->nodes[at] = h->nodes[parent];
        at = parent;
    }
    h->keys[at] = key;
    h->nodes[at] = node;
    return 1;
}

/* Takes out the first entry; gives 1, or 0 if the heap is empty. */
static inline int32_t grog_heap_pop(grog_heap *h, int32_t *key, int32_t *node) {
    if (h->count == 0) return 0;
    *key = h->keys[0];
    *node = h->nodes[0];
    int32_t last = --h->count;
    int32_t last_key = h->keys[last], last_node = h->nodes[last];
    int32_t at = 0;
    for (;;) {
        int32_t child = 2 * at + 1;
        if (child >= last) break;
        if (child + 1 < last &&
            grog_heap_before(h->keys[child + 1], h->nodes[child + 1], h->keys[child], h->nodes[child]))
            child++;
        if (!grog_heap_before(h->keys[child], h->nodes[child], last_key, last_node)) break;
        h->keys[at] = h->keys[child];
        h->nodes[at] = h->nodes[child];
        at = child;
    }
    h->keys[at] = last_key;
    h->nodes[at] = last_node;
    return 1;
}

/* ---- matching ---- */

/* How many int32 values of scratch the matching functions need. */
static inline int32_t grog_match_scratch(int32_t left_count, int32_t right_count) {
    return 2 * left_count + 2 * right_count;
}

static inline int32_t grog_match_words(int32_t right_count) { return (right_count + 31) / 32; }

/* Gives as many left elements as possible a slot each; right element j has room[j] slots.  Left i may
 * use right j if bit j % 32 of rows[i * grog_match_words(right_count) + j / 32] is set.  Fills
 * assigned[i] with the right element of left i, or GROG_NONE, and gives the number of those placed. */
static inline int32_t grog_match(int32_t left_count, int32_t right_count, const uint32_t *rows,
                                 const int32_t *room, int32_t *assigned, int32_t *scratch) {
    int32_t words = grog_match_words(right_count), size = 0;
    int32_t *used = scratch, *reached_by = scratch + right_count, *queue = scratch + 2 * right_count;
    for (int32_t j = 0; j < right_count; j++) used[j] = 0;
    for (int32_t i = 0; i < left_count; i++) assigned[i] = GROG_NONE;
    for (int32_t root = 0; root < left_count; root++) {
        /* Search breadth first for a slot: a full right element sends its own left elements looking. */
        int32_t head = 0, tail = 0, slot = GROG_NONE;
        for (int32_t j = 0; j < right_count; j++) reached_by[j] = GROG_NONE;
        queue[tail++] = root;
        while (head < tail && slot == GROG_NONE) {
            int32_t left = queue[head++];
            const uint32_t *row = rows + (size_t)left * (size_t)words;
            for (int32_t j = 0; j < right_count; j++) {
                if (!((row[j / 32] >> (j % 32)) & 1u) || room[j] <= 0 || reached_by[j] != GROG_NONE) continue;
                reached_by[j] = left;
                if (used[j] < room[j]) {
                    slot = j;
                    break;
                }
                for (int32_t i = 0; i < root; i++)
                    if (assigned[i] == j) queue[tail++] = i;
            }
        }
        if (slot == GROG_NONE) continue;
        size++;
        used[slot]++;
        while (slot != GROG_NONE) {
            int32_t left = reached_by[slot], given_up = assigned[left];
            assigned[left] = slot;
            slot = given_up;
        }
    }
    return size;
}

/* Whether distinct left elements can cover need[j] slots of every right element j; rows as above. */
static inline int32_t grog_matchable(int32_t left_count, int32_t right_count, const uint32_t *rows,
                                     const int32_t *need, int32_t *scratch) {
    int32_t free_left = left_count;
    for (int32_t j = 0; j < right_count; j++) {
        if (need[j] > free_left) return 0;
        if (need[j] > 0) free_left -= need[j];
    }
    int32_t *assigned = scratch + 2 * right_count + left_count;
    return grog_match(left_count, right_count, rows, need, assigned, scratch) == left_count - free_left;
}

#endif
