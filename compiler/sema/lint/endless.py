"""Loops and procedures that never end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from grognard.compiler.layers.merge import Merged
from grognard.compiler.sema.effects import asks_directly
from grognard.compiler.sema.symbols import Symbols
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.conditions import truth
from grognard.compiler.syntax.walk import walk
from grognard.support.diagnostics import Sink
from grognard.support.source import Span


def check_loops(symbols: Symbols, sink: Sink, body: Any) -> None:
    for node in symbols.facts.of(_loops, body):
        match node:
            case syn.WhileStmt(condition=condition, body=inner):
                if not _leaves(symbols, inner) and _stays(symbols, condition, inner):
                    _report_endless(
                        symbols,
                        sink,
                        node.span,
                        "nothing in this loop changes its condition, and nothing leaves it",
                    )
            case syn.UntilStmt(condition=condition, body=inner) if condition is not None:
                if not _leaves(symbols, inner) and _stays(symbols, condition, inner):
                    _report_endless(
                        symbols,
                        sink,
                        node.body[0].span if node.body else node.span,
                        "nothing in this loop changes what its `until` reads, and nothing leaves it",
                    )
            case syn.CountStmt(start=syn.Number(value=first), end=syn.Number(value=last)) if first > last:
                sink.warning(
                    "GR0701",
                    node.span,
                    f"this counts up from {first} to {last}, so what it repeats is never done",
                    hint=f"from {last} to {first}",
                )
            case syn.CountStmt(end=None, body=inner):
                if not _leaves(symbols, inner):
                    _report_endless(
                        symbols,
                        sink,
                        node.span,
                        "this counts for ever: nothing in it stops, asks or ends the game",
                    )

            case syn.AlternateStmt(body=inner):
                if not _comes_to_pass(symbols, inner):
                    _report_endless(
                        symbols,
                        sink,
                        node.span,
                        "this goes round for ever: nobody can pass here, and nothing stops it",
                    )


def _loops(body: Any) -> tuple[Any, ...]:
    """The loops whose end is not certain by what they are."""
    return tuple(
        node
        for node in walk(body)
        if isinstance(node, syn.WhileStmt | syn.UntilStmt | syn.CountStmt | syn.AlternateStmt)
    )


def _comes_to_pass(symbols: Symbols, body: Any) -> bool:
    """Whether something that can happen in a turn passes, stops the rotation or ends the game."""
    pending: list[Any] = [body]
    seen: set[str] = set()
    while pending:
        part = pending.pop()
        for node in walk(part):
            # Handlers of an event are not followed: they may pass too.
            if isinstance(node, syn.PassStmt | syn.EndStmt | syn.EmitStmt):
                return True
            if part is body and isinstance(node, syn.StopStmt | syn.ReturnStmt):
                return True
            name = node.name if isinstance(node, syn.Use) else node.id if isinstance(node, syn.Name) else ""
            entry = symbols.callables.get(name)
            if entry is not None and name not in seen:
                seen.add(name)
                pending += [entry.decl, *(exception for _, exception in entry.exceptions)]
            if "." in name:
                return True  # named by data
    return False


def _report_endless(symbols: Symbols, sink: Sink, span: Span, message: str) -> None:
    sink.error("GR0702", span, message, hint="add `stop`, a bound (`to n`), or the change that was forgotten")


def _leaves(symbols: Symbols, body: Any) -> bool:
    """Whether a loop's body can be left: by itself, by a decision (which can end the game), or by a call."""
    for node in walk(body):
        if isinstance(node, syn.StopStmt | syn.ReturnStmt | syn.EndStmt | syn.CaseStmt):
            return True
        if asks_directly(node):
            return True
        if isinstance(node, syn.DoStmt) and _may_ask(symbols, node.use.name):
            return True
        if isinstance(node, syn.PhaseStmt) and (node.body is None and _may_ask(symbols, node.name)):
            return True
        if isinstance(node, syn.EmitStmt):
            return True  # its handlers may do anything
        if isinstance(node, syn.RollStmt) and node.event is not None:
            return True
    return False


def _may_ask(symbols: Symbols, name: str) -> bool:
    entry = symbols.callables.get(name)
    return entry is None or entry.asks or entry.sort == "action"


