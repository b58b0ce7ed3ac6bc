"""Handlers that react to a roll: their bodies as procedures that return what to do with it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from grognard.compiler.sema.types import Type
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import substitute, walk
from grognard.support.diagnostics import Sink

#: The result of a handler of a pool or a set that throws no die again: not the number of a die.
NO_REROLL = -1_000_000


def rolled_body(
    decl: syn.OnDecl, body: tuple[syn.Stmt, ...], rolled: Type, sink: Sink
) -> tuple[syn.Stmt, ...]:
    """The body of a handler of `rolled` as a procedure that returns what to do with the roll."""
    span = decl.span
    name = decl.names[-1]
    _check_rerolls(decl, rolled, sink)
    if body and isinstance(body[-1], syn.RerollStmt):
        return tuple(_rerolls(body))
    kept: syn.Expr = syn.Name(name, span) if rolled.sort == "int" else syn.Number(str(NO_REROLL), span)
    leave = syn.ReturnStmt(kept, syn.NO_CITES, span)
    body, _ = substitute(body, syn.ReturnStmt(None, syn.NO_CITES, span), leave)
    return (*_rerolls(body), leave)


def _check_rerolls(decl: syn.OnDecl, rolled: Type, sink: Sink) -> None:
    """Check `reroll die n`: only for pools, with the number of a die, and not in every case."""
    for node in decl.body if decl.condition is None else ():
        if isinstance(node, syn.RerollStmt):
            sink.error(
                "GR0702",
                node.span,
                "this never ends: every throw is thrown again",
                hint=f"say when: on {decl.event}({', '.join(decl.names)}) when ...",
            )
            return
    for node in walk(decl.body):
        if not isinstance(node, syn.RerollStmt) or node.die is None:
            continue
        if rolled.sort != "list":
            what = "a total" if rolled.sort == "int" else f"{rolled.words}"
            sink.error(
                "GR0713",
                node.span,
                f"`{decl.names[-1]}` is {what}: a single die can be thrown again of a pool only",
                hint="write `reroll` for all dice, or roll a pool: `roll dice: 2 of d6 for ...`",
            )
        elif isinstance(node.die, syn.Number) and not 1 <= node.die.value <= rolled.capacity:
            sink.error(
                "GR0713",
                node.die.span,
                f"there is no die {node.die.value}: they are numbered from 1, and there are at most {rolled.capacity}",
            )


def _rerolls(node: Any) -> Any:
    """Replace every `reroll` by a return of the result that requests it."""
    if isinstance(node, syn.RerollStmt):
        value = node.die if node.die is not None else syn.NoneLit(node.span)
        return syn.ReturnStmt(value, node.cites, node.span)
    if isinstance(node, tuple):
        return tuple(_rerolls(part) for part in node)
    if isinstance(node, syn.IfStmt):
        arms = tuple((condition, _rerolls(body)) for condition, body in node.arms)
        return replace(node, arms=arms, otherwise=_rerolls(node.otherwise))
    inner = getattr(node, "body", None)
    if isinstance(inner, tuple):
        return replace(node, body=_rerolls(inner))
    if isinstance(node, syn.ChooseStmt) and node.otherwise is not None:
        return replace(node, otherwise=_rerolls(node.otherwise))
    return node
