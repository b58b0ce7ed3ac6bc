/* The shooting step of Hot War: who fires at whom, sight, the shooting test (dice by the target's class and the strength
 * left, Accuracy by range), then losses beyond the Defence, Morale tests, suppression.  Arrays are named after the fields and
 * columns of the title and are indexed by its numbers.  Units on the ground outside towns; what this cannot come to (smoke,
 * aircraft, corrected fire, riders, misses on a stack) is looked for and refused.  What happens at once is done in turn here:
 * of what this comes to, nobody reads what another one's turn has written. */
#include "dice.h"
#include "hexes.h"
#include "undo.h"

enum { NONE = INT32_MIN, AIMED = 0, INDIRECT, FREE = 0, DEFENCE, AMBUSH, SPRUNG, NOWHERE = 0, IN_TRENCH };
enum { INSIDE = 0, OUTSIDE, HITCHED, CLASSES = 10, STRENGTHS = 10, RANGES = 10, MOST_DICE = 40 };
enum { SCOUT = 1 << 4, TRANSPORT = 1 << 6, WIRE_DESTROYER = 1 << 9 };

typedef struct {
    board map;
    const int32_t *Hex_terrain, *Hex_level, *Terrain_blocks, *Terrain_cover, *Terrain_wet, *Terrain_bars;
    const int32_t *Card_class, *Card_cost, *Card_armour, *Card_morale_at, *Card_dice, *Card_aim, *Card_aim_suppressed;
    const int32_t *Card_reach, *Card_heals, *Card_traits, *Card_less_indirect, *Class_aviation, *Class_armoured;
    const int32_t *Class_vehicle;
    int32_t *Hex_damage, *Unit_alive, *Unit_type, *Unit_side, *Unit_strength, *Unit_ammo, *Unit_cargo, *Unit_progress;
    int32_t *Unit_suppressed, *Unit_airborne, *Unit_masked, *Unit_guard, *Unit_dug, *Unit_aboard, *Unit_seat, *Unit_at;
    int32_t *Unit_toward, *Unit_order_name, *Unit_order_screen, *Unit_order_target, *Unit_order_route, *Unit_hits;
    int32_t *Unit_hit_by, *Unit_incoming, *Unit_shaken, *Unit_flanked, *Unit_broken, *Unit_higher, *Unit_lost;
    int32_t *Cloud_alive, *Work_alive, *Work_type, *Work_at, *Work_toward, *Bridge_alive, *Bridge_at, *Side_lost_points;
    int32_t Unit_first, Unit_end, Cloud_first, Cloud_end, Work_first, Work_end, Bridge_first, Bridge_end;
    int32_t INF, ART, ARM, LTK, HTK, HEL, ENG, town, ravine, wire, fire, area_fire, bombard, smoke_screen, dig_in;
    int32_t defence, attack, ambush, move, words, game_shelled;
} field;

static int class(const field *f, int u) { return f->Card_class[f->Unit_type[u]]; }
static int obeys(const field *f, int u) { return !f->Unit_suppressed[u] && f->Unit_at[u] != NONE; }
static int strength(const field *f, int u) { return f->Unit_strength[u] > 1 ? f->Unit_strength[u] : 1; }
static int seen_as(const field *f, int t) { return class(f, t) == f->HEL && !f->Unit_airborne[t] ? f->ARM : class(f, t); }

/* Dice against a class with what is left of the unit. */
static int dice_of(const field *f, int u, int against) {
    return f->Card_dice[(f->Unit_type[u] * CLASSES + against) * STRENGTHS + strength(f, u)];
}

static int contact(const field *f, int u) {
    if (f->Unit_at[u] == NONE || f->Unit_airborne[u] || f->Unit_guard[u] == AMBUSH) return 0;
    for (int e = f->Unit_first; e < f->Unit_end; e++)
        if (f->Unit_alive[e] && f->Unit_at[e] == f->Unit_at[u] && f->Unit_side[e] != f->Unit_side[u] && !f->Unit_airborne[e] &&
            f->Unit_guard[e] != AMBUSH)
            return 1;
    return 0;
}

static int smoky(const field *f, int h) {
    (void)h;
    for (int c = f->Cloud_first; c < f->Cloud_end; c++)
        if (f->Cloud_alive[c]) abort();
    return 0;
}

