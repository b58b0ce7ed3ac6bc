/* Guided rollouts: of some actions drawn at random the mover takes the one that looks best by an evaluation.
 * On top of engine.h; only the binding of engines includes it.  play/rollout.py does the same in Python.
 */
#ifndef GROGNARD_ROLLOUT_H
#define GROGNARD_ROLLOUT_H

#include "engine.h"

/* An evaluation of sides: the value of a function for each, times a factor, and a point for every counter. */
typedef struct grog_evaluation {
    int64_t sides, side_base, seats, seat_base;
    const int64_t *side_of; /* the side of each seat */
    int64_t function;       /* -1: there is none */
    grog_array *given;      /* its argument for each side */
    int64_t factor;
    int64_t kinds;
    const int64_t *counters; /* for each kind: where `alive` and the owners lie, how many there are */
    int64_t won;             /* a game that is over counts so much more, or less */
} grog_evaluation;

/* How thoroughly a mover looks: actions made up, how many of them are tried again, and how often. */
typedef struct grog_rollout_options {
    int64_t plans, finalists, tries;
} grog_rollout_options;

enum { GROG_MOST_PLANS = 64, GROG_MOST_SIDES = 64 };

/* How far a side is ahead of the best of the others. */
static inline int64_t grog_evaluate(grog_ctx *ctx, const grog_evaluation *by, int64_t side, int64_t budget) {
    int64_t standing[GROG_MOST_SIDES] = {0};
    ctx->draws = 0;
    for (int64_t i = 0; i < by->sides && by->function >= 0; i++) {
        ctx->steps = budget;
        ctx->cand_count = 0;
        standing[i] = by->factor * ctx->program->call(ctx, (int32_t)by->function, by->given + i, NULL);
        if (ctx->fail) return 0;
    }
    for (int64_t kind = 0; kind < by->kinds; kind++) {
        const int32_t *alive = ctx->s + by->counters[3 * kind], *owner = ctx->s + by->counters[3 * kind + 1];
        for (int64_t i = 0; i < by->counters[3 * kind + 2]; i++) {
            int64_t seat = (int64_t)owner[i] - by->seat_base;
            if (alive[i] && seat >= 0 && seat < by->seats) standing[by->side_of[seat]]++;
        }
    }
    int64_t lead = standing[side], best = INT64_MIN;
    for (int64_t i = 0; i < by->sides; i++)
        if (i != side && standing[i] > best) best = standing[i];
    if (by->sides > 1) lead -= best;
    int32_t outcome = ctx->s[GROG_H_OUTCOME];
    if (ctx->s[GROG_H_STATUS] == GROG_OVER && outcome != GROG_NONE)
        lead += outcome == by->side_base + side ? by->won : -by->won;
    return lead;
}

static inline uint64_t grog_pcg_next64(uint64_t *dice) {
    uint64_t first = grog_pcg_next(dice), second = grog_pcg_next(dice);
    return first | second << 32;
}

/* One ply, its answers drawn by one seed and its dice by another, in place; how many answers were given. */
static inline int64_t grog_random_ply(grog_ctx *ctx, int32_t *cells, uint64_t plan, uint64_t fall, int64_t most, int64_t budget) {
    grog_rng_store(cells, grog_pcg_seeded(fall));
    grog_begin(ctx, cells, 0, budget);
    grog_memo_on(ctx);
    grog_draw_from(ctx, grog_pcg_seeded(plan), most, (int64_t)cells[GROG_H_PLY] + 1, budget);
    grog_run_at_random(ctx);
    return most - ctx->draws;
}

/* The evaluation of one try of an action for a side; INT64_MIN if a rule fails. */
static inline int64_t grog_try_action(grog_ctx *ctx, const int32_t *from, const grog_memo_snapshot *known, int32_t *cells, uint64_t plan,
                                    uint64_t fall, int64_t most, const grog_evaluation *by, int64_t side, int64_t budget) {
    memcpy(cells, from, (size_t)ctx->data->cells * 4);
    grog_memo_snapshot_restore(ctx, known);
    grog_random_ply(ctx, cells, plan, fall, most, budget);
    int64_t worth = ctx->fail ? 0 : grog_evaluate(ctx, by, side, budget);
    return ctx->fail ? INT64_MIN : worth;
}

