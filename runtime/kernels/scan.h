/* Filtered scans of a domain: 64 elements at a time, by comparisons of cells with values; inverted indexes of fields. */
#ifndef GROGNARD_SCAN_H
#define GROGNARD_SCAN_H

#include "geometry.h"
#include "context.h"
#include "budget.h"
#include "memo.h"
#include "arith.h"
#include "sets.h"

/* ---- a loop over the elements of a domain of which some cells hold, or do not hold, given values ---- */

enum { GROG_SCAN_TESTS = 6, GROG_SCAN_BLOCK = 64 };

typedef struct grog_scan {
    uint64_t found; /* elements of the block that pass and have not been visited */
    const uint64_t *among; /* of those that can pass at all, NULL: all of them */
    int64_t from, n;
    int64_t tests;
    struct {
        const int32_t *cell;
        int32_t value, other; /* other: the cell must hold anything else */
    } test[GROG_SCAN_TESTS];
} grog_scan;

/* One bit for each of up to 64 cells: whether it holds the value. */
static inline uint64_t grog_holds(const int32_t *cell, int64_t n, int32_t value) {
    uint64_t found = 0;
    int64_t i = 0;
#ifdef __SSE2__
    __m128i wanted = _mm_set1_epi32(value);
    if (n >= 16) {
        /* The last sixteen overlap those before, so that none remain. */
        for (;;) {
            const __m128i *at = (const __m128i *)(cell + i);
            __m128i a = _mm_cmpeq_epi32(_mm_loadu_si128(at), wanted);
            __m128i b = _mm_cmpeq_epi32(_mm_loadu_si128(at + 1), wanted);
            __m128i c = _mm_cmpeq_epi32(_mm_loadu_si128(at + 2), wanted);
            __m128i d = _mm_cmpeq_epi32(_mm_loadu_si128(at + 3), wanted);
            uint64_t bits = (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d)));
            found |= bits << i;
            if (i == n - 16) return found;
            i = i + 32 > n ? n - 16 : i + 16;
        }
    }
    for (; i + 4 <= n; i += 4) {
        __m128i a = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)(cell + i)), wanted);
        found |= (uint64_t)(uint32_t)_mm_movemask_ps(_mm_castsi128_ps(a)) << i;
    }
#endif
    for (; i < n; i++) found |= (uint64_t)(cell[i] == value) << i;
    return found;
}

/* Whether any of the cells holds the value (other: anything else). */
static inline int32_t grog_any_holds(const int32_t *cell, int64_t n, int32_t value, int32_t other) {
    for (int64_t i = 0; i < n; i += 16) {
        int64_t some = n - i < 16 ? n - i : 16;
        uint64_t holds = grog_holds(cell + i, some, value);
        if (other ? holds != UINT64_MAX >> (64 - some) : holds != 0) return 1;
    }
    return 0;
}

/* The sum of cells that hold something. */
static __attribute__((noinline, unused)) int64_t grog_sum(const int32_t *cell, int64_t n) {
    int64_t total = 0, i = 0;
#ifdef __SSE2__
    const __m128i none = _mm_set1_epi32(GROG_NONE);
    __m128i sums = _mm_setzero_si128();
    for (; i + 4 <= n; i += 4) {
        __m128i a = _mm_loadu_si128((const __m128i *)(cell + i));
        a = _mm_andnot_si128(_mm_cmpeq_epi32(a, none), a);
        __m128i sign = _mm_srai_epi32(a, 31);
        sums = _mm_add_epi64(sums, _mm_add_epi64(_mm_unpacklo_epi32(a, sign), _mm_unpackhi_epi32(a, sign)));
    }
    int64_t half[2];
    _mm_storeu_si128((__m128i *)half, sums);
    total = half[0] + half[1];
#endif
    for (; i < n; i++)
        if (cell[i] != GROG_NONE) total += cell[i];
    return total;
}

