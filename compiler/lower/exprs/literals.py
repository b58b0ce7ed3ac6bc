"""Literals: numbers, texts, places by their names, sets and lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.sema.scope import Scope, Value
from grognard.compiler.sema.types import (
    UNKNOWN,
    Dom,
    Type,
    dom_type,
    int_range,
    set_type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.support.source import Span
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Exprs


def lower_number(exprs: Exprs, expr: syn.Number, want: Type | None) -> Value:
    if want is not None and want.sort in ("dom", "set") and want.dom and want.dom.sort == "place":
        return place_named(exprs, expr.text, want.dom, expr.span)
    return Value(int_range(expr.value, expr.value), ir.Const(expr.value))


def lower_text(exprs: Exprs, expr: syn.Text, want: Type | None) -> Value:
    if want is not None and want.sort in ("dom", "set") and want.dom:
        if want.dom.sort == "place" and not exprs.lowerer.places_known:
            return place_named(exprs, expr.value, want.dom, expr.span)
        made = exprs.member(expr.value, want.dom)
        if made is not None:
            return made
        exprs.sink.error(
            "GR0204",
            expr.span,
            f'{want.dom.name} has no "{expr.value}"',
            hint=hint_for(expr.value, want.dom.members),
        )
        return Value(UNKNOWN, ir.Const(0))
    exprs.sink.error("GR0208", expr.span, "a text cannot be used as a value here")
    return Value(UNKNOWN, ir.Const(0))


def place_named(exprs: Exprs, text: str, dom: Dom, span: Span) -> Value:
    """A place by its name; in examples of play the map is known only when they run."""
    made = exprs.member(text, dom)
    if made is None and exprs.lowerer.places_known:
        exprs.sink.error(
            "GR0609",
            span,
            f"there is no place {text} on the map",
            hint=hint_for(text, dom.members[:2000]),
        )
        return Value(UNKNOWN, ir.Const(0))
    if made is None:
        made = Value(dom_type(dom), ir.Sym(exprs.world.symbol(f"{dom.name}.{text}")))
    if not exprs.lowerer.places_known and isinstance(made.expr, ir.Sym):
        exprs.lowerer.places_named.append((made.expr.symbol, text, span))
    return made


def lower_set_literal(exprs: Exprs, expr: syn.SetLiteral, scope: Scope, want: Type | None) -> Value:
    made_list = _list_literal(exprs, expr, scope, want)
    if made_list is not None:
        return made_list
    dom = want.dom if want is not None and want.sort == "set" else None
    made: list[Value] = []
    for item in expr.items:
        hint = dom_type(dom) if dom else (made[0].type.required() if made else None)
        made.append(exprs.value(item, scope, hint))
    if dom is None:
        dom = next((v.type.dom for v in made if v.type.sort == "dom"), None)
    if dom is None:
        if not any(v.type.sort == "unknown" for v in made):
            exprs.sink.error("GR0313", expr.span, "it is not clear what this is a set of")
        return Value(UNKNOWN, ir.Const(0))
    for value, item in zip(made, expr.items, strict=True):
        exprs.demand(value, dom_type(dom, True), item.span)
    return Value(set_type(dom), ir.SetOf(dom.id, tuple(v.expr for v in made)))


def _list_literal(exprs: Exprs, expr: syn.Expr, scope: Scope, want: Type | None) -> Value | None:
    """`{}` or `{a, b}` where a list is expected: its items in the order written."""
    if not isinstance(expr, syn.SetLiteral) or want is None or want.sort != "list":
        return None
    assert want.element
    made = exprs.code.variable("(items)", want)
    exprs.code.emit(ir.ListClear(made.expr.index))
    for item in expr.items:
        value = exprs.checked(item, scope, want.element)
        exprs.code.emit(ir.ListAppend(made.expr.index, value.expr, exprs.lowerer.site("list", "", item.span)))
    return made
