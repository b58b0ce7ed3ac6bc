/* Writes to a position: with limits, with the journal of simultaneous blocks, with the undo log. */
#ifndef GROGNARD_WRITES_H
#define GROGNARD_WRITES_H

#include "geometry.h"
#include "context.h"
#include "arith.h"
#include "sets.h"
#include "scan.h"

/* ---- writing the position.  `journal` is a constant: 0 in programs that have no simultaneous blocks ---- */

enum { GROG_J_SET = 0, GROG_J_ADD, GROG_J_ON, GROG_J_OFF, GROG_J_ADD_CLAMPED, GROG_J_CELLS = 4 };

/* Appends an entry; 0 if there is no room. */
static inline int32_t grog_j_append(grog_ctx *ctx, int32_t cell, int32_t how, int32_t operand, int32_t before,
                                    int32_t site) {
    int32_t count = ctx->s[GROG_H_JOURNAL];
    if (count < 0 || count >= ctx->data->journal_entries) {
        grog_fail(ctx, GROG_FAIL_JOURNAL, site);
        return 0;
    }
    int32_t *entry = ctx->s + ctx->data->journal_off + (int64_t)count * GROG_J_CELLS;
    entry[0] = cell;
    entry[1] = how;
    entry[2] = operand;
    entry[3] = before;
    ctx->s[GROG_H_JOURNAL] = count + 1;
    return 1;
}

GROG_COLD static int32_t grog_keep_more(grog_ctx *ctx) {
    int64_t room = 2 * ctx->undo_room + 512;
    int32_t *grown = (int32_t *)realloc(ctx->undo, (size_t)room * 4);
    if (!grown) {
        grog_fail(ctx, GROG_FAIL_BUDGET, -1);
        return 0;
    }
    ctx->undo = grown;
    ctx->undo_room = room;
    return 1;
}

/* Logs what a cell holds before it is written. */
static __attribute__((noinline, unused)) void grog_keep(grog_ctx *ctx, int64_t cell) {
    if (GROG_UNLIKELY(ctx->undo_count == ctx->undo_room) && !grog_keep_more(ctx)) return;
    int32_t *entry = ctx->undo + ctx->undo_count;
    entry[0] = (int32_t)cell;
    entry[1] = ctx->s[cell];
    ctx->undo_count += 2;
}

/* Takes back all writes since there were so many of them. */
static inline void grog_undo(grog_ctx *ctx, int64_t count) {
    int32_t *cells = ctx->s;
    const int32_t *undo = ctx->undo;
    if (ctx->undo_count <= count) return;
    for (int64_t i = ctx->undo_count; i > count; i -= 2) cells[undo[i - 2]] = undo[i - 1];
    ctx->undo_count = count;
}

static inline void grog_write(grog_ctx *ctx, int64_t cell, int32_t value, int32_t how, int32_t operand,
                              int32_t journal, int32_t site) {
    if (ctx->keeps && ctx->s[cell] != value) grog_keep(ctx, cell);
    if (journal && ctx->s[GROG_H_BRANCH] != GROG_NONE &&
        !grog_j_append(ctx, (int32_t)cell, how, operand, ctx->s[cell], site))
        return;
    ctx->s[cell] = value;
}

/* The same for either kind of program, with few arguments: the limits of a field are constants where it is written. */
GROG_COLD static void grog_put_and_keep(grog_ctx *ctx, int64_t cell, int32_t value) {
    grog_keep(ctx, cell);
    ctx->s[cell] = value;
}

GROG_ALWAYS void grog_put_here(grog_ctx *ctx, int64_t cell, int32_t value) {
    if (GROG_UNLIKELY(ctx->fail)) return;
    int32_t *at = ctx->s + cell, before = *at;
    if (before == value) return;
    if (ctx->keeps) {
        /* Mostly there is room, and nothing to call. */
        int64_t count = ctx->undo_count;
        if (GROG_UNLIKELY(count == ctx->undo_room)) {
            grog_put_and_keep(ctx, cell, value);
            return;
        }
        int32_t *entry = ctx->undo + count;
        entry[0] = (int32_t)cell;
        entry[1] = before;
        ctx->undo_count = count + 2;
    }
    *at = value;
}

static __attribute__((noinline, unused)) void grog_put_plain(grog_ctx *ctx, int64_t cell, int32_t value) {
    grog_put_here(ctx, cell, value);
}

GROG_COLD static void grog_put_in_branch(grog_ctx *ctx, int64_t cell, int32_t value, int32_t site) {
    if (!ctx->fail) grog_write(ctx, cell, value, GROG_J_SET, value, 1, site);
}