static inline void grog_scan_test(grog_scan *scan, const int32_t *cell, int32_t value, int32_t other) {
    scan->test[scan->tests].cell = cell;
    scan->test[scan->tests].value = value;
    scan->test[scan->tests++].other = other;
}

static inline void grog_scan_open(grog_scan *scan, int64_t n) {
    scan->found = 0;
    scan->among = NULL;
    scan->from = -GROG_SCAN_BLOCK;
    scan->n = n;
    scan->tests = 0;
}

/* ---- inverted indexes: which elements of a domain hold each value of a field ---- */

/* Builds the index; 0 without memory. */
static __attribute__((noinline, unused)) int32_t grog_inverted_build(grog_ctx *ctx, grog_inverted *known, uint64_t epoch,
                                                                   const int32_t *cell, int64_t n, int64_t base, int64_t count) {
    int64_t words = (n + 63) >> 6, room = words * count + ((count + 63) >> 6);
    /* How many elements and values there are is settled by the data, and so is the room. */
    if (!known->elements) known->elements = (uint64_t *)malloc((size_t)(room + 1) * 8);
    if (!known->elements) return 0;
    known->present = known->elements + words * count;
    memset(known->elements, 0, (size_t)room * 8);
    known->in_domain = 1;
    for (int64_t i = 0; i < n; i++) {
        int64_t value = (int64_t)cell[i] - base;
        if ((uint64_t)value >= (uint64_t)count) {
            if (cell[i] != GROG_NONE) known->in_domain = 0;
            continue;
        }
        known->elements[words * value + (i >> 6)] |= UINT64_C(1) << (i & 63);
        known->present[value >> 6] |= UINT64_C(1) << (value & 63);
    }
    known->epoch = epoch;
    return 1;
}

/* Whether the index shows that no element holds a value, so that a function that only looks for those finds nothing.  Its steps
 * are taken: its own, and one for each element. */
static inline int32_t grog_inverted_empty(grog_ctx *ctx, int32_t number, int32_t validity, int64_t n, int32_t value, int64_t base,
                                  int64_t count) {
    int64_t at = (int64_t)value - base;
    if (ctx->memo_mode != GROG_MEMO_ALL || (uint64_t)at >= (uint64_t)count || n > GROG_SCAN_BLOCK || ctx->fail ||
        ctx->steps <= n || ctx->depth >= GROG_CALL_DEPTH || !ctx->inverted)
        return 0;
    /* Nothing is called here: an index that is not valid is built by the scan that follows. */
    const grog_inverted *known = ctx->inverted + number;
    if (!(ctx->valid[validity >> 6] >> (validity & 63) & 1) || known->epoch != ctx->epoch[validity] || known->elements[at]) return 0;
    ctx->steps -= n + 1;
    return 1;
}

/* As grog_scan_test, by an inverted index where everything is memoised.  0: no element passes. */
static inline int32_t grog_scan_index(grog_ctx *ctx, grog_scan *scan, int32_t number, int32_t validity, const int32_t *cell, int64_t n,
                                     int32_t value, int64_t base, int64_t count) {
    int64_t at = (int64_t)value - base;
    if (ctx->memo_mode == GROG_MEMO_ALL && ctx->inverted && (uint64_t)at < (uint64_t)count && !scan->among) {
        grog_inverted *known = ctx->inverted + number;
        uint64_t epoch = grog_epoch_of(ctx, validity);
        if (GROG_LIKELY(known->epoch == epoch) || grog_inverted_build(ctx, known, epoch, cell, n, base, count)) {
            scan->among = known->elements + ((n + 63) >> 6) * at;
            /* Mostly there are none. */
            if (n <= GROG_SCAN_BLOCK && !*scan->among) {
                scan->n = 0;
                return 0;
            }
            return 1;
        }
    }
    grog_scan_test(scan, cell, value, 0);
    return 1;
}

