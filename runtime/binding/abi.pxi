# The C interface of the kernels, as far as the binding uses it.

cdef extern from "engine.h" nogil:
    ctypedef const int32_t *grog_array
    ctypedef struct grog_ctx:
        int64_t fail
        int32_t fail_site
        int32_t fail_count
        int64_t fail_detail[16]
        int32_t *trace
        int64_t trace_count
        const int32_t *script
        int64_t script_count
        int64_t script_used
        int32_t *cand
        int64_t cand_count
        int32_t offered
        int64_t steps
        uint64_t serial
        int64_t keeps
        int32_t *undo
        int64_t undo_count
        uint64_t created
        int64_t memo_mode
    ctypedef struct grog_program:
        int64_t abi
        int32_t (*call)(grog_ctx *, int32_t, grog_array *, int32_t *) noexcept nogil
    const int64_t GROG_ABI
    int32_t *grog_push(grog_ctx *, int32_t machine, int32_t caller, int32_t local)
    void grog_memo_begin_short(grog_ctx *)
    ctypedef struct grog_map:
        int32_t n
        const int32_t *q
        const int32_t *r
        const int32_t *neighbours
        int32_t width
        int32_t height
    ctypedef struct grog_space:
        int64_t hexes
        int64_t sides
        int64_t domain
        int64_t base
        int64_t n
        grog_map map
        const int32_t *start
        const int32_t *adjacent
        int32_t edge_base
        int32_t edges
        const int32_t *edge_a
        const int32_t *edge_b
        const int32_t *side_edge
    ctypedef struct grog_interchange:
        int64_t base
        int64_t count
        int64_t own
        int64_t sets
        int64_t lists
        int64_t values
        int64_t single
        const int64_t *own_at
        const int64_t *set_at
        const int64_t *list_at
        const int64_t *value_at
    ctypedef struct grog_data:
        int64_t cells
        int64_t journal_off
        int64_t journal_entries
        int64_t stack_off
        int64_t stack_cells
        const int64_t *dom_base
        const int64_t *dom_count
        const int64_t *dom_words
        int64_t field_count
        const int64_t *field_off
        const int64_t *field_words
        const int64_t *field_cells
        const int64_t *field_lo
        const int64_t *field_hi
        const int64_t *frame_size
        const int64_t *frame_site
        const int64_t *local_start
        const int64_t *frame_off
        const int64_t *list_start
        const int64_t *list_at
        grog_array *col
        grog_array *tab
        const int32_t *sym
        const grog_space *spaces
        int64_t space_count
        int64_t turns
        const int32_t *place_domain
        int64_t place_count
        int64_t machine_count
        int64_t spare_words
        const grog_interchange *likeness
    ctypedef struct grog_tally:
        int64_t *outcomes
        int64_t seats
        int64_t base
        int64_t plies
        int64_t answers
    ctypedef struct grog_sampled:
        int32_t machine
        int32_t function
        int32_t measure
        int32_t random
        int64_t arg_count
        const int64_t *arg_off
        const int64_t *arg_cells
        grog_array *given
        grog_array *measured
        int64_t most
    ctypedef struct grog_counts:
        int32_t *value
        int64_t *count
        uint64_t mask
        int64_t used
    int32_t grog_counts_open(grog_counts *, uint64_t size)
    void grog_counts_free(grog_counts *)
    void grog_samples(grog_ctx *, const int32_t *, const grog_sampled *, int64_t n, uint64_t seed, int64_t budget, grog_counts *)
    ctypedef struct grog_failed:
        int32_t code
        int32_t kind
        int32_t site
        int32_t count
        int64_t detail[16]
    const int32_t *GROG_NO_DICE
    enum:
        GROG_NONE
        GROG_DONE
        GROG_DECISION
        GROG_H_FP
        GROG_H_STATUS
        GROG_H_PLY
        GROG_H_CHOOSER
        GROG_H_OUTCOME
        GROG_H_ASK
        GROG_H_JOURNAL
        GROG_H_BRANCH
        GROG_HEADER
        GROG_J_CELLS
        GROG_RUNNING
        GROG_OVER
        GROG_NOT_PENDING
        GROG_NO_CANDIDATE
        GROG_FAIL_BUDGET
    const int64_t GROG_BUDGET
    void grog_map_init(grog_map *, int32_t n, int32_t orientation, const int32_t *q, const int32_t *r, const int32_t *neighbours, int32_t qmin, int32_t rmin, int32_t width, int32_t height, const int32_t *grid)
    int32_t grog_lines_build(grog_map *, int32_t max_range)
    void grog_lines_free(grog_map *)
    int32_t grog_space_prepare(grog_space *)
    void grog_space_release(grog_space *)
    grog_ctx *grog_ctx_new(const grog_data *, const grog_program *)
    void grog_ctx_free(grog_ctx *)
    int32_t *grog_mark(grog_ctx *)
    void grog_release(grog_ctx *, int32_t *)
    int32_t *grog_alloc(grog_ctx *, int64_t words)
    void grog_fail(grog_ctx *, int32_t kind, int32_t site)
    void grog_begin(grog_ctx *, int32_t *cells, int32_t level, int64_t budget)
    void grog_run(grog_ctx *)
    void grog_memo_begin(grog_ctx *, uint64_t serial)
    void grog_candidates_keep(grog_ctx *)
    void grog_candidates_drop(grog_ctx *)
    void grog_failed_keep(grog_ctx *, grog_failed *)
    void grog_afresh(grog_ctx *)
    int32_t grog_ask_candidates(grog_ctx *, int32_t *cells)
    int32_t grog_give_answer(grog_ctx *, int32_t *cells, int32_t value, int32_t level, int64_t budget, const int32_t *script, int64_t script_count, int64_t script_used)
    int32_t grog_candidates(grog_ctx *)
    void grog_answer(grog_ctx *, int32_t value)
    uint64_t grog_pcg_seeded(uint64_t seed)
    uint32_t grog_pcg_next(uint64_t *state)
    void grog_playouts(grog_ctx *, const int32_t *, int64_t games, uint64_t seed, int64_t most, int64_t budget, grog_tally *)
    uint64_t grog_pcg_seeded(uint64_t seed)
    uint32_t grog_pcg_next(uint64_t *state)
    int64_t grog_wander(grog_ctx *, int32_t *cells, uint64_t seed, int64_t plies, int64_t most, int64_t budget)
    int64_t grog_perft(grog_ctx *, const int32_t *, int64_t depth, int64_t budget)