static int low_water(const field *f, int h) {
    if (!f->Terrain_wet[f->Hex_terrain[h]]) return 0;
    for (int b = f->Bridge_first; b < f->Bridge_end; b++)
        if (f->Bridge_alive[b] && f->Bridge_at[b] == h) abort();
    return 1;
}

static int sight_range(const field *f, int v) {
    int type = f->Unit_type[v], at = f->Unit_at[v], level = f->Hex_level[at], total = 7;
    if (f->Card_traits[type] & SCOUT || f->Class_aviation[f->Card_class[type]]) total += 2;
    total += level < 0 ? 0 : level > 2 ? 2 : level;
    if (smoky(f, at)) return 0;
    return f->Unit_suppressed[v] || contact(f, v) || low_water(f, at) ? 1 : total;
}

static int blocks(const field *f, int h, int to, int eye) {
    int high = eye > f->Hex_level[to] ? eye : f->Hex_level[to];
    return smoky(f, h) || (f->Terrain_blocks[f->Hex_terrain[h]] && (eye <= f->Hex_level[h] || range(&f->map, h, to) == 1)) ||
           f->Hex_level[h] > high;
}

static int clear(const field *f, int from, int to, int eye) {
    walk w;
    slope s;
    start(&w, &s, &f->map, from, to);
    while (step(&w, &s)) {
        if (w.along && w.left >= 0 && w.right >= 0 && blocks(f, w.left, to, eye) && blocks(f, w.right, to, eye)) return 0;
        if (w.here == to) break;
        if (w.here >= 0 && blocks(f, w.here, to, eye)) return 0;
    }
    return 1;
}

static int sees(const field *f, int v, int t) {
    int from = f->Unit_at[v], to = f->Unit_at[t], terrain, which = class(f, v), far;
    if (from == NONE || to == NONE) return 0;
    if (f->Unit_airborne[v] || f->Unit_airborne[t]) abort();
    far = range(&f->map, from, to);
    if (f->Hex_terrain[to] == f->ravine && far > 1) return 0;
    if (smoky(f, to) || far > sight_range(f, v)) return 0;
    terrain = f->Hex_terrain[from];
    if (terrain == f->ravine && far > 1) return 0;
    if (low_water(f, to) && far > 1) return 0;
    if (from != to && which != f->INF && which != f->LTK && which != f->HTK && f->Terrain_bars[terrain] && f->Terrain_blocks[terrain])
        abort();
    return clear(f, from, to, f->Hex_level[from]);
}

/* Infantry beside armour that carries out the same order. */
static int covered(const field *f, int u) {
    int order = f->Unit_order_name[u];
    if (class(f, u) != f->INF || !obeys(f, u)) return 0;
    if (order != f->defence && order != f->attack && order != f->ambush && order != f->move) return 0;
    for (int e = f->Unit_first; e < f->Unit_end; e++)
        if (f->Unit_alive[e] && f->Unit_side[e] == f->Unit_side[u] && f->Class_armoured[class(f, e)] &&
            f->Unit_at[e] == f->Unit_at[u] && obeys(f, e) && f->Unit_order_name[e] == order)
            abort();
    return 0;
}

static int medics(const field *f, int u) {
    int best = 0;
    if (f->Unit_at[u] == NONE) return 0;
    for (int m = f->Unit_first; m < f->Unit_end; m++) {
        int heals;
        if (!f->Unit_alive[m] || f->Unit_side[m] != f->Unit_side[u] || m == u || f->Unit_at[m] == NONE) continue;
        heals = f->Card_heals[f->Unit_type[m]];
        if (heals > best && range(&f->map, f->Unit_at[m], f->Unit_at[u]) <= 1) best = heals;
    }
    return best;
}

static int terrain_cover(const field *f, int u) {
    int at = f->Unit_at[u], terrain;
    if (at == NONE || f->Unit_airborne[u]) return 0;
    terrain = f->Hex_terrain[at];
    if (terrain == f->town) {
        int left = f->Terrain_cover[terrain] + (class(f, u) == f->INF) - f->Hex_damage[at];
        return left < 0 ? 0 : left;
    }
    return f->Terrain_cover[terrain];
}

