/* What all other headers of engine.h stand on: macros of the C compiler, constants of the header of a position, the data
 * block, the program's entry points, the context of a run, and failures.
 *
 * Rules come from strangers.  Nothing here trusts the rules or the cells of a position: a bad index is replaced by
 * a good one and recorded as a failure, and the first failure of a run ends it.  Only the loaded data block is
 * trusted; grognard.contract.prepared_data checks it before.
 */
#ifndef GROGNARD_CONTEXT_H
#define GROGNARD_CONTEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "geometry.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

#define GROG_LIKELY(x) __builtin_expect(!!(x), 1)
#define GROG_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define GROG_COLD __attribute__((noinline, cold, unused))
/* What every function and every block does, which is shorter than a call. */
#define GROG_ALWAYS static inline __attribute__((always_inline, unused))
/* What a generated module calls in one place only (compiler/cython/optimise/inline_single_calls.py): always inlined, except
 * without optimisation or under a sanitizer, where the compiler does not see through pointers to functions. */
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
#define GROG_FORCE_INLINE static inline __attribute__((always_inline))
#else
#define GROG_FORCE_INLINE static inline
#endif
/* What computes a value that the memo does not have: kept out of the lookup, which then needs no stack frame. */
#define GROG_NOINLINE __attribute__((noinline))
#define GROG_HIDDEN __attribute__((visibility("hidden")))

/* About where the C stack ends now.  The portable way needs a frame pointer, which is expensive in small functions. */
GROG_ALWAYS const char *grog_stack_here(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    const char *here;
    __asm__("mov %%rsp, %0" : "=r"(here));
    return here;
#else
    return (const char *)__builtin_frame_address(0);
#endif
}

/* As in grognard.contract.header. */
enum {
    GROG_DONE = -0x7FFFFFFF,
    GROG_H_STATUS = 0,
    GROG_H_CHOOSER,
    GROG_H_PLY,
    GROG_H_OUTCOME,
    GROG_H_RNG_LO,
    GROG_H_RNG_HI,
    GROG_H_SP,
    GROG_H_FP,
    GROG_H_ASK,
    GROG_H_JOURNAL,
    GROG_H_BRANCH,
    GROG_H_EPOCH,
    GROG_HEADER = 16,
    GROG_RUNNING = 0,
    GROG_DECISION,
    GROG_OVER,
    GROG_FRAME_HEADER = 4
};

enum {
    GROG_FAIL_NONE = 0,
    GROG_FAIL_RANGE,
    GROG_FAIL_INDEX,
    GROG_FAIL_TABLE,
    GROG_FAIL_BUDGET,
    GROG_FAIL_EMPTY,
    GROG_FAIL_REQUIRE,
    GROG_FAIL_STACK,
    GROG_FAIL_POOL,
    GROG_FAIL_DIVIDE,
    GROG_FAIL_CONFLICT,
    GROG_FAIL_JOURNAL,
    GROG_FAIL_UNIQUE,
    GROG_FAIL_DICE,
    GROG_FAIL_LIST,
    GROG_FAIL_OVERFLOW
};

typedef struct grog_ctx grog_ctx;
typedef struct grog_interchange grog_interchange;
typedef const int32_t *grog_array;

/* An empty script of dice. */
static const int32_t GROG_NO_DICE[1] = {0};

/* Numbers that a failure can tell. */
#define GROG_DETAIL 16

/* A space of places.  Places are numbered base .. base + n - 1; the arrays use local numbers.  What loops look at is
 * 64 bits wide, so that the compiler knows that a store to a cell cannot change it. */
typedef struct grog_space {
    int64_t hexes; /* 1 hexes, 0 squares or areas */
    int64_t sides; /* directions: 6 hexes, 8 squares, 0 areas */
    int64_t domain;
    int64_t base, n;
    /* The neighbours of each place in order, without gaps: made by grog_space_prepare. */
    int64_t *ring_start; /* n + 1 */
    int32_t *ring;
    int32_t *ring_side; /* the direction of each, NONE between areas */
    int32_t *beside;    /* grids: the number of the place in each direction */
    grog_map map;           /* hexes; of squares only n, q, r (column, row) and neighbours */
    const int32_t *start;   /* areas: n + 1 */
    const int32_t *adjacent;
    int32_t edge_base, edges;
    const int32_t *edge_a, *edge_b;
    const int32_t *side_edge; /* per hexside, or per entry of adjacent */
    /* Grids whose places are numbered so that a step in a direction adds one of two numbers: what boards are shifted by. */
    int64_t board_words; /* of a board of all places; 0: this space has none */
    struct grog_board_shift *shift; /* per direction */
    struct grog_rays *rays; /* per place of a grid that fits on a board, else NULL */
    /* Grids: the direction of a neighbour by how far it is in q and r, 3 times the one and the other, NONE where none is. */
    int32_t toward[9];
    int32_t *edge_toward; /* grids with hexsides: likewise, per place the edge */
    uint64_t *near_bits;  /* a bit for each pair of places, whether they are adjacent; NULL: there are too many */
    int16_t *apart;       /* areas: the steps from each to each, -1 where there is no way; NULL: there are too many */
} grog_space;