static __attribute__((noinline, unused)) void grog_put_journalled(grog_ctx *ctx, int64_t cell, int32_t value, int32_t site) {
    if (GROG_LIKELY(ctx->s[GROG_H_BRANCH] == GROG_NONE))
        grog_put_here(ctx, cell, value);
    else
        grog_put_in_branch(ctx, cell, value, site);
}

GROG_ALWAYS void grog_put_cell(grog_ctx *ctx, int64_t cell, int32_t value, int32_t journal, int32_t site) {
    if (journal)
        grog_put_journalled(ctx, cell, value, site);
    else if (GROG_LIKELY(!ctx->fail && !ctx->keeps))
        ctx->s[cell] = value;
    else
        grog_put_plain(ctx, cell, value);
}

/* All that follow tell whether readers of the field must ask anew.  What writes a cell what it holds changes nothing, unless a
 * simultaneous block is to know that it was written. */
GROG_ALWAYS int32_t grog_holds_already(const grog_ctx *ctx, int64_t cell, int32_t value, int32_t journal) {
    return ctx->s[cell] == value && !(journal && ctx->s[GROG_H_BRANCH] != GROG_NONE);
}

GROG_ALWAYS int32_t grog_store(grog_ctx *ctx, int64_t cell, int32_t value, int32_t lo, int32_t hi, int32_t optional,
                               int32_t clamp, int32_t journal, int32_t site) {
    if (GROG_UNLIKELY(value < lo || value > hi) && !(optional && value == GROG_NONE)) {
        if (!clamp || value == GROG_NONE) {
            grog_fail1(ctx, GROG_FAIL_RANGE, site, value);
            return 0;
        }
        value = value < lo ? lo : hi;
    }
    if (grog_holds_already(ctx, cell, value, journal)) return 0;
    grog_put_cell(ctx, cell, value, journal, site);
    return 1;
}

static inline int32_t grog_store_add(grog_ctx *ctx, int64_t cell, int32_t change, int32_t lo, int32_t hi, int32_t clamp,
                                     int32_t journal, int32_t site) {
    int32_t before = ctx->s[cell];
    if (GROG_UNLIKELY(ctx->fail)) return 0;
    if (GROG_UNLIKELY(before == GROG_NONE || change == GROG_NONE)) {
        grog_bad_index(ctx, GROG_NONE, site);
        return 0;
    }
    int64_t value = (int64_t)before + change;
    if (GROG_UNLIKELY(value < lo || value > hi)) {
        if (!clamp) {
            grog_fail1(ctx, GROG_FAIL_RANGE, site, value);
            return 0;
        }
        value = value < lo ? lo : hi;
    }
    grog_write(ctx, cell, (int32_t)value, clamp ? GROG_J_ADD_CLAMPED : GROG_J_ADD, change, journal, site);
    return 1;
}

static inline int32_t grog_store_words(grog_ctx *ctx, int64_t cell, const int32_t *from, int64_t words, int32_t journal,
                                       int32_t site) {
    if (ctx->fail || cell < 0) return 0;
    if (journal && ctx->s[GROG_H_BRANCH] != GROG_NONE) {
        for (int64_t i = 0; i < words; i++) grog_put_cell(ctx, cell + i, from[i], journal, site);
        return 1;
    }
    if (memcmp(ctx->s + cell, from, (size_t)words * 4) == 0) return 0;
    if (ctx->keeps)
        for (int64_t i = 0; i < words; i++)
            if (ctx->s[cell + i] != from[i]) grog_keep(ctx, cell + i);
    if (!ctx->fail) memmove(ctx->s + cell, from, (size_t)words * 4);
    return 1;
}

static inline int32_t grog_store_list(grog_ctx *ctx, int64_t cell, const int32_t *from, int32_t capacity,
                                      int32_t journal, int32_t site) {
    if (ctx->fail || cell < 0) return 0;
    int32_t n = grog_len(from, capacity);
    for (int32_t i = 0; i <= capacity; i++)
        grog_put_cell(ctx, cell + i, i == 0 ? n : i <= n ? from[i] : 0, journal, site);
    return 1;
}

static inline int32_t grog_store_bit(grog_ctx *ctx, int64_t cell, int32_t v, int64_t base, int64_t count, int32_t on,
                                     int32_t journal, int32_t site) {
    int64_t i = (int64_t)v - base;
    if (ctx->fail || cell < 0 || v == GROG_NONE) return 0;
    if ((uint64_t)i >= (uint64_t)count) {
        grog_bad_index(ctx, v, site);
        return 0;
    }
    int32_t bit = (int32_t)(UINT32_C(1) << (i & 31)), before = ctx->s[cell + (i >> 5)];
    int32_t value = on ? before | bit : before & ~bit;
    if (grog_holds_already(ctx, cell + (i >> 5), value, journal)) return 0;
    grog_write(ctx, cell + (i >> 5), value, on ? GROG_J_ON : GROG_J_OFF, bit, journal, site);
    return 1;
}

