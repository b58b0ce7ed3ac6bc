"""Literals: numbers, texts, places by their names, sets and lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.sema.scope import Scope
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import UNKNOWN, Dom, Type, dom_type, int_range, set_type
from grognard.compiler.syntax import nodes as syn
from grognard.support.source import Span
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.checker import Checker


def check_number(check: Checker, expr: syn.Number, want: Type | None) -> t.Typed:
    if want is not None and want.sort in ("dom", "set") and want.dom and want.dom.sort == "place":
        return place_named(check, expr.text, want.dom, expr.span)
    return t.Constant(int_range(expr.value, expr.value), expr.value)


def check_text(check: Checker, expr: syn.Text, want: Type | None) -> t.Typed:
    if want is not None and want.sort in ("dom", "set") and want.dom:
        if want.dom.sort == "place" and not check.around.places_known:
            return place_named(check, expr.value, want.dom, expr.span)
        made = check.member(expr.value, want.dom)
        if made is not None:
            return made
        check.sink.error(
            "GR0204",
            expr.span,
            f'{want.dom.name} has no "{expr.value}"',
            hint=hint_for(expr.value, want.dom.members),
        )
        return t.Broken(UNKNOWN)
    check.sink.error("GR0208", expr.span, "a text cannot be used as a value here")
    return t.Broken(UNKNOWN)


def place_named(check: Checker, text: str, dom: Dom, span: Span) -> t.Typed:
    """A place by its name; in examples of play the map is known only when they run."""
    made = check.member(text, dom)
    if made is None and check.around.places_known:
        check.sink.error(
            "GR0609",
            span,
            f"there is no place {text} on the map",
            hint=hint_for(text, dom.members[:2000]),
        )
        return t.Broken(UNKNOWN)
    return t.PlaceNamed(made.type if made is not None else dom_type(dom), dom, text, made, span)


def check_set(check: Checker, expr: syn.SetLiteral, scope: Scope, want: Type | None) -> t.Typed:
    if want is not None and want.sort == "list":
        # `{}` or `{a, b}` where a list is expected: its items in the order written.
        assert want.element
        return t.ListOf(
            want, tuple((check.checked(item, scope, want.element), item.span) for item in expr.items)
        )
    dom = want.dom if want is not None and want.sort == "set" else None
    made: list[t.Typed] = []
    for item in expr.items:
        hint = dom_type(dom) if dom else (made[0].type.required() if made else None)
        made.append(check.value(item, scope, hint))
    if dom is None:
        dom = next((value.type.dom for value in made if value.type.sort == "dom"), None)
    if dom is None:
        if not any(value.type.sort == "unknown" for value in made):
            check.sink.error("GR0313", expr.span, "it is not clear what this is a set of")
        return t.Broken(UNKNOWN)
    for value, item in zip(made, expr.items, strict=True):
        check.demand(value.type, dom_type(dom, True), item.span)
    return t.SetOf(set_type(dom), tuple(made))