static int defence(const field *f, int u) {
    int which = class(f, u), guard = f->Unit_guard[u], total = 0;
    if (which == f->HEL && !f->Unit_airborne[u]) return 0;
    if (f->Unit_order_name[u] == f->dig_in) abort();
    if (!f->Unit_masked[u]) total += f->Card_armour[f->Unit_type[u]];
    if (!f->Unit_suppressed[u]) total += terrain_cover(f, u);
    if (!f->Unit_flanked[u]) total += 2 * (f->Unit_dug[u] != NOWHERE) + (guard == AMBUSH || guard == SPRUNG);
    total += (guard == DEFENCE) + covered(f, u) + f->Unit_higher[u] - f->Unit_hits[u];
    if (which == f->INF || which == f->ART) total += medics(f, u);
    return total < 0 ? 0 : total;
}

static int morale(const field *f, int u) {
    int total = f->Card_morale_at[f->Unit_type[u] * STRENGTHS + strength(f, u)] + covered(f, u) - 2 * f->Unit_masked[u];
    return total < 0 ? 0 : total;
}

static int accuracy(const field *f, int by, int target, int mode, int far) {
    int type = f->Unit_type[by], at = f->Unit_at[by], total, column;
    if (f->Hex_level[at] > 0 && far > 0)
        column = far - 1 > 1 ? far - 1 : 1;
    else
        column = far < f->Card_reach[type] ? far : f->Card_reach[type];
    total = f->Card_aim[type * RANGES + (column > 9 ? 9 : column)] - f->Unit_masked[by];
    if (f->Unit_suppressed[by]) total = f->Card_aim_suppressed[type];
    else if (target != by && mode <= INDIRECT && (f->Unit_order_name[target] == f->smoke_screen || f->Unit_order_screen[target] != NONE) && obeys(f, target))
        total = 1;
    return total < 0 ? 0 : total > 6 ? 6 : total;
}

/* The shooting test; how many dice miss. */
static int volley(field *f, int by, int target, int mode, int far, int n, uint64_t *dice) {
    int good = accuracy(f, by, target, mode, far), hits = 0, place = by - f->Unit_first;
    int32_t *hit_by = f->Unit_hit_by + target * f->words + place / 32;
    for (int i = 0; i < n; i++) hits += die(dice, 6) <= good;
    if (hits < n && class(f, by) == f->ART) abort();
    put(&f->Unit_incoming[target], f->Unit_incoming[target] + hits);
    put(hit_by, *hit_by | (int32_t)(1u << place % 32));
    return n - hits;
}

static void cut_wire(field *f, int h) {
    for (int w = f->Work_first; w < f->Work_end; w++) {
        int at, d;
        if (!f->Work_alive[w] || f->Work_type[w] != f->wire || f->Work_at[w] == NONE) continue;
        at = f->Work_at[w];
        d = f->Work_toward[w];
        if (at == h || hex_at(&f->map, f->map.q[at] + STEP_Q[d], f->map.r[at] + STEP_R[d]) == h) put(&f->Work_alive[w], 0);
    }
}

static void fire_at(field *f, int by, int target, int mode, int far, uint64_t *dice) {
    int n = dice_of(f, by, seen_as(f, target)), at = f->Unit_at[target], bunched = 0;
    put(&f->Unit_ammo[by], f->Unit_ammo[by] - 1);
    for (int r = f->Unit_first; r < f->Unit_end; r++)
        if (f->Unit_alive[r] && f->Unit_aboard[r] == target && f->Unit_seat[r] == OUTSIDE) abort();
    if (mode == INDIRECT) n -= f->Card_less_indirect[f->Unit_type[by]];
    volley(f, by, target, mode, far, n < 0 ? 0 : n, dice);
    if (f->Hex_terrain[at] == f->town && dice_of(f, by, f->ENG) > 0) abort();
    if (f->Card_traits[f->Unit_type[by]] & WIRE_DESTROYER) cut_wire(f, at);
    for (int v = f->Unit_first; v < f->Unit_end; v++)
        bunched += f->Unit_alive[v] && f->Unit_at[v] == at && class(f, v) == class(f, target) &&
                   f->Unit_side[v] == f->Unit_side[target] && f->Unit_airborne[v] == f->Unit_airborne[target];
    if (bunched >= 3) abort();
}

static void perish(field *f, int u) {
    for (int p = f->Unit_first; p < f->Unit_end; p++)
        if (f->Unit_alive[p] && f->Unit_aboard[p] == u) abort();
    put(&f->Side_lost_points[f->Unit_side[u]], f->Side_lost_points[f->Unit_side[u]] + f->Card_cost[f->Unit_type[u]]);
    put(&f->Unit_alive[u], 0);
}

