"""IR statements to closures.

A statement's closure gives 0 to go on, `BREAK` to leave the innermost loop, `CONTINUE` to begin its next pass,
`RETURN` to leave the function with the result in the frame.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from grognard.contract import generator as rng
from grognard.contract import ir
from grognard.contract.backend import RuleFailure
from grognard.contract.bitsets import set_words_of
from grognard.contract.call_classes import finds
from grognard.contract.header import (
    FAIL_DICE,
    FAIL_INDEX,
    FAIL_LIST,
    FAIL_OVERFLOW,
    FAIL_POOL,
    FAIL_RANGE,
    H_BRANCH,
    H_RNG_HI,
    H_RNG_LO,
    NONE,
)
from grognard.contract.layout import default_value, own_parts
from grognard.interpreter.expressions import Expressions
from grognard.interpreter.frames import (
    Eval,
    Frame,
    Unit,
    bit_of,
)
from grognard.interpreter.journal import (
    ADD,
    ADD_CLAMPED,
    BITS_OFF,
    BITS_ON,
    SET,
    Journal,
)
from grognard.interpreter.operators import MOST

BREAK = 1
RETURN = 2
CONTINUE = 3


class Statements(Expressions):
    """Compiles the statements of one function or machine."""

    def __init__(
        self,
        unit: Unit,
        journal: Journal,
        locals: Sequence[ir.LocalDecl],
        offsets: Sequence[int] | None,
        site: int,
        result: ir.LocalType | None = None,
    ) -> None:
        super().__init__(unit, locals, offsets, site)
        self.journal = journal
        self.result = result
        self.loops = 0
        #: whether loops that offer candidates may end when enough are found
        self.finds = False
        #: sites of notes that tell the function's result
        self.results: frozenset[int] = frozenset()

    def body(self, nodes: Sequence[ir.Stmt]) -> Eval:
        """Several statements as one."""
        made = [_STMT[type(node)](self, node) for node in nodes]
        if not made:
            return lambda fr: 0
        if len(made) == 1:
            return made[0]

        def run(fr: Frame) -> int:
            for statement in made:
                signal = statement(fr)
                if signal:
                    return signal
            return 0

        return run

    def loop_body(self, nodes: Sequence[ir.Stmt]) -> Eval:
        self.loops += 1
        made = self.body(nodes)
        self.loops -= 1
        return made

    # ---------------------------------------------------------------------------------------------- locals

    def _assign(self, node: ir.Assign) -> Eval:
        slot, value = self.int_slot(node.local), self.expr(node.value)

        def assign(fr: Frame) -> int:
            fr.v[slot] = value(fr)
            return 0

        return assign

    def _assign_set(self, node: ir.AssignSet) -> Eval:
        put = self.put_set(node.local)
        value = self.set_over(node.value, self.set_domain(ir.SetLocal(node.local)))

        def assign(fr: Frame) -> int:
            put(fr, value(fr))
            return 0

        return assign

    def _capacity(self, local: int) -> int:
        kind = self.locals[local].type
        if not isinstance(kind, ir.ListType):
            raise ValueError(f"local {local} is no list")
        return kind.capacity

    def _assign_list(self, node: ir.AssignList) -> Eval:
        put = self.put_list(node.local)
        value = self.list_within(node.value, self._capacity(node.local), self.site)

        def assign(fr: Frame) -> int:
            put(fr, value(fr))
            return 0

        return assign

    def _list_append(self, node: ir.ListAppend) -> Eval:
        slot, capacity, site = self.offsets[node.local], self._capacity(node.local), node.site
        value = self.expr(node.value)
        if self.in_machine:

            def append_cells(fr: Frame) -> int:
                item = value(fr)
                v = fr.v
                length = v[slot]
                if length >= capacity:
                    raise RuleFailure(FAIL_LIST, site, (item,))
                v[slot + 1 + length] = item
                v[slot] = length + 1
                return 0

            return append_cells

        def append(fr: Frame) -> int:
            item = value(fr)
            items = fr.v[slot]
            if len(items) >= capacity:
                raise RuleFailure(FAIL_LIST, site, (item,))
            items.append(item)
            return 0

        return append

    def _list_clear(self, node: ir.ListClear) -> Eval:
        put = self.put_list(node.local)

        def clear(fr: Frame) -> int:
            put(fr, [])
            return 0

        return clear

    def _set_change(self, node: ir.SetChange) -> Eval:
        domain = self.set_domain(ir.SetLocal(node.local))
        base, count = self.layout.base[domain], self.layout.count[domain]
        value, get, put = self.expr(node.value), self.set(ir.SetLocal(node.local)), self.put_set(node.local)
        add, site = node.add, self.site

        def change(fr: Frame) -> int:
            bit = bit_of(value(fr), base, count, site)
            mask = get(fr)
            put(fr, mask | bit if add else mask & ~bit)
            return 0

        return change

    # ---------------------------------------------------------------------------------------------- fields

    def _field_kind(self, field: int, kind: type) -> ir.Field:
        entry = self.program.fields[field]
        if not isinstance(entry.type, kind):
            raise ValueError(f"field {entry.name} is no {kind.__name__}")
        return entry

    def _store(self, node: ir.Store) -> Eval:
        entry = self._field_kind(node.field, ir.IntType)
        at, operand = self.field_place(node.field, node.index, node.site), self.expr(node.value)
        lo, hi, optional, clamp, site = entry.lo, entry.hi, entry.optional, node.clamp, node.site
        write = self.journal.write

        def store(fr: Frame) -> int:
            cell = at(fr)
            value = operand(fr)
            if not lo <= value <= hi and not (optional and value == NONE):
                if not clamp or value == NONE:
                    raise RuleFailure(FAIL_RANGE, site, (value,))
                value = lo if value < lo else hi
            c = fr.c
            if c[H_BRANCH] == NONE:
                c[cell] = value
            else:
                write(c, cell, value, SET, value, site)
            return 0

        how = ADD_CLAMPED if clamp else ADD

        def add(fr: Frame) -> int:
            cell = at(fr)
            change = operand(fr)
            c = fr.c
            before = c[cell]
            if before == NONE or change == NONE:
                raise RuleFailure(FAIL_INDEX, site, (NONE,))
            value = before + change
            if not lo <= value <= hi:
                if not clamp:
                    raise RuleFailure(FAIL_RANGE, site, (value,))
                value = lo if value < lo else hi
            write(c, cell, value, how, change, site)
            return 0

        return store if node.op == "set" else add

    def _store_set(self, node: ir.StoreSet) -> Eval:
        entry = self._field_kind(node.field, ir.SetType)
        at = self.field_place(node.field, node.index, node.site)
        value = self.set_over(node.value, entry.type.domain)  # type: ignore[union-attr]
        words, write, site = self.layout.field_words[node.field], self.journal.write, node.site

        def store(fr: Frame) -> int:
            cell = at(fr)
            for number, word in enumerate(set_words_of(value(fr), words)):
                write(fr.c, cell + number, word, SET, word, site)
            return 0

        return store

    def _store_set_change(self, node: ir.StoreSetChange) -> Eval:
        domain = self._field_kind(node.field, ir.SetType).type.domain  # type: ignore[union-attr]
        at, value = self.field_place(node.field, node.index, node.site), self.expr(node.value)
        base, count = self.layout.base[domain], self.layout.count[domain]
        how = BITS_ON if node.add else BITS_OFF
        add, site, write = node.add, node.site, self.journal.write

        def change(fr: Frame) -> int:
            cell = at(fr)
            element = value(fr)
            if element == NONE:
                return 0
            bit_of(element, base, count, site)
            place = element - base
            cell += place >> 5
            bit = rng.signed(1 << (place & 31))
            c = fr.c
            write(c, cell, c[cell] | bit if add else c[cell] & ~bit, how, bit, site)
            return 0

        return change

    def _store_list(self, node: ir.StoreList) -> Eval:
        capacity = self._field_kind(node.field, ir.ListType).type.capacity  # type: ignore[union-attr]
        at = self.field_place(node.field, node.index, node.site)
        value = self.list_within(node.value, capacity, node.site)
        write, site = self.journal.write, node.site

        def store(fr: Frame) -> int:
            cell = at(fr)
            items = value(fr)
            words = [len(items), *items, *([0] * (capacity - len(items)))]
            for number, word in enumerate(words):
                write(fr.c, cell + number, word, SET, word, site)
            return 0

        return store

    def _enqueue(self, node: ir.Enqueue) -> Eval:
        entry = self._field_kind(node.field, ir.ListType)
        if entry.dims:
            raise ValueError(f"field {entry.name} is no queue")
        capacity = entry.type.capacity  # type: ignore[union-attr]
        start, value, site = self.layout.field_offset[node.field], self.expr(node.value), node.site

        def enqueue(fr: Frame) -> int:
            item = value(fr)
            c = fr.c
            length = max(0, min(c[start], capacity))
            if length >= capacity:
                raise RuleFailure(FAIL_LIST, site, (item,))
            c[start + 1 + length] = item
            c[start] = length + 1
            return 0

        return enqueue

    def _store_head(self, node: ir.StoreHead) -> Eval:
        cell, value = node.cell, self.expr(node.value)

        def store(fr: Frame) -> int:
            fr.c[cell] = value(fr)
            return 0

        return store

    def _reset(self, node: ir.Reset) -> Eval:
        start, cells = self.layout.field_offset[node.field], self.layout.field_cells[node.field]
        default, write, site = (
            default_value(self.program.fields[node.field], self.layout),
            self.journal.write,
            self.site,
        )

        def reset(fr: Frame) -> int:
            for cell in range(start, start + cells):
                write(fr.c, cell, default, SET, default, site)
            return 0

        return reset

    def _copy_field(self, node: ir.CopyField) -> Eval:
        source, target = self.layout.field_offset[node.source], self.layout.field_offset[node.target]
        cells = self.layout.field_cells[node.source]
        if cells != self.layout.field_cells[node.target]:
            raise ValueError("fields of different shape")
        write, site = self.journal.write, self.site

        def copy(fr: Frame) -> int:
            c = fr.c
            if c[H_BRANCH] == NONE:
                c[target : target + cells] = c[source : source + cells]
                return 0
            for number in range(cells):
                value = c[source + number]
                write(c, target + number, value, SET, value, site)
            return 0

        return copy

    def _create(self, node: ir.Create) -> Eval:
        domain = node.domain
        alive = self.program.domains[domain].alive
        if alive is None:
            raise ValueError(f"domain {self.program.domains[domain].name} has nothing to create")
        base, count, site = self.layout.base[domain], self.layout.count[domain], node.site
        flags = self.layout.field_offset[alive]
        slot, write, touched = self.int_slot(node.local), self.journal.write, self.journal.touched
        own = [
            (start, cells, default_value(f, self.layout))
            for f in self.program.fields
            if f.id != alive
            for start, cells in own_parts(f, self.layout, domain)
        ]

        def create(fr: Frame) -> int:
            c = fr.c
            taken = touched(c) if c[H_BRANCH] != NONE else ()
            for number in range(count):
                if not c[flags + number] and flags + number not in taken:
                    break
            else:
                raise RuleFailure(FAIL_POOL, site)
            for start, words, default in own:
                for cell in range(start + number * words, start + (number + 1) * words):
                    write(c, cell, default, SET, default, site)
            write(c, flags + number, 1, SET, 1, site)
            fr.v[slot] = base + number
            return 0

        return create

    def _destroy(self, node: ir.Destroy) -> Eval:
        alive = self.program.domains[node.domain].alive
        if alive is None:
            raise ValueError(f"domain {self.program.domains[node.domain].name} has nothing to destroy")
        at = self.field_place(alive, (node.value,), node.site)
        write, site = self.journal.write, node.site

        def destroy(fr: Frame) -> int:
            write(fr.c, at(fr), 0, SET, 0, site)
            return 0

        return destroy

    # --------------------------------------------------------------------------------------------- control

    def _if_stmt(self, node: ir.IfStmt) -> Eval:
        condition, then, otherwise = (
            self.expr(node.condition),
            self.body(node.then),
            self.body(node.otherwise),
        )
        return lambda fr: then(fr) if condition(fr) else otherwise(fr)

    def _while(self, node: ir.While) -> Eval:
        condition, body, site = self.expr(node.condition), self.loop_body(node.body), node.site

        def loop(fr: Frame) -> int:
            while condition(fr):
                fr.run.spend(1, site)
                signal: int = body(fr)
                if signal and signal != CONTINUE:
                    return 0 if signal == BREAK else signal
            return 0

        return loop

    def _for(self, node: ir.For) -> Eval:
        over, slot, site = self.over(node.over), self.int_slot(node.var), node.site
        where = None if node.where is None else self.expr(node.where)
        key = None if node.key is None else self.expr(node.key)
        body, highest = self.loop_body(node.body), node.highest

        def fixed(fr: Frame) -> list[int]:
            count, items = over(fr)
            fr.run.spend(count, site)
            if where is None:
                return list(items)
            v = fr.v
            kept = []
            for item in items:
                v[slot] = item
                if where(fr):
                    kept.append(item)
            return kept

        def found(fr: Frame) -> int:
            """Offers one element after another, so that the search can end with any of them."""
            v = fr.v
            count, items = over(fr)
            fr.run.spend(count, site)
            for item in items:
                v[slot] = item
                if where is None or where(fr):
                    fr.run.offer(item)
            v[slot] = 0
            return 0

        if self.finds and finds(node):
            return found

        def loop(fr: Frame) -> int:
            v = fr.v
            left = fixed(fr)
            for item in left:
                v[slot] = item
                signal = body(fr)
                if signal and signal != CONTINUE:
                    v[slot] = 0
                    return 0 if signal == BREAK else signal
            v[slot] = 0
            return 0

        def keyed(fr: Frame) -> int:
            assert key is not None
            v = fr.v
            left = fixed(fr)
            while left:
                best, place = NONE, -1
                for number, item in enumerate(left):
                    v[slot] = item
                    worth = key(fr)
                    if place < 0 or (worth > best if highest else worth < best):
                        best, place = worth, number
                v[slot] = left.pop(place)
                signal = body(fr)
                if signal and signal != CONTINUE:
                    v[slot] = 0
                    return 0 if signal == BREAK else signal
            v[slot] = 0
            return 0

        return loop if key is None else keyed

    def _for_line(self, node: ir.ForLine) -> Eval:
        kind_slot, first_slot, second_slot = (
            self.int_slot(node.kind_var),
            self.int_slot(node.first_var),
            self.int_slot(node.second_var),
        )
        a, b, body, site = self.expr(node.a), self.expr(node.b), self.loop_body(node.body), node.site
        line, crossings = self.unit.geography.line_items, node.crossings

        def loop(fr: Frame) -> int:
            v = fr.v
            signal = 0
            for v[kind_slot], v[first_slot], v[second_slot] in line(a(fr), b(fr), crossings):
                fr.run.spend(1, site)
                signal = body(fr)
                if signal and signal != CONTINUE:
                    break
            v[kind_slot] = v[first_slot] = v[second_slot] = 0
            return signal if signal == RETURN else 0

        return loop

    def _break(self, node: ir.Break) -> Eval:
        if not self.loops:
            raise ValueError("break outside a loop")
        return lambda fr: BREAK

    def _continue(self, node: ir.Continue) -> Eval:
        if not self.loops:
            raise ValueError("continue outside a loop")
        return lambda fr: CONTINUE

    def _return(self, node: ir.Return) -> Eval:
        if self.in_machine:
            raise ValueError("return among the statements of a machine")
        if node.value is None:
            return lambda fr: RETURN
        value = self.result_value(node.value)

        def leave(fr: Frame) -> int:
            fr.result = value(fr)
            return RETURN

        return leave

    def result_value(self, node: Any) -> Eval:
        """What a function gives back, as its declared result says."""
        match self.result:
            case ir.SetType(domain=domain):
                return self.set_over(node, domain)
            case ir.IntType():
                return self.expr(node)
        raise ValueError("a procedure gives nothing back")

    def _do(self, node: ir.Do) -> Eval:
        call = self.call(node.function, node.args)
        slot = None if node.local is None else self.int_slot(node.local)
        if slot is not None and not isinstance(self.program.functions[node.function].result, ir.IntType):
            raise ValueError(f"{self.program.functions[node.function].name} gives no integer to keep")

        def do(fr: Frame) -> int:
            result = call(fr)
            if slot is not None:
                fr.v[slot] = result
            return 0

        return do

    # ------------------------------------------------------------------------------------ dice, trace, failure

    def _roll(self, node: ir.Roll) -> Eval:
        count_of, lo_of, hi_of = self.expr(node.count), self.expr(node.lo), self.expr(node.hi)
        total_slot = None if node.total is None else self.int_slot(node.total)
        put = None if node.pool is None else self.put_list(node.pool)
        capacity = MOST if node.pool is None else self._capacity(node.pool)
        site = node.site

        def roll(fr: Frame) -> int:
            count, lo, hi = count_of(fr), lo_of(fr), hi_of(fr)
            if NONE in (count, lo, hi):
                raise RuleFailure(FAIL_INDEX, site, (count, lo, hi))
            if hi < lo:
                raise RuleFailure(FAIL_RANGE, site, (count, lo, hi))
            if count > capacity:
                raise RuleFailure(FAIL_LIST, site, (count,))
            dice = [_die(fr, lo, hi, site) for _ in range(count)]
            total = sum(dice)
            if not -MOST <= total <= MOST:
                raise RuleFailure(FAIL_OVERFLOW, site)
            if total_slot is not None:
                fr.v[total_slot] = total
            if put is not None:
                put(fr, dice)
            if fr.run.level >= 1:
                fr.run.note(site, -1, [count, lo, hi, *dice])
            return 0

        return roll

    def _yield(self, node: ir.Yield) -> Eval:
        value = self.expr(node.value)

        def offer(fr: Frame) -> int:
            fr.run.offer(value(fr))
            return 0

        return offer

    def _note(self, node: ir.Note) -> Eval:
        args = [self.expr(arg) for arg in node.args]
        seen = (lambda fr: -1) if node.seen is None else self.expr(node.seen)
        level, site = node.level, node.site

        def note(fr: Frame) -> int:
            if fr.run.level >= level:
                values = [arg(fr) for arg in args]
                fr.run.note(site, seen(fr), values)
            return 0

        def note_result(fr: Frame) -> int:
            if fr.run.level >= level:
                values = [arg(fr) for arg in args]
                fr.run.note_result(site, seen(fr), values, fr.since)
            return 0

        return note_result if site in self.results else note

    def _fail(self, node: ir.Fail) -> Eval:
        kind, site = node.kind, node.site

        def fail(fr: Frame) -> int:
            raise RuleFailure(kind, site)

        return fail

    def _branch_begin(self, node: ir.BranchBegin) -> Eval:
        return self._journal_step(self.journal.begin, node.site)

    def _branch_next(self, node: ir.BranchNext) -> Eval:
        return self._journal_step(self.journal.next, node.site)

    def _branch_end(self, node: ir.BranchEnd) -> Eval:
        return self._journal_step(self.journal.end, node.site)

    def _journal_step(self, act: Callable[[memoryview, int], None], site: int) -> Eval:
        def step(fr: Frame) -> int:
            act(fr.c, site)
            return 0

        return step


def _die(fr: Frame, lo: int, hi: int, site: int) -> int:
    io = fr.run.io
    if io.script is not None:
        if io.script_used >= len(io.script):
            raise RuleFailure(FAIL_DICE, site, (lo, hi))
        face = io.script[io.script_used]
        if not lo <= face <= hi:
            raise RuleFailure(FAIL_DICE, site, (lo, hi, face))
        io.script_used += 1
        return face
    c = fr.c
    face, state = rng.draw(rng.joined(c[H_RNG_LO], c[H_RNG_HI]), hi - lo + 1)
    c[H_RNG_LO], c[H_RNG_HI] = rng.split(state)
    return lo + face


_STMT: dict[type, Callable[[Statements, Any], Eval]] = {
    ir.Assign: Statements._assign,
    ir.AssignSet: Statements._assign_set,
    ir.AssignList: Statements._assign_list,
    ir.ListAppend: Statements._list_append,
    ir.ListClear: Statements._list_clear,
    ir.SetChange: Statements._set_change,
    ir.Store: Statements._store,
    ir.StoreSet: Statements._store_set,
    ir.StoreSetChange: Statements._store_set_change,
    ir.StoreList: Statements._store_list,
    ir.Enqueue: Statements._enqueue,
    ir.StoreHead: Statements._store_head,
    ir.Reset: Statements._reset,
    ir.CopyField: Statements._copy_field,
    ir.IfStmt: Statements._if_stmt,
    ir.While: Statements._while,
    ir.For: Statements._for,
    ir.ForLine: Statements._for_line,
    ir.Break: Statements._break,
    ir.Continue: Statements._continue,
    ir.Return: Statements._return,
    ir.Do: Statements._do,
    ir.Roll: Statements._roll,
    ir.Create: Statements._create,
    ir.Destroy: Statements._destroy,
    ir.Yield: Statements._yield,
    ir.Note: Statements._note,
    ir.Fail: Statements._fail,
    ir.BranchBegin: Statements._branch_begin,
    ir.BranchNext: Statements._branch_next,
    ir.BranchEnd: Statements._branch_end,
}
