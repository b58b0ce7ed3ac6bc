/* Many at once: playouts, samples, perft. */
#ifndef GROGNARD_BATCH_H
#define GROGNARD_BATCH_H

#include "geometry.h"
#include "context.h"
#include "arena.h"
#include "memo.h"
#include "dice.h"
#include "writes.h"
#include "frames.h"
#include "decisions.h"
#include "driver.h"

/* ---- many at once ---- */

/* How one of many answers ended. */
typedef struct grog_failed {
    int32_t code, kind, site, count;
    int64_t detail[GROG_DETAIL];
} grog_failed;

static inline void grog_failed_keep(const grog_ctx *ctx, grog_failed *to) {
    to->kind = to->code ? 0 : ctx->fail;
    to->site = ctx->fail_site;
    to->count = ctx->fail_count;
    memcpy(to->detail, ctx->fail_detail, sizeof to->detail);
}

/* From now on so many answers are given at random, up to a ply. */
static inline void grog_draw_from(grog_ctx *ctx, uint64_t dice, int64_t draws, int64_t ply, int64_t budget) {
    ctx->dice = dice;
    ctx->draws = draws;
    ctx->draw_ply = ply;
    ctx->draw_steps = budget;
}

/* Runs on with random answers until there may be no more of them.  The candidates of a decision that this run did
 * not reach by itself are collected here; all others are answered where they arise. */
static inline void grog_run_at_random(grog_ctx *ctx) {
    grog_run(ctx);
    while (!ctx->fail && ctx->s[GROG_H_STATUS] == GROG_DECISION && ctx->draws > 0 && ctx->s[GROG_H_PLY] < ctx->draw_ply) {
        ctx->steps = ctx->draw_steps;
        if ((!ctx->offered && grog_candidates(ctx) < 0) || ctx->fail || ctx->cand_count == 0) break;
        ctx->draws--;
        int32_t value = ctx->cand[grog_pcg_draw(&ctx->dice, (uint32_t)ctx->cand_count)];
        ctx->steps = ctx->draw_steps;
        grog_answer(ctx, value);
    }
}

/* Answers at random in place, until so many more plies are complete, `most` are given or the game ends; how many were. */
static inline int64_t grog_wander(grog_ctx *ctx, int32_t *cells, uint64_t seed, int64_t plies, int64_t most, int64_t budget) {
    uint64_t dice = grog_pcg_seeded(seed), first = grog_pcg_next(&dice), second = grog_pcg_next(&dice);
    grog_rng_store(cells, grog_pcg_seeded(first | second << 32));
    grog_begin(ctx, cells, 0, budget);
    grog_memo_begin(ctx, 0);
    grog_draw_from(ctx, dice, most, cells[GROG_H_PLY] + plies, budget);
    grog_run_at_random(ctx);
    return most - ctx->draws;
}

typedef struct grog_tally {
    int64_t *outcomes; /* one per seat, then draws, then unfinished */
    int64_t seats, base;
    int64_t plies, answers;
} grog_tally;

/* Plays games to their end with random answers; stops at the first failure. */
static inline void grog_playouts(grog_ctx *ctx, const int32_t *from, int64_t games, uint64_t seed, int64_t most,
                                 int64_t budget, grog_tally *tally) {
    size_t bytes = (size_t)ctx->data->cells * 4;
    uint64_t dice = grog_pcg_seeded(seed);
    int32_t *mark = grog_mark(ctx), *cells = grog_alloc(ctx, ctx->data->cells);
    grog_begin(ctx, cells, 0, budget);
    if (!cells) {
        grog_fail(ctx, GROG_FAIL_BUDGET, -1);
        return;
    }
    for (int64_t game = 0; game < games && !ctx->fail; game++) {
        memcpy(cells, from, bytes);
        uint64_t first = grog_pcg_next(&dice);
        uint64_t second = grog_pcg_next(&dice);
        grog_rng_store(cells, grog_pcg_seeded(first | second << 32));
        grog_begin(ctx, cells, 0, budget);
        grog_memo_begin(ctx, 0);
        grog_draw_from(ctx, dice, most, INT64_MAX, budget);
        grog_run_at_random(ctx);
        dice = ctx->dice;
        int64_t kind = (int64_t)cells[GROG_H_OUTCOME] - tally->base;
        if (cells[GROG_H_STATUS] != GROG_OVER)
            kind = tally->seats + 1;
        else if (cells[GROG_H_OUTCOME] == GROG_NONE || kind < 0 || kind >= tally->seats)
            kind = tally->seats;
        tally->outcomes[kind]++;
        tally->plies += (int64_t)cells[GROG_H_PLY] - from[GROG_H_PLY];
        tally->answers += most - ctx->draws;
    }
    grog_release(ctx, mark);
}

