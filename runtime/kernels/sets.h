/* Sets, lists and tables. */
#ifndef GROGNARD_SETS_H
#define GROGNARD_SETS_H

#include "geometry.h"
#include "context.h"
#include "arith.h"

/* ---- sets ---- */

static inline void grog_set_clear(int32_t *to, int64_t words) {
    if (GROG_UNLIKELY(words > 8)) {
        memset(to, 0, (size_t)words * 4);
        return;
    }
    for (; words >= 2; words -= 2, to += 2) memset(to, 0, 8);
    if (words) *to = 0;
}

static inline void grog_set_union(int32_t *to, const int32_t *a, const int32_t *b, int64_t words) {
    for (int64_t i = 0; i < words; i++) to[i] = a[i] | b[i];
}

static inline void grog_set_minus(int32_t *to, const int32_t *a, const int32_t *b, int64_t words) {
    for (int64_t i = 0; i < words; i++) to[i] = a[i] & ~b[i];
}

static inline void grog_set_inter(int32_t *to, const int32_t *a, const int32_t *b, int64_t words) {
    for (int64_t i = 0; i < words; i++) to[i] = a[i] & b[i];
}

static inline int32_t grog_set_equal(const int32_t *a, const int32_t *b, int64_t words) {
    return memcmp(a, b, (size_t)words * 4) == 0;
}

static inline int32_t grog_set_subset(const int32_t *a, const int32_t *b, int64_t words) {
    for (int64_t i = 0; i < words; i++)
        if (a[i] & ~b[i]) return 0;
    return 1;
}

/* Without an instruction for it, which not every machine has, the compiler would call a function. */
static inline int32_t grog_ones(uint32_t bits) {
    bits -= bits >> 1 & 0x55555555u;
    bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
    return (int32_t)(((bits + (bits >> 4)) & 0x0F0F0F0Fu) * 0x01010101u >> 24);
}

static inline int32_t grog_many_ones(uint64_t bits) {
#if defined(__x86_64__) && defined(__GNUC__)
    if (GROG_LIKELY(__builtin_cpu_supports("popcnt"))) {
        uint64_t count;
        __asm__("popcnt %1, %0" : "=r"(count) : "r"(bits) : "cc");
        return (int32_t)count;
    }
#endif
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    return (int32_t)(((bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F)) * UINT64_C(0x0101010101010101) >> 56);
}

/* Two words of a set, from an even one on; the second may not be there. */
static inline uint64_t grog_set_pair(const int32_t *a, int64_t words, int64_t at) {
    if (GROG_UNLIKELY(at + 1 >= words)) return (uint32_t)a[at];
    return (uint32_t)a[at] | (uint64_t)(uint32_t)a[at + 1] << 32;
}

static inline int32_t grog_set_count(const int32_t *a, int64_t words) {
    int32_t count = 0;
    for (int64_t i = 0; i < words; i += 2) {
        uint64_t bits = grog_set_pair(a, words, i);
        if (bits) count += grog_many_ones(bits);
    }
    return count;
}

/* A loop over the members of a set: those left of two words, and where they stand. */
typedef struct grog_walked {
    uint64_t bits;
    const int32_t *set;
    int64_t words, at;
} grog_walked;

static inline grog_walked grog_walk_set(const int32_t *set, int64_t words, int64_t count) {
    grog_walked walk = {count ? grog_set_pair(set, words, 0) : 0, set, count ? words : 0, 0};
    return walk;
}

/* Whether a member is left. */
static inline int32_t grog_walk_more(grog_walked *walk) {
    while (!walk->bits) {
        if ((walk->at += 2) >= walk->words) return 0;
        walk->bits = grog_set_pair(walk->set, walk->words, walk->at);
    }
    return 1;
}

/* The next member, as an offset, where one is left. */
static inline int64_t grog_walk_next(grog_walked *walk) {
    int64_t bit = __builtin_ctzll(walk->bits);
    walk->bits &= walk->bits - 1;
    return 32 * walk->at + bit;
}

/* How many members a set has, of which there can be no others than there are. */
static inline int64_t grog_set_size(const int32_t *a, int64_t words) {
    return GROG_LIKELY(words <= 2) ? grog_many_ones(grog_set_pair(a, words, 0)) : grog_set_count(a, words);
}

/* How many members a set has that a loop runs over; none if the cells of a position say that it has other members than
 * there are. */
static inline int64_t grog_set_members(grog_ctx *ctx, const int32_t *a, int64_t words, int64_t count, int32_t site) {
    if (GROG_UNLIKELY(count < 32 * words && (uint32_t)a[words - 1] >> (count & 31))) {
        grog_bad_index(ctx, (int32_t)count, site);
        return 0;
    }
    return grog_set_size(a, words);
}

static inline int32_t grog_set_has(const int32_t *a, int32_t v, int64_t base, int64_t count) {
    int64_t i = (int64_t)v - base;
    return (uint64_t)i < (uint64_t)count && ((uint32_t)a[i >> 5] >> (i & 31) & 1);
}

