"""The value by which victory ranks the sides, as a function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.sema.scope import Scope
from grognard.compiler.sema.typed.bodies import Inside, bind_variables
from grognard.compiler.sema.typed.checker import Checker
from grognard.compiler.sema.types import INT, dom_type
from grognard.compiler.sema.world import Callable_
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk
from grognard.support.diagnostics import Sink

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer


def measure_function(lowerer: Lowerer, decls: list[syn.VictoryDecl]) -> int | None:
    """Function(side): the number by which victory ranks the sides; None if it ranks them by no number."""
    for decl in decls:
        for node in walk(decl.body):
            if isinstance(node, syn.AggregateExpr) and node.key is not None and _over_sides(lowerer, node):
                return _measure(lowerer, decl, node)
    return None


def _over_sides(lowerer: Lowerer, node: syn.AggregateExpr) -> bool:
    sides = lowerer.world.sides
    return isinstance(node.source, syn.Name) and sides is not None and node.source.id in ("sides", sides.name)


def _measure(lowerer: Lowerer, decl: syn.VictoryDecl, node: syn.AggregateExpr) -> int | None:
    assert node.key is not None and lowerer.world.sides is not None
    value = node.key if node.rank == "highest" else syn.UnaryExpr("neg", node.key, node.span)
    side = syn.TypeExpr("plain", syn.Name("Side", node.span), None, 0, False, node.span)
    number = syn.TypeExpr("plain", syn.Name("int", node.span), None, 0, False, node.span)
    body = (syn.CaseStmt(value, None, decl.cites, node.span),)
    rule = syn.RuleDecl(
        "victory measure", (syn.Param(node.var, side, node.span),), number, body, decl.cites, node.span
    )
    params = [(node.var, dom_type(lowerer.world.sides))]
    # Sides may be ranked by something else than a number, such as an enum.  What is wrong is told of the rule `victory`.
    found, scope = Sink(), Scope()
    bind_variables(scope, params, node.span)
    made = Checker(lowerer, Inside(), found).checked(value, scope, INT)
    if found.has_errors or made.type.sort != "int":
        return None
    entry = Callable_(rule.name, "rule", params, INT, rule, node.span, (), 0)
    return lowerer.function_for(entry, None)
