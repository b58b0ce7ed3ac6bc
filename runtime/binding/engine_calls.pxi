# One run at a time: the interface of a back end (grognard.contract.backend).

cdef class EngineCalls(EngineData):
    """Arguments come as arrays."""

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
                    grog_candidates_keep(ctx)
            self.finish(ctx, io, script)
        finally:
            PyBuffer_Release(&view)
            if ctx != NULL:
                self.give_back(ctx)

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
                    grog_candidates_keep(ctx)
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
            # What was memoised when it was made may be valid still, and the block of the position before may be free.
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
        # It has no number before it is complete.
        block.serial = 0
        ctx = self.borrow()
        with nogil:
            grog_candidates_drop(ctx)
            grog_begin(ctx, s, 0, GROG_BUDGET)
            grog_memo_begin(ctx, block.before)
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
                # What a function offers outside a decision is dropped.
                ctx.cand_count = 0
                grog_candidates_drop(ctx)
                result = self.program.call(ctx, function, given, room)
            self.finish(ctx, io, script)
            return result
        finally:
            PyMem_Free(given)
            PyBuffer_Release(&view)
            if ctx != NULL:
                self.give_back(ctx)
