# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: emit_code_comments=False, binding=False, embedsignature=False
"""The face of compiled engines towards Python: positions, contexts and calls, the same for every program.

A generated module offers its code as a capsule; grognard.native.engine puts an `Engine` of it and its data together.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t
from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, Py_buffer, PyBuffer_FillInfo, PyBuffer_Release, PyObject_GetBuffer
from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.ref cimport Py_INCREF
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, memcpy, memset

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
        uint64_t born
        int64_t remembers
    ctypedef struct grog_program:
        int64_t abi
        int32_t (*call)(grog_ctx *, int32_t, grog_array *, int32_t *) noexcept nogil
    const int64_t GROG_ABI
    int32_t *grog_push(grog_ctx *, int32_t machine, int32_t caller, int32_t local)
    void grog_remember_a_while(grog_ctx *)
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
    ctypedef struct grog_likeness:
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
        const grog_likeness *likeness
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
    void grog_remember_values(grog_ctx *, uint64_t serial)
    void grog_remember(grog_ctx *)
    void grog_forget(grog_ctx *)
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

cdef extern from "stroll.h" nogil:
    ctypedef struct grog_appraisal:
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
    ctypedef struct grog_manner:
        int64_t plans
        int64_t finalists
        int64_t tries
    int64_t grog_stroll(grog_ctx *, int32_t *cells, uint64_t seed, int64_t plies, int64_t most, const grog_manner *, const grog_appraisal *, int64_t side, int64_t budget, int64_t *stood)

cdef extern from "chance.h" nogil:
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
    ctypedef struct grog_run_of_memo:
        int64_t result
        int32_t at
    ctypedef struct grog_walking:
        grog_run_of_memo run[8]
    ctypedef struct grog_memo:
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
    int32_t grog_memo_open(grog_memo *, const int32_t *, int64_t)
    void grog_memo_free(grog_memo *)
    int32_t grog_node_of(grog_memo *, const int32_t *, int32_t *)
    void grog_node_cells(const grog_memo *, int64_t, int32_t *)
    int32_t grog_node_results(grog_memo *, grog_node *, int64_t)
    int32_t grog_describe(const grog_chance *, grog_ctx *, grog_memo *, int32_t, int32_t *)
    int32_t grog_put_result(const grog_chance *, grog_ctx *, const grog_memo *, int32_t, int64_t, int32_t *)
    int32_t grog_lead(grog_memo *, int32_t, int64_t, int32_t)
    void grog_walking_open(grog_walking *, int64_t, uint64_t)
    int32_t grog_memo_walk(const grog_memo *, grog_walking *, int64_t)


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


#: Parameters that a policy's function can have.
cdef enum:
    MOST_GIVEN = 64
    #: blocks of cells that are kept for the next positions
    SPARE_BLOCKS = 16
    #: changes of cells that are noted of a step: more are not worth while
    MOST_CHANGES = 250
    #: numbers of a policy's line before its ranks
    LINE = 8
    #: outcomes that are looked at while a chain is followed
    MOST_LOOKED_AT = 64
    #: as grognard.odds.attrition.probe has them
    HITS_SOME = -1
    HITS_ENOUGH = -2
    #: answers between two rolls: more is a procedure that goes round in circles
    MOST_ANSWERS = 100000

def hits(const int64_t[::1] dice, const int64_t[::1] ends, double least):
    """The chances of 0, 1, 2 ... hits of many pools, one after the other, as bytes of doubles, and where each begins, as bytes.

    dice: (ways of a hit, all ways, how many) one after the other; ends: how many of these each pool and those before it have."""
    cdef int64_t most = 0, room = 0, begin = 0, pool, count, group, die, k, at = 0
    cdef double p, q
    cdef double *spread
    cdef int64_t *starts
    cdef int64_t pools = ends.shape[0]
    for pool in range(pools):
        if not begin <= ends[pool] <= dice.shape[0] // 3:
            raise ValueError("pools outside their dice")
        most = 1
        for group in range(begin, ends[pool]):
            if dice[3 * group + 1] < 1 or not 0 <= dice[3 * group] <= dice[3 * group + 1] or not 0 <= dice[3 * group + 2] <= 1 << 20:
                raise ValueError("dice that cannot be")
            most += dice[3 * group + 2]
        room += most
        begin = ends[pool]
    spread = <double *>PyMem_Calloc(room + 1, sizeof(double))
    starts = <int64_t *>PyMem_Calloc(pools + 1, sizeof(int64_t))
    try:
        if spread == NULL or starts == NULL:
            raise MemoryError
        begin = 0
        for pool in range(pools):
            count = 1
            spread[at] = 1
            for group in range(begin, ends[pool]):
                p = <double>dice[3 * group] / dice[3 * group + 1]
                q = <double>(dice[3 * group + 1] - dice[3 * group]) / dice[3 * group + 1]
                for die in range(dice[3 * group + 2]):
                    spread[at + count] = 0
                    for k in range(at + count, at, -1):
                        spread[k] = spread[k] * q + spread[k - 1] * p
                    spread[at] *= q
                    count += 1
            while count > 1 and spread[at + count - 1] < least:
                count -= 1
            at += count
            starts[pool + 1] = at
            begin = ends[pool]
        return (<char *>spread)[:at * sizeof(double)], (<char *>starts)[:(pools + 1) * sizeof(int64_t)]
    finally:
        PyMem_Free(spread)
        PyMem_Free(starts)


def attrition(int64_t m, int64_t n, const double[::1] first, const int64_t[::1] first_at, const double[::1] second, const int64_t[::1] second_at, double least):
    """(the ends after all has fallen, what never ends): ends where the first side is gone by the losses of the second, 0 .. n, then
    those where only the second is, by the losses of the first."""
    if m < 1 or n < 1 or first_at.shape[0] != m + 1 or second_at.shape[0] != n + 1:
        raise ValueError("not as many parts as losses")
    if first_at[m] > first.shape[0] or second_at[n] > second.shape[0] or not first.shape[0] or not second.shape[0]:
        raise ValueError("parts outside their values")
    cdef int64_t part
    for part in range(m):
        if first_at[part] < 0 or first_at[part + 1] <= first_at[part]:
            raise ValueError("parts without values")
    for part in range(n):
        if second_at[part] < 0 or second_at[part + 1] <= second_at[part]:
            raise ValueError("parts without values")
    return swept(m, n, &first[0], &first_at[0], &second[0], &second_at[0], least)


cdef tuple swept(int64_t m, int64_t n, const double *first, const int64_t *first_at, const double *second, const int64_t *second_at, double least):
    cdef double *grid = <double *>PyMem_Calloc((m + 1) * (n + 1) + 3, sizeof(double))
    cdef double endless = 0
    cdef int64_t i, j
    cdef int done
    cdef list ends
    try:
        if grid == NULL:
            raise MemoryError
        with nogil:
            done = grog_attrition(m, n, first, first_at, second, second_at, least, grid)
            for i in range(m):
                for j in range(n):
                    endless += grid[i * (n + 1) + j]
        if not done:
            raise MemoryError
        ends = [grid[m * (n + 1) + j] for j in range(n + 1)]
        for i in range(m):
            ends.append(grid[i * (n + 1) + n])
        return ends, endless
    finally:
        PyMem_Free(grid)


cdef class Engine


#: Room for the cells of a position, and what is known of them: the number of the position, that of the one before it, and the
#: cells of fields in which the two may differ.
cdef struct Block:
    uint64_t serial
    uint64_t before
    int64_t changes
    int32_t changed[MOST_CHANGES]
    int32_t cells[1]


@cython.freelist(8)
cdef class Cells:
    """The cells of a position that is played on from: they never change, and each has a number of its own.

    To whoever reads them they are bytes."""

    cdef Engine engine
    cdef Block *block

    def __dealloc__(self):
        if self.block != NULL:
            self.engine.put_block(self.block)

    def __getbuffer__(self, Py_buffer *view, int flags):
        PyBuffer_FillInfo(view, self, self.block.cells, 4 * self.engine.data.cells, True, flags)

    def __len__(self):
        return 4 * self.engine.data.cells

    def __eq__(self, other):
        if not isinstance(other, (Cells, bytes, bytearray)):
            return NotImplemented
        with memoryview(self) as mine, memoryview(other) as theirs:
            return mine == theirs

    # As with bytearrays: what is equal would need to have equal hashes.
    __hash__ = None


cdef class Engine:
    """A program with its data.  Shared by threads: every call takes a context of its own from the pool."""

    cdef grog_data data
    cdef const grog_program *program
    cdef grog_space *spaces
    cdef grog_likeness *likeness
    cdef grog_array *columns
    cdef grog_array *tables
    cdef grog_ctx **pool
    cdef Py_ssize_t pooled
    cdef Py_ssize_t room
    cdef list kept
    cdef object failure
    #: blocks of cells that no position has any more, for the next ones
    cdef Block *blocks[SPARE_BLOCKS]
    cdef Py_ssize_t block_count
    cdef uint64_t serials

    def __cinit__(self, module, prepared, failure):
        self.kept = [module]
        self.failure = failure
        self.program = <const grog_program *>PyCapsule_GetPointer(module.PROGRAM, "grognard.program")
        if self.program.abi != GROG_ABI:
            raise ValueError("the module was compiled for another version of the kernels")
        self.data.cells = prepared.cells
        self.data.journal_off = prepared.journal_off
        self.data.journal_entries = prepared.journal_entries
        self.data.stack_off = prepared.stack_off
        self.data.stack_cells = prepared.stack_cells
        self.data.dom_base = self.wide(prepared.dom_base)
        self.data.dom_count = self.wide(prepared.dom_count)
        self.data.dom_words = self.wide(prepared.dom_words)
        self.data.field_count = len(prepared.field_off) - 1
        self.data.field_off = self.wide(prepared.field_off)
        self.data.field_words = self.wide(prepared.field_words)
        self.data.field_cells = self.wide(prepared.field_cells)
        self.data.field_lo = self.wide(prepared.field_lo)
        self.data.field_hi = self.wide(prepared.field_hi)
        self.data.frame_size = self.wide(prepared.frame_size)
        self.data.frame_site = self.wide(prepared.frame_site)
        self.data.local_start = self.wide(prepared.local_start)
        self.data.frame_off = self.wide(prepared.frame_off)
        self.data.list_start = self.wide(prepared.list_start)
        self.data.list_at = self.wide(prepared.list_at)
        self.data.machine_count = len(prepared.frame_size) - 1
        self.data.spare_words = prepared.spare_words
        self.data.sym = self.cells32(prepared.symbols)
        self.data.place_domain = self.cells32(prepared.place_domain)
        self.data.place_count = len(prepared.place_domain) - 1
        self.columns = self.arrays(prepared.columns)
        self.tables = self.arrays(prepared.tables)
        self.data.col = self.columns
        self.data.tab = self.tables
        self.load_spaces(prepared.spaces)
        self.load_likeness(prepared.likeness)

    def __dealloc__(self):
        cdef Py_ssize_t i
        for i in range(self.pooled):
            grog_ctx_free(self.pool[i])
        PyMem_Free(self.pool)
        PyMem_Free(self.columns)
        PyMem_Free(self.tables)
        if self.spaces != NULL:
            for i in range(self.data.space_count):
                if self.spaces[i].hexes:
                    grog_lines_free(&self.spaces[i].map)
                grog_space_release(&self.spaces[i])
        PyMem_Free(self.spaces)
        PyMem_Free(self.likeness)
        for i in range(self.block_count):
            free(self.blocks[i])

    # -- loading: the arrays stay alive in `kept`

    cdef const void *pointer(self, array) except NULL:
        cdef Py_buffer view
        PyObject_GetBuffer(array, &view, PyBUF_SIMPLE)
        cdef const void *found = view.buf
        PyBuffer_Release(&view)
        self.kept.append(array)
        return found

    cdef const int64_t *wide(self, array) except NULL:
        if array.typecode != "q" or array.itemsize != 8 or not len(array):
            raise ValueError("not an array of 64-bit numbers")
        return <const int64_t *>self.pointer(array)

    cdef const int32_t *cells32(self, array) except NULL:
        if array.typecode != "i" or array.itemsize != 4 or not len(array):
            raise ValueError("not an array of 32-bit numbers")
        return <const int32_t *>self.pointer(array)

    cdef grog_array *arrays(self, arrays) except NULL:
        cdef grog_array *made = <grog_array *>PyMem_Calloc(len(arrays) + 1, sizeof(grog_array))
        cdef Py_ssize_t i
        if made == NULL:
            raise MemoryError
        for i in range(len(arrays)):
            made[i] = self.cells32(arrays[i])
        return made

    cdef int load_spaces(self, spaces) except -1:
        cdef Py_ssize_t i
        cdef grog_space *space
        self.spaces = <grog_space *>PyMem_Calloc(len(spaces) + 1, sizeof(grog_space))
        if self.spaces == NULL:
            raise MemoryError
        self.data.spaces = self.spaces
        self.data.space_count = len(spaces)
        self.data.turns = next((given.sides for given in spaces if given.sides), 6)
        for i in range(len(spaces)):
            given = spaces[i]
            space = &self.spaces[i]
            space.domain = given.domain
            space.base = given.base
            space.n = given.n
            space.edge_base = given.edge_base
            space.edges = given.edges
            space.edge_a = self.cells32(given.edge_a)
            space.edge_b = self.cells32(given.edge_b)
            if given.side_edge is not None:
                space.side_edge = self.cells32(given.side_edge)
            space.sides = given.sides
            if given.hexes:
                self.load_map(&space.map, given)
                space.hexes = 1
            elif given.sides:
                space.map.n = given.n
                space.map.q = self.cells32(given.q)
                space.map.r = self.cells32(given.r)
                space.map.neighbours = self.cells32(given.neighbours)
            else:
                space.start = self.cells32(given.start)
                space.adjacent = self.cells32(given.adjacent)
            if not grog_space_prepare(space):
                raise MemoryError
        return 0

    cdef int load_map(self, grog_map *map, given) except -1:
        grog_map_init(
            map, given.n, given.orientation, self.cells32(given.q), self.cells32(given.r),
            self.cells32(given.neighbours), given.qmin, given.rmin, given.width, given.height,
            self.cells32(given.grid),
        )
        if given.line_range >= 0:
            grog_lines_build(map, given.line_range)
        return 0

    cdef int load_likeness(self, given) except -1:
        cdef Py_ssize_t i
        self.likeness = <grog_likeness *>PyMem_Calloc(len(given) + 1, sizeof(grog_likeness))
        if self.likeness == NULL:
            raise MemoryError
        self.data.likeness = self.likeness
        for i in range(len(given)):
            base, count, own, sets, lists, values = given[i]
            self.likeness[i].base = base
            self.likeness[i].count = count
            self.likeness[i].own = (len(own) - 1) // 2
            self.likeness[i].sets = (len(sets) - 1) // 3
            self.likeness[i].lists = (len(lists) - 1) // 3
            self.likeness[i].values = (len(values) - 1) // 2
            while self.likeness[i].single < self.likeness[i].own and own[2 * self.likeness[i].single + 1] == 1:
                self.likeness[i].single += 1
            self.likeness[i].own_at = self.wide(own)
            self.likeness[i].set_at = self.wide(sets)
            self.likeness[i].list_at = self.wide(lists)
            self.likeness[i].value_at = self.wide(values)
        return 0

    # -- contexts and positions

    cdef grog_ctx *borrow(self) except NULL:
        cdef grog_ctx *ctx
        if self.pooled:
            self.pooled -= 1
            return self.pool[self.pooled]
        ctx = grog_ctx_new(&self.data, self.program)
        if ctx == NULL:
            raise MemoryError
        return ctx

    cdef void give_back(self, grog_ctx *ctx) noexcept:
        cdef grog_ctx **grown
        cdef Py_ssize_t room, i
        if self.pooled == self.room:
            room = 2 * self.room + 4
            grown = <grog_ctx **>PyMem_Calloc(room, sizeof(grog_ctx *))
            if grown == NULL:
                grog_ctx_free(ctx)
                return
            for i in range(self.pooled):
                grown[i] = self.pool[i]
            PyMem_Free(self.pool)
            self.pool = grown
            self.room = room
        self.pool[self.pooled] = ctx
        self.pooled += 1

    cdef int32_t *open(self, cells, Py_buffer *view, bint write) except NULL:
        PyObject_GetBuffer(cells, view, PyBUF_WRITABLE if write else PyBUF_SIMPLE)
        if view.len != 4 * self.data.cells or <size_t>view.buf % 4:
            PyBuffer_Release(view)
            raise ValueError(f"a position of this program has {4 * self.data.cells} bytes")
        return <int32_t *>view.buf

    cdef object told(self, grog_ctx *ctx):
        """The failure of the last run as an exception."""
        cdef int32_t i
        return self.failure(ctx.fail, ctx.fail_site, tuple([ctx.fail_detail[i] for i in range(ctx.fail_count)]))

    cdef int finish(self, grog_ctx *ctx, io, const int32_t *script) except -1:
        """Hand over trace and dice; raise the failure if there was one."""
        if ctx.trace_count:
            io.trace.frombytes((<char *>ctx.trace)[:4 * ctx.trace_count])
        if script != NULL:
            io.script_used = ctx.script_used
        if ctx.fail:
            raise self.told(ctx)
        return 0

    cdef const int32_t *script_of(self, io, int64_t *count, int64_t *used) except? NULL:
        count[0] = 0
        used[0] = 0
        if io.script is None:
            return NULL
        # An empty script still is one: the run must not fall back on the generator.
        count[0] = len(io.script)
        used[0] = io.script_used
        if used[0] < 0:
            raise ValueError("a script cannot be used before its first die")
        cdef Py_buffer view
        PyObject_GetBuffer(io.script, &view, PyBUF_SIMPLE)
        cdef const int32_t *found = <const int32_t *>view.buf
        PyBuffer_Release(&view)
        return found if count[0] and found != NULL else GROG_NO_DICE

    # -- the interface of a back end; arguments come as arrays

    def start(self, cells, int32_t machine, args, io):
        cdef Py_buffer view
        cdef int64_t script_count = 0, script_used = 0, budget = io.budget, i
        cdef int32_t level = io.level
        cdef const int32_t *script = self.script_of(io, &script_count, &script_used)
        cdef int32_t *s = self.open(cells, &view, True)
        cdef int32_t *fr
        cdef grog_ctx *ctx = NULL
        cdef const int32_t *value
        cdef Py_ssize_t n
        try:
            ctx = self.borrow()
            grog_begin(ctx, s, level, budget)
            ctx.script = script
            ctx.script_count = script_count
            ctx.script_used = script_used
            grog_afresh(ctx)
            fr = grog_push(ctx, machine, GROG_NONE, GROG_NONE)
            if fr != NULL:
                for offset, array in args:
                    value = self.borrowed(array)
                    for n in range(len(array)):
                        fr[<int64_t>offset + n] = value[n]
                with nogil:
                    grog_run(ctx)
                    grog_remember(ctx)
            self.finish(ctx, io, script)
        finally:
            PyBuffer_Release(&view)
            if ctx != NULL:
                self.give_back(ctx)

    cdef const int32_t *borrowed(self, array) except NULL:
        """The cells of an array that the caller keeps alive."""
        cdef Py_buffer view
        PyObject_GetBuffer(array, &view, PyBUF_SIMPLE)
        cdef const int32_t *found = <const int32_t *>view.buf
        PyBuffer_Release(&view)
        return found

    cdef grog_array *borrowed_all(self, arrays) except NULL:
        cdef grog_array *made = <grog_array *>PyMem_Calloc(len(arrays) + 1, sizeof(grog_array))
        cdef Py_ssize_t i
        if made == NULL:
            raise MemoryError
        for i in range(len(arrays)):
            made[i] = self.borrowed(arrays[i])
        return made

    def resume(self, cells, io):
        cdef Py_buffer view
        cdef int64_t script_count = 0, script_used = 0, budget = io.budget
        cdef int32_t level = io.level
        cdef const int32_t *script = self.script_of(io, &script_count, &script_used)
        cdef int32_t *s = self.open(cells, &view, True)
        cdef grog_ctx *ctx = NULL
        try:
            if s[GROG_H_STATUS] == GROG_RUNNING and s[GROG_H_FP] == GROG_NONE:
                raise ValueError("nothing to run: no machine was started")
            if s[GROG_H_STATUS] == GROG_RUNNING:
                ctx = self.borrow()
                with nogil:
                    grog_begin(ctx, s, level, budget)
                    ctx.script = script
                    ctx.script_count = script_count
                    ctx.script_used = script_used
                    grog_run(ctx)
                    grog_remember(ctx)
                self.finish(ctx, io, script)
        finally:
            PyBuffer_Release(&view)
            if ctx != NULL:
                self.give_back(ctx)

    def candidates(self, cells):
        cdef Py_buffer view
        cdef int32_t *s = self.open(cells, &view, False)
        cdef grog_ctx *ctx = NULL
        cdef int32_t code
        try:
            ctx = self.borrow()
            with nogil:
                code = grog_ask_candidates(ctx, s)
            if code == GROG_NOT_PENDING:
                raise ValueError("no decision is pending")
            if ctx.fail:
                raise self.told(ctx)
            return self.offered(ctx)
        finally:
            PyBuffer_Release(&view)
            if ctx != NULL:
                self.give_back(ctx)

    def answer(self, cells, value, io):
        cdef Py_buffer view
        cdef int64_t script_count = 0, script_used = 0, budget = io.budget
        cdef int32_t level = io.level, given, code
        cdef const int32_t *script = self.script_of(io, &script_count, &script_used)
        cdef int32_t *s
        cdef grog_ctx *ctx = NULL
        if not -0x80000000 <= value <= 0x7fffffff:
            raise ValueError(f"{value} is no candidate of the pending decision")
        given = value
        s = self.open(cells, &view, True)
        try:
            ctx = self.borrow()
            with nogil:
                code = grog_give_answer(ctx, s, given, level, budget, script, script_count, script_used)
            if code == GROG_NOT_PENDING:
                raise ValueError("no decision is pending")
            if code == GROG_NO_CANDIDATE:
                raise ValueError(f"{value} is no candidate of the pending decision")
            self.finish(ctx, io, script)
        finally:
            PyBuffer_Release(&view)
            if ctx != NULL:
                self.give_back(ctx)

    cdef list offered(self, grog_ctx *ctx):
        """The candidates that were found last."""
        cdef int64_t i
        cdef list found = PyList_New(ctx.cand_count)
        for i in range(ctx.cand_count):
            value = <object>ctx.cand[i]
            Py_INCREF(value)
            PyList_SET_ITEM(found, i, value)
        return found

    cdef Block *take_block(self, uint64_t wanted) except NULL:
        """Room for the cells of a position, with those of the wanted one in it if they are still there.  What its journal holds
        behind the last entry is zeros."""
        cdef Block *block
        cdef Py_ssize_t i = self.block_count
        if i:
            # What was given back last is what is wanted mostly.
            while i and self.blocks[i - 1].serial != wanted:
                i -= 1
            self.block_count -= 1
            if i:
                block = self.blocks[i - 1]
                self.blocks[i - 1] = self.blocks[self.block_count]
                return block
            return self.blocks[self.block_count]
        block = <Block *>calloc(1, sizeof(Block) + self.data.cells * 4)
        if block == NULL:
            raise MemoryError
        return block

    cdef void put_block(self, Block *block) noexcept:
        if self.block_count == SPARE_BLOCKS:
            free(block)
            return
        self.blocks[self.block_count] = block
        self.block_count += 1

    cdef int64_t entries(self, const int32_t *s) noexcept:
        """Entries of a position's journal."""
        cdef int64_t found = s[GROG_H_JOURNAL]
        return found if 0 <= found <= self.data.journal_entries else self.data.journal_entries

    cdef void copy_position(self, int32_t *to, const int32_t *s, const Block *differs) noexcept:
        """A copy of a position in a block.  Behind the last entry of the journal, which is mostly empty, there is nothing.  If it
        is known in which cells of fields the two may differ, the others are left."""
        cdef int64_t journal = self.data.journal_off, i
        cdef int64_t start = journal + self.entries(s) * GROG_J_CELLS
        cdef int64_t end = journal + self.data.journal_entries * GROG_J_CELLS
        cdef int64_t before = journal + self.entries(to) * GROG_J_CELLS
        if differs == NULL:
            memcpy(to, s, start * 4)
        else:
            for i in range(differs.changes):
                to[differs.changed[i]] = s[differs.changed[i]]
            memcpy(to, s, GROG_HEADER * 4)
            memcpy(to + journal, s + journal, (start - journal) * 4)
        if before > start:
            memset(to + start, 0, (before - start) * 4)
        memcpy(to + end, s + end, (self.data.cells - end) * 4)

    cdef void note_changes(self, grog_ctx *ctx, Block *block) noexcept:
        """Which cells of fields the step wrote, unless they are too many."""
        cdef int64_t i
        block.changes = ctx.undo_count // 2
        if block.changes > MOST_CHANGES:
            block.before = 0
            return
        for i in range(block.changes):
            block.changed[i] = ctx.undo[2 * i]

    def advance(self, cells, int32_t value):
        """What a position becomes by an answer that is known to be a candidate, and the candidates then.

        Nothing is traced, and the position itself is not changed."""
        cdef Py_buffer view
        cdef Cells made = Cells.__new__(Cells)
        cdef Block *block
        cdef Block *known = NULL
        cdef const int32_t *from_
        cdef int32_t *s
        cdef grog_ctx *ctx = NULL
        made.engine = self
        if type(cells) is Cells and (<Cells>cells).engine is self:
            # What was remembered when it was made can be right still, and what was there before may be lying about.
            known = (<Cells>cells).block
            made.block = block = self.take_block(known.before)
            s = block.cells
            self.copy_position(s, known.cells, known if known.before and block.serial == known.before else NULL)
        else:
            from_ = self.open(cells, &view, False)
            try:
                made.block = block = self.take_block(0)
                s = block.cells
                self.copy_position(s, from_, NULL)
            finally:
                PyBuffer_Release(&view)
        block.before = 0 if known == NULL else known.serial
        # Nobody can take it for anything before it is complete.
        block.serial = 0
        ctx = self.borrow()
        with nogil:
            grog_forget(ctx)
            grog_begin(ctx, s, 0, GROG_BUDGET)
            grog_remember_values(ctx, block.before)
            ctx.undo_count = 0
            ctx.keeps = 1
            grog_answer(ctx, value)
            ctx.keeps = 0
        try:
            if ctx.fail:
                # The journal is as the failure left it.
                memset(s + self.data.journal_off, 0, self.data.journal_entries * GROG_J_CELLS * 4)
                block.cells[GROG_H_JOURNAL] = 0
                raise self.told(ctx)
            self.serials += 1
            block.serial = ctx.serial = self.serials
            self.note_changes(ctx, block)
            return made, self.offered(ctx) if s[GROG_H_STATUS] == GROG_DECISION else []
        finally:
            ctx.undo_count = 0
            self.give_back(ctx)

    def call(self, cells, int32_t function, args, out, io):
        cdef Py_buffer view
        cdef int64_t script_count = 0, script_used = 0, budget = io.budget
        cdef int32_t level = io.level, result = 0
        cdef const int32_t *script = self.script_of(io, &script_count, &script_used)
        cdef int32_t *s = self.open(cells, &view, True)
        cdef grog_ctx *ctx = NULL
        cdef grog_array *given = NULL
        cdef int32_t *room = NULL
        cdef Py_ssize_t i
        try:
            given = <grog_array *>PyMem_Calloc(len(args) + 1, sizeof(grog_array))
            if given == NULL:
                raise MemoryError
            for i in range(len(args)):
                given[i] = self.borrowed(args[i])
            if out is not None:
                room = <int32_t *>self.borrowed(out)
            ctx = self.borrow()
            with nogil:
                grog_begin(ctx, s, level, budget)
                ctx.script = script
                ctx.script_count = script_count
                ctx.script_used = script_used
                # What a function offers outside a decision is offered to nobody.
                ctx.cand_count = 0
                grog_forget(ctx)
                result = self.program.call(ctx, function, given, room)
            self.finish(ctx, io, script)
            return result
        finally:
            PyMem_Free(given)
            PyBuffer_Release(&view)
            if ctx != NULL:
                self.give_back(ctx)

    # -- answers by a policy

    def answer_by(self, cells, const int32_t[::1] starts, const int32_t[::1] lines, int32_t most, bint dice):
        """Answer decisions as the lines say until something else stands there; how many were answered.

        Without `dice` a roll on the way is a failure.

        starts: for each ask where its lines begin and end in `lines`; a line is (when, value, me, number of ranks, set, its
        words, its first member, number, (highest, function) ...), functions that are not there are -1.  Set and number are
        cells of the frame where members of a set are picked one by one: all that are left, and how many are needed;
        elsewhere -1.  See runtime/odds/policy.py."""
        cdef Py_buffer view
        cdef int32_t *s = self.open(cells, &view, True)
        cdef grog_ctx *ctx = NULL
        cdef int32_t given = 0, code, value, picked = 0
        cdef int32_t *offered = NULL
        cdef int64_t room = 0, i
        try:
            ctx = self.borrow()
            with nogil:
                grog_forget(ctx)
                while given < most and s[GROG_H_STATUS] == GROG_DECISION:
                    if s[GROG_H_ASK] < 0 or s[GROG_H_ASK] + 1 >= starts.shape[0]:
                        break
                    if starts[s[GROG_H_ASK]] == starts[s[GROG_H_ASK] + 1]:
                        break
                    if grog_ask_candidates(ctx, s) == GROG_NOT_PENDING or ctx.fail:
                        break
                    if ctx.cand_count > room:
                        free(offered)
                        room = 2 * ctx.cand_count
                        offered = <int32_t *>malloc(room * sizeof(int32_t))
                        if offered == NULL:
                            break
                    for i in range(ctx.cand_count):
                        offered[i] = ctx.cand[i]
                    picked = self.pick(ctx, s, offered, ctx.cand_count, starts, lines, &value)
                    if ctx.fail or not picked:
                        break
                    code = grog_give_answer(ctx, s, value, 0, GROG_BUDGET, NULL if dice else GROG_NO_DICE, 0, 0)
                    if ctx.fail or code == GROG_NO_CANDIDATE or code == GROG_NOT_PENDING:
                        break
                    given += 1
            if room and offered == NULL:
                raise MemoryError
            if ctx.fail:
                raise self.told(ctx)
            return given
        finally:
            free(offered)
            PyBuffer_Release(&view)
            if ctx != NULL:
                self.give_back(ctx)

    cdef int32_t pick(self, grog_ctx *ctx, int32_t *s, const int32_t *offered, int64_t count, const int32_t[::1] starts, const int32_t[::1] lines, int32_t *value) noexcept nogil:
        """The candidate that the lines of the pending decision mean; 0 if they mean none."""
        cdef int32_t chooser = s[GROG_H_CHOOSER], machine, candidate, none = GROG_NONE, wanted, when, fixed, me, ranks
        cdef int32_t at = starts[s[GROG_H_ASK]], end = starts[s[GROG_H_ASK] + 1], found, k, key
        cdef int64_t i, n, first, params
        cdef int32_t best[8]
        cdef int32_t keys[8]
        cdef grog_array given[MOST_GIVEN]
        cdef int32_t *fr = s + self.data.stack_off + s[GROG_H_FP]
        if s[GROG_H_FP] < 0 or s[GROG_H_FP] + 4 > self.data.stack_cells:
            return 0
        machine = fr[0]
        if machine < 0 or machine >= self.data.machine_count:
            return 0
        first = self.data.local_start[machine]
        params = self.data.local_start[machine + 1] - first
        grog_begin(ctx, s, 0, GROG_BUDGET)
        ctx.script = GROG_NO_DICE
        ctx.script_count = 0
        ctx.script_used = 0
        while at < end:
            when = lines[at]
            fixed = lines[at + 1]
            me = lines[at + 2]
            ranks = lines[at + 3]
            given[0] = &chooser
            # More pointers than a function has parameters do no harm.
            for n in range(params - me):
                if n + 2 >= MOST_GIVEN:
                    break
                given[n + 2] = fr + self.data.frame_off[first + me + n]
            found = 0
            if ranks == 0:
                wanted = GROG_DONE
                candidate = none
                for i in range(count):
                    if offered[i] != GROG_DONE and offered[i] != GROG_NONE:
                        candidate = offered[i]
                        break
                if lines[at + 4] >= 0:
                    i = grog_set_scan(fr + lines[at + 4], lines[at + 5], 0)
                    candidate = none if i < 0 else <int32_t>(lines[at + 6] + i)
                given[1] = &candidate
                if when < 0 or self.program.call(ctx, when, given, NULL):
                    if fixed >= 0:
                        given[1] = &none
                        wanted = self.program.call(ctx, fixed, given, NULL)
                    for i in range(count):
                        if offered[i] == wanted or (fixed < 0 and offered[i] == GROG_NONE):
                            value[0] = offered[i]
                            return 1
            elif lines[at + 4] >= 0:
                if self.pick_some(ctx, fr, offered, count, &lines[at], given, value):
                    return 1
            else:
                for i in range(count):
                    candidate = offered[i]
                    if candidate == GROG_DONE or candidate == GROG_NONE:
                        continue
                    given[1] = &candidate
                    if when >= 0 and not self.program.call(ctx, when, given, NULL):
                        continue
                    key = 0
                    for k in range(ranks):
                        keys[k] = self.key_of(ctx, &lines[at + LINE + 2 * k], given)
                        if found and key == 0 and keys[k] != best[k]:
                            key = 1 if keys[k] < best[k] else -1
                    if not found or key > 0:
                        found = 1
                        value[0] = candidate
                        for k in range(ranks):
                            best[k] = keys[k]
                    if ctx.fail:
                        return 0
                if found:
                    return 1
            if ctx.fail:
                return 0
            at += LINE + 2 * ranks
        return 0

    cdef int32_t key_of(self, grog_ctx *ctx, const int32_t *rank, const grog_array *given) noexcept nogil:
        """What a candidate is ranked by: the lowest is the best."""
        cdef int32_t key = self.program.call(ctx, rank[1], given, NULL)
        if not rank[0]:
            return key
        return -key if key != GROG_NONE else 0x7fffffff

    cdef int32_t pick_some(self, grog_ctx *ctx, const int32_t *fr, const int32_t *offered, int64_t count, const int32_t *line, grog_array *given, int32_t *value) noexcept nogil:
        """Where members are picked one by one: the first that is offered of the best of all that are left; 0 if none is."""
        cdef const int32_t *left = fr + line[4]
        cdef int64_t words = line[5], need = fr[line[7]], total = 0, i, a, b, before, wide = line[3] + 1, k
        cdef int32_t *mark = grog_mark(ctx)
        cdef int32_t *keys = grog_alloc(ctx, wide * grog_set_count(left, words) + 1)
        cdef int32_t candidate, found = 0
        if keys == NULL:
            grog_fail(ctx, GROG_FAIL_BUDGET, -1)
            return 0
        i = grog_set_scan(left, words, 0)
        while i >= 0 and not ctx.fail:
            candidate = <int32_t>(line[6] + i)
            given[1] = &candidate
            if line[0] < 0 or self.program.call(ctx, line[0], given, NULL):
                keys[wide * total] = candidate
                for k in range(wide - 1):
                    keys[wide * total + 1 + k] = self.key_of(ctx, line + LINE + 2 * k, given)
                total += 1
            i = grog_set_scan(left, words, i + 1)
        for i in range(0 if ctx.fail else count):
            for a in range(total):
                if keys[wide * a] != offered[i]:
                    continue
                # How many come before it: with a better key, or with the same and earlier.
                before = 0
                for b in range(total):
                    k = 1
                    while k < wide and keys[wide * b + k] == keys[wide * a + k]:
                        k += 1
                    before += keys[wide * b + k] < keys[wide * a + k] if k < wide else b < a
                if before < need:
                    value[0] = offered[i]
                    found = 1
                break
            if found:
                break
        grog_release(ctx, mark)
        return found

    # -- many at once

    def playouts(self, cells, int64_t games, uint64_t seed, int64_t most, int64_t seats, int64_t base):
        """(outcomes of each seat, draws, unfinished), plies, answers."""
        cdef Py_buffer view
        cdef int32_t *s = self.open(cells, &view, False)
        cdef grog_ctx *ctx = NULL
        cdef grog_tally tally
        cdef int64_t i
        tally.seats = seats
        tally.base = base
        tally.plies = 0
        tally.answers = 0
        tally.outcomes = <int64_t *>PyMem_Calloc(seats + 2, sizeof(int64_t))
        try:
            if tally.outcomes == NULL:
                raise MemoryError
            ctx = self.borrow()
            with nogil:
                grog_forget(ctx)
                grog_playouts(ctx, s, games, seed, most, GROG_BUDGET, &tally)
            if ctx.fail:
                raise self.told(ctx)
            return [tally.outcomes[i] for i in range(seats + 2)], tally.plies, tally.answers
        finally:
            PyMem_Free(tally.outcomes)
            PyBuffer_Release(&view)
            if ctx != NULL:
                self.give_back(ctx)

    def wander(self, cells, uint64_t seed, int64_t plies, int64_t most):
        """Random answers in place; how many were given."""
        cdef Py_buffer view
        cdef int32_t *s = self.open(cells, &view, True)
        cdef grog_ctx *ctx = NULL
        cdef int64_t given
        try:
            ctx = self.borrow()
            with nogil:
                grog_forget(ctx)
                given = grog_wander(ctx, s, seed, plies, most, GROG_BUDGET)
            if ctx.fail:
                raise self.told(ctx)
            return given
        finally:
            PyBuffer_Release(&view)
            if ctx != NULL:
                self.give_back(ctx)

    def stroll(self, cells, uint64_t seed, int64_t plies, int64_t most, how, by, int64_t side):
        """Answers of actions that look best, in place; how many were given, and how a side stood.  See
        grognard.native.engine."""
        cdef Py_buffer view
        cdef int32_t *s = self.open(cells, &view, True)
        cdef grog_ctx *ctx = NULL
        cdef grog_manner manner
        cdef grog_appraisal appraisal
        cdef int64_t given
        cdef int64_t stood = 0
        appraisal.given = NULL
        try:
            manner.plans = how.plans
            manner.finalists = how.finalists
            manner.tries = how.tries
            appraisal.sides = by.sides
            appraisal.side_base = by.side_base
            appraisal.seats = len(by.side_of) - 1
            appraisal.seat_base = by.seat_base
            appraisal.side_of = <const int64_t *>self.borrowed(by.side_of)
            appraisal.function = by.function
            appraisal.given = self.borrowed_all(by.given)
            appraisal.factor = by.factor
            appraisal.kinds = len(by.counters) // 3
            appraisal.counters = <const int64_t *>self.borrowed(by.counters)
            appraisal.won = by.won
            ctx = self.borrow()
            with nogil:
                grog_forget(ctx)
                given = grog_stroll(ctx, s, seed, plies, most, &manner, &appraisal, side, GROG_BUDGET, &stood)
            if ctx.fail:
                raise self.told(ctx)
            return given, stood
        finally:
            PyMem_Free(appraisal.given)
            PyBuffer_Release(&view)
            if ctx != NULL:
                self.give_back(ctx)

    def samples(self, cells, what, int64_t n, uint64_t seed):
        """(value, how often) after doing one thing n times; see grognard.native.engine."""
        cdef Py_buffer view
        cdef int32_t *s = self.open(cells, &view, False)
        cdef grog_ctx *ctx = NULL
        cdef grog_sampled sampled
        cdef grog_counts counts
        cdef Py_ssize_t i
        counts.value = NULL
        counts.count = NULL
        sampled.given = NULL
        sampled.measured = NULL
        try:
            sampled.machine = what.machine
            sampled.function = what.function
            sampled.measure = what.measure
            sampled.random = what.random
            sampled.most = what.most
            sampled.arg_count = len(what.given)
            sampled.arg_off = <const int64_t *>self.borrowed(what.offsets)
            sampled.arg_cells = <const int64_t *>self.borrowed(what.sizes)
            sampled.given = self.borrowed_all(what.given)
            sampled.measured = self.borrowed_all(what.measured)
            if not grog_counts_open(&counts, 64):
                raise MemoryError
            ctx = self.borrow()
            with nogil:
                grog_forget(ctx)
                grog_samples(ctx, s, &sampled, n, seed, GROG_BUDGET, &counts)
            if ctx.fail:
                raise self.told(ctx)
            return [(counts.value[i], counts.count[i]) for i in range(<Py_ssize_t>counts.mask + 1) if counts.count[i]]
        finally:
            PyMem_Free(sampled.given)
            PyMem_Free(sampled.measured)
            grog_counts_free(&counts)
            PyBuffer_Release(&view)
            if ctx != NULL:
                self.give_back(ctx)

    def perft(self, cells, int64_t depth):
        cdef Py_buffer view
        cdef int32_t *s = self.open(cells, &view, False)
        cdef grog_ctx *ctx = NULL
        cdef int64_t found
        try:
            ctx = self.borrow()
            with nogil:
                grog_forget(ctx)
                found = grog_perft(ctx, s, depth, GROG_BUDGET)
            if ctx.fail:
                raise self.told(ctx)
            if found < 0:
                raise MemoryError
            return found
        finally:
            PyBuffer_Release(&view)
            if ctx != NULL:
                self.give_back(ctx)

    def answer_all(self, positions, values):
        """Answer each position; None or the exception for each."""
        cdef Py_ssize_t n = len(positions), i, opened = 0
        cdef Py_buffer *views = <Py_buffer *>PyMem_Calloc(n + 1, sizeof(Py_buffer))
        cdef int32_t **s = <int32_t **>PyMem_Calloc(n + 1, sizeof(int32_t *))
        cdef int32_t *given = <int32_t *>PyMem_Calloc(n + 1, sizeof(int32_t))
        cdef grog_failed *failed = <grog_failed *>PyMem_Calloc(n + 1, sizeof(grog_failed))
        cdef grog_ctx *ctx = NULL
        try:
            if views == NULL or s == NULL or given == NULL or failed == NULL:
                raise MemoryError
            for i in range(n):
                given[i] = values[i]
                s[i] = self.open(positions[i], &views[i], True)
                opened += 1
            ctx = self.borrow()
            with nogil:
                for i in range(n):
                    failed[i].code = grog_give_answer(ctx, s[i], given[i], 0, GROG_BUDGET, NULL, 0, 0)
                    grog_failed_keep(ctx, &failed[i])
            results = []
            for i in range(n):
                if failed[i].code == GROG_NOT_PENDING:
                    results.append(ValueError("no decision is pending"))
                elif failed[i].code == GROG_NO_CANDIDATE:
                    results.append(ValueError(f"{values[i]} is no candidate of the pending decision"))
                elif failed[i].kind:
                    detail = tuple([failed[i].detail[k] for k in range(failed[i].count)])
                    results.append(self.failure(failed[i].kind, failed[i].site, detail))
                else:
                    results.append(None)
            return results
        finally:
            for i in range(opened):
                PyBuffer_Release(&views[i])
            PyMem_Free(views)
            PyMem_Free(s)
            PyMem_Free(given)
            PyMem_Free(failed)
            if ctx != NULL:
                self.give_back(ctx)


