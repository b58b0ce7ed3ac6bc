"""Set expressions to closures, and integer expressions about sets.

The value of a set is a bit mask: bit i is the element base + i of the set's domain.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grognard.contract import ir
from grognard.contract.bitsets import load_set, store_set
from grognard.contract.header import NONE
from grognard.contract.layout import set_words
from grognard.interpreter.equivalence import PieceEquivalence
from grognard.interpreter.frames import Eval, Frame, bit_of
from grognard.interpreter.reachability import reach_set
from grognard.interpreter.scope import Scope


class SetExpressions(Scope):
    """Compiles sets, their locals, and membership, size and comparison."""

    # ------------------------------------------------------------------------------------- domains and locals

    def set_over(self, node: Any, domain: int) -> Eval:
        """A set that must be over this domain: bit masks over different domains are not comparable."""
        if self.set_domain(node) != domain:
            raise ValueError(f"a set over domain {self.set_domain(node)} where {domain} is needed")
        return self.set(node)

    def set_domain(self, node: Any) -> int:
        kind: Any
        match node:
            case ir.SetLocal(index=index):
                kind = self.locals[index].type
            case ir.SetLoad(field=field):
                kind = self.program.fields[field].type
            case ir.SetData(column=column):
                kind = self.program.columns[column].type
            case ir.SetCall(function=function):
                kind = self.program.functions[function].result
            case ir.SetBinary(left=left):
                return self.set_domain(left)
            case ir.SetIf(then=then):
                return self.set_domain(then)
            case _:
                return int(node.domain)
        if not isinstance(kind, ir.SetType):
            raise ValueError(f"{node!r} is no set")
        return kind.domain

    def _pair(self, left: ir.SetExpr, right: ir.SetExpr) -> tuple[Eval, Eval]:
        return self.set(left), self.set_over(right, self.set_domain(left))

    def _set_local(self, node: ir.SetLocal) -> Eval:
        slot = self.offsets[node.index]
        if not self.in_machine:
            return lambda fr: fr.v[slot]
        words = set_words(self.layout.count[self.set_domain(node)])
        return lambda fr: load_set(fr.v, slot, words)

    def put_set(self, index: int) -> Callable[[Frame, int], None]:
        """Writes a set local."""
        self.expect_local(index, ir.SetType)
        slot = self.offsets[index]
        if self.in_machine:
            words = set_words(self.layout.count[self.set_domain(ir.SetLocal(index))])
            return lambda fr, mask: store_set(fr.v, slot, words, mask)

        def put(fr: Frame, mask: int) -> None:
            fr.v[slot] = mask

        return put

    # ------------------------------------------------------------------------------------------------- values

    def _set_load(self, node: ir.SetLoad) -> Eval:
        at = self.field_place(node.field, node.index, node.site)
        words = self.layout.field_words[node.field]
        return lambda fr: load_set(fr.c, at(fr), words)

    def _set_data(self, node: ir.SetData) -> Eval:
        words = set_words(self.layout.count[self.set_domain(node)])
        at = self.place(self.program.columns[node.column].dims, node.index, node.site, 0, words)
        column = memoryview(self.unit.data.columns[node.column])
        return lambda fr: load_set(column, at(fr), words)

    def _set_binary(self, node: ir.SetBinary) -> Eval:
        left, right = self._pair(node.left, node.right)
        match node.op:
            case "union":
                return lambda fr: left(fr) | right(fr)
            case "inter":
                return lambda fr: left(fr) & right(fr)
            case _:
                return lambda fr: left(fr) & ~right(fr)

    def _set_of(self, node: ir.SetOf) -> Eval:
        items = [self.expr(item) for item in node.items]
        base, count = self.layout.base[node.domain], self.layout.count[node.domain]
        site = self.site

        def written_out(fr: Frame) -> int:
            mask = 0
            for item in items:
                mask |= bit_of(item(fr), base, count, site)
            return mask

        return written_out

    def _set_if(self, node: ir.SetIf) -> Eval:
        condition = self.expr(node.condition)
        then, otherwise = self._pair(node.then, node.otherwise)
        return lambda fr: then(fr) if condition(fr) else otherwise(fr)

    def _set_call(self, node: ir.SetCall) -> Eval:
        return self.call(node.function, node.args)

    def _reach_set(self, node: ir.ReachSet) -> Eval:
        return reach_set(self.unit, node.movement, [self.expr(arg) for arg in node.args], node.domain)

    def _alike(self, node: ir.Alike) -> Eval:
        within = self.set_over(node.within, node.domain)
        how = PieceEquivalence(self.program, self.layout, node.domain)
        return lambda fr: how.like_first(fr.c, within(fr))

    # ------------------------------------------------------------------------------------ integers about sets

    def _in(self, node: ir.In) -> Eval:
        value, mask = self.expr(node.value), self.set(node.set)
        domain = self.set_domain(node.set)
        base, count = self.layout.base[domain], self.layout.count[domain]

        def inside(fr: Frame) -> int:
            place = value(fr) - base
            found = mask(fr)
            return found >> place & 1 if 0 <= place < count else 0

        return inside

    def _set_count(self, node: ir.SetCount) -> Eval:
        mask = self.set(node.set)
        return lambda fr: mask(fr).bit_count()

    def _set_next(self, node: ir.SetNext) -> Eval:
        mask, after = self.set(node.set), self.expr(node.after)
        base = self.layout.base[self.set_domain(node.set)]

        def following(fr: Frame) -> int:
            found, last = mask(fr), after(fr)
            if last != NONE and last >= base:
                shift = last - base + 1
                found = found >> shift << shift
            return base + (found & -found).bit_length() - 1 if found else NONE

        return following

    def _set_equal(self, node: ir.SetEqual) -> Eval:
        left, right = self._pair(node.left, node.right)
        return lambda fr: 1 if left(fr) == right(fr) else 0

    def _subset(self, node: ir.Subset) -> Eval:
        left, right = self._pair(node.left, node.right)
        return lambda fr: 0 if left(fr) & ~right(fr) else 1


SETS: dict[type, Callable[[SetExpressions, Any], Eval]] = {
    ir.SetLocal: SetExpressions._set_local,
    ir.SetLoad: SetExpressions._set_load,
    ir.SetData: SetExpressions._set_data,
    ir.SetBinary: SetExpressions._set_binary,
    ir.SetOf: SetExpressions._set_of,
    ir.SetIf: SetExpressions._set_if,
    ir.SetCall: SetExpressions._set_call,
    ir.ReachSet: SetExpressions._reach_set,
    ir.Alike: SetExpressions._alike,
}

SET_QUERIES: dict[type, Callable[[SetExpressions, Any], Eval]] = {
    ir.In: SetExpressions._in,
    ir.SetCount: SetExpressions._set_count,
    ir.SetNext: SetExpressions._set_next,
    ir.SetEqual: SetExpressions._set_equal,
    ir.Subset: SetExpressions._subset,
}
