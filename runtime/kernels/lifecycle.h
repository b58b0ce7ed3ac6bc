/* The life of a context: made, emptied, freed. */
#ifndef GROGNARD_LIFECYCLE_H
#define GROGNARD_LIFECYCLE_H

#include "context.h"
#include "arena.h"
#include "memo.h"
#include "movement.h"

/* ---- life of a context ---- */

static inline void grog_ctx_free(grog_ctx *ctx) {
    if (!ctx) return;
    while (ctx->chunk && ctx->chunk->after) ctx->chunk = ctx->chunk->after;
    while (ctx->chunk) {
        grog_chunk *before = ctx->chunk->before;
        free(ctx->chunk);
        ctx->chunk = before;
    }
    free(ctx->trace);
    free(ctx->cand);
    free(ctx->spare);
    free(ctx->known_cells);
    if (ctx->static_predicates)
        for (int64_t i = 0; i < GROG_STATIC_PREDICATES; i++) {
            free(ctx->static_predicates[i].bits);
            free(ctx->static_predicates[i].value);
        }
    free(ctx->static_predicates);
    if (ctx->inverted)
        for (int64_t i = 0; i < GROG_INVERTED; i++) free(ctx->inverted[i].elements);
    free(ctx->inverted);
    free(ctx->undo);
    free(ctx->values);
    free(ctx->sets);
    for (int32_t i = 0; ctx->searches && i < GROG_MEMO_SEARCHES; i++) grog_search_close(&ctx->searches[i].search);
    free(ctx->searches);
    free(ctx);
}

static inline grog_ctx *grog_ctx_new(const grog_data *data, const grog_program *program) {
    int64_t domains = program->domains, fields = program->fields, columns = program->columns, tables = program->tables;
    size_t fixed = (size_t)(3 * domains + fields + columns + tables) * sizeof(int64_t);
    grog_ctx *ctx = (grog_ctx *)calloc(1, sizeof(grog_ctx) + fixed);
    if (!ctx) return NULL;
    int64_t *to = ctx->fixed;
    memcpy(to, data->dom_base, (size_t)domains * sizeof *to);
    memcpy(to += domains, data->dom_count, (size_t)domains * sizeof *to);
    memcpy(to += domains, data->dom_words, (size_t)domains * sizeof *to);
    memcpy(to += domains, data->field_off, (size_t)fields * sizeof *to);
    memcpy(to += fields, data->col, (size_t)columns * sizeof(grog_array));
    memcpy(to += columns, data->tab, (size_t)tables * sizeof(grog_array));
    ctx->data = data;
    ctx->program = program;
    ctx->field_off = data->field_off;
    ctx->frame_off = data->frame_off;
    ctx->sym = data->sym;
    ctx->spare = (int32_t *)calloc((size_t)data->spare_words, 4);
    ctx->known_cells = (int32_t *)malloc((size_t)data->cells * 4);
    if (!ctx->spare || !ctx->known_cells || !grog_alloc_slow(ctx, 0)) {
        grog_ctx_free(ctx);
        return NULL;
    }
    return ctx;
}

#endif
