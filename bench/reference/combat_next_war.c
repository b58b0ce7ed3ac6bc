/* A ground combat of Next War: who joins, strengths in the ground and over the rivers, odds to a column, column shifts, support,
 * die-roll modifiers, the table, losses step by step.  Arrays are named after the fields and columns of the title and are
 * indexed by its numbers.  Whoever is asked takes the first of the answers: everybody joins, no air point is spent.  At odds
 * at which nobody retreats or dies out; what this cannot come to (retreat, landings, helicopters, ships, beachheads) is looked
 * for and refused.  A battle begins with a blank record and takes the marks of the last one off all counters: nothing
 * promises that they are off, so that whoever does a battle has to look. */
#include "dice.h"
#include "hexes.h"
#include "undo.h"

enum { NONE = INT32_MIN, INFANTRY = 0, ARMOR, MECH, MARINE, AIRBORNE, HQ, SUPREME_HQ, DEPOT, MSU };
enum { DRY = 0, MINOR, MAJOR, FOOT = 0, RATIOS = 13, COLUMNS = 13, LOWEST = -3, HIGHEST = 12, SIDES = 2, MOST = 64 };

typedef struct {
    board map;
    const int32_t *Hex_terrain, *Hex_city, *Hex_town, *Hex_fort, *Hex_country, *Nation_side, *side_edge, *Hexside_river;
    const int32_t *Hexside_road, *Hexside_water, *Terrain_wheels, *Terrain_stack, *Terrain_light, *Terrain_open_ground;
    const int32_t *Terrain_poor_ground, *Terrain_row, *Ratio_order, *Ratio_attacker, *Ratio_defender, *Result_att, *Result_def;
    const int32_t *Result_retreat, *GroundType_atk, *GroundType_low_atk, *GroundType_def, *GroundType_low_def;
    const int32_t *GroundType_boxed, *GroundType_er, *GroundType_mobility, *GroundType_arm, *GroundType_light;
    const int32_t *GroundType_steps, *GroundType_half_points, *GroundType_formation, *Formation_division;
    const int32_t *start_column, *crt;
    int32_t *Hex_control, *Hex_clearing, *Hex_attacked, *Hex_gas, *Ground_alive, *Ground_type, *Ground_side, *Ground_at;
    int32_t *Ground_aboard, *Ground_left, *Ground_strike, *Ground_isolated, *Ground_unsupplied, *Ground_fell_back;
    int32_t *Ground_fought, *Ground_lost_now, *Ground_battle, *Ground_stands, *Helo_battle, *Naval_battle, *Battle_alive, *Battle_hex, *Battle_side, *Battle_lead;
    int32_t *Battle_foe_lead, *Battle_a, *Battle_d, *Battle_column, *Battle_ap, *Battle_worth, *Battle_hq, *Side_surprise;
    int32_t *Beachhead_alive, *Beachhead_at, *Site_alive, *Site_at, *Site_destroyed, *Helo_alive, *Naval_alive;
    int32_t Ground_first, Ground_end, Battle_first, Battle_end, Beachhead_first, Beachhead_end, Site_first, Site_end;
    int32_t Helo_first, Helo_end, Naval_first, Naval_end, Formation_first, Formation_end, urban, marsh, game_frozen;
} field;

static int typed(const field *f, const int32_t *column, int u) { return column[f->Ground_type[u]]; }
static int full(const field *f, int u) { return f->Ground_left[u] >= typed(f, f->GroundType_steps, u); }
static int attack_points(const field *f, int u) { return typed(f, full(f, u) ? f->GroundType_atk : f->GroundType_low_atk, u); }
static int defence_points(const field *f, int u) { return typed(f, full(f, u) ? f->GroundType_def : f->GroundType_low_def, u); }
static int wheeled(const field *f, int u) { return typed(f, f->GroundType_mobility, u) != FOOT; }
static int side(const field *f, int a, int b) { return f->side_edge[6 * a + direction(&f->map, a, b)]; }

static int struck(int value, int strike) { return strike == 0 ? value : value - strike > 1 ? value - strike : 1; }