/* What is to be done many times: a machine (or, if that is -1, a function) with its arguments, and the function
 * whose value is then looked at (-1: the value of the function itself, 0 for a machine). */
typedef struct grog_sampled {
    int32_t machine, function, measure;
    int32_t random; /* answers: 1 any candidate, 0 always the first */
    int64_t arg_count;
    const int64_t *arg_off, *arg_cells; /* where arguments lie in the frame, and how many cells they have */
    grog_array *given;
    grog_array *measured;
    int64_t most; /* answers of one run */
} grog_sampled;

/* How often each value came, by hash. */
typedef struct grog_counts {
    int32_t *value;
    int64_t *count; /* 0: a free place */
    uint64_t mask;
    int64_t used;
} grog_counts;

static inline void grog_counts_free(grog_counts *all) {
    free(all->value);
    free(all->count);
}

static inline int32_t grog_counts_open(grog_counts *all, uint64_t size) {
    all->value = (int32_t *)malloc(size * 4);
    all->count = (int64_t *)calloc(size, sizeof(int64_t));
    all->mask = size - 1;
    all->used = 0;
    return all->value && all->count;
}

/* Counts a value so many times; 0 without memory. */
static inline int32_t grog_counts_add(grog_counts *all, int32_t value, int64_t times) {
    if (2 * (uint64_t)all->used > all->mask) {
        grog_counts grown;
        if (!grog_counts_open(&grown, 2 * (all->mask + 1))) {
            grog_counts_free(&grown);
            return 0;
        }
        for (uint64_t i = 0; i <= all->mask; i++)
            if (all->count[i]) grog_counts_add(&grown, all->value[i], all->count[i]);
        grog_counts_free(all);
        *all = grown;
    }
    uint64_t at = grog_mix(0, (uint32_t)value) & all->mask;
    while (all->count[at] && all->value[at] != value) at = (at + 1) & all->mask;
    if (!all->count[at]) {
        all->value[at] = value;
        all->used++;
    }
    all->count[at] += times;
    return 1;
}

/* Does it n times from the position, each time with dice of its own; stops at the first failure. */
static inline void grog_samples(grog_ctx *ctx, const int32_t *from, const grog_sampled *what, int64_t n, uint64_t seed,
                                int64_t budget, grog_counts *counts) {
    uint64_t dice = grog_pcg_seeded(seed);
    int32_t *mark = grog_mark(ctx), *cells = grog_alloc(ctx, ctx->data->cells);
    grog_begin(ctx, cells, 0, budget);
    if (!cells) {
        grog_fail(ctx, GROG_FAIL_BUDGET, -1);
        return;
    }
    memcpy(cells, from, (size_t)ctx->data->cells * 4);
    int32_t dirty = 0;
    ctx->memo_hits = ctx->memo_misses = 0;
    for (int64_t run = 0; run < n && !ctx->fail; run++) {
        uint64_t first = grog_pcg_next(&dice);
        uint64_t second = grog_pcg_next(&dice);
        int32_t value = 0;
        grog_begin(ctx, cells, 0, budget);
        /* What the last run memoised was taken back with its writes. */
        grog_memo_begin_short(ctx);
        /* The first runs show whether the same is asked often enough. */
        if (run >= GROG_MEMO_FIRST_RUNS && ctx->memo_hits < ctx->memo_misses) ctx->memo_mode = GROG_MEMO_OFF;
        memcpy(cells, from, GROG_HEADER * 4);
        grog_rng_store(cells, grog_pcg_seeded(first | second << 32));
        ctx->keeps = 1;
        if (what->machine < 0) {
            value = ctx->program->call(ctx, what->function, what->given, NULL);
        } else {
            /* A run leaves an empty stack, and an empty journal unless it ended inside a simultaneous block. */
            if (run == 0 || dirty) grog_afresh(ctx);
            cells[GROG_H_SP] = cells[GROG_H_JOURNAL] = 0;
            cells[GROG_H_STATUS] = GROG_RUNNING;
            cells[GROG_H_FP] = cells[GROG_H_CHOOSER] = cells[GROG_H_ASK] = GROG_NONE;
            cells[GROG_H_OUTCOME] = cells[GROG_H_BRANCH] = GROG_NONE;
            int32_t *fr = grog_push(ctx, what->machine, GROG_NONE, GROG_NONE);
            for (int64_t i = 0, count = fr ? what->arg_count : 0; i < count; i++) {
                if (GROG_LIKELY(what->arg_cells[i] == 1))
                    fr[what->arg_off[i]] = what->given[i][0];
                else
                    memcpy(fr + what->arg_off[i], what->given[i], (size_t)what->arg_cells[i] * 4);
            }
            grog_draw_from(ctx, dice, what->most, INT64_MAX, budget);
            ctx->first = !what->random;
            grog_run(ctx);
            dice = ctx->dice;
            if (!ctx->fail && cells[GROG_H_STATUS] == GROG_DECISION) grog_fail(ctx, GROG_FAIL_BUDGET, -1);
            grog_allow(ctx, budget);
            ctx->draws = ctx->first = 0;
        }
        if (what->measure >= 0 && !ctx->fail) value = ctx->program->call(ctx, what->measure, what->measured, NULL);
        dirty = cells[GROG_H_JOURNAL] != 0 || cells[GROG_H_STATUS] != GROG_OVER;
        grog_undo(ctx, 0);
        ctx->keeps = 0;
        if (!ctx->fail && !grog_counts_add(counts, value, 1)) grog_fail(ctx, GROG_FAIL_BUDGET, -1);
    }
    grog_release(ctx, mark);
}

