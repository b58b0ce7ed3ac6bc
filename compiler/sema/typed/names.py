"""Bare names: locals, members of types, fields of the game, options, rules without parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.sema.scope import Scope
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.rules import check_rule
from grognard.compiler.sema.types import FLAG, UNKNOWN, Type, dom_type
from grognard.compiler.syntax import nodes as syn
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.checker import Checker


def check_name(check: Checker, expr: syn.Name, scope: Scope, want: Type | None) -> t.Typed:
    name = expr.id
    bound = scope.find(name)
    if bound is not None:
        bound.used = True
        if bound.info is not None:
            axes = ", ".join(axis.name for axis in bound.info.axes)
            check.sink.error(
                "GR0302", expr.span, f"`{name}` has a value for each of {axes}", hint=f"write {name}(...)"
            )
            return t.Broken(UNKNOWN)
        return t.Given(bound.type, bound.variable)
    if name == "me":
        return check.me(expr.span)
    if name == "base" and check.body.base_type is not None:
        return t.Base(check.body.base_type)
    if want is not None and want.sort in ("dom", "set") and want.dom is not None:
        made = check.member(name, want.dom)
        if made is not None:
            return made
    symbols = check.symbols
    if name in symbols.globals:
        return t.Read(symbols.globals[name].type, symbols.globals[name], None, (), expr.span)
    if name in symbols.options:
        option = symbols.options[name]
        return t.OptionValue(dom_type(option.dom) if option.dom else FLAG, option.name)
    entry = symbols.callables.get(name)
    if entry is not None and entry.sort in ("rule", "modifiers") and not entry.params:
        return check_rule(check, entry, [], expr.span, scope)
    if name == "empty" and want is not None and want.sort == "set" and want.dom:
        return t.SetOf(want, ())
    found = [
        (dom, made)
        for dom in symbols.doms
        if dom.sort not in ("range", "edge", "piece", "record")
        and (made := check.member(name, dom))
        and dom.parent is None
    ]
    if len(found) == 1:
        return found[0][1]
    if len(found) > 1:
        check.sink.error(
            "GR0209",
            expr.span,
            f"`{name}` is a member of {' and of '.join(d.name for d, _ in found)}",
            hint=f"write `{found[0][0].name}.{name}`",
        )
        return t.Broken(UNKNOWN)
    if name in symbols.types:
        check.sink.error(
            "GR0208",
            expr.span,
            f"type `{name}` cannot stand here",
            hint=f"`any(x in {name} where ...)` looks at its members",
        )
        return t.Broken(UNKNOWN)
    unknown_name(check, expr, scope, want)
    return t.Broken(UNKNOWN)


def unknown_name(check: Checker, expr: syn.Name, scope: Scope, want: Type | None) -> None:
    symbols = check.symbols
    entry = symbols.callables.get(expr.id)
    if entry is not None:
        given = ", ".join(name for name, _ in entry.params)
        values = (
            "done, not asked" if entry.sort in ("procedure", "action", "menu") else "asked with its values"
        )
        check.sink.error(
            "GR0208",
            expr.span,
            f"`{expr.id}` is a {entry.sort}: it is {values}",
            hint=f"write `{expr.id}({given})`" if entry.sort not in ("procedure", "action", "menu") else None,
        )
        return
    if want is not None and want.sort in ("dom", "set") and want.dom is not None and want.dom.members:
        candidates = [*want.dom.members, *scope.visible()]
        check.sink.error(
            "GR0204", expr.span, f"{want.dom.name} has no `{expr.id}`", hint=hint_for(expr.id, candidates)
        )
        return
    candidates = [*scope.visible(), *symbols.globals, *symbols.options, *symbols.callables, *symbols.types]
    for dom in symbols.doms:
        if dom.sort != "range":
            candidates += dom.members[:500]
    near = hint_for(expr.id, scope.visible()) or hint_for(expr.id, candidates)
    if expr.id.lower() in ("true", "false"):
        near = f"flags are `yes` and `no`: write `{'yes' if expr.id.lower() == 'true' else 'no'}`"
    check.sink.error("GR0201", expr.span, f"there is no `{expr.id}` here", hint=near)


def is_free_name(check: Checker, expr: syn.Expr, scope: Scope) -> bool:
    """A bare name that only a type can give a meaning (a member)."""
    return (
        isinstance(expr, syn.Name)
        and scope.find(expr.id) is None
        and expr.id not in check.symbols.globals
        and expr.id not in ("me", "base")
        and expr.id not in check.symbols.callables
    )
