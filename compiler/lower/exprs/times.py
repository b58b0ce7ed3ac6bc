"""Values of another time or position: `as of` a mark, `latest`, `ever since`, `at best`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.code import Value
from grognard.compiler.lower.exprs.rules import flat_arguments
from grognard.compiler.lower.time.watches import lower_ever_since
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import FLAG
from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Lowering


def _as_of(low: Lowering, node: t.AsOf) -> Value:
    before, low.code.mark = low.code.mark, node.mark
    made = low.lower(node.value)
    low.code.mark = before
    return Value(node.type, made.expr, made.record)


def _latest(low: Lowering, node: t.Latest) -> Value:
    """The pending value of a field with a deferred write, else its value."""
    made = low.lower(node.value)
    value, due = low.lowerer.timing.pending(node.info)
    if low.code.mark is not None:
        value, due = (low.lowerer.marks.snapshot(field, low.code.mark) for field in (value, due))
    index, site = made.expr.index, made.expr.site
    waits = ir.Binary("ne", ir.Load(due, index, site), ir.Const(0), site)
    return Value(node.type, ir.If(waits, ir.Load(value, index, site), made.expr))


def _at_best(low: Lowering, node: t.AtBest) -> Value:
    flat = flat_arguments(low, node.entry, node.args)
    machine = low.lowerer.trial_machine(node.entry)
    site = low.lowerer.site("at best", node.entry.name, node.span, node.entry.cites, owner=low.code.owner)
    enough = None if node.enough is None else ir.Const(node.enough)
    search = ir.AtBest(machine, tuple(flat), enough, site)
    return Value(
        node.type, ir.Binary("eq", search, ir.Const(1), site) if node.type.sort == FLAG.sort else search
    )


TIMES: dict[type, Any] = {
    t.AsOf: _as_of,
    t.Latest: _latest,
    t.AtBest: _at_best,
    t.EverSince: lower_ever_since,
}
