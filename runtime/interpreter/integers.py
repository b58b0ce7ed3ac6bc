"""Integer expressions to closures: constants, locals, fields, columns, tables, arithmetic, calls and built-in queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grognard.contract import ir
from grognard.contract.backend import RuleFailure
from grognard.contract.datablock import (
    AXIS_CELLS,
    CLAMP_HIGH,
    CLAMP_LOW,
    TABLE_HEAD,
)
from grognard.contract.header import (
    FAIL_INDEX,
    FAIL_OVERFLOW,
    FAIL_TABLE,
    NONE,
)
from grognard.interpreter.frames import Eval, Frame
from grognard.interpreter.operators import BINARY, WITH_CONSTANT
from grognard.interpreter.reachability import reach_cost
from grognard.interpreter.scope import Scope


class IntegerExpressions(Scope):
    """Compiles expressions whose value is an integer."""

    # ---------------------------------------------------------------------- constants, locals, cells and data

    def _const(self, node: ir.Const) -> Eval:
        value = node.value
        return lambda fr: value

    def _sym(self, node: ir.Sym) -> Eval:
        value = self.unit.data.symbols[node.symbol]
        return lambda fr: value

    def _domain_count(self, node: ir.DomainCount) -> Eval:
        value = self.layout.count[node.domain]
        return lambda fr: value

    def _domain_base(self, node: ir.DomainBase) -> Eval:
        value = self.layout.base[node.domain]
        return lambda fr: value

    def _local(self, node: ir.Local) -> Eval:
        slot = self.int_slot(node.index)
        return lambda fr: fr.v[slot]

    def _head(self, node: ir.Head) -> Eval:
        cell = node.cell
        return lambda fr: fr.c[cell]

    def _load(self, node: ir.Load) -> Eval:
        dims = self.program.fields[node.field].dims
        if len(dims) == 1 and len(node.index) == 1 and isinstance(node.index[0], ir.Local):
            return self._load_by_local(node, node.index[0], dims[0])
        at = self.field_place(node.field, node.index, node.site)
        return lambda fr: fr.c[at(fr)]

    def _load_by_local(self, node: ir.Load, index: ir.Local, domain: int) -> Eval:
        """The most frequent load, a field of the piece or place in a local: one closure instead of three."""
        slot, site = self.int_slot(index.index), node.site
        base, count = self.layout.base[domain], self.layout.count[domain]
        start = self.layout.field_offset[node.field]

        def load(fr: Frame) -> int:
            value = fr.v[slot]
            place = value - base
            if 0 <= place < count:
                return fr.c[start + place]
            raise RuleFailure(FAIL_INDEX, site, (value,))

        return load

    def _data(self, node: ir.Data) -> Eval:
        column = self.unit.data.columns[node.column]
        at = self.place(self.program.columns[node.column].dims, node.index, node.site, 0, 1)
        return lambda fr: column[at(fr)]

    def _table_get(self, node: ir.TableGet) -> Eval:
        table = self.unit.data.tables[node.table]
        args = [self.expr(arg) for arg in node.index]
        axes = []
        for axis in range(len(args)):
            head = TABLE_HEAD + AXIS_CELLS * axis
            lo, hi, flags, rows, offset = table[head : head + AXIS_CELLS]
            axes.append((lo, hi, flags & CLAMP_LOW, flags & CLAMP_HIGH, rows, offset))
        cells = table[1]
        site = node.site

        def table_get(fr: Frame) -> int:
            index = [arg(fr) for arg in args]
            place = 0
            for value, (lo, hi, low, high, rows, offset) in zip(index, axes):
                if value < lo:
                    if value == NONE or not low:
                        raise RuleFailure(FAIL_TABLE, site, tuple(index))
                    value = lo
                elif value > hi:
                    if not high:
                        raise RuleFailure(FAIL_TABLE, site, tuple(index))
                    value = hi
                row = table[offset + value - lo]
                if row < 0:
                    raise RuleFailure(FAIL_TABLE, site, tuple(index))
                place = place * rows + row
            result = table[cells + place]
            if fr.run.level >= 2:
                fr.run.note(site, -1, [*index, result])
            return result

        return table_get

    # ---------------------------------------------------------------------------------------------- operators

    def _unary(self, node: ir.Unary) -> Eval:
        value = self.expr(node.value)
        site = self.site
        if node.op == "not":
            return lambda fr: 0 if value(fr) else 1
        absolute = node.op == "abs"

        def turned(fr: Frame) -> int:
            x = value(fr)
            if x == NONE:
                raise RuleFailure(FAIL_OVERFLOW, site, (x,))
            return abs(x) if absolute else -x

        return turned

    def _binary(self, node: ir.Binary) -> Eval:
        if isinstance(node.right, ir.Const) and node.op in WITH_CONSTANT:
            return WITH_CONSTANT[node.op](self.expr(node.left), node.right.value)
        return BINARY[node.op](self.expr(node.left), self.expr(node.right), node.site)

    def _if(self, node: ir.If) -> Eval:
        condition, then, otherwise = (
            self.expr(node.condition),
            self.expr(node.then),
            self.expr(node.otherwise),
        )
        return lambda fr: then(fr) if condition(fr) else otherwise(fr)

    # -------------------------------------------------------------------------------------- calls and queries

    def _call(self, node: ir.Call) -> Eval:
        return self.call(node.function, node.args)

    def _at_best(self, node: ir.AtBest) -> Eval:
        target = self.program.machines[node.machine]
        args = self.arguments(node.args, target.locals[: target.params])
        enough = (lambda fr: NONE) if node.enough is None else self.expr(node.enough)
        unit, machine = self.unit, node.machine
        return lambda fr: unit.at_best(fr, machine, [arg(fr) for arg in args], enough(fr))

    def _verb(self, node: ir.Verb) -> Eval:
        if len(node.args) != ir.VERBS[node.name]:
            raise ValueError(f"verb {node.name} takes {ir.VERBS[node.name]} arguments")
        answer = self.unit.geography.answer(node.name)
        args = [self.expr(arg) for arg in node.args]
        if len(args) == 2:
            a, b = args
            return lambda fr: answer(a(fr), b(fr))
        return lambda fr: answer(*[arg(fr) for arg in args])

    def _reach_cost(self, node: ir.ReachCost) -> Eval:
        return reach_cost(self.unit, node.movement, [self.expr(arg) for arg in node.args], self.expr(node.to))


INTEGERS: dict[type, Callable[[IntegerExpressions, Any], Eval]] = {
    ir.Const: IntegerExpressions._const,
    ir.Sym: IntegerExpressions._sym,
    ir.DomainCount: IntegerExpressions._domain_count,
    ir.DomainBase: IntegerExpressions._domain_base,
    ir.Local: IntegerExpressions._local,
    ir.Load: IntegerExpressions._load,
    ir.Head: IntegerExpressions._head,
    ir.Data: IntegerExpressions._data,
    ir.TableGet: IntegerExpressions._table_get,
    ir.Unary: IntegerExpressions._unary,
    ir.Binary: IntegerExpressions._binary,
    ir.If: IntegerExpressions._if,
    ir.Call: IntegerExpressions._call,
    ir.AtBest: IntegerExpressions._at_best,
    ir.Verb: IntegerExpressions._verb,
    ir.ReachCost: IntegerExpressions._reach_cost,
}
