# Positions of a chance program: runs from dice to dice.

cdef class Outcomes:
    """Positions of a chance program, for odds: see grognard.odds.attrition.probe, and kernels/outcomes.h."""

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
        """Note of each cell that distinguishes pieces which piece it belongs to."""
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
        cdef int64_t count, i, given = 0, memo_mode
        grog_begin(ctx, s, 0, GROG_BUDGET)
        ctx.script = GROG_NO_DICE
        grog_memo_begin_short(ctx)
        memo_mode = ctx.memo_mode
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
            # An answer by a policy only reads: the memo stays valid.
            grog_begin(ctx, s, 0, GROG_BUDGET)
            ctx.script = GROG_NO_DICE
            ctx.memo_mode = memo_mode
            self.answered += 1
            given += 1
            if given > MOST_ANSWERS:
                grog_fail(ctx, GROG_FAIL_BUDGET, -1)
                return 1
            grog_answer(ctx, value)
        return 0

    cdef int go_on(self, grog_ctx *ctx, int32_t *s, const int32_t *before, const int32_t[::1] starts, const int32_t[::1] lines) except -1:
        """To the next dice or the end, in the simplest form; 1 at a decision that the lines do not answer."""
        cdef int32_t stuck
        cdef int64_t missing
        with nogil:
            grog_candidates_drop(ctx)
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
        grog_candidates_drop(ctx)
        ctx.created = 0
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

    # A function of its own, so that the lock is taken here only.
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
