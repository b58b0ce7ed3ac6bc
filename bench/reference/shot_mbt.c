/* One shot of MBT, many times: range band, modifiers, the roll, the aspect hit, penetration, damage, the wreck. */
#include <stdlib.h>

#include "dice.h"

enum { BANDS = 5, ASPECTS = 2, VEHICLES = 40, INTACT = 0, DAMAGED, KO, BU };
enum { BARE, LIGHT, MEDIUM, HEAVY };

typedef struct {
    /* the map */
    const int32_t *q, *r, *grid;
    int32_t qmin, rmin, width, height;
    const int32_t *cover; /* of each hex, by its terrain */
    int32_t *smoke, *wreck, *smoke_pending;
    /* the vehicles */
    int32_t *alive, *at, *facing, *damaged, *shot;
    /* the firer's round, the target's card */
    const int32_t *reach, *pen, *armour;
    int32_t size, short_halt, stabiliser;
    const int32_t *hit; /* 16 rows, net -10 .. 5, of 5 bands */
} field;

static const int STEP_Q[7] = {0, 1, 1, 0, -1, -1, 0}, STEP_R[7] = {-1, -1, 0, 1, 1, 0, -1};

static int hex_at(const field *f, int q, int r) {
    q -= f->qmin;
    r -= f->rmin;
    return q < 0 || r < 0 || q >= f->width || r >= f->height ? -1 : f->grid[r * f->width + q];
}

static int apart(int dq, int dr) {
    int a = abs(dq), b = abs(dr), c = abs(dq + dr);
    return a > b ? (a > c ? a : c) : b > c ? b : c;
}

/* Hexes with smoke on the line, the ends included. */
static int smoke_between(const field *f, int a, int b) {
    int dq = f->q[b] - f->q[a], dr = f->r[b] - f->r[a], side[7], corner[6], off = 0, q = 0, r = 0;
    int found = f->smoke[a];
    for (int d = 0; d < 7; d++) side[d] = dq * STEP_R[d] - dr * STEP_Q[d];
    for (int v = 0; v < 6; v++) corner[v] = side[v] + side[v + 1];
    while (q != dq || r != dr) {
        int d = 0, before = off + corner[5];
        for (;; d++) {
            int now = off + corner[d];
            if (before < 0 && now >= 0) break;
            before = now;
        }
        if (off + corner[d] <= 0 && corner[d] == 0) {
            int left = hex_at(f, f->q[a] + q + STEP_Q[d], f->r[a] + r + STEP_R[d]);
            int right = hex_at(f, f->q[a] + q + STEP_Q[d + 1], f->r[a] + r + STEP_R[d + 1]);
            found += (left >= 0 && f->smoke[left]) + (right >= 0 && f->smoke[right]);
            q += STEP_Q[d] + STEP_Q[d + 1];
            r += STEP_R[d] + STEP_R[d + 1];
        } else {
            if (off + corner[d] <= 0) d += corner[d] < 0;
            q += STEP_Q[d];
            r += STEP_R[d];
            off += 3 * side[d];
        }
        int h = hex_at(f, f->q[a] + q, f->r[a] + r);
        found += h >= 0 && f->smoke[h];
    }
    return found;
}

/* Is b before the line through a square to the facing?  1 before, 0 on it, -1 behind. */
static int before(int dq, int dr, int facing) {
    int q = STEP_Q[facing], r = STEP_R[facing], dot = q * dq + r * dr + (q + r) * (dq + dr);
    return (dot > 0) - (dot < 0);
}

static int crowd(const field *f, int h) {
    int found = 0;
    for (int v = 0; v < VEHICLES; v++) found += f->alive[v] && f->at[v] == h;
    return found >= 6;
}

static int shoot(field *f, int firer, int target, uint64_t *dice) {
    int a = f->at[firer], b = f->at[target], dq = f->q[b] - f->q[a], dr = f->r[b] - f->r[a];
    int range = apart(dq, dr), band = 0;
    f->shot[firer] = 1;
    if (!f->alive[target]) return INTACT;
    while (band < BANDS && f->reach[band] < range) band++;
    if (band == BANDS) return INTACT;
    int cover = crowd(f, b) ? BARE : f->cover[b];
    int net = f->size - (cover == LIGHT ? 1 : cover == MEDIUM ? 3 : cover == HEAVY ? 5 : 0);
    if (f->short_halt) net -= f->stabiliser ? f->stabiliser : 4;
    if (f->damaged[firer]) net -= 3;
    net -= 2 * smoke_between(f, a, b);
    net = net < -10 ? -10 : net > 5 ? 5 : net;
    if (die(dice, 100) > f->hit[(net + 10) * BANDS + band]) return INTACT;
    int aspect = before(-dq, -dr, f->facing[target]) < 0, margin = f->pen[band] - f->armour[aspect];
    int fate = margin < 0 ? INTACT : margin < 4 ? DAMAGED : margin < 10 ? KO : BU;
    if (fate == DAMAGED && !f->damaged[target]) {
        f->damaged[target] = 1;
        return DAMAGED;
    }
    if (fate == INTACT) return INTACT;
    if (fate == DAMAGED) fate = KO;
    if (f->wreck[b] < fate) f->wreck[b] = fate;
    if (fate == BU) f->smoke_pending[b] = 1;
    f->alive[target] = 0;
    return fate;
}

/* n shots, each from the same position; how often each fate came. */
void shots(field *f, int firer, int target, int n, uint64_t seed, int64_t *counts) {
    uint64_t dice = seed;
    int h = f->at[target], wreck = f->wreck[h], pending = f->smoke_pending[h], damaged = f->damaged[target];
    for (int i = 0; i < n; i++) {
        counts[shoot(f, firer, target, &dice)]++;
        f->wreck[h] = wreck;
        f->smoke_pending[h] = pending;
        f->damaged[target] = damaged;
        f->alive[target] = 1;
        f->shot[firer] = 0;
    }
}
