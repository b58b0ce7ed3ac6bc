/* What generated engines are made of: the context of a run, checked access, sets, dice, trace, journal.
 *
 * Rules come from strangers.  Nothing here trusts the rules or the cells of a position: a bad index is replaced by
 * a good one and recorded as a failure, and the first failure of a run ends it.  Only the loaded data block is
 * trusted; grognard.compiled checks it before.
 */
#ifndef GROGNARD_ENGINE_H
#define GROGNARD_ENGINE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "geometry.h"

#define GROG_LIKELY(x) __builtin_expect(!!(x), 1)
#define GROG_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define GROG_COLD __attribute__((noinline, cold, unused))
/* What every function and every block does, which is shorter than a call. */
#define GROG_ALWAYS static inline __attribute__((always_inline, unused))
/* What a generated module calls in one place only (compiler/emit_nested.py): written out there, where the compiler follows
 * pointers to functions at all, which it does not without optimisation or when it watches memory. */
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
#define GROG_NESTED static inline __attribute__((always_inline))
#else
#define GROG_NESTED static inline
#endif
/* What finds out a value that is not remembered: apart from what looks it up, which needs no room of its own then. */
#define GROG_APART __attribute__((noinline))

/* About where the C stack ends now.  A frame pointer, which the other way needs, is dear in small functions. */
GROG_ALWAYS const char *grog_stack_here(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    const char *here;
    __asm__("mov %%rsp, %0" : "=r"(here));
    return here;
#else
    return (const char *)__builtin_frame_address(0);
#endif
}

/* As in grognard.values. */
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
typedef struct grog_likeness grog_likeness;
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
    /* Grids whose places are numbered so that a step in a direction adds one of two numbers: what masks are shifted by. */
    int64_t mask_words; /* of a mask of all places; 0: this space has none */
    struct grog_turn *turn; /* per direction */
    struct grog_star *star; /* per place of a grid of as many places as masks can have, else NULL */
    /* Grids: the direction of a neighbour by how far it is in q and r, 3 times the one and the other, NONE where none is. */
    int32_t toward[9];
    int32_t *edge_toward; /* grids with hexsides: likewise, per place the edge */
    uint64_t *near_bits;  /* a bit for each pair of places, whether they are adjacent; NULL: there are too many */
} grog_space;

/* Masks of the places of a space: one bit for each, in one word or in several. */
enum { GROG_WORDS = 6 };
typedef uint64_t grog_m1;
typedef struct grog_m6 {
    uint64_t w[GROG_WORDS];
} grog_m6;

/* A step in one direction: the places that have a neighbour there, by the number to add. */
typedef struct grog_turn {
    int64_t by[2];
    grog_m6 from[2];
} grog_turn;

/* What lies in all directions of a place, up to so many steps away: which directions have a place there, one bit for each,
 * and its local number, 0 where there is none. */
enum { GROG_FAR = 3, GROG_RAYS = 8 };
typedef struct grog_star {
    uint32_t there[GROG_FAR];
    uint16_t place[GROG_FAR][GROG_RAYS];
} grog_star;

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
    const struct grog_likeness *likeness; /* per domain */
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
    int64_t remembers; /* GROG_HAS_VALUES, GROG_HAS_MASKS: what of it is remembered */
    int64_t view_mark; /* the mark of what the view reads, -1: it has none */
    int64_t domains, fields, columns, tables; /* how many it has */
} grog_program;

/* Words of the marks of what is remembered. */
enum { GROG_MARK_WORDS = 4, GROG_MASKS = 8 };

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
    int64_t remembers; /* what is remembered from one question to the next, GROG_FORGETS and so on: see below */
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
    /* Candidates that are a mask need not be written down where one of them is drawn: the mask, and the first place. */
    int64_t defers;
    uint64_t cand_bits;
    int64_t cand_first;
    uint64_t marks[GROG_MARK_WORDS]; /* those that stand */
    uint64_t tags;                   /* how many were given */
    uint64_t tag[64 * GROG_MARK_WORDS];
    uint64_t mask[GROG_MASKS]; /* of places, each with a mark of its own */
    struct grog_value *values; /* GROG_VALUES, NULL before the first is wanted */
    int64_t recalled, worked_out; /* how often there was one, and how often not */
    int64_t value_shift;       /* what is left of 32 mixed bits is a place among them */
    struct grog_known_set *sets; /* GROG_SETS, likewise */
    struct grog_found *found;    /* GROG_FOUND, likewise */
    int64_t found_next;
    struct grog_holders *holders; /* GROG_INDICES, likewise */
    struct grog_fixed_hint *asked_once; /* GROG_FIXED_HINTS, likewise */
    int32_t trust[1024]; /* GROG_TRUSTED: whether functions are asked for the same value again, see grog_trusts */
    uint64_t serial; /* what the face calls the position that standing marks belong to; 0: none */
    uint64_t born;   /* a bit for each domain (its number modulo 64) of which a piece was brought into play: whoever asks clears it */
    /* Of each domain its first number, then of each how many there are, then of each the words of its sets; of each field where
     * it lies; the columns, the tables.  How many there are of each the generated module knows, which so finds all of them from
     * here without another pointer. */
    int64_t fixed[];
};

/* Both halves of an engine, the generated module and the face, must have the same idea of what they share. */
#define GROG_ABI ((int64_t)(sizeof(grog_ctx) << 32 | sizeof(grog_data) << 16 | sizeof(grog_program)))

/* ---- failures ---- */

/* What is left of the budget after a failure: whoever pays for a step sees both at one glance. */
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

/* ---- arena: temporary sets, lists and elements of loops; released from the top ---- */

static inline void grog_use_chunk(grog_ctx *ctx, grog_chunk *chunk, int32_t *top) {
    ctx->chunk = chunk;
    ctx->floor = chunk->cells;
    ctx->end = chunk->end;
    ctx->top = top;
}

GROG_COLD static int32_t *grog_alloc_slow(grog_ctx *ctx, int64_t words) {
    grog_chunk *chunk = ctx->chunk;
    while (chunk && chunk->after) {
        chunk = chunk->after;
        if (chunk->end - chunk->cells >= words) {
            grog_use_chunk(ctx, chunk, chunk->cells + words);
            return chunk->cells;
        }
    }
    int64_t room = words > 16384 ? words : 16384;
    grog_chunk *fresh = words < (INT64_C(1) << 32) ? (grog_chunk *)malloc(sizeof(grog_chunk) + (size_t)room * 4) : NULL;
    if (!fresh) return NULL;
    fresh->before = chunk;
    fresh->after = NULL;
    fresh->end = fresh->cells + room;
    if (chunk) chunk->after = fresh;
    grog_use_chunk(ctx, fresh, fresh->cells + words);
    return fresh->cells;
}

/* Room for so many cells; NULL when memory runs out.  There is a first chunk always. */
static inline int32_t *grog_alloc(grog_ctx *ctx, int64_t words) {
    int32_t *got = ctx->top;
    if (GROG_LIKELY(ctx->end - got >= words)) {
        ctx->top = got + words;
        return got;
    }
    return grog_alloc_slow(ctx, words);
}

/* Room for a set or list, with rubbish in it. */
static inline int32_t *grog_need(grog_ctx *ctx, int64_t words) {
    int32_t *got = grog_alloc(ctx, words);
    if (GROG_LIKELY(got != NULL)) return got;
    grog_fail(ctx, GROG_FAIL_BUDGET, -1);
    return ctx->spare;
}

/* Room for several of them; NULL and a failure without memory. */
static inline int32_t *grog_rooms(grog_ctx *ctx, int64_t words) {
    int32_t *got = grog_alloc(ctx, words);
    if (GROG_UNLIKELY(got == NULL)) grog_fail(ctx, GROG_FAIL_BUDGET, -1);
    return got;
}

/* An empty set or list. */
static inline int32_t *grog_room(grog_ctx *ctx, int64_t words) {
    int32_t *got = grog_need(ctx, words);
    memset(got, 0, (size_t)words * 4);
    return got;
}

/* An empty list that is no part of a position: what lies behind its last item nobody sees. */
static inline int32_t *grog_list_room(grog_ctx *ctx, int64_t words) {
    int32_t *got = grog_need(ctx, words);
    got[0] = 0;
    return got;
}

static inline int32_t *grog_mark(grog_ctx *ctx) { return ctx->top; }

/* Back to a chunk before. */
GROG_COLD static void grog_release_slow(grog_ctx *ctx, int32_t *mark) {
    grog_chunk *chunk = ctx->chunk;
    while (chunk->before && (mark < chunk->cells || mark > chunk->end)) chunk = chunk->before;
    grog_use_chunk(ctx, chunk, mark < chunk->cells || mark > chunk->end ? chunk->cells : mark);
}

static inline void grog_release(grog_ctx *ctx, int32_t *mark) {
    if (GROG_LIKELY(mark >= ctx->floor && mark <= ctx->end))
        ctx->top = mark;
    else
        grog_release_slow(ctx, mark);
}

/* ---- steps: what bounds a runaway rule ---- */

#define grog_step(ctx, site) __builtin_expect(grog_may_step(ctx, site), 1)
GROG_ALWAYS int32_t grog_may_step(grog_ctx *ctx, int32_t site) {
    if (GROG_LIKELY(--ctx->steps >= 0)) return 1;
    grog_fail(ctx, GROG_FAIL_BUDGET, site);
    return 0;
}

/* ---- what is remembered: values of functions that only read ----
 *
 * Each such function has a mark, which writes of the fields that it reads take off (grog_changed).  When a value is wanted
 * and the mark is off, it is put on again and gets a new tag, so that nothing found before counts any more.  A value that
 * is found again takes the steps that finding it took; if there are not as many left, or the call lies deep
 * inside others, it is found out anew, and fails where it would. */

/* A run that is soon over has few values, and better keeps them close to each other. */
enum { GROG_VALUE_BITS = 14, GROG_VALUES = 1 << GROG_VALUE_BITS, GROG_FEW_VALUE_BITS = 8, GROG_FIRST_RUNS = 16 };
/* What stands for the view among the functions: its value is kept where it has nothing to mask. */
enum { GROG_VIEW = -1 };

/* Whether anything is remembered: not at all; for the moment writes are only seen; what looks at many things, for a run that is
 * soon over; or everything.  Where it is, nobody listens and cells change by writes only. */
enum { GROG_FORGETS = 0, GROG_SEES, GROG_REMEMBERS_MUCH, GROG_REMEMBERS };
enum { GROG_HAS_VALUES = 1, GROG_HAS_MASKS };

typedef struct grog_value {
    uint64_t tag;        /* 0: nothing is here */
    uint64_t head, rest; /* the function and what it was given, two by two */
    int32_t value, steps;
} grog_value;

static inline uint64_t grog_two(int32_t a, int32_t b) { return (uint32_t)a | (uint64_t)(uint32_t)b << 32; }

/* The same of a function that gives a set of up to so many words. */
enum { GROG_SETS = 256, GROG_SET_WORDS = 8 };
typedef struct grog_known_set {
    grog_value of;
    int32_t set[GROG_SET_WORDS];
} grog_known_set;

/* Which elements of a domain hold each value of a field. */
enum { GROG_INDICES = 32 };
typedef struct grog_holders {
    uint64_t tag;   /* 0: nothing is here */
    uint64_t *held; /* per value a mask of elements */
    uint64_t *some; /* the values that anybody holds */
    int64_t whole;  /* whether all hold one of the values, or nothing */
} grog_holders;

/* Of which elements something is true that depends on the data alone, or what it comes to for each. */
enum { GROG_FIXED_HINTS = 64 };
typedef struct grog_fixed_hint {
    uint64_t *mask; /* those of which it is true; those for which it comes to nothing.  NULL: nothing is here */
    int32_t *value; /* NULL: it is true or not */
    int64_t failed; /* whether it cannot be asked of some */
} grog_fixed_hint;

/* From now on values are remembered, if the program has any that can be and there is room; marks stay as they are. */
static inline void grog_remember_on(grog_ctx *ctx) {
    int64_t has = ctx->program->remembers;
    if (!has) return;
    if (has & GROG_HAS_VALUES && !ctx->values) ctx->values = (grog_value *)calloc(GROG_VALUES, sizeof(grog_value));
    if (has & GROG_HAS_VALUES && !ctx->sets) ctx->sets = (grog_known_set *)calloc(GROG_SETS, sizeof(grog_known_set));
    if (has & GROG_HAS_VALUES && !ctx->holders) ctx->holders = (grog_holders *)calloc(GROG_INDICES, sizeof(grog_holders));
    if (has & GROG_HAS_VALUES && !ctx->asked_once) ctx->asked_once = (grog_fixed_hint *)calloc(GROG_FIXED_HINTS, sizeof(grog_fixed_hint));
    ctx->value_shift = 32 - GROG_VALUE_BITS;
    ctx->remembers = has & GROG_HAS_VALUES && (!ctx->values || !ctx->sets) ? GROG_FORGETS : GROG_REMEMBERS;
}

/* The same at a position.  `serial`: which one it is, for marks that stand since it was left; 0: nobody knows. */
static inline void grog_remember_values(grog_ctx *ctx, uint64_t serial) {
    if (!ctx->program->remembers) return;
    grog_remember_on(ctx);
    if (!serial || serial != ctx->serial) memset(ctx->marks, 0, sizeof ctx->marks);
    ctx->serial = 0;
}

/* The same for a run that is soon over: what looks at many things, and nothing of what was found before. */
static inline void grog_remember_a_while(grog_ctx *ctx) {
    grog_remember_values(ctx, 0);
    if (ctx->remembers) ctx->remembers = GROG_REMEMBERS_MUCH;
    ctx->value_shift = 32 - GROG_FEW_VALUE_BITS;
}

/* A position that is come back to many times.  All marks are put on before anything is tried from it: what is then found under
 * such a tag was found before a write took the mark off, so it is true of the position itself, whatever was tried since. */
typedef struct grog_anchor {
    uint64_t tag[64 * GROG_MARK_WORDS];
} grog_anchor;

static inline void grog_anchor_back(grog_ctx *ctx, const grog_anchor *at) {
    /* Masks have no tags: of them nothing is known here. */
    memset(ctx->marks, ctx->program->remembers & GROG_HAS_MASKS ? 0 : 0xff, sizeof ctx->marks);
    memcpy(ctx->tag, at->tag, sizeof ctx->tag);
}

static inline void grog_anchor_here(grog_ctx *ctx, grog_anchor *at) {
    for (int32_t mark = 0; mark < 64 * GROG_MARK_WORDS; mark++)
        if (!(ctx->marks[mark >> 6] >> (mark & 63) & 1)) ctx->tag[mark] = ++ctx->tags;
    memcpy(at->tag, ctx->tag, sizeof ctx->tag);
    grog_anchor_back(ctx, at);
}

/* Fields were written whose readers have these marks. */
static inline void grog_changed(grog_ctx *ctx, int32_t word, uint64_t marks) {
    if (ctx->remembers) ctx->marks[word] &= ~marks;
}

static inline uint64_t grog_tag_of(grog_ctx *ctx, int32_t mark) {
    uint64_t bit = UINT64_C(1) << (mark & 63), *marks = &ctx->marks[mark >> 6];
    if (!(*marks & bit)) {
        *marks |= bit;
        ctx->tag[mark] = ++ctx->tags;
    }
    return ctx->tag[mark];
}

/* Some functions are hardly ever asked for the same value twice before something that they read has changed.  To look for
 * their values and to keep them costs more than it gives, so that they go without for a while: each value that was there
 * gains trust, by the steps that it saved, and each that was not loses some.  Whether runs that are soon over remember anything
 * is settled by the first of them (grog_samples). */
enum { GROG_TRUSTED = 1024, GROG_FIRST_TRUST = 256, GROG_MOST_TRUST = 1024, GROG_DISTRUST = 4096, GROG_TRUST_STEPS = 32 };

GROG_ALWAYS int32_t *grog_trust_in(grog_ctx *ctx, int32_t function) { return &ctx->trust[function & (GROG_TRUSTED - 1)]; }

/* Whether values of a function are looked for and kept now. */
static inline int32_t grog_trusts(grog_ctx *ctx, int32_t function) {
    int32_t *trust = grog_trust_in(ctx, function);
    if (*trust > 0) return 1;
    if (++*trust < 0) return 0;
    *trust = GROG_FIRST_TRUST;
    return 1;
}

static inline uint32_t grog_mixed(int32_t function, int32_t a, int32_t b, int32_t c) {
    return ((uint32_t)a + (uint32_t)b * 769u + (uint32_t)c * 6151u + (uint32_t)function * 24593u) * 2654435761u;
}

/* The value, if it is known and can be paid for; NULL: it must be found out.  Functions that are remembered go less than
 * GROG_CALLS_DOWN calls down. */
enum { GROG_CALL_DEPTH = 200, GROG_CALLS_DOWN = 100 };
static inline int32_t grog_is_known(grog_ctx *ctx, const grog_value *at, int32_t function, int32_t mark, int32_t a, int32_t b,
                                    int32_t c) {
    if (!(ctx->marks[mark >> 6] >> (mark & 63) & 1) || at->tag != ctx->tag[mark] || at->head != grog_two(function, a) ||
        at->rest != grog_two(b, c) || at->steps > ctx->steps || ctx->depth > GROG_CALL_DEPTH - GROG_CALLS_DOWN)
        return 0;
    ctx->steps -= at->steps;
    ctx->recalled++;
    int32_t *trust = grog_trust_in(ctx, function);
    if (*trust > 0 && *trust < GROG_MOST_TRUST) *trust += 1 + (int32_t)((uint32_t)at->steps / GROG_TRUST_STEPS);
    return 1;
}

static inline const grog_value *grog_known_value(grog_ctx *ctx, int32_t function, int32_t mark, int32_t a, int32_t b,
                                                 int32_t c) {
    const grog_value *at = ctx->values + (grog_mixed(function, a, b, c) >> ctx->value_shift);
    return grog_is_known(ctx, at, function, mark, a, b, c) ? at : NULL;
}

/* Whether what was found out from so many steps on can be kept; then it stands at this place. */
static inline int32_t grog_keeps(grog_ctx *ctx, grog_value *at, int32_t function, int32_t mark, int32_t a, int32_t b,
                                 int32_t c, int64_t steps) {
    /* After a failure nothing is left of the steps. */
    if (GROG_UNLIKELY(ctx->steps < 0 || steps - ctx->steps > INT32_MAX)) return 0;
    ctx->worked_out++;
    int32_t *trust = grog_trust_in(ctx, function);
    if (*trust > 0 && --*trust == 0) *trust = -GROG_DISTRUST;
    at->tag = grog_tag_of(ctx, mark);
    at->head = grog_two(function, a);
    at->rest = grog_two(b, c);
    at->steps = (int32_t)(steps - ctx->steps);
    return 1;
}

static inline int32_t grog_keep_value(grog_ctx *ctx, int32_t function, int32_t mark, int32_t a, int32_t b, int32_t c,
                                      int64_t steps, int32_t value) {
    grog_value *at = ctx->values + (grog_mixed(function, a, b, c) >> ctx->value_shift);
    if (grog_keeps(ctx, at, function, mark, a, b, c, steps)) at->value = value;
    return value;
}

