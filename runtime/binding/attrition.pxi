# Attrition: distributions of hits, sums over a grid, chains of losses, grids that are known.

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