static inline int32_t grog_fill(grog_ctx *ctx, int64_t cell, int64_t words, int32_t value, int32_t journal,
                                int32_t site) {
    if (ctx->fail) return 0;
    if (journal && ctx->s[GROG_H_BRANCH] != GROG_NONE) {
        for (int64_t i = 0; i < words; i++) grog_put_cell(ctx, cell + i, value, journal, site);
        return 1;
    }
    int32_t *s = ctx->s, changed = 0;
    if (words < 16) {
        for (int64_t i = cell; i < cell + words; i++) {
            if (s[i] == value) continue;
            if (ctx->keeps) grog_keep(ctx, i);
            s[i] = value;
            changed = 1;
        }
        return changed;
    }
    /* Mostly the cells hold the value already. */
    for (int64_t from = cell; words > 0; from += GROG_SCAN_BLOCK, words -= GROG_SCAN_BLOCK) {
        int64_t some = words < GROG_SCAN_BLOCK ? words : GROG_SCAN_BLOCK;
        uint64_t others = ~grog_some_hold(s + from, some, value) & UINT64_MAX >> (GROG_SCAN_BLOCK - some);
        changed |= others != 0;
        for (; others; others &= others - 1) {
            int64_t i = from + __builtin_ctzll(others);
            if (ctx->keeps) grog_keep(ctx, i);
            s[i] = value;
        }
    }
    return changed;
}

/* The cells of one element on an axis with others around it: `outer` runs of `inner` cells. */
static inline void grog_fill_own(grog_ctx *ctx, int64_t cell, int64_t outer, int64_t count, int64_t inner,
                                 int64_t element, int32_t value, int32_t journal, int32_t site) {
    for (int64_t i = 0; i < outer; i++)
        grog_fill(ctx, cell + (i * count + element) * inner, inner, value, journal, site);
}

static inline int32_t grog_reset(grog_ctx *ctx, int32_t field, int32_t value, int32_t journal, int32_t site) {
    return grog_fill(ctx, ctx->field_off[field], ctx->data->field_cells[field], value, journal, site);
}

static inline int32_t grog_copy_field(grog_ctx *ctx, int32_t source, int32_t target, int32_t journal, int32_t site) {
    int64_t have = ctx->data->field_cells[source], room = ctx->data->field_cells[target];
    return grog_store_words(ctx, ctx->field_off[target], ctx->s + ctx->field_off[source], have < room ? have : room, journal,
                            site);
}

/* Appends to a list field, past the journal. */
static inline void grog_enqueue(grog_ctx *ctx, int64_t cell, int32_t capacity, int32_t value, int32_t site) {
    int32_t *list = ctx->s + cell, length = grog_len(list, capacity);
    if (ctx->fail) return;
    if (length >= capacity) {
        grog_fail1(ctx, GROG_FAIL_LIST, site, value);
        return;
    }
    if (ctx->keeps) {
        grog_keep(ctx, cell);
        grog_keep(ctx, cell + 1 + length);
    }
    list[1 + length] = value;
    list[0] = length + 1;
}

/* Whether some branch of the open simultaneous block has written the cell. */
static inline int32_t grog_touched(const grog_ctx *ctx, int64_t cell) {
    int64_t count = ctx->s[GROG_H_JOURNAL], room = ctx->data->journal_entries;
    const int32_t *journal = ctx->s + ctx->data->journal_off;
    if (count > room) count = room;
    for (int64_t i = 0; i < count; i++)
        if (journal[i * GROG_J_CELLS] == cell) return 1;
    return 0;
}

/* Whether a flag is 0, and no branch of an open block has written it. */
static inline int32_t grog_is_free(grog_ctx *ctx, int64_t flag, int32_t journal) {
    return !ctx->s[flag] && !(journal && ctx->s[GROG_H_BRANCH] != GROG_NONE && grog_touched(ctx, flag));
}

/* The number of the first element whose flag is 0, -1 if all live. */
static inline int64_t grog_find_dead(grog_ctx *ctx, int64_t domain, int64_t alive, int64_t count, int32_t journal, int32_t site) {
    ctx->created |= UINT64_C(1) << (domain & 63);
    for (int64_t i = 0; i < count; i++)
        if (grog_is_free(ctx, alive + i, journal)) return ctx->fail ? -1 : i;
    grog_fail(ctx, GROG_FAIL_POOL, site);
    return -1;
}

#endif