/* Sets are mostly of a few words, for which a call of memmove or memset is dear. */
static inline void grog_set_copy(int32_t *to, const int32_t *from, int64_t words) {
    if (GROG_LIKELY(words == 2)) {
        memmove(to, from, 8);
        return;
    }
    if (GROG_UNLIKELY(words > 8)) {
        memmove(to, from, (size_t)words * 4);
        return;
    }
    for (; words >= 2; words -= 2, to += 2, from += 2) memmove(to, from, 8);
    if (words) *to = *from;
}

/* The same of sets: whether it is known, and then put into `out`. */
static inline int32_t grog_known_in(grog_ctx *ctx, int32_t function, int32_t mark, int32_t a, int32_t b, int32_t c,
                                    int32_t *out, int64_t words) {
    const grog_known_set *at = ctx->sets + grog_mixed(function, a, b, c) / (UINT32_MAX / GROG_SETS + 1);
    if (GROG_UNLIKELY(words > GROG_SET_WORDS) || !grog_is_known(ctx, &at->of, function, mark, a, b, c)) return 0;
    if (GROG_LIKELY(words == 2))
        memcpy(out, at->set, 8);
    else
        for (int64_t i = 0; i < words; i++) out[i] = at->set[i];
    return 1;
}

static inline void grog_keep_set(grog_ctx *ctx, int32_t function, int32_t mark, int32_t a, int32_t b, int32_t c, int64_t steps,
                                 const int32_t *set, int64_t words) {
    grog_known_set *at = ctx->sets + grog_mixed(function, a, b, c) / (UINT32_MAX / GROG_SETS + 1);
    if (words <= GROG_SET_WORDS && grog_keeps(ctx, &at->of, function, mark, a, b, c, steps))
        grog_set_copy(at->set, set, words);
}

/* Whether a mask that several ask for is right still. */
#define grog_mask_known(ctx, mark) __builtin_expect(grog_mask_stands(ctx, mark), 1)
static inline int32_t grog_mask_stands(const grog_ctx *ctx, int32_t mark) {
    return ctx->remembers == GROG_REMEMBERS && ctx->marks[mark >> 6] >> (mark & 63) & 1;
}

static inline void grog_mask_keep(grog_ctx *ctx, int32_t mark, int32_t number, uint64_t mask) {
    if (ctx->remembers != GROG_REMEMBERS) return;
    ctx->marks[mark >> 6] |= UINT64_C(1) << (mark & 63);
    ctx->mask[number] = mask;
}

/* A cell was written, the so many-th of its field: the mask of those that hold a value follows. */
static inline void grog_mask_follow(grog_ctx *ctx, int32_t mark, int32_t number, int64_t first, int64_t at, int32_t value) {
    uint64_t bit = UINT64_C(1) << (at & 63);
    if (GROG_UNLIKELY(ctx->remembers != GROG_REMEMBERS || at < 0))
        grog_changed(ctx, mark >> 6, UINT64_C(1) << (mark & 63));
    else
        ctx->mask[number] = ctx->s[first + at] == value ? ctx->mask[number] | bit : ctx->mask[number] & ~bit;
}

/* ---- arithmetic ---- */

GROG_COLD static int32_t grog_too_large(grog_ctx *ctx, int32_t a, int32_t b, int32_t site) {
    grog_fail_many(ctx, GROG_FAIL_OVERFLOW, site, 2, a, b, 0);
    return 0;
}

static inline int32_t grog_narrow(grog_ctx *ctx, int64_t x, int32_t a, int32_t b, int32_t site) {
    return GROG_UNLIKELY(x > INT32_MAX || x <= INT32_MIN) ? grog_too_large(ctx, a, b, site) : (int32_t)x;
}

/* The processor tells by itself when 32 bits do not do; the least of them stands for none, and is no number. */
static inline int32_t grog_add(grog_ctx *ctx, int32_t a, int32_t b, int32_t site) {
    int32_t x;
    if (__builtin_add_overflow(a, b, &x)) return grog_too_large(ctx, a, b, site);
    return GROG_LIKELY(x != INT32_MIN) ? x : grog_too_large(ctx, a, b, site);
}

static inline int32_t grog_sub(grog_ctx *ctx, int32_t a, int32_t b, int32_t site) {
    int32_t x;
    if (__builtin_sub_overflow(a, b, &x)) return grog_too_large(ctx, a, b, site);
    return GROG_LIKELY(x != INT32_MIN) ? x : grog_too_large(ctx, a, b, site);
}

static inline int32_t grog_mul(grog_ctx *ctx, int32_t a, int32_t b, int32_t site) {
    int32_t x;
    if (__builtin_mul_overflow(a, b, &x)) return grog_too_large(ctx, a, b, site);
    return GROG_LIKELY(x != INT32_MIN) ? x : grog_too_large(ctx, a, b, site);
}

static inline int64_t grog_floor(int64_t a, int64_t b) {
    int64_t q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}

static inline int32_t grog_divide_fails(grog_ctx *ctx, int32_t a, int32_t b, int32_t site) {
    if (GROG_LIKELY(b != 0)) return 0;
    grog_fail1(ctx, GROG_FAIL_DIVIDE, site, a);
    return 1;
}

static inline int32_t grog_div_down(grog_ctx *ctx, int32_t a, int32_t b, int32_t site) {
    return grog_divide_fails(ctx, a, b, site) ? 0 : grog_narrow(ctx, grog_floor(a, b), a, b, site);
}

static inline int32_t grog_div_up(grog_ctx *ctx, int32_t a, int32_t b, int32_t site) {
    return grog_divide_fails(ctx, a, b, site) ? 0 : grog_narrow(ctx, -grog_floor(-(int64_t)a, b), a, b, site);
}

/* Halves go away from zero. */
static inline int32_t grog_div_near(grog_ctx *ctx, int32_t a, int32_t b, int32_t site) {
    if (grog_divide_fails(ctx, a, b, site)) return 0;
    int64_t x = a < 0 ? -(int64_t)a : a, y = b < 0 ? -(int64_t)b : b;
    int64_t q = (2 * x + y) / (2 * y);
    return grog_narrow(ctx, (a < 0) != (b < 0) ? -q : q, a, b, site);
}

static inline int32_t grog_mod(grog_ctx *ctx, int32_t a, int32_t b, int32_t site) {
    /* Counting round, which needs no division. */
    if (a >= 0 && a <= b && b) return a == b ? 0 : a;
    if (grog_divide_fails(ctx, a, b, site)) return 0;
    return (int32_t)((int64_t)a - grog_floor(a, b) * b);
}

static inline int32_t grog_min(int32_t a, int32_t b) { return a < b ? a : b; }
static inline int32_t grog_max(int32_t a, int32_t b) { return a > b ? a : b; }
static inline int32_t grog_lt(int32_t a, int32_t b) { return a < b && a != GROG_NONE; }
static inline int32_t grog_le(int32_t a, int32_t b) { return a <= b && a != GROG_NONE; }
static inline int32_t grog_or_else(int32_t a, int32_t b) { return a == GROG_NONE ? b : a; }

/* ---- indexes ---- */

GROG_COLD static int64_t grog_bad_index(grog_ctx *ctx, int32_t v, int32_t site) {
    grog_fail1(ctx, GROG_FAIL_INDEX, site, v);
    return 0;
}

static inline int64_t grog_ix(grog_ctx *ctx, int32_t v, int64_t base, int64_t count, int32_t site) {
    int64_t i = (int64_t)v - base;
    return GROG_LIKELY((uint64_t)i < (uint64_t)count) ? i : grog_bad_index(ctx, v, site);
}

/* An index that is known to be right from here on: the first there is, after a failure. */
static inline int32_t grog_member(grog_ctx *ctx, int32_t v, int64_t base, int64_t count, int32_t site) {
    if (GROG_LIKELY((uint64_t)((int64_t)v - base) < (uint64_t)count)) return v;
    grog_bad_index(ctx, v, site);
    return (int32_t)base;
}

/* Whether there is such an element. */
static inline int32_t grog_inside(int32_t v, int64_t base, int64_t count) {
    return GROG_LIKELY((uint64_t)((int64_t)v - base) < (uint64_t)count);
}

/* Whether there is such an element and its cell holds a value, without a jump for either. */
static inline int32_t grog_cell_is(grog_ctx *ctx, const int32_t *cell, int32_t v, int64_t base, int64_t count,
                                   int32_t value, int32_t site) {
    int64_t i = (int64_t)v - base, there = (uint64_t)i < (uint64_t)count;
    if (GROG_UNLIKELY(!there & (v != GROG_NONE))) grog_bad_index(ctx, v, site);
    return ((cell[i & -there] ^ value) | (int32_t)(there - 1)) == 0;
}

/* The same, and that it holds another one. */
static inline int32_t grog_cell_isnt(grog_ctx *ctx, const int32_t *cell, int32_t v, int64_t base, int64_t count,
                                     int32_t value, int32_t site) {
    int64_t i = (int64_t)v - base, there = (uint64_t)i < (uint64_t)count;
    if (GROG_UNLIKELY(!there & (v != GROG_NONE))) grog_bad_index(ctx, v, site);
    return (int32_t)there & (cell[i & -there] != value);
}

/* ---- sets ---- */

static inline void grog_set_clear(int32_t *to, int64_t words) {
    if (GROG_UNLIKELY(words > 8)) {
        memset(to, 0, (size_t)words * 4);
        return;
    }
    for (; words >= 2; words -= 2, to += 2) memset(to, 0, 8);
    if (words) *to = 0;
}

static inline void grog_set_union(int32_t *to, const int32_t *a, const int32_t *b, int64_t words) {
    for (int64_t i = 0; i < words; i++) to[i] = a[i] | b[i];
}

static inline void grog_set_minus(int32_t *to, const int32_t *a, const int32_t *b, int64_t words) {
    for (int64_t i = 0; i < words; i++) to[i] = a[i] & ~b[i];
}

static inline void grog_set_inter(int32_t *to, const int32_t *a, const int32_t *b, int64_t words) {
    for (int64_t i = 0; i < words; i++) to[i] = a[i] & b[i];
}

static inline int32_t grog_set_equal(const int32_t *a, const int32_t *b, int64_t words) {
    return memcmp(a, b, (size_t)words * 4) == 0;
}

static inline int32_t grog_set_subset(const int32_t *a, const int32_t *b, int64_t words) {
    for (int64_t i = 0; i < words; i++)
        if (a[i] & ~b[i]) return 0;
    return 1;
}

/* Without an instruction for it, which not every machine has, the compiler would call a function. */
static inline int32_t grog_ones(uint32_t bits) {
    bits -= bits >> 1 & 0x55555555u;
    bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
    return (int32_t)(((bits + (bits >> 4)) & 0x0F0F0F0Fu) * 0x01010101u >> 24);
}

static inline int32_t grog_many_ones(uint64_t bits) {
#if defined(__x86_64__) && defined(__GNUC__)
    if (GROG_LIKELY(__builtin_cpu_supports("popcnt"))) {
        uint64_t count;
        __asm__("popcnt %1, %0" : "=r"(count) : "r"(bits) : "cc");
        return (int32_t)count;
    }
#endif
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    return (int32_t)(((bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F)) * UINT64_C(0x0101010101010101) >> 56);
}

/* Two words of a set, from an even one on; the second may not be there. */
static inline uint64_t grog_set_pair(const int32_t *a, int64_t words, int64_t at) {
    if (GROG_UNLIKELY(at + 1 >= words)) return (uint32_t)a[at];
    return (uint32_t)a[at] | (uint64_t)(uint32_t)a[at + 1] << 32;
}

static inline int32_t grog_set_count(const int32_t *a, int64_t words) {
    int32_t count = 0;
    for (int64_t i = 0; i < words; i += 2) {
        uint64_t bits = grog_set_pair(a, words, i);
        if (bits) count += grog_many_ones(bits);
    }
    return count;
}

/* A loop over the members of a set: those left of two words, and where they stand. */
typedef struct grog_walked {
    uint64_t bits;
    const int32_t *set;
    int64_t words, at;
} grog_walked;

static inline grog_walked grog_walk_set(const int32_t *set, int64_t words, int64_t count) {
    grog_walked walk = {count ? grog_set_pair(set, words, 0) : 0, set, count ? words : 0, 0};
    return walk;
}

/* Whether a member is left. */
static inline int32_t grog_walk_more(grog_walked *walk) {
    while (!walk->bits) {
        if ((walk->at += 2) >= walk->words) return 0;
        walk->bits = grog_set_pair(walk->set, walk->words, walk->at);
    }
    return 1;
}

/* The next member, as an offset, where one is left. */
static inline int64_t grog_walk_next(grog_walked *walk) {
    int64_t bit = __builtin_ctzll(walk->bits);
    walk->bits &= walk->bits - 1;
    return 32 * walk->at + bit;
}

/* How many members a set has, of which there can be no others than there are. */
static inline int64_t grog_set_size(const int32_t *a, int64_t words) {
    return GROG_LIKELY(words <= 2) ? grog_many_ones(grog_set_pair(a, words, 0)) : grog_set_count(a, words);
}

/* How many members a set has that a loop runs over; none if the cells of a position say that it has other members than
 * there are. */
static inline int64_t grog_set_members(grog_ctx *ctx, const int32_t *a, int64_t words, int64_t count, int32_t site) {
    if (GROG_UNLIKELY(count < 32 * words && (uint32_t)a[words - 1] >> (count & 31))) {
        grog_bad_index(ctx, (int32_t)count, site);
        return 0;
    }
    return grog_set_size(a, words);
}

static inline int32_t grog_set_has(const int32_t *a, int32_t v, int64_t base, int64_t count) {
    int64_t i = (int64_t)v - base;
    return (uint64_t)i < (uint64_t)count && ((uint32_t)a[i >> 5] >> (i & 31) & 1);
}

/* The first offset from `from` on that is in the set, -1 if there is none. */
static inline int64_t grog_set_scan(const int32_t *a, int64_t words, int64_t from) {
    int64_t word = from >> 5;
    if (word >= words) return -1;
    uint32_t bits = (uint32_t)a[word] & (UINT32_MAX << (from & 31));
    while (!bits) {
        if (++word >= words) return -1;
        bits = (uint32_t)a[word];
    }
    return word * 32 + __builtin_ctz(bits);
}

static inline int32_t grog_set_next(const int32_t *a, int64_t words, int32_t after, int64_t base) {
    int64_t from = after == GROG_NONE ? 0 : (int64_t)after - base + 1;
    int64_t found = grog_set_scan(a, words, from < 0 ? 0 : from);
    return found < 0 ? GROG_NONE : (int32_t)(found + base);
}

static inline void grog_bit(int32_t *a, int64_t i, int32_t on) {
    if (on)
        a[i >> 5] |= (int32_t)(UINT32_C(1) << (i & 31));
    else
        a[i >> 5] &= (int32_t) ~(UINT32_C(1) << (i & 31));
}

/* Whether a value is this item of a set that is written out; NONE is no item. */
static inline int32_t grog_one_of(grog_ctx *ctx, int32_t value, int32_t item, int64_t base, int64_t count,
                                  int32_t site) {
    if (item == GROG_NONE) return 0;
    if (GROG_UNLIKELY((uint64_t)((int64_t)item - base) >= (uint64_t)count)) {
        grog_bad_index(ctx, item, site);
        return 0;
    }
    return value == item;
}

/* ---- lists: their length and their items.  The length in a position may be anything. ---- */

static inline int32_t grog_len(const int32_t *list, int32_t capacity) {
    return list[0] < 0 ? 0 : list[0] > capacity ? capacity : list[0];
}

/* ---- tables ---- */

enum { GROG_TABLE_HEAD = 2, GROG_AXIS_CELLS = 5, GROG_CLAMP_LOW = 1, GROG_CLAMP_HIGH = 2 };

/* Where one more axis leads: `place` is the row-major place so far, -1 outside. */
static inline int64_t grog_axis(const int32_t *table, int32_t axis, int64_t place, int32_t value) {
    const int32_t *a = table + GROG_TABLE_HEAD + GROG_AXIS_CELLS * axis;
    if (place < 0 || value == GROG_NONE) return -1;
    if (value < a[0]) {
        if (!(a[2] & GROG_CLAMP_LOW)) return -1;
        value = a[0];
    } else if (value > a[1]) {
        if (!(a[2] & GROG_CLAMP_HIGH)) return -1;
        value = a[1];
    }
    int32_t row = table[(int64_t)a[4] + value - a[0]];
    return row < 0 ? -1 : place * a[3] + row;
}

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

/* ---- dice: generator "pcg32/1", as in grognard.rng ---- */

static inline uint32_t grog_pcg_next(uint64_t *state) {
    uint64_t x = *state;
    uint32_t shifted = (uint32_t)(((x >> 18) ^ x) >> 27), turn = (uint32_t)(x >> 59);
    *state = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (shifted >> turn) | (shifted << (-turn & 31));
}

static inline uint64_t grog_pcg_seeded(uint64_t seed) {
    uint64_t state = 0;
    grog_pcg_next(&state);
    state += seed;
    grog_pcg_next(&state);
    return state;
}

/* A number 0 .. n - 1 (Lemire's method); n is at least 1. */
static inline uint32_t grog_pcg_draw(uint64_t *state, uint32_t n) {
    uint64_t product = (uint64_t)grog_pcg_next(state) * n;
    if ((uint32_t)product < n) {
        uint32_t threshold = (uint32_t)(-n) % n;
        while ((uint32_t)product < threshold) product = (uint64_t)grog_pcg_next(state) * n;
    }
    return (uint32_t)(product >> 32);
}

static inline uint64_t grog_rng_state(const int32_t *s) {
    return (uint64_t)(uint32_t)s[GROG_H_RNG_LO] | (uint64_t)(uint32_t)s[GROG_H_RNG_HI] << 32;
}

static inline void grog_rng_store(int32_t *s, uint64_t state) {
    s[GROG_H_RNG_LO] = (int32_t)(uint32_t)state;
    s[GROG_H_RNG_HI] = (int32_t)(uint32_t)(state >> 32);
}

/* ---- verbs: as in grognard.verbs, which documents the meaning ---- */

GROG_COLD static const grog_space *grog_other_space(const grog_ctx *ctx, int32_t place) {
    const grog_space *space = ctx->data->spaces, *end = space + ctx->data->space_count;
    for (; space < end; space++)
        if ((uint64_t)((int64_t)place - space->base) < (uint64_t)space->n) return space;
    return NULL;
}

/* Most places lie in the first space.  A program without spaces has an empty one. */
static inline const grog_space *grog_space_of(const grog_ctx *ctx, int32_t place) {
    const grog_space *first = ctx->data->spaces;
    if (GROG_LIKELY((uint64_t)((int64_t)place - first->base) < (uint64_t)first->n)) return first;
    return place == GROG_NONE ? NULL : grog_other_space(ctx, place);
}

/* Finds out by how much masks are shifted; 0 without memory. */
static inline int32_t grog_space_turns(grog_space *space) {
    space->mask_words = 0;
    space->turn = (grog_turn *)calloc((size_t)space->sides + 1, sizeof(grog_turn));
    if (!space->turn) return 0;
    if (!space->sides || space->n > 64 * GROG_WORDS) return 1;
    for (int64_t d = 0; d < space->sides; d++) {
        grog_turn *turn = &space->turn[d];
        int64_t kinds = 0;
        for (int64_t place = 0; place < space->n; place++) {
            int32_t there = space->map.neighbours[space->sides * place + d];
            if (there == GROG_NONE) continue;
            int64_t kind = 0;
            while (kind < kinds && turn->by[kind] != there - place) kind++;
            if (kind == 2) return 1;
            if (kind == kinds) turn->by[kinds++] = there - place;
            turn->from[kind].w[place >> 6] |= UINT64_C(1) << (place & 63);
        }
    }
    space->mask_words = space->n <= 64 ? 1 : GROG_WORDS;
    return 1;
}