def _stays(symbols: Symbols, condition: syn.Expr, body: Any) -> bool:
    """Whether the body cannot change the condition."""
    if truth(condition) is not None:
        return True
    names = {node.id for node in walk(condition) if isinstance(node, syn.Name)}
    reads_state = any(
        isinstance(node, syn.Dot | syn.CallExpr | syn.AggregateExpr | syn.MatchedExpr)
        or (isinstance(node, syn.Name) and (node.id in symbols.globals or node.id in symbols.callables))
        for node in walk(condition)
    )
    changed: set[str] = set()
    state = False
    for node in walk(body):
        match node:
            case syn.AssignStmt(target=syn.Name(id=name)):
                changed.add(name)
                state |= name in symbols.globals
            case syn.AssignStmt() | syn.AssignMatchStmt() | syn.CreateStmt() | syn.DestroyStmt():
                state = True
            case syn.DrawStmt() | syn.PutStmt() | syn.RevealStmt() | syn.MarkStmt() | syn.EmitStmt():
                state = True
            case syn.RollStmt(target=target):
                if isinstance(target, syn.Name):
                    changed.add(target.id)
                state = True
            case syn.DoStmt() | syn.PhaseStmt() | syn.PassStmt() | syn.SecretStmt() | syn.AlternateStmt():
                state = True
            case syn.Let(name=name) | syn.ChooseStmt(name=name):
                changed.add(name)
            case syn.ForStmt(var=name) | syn.CountStmt(var=name):
                changed.add(name)
                state |= name in symbols.globals
    return not (state and reads_state) and not names & changed


def check_recursion(symbols: Symbols, sink: Sink, merged: Merged) -> None:
    """Procedures that do themselves, directly or by others, before they can return."""
    surely: dict[str, list[tuple[str, Span]]] = {}
    for _, decl in merged.decls:
        if isinstance(decl, syn.ProcedureDecl | syn.ActionDecl):
            surely[decl.name] = symbols.facts.of(_sure_calls_of, decl.body)
    reported: set[frozenset[str]] = set()
    for start in surely:
        path = _cycle(start, surely)
        if path is None or frozenset(name for name, _ in path) in reported:
            continue
        reported.add(frozenset(name for name, _ in path))
        names = [start, *(name for name, _ in path)]
        sink.error(
            "GR0702",
            path[0][1],
            f"`{start}` does itself again in every case"
            if len(path) == 1
            else f"`{path[0][0]}` leads back here in every case: {' -> '.join(names)}",
            hint="put a condition around the call, or make it a loop",
        )


def _sure_calls_of(body: Any) -> list[tuple[str, Span]]:
    return list(_sure_calls(body))


def _cycle(start: str, calls: dict[str, list[tuple[str, Span]]]) -> list[tuple[str, Span]] | None:
    """A chain of sure calls from a procedure back to it."""
    pending: list[tuple[str, list[tuple[str, Span]]]] = [(start, [])]
    seen = {start}
    while pending:
        name, path = pending.pop()
        for callee, span in calls.get(name, ()):
            if callee == start:
                return [*path, (callee, span)]
            if callee not in seen and callee in calls:
                seen.add(callee)
                pending.append((callee, [*path, (callee, span)]))
    return None


def _sure_calls(body: tuple[syn.Stmt, ...]) -> Iterator[tuple[str, Span]]:
    """The calls that a body makes in every case, up to the first statement that may leave it."""
    for statement in body:
        if isinstance(statement, syn.DoStmt):
            yield statement.use.name, statement.span
        elif isinstance(statement, syn.IfStmt) and statement.otherwise:
            arms = [[*_sure_calls(arm)] for _, arm in statement.arms] + [[*_sure_calls(statement.otherwise)]]
            for name, span in arms[0]:
                if all(any(name == other for other, _ in arm) for arm in arms[1:]):
                    yield name, span
        if any(
            isinstance(node, syn.ReturnStmt | syn.EndStmt | syn.CaseStmt | syn.StopStmt | syn.RequireStmt)
            or asks_directly(node)
            for node in walk(statement)
        ):
            return