static int beachhead(const field *f, int h) {
    for (int b = f->Beachhead_first; b < f->Beachhead_end; b++)
        if (f->Beachhead_alive[b] && f->Beachhead_at[b] == h) abort();
    return 0;
}

static int may_attack(const field *f, int u, int h, int s) {
    int p = f->Ground_at[u], edge;
    if (f->Ground_side[u] != s || f->Ground_fought[u] || f->Ground_left[u] == 0) return 0;
    if (f->Ground_aboard[u] != NONE) abort();
    if (p == NONE || direction(&f->map, p, h) < 0 || attack_points(f, u) == 0) return 0;
    edge = side(f, p, h);
    if (f->Hexside_water[edge] || (f->Hex_clearing[p] > 0 && f->Hex_control[p] == 1 - s)) return 0;
    if (f->Hexside_road[edge] != NONE) return 1;
    return f->Hexside_river[edge] != MAJOR && !(wheeled(f, u) && !f->Terrain_wheels[f->Hex_terrain[h]]);
}

static int one_division(const field *f, int h, int s) {
    int found = NONE, most = NONE, stacked[MOST], count = 0;
    for (int u = f->Ground_first; u < f->Ground_end; u++)
        if (f->Ground_alive[u] && f->Ground_at[u] == h && f->Ground_side[u] == s && f->Ground_aboard[u] == NONE) {
            int points = typed(f, f->GroundType_half_points, u);
            stacked[count++] = typed(f, f->GroundType_formation, u);
            if (stacked[count - 1] != NONE && points > most) {
                most = points;
                found = stacked[count - 1];
            }
        }
    if (found == NONE || !f->Formation_division[found] || f->Terrain_stack[f->Hex_terrain[h]] != 4) return 0;
    for (int i = 0; i < count; i++)
        if (stacked[i] != found) return 0;
    return 1;
}

static int limit(const field *f, int h) { return beachhead(f, h) ? 12 : 2 * f->Terrain_stack[f->Hex_terrain[h]]; }

/* The units of one side in the battle; how many. */
static int fighters(const field *f, int b, int s, int *men) {
    int count = 0;
    for (int u = f->Ground_first; u < f->Ground_end; u++)
        if (f->Ground_alive[u] && f->Ground_battle[u] == b && f->Ground_side[u] == s) men[count++] = u;
    return count;
}

static int room_for(const field *f, int u, int b) {
    int p = f->Ground_at[u], men[MOST], count, weight = 0;
    if (one_division(f, p, f->Ground_side[u])) return 1;
    count = fighters(f, b, f->Battle_side[b], men);
    for (int i = 0; i < count; i++)
        if (f->Ground_at[men[i]] == p) weight += typed(f, f->GroundType_half_points, men[i]);
    return weight + typed(f, f->GroundType_half_points, u) <= limit(f, p);
}

static int excess(const field *f, int h, int s) {
    int weight = 0, over;
    for (int u = f->Ground_first; u < f->Ground_end; u++)
        if (f->Ground_alive[u] && f->Ground_at[u] == h && f->Ground_side[u] == s && f->Ground_aboard[u] == NONE)
            weight += typed(f, f->GroundType_half_points, u);
    over = weight - limit(f, h);
    return over <= 0 || one_division(f, h, s) ? 0 : over;
}

static int er(const field *f, int u) {
    int total = typed(f, f->GroundType_er, u) - f->Ground_strike[u] - f->Ground_unsupplied[u], at = f->Ground_at[u];
    total -= (excess(f, at, f->Ground_side[u]) + 1) / 2;
    if (f->Hex_gas[at] == f->Ground_side[u]) abort();
    return total < 1 ? 1 : total;
}

static int open_field(const field *f, int h, const int *foes, int count) {
    if (!f->Terrain_open_ground[f->Hex_terrain[h]] || f->Hex_city[h] || f->Hex_fort[h]) return 0;
    for (int i = 0; i < count; i++) {
        int arm = typed(f, f->GroundType_arm, foes[i]);
        if (arm == ARMOR || arm == MECH) return 0;
    }
    return 1;
}

