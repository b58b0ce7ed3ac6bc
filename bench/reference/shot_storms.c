/* One shot of Storms of Steel at a hex: who is endangered there, firepower and defence with their modifiers, two dice with
 * command points spent on them, hit counters drawn from the cup, losses.  Arrays are named after the fields and columns of
 * the title and are indexed by its numbers.  Fire by a unit on the ground; what this attack cannot come to (mines, coins,
 * aircraft) is looked for and refused. */
#include "dice.h"
#include "hexes.h"
#include "undo.h"

enum { NONE = INT32_MIN, RED = 0, BLUE, FRONT = 0, REAR, INFANTRY = 0, GUN, VEHICLE, AIRCRAFT };
enum { DIRECT = 0, CLOSE, LOBBED, SHELLING, COLOURS = 2, ASPECTS = 2, ARMIES = 4, CHITS = 16 };

typedef struct {
    board map;
    const int32_t *Hex_terrain, *Hex_level, *Terrain_dm, *Terrain_bursts, *Hexside_small_gully, *side_edge;
    const int32_t *UnitType_body, *UnitType_fp, *UnitType_crewed, *UnitType_dr, *UnitType_dr_colour, *UnitType_open_top;
    const int32_t *UnitType_sniper, *UnitType_range, *UnitType_vp, *UnitType_shield;
    const int32_t *HitChit_kills, *HitChit_panics, *HitChit_range_one, *HitChit_lost, *HitChit_fp, *HitChit_dr;
    const int32_t *WorkType_dr, *WorkType_blast, *Card_effect, *Card_bonus, *Army_side;
    int32_t *Hex_thick, *Hex_thin, *Mark_alive, *Mark_at, *Mark_army, *Work_alive, *Work_at, *Work_type, *Work_hidden;
    int32_t *Unit_alive, *Unit_type, *Unit_army, *Unit_at, *Unit_facing, *Unit_hidden, *Unit_dug_in, *Unit_steeled;
    int32_t *Unit_wary, *Unit_hit, *Unit_hit__known_, *Unit_under, *Unit_carrier, *Unit_altitude, *Unit_hurried, *Unit_damaged;
    int32_t *Held_alive, *Held_type, *Held_army, *Held_on;
    int32_t *Army_cap, *Army_start_cap, *Army_handicap, *Army_losses, *Army_vp, *Army_pool, *Army_lead, *Army_group;
    int32_t *Army_band, *SoftHits, *HardHits;
    int32_t Unit_first, Unit_end, Work_first, Work_end, Held_first, Held_end, Mark_first, Mark_end;
    int32_t luck, use_of_terrain, better_equipped, high_morale, combat_hardened, blood_and_honour, suspicion, words;
} field;

typedef struct {
    int32_t how, by, origin, hex, army, fp[COLOURS], helpers[COLOURS], card;
} attack;

static int body(const field *f, int u) { return f->UnitType_body[f->Unit_type[u]]; }
static int foes(const field *f, int a, int b) { return f->Army_side[a] != f->Army_side[b]; }
static int burden(const field *f, int u) { return f->Unit_steeled[u] ? NONE : f->Unit_hit[u]; }
static int haze(const field *f, int h) { return 2 * f->Hex_thick[h] + f->Hex_thin[h]; }
static int softer(const field *f, int chit, int s) { return chit == NONE ? 0 : f->HitChit_dr[chit * ASPECTS + s]; }
static int printed(const int32_t *column, int type, int which) { return column[type * 2 + which]; }

static int holds(const field *f, int army, int effect) {
    for (int x = f->Held_first; x < f->Held_end; x++)
        if (f->Held_alive[x] && f->Held_army[x] == army && f->Card_effect[f->Held_type[x]] == effect) return 1;
    return 0;
}

/* The best card of that effect that a unit has, NONE without one. */
static int trait(const field *f, int u, int effect) {
    int best = NONE;
    for (int x = f->Held_first; x < f->Held_end; x++)
        if (f->Held_alive[x] && f->Held_on[x] == u && f->Card_effect[f->Held_type[x]] == effect) {
            int bonus = f->Card_bonus[f->Held_type[x]];
            if (bonus > best) best = bonus;
        }
    return best;
}

static int endangered(const field *f, const attack *a, int t) {
    if (f->Unit_at[t] != a->hex || f->Unit_hidden[t] || body(f, t) == AIRCRAFT || a->by == t) return 0;
    if (a->how == CLOSE || f->UnitType_sniper[f->Unit_type[a->by]]) return foes(f, f->Unit_army[t], a->army);
    return 1;
}

static int aspect(const field *f, const attack *a, int t) {
    if (a->how != DIRECT || f->Unit_carrier[t] != NONE || f->UnitType_sniper[f->Unit_type[a->by]]) return REAR;
    return in_wide_arc(&f->map, f->Unit_at[t], f->Unit_facing[t], a->origin) ? FRONT : REAR;
}

