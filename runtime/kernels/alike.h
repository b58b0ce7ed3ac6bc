/* Pieces of which nothing tells one from another, for choices by number. */
#ifndef GROGNARD_ALIKE_H
#define GROGNARD_ALIKE_H

#include "decisions.h"

/* Whether any field names one piece singly. */
static inline int32_t grog_is_named(const grog_ctx *ctx, const grog_interchange *how, int64_t piece) {
    const int32_t *s = ctx->s, value = (int32_t)(how->base + piece);
    for (int64_t i = 0; i < how->values; i++) {
        const int32_t *cell = s + how->value_at[2 * i];
        int32_t found = 0;
        for (int64_t k = 0; k < how->value_at[2 * i + 1]; k++) found |= cell[k] == value;
        if (found) return 1;
    }
    for (int64_t i = 0; i < how->lists; i++) {
        int64_t size = how->list_at[3 * i + 1];
        const int32_t *list = s + how->list_at[3 * i];
        for (int64_t k = 0; k < how->list_at[3 * i + 2]; k++, list += size)
            for (int32_t n = 1; n <= grog_len(list, (int32_t)size - 1); n++)
                if (list[n] == value) return 1;
    }
    return 0;
}

/* Of a set of pieces those that nothing tells apart from its first one. */
static __attribute__((unused)) void grog_alike(grog_ctx *ctx, int32_t domain, const int32_t *within, int32_t *found, int64_t words) {
    const grog_interchange *how = &ctx->data->likeness[domain];
    int64_t first = -1;
    int32_t *mark = grog_mark(ctx), *named = NULL;
    for (int64_t i = 0; i < words; i++) found[i] = 0;
    for (int64_t i = 0; i < words; i++)
        for (uint32_t left = (uint32_t)within[i]; left; left &= left - 1) {
            int64_t piece = 32 * i + __builtin_ctz(left);
            if (piece >= how->count) break;
            if (first < 0) {
                first = piece;
                grog_bit(found, piece, 1);
                if (grog_is_named(ctx, how, piece)) {
                    grog_release(ctx, mark);
                    return;
                }
                continue;
            }
            if (!grog_interchangeable(ctx, how, first, piece)) continue;
            if (!named) {
                named = grog_room(ctx, (how->count + 31) / 32 + 1);
                if (ctx->fail) {
                    grog_release(ctx, mark);
                    return;
                }
                grog_flag_named(ctx, how, named);
            }
            if (!((uint32_t)named[piece >> 5] >> (piece & 31) & 1)) grog_bit(found, piece, 1);
        }
    grog_release(ctx, mark);
}

#endif