cdef enum:
    #: what comes of a throw or a round: it goes on at the next dice, it ends, there cannot be so many hits
    GOES_ON
    AN_END
    CANNOT_BE
    #: a decision that somebody else must answer, a failure
    NOT_ANSWERED
    FAILED
    #: it is no grid: see WHY
    OTHER_DICE
    NO_SECOND
    NO_END
    OTHER_LOSSES
    OTHER_ENDS

WHY = {
    OTHER_DICE: "the dice of one side depend on the other",
    NO_SECOND: "the second side does not throw",
    NO_END: "it goes on where it should end",
    OTHER_LOSSES: "losses that depend on the other side",
    OTHER_ENDS: "an end that depends on the way to it",
}


#: What rounds of one grid are tried with: positions, and which of the grid `here` is.
cdef struct Trial:
    grog_ctx *ctx
    const grog_chain *one
    const grog_chain *two
    const grog_ends *ends
    grog_shape between
    uint64_t dice
    const int32_t *first
    #: the position of the grid after `i` and `j` losses
    int32_t *here
    #: where rounds are run; whether it is the same position as `here`
    int32_t *s
    bint same
    #: whether no more than a few hits are tried
    bint few
    #: whether ends are looked at by rules
    bint looks
    int32_t *before
    int32_t *packed
    int32_t *values
    int64_t i
    int64_t j
    int64_t end


