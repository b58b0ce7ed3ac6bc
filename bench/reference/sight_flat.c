/* Line of sight on a flat hex map, odd-q, hexes numbered column by column: the line runs from centre to centre, a hex
 * whose interior it crosses blocks, of a hexside that it follows both hexes must block; the ends never block. */
#include <stdint.h>
#include <stdlib.h>

typedef struct { int q, r; } axial;

static axial of(int number, int rows) {
    int x = number / rows, y = number % rows;
    axial a = {x, y - (x - (x & 1)) / 2};
    return a;
}

static int at(axial a, int columns, int rows) {
    int x = a.q, y = a.r + (x - (x & 1)) / 2;
    return x < 0 || y < 0 || x >= columns || y >= rows ? -1 : x * rows + y;
}

static int far_apart(axial a, axial b) {
    int dq = abs(a.q - b.q), dr = abs(a.r - b.r), ds = abs(a.q + a.r - b.q - b.r);
    return dq > dr ? (dq > ds ? dq : ds) : dr > ds ? dr : ds;
}

static const int STEP_Q[7] = {0, 1, 1, 0, -1, -1, 0}, STEP_R[7] = {-1, -1, 0, 1, 1, 0, -1};

/* The line from hex to hex: what crosses a step's left corner to the right has been passed.  `off` is how far the hex's
 * centre lies off the line, in thirds. */
static int sees(const int32_t *blocks, int columns, int rows, axial a, axial b) {
    int dq = b.q - a.q, dr = b.r - a.r, side[7], corner[6], off = 0;
    for (int d = 0; d < 7; d++) side[d] = dq * STEP_R[d] - dr * STEP_Q[d];
    for (int v = 0; v < 6; v++) corner[v] = side[v] + side[v + 1];
    for (axial h = a;;) {
        int d = 0, before = off + corner[5];
        for (;; d++) {
            int now = off + corner[d];
            if (before < 0 && now >= 0) break;
            before = now;
        }
        axial left = {h.q + STEP_Q[d], h.r + STEP_R[d]};
        if (off + corner[d] > 0) {
            h = left;
            off += 3 * side[d];
        } else {
            axial right = {h.q + STEP_Q[d + 1], h.r + STEP_R[d + 1]};
            if (corner[d] == 0) {
                int l = at(left, columns, rows), r = at(right, columns, rows);
                if (l >= 0 && r >= 0 && blocks[l] && blocks[r]) return 0;
                h.q = left.q + right.q - h.q;
                h.r = left.r + right.r - h.r;
            } else {
                int rightward = corner[d] < 0;
                h = rightward ? right : left;
                off += 3 * side[d + rightward];
            }
        }
        if (h.q == b.q && h.r == b.r) return 1;
        int n = at(h, columns, rows);
        if (n >= 0 && blocks[n]) return 0;
    }
}

/* Pairs that see each other, from every `every`-th hex to all within `range`. */
int seen(const int32_t *blocks, int columns, int rows, int every, int range) {
    int found = 0;
    for (int a = 0; a < columns * rows; a += every) {
        axial from = of(a, rows);
        for (int b = 0; b < columns * rows; b++) {
            axial to = of(b, rows);
            if (b != a && far_apart(from, to) <= range) found += sees(blocks, columns, rows, from, to);
        }
    }
    return found;
}
