/* Bipartite matching: whether every right element can have a left one of its own. */
#ifndef GROGNARD_MATCHING_H
#define GROGNARD_MATCHING_H

#include "geometry.h"
#include "context.h"
#include "arena.h"
#include "sets.h"

/* ---- matching: can every right element have a left one of its own? ---- */

typedef struct grog_cover {
    int64_t lefts, rights;
    int32_t *left, *right;
    int32_t *fits;   /* rights * lefts flags */
    int32_t *holder; /* right element that holds a left one, -1 if none */
    int32_t *tried;
    int32_t *path; /* rights: the left element that each is looking at */
} grog_cover;

static inline grog_cover *grog_cover_new(grog_ctx *ctx, const int32_t *set, int64_t words, int64_t base,
                                         const int32_t *chosen, int32_t capacity, int32_t extra) {
    int64_t lefts = grog_set_count(set, words), n = grog_len(chosen, capacity), rights = n + (extra != GROG_NONE);
    int64_t head = (int64_t)(sizeof(grog_cover) + 3) / 4 + 2;
    int32_t *room = ctx->fail ? NULL : grog_alloc(ctx, head + 3 * lefts + 3 * rights + lefts * rights);
    if (!room) {
        grog_fail(ctx, GROG_FAIL_BUDGET, -1);
        room = ctx->spare;
        lefts = rights = 0;
    }
    grog_cover *cover = (grog_cover *)(room + ((uintptr_t)room % 8 != 0));
    cover->lefts = lefts;
    cover->rights = rights;
    cover->left = room + head;
    cover->right = cover->left + lefts;
    cover->holder = cover->right + rights;
    cover->tried = cover->holder + lefts;
    cover->path = cover->tried + lefts;
    cover->fits = cover->path + 2 * rights;
    if (!lefts && !rights) return cover;
    int64_t at = 0;
    for (int64_t i = grog_set_scan(set, words, 0); i >= 0; i = grog_set_scan(set, words, i + 1))
        cover->left[at++] = (int32_t)(i + base);
    for (int64_t i = 0; i < n; i++) cover->right[i] = chosen[i + 1];
    if (rights > n) cover->right[n] = extra;
    memset(cover->fits, 0, (size_t)(lefts * rights) * 4);
    return cover;
}

/* Find a left element for `right`, moving those on that hold one already.  Depth first, without recursion: `path`
 * holds the right elements on the way and, behind them, the left one that each is trying. */
static inline int32_t grog_cover_augment(grog_cover *cover, int64_t right) {
    int32_t *on = cover->path, *trying = cover->path + cover->rights;
    int64_t depth = 0;
    on[0] = (int32_t)right;
    trying[0] = -1;
    for (;;) {
        int64_t left = trying[depth] + 1;
        const int32_t *fits = cover->fits + on[depth] * cover->lefts;
        while (left < cover->lefts && (!fits[left] || cover->tried[left])) left++;
        if (left == cover->lefts) {
            if (depth-- == 0) return 0;
            continue;
        }
        trying[depth] = (int32_t)left;
        cover->tried[left] = 1;
        if (cover->holder[left] < 0) break;
        on[depth + 1] = cover->holder[left];
        trying[++depth] = -1;
    }
    for (; depth >= 0; depth--) cover->holder[trying[depth]] = on[depth];
    return 1;
}

static inline int32_t grog_cover_solve(grog_cover *cover) {
    for (int64_t i = 0; i < cover->lefts; i++) cover->holder[i] = -1;
    for (int64_t right = 0; right < cover->rights; right++) {
        memset(cover->tried, 0, (size_t)cover->lefts * 4);
        if (!grog_cover_augment(cover, right)) return 0;
    }
    return 1;
}

#endif