cdef class Ending:
    """What situations look at at an end: a machine that has stopped goes on at another block, with the fields `first` to `count`
    of the end and, in the cell `result` if it is not below 0, its outcome; then the cells `wanted` are read."""

    cdef Engine engine
    cdef bytes kept_stopped
    cdef const int32_t *stopped
    cdef object kept
    cdef int64_t first, count, frame, result, wanted
    cdef int32_t block
    cdef const int64_t *cells

    def __cinit__(self, Engine engine, stopped, int64_t first, int64_t count, int64_t frame, int32_t block, int64_t result, wanted):
        cdef int64_t cells = engine.data.cells, i
        if len(stopped) != 4 * cells or not 0 <= first <= count <= cells or not 0 <= frame < cells - 1 or result >= cells:
            raise ValueError("outside the position")
        if wanted.typecode != "q" or wanted.itemsize != 8:
            raise ValueError("not an array of 64-bit numbers")
        self.engine = engine
        self.kept_stopped = bytes(stopped)
        self.stopped = <const int32_t *><const char *>self.kept_stopped
        self.first, self.count, self.frame, self.block, self.result = first, count, frame, block, result
        self.kept = wanted
        self.wanted = len(wanted)
        self.cells = <const int64_t *>engine.borrowed(wanted) if self.wanted else NULL
        for i in range(self.wanted):
            if not 0 <= self.cells[i] < cells:
                raise ValueError("outside the position")

    cdef int32_t look(self, grog_ctx *ctx, int32_t *end, int32_t *values) noexcept nogil:
        """0 if the rules fail there.  Afterwards the end is another position."""
        cdef int64_t i
        cdef int32_t outcome = end[GROG_H_OUTCOME]
        grog_copy_around(&self.engine.data, end, self.stopped, self.first, self.count)
        if self.result >= 0:
            end[self.result] = outcome
        end[self.frame + 1] = self.block
        end[GROG_H_STATUS] = GROG_RUNNING
        end[GROG_H_CHOOSER] = end[GROG_H_ASK] = GROG_NONE
        grog_forget(ctx)
        grog_begin(ctx, end, 0, GROG_BUDGET)
        grog_run(ctx)
        for i in range(self.wanted):
            values[i] = end[self.cells[i]]
        return not ctx.fail

    def __call__(self, end):
        """The cells that are wanted."""
        cdef Py_buffer view
        cdef grog_ctx *ctx = NULL
        cdef int32_t *mark = NULL
        cdef int32_t *room
        cdef int32_t *values
        cdef int32_t fine
        cdef int64_t i
        cdef const int32_t *e = self.engine.open(end, &view, False)
        try:
            ctx = self.engine.borrow()
            mark = grog_mark(ctx)
            room = grog_alloc(ctx, self.engine.data.cells)
            values = grog_alloc(ctx, self.wanted + 1)
            if room == NULL or values == NULL:
                raise MemoryError
            memcpy(room, e, self.engine.data.cells * 4)
            with nogil:
                fine = self.look(ctx, room, values)
            if not fine:
                raise self.engine.told(ctx)
            return tuple([values[i] for i in range(self.wanted)])
        finally:
            PyBuffer_Release(&view)
            if ctx != NULL:
                if mark != NULL:
                    grog_release(ctx, mark)
                self.engine.give_back(ctx)


