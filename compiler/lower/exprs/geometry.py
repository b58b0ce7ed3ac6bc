"""Verbs of the map: distances, directions, neighbours; what can be reached and at what cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.exprs.rules import how_many, movement_use
from grognard.compiler.lower.geometry.routes import cheapest
from grognard.compiler.sema.builtins import VERBS
from grognard.compiler.sema.scope import Scope, Value
from grognard.compiler.sema.types import (
    FLAG,
    INT,
    UNKNOWN,
    Dom,
    Type,
    dom_type,
    set_type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Exprs


def lower_verb(exprs: Exprs, name: str, expr: syn.CallExpr, scope: Scope) -> Value:
    known = VERBS[name]
    made = verb_arguments(exprs, name, known.takes, expr, scope)
    if made is None:
        return Value(UNKNOWN, ir.Const(0))
    site = exprs.lowerer.site("read", name, expr.span)
    optional = any(value.type.optional for value in made)
    lowered = ir.Verb(known.ir, tuple(value.expr for value in made), site)
    space = space_meant(exprs, made)
    match known.answers:
        case "int":
            return Value(Type("int", 0, 9999, optional=optional), lowered)
        case "flag":
            return Value(FLAG, lowered)
        case "turns":
            return Value(Type("int", 0, 4, optional=optional), lowered)
        case "arc":
            return Value(Type("int", 0, 2, optional=optional), lowered)
        case "place?":
            return Value(dom_type(space, True) if space else UNKNOWN, lowered)
        case "edge?":
            return Value(dom_type(space.edges, True) if space and space.edges else UNKNOWN, lowered)
        case _:
            assert exprs.world.direction
            return Value(dom_type(exprs.world.direction, optional or known.answers.endswith("?")), lowered)


def verb_arguments(
    exprs: Exprs, name: str, sorts: tuple[str, ...], expr: syn.CallExpr, scope: Scope
) -> list[Value] | None:
    if len(expr.args) != len(sorts):
        exprs.sink.error(
            "GR0302", expr.span, f"`{name}` takes {how_many(len(sorts))}, {len(expr.args)} given"
        )
        return None
    made: list[Value] = []
    for sort, arg in zip(sorts, expr.args, strict=True):
        want: Type | None = None
        if sort == "dir" and exprs.world.direction:
            want = dom_type(exprs.world.direction, True)
        elif sort == "int":
            want = INT
        elif sort == "place" and len(exprs.world.spaces) == 1:
            want = dom_type(exprs.world.spaces[0], True)
        value = exprs.value(arg, scope, want)
        good = {
            "place": value.type.sort == "dom"
            and value.type.dom is not None
            and value.type.dom.sort == "place",
            "dir": value.type.sort == "dom" and value.type.dom is exprs.world.direction,
            "edge": value.type.sort == "dom" and value.type.dom is not None and value.type.dom.sort == "edge",
            "int": value.type.sort == "int",
        }[sort]
        if not good and value.type.sort not in ("unknown", "none"):
            wanted = {"place": "a place", "dir": "a direction", "int": "a number", "edge": "a hexside"}[sort]
            exprs.sink.error("GR0301", arg.span, f"`{name}` needs {wanted} here, this is {value.type}")
            return None
        if value.type.sort == "unknown":
            return None
        made.append(value)
    return made


def space_meant(exprs: Exprs, made: list[Value]) -> Dom | None:
    for value in made:
        if value.type.dom is not None and value.type.dom.sort == "place":
            dom = value.type.dom
            return dom.parent or dom
    return exprs.world.spaces[0] if exprs.world.spaces else None


def lower_reach(exprs: Exprs, name: str, args: list[syn.Expr], scope: Scope, span: Span) -> Value:
    unknown = Value(UNKNOWN, ir.Const(0))
    wanted = 1 if name == "reach" else 2
    if (
        len(args) != wanted
        or not isinstance(args[0], syn.CallExpr)
        or not isinstance(args[0].callee, syn.Name)
    ):
        given = "" if wanted == 1 else ", place"
        exprs.sink.error("GR0302", span, f"write {name}(movement(...){given})")
        return unknown
    found = movement_use(exprs, args[0].callee.id, args[0].args, args[0].span, scope)
    if found is None:
        return unknown
    going, flat = found
    if name == "reach":
        places: Any = None
        for gait in going.gaits:
            one = ir.ReachSet(gait, tuple(flat), going.space.id)
            places = one if places is None else ir.SetBinary("union", places, one)
        return Value(set_type(going.space), places)
    goal = exprs.checked(args[1], scope, dom_type(going.space))
    if name == "path":
        return cheapest(exprs, args[0].callee.id, going, flat, goal)
    to = goal.expr
    costs = tuple(ir.ReachCost(gait, tuple(flat), to) for gait in going.gaits)
    type_ = Type("int", 0, 9999, optional=True)
    if len(costs) == 1:
        return Value(type_, costs[0])
    var = exprs.code.local("(gait)", INT)
    site = exprs.lowerer.site("read", name, span)
    return Value(type_, ir.Aggregate("min", var, ir.OverItems(costs), None, ir.Local(var), site))
