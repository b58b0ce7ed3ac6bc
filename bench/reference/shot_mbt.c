/* One shot of MBT: range band, modifiers, the roll, the aspect hit, penetration, damage, the wreck.  Arrays are named after
 * the fields and columns of the title and are indexed by its numbers.  Whoever is asked takes the first of the answers: no
 * command is shown, on the border the front is hit.  Direct fire; what this cannot come to (overwatch, objectives that are
 * held) is looked for and refused. */
#include "dice.h"
#include "hexes.h"
#include "undo.h"

enum { NONE = INT32_MIN, BANDS = 5, ASPECTS = 2, INTACT = 0, DAMAGED, KO, BU, BARE = 0, LIGHT, MEDIUM, HEAVY };
enum { MOVE = 2, SHORT_HALT, SPOT_FIRE = 2, AT_SPOTTING = 2, LATER = 1000, DIRECT = 0, LOWEST = -10, HIGHEST = 5 };

typedef struct {
    board map;
    const int32_t *Hex_terrain, *Hex_improved, *Terrain_under, *Terrain_cover, *Card_size, *Card_armour, *Gun_sb;
    const int32_t *Ammo_gun, *Ammo_reach, *Ammo_pen, *ap_hit;
    int32_t *Hex_smoke, *Hex_wreck, *Hex_smoke__pending_, *Hex_smoke__due_, *Vehicle_alive, *Vehicle_type, *Vehicle_at;
    int32_t *Vehicle_facing, *Vehicle_damaged, *Vehicle_shot, *Vehicle_aim, *Vehicle_provokes, *Vehicle_load;
    int32_t *Vehicle_command, *Vehicle_command__known_, *Vehicle_spot__pending_, *Vehicle_spot__due_, *Objective_alive;
    int32_t *Objective_tenant;
    int32_t Vehicle_first, Vehicle_end, Objective_first, Objective_end, _depth_;
} field;

static int cover(const field *f, int h) {
    int here = 0, terrain = f->Hex_terrain[h];
    for (int v = f->Vehicle_first; v < f->Vehicle_end; v++) here += f->Vehicle_alive[v] && f->Vehicle_at[v] == h;
    if (here >= 6) return BARE;
    if (f->Hex_improved[h]) return HEAVY;
    return f->Terrain_cover[f->Terrain_under[terrain] == NONE ? terrain : f->Terrain_under[terrain]];
}

/* Hexes with smoke on the line, the ends included. */
static int smoke_between(const field *f, int a, int b) {
    int found = f->Hex_smoke[a];
    walk w;
    start(&w, &f->map, a, b);
    while (step(&w)) {
        if (w.along) found += (w.left >= 0 && f->Hex_smoke[w.left]) + (w.right >= 0 && f->Hex_smoke[w.right]);
        found += w.here >= 0 && f->Hex_smoke[w.here];
    }
    return found;
}

/* Whether a hex lies behind the line through another square to the facing. */
static int behind(const field *f, int from, int facing, int to) {
    int q = STEP_Q[facing], r = STEP_R[facing], dq = f->map.q[to] - f->map.q[from], dr = f->map.r[to] - f->map.r[from];
    return q * dq + r * dr + (q + r) * (dq + dr) < 0;
}

static int modifiers(const field *f, int firer, int target, int ammo, int moving) {
    int a = f->Vehicle_at[firer], b = f->Vehicle_at[target], hidden = cover(f, b), sb = f->Gun_sb[f->Ammo_gun[ammo]];
    int net = f->Card_size[f->Vehicle_type[target]] - 2 * moving;
    net -= hidden == LIGHT ? 1 : hidden == MEDIUM ? 3 : hidden == HEAVY ? 5 : 0;
    if (f->Vehicle_command[firer] == SHORT_HALT) net -= sb == NONE || sb == 0 ? 4 : sb;
    if (f->Vehicle_damaged[firer]) net -= 3;
    return net - 2 * smoke_between(f, a, b);
}

static void lose(field *f, int t, int fate) {
    int h = f->Vehicle_at[t];
    if (f->Hex_wreck[h] < fate) put(&f->Hex_wreck[h], fate);
    if (fate == BU) {
        if (f->_depth_) {
            put(&f->Hex_smoke__pending_[h], 1);
            put(&f->Hex_smoke__due_[h], f->_depth_ + LATER);
        } else {
            put(&f->Hex_smoke[h], 1);
        }
    }
    put(&f->Vehicle_alive[t], 0);
    for (int o = f->Objective_first; o < f->Objective_end; o++)
        if (f->Objective_alive[o] && f->Objective_tenant[o] != NONE) abort();
}

/* What becomes of the target. */
static int shoot(field *f, int firer, int target, int how, uint64_t *dice) {
    int ammo, far, band = 0, moving, net, aspect, through, margin, fate;
    put(&f->Vehicle_aim[firer], NONE);
    put(&f->Vehicle_shot[firer], 1);
    put(&f->Vehicle_provokes[firer], 1);
    put(&f->Vehicle_spot__pending_[firer], SPOT_FIRE);
    put(&f->Vehicle_spot__due_[firer], AT_SPOTTING);
    if (!f->Vehicle_alive[target]) return INTACT;
    ammo = f->Vehicle_load[firer];
    if (ammo == NONE) return INTACT;
    far = range(&f->map, f->Vehicle_at[firer], f->Vehicle_at[target]);
    while (f->Ammo_reach[ammo * BANDS + band] == NONE || f->Ammo_reach[ammo * BANDS + band] < far)
        if (++band == BANDS) abort();
    moving = (f->Vehicle_command[target] == MOVE || f->Vehicle_command[target] == SHORT_HALT) && f->Vehicle_command__known_[target];
    if (how != DIRECT) abort();
    net = modifiers(f, firer, target, ammo, moving);
    net = net < LOWEST ? LOWEST : net > HIGHEST ? HIGHEST : net;
    if (die(dice, 100) > f->ap_hit[(net - LOWEST) * BANDS + band]) return INTACT;
    aspect = behind(f, f->Vehicle_at[target], f->Vehicle_facing[target], f->Vehicle_at[firer]);
    through = f->Ammo_pen[ammo * BANDS + band];
    if (through == NONE) return INTACT;
    margin = through - f->Card_armour[f->Vehicle_type[target] * ASPECTS + aspect];
    fate = margin < 0 ? INTACT : margin < 4 ? DAMAGED : margin < 10 ? KO : BU;
    if (fate == DAMAGED && !f->Vehicle_damaged[target])
        put(&f->Vehicle_damaged[target], 1);
    else if (fate != INTACT)
        lose(f, target, fate = fate < KO ? KO : fate);
    return fate;
}

/* One shot with dice of their own; the arrays are left as it leaves them, until they are taken back. */
void one(field *f, int firer, int target, int how, uint64_t seed) {
    uint64_t dice = seeded(seed);
    shoot(f, firer, target, how, &dice);
}

void back(void) { take_back(); }

/* n shots, each from the same position; how many vehicles they destroy. */
int64_t many(field *f, int firer, int target, int how, int n, uint64_t seed) {
    uint64_t dice = seeded(seed);
    int64_t destroyed = 0;
    for (int i = 0; i < n; i++) {
        destroyed += shoot(f, firer, target, how, &dice) >= KO;
        take_back();
    }
    return destroyed;
}
