"""Phases, actions and handlers that are never reached."""

from __future__ import annotations

from typing import Any

from grognard.compiler.layers.merge import Merged
from grognard.compiler.sema.symbols import Symbols
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.conditions import conjuncts, contradiction, truth
from grognard.compiler.syntax.walk import walk
from grognard.support.diagnostics import Label, Sink


def check_phases(symbols: Symbols, sink: Sink, merged: Merged) -> None:
    for _, decl in merged.decls:
        if isinstance(decl, syn.SequenceDecl):
            if decl.condition is not None and _never_holds(symbols, decl.condition):
                sink.warning(
                    "GR0701", decl.condition.span, "this never holds, so the sequence is never played"
                )
            _check_phases(symbols, sink, decl.body)


def check_victory(symbols: Symbols, sink: Sink, merged: Merged) -> None:
    """A title that is played, and in which nobody can win."""
    decls = [decl for _, decl in merged.decls]
    sequence = next((decl for decl in decls if isinstance(decl, syn.SequenceDecl)), None)
    if sequence is None or any(isinstance(decl, syn.VictoryDecl) for decl in decls):
        return
    bodies = [decl for decl in decls if not isinstance(decl, syn.ExampleDecl)]
    bodies += [exception for _, exception in merged.exceptions]
    if any(isinstance(node, syn.EndStmt) for body in bodies for node in walk(body)):
        return
    sink.warning(
        "GR0716",
        sequence.span,
        "nobody can win: there is neither `victory` nor `end game`, so that every game is drawn",
        hint="say who has won: `victory`, and below it `= german when german.vp > soviet.vp` and `= none otherwise`",
    )


def _check_phases(symbols: Symbols, sink: Sink, body: tuple[syn.Stmt, ...]) -> None:
    endless: syn.Stmt | None = None
    for statement in body:
        if endless is not None:
            phase = next((node for node in walk(statement) if isinstance(node, syn.PhaseStmt)), None)
            if phase is not None:
                sink.warning(
                    "GR0701",
                    phase.span,
                    f"phase `{phase.name}` is never reached: what stands before it repeats for ever",
                    labels=(Label(endless.span, "this never ends"),),
                )
            return
        if isinstance(statement, syn.PhaseStmt):
            if statement.condition is not None and _never_holds(symbols, statement.condition):
                sink.warning(
                    "GR0701",
                    statement.condition.span,
                    f"this never holds, so phase `{statement.name}` is never played",
                )
            _check_phases(symbols, sink, statement.body or ())
        elif isinstance(
            statement, syn.CountStmt | syn.WhileStmt | syn.UntilStmt | syn.TimesStmt | syn.ForStmt
        ):
            _check_phases(symbols, sink, statement.body)
            forever = (isinstance(statement, syn.CountStmt) and statement.end is None) or (
                isinstance(statement, syn.WhileStmt) and truth(statement.condition) is True
            )
            if forever and not _stops(statement.body):
                endless = statement
        elif isinstance(statement, syn.IfStmt):
            for _, arm in statement.arms:
                _check_phases(symbols, sink, arm)
            _check_phases(symbols, sink, statement.otherwise)


def _never_holds(symbols: Symbols, condition: syn.Expr) -> bool:
    """Whether a condition plainly never holds, by itself or by the declared ranges of the game's fields."""
    if truth(condition) is False:
        return True
    parts = conjuncts(condition)
    if any(truth(part) is False or _out_of_range(symbols, part) for part in parts):
        return True
    return contradiction(parts) is not None


def _out_of_range(symbols: Symbols, part: syn.Expr) -> bool:
    if not isinstance(part, syn.BinaryExpr) or not isinstance(part.left, syn.Name):
        return False
    info = symbols.globals.get(part.left.id)
    if info is None or info.type.sort != "int" or not isinstance(part.right, syn.Number):
        return False
    lo, hi, value = info.type.lo, info.type.hi, part.right.value
    return {
        "gt": hi <= value,
        "ge": hi < value,
        "lt": lo >= value,
        "le": lo > value,
        "is": not lo <= value <= hi,
    }.get(part.op, False)


def check_actions(symbols: Symbols, sink: Sink, merged: Merged) -> None:
    """Actions whose first conditions exclude each other are never offered."""
    for _, decl in merged.decls:
        if not isinstance(decl, syn.ActionDecl):
            continue
        for statement in decl.body:
            condition: syn.Expr | None
            if isinstance(statement, syn.ChooseStmt):
                condition = statement.where
            elif isinstance(statement, syn.RequireStmt):
                condition = statement.condition
            elif isinstance(statement, syn.Let):
                continue
            else:
                break
            if condition is None:
                continue
            pair = contradiction(conjuncts(condition))
            if pair is not None:
                sink.warning(
                    "GR0707",
                    pair[1].span,
                    f"this never holds together with the other condition, so `{decl.name}` is never offered",
                    labels=(Label(pair[0].span, "the other condition"),),
                )


def check_events(symbols: Symbols, sink: Sink, merged: Merged) -> None:
    emits: dict[str, list[syn.EmitStmt]] = {}
    rolled: set[str] = set()
    for _, decl in (*merged.decls, *merged.exceptions):
        emitted_here, rolled_here = symbols.facts.of(_emitted_and_rolled, decl)
        rolled |= rolled_here
        for node in emitted_here:
            emits.setdefault(node.event, []).append(node)
    emitted, reported = set(emits), set[str]()
    for name, handlers in symbols.handlers.items():
        when, _, event = name.rpartition(" ")
        if when and event in symbols.events and event not in rolled:
            for _, handler in handlers:
                sink.warning(
                    "GR0708",
                    handler.span,
                    f"nothing is rolled for `{event}`, so this never happens",
                    hint=f"write `roll die: 2d6 for {event}(...)` where it is rolled",
                )
        if when and event in emitted and event not in symbols.handlers and event not in reported:
            reported.add(event)
            for node in emits[event]:
                sink.warning(
                    "GR0708",
                    node.span,
                    f"nothing happens here: `{event}` has handlers of rolls only",
                    hint=f"write `on {event}(...)` for what shall happen, or `roll ... for {event}(...)`",
                )
        if name in symbols.events and name not in emitted:
            for _, handler in handlers:
                sink.warning(
                    "GR0708",
                    handler.span,
                    f"event `{name}` is never emitted, so this never happens",
                    hint=f"write `emit {name}(...)` where it happens",
                )


def _emitted_and_rolled(decl: Any) -> tuple[list[syn.EmitStmt], set[str]]:
    emitted: list[syn.EmitStmt] = []
    rolled: set[str] = set()
    for node in walk(decl):
        if isinstance(node, syn.EmitStmt):
            emitted.append(node)
        elif isinstance(node, syn.RollStmt) and node.event is not None:
            rolled.add(node.event.name)
    return emitted, rolled


def _stops(body: tuple[syn.Stmt, ...]) -> bool:
    """Whether a loop's body can leave this loop (a `stop` in an inner loop leaves only that)."""
    for statement in body:
        if isinstance(statement, syn.StopStmt):
            return True
        if isinstance(statement, syn.IfStmt):
            if any(_stops(arm) for _, arm in statement.arms) or _stops(statement.otherwise):
                return True
        elif isinstance(statement, syn.PhaseStmt) and statement.body:
            if _stops(statement.body):
                return True
        elif isinstance(statement, syn.ChooseStmt) and isinstance(statement.otherwise, syn.StopStmt):
            return True
    return False
