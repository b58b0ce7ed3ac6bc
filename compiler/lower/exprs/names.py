"""Bare names: locals, members of types, fields of the game, options, rules without parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.lower.exprs.fields import read_field
from grognard.compiler.lower.exprs.rules import call_rule
from grognard.compiler.sema.scope import Scope, Value
from grognard.compiler.sema.types import (
    FLAG,
    UNKNOWN,
    Type,
    dom_type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Exprs


def lower_name(exprs: Exprs, expr: syn.Name, scope: Scope, want: Type | None) -> Value:
    name = expr.id
    bound = scope.find(name)
    if bound is not None:
        bound.used = True
        if bound.info is not None:
            axes = ", ".join(axis.name for axis in bound.info.axes)
            exprs.sink.error(
                "GR0302", expr.span, f"`{name}` has a value for each of {axes}", hint=f"write {name}(...)"
            )
        return Value(UNKNOWN, ir.Const(0)) if bound.info is not None else exprs.code.value_of(bound)
    if name == "me":
        return exprs.me(expr.span)
    if name == "base" and exprs.code.base is not None:
        return exprs.code.base()
    if want is not None and want.sort in ("dom", "set") and want.dom is not None:
        made = exprs.member(name, want.dom)
        if made is not None:
            return made
    world = exprs.world
    if name in world.globals:
        return read_field(exprs, world.globals[name], [], [], expr.span)
    if name in world.options:
        return _option(exprs, name)
    entry = world.callables.get(name)
    if entry is not None and entry.sort in ("rule", "modifiers") and not entry.params:
        return call_rule(exprs, entry, [], expr.span, scope)
    if name == "empty" and want is not None and want.sort == "set" and want.dom:
        return Value(want, ir.SetOf(want.dom.id, ()))
    found = [
        (dom, made)
        for dom in world.doms
        if dom.sort not in ("range", "edge", "piece", "record")
        and (made := exprs.member(name, dom))
        and dom.parent is None
    ]
    if len(found) == 1:
        return found[0][1]
    if len(found) > 1:
        exprs.sink.error(
            "GR0209",
            expr.span,
            f"`{name}` is a member of {' and of '.join(d.name for d, _ in found)}",
            hint=f"write `{found[0][0].name}.{name}`",
        )
        return Value(UNKNOWN, ir.Const(0))
    if name in world.types:
        exprs.sink.error(
            "GR0208",
            expr.span,
            f"type `{name}` cannot stand here",
            hint=f"`any(x in {name} where ...)` looks at its members",
        )
        return Value(UNKNOWN, ir.Const(0))
    unknown_name(exprs, expr, scope, want)
    return Value(UNKNOWN, ir.Const(0))


def unknown_name(exprs: Exprs, expr: syn.Name, scope: Scope, want: Type | None) -> None:
    world = exprs.world
    entry = world.callables.get(expr.id)
    if entry is not None:
        given = ", ".join(name for name, _ in entry.params)
        values = (
            "done, not asked" if entry.sort in ("procedure", "action", "menu") else "asked with its values"
        )
        exprs.sink.error(
            "GR0208",
            expr.span,
            f"`{expr.id}` is a {entry.sort}: it is {values}",
            hint=f"write `{expr.id}({given})`" if entry.sort not in ("procedure", "action", "menu") else None,
        )
        return
    if want is not None and want.sort in ("dom", "set") and want.dom is not None and want.dom.members:
        candidates = [*want.dom.members, *scope.visible()]
        exprs.sink.error(
            "GR0204", expr.span, f"{want.dom.name} has no `{expr.id}`", hint=hint_for(expr.id, candidates)
        )
        return
    candidates = [*scope.visible(), *world.globals, *world.options, *world.callables, *world.types]
    for dom in world.doms:
        if dom.sort != "range":
            candidates += dom.members[:500]
    near = hint_for(expr.id, scope.visible()) or hint_for(expr.id, candidates)
    if expr.id.lower() in ("true", "false"):
        near = f"flags are `yes` and `no`: write `{'yes' if expr.id.lower() == 'true' else 'no'}`"
    exprs.sink.error("GR0201", expr.span, f"there is no `{expr.id}` here", hint=near)


def _option(exprs: Exprs, name: str) -> Value:
    option = exprs.world.options[name]
    type_ = dom_type(option.dom) if option.dom else FLAG
    return Value(type_, ir.Sym(option.symbol))
