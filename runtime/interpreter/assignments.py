"""Statements that write locals, to closures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grognard.contract import ir
from grognard.contract.backend import RuleFailure
from grognard.contract.header import FAIL_LIST
from grognard.interpreter.expressions import Expressions
from grognard.interpreter.frames import Eval, Frame, bit_of


class AssignmentStatements(Expressions):
    """Compiles assignments to locals, and changes of local sets and lists."""

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

    def list_capacity(self, local: int) -> int:
        kind = self.locals[local].type
        if not isinstance(kind, ir.ListType):
            raise ValueError(f"local {local} is no list")
        return kind.capacity

    def _assign_list(self, node: ir.AssignList) -> Eval:
        put = self.put_list(node.local)
        value = self.list_within(node.value, self.list_capacity(node.local), self.site)

        def assign(fr: Frame) -> int:
            put(fr, value(fr))
            return 0

        return assign

    def _list_append(self, node: ir.ListAppend) -> Eval:
        slot, capacity, site = self.offsets[node.local], self.list_capacity(node.local), node.site
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


ASSIGNMENTS: dict[type, Callable[[AssignmentStatements, Any], Eval]] = {
    ir.Assign: AssignmentStatements._assign,
    ir.AssignSet: AssignmentStatements._assign_set,
    ir.AssignList: AssignmentStatements._assign_list,
    ir.ListAppend: AssignmentStatements._list_append,
    ir.ListClear: AssignmentStatements._list_clear,
    ir.SetChange: AssignmentStatements._set_change,
}
