/* The stack of frames of machines. */
#ifndef GROGNARD_FRAMES_H
#define GROGNARD_FRAMES_H

#include "geometry.h"
#include "context.h"
#include "arena.h"
#include "budget.h"
#include "sets.h"
#include "trace.h"

/* ---- frames ---- */

/* The running frame and its machine; NULL (and a failure) if the cells do not make sense. */
static inline int32_t *grog_frame(grog_ctx *ctx, int64_t fp, int32_t *machine) {
    const grog_data *data = ctx->data;
    if (fp >= 0 && fp + GROG_FRAME_HEADER <= data->stack_cells) {
        int32_t *fr = ctx->s + data->stack_off + fp;
        *machine = fr[0];
        if (*machine >= 0 && *machine < data->machine_count && fp + data->frame_size[*machine] <= data->stack_cells)
            return fr;
    }
    grog_fail(ctx, GROG_FAIL_STACK, -1);
    return NULL;
}

/* Clears cells: mostly those of one frame, which are few. */
static inline void grog_zero(int32_t *cell, int64_t n) {
    if (GROG_UNLIKELY(n > 256)) {
        memset(cell, 0, (size_t)n * 4);
        return;
    }
    for (; n >= 16; n -= 16, cell += 16) memset(cell, 0, 64);
    if (n < 4) {
        for (; n > 0; n--) *cell++ = 0;
        return;
    }
    /* The last four overlap those before. */
    memset(cell + n - 4, 0, 16);
    for (int64_t i = 0; i + 4 < n; i += 4) memset(cell + i, 0, 16);
}

static inline void grog_clear_stack(grog_ctx *ctx) {
    /* Above the last frame there is nothing. */
    int64_t used = ctx->s[GROG_H_SP];
    if (used < 0 || used > ctx->data->stack_cells) used = ctx->data->stack_cells;
    grog_zero(ctx->s + ctx->data->stack_off, used);
    ctx->s[GROG_H_SP] = 0;
    ctx->s[GROG_H_FP] = GROG_NONE;
}

/* Whether there is room for a frame of the machine. */
static inline int32_t grog_fits(const grog_ctx *ctx, int32_t machine) {
    int64_t offset = ctx->s[GROG_H_SP];
    return offset >= 0 && offset + ctx->data->frame_size[machine] <= ctx->data->stack_cells;
}

/* A new frame on the stack, for the caller to put the parameters in; NULL if there is no room. */
static inline int32_t *grog_push(grog_ctx *ctx, int32_t machine, int32_t caller, int32_t local) {
    const grog_data *data = ctx->data;
    int64_t offset = ctx->s[GROG_H_SP], size = data->frame_size[machine];
    if (ctx->fail) return NULL;
    if (offset < 0 || offset + size > data->stack_cells) {
        grog_fail(ctx, GROG_FAIL_STACK, (int32_t)data->frame_site[machine]);
        return NULL;
    }
    int32_t *fr = ctx->s + data->stack_off + offset;
    fr[0] = machine;
    fr[1] = 0;
    fr[2] = caller;
    fr[3] = local;
    ctx->s[GROG_H_SP] = (int32_t)(offset + size);
    ctx->s[GROG_H_FP] = (int32_t)offset;
    if (GROG_UNLIKELY(ctx->level >= 2)) grog_trace_call(ctx, (int32_t)data->frame_site[machine]);
    return fr;
}

static inline void grog_over(grog_ctx *ctx, int32_t outcome) {
    if (ctx->fail) return;
    grog_clear_stack(ctx);
    ctx->s[GROG_H_STATUS] = GROG_OVER;
    ctx->s[GROG_H_OUTCOME] = outcome;
}

/* Behind the last item of a list there are zeros: no more is cleared of a long one than what it has. */
static inline void grog_clear_frame(const grog_data *data, int32_t *fr, int64_t cells) {
    int64_t at = 0;
    for (int64_t i = data->list_start[fr[0]], last = data->list_start[fr[0] + 1]; GROG_UNLIKELY(i < last); i++) {
        int64_t list = data->list_at[2 * i], words = data->list_at[2 * i + 1];
        if (list + words > cells) break;
        grog_zero(fr + at, list - at);
        grog_zero(fr + list, grog_len(fr + list, (int32_t)words - 1) + 1);
        at = list + words;
    }
    grog_zero(fr + at, cells - at);
}

/* Takes the running frame off the stack and gives the result to its caller. */
static inline void grog_pop(grog_ctx *ctx, int32_t *fr, int32_t result) {
    const grog_data *data = ctx->data;
    int32_t caller = fr[2], local = fr[3], machine;
    int64_t place = fr - ctx->s, top = data->stack_off + ctx->s[GROG_H_SP];
    if (ctx->fail) return;
    if (GROG_UNLIKELY(ctx->level >= 2)) grog_trace_return(ctx);
    if (caller == GROG_NONE) {
        grog_over(ctx, result);
        return;
    }
    if (top > data->stack_off + data->stack_cells) top = data->stack_off + data->stack_cells;
    grog_clear_frame(data, fr, top - place);
    ctx->s[GROG_H_SP] = (int32_t)(place - data->stack_off);
    ctx->s[GROG_H_FP] = caller;
    /* Whether there is a frame below is checked when it runs. */
    if (local == GROG_NONE) return;
    int32_t *below = grog_frame(ctx, caller, &machine);
    if (!below) return;
    if (local < 0 || local >= data->local_start[machine + 1] - data->local_start[machine])
        grog_fail(ctx, GROG_FAIL_STACK, -1);
    else
        below[data->frame_off[data->local_start[machine] + local]] = result;
}

typedef void (*grog_machine_fn)(grog_ctx *ctx, int32_t *fr);

/* Runs a frame that was just pushed; whether the one below it, which called, may go on. */
static inline int32_t grog_descend(grog_ctx *ctx, int32_t *fr, grog_machine_fn run, int32_t *callee) {
    int32_t *mark = grog_mark(ctx);
    if (!callee) return 0;
    /* Far down it is the driver's turn, which needs no C stack. */
    if (ctx->stack - grog_stack_here() > GROG_STACK_BYTES / 4) return 0;
    run(ctx, callee);
    grog_release(ctx, mark);
    return !ctx->fail && ctx->s[GROG_H_STATUS] == GROG_RUNNING &&
           ctx->s[GROG_H_FP] == fr - ctx->s - ctx->data->stack_off;
}

#endif
