/* The driver: runs a program until a decision, the end or a failure; hypotheticals. */
#ifndef GROGNARD_DRIVER_H
#define GROGNARD_DRIVER_H

#include "geometry.h"
#include "context.h"
#include "arena.h"
#include "memo.h"
#include "frames.h"

/* ---- the driver ---- */

enum { GROG_NOT_PENDING = -1, GROG_NO_CANDIDATE = -2 };

/* Prepares the context for one call from outside. */
static inline void grog_begin(grog_ctx *ctx, int32_t *cells, int32_t level, int64_t budget) {
    ctx->s = cells;
    ctx->level = level;
    ctx->steps = budget;
    ctx->fail = ctx->fail_count = 0;
    ctx->depth = 0;
    ctx->trace_count = 0;
    ctx->offered = 0;
    ctx->foreign = 0;
    ctx->draws = ctx->first = 0;
    ctx->enough = INT64_MAX;
    ctx->memo_mode = GROG_MEMO_OFF;
    ctx->script = NULL;
    ctx->script_count = ctx->script_used = 0;
    ctx->stack = grog_stack_here();
}

/* Runs until a decision, the end or a failure. */
static inline void grog_run(grog_ctx *ctx) {
    while (!ctx->fail && ctx->s[GROG_H_STATUS] == GROG_RUNNING) {
        int32_t machine, *mark = grog_mark(ctx), *fr = grog_frame(ctx, ctx->s[GROG_H_FP], &machine);
        if (fr) ctx->program->run(ctx, machine, fr);
        grog_release(ctx, mark);
    }
}

/* Puts the candidates of the pending decision into ctx->cand. */
static inline int32_t grog_candidates(grog_ctx *ctx) {
    int32_t machine;
    if (ctx->s[GROG_H_STATUS] != GROG_DECISION) return GROG_NOT_PENDING;
    int32_t *fr = grog_frame(ctx, ctx->s[GROG_H_FP], &machine);
    if (!fr || !ctx->program->offer(ctx, machine, fr, ctx->s[GROG_H_CHOOSER])) return GROG_NOT_PENDING;
    ctx->offered = 1;
    return 0;
}

/* Takes an answer that is known to be a candidate, and runs on. */
static inline void grog_answer(grog_ctx *ctx, int32_t value) {
    int32_t machine, chooser = ctx->s[GROG_H_CHOOSER], *mark = grog_mark(ctx);
    int32_t *fr = grog_frame(ctx, ctx->s[GROG_H_FP], &machine);
    ctx->offered = 0;
    if (!fr) return;
    ctx->s[GROG_H_STATUS] = GROG_RUNNING;
    ctx->s[GROG_H_CHOOSER] = GROG_NONE;
    ctx->s[GROG_H_ASK] = GROG_NONE;
    ctx->s[GROG_H_EPOCH] = (int32_t)((uint32_t)ctx->s[GROG_H_EPOCH] + 1);
    ctx->program->take(ctx, machine, fr, chooser, value);
    grog_release(ctx, mark);
    grog_run(ctx);
}

/* ---- hypotheticals ---- */

/* The greatest outcome that can be reached from here, trying every answer; works in place on ctx->s. */
static int32_t grog_explore(grog_ctx *ctx, int32_t enough) {
    if (ctx->fail) return GROG_NONE;
    if (ctx->s[GROG_H_STATUS] == GROG_OVER) return ctx->s[GROG_H_OUTCOME];
    if (grog_candidates(ctx) < 0 || ctx->fail) return GROG_NONE;
    int64_t cells = ctx->data->cells, count = ctx->cand_count;
    int32_t *mark = grog_mark(ctx), *here = ctx->s, best = GROG_NONE;
    int32_t *answers = grog_alloc(ctx, count + 1), *kept = grog_alloc(ctx, cells);
    if (!answers || !kept) {
        grog_fail(ctx, GROG_FAIL_BUDGET, -1);
        count = 0;
    } else {
        memcpy(answers, ctx->cand, (size_t)count * 4);
        memcpy(kept, here, (size_t)cells * 4);
    }
    for (int64_t i = 0; i < count && !ctx->fail; i++) {
        if (i) memcpy(here, kept, (size_t)cells * 4);
        grog_answer(ctx, answers[i]);
        int32_t found = grog_explore(ctx, enough);
        if (found != GROG_NONE && (best == GROG_NONE || found > best)) best = found;
        if (enough != GROG_NONE && best != GROG_NONE && best >= enough) break;
    }
    grog_release(ctx, mark);
    return best;
}

/* Drops what was running: an empty stack, no journal, no pending decision. */
static inline void grog_afresh(grog_ctx *ctx) {
    int32_t *s = ctx->s;
    grog_clear_stack(ctx);
    memset(s + ctx->data->journal_off, 0, (size_t)ctx->data->journal_entries * 4 * 4);
    s[GROG_H_JOURNAL] = 0;
    s[GROG_H_STATUS] = GROG_RUNNING;
    s[GROG_H_CHOOSER] = s[GROG_H_ASK] = s[GROG_H_OUTCOME] = s[GROG_H_BRANCH] = GROG_NONE;
}