/* One decision on the way down a tree of lines. */
typedef struct grog_level {
    int32_t *cells, *cand;
    int64_t count, next, room;
} grog_level;

enum { GROG_MOST_LEVELS = 1 << 20 };

/* Lines with exactly `depth` more plies; -1 without memory. */
static inline int64_t grog_perft(grog_ctx *ctx, const int32_t *from, int64_t depth, int64_t budget) {
    int64_t cells = ctx->data->cells, target = from[GROG_H_PLY] + depth, found = 0, levels = 0, used = 0;
    grog_level *level = NULL;
    int32_t *work = (int32_t *)malloc((size_t)cells * 4);
    int32_t fresh = 1, fine = work != NULL;
    if (fine) {
        memcpy(work, from, (size_t)cells * 4);
        grog_begin(ctx, work, 0, budget);
        grog_run(ctx);
    }
    while (fine && !ctx->fail) {
        if (fresh) {
            fresh = 0;
            if (work[GROG_H_PLY] >= target) {
                found++;
            } else if (work[GROG_H_STATUS] == GROG_DECISION) {
                ctx->steps = budget;
                if (!ctx->offered) grog_candidates(ctx);
                if (ctx->fail) break;
                if (used == levels) {
                    int64_t more = levels ? 2 * levels : 32;
                    grog_level *grown =
                        more > GROG_MOST_LEVELS ? NULL : (grog_level *)realloc(level, sizeof(grog_level) * (size_t)more);
                    if (!(fine = grown != NULL)) break;
                    memset(grown + levels, 0, sizeof(grog_level) * (size_t)(more - levels));
                    level = grown;
                    levels = more;
                }
                grog_level *top = &level[used++];
                if (!top->cells) top->cells = (int32_t *)malloc((size_t)cells * 4);
                if (top->room < ctx->cand_count || !top->cand) {
                    free(top->cand);
                    top->room = ctx->cand_count + 16;
                    top->cand = (int32_t *)malloc((size_t)top->room * 4);
                }
                if (!(fine = top->cells && top->cand)) break;
                memcpy(top->cells, work, (size_t)cells * 4);
                memcpy(top->cand, ctx->cand, (size_t)ctx->cand_count * 4);
                top->count = ctx->cand_count;
                top->next = 0;
            }
        }
        if (used == 0) break;
        grog_level *top = &level[used - 1];
        if (top->next == top->count) {
            used--;
            continue;
        }
        memcpy(work, top->cells, (size_t)cells * 4);
        ctx->steps = budget;
        grog_answer(ctx, top->cand[top->next++]);
        fresh = 1;
    }
    for (int64_t i = 0; i < levels; i++) {
        free(level[i].cells);
        free(level[i].cand);
    }
    free(level);
    free(work);
    return fine ? found : -1;
}

#endif
