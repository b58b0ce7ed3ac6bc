/* Simultaneous blocks: the journal of their branches, and what they come to together. */
#ifndef GROGNARD_JOURNAL_H
#define GROGNARD_JOURNAL_H

#include "geometry.h"
#include "context.h"
#include "arena.h"
#include "writes.h"

/* ---- simultaneous blocks: as in interpreter/journal.py ---- */

static inline int32_t grog_branch_open(grog_ctx *ctx, int32_t site) {
    int32_t branch = ctx->s[GROG_H_BRANCH], count = ctx->s[GROG_H_JOURNAL];
    if (ctx->fail) return 0;
    if (branch == GROG_NONE || branch < 0 || branch > count || count > ctx->data->journal_entries) {
        grog_fail(ctx, GROG_FAIL_JOURNAL, site);
        return 0;
    }
    return 1;
}

static inline void grog_branch_begin(grog_ctx *ctx, int32_t site) {
    if (ctx->s[GROG_H_BRANCH] != GROG_NONE)
        grog_fail(ctx, GROG_FAIL_JOURNAL, site);
    else
        ctx->s[GROG_H_BRANCH] = ctx->s[GROG_H_JOURNAL];
}

/* Whether a cell belongs to a field: they fill the room between header and journal. */
static inline int32_t grog_is_field(const grog_ctx *ctx, int64_t cell) {
    return cell >= GROG_HEADER && cell < ctx->data->journal_off;
}

/* The field that such a cell belongs to.  A field without elements shares its start with the one behind it: of equal
 * starts the last is right. */
static inline int64_t grog_field_of(const grog_ctx *ctx, int64_t cell) {
    int64_t from = 0, to = ctx->data->field_count;
    while (to - from > 1) {
        int64_t half = (from + to) / 2;
        if (ctx->data->field_off[half] <= cell)
            from = half;
        else
            to = half;
    }
    return from;
}

static __attribute__((noinline, unused)) void grog_branch_next(grog_ctx *ctx, int32_t site) {
    memset(ctx->valid, 0, sizeof ctx->valid);
    if (!grog_branch_open(ctx, site)) return;
    const int32_t *journal = ctx->s + ctx->data->journal_off;
    for (int64_t i = (int64_t)ctx->s[GROG_H_JOURNAL] - 1; i >= ctx->s[GROG_H_BRANCH]; i--) {
        const int32_t *entry = journal + i * GROG_J_CELLS;
        if (!grog_is_field(ctx, entry[0])) {
            grog_fail(ctx, GROG_FAIL_JOURNAL, site);
            return;
        }
        if (ctx->keeps) grog_keep(ctx, entry[0]);
        ctx->s[entry[0]] = entry[3];
    }
    if (grog_j_append(ctx, -1, 0, 0, 0, site)) ctx->s[GROG_H_BRANCH] = ctx->s[GROG_H_JOURNAL];
}

/* What one branch, or all branches so far, did to a cell. */
typedef struct grog_effect {
    int64_t value;
    int32_t cell, how, off, clamped;
} grog_effect;

/* Effects in the order in which their cells were first written, found by cell. */
typedef struct grog_effects {
    grog_effect *list;
    int32_t count;
    int32_t *slot; /* number of the effect + 1, by hash */
    uint32_t mask;
} grog_effects;

static inline grog_effect *grog_effect_at(grog_effects *all, int32_t cell, int32_t how, int32_t *fresh) {
    uint32_t at = (uint32_t)cell * UINT32_C(2654435769) & all->mask;
    while (all->slot[at]) {
        grog_effect *known = &all->list[all->slot[at] - 1];
        if (known->cell == cell) {
            *fresh = 0;
            return known;
        }
        at = (at + 1) & all->mask;
    }
    grog_effect *made = &all->list[all->count++];
    all->slot[at] = all->count;
    made->value = 0;
    made->cell = cell;
    made->how = how;
    made->off = made->clamped = 0;
    *fresh = 1;
    return made;
}

/* Room for so many effects in the arena; 0 without memory. */
static inline int32_t grog_effects_open(grog_ctx *ctx, grog_effects *all, int64_t entries) {
    int64_t size = 16, list = (entries + 1) * (int64_t)(sizeof(grog_effect) / 4);
    while (size < 2 * entries) size *= 2;
    int32_t *room = grog_alloc(ctx, list + size + 1);
    if (!room) return 0;
    all->count = 0;
    all->mask = (uint32_t)size - 1;
    all->list = (grog_effect *)(room + ((uintptr_t)room % 8 != 0));
    all->slot = (int32_t *)(all->list + entries + 1);
    memset(all->slot, 0, (size_t)size * 4);
    return 1;
}

static inline int64_t grog_clamped(const grog_ctx *ctx, int64_t field, int64_t value) {
    int64_t lo = ctx->data->field_lo[field], hi = ctx->data->field_hi[field];
    return value < lo ? lo : value > hi ? hi : value;
}

