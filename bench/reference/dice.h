/* A generator of dice: PCG32, one draw per die. */
#include <stdint.h>

static inline uint32_t draw(uint64_t *state) {
    uint64_t x = *state;
    uint32_t shifted = (uint32_t)(((x >> 18) ^ x) >> 27), turn = (uint32_t)(x >> 59);
    *state = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (shifted >> turn) | (shifted << (-turn & 31));
}

static inline int die(uint64_t *state, int faces) { return (int)(((uint64_t)draw(state) * (uint32_t)faces) >> 32) + 1; }

/* The state of a generator that is seeded with a number. */
static inline uint64_t seeded(uint64_t seed) {
    uint64_t state = 0;
    draw(&state);
    state += seed;
    draw(&state);
    return state;
}