/* Looks for the next block in which an element passes; 0 when there is none left.  `holds` is what asks a block. */
#define GROG_SCAN_BLOCKS(holds)                                                                              \
    do {                                                                                                     \
        int64_t left = scan->n - (scan->from += GROG_SCAN_BLOCK);                                            \
        if (left <= 0) return 0;                                                                             \
        if (left > GROG_SCAN_BLOCK) left = GROG_SCAN_BLOCK;                                                  \
        uint64_t found = UINT64_MAX >> (GROG_SCAN_BLOCK - left);                                             \
        if (scan->among) found &= scan->among[scan->from >> 6];                                                \
        for (int64_t i = 0; i < scan->tests && found; i++) {                                                 \
            const int32_t *cell = scan->test[i].cell + scan->from;                                           \
            int32_t value = scan->test[i].value, other = scan->test[i].other;                                \
            uint64_t more = found & (found - 1);                                                             \
            if (!(more & (more - 1))) {                                                                      \
                /* One or two are left, and asked by themselves. */                                          \
                uint64_t one = found ^ more;                                                                 \
                if ((cell[__builtin_ctzll(one)] == value) == other) found = more;                            \
                if (more && (cell[__builtin_ctzll(more)] == value) == other) found ^= more;                  \
                continue;                                                                                    \
            }                                                                                                \
            uint64_t held = holds(cell, left, value);                                                        \
            found &= other ? ~held : held;                                                                   \
        }                                                                                                    \
        scan->found = found;                                                                                 \
    } while (!scan->found);                                                                                  \
    return 1;

static __attribute__((noinline, unused)) int32_t grog_scan_plain(grog_scan *scan) {
    GROG_SCAN_BLOCKS(grog_holds)
}

#if defined(__x86_64__) && defined(__GNUC__)
/* The same for machines with wider registers, which is seen when the engine runs. */
#define GROG_WIDER __attribute__((target("avx2")))

GROG_WIDER static inline uint64_t grog_wider_eight(const int32_t *cell, __m256i wanted) {
    __m256i held = _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)cell), wanted);
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(held));
}

GROG_WIDER static inline __m256i grog_wider_is(const int32_t *cell, int64_t n, __m256i wanted) {
    return _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)cell + n), wanted);
}

/* One bit for each of 32 answers. */
GROG_WIDER static inline uint64_t grog_wider_bits(__m256i a, __m256i b, __m256i c, __m256i d) {
    __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    return (uint32_t)_mm256_movemask_epi8(_mm256_permutevar8x32_epi32(bytes, order));
}

GROG_WIDER static inline uint64_t grog_wider_half(const int32_t *cell, __m256i wanted) {
    return grog_wider_bits(grog_wider_is(cell, 0, wanted), grog_wider_is(cell, 1, wanted), grog_wider_is(cell, 2, wanted),
                           grog_wider_is(cell, 3, wanted));
}

