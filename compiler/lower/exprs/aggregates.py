"""Aggregates and their sources: counts, sums, best elements, set comprehensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.exprs.geometry import space_meant, verb_arguments
from grognard.compiler.sema.builtins import SOURCES
from grognard.compiler.sema.scope import (
    Scope,
    Value,
)
from grognard.compiler.sema.types import (
    FLAG,
    INT,
    INT_HI,
    INT_LO,
    UNKNOWN,
    Dom,
    Type,
    dom_type,
    int_range,
    join,
    set_type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.support.diagnostics import Label
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Exprs
    from grognard.compiler.lower.lowerer import Lowerer


def running_over(exprs: Exprs, expr: syn.Expr, scope: Scope) -> tuple[Any, Type]:
    """The source of a loop or aggregate, and the type of its elements."""
    world = exprs.world
    match expr:
        case syn.Name(id=name) if scope.find(name) is None and name not in world.globals:
            if name == "sides" and world.sides:
                return ir.OverDomain(world.sides.id), dom_type(world.sides)
            if name == "powers" and world.seats:
                return ir.OverDomain(world.seats.id), dom_type(world.seats)
            if name in world.types:
                dom = world.types[name]
                if dom.secret_all is not None:
                    exprs.code.reads_secret = True
                if dom.alive is not None and exprs.code.mark is not None:
                    return _in_play_then(exprs, dom, exprs.code.mark, expr.span), dom_type(dom)
                return ir.OverDomain(dom.id), dom_type(dom)
        case syn.RangeExpr():
            lo = exprs.checked(expr.lo, scope, INT)
            hi = exprs.checked(expr.hi, scope, INT)
            return ir.OverRange(lo.expr, hi.expr), int_range(lo.type.lo, hi.type.hi)
        case syn.Items() | syn.SetLiteral():
            made: list[Value] = []
            for item in expr.items:
                made.append(exprs.value(item, scope, made[0].type.required() if made else None))
            type_ = made[0].type if made else UNKNOWN
            for value, item in zip(made[1:], expr.items[1:], strict=True):
                both = join(type_, value.type)
                if both is None:
                    exprs.sink.error("GR0301", item.span, f"this is {value.type}, the others are {type_}")
                else:
                    type_ = both
            return ir.OverItems(tuple(v.expr for v in made)), type_.required()
        case syn.CallExpr(callee=syn.Name(id=name)) if name in SOURCES and name not in world.callables:
            verb, sorts = SOURCES[name].ir, SOURCES[name].takes
            args = verb_arguments(exprs, name, sorts, expr, scope)
            if args is None:
                return None, UNKNOWN
            space = space_meant(exprs, args)
            site = exprs.lowerer.site("read", name, expr.span)
            return ir.OverVerb(verb, tuple(a.expr for a in args), site), dom_type(space) if space else UNKNOWN
        case syn.BinaryExpr(op="or", left=syn.Name(id=one), right=syn.Name(id=other)) if (
            one in world.types and other in world.types
        ):
            exprs.sink.error(
                "GR0313",
                expr.span,
                f"`{one} or {other}` is a type, but nothing can run over both at once",
                hint=f"run over each: `x in {one} where ...`, then `x in {other} where ...`",
            )
            return None, UNKNOWN
    made_set = exprs.value(expr, scope)
    if made_set.type.sort == "set" and made_set.type.dom:
        element = (
            int_range(
                made_set.type.dom.range_lo,
                made_set.type.dom.range_lo + len(made_set.type.dom.members) - 1,
            )
            if made_set.type.dom.sort == "range"
            else dom_type(made_set.type.dom)
        )
        return ir.OverSet(made_set.expr), element
    if made_set.type.sort == "list" and made_set.type.element:
        return ir.OverList(made_set.expr), made_set.type.element
    if made_set.type.sort != "unknown":
        exprs.sink.error(
            "GR0313",
            expr.span,
            f"a type, a set, a range or a list is needed here, this is {made_set.type.words}",
            hint="for example `u in Unit where ...`",
        )
    return None, UNKNOWN


def _in_play_then(exprs: Exprs, dom: Dom, mark: str, span: Span) -> ir.OverSet:
    """The counters that were in play at a mark: those that have left since belong to it, later ones do not."""
    assert dom.alive is not None
    each = exprs.code.local("(then)", dom_type(dom))
    site = exprs.lowerer.site("read", f"{dom.name}.alive", span)
    was = ir.Load(exprs.lowerer.marks.snapshot(dom.alive, mark), (ir.Local(each),), site)
    return ir.OverSet(ir.SetBuild(dom.id, each, every_room(exprs.lowerer, dom), was, None))


def every_room(lowerer: Lowerer, dom: Dom) -> ir.OverRange:
    """All elements of a pool, whether they are in play or not."""
    first, nowhere = ir.DomainBase(dom.id), lowerer.nowhere
    end = ir.Binary("add", first, ir.DomainCount(dom.id), nowhere)
    return ir.OverRange(first, ir.Binary("sub", end, ir.Const(1), nowhere))


def lower_aggregate(exprs: Exprs, expr: syn.AggregateExpr, scope: Scope, want: Type | None) -> Value:
    over, element = running_over(exprs, expr.source, scope)
    inner = scope.child()
    if over is None:
        return Value(UNKNOWN, ir.Const(0))
    var = exprs.code.local(expr.var, element)
    earlier = scope.find(expr.var)
    if earlier is not None:
        exprs.sink.warning(
            "GR0206",
            expr.var_span,
            f"`{expr.var}` has a meaning here already, which is hidden inside the brackets",
            labels=(Label(earlier.span, "from here"),) if earlier.span else (),
            hint="take another letter",
        )
    exprs.code.bind(inner, expr.var, Value(element, ir.Local(var)), expr.var_span)
    where = None
    if expr.where is not None:
        where = exprs.condition(expr.where, inner)
        inner = inner.with_narrowed(exprs.narrow(expr.where, inner, True))
    site = exprs.lowerer.site("aggregate", expr.op, expr.span, owner=exprs.code.owner)
    op = expr.op
    if expr.key is not None and op not in ("best", "first", "only"):
        exprs.sink.error("GR0208", expr.span, f"`by` belongs to best(...), not to {op}(...)")
    match op:
        case "count" | "any":
            if expr.value is not None:
                extra = exprs.condition(expr.value, inner)
                where = extra if where is None else ir.Binary("and", where, extra, site)
            type_ = int_range(0, 100_000) if op == "count" else FLAG
            return Value(type_, ir.Aggregate(op, var, over, where, None, site))
        case "all":
            if expr.value is None:
                exprs.sink.error(
                    "GR0302",
                    expr.span,
                    "all(...) needs what must hold",
                    hint="all(u in Unit where mine(u): u.spent)",
                )
                return Value(FLAG, ir.Const(0))
            return Value(
                FLAG, ir.Aggregate("all", var, over, where, exprs.condition(expr.value, inner), site)
            )
        case "sum" | "min" | "max":
            if expr.value is None:
                if op == "sum" and element.sort == "int":
                    value = Value(element, ir.Local(var))
                else:
                    exprs.sink.error(
                        "GR0302",
                        expr.span,
                        f"{op}(...) needs a value",
                        hint=f"{op}(u in Unit where ...: u.cost)",
                    )
                    return Value(UNKNOWN, ir.Const(0))
            else:
                value = exprs.value(expr.value, inner)
                if op == "sum" or value.type.sort != "dom":
                    exprs.demand(value, INT, expr.value.span)
            if op == "sum":
                lo = 0 if value.type.lo >= 0 else max(INT_LO, value.type.lo * 2000)
                hi = 0 if value.type.hi <= 0 else min(INT_HI, value.type.hi * 2000)
                return Value(int_range(lo, hi), ir.Aggregate("sum", var, over, where, value.expr, site))
            return Value(value.type.maybe(), ir.Aggregate(op, var, over, where, value.expr, site))
        case "first" | "last" | "only" | "the" if expr.key is None:
            type_ = element if op == "the" else element.maybe()
            return Value(type_, ir.Aggregate(op, var, over, where, None, site))
        case "best" | "first" | "only":
            if expr.key is None:
                exprs.sink.error(
                    "GR0302",
                    expr.span,
                    "best(...) needs `by` what",
                    hint="best(u in Unit by highest u.cost)",
                )
                return Value(UNKNOWN, ir.Const(0))
            key = exprs.value(expr.key, inner)
            if key.type.sort == "flag":
                key = Value(int_range(0, 1), key.expr)
            if key.type.sort != "dom":
                exprs.demand(key, INT, expr.key.span)
            high = "high" if expr.rank == "highest" else "low"
            made = "only_" + high if op == "only" else "best_" + high
            return Value(element.maybe(), ir.Aggregate(made, var, over, where, key.expr, site))  # type: ignore[arg-type]
        case "set":
            if expr.value is not None:
                value = exprs.value(expr.value, inner)
                if value.type.sort != "dom" or value.type.dom is None:
                    exprs.sink.error("GR0313", expr.value.span, f"there are no sets of {value.type}")
                    return Value(UNKNOWN, ir.Const(0))
                return Value(
                    set_type(value.type.dom), ir.SetBuild(value.type.dom.id, var, over, where, value.expr)
                )
            dom = element.dom
            if element.sort == "int":
                dom = (
                    want.dom
                    if want is not None and want.sort == "set"
                    else exprs.world.range_dom(element.lo, min(element.hi, element.lo + 9999))
                )
            if dom is None:
                return Value(UNKNOWN, ir.Const(0))
            return Value(set_type(dom), ir.SetBuild(dom.id, var, over, where, None))
    raise AssertionError(op)


def lower_matched(exprs: Exprs, expr: syn.MatchedExpr, scope: Scope) -> Value:
    """`matched(a in S at X, c in T at Y room n)`."""
    guests = _candidates(exprs, expr.left, expr.left_span, expr.left_source, expr.left_at, scope)
    hosts = _candidates(exprs, expr.right, expr.right_span, expr.right_source, expr.right_at, scope)
    if guests is None or hosts is None:
        return Value(UNKNOWN, ir.Const(0))
    (left_var, left, left_at, _), (right_var, right, right_at, inner) = guests, hosts
    if left_at.type.dom is not right_at.type.dom:
        exprs.sink.error(
            "GR0301",
            expr.right_at.span,
            f"this is {right_at.type.words}, where the others can be is {left_at.type.words}",
            hint="both are sets of places of one map, or of members of one type",
        )
        return Value(UNKNOWN, ir.Const(0))
    room = exprs.checked(expr.room, inner, INT).expr if expr.room is not None else ir.Const(1)
    site = exprs.lowerer.site("aggregate", "matched", expr.span, owner=exprs.code.owner)
    node = ir.Meeting(left_var, left, left_at.expr, right_var, right, right_at.expr, room, site)
    return Value(int_range(0, 100_000), node)


def _candidates(
    exprs: Exprs, name: str, span: Span, source: syn.Expr, at: syn.Expr, scope: Scope
) -> tuple[int, Any, Value, Scope] | None:
    """Variable, set, and where each of them can be; the scope in which the variable is known."""
    over, element = running_over(exprs, source, scope)
    if over is None:
        return None
    if element.dom is None:
        exprs.sink.error("GR0313", source.span, "`matched` needs two sets")
        return None
    var = exprs.code.local(name, element)
    inner = scope.child()
    exprs.code.bind(inner, name, Value(element, ir.Local(var)), span)
    places = exprs.value(at, inner)
    if places.type.sort != "set" or places.type.dom is None:
        if places.type.sort != "unknown":
            exprs.sink.error(
                "GR0313",
                at.span,
                f"behind `at` stands the set of places where `{name}` can be, this is {places.type.words}",
                hint=f"a single place is a set in braces: `at {{{name}.at}}`",
            )
        return None
    if isinstance(over, ir.OverSet):
        return var, over.set, places, inner
    each = exprs.code.local("(element)", element)
    return var, ir.SetBuild(element.dom.id, each, over, None, None), places, inner


def verb_as_set(exprs: Exprs, expr: syn.CallExpr, scope: Scope) -> Value:
    """neighbours(h), within(h, n) ... used as a set."""
    over, element = running_over(exprs, expr, scope)
    if over is None or element.dom is None:
        return Value(UNKNOWN, ir.Const(0))
    var = exprs.code.local("(element)", element)
    return Value(set_type(element.dom), ir.SetBuild(element.dom.id, var, over, None, None))
