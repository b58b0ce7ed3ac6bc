/* Trace records. */
#ifndef GROGNARD_TRACE_H
#define GROGNARD_TRACE_H

#include "context.h"

/* ---- trace: site, mask of the seats that see it, number of arguments, arguments ---- */

/* A new record's arguments, for the caller to fill in.  After a failure (which may be that there is no memory for
 * it) the record is not kept, but there is room for GROG_DETAIL arguments all the same. */
GROG_COLD static int32_t *grog_note(grog_ctx *ctx, int32_t site, int32_t seen, int64_t count) {
    int64_t need = ctx->trace_count + 3 + count;
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
    if (ctx->fail) return ctx->spare;
    int32_t *record = ctx->trace + ctx->trace_count;
    record[0] = site;
    record[1] = seen;
    record[2] = (int32_t)count;
    ctx->trace_count = need;
    return record + 3;
}

#endif