/* Bitboards: a bit for each place of a space, in one word or in several. */
enum { GROG_BOARD_WORDS = 6 };
typedef uint64_t grog_board1;
typedef struct grog_board6 {
    uint64_t w[GROG_BOARD_WORDS];
} grog_board6;

/* A step in one direction: the places that have a neighbour there, by the number to add. */
typedef struct grog_board_shift {
    int64_t by[2];
    grog_board6 from[2];
} grog_board_shift;

/* What lies in all directions of a place, up to so many steps away: which directions have a place there, one bit for each,
 * and its local number, 0 where there is none. */
enum { GROG_FAR = 3, GROG_DIRECTIONS = 8 };
typedef struct grog_rays {
    uint32_t there[GROG_FAR];
    uint16_t place[GROG_FAR][GROG_DIRECTIONS];
} grog_rays;

/* What is loaded once and shared by every run.  Offsets are 64 bits wide so that the compiler knows that a store
 * to a cell cannot change them. */
typedef struct grog_data {
    int64_t cells, journal_off, journal_entries, stack_off, stack_cells;
    const int64_t *dom_base, *dom_count, *dom_words;
    int64_t field_count;
    const int64_t *field_off, *field_words, *field_cells, *field_lo, *field_hi;
    const int64_t *frame_size;  /* per machine */
    const int64_t *frame_site;  /* per machine */
    const int64_t *local_start; /* per machine, and one more: its locals in frame_off */
    const int64_t *frame_off;   /* where the locals of all machines lie in their frames */
    const int64_t *list_start;  /* per machine, and one more: its long lists in list_at */
    const int64_t *list_at;     /* where they lie in their frames, and their words */
    grog_array *col;
    grog_array *tab;
    const int32_t *sym;
    const grog_space *spaces;
    int64_t space_count;
    int64_t turns; /* directions of the first grid of hexes or squares, 6 if there is none */
    const int32_t *place_domain;
    int64_t place_count;
    int64_t machine_count;
    int64_t spare_words; /* the largest set, list or note of the program */
    const struct grog_interchange *likeness; /* per domain */
} grog_data;

/* A block of the arena. */
typedef struct grog_chunk {
    struct grog_chunk *before, *after;
    int32_t *end;
    int32_t cells[];
} grog_chunk;


/* What a generated module offers to the driver. */
typedef struct grog_program {
    int64_t abi; /* GROG_ABI of the headers it was compiled with */
    /* Calls a function by number.  `given` holds a pointer for each argument, `out` takes a set. */
    int32_t (*call)(grog_ctx *ctx, int32_t function, grog_array *given, int32_t *out);
    /* Runs the machine's frame until it stops to ask, calls, returns, ends or fails. */
    void (*run)(grog_ctx *ctx, int32_t machine, int32_t *fr);
    /* Collects the candidates of the Ask that the frame stands at; 0 if it stands at none. */
    int32_t (*offer)(grog_ctx *ctx, int32_t machine, int32_t *fr, int32_t chooser);
    /* Writes the answer, notes it and moves the frame on. */
    void (*take)(grog_ctx *ctx, int32_t machine, int32_t *fr, int32_t chooser, int32_t value);
    /* Masks what the seat may not know. */
    void (*view)(grog_ctx *ctx, int32_t seat);
    int64_t memo_kinds; /* GROG_HAS_VALUES, GROG_HAS_BOARDS: what of it is memoised */
    int64_t view_validity; /* the validity of what the view reads, -1: it has none */
    int64_t domains, fields, columns, tables; /* how many it has */
} grog_program;

/* Words of the bits of validities, and shared boards. */
enum { GROG_VALIDITY_WORDS = 4, GROG_BOARDS = 8 };

