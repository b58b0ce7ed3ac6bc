"""Aggregates and their sources: counts, sums, best elements, set comprehensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.sema.builtins import SOURCES
from grognard.compiler.sema.scope import Binding, Scope, Variable
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.geometry import check_verb_arguments, space_meant
from grognard.compiler.sema.types import (
    FLAG,
    INT,
    INT_HI,
    INT_LO,
    UNKNOWN,
    Type,
    dom_type,
    int_range,
    join,
    set_type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Label
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.checker import Checker


def check_source(check: Checker, expr: syn.Expr, scope: Scope) -> tuple[t.Source | None, Type]:
    """The source of a loop or aggregate, and the type of its elements."""
    symbols = check.symbols
    match expr:
        case syn.Name(id=name) if scope.find(name) is None and name not in symbols.globals:
            dom = symbols.types.get(name)
            if name == "sides" and symbols.sides:
                dom = symbols.sides
            elif name == "powers" and symbols.seats:
                dom = symbols.seats
            if dom is not None:
                return t.OverDomain(dom, expr.span), dom_type(dom)
        case syn.RangeExpr():
            lo = check.checked(expr.lo, scope, INT)
            hi = check.checked(expr.hi, scope, INT)
            return t.OverNumbers(lo, hi), int_range(lo.type.lo, hi.type.hi)
        case syn.Items() | syn.SetLiteral():
            made: list[t.Typed] = []
            for item in expr.items:
                made.append(check.value(item, scope, made[0].type.required() if made else None))
            type_ = made[0].type if made else UNKNOWN
            for value, item in zip(made[1:], expr.items[1:], strict=True):
                both = join(type_, value.type)
                if both is None:
                    check.sink.error("GR0301", item.span, f"this is {value.type}, the others are {type_}")
                else:
                    type_ = both
            return t.OverItems(tuple(made)), type_.required()
        case syn.CallExpr(callee=syn.Name(id=name)) if name in SOURCES and name not in symbols.callables:
            known = SOURCES[name]
            args = check_verb_arguments(check, name, known.takes, expr, scope)
            if args is None:
                return None, UNKNOWN
            space = space_meant(check, args)
            return t.OverVerb(name, known.ir, tuple(args), expr.span), dom_type(space) if space else UNKNOWN
        case syn.BinaryExpr(op="or", left=syn.Name(id=one), right=syn.Name(id=other)) if (
            one in symbols.types and other in symbols.types
        ):
            check.sink.error(
                "GR0313",
                expr.span,
                f"`{one} or {other}` is a type, but nothing can run over both at once",
                hint=f"run over each: `x in {one} where ...`, then `x in {other} where ...`",
            )
            return None, UNKNOWN
    group = check.value(expr, scope)
    if group.type.sort == "set" and group.type.dom:
        dom = group.type.dom
        ranged = dom.sort == "range"
        element = int_range(dom.range_lo, dom.range_lo + len(dom.members) - 1) if ranged else dom_type(dom)
        return t.OverGroup(group), element
    if group.type.sort == "list" and group.type.element:
        return t.OverGroup(group), group.type.element
    if group.type.sort != "unknown":
        check.sink.error(
            "GR0313",
            expr.span,
            f"a type, a set, a range or a list is needed here, this is {group.type.words}",
            hint="for example `u in Unit where ...`",
        )
    return None, UNKNOWN


def check_aggregate(check: Checker, expr: syn.AggregateExpr, scope: Scope, want: Type | None) -> t.Typed:
    source, element = check_source(check, expr.source, scope)
    if source is None:
        return t.Broken(UNKNOWN)
    inner = scope.child()
    earlier = scope.find(expr.var)
    if earlier is not None:
        check.sink.warning(
            "GR0206",
            expr.var_span,
            f"`{expr.var}` has a meaning here already, which is hidden inside the brackets",
            labels=(Label(earlier.span, "from here"),) if earlier.span else (),
            hint="take another letter",
        )
    variable = Variable(expr.var, element)
    inner.names[expr.var] = Binding(variable, False, expr.var_span)
    where = None
    if expr.where is not None:
        where = check.condition(expr.where, inner)
        inner = inner.with_narrowed(check.narrow(expr.where, inner, True))
    op = expr.op
    if expr.key is not None and op not in ("best", "first", "only"):
        check.sink.error("GR0208", expr.span, f"`by` belongs to best(...), not to {op}(...)")

    def made(type_: Type, value: t.Typed | None = None, does: str = "") -> t.Typed:
        return t.Aggregate(type_, op, source, variable, where, value, expr.span, does)

    match op:
        case "count" | "any":
            extra = check.condition(expr.value, inner) if expr.value is not None else None
            return made(int_range(0, 100_000) if op == "count" else FLAG, extra)
        case "all":
            if expr.value is None:
                check.sink.error(
                    "GR0302",
                    expr.span,
                    "all(...) needs what must hold",
                    hint="all(u in Unit where mine(u): u.spent)",
                )
                return t.Broken(FLAG)
            return made(FLAG, check.condition(expr.value, inner))
        case "sum" | "min" | "max":
            if expr.value is None:
                if op != "sum" or element.sort != "int":
                    check.sink.error(
                        "GR0302",
                        expr.span,
                        f"{op}(...) needs a value",
                        hint=f"{op}(u in Unit where ...: u.cost)",
                    )
                    return t.Broken(UNKNOWN)
                value: t.Typed = t.Given(element, variable)
            else:
                value = check.value(expr.value, inner)
                if op == "sum" or value.type.sort != "dom":
                    check.demand(value.type, INT, expr.value.span)
            if op == "sum":
                lo = 0 if value.type.lo >= 0 else max(INT_LO, value.type.lo * 2000)
                hi = 0 if value.type.hi <= 0 else min(INT_HI, value.type.hi * 2000)
                return made(int_range(lo, hi), value)
            return made(value.type.maybe(), value)
        case "first" | "last" | "only" | "the" if expr.key is None:
            return made(element if op == "the" else element.maybe())
        case "best" | "first" | "only":
            if expr.key is None:
                check.sink.error(
                    "GR0302",
                    expr.span,
                    "best(...) needs `by` what",
                    hint="best(u in Unit by highest u.cost)",
                )
                return t.Broken(UNKNOWN)
            key = check.value(expr.key, inner)
            if key.type.sort == "flag":
                key.type = int_range(0, 1)
            if key.type.sort != "dom":
                check.demand(key.type, INT, expr.key.span)
            high = "high" if expr.rank == "highest" else "low"
            return made(element.maybe(), key, "only_" + high if op == "only" else "best_" + high)
        case "set":
            if expr.value is not None:
                value = check.value(expr.value, inner)
                if value.type.sort != "dom" or value.type.dom is None:
                    check.sink.error("GR0313", expr.value.span, f"there are no sets of {value.type}")
                    return t.Broken(UNKNOWN)
                return made(set_type(value.type.dom), value)
            dom = element.dom
            if element.sort == "int":
                dom = (
                    want.dom
                    if want is not None and want.sort == "set"
                    else check.around.makes.range_dom(element.lo, min(element.hi, element.lo + 9999))
                )
            return t.Broken(UNKNOWN) if dom is None else made(set_type(dom))
    raise AssertionError(op)


def check_matched(check: Checker, expr: syn.MatchedExpr, scope: Scope) -> t.Typed:
    """`matched(a in S at X, c in T at Y room n)`."""
    guests = _asked(check, expr.left, expr.left_span, expr.left_source, expr.left_at, scope)
    hosts = _asked(check, expr.right, expr.right_span, expr.right_source, expr.right_at, scope)
    if guests is None or hosts is None:
        return t.Broken(UNKNOWN)
    left, (right, inner) = guests[0], hosts
    if left.places.type.dom is not right.places.type.dom:
        check.sink.error(
            "GR0301",
            expr.right_at.span,
            f"this is {right.places.type.words}, where the others can be is {left.places.type.words}",
            hint="both are sets of places of one map, or of members of one type",
        )
        return t.Broken(UNKNOWN)
    room = check.checked(expr.room, inner, INT) if expr.room is not None else None
    return t.Matched(int_range(0, 100_000), left, right, room, expr.span)


def _asked(
    check: Checker, name: str, span: Span, source: syn.Expr, at: syn.Expr, scope: Scope
) -> tuple[t.Asked, Scope] | None:
    """One side, and the scope in which its variable is known."""
    over, element = check_source(check, source, scope)
    if over is None:
        return None
    if element.dom is None:
        check.sink.error("GR0313", source.span, "`matched` needs two sets")
        return None
    variable = Variable(name, element)
    inner = scope.child()
    inner.names[name] = Binding(variable, False, span)
    places = check.value(at, inner)
    if places.type.sort != "set" or places.type.dom is None:
        if places.type.sort != "unknown":
            check.sink.error(
                "GR0313",
                at.span,
                f"behind `at` stands the set of places where `{name}` can be, this is {places.type.words}",
                hint=f"a single place is a set in braces: `at {{{name}.at}}`",
            )
        return None
    return t.Asked(over, variable, places), inner


def check_verb_as_set(check: Checker, expr: syn.CallExpr, scope: Scope) -> t.Typed:
    """neighbours(h), within(h, n) ... used as a set."""
    source, element = check_source(check, expr, scope)
    if source is None or element.dom is None:
        return t.Broken(UNKNOWN)
    return t.AsSet(set_type(element.dom), source, element)