/* Runs a machine on a copy of the position, trying every answer. */
static inline int32_t grog_at_best(grog_ctx *ctx, int32_t machine, int64_t count, const int32_t *args, int32_t enough) {
    const grog_data *data = ctx->data;
    int64_t level = ctx->level, offered = ctx->offered, keeps = ctx->keeps, draws = ctx->draws, wanted = ctx->enough;
    int64_t memo_mode = ctx->memo_mode;
    int32_t *cells = ctx->s, *mark = grog_mark(ctx), best = GROG_NONE;
    int64_t candidates = ctx->cand_count;
    int32_t *copy = ctx->fail ? NULL : grog_alloc(ctx, data->cells), *kept = copy ? grog_alloc(ctx, candidates + 1) : NULL;
    if (!kept) {
        grog_fail(ctx, GROG_FAIL_BUDGET, -1);
        grog_release(ctx, mark);
        return GROG_NONE;
    }
    memcpy(copy, cells, (size_t)data->cells * 4);
    memcpy(kept, ctx->cand, (size_t)candidates * 4);
    ctx->s = copy;
    ctx->level = ctx->keeps = ctx->draws = ctx->memo_mode = 0;
    grog_afresh(ctx);
    int32_t *fr = grog_push(ctx, machine, GROG_NONE, GROG_NONE);
    if (fr) {
        for (int64_t i = 0; i < count; i++) fr[data->frame_off[data->local_start[machine] + i]] = args[i];
        grog_run(ctx);
        best = grog_explore(ctx, enough);
    }
    ctx->s = cells;
    ctx->level = level;
    ctx->keeps = keeps;
    ctx->draws = draws;
    ctx->enough = wanted;
    ctx->memo_mode = memo_mode;
    ctx->offered = offered;
    memcpy(ctx->cand, kept, (size_t)candidates * 4);
    ctx->cand_count = candidates;
    grog_release(ctx, mark);
    return best;
}

static inline int32_t grog_is_offered(const grog_ctx *ctx, int32_t value) {
    for (int64_t i = 0; i < ctx->cand_count; i++)
        if (ctx->cand[i] == value) return 1;
    return 0;
}

/* Keeps the position that ctx->cand belongs to, so that an answer to it need not collect candidates again. */
static inline void grog_candidates_keep(grog_ctx *ctx) {
    ctx->known = ctx->offered && !ctx->fail && ctx->s[GROG_H_STATUS] == GROG_DECISION;
    if (ctx->known) memcpy(ctx->known_cells, ctx->s, (size_t)ctx->data->cells * 4);
}

/* For calls that leave something else in ctx->cand. */
static inline void grog_candidates_drop(grog_ctx *ctx) { ctx->known = 0; }

static inline int32_t grog_candidates_known(grog_ctx *ctx, const int32_t *cells) {
    return ctx->known && memcmp(ctx->known_cells, cells, (size_t)ctx->data->cells * 4) == 0;
}

/* Steps that finding candidates may take, and whole runs where the caller says nothing. */
#define GROG_BUDGET INT64_C(50000000)

/* Candidates of a position from outside, whose cells may be foreign. */
static inline int32_t grog_ask_about(grog_ctx *ctx, int32_t *cells, int64_t foreign) {
    if (cells[GROG_H_STATUS] != GROG_DECISION) return GROG_NOT_PENDING;
    if (grog_candidates_known(ctx, cells)) {
        ctx->fail = 0;
        return 0;
    }
    ctx->known = 0;
    grog_begin(ctx, cells, 0, GROG_BUDGET);
    ctx->foreign = foreign;
    int32_t code = grog_candidates(ctx);
    ctx->foreign = 0;
    if (code == 0) grog_candidates_keep(ctx);
    return code;
}

static inline int32_t grog_ask_candidates(grog_ctx *ctx, int32_t *cells) { return grog_ask_about(ctx, cells, 1); }

/* Answers a position from outside: 0, or GROG_NOT_PENDING or GROG_NO_CANDIDATE and nothing changed. */
static inline int32_t grog_give_answer(grog_ctx *ctx, int32_t *cells, int32_t value, int32_t level, int64_t budget,
                                       const int32_t *script, int64_t script_count, int64_t script_used) {
    int32_t code = grog_ask_about(ctx, cells, 0);
    ctx->trace_count = 0;
    ctx->script_used = script_used;
    if (code || ctx->fail) return code;
    if (!grog_is_offered(ctx, value)) return GROG_NO_CANDIDATE;
    ctx->known = 0;
    grog_begin(ctx, cells, level, budget);
    if (!level) grog_memo_begin(ctx, 0);
    ctx->script = script;
    ctx->script_count = script_count;
    ctx->script_used = script_used;
    grog_answer(ctx, value);
    grog_candidates_keep(ctx);
    return 0;
}

#endif