/* Lays out what lies in all directions of each place; 0 without memory. */
static inline int32_t grog_space_stars(grog_space *space) {
    space->star = NULL;
    if (space->sides < 1 || space->sides > GROG_RAYS || space->n > 64 * GROG_WORDS) return 1;
    space->star = (grog_star *)calloc((size_t)space->n + 1, sizeof(grog_star));
    if (!space->star) return 0;
    for (int64_t from = 0; from < space->n; from++)
        for (int64_t d = 0; d < space->sides; d++) {
            int32_t place = (int32_t)from;
            for (int32_t far = 0; far < GROG_FAR; far++) {
                place = space->map.neighbours[space->sides * place + d];
                if (place == GROG_NONE) break;
                space->star[from].there[far] |= UINT32_C(1) << d;
                space->star[from].place[far][d] = (uint16_t)place;
            }
        }
    return 1;
}

/* A neighbour lies where its direction says, as far as the data do; those that do not are looked for. */
static inline void grog_space_directions(grog_space *space) {
    for (int32_t i = 0; i < 9; i++) space->toward[i] = GROG_NONE;
    for (int64_t i = 0; i < space->sides * space->n; i++) {
        int32_t to = space->map.neighbours[i];
        if (to == GROG_NONE) continue;
        int64_t q = (int64_t)space->map.q[to] - space->map.q[i / space->sides] + 1;
        int64_t r = (int64_t)space->map.r[to] - space->map.r[i / space->sides] + 1;
        if (q >= 0 && q <= 2 && r >= 0 && r <= 2) space->toward[3 * q + r] = (int32_t)(i % space->sides);
    }
    if (!space->sides || !space->side_edge) return;
    space->edge_toward = (int32_t *)malloc(4 * (size_t)(9 * space->n + 1));
    for (int64_t i = 0; space->edge_toward && i < 9 * space->n; i++) {
        int32_t d = space->toward[i % 9], local = d == GROG_NONE ? -1 : space->side_edge[space->sides * (i / 9) + d];
        /* Places that do not lie where their direction says are looked for among all neighbours. */
        int32_t to = d == GROG_NONE ? GROG_NONE : space->map.neighbours[space->sides * (i / 9) + d];
        int32_t there = to != GROG_NONE && 3 * (space->map.q[to] - space->map.q[i / 9] + 1) + space->map.r[to] -
                                                   space->map.r[i / 9] + 1 == i % 9;
        space->edge_toward[i] = there && local >= 0 ? space->edge_base + local : GROG_NONE;
    }
}

GROG_COLD static int32_t grog_side_towards(const grog_space *space, int64_t from, int64_t local) {
    const int32_t *around = space->map.neighbours + space->sides * from;
    for (int32_t d = 0; d < space->sides; d++)
        if (around[d] == local) return d;
    return GROG_NONE;
}

static inline int32_t grog_hex_towards(const grog_space *space, int32_t a, int32_t b) {
    int64_t from = a - space->base, local = (int64_t)b - space->base;
    if ((uint64_t)local >= (uint64_t)space->n) return GROG_NONE;
    /* Neighbours follow the coordinates: most pairs are further apart. */
    const int32_t *q = space->map.q, *r = space->map.r;
    uint32_t along = (uint32_t)(q[local] - q[from] + 1), across = (uint32_t)(r[local] - r[from] + 1);
    if (along > 2 || across > 2) return GROG_NONE;
    int32_t d = space->toward[3 * along + across];
    if (GROG_LIKELY(d != GROG_NONE && space->map.neighbours[space->sides * from + d] == local)) return d;
    return grog_side_towards(space, from, local);
}

/* The place in `adjacent` where b is listed as adjacent to a, -1 if it is not. */
static inline int32_t grog_area_entry(const grog_space *space, int32_t a, int32_t b) {
    int64_t local = (int64_t)b - space->base;
    for (int32_t i = space->start[a - space->base]; i < space->start[a - space->base + 1]; i++)
        if (space->adjacent[i] == local) return i;
    return -1;
}

static inline int32_t grog_is_beside(const grog_space *space, int32_t a, int32_t b) {
    return space->sides ? grog_hex_towards(space, a, b) != GROG_NONE : grog_area_entry(space, a, b) >= 0;
}

/* Which places are adjacent is asked so often that on maps of a usual size it is written down for all pairs. */
enum { GROG_NEAR_PLACES = 1024 };
static inline void grog_space_near(grog_space *space) {
    int64_t n = space->n;
    space->near_bits = n > GROG_NEAR_PLACES ? NULL : (uint64_t *)calloc((size_t)(n * n / 64 + 1), sizeof(uint64_t));
    for (int64_t from = 0; space->near_bits && from < n; from++)
        for (int64_t i = space->ring_start[from]; i < space->ring_start[from + 1]; i++) {
            int64_t at = from * n + space->ring[i];
            uint64_t beside = (uint64_t)grog_is_beside(space, (int32_t)(from + space->base), (int32_t)(space->ring[i] + space->base));
            space->near_bits[at >> 6] |= beside << (at & 63);
        }
}

/* Lays out the neighbours of all places; 0 without memory. */
static inline int32_t grog_space_prepare(grog_space *space) {
    const int32_t *around = space->sides ? space->map.neighbours : space->adjacent;
    int64_t entries = space->sides ? space->sides * space->n : space->start[space->n], at = 0;
    space->ring_start = (int64_t *)malloc(sizeof(int64_t) * (size_t)(space->n + 1));
    space->ring = (int32_t *)malloc(4 * (size_t)(entries + 1));
    space->ring_side = (int32_t *)malloc(4 * (size_t)(entries + 1));
    space->beside = (int32_t *)malloc(4 * (size_t)(entries + 1));
    if (!space->ring_start || !space->ring || !space->ring_side || !space->beside) return 0;
    for (int64_t i = 0; i < entries; i++)
        space->beside[i] = around[i] == GROG_NONE ? GROG_NONE : (int32_t)(around[i] + space->base);
    for (int64_t place = 0; place < space->n; place++) {
        int64_t from = space->sides ? space->sides * place : space->start[place];
        int64_t to = space->sides ? from + space->sides : space->start[place + 1];
        space->ring_start[place] = at;
        for (int64_t i = from; i < to; i++) {
            if (around[i] == GROG_NONE) continue;
            space->ring[at] = around[i];
            space->ring_side[at++] = space->sides ? (int32_t)(i - from) : GROG_NONE;
        }
    }
    space->ring_start[space->n] = at;
    grog_space_directions(space);
    grog_space_near(space);
    return grog_space_turns(space) && grog_space_stars(space);
}

static inline void grog_space_release(grog_space *space) {
    free(space->ring_start);
    free(space->ring);
    free(space->ring_side);
    free(space->beside);
    free(space->turn);
    free(space->star);
    free(space->edge_toward);
    free(space->near_bits);
}

/* A loop over the neighbours of a place. */
typedef struct grog_around {
    int64_t count;
    int32_t base;
    const int32_t *place, *side;
} grog_around;

static inline grog_around grog_around_of(const grog_ctx *ctx, int32_t place) {
    grog_around all = {0, 0, NULL, NULL};
    const grog_space *space = grog_space_of(ctx, place);
    if (GROG_LIKELY(space != NULL)) {
        int64_t from = space->ring_start[place - space->base];
        all.count = space->ring_start[place - space->base + 1] - from;
        all.base = (int32_t)space->base;
        all.place = space->ring + from;
        all.side = space->ring_side + from;
    }
    return all;
}

static inline const grog_space *grog_hexes_of(const grog_ctx *ctx, int32_t place) {
    const grog_space *space = grog_space_of(ctx, place);
    return space && space->hexes ? space : NULL;
}

/* The hex map that both places belong to. */
static inline const grog_space *grog_hexes_of_both(const grog_ctx *ctx, int32_t a, int32_t b) {
    const grog_space *space = grog_hexes_of(ctx, a);
    return space && (uint64_t)((int64_t)b - space->base) < (uint64_t)space->n ? space : NULL;
}

/* The grid, of hexes or squares, that the place belongs to. */
static inline const grog_space *grog_grid_of(const grog_ctx *ctx, int32_t place) {
    const grog_space *space = grog_space_of(ctx, place);
    return space && space->sides ? space : NULL;
}

static inline int32_t grog_shift(int32_t local, int64_t base) {
    return local == GROG_NONE ? GROG_NONE : (int32_t)(local + base);
}

/* Steps from an area to all others into out, which has room for 2 n cells (the second half is the queue). */
static inline void grog_area_steps(const grog_space *space, int32_t start, int32_t *out) {
    int32_t *queue = out + space->n, head = 0, tail = 0;
    for (int32_t i = 0; i < space->n; i++) out[i] = GROG_NONE;
    out[start] = 0;
    queue[tail++] = start;
    while (head < tail) {
        int32_t area = queue[head++];
        for (int32_t i = space->start[area]; i < space->start[area + 1]; i++) {
            int32_t z = space->adjacent[i];
            if (out[z] == GROG_NONE) {
                out[z] = out[area] + 1;
                queue[tail++] = z;
            }
        }
    }
}

/* King's moves between two squares, in local numbers. */
static inline int32_t grog_square_distance(const grog_space *space, int32_t a, int32_t b) {
    int32_t across = abs(space->map.q[a] - space->map.q[b]), down = abs(space->map.r[a] - space->map.r[b]);
    return across > down ? across : down;
}

/* The neighbour of a place of a grid, in local numbers. */
static inline int32_t grog_beside(const grog_space *space, int32_t a, int32_t d) {
    return (uint32_t)d < (uint32_t)space->sides ? space->map.neighbours[space->sides * a + d] : GROG_NONE;
}

/* Steps between squares or areas. */
static __attribute__((noinline, unused)) int32_t grog_steps_apart(grog_ctx *ctx, int32_t a, int32_t b) {
    const grog_space *space = grog_space_of(ctx, a);
    if (!space || grog_space_of(ctx, b) != space) return GROG_NONE;
    if (space->sides) return grog_square_distance(space, a - space->base, b - space->base);
    int32_t *mark = grog_mark(ctx), *steps = grog_alloc(ctx, 2 * (int64_t)space->n);
    if (!steps) {
        grog_fail(ctx, GROG_FAIL_BUDGET, -1);
        return GROG_NONE;
    }
    grog_area_steps(space, a - space->base, steps);
    int32_t found = steps[b - space->base];
    grog_release(ctx, mark);
    return found;
}

static inline int32_t grog_v_distance(grog_ctx *ctx, int32_t a, int32_t b) {
    const grog_space *space = grog_hexes_of_both(ctx, a, b);
    if (GROG_UNLIKELY(!space)) return grog_steps_apart(ctx, a, b);
    const int32_t *q = space->map.q, *r = space->map.r;
    int64_t from = a - space->base, to = b - space->base;
    return grog_axial_distance(q[to] - q[from], r[to] - r[from]);
}

static inline int32_t grog_v_adjacent(grog_ctx *ctx, int32_t a, int32_t b) {
    const grog_space *space = grog_space_of(ctx, a);
    if (!space || b == GROG_NONE) return 0;
    if (GROG_UNLIKELY(!space->near_bits)) return grog_is_beside(space, a, b);
    int64_t local = (int64_t)b - space->base, at = (a - space->base) * space->n + local;
    return (uint64_t)local < (uint64_t)space->n && space->near_bits[at >> 6] >> (at & 63) & 1;
}

static inline int32_t grog_v_neighbour(grog_ctx *ctx, int32_t a, int32_t d) {
    const grog_space *space = grog_grid_of(ctx, a);
    if (!space || (uint64_t)(int64_t)d >= (uint64_t)space->sides) return GROG_NONE;
    return space->beside[space->sides * (a - space->base) + d];
}

static inline int32_t grog_v_direction(grog_ctx *ctx, int32_t a, int32_t b) {
    const grog_space *space = grog_grid_of(ctx, a);
    return space ? grog_hex_towards(space, a, b) : GROG_NONE;
}

/* Direction of the row, column or diagonal between two squares; rows count downwards. */
static inline int32_t grog_square_straight(const grog_space *space, int32_t a, int32_t b) {
    static const int32_t OF_STEP[9] = {7, 0, 1, 6, GROG_NONE, 2, 5, 4, 3};
    int32_t dq = space->map.q[b] - space->map.q[a], dr = space->map.r[b] - space->map.r[a];
    if (dq && dr && abs(dq) != abs(dr)) return GROG_NONE;
    return OF_STEP[3 * ((dr > 0) - (dr < 0) + 1) + (dq > 0) - (dq < 0) + 1];
}

static inline int32_t grog_v_straight(grog_ctx *ctx, int32_t a, int32_t b) {
    const grog_space *space = grog_grid_of(ctx, a);
    if (!space || grog_space_of(ctx, b) != space) return GROG_NONE;
    if (space->hexes) return grog_straight(&space->map, a - space->base, b - space->base);
    return grog_square_straight(space, a - space->base, b - space->base);
}

static inline int32_t grog_v_toward(grog_ctx *ctx, int32_t a, int32_t d, int32_t n) {
    const grog_space *space = grog_grid_of(ctx, a);
    if (!space || (uint64_t)(int64_t)d >= (uint64_t)space->sides || n < 0) return GROG_NONE;
    const int32_t *beside = space->beside + d;
    while (n-- > 0 && a != GROG_NONE) a = beside[space->sides * (a - space->base)];
    return a;
}

static inline int32_t grog_v_turned(grog_ctx *ctx, int32_t d, int32_t steps) {
    int64_t turns = ctx->data->turns;
    if (steps == GROG_NONE || (uint64_t)(int64_t)d >= (uint64_t)turns) return GROG_NONE;
    int64_t turned = (int64_t)d + steps;
    /* Mostly it is less than one turn, for which a division is dear. */
    if (GROG_UNLIKELY((uint64_t)(turned + turns) >= (uint64_t)(3 * turns))) turned %= turns;
    return (int32_t)(turned < 0 ? turned + turns : turned >= turns ? turned - turns : turned);
}

static inline int32_t grog_v_opposite(grog_ctx *ctx, int32_t d) {
    return grog_v_turned(ctx, d, (int32_t)(ctx->data->turns / 2));
}

static inline int32_t grog_v_turns_between(grog_ctx *ctx, int32_t d, int32_t e) {
    int64_t turns = ctx->data->turns;
    if ((uint64_t)(int64_t)d >= (uint64_t)turns || (uint64_t)(int64_t)e >= (uint64_t)turns) return GROG_NONE;
    int32_t apart = abs(d - e);
    return apart <= turns / 2 ? apart : (int32_t)turns - apart;
}

static inline int32_t grog_v_arc_place(grog_ctx *ctx, int32_t a, int32_t facing, int32_t degrees, int32_t b) {
    const grog_space *space = grog_hexes_of_both(ctx, a, b);
    if (!space || facing == GROG_NONE || degrees == GROG_NONE) return GROG_NONE;
    if (!grog_is_direction(facing)) return 0;
    const int32_t *q = space->map.q, *r = space->map.r;
    int64_t from = a - space->base, to = b - space->base;
    return grog_arc_towards(&space->map, q[to] - q[from], r[to] - r[from], 4 * facing, degrees);
}

static inline int32_t grog_edge_at(const grog_space *space, int64_t entry) {
    int32_t local = space->side_edge[entry];
    return local < 0 ? GROG_NONE : space->edge_base + local;
}

static inline int32_t grog_v_hexside(grog_ctx *ctx, int32_t a, int32_t b) {
    const grog_space *space = grog_space_of(ctx, a);
    if (!space || !space->side_edge || b == GROG_NONE) return GROG_NONE;
    int64_t from = a - space->base, local = (int64_t)b - space->base;
    if (GROG_LIKELY(space->edge_toward != NULL && (uint64_t)local < (uint64_t)space->n)) {
        const int32_t *q = space->map.q, *r = space->map.r;
        uint32_t along = (uint32_t)(q[local] - q[from] + 1), across = (uint32_t)(r[local] - r[from] + 1);
        if (along > 2 || across > 2) return GROG_NONE;
        int32_t edge = space->edge_toward[9 * from + 3 * along + across];
        if (GROG_LIKELY(edge != GROG_NONE)) return edge;
    }
    if (space->sides) {
        int32_t d = grog_hex_towards(space, a, b);
        return d == GROG_NONE ? GROG_NONE : grog_edge_at(space, space->sides * (int64_t)(a - space->base) + d);
    }
    int32_t entry = grog_area_entry(space, a, b);
    return entry < 0 ? GROG_NONE : grog_edge_at(space, entry);
}

static inline int32_t grog_v_side_of(grog_ctx *ctx, int32_t a, int32_t d) {
    const grog_space *space = grog_grid_of(ctx, a);
    if (!space || (uint32_t)d >= (uint32_t)space->sides || !space->side_edge) return GROG_NONE;
    return grog_edge_at(space, space->sides * (int64_t)(a - space->base) + d);
}

static inline const grog_space *grog_space_of_edge(const grog_ctx *ctx, int32_t edge) {
    const grog_space *space = ctx->data->spaces, *end = space + ctx->data->space_count;
    for (; space < end; space++)
        if ((uint64_t)((int64_t)edge - space->edge_base) < (uint64_t)space->edges) return space;
    return NULL;
}

static inline int32_t grog_v_edge_end(grog_ctx *ctx, int32_t edge, int32_t which) {
    const grog_space *space = grog_space_of_edge(ctx, edge);
    if (!space || (which != 0 && which != 1)) return GROG_NONE;
    return space->base + (which ? space->edge_b : space->edge_a)[edge - space->edge_base];
}

static inline int32_t grog_v_last_side(grog_ctx *ctx, int32_t a, int32_t b) {
    const grog_space *space = grog_hexes_of_both(ctx, a, b);
    if (!space) return GROG_NONE;
    const grog_map *map = &space->map;
    int32_t from = a - space->base, to = b - space->base, count = 0, kind, first, second;
    const grog_item *list = grog_line_table(map, from, to, 0, &count);
    if (GROG_LIKELY(list != NULL)) {
        if (count < 2) return GROG_NONE;
        kind = list[count - 2].kind;
        first = map->grid[grog_grid_place(map, from) + list[count - 2].first];
    } else if (!grog_line_item(map, from, to, grog_line_len(map, from, to) - 2, &kind, &first, &second)) {
        return GROG_NONE;
    }
    if (kind != GROG_CELL || first == GROG_NONE) return GROG_NONE;
    return grog_v_hexside(ctx, first + space->base, b);
}

static inline int32_t grog_v_domain_of(grog_ctx *ctx, int32_t place) {
    return (uint64_t)(int64_t)place < (uint64_t)ctx->data->place_count ? ctx->data->place_domain[place] : GROG_NONE;
}

static inline int32_t grog_v_popcount(grog_ctx *ctx, int32_t word) {
    return (void)ctx, word == GROG_NONE ? GROG_NONE : __builtin_popcount((uint32_t)word);
}

/* ---- places that loops run over: a buffer in the arena, its first cell their number ---- */

