/* Trace records. */
#ifndef GROGNARD_TRACE_H
#define GROGNARD_TRACE_H

#include "context.h"

/* ---- trace: site, mask of the seats that see it, number of arguments, arguments ---- */

/* The next cells of the trace; NULL after a failure, which may be that there is no memory for them. */
GROG_COLD static int32_t *grog_trace_cells(grog_ctx *ctx, int64_t count, int32_t site) {
    int64_t need = ctx->trace_count + count;
    if (need > ctx->trace_room && !ctx->fail) {
        int64_t room = 2 * need + 1024;
        int32_t *grown = count < INT32_MAX ? (int32_t *)realloc(ctx->trace, (size_t)room * 4) : NULL;
        if (grown) {
            ctx->trace = grown;
            ctx->trace_room = room;
        } else {
            grog_fail(ctx, GROG_FAIL_BUDGET, site);
        }
    }
    if (ctx->fail) return NULL;
    int32_t *cells = ctx->trace + ctx->trace_count;
    ctx->trace_count = need;
    return cells;
}

/* A new record's arguments, for the caller to fill in.  After a failure the record is not kept, but there is room for
 * GROG_DETAIL arguments all the same. */
GROG_COLD static int32_t *grog_note(grog_ctx *ctx, int32_t site, int32_t seen, int64_t count) {
    int32_t *record = grog_trace_cells(ctx, 3 + count, site);
    if (!record) return ctx->spare;
    record[0] = site;
    record[1] = seen;
    record[2] = (int32_t)count;
    return record + 3;
}

/* Marks between the records: as in grognard.contract.trace. */
enum { GROG_TRACE_CALL = -1, GROG_TRACE_RETURN = -2, GROG_TRACE_BELOW = -3 };

/* A procedure or machine begins. */
GROG_COLD static void grog_trace_call(grog_ctx *ctx, int32_t site) {
    int32_t *mark = grog_trace_cells(ctx, 2, site);
    if (!mark) return;
    mark[0] = GROG_TRACE_CALL;
    mark[1] = site;
}

/* The innermost of them ends. */
GROG_COLD static void grog_trace_return(grog_ctx *ctx) {
    int32_t *mark = grog_trace_cells(ctx, 1, -1);
    if (mark) mark[0] = GROG_TRACE_RETURN;
}

/* The next record is the result of a function that began when the trace was so long. */
GROG_COLD static void grog_trace_below(grog_ctx *ctx, int64_t since, int32_t site) {
    int64_t below = ctx->trace_count - since;
    int32_t *mark = below > 0 ? grog_trace_cells(ctx, 2, site) : NULL;
    if (!mark) return;
    mark[0] = GROG_TRACE_BELOW;
    mark[1] = (int32_t)below;
}

#endif