/* One more write of the same branch: the last one counts. */
static inline void grog_follow(grog_ctx *ctx, grog_effects *branch, const int32_t *entry) {
    int32_t how = entry[1], operand = entry[2], fresh;
    int32_t bits = how == GROG_J_ON || how == GROG_J_OFF;
    grog_effect *effect =
        grog_effect_at(branch, entry[0], how == GROG_J_SET ? GROG_J_SET : bits ? GROG_J_ON : GROG_J_ADD, &fresh);
    if (how == GROG_J_SET) {
        if (effect->how != GROG_J_SET) effect->off = effect->clamped = 0;
        effect->how = GROG_J_SET;
        effect->value = operand;
    } else if (!bits) {
        effect->value += operand;
        if (how == GROG_J_ADD_CLAMPED) {
            if (effect->how == GROG_J_SET)
                effect->value = grog_clamped(ctx, grog_field_of(ctx, entry[0]), effect->value);
            else
                effect->clamped = 1;
        }
    } else if (how == GROG_J_ON) {
        effect->value |= operand;
        effect->off &= ~operand;
    } else {
        effect->value &= ~(int64_t)operand;
        if (effect->how != GROG_J_SET) effect->off |= operand;
    }
}

GROG_COLD static void grog_conflict(grog_ctx *ctx, int64_t field, int32_t cell, int32_t site) {
    int64_t element = (cell - ctx->field_off[field]) / ctx->data->field_words[field];
    grog_fail_many(ctx, GROG_FAIL_CONFLICT, site, 2, (int32_t)field, (int32_t)element, 0);
}

/* What another branch did to a cell, beside what those before it did. */
static inline void grog_join(grog_ctx *ctx, grog_effects *merged, const grog_effect *effect, int32_t site) {
    int32_t fresh;
    grog_effect *known = grog_effect_at(merged, effect->cell, effect->how, &fresh);
    if (fresh) {
        *known = *effect;
        return;
    }
    int32_t clash = known->how != effect->how;
    if (!clash && effect->how == GROG_J_SET) clash = known->value != effect->value;
    if (!clash && effect->how == GROG_J_ON)
        clash = (known->value & effect->off) != 0 || (known->off & effect->value) != 0;
    if (clash) {
        grog_conflict(ctx, grog_field_of(ctx, effect->cell), effect->cell, site);
    } else if (effect->how == GROG_J_ADD) {
        known->value += effect->value;
        known->clamped |= effect->clamped;
    } else if (effect->how == GROG_J_ON) {
        known->value |= effect->value;
        known->off |= effect->off;
    }
}

static inline void grog_finish(grog_ctx *ctx, const grog_effect *effect, int32_t site) {
    int64_t value = effect->value, before = ctx->s[effect->cell];
    if (effect->how == GROG_J_ON) {
        value = (before | value) & ~(int64_t)effect->off;
    } else if (effect->how == GROG_J_ADD) {
        int64_t field = grog_field_of(ctx, effect->cell);
        value += before;
        int64_t kept = grog_clamped(ctx, field, value);
        if (kept != value && !effect->clamped) {
            grog_fail1(ctx, GROG_FAIL_RANGE, site, value);
            return;
        }
        value = kept;
    }
    if (ctx->keeps) grog_keep(ctx, effect->cell);
    ctx->s[effect->cell] = (int32_t)value;
}

static __attribute__((noinline, unused)) void grog_branch_end(grog_ctx *ctx, int32_t site) {
    memset(ctx->valid, 0, sizeof ctx->valid);
    if (!grog_branch_open(ctx, site)) return;
    int32_t count = ctx->s[GROG_H_JOURNAL];
    if (ctx->s[GROG_H_BRANCH] != count) {
        grog_fail(ctx, GROG_FAIL_JOURNAL, site);
        return;
    }
    int32_t *journal = ctx->s + ctx->data->journal_off, *mark = grog_mark(ctx);
    grog_effects merged = {NULL, 0, NULL, 0}, branch = {NULL, 0, NULL, 0};
    if (!grog_effects_open(ctx, &merged, count) || !grog_effects_open(ctx, &branch, count))
        grog_fail(ctx, GROG_FAIL_BUDGET, site);
    for (int32_t i = 0; i < count && !ctx->fail; i++) {
        const int32_t *entry = journal + (int64_t)i * GROG_J_CELLS;
        if (entry[0] == -1) {
            for (int32_t k = 0; k < branch.count && !ctx->fail; k++) grog_join(ctx, &merged, &branch.list[k], site);
            memset(branch.slot, 0, ((size_t)branch.mask + 1) * 4);
            branch.count = 0;
            continue;
        }
        if (!grog_is_field(ctx, entry[0]))
            grog_fail(ctx, GROG_FAIL_JOURNAL, site);
        else
            grog_follow(ctx, &branch, entry);
    }
    for (int32_t i = 0; i < merged.count && !ctx->fail; i++) grog_finish(ctx, &merged.list[i], site);
    grog_release(ctx, mark);
    if (ctx->fail) return;
    memset(journal, 0, (size_t)count * GROG_J_CELLS * 4);
    ctx->s[GROG_H_JOURNAL] = 0;
    ctx->s[GROG_H_BRANCH] = GROG_NONE;
}

#endif