static inline int32_t *grog_places(grog_ctx *ctx, int64_t room) {
    int32_t *out = grog_alloc(ctx, room + 1);
    if (GROG_UNLIKELY(!out)) {
        grog_fail(ctx, GROG_FAIL_BUDGET, -1);
        out = ctx->spare;
    }
    out[0] = 0;
    return out;
}

static inline const int32_t *grog_o_neighbours(grog_ctx *ctx, int32_t a) {
    const grog_space *space = grog_space_of(ctx, a);
    if (!space) return grog_places(ctx, 0);
    int32_t at = a - space->base, n = 0;
    int32_t from = space->sides ? space->sides * at : space->start[at];
    int32_t to = space->sides ? from + space->sides : space->start[at + 1];
    const int32_t *around = space->sides ? space->map.neighbours : space->adjacent;
    int32_t *out = grog_places(ctx, to - from);
    if (ctx->fail) return out;
    for (int32_t i = from; i < to; i++)
        if (around[i] != GROG_NONE) out[++n] = around[i] + space->base;
    out[0] = n;
    return out;
}

static inline const int32_t *grog_o_within(grog_ctx *ctx, int32_t a, int32_t n) {
    const grog_space *space = n == GROG_NONE ? NULL : grog_space_of(ctx, a);
    if (!space) return grog_places(ctx, 0);
    if (space->hexes) {
        int32_t *out = grog_places(ctx, space->n);
        if (ctx->fail) return out;
        out[0] = grog_within(&space->map, a - space->base, n, out + 1);
        for (int32_t i = 1; i <= out[0]; i++) out[i] += space->base;
        return out;
    }
    int32_t *out = grog_places(ctx, 3 * (int64_t)space->n), *steps = out + 1 + space->n;
    if (ctx->fail) return out;
    if (space->sides) {
        for (int32_t i = 0; i < space->n; i++)
            if (grog_square_distance(space, a - space->base, i) <= n) out[++out[0]] = i + space->base;
        return out;
    }
    grog_area_steps(space, a - space->base, steps);
    for (int32_t i = 0; i < space->n; i++)
        if (steps[i] != GROG_NONE && steps[i] <= n) out[++out[0]] = i + space->base;
    return out;
}

/* The exact line, item by item (or the hexsides that it meets).  The hexes are offsets from the line's first hex in
 * the map's grid. */
typedef struct grog_line {
    int64_t count, base;
    const grog_item *item;
    const int32_t *at; /* the grid, from the line's first hex on */
} grog_line;

/* A line that is not in the table of lines: its items are laid out in the arena. */
GROG_COLD static void grog_line_walked(grog_ctx *ctx, const grog_map *map, int32_t from, int32_t to,
                                       int32_t crossings, grog_line *line) {
    int64_t items = grog_told_len(map, from, to, crossings), n = 0;
    grog_item *out = (grog_item *)grog_alloc(ctx, items * (int64_t)(sizeof(grog_item) / 4));
    grog_walk w;
    if (!out) {
        grog_fail(ctx, GROG_FAIL_BUDGET, -1);
        return;
    }
    grog_walk_start(&w, map->q[to] - map->q[from], map->r[to] - map->r[from]);
    do {
        const grog_displaced *item = crossings ? w.crossings : w.items;
        const grog_displaced *end = item + (crossings ? w.crossing_count : w.item_count);
        for (; item < end && n < items; item++, n++) {
            out[n].kind = item->kind;
            out[n].first = item->dr1 * map->width + item->dq1;
            out[n].second = item->dq2 == GROG_NONE ? GROG_NONE : item->dr2 * map->width + item->dq2;
        }
    } while (grog_walk_step(&w));
    line->item = out;
    line->count = n;
}

static inline grog_line grog_line_of(grog_ctx *ctx, int32_t a, int32_t b, int32_t crossings) {
    grog_line line = {0, 0, NULL, NULL};
    const grog_space *space = grog_hexes_of_both(ctx, a, b);
    if (!space || GROG_UNLIKELY(ctx->fail)) return line;
    const grog_map *map = &space->map;
    int32_t from = (int32_t)(a - space->base), to = (int32_t)(b - space->base), count = 0;
    line.base = space->base;
    line.at = map->grid + grog_grid_place(map, from);
    line.item = grog_line_table(map, from, to, crossings, &count);
    line.count = count;
    if (GROG_UNLIKELY(!line.item)) grog_line_walked(ctx, map, from, to, crossings, &line);
    return line;
}

static inline int32_t grog_line_first(const grog_line *line, int64_t i) {
    return grog_shift(line->at[line->item[i].first], line->base);
}

static inline int32_t grog_line_second(const grog_line *line, int64_t i) {
    int32_t second = line->item[i].second;
    return second == GROG_NONE ? GROG_NONE : grog_shift(line->at[second], line->base);
}

/* A line that is not in the table of lines: how many hexes it meets, and where they lie from its first hex on. */
GROG_COLD static int64_t grog_hexes_walked(grog_ctx *ctx, int32_t a, int32_t b, const int32_t **hexes) {
    grog_line line = grog_line_of(ctx, a, b, 0);
    int32_t *out = grog_need(ctx, ctx->fail ? 0 : 2 * line.count), n = 0;
    for (int64_t i = 0; i < line.count && !ctx->fail; i++) n += grog_item_hexes(&line.item[i], out + n);
    *hexes = out;
    return n;
}

static inline const int32_t *grog_places_of_line(grog_ctx *ctx, int32_t a, int32_t b, int32_t ends) {
    const grog_space *space = grog_hexes_of_both(ctx, a, b);
    if (!space || GROG_UNLIKELY(ctx->fail)) return grog_places(ctx, 0);
    const grog_map *map = &space->map;
    int32_t from = (int32_t)(a - space->base), to = (int32_t)(b - space->base), base = (int32_t)space->base;
    const int32_t *at = map->grid + grog_grid_place(map, from), *hexes;
    const grog_line_start *start = grog_line_entry(map, from, to);
    int64_t count;
    if (GROG_LIKELY(start != NULL)) {
        hexes = map->lines->hexes + start[0].hex;
        count = start[1].hex - start[0].hex;
    } else {
        count = grog_hexes_walked(ctx, a, b, &hexes);
    }
    int32_t *out = grog_places(ctx, count + 1), *put = out + 1;
    if (ctx->fail) return out;
    /* Each hex is put down, and kept if there is one, without a jump. */
    for (const int32_t *end = hexes + count; hexes < end; hexes++) {
        int32_t place = at[*hexes];
        *put = (int32_t)((uint32_t)place + (uint32_t)base);
        put += place != GROG_NONE;
    }
    int32_t n = (int32_t)(put - out) - 1;
    /* The ends of a line are its first and its last hex. */
    if (!ends && n && out[n] == b) n--;
    if (!ends && n && out[1] == a) out++, n--;
    out[0] = n;
    return out;
}

static inline const int32_t *grog_o_line(grog_ctx *ctx, int32_t a, int32_t b) {
    return grog_places_of_line(ctx, a, b, 1);
}

static inline const int32_t *grog_o_between(grog_ctx *ctx, int32_t a, int32_t b) {
    return grog_places_of_line(ctx, a, b, 0);
}

static inline const int32_t *grog_o_ray(grog_ctx *ctx, int32_t a, int32_t d, int32_t n) {
    const grog_space *space = grog_grid_of(ctx, a);
    if (!space || (uint32_t)d >= (uint32_t)space->sides) return grog_places(ctx, 0);
    /* The data block's neighbours follow the coordinates, so that a ray cannot meet a place twice. */
    int32_t *out = grog_places(ctx, space->n), at = a - space->base;
    if (ctx->fail) return out;
    for (; at != GROG_NONE && out[0] < n && out[0] < space->n; at = grog_beside(space, at, d))
        out[++out[0]] = at + space->base;
    return out;
}

static inline const int32_t *grog_o_edge_ends(grog_ctx *ctx, int32_t edge) {
    const grog_space *space = grog_space_of_edge(ctx, edge);
    int32_t *out = grog_places(ctx, 2);
    if (!space || ctx->fail) return out;
    out[0] = 2;
    out[1] = grog_v_edge_end(ctx, edge, 0);
    out[2] = grog_v_edge_end(ctx, edge, 1);
    return out;
}

/* Whether the cell of any member of a set holds a value (other: anything else); a loop over so many members. */
static inline int32_t grog_any_member(const int32_t *set, int64_t words, int64_t count, const int32_t *cell, int32_t value,
                                      int32_t other) {
    if (GROG_LIKELY(words == 2)) {
        for (uint64_t bits = count ? grog_set_pair(set, 2, 0) : 0; bits; bits &= bits - 1)
            if ((cell[__builtin_ctzll(bits)] == value) != other) return 1;
        return 0;
    }
    for (int64_t at = 0; count && at < words; at += 2)
        for (uint64_t bits = grog_set_pair(set, words, at); bits; bits &= bits - 1)
            if ((cell[32 * at + __builtin_ctzll(bits)] == value) != other) return 1;
    return 0;
}

/* ---- elements of arrays, step by step ---- */

GROG_COLD static void grog_fail_list(grog_ctx *ctx, int32_t kind, int32_t site, int32_t count, const int32_t *detail) {
    if (ctx->fail) return;
    grog_fail_many(ctx, kind, site, count < GROG_DETAIL ? count : GROG_DETAIL, 0, 0, 0);
    for (int32_t i = 0; i < ctx->fail_count; i++) ctx->fail_detail[i] = detail[i];
}

/* An index among the elements of an array, step by step: -1 outside. */
static inline int64_t grog_kx(grog_ctx *ctx, int32_t v, int64_t base, int64_t count, int32_t site) {
    int64_t i = (int64_t)v - base;
    if (GROG_LIKELY((uint64_t)i < (uint64_t)count)) return i;
    grog_bad_index(ctx, v, site);
    return -1;
}

static inline int64_t grog_jx(grog_ctx *ctx, int64_t place, int32_t v, int64_t base, int64_t count, int32_t site) {
    int64_t i = grog_kx(ctx, v, base, count, site);
    return place < 0 || i < 0 ? -1 : place * count + i;
}

/* An element of an array with two axes: 0 outside, which can always be read. */
static inline int64_t grog_ix_two(grog_ctx *ctx, int32_t v, int64_t base, int64_t count, int32_t w, int64_t base_two,
                                  int64_t count_two, int32_t site) {
    int64_t i = (int64_t)v - base, j = (int64_t)w - base_two;
    if (GROG_LIKELY((uint64_t)i < (uint64_t)count) && GROG_LIKELY((uint64_t)j < (uint64_t)count_two))
        return i * count_two + j;
    return grog_bad_index(ctx, (uint64_t)i < (uint64_t)count ? w : v, site);
}

static inline int64_t grog_ok(int64_t place) { return place < 0 ? 0 : place; }

static inline int64_t grog_where(int64_t offset, int64_t place, int64_t words) {
    return place < 0 ? -1 : offset + place * words;
}

static inline const int32_t *grog_elem(grog_ctx *ctx, int64_t offset, int64_t place, int64_t words) {
    return place < 0 ? ctx->spare : ctx->s + offset + place * words;
}

static inline int32_t grog_neg(grog_ctx *ctx, int32_t a, int32_t site) {
    if (GROG_LIKELY(a != GROG_NONE)) return -a;
    grog_fail1(ctx, GROG_FAIL_OVERFLOW, site, a);
    return 0;
}

static inline int32_t grog_magnitude(grog_ctx *ctx, int32_t a, int32_t site) {
    return a < 0 ? grog_neg(ctx, a, site) : a;
}

static inline int32_t grog_total(grog_ctx *ctx, int64_t x, int32_t site) {
    if (GROG_LIKELY(x <= INT32_MAX && x > INT32_MIN)) return (int32_t)x;
    grog_fail(ctx, GROG_FAIL_OVERFLOW, site);
    return 0;
}

/* ---- loops ---- */

/* The number of passes if they can be paid for, else 0. */
static inline int64_t grog_spend(grog_ctx *ctx, int64_t count, int32_t site) {
    ctx->steps -= count;
    if (GROG_LIKELY(ctx->steps >= 0)) return count;
    grog_fail(ctx, GROG_FAIL_BUDGET, site);
    return 0;
}

static inline int64_t grog_span(int32_t lo, int32_t hi) {
    return lo == GROG_NONE || lo > hi ? 0 : (int64_t)hi - lo + 1;
}

/* Room for the elements of a loop; no passes if there is none. */
static inline int32_t *grog_fixed(grog_ctx *ctx, int64_t *count) {
    int32_t *got = grog_alloc(ctx, *count);
    if (GROG_LIKELY(got != NULL)) return got;
    grog_fail(ctx, GROG_FAIL_BUDGET, -1);
    *count = 0;
    return ctx->spare;
}

/* Takes an element out; the others keep their order. */
static inline int32_t grog_take(int32_t *list, int64_t count, int64_t place) {
    int32_t item = list[place];
    memmove(list + place, list + place + 1, (size_t)(count - place - 1) * 4);
    return item;
}

/* ---- a loop over the elements of a domain of which some cells hold, or do not hold, given values ---- */

enum { GROG_HUNT_TESTS = 6, GROG_HUNT_BLOCK = 64 };

typedef struct grog_hunt {
    uint64_t found; /* elements of the block that pass and have not been visited */
    const uint64_t *mask; /* of those that can pass at all, NULL: all of them */
    int64_t from, n;
    int64_t tests;
    struct {
        const int32_t *cell;
        int32_t value, other; /* other: the cell must hold anything else */
    } test[GROG_HUNT_TESTS];
} grog_hunt;

/* One bit for each of up to 64 cells: whether it holds the value. */
static inline uint64_t grog_holds(const int32_t *cell, int64_t n, int32_t value) {
    uint64_t found = 0;
    int64_t i = 0;
#ifdef __SSE2__
    __m128i wanted = _mm_set1_epi32(value);
    if (n >= 16) {
        /* The last sixteen overlap those before, so that none remain. */
        for (;;) {
            const __m128i *at = (const __m128i *)(cell + i);
            __m128i a = _mm_cmpeq_epi32(_mm_loadu_si128(at), wanted);
            __m128i b = _mm_cmpeq_epi32(_mm_loadu_si128(at + 1), wanted);
            __m128i c = _mm_cmpeq_epi32(_mm_loadu_si128(at + 2), wanted);
            __m128i d = _mm_cmpeq_epi32(_mm_loadu_si128(at + 3), wanted);
            uint64_t bits = (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d)));
            found |= bits << i;
            if (i == n - 16) return found;
            i = i + 32 > n ? n - 16 : i + 16;
        }
    }
    for (; i + 4 <= n; i += 4) {
        __m128i a = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)(cell + i)), wanted);
        found |= (uint64_t)(uint32_t)_mm_movemask_ps(_mm_castsi128_ps(a)) << i;
    }
#endif
    for (; i < n; i++) found |= (uint64_t)(cell[i] == value) << i;
    return found;
}

/* Whether any of the cells holds the value (other: anything else). */
static inline int32_t grog_any_holds(const int32_t *cell, int64_t n, int32_t value, int32_t other) {
    for (int64_t i = 0; i < n; i += 16) {
        int64_t some = n - i < 16 ? n - i : 16;
        uint64_t holds = grog_holds(cell + i, some, value);
        if (other ? holds != UINT64_MAX >> (64 - some) : holds != 0) return 1;
    }
    return 0;
}

/* The sum of cells that hold something. */
static __attribute__((noinline, unused)) int64_t grog_sum(const int32_t *cell, int64_t n) {
    int64_t total = 0, i = 0;
#ifdef __SSE2__
    const __m128i none = _mm_set1_epi32(GROG_NONE);
    __m128i sums = _mm_setzero_si128();
    for (; i + 4 <= n; i += 4) {
        __m128i a = _mm_loadu_si128((const __m128i *)(cell + i));
        a = _mm_andnot_si128(_mm_cmpeq_epi32(a, none), a);
        __m128i sign = _mm_srai_epi32(a, 31);
        sums = _mm_add_epi64(sums, _mm_add_epi64(_mm_unpacklo_epi32(a, sign), _mm_unpackhi_epi32(a, sign)));
    }
    int64_t half[2];
    _mm_storeu_si128((__m128i *)half, sums);
    total = half[0] + half[1];
#endif
    for (; i < n; i++)
        if (cell[i] != GROG_NONE) total += cell[i];
    return total;
}

static inline void grog_hunt_test(grog_hunt *hunt, const int32_t *cell, int32_t value, int32_t other) {
    hunt->test[hunt->tests].cell = cell;
    hunt->test[hunt->tests].value = value;
    hunt->test[hunt->tests++].other = other;
}

static inline void grog_hunt_open(grog_hunt *hunt, int64_t n) {
    hunt->found = 0;
    hunt->mask = NULL;
    hunt->from = -GROG_HUNT_BLOCK;
    hunt->n = n;
    hunt->tests = 0;
}

/* ---- which elements of a domain hold each value of a field: kept under a mark, for searches that ask for one value ---- */

/* Finds all holders anew; 0 if there is no room. */
static __attribute__((noinline, unused)) int32_t grog_find_holders(grog_ctx *ctx, grog_holders *known, uint64_t tag,
                                                                   const int32_t *cell, int64_t n, int64_t base, int64_t count) {
    int64_t words = (n + 63) >> 6, room = words * count + ((count + 63) >> 6);
    /* How many elements and values there are is settled by the data, and so is the room. */
    if (!known->held) known->held = (uint64_t *)malloc((size_t)(room + 1) * 8);
    if (!known->held) return 0;
    known->some = known->held + words * count;
    memset(known->held, 0, (size_t)room * 8);
    known->whole = 1;
    for (int64_t i = 0; i < n; i++) {
        int64_t value = (int64_t)cell[i] - base;
        if ((uint64_t)value >= (uint64_t)count) {
            if (cell[i] != GROG_NONE) known->whole = 0;
            continue;
        }
        known->held[words * value + (i >> 6)] |= UINT64_C(1) << (i & 63);
        known->some[value >> 6] |= UINT64_C(1) << (value & 63);
    }
    known->tag = tag;
    return 1;
}

/* Whether it is certain that nobody holds a value, so that a function that does nothing but look for those has nothing to find.
 * The steps of it are taken: its own, and one for each element. */
static inline int32_t grog_nobody(grog_ctx *ctx, int32_t number, int32_t mark, int64_t n, int32_t value, int64_t base,
                                  int64_t count) {
    int64_t at = (int64_t)value - base;
    if (ctx->remembers != GROG_REMEMBERS || (uint64_t)at >= (uint64_t)count || n > GROG_HUNT_BLOCK || ctx->fail ||
        ctx->steps <= n || ctx->depth >= GROG_CALL_DEPTH || !ctx->holders)
        return 0;
    /* Nothing is called here.  What is not known is found by whoever asks next. */
    const grog_holders *known = ctx->holders + number;
    if (!(ctx->marks[mark >> 6] >> (mark & 63) & 1) || known->tag != ctx->tag[mark] || known->held[at]) return 0;
    ctx->steps -= n + 1;
    return 1;
}