/* The first offset from `from` on that is in the set, -1 if there is none. */
static inline int64_t grog_set_scan(const int32_t *a, int64_t words, int64_t from) {
    int64_t word = from >> 5;
    if (word >= words) return -1;
    uint32_t bits = (uint32_t)a[word] & (UINT32_MAX << (from & 31));
    while (!bits) {
        if (++word >= words) return -1;
        bits = (uint32_t)a[word];
    }
    return word * 32 + __builtin_ctz(bits);
}

static inline int32_t grog_set_next(const int32_t *a, int64_t words, int32_t after, int64_t base) {
    int64_t from = after == GROG_NONE ? 0 : (int64_t)after - base + 1;
    int64_t found = grog_set_scan(a, words, from < 0 ? 0 : from);
    return found < 0 ? GROG_NONE : (int32_t)(found + base);
}

static inline void grog_bit(int32_t *a, int64_t i, int32_t on) {
    if (on)
        a[i >> 5] |= (int32_t)(UINT32_C(1) << (i & 31));
    else
        a[i >> 5] &= (int32_t) ~(UINT32_C(1) << (i & 31));
}

/* Whether a value is this item of a set that is written out; NONE is no item. */
static inline int32_t grog_one_of(grog_ctx *ctx, int32_t value, int32_t item, int64_t base, int64_t count,
                                  int32_t site) {
    if (item == GROG_NONE) return 0;
    if (GROG_UNLIKELY((uint64_t)((int64_t)item - base) >= (uint64_t)count)) {
        grog_bad_index(ctx, item, site);
        return 0;
    }
    return value == item;
}

/* ---- lists: their length and their items.  The length in a position may be anything. ---- */

static inline int32_t grog_len(const int32_t *list, int32_t capacity) {
    return list[0] < 0 ? 0 : list[0] > capacity ? capacity : list[0];
}

/* ---- tables ---- */

enum { GROG_TABLE_HEAD = 2, GROG_AXIS_CELLS = 5, GROG_CLAMP_LOW = 1, GROG_CLAMP_HIGH = 2 };

/* Where one more axis leads: `place` is the row-major place so far, -1 outside. */
static inline int64_t grog_axis(const int32_t *table, int32_t axis, int64_t place, int32_t value) {
    const int32_t *a = table + GROG_TABLE_HEAD + GROG_AXIS_CELLS * axis;
    if (place < 0 || value == GROG_NONE) return -1;
    if (value < a[0]) {
        if (!(a[2] & GROG_CLAMP_LOW)) return -1;
        value = a[0];
    } else if (value > a[1]) {
        if (!(a[2] & GROG_CLAMP_HIGH)) return -1;
        value = a[1];
    }
    int32_t row = table[(int64_t)a[4] + value - a[0]];
    return row < 0 ? -1 : place * a[3] + row;
}

/* ---- sets and lists that are no part of the position, or of a frame ---- */

static inline void grog_set_put(grog_ctx *ctx, int32_t *a, int32_t v, int64_t base, int64_t count, int32_t on,
                                int32_t site) {
    int64_t i = (int64_t)v - base;
    if (v == GROG_NONE) return;
    if (GROG_LIKELY((uint64_t)i < (uint64_t)count))
        grog_bit(a, i, on);
    else
        grog_bad_index(ctx, v, site);
}

static inline const int32_t *grog_list_fit(grog_ctx *ctx, const int32_t *list, int32_t have, int32_t capacity,
                                           int32_t site) {
    int32_t n = grog_len(list, have);
    if (GROG_LIKELY(n <= capacity && n == list[0])) return list;
    if (n > capacity) grog_fail1(ctx, GROG_FAIL_LIST, site, n);
    /* A length that no rule can have written is not passed on to code that may believe it. */
    ctx->spare[0] = 0;
    return ctx->spare;
}

/* Cells behind the last item are 0, so that equal lists have equal cells.  The source may be longer than that. */
static inline void grog_list_copy(int32_t *to, const int32_t *from, int32_t capacity) {
    int32_t n = grog_len(from, capacity), before = grog_len(to, capacity);
    memmove(to + 1, from + 1, (size_t)n * 4);
    to[0] = n;
    if (before > n) memset(to + 1 + n, 0, (size_t)(before - n) * 4);
}

static inline void grog_list_clear(int32_t *list, int32_t capacity) {
    memset(list, 0, (size_t)(grog_len(list, capacity) + 1) * 4);
}

static inline void grog_list_append(grog_ctx *ctx, int32_t *list, int32_t capacity, int32_t item, int32_t site) {
    int32_t n = grog_len(list, capacity);
    if (GROG_UNLIKELY(n >= capacity)) {
        grog_fail1(ctx, GROG_FAIL_LIST, site, item);
        return;
    }
    list[n + 1] = item;
    list[0] = n + 1;
}

static inline int32_t grog_item_at(grog_ctx *ctx, const int32_t *list, int32_t capacity, int32_t n, int32_t site) {
    if (GROG_LIKELY(n >= 1 && n <= grog_len(list, capacity))) return list[n];
    grog_bad_index(ctx, n, site);
    return 0;
}

#endif
