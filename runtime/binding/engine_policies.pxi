# Decisions that are answered by the lines of a policy (grognard.odds.policy).

cdef class EnginePolicies(EngineCalls):

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
                grog_candidates_drop(ctx)
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