struct grog_ctx {
    int32_t *s;
    const int64_t *field_off;
    const int64_t *frame_off;
    const int32_t *sym;
    const grog_data *data;
    const grog_program *program;
    /* As wide as the offsets, for the same reason.  What nearly every function looks at lies in the first 128 bytes, which shorter
     * instructions reach. */
    int64_t fail, level, depth, steps;
    /* The arena: what is free of the chunk in use, and where that begins. */
    int32_t *top, *end, *floor;
    int64_t memo_mode; /* what is memoised now: GROG_MEMO_OFF and so on, see memo.h */
    int64_t keeps;     /* whether writes to fields are kept in `undo`, to be taken back */
    int64_t cand_count;
    int64_t offered; /* cand holds the candidates of the position as it is */
    int64_t known;   /* cand holds the candidates of known_cells */
    int32_t fail_site, fail_count;
    int64_t fail_detail[GROG_DETAIL];
    int32_t *trace;
    int64_t trace_count, trace_room;
    const int32_t *script; /* NULL: the generator's dice */
    int64_t script_count, script_used;
    int32_t *cand;
    int64_t cand_room;
    grog_chunk *chunk;
    int32_t *spare;     /* zeros (or rubbish after a failure) where nothing better can be given */
    int32_t *known_cells;
    const char *stack; /* C stack at the start of the run */
    int64_t foreign;   /* whether others may be reading the cells, so that nothing is written to them for a while */
    int32_t *undo;     /* cell, value before */
    int64_t undo_count, undo_room;
    /* Games of chance: how many answers may still be given at random without stopping, up to which ply, from which
     * generator, and the steps that each of them gets. */
    int64_t draws, draw_ply, draw_steps;
    uint64_t dice;
    int64_t first;  /* whether these answers are not drawn: the first candidate is always taken */
    int64_t enough; /* candidates after which no more are looked for */
    /* Candidates that are a board need not be listed where one of them is drawn: the board, and its first place. */
    int64_t defers;
    uint64_t cand_bits;
    int64_t cand_first;
    uint64_t valid[GROG_VALIDITY_WORDS]; /* a bit for each validity */
    uint64_t epochs;                   /* how many were given: none is given twice */
    uint64_t epoch[64 * GROG_VALIDITY_WORDS];
    uint64_t board[GROG_BOARDS]; /* of places, each with a validity of its own */
    struct grog_memo_entry *values; /* GROG_MEMO_ENTRIES, NULL before the first is wanted */
    int64_t memo_hits, memo_misses; /* since the start of a batch */
    int64_t memo_shift;       /* the hash is shifted by it to an entry's number */
    struct grog_memo_set *sets; /* GROG_MEMO_SETS, likewise */
    struct grog_memo_search *searches;    /* GROG_MEMO_SEARCHES, likewise */
    int64_t search_next;
    struct grog_inverted *inverted; /* GROG_INVERTED, likewise */
    struct grog_static_predicate *static_predicates; /* GROG_STATIC_PREDICATES, likewise */
    int32_t credit[1024]; /* GROG_MEMO_CREDITS: admission to the memo by function, see grog_memo_admits */
    uint64_t serial; /* the binding's number of the position that the valid bits belong to; 0: none */
    uint64_t created;   /* a bit for each domain (its number modulo 64) of which a piece was brought into play; the reader clears it */
    /* Of each domain its first number, then of each how many there are, then of each the words of its sets; of each field where
     * it lies; the columns, the tables.  How many there are of each the generated module knows, which so finds all of them from
     * here without another pointer. */
    int64_t fixed[];
};

/* Both halves of an engine, the generated module and the binding, must agree on the layout of what they share. */
#define GROG_ABI ((int64_t)(sizeof(grog_ctx) << 32 | sizeof(grog_data) << 16 | sizeof(grog_program)))

/* ---- failures ---- */

/* What is left of the budget after a failure: one comparison sees both a failure and a spent budget. */
#define GROG_SPENT (INT64_MIN / 2)

/* Steps for what comes now; none after a failure. */
static inline void grog_allow(grog_ctx *ctx, int64_t steps) { ctx->steps = GROG_UNLIKELY(ctx->fail) ? GROG_SPENT : steps; }

GROG_COLD static void grog_fail_many(grog_ctx *ctx, int32_t kind, int32_t site, int32_t count, int64_t a, int64_t b,
                                     int64_t c) {
    if (ctx->fail) return;
    ctx->fail = kind;
    ctx->steps = GROG_SPENT;
    ctx->fail_site = site;
    ctx->fail_count = count;
    ctx->fail_detail[0] = a;
    ctx->fail_detail[1] = b;
    ctx->fail_detail[2] = c;
}

GROG_COLD static void grog_fail(grog_ctx *ctx, int32_t kind, int32_t site) {
    grog_fail_many(ctx, kind, site, 0, 0, 0, 0);
}

GROG_COLD static void grog_fail1(grog_ctx *ctx, int32_t kind, int32_t site, int64_t a) {
    grog_fail_many(ctx, kind, site, 1, a, 0, 0);
}

#endif
