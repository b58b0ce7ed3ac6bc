# Positions as Python sees them (cells that never change), and what every part of an engine stands on: its data, a
# pool of contexts, and blocks of memory for positions.

cdef class EngineData


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

    They read as bytes."""

    cdef EngineData engine
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


cdef class EngineData:
    """A program with its data.  Shared by threads: every call takes a context of its own from the pool."""

    cdef grog_data data
    cdef const grog_program *program
    cdef grog_space *spaces
    cdef grog_interchange *likeness
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
        self.likeness = <grog_interchange *>PyMem_Calloc(len(given) + 1, sizeof(grog_interchange))
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