static int attack_of(const field *f, int u, int h, const int *foes, int count) {
    int points = attack_points(f, u), total = struck(points, f->Ground_strike[u]), halved = 0, arm = typed(f, f->GroundType_arm, u);
    int river = f->Hexside_river[side(f, f->Ground_at[u], h)] != DRY, ground = f->Hex_terrain[h];
    if (river) {
        total = (total + 1) / 2;
        halved = 1;
    }
    if (arm == ARMOR || arm == MECH) {
        if (f->Terrain_poor_ground[ground] && !(f->game_frozen && ground == f->marsh) && !halved) {
            total = (total + 1) / 2;
            halved = 1;
        }
        if (!river && open_field(f, h, foes, count)) total = arm == ARMOR ? total * 2 : (total * 3 + 1) / 2;
    }
    if ((f->Ground_unsupplied[u] || f->Ground_isolated[u]) && !halved) total /= 2;
    return points > 0 && total < 1 ? 1 : total;
}

static int defence_of(const field *f, int u, int h, const int *foes, int count) {
    int points = defence_points(f, u), total = struck(points, f->Ground_strike[u]), arm = typed(f, f->GroundType_arm, u);
    if (f->Hex_terrain[h] == f->urban && f->Hex_clearing[h] == 0 && (arm == INFANTRY || arm == MARINE || arm == AIRBORNE)) total *= 2;
    if (f->Ground_isolated[u]) total /= 2;
    if (points > 0 && total < 1) total = 1;
    if (typed(f, f->GroundType_boxed, u))
        for (int i = 0; i < count; i++)
            if (!typed(f, f->GroundType_boxed, foes[i])) return 0;
    return total;
}

/* The printed ratio that the odds reach in a row, else its lowest. */
static int ratio_in(const field *f, int row, int a, int d) {
    int best = NONE, lowest = NONE;
    for (int x = 0; x < RATIOS; x++) {
        if (f->start_column[row * RATIOS + x] == NONE) continue;
        if (lowest == NONE || f->Ratio_order[x] < f->Ratio_order[lowest]) lowest = x;
        if (a * f->Ratio_defender[x] >= d * f->Ratio_attacker[x] && (best == NONE || f->Ratio_order[x] > f->Ratio_order[best])) best = x;
    }
    return best != NONE ? best : lowest;
}

static int column_shift(const field *f, int b) {
    int h = f->Battle_hex[b], s = f->Battle_side[b], total = f->Side_surprise[s];
    total += er(f, f->Battle_lead[b]) - er(f, f->Battle_foe_lead[b]);
    if (f->Hex_city[h] && f->Hex_clearing[h] == 0) total -= 2;
    if (f->Hex_fort[h] && f->Hex_country[h] != NONE && f->Nation_side[f->Hex_country[h]] == 1 - s && f->Hex_control[h] != s) total -= 2;
    return total;
}

static int battle_drm(const field *f, int b) {
    int h = f->Battle_hex[b], s = f->Battle_side[b], a = f->Battle_a[b], d = f->Battle_d[b], men[MOST], count, hexes = 0;
    int ground = f->Hex_terrain[h], r = ratio_in(f, f->Terrain_row[ground], a, d), formations = 0;
    int total = f->Battle_worth[b * SIDES + 1 - s] - f->Battle_worth[b * SIDES + s];
    total = total < -6 ? -6 : total > 6 ? 6 : total;
    if (a > d && a * f->Ratio_defender[r] != d * f->Ratio_attacker[r]) total -= 1;
    if (f->Hex_clearing[h] == 0) {
        total += f->Hex_town[h];
        for (int x = f->Site_first; x < f->Site_end; x++) total += f->Site_alive[x] && f->Site_at[x] == h && !f->Site_destroyed[x];
    }
    count = fighters(f, b, s, men);
    for (int way = 0; way < 6; way++) {
        int n = hex_at(&f->map, f->map.q[h] + STEP_Q[way], f->map.r[h] + STEP_R[way]), any = 0;
        for (int i = 0; n >= 0 && i < count && !any; i++) any = f->Ground_aboard[men[i]] == NONE && f->Ground_at[men[i]] == n;
        hexes += any;
    }
    total -= hexes >= 5 ? 2 : hexes >= 3;
    for (int x = f->Formation_first; x < f->Formation_end; x++)
        for (int i = 0; i < count; i++)
            if (typed(f, f->GroundType_formation, men[i]) == x) {
                formations++;
                break;
            }
    if (formations > 1) total += formations - 1;
    if (f->Terrain_light[ground]) {
        int helps = 0, hinders = 0;
        for (int i = 0; i < count; i++) helps |= typed(f, f->GroundType_light, men[i]);
        count = fighters(f, b, 1 - s, men);
        for (int i = 0; i < count; i++) hinders |= typed(f, f->GroundType_light, men[i]);
        total += hinders - helps;
    }
    return total;
}

