/* Line of sight over hills, woods and hexsides, by the rules of MBT and of Storms of Steel.  Flat-top hexes, odd-q,
 * numbered column by column; directions clockwise from north. */
#include <stdint.h>
#include <stdlib.h>

enum { CREST = 1, HEDGE = 2, ROAD = 4, SCREENS = 1, LOW = 2, BUILT = 4 };

typedef struct { int q, r; } axial;

typedef struct {
    const int32_t *kind, *level, *storeys, *gully, *side, *height, *flags;
    int columns, rows;
} ground;

static const int STEP_Q[7] = {0, 1, 1, 0, -1, -1, 0}, STEP_R[7] = {-1, -1, 0, 1, 1, 0, -1};

static axial of(const ground *g, int number) {
    int x = number / g->rows, y = number % g->rows;
    axial a = {x, y - (x - (x & 1)) / 2};
    return a;
}

static int at(const ground *g, int q, int r) {
    int y = r + (q - (q & 1)) / 2;
    return q < 0 || y < 0 || q >= g->columns || y >= g->rows ? -1 : q * g->rows + y;
}

static int apart(axial a, axial b) {
    int dq = abs(a.q - b.q), dr = abs(a.r - b.r), ds = abs(a.q + a.r - b.q - b.r);
    return dq > dr ? (dq > ds ? dq : ds) : dr > ds ? dr : ds;
}

/* The direction of the hexrow from a to b, -1 if they are not in one. */
static int straight(axial a, axial b) {
    int dq = b.q - a.q, dr = b.r - a.r, n = apart(a, b);
    if (n == 0 || (dq && dr && dq + dr)) return -1;
    for (int d = 0; d < 6; d++)
        if (STEP_Q[d] * n == dq && STEP_R[d] * n == dr) return d;
    return -1;
}

/* A walk along a line: after each step `here` is the hex entered over the hexside in direction `out` of `from`, or, if
 * `along`, behind the hexside between `left` and `right` (direction `out` + 2 of `left`). */
typedef struct {
    axial from, here, to, left, right;
    int side[7], corner[6], off, out, along;
} walk;

static void start(walk *w, axial a, axial b) {
    int dq = b.q - a.q, dr = b.r - a.r;
    w->here = a;
    w->to = b;
    w->off = 0;
    for (int d = 0; d < 7; d++) w->side[d] = dq * STEP_R[d] - dr * STEP_Q[d];
    for (int v = 0; v < 6; v++) w->corner[v] = w->side[v] + w->side[v + 1];
}

static int step(walk *w) {
    if (w->here.q == w->to.q && w->here.r == w->to.r) return 0;
    int d = 0, before = w->off + w->corner[5];
    for (;; d++) {
        int now = w->off + w->corner[d];
        if (before < 0 && now >= 0) break;
        before = now;
    }
    axial h = w->here;
    w->from = h;
    w->along = 0;
    if (w->off + w->corner[d] <= 0) {
        if (w->corner[d] == 0) {
            axial left = {h.q + STEP_Q[d], h.r + STEP_R[d]}, right = {h.q + STEP_Q[d + 1], h.r + STEP_R[d + 1]};
            w->left = left;
            w->right = right;
            w->out = d;
            w->along = 1;
            w->here.q = left.q + right.q - h.q;
            w->here.r = left.r + right.r - h.r;
            return 1;
        }
        d += w->corner[d] < 0;
    }
    w->out = d % 6;
    w->here.q = h.q + STEP_Q[d];
    w->here.r = h.r + STEP_R[d];
    w->off += 3 * w->side[d];
    return 1;
}

/* ---- MBT ---- */

/* Does an obstacle of that height at distance d from the higher end hide the lower one? */
static int hides(int top, int d, int hi, int lo, int far) {
    if (top > hi || (top == hi && top > lo)) return 1;
    if (top <= lo) return 0;
    int below = hi - top, blind = below == 1 ? d / 2 : below == 2 ? d / 4 : below == 3 ? d / 8 : 1;
    if (blind < 1) blind = 1;
    return far > d && far <= d + blind;
}

static int top_mbt(const ground *g, int h, int row) {
    int flags = g->flags[g->kind[h]];
    if ((flags & SCREENS) && row >= 0 && (g->side[6 * h + row] & ROAD) && (g->side[6 * h + (row + 3) % 6] & ROAD))
        return g->level[h];
    return g->level[h] + (flags & BUILT ? g->storeys[h] : g->height[g->kind[h]]);
}

static int low(const ground *g, int h) { return g->flags[g->kind[h]] & LOW; }

static int sunk(const ground *g, int a, int b, axial from, axial to, int far, int row) {
    if (far <= 1) return 0;
    if (low(g, a) && low(g, b)) {
        if (row < 0) return 1;
        for (axial h = from;; h.q += STEP_Q[row], h.r += STEP_R[row]) {
            if (!low(g, at(g, h.q, h.r))) return 1;
            if (h.q == to.q && h.r == to.r) return 0;
        }
    }
    return (low(g, a) && g->level[b] > g->level[a]) || (low(g, b) && g->level[a] > g->level[b]);
}

