"""Routes: the type of a chosen route, and the condition under which there is one."""

from __future__ import annotations

from grognard.compiler.sema.types import Dom, Type, dom_type
from grognard.compiler.syntax import nodes as syn


def route_type(space: Dom, room: int) -> Type:
    return Type("list", element=dom_type(space), capacity=room)


def route_exists(statement: syn.ChooseRouteStmt) -> syn.Expr:
    """The condition under which there is such a route."""
    use, span = statement.use, statement.span
    walk = syn.CallExpr(syn.Name(use.name, use.span), use.args, (), use.span)
    if statement.goal is not None:
        cost = syn.CallExpr(syn.Name("cost_to", span), (walk, statement.goal), (), span)
        return syn.BinaryExpr("is_not", cost, syn.NoneLit(span), span)
    reach = syn.CallExpr(syn.Name("reach", span), (walk,), (), span)
    return syn.BinaryExpr("is_not", reach, syn.Name("empty", span), span)
