"""Built-in functions that are no verbs of the map."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler import ir
from grognard.compiler import syntax as syn
from grognard.compiler.expr_fields import belongs, owner_of
from grognard.compiler.expr_geometry import lower_reach
from grognard.compiler.scope import Scope, Value
from grognard.compiler.source import Span
from grognard.compiler.suggest import hint_for
from grognard.compiler.types import FLAG, INT, UNKNOWN, Type, dom_type, int_range, join
from grognard.values import NONE

if TYPE_CHECKING:
    from grognard.compiler.exprs import Exprs


def lower_builtin(exprs: Exprs, name: str, expr: syn.CallExpr, scope: Scope, want: Type | None) -> Value:
    args = list(expr.args)
    site = exprs.lowerer.site("read", name, expr.span)

    def arity(*allowed: int) -> bool:
        if len(args) in allowed:
            return True
        exprs.sink.error(
            "GR0302",
            expr.span,
            f"`{name}` takes {' or '.join(str(n) for n in allowed)} values, {len(args)} given",
        )
        return False

    unknown = Value(UNKNOWN, ir.Const(0))
    match name:
        case "abs":
            if not arity(1):
                return unknown
            made = exprs.checked(args[0], scope, INT)
            top = max(abs(made.type.lo), abs(made.type.hi))
            low = 0 if made.type.lo <= 0 <= made.type.hi else min(abs(made.type.lo), abs(made.type.hi))
            return Value(int_range(low, top), ir.Unary("abs", made.expr))
        case "min" | "max":
            return _min_max(exprs, name, args, scope, site, expr.span)
        case "clamp":
            return _clamp(exprs, args, scope, site, expr.span)
        case "other":
            if not arity(1):
                return unknown
            seats = exprs.world.sides
            assert seats
            made = exprs.value(args[0], scope, dom_type(seats))
            exprs.demand(made, dom_type(seats), args[0].span)
            if len(seats.members) != 2:
                exprs.sink.error(
                    "GR0208",
                    expr.span,
                    f"`other` needs exactly two sides, there are {len(seats.members)}",
                )
            return Value(dom_type(seats), ir.Binary("sub", ir.Const(1), made.expr, site))
        case "mine" | "enemy":
            if not arity(1):
                return unknown
            piece = exprs.value(args[0], scope)
            return _compare_owner(
                owner_of(exprs, piece, args[0].span), exprs.me(expr.span), name == "mine", site
            )
        case "friendly" | "opposed":
            if not arity(2):
                return unknown
            owners = [owner_of(exprs, exprs.value(arg, scope), arg.span) for arg in args]
            return _compare_owner(owners[0], owners[1], name == "friendly", site)
        case "in_play":
            if not arity(1):
                return unknown
            piece = exprs.value(args[0], scope)
            dom = piece.type.dom
            if dom is not None and dom.parts and dom.sort == "piece":
                alive: ir.Expr = ir.Const(0)
                for part in dom.parts:
                    assert part.alive is not None
                    there = ir.Load(part.alive, (piece.expr,), site)
                    alive = ir.If(belongs(exprs, piece.expr, part), there, alive)
                return Value(FLAG, alive)
            if dom is None or dom.alive is None:
                exprs.sink.error("GR0301", args[0].span, f"`in_play` needs a counter, this is {piece.type}")
                return unknown
            read = ir.Load(dom.alive, (piece.expr,), site)
            if piece.type.optional:
                return Value(
                    FLAG, ir.If(ir.Binary("eq", piece.expr, ir.Const(NONE), site), ir.Const(0), read)
                )
            return Value(FLAG, read)
        case "if_none":
            if not arity(2):
                return unknown
            first = exprs.value(args[0], scope, want)
            second = exprs.value(args[1], scope, first.type.required())
            both = join(first.type.required(), second.type)
            if both is None:
                exprs.sink.error("GR0301", args[1].span, f"this is {second.type}, the other is {first.type}")
                return unknown
            return Value(
                both, ir.If(ir.Binary("eq", first.expr, ir.Const(NONE), site), second.expr, first.expr)
            )
        case "count" | "length":
            if not arity(1):
                return unknown
            made = exprs.value(args[0], scope)
            if made.type.sort == "set":
                return Value(int_range(0, 100_000), ir.SetCount(made.expr))
            if made.type.sort == "list":
                return Value(int_range(0, made.type.capacity), ir.ListLength(made.expr))
            if made.type.sort != "unknown":
                exprs.sink.error(
                    "GR0313",
                    args[0].span,
                    f"`{name}` needs a set or list, this is {made.type}",
                    hint="count(x in Unit where ...)",
                )
            return unknown
        case "first" | "last":
            if not arity(1):
                return unknown
            made = exprs.value(args[0], scope)
            if made.type.sort != "list" or made.type.element is None:
                if made.type.sort != "unknown":
                    exprs.sink.error(
                        "GR0313",
                        args[0].span,
                        f"`{name}` needs a list, this is {made.type}",
                        hint=f"{name}(x in Unit where ...)",
                    )
                return unknown
            size = ir.ListLength(made.expr)
            item = ir.ListItem(made.expr, ir.Const(1) if name == "first" else size, site)
            none = ir.Binary("eq", size, ir.Const(0), site)
            return Value(made.type.element.maybe(), ir.If(none, ir.Const(NONE), item))
        case "nth":
            if not arity(2):
                return unknown
            made = exprs.value(args[0], scope)
            if made.type.sort != "list" or made.type.element is None:
                exprs.sink.error("GR0313", args[0].span, f"`nth` needs a list, this is {made.type}")
                return unknown
            place = exprs.checked(args[1], scope, INT)
            return Value(made.type.element, ir.ListItem(made.expr, place.expr, site))
        case "room":
            dom = exprs.world.types.get(args[0].id) if arity(1) and isinstance(args[0], syn.Name) else None
            if dom is None or dom.alive is None:
                exprs.sink.error(
                    "GR0208", expr.span, "`room` needs the name of a piece or record", hint="room(Unit)"
                )
                return unknown
            var = exprs.code.local("(piece)", dom_type(dom))
            used = ir.Aggregate("count", var, ir.OverDomain(dom.id), None, None, site)
            return Value(int_range(0, dom.up_to), ir.Binary("sub", ir.DomainCount(dom.id), used, site))
        case "during":
            return _during(exprs, args, expr.span)
        case "known":
            return _known(exprs, args, scope, site, expr.span)
        case "reach" | "cost_to" | "path":
            return lower_reach(exprs, name, args, scope, expr.span)
        case "remaining":
            if args and isinstance(args[0], syn.Name) and args[0].id in exprs.world.broken:
                return unknown
            if not arity(1) or not isinstance(args[0], syn.Name) or args[0].id not in exprs.world.bags:
                exprs.sink.error("GR0208", expr.span, "`remaining` needs the name of a bag or deck")
                return unknown
            bag = exprs.world.bags[args[0].id]
            var = exprs.code.local("(row)", dom_type(bag.kind))
            assert bag.field.field is not None
            counts = ir.Load(bag.field.field, (ir.Local(var),), site)
            return Value(
                int_range(0, 9999),
                ir.Aggregate("sum", var, ir.OverDomain(bag.kind.id), None, counts, site),
            )
    raise AssertionError(name)


def _compare_owner(left: Value, right: Value, same: bool, site: int) -> Value:
    return Value(FLAG, ir.Binary("eq" if same else "ne", left.expr, right.expr, site))


def _min_max(exprs: Exprs, name: str, args: list[syn.Expr], scope: Scope, site: int, span: Span) -> Value:
    if len(args) < 2:
        exprs.sink.error(
            "GR0302",
            span,
            f"`{name}` compares at least two values",
            hint=f"{name}(x in S: value) runs over a set",
        )
        return Value(UNKNOWN, ir.Const(0))
    first = exprs.value(args[0], scope)
    if first.type.sort == "dom" and first.type.dom is not None:
        made = [first, *(exprs.checked(arg, scope, dom_type(first.type.dom)) for arg in args[1:])]
        result = first.type
    else:
        made = [exprs.checked(arg, scope, INT) for arg in args]
        pick = min if name == "min" else max
        result = int_range(pick(v.type.lo for v in made), pick(v.type.hi for v in made))
    lowered = made[0].expr
    for value in made[1:]:
        lowered = ir.Binary(name, lowered, value.expr, site)  # type: ignore[arg-type]
    return Value(result, lowered)


def _clamp(exprs: Exprs, args: list[syn.Expr], scope: Scope, site: int, span: Span) -> Value:
    if len(args) != 2 or not isinstance(args[1], syn.RangeExpr):
        exprs.sink.error("GR0302", span, "write clamp(value, low..high)")
        return Value(UNKNOWN, ir.Const(0))
    made = exprs.checked(args[0], scope, INT)
    lo = exprs.checked(args[1].lo, scope, INT)
    hi = exprs.checked(args[1].hi, scope, INT)
    lowered = ir.Binary("min", ir.Binary("max", made.expr, lo.expr, site), hi.expr, site)
    return Value(
        int_range(
            max(lo.type.lo, min(made.type.lo, hi.type.lo)), min(hi.type.hi, max(made.type.hi, lo.type.hi))
        ),
        lowered,
    )


def _during(exprs: Exprs, args: list[syn.Expr], span: Span) -> Value:
    if len(args) != 1 or not isinstance(args[0], syn.Name):
        exprs.sink.error("GR0302", span, "write during(name of a phase)")
        return Value(FLAG, ir.Const(0))
    name = args[0].id
    phases = exprs.world.phases
    number = phases.index(name) if phases else None
    if number is None:
        exprs.sink.error(
            "GR0201",
            args[0].span,
            f"there is no phase `{name}`",
            hint=hint_for(name, phases.members if phases else []),
        )
        return Value(FLAG, ir.Const(0))
    field = exprs.lowerer.timing.running_phases()
    return Value(FLAG, ir.In(ir.Const(number), ir.SetLoad(field, (), exprs.lowerer.nowhere)))


def _known(exprs: Exprs, args: list[syn.Expr], scope: Scope, site: int, span: Span) -> Value:
    """known(u.command): it has been revealed since it was last written."""
    made = exprs.value(args[0], scope) if len(args) == 1 else None
    load = made.expr if made is not None else None
    info = exprs.world.fields_by_id.get(load.field) if isinstance(load, ir.Load | ir.SetLoad) else None
    if info is None or info.known is None:
        exprs.sink.error("GR0208", span, "`known` asks about a secret field", hint="known(u.hit)")
        return Value(FLAG, ir.Const(0))
    assert isinstance(load, ir.Load | ir.SetLoad)
    return Value(FLAG, ir.Load(info.known, load.index, site))
