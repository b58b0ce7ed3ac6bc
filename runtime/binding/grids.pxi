# Chains of losses are followed, and two of them are shown to make a grid (grognard.odds.attrition.probe).

cdef class Chance(Outcomes):
    """Positions of a chance program for odds: runs from dice to dice, and grids of attrition."""

    def idle(self, entry, const int32_t[::1] starts, const int32_t[::1] lines):
        """The shape between the two rolls of a round without a hit, or why there is none, as grognard.odds.attrition.probe says it;
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

        `how`: the ends on the way are looked at: the last, and before it, by hits of the first roll, those that it reaches with one hit of
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
        second, hits of the first roll, of the second ...).  And from beside every end that was not reached, and that is not
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
