"""Names in statements that mean a declaration: procedures, events, dice, phases, counters.

None of these depends on a type or on what is in scope, so that all are checked before anything is lowered."""

from __future__ import annotations

import re
from typing import Any

from grognard.compiler.sema.symbols import Symbols
from grognard.compiler.support.cascades import text_is_unread
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.print import unparse
from grognard.compiler.syntax.walk import walk
from grognard.support.diagnostics import Sink
from grognard.support.source import Span
from grognard.support.suggest import hint_for

#: Dice in the largest pool.
POOL_SIZE = 320
_NAMING = (
    syn.DoStmt
    | syn.EmitStmt
    | syn.RollStmt
    | syn.ScheduleStmt
    | syn.PhaseStmt
    | syn.CreateStmt
    | syn.AlternateStmt
    | syn.LogStmt
    | syn.AsOf
    | syn.EverSince
)


def check_names(symbols: Symbols, tree: Any, sink: Sink) -> None:
    """Report names that nothing bears, in all statements of a body."""
    for node in symbols.facts.of(_naming, tree):
        match node:
            case syn.DoStmt():
                _check_do(symbols, node.use, sink)
            case syn.EmitStmt():
                _check_event(symbols, node.event, node.span, sink)
            case syn.RollStmt():
                _check_dice(symbols, node, sink)
                if node.event is not None and node.dice not in symbols.faces:
                    _check_event(symbols, node.event.name, node.event.span, sink)
            case syn.ScheduleStmt():
                _check_schedule(symbols, node, sink)
            case syn.PhaseStmt(body=None):
                _check_phase(symbols, node, sink)
            case syn.CreateStmt():
                _check_create(symbols, node, sink)
            case syn.AlternateStmt():
                _check_rotation(node, sink)
            case syn.LogStmt():
                _check_log(node, sink)
            case syn.AsOf(mark=mark) | syn.EverSince(mark=mark):
                if mark not in symbols.marks:
                    hint = hint_for(mark, list(symbols.marks))
                    sink.error("GR0201", node.span, f"there is no mark `{mark}`", hint=hint)


def _naming(tree: Any) -> tuple[Any, ...]:
    return tuple(node for node in walk(tree) if isinstance(node, _NAMING))


def _procedures(symbols: Symbols) -> list[str]:
    return [entry.name for entry in symbols.callables.values() if entry.sort == "procedure"]


def _check_do(symbols: Symbols, use: syn.Use, sink: Sink) -> None:
    entry = symbols.callables.get(use.name)
    if "." in use.name or (use.name == "base" and entry is None):
        return  # named by data, or what the exception is to
    if entry is None:
        hint = hint_for(use.name, _procedures(symbols))
        sink.error("GR0207", use.span, f"there is no procedure `{use.name}`", hint=hint)
    elif entry.sort not in ("procedure", "action"):
        sink.error(
            "GR0207",
            use.span,
            f"`{use.name}` is a {entry.sort}; only procedures are done",
            hint=f"write `let x = {use.name}(...)`" if entry.sort in ("rule", "table", "modifiers") else None,
        )


def _check_event(symbols: Symbols, name: str, span: Span, sink: Sink) -> None:
    if name not in symbols.events:
        sink.error("GR0207", span, f"there is no event `{name}`", hint=hint_for(name, list(symbols.events)))


def dice_of(symbols: Symbols, dice: str) -> tuple[int, int, int] | None:
    """How many plain dice `2d6` is, and what each can show; None if it cannot be rolled."""
    match = re.fullmatch(r"(\d*)d(\d+)", dice)
    if match is None:
        return None
    sides, count = int(match.group(2)), int(match.group(1) or 1)
    lo, hi = symbols.dice.get(f"d{match.group(2)}", (1, sides))
    return None if hi < lo or sides < 1 or not 1 <= count <= POOL_SIZE else (count, lo, hi)


