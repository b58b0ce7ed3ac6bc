# Many runs at once; with them an engine is complete.

cdef class Engine(EnginePolicies):
    """A program with its data.  Shared by threads: every call takes a context of its own from the pool.

    Its parts are base classes, one a file: data and contexts, calls, policies."""

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
                grog_candidates_drop(ctx)
                grog_playouts(ctx, s, games, seed, most, GROG_BUDGET, &tally)
            if ctx.fail:
                raise self.told(ctx)
            return [tally.outcomes[i] for i in range(seats + 2)], tally.plies, tally.answers
        finally:
            PyMem_Free(tally.outcomes)
            PyBuffer_Release(&view)
            if ctx != NULL:
                self.give_back(ctx)

    def random_rollout(self, cells, uint64_t seed, int64_t plies, int64_t most):
        """Random answers in place; how many were given."""
        cdef Py_buffer view
        cdef int32_t *s = self.open(cells, &view, True)
        cdef grog_ctx *ctx = NULL
        cdef int64_t given
        try:
            ctx = self.borrow()
            with nogil:
                grog_candidates_drop(ctx)
                given = grog_wander(ctx, s, seed, plies, most, GROG_BUDGET)
            if ctx.fail:
                raise self.told(ctx)
            return given
        finally:
            PyBuffer_Release(&view)
            if ctx != NULL:
                self.give_back(ctx)

    def guided_rollout(self, cells, uint64_t seed, int64_t plies, int64_t most, how, by, int64_t side):
        """Answers of actions that look best, in place; how many were given, and how a side stood.  See
        grognard.native.engine."""
        cdef Py_buffer view
        cdef int32_t *s = self.open(cells, &view, True)
        cdef grog_ctx *ctx = NULL
        cdef grog_rollout_options options
        cdef grog_evaluation evaluation
        cdef int64_t given
        cdef int64_t stood = 0
        evaluation.given = NULL
        try:
            options.plans = how.plans
            options.finalists = how.finalists
            options.tries = how.tries
            evaluation.sides = by.sides
            evaluation.side_base = by.side_base
            evaluation.seats = len(by.side_of) - 1
            evaluation.seat_base = by.seat_base
            evaluation.side_of = <const int64_t *>self.borrowed(by.side_of)
            evaluation.function = by.function
            evaluation.given = self.borrowed_all(by.given)
            evaluation.factor = by.factor
            evaluation.kinds = len(by.counters) // 3
            evaluation.counters = <const int64_t *>self.borrowed(by.counters)
            evaluation.won = by.won
            ctx = self.borrow()
            with nogil:
                grog_candidates_drop(ctx)
                given = grog_guided_rollout(ctx, s, seed, plies, most, &options, &evaluation, side, GROG_BUDGET, &stood)
            if ctx.fail:
                raise self.told(ctx)
            return given, stood
        finally:
            PyMem_Free(evaluation.given)
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
                grog_candidates_drop(ctx)
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
                grog_candidates_drop(ctx)
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
