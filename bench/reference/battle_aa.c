/* A land battle of Axis & Allies, many times: both sides roll a die for each unit, hits are taken by the cheapest, until
 * one side is gone.  The attackers hold `infantry` that hit on 1 and `tanks` that hit on 3, the defenders likewise on 2
 * and 3. */
#include "dice.h"

static int hits(uint64_t *dice, int units, int on) {
    int found = 0;
    for (int i = 0; i < units; i++) found += die(dice, 6) <= on;
    return found;
}

static void lose(int *infantry, int *tanks, int hits) {
    int first = hits < *infantry ? hits : *infantry, then = hits - first;
    *infantry -= first;
    *tanks -= then < *tanks ? then : *tanks;
}

/* counts[0]: battles that the attackers win, counts[1]: units that are left to them in all battles. */
void battles(int infantry, int tanks, int against_infantry, int against_tanks, int n, uint64_t seed, int64_t *counts) {
    uint64_t dice = seed;
    for (int battle = 0; battle < n; battle++) {
        int a = infantry, b = tanks, c = against_infantry, d = against_tanks;
        while (a + b > 0 && c + d > 0) {
            int scored = hits(&dice, a, 1) + hits(&dice, b, 3);
            int answered = hits(&dice, c, 2) + hits(&dice, d, 3);
            lose(&c, &d, scored);
            lose(&a, &b, answered);
        }
        counts[0] += c + d == 0 && a + b > 0;
        counts[1] += a + b;
    }
}
