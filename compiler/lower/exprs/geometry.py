"""Verbs of the map; what can be reached and at what cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.code import Value
from grognard.compiler.lower.exprs.rules import flat_arguments
from grognard.compiler.lower.geometry.routes import cheapest
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import INT
from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.compiler.lower.exprs.expressions import Lowering
    from grognard.compiler.lower.geometry.going import Going


def _verb(low: Lowering, node: t.MapVerb) -> Value:
    args = tuple(low.lower(arg).expr for arg in node.args)
    site = low.lowerer.site("read", node.name, node.span)
    return Value(node.type, ir.Verb(node.verb, args, site))


def _going(low: Lowering, use: t.MovementUse) -> tuple[Going, list[Any]]:
    flat = flat_arguments(low, use.entry, use.args)
    return low.lowerer.movement_for(use.entry), flat


def _reach(low: Lowering, node: t.Reach) -> Value:
    going, flat = _going(low, node.use)
    places: Any = None
    for gait in going.gaits:
        one = ir.ReachSet(gait, tuple(flat), going.space.id)
        places = one if places is None else ir.SetBinary("union", places, one)
    return Value(node.type, places)


def _cost_to(low: Lowering, node: t.CostTo) -> Value:
    going, flat = _going(low, node.use)
    to = low.lower(node.goal).expr
    costs = tuple(ir.ReachCost(gait, tuple(flat), to) for gait in going.gaits)
    if len(costs) == 1:
        return Value(node.type, costs[0])
    var = low.code.local("(gait)", INT)
    site = low.lowerer.site("read", "cost_to", node.span)
    return Value(node.type, ir.Aggregate("min", var, ir.OverItems(costs), None, ir.Local(var), site))


def _path(low: Lowering, node: t.Path) -> Value:
    going, flat = _going(low, node.use)
    return cheapest(low, node.use.entry.name, going, flat, low.lower(node.goal))


GEOMETRY: dict[type, Any] = {t.MapVerb: _verb, t.Reach: _reach, t.CostTo: _cost_to, t.Path: _path}
