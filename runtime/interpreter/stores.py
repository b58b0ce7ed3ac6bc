"""Statements that write the position, to closures: fields, header cells, and the pieces of a pool.

Writes of fields go through the journal, which records them inside a simultaneous block.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grognard.contract import generator as rng
from grognard.contract import ir
from grognard.contract.backend import RuleFailure
from grognard.contract.bitsets import set_words_of
from grognard.contract.header import (
    FAIL_INDEX,
    FAIL_LIST,
    FAIL_POOL,
    FAIL_RANGE,
    H_BRANCH,
    NONE,
)
from grognard.contract.layout import default_value, own_parts
from grognard.interpreter.expressions import Expressions
from grognard.interpreter.frames import Eval, Frame, bit_of
from grognard.interpreter.journal import (
    ADD,
    ADD_CLAMPED,
    BITS_OFF,
    BITS_ON,
    SET,
    Journal,
)


class StoreStatements(Expressions):
    """Compiles stores to fields, creation and destruction of pieces, and the steps of simultaneous blocks."""

    journal: Journal

    # ------------------------------------------------------------------------------------------------- fields

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

    # --------------------------------------------------------------------------------------- pieces of a pool

    def _create(self, node: ir.Create) -> Eval:
        domain = node.domain
        alive = self.program.domains[domain].alive
        if alive is None:
            raise ValueError(f"domain {self.program.domains[domain].name} has nothing to create")
        base, count, site = self.layout.base[domain], self.layout.count[domain], node.site
        flags = self.layout.field_offset[alive]
        slot, write, touched = self.int_slot(node.local), self.journal.write, self.journal.touched
        marks = [self.layout.field_offset[kept] for kept in self.program.domains[domain].remembered]
        own = [
            (start, cells, default_value(f, self.layout))
            for f in self.program.fields
            if f.id != alive
            for start, cells in own_parts(f, self.layout, domain)
        ]

        def create(fr: Frame) -> int:
            c = fr.c
            taken = touched(c) if c[H_BRANCH] != NONE else ()
            number = -1
            for free in range(count):
                if not c[flags + free] and flags + free not in taken:
                    if number < 0:
                        number = free
                    if not any(c[kept + free] for kept in marks):
                        number = free
                        break
            if number < 0:
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

    # ------------------------------------------------------------------------------------ simultaneous blocks

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


STORES: dict[type, Callable[[StoreStatements, Any], Eval]] = {
    ir.Store: StoreStatements._store,
    ir.StoreSet: StoreStatements._store_set,
    ir.StoreSetChange: StoreStatements._store_set_change,
    ir.StoreList: StoreStatements._store_list,
    ir.Enqueue: StoreStatements._enqueue,
    ir.StoreHead: StoreStatements._store_head,
    ir.Reset: StoreStatements._reset,
    ir.CopyField: StoreStatements._copy_field,
    ir.Create: StoreStatements._create,
    ir.Destroy: StoreStatements._destroy,
    ir.BranchBegin: StoreStatements._branch_begin,
    ir.BranchNext: StoreStatements._branch_next,
    ir.BranchEnd: StoreStatements._branch_end,
}