static int loss_rank(const field *f, int u, int lead) {
    int arm = typed(f, f->GroundType_arm, u);
    if (arm == DEPOT || arm == MSU) return 900;
    if (lead == u && f->Ground_lost_now[u] == 0) return 0;
    return 10 + typed(f, f->GroundType_steps, u) - f->Ground_left[u];
}

static void take_losses(field *f, int n, int b, int s, int lead) {
    while (n--) {
        int us[MOST], count = fighters(f, b, s, us), first = -1, least = 0;
        if (count == 0) abort();
        beachhead(f, f->Battle_hex[b]);
        for (int i = 0; i < count; i++) {
            int rank = loss_rank(f, us[i], lead);
            if (first < 0 || rank < least) {
                least = rank;
                first = us[i];
            }
        }
        put(&f->Ground_lost_now[first], f->Ground_lost_now[first] + 1);
        put(&f->Ground_left[first], f->Ground_left[first] - 1);
        if (f->Ground_left[first] == 0) abort();
    }
}

static int steps_of(const field *f, const int *us, int count) {
    int total = 0;
    for (int i = 0; i < count; i++) total += f->Ground_left[us[i]];
    return total;
}

static void results(field *f, int b, int r) {
    int own = f->Result_att[r], his = f->Result_def[r], s = f->Battle_side[b], us[MOST], count, h = f->Battle_hex[b];
    if (f->Battle_column[b] >= 11) abort();
    count = fighters(f, b, s, us);
    if (own >= steps_of(f, us, count) && his > 0) abort();
    take_losses(f, his, b, 1 - s, f->Battle_foe_lead[b]);
    if (f->Result_retreat[r]) abort();
    take_losses(f, own, b, s, f->Battle_lead[b]);
    for (int u = f->Ground_first; u < f->Ground_end; u++)
        if (f->Ground_alive[u] && f->Ground_at[u] == h && f->Ground_side[u] == 1 - s && f->Ground_aboard[u] == NONE &&
            !f->Ground_fell_back[u])
            return;
    abort();
}

static void blank(int32_t *cells, int first, int end, int value) {
    for (int i = first; i < end; i++)
        if (cells[i] != value) put(&cells[i], value);
}

static void forget_last_battle(field *f) {
    blank(f->Ground_lost_now, f->Ground_first, f->Ground_end, 0);
    blank(f->Ground_battle, f->Ground_first, f->Ground_end, NONE);
    blank(f->Ground_stands, f->Ground_first, f->Ground_end, 0);
    blank(f->Helo_battle, f->Helo_first, f->Helo_end, NONE);
    blank(f->Naval_battle, f->Naval_first, f->Naval_end, NONE);
}

/* A record of its own, of which nothing is left of whoever had it before. */
static int new_battle(field *f, int h, int s) {
    int b = f->Battle_first;
    while (f->Battle_alive[b])
        if (++b == f->Battle_end) abort();
    blank(f->Battle_lead, b, b + 1, NONE);
    blank(f->Battle_foe_lead, b, b + 1, NONE);
    blank(f->Battle_ap, b * SIDES, (b + 1) * SIDES, 0);
    blank(f->Battle_worth, b * SIDES, (b + 1) * SIDES, 0);
    blank(f->Battle_hq, b * SIDES, (b + 1) * SIDES, 0);
    blank(f->Battle_a, b, b + 1, 0);
    blank(f->Battle_d, b, b + 1, 0);
    blank(f->Battle_column, b, b + 1, 1);
    put(&f->Battle_alive[b], 1);
    put(&f->Battle_hex[b], h);
    put(&f->Battle_side[b], s);
    return b;
}