/* The action with the best evaluation for a side, of some drawn at random; the memo is then that of the position before. */
static inline uint64_t grog_best_action(grog_ctx *ctx, const int32_t *from, int32_t *cells, uint64_t *dice, int64_t most,
                                       const grog_rollout_options *how, const grog_evaluation *by, int64_t side, int64_t budget) {
    uint64_t plan[GROG_MOST_PLANS];
    grog_memo_snapshot known;
    grog_memo_snapshot_take(ctx, &known);
    int64_t worth[GROG_MOST_PLANS], count = how->plans, last = how->finalists, best = 0, most_total = INT64_MIN;
    for (int64_t i = 0; i < count; i++) {
        uint64_t made = grog_pcg_next64(dice), fall = grog_pcg_next64(dice);
        int64_t found = grog_try_action(ctx, from, &known, cells, made, fall, most, by, side, budget), at = i;
        /* The best come first; of equals the earlier one. */
        for (; at > 0 && worth[at - 1] < found; at--) {
            worth[at] = worth[at - 1];
            plan[at] = plan[at - 1];
        }
        worth[at] = found;
        plan[at] = made;
    }
    if (last > count) last = count;
    /* What looked best may have had luck: only new dice tell. */
    for (int64_t i = 0; i < last && last > 1 && how->tries > 0; i++) {
        int64_t total = 0;
        for (int64_t n = 0; n < how->tries; n++) {
            int64_t found = grog_try_action(ctx, from, &known, cells, plan[i], grog_pcg_next64(dice), most, by, side, budget);
            if (found == INT64_MIN) found = -by->won;
            total += found;
        }
        if (total > most_total) {
            most_total = total;
            best = i;
        }
    }
    grog_memo_snapshot_restore(ctx, &known);
    return plan[best];
}

/* Plays on in place until so many more plies are complete, `most` answers are given or the game ends; how many were given.
 * `stood`: how far a side was ahead after each of the plies, added up; when it ends before, all that are left count as
 * the last. */
static inline int64_t grog_guided_rollout(grog_ctx *ctx, int32_t *cells, uint64_t seed, int64_t plies, int64_t most,
                                  const grog_rollout_options *how, const grog_evaluation *by, int64_t side, int64_t budget,
                                  int64_t *stood) {
    uint64_t dice = grog_pcg_seeded(seed);
    int64_t target = cells[GROG_H_PLY] + plies, given = 0, done = 0, lead = 0;
    int32_t *mark = grog_mark(ctx), *copy = grog_alloc(ctx, ctx->data->cells);
    grog_begin(ctx, cells, 0, budget);
    grog_memo_begin(ctx, 0);
    *stood = 0;
    if (!copy) grog_fail(ctx, GROG_FAIL_BUDGET, -1);
    while (!ctx->fail && cells[GROG_H_STATUS] == GROG_DECISION && cells[GROG_H_PLY] < target && given < most) {
        int64_t seat = (int64_t)cells[GROG_H_CHOOSER] - by->seat_base;
        if (seat < 0 || seat >= by->seats) break;
        uint64_t plan = grog_best_action(ctx, cells, copy, &dice, most - given, how, by, by->side_of[seat], budget);
        given += grog_random_ply(ctx, cells, plan, grog_pcg_next64(&dice), most - given, budget);
        if (!ctx->fail) lead = grog_evaluate(ctx, by, side, budget);
        *stood += lead;
        done++;
    }
    if (!done && !ctx->fail) lead = grog_evaluate(ctx, by, side, budget);
    if (done < plies) *stood += lead * (plies - done);
    grog_release(ctx, mark);
    return given;
}

#endif