cdef class Ends:
    """The ends of one grid that rounds have come to (grog_ends), and what is seen there: told by `how`, or without it by `met`, which
    is given the number of an end and its cells and says whether they are what was seen before."""

    cdef Chance chance
    cdef Ending how
    cdef object met
    cdef bytes base
    cdef grog_ends ends

    def __cinit__(self, Chance chance, int64_t m, int64_t n, base, Ending how, met):
        self.chance, self.how, self.met, self.base = chance, how, met, bytes(base)
        if m < 1 or n < 1 or len(self.base) != 4 * chance.all.data.cells or (how is not None and how.engine is not chance.engine):
            raise ValueError("positions of different programs")
        if not grog_ends_open(&self.ends, m, n, 0 if how is None else how.wanted, <const int32_t *><const char *>self.base):
            raise MemoryError

    def __dealloc__(self):
        grog_ends_free(&self.ends)

    def take(self, Ends other):
        """Those where the first side is gone, from another grid."""
        if other.ends.n != self.ends.n or other.ends.wanted != self.ends.wanted or other.base != self.base:
            raise ValueError("ends of another grid")
        if not grog_ends_take(&self.ends, &other.ends):
            raise MemoryError

    def along(self, Chain one, Chain two):
        """Take those that were met when two chains were followed, the second against the last of the first."""
        cdef int64_t m = self.ends.m, n = self.ends.n, i
        if one.how is not self.how or two.how is not self.how or self.how is None:
            return
        if len(one.met) == 1:
            self.take_down(0, one.met[0])
        if len(two.met) == n + 1:
            for i in range(n):
                self.take_down(i + 1, two.met[i])
            self.take_down(n + m, two.met[n])
        # Chains are remembered longer than that.
        one.how = two.how = None
        one.met, two.met = [], []

    cdef void take_down(self, int64_t end, tuple values):
        cdef int64_t k, wanted = self.ends.wanted
        for k in range(wanted):
            self.ends.value[end * wanted + k] = values[k]
        self.ends.count[end] = 0

    def values(self):
        """What was seen at each end; None where none was come to."""
        cdef int64_t end, k, wanted = self.ends.wanted, count = self.ends.m + self.ends.n + 1
        if not wanted:
            return [() if self.ends.count[end] >= 0 else None for end in range(count)]
        # A tuple of every so many numbers.
        numbers = iter([self.ends.value[k] for k in range(count * wanted)])
        found = list(zip(*([numbers] * wanted)))
        for end in range(count):
            if self.ends.count[end] < 0:
                found[end] = None
        return found


