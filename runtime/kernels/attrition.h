/* Two sides that wear each other down: what grognard.odds.attrition documents, without Python.
 * On top of outcomes.h; only the binding of engines includes it.
 */
#ifndef GROGNARD_ATTRITION_H
#define GROGNARD_ATTRITION_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "attrition_chain.h"
#include "attrition_index.h"

/* ---- the sums ---- */

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define GROG_WIDE __attribute__((target_clones("avx2,fma", "default"), optimize("O3")))
#else
#define GROG_WIDE
#endif

/* Sums from each place to the end, for all parts. */
static double *grog_tails(int64_t parts, const double *values, const int64_t *at) {
    double *tails = (double *)malloc((size_t)(at[parts] + parts + 1) * sizeof(double));
    if (!tails) return NULL;
    for (int64_t n = 0; n < parts; n++) {
        double *tail = tails + at[n] + n;
        int64_t count = at[n + 1] - at[n];
        tail[count] = 0;
        for (int64_t k = count - 1; k >= 0; k--) tail[k] = tail[k + 1] + values[at[n] + k];
    }
    return tails;
}

/* Four places at once. */
typedef double grog_four_places __attribute__((vector_size(32), aligned(8), may_alias));
enum { GROG_FOUR = 4 };

/* row[k] += share * part[k] for k < count.  Up to three places behind get a share of what lies behind the part: zeros. */
#define GROG_SPREAD_OVER(row, part, count, share)                                                                 \
    for (int64_t k_ = 0; k_ < (count); k_ += GROG_FOUR)                                                           \
        *(grog_four_places *)((row) + k_) += (share) * *(const grog_four_places *)((part) + k_)

/* Spreads what lies in each place of the grid, row by row.  `a`: room for the longest part of the first side and three more;
 * behind the grid there is room for three more places, too. */
GROG_WIDE static void grog_sweep(int64_t m, int64_t n, const double *restrict first, const int64_t *first_at,
                                 const double *restrict tails, const double *restrict second, const int64_t *second_at,
                                 const double *restrict other, double least, double *restrict a, double *restrict grid) {
    int64_t width = n + 1;
    for (int64_t i = 0; i < m; i++) {
        const double *tail = tails + first_at[i] + i;
        int64_t most_a = first_at[i + 1] - first_at[i] - 1;
        memcpy(a, first + first_at[i], (size_t)(most_a + 1) * sizeof(double));
        memset(a + most_a + 1, 0, (GROG_FOUR - 1) * sizeof(double));
        for (int64_t j = 0; j < n; j++) {
            const double *b = second + second_at[j], *tail_b = other + second_at[j] + j;
            int64_t most_b = second_at[j + 1] - second_at[j] - 1, most = most_a < n - j - 1 ? most_a : n - j - 1;
            double here = grid[i * width + j];
            if (here <= least) {
                grid[i * width + j] = 0;
                continue;
            }
            double leave = (most_a > 0 ? tail[1] : 0) + a[0] * (most_b > 0 ? tail_b[1] : 0);
            if (leave <= 0) continue;
            grid[i * width + j] = 0;
            here /= leave;
            for (int64_t g = 0; g <= most_b && g <= m - i; g++) {
                double share = here * (g == m - i ? tail_b[g] : b[g]);
                if (share <= least) continue;
                double *row = grid + (i + g) * width + j;
                if (most_a > most) {
                    for (int64_t k = 0; k <= most; k++) row[k] += share * a[k];
                    row[n - j] += share * tail[most + 1];
                } else {
                    GROG_SPREAD_OVER(row, a, most + 1, share);
                }
                /* What stays as it is was divided out. */
                if (g == 0) row[0] = 0;
            }
        }
    }
}

/* `grid` has room for (m + 1) * (n + 1) + 3. */
static int grog_attrition(int64_t m, int64_t n, const double *first, const int64_t *first_at, const double *second,
                          const int64_t *second_at, double least, double *grid) {
    double *tails = grog_tails(m, first, first_at), *other = grog_tails(n, second, second_at);
    int64_t longest = 0;
    for (int64_t i = 0; i < m; i++)
        if (first_at[i + 1] - first_at[i] > longest) longest = first_at[i + 1] - first_at[i];
    double *part = (double *)malloc((size_t)(longest + GROG_FOUR) * sizeof(double));
    int done = tails && other && part;
    if (done) {
        grid[0] = 1;
        grog_sweep(m, n, first, first_at, tails, second, second_at, other, least, part, grid);
    }
    free(part);
    free(tails);
    free(other);
    return done;
}

#endif
