/* Dice that are thrown side by side, compared with the same dice thrown one by one. */
#include "dice_pools.h"

/* 0: the same hits and the same state of the generator; 1: not; -1: this processor cannot. */
int compare(int how, uint64_t seed, int n, int faces, int limit) {
    uint64_t one = grog_pcg_seeded(seed), other = one;
    int32_t wanted = grog_hits(&one, n, (uint32_t)faces, limit), found = -1;
#ifdef GROG_WIDE_HITS
    if (how == 0 && __builtin_cpu_supports("avx2")) found = grog_hits_wide(&other, n, (uint32_t)faces, limit);
    if (how == 1 && __builtin_cpu_supports("avx512dq")) found = grog_hits_widest(&other, n, (uint32_t)faces, limit);
#endif
    return found < 0 ? -1 : found != wanted || one != other;
}