/* All tests of a scan of 32 to 64 elements, without checking in between whether any is left. */
GROG_WIDER static inline uint64_t grog_wider_tests(const grog_scan *scan) {
    const int64_t last = scan->n - 32;
    const int32_t *low = scan->test[0].cell, *high = low + last;
    __m256i wanted = _mm256_set1_epi32(scan->test[0].value);
    __m256i a = grog_wider_is(low, 0, wanted), b = grog_wider_is(low, 1, wanted), c = grog_wider_is(low, 2, wanted);
    __m256i d = grog_wider_is(low, 3, wanted), e = grog_wider_is(high, 0, wanted), f = grog_wider_is(high, 1, wanted);
    __m256i g = grog_wider_is(high, 2, wanted), h = grog_wider_is(high, 3, wanted);
    if (scan->test[0].other) {
        const __m256i all = _mm256_set1_epi32(-1);
        a = _mm256_xor_si256(a, all), b = _mm256_xor_si256(b, all), c = _mm256_xor_si256(c, all);
        d = _mm256_xor_si256(d, all), e = _mm256_xor_si256(e, all), f = _mm256_xor_si256(f, all);
        g = _mm256_xor_si256(g, all), h = _mm256_xor_si256(h, all);
    }
    for (int64_t i = 1; i < scan->tests; i++) {
        low = scan->test[i].cell, high = low + last;
        wanted = _mm256_set1_epi32(scan->test[i].value);
        if (scan->test[i].other) {
            a = _mm256_andnot_si256(grog_wider_is(low, 0, wanted), a);
            b = _mm256_andnot_si256(grog_wider_is(low, 1, wanted), b);
            c = _mm256_andnot_si256(grog_wider_is(low, 2, wanted), c);
            d = _mm256_andnot_si256(grog_wider_is(low, 3, wanted), d);
            e = _mm256_andnot_si256(grog_wider_is(high, 0, wanted), e);
            f = _mm256_andnot_si256(grog_wider_is(high, 1, wanted), f);
            g = _mm256_andnot_si256(grog_wider_is(high, 2, wanted), g);
            h = _mm256_andnot_si256(grog_wider_is(high, 3, wanted), h);
        } else {
            a = _mm256_and_si256(grog_wider_is(low, 0, wanted), a);
            b = _mm256_and_si256(grog_wider_is(low, 1, wanted), b);
            c = _mm256_and_si256(grog_wider_is(low, 2, wanted), c);
            d = _mm256_and_si256(grog_wider_is(low, 3, wanted), d);
            e = _mm256_and_si256(grog_wider_is(high, 0, wanted), e);
            f = _mm256_and_si256(grog_wider_is(high, 1, wanted), f);
            g = _mm256_and_si256(grog_wider_is(high, 2, wanted), g);
            h = _mm256_and_si256(grog_wider_is(high, 3, wanted), h);
        }
    }
    return grog_wider_bits(a, b, c, d) | grog_wider_bits(e, f, g, h) << last;
}

/* As grog_holds.  The last of each width overlap those before, so that none remain. */
GROG_WIDER static inline uint64_t grog_wider_holds(const int32_t *cell, int64_t n, int32_t value) {
    const __m256i wanted = _mm256_set1_epi32(value);
    if (n >= 32) return grog_wider_half(cell, wanted) | grog_wider_half(cell + n - 32, wanted) << (n - 32);
    if (n >= 8) {
        uint64_t found = grog_wider_eight(cell + n - 8, wanted) << (n - 8);
        for (int64_t i = 0; i + 8 < n; i += 8) found |= grog_wider_eight(cell + i, wanted) << i;
        return found;
    }
    const __m256i there = _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    __m256i held = _mm256_and_si256(there, _mm256_cmpeq_epi32(_mm256_maskload_epi32(cell, there), wanted));
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(held));
}

/* For boards of one word. */
GROG_WIDER static __attribute__((noinline, unused)) uint64_t grog_wider_some(const int32_t *cell, int64_t n, int32_t value) {
    return grog_wider_holds(cell, n, value);
}

/* The same among 8 to 32.  The last eight overlap those before. */
GROG_WIDER static inline uint64_t grog_wider_few(const grog_scan *scan) {
    const int64_t last = scan->n - 8, second = last < 8 ? last : 8, third = last < 16 ? last : 16;
    __m256i all = _mm256_set1_epi32(-1), a = all, b = all, c = all, d = all;
    for (int64_t i = 0; i < scan->tests; i++) {
        const int32_t *cell = scan->test[i].cell;
        const __m256i wanted = _mm256_set1_epi32(scan->test[i].value), flip = scan->test[i].other ? all : _mm256_setzero_si256();
        a = _mm256_and_si256(_mm256_xor_si256(grog_wider_is(cell, 0, wanted), flip), a);
        b = _mm256_and_si256(_mm256_xor_si256(grog_wider_is(cell + second, 0, wanted), flip), b);
        c = _mm256_and_si256(_mm256_xor_si256(grog_wider_is(cell + third, 0, wanted), flip), c);
        d = _mm256_and_si256(_mm256_xor_si256(grog_wider_is(cell + last, 0, wanted), flip), d);
    }
    return (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(a)) |
           (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(b)) << second |
           (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(c)) << third |
           (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(d)) << last;
}