cdef extern from "rollout.h" nogil:
    ctypedef struct grog_evaluation:
        int64_t sides
        int64_t side_base
        int64_t seats
        int64_t seat_base
        const int64_t *side_of
        int64_t function
        grog_array *given
        int64_t factor
        int64_t kinds
        const int64_t *counters
        int64_t won
    ctypedef struct grog_rollout_options:
        int64_t plans
        int64_t finalists
        int64_t tries
    int64_t grog_guided_rollout(grog_ctx *, int32_t *cells, uint64_t seed, int64_t plies, int64_t most, const grog_rollout_options *, const grog_evaluation *, int64_t side, int64_t budget, int64_t *stood)

cdef extern from "transition_cache.h" nogil:
    ctypedef struct grog_stop:
        int64_t sort
        int64_t dice
        int64_t lo
        int64_t hi
        int64_t elements
        int64_t words
    ctypedef struct grog_pieces:
        int64_t domain
        int64_t base
        int64_t count
        int64_t alive
        int64_t interchangeable
        int64_t own
        int64_t sets
        int64_t lists
        int64_t values
        const int64_t *own_at
        const int64_t *set_at
        const int64_t *list_at
        const int64_t *value_at
        int64_t looks
        const int64_t *look_at
        int64_t kept
        const int64_t *kept_at
    ctypedef struct grog_rest:
        int64_t known
        int64_t clears
        int64_t names
        const int64_t *clear_at
        const int64_t *name_at
    ctypedef struct grog_owner:
        int32_t pieces
        int32_t at
    ctypedef struct grog_chance:
        const grog_data *data
        const int64_t *block_start
        const int64_t *stop_of
        const grog_stop *stops
        grog_rest *rest
        int64_t pieces_count
        grog_pieces *pieces
        int64_t loose
        const int64_t *loose_at
        grog_owner *owner
    ctypedef struct grog_frames:
        int32_t *fr
        int64_t block
    enum:
        GROG_SORT_EACH
        GROG_SORT_POOL
    grog_frames grog_top(const grog_chance *, int32_t *)
    void grog_below(const grog_chance *, int32_t *, grog_frames *)
    const grog_stop *grog_stop_at(const grog_chance *, int32_t *, int32_t **)
    int64_t grog_simplify(const grog_chance *, grog_ctx *, int32_t *, const int32_t *)
    int32_t grog_limit(const grog_stop *, const int32_t *, int64_t)
    int32_t grog_put_hits(const grog_stop *, int32_t *, int64_t, uint64_t)
    void grog_put_fallen(const grog_stop *, int32_t *, const int32_t *, int64_t)
    void grog_fallen(const grog_stop *, int32_t *, int32_t *)
    int64_t grog_set_scan(const int32_t *, int64_t, int64_t)
    int32_t grog_set_count(const int32_t *, int64_t)
    ctypedef struct grog_node:
        int32_t sort
        int32_t faces
        int32_t parts
        int32_t outcome
        int32_t least
    ctypedef struct grog_kept:
        int32_t count
        int32_t ordered
    ctypedef struct grog_transition_run:
        int64_t result
        int32_t at
    ctypedef struct grog_walking:
        grog_transition_run run[8]
    ctypedef struct grog_transitions:
        int64_t cells
        int64_t nodes
        int64_t numbers
        int64_t number_room
        int64_t strides
        int64_t stride_room
        int64_t outcomes
        grog_node *node
        grog_kept *kept
        int32_t *number
        int64_t *stride
        int64_t *tally
    const int64_t GROG_RESULTS
    int32_t grog_more(void **, int64_t *, int64_t, int64_t, size_t)
    int32_t grog_transitions_open(grog_transitions *, const int32_t *, int64_t)
    void grog_transitions_free(grog_transitions *)
    int32_t grog_node_of(grog_transitions *, const int32_t *, int32_t *)
    void grog_node_cells(const grog_transitions *, int64_t, int32_t *)
    int32_t grog_node_results(grog_transitions *, grog_node *, int64_t)
    int32_t grog_describe(const grog_chance *, grog_ctx *, grog_transitions *, int32_t, int32_t *)
    int32_t grog_put_result(const grog_chance *, grog_ctx *, const grog_transitions *, int32_t, int64_t, int32_t *)
    int32_t grog_lead(grog_transitions *, int32_t, int64_t, int32_t)
    void grog_walking_open(grog_walking *, int64_t, uint64_t)
    int32_t grog_transitions_walk(const grog_transitions *, grog_walking *, int64_t)


