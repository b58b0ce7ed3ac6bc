/* A map of flat-top hexes: distances, arcs, and a walk along the line between two centres. */
#include <stdint.h>
#include <stdlib.h>

typedef struct {
    const int32_t *q, *r, *grid;
    int32_t qmin, rmin, width, height;
} board;

/* Directions clockwise from north, the first once more at the end. */
static const int STEP_Q[7] = {0, 1, 1, 0, -1, -1, 0}, STEP_R[7] = {-1, -1, 0, 1, 1, 0, -1};

static inline int hex_at(const board *b, int q, int r) {
    q -= b->qmin;
    r -= b->rmin;
    return q < 0 || r < 0 || q >= b->width || r >= b->height ? -1 : b->grid[r * b->width + q];
}

static inline int apart(int dq, int dr) {
    int a = abs(dq), b = abs(dr), c = abs(dq + dr);
    return a > b ? (a > c ? a : c) : b > c ? b : c;
}

static inline int range(const board *b, int from, int to) { return apart(b->q[to] - b->q[from], b->r[to] - b->r[from]); }

/* After each step `here` is the hex entered, -1 off the map; if `along`, the line ran along the hexside between `left`
 * and `right` to come there. */
typedef struct {
    const board *b;
    int q, r, to_q, to_r, off, along, left, right, here;
} walk;

/* How the line lies to each direction and to each corner; apart from the walk, which can then be kept in registers. */
typedef struct {
    int side[7], corner[6];
} slope;

static inline void start(walk *w, slope *s, const board *b, int from, int to) {
    int dq = b->q[to] - b->q[from], dr = b->r[to] - b->r[from];
    w->b = b;
    w->q = b->q[from];
    w->r = b->r[from];
    w->to_q = b->q[to];
    w->to_r = b->r[to];
    w->off = 0;
    w->here = from;
    for (int d = 0; d < 7; d++) s->side[d] = dq * STEP_R[d] - dr * STEP_Q[d];
    for (int v = 0; v < 6; v++) s->corner[v] = s->side[v] + s->side[v + 1];
}

static inline int step(walk *w, const slope *s) {
    if (w->q == w->to_q && w->r == w->to_r) return 0;
    int d = 0, before = w->off + s->corner[5];
    for (;; d++) {
        int now = w->off + s->corner[d];
        if (before < 0 && now >= 0) break;
        before = now;
    }
    w->along = w->off + s->corner[d] <= 0 && s->corner[d] == 0;
    if (w->along) {
        w->left = hex_at(w->b, w->q + STEP_Q[d], w->r + STEP_R[d]);
        w->right = hex_at(w->b, w->q + STEP_Q[d + 1], w->r + STEP_R[d + 1]);
        w->q += STEP_Q[d] + STEP_Q[d + 1];
        w->r += STEP_R[d] + STEP_R[d + 1];
    } else {
        if (w->off + s->corner[d] <= 0) d += s->corner[d] < 0;
        w->q += STEP_Q[d];
        w->r += STEP_R[d];
        w->off += 3 * s->side[d];
    }
    w->here = hex_at(w->b, w->q, w->r);
    return 1;
}

/* The direction of a hex that is next to another, -1 if it is not. */
static inline int direction(const board *b, int from, int to) {
    int dq = b->q[to] - b->q[from], dr = b->r[to] - b->r[from];
    for (int d = 0; d < 6; d++)
        if (STEP_Q[d] == dq && STEP_R[d] == dr) return d;
    return -1;
}

/* Whether a hex lies in the arc of 120 degrees about a direction, its borders included. */
static inline int in_wide_arc(const board *b, int from, int facing, int to) {
    int dq = b->q[to] - b->q[from], dr = b->r[to] - b->r[from], left = (facing + 5) % 6, right = (facing + 1) % 6;
    return STEP_Q[left] * dr - STEP_R[left] * dq >= 0 && dq * STEP_R[right] - dr * STEP_Q[right] >= 0;
}
