"""Effects of callables, computed before lowering: does it ask a player, write the position, use the acting seat?

Fixed points over the call graph by names.  Over-approximation is safe: a procedure that only seems to ask becomes a
machine that never stops.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from grognard.compiler.sema.callable_types import targets
from grognard.compiler.sema.declaring import Declaring
from grognard.compiler.sema.symbols import Callable_, Symbols
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk
from grognard.support.source import Span

_ME_NAMES = {"me", "my"}
_ME_CALLS = {"mine", "enemy"}


def analyse(symbols: Declaring) -> None:
    """Fill asks, writes and uses_me of every callable; find marks, phases, instants and blocks."""
    entries = list(symbols.callables.values())
    facts = symbols.facts
    parts = {entry.name: list(_bodies(entry)) for entry in entries}
    handlers = {
        name: [h.body for _, h in found] + [h.condition for _, h in found]
        for name, found in symbols.handlers.items()
    }
    _spread_effects(symbols, parts, handlers)
    for entry in entries:
        entry.me_at = next(
            (at for part in parts[entry.name] if (at := facts.of(_names_me, part)) is not None), None
        )
        entry.uses_me = entry.sort in ("action", "form") or entry.me_at is not None
    called = {
        entry.name: {
            name
            for part in parts[entry.name]
            for name in facts.of(_called, part)
            if name in symbols.callables or name.startswith(".")
        }
        for entry in entries
        if not entry.uses_me and entry.sort != "table"
    }
    changed = True
    while changed:
        changed = False
        for entry in entries:
            if entry.uses_me:
                continue
            through = [target for name in called.get(entry.name, ()) for target in _passing_me(symbols, name)]
            if through:
                entry.uses_me = changed = True
                entry.me_at = through[0].me_at
    phases: dict[str, None] = {}
    blocks: list[Any] = []
    for mentions in (facts.of(mentions_of, found) for found in _everything(symbols)):
        symbols.marks |= mentions.marks
        symbols.points |= mentions.points
        for point, name in mentions.schedules:
            symbols.schedules.setdefault(point, set()).add(name)
        phases |= mentions.phases
        symbols.asks_during |= mentions.during
        blocks += mentions.blocks
    _find_blocks(symbols, blocks)
    if phases:
        symbols.phases = symbols.new_dom("Phase", "enum", None)
        symbols.phases.members = list(phases)


@dataclass(slots=True)
class Mentions:
    """What a declaration mentions that is known nowhere else: marks, instants, phases, blocks."""

    marks: set[str] = field(default_factory=set)
    points: set[tuple[str, str]] = field(default_factory=set)
    schedules: list[tuple[tuple[str, str], str]] = field(default_factory=list)
    #: in the order written
    phases: dict[str, None] = field(default_factory=dict)
    #: it asks which phase runs
    during: bool = False
    #: simultaneous and secret blocks
    blocks: list[Any] = field(default_factory=list)
    #: what is said of it depends on other declarations or tells of them: marks of somebody, `ever since`, `keep`
    entangled: bool = False


def mentions_of(decl: Any) -> Mentions:
    made = Mentions()
    for node in walk(decl):
        match node:
            case syn.MarkStmt():
                made.marks.add(node.name)
                made.entangled |= node.of is not None
            case syn.EverSince():
                made.entangled = True
            case syn.RepeatsStmt(keep=condition) if condition is not None:
                made.entangled = True
            case syn.AssignStmt(point=point) if point is not None:
                made.points.add(point)
            case syn.ScheduleStmt():
                made.points.add(node.point)
                made.schedules.append((node.point, node.use.name))
            case syn.PhaseStmt(name=name):
                made.phases[name] = None
            case syn.CallExpr(callee=syn.Name(id="during")):
                made.during = True
            case syn.SimultaneousStmt() | syn.SecretStmt():
                made.blocks.append(node)
    return made


def _find_blocks(symbols: Declaring, blocks: Iterable[Any]) -> None:
    """The callables that can run, and the events that can be emitted, inside simultaneous and secret blocks."""
    for node in blocks:
        events: set[str] = set()
        pending: list[Any] = [node.body]
        inside: set[str] = set()
        while pending:
            reached = symbols.facts.of(_reached, pending.pop())
            events |= reached.events
            symbols.created_in_branches |= reached.pieces
            for name in reached.rolls:
                # Who reacts to a roll acts inside the block.
                for when in ("rolling", "rolled"):
                    for place, (_, handler) in enumerate(
                        sorted(symbols.handlers.get(f"{when} {name}", ()), key=lambda h: h[0])
                    ):
                        if (key := f"on {when} {name} {place + 1}") not in inside:
                            inside.add(key)
                            pending.append(handler.body)
            for name in reached.names:
                entry = symbols.callables.get(name)
                if entry is not None and name not in inside:
                    inside.add(name)
                    pending += _bodies(entry)
        symbols.in_branches |= inside
        symbols.events_in_blocks[node.span] = sorted(events)


@dataclass(slots=True)
class _Reached:
    """What a piece of syntax runs by name."""

    names: set[str] = field(default_factory=set)
    events: set[str] = field(default_factory=set)
    #: events that it rolls for
    rolls: set[str] = field(default_factory=set)
    #: pieces that it creates
    pieces: set[str] = field(default_factory=set)


def _reached(part: Any) -> _Reached:
    made = _Reached()
    for node in walk(part):
        match node:
            case syn.Use(name=name) | syn.PhaseStmt(body=None, name=name):
                made.names.add(name)
            case syn.EmitStmt():
                made.events.add(node.event)
            case syn.RollStmt(event=syn.Use() as use):
                made.rolls.add(use.name)
            case syn.CreateStmt():
                made.pieces.add(node.piece)
    return made


def _everything(symbols: Declaring) -> Iterable[Any]:
    """All syntax that can contain statements, with exceptions and examples."""
    for entry in symbols.callables.values():
        yield entry.decl
        yield from (exception for _, exception in entry.exceptions)
    for found in symbols.handlers.values():
        yield from (handler for _, handler in found)
    yield from (handler for _, handler in symbols.change_handlers)
    yield from symbols.sequence_decls
    yield from symbols.example_decls


def _bodies(entry: Callable_) -> Iterable[Any]:
    decl = entry.decl
    for name in ("body", "entries", "items", "clauses", "gaits", "degrees", "facing", "origin"):
        if hasattr(decl, name):
            yield getattr(decl, name)
    for _, exception in entry.exceptions:
        yield exception.body
        if exception.condition is not None:
            yield exception.condition


@dataclass(frozen=True, slots=True)
class _Direct:
    """What a piece of syntax does by itself, and its callees."""

    stops: bool
    #: it throws or draws, which stops in a chance program
    chance: bool
    #: what its `repeat` loops count
    counts: frozenset[str]
    writes: bool
    calls: frozenset[str]
    events: frozenset[str]


def _direct(part: Any) -> _Direct:
    stops = chance = writes = False
    counts: set[str] = set()
    calls: set[str] = set()
    events: set[str] = set()
    for node in walk(part):
        stops = stops or asks_directly(node) or isinstance(node, syn.PhaseStmt)
        writes = writes or _writes_directly(node)
        match node:
            case syn.CountStmt():
                counts.add(node.var)
            case syn.DrawStmt():
                chance = True
            case syn.DoStmt():
                calls.add(node.use.name)
            case syn.PhaseStmt(body=None):
                calls.add(node.name)
            case syn.EmitStmt():
                events.add(node.event)
            case syn.RollStmt(event=event):
                chance = True
                if event is not None:
                    events |= {f"rolling {event.name}", f"rolled {event.name}"}
    return _Direct(stops, chance, frozenset(counts), writes, frozenset(calls), frozenset(events))


def _spread_effects(symbols: Declaring, parts: dict[str, list[Any]], handlers: dict[str, list[Any]]) -> None:
    """Fill asks and writes: what a callable does by itself, its callees do, and handlers of the events that it causes."""
    asking: list[str] = []
    writing: list[str] = []
    callers: dict[str, list[str]] = {}

    def take(node: str, trees: Iterable[Any]) -> None:
        asks = writes = False
        for tree in trees:
            made = symbols.facts.of(_direct, tree)
            stops = (
                made.stops
                or (symbols.chance and made.chance)
                or any(_begins_anew(symbols, name) for name in made.counts)
            )
            asks = asks or stops
            writes = writes or stops or made.writes
            for name in made.calls:
                for target in targets(symbols, name):
                    callers.setdefault(target.name, []).append(node)
            for event in made.events:
                callers.setdefault(f"on {event}", []).append(node)
        if asks:
            asking.append(node)
        if writes:
            writing.append(node)

    for entry in symbols.callables.values():
        take(entry.name, parts[entry.name])
        if entry.sort == "action":
            asking.append(entry.name)
            writing.append(entry.name)
    for event, trees in handlers.items():
        take(f"on {event}", trees)
    for name in _reaching(callers, asking):
        if name in symbols.callables:
            symbols.callables[name].asks = True
    for name in _reaching(callers, writing):
        if name in symbols.callables:
            symbols.callables[name].writes = True


def _reaching(callers: dict[str, list[str]], reached: Iterable[str]) -> set[str]:
    """All that reach one of these by calls."""
    found: set[str] = set()
    pending = list(reached)
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += callers.get(name, ())
    return found


def stops_directly(symbols: Symbols, node: Any) -> bool:
    """Whether this very statement stops for a decision, or in a chance program for dice; or must be blocks all the same."""
    if isinstance(node, syn.PhaseStmt):
        return True  # what waits for its start and end may ask
    if isinstance(node, syn.CountStmt):
        return _begins_anew(symbols, node.var)
    return asks_directly(node) or (symbols.chance and isinstance(node, syn.RollStmt | syn.DrawStmt))


def _begins_anew(symbols: Symbols, counted: str) -> bool:
    """Whether a round that the game counts, or that fields begin anew with: that is more than a loop."""
    return counted in symbols.globals or counted in symbols.reset_per


def asks_directly(node: Any) -> bool:
    match node:
        case syn.ChooseStmt() | syn.ChooseSomeStmt() | syn.RepeatsStmt() | syn.OfferStmt() | syn.EndStmt():
            return True
        case syn.SecretStmt() | syn.AlternateStmt() | syn.ChooseRouteStmt():
            return True
        case syn.ForStmt(chosen_by=seat):
            return seat is not None
        case syn.UntilStmt(done_by=seat):
            return seat is not None
        case syn.TimesStmt(until_done=seat):
            return seat is not None
        case syn.AssignMatchStmt(by=seat):
            return seat is not None
    return False


def _writes_directly(node: Any) -> bool:
    return isinstance(
        node,
        syn.AssignStmt
        | syn.RollStmt
        | syn.DestroyStmt
        | syn.CreateStmt
        | syn.DrawStmt
        | syn.PutStmt
        | syn.RevealStmt
        | syn.MarkStmt
        | syn.LogStmt
        | syn.ScheduleStmt
        | syn.ArrayStmt,
    )


def _names_me(part: Any) -> Span | None:
    """The span of the first use of the acting seat."""
    for node in _nodes_outside_secret(part):
        if isinstance(node, syn.Name) and node.id in _ME_NAMES:
            return node.span
        if (
            isinstance(node, syn.CallExpr)
            and isinstance(node.callee, syn.Name)
            and node.callee.id in _ME_CALLS
        ):
            return node.span
        if isinstance(node, syn.ChooseStmt | syn.ChooseSomeStmt | syn.ChooseRouteStmt) and node.by is None:
            return node.span
    return None


def _nodes_outside_secret(part: Any) -> Iterable[Any]:
    """Without the bodies of `each side secretly`, where `me` has a meaning of its own."""
    return walk(part, (syn.SecretStmt,))


def _called(part: Any) -> frozenset[str]:
    """Names of callables that are given the caller's `me`; actions get theirs from the offer."""
    return frozenset(_names_called(part))


def _names_called(part: Any) -> Iterable[str]:
    for node in _nodes_outside_secret(part):
        match node:
            case syn.CallExpr(callee=syn.Name(id=name)):
                yield name
            case syn.CallExpr(callee=syn.Dot(name=name)):
                yield f".{name}"
            case syn.Name(id=name):
                yield name
            case syn.DoStmt(use=use) | syn.ChooseRouteStmt(use=use):
                yield use.name
            case syn.EmitStmt(event=event):
                yield f"on {event}"
            case syn.PhaseStmt(name=name, body=None):
                yield name


def _passing_me(symbols: Symbols, name: str) -> list[Callable_]:
    """The callables of this name that get the caller's `me`."""
    if name.startswith("on "):
        return []
    return [
        entry
        for entry in targets(symbols, name)
        if entry.uses_me and entry.sort not in ("action", "menu", "form")
    ]
