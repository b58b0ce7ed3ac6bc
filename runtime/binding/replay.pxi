# A procedure that is done many times, by a cache of its transitions.

cdef class CachedSimulation:
    """A procedure that is done many times: its transitions are cached (see kernels/transition_cache.h).

    `arrive` takes a position that compiled code cannot take to the next dice and does so; `classes` gives what rules can
    tell of a pool's faces; `outcome` the number of what came of an end."""

    cdef Chance chance
    cdef grog_transitions memo
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
            if not grog_transitions_open(&self.memo, s, chance.all.data.cells):
                raise MemoryError
            ctx = chance.engine.borrow()
            grog_begin(ctx, s, 0, GROG_BUDGET)
            self.number_of(ctx, s)
        finally:
            PyBuffer_Release(&view)
            if ctx != NULL:
                chance.engine.give_back(ctx)

    def __dealloc__(self):
        grog_transitions_free(&self.memo)

    @property
    def positions(self):
        """How many are cached."""
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
                    stuck = grog_transitions_walk(&self.memo, &walking, most)
                if stuck == -1:
                    return [self.memo.tally[i] for i in range(self.memo.outcomes)]
                if stuck < 0:
                    return None
                self.find_out(ctx, walking.run[stuck].at, walking.run[stuck].result)
        finally:
            self.busy = False
            self.chance.engine.give_back(ctx)
