"""Values of another time or position: `as of` a mark, `latest`, `at best`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.lower.exprs.rules import lower_arguments
from grognard.compiler.sema.scope import (
    Scope,
    Value,
    flatten,
)
from grognard.compiler.sema.types import (
    FLAG,
    UNKNOWN,
    Type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Exprs


def lower_as_of(exprs: Exprs, expr: syn.AsOf, scope: Scope, want: Type | None) -> Value:
    if expr.mark not in exprs.world.marks:
        return Value(UNKNOWN, ir.Const(0))
    before = exprs.code.mark
    exprs.code.mark = expr.mark
    try:
        return exprs.value(expr.value, scope, want)
    finally:
        exprs.code.mark = before


def lower_latest(exprs: Exprs, expr: syn.Latest, scope: Scope) -> Value:
    """The pending value of a field with a deferred write, else its value."""
    made = exprs.value(expr.value, scope)
    if not isinstance(made.expr, ir.Load):
        if made.type.sort != "unknown":
            exprs.sink.error("GR0208", expr.span, "only a field has a latest value")
        return made
    info = exprs.world.fields_by_id.get(made.expr.field)
    if info is None:
        exprs.sink.error("GR0208", expr.span, "this field is never written later")
        return made
    value, due = exprs.lowerer.timing.pending(info)
    site = made.expr.site
    waits = ir.Binary("ne", ir.Load(due, made.expr.index, site), ir.Const(0), site)
    return Value(made.type, ir.If(waits, ir.Load(value, made.expr.index, site), made.expr))


def lower_at_best(exprs: Exprs, expr: syn.AtBest, scope: Scope) -> Value:
    entry = exprs.world.callables.get(expr.use.name)
    if entry is None or entry.sort != "procedure":
        known = [c.name for c in exprs.world.callables.values() if c.sort == "procedure"]
        exprs.sink.error(
            "GR0207",
            expr.use.span,
            f"there is no procedure `{expr.use.name}`",
            hint=hint_for(expr.use.name, known),
        )
        return Value(UNKNOWN, ir.Const(0))
    entry.used = True
    if entry.result is None or entry.result.sort not in ("int", "flag"):
        exprs.sink.error("GR0309", expr.span, f"`{entry.name}` gives no number to be the best")
        return Value(UNKNOWN, ir.Const(0))
    made = lower_arguments(exprs, entry, list(expr.use.args), expr.use.span, scope)
    if made is None or any(v.type.sort == "unknown" for v in made):
        return Value(UNKNOWN, ir.Const(0))
    flat = [part for value in made for part in flatten(value)]
    if any(v.type.sort in ("set", "list") for v in made):
        exprs.sink.error("GR0208", expr.use.span, "sets and lists cannot be given to a hypothetical")
        return Value(UNKNOWN, ir.Const(0))
    if entry.uses_me:
        flat.insert(0, exprs.me(expr.span, entry).expr)
    machine = exprs.lowerer.trial_machine(entry)
    site = exprs.lowerer.site("at best", entry.name, expr.span, entry.cites, owner=exprs.code.owner)
    if entry.result.sort == "flag":
        search = ir.AtBest(machine, tuple(flat), ir.Const(1), site)
        return Value(FLAG, ir.Binary("eq", search, ir.Const(1), site))
    enough = None if expr.enough is None else ir.Const(expr.enough)
    return Value(entry.result.maybe(), ir.AtBest(machine, tuple(flat), enough, site))
