"""Proofs that a choice in a running procedure has something to choose, by what was tested around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.sema.routes import route_exists
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import substitute
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.statements import BodyChecker


def prove_some(check: BodyChecker, statement: syn.ChooseStmt) -> None:
    """A mandatory choice in a running procedure must have something to choose."""
    if statement.where is None:
        if statement.type is not None:
            return
        wanted: tuple[Any, Any] = (statement.source, None)
    else:
        source: Any = statement.source
        if statement.type is not None:
            source = statement.type.base
            if _always_some(statement, source):
                return
        wanted = (source, statement.where)
    for guard in check.standing.guards:
        for node in _positive(guard):
            if isinstance(node, syn.AggregateExpr) and node.op in ("any", "count"):
                if _same_question(node, wanted, statement.name):
                    return
            if wanted[1] is None and _says_not_empty(node, wanted[0]):
                return
    entry = check.symbols.callables.get(check.body.owner)
    if entry is not None and entry.sort == "action":
        check.sink.error(
            "GR0711",
            statement.span,
            f"there may be nothing to choose for `{statement.name}`, and the action has begun",
            hint="move the choice above the first write, roll or `do`, or add `, else return`",
        )
        return
    check.sink.error(
        "GR0703",
        statement.span,
        f"there may be nothing to choose for `{statement.name}`",
        hint="add `, else stop` / `, else return`, make it `may choose`, or guard it with `if any(... where the same)`",
    )


def _always_some(statement: syn.ChooseStmt, source: Any) -> bool:
    """A choice with a filter that plainly leaves something, e.g. yes/no `where not x or ...`."""
    where = statement.where
    if (
        isinstance(source, syn.Name)
        and source.id == "flag"
        and isinstance(where, syn.BinaryExpr)
        and where.op == "or"
    ):
        first = where.left
        return first == syn.UnaryExpr("not", syn.Name(statement.name, where.span), where.span)
    return False


def _positive(condition: Any) -> list[Any]:
    """The parts of a condition that all hold when it does."""
    if isinstance(condition, syn.BinaryExpr) and condition.op == "and":
        return [*_positive(condition.left), *_positive(condition.right)]
    if (
        isinstance(condition, syn.BinaryExpr)
        and condition.op == "gt"
        and condition.right == syn.Number("0", condition.span)
    ):
        return [condition, condition.left]
    return [condition]


def _rename(node: Any, old: str, new: str) -> Any:
    place = Span("", 0, 0, 0, 0)
    return substitute(node, syn.Name(old, place), syn.Name(new, place))[0]


def _same_question(node: syn.AggregateExpr, wanted: tuple[Any, Any], name: str) -> bool:
    where = node.where if node.where is None else _rename(node.where, node.var, name)
    return node.source == wanted[0] and where == wanted[1]


def _says_not_empty(node: Any, source: Any) -> bool:
    match node:
        case syn.BinaryExpr(op="is_not", left=left, right=syn.Name(id="empty")):
            return bool(left == source)
        case syn.CallExpr(callee=syn.Name(id="count"), args=(inner,)):
            return bool(inner == source)
    return False


def prove_route(check: BodyChecker, statement: syn.ChooseRouteStmt) -> None:
    wanted, standing = route_exists(statement), check.standing
    if any(part == wanted for known in (*standing.guards, *standing.demanded) for part in _conjuncts(known)):
        return
    asked = "cost_to(...) is not none" if statement.goal is not None else "reach(...) is not empty"
    check.sink.error(
        "GR0703",
        statement.span,
        f"there may be no route for `{statement.name}`",
        hint=f"add `, else return`, or test before that `{asked}` for the same movement",
    )


def _conjuncts(expr: syn.Expr) -> list[syn.Expr]:
    if isinstance(expr, syn.BinaryExpr) and expr.op == "and":
        return [*_conjuncts(expr.left), *_conjuncts(expr.right)]
    return [expr]