static int sees_mbt(const ground *g, int a, int b) {
    axial from = of(g, a), to = of(g, b), up = g->level[a] >= g->level[b] ? from : to;
    int la = g->level[a], lb = g->level[b], hi = la > lb ? la : lb, lo = la < lb ? la : lb;
    int far = apart(from, to), row = straight(from, to);
    if (sunk(g, a, b, from, to, far, row)) return 0;
    walk w;
    start(&w, from, to);
    while (step(&w)) {
        /* The hexside that is crossed, or followed. */
        axial one = w.along ? w.left : w.from, two = w.along ? w.right : w.here;
        int h1 = at(g, one.q, one.r), h2 = at(g, two.q, two.r);
        if (h1 >= 0 && h2 >= 0 && (g->side[6 * h1 + (w.along ? (w.out + 2) % 6 : w.out)] & (CREST | HEDGE))) {
            int crown = (g->level[h1] > g->level[h2] ? g->level[h1] : g->level[h2]) + 1;
            int d1 = apart(up, one), d2 = apart(up, two);
            if (hides(crown, d1 > d2 ? d1 : d2, hi, lo, far)) return 0;
        }
        if (w.along) {
            if (h1 >= 0 && hides(top_mbt(g, h1, row), apart(up, one), hi, lo, far)) return 0;
            if (h2 >= 0 && hides(top_mbt(g, h2, row), apart(up, two), hi, lo, far)) return 0;
        }
        int h = at(g, w.here.q, w.here.r);
        if (h == b) return 1;
        if (h >= 0 && hides(top_mbt(g, h, row), apart(up, w.here), hi, lo, far)) return 0;
    }
    return 1;
}

/* ---- Storms of Steel ---- */

static int top_storms(const ground *g, int h) { return g->level[h] + g->height[g->kind[h]]; }

/* Bare hillside that falls by single steps from the viewer to the hex. */
static int own_slope(const ground *g, axial viewer, axial h) {
    int first = at(g, viewer.q, viewer.r), before = first;
    walk w;
    start(&w, viewer, h);
    while (step(&w)) {
        int way[3] = {-1, -1, at(g, w.here.q, w.here.r)};
        if (w.along) {
            way[0] = at(g, w.left.q, w.left.r);
            way[1] = at(g, w.right.q, w.right.r);
        }
        for (int i = 0; i < 3; i++) {
            if (way[i] < 0) continue;
            int fall = g->level[before] - g->level[way[i]];
            if (g->height[g->kind[way[i]]] > 0 || fall < 0 || fall > 1) return 0;
            before = way[i];
        }
    }
    return 1;
}

static int blocks_storms(const ground *g, axial at_, int h, int lo, int hi, axial deep, axial steep) {
    int top = top_storms(g, h);
    if (top <= lo) return 0;
    return top >= hi || (apart(at_, deep) == 1 && !own_slope(g, steep, at_));
}

static int sees_storms(const ground *g, int a, int b) {
    axial from = of(g, a), to = of(g, b);
    int la = g->level[a], lb = g->level[b], hi = la > lb ? la : lb, lo = la < lb ? la : lb, under = la < lb;
    axial deep = under ? from : to, steep = under ? to : from;
    int gully = g->gully[under ? a : b];
    if (hi < 9 && gully > 0) {
        int joined = g->gully[under ? b : a] == gully;
        for (int d = 0; d < 6 && !joined; d++) {
            int n = at(g, steep.q + STEP_Q[d], steep.r + STEP_R[d]);
            joined = n >= 0 && g->gully[n] == gully;
        }
        if (!joined) return 0;
    }
    walk w;
    start(&w, from, to);
    while (step(&w)) {
        if (w.along) {
            int l = at(g, w.left.q, w.left.r), r = at(g, w.right.q, w.right.r);
            if (l >= 0 && r >= 0 && blocks_storms(g, w.left, l, lo, hi, deep, steep) &&
                blocks_storms(g, w.right, r, lo, hi, deep, steep))
                return 0;
        }
        int h = at(g, w.here.q, w.here.r);
        if (h == b) return 1;
        if (h >= 0 && blocks_storms(g, w.here, h, lo, hi, deep, steep)) return 0;
    }
    return 1;
}

/* ---- all pairs from every `every`-th hex to those within `range` ---- */

#define SEEN(name, sees)                                                                                            \
    int name(const int32_t *kind, const int32_t *level, const int32_t *storeys, const int32_t *gully,               \
             const int32_t *side, const int32_t *height, const int32_t *flags, int columns, int rows, int every,    \
             int range) {                                                                                           \
        ground g = {kind, level, storeys, gully, side, height, flags, columns, rows};                               \
        int found = 0;                                                                                              \
        for (int a = 0; a < columns * rows; a += every)                                                             \
            for (int b = 0; b < columns * rows; b++)                                                                \
                if (b != a && apart(of(&g, a), of(&g, b)) <= range) found += sees(&g, a, b);                        \
        return found;                                                                                               \
    }

SEEN(seen_mbt, sees_mbt)
SEEN(seen_storms, sees_storms)

/* ---- one pair ---- */

#define ONE(name, sees)                                                                                             \
    int name(const int32_t *kind, const int32_t *level, const int32_t *storeys, const int32_t *gully,               \
             const int32_t *side, const int32_t *height, const int32_t *flags, int columns, int rows, int a, int b) { \
        ground g = {kind, level, storeys, gully, side, height, flags, columns, rows};                               \
        return sees(&g, a, b);                                                                                      \
    }

ONE(one_mbt, sees_mbt)
ONE(one_storms, sees_storms)