/* As grog_hunt_test for a value out of so many: where writes are seen, the elements are looked up.  0: nobody passes. */
static inline int32_t grog_hunt_holders(grog_ctx *ctx, grog_hunt *hunt, int32_t number, int32_t mark, const int32_t *cell, int64_t n,
                                     int32_t value, int64_t base, int64_t count) {
    int64_t at = (int64_t)value - base;
    if (ctx->remembers == GROG_REMEMBERS && ctx->holders && (uint64_t)at < (uint64_t)count && !hunt->mask) {
        grog_holders *known = ctx->holders + number;
        uint64_t tag = grog_tag_of(ctx, mark);
        if (GROG_LIKELY(known->tag == tag) || grog_find_holders(ctx, known, tag, cell, n, base, count)) {
            hunt->mask = known->held + ((n + 63) >> 6) * at;
            /* Mostly there are none. */
            if (n <= GROG_HUNT_BLOCK && !*hunt->mask) {
                hunt->n = 0;
                return 0;
            }
            return 1;
        }
    }
    grog_hunt_test(hunt, cell, value, 0);
    return 1;
}

/* Looks for the next block in which an element passes; 0 when there is none left.  `holds` is what asks a block. */
#define GROG_HUNT_BLOCKS(holds)                                                                              \
    do {                                                                                                     \
        int64_t left = hunt->n - (hunt->from += GROG_HUNT_BLOCK);                                            \
        if (left <= 0) return 0;                                                                             \
        if (left > GROG_HUNT_BLOCK) left = GROG_HUNT_BLOCK;                                                  \
        uint64_t found = UINT64_MAX >> (GROG_HUNT_BLOCK - left);                                             \
        if (hunt->mask) found &= hunt->mask[hunt->from >> 6];                                                \
        for (int64_t i = 0; i < hunt->tests && found; i++) {                                                 \
            const int32_t *cell = hunt->test[i].cell + hunt->from;                                           \
            int32_t value = hunt->test[i].value, other = hunt->test[i].other;                                \
            uint64_t more = found & (found - 1);                                                             \
            if (!(more & (more - 1))) {                                                                      \
                /* One or two are left, and asked by themselves. */                                          \
                uint64_t one = found ^ more;                                                                 \
                if ((cell[__builtin_ctzll(one)] == value) == other) found = more;                            \
                if (more && (cell[__builtin_ctzll(more)] == value) == other) found ^= more;                  \
                continue;                                                                                    \
            }                                                                                                \
            uint64_t held = holds(cell, left, value);                                                        \
            found &= other ? ~held : held;                                                                   \
        }                                                                                                    \
        hunt->found = found;                                                                                 \
    } while (!hunt->found);                                                                                  \
    return 1;

static __attribute__((noinline, unused)) int32_t grog_hunt_plain(grog_hunt *hunt) {
    GROG_HUNT_BLOCKS(grog_holds)
}

#if defined(__x86_64__) && defined(__GNUC__)
/* The same for machines with wider registers, which is seen when the engine runs. */
#define GROG_WIDER __attribute__((target("avx2")))

GROG_WIDER static inline uint64_t grog_wider_eight(const int32_t *cell, __m256i wanted) {
    __m256i held = _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)cell), wanted);
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(held));
}

GROG_WIDER static inline __m256i grog_wider_is(const int32_t *cell, int64_t n, __m256i wanted) {
    return _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)cell + n), wanted);
}

/* One bit for each of 32 answers. */
GROG_WIDER static inline uint64_t grog_wider_bits(__m256i a, __m256i b, __m256i c, __m256i d) {
    __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    return (uint32_t)_mm256_movemask_epi8(_mm256_permutevar8x32_epi32(bytes, order));
}

GROG_WIDER static inline uint64_t grog_wider_half(const int32_t *cell, __m256i wanted) {
    return grog_wider_bits(grog_wider_is(cell, 0, wanted), grog_wider_is(cell, 1, wanted), grog_wider_is(cell, 2, wanted),
                           grog_wider_is(cell, 3, wanted));
}

/* All tests of a hunt among 32 to 64 elements, without a look at what is left between them. */
GROG_WIDER static inline uint64_t grog_wider_tests(const grog_hunt *hunt) {
    const int64_t last = hunt->n - 32;
    const int32_t *low = hunt->test[0].cell, *high = low + last;
    __m256i wanted = _mm256_set1_epi32(hunt->test[0].value);
    __m256i a = grog_wider_is(low, 0, wanted), b = grog_wider_is(low, 1, wanted), c = grog_wider_is(low, 2, wanted);
    __m256i d = grog_wider_is(low, 3, wanted), e = grog_wider_is(high, 0, wanted), f = grog_wider_is(high, 1, wanted);
    __m256i g = grog_wider_is(high, 2, wanted), h = grog_wider_is(high, 3, wanted);
    if (hunt->test[0].other) {
        const __m256i all = _mm256_set1_epi32(-1);
        a = _mm256_xor_si256(a, all), b = _mm256_xor_si256(b, all), c = _mm256_xor_si256(c, all);
        d = _mm256_xor_si256(d, all), e = _mm256_xor_si256(e, all), f = _mm256_xor_si256(f, all);
        g = _mm256_xor_si256(g, all), h = _mm256_xor_si256(h, all);
    }
    for (int64_t i = 1; i < hunt->tests; i++) {
        low = hunt->test[i].cell, high = low + last;
        wanted = _mm256_set1_epi32(hunt->test[i].value);
        if (hunt->test[i].other) {
            a = _mm256_andnot_si256(grog_wider_is(low, 0, wanted), a);
            b = _mm256_andnot_si256(grog_wider_is(low, 1, wanted), b);
            c = _mm256_andnot_si256(grog_wider_is(low, 2, wanted), c);
            d = _mm256_andnot_si256(grog_wider_is(low, 3, wanted), d);
            e = _mm256_andnot_si256(grog_wider_is(high, 0, wanted), e);
            f = _mm256_andnot_si256(grog_wider_is(high, 1, wanted), f);
            g = _mm256_andnot_si256(grog_wider_is(high, 2, wanted), g);
            h = _mm256_andnot_si256(grog_wider_is(high, 3, wanted), h);
        } else {
            a = _mm256_and_si256(grog_wider_is(low, 0, wanted), a);
            b = _mm256_and_si256(grog_wider_is(low, 1, wanted), b);
            c = _mm256_and_si256(grog_wider_is(low, 2, wanted), c);
            d = _mm256_and_si256(grog_wider_is(low, 3, wanted), d);
            e = _mm256_and_si256(grog_wider_is(high, 0, wanted), e);
            f = _mm256_and_si256(grog_wider_is(high, 1, wanted), f);
            g = _mm256_and_si256(grog_wider_is(high, 2, wanted), g);
            h = _mm256_and_si256(grog_wider_is(high, 3, wanted), h);
        }
    }
    return grog_wider_bits(a, b, c, d) | grog_wider_bits(e, f, g, h) << last;
}

/* As grog_holds.  The last of each width overlap those before, so that none remain. */
GROG_WIDER static inline uint64_t grog_wider_holds(const int32_t *cell, int64_t n, int32_t value) {
    const __m256i wanted = _mm256_set1_epi32(value);
    if (n >= 32) return grog_wider_half(cell, wanted) | grog_wider_half(cell + n - 32, wanted) << (n - 32);
    if (n >= 8) {
        uint64_t found = grog_wider_eight(cell + n - 8, wanted) << (n - 8);
        for (int64_t i = 0; i + 8 < n; i += 8) found |= grog_wider_eight(cell + i, wanted) << i;
        return found;
    }
    const __m256i there = _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    __m256i held = _mm256_and_si256(there, _mm256_cmpeq_epi32(_mm256_maskload_epi32(cell, there), wanted));
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(held));
}

/* For masks of up to 64 places. */
GROG_WIDER static __attribute__((noinline, unused)) uint64_t grog_wider_some(const int32_t *cell, int64_t n, int32_t value) {
    return grog_wider_holds(cell, n, value);
}

/* The same among 8 to 32.  The last eight overlap those before. */
GROG_WIDER static inline uint64_t grog_wider_few(const grog_hunt *hunt) {
    const int64_t last = hunt->n - 8, second = last < 8 ? last : 8, third = last < 16 ? last : 16;
    __m256i all = _mm256_set1_epi32(-1), a = all, b = all, c = all, d = all;
    for (int64_t i = 0; i < hunt->tests; i++) {
        const int32_t *cell = hunt->test[i].cell;
        const __m256i wanted = _mm256_set1_epi32(hunt->test[i].value), flip = hunt->test[i].other ? all : _mm256_setzero_si256();
        a = _mm256_and_si256(_mm256_xor_si256(grog_wider_is(cell, 0, wanted), flip), a);
        b = _mm256_and_si256(_mm256_xor_si256(grog_wider_is(cell + second, 0, wanted), flip), b);
        c = _mm256_and_si256(_mm256_xor_si256(grog_wider_is(cell + third, 0, wanted), flip), c);
        d = _mm256_and_si256(_mm256_xor_si256(grog_wider_is(cell + last, 0, wanted), flip), d);
    }
    return (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(a)) |
           (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(b)) << second |
           (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(c)) << third |
           (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(d)) << last;
}

/* The same among less than 8. */
GROG_WIDER static inline uint64_t grog_wider_least(const grog_hunt *hunt) {
    const __m256i there = _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)hunt->n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    __m256i found = there;
    for (int64_t i = 0; i < hunt->tests; i++) {
        const __m256i wanted = _mm256_set1_epi32(hunt->test[i].value);
        const __m256i held = _mm256_cmpeq_epi32(_mm256_maskload_epi32(hunt->test[i].cell, there), wanted);
        found = hunt->test[i].other ? _mm256_andnot_si256(held, found) : _mm256_and_si256(held, found);
    }
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(found));
}

GROG_WIDER static __attribute__((noinline, unused)) int32_t grog_hunt_wider_blocks(grog_hunt *hunt) {
    GROG_HUNT_BLOCKS(grog_wider_holds)
}

GROG_WIDER static __attribute__((noinline, unused)) int32_t grog_hunt_wider(grog_hunt *hunt) {
    if (hunt->n > GROG_HUNT_BLOCK || hunt->mask || hunt->from >= 0 || !hunt->tests) return grog_hunt_wider_blocks(hunt);
    /* There is but one block. */
    hunt->from = 0;
    hunt->found = hunt->n >= 32 ? grog_wider_tests(hunt) : hunt->n >= 8 ? grog_wider_few(hunt) : grog_wider_least(hunt);
    return hunt->found != 0;
}

static inline int32_t grog_hunt_block(grog_hunt *hunt) {
    return __builtin_cpu_supports("avx2") ? grog_hunt_wider(hunt) : grog_hunt_plain(hunt);
}

static inline uint64_t grog_some_hold(const int32_t *cell, int64_t n, int32_t value) {
    return n >= 32 && n <= 64 && __builtin_cpu_supports("avx2") ? grog_wider_some(cell, n, value) : grog_holds(cell, n, value);
}
#else
static inline uint64_t grog_some_hold(const int32_t *cell, int64_t n, int32_t value) { return grog_holds(cell, n, value); }
static inline int32_t grog_hunt_block(grog_hunt *hunt) { return grog_hunt_plain(hunt); }
#endif

/* The same, where there is a block left. */
static inline int32_t grog_hunt_more(grog_hunt *hunt) {
    return hunt->from + GROG_HUNT_BLOCK < hunt->n && grog_hunt_block(hunt);
}

/* The number of the next element that passes all tests, -1 when there is none left. */
static inline int64_t grog_hunt_next(grog_hunt *hunt) {
    if (!hunt->found && !grog_hunt_more(hunt)) return -1;
    int64_t bit = __builtin_ctzll(hunt->found);
    hunt->found &= hunt->found - 1;
    return hunt->from + bit;
}

/* The elements that have passed so far would be compared with a cell that is not there: one is enough to fail.  No more
 * are found. */
GROG_COLD static void grog_hunt_lost(grog_ctx *ctx, grog_hunt *hunt, const int32_t *alive, int32_t v, int32_t site) {
    if (alive) grog_hunt_test(hunt, alive, 0, 1);
    if (grog_hunt_block(hunt)) grog_bad_index(ctx, v, site);
    hunt->n = hunt->tests = 0;
    hunt->found = 0;
}

/* Whether any passes. */
static inline int32_t grog_hunt_any(grog_hunt *hunt) { return grog_hunt_more(hunt); }

static inline int32_t grog_hunt_count(grog_hunt *hunt) {
    int32_t count = 0;
    while (grog_hunt_more(hunt)) count += grog_many_ones(hunt->found);
    return count;
}

/* All that pass, as a set. */
static inline void grog_hunt_set(grog_hunt *hunt, int32_t *set, int64_t words) {
    grog_set_clear(set, words);
    while (grog_hunt_more(hunt)) {
        /* Two words at once where there are two: as they are read. */
        int64_t at = hunt->from >> 5;
        if (GROG_LIKELY(at + 1 < words)) {
            int32_t both[2] = {(int32_t)(uint32_t)hunt->found, (int32_t)(uint32_t)(hunt->found >> 32)};
            memcpy(set + at, both, 8);
        } else {
            set[at] = (int32_t)(uint32_t)hunt->found;
        }
    }
}

/* ---- masks of places: the same operations on one word and on several ---- */

/* Masks skip steps of the budget; near its end every place is asked by itself, as the interpreter does. */
enum { GROG_MASK_STEPS = 1 << 16 };

/* ---- hints: of which elements of a domain a filter can be true at all.  The others are not asked, so that they take no steps
 * either: as with masks, that is for runs with many left ---- */

enum { GROG_HINT_WORDS = 16 };
typedef struct grog_hint {
    uint64_t w[GROG_HINT_WORDS];
} grog_hint;

/* Whether hints are given for so many elements: where writes are seen, and nobody listens. */
static inline int32_t grog_hints(const grog_ctx *ctx, int64_t n) {
    return ctx->remembers == GROG_REMEMBERS && ctx->asked_once && ctx->holders && ctx->steps >= GROG_MASK_STEPS && !ctx->fail &&
           n <= 64 * GROG_HINT_WORDS;
}

/* Numbers with which a sum of few cannot overflow. */
static inline int32_t grog_is_small(int32_t value) { return value > -(1 << 28) && value < 1 << 28; }

static inline void grog_hint_all(grog_hint *hint, int32_t yes, int64_t n) {
    for (int64_t i = 0; 64 * i < n; i++) hint->w[i] = yes ? UINT64_MAX : 0;
}

static inline void grog_hint_and(grog_hint *hint, const grog_hint *other, int64_t n) {
    for (int64_t i = 0; 64 * i < n; i++) hint->w[i] &= other->w[i];
}

static inline void grog_hint_or(grog_hint *hint, const grog_hint *other, int64_t n) {
    for (int64_t i = 0; 64 * i < n; i++) hint->w[i] |= other->w[i];
}

static inline int32_t grog_hint_any(const grog_hint *hint, int64_t n) {
    uint64_t any = 0;
    for (int64_t i = 0; 64 * i < n; i++) any |= hint->w[i];
    return any != 0;
}

/* Those whose own cell holds a value (other: anything else). */
static __attribute__((noinline, unused)) void grog_hint_held(grog_hint *hint, const int32_t *cell, int64_t n, int32_t value,
                                                             int32_t other) {
    for (int64_t from = 0; from < n; from += 64) {
        uint64_t held = grog_some_hold(cell + from, n - from < 64 ? n - from : 64, value);
        hint->w[from >> 6] = other ? ~held : held;
    }
}

/* Those that anybody holds in a field, whose cells these are. */
static inline void grog_hint_holders(grog_ctx *ctx, grog_hint *hint, int32_t number, int32_t mark, const int32_t *cell,
                                     int64_t elements, int64_t base, int64_t n) {
    grog_holders *known = ctx->holders + number;
    uint64_t tag = grog_tag_of(ctx, mark);
    if (known->tag == tag || grog_find_holders(ctx, known, tag, cell, elements, base, n))
        memcpy(hint->w, known->some, (size_t)((n + 63) >> 6) * 8);
    else
        grog_hint_all(hint, 1, n);
}

/* Whether all hold one of the values that there are, or nothing. */
static inline int32_t grog_is_whole(grog_ctx *ctx, int32_t number, int32_t mark, const int32_t *cell, int64_t elements,
                                    int64_t base, int64_t n) {
    grog_holders *known = ctx->holders + number;
    uint64_t tag = grog_tag_of(ctx, mark);
    return (known->tag == tag || grog_find_holders(ctx, known, tag, cell, elements, base, n)) && known->whole;
}

/* Those beside a place. */
static inline void grog_hint_beside(const grog_ctx *ctx, grog_hint *hint, int32_t place, int64_t base, int64_t n) {
    grog_around around = grog_around_of(ctx, place);
    grog_hint_all(hint, 0, n);
    for (int64_t i = 0; i < around.count; i++) {
        int64_t at = (int64_t)around.place[i] + around.base - base;
        if ((uint64_t)at < (uint64_t)n) hint->w[at >> 6] |= UINT64_C(1) << (at & 63);
    }
}

/* What depends on the data alone is asked once, of all elements.  Nobody is to notice. */
typedef struct grog_fixing {
    int64_t steps, depth;
    int32_t *mark;
} grog_fixing;

static inline int32_t grog_fix_begin(grog_ctx *ctx, int32_t number, int64_t n, int32_t values, grog_fixing *fixing) {
    grog_fixed_hint *fixed = ctx->asked_once + number;
    if (GROG_LIKELY(fixed->mask != NULL)) return 0;
    uint64_t *mask = (uint64_t *)calloc((size_t)(n >> 6) + 1, 8);
    int32_t *value = mask && values ? (int32_t *)calloc((size_t)n + 1, 4) : NULL;
    fixed->failed = !mask || (values && !value);
    if (fixed->failed) {
        free(mask);
        return 0;
    }
    fixed->mask = mask;
    fixed->value = value;
    fixing->steps = ctx->steps;
    fixing->depth = ctx->depth;
    fixing->mark = grog_mark(ctx);
    return 1;
}

static inline void grog_fix(grog_ctx *ctx, int32_t number, int64_t i, int32_t value, const grog_fixing *fixing) {
    grog_fixed_hint *fixed = ctx->asked_once + number;
    if (fixed->value ? ctx->fail != 0 : value != 0) fixed->mask[i >> 6] |= UINT64_C(1) << (i & 63);
    if (fixed->value) fixed->value[i] = value;
    if (ctx->fail) {
        fixed->failed = !fixed->value;
        ctx->fail = ctx->fail_count = 0;
        ctx->steps = fixing->steps;
    }
}

static inline void grog_fix_end(grog_ctx *ctx, const grog_fixing *fixing) {
    ctx->steps = fixing->steps;
    ctx->depth = fixing->depth;
    grog_release(ctx, fixing->mark);
}

/* Whether it could be asked of all of them; which it is true of. */
static inline int32_t grog_hint_fixed(const grog_ctx *ctx, grog_hint *hint, int32_t number, int64_t n) {
    const grog_fixed_hint *fixed = ctx->asked_once + number;
    if (GROG_UNLIKELY(fixed->failed)) {
        grog_hint_all(hint, 1, n);
        return 0;
    }
    memcpy(hint->w, fixed->mask, (size_t)((n + 63) >> 6) * 8);
    return 1;
}

/* Of which it has a value (other: anything else), or cannot be asked. */
static inline void grog_hint_same(const grog_ctx *ctx, grog_hint *hint, int32_t number, int64_t n, int32_t value,
                                  int32_t other) {
    const grog_fixed_hint *fixed = ctx->asked_once + number;
    if (GROG_UNLIKELY(fixed->failed)) {
        grog_hint_all(hint, 1, n);
        return;
    }
    grog_hint_held(hint, fixed->value, n, value, other);
    for (int64_t i = 0; 64 * i < n; i++) hint->w[i] |= fixed->mask[i];
}