cdef class Chance:
    """Positions of a chance program for whoever works out odds: see grognard.odds.attrition.probe, and kernels/chance.h."""

    cdef Engine engine
    cdef grog_chance all
    cdef int64_t blocks
    cdef object tell
    cdef list kept
    #: decisions that were answered
    cdef public int64_t answered
    #: whether a piece has come into play in what `follow` and `rounds` have run
    cdef public bint created
    #: what went wrong in Python while rules ran
    cdef object trouble

    def __cinit__(self, Engine engine, pieces, loose, block_start, stop_of, stops, tell):
        """`tell` gives what of a frame counts, (what can be forgotten, what names pieces), by the number of the rest."""
        cdef Py_ssize_t i
        self.engine = engine
        self.kept = []
        self.tell = tell
        self.blocks = len(stop_of) - 1
        self.all.data = &engine.data
        self.all.block_start = self.hold(block_start)
        self.all.stop_of = self.hold(stop_of)
        self.all.stops = <const grog_stop *>self.hold(stops)
        self.all.rest = <grog_rest *>PyMem_Calloc(2 * self.blocks + 2, sizeof(grog_rest))
        self.all.pieces = <grog_pieces *>PyMem_Calloc(len(pieces) + 1, sizeof(grog_pieces))
        if self.all.rest == NULL or self.all.pieces == NULL:
            raise MemoryError
        self.all.pieces_count = len(pieces)
        for i in range(len(pieces)):
            domain, base, count, alive, interchangeable, own, sets, lists, values, looks, kept = pieces[i]
            self.all.pieces[i].domain = domain
            self.all.pieces[i].base = base
            self.all.pieces[i].count = count
            self.all.pieces[i].alive = alive
            self.all.pieces[i].interchangeable = interchangeable
            self.all.pieces[i].own = (len(own) - 1) // 3
            self.all.pieces[i].sets = (len(sets) - 1) // 2
            self.all.pieces[i].lists = (len(lists) - 1) // 2
            self.all.pieces[i].values = (len(values) - 1) // 2
            self.all.pieces[i].own_at = self.hold(own)
            self.all.pieces[i].set_at = self.hold(sets)
            self.all.pieces[i].list_at = self.hold(lists)
            self.all.pieces[i].value_at = self.hold(values)
            self.all.pieces[i].looks = (len(looks) - 1) // 2
            self.all.pieces[i].look_at = self.hold(looks)
            self.all.pieces[i].kept = len(kept) - 1
            self.all.pieces[i].kept_at = self.hold(kept)
        self.all.loose = len(loose) - 1
        self.all.loose_at = self.hold(loose)
        self.all.owner = <grog_owner *>PyMem_Calloc(engine.data.cells + 1, sizeof(grog_owner))
        if self.all.owner == NULL:
            raise MemoryError
        memset(self.all.owner, 0xff, (engine.data.cells + 1) * sizeof(grog_owner))
        for i in range(len(pieces)):
            self.own(i)

    def __dealloc__(self):
        PyMem_Free(self.all.rest)
        PyMem_Free(self.all.pieces)
        PyMem_Free(self.all.owner)

    cdef void own(self, int32_t number) noexcept:
        """Say of the cells that pieces are told apart by whose they are."""
        cdef grog_pieces *pieces = &self.all.pieces[number]
        cdef int64_t i, k, start = pieces.alive, words = 1
        if not pieces.interchangeable:
            return
        for i in range(pieces.looks + 1):
            if i > 0:
                start, words = pieces.look_at[2 * i - 2], pieces.look_at[2 * i - 1]
            for k in range(pieces.count * words):
                self.all.owner[start + k].pieces = number
                self.all.owner[start + k].at = k // words

    cdef const int64_t *hold(self, array) except NULL:
        if array.typecode != "q" or array.itemsize != 8 or not len(array):
            raise ValueError("not an array of 64-bit numbers")
        self.kept.append(array)
        return <const int64_t *>self.engine.borrowed(array)

    cdef int learn(self, int64_t number) except -1:
        clears, names = self.tell(number // 2, bool(number % 2))
        cdef grog_rest *rest = &self.all.rest[number]
        rest.clears = (len(clears) - 1) // 2
        rest.names = (len(names) - 1) // 4
        rest.clear_at = self.hold(clears)
        rest.name_at = self.hold(names)
        rest.known = 1
        return 0

    cdef int32_t to_dice(self, grog_ctx *ctx, int32_t *s, const int32_t[::1] starts, const int32_t[::1] lines) noexcept nogil:
        """Run on and answer; 0 at the next dice or the end, 1 at a decision that the lines do not answer."""
        cdef int32_t *fr = NULL
        cdef int32_t *mark
        cdef int32_t *offered
        cdef int32_t value = 0, picked
        cdef int64_t count, i, given = 0, remembers
        grog_begin(ctx, s, 0, GROG_BUDGET)
        ctx.script = GROG_NO_DICE
        grog_remember_a_while(ctx)
        remembers = ctx.remembers
        grog_run(ctx)
        while not ctx.fail and s[GROG_H_STATUS] == GROG_DECISION:
            if grog_stop_at(&self.all, s, &fr) != NULL:
                return 0
            if starts.shape[0] == 1 and starts[0] < 0:
                # No lines at all: always the first that is offered.
                if not ctx.offered and (grog_candidates(ctx) == GROG_NOT_PENDING or ctx.fail):
                    return 1
                given += 1
                if ctx.cand_count == 0 or given > MOST_ANSWERS:
                    grog_fail(ctx, GROG_FAIL_BUDGET, -1)
                    return 1
                ctx.steps = GROG_BUDGET
                grog_answer(ctx, ctx.cand[0])
                continue
            if s[GROG_H_ASK] < 0 or s[GROG_H_ASK] + 1 >= starts.shape[0]:
                return 1
            if starts[s[GROG_H_ASK]] == starts[s[GROG_H_ASK] + 1]:
                return 1
            if not ctx.offered and (grog_candidates(ctx) == GROG_NOT_PENDING or ctx.fail):
                return 1
            count = ctx.cand_count
            mark = grog_mark(ctx)
            offered = grog_alloc(ctx, count + 1)
            if offered == NULL:
                grog_fail(ctx, GROG_FAIL_BUDGET, -1)
                return 1
            for i in range(count):
                offered[i] = ctx.cand[i]
            picked = self.engine.pick(ctx, s, offered, count, starts, lines, &value)
            grog_release(ctx, mark)
            if ctx.fail or not picked:
                return 1
            # Whoever answers only reads: what is known stays so.
            grog_begin(ctx, s, 0, GROG_BUDGET)
            ctx.script = GROG_NO_DICE
            ctx.remembers = remembers
            self.answered += 1
            given += 1
            if given > MOST_ANSWERS:
                grog_fail(ctx, GROG_FAIL_BUDGET, -1)
                return 1
            grog_answer(ctx, value)
        return 0

    cdef int go_on(self, grog_ctx *ctx, int32_t *s, const int32_t *before, const int32_t[::1] starts, const int32_t[::1] lines) except -1:
        """To the next dice or the end, in the simplest form; 1 at a decision that somebody else must answer."""
        cdef int32_t stuck
        cdef int64_t missing
        with nogil:
            grog_forget(ctx)
            stuck = self.to_dice(ctx, s, starts, lines)
        if ctx.fail:
            raise self.engine.told(ctx)
        if stuck:
            return 1
        while True:
            missing = grog_simplify(&self.all, ctx, s, before)
            if missing < 0:
                return 0
            self.learn(missing)

    # -- from Python

    def run(self, cells, before, const int32_t[::1] starts, const int32_t[::1] lines):
        """Run on to the next dice or the end (see go_on); whether it came there."""
        cdef Py_buffer view, other
        cdef int32_t *s = self.engine.open(cells, &view, True)
        cdef const int32_t *then = NULL
        cdef grog_ctx *ctx = NULL
        try:
            if before is not None:
                then = self.engine.open(before, &other, False)
            ctx = self.engine.borrow()
            return self.go_on(ctx, s, then, starts, lines) == 0
        finally:
            PyBuffer_Release(&view)
            if then != NULL:
                PyBuffer_Release(&other)
            if ctx != NULL:
                self.engine.give_back(ctx)

    def fall(self, parent, fallen, int64_t hits, uint64_t seed, const int32_t[::1] starts, const int32_t[::1] lines):
        """(position after, whether it came to the next dice): what fell, or without it so many hits by any dice.

        None if there cannot be so many hits.  With a seed of 0 the first dice hit."""
        cdef Py_buffer view, other
        cdef int32_t *s
        cdef int32_t *fr = NULL
        cdef const int32_t *before = self.engine.open(parent, &other, False)
        cdef const grog_stop *stop
        cdef const int32_t[::1] given = None
        cdef grog_ctx *ctx = NULL
        cdef int opened = 0
        cells = bytearray(parent)
        try:
            s = self.engine.open(cells, &view, True)
            opened = 1
            stop = grog_stop_at(&self.all, s, &fr)
            if stop == NULL:
                raise ValueError("no dice fall here")
            if fallen is not None:
                given = fallen
                grog_put_fallen(stop, fr, &given[0], given.shape[0] - 1)
            elif stop.sort != GROG_SORT_EACH:
                raise ValueError("not a die for each")
            elif not grog_put_hits(stop, fr, hits, seed):
                return None
            grog_fallen(stop, s, fr)
            ctx = self.engine.borrow()
            return cells, self.go_on(ctx, s, before, starts, lines) == 0
        finally:
            PyBuffer_Release(&other)
            if opened:
                PyBuffer_Release(&view)
            if ctx != NULL:
                self.engine.give_back(ctx)

    cdef object limits_of(self, int32_t *s):
        cdef int32_t *fr = NULL
        cdef int64_t at, number = 0, same = 0
        cdef int32_t last = 0, limit
        cdef const grog_stop *stop = grog_stop_at(&self.all, s, &fr)
        if stop == NULL or stop.sort != GROG_SORT_EACH:
            return None
        found = {}
        at = grog_set_scan(fr + stop.elements, stop.words, 0)
        while at >= 0:
            limit = grog_limit(stop, fr, number)
            if same and limit != last:
                found[last] = found.get(last, 0) + same
                same = 0
            last = limit
            same += 1
            number += 1
            at = grog_set_scan(fr + stop.elements, stop.words, at + 1)
        if same:
            found[last] = found.get(last, 0) + same
        return stop.dice, stop.lo, stop.hi, found

    cdef tuple shape_of(self, int32_t *s):
        cdef grog_frames at
        found = []
        if s[GROG_H_STATUS] != GROG_OVER:
            at = grog_top(&self.all, s)
            while at.fr != NULL:
                found.append(at.block)
                grog_below(&self.all, s, &at)
        return tuple(found)

    def limits(self, cells):
        """(dice, lo, hi, how many have each limit) where a die is thrown for each of some elements; None elsewhere."""
        cdef Py_buffer view
        cdef int32_t *s = self.engine.open(cells, &view, False)
        try:
            return self.limits_of(s)
        finally:
            PyBuffer_Release(&view)

    def shape(self, cells):
        """Which machines run and where each of them stands, as numbers of blocks; empty when it is over."""
        cdef Py_buffer view
        cdef int32_t *s = self.engine.open(cells, &view, False)
        try:
            return self.shape_of(s)
        finally:
            PyBuffer_Release(&view)

    def difference(self, base, cells):
        """What differs from another position, as bytes."""
        cdef Py_buffer view, other
        cdef int32_t *s = self.engine.open(cells, &view, False)
        cdef int32_t *from_ = NULL
        cdef int32_t *packed
        cdef int32_t *mark = NULL
        cdef grog_ctx *ctx = NULL
        try:
            from_ = self.engine.open(base, &other, False)
            ctx = self.engine.borrow()
            mark = grog_mark(ctx)
            packed = grog_alloc(ctx, 2 * self.all.data.cells)
            if packed == NULL:
                raise MemoryError
            return (<char *>packed)[:4 * grog_pack(&self.all, from_, s, packed)]
        finally:
            PyBuffer_Release(&view)
            if from_ != NULL:
                PyBuffer_Release(&other)
            if ctx != NULL:
                if mark != NULL:
                    grog_release(ctx, mark)
                self.engine.give_back(ctx)

    cdef int32_t throw(self, grog_ctx *ctx, int32_t *s, const int32_t *before, int64_t hits, uint64_t seed, bint looks, const int32_t[::1] starts, const int32_t[::1] lines) noexcept nogil:
        """So many hits and on to the next dice: GOES_ON or what came of it.  `looks`: ends are looked at by rules, which see nothing of
        what simpler positions do without."""
        cdef int32_t *fr = NULL
        cdef int64_t missing
        cdef const grog_stop *stop = grog_stop_at(&self.all, s, &fr)
        if stop == NULL or stop.sort != GROG_SORT_EACH or not grog_put_hits(stop, fr, hits, seed):
            return CANNOT_BE
        grog_fallen(stop, s, fr)
        grog_forget(ctx)
        ctx.born = 0
        if self.to_dice(ctx, s, starts, lines) and not ctx.fail:
            return NOT_ANSWERED
        if ctx.fail:
            return FAILED
        if grog_came_into_play(&self.all, ctx):
            self.created = True
        if looks and s[GROG_H_STATUS] == GROG_OVER:
            return GOES_ON
        missing = grog_simplify(&self.all, ctx, s, before)
        while missing >= 0:
            if not self.learnt(missing):
                return FAILED
            missing = grog_simplify(&self.all, ctx, s, before)
        return GOES_ON

    # A function of its own, so that nobody takes the lock who does not come here.
    cdef int32_t learnt(self, int64_t number) noexcept with gil:
        try:
            self.learn(number)
            return 1
        except BaseException as error:
            self.trouble = error
            return 0

    cdef object failed(self, grog_ctx *ctx):
        """The exception for what FAILED."""
        trouble, self.trouble = self.trouble, None
        if trouble is not None:
            return trouble
        return self.engine.told(ctx) if ctx.fail else MemoryError()

    def idle(self, entry, const int32_t[::1] starts, const int32_t[::1] lines):
        """The shape between the two rolls of a round in which nobody hits, or why there is none, as grognard.odds.attrition.probe says it;
        None: not for this code."""
        cdef Py_buffer view
        cdef grog_ctx *ctx = NULL
        cdef int32_t *mark = NULL
        cdef int32_t *s
        cdef int32_t *before
        cdef int32_t code = GOES_ON
        cdef int32_t *fr = NULL
        cdef int turn
        cdef const grog_stop *stop
        cdef const int32_t *first = self.engine.open(entry, &view, False)
        try:
            ctx = self.engine.borrow()
            mark = grog_mark(ctx)
            s, before = self.copied(ctx, first), self.copied(ctx, first)
            middle = ()
            for turn in range(2):
                stop = grog_stop_at(&self.all, s, &fr)
                if stop == NULL or stop.sort != GROG_SORT_EACH:
                    return "dice that are not one for each piece"
                grog_keep_alive(&self.all, s, before)
                code = self.throw(ctx, s, before, 0, 0, False, starts, lines)
                if code == NOT_ANSWERED:
                    return None
                if code == FAILED:
                    raise self.failed(ctx)
                if turn == 0:
                    middle = self.shape_of(s) if code == GOES_ON else ()
                    if not middle:
                        return "a round without hits ends it"
            if code != GOES_ON or not grog_same_used(&self.all, s, first):
                return "a round without hits changes something"
            return middle
        finally:
            PyBuffer_Release(&view)
            if ctx != NULL:
                if mark != NULL:
                    grog_release(ctx, mark)
                self.engine.give_back(ctx)

    cdef int32_t *copied(self, grog_ctx *ctx, const int32_t *s) except NULL:
        """A copy that lasts as long as what is allocated there."""
        cdef int32_t *made = grog_alloc(ctx, self.all.data.cells)
        if made == NULL:
            raise MemoryError
        memcpy(made, s, self.all.data.cells * 4)
        return made

    def follow(self, entry, shape, middle, bint by_first, int64_t longest, Ending how, const int32_t[::1] starts, const int32_t[::1] lines):
        """The chain of losses of a side while the other loses nothing, by hits of the first or of the second roll.

        A Chain, or why there is none, as grognard.odds.attrition.probe says it; None: not for this code.

        `how`: the ends on the way are looked at: the last, and before it, by hits of the first roll, those that it comes to with one hit of
        the second, after each loss: there the other side must have one loss left."""
        cdef Py_buffer view
        cdef Chain made = Chain.__new__(Chain)
        cdef grog_chain *chain = &made.chain
        cdef grog_shape wanted, between, found
        cdef grog_pool[2] pools
        cdef grog_pool other
        cdef grog_ctx *ctx = NULL
        cdef int32_t code
        cdef int32_t *mark = NULL
        cdef int64_t n
        cdef int32_t *here
        cdef int32_t *s
        cdef int32_t *before
        cdef int32_t *end = NULL
        cdef int32_t *first = self.engine.open(entry, &view, False)
        memset(pools, 0, sizeof(pools))
        try:
            if not (shape_from(shape, &wanted) and shape_from(middle, &between)):
                return None
            if not grog_chain_open(chain, first, self.all.data.cells):
                raise MemoryError
            ctx = self.engine.borrow()
            mark = grog_mark(ctx)
            here = self.copied(ctx, first)
            s = self.copied(ctx, first)
            before = grog_alloc(ctx, self.all.data.cells)
            if before == NULL or not grog_chain_add(&self.all, chain, here, here):
                raise MemoryError
            made.how = how
            if how is not None and by_first:
                end = self.copied(ctx, first)
            while True:
                # Both are the same position.
                n = chain.states
                if n > longest:
                    return "a chain that is too long"
                if not grog_pool_at(&self.all, here, &pools[0]):
                    return "dice that are not one for each piece"
                code = self.throw(ctx, s, here, 1 if by_first else 0, 0, False, starts, lines)
                if code == NOT_ANSWERED:
                    return None
                if code == FAILED:
                    raise self.failed(ctx)
                if code == GOES_ON:
                    if not grog_pool_at(&self.all, s, &pools[1]):
                        return "dice that are not one for each piece"
                    # Those of the other side must stay what they are.
                    if n == 1:
                        other = pools[not by_first]
                    elif not grog_same_pool(&other, &pools[not by_first]):
                        return "the dice of one side depend on the other"
                # The side that suffers from the first roll throws the second, with the dice that it has before its losses.
                chain.pool[n - 1] = pools[by_first]
                if code == GOES_ON:
                    grog_shape_of(&self.all, s, &found)
                    if not grog_same_shape(&found, &between):
                        code = CANNOT_BE
                if code == GOES_ON:
                    grog_keep_alive(&self.all, s, before)
                    if end != NULL:
                        grog_copy_used(&self.all, end, s)
                        code = self.throw(ctx, end, before, 1, 0, True, starts, lines)
                        if code == GOES_ON:
                            if end[GROG_H_STATUS] != GROG_OVER:
                                return "it goes on where it should end"
                            made.look(ctx, end)
                if code == GOES_ON:
                    code = self.throw(ctx, s, before, 0 if by_first else 1, 0, how is not None, starts, lines)
                if code == NOT_ANSWERED:
                    return None
                if code == FAILED:
                    raise self.failed(ctx)
                if code == CANNOT_BE:
                    return "a roll that cannot give exactly one hit"
                grog_shape_of(&self.all, s, &found)
                if found.frames == 0:
                    if how is not None:
                        made.look(ctx, s)
                    return made
                if not grog_same_shape(&found, &wanted) or grog_same_used(&self.all, s, here):
                    return "a hit that leads somewhere else"
                if not grog_chain_add(&self.all, chain, here, s):
                    raise MemoryError
                # What was the last becomes the next by what the loss has changed.
                here, s = s, here
                grog_chain_put(chain, n - 1, n, s)
        finally:
            PyBuffer_Release(&view)
            if ctx != NULL:
                if mark != NULL:
                    grog_release(ctx, mark)
                self.engine.give_back(ctx)

    cdef inline void move(self, Trial *trial, int64_t i, int64_t j) noexcept nogil:
        """Go to the position after so many losses of each side: no more is written than what they change."""
        grog_chain_put(trial.one, trial.i, i, trial.here)
        grog_chain_put(trial.two, trial.j, j, trial.here)
        if trial.same:
            grog_chain_put(trial.one, trial.i, i, trial.s)
            grog_chain_put(trial.two, trial.j, j, trial.s)
        trial.i, trial.j = i, j

    cdef int32_t try_round(self, Trial *trial, int64_t i, int64_t j, int64_t h, int64_t g, const int32_t[::1] starts, const int32_t[::1] lines) noexcept nogil:
        """A round from a position of the grid: it must go as the grid says.  GOES_ON, AN_END (which is in trial.end, its cells in
        trial.s), or what came of it."""
        cdef grog_pool pool
        cdef grog_shape found
        cdef int32_t code
        cdef int64_t m = trial.one.states, n = trial.two.states
        self.move(trial, i, j)
        if not grog_pool_at(&self.all, trial.here, &pool) or not grog_same_pool(&pool, &trial.one.pool[i]):
            return OTHER_DICE
        if h < 0:
            h = grog_some_hits(&trial.one.pool[i], n - j, h == HITS_ENOUGH, trial.few, &trial.dice)
        if g < 0:
            g = grog_some_hits(&trial.two.pool[j], m - i, g == HITS_ENOUGH, trial.few, &trial.dice)
        if not trial.same:
            grog_copy_used(&self.all, trial.s, trial.here)
        trial.same = False
        code = self.throw(trial.ctx, trial.s, trial.here, h, trial.dice | 1, False, starts, lines)
        if code != GOES_ON:
            return code
        grog_shape_of(&self.all, trial.s, &found)
        if not grog_same_shape(&found, &trial.between):
            return NO_SECOND
        if not grog_pool_at(&self.all, trial.s, &pool) or not grog_same_pool(&pool, &trial.two.pool[j]):
            return OTHER_DICE
        grog_keep_alive(&self.all, trial.s, trial.before)
        grog_pcg_next(&trial.dice)
        code = self.throw(trial.ctx, trial.s, trial.before, g, trial.dice | 1, trial.looks, starts, lines)
        grog_pcg_next(&trial.dice)
        if code != GOES_ON:
            return code
        if i + g >= m or j + h >= n:
            if trial.s[GROG_H_STATUS] != GROG_OVER:
                return NO_END
            trial.end = grog_end_of(trial.ends, i + g, j + h)
            return AN_END
        self.move(trial, i + g, j + h)
        trial.same = grog_same_used(&self.all, trial.s, trial.here)
        return GOES_ON if trial.same else OTHER_LOSSES

    cdef int32_t arrive(self, Trial *trial, Ends ends) noexcept nogil:
        """The end that a round came to: GOES_ON once it is known, or what came of it."""
        cdef int32_t *values = trial.values
        cdef int64_t end = trial.end, k, count, wanted = ends.ends.wanted
        if ends.how is not None:
            if not ends.how.look(trial.ctx, trial.s, values):
                return FAILED
            if ends.ends.count[end] >= 0:
                return OTHER_ENDS if memcmp(ends.ends.value + end * wanted, values, wanted * 4) else GOES_ON
            for k in range(wanted):
                ends.ends.value[end * wanted + k] = values[k]
            ends.ends.count[end] = 0
            return GOES_ON
        # Python is asked about no position twice.
        count = grog_pack(&self.all, ends.ends.base, trial.s, trial.packed)
        if grog_end_same(&ends.ends, end, trial.packed, count):
            return GOES_ON
        k = self.met(trial, ends)
        if k != GOES_ON:
            return <int32_t>k
        if ends.ends.count[end] < 0 and not grog_end_keep(&ends.ends, end, trial.packed, count):
            return FAILED
        return GOES_ON

    cdef int32_t met(self, Trial *trial, Ends ends) noexcept with gil:
        try:
            return GOES_ON if ends.met(trial.end, (<char *>trial.s)[:4 * self.all.data.cells]) else OTHER_ENDS
        except BaseException as error:
            self.trouble = error
            return FAILED

    def prove(self, entry, Chain one, Chain two, middle, const int64_t[::1] border, const int32_t[::1] tries, uint64_t seed, Ends ends, known, const int32_t[::1] starts, const int32_t[::1] lines):
        """Rounds from positions of the grid that the entry and two chains span, with hits as the dice would fall: from all with
        fewer losses of the second side than `border` has for those of the first, or `tries` (losses of the first side, of the
        second, hits of the first roll, of the second ...).  And from beside every end that was not come to, and that is not
        `known` (a byte for each): behind all positions, but before a sample, which then does without those.

        Whether this code could do it all, or why it is no such grid."""
        cdef Py_buffer view
        cdef Trial trial
        cdef int64_t cells = self.all.data.cells, size = 4 * cells, i, j, h, t, more, end, m = one.chain.states, n = two.chain.states
        cdef int32_t code = GOES_ON
        cdef int32_t *mark = NULL
        cdef const unsigned char[::1] there = known
        cdef unsigned char *beside = NULL
        cdef bint missing
        memset(&trial, 0, sizeof(trial))
        trial.first = self.engine.open(entry, &view, False)
        try:
            if not shape_from(middle, &trial.between):
                return False
            if one.chain.cells != cells or two.chain.cells != cells or ends.chance is not self:
                raise ValueError("positions of different programs")
            if ends.ends.m != m or ends.ends.n != n or there.shape[0] != m + n + 1:
                raise ValueError("ends of another grid")
            if border is not None and border.shape[0] != m:
                raise ValueError("not as many borders as losses")
            trial.one, trial.two, trial.ends = &one.chain, &two.chain, &ends.ends
            trial.dice = grog_pcg_seeded(seed)
            trial.ctx = self.engine.borrow()
            mark = grog_mark(trial.ctx)
            trial.here = self.copied(trial.ctx, trial.first)
            trial.s = self.copied(trial.ctx, trial.first)
            trial.same = True
            trial.few = border is None
            trial.looks = ends.how is not None
            trial.before = grog_alloc(trial.ctx, cells)
            trial.packed = grog_alloc(trial.ctx, 2 * cells)
            trial.values = grog_alloc(trial.ctx, ends.ends.wanted + 1)
            beside = <unsigned char *>grog_alloc(trial.ctx, m + n + 1)
            if trial.before == NULL or trial.packed == NULL or trial.values == NULL or beside == NULL:
                raise MemoryError
            memset(beside, 0, m + n + 1)
            with nogil:
                if border is not None:
                    for i in range(m):
                        for j in range(min(border[i], n)):
                            code = self.try_round(&trial, i, j, HITS_SOME, HITS_SOME, starts, lines)
                            if code == AN_END:
                                code = self.arrive(&trial, ends)
                            if code > CANNOT_BE:
                                break
                        if code > CANNOT_BE:
                            break
                # Every end must have been seen once: from beside it; by more hits at once where those beside it cannot hit any more.
                more = 0
                missing = True
                while code <= CANNOT_BE and missing and more <= (m if m > n else n):
                    missing = False
                    for end in range(m + n + 1):
                        if there[end] or ends.ends.count[end] >= 0 or more > (end if end <= n else end - n - 1):
                            continue
                        missing = True
                        if end <= n:
                            h = more if more > (end == n) else (end == n)
                            j = end - h if end > h else 0
                            code = self.try_round(&trial, m - 1, j, h, 1, starts, lines)
                            beside[j] = 1
                        else:
                            i = end - n - 1 - more if end - n - 1 > more else 0
                            code = self.try_round(&trial, i, n - 1, 1, more, starts, lines)
                            beside[n + i] = 1
                        if code == AN_END:
                            code = self.arrive(&trial, ends)
                        if code > CANNOT_BE:
                            break
                    more += 1
                if border is None:
                    for t in range(tries.shape[0] // 4):
                        i, j = tries[4 * t], tries[4 * t + 1]
                        if code > CANNOT_BE:
                            break
                        if not (0 <= i < m and 0 <= j < n):
                            continue
                        if tries[4 * t + 2] < 0 and ((i == m - 1 and beside[j]) or (j == n - 1 and beside[n + i])):
                            continue
                        code = self.try_round(&trial, i, j, tries[4 * t + 2], tries[4 * t + 3], starts, lines)
                        if code == AN_END:
                            code = self.arrive(&trial, ends)
            if code == FAILED:
                raise self.failed(trial.ctx)
            return WHY[code] if code > NOT_ANSWERED else code != NOT_ANSWERED
        finally:
            PyBuffer_Release(&view)
            if trial.ctx != NULL:
                if mark != NULL:
                    grog_release(trial.ctx, mark)
                self.engine.give_back(trial.ctx)


cdef int shape_from(tuple blocks, grog_shape *shape) except -1:
    cdef Py_ssize_t i
    if len(blocks) > GROG_DEEP:
        return 0
    shape.frames = len(blocks)
    for i in range(len(blocks)):
        shape.block[i] = blocks[i]
    return 1


cdef class Chain:
    """A side of a battle after 0, 1, 2 ... losses: made by Chance.follow."""

    cdef grog_chain chain
    #: what is looked at at an end, and what was seen at those on the way, one after the other
    cdef Ending how
    cdef list met
    #: chances of 0, 1, 2 ... hits after 0, 1, 2 ... losses, one after the other, where each begins, and how many dice there are
    cdef double *spread
    cdef int64_t *starts
    cdef int64_t *dice_of

    def __cinit__(self):
        self.met = []

    def __dealloc__(self):
        grog_chain_free(&self.chain)
        PyMem_Free(self.spread)
        PyMem_Free(self.starts)

    cdef int look(self, grog_ctx *ctx, int32_t *end) except -1:
        """Look at an end, which is another position afterwards."""
        cdef int32_t values[MOST_LOOKED_AT]
        cdef int64_t i
        if self.how.wanted > MOST_LOOKED_AT:
            return 0
        if not self.how.look(ctx, end, values):
            raise self.how.engine.told(ctx)
        self.met.append(tuple([values[i] for i in range(self.how.wanted)]))
        return 0

    def __len__(self):
        return self.chain.states

    @property
    def room(self):
        """Cells that it takes, about."""
        return 2 * self.chain.cells + self.chain.changes + 140 * self.chain.states

    def dice(self):
        """(dice, lo, hi, {the most that succeeds: how many such dice}) for each number of losses."""
        cdef int64_t n, at
        cdef grog_pool *pool
        found = []
        for n in range(self.chain.states):
            pool = &self.chain.pool[n]
            limits = {}
            for at in range(pool.dice * (pool.hi - pool.lo) + 1):
                if pool.count[at]:
                    limits[pool.dice * pool.lo + at] = pool.count[at]
            found.append((pool.dice, pool.lo, pool.hi, limits))
        return found

    def stages(self):
        """Losses at which the dice become of another kind, and the first and the last of all."""
        cdef int64_t n, last = self.chain.states - 1
        found = []
        for n in range(last + 1):
            if n == 0 or n == last or not grog_same_kinds(&self.chain.pool[n], &self.chain.pool[n - 1]):
                found.append(n)
        return found

    def throws_as(self, int64_t at, Chain other, int64_t there, int64_t count):
        """Whether the dice are the same as those of another chain, for so many numbers of losses."""
        if at < 0 or there < 0 or count < 0 or at + count > self.chain.states or there + count > other.chain.states:
            return False
        cdef int64_t i
        for i in range(count):
            if not grog_same_pool(&self.chain.pool[at + i], &other.chain.pool[there + i]):
                return False
        return True

    cdef int32_t law(self, double least) except -1:
        """What the dice of each number of losses come to, worked out once; 0 where that takes larger numbers."""
        cdef int64_t states = self.chain.states
        if self.spread != NULL:
            return 1
        self.starts = <int64_t *>PyMem_Calloc(2 * states + 1, sizeof(int64_t))
        self.spread = <double *>PyMem_Calloc(grog_chain_dice(&self.chain) + states + 1, sizeof(double))
        if self.spread == NULL or self.starts == NULL:
            raise MemoryError
        self.dice_of = self.starts + states + 1
        if grog_chain_hits(&self.chain, least, self.spread, self.starts, self.dice_of):
            return 1
        PyMem_Free(self.spread)
        PyMem_Free(self.starts)
        self.spread, self.starts = NULL, NULL
        return 0

    cdef int64_t most_dice(self, int64_t from_):
        cdef int64_t n, most = 0
        for n in range(from_, self.chain.states):
            most = max(most, self.dice_of[n])
        return most

    def sweep(self, int64_t i, Chain other, int64_t j, double least):
        """As attrition() for what the dice of two chains come to, from so many losses of each on, and the most dice of either;
        None where that takes larger numbers."""
        cdef int64_t m = self.chain.states - i, n = other.chain.states - j
        if i < 0 or j < 0 or m < 1 or n < 1:
            raise ValueError("more losses than there are")
        if not self.law(least) or not other.law(least):
            return None
        ends, endless = swept(m, n, self.spread, self.starts + i, other.spread, other.starts + j, least)
        return ends, endless, self.most_dice(i), other.most_dice(j)

    def meets(self, Chain other):
        """Whether the losses of both change a cell."""
        cdef int64_t i
        cdef int32_t cell
        for i in range(self.chain.changes):
            cell = self.chain.change[i].cell
            if self.chain.mark[cell] and other.chain.mark[cell]:
                return True
        return False

    @property
    def mark(self):
        """A byte for each cell: whether losses change it."""
        return (<char *>self.chain.mark)[:self.chain.cells]

    def put(self, to, int64_t losses):
        """Put on a position what so many losses change."""
        cdef int32_t[::1] s = memoryview(to).cast("i")
        if s.shape[0] != self.chain.cells or not 0 <= losses < self.chain.states:
            raise ValueError("positions of different programs")
        grog_chain_put(&self.chain, 0, losses, &s[0])

    def changed(self, a, b):
        """Whether two positions differ in a cell that losses change."""
        cdef const int32_t[::1] one, two
        one, two = memoryview(a).cast("i"), memoryview(b).cast("i")
        if not one.shape[0] == two.shape[0] == self.chain.cells:
            raise ValueError("positions of different programs")
        return bool(grog_chain_differs(&self.chain, &one[0], &two[0]))


cdef class Grids:
    """Grids that were proved, by their positions: see grognard.odds.attrition.reuse."""

    cdef Chance chance
    cdef grog_index index
    cdef list grids

    def __cinit__(self, Chance chance):
        self.chance = chance
        self.grids = []

    def __dealloc__(self):
        free(self.index.place)

    def __len__(self):
        """Positions that are known."""
        return self.index.used

    def difference(self, base, cells):
        """See Chance."""
        return self.chance.difference(base, cells)

    def clear(self):
        free(self.index.place)
        memset(&self.index, 0, sizeof(self.index))
        self.grids = []

    def add(self, entry, Chain one, Chain two, bint better):
        """The number of the grid; if it is `better`, it is found where others have the same positions."""
        cdef Py_buffer view
        cdef int32_t *s = self.chance.engine.open(entry, &view, False)
        try:
            if not grog_index_add(&self.index, len(self.grids), &one.chain, &two.chain, grog_looks(&self.chance.all, s), better):
                raise MemoryError
        finally:
            PyBuffer_Release(&view)
        self.grids.append((bytes(entry), one, two))
        return len(self.grids) - 1

    cdef int32_t known(self, grog_ctx *ctx, int32_t *s, uint64_t look, int32_t *other, int32_t *made, grog_place *at) except -1:
        """Whether the position is one of a known grid, but for the numbers of its pieces."""
        cdef Chain one, two
        cdef const char *entry
        cdef const grog_place *found = grog_index_find(&self.index, look)
        if found == NULL:
            return 0
        cells, one, two = self.grids[found.grid]
        entry = cells
        memcpy(other, entry, self.chance.all.data.cells * 4)
        grog_chain_put(&one.chain, 0, found.i, other)
        grog_chain_put(&two.chain, 0, found.j, other)
        at[0] = found[0]
        return grog_same_but_for_numbers(&self.chance.all, ctx, other, s, made)

    def find(self, cells):
        """(grid, losses of the first side, of the second) of a position; None if it is not known."""
        found = self.border(cells, None, None)
        return found[0][1:] if found else None

    def border(self, entry, Chain one, Chain two):
        """From which losses of the second side on each number of losses of the first is known, where it is:
        [(losses, grid, losses of both sides there) or None].  Without chains of the entry alone."""
        cdef Py_buffer view
        cdef grog_ctx *ctx = NULL
        cdef grog_place at
        cdef uint64_t look, first_look
        cdef int64_t i, j = 0, m, n, size = self.chance.all.data.cells * 4
        cdef int32_t *mark = NULL
        cdef int32_t *s
        cdef int32_t *other
        cdef int32_t *made
        cdef int32_t *first = self.chance.engine.open(entry, &view, False)
        try:
            if one is None or two is None:
                m, n = 1, 1
            else:
                m, n = one.chain.states, two.chain.states
            first_look = grog_looks(&self.chance.all, first)
            ctx = self.chance.engine.borrow()
            mark = grog_mark(ctx)
            s = grog_alloc(ctx, self.chance.all.data.cells)
            other = grog_alloc(ctx, self.chance.all.data.cells)
            made = grog_alloc(ctx, self.chance.all.data.cells)
            if s == NULL or other == NULL or made == NULL:
                raise MemoryError
            found = [None] * m
            for i in range(m - 1, -1, -1):
                while j < n:
                    look = first_look
                    if one is not None and two is not None:
                        look += (one.chain.look[i] - one.chain.look[0]) + (two.chain.look[j] - two.chain.look[0])
                    if grog_index_find(&self.index, look) != NULL:
                        memcpy(s, first, size)
                        if one is not None and two is not None:
                            grog_chain_put(&one.chain, 0, i, s)
                            grog_chain_put(&two.chain, 0, j, s)
                        if self.known(ctx, s, look, other, made, &at):
                            found[i] = j, at.grid, at.i, at.j
                            break
                    j += 1
                if j == n:
                    break
            return found if found[m - 1] is not None else []
        finally:
            PyBuffer_Release(&view)
            if ctx != NULL:
                if mark != NULL:
                    grog_release(ctx, mark)
                self.chance.engine.give_back(ctx)


cdef class Memo:
    """A procedure that is done many times: what was found of it is remembered (see kernels/chance.h).

    `arrive` takes a position that compiled code cannot take to the next dice and does so; `classes` gives what rules can
    tell of a pool's faces; `outcome` the number of what came of an end."""

    cdef Chance chance
    cdef grog_memo memo
    cdef object arrive, classes, outcome
    cdef object starts, lines
    cdef bint busy

    def __cinit__(self, Chance chance, cells, starts, lines, arrive, classes, outcome):
        cdef Py_buffer view
        cdef int32_t *s = chance.engine.open(cells, &view, True)
        cdef grog_ctx *ctx = NULL
        self.chance = chance
        self.starts = starts
        self.lines = lines
        self.arrive = arrive
        self.classes = classes
        self.outcome = outcome
        try:
            if not grog_memo_open(&self.memo, s, chance.all.data.cells):
                raise MemoryError
            ctx = chance.engine.borrow()
            grog_begin(ctx, s, 0, GROG_BUDGET)
            self.number_of(ctx, s)
        finally:
            PyBuffer_Release(&view)
            if ctx != NULL:
                chance.engine.give_back(ctx)

    def __dealloc__(self):
        grog_memo_free(&self.memo)

    @property
    def positions(self):
        """How many are remembered."""
        return self.memo.nodes

    cdef bytearray copied(self, const int32_t *s):
        return bytearray((<const char *>s)[:4 * self.memo.cells])

    cdef int32_t number_of(self, grog_ctx *ctx, int32_t *s) except -1:
        """The node of a position, with all that a walk needs to know of it."""
        cdef int32_t fresh = 0, fine
        cdef int32_t number = grog_node_of(&self.memo, s, &fresh)
        cdef int64_t known
        if number < 0:
            raise MemoryError
        if not fresh:
            return number
        if s[GROG_H_STATUS] != GROG_DECISION:
            self.memo.node[number].outcome = self.outcome(self.copied(s))
            known = self.memo.outcomes
            if self.memo.node[number].outcome >= known:
                if not grog_more(<void **>&self.memo.tally, &self.memo.outcomes, 0, self.memo.node[number].outcome + 1, 8):
                    raise MemoryError
                for known in range(known, self.memo.outcomes):
                    self.memo.tally[known] = 0
            return number
        fine = grog_describe(&self.chance.all, ctx, &self.memo, number, s)
        if fine > 0 and self.memo.node[number].sort == GROG_SORT_POOL:
            fine = self.describe_pool(&self.memo.node[number], &self.memo.kept[number], s)
        if not fine:
            raise MemoryError
        if fine < 0:
            raise OverflowError("dice that can fall in more ways than can be numbered")
        return number

    cdef int32_t describe_pool(self, grog_node *node, grog_kept *kept, int32_t *s) except? -2:
        cdef int64_t size = 1, part, face
        count, classes = self.classes(self.copied(s))
        kept.count = count
        kept.ordered = classes is None
        node.parts = node.faces if classes is None else len(classes)
        if not grog_more(<void **>&self.memo.number, &self.memo.number_room, self.memo.numbers, node.parts, 4):
            return 0
        if not grog_more(<void **>&self.memo.stride, &self.memo.stride_room, self.memo.strides, node.faces, 8):
            return 0
        if classes is None:
            for part in range(kept.count):
                if size > GROG_RESULTS // node.faces:
                    return -1
                size *= node.faces
        else:
            for part in range(node.parts):
                self.memo.number[self.memo.numbers + part] = classes[part][0]
                for face in classes[part]:
                    self.memo.stride[self.memo.strides + face - node.least] = size if part + 1 < node.parts else 0
                if part + 1 < node.parts:
                    if size > GROG_RESULTS // (kept.count + 1):
                        return -1
                    size *= kept.count + 1
        self.memo.numbers += node.parts
        self.memo.strides += node.faces
        return grog_node_results(&self.memo, node, size)

    cdef int find_out(self, grog_ctx *ctx, int32_t at, int64_t result) except -1:
        """Where a result leads: the rules are run."""
        cdef int64_t cells = self.memo.cells
        cdef int32_t *mark = grog_mark(ctx)
        cdef int32_t *before = grog_alloc(ctx, cells)
        cdef int32_t *s = grog_alloc(ctx, cells)
        cdef int32_t to
        cdef Py_buffer view
        cdef int32_t *other
        try:
            if before == NULL or s == NULL:
                raise MemoryError
            grog_begin(ctx, s, 0, GROG_BUDGET)
            grog_node_cells(&self.memo, at, before)
            memcpy(s, before, cells * 4)
            if not grog_put_result(&self.chance.all, ctx, &self.memo, at, result, s):
                raise MemoryError
            if self.chance.go_on(ctx, s, before, self.starts, self.lines):
                arrived = self.arrive(self.copied(before), self.copied(s))
                other = self.chance.engine.open(arrived, &view, False)
                memcpy(s, other, cells * 4)
                PyBuffer_Release(&view)
            to = self.number_of(ctx, s)
            if not grog_lead(&self.memo, at, result, to):
                raise MemoryError
        finally:
            grog_release(ctx, mark)
        return 0

    def walk(self, int64_t runs, uint64_t seed, int64_t most):
        """How often each outcome came in so many runs; None if one of them threw more than `most` times."""
        cdef grog_walking walking
        cdef int32_t stuck
        cdef int64_t i
        if self.busy:
            raise RuntimeError("two threads cannot walk one memory at once")
        cdef grog_ctx *ctx = self.chance.engine.borrow()
        self.busy = True
        try:
            for i in range(self.memo.outcomes):
                self.memo.tally[i] = 0
            grog_walking_open(&walking, runs, seed)
            while True:
                with nogil:
                    stuck = grog_memo_walk(&self.memo, &walking, most)
                if stuck == -1:
                    return [self.memo.tally[i] for i in range(self.memo.outcomes)]
                if stuck < 0:
                    return None
                self.find_out(ctx, walking.run[stuck].at, walking.run[stuck].result)
        finally:
            self.busy = False
            self.chance.engine.give_back(ctx)