static int struck(const field *f, const attack *a, int t, int s) {
    int type = f->Unit_type[t];
    if (s == REAR && f->UnitType_open_top[type]) {
        if (a->how == LOBBED || a->how == SHELLING) return RED;
        if (a->how == CLOSE && body(f, a->by) == INFANTRY) return RED;
    }
    return printed(f->UnitType_dr_colour, type, s);
}

static int usable(const field *f, int u, int colour) {
    int chit = burden(f, u);
    return chit == NONE || !f->HitChit_lost[chit * COLOURS + colour];
}

static int firepower(const field *f, const attack *a, int colour) {
    int type = f->Unit_type[a->by], chit = burden(f, a->by), gap = range(&f->map, f->Unit_at[a->by], a->hex);
    int reach = chit != NONE && f->HitChit_range_one[chit] ? 1 : f->UnitType_range[type], trained;
    int total = a->fp[colour] + a->helpers[colour] + a->card;
    if (body(f, a->by) == AIRCRAFT) abort();
    if (chit != NONE) total += f->HitChit_fp[chit * COLOURS + colour];
    if (a->how != SHELLING && gap > reach) total -= 2;
    if (a->how == DIRECT && gap <= 1) total += 3;
    if (a->how == CLOSE) total += printed(f->UnitType_crewed, type, colour) ? -2 : 4;
    if (a->how != SHELLING && f->Hex_level[a->origin] > f->Hex_level[a->hex]) total += 1;
    trained = trait(f, a->by, f->better_equipped);
    return trained == NONE ? total : total + trained;
}

static int defence(const field *f, int t, int s) {
    int total = printed(f->UnitType_dr, f->Unit_type[t], s) + softer(f, burden(f, t), s);
    return total < 0 ? 0 : total;
}

static int cover(const field *f, const attack *a, int t) {
    int from = a->origin, to = a->hex, dm = f->Terrain_dm[f->Hex_terrain[to]], total = haze(f, to), type = f->Unit_type[t];
    int bursting = (a->how == LOBBED || a->how == SHELLING) && f->Terrain_bursts[f->Hex_terrain[to]];
    if (!(bursting && printed(f->UnitType_dr_colour, type, REAR) == RED)) total += dm;
    if (a->how != SHELLING && f->Hex_level[from] < f->Hex_level[to]) total += 1;
    if (a->how == DIRECT || a->how == LOBBED) {
        walk w;
        slope s;
        int last = from, clean = 1;
        if (from != to) total += haze(f, from);
        start(&w, &s, &f->map, from, to);
        while (step(&w, &s)) {
            if (w.along && w.left >= 0 && w.right >= 0) {
                int left = haze(f, w.left), right = haze(f, w.right);
                total += left < right ? left : right;
            }
            clean = !w.along;
            if (w.here == to) break;
            last = w.here;
            if (w.here >= 0) total += haze(f, w.here);
        }
        /* An indirect shot has two lines: the observer's for smoke, the mortar's over a small gully. */
        if (a->how == LOBBED && f->Unit_at[a->by] != from) abort();
        if (from != to && clean && last >= 0) {
            int edge = f->side_edge[6 * last + direction(&f->map, last, to)];
            total += edge >= 0 && f->Hexside_small_gully[edge];
        }
    }
    if (body(f, t) == INFANTRY && f->Unit_carrier[t] == NONE)
        for (int v = f->Unit_first; v < f->Unit_end; v++)
            total += f->Unit_alive[v] && f->Unit_at[v] == to && body(f, v) == VEHICLE && v != t && !f->Unit_hidden[v] &&
                     (a->how != CLOSE || foes(f, f->Unit_army[v], a->army));
    if (f->Unit_carrier[t] != NONE) total += f->UnitType_shield[f->Unit_type[f->Unit_carrier[t]]];
    total += f->Unit_dug_in[t];
    if (f->Unit_under[t] != NONE) abort();
    if (dm > 0) {
        int skill = trait(f, t, f->use_of_terrain);
        if (skill != NONE) total += skill;
    }
    return total + (f->Unit_wary[t] && a->how == DIRECT);
}

/* Two dice, with the lowest bid of command points that may be made. */
static int throw(field *f, int army, uint64_t *dice) {
    int cap = f->Army_cap[army], boost = cap < 2 ? -cap : -2, total;
    put(&f->Army_cap[army], cap + boost);
    total = die(dice, 6);
    total += die(dice, 6);
    if (holds(f, army, f->combat_hardened) || holds(f, army, f->luck)) abort();
    return total + boost;
}