/* The same among less than 8. */
GROG_WIDER static inline uint64_t grog_wider_least(const grog_scan *scan) {
    const __m256i there = _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)scan->n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    __m256i found = there;
    for (int64_t i = 0; i < scan->tests; i++) {
        const __m256i wanted = _mm256_set1_epi32(scan->test[i].value);
        const __m256i held = _mm256_cmpeq_epi32(_mm256_maskload_epi32(scan->test[i].cell, there), wanted);
        found = scan->test[i].other ? _mm256_andnot_si256(held, found) : _mm256_and_si256(held, found);
    }
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(found));
}

GROG_WIDER static __attribute__((noinline, unused)) int32_t grog_scan_wider_blocks(grog_scan *scan) {
    GROG_SCAN_BLOCKS(grog_wider_holds)
}

GROG_WIDER static __attribute__((noinline, unused)) int32_t grog_scan_wider(grog_scan *scan) {
    if (scan->n > GROG_SCAN_BLOCK || scan->among || scan->from >= 0 || !scan->tests) return grog_scan_wider_blocks(scan);
    /* There is but one block. */
    scan->from = 0;
    scan->found = scan->n >= 32 ? grog_wider_tests(scan) : scan->n >= 8 ? grog_wider_few(scan) : grog_wider_least(scan);
    return scan->found != 0;
}

static inline int32_t grog_scan_block(grog_scan *scan) {
    return __builtin_cpu_supports("avx2") ? grog_scan_wider(scan) : grog_scan_plain(scan);
}

static inline uint64_t grog_some_hold(const int32_t *cell, int64_t n, int32_t value) {
    return n >= 32 && n <= 64 && __builtin_cpu_supports("avx2") ? grog_wider_some(cell, n, value) : grog_holds(cell, n, value);
}
#else
static inline uint64_t grog_some_hold(const int32_t *cell, int64_t n, int32_t value) { return grog_holds(cell, n, value); }
static inline int32_t grog_scan_block(grog_scan *scan) { return grog_scan_plain(scan); }
#endif

/* The same, where there is a block left. */
static inline int32_t grog_scan_more(grog_scan *scan) {
    return scan->from + GROG_SCAN_BLOCK < scan->n && grog_scan_block(scan);
}

/* The number of the next element that passes all tests, -1 when there is none left. */
static inline int64_t grog_scan_next(grog_scan *scan) {
    if (!scan->found && !grog_scan_more(scan)) return -1;
    int64_t bit = __builtin_ctzll(scan->found);
    scan->found &= scan->found - 1;
    return scan->from + bit;
}

/* The elements that have passed so far would be compared with a cell that is not there: one is enough to fail.  No more
 * are found. */
GROG_COLD static void grog_scan_missing(grog_ctx *ctx, grog_scan *scan, const int32_t *alive, int32_t v, int32_t site) {
    if (alive) grog_scan_test(scan, alive, 0, 1);
    if (grog_scan_block(scan)) grog_bad_index(ctx, v, site);
    scan->n = scan->tests = 0;
    scan->found = 0;
}

/* Whether any passes. */
static inline int32_t grog_scan_any(grog_scan *scan) { return grog_scan_more(scan); }

static inline int32_t grog_scan_count(grog_scan *scan) {
    int32_t count = 0;
    while (grog_scan_more(scan)) count += grog_many_ones(scan->found);
    return count;
}

/* All that pass, as a set. */
static inline void grog_scan_set(grog_scan *scan, int32_t *set, int64_t words) {
    grog_set_clear(set, words);
    while (grog_scan_more(scan)) {
        /* Two words at once where there are two: as they are read. */
        int64_t at = scan->from >> 5;
        if (GROG_LIKELY(at + 1 < words)) {
            int32_t both[2] = {(int32_t)(uint32_t)scan->found, (int32_t)(uint32_t)(scan->found >> 32)};
            memcpy(set + at, both, 8);
        } else {
            set[at] = (int32_t)(uint32_t)scan->found;
        }
    }
}

#endif
