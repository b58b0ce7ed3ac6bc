"""Written types -> types."""

from __future__ import annotations

from grognard.compiler.sema.callable_types import callable_type_of
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
from grognard.compiler.sema.world import World
from grognard.compiler.syntax import nodes as syn
from grognard.support.suggest import hint_for

#: Values of an axis, of a set of numbers, of a list.
MAX_VALUES = 10_000


def axis_dom(world: World, expr: syn.TypeExpr) -> Dom | None:
    """The domain that a written axis ranges over; None after an error."""
    type_ = resolve_type(world, expr)
    if type_.sort == "dom":
        return type_.dom
    if type_.form is not None:
        return type_.form.names
    if type_.sort == "int" and type_.lo > INT_LO and type_.hi < INT_HI:
        if type_.hi - type_.lo >= MAX_VALUES:
            world.sink.error("GR0611", expr.span, f"an axis has at most {MAX_VALUES:,} values")
            return None
        return world.range_dom(type_.lo, type_.hi)
    if type_.sort != "unknown":
        world.sink.error("GR0202", expr.span, f"{type_} cannot be the axis of a column")
    return None


def resolve_type(world: World, expr: syn.TypeExpr) -> Type:
    """The meaning of a written type; UNKNOWN after an error, so that one error gives one message."""
    sink = world.sink
    if expr.sort == "set":
        assert expr.element
        element = resolve_type(world, expr.element)
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
                return set_type(world.range_dom(element.lo, element.hi))
            if element.sort != "unknown":
                sink.error("GR0202", expr.span, f"there are no sets of {element}")
            return UNKNOWN
        return set_type(element.dom)
    if expr.sort == "list":
        assert expr.element
        if not 1 <= expr.capacity <= MAX_VALUES:
            sink.error("GR0611", expr.span, f"a list has room for 1 to {MAX_VALUES:,} values")
            return UNKNOWN
        return Type("list", element=resolve_type(world, expr.element), capacity=expr.capacity)
    base = expr.base
    if expr.sort == "name":
        assert isinstance(base, syn.Name)
        if base.id in world.forms:
            return dom_type(world.forms[base.id].names, expr.optional)
        sink.error(
            "GR0202", base.span, f"there is no form `{base.id}`", hint=hint_for(base.id, list(world.forms))
        )
        return UNKNOWN
    if expr.sort == "callable":
        assert isinstance(base, syn.Name)
        params = [resolve_type(world, part) for part in expr.parts]
        result = resolve_type(world, expr.element) if expr.element is not None else None
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
        return callable_type_of(world, base.id, params, result, expr.span, expr.optional)
    if expr.sort == "union":
        return _union(world, expr)
    match base:
        case syn.Name(id="int"):
            return Type("int", optional=expr.optional)
        case syn.Name(id="flag"):
            return FLAG
        case syn.Name(id=name):
            if name in world.forms:
                return Type("record", record=world.forms[name].record, optional=expr.optional)
            if name in world.types:
                return dom_type(world.types[name], expr.optional)
            if name in world.records:
                return Type("record", record=world.records[name])
            known = [*world.types, *world.records, "int", "flag"]
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


def _union(world: World, expr: syn.TypeExpr) -> Type:
    """`Unit or Leader`: counters of several types, or places of several spaces."""
    parts: list[Dom] = []
    for part in expr.parts:
        type_ = resolve_type(world, part)
        if type_.sort == "unknown":
            return UNKNOWN
        if type_.sort != "dom" or type_.dom is None or type_.dom.sort not in ("piece", "place"):
            world.sink.error(
                "GR0202",
                part.span,
                f"only pieces and places can stand in an `or`, this is {type_.words}",
                hint="a set is of one type: take one set for each" if type_.sort == "set" else None,
            )
            return UNKNOWN
        if type_.dom.interchangeable:
            world.sink.error("GR0202", part.span, f"{type_} is interchangeable and cannot stand in an `or`")
            return UNKNOWN
        parts += [dom for dom in type_.dom.parts or (type_.dom,) if dom not in parts]
    if len({dom.sort for dom in parts}) > 1:
        world.sink.error("GR0202", expr.span, "pieces and places do not mix")
        return UNKNOWN
    if len(parts) == 1:
        return dom_type(parts[0], expr.optional)
    name = " or ".join(dom.name for dom in parts)
    if name not in world.unions:
        # No domain of the program: a value of it belongs to one of its parts.
        world.unions[name] = Dom(-1, name, parts[0].sort, expr.span, parts=tuple(parts))
    return dom_type(world.unions[name], expr.optional)


def _bound(expr: syn.Expr) -> int | None:
    if isinstance(expr, syn.Number):
        return expr.value
    if isinstance(expr, syn.UnaryExpr) and expr.op == "neg" and isinstance(expr.value, syn.Number):
        return -expr.value.value
    return None