static void eliminate(field *f, int t, int by) {
    int army = f->Unit_army[t], ceiling, hit = f->Unit_hit[t];
    int32_t *cup = body(f, t) == VEHICLE ? f->HardHits : f->SoftHits;
    if (!foes(f, by, army)) abort();
    if (hit != NONE) {
        put(&f->Unit_hit__known_[t], 1);
        put(&cup[hit], cup[hit] + 1);
        put(&f->Unit_hit[t], NONE);
        put(&f->Unit_hit__known_[t], 0);
        put(&f->Unit_damaged[t], 0);
    }
    for (int c = f->Unit_first; c < f->Unit_end; c++)
        if (f->Unit_alive[c] && f->Unit_carrier[c] == t) {
            put(&f->Unit_carrier[c], NONE);
            put(&f->Unit_facing[c], f->Unit_facing[t]);
        }
    ceiling = f->Army_start_cap[army] + f->Army_handicap[army] - f->Army_losses[army];
    if (ceiling < 0) ceiling = 0;
    put(&f->Army_losses[army], f->Army_losses[army] + 1);
    if (f->Army_cap[army] == ceiling && ceiling > 0) put(&f->Army_cap[army], ceiling - 1);
    put(&f->Army_vp[by], f->Army_vp[by] + f->UnitType_vp[f->Unit_type[t]]);
    for (int p = 0; p < ARMIES; p++) {
        int word = (t - f->Unit_first) / 32, empty = 1;
        int32_t bit = (int32_t)(1u << (t - f->Unit_first) % 32), *group = f->Army_group + p * f->words;
        if (group[word] & bit) put(&group[word], group[word] & ~bit);
        for (int i = 0; i < f->words; i++) empty &= group[i] == 0;
        if (empty && f->Army_pool[p]) put(&f->Army_pool[p], 0);
        if (f->Army_band[p * f->words + word] & bit) put(&f->Army_band[p * f->words + word], f->Army_band[p * f->words + word] & ~bit);
        if (f->Army_lead[p] == t) put(&f->Army_lead[p], NONE);
    }
    put(&f->Unit_alive[t], 0);
}

static void take_hit(field *f, int t, int by, uint64_t *dice) {
    int32_t *cup = body(f, t) == VEHICLE ? f->HardHits : f->SoftHits;
    int left = 0, chit = 0;
    if (f->Unit_hit[t] != NONE) {
        eliminate(f, t, by);
        return;
    }
    for (int c = 0; c < CHITS; c++) left += cup[c];
    if (left == 0) return;
    left = die(dice, left);
    while (left > cup[chit]) left -= cup[chit++];
    put(&cup[chit], cup[chit] - 1);
    if (f->HitChit_panics[chit] && trait(f, t, f->high_morale) != NONE) abort();
    put(&f->Unit_hit[t], chit);
    put(&f->Unit_hit__known_[t], 0);
    put(&f->Unit_damaged[t], 1);
    if (f->HitChit_kills[chit]) eliminate(f, t, by);
}

/* How many units it kills. */
static int shoot(field *f, const attack *a, uint64_t *dice) {
    int targets[64], count = 0, dead[64], fallen = 0, wounded[64], hurt = 0, empty = 1, lost;
    for (int m = f->Mark_first; m < f->Mark_end; m++)
        if (f->Mark_alive[m] && f->Mark_at[m] == a->hex && foes(f, f->Mark_army[m], a->army)) abort();
    for (int t = f->Unit_first; t < f->Unit_end; t++)
        if (f->Unit_alive[t] && endangered(f, a, t)) {
            empty = 0;
            if (usable(f, a->by, struck(f, a, t, aspect(f, a, t)))) targets[count++] = t;
        }
    for (int i = 0; i < count; i++) {
        int t = targets[i], s = aspect(f, a, t), thrown, margin;
        thrown = throw(f, a->army, dice);
        margin = firepower(f, a, struck(f, a, t, s)) + thrown - defence(f, t, s) - cover(f, a, t);
        if (margin >= 4)
            dead[fallen++] = t;
        else if (margin >= 0)
            wounded[hurt++] = t;
    }
    for (int w = f->Work_first; w < f->Work_end; w++)
        if (f->Work_alive[w] && f->Work_at[w] == a->hex && f->WorkType_dr[f->Work_type[w]] != NONE) abort();
    if (f->suspicion && empty && a->how != CLOSE) abort();
    lost = fallen;
    for (int i = 0; i < fallen; i++) {
        eliminate(f, dead[i], a->army);
        if (trait(f, dead[i], f->blood_and_honour) != NONE) abort();
    }
    for (int i = 0; i < hurt; i++) {
        take_hit(f, wounded[i], a->army, dice);
        if (f->Unit_alive[wounded[i]]) continue;
        if (trait(f, wounded[i], f->blood_and_honour) != NONE) abort();
        lost++;
    }
    return lost;
}

/* One shot with dice of their own; the arrays are left as it leaves them, until they are taken back. */
void one(field *f, const attack *a, uint64_t seed) {
    uint64_t dice = seeded(seed);
    shoot(f, a, &dice);
}

void back(void) { take_back(); }

/* n shots, each from the same position; how many units died. */
int64_t many(field *f, const attack *a, int n, uint64_t seed) {
    uint64_t dice = seeded(seed);
    int64_t died = 0;
    for (int i = 0; i < n; i++) {
        died += shoot(f, a, &dice);
        take_back();
    }
    return died;
}