/* The result that the table gives. */
static int battle(field *f, int h, int s, int first, uint64_t *dice) {
    int b, men[MOST], foes[MOST], count, against, a = 0, d = 0, column, die_roll, row, r, weight = 0;
    forget_last_battle(f);
    put(&f->Hex_attacked[h], 1);
    b = new_battle(f, h, s);
    put(&f->Ground_battle[first], b);
    for (int joined = 1; joined;) {
        joined = 0;
        for (int u = f->Ground_first; u < f->Ground_end && !joined; u++)
            if (f->Ground_alive[u] && f->Ground_battle[u] == NONE && may_attack(f, u, h, s) && room_for(f, u, b)) {
                put(&f->Ground_battle[u], b);
                joined = 1;
            }
    }
    count = fighters(f, b, s, men);
    for (int i = 0; i < count; i++) put(&f->Ground_fought[men[i]], 1);
    for (int u = f->Ground_first; u < f->Ground_end; u++)
        if (f->Ground_alive[u] && f->Ground_at[u] == h && f->Ground_side[u] == 1 - s && f->Ground_aboard[u] == NONE &&
            !f->Ground_fell_back[u])
            put(&f->Ground_battle[u], b);
    against = fighters(f, b, 1 - s, foes);
    for (int i = 0; i < against; i++) weight += typed(f, f->GroundType_half_points, foes[i]);
    if (weight > limit(f, h)) abort();
    for (int i = 0; i < count; i++) a += attack_of(f, men[i], h, foes, against);
    for (int i = 0; i < against; i++) d += defence_of(f, foes[i], h, foes, against);
    beachhead(f, h);
    a += f->Battle_hq[b * SIDES + s];
    d += f->Battle_hq[b * SIDES + 1 - s];
    put(&f->Battle_a[b], a);
    put(&f->Battle_d[b], d < 1 ? 1 : d);
    if (against == 0) abort();
    put(&f->Battle_lead[b], men[0]);
    put(&f->Battle_foe_lead[b], foes[0]);
    row = f->Terrain_row[f->Hex_terrain[h]];
    column = f->start_column[row * RATIOS + ratio_in(f, row, a, f->Battle_d[b])] + column_shift(f, b);
    put(&f->Battle_column[b], column < 1 ? 1 : column > COLUMNS ? COLUMNS : column);
    for (int p = 0; p < SIDES; p++) put(&f->Battle_ap[b * SIDES + p], 0);
    for (int x = f->Helo_first; x < f->Helo_end; x++)
        if (f->Helo_alive[x]) abort();
    for (int x = f->Naval_first; x < f->Naval_end; x++)
        if (f->Naval_alive[x]) abort();
    die_roll = die(dice, 10) - 1 + battle_drm(f, b);
    die_roll = die_roll < LOWEST ? LOWEST : die_roll > HIGHEST ? HIGHEST : die_roll;
    r = f->crt[(f->Battle_column[b] - 1) * (HIGHEST - LOWEST + 1) + die_roll - LOWEST];
    results(f, b, r);
    put(&f->Battle_alive[b], 0);
    return r;
}

/* One combat with dice of its own; the arrays are left as it leaves them, until they are taken back. */
void one(field *f, int h, int s, int first, uint64_t seed) {
    uint64_t dice = seeded(seed);
    battle(f, h, s, first, &dice);
}

void back(void) { take_back(); }

/* n combats, each from the same position; the steps that the attackers lose in all of them. */
int64_t many(field *f, int h, int s, int first, int n, uint64_t seed) {
    uint64_t dice = seeded(seed);
    int64_t lost = 0;
    for (int i = 0; i < n; i++) {
        lost += f->Result_att[battle(f, h, s, first, &dice)];
        take_back();
    }
    return lost;
}
