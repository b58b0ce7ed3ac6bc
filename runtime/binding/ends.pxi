# Ends of situations and of grids: what is read of a position where a procedure is over.

cdef enum:
    #: what comes of a throw or a round: it goes on at the next dice, it ends, there cannot be so many hits
    GOES_ON
    AN_END
    CANNOT_BE
    #: a decision that the lines do not answer, a failure
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
        grog_candidates_drop(ctx)
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
    """The ends of one grid that rounds have reached (grog_ends), and what is seen there: given by `how`, or without it by `met`, which
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
        # Chains are kept longer than that.
        one.how = two.how = None
        one.met, two.met = [], []

    cdef void take_down(self, int64_t end, tuple values):
        cdef int64_t k, wanted = self.ends.wanted
        for k in range(wanted):
            self.ends.value[end * wanted + k] = values[k]
        self.ends.count[end] = 0

    def values(self):
        """What was seen at each end; None where none was reached."""
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
