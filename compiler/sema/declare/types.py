"""Written types -> types."""

from __future__ import annotations

from typing import Protocol

from grognard.compiler.sema.callable_types import callable_type_of
from grognard.compiler.sema.declaring import Declaring
from grognard.compiler.sema.symbols import Symbols
from grognard.compiler.sema.types import (
    FLAG,
    INT,
    INT_HI,
    INT_LO,
    UNKNOWN,
    Dom,
    Type,
    dom_type,
    set_type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Sink
from grognard.support.source import Span
from grognard.support.suggest import hint_for

#: Values of an axis, of a set of numbers, of a list.
MAX_VALUES = 10_000


class DomMaker(Protocol):
    """Makes the domains that written types bring with them: of numbers, of names of callables, of counters of several types."""

    def range_dom(self, lo: int, hi: int) -> Dom: ...

    def callable_dom(self, name: str, span: Span) -> Dom: ...

    def union_dom(self, name: str, parts: tuple[Dom, ...], span: Span) -> Dom: ...


def axis_dom(symbols: Declaring, expr: syn.TypeExpr) -> Dom | None:
    return written_axis(symbols, expr, symbols.sink, symbols)


def resolve_type(symbols: Declaring, expr: syn.TypeExpr) -> Type:
    return written_type(symbols, expr, symbols.sink, symbols)


def written_axis(symbols: Symbols, expr: syn.TypeExpr, sink: Sink, makes: DomMaker) -> Dom | None:
    """The domain that a written axis ranges over; None after an error."""
    type_ = written_type(symbols, expr, sink, makes)
    if type_.sort == "dom":
        return type_.dom
    if type_.form is not None:
        return type_.form.names
    if type_.sort == "int" and type_.lo > INT_LO and type_.hi < INT_HI:
        if type_.hi - type_.lo >= MAX_VALUES:
            sink.error("GR0611", expr.span, f"an axis has at most {MAX_VALUES:,} values")
            return None
        return makes.range_dom(type_.lo, type_.hi)
    if type_.sort != "unknown":
        sink.error("GR0202", expr.span, f"{type_} cannot be the axis of a column")
    return None


def written_type(symbols: Symbols, expr: syn.TypeExpr, sink: Sink, makes: DomMaker) -> Type:
    """The meaning of a written type; UNKNOWN after an error, so that one error gives one message."""
    if expr.sort == "set":
        assert expr.element
        element = written_type(symbols, expr.element, sink, makes)
        if element.dom is not None and element.dom.parts:
            sink.error("GR0202", expr.span, f"there are no sets of {element}", hint="one set for each type")
            return UNKNOWN
        if element.form is not None:
            return set_type(element.form.names)
        if element.sort != "dom" or element.dom is None:
            if element.sort == "int" and element.hi < INT_HI and element.lo > INT_LO:
                if element.hi - element.lo >= MAX_VALUES:
                    sink.error("GR0611", expr.span, f"a set can be of at most {MAX_VALUES:,} numbers")
                    return UNKNOWN
                return set_type(makes.range_dom(element.lo, element.hi))
            if element.sort != "unknown":
                sink.error("GR0202", expr.span, f"there are no sets of {element}")
            return UNKNOWN
        return set_type(element.dom)
    if expr.sort == "list":
        assert expr.element
        if not 1 <= expr.capacity <= MAX_VALUES:
            sink.error("GR0611", expr.span, f"a list has room for 1 to {MAX_VALUES:,} values")
            return UNKNOWN
        return Type("list", element=written_type(symbols, expr.element, sink, makes), capacity=expr.capacity)
    base = expr.base
    if expr.sort == "name":
        assert isinstance(base, syn.Name)
        if base.id in symbols.forms:
            return dom_type(symbols.forms[base.id].names, expr.optional)
        sink.error(
            "GR0202", base.span, f"there is no form `{base.id}`", hint=hint_for(base.id, list(symbols.forms))
        )
        return UNKNOWN
    if expr.sort == "callable":
        assert isinstance(base, syn.Name)
        params = [written_type(symbols, part, sink, makes) for part in expr.parts]
        result = written_type(symbols, expr.element, sink, makes) if expr.element is not None else None
        if any(t.sort == "unknown" for t in (*params, *([result] if result else []))):
            return UNKNOWN
        if base.id != "procedure" and (base.id == "rule") != (result is not None):
            sink.error(
                "GR0309",
                expr.span,
                "a rule gives a result" if base.id == "rule" else f"an {base.id} gives no result",
                hint="rule(Unit) -> flag" if base.id == "rule" else f"{base.id}(...)",
            )
            return UNKNOWN
        return callable_type_of(makes, base.id, params, result, expr.span, expr.optional)
    if expr.sort == "union":
        return _union(symbols, expr, sink, makes)
    match base:
        case syn.Name(id="int"):
            return Type("int", optional=expr.optional)
        case syn.Name(id="flag"):
            return FLAG
        case syn.Name(id=name):
            if name in symbols.forms:
                return Type("record", record=symbols.forms[name].record, optional=expr.optional)
            if name in symbols.types:
                return dom_type(symbols.types[name], expr.optional)
            if name in symbols.records:
                return Type("record", record=symbols.records[name])
            known = [*symbols.types, *symbols.records, "int", "flag"]
            sink.error("GR0202", base.span, f"there is no type `{name}`", hint=hint_for(name, known))
            return UNKNOWN
        case syn.RangeExpr():
            lo, hi = _bound(base.lo), _bound(base.hi)
            if lo is None or hi is None:
                return INT.maybe() if expr.optional else INT
            if lo > hi:
                sink.error("GR0308", base.span, f"{lo}..{hi} is empty", hint=f"did you mean {hi}..{lo}?")
                return UNKNOWN
            return Type("int", lo, hi, optional=expr.optional)
    sink.error(
        "GR0202", expr.span, "a type is needed here", hint="a name, a range such as 0..9, or `set of` a type"
    )
    return UNKNOWN


def _union(symbols: Symbols, expr: syn.TypeExpr, sink: Sink, makes: DomMaker) -> Type:
    """`Unit or Leader`: counters of several types, or places of several spaces."""
    parts: list[Dom] = []
    for part in expr.parts:
        type_ = written_type(symbols, part, sink, makes)
        if type_.sort == "unknown":
            return UNKNOWN
        if type_.sort != "dom" or type_.dom is None or type_.dom.sort not in ("piece", "place"):
            sink.error(
                "GR0202",
                part.span,
                f"only pieces and places can stand in an `or`, this is {type_.words}",
                hint="a set is of one type: take one set for each" if type_.sort == "set" else None,
            )
            return UNKNOWN
        if type_.dom.interchangeable:
            sink.error("GR0202", part.span, f"{type_} is interchangeable and cannot stand in an `or`")
            return UNKNOWN
        parts += [dom for dom in type_.dom.parts or (type_.dom,) if dom not in parts]
    if len({dom.sort for dom in parts}) > 1:
        sink.error("GR0202", expr.span, "pieces and places do not mix")
        return UNKNOWN
    if len(parts) == 1:
        return dom_type(parts[0], expr.optional)
    name = " or ".join(dom.name for dom in parts)
    return dom_type(makes.union_dom(name, tuple(parts), expr.span), expr.optional)


def _bound(expr: syn.Expr) -> int | None:
    if isinstance(expr, syn.Number):
        return expr.value
    if isinstance(expr, syn.UnaryExpr) and expr.op == "neg" and isinstance(expr.value, syn.Number):
        return -expr.value.value
    return None