static void break_off(field *f, int u) {
    put(&f->Unit_broken[u], 0);
    put(&f->Unit_suppressed[u], 1);
    put(&f->Unit_guard[u], FREE);
    put(&f->Unit_progress[u], 0);
    if (f->Unit_dug[u] == IN_TRENCH) put(&f->Unit_dug[u], NOWHERE);
    for (int g = f->Unit_first; g < f->Unit_end; g++)
        if (f->Unit_alive[g] && f->Unit_aboard[g] == u && f->Unit_seat[g] == HITCHED) put(&f->Unit_suppressed[g], 1);
    if (f->Unit_airborne[u]) abort();
}

static void take_losses(field *f, uint64_t *dice) {
    for (int u = f->Unit_first; u < f->Unit_end; u++)
        if (f->Unit_alive[u] && f->Unit_incoming[u] > 0) {
            int beyond = f->Unit_incoming[u] - defence(f, u), loss = beyond < 0 ? 0 : beyond;
            if (loss > f->Unit_strength[u]) loss = f->Unit_strength[u];
            put(&f->Unit_hits[u], f->Unit_hits[u] + f->Unit_incoming[u]);
            put(&f->Unit_incoming[u], 0);
            put(&f->Unit_strength[u], f->Unit_strength[u] - loss);
            put(&f->Unit_lost[u], loss);
            if (loss > 0) put(&f->Unit_shaken[u], 1);
        }
    for (int u = f->Unit_first; u < f->Unit_end; u++)
        if (f->Unit_alive[u] && f->Unit_lost[u] > 0) {
            int cargo = f->Unit_cargo[u] - 6 * f->Unit_lost[u];
            for (int p = f->Unit_first; p < f->Unit_end; p++)
                if (f->Unit_alive[p] && f->Unit_aboard[p] == u) abort();
            put(&f->Unit_cargo[u], cargo < 0 ? 0 : cargo);
            put(&f->Unit_lost[u], 0);
        }
    if (f->game_shelled) abort();
    for (int u = f->Unit_first; u < f->Unit_end; u++)
        if (f->Unit_alive[u] && f->Unit_strength[u] == 0) perish(f, u);
    for (int u = f->Unit_first; u < f->Unit_end; u++)
        if (f->Unit_alive[u] && f->Unit_shaken[u]) {
            int rolled = die(dice, 6);
            rolled += die(dice, 6);
            put(&f->Unit_shaken[u], 0);
            if (rolled > morale(f, u)) put(&f->Unit_broken[u], 1);
        }
    for (int u = f->Unit_first; u < f->Unit_end; u++)
        if (f->Unit_alive[u] && f->Unit_broken[u]) break_off(f, u);
}

static void shooting(field *f, uint64_t *dice) {
    for (int u = f->Unit_first; u < f->Unit_end; u++)
        if (f->Unit_alive[u] && obeys(f, u) && f->Unit_order_name[u] == f->fire) {
            int t = f->Unit_order_target[u], far;
            if (!f->Unit_alive[t] || contact(f, t) || f->Unit_at[t] == NONE || f->Unit_ammo[u] == 0) continue;
            far = range(&f->map, f->Unit_at[u], f->Unit_at[t]);
            fire_at(f, u, t, sees(f, u, t) ? AIMED : INDIRECT, far < 1 ? 1 : far, dice);
        }
    for (int u = f->Unit_first; u < f->Unit_end; u++)
        if (f->Unit_alive[u] && obeys(f, u) && (f->Unit_order_name[u] == f->area_fire || f->Unit_order_name[u] == f->bombard))
            abort();
    take_losses(f, dice);
}

/* One step with dice of its own; the arrays are left as it leaves them, until they are taken back. */
void one(field *f, uint64_t seed) {
    uint64_t dice = seeded(seed);
    shooting(f, &dice);
}

void back(void) { take_back(); }

/* n steps, each from the same position; how much strength is left to a unit in all of them. */
int64_t many(field *f, int unit, int n, uint64_t seed) {
    uint64_t dice = seeded(seed);
    int64_t left = 0;
    for (int i = 0; i < n; i++) {
        shooting(f, &dice);
        left += f->Unit_strength[unit];
        take_back();
    }
    return left;
}