/* A search need not look at others. */
static inline void grog_hunt_among(grog_hunt *hunt, grog_hint *hint) {
    if (hunt->mask)
        for (int64_t i = 0; 64 * i < hunt->n; i++) hint->w[i] &= hunt->mask[i];
    hunt->mask = hint->w;
    if (!grog_hint_any(hint, hunt->n)) hunt->n = 0;
}

/* Words of the masks of these places; 0: they must be asked one by one, or somebody wants to hear each answer. */
static inline int64_t grog_mask_width(const grog_ctx *ctx, int64_t base, int64_t count) {
    const grog_space *space = ctx->data->spaces;
    if (GROG_UNLIKELY(space->base != base || space->n != count || ctx->level >= 2 || ctx->steps < GROG_MASK_STEPS))
        return 0;
    return space->mask_words;
}

/* Small maps are what masks are made for. */
#define grog_is_width(wide, words) __builtin_expect((wide) == (words), (words) == 1)

static inline int32_t grog_mask_sides(const grog_ctx *ctx) { return (int32_t)ctx->data->spaces->sides; }

static inline const grog_turn *grog_turn_of(const grog_ctx *ctx, int32_t d) {
    const grog_space *space = ctx->data->spaces;
    /* One more than there are directions is empty. */
    return &space->turn[(uint64_t)(int64_t)d < (uint64_t)space->sides ? d : space->sides];
}

static inline grog_m1 grog_m1_all(int32_t yes) { return yes ? UINT64_MAX : 0; }
static inline grog_m1 grog_m1_and(grog_m1 a, grog_m1 b) { return a & b; }
static inline grog_m1 grog_m1_or(grog_m1 a, grog_m1 b) { return a | b; }
static inline grog_m1 grog_m1_but(grog_m1 a, grog_m1 b) { return a & ~b; }
static inline grog_m1 grog_m1_not(grog_m1 a) { return ~a; }
static inline grog_m1 grog_m1_holds(const int32_t *cell, int64_t n, int32_t value) {
    return grog_some_hold(cell, n, value);
}

static inline grog_m1 grog_m1_has(const grog_ctx *ctx, int32_t d) {
    const grog_turn *turn = grog_turn_of(ctx, d);
    return turn->from[0].w[0] | turn->from[1].w[0];
}

/* The places that hold a value, as a mask that writes keep right (grog_mask_follow). */
static inline grog_m1 grog_m1_followed(grog_ctx *ctx, int32_t mark, int32_t number, const int32_t *cell, int64_t n,
                                       int32_t value) {
    if (grog_mask_known(ctx, mark)) return ctx->mask[number];
    grog_m1 found = grog_m1_holds(cell, n, value);
    grog_mask_keep(ctx, mark, number, found);
    return found;
}

/* Whether any of the cells holds the value (other: anything else), by that mask where there is one. */
static inline int32_t grog_any_followed(const grog_ctx *ctx, int32_t mark, int32_t number, const int32_t *cell, int64_t n,
                                        int32_t value, int32_t other) {
    if (!grog_mask_known(ctx, mark)) return grog_any_holds(cell, n, value, other);
    if (n <= 0) return 0;
    return ((other ? ~ctx->mask[number] : ctx->mask[number]) & UINT64_MAX >> (64 - n)) != 0;
}

/* The places whose neighbour in a direction is in the mask.  Turning the word does for both ways: what comes round is
 * outside the places that have a neighbour. */
static inline grog_m1 grog_m1_shift(grog_m1 a, const grog_ctx *ctx, int32_t d) {
    const grog_turn *turn = grog_turn_of(ctx, d);
    int64_t x = turn->by[0] & 63, y = turn->by[1] & 63;
    return ((a >> x | a << (-x & 63)) & turn->from[0].w[0]) | ((a >> y | a << (-y & 63)) & turn->from[1].w[0]);
}

/* The bits of the places that there are, in the word that begins with this one. */
static inline uint64_t grog_mask_part(int64_t n, int64_t from) {
    return n - from >= 64 ? UINT64_MAX : n > from ? UINT64_MAX >> (64 - (n - from)) : 0;
}

static inline int32_t grog_m1_any(grog_m1 mask, int64_t n) { return (mask & grog_mask_part(n, 0)) != 0; }

static inline int32_t grog_m1_count(grog_m1 mask, int64_t n) {
    mask &= grog_mask_part(n, 0);
    return grog_ones((uint32_t)mask) + grog_ones((uint32_t)(mask >> 32));
}

static inline void grog_hunt_mask1(grog_hunt *hunt, grog_m1 mask) {
    hunt->found = mask & grog_mask_part(hunt->n, 0);
    hunt->from = 0;
}

static inline grog_m6 grog_m6_all(int32_t yes) {
    grog_m6 r;
    for (int32_t i = 0; i < GROG_WORDS; i++) r.w[i] = yes ? UINT64_MAX : 0;
    return r;
}

static inline grog_m6 grog_m6_and(grog_m6 a, grog_m6 b) {
    for (int32_t i = 0; i < GROG_WORDS; i++) a.w[i] &= b.w[i];
    return a;
}

static inline grog_m6 grog_m6_or(grog_m6 a, grog_m6 b) {
    for (int32_t i = 0; i < GROG_WORDS; i++) a.w[i] |= b.w[i];
    return a;
}

static inline grog_m6 grog_m6_but(grog_m6 a, grog_m6 b) {
    for (int32_t i = 0; i < GROG_WORDS; i++) a.w[i] &= ~b.w[i];
    return a;
}

static inline grog_m6 grog_m6_not(grog_m6 a) {
    for (int32_t i = 0; i < GROG_WORDS; i++) a.w[i] = ~a.w[i];
    return a;
}

static inline grog_m6 grog_m6_holds(const int32_t *cell, int64_t n, int32_t value) {
    grog_m6 r = grog_m6_all(0);
    for (int64_t i = 0; i * 64 < n; i++) r.w[i] = grog_some_hold(cell + i * 64, n - i * 64 < 64 ? n - i * 64 : 64, value);
    return r;
}

/* A mask of several words is not kept. */
static inline grog_m6 grog_m6_followed(grog_ctx *ctx, int32_t mark, int32_t number, const int32_t *cell, int64_t n,
                                       int32_t value) {
    return (void)ctx, (void)mark, (void)number, grog_m6_holds(cell, n, value);
}

static inline grog_m6 grog_m6_has(const grog_ctx *ctx, int32_t d) {
    const grog_turn *turn = grog_turn_of(ctx, d);
    return grog_m6_or(turn->from[0], turn->from[1]);
}

static inline uint64_t grog_m6_word(const grog_m6 *a, int64_t i) { return i >= 0 && i < GROG_WORDS ? a->w[i] : 0; }

static inline grog_m6 grog_m6_shift(grog_m6 a, const grog_ctx *ctx, int32_t d) {
    const grog_turn *turn = grog_turn_of(ctx, d);
    grog_m6 r;
    for (int32_t i = 0; i < GROG_WORDS; i++) {
        r.w[i] = 0;
        for (int32_t kind = 0; kind < 2; kind++) {
            int64_t first = i * 64 + turn->by[kind], word = first >> 6, bit = first & 63;
            uint64_t found = grog_m6_word(&a, word) >> bit;
            if (bit) found |= grog_m6_word(&a, word + 1) << (64 - bit);
            r.w[i] |= found & turn->from[kind].w[i];
        }
    }
    return r;
}

static inline int32_t grog_m6_any(const grog_m6 *mask, int64_t n) {
    uint64_t found = 0;
    for (int32_t i = 0; i < GROG_WORDS; i++) found |= mask->w[i] & grog_mask_part(n, 64 * i);
    return found != 0;
}

static inline int32_t grog_m6_count(const grog_m6 *mask, int64_t n) {
    int32_t count = 0;
    for (int32_t i = 0; i < GROG_WORDS; i++) count += grog_m1_count(mask->w[i], n - 64 * i);
    return count;
}

static inline void grog_hunt_mask6(grog_hunt *hunt, const grog_m6 *mask) { hunt->mask = mask->w; }

/* ---- stars: questions about what lies in some direction of a place, asked for all directions at once ---- */

/* The star of a place of these; NULL: the directions must be asked one by one, for the same reasons as with masks. */
#define grog_is_star(star) __builtin_expect((star) != NULL, 1)
static inline const grog_star *grog_star_of(const grog_ctx *ctx, int32_t place, int64_t base, int64_t count) {
    const grog_space *space = ctx->data->spaces;
    int64_t at = (int64_t)place - base;
    if (GROG_UNLIKELY(space->base != base || space->n != count || (uint64_t)at >= (uint64_t)count || !space->star ||
                      ctx->level >= 2 || ctx->steps < GROG_MASK_STEPS))
        return NULL;
    return space->star + at;
}

/* The directions in which there is a place, so many steps away, whose cell holds the value. */
static inline uint32_t grog_star_holds(const grog_star *star, int32_t steps, const int32_t *cell, int32_t value) {
    const uint16_t *at = star->place[steps - 1];
    uint32_t found = 0;
#ifdef __SSE2__
    __m128i wanted = _mm_set1_epi32(value);
    __m128i a = _mm_set_epi32(cell[at[3]], cell[at[2]], cell[at[1]], cell[at[0]]);
    __m128i b = _mm_set_epi32(cell[at[7]], cell[at[6]], cell[at[5]], cell[at[4]]);
    a = _mm_packs_epi32(_mm_cmpeq_epi32(a, wanted), _mm_cmpeq_epi32(b, wanted));
    found = (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(a, _mm_setzero_si128()));
#else
    for (int32_t d = 0; d < GROG_RAYS; d++) found |= (uint32_t)(cell[at[d]] == value) << d;
#endif
    return found & star->there[steps - 1];
}

typedef uint32_t grog_word;

static inline uint32_t grog_star_all(int32_t yes) { return yes ? UINT32_MAX : 0; }

static inline uint32_t grog_star_has(const grog_star *star, int32_t steps) { return star->there[steps - 1]; }

/* The directions that lie on an answer when they are turned by so much. */
static inline uint32_t grog_star_turned(const grog_ctx *ctx, uint32_t found, int32_t steps) {
    int32_t turns = (int32_t)ctx->data->turns, by = grog_v_turned((grog_ctx *)ctx, 0, steps);
    if (by == GROG_NONE) return 0;
    return (found >> by | found << (turns - by)) & ((UINT32_C(1) << turns) - 1);
}

static inline uint32_t grog_star_opposite(const grog_ctx *ctx, uint32_t found) {
    int64_t turns = ctx->data->turns, half = turns / 2;
    return (found >> half | found << (turns - half)) & ((UINT32_C(1) << turns) - 1);
}

/* ---- sets and lists that are no part of the position, or of a frame ---- */

static inline void grog_set_put(grog_ctx *ctx, int32_t *a, int32_t v, int64_t base, int64_t count, int32_t on,
                                int32_t site) {
    int64_t i = (int64_t)v - base;
    if (v == GROG_NONE) return;
    if (GROG_LIKELY((uint64_t)i < (uint64_t)count))
        grog_bit(a, i, on);
    else
        grog_bad_index(ctx, v, site);
}

static inline const int32_t *grog_list_fit(grog_ctx *ctx, const int32_t *list, int32_t have, int32_t capacity,
                                           int32_t site) {
    int32_t n = grog_len(list, have);
    if (GROG_LIKELY(n <= capacity && n == list[0])) return list;
    if (n > capacity) grog_fail1(ctx, GROG_FAIL_LIST, site, n);
    /* A length that no rule can have written is not passed on to code that may believe it. */
    ctx->spare[0] = 0;
    return ctx->spare;
}

/* Cells behind the last item are 0, so that equal lists have equal cells.  The source may be longer than that. */
static inline void grog_list_copy(int32_t *to, const int32_t *from, int32_t capacity) {
    int32_t n = grog_len(from, capacity), before = grog_len(to, capacity);
    memmove(to + 1, from + 1, (size_t)n * 4);
    to[0] = n;
    if (before > n) memset(to + 1 + n, 0, (size_t)(before - n) * 4);
}

static inline void grog_list_clear(int32_t *list, int32_t capacity) {
    memset(list, 0, (size_t)(grog_len(list, capacity) + 1) * 4);
}

static inline void grog_list_append(grog_ctx *ctx, int32_t *list, int32_t capacity, int32_t item, int32_t site) {
    int32_t n = grog_len(list, capacity);
    if (GROG_UNLIKELY(n >= capacity)) {
        grog_fail1(ctx, GROG_FAIL_LIST, site, item);
        return;
    }
    list[n + 1] = item;
    list[0] = n + 1;
}

static inline int32_t grog_item_at(grog_ctx *ctx, const int32_t *list, int32_t capacity, int32_t n, int32_t site) {
    if (GROG_LIKELY(n >= 1 && n <= grog_len(list, capacity))) return list[n];
    grog_bad_index(ctx, n, site);
    return 0;
}

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