cdef extern from "attrition.h" nogil:
    ctypedef struct grog_pool:
        int64_t dice
        int64_t lo
        int64_t hi
        int32_t count[128]
    ctypedef struct grog_shape:
        int64_t frames
        int64_t block[60]
    ctypedef struct grog_change:
        int32_t cell
    ctypedef struct grog_chain:
        int64_t cells
        int64_t states
        int64_t changes
        int32_t *entry
        grog_change *change
        grog_pool *pool
        uint64_t *look
        unsigned char *mark
    ctypedef struct grog_place:
        int32_t grid
        uint16_t i
        uint16_t j
    ctypedef struct grog_index:
        int64_t used
        grog_place *place
    enum:
        GROG_DEEP
    int32_t grog_pool_at(const grog_chance *, int32_t *, grog_pool *)
    int64_t grog_some_hits(const grog_pool *, int64_t, int32_t, int32_t, uint64_t *)
    void grog_shape_of(const grog_chance *, int32_t *, grog_shape *)
    int32_t grog_same_shape(const grog_shape *, const grog_shape *)
    int32_t grog_chain_open(grog_chain *, const int32_t *, int64_t)
    void grog_chain_free(grog_chain *)
    int32_t grog_chain_add(const grog_chance *, grog_chain *, const int32_t *, const int32_t *)
    void grog_keep_alive(const grog_chance *, const int32_t *, int32_t *)
    void grog_copy_used(const grog_chance *, int32_t *, const int32_t *)
    void grog_copy_around(const grog_data *, int32_t *, const int32_t *, int64_t, int64_t)
    int32_t grog_same_used(const grog_chance *, const int32_t *, const int32_t *)
    int64_t grog_pack(const grog_chance *, const int32_t *, const int32_t *, int32_t *)
    void grog_chain_put(const grog_chain *, int64_t, int64_t, int32_t *)
    int32_t grog_chain_differs(const grog_chain *, const int32_t *, const int32_t *)
    uint64_t grog_looks(const grog_chance *, const int32_t *)
    int32_t grog_same_kinds(const grog_pool *, const grog_pool *)
    int32_t grog_same_pool(const grog_pool *, const grog_pool *)
    int64_t grog_chain_dice(const grog_chain *)
    int32_t grog_chain_hits(const grog_chain *, double, double *, int64_t *, int64_t *)
    int32_t grog_came_into_play(const grog_chance *, const grog_ctx *)
    ctypedef struct grog_ends:
        int64_t m
        int64_t n
        int64_t wanted
        const int32_t *base
        int64_t *count
        int32_t *value
    int32_t grog_ends_open(grog_ends *, int64_t, int64_t, int64_t, const int32_t *)
    void grog_ends_free(grog_ends *)
    int64_t grog_end_of(const grog_ends *, int64_t, int64_t)
    int32_t grog_end_same(const grog_ends *, int64_t, const int32_t *, int64_t)
    int32_t grog_end_keep(grog_ends *, int64_t, const int32_t *, int64_t)
    int32_t grog_ends_take(grog_ends *, const grog_ends *)
    int32_t grog_same_but_for_numbers(const grog_chance *, grog_ctx *, int32_t *, int32_t *, int32_t *)
    const grog_place *grog_index_find(const grog_index *, uint64_t)
    int32_t grog_index_add(grog_index *, int32_t, const grog_chain *, const grog_chain *, uint64_t, int32_t)
    int grog_attrition(int64_t m, int64_t n, const double *first, const int64_t *first_at, const double *second, const int64_t *second_at, double least, double *grid)