def _check_dice(symbols: Symbols, statement: syn.RollStmt, sink: Sink) -> None:
    dice = statement.dice
    if dice in symbols.faces:
        if statement.each_var is not None or statement.event or not isinstance(statement.target, syn.Name):
            sink.error(
                "GR0308",
                statement.span,
                f"die `{dice}` is thrown alone or in a pool, into a name of its own",
            )
    elif re.fullmatch(r"\d*d\d+", dice) is None:
        hint = hint_for(dice, list(symbols.faces))
        sink.error("GR0207", statement.span, f"there is no die `{dice}`", hint=hint)
    elif dice_of(symbols, dice) is None:
        sink.error("GR0308", statement.span, f"`{dice}` cannot be rolled")


def _check_schedule(symbols: Symbols, statement: syn.ScheduleStmt, sink: Sink) -> None:
    use, phase = statement.use, statement.point[1]
    entry = symbols.callables.get(use.name)
    if entry is None or entry.sort != "procedure":
        hint = hint_for(use.name, _procedures(symbols))
        sink.error("GR0207", use.span, f"there is no procedure `{use.name}`", hint=hint)
        return
    phases = symbols.phases.members if symbols.phases is not None else []
    if phase not in phases and not text_is_unread(sink):
        sink.error("GR0201", statement.span, f"there is no phase `{phase}`", hint=hint_for(phase, phases))


def _check_phase(symbols: Symbols, statement: syn.PhaseStmt, sink: Sink) -> None:
    if statement.name not in symbols.callables:
        sink.error(
            "GR0207",
            statement.span,
            f"there is no procedure `{statement.name}` for this phase",
            hint=hint_for(statement.name, _procedures(symbols)) or "write what happens in it below, indented",
        )
        return
    _check_do(symbols, syn.Use(statement.name, (), statement.span), sink)


def _check_create(symbols: Symbols, statement: syn.CreateStmt, sink: Sink) -> None:
    dom = symbols.types.get(statement.piece)
    if dom is None or dom.alive is None:
        known = [found.name for found in symbols.types.values() if found.alive is not None]
        sink.error(
            "GR0202",
            statement.span,
            f"there are no counters `{statement.piece}`",
            hint=hint_for(statement.piece, known),
        )
        return
    if statement.kind is None and dom.kind and not any(given.name == "type" for given in statement.fields):
        sink.error(
            "GR0603",
            statement.span,
            f"of which {dom.kind.name} is the new {dom.name}?",
            hint=f"create {dom.name} of ...",
        )
    names = [(given.name, given.span) for given in statement.fields]
    if statement.kind is not None:
        names.insert(0, ("type", statement.kind.span))
    for name, span in names:
        info = dom.fields.get(name)
        if info is None or (info.field is None and info.parts is None) or info.axes:
            hint = hint_for(name, list(dom.fields))
            sink.error("GR0203", span, f"{dom.name} has no field `{name}`", hint=hint)


def _check_rotation(statement: syn.AlternateStmt, sink: Sink) -> None:
    pairs = [share.items for share in statement.shares if isinstance(share, syn.Items)]
    if not statement.shares:
        return
    if len(pairs) < 2:
        sink.error(
            "GR0302",
            statement.shares[0].span,
            "seats alternate: it takes two or more",
            hint="p repeats ... until done, for one seat alone",
        )
    for number, (seat, _) in enumerate(pairs):
        if any(seat == other for other, _ in pairs[:number]):
            sink.error("GR0205", seat.span, f"`{unparse(seat)}` stands twice in this rotation")


def _check_log(statement: syn.LogStmt, sink: Sink) -> None:
    for part in re.findall(r"\{[^}]*\}", statement.text):
        if not all(re.fullmatch(r"\w+", name) for name in part[1:-1].strip().split(".")):
            sink.error(
                "GR0208",
                statement.span,
                f"{part} is not a name",
                hint="a log line shows names such as {u} or {u.at}",
            )
