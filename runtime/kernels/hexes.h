/* Hex maps: directions, cells, arcs. */
#ifndef GROGNARD_HEXES_H
#define GROGNARD_HEXES_H

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

#endif