/* Remembers what a cell holds before it is written. */
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
    for (int64_t from = cell; words > 0; from += GROG_HUNT_BLOCK, words -= GROG_HUNT_BLOCK) {
        int64_t some = words < GROG_HUNT_BLOCK ? words : GROG_HUNT_BLOCK;
        uint64_t others = ~grog_some_hold(s + from, some, value) & UINT64_MAX >> (GROG_HUNT_BLOCK - some);
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

/* The number of the first element whose flag is 0, -1 if all live. */
static inline int64_t grog_find_dead(grog_ctx *ctx, int64_t domain, int64_t alive, int64_t count, int32_t journal, int32_t site) {
    ctx->born |= UINT64_C(1) << (domain & 63);
    int32_t open = journal && ctx->s[GROG_H_BRANCH] != GROG_NONE;
    for (int64_t i = 0; i < count; i++)
        if (!ctx->s[alive + i] && !(open && grog_touched(ctx, alive + i))) return ctx->fail ? -1 : i;
    grog_fail(ctx, GROG_FAIL_POOL, site);
    return -1;
}

/* ---- dice ---- */

static inline int32_t grog_die(grog_ctx *ctx, int32_t lo, int32_t hi, int32_t site) {
    if (ctx->script) {
        if (ctx->script_used >= ctx->script_count) {
            grog_fail_many(ctx, GROG_FAIL_DICE, site, 2, lo, hi, 0);
            return 0;
        }
        int32_t face = ctx->script[ctx->script_used];
        if (face < lo || face > hi) {
            grog_fail_many(ctx, GROG_FAIL_DICE, site, 3, lo, hi, face);
            return 0;
        }
        ctx->script_used++;
        return face;
    }
    uint64_t state = grog_rng_state(ctx->s);
    int64_t face = (int64_t)lo + grog_pcg_draw(&state, (uint32_t)((int64_t)hi - lo + 1));
    grog_rng_store(ctx->s, state);
    return (int32_t)face;
}

/* Throws dice; the total.  The single dice go to the pool, if there is one, and to the trace. */
static inline int32_t grog_roll(grog_ctx *ctx, int32_t count, int32_t lo, int32_t hi, int32_t *pool, int32_t capacity,
                                int32_t site) {
    if (ctx->fail) return 0;
    if (count == GROG_NONE || lo == GROG_NONE || hi == GROG_NONE || hi < lo) {
        int32_t none = count == GROG_NONE || lo == GROG_NONE || hi == GROG_NONE;
        grog_fail_many(ctx, none ? GROG_FAIL_INDEX : GROG_FAIL_RANGE, site, 3, count, lo, hi);
        return 0;
    }
    if (pool && count > capacity) {
        grog_fail1(ctx, GROG_FAIL_LIST, site, count);
        return 0;
    }
    int64_t total = 0, before = ctx->trace_count;
    int32_t dice = count < 0 ? 0 : count, *record = NULL;
    if (ctx->level >= 1) {
        record = grog_note(ctx, site, -1, (int64_t)dice + 3);
        record[0] = count;
        record[1] = lo;
        record[2] = hi;
    }
    for (int32_t i = 0; i < dice && !ctx->fail; i++) {
        int32_t face = grog_die(ctx, lo, hi, site);
        total += face;
        if (pool) pool[i + 1] = face;
        if (record && !ctx->fail) record[i + 3] = face;
    }
    if (pool) {
        pool[0] = dice;
        memset(pool + 1 + dice, 0, (size_t)(capacity - dice) * 4);
    }
    int32_t result = grog_total(ctx, total, site);
    if (ctx->fail) ctx->trace_count = before;
    return result;
}

/* ---- simultaneous blocks: as in grognard.interp_journal ---- */

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
    memset(ctx->marks, 0, sizeof ctx->marks);
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
    memset(ctx->marks, 0, sizeof ctx->marks);
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

/* ---- matching: can every right element have a left one of its own? ---- */

typedef struct grog_cover {
    int64_t lefts, rights;
    int32_t *left, *right;
    int32_t *fits;   /* rights * lefts flags */
    int32_t *holder; /* right element that holds a left one, -1 if none */
    int32_t *tried;
    int32_t *path; /* rights: the left element that each is looking at */
} grog_cover;

static inline grog_cover *grog_cover_new(grog_ctx *ctx, const int32_t *set, int64_t words, int64_t base,
                                         const int32_t *chosen, int32_t capacity, int32_t extra) {
    int64_t lefts = grog_set_count(set, words), n = grog_len(chosen, capacity), rights = n + (extra != GROG_NONE);
    int64_t head = (int64_t)(sizeof(grog_cover) + 3) / 4 + 2;
    int32_t *room = ctx->fail ? NULL : grog_alloc(ctx, head + 3 * lefts + 3 * rights + lefts * rights);
    if (!room) {
        grog_fail(ctx, GROG_FAIL_BUDGET, -1);
        room = ctx->spare;
        lefts = rights = 0;
    }
    grog_cover *cover = (grog_cover *)(room + ((uintptr_t)room % 8 != 0));
    cover->lefts = lefts;
    cover->rights = rights;
    cover->left = room + head;
    cover->right = cover->left + lefts;
    cover->holder = cover->right + rights;
    cover->tried = cover->holder + lefts;
    cover->path = cover->tried + lefts;
    cover->fits = cover->path + 2 * rights;
    if (!lefts && !rights) return cover;
    int64_t at = 0;
    for (int64_t i = grog_set_scan(set, words, 0); i >= 0; i = grog_set_scan(set, words, i + 1))
        cover->left[at++] = (int32_t)(i + base);
    for (int64_t i = 0; i < n; i++) cover->right[i] = chosen[i + 1];
    if (rights > n) cover->right[n] = extra;
    memset(cover->fits, 0, (size_t)(lefts * rights) * 4);
    return cover;
}

/* Find a left element for `right`, moving those on that hold one already.  Depth first, without recursion: `path`
 * holds the right elements on the way and, behind them, the left one that each is trying. */
static inline int32_t grog_cover_augment(grog_cover *cover, int64_t right) {
    int32_t *on = cover->path, *trying = cover->path + cover->rights;
    int64_t depth = 0;
    on[0] = (int32_t)right;
    trying[0] = -1;
    for (;;) {
        int64_t left = trying[depth] + 1;
        const int32_t *fits = cover->fits + on[depth] * cover->lefts;
        while (left < cover->lefts && (!fits[left] || cover->tried[left])) left++;
        if (left == cover->lefts) {
            if (depth-- == 0) return 0;
            continue;
        }
        trying[depth] = (int32_t)left;
        cover->tried[left] = 1;
        if (cover->holder[left] < 0) break;
        on[depth + 1] = cover->holder[left];
        trying[++depth] = -1;
    }
    for (; depth >= 0; depth--) cover->holder[trying[depth]] = on[depth];
    return 1;
}

static inline int32_t grog_cover_solve(grog_cover *cover) {
    for (int64_t i = 0; i < cover->lefts; i++) cover->holder[i] = -1;
    for (int64_t right = 0; right < cover->rights; right++) {
        memset(cover->tried, 0, (size_t)cover->lefts * 4);
        if (!grog_cover_augment(cover, right)) return 0;
    }
    return 1;
}

/* ---- movement: as in grognard.interp_reach ---- */

typedef struct grog_label {
    int64_t cost;
    int32_t place, stopped;
} grog_label;

/* A search.  Places of the space have a slot each; the start has one more if it lies outside. */
typedef struct grog_search {
    int64_t base, count;
    int32_t start;
    int64_t *label;   /* 2 per slot: least cost so far, free and stopped; -1: none */
    int64_t *reached; /* per slot: least cost, -1: none */
    uint8_t *settled; /* per slot: bit 0 free, bit 1 stopped */
    grog_label *heap;
    int64_t heap_count, heap_room;
    int32_t place; /* what the last pop settled */
    int64_t spent;
    int64_t opened; /* whether there was a place to start from */
    int64_t room;   /* slots that there is room for */
    int64_t begun;  /* steps that were left before it */
    int64_t *used;  /* per slot: the steps it took until the place was reached; of searches that are kept only */
    int64_t keeps;
} grog_search;

/* A search for all that can be reached, as it is remembered: by the tag of its movement's mark, as values are. */
enum { GROG_FOUND = 8 };
typedef struct grog_found {
    uint64_t tag; /* 0: nothing is here */
    int32_t movement, a, b;
    int64_t steps;
    int64_t busy; /* how many are looking at it */
    grog_search search;
} grog_found;

static inline int64_t grog_search_slot(const grog_search *q, int32_t place) {
    int64_t slot = (int64_t)place - q->base;
    return (uint64_t)slot < (uint64_t)q->count ? slot : q->count;
}

static inline int32_t grog_label_less(const grog_label *a, const grog_label *b) {
    if (a->cost != b->cost) return a->cost < b->cost;
    if (a->place != b->place) return a->place < b->place;
    return a->stopped < b->stopped;
}

static inline void grog_search_close(grog_search *q) {
    free(q->label);
    free(q->reached);
    free(q->settled);
    free(q->heap);
    free(q->used);
    q->label = q->reached = q->used = NULL;
    q->settled = NULL;
    q->heap = NULL;
    q->heap_count = q->heap_room = q->room = q->opened = 0;
}

/* A search that nobody will ask for again. */
static inline void grog_search_blank(grog_search *q) { memset(q, 0, sizeof *q); }

/* Offers a way into a place; the search keeps it if it is better than the one it knows. */
static inline void grog_search_offer(grog_ctx *ctx, grog_search *q, int32_t place, int32_t stopped, int64_t cost) {
    int64_t *label = &q->label[2 * grog_search_slot(q, place) + stopped];
    if (*label >= 0 && *label <= cost) return;
    if (q->heap_count == q->heap_room) {
        int64_t room = 2 * q->heap_room + 64;
        grog_label *grown = (grog_label *)realloc(q->heap, sizeof(grog_label) * (size_t)room);
        if (!grown) {
            grog_fail(ctx, GROG_FAIL_BUDGET, -1);
            return;
        }
        q->heap = grown;
        q->heap_room = room;
    }
    *label = cost;
    grog_label made = {cost, place, stopped};
    int64_t at = q->heap_count++;
    while (at > 0 && grog_label_less(&made, &q->heap[(at - 1) / 2])) {
        q->heap[at] = q->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    q->heap[at] = made;
}

static inline void grog_search_open(grog_ctx *ctx, grog_search *q, int32_t start, int64_t base, int64_t count,
                                    int32_t site) {
    q->base = base;
    q->count = count;
    q->start = start;
    q->heap_count = q->opened = 0;
    if (start == GROG_NONE || ctx->fail) return;
    if (!grog_space_of(ctx, start)) {
        grog_bad_index(ctx, start, site);
        return;
    }
    size_t slots = (size_t)count + 1;
    if (q->room <= count) {
        grog_search_close(q);
        q->label = (int64_t *)malloc(slots * 2 * sizeof(int64_t));
        q->reached = (int64_t *)malloc(slots * sizeof(int64_t));
        q->settled = (uint8_t *)malloc(slots);
        if (q->keeps) q->used = (int64_t *)malloc(slots * sizeof(int64_t));
        if (!q->label || !q->reached || !q->settled || (q->keeps && !q->used)) {
            grog_search_close(q);
            grog_fail(ctx, GROG_FAIL_BUDGET, site);
            return;
        }
        q->room = count + 1;
    }
    q->opened = 1;
    memset(q->settled, 0, slots);
    memset(q->label, 0xff, slots * 2 * sizeof(int64_t));
    memset(q->reached, 0xff, slots * sizeof(int64_t));
    grog_search_offer(ctx, q, start, 0, 0);
}

/* Settles the next place that can be gone on from, or is the target; 0 when the search is over. */
static inline int32_t grog_search_next(grog_ctx *ctx, grog_search *q, int32_t target) {
    while (q->heap_count > 0 && !ctx->fail) {
        grog_label top = q->heap[0], last = q->heap[--q->heap_count];
        int64_t at = 0, child;
        while ((child = 2 * at + 1) < q->heap_count) {
            if (child + 1 < q->heap_count && grog_label_less(&q->heap[child + 1], &q->heap[child])) child++;
            if (!grog_label_less(&q->heap[child], &last)) break;
            q->heap[at] = q->heap[child];
            at = child;
        }
        q->heap[at] = last;
        int64_t slot = grog_search_slot(q, top.place);
        if (q->settled[slot] >> top.stopped & 1) continue;
        q->settled[slot] |= (uint8_t)(1 << top.stopped);
        if (q->reached[slot] < 0) {
            q->reached[slot] = top.cost;
            if (q->keeps) q->used[slot] = q->begun - ctx->steps;
        }
        if (top.place == target) return 0;
        if (top.stopped) continue;
        q->place = top.place;
        q->spent = top.cost;
        return 1;
    }
    return 0;
}

/* Whether the search wants to know of a way into the place. */
static inline int32_t grog_search_wants(const grog_search *q, int32_t place) {
    int64_t slot = (int64_t)place - q->base;
    return (uint64_t)slot < (uint64_t)q->count && !(q->settled[slot] & 1);
}

/* What was spent so far, as a rule can read it. */
static inline int32_t grog_search_spent(grog_ctx *ctx, const grog_search *q, int32_t site) {
    return grog_total(ctx, q->spent, site);
}

/* Whether a step of that price is within the allowance; prices below 0 fail. */
static inline int32_t grog_search_pays(grog_ctx *ctx, const grog_search *q, int32_t price, int32_t allowance,
                                       int32_t minimum, int32_t site) {
    if (price == GROG_NONE || ctx->fail) return 0;
    if (price < 0) {
        grog_fail1(ctx, GROG_FAIL_RANGE, site, price);
        return 0;
    }
    return allowance == GROG_NONE || q->spent + price <= allowance || (minimum && q->place == q->start);
}

/* The least cost of getting to a place, -1 if it was not reached. */
static inline int64_t grog_search_cost(const grog_search *q, int32_t place) {
    int64_t slot = grog_search_slot(q, place);
    return slot < q->count || place == q->start ? q->reached[slot] : -1;
}

/* A search for all places that was made before and is right still, or NULL.  It takes the steps that a search for the target
 * would take, which goes the same ways and ends when the target is reached; without a target, those of all of it. */
static inline grog_search *grog_search_recall(grog_ctx *ctx, int32_t movement, int32_t mark, int32_t a, int32_t b,
                                              int32_t target) {
    if (ctx->remembers < GROG_REMEMBERS_MUCH || !ctx->found || ctx->fail || ctx->depth > GROG_CALL_DEPTH - GROG_CALLS_DOWN) return NULL;
    uint64_t tag = grog_tag_of(ctx, mark);
    for (int32_t i = 0; i < GROG_FOUND; i++) {
        grog_found *at = &ctx->found[i];
        if (at->tag != tag || at->movement != movement || at->a != a || at->b != b) continue;
        grog_search *q = &at->search;
        int64_t steps = at->steps;
        if (target != GROG_NONE && q->opened && grog_search_cost(q, target) >= 0) steps = q->used[grog_search_slot(q, target)];
        if (steps > ctx->steps) return NULL;
        ctx->steps -= steps;
        at->busy++;
        return q;
    }
    return NULL;
}

/* Where to search for all places: where it can be kept, else in what the caller has. */
static inline grog_search *grog_search_room(grog_ctx *ctx, grog_search *own) {
    grog_search_blank(own);
    if (ctx->remembers < GROG_REMEMBERS_MUCH) return own;
    if (!ctx->found) ctx->found = (grog_found *)calloc(GROG_FOUND, sizeof(grog_found));
    if (!ctx->found) return own;
    for (int32_t i = 0; i < GROG_FOUND; i++) {
        grog_found *at = &ctx->found[ctx->found_next++ % GROG_FOUND];
        if (at->busy) continue;
        at->tag = 0;
        at->busy = 1;
        at->search.keeps = 1;
        at->search.begun = ctx->steps;
        return &at->search;
    }
    return own;
}

static inline grog_found *grog_found_of(grog_search *q) {
    return (grog_found *)((char *)q - offsetof(grog_found, search));
}

static inline void grog_search_keep(grog_ctx *ctx, grog_search *q, int32_t movement, int32_t mark, int32_t a, int32_t b) {
    if (!q->keeps || ctx->fail) return;
    grog_found *at = grog_found_of(q);
    at->tag = grog_tag_of(ctx, mark);
    at->movement = movement;
    at->a = a;
    at->b = b;
    at->steps = q->begun - ctx->steps;
}

/* Nobody looks at the search any more. */
static inline void grog_search_done(grog_search *q) {
    if (q->keeps)
        grog_found_of(q)->busy--;
    else
        grog_search_close(q);
}

/* The k-th place of all that might be reached, in order of place numbers: 0 <= k <= count. */
static inline int32_t grog_search_place(const grog_search *q, int64_t k, int64_t *slot) {
    int64_t outside = grog_search_slot(q, q->start) == q->count, first = outside && q->start < q->base;
    *slot = first ? (k == 0 ? q->count : k - 1) : k;
    return *slot == q->count ? q->start : (int32_t)(q->base + *slot);
}

/* ---- functions ---- */

/* 200 calls inside each other, as the interpreter; the C stack is watched as well, because frames differ in size. */
enum { GROG_STACK_BYTES = 2 << 20 };

/* Whether the function may run; every function begins with it.  Told that it mostly may, the compiler does not take the
 * rest of the function for a rare case. */
#define grog_enter(ctx, site) __builtin_expect(grog_may_enter(ctx, site), 1)
GROG_ALWAYS int32_t grog_may_enter(grog_ctx *ctx, int32_t site) {
    if (GROG_UNLIKELY(--ctx->steps < 0 || ctx->depth >= GROG_CALL_DEPTH ||
                      ctx->stack - grog_stack_here() > GROG_STACK_BYTES)) {
        grog_fail(ctx, GROG_FAIL_BUDGET, site);
        return 0;
    }
    ctx->depth++;
    return 1;
}

/* The same where no call inside comes back to the function: what lies between two such calls is bounded by the program's text. */
#define grog_enter_plain(ctx, site) __builtin_expect(grog_may_enter_plain(ctx, site), 1)
GROG_ALWAYS int32_t grog_may_enter_plain(grog_ctx *ctx, int32_t site) {
    if (GROG_UNLIKELY(--ctx->steps < 0 || ctx->depth >= GROG_CALL_DEPTH)) {
        grog_fail(ctx, GROG_FAIL_BUDGET, site);
        return 0;
    }
    ctx->depth++;
    return 1;
}

/* The same for a function with no others inside that would ask how deep they lie; it does not count. */
#define grog_enter_leaf(ctx, site) __builtin_expect(grog_may_enter_leaf(ctx, site), 1)
GROG_ALWAYS int32_t grog_may_enter_leaf(grog_ctx *ctx, int32_t site) {
    if (GROG_LIKELY(--ctx->steps >= 0 && ctx->depth < GROG_CALL_DEPTH)) return 1;
    grog_fail(ctx, GROG_FAIL_BUDGET, site);
    return 0;
}

/* Leaves a function with its result. */
static inline int32_t grog_leave(grog_ctx *ctx, int32_t result) {
    ctx->depth--;
    return result;
}

static inline int32_t grog_leave_at(grog_ctx *ctx, int32_t *mark, int32_t result) {
    grog_release(ctx, mark);
    ctx->depth--;
    return result;
}

/* The same for a light function, which does not count among the calls. */
static inline int32_t grog_light_leave_at(grog_ctx *ctx, int32_t *mark, int32_t result) {
    grog_release(ctx, mark);
    return result;
}

/* After an unheard function: what comes now is traced again. */
static inline int32_t grog_hear(grog_ctx *ctx, int64_t level, int32_t result) {
    ctx->level = level;
    return result;
}

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
    /* Whether there is a frame below is seen by whoever goes on with it. */
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

/* ---- decisions ---- */

/* What `distinct` compares in a domain: offsets, sizes and numbers of elements of fields. */
struct grog_likeness {
    int64_t base, count;
    int64_t own, sets, lists, values;                   /* how many there are of each */
    int64_t single;                                      /* so many of the own have one word: they come first */
    const int64_t *own_at, *set_at, *list_at, *value_at; /* (offset, words), (offset, words, elements), same, (offset, cells) */
};

/* Marks the pieces that cells name.  Nearly all name none: four at a time are passed over. */
static inline void grog_name_cells(int32_t *named, const int32_t *cell, int64_t cells, int64_t base, int64_t count) {
    const uint64_t none = (uint64_t)(uint32_t)GROG_NONE << 32 | (uint32_t)GROG_NONE;
    for (int64_t i = 0; i < cells;) {
        int64_t end = i + 8 < cells ? i + 8 : cells;
        if (end - i == 8) {
            uint64_t part[4];
            memcpy(part, cell + i, sizeof part);
            if (!((part[0] ^ none) | (part[1] ^ none) | (part[2] ^ none) | (part[3] ^ none))) {
                i = end;
                continue;
            }
        }
        for (; i < end; i++)
            if ((uint64_t)(cell[i] - base) < (uint64_t)count) grog_bit(named, cell[i] - base, 1);
    }
}

/* Room for so many candidates more; 0 if there is none. */
GROG_COLD static int32_t grog_yield_room(grog_ctx *ctx, int64_t more) {
    int64_t room = 2 * ctx->cand_room + 256 + more;
    int32_t *grown = ctx->fail ? NULL : (int32_t *)realloc(ctx->cand, (size_t)room * 4);
    if (!grown) {
        grog_fail(ctx, GROG_FAIL_BUDGET, -1);
        return 0;
    }
    ctx->cand = grown;
    ctx->cand_room = room;
    return 1;
}

/* Whether so many different candidates as are wanted (one or two) have been found. */
static __attribute__((noinline, unused)) int32_t grog_found_enough(const grog_ctx *ctx) {
    int32_t first = GROG_NONE;
    for (int64_t i = 0; i < ctx->cand_count; i++) {
        int32_t value = ctx->cand[i];
        if (value == GROG_NONE || value == first) continue;
        if (ctx->enough == 1 || first != GROG_NONE) return 1;
        first = value;
    }
    return 0;
}

static inline int32_t grog_full(const grog_ctx *ctx) {
    if (GROG_LIKELY(ctx->cand_count < ctx->enough)) return 0;
    return (ctx->cand_count == 1 && ctx->cand[0] != GROG_NONE) || grog_found_enough(ctx);
}

/* How many candidates of an Ask are looked for: whoever takes the first need not know of others, but for `few`. */
static inline int64_t grog_wanted(const grog_ctx *ctx, int64_t few) {
    return few && ctx->first && ctx->draws > 0 ? few : INT64_MAX;
}

/* Offers a candidate; whether no more are wanted. */
static inline int32_t grog_yield(grog_ctx *ctx, int32_t value) {
    if (GROG_UNLIKELY(ctx->cand_count == ctx->cand_room) && !grog_yield_room(ctx, 1)) return 0;
    ctx->cand[ctx->cand_count++] = value;
    return grog_full(ctx);
}

/* Offers the elements of up to 64, counted from the first. */
static inline void grog_yield_bits(grog_ctx *ctx, uint64_t found, int32_t first) {
    if (GROG_UNLIKELY(ctx->cand_count + GROG_HUNT_BLOCK > ctx->cand_room) && !grog_yield_room(ctx, GROG_HUNT_BLOCK)) return;
    int32_t *to = ctx->cand + ctx->cand_count;
    for (; found; found &= found - 1) *to++ = first + __builtin_ctzll(found);
    ctx->cand_count = to - ctx->cand;
}

/* Offers every element that a search finds. */
static inline void grog_yield_all(grog_ctx *ctx, grog_hunt *hunt, int64_t base) {
    while (hunt->found || grog_hunt_more(hunt)) {
        grog_yield_bits(ctx, hunt->found, (int32_t)(hunt->from + base));
        hunt->found = 0;
    }
}

static inline void grog_m1_yield(grog_ctx *ctx, grog_m1 mask, int64_t n, int64_t base) {
    uint64_t found = mask & grog_mask_part(n, 0);
    if (ctx->defers) {
        /* How many there are is not asked for yet: none, one, or more. */
        ctx->cand_bits = found;
        ctx->cand_first = base;
        ctx->cand_count = (found != 0) + ((found & (found - 1)) != 0);
        return;
    }
    grog_yield_bits(ctx, found, (int32_t)base);
}

static inline void grog_m6_yield(grog_ctx *ctx, const grog_m6 *mask, int64_t n, int64_t base) {
    for (int32_t i = 0; i < GROG_WORDS; i++)
        grog_yield_bits(ctx, mask->w[i] & grog_mask_part(n, 64 * i), (int32_t)(base + 64 * i));
}

static inline uint64_t grog_mix(uint64_t hash, uint32_t word) {
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

/* A table of candidate numbers + 1 by hash, empty, with at least twice the room; NULL without memory. */
static inline int32_t *grog_hash_table(grog_ctx *ctx, int64_t count, uint64_t *mask) {
    int64_t size = 16;
    while (size < 2 * count) size *= 2;
    *mask = (uint64_t)size - 1;
    int32_t *table = grog_alloc(ctx, size);
    if (table)
        memset(table, 0, (size_t)size * 4);
    else
        grog_fail(ctx, GROG_FAIL_BUDGET, -1);
    return table;
}

/* The same value twice counts once; NONE is left out. */
static inline void grog_unite(grog_ctx *ctx) {
    int64_t kept = 0, ascending = 1;
    for (int64_t i = 0; i < ctx->cand_count; i++) {
        int32_t value = ctx->cand[i];
        if (value == GROG_NONE) continue;
        if (kept && ctx->cand[kept - 1] >= value) ascending = 0;
        ctx->cand[kept++] = value;
    }
    ctx->cand_count = kept;
    if (ascending) return;
    uint64_t mask;
    int32_t *mark = grog_mark(ctx), *table = grog_hash_table(ctx, kept, &mask);
    int64_t count = 0;
    for (int64_t i = 0; table && i < kept; i++) {
        int32_t value = ctx->cand[i];
        uint64_t at = grog_mix(0, (uint32_t)value) & mask;
        while (table[at] && ctx->cand[table[at] - 1] != value) at = (at + 1) & mask;
        if (table[at]) continue;
        ctx->cand[count++] = value;
        table[at] = (int32_t)count;
    }
    ctx->cand_count = count;
    grog_release(ctx, mark);
}

/* Whether nobody can tell two pieces apart by what has more than one cell, or by sets. */
static inline int32_t grog_alike_else(const grog_ctx *ctx, const grog_likeness *how, int64_t a, int64_t b) {
    const int32_t *s = ctx->s;
    for (int64_t i = how->single; i < how->own; i++) {
        int64_t at = how->own_at[2 * i], words = how->own_at[2 * i + 1];
        if (memcmp(s + at + a * words, s + at + b * words, (size_t)words * 4) != 0) return 0;
    }
    for (int64_t i = 0; i < how->sets; i++) {
        int64_t at = how->set_at[3 * i], words = how->set_at[3 * i + 1];
        for (int64_t k = 0; k < how->set_at[3 * i + 2]; k++, at += words)
            if (((uint32_t)s[at + (a >> 5)] >> (a & 31) ^ (uint32_t)s[at + (b >> 5)] >> (b & 31)) & 1) return 0;
    }
    return 1;
}

/* Whether nobody can tell two pieces apart (neither is named anywhere). */
static inline int32_t grog_alike(const grog_ctx *ctx, const grog_likeness *how, int64_t a, int64_t b) {
    const int32_t *s = ctx->s;
    /* Nearly all fields have one cell, for which a call takes longer than the comparison. */
    for (int64_t i = 0; i < how->single; i++)
        if (s[how->own_at[2 * i] + a] != s[how->own_at[2 * i] + b]) return 0;
    return grog_alike_else(ctx, how, a, b);
}

/* Four cells of any field. */
typedef int32_t grog_cells __attribute__((vector_size(16), aligned(4), may_alias));
enum { GROG_AT_ONCE = 8 };

/* Which of eight pieces from this one on differ from the one before in a field of one cell: not 0 in differs[piece]. */
static inline void grog_eight_differ(const grog_ctx *ctx, const grog_likeness *how, int64_t piece, int32_t *differs) {
    grog_cells found = {0}, more = {0};
    for (int64_t i = 0; i < how->single; i++) {
        const int32_t *cell = ctx->s + how->own_at[2 * i] + piece;
        found |= *(const grog_cells *)cell ^ *(const grog_cells *)(cell - 1);
        more |= *(const grog_cells *)(cell + 4) ^ *(const grog_cells *)(cell + 3);
    }
    *(grog_cells *)(differs + piece) = found;
    *(grog_cells *)(differs + piece + 4) = more;
}

/* The same of the pieces from `first` to `last`. */
static inline void grog_neighbours_differ(const grog_ctx *ctx, const grog_likeness *how, int64_t first, int64_t last,
                                          int32_t *differs) {
    int64_t piece = first;
    for (; piece + GROG_AT_ONCE <= last + 1; piece += GROG_AT_ONCE) grog_eight_differ(ctx, how, piece, differs);
    if (piece > last) return;
    /* Rather some of them twice than one by one. */
    if (last - first + 1 >= GROG_AT_ONCE) {
        grog_eight_differ(ctx, how, last + 1 - GROG_AT_ONCE, differs);
        return;
    }
    for (; piece <= last; piece++) {
        differs[piece] = 0;
        for (int64_t i = 0; i < how->single; i++) {
            const int32_t *cell = ctx->s + how->own_at[2 * i] + piece;
            differs[piece] |= cell[0] ^ cell[-1];
        }
    }
}

static inline uint64_t grog_look(const grog_ctx *ctx, const grog_likeness *how, int64_t piece) {
    uint64_t hash = 0;
    for (int64_t i = 0; i < how->own; i++) {
        int64_t words = how->own_at[2 * i + 1], at = how->own_at[2 * i] + piece * words;
        for (int64_t k = 0; k < words; k++) hash = grog_mix(hash, (uint32_t)ctx->s[at + k]);
    }
    return hash;
}

/* Pieces that differ, as long as a look at each of them is quicker than a table. */
enum { GROG_LEADERS = 8 };

/* Leaves out pieces that equal an earlier candidate. */
static inline void grog_distinct(grog_ctx *ctx, const grog_likeness *how) {
    if (ctx->cand_count < 2) return;
    int32_t *mark = grog_mark(ctx);
    int64_t words = (how->count + 31) / 32 + 1, kept = 0;
    uint64_t mask = 0;
    int32_t *named = grog_room(ctx, words), *table = NULL, leader[GROG_LEADERS];
    int32_t leaders = 0; /* as long as there are few, they are looked through; with more there is a table of all */
    if (ctx->fail) {
        grog_release(ctx, mark);
        return;
    }
    for (int64_t i = 0; i < how->values; i++)
        grog_name_cells(named, ctx->s + how->value_at[2 * i], how->value_at[2 * i + 1], how->base, how->count);
    for (int64_t i = 0; i < how->lists; i++) {
        int64_t size = how->list_at[3 * i + 1];
        const int32_t *list = ctx->s + how->list_at[3 * i];
        for (int64_t k = 0; k < how->list_at[3 * i + 2]; k++, list += size)
            for (int32_t n = 1; n <= grog_len(list, (int32_t)size - 1); n++)
                if ((uint64_t)(list[n] - how->base) < (uint64_t)how->count) grog_bit(named, list[n] - how->base, 1);
    }
    /* Pieces that are alike mostly have numbers side by side. */
    int64_t last = -1, first = ctx->cand[0] - how->base, end = ctx->cand[ctx->cand_count - 1] - how->base;
    int32_t *differs = NULL;
    if (first >= 0 && end > first && end < how->count && end - first < 2 * ctx->cand_count) {
        differs = grog_alloc(ctx, how->count);
        if (differs) grog_neighbours_differ(ctx, how, first + 1, end, differs);
    }
    for (int64_t i = 0; i < ctx->cand_count; i++) {
        int32_t value = ctx->cand[i];
        int64_t piece = value - how->base;
        if ((uint64_t)piece < (uint64_t)how->count && !((uint32_t)named[piece >> 5] >> (piece & 31) & 1)) {
            int32_t beside = differs && last == piece - 1 && piece > first && piece <= end;
            if (beside ? !differs[piece] && grog_alike_else(ctx, how, last, piece) : last >= 0 && grog_alike(ctx, how, last, piece)) {
                last = piece;
                continue;
            }
            last = piece;
            int32_t k = 0;
            if (!table) {
                while (k < leaders && !grog_alike(ctx, how, ctx->cand[leader[k]] - how->base, piece)) k++;
                if (k < leaders) continue;
                if (leaders < GROG_LEADERS) {
                    leader[leaders++] = (int32_t)kept;
                } else {
                    table = grog_hash_table(ctx, ctx->cand_count, &mask);
                    if (!table) break;
                    for (k = 0; k < leaders; k++) {
                        uint64_t at = grog_look(ctx, how, ctx->cand[leader[k]] - how->base) & mask;
                        while (table[at]) at = (at + 1) & mask;
                        table[at] = leader[k] + 1;
                    }
                }
            }
            if (table) {
                uint64_t at = grog_look(ctx, how, piece) & mask;
                while (table[at] && !grog_alike(ctx, how, ctx->cand[table[at] - 1] - how->base, piece)) at = (at + 1) & mask;
                if (table[at]) continue;
                table[at] = (int32_t)kept + 1;
            }
        }
        ctx->cand[kept++] = value;
    }
    ctx->cand_count = kept;
    grog_release(ctx, mark);
}

/* Puts candidates that were collected in order.  `ordered`: they came in ascending order, each once. */
static inline void grog_offered(grog_ctx *ctx, int32_t ordered) {
    /* One candidate is in order. */
    if (!ordered && (ctx->cand_count > 1 || (ctx->cand_count == 1 && ctx->cand[0] == GROG_NONE))) grog_unite(ctx);
}

/* Offers the candidates of an Ask, or says whether its extra answer is allowed now. */
typedef int32_t (*grog_offer_fn)(grog_ctx *ctx, int32_t *fr, int32_t extra);

/* Masks what the chooser may not know, to be put back afterwards; whether there is anything.  `masked`: the marks that this takes
 * off, which are seen when all of them stand.  That there is nothing to mask is remembered. */
static __attribute__((noinline, unused)) int32_t grog_mask_for(grog_ctx *ctx, int32_t chooser, uint64_t *masked) {
    int64_t remembers = ctx->remembers, steps = ctx->steps, keeps = ctx->keeps, kept = ctx->undo_count;
    int32_t viewed = (int32_t)ctx->program->view_mark;
    uint64_t marks[GROG_MARK_WORDS];
    if (remembers) ctx->remembers = GROG_SEES;
    memcpy(marks, ctx->marks, sizeof marks);
    memset(ctx->marks, 0xff, sizeof marks);
    ctx->keeps = 1;
    ctx->program->view(ctx, chooser);
    ctx->keeps = keeps;
    ctx->remembers = remembers;
    int32_t any = ctx->undo_count != kept;
    for (int32_t i = 0; i < GROG_MARK_WORDS; i++) {
        /* Where all cells are as before, so is whatever was found in them. */
        masked[i] = any ? ~ctx->marks[i] : 0;
        ctx->marks[i] = marks[i] & ~masked[i];
    }
    if (!any && remembers && viewed >= 0) grog_keep_value(ctx, GROG_VIEW, viewed, chooser, 0, 0, steps, 0);
    return any;
}

/* Collects the candidates that the chooser may know of, without a word in the trace.  `ordered`: they come in ascending
 * order, each once; `few`: as many as settle it for whoever takes the first, 0: all of them; `has_extra`: 2 if it is asked
 * for even then. */
static inline void grog_offer(grog_ctx *ctx, int32_t *fr, int32_t chooser, grog_offer_fn offer, int32_t on_view,
                              int32_t ordered, int32_t few, int32_t distinct, int32_t has_extra, int32_t extra) {
    int64_t level = ctx->level, kept = ctx->undo_count;
    uint64_t masked[GROG_MARK_WORDS];
    int32_t *cells = ctx->s, branch = cells[GROG_H_BRANCH], *mark = grog_mark(ctx), any = 0;
    on_view = on_view && !ctx->fail;
    ctx->level = 0;
    if (on_view && ctx->foreign) {
        int32_t *copy = grog_alloc(ctx, ctx->data->cells);
        if (copy) {
            memcpy(copy, cells, (size_t)ctx->data->cells * 4);
            fr = copy + (fr - cells);
            ctx->s = copy;
        } else {
            grog_fail(ctx, GROG_FAIL_BUDGET, -1);
            on_view = 0;
        }
    }
    if (on_view) {
        int32_t viewed = (int32_t)ctx->program->view_mark;
        ctx->s[GROG_H_BRANCH] = GROG_NONE;
        if (!ctx->remembers || viewed < 0 || !grog_known_value(ctx, GROG_VIEW, viewed, chooser, 0, 0))
            any = grog_mask_for(ctx, chooser, masked);
    }
    ctx->cand_count = 0;
    ctx->enough = grog_wanted(ctx, few);
    offer(ctx, fr, 0);
    grog_offered(ctx, ordered);
    if (distinct >= 0 && !ctx->fail) grog_distinct(ctx, &ctx->data->likeness[distinct]);
    if (has_extra && !ctx->fail && (has_extra == 2 || ctx->cand_count < ctx->enough)) {
        int64_t i = 0;
        while (i < ctx->cand_count && ctx->cand[i] != extra) i++;
        if (i == ctx->cand_count && offer(ctx, fr, 1)) grog_yield(ctx, extra);
    }
    if (on_view) {
        if (any) {
            grog_undo(ctx, kept);
            for (int32_t i = 0; i < GROG_MARK_WORDS; i++) grog_changed(ctx, i, masked[i]);
        }
        ctx->s[GROG_H_BRANCH] = branch;
        ctx->s = cells;
    }
    ctx->level = level;
    grog_release(ctx, mark);
}

/* A decision is pending. */
static inline void grog_decide(grog_ctx *ctx, int32_t chooser, int32_t ask) {
    ctx->s[GROG_H_STATUS] = GROG_DECISION;
    ctx->s[GROG_H_CHOOSER] = chooser;
    ctx->s[GROG_H_ASK] = ask;
    ctx->offered = 1;
}

/* Gives an answer, at random or the first, where one would have to be waited for, as if the driver had stopped here and gone
 * on; leaves it in front of the candidates.  0: there is nobody who answers so, or he has answered enough. */
static __attribute__((noinline, unused)) int32_t grog_draw_answer(grog_ctx *ctx) {
    int32_t *s = ctx->s;
    if (s[GROG_H_PLY] >= ctx->draw_ply) return 0;
    ctx->draws--;
    grog_allow(ctx, ctx->draw_steps);
    if (!ctx->first) ctx->cand[0] = ctx->cand[grog_pcg_draw(&ctx->dice, (uint32_t)ctx->cand_count)];
    s[GROG_H_EPOCH] = (int32_t)((uint32_t)s[GROG_H_EPOCH] + 1);
    return 1;
}

/* Whether a machine that has candidates goes on with the first of them: it is the only one, which settles it (`lone`), or
 * answers are given without waiting. */
static inline int32_t grog_goes_on(grog_ctx *ctx, int32_t lone) {
    if (lone && ctx->cand_count == 1) return 1;
    return ctx->draws > 0 && grog_draw_answer(ctx);
}

#if defined(__x86_64__) && defined(__GNUC__)
#define GROG_PICKS (__builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt"))

/* As grog_draw_answer, from a mask. */
__attribute__((target("bmi2,popcnt"))) static __attribute__((noinline, unused)) int32_t grog_draw_bit(grog_ctx *ctx) {
    int32_t *s = ctx->s;
    if (s[GROG_H_PLY] >= ctx->draw_ply || !ctx->cand_room) return 0;
    ctx->draws--;
    grog_allow(ctx, ctx->draw_steps);
    uint64_t found = ctx->cand_bits;
    uint32_t drawn = grog_pcg_draw(&ctx->dice, (uint32_t)__builtin_popcountll(found));
    ctx->cand[0] = (int32_t)(ctx->cand_first + __builtin_ctzll(_pdep_u64(UINT64_C(1) << drawn, found)));
    s[GROG_H_EPOCH] = (int32_t)((uint32_t)s[GROG_H_EPOCH] + 1);
    return 1;
}
#else
#define GROG_PICKS 0
static inline int32_t grog_draw_bit(grog_ctx *ctx) { return (void)ctx, 0; }
#endif

/* Before candidates are collected by a function that does nothing else: a mask of them may stay one. */
static inline void grog_defer(grog_ctx *ctx) {
    ctx->cand_count = 0;
    ctx->cand_bits = 0;
    ctx->defers = ctx->draws > 0 && !ctx->first && GROG_PICKS;
}

/* As grog_goes_on, behind grog_defer: the answer lies in front, or all candidates are written down. */
static inline int32_t grog_goes_on_from(grog_ctx *ctx, int32_t lone) {
    if (!ctx->cand_bits) return grog_goes_on(ctx, lone);
    if (!(lone && ctx->cand_count == 1) && grog_draw_bit(ctx)) return 1;
    ctx->cand_count = 0;
    grog_yield_bits(ctx, ctx->cand_bits, (int32_t)ctx->cand_first);
    return grog_goes_on(ctx, lone);
}

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
    ctx->remembers = GROG_FORGETS;
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

/* Forgets what was running: an empty stack, no journal, nobody asked. */
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
    int64_t remembers = ctx->remembers;
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
    ctx->level = ctx->keeps = ctx->draws = ctx->remembers = 0;
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
    ctx->remembers = remembers;
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

/* Remembers the position that ctx->cand belongs to, so that an answer to it need not ask again. */
static inline void grog_remember(grog_ctx *ctx) {
    ctx->known = ctx->offered && !ctx->fail && ctx->s[GROG_H_STATUS] == GROG_DECISION;
    if (ctx->known) memcpy(ctx->known_cells, ctx->s, (size_t)ctx->data->cells * 4);
}

/* For calls that leave something else in ctx->cand. */
static inline void grog_forget(grog_ctx *ctx) { ctx->known = 0; }

static inline int32_t grog_recall(grog_ctx *ctx, const int32_t *cells) {
    return ctx->known && memcmp(ctx->known_cells, cells, (size_t)ctx->data->cells * 4) == 0;
}

/* Steps that finding candidates may take, and whole runs where the caller says nothing. */
#define GROG_BUDGET INT64_C(50000000)

/* Candidates of a position from outside, whose cells may be foreign. */
static inline int32_t grog_ask_about(grog_ctx *ctx, int32_t *cells, int64_t foreign) {
    if (cells[GROG_H_STATUS] != GROG_DECISION) return GROG_NOT_PENDING;
    if (grog_recall(ctx, cells)) {
        ctx->fail = 0;
        return 0;
    }
    ctx->known = 0;
    grog_begin(ctx, cells, 0, GROG_BUDGET);
    ctx->foreign = foreign;
    int32_t code = grog_candidates(ctx);
    ctx->foreign = 0;
    if (code == 0) grog_remember(ctx);
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
    if (!level) grog_remember_values(ctx, 0);
    ctx->script = script;
    ctx->script_count = script_count;
    ctx->script_used = script_used;
    grog_answer(ctx, value);
    grog_remember(ctx);
    return 0;
}

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

/* Runs on with random answers until there may be no more of them.  A decision that this run did not come to by itself is
 * asked for here; all others are answered where they stand. */
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
    grog_remember_values(ctx, 0);
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
        grog_remember_values(ctx, 0);
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
    ctx->recalled = ctx->worked_out = 0;
    for (int64_t run = 0; run < n && !ctx->fail; run++) {
        uint64_t first = grog_pcg_next(&dice);
        uint64_t second = grog_pcg_next(&dice);
        int32_t value = 0;
        grog_begin(ctx, cells, 0, budget);
        /* What the last run found out was taken back with its writes. */
        grog_remember_a_while(ctx);
        /* The first runs show whether the same is asked often enough. */
        if (run >= GROG_FIRST_RUNS && ctx->recalled < ctx->worked_out) ctx->remembers = GROG_FORGETS;
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
    if (ctx->asked_once)
        for (int64_t i = 0; i < GROG_FIXED_HINTS; i++) {
            free(ctx->asked_once[i].mask);
            free(ctx->asked_once[i].value);
        }
    free(ctx->asked_once);
    if (ctx->holders)
        for (int64_t i = 0; i < GROG_INDICES; i++) free(ctx->holders[i].held);
    free(ctx->holders);
    free(ctx->undo);
    free(ctx->values);
    free(ctx->sets);
    for (int32_t i = 0; ctx->found && i < GROG_FOUND; i++) grog_search_close(&ctx->found[i].search);
    free(ctx->found);
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
