"""Effects of callables, computed before lowering: does it ask a player, write the position, use the acting seat?

Fixed points over the call graph by names.  Over-approximation is safe: a procedure that only seems to ask becomes a
machine that never stops.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from grognard.compiler.sema.callable_types import targets
from grognard.compiler.sema.world import Callable_, World
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk
from grognard.support.source import Span

_ME_NAMES = {"me", "my"}
_ME_CALLS = {"mine", "enemy"}


def analyse(world: World) -> None:
    """Fill asks, writes and uses_me of every callable."""
    entries = list(world.callables.values())
    parts = {entry.name: list(_bodies(entry)) for entry in entries}
    handlers = {
        name: [h.body for _, h in found] + [h.condition for _, h in found]
        for name, found in world.handlers.items()
    }
    looked = _Looked(world)
    _fix(world, parts, handlers, "asks", looked)
    _fix(world, parts, handlers, "writes", looked)
    for entry in entries:
        entry.me_at = next((at for part in parts[entry.name] if (at := _names_me(part)) is not None), None)
        entry.uses_me = entry.sort in ("action", "form") or entry.me_at is not None
    called = {
        entry.name: {name for part in parts[entry.name] for name in _called(part)}
        for entry in entries
        if not entry.uses_me and entry.sort != "table"
    }
    changed = True
    while changed:
        changed = False
        for entry in entries:
            if entry.uses_me:
                continue
            through = [target for name in called.get(entry.name, ()) for target in _passing_me(world, name)]
            if through:
                entry.uses_me = changed = True
                entry.me_at = through[0].me_at
    _find_blocks(world)
    phases: list[str] = []
    for node in (node for found in _everything(world) for node in walk(found)):
        match node:
            case syn.MarkStmt():
                world.marks.add(node.name)
            case syn.AssignStmt(point=point) if point is not None:
                world.points.add(point)
            case syn.ScheduleStmt():
                world.points.add(node.point)
                world.schedules.setdefault(node.point, set()).add(node.use.name)
            case syn.PhaseStmt(name=name) if name not in phases:
                phases.append(name)
            case syn.CallExpr(callee=syn.Name(id="during")):
                world.asks_during = True
    if phases:
        world.phases = world.new_dom("Phase", "enum", None)
        world.phases.members = phases


def _find_blocks(world: World) -> None:
    """The callables that can run, and the events that can be emitted, inside simultaneous and secret blocks."""
    for node in (node for found in _everything(world) for node in walk(found)):
        if not isinstance(node, syn.SimultaneousStmt | syn.SecretStmt):
            continue
        events: set[str] = set()
        pending: list[Any] = [node.body]
        inside: set[str] = set()
        while pending:
            for part in walk(pending.pop()):
                name = ""
                match part:
                    case syn.Use():
                        name = part.name
                    case syn.PhaseStmt(body=None):
                        name = part.name
                    case syn.EmitStmt():
                        events.add(part.event)
                    case syn.RollStmt(event=syn.Use() as use):
                        # Who reacts to a roll acts inside the block.
                        for when in ("rolling", "rolled"):
                            for place, (_, handler) in enumerate(
                                sorted(world.handlers.get(f"{when} {use.name}", ()), key=lambda h: h[0])
                            ):
                                inside.add(f"on {when} {use.name} {place + 1}")
                                pending.append(handler.body)
                entry = world.callables.get(name)
                if entry is not None and name not in inside:
                    inside.add(name)
                    pending += _bodies(entry)
        world.in_branches |= inside
        world.note_block(node, events)


def _everything(world: World) -> Iterable[Any]:
    """All syntax that can contain statements, with exceptions and examples."""
    for entry in world.callables.values():
        yield entry.decl
        yield from (exception for _, exception in entry.exceptions)
    for found in world.handlers.values():
        yield from (handler for _, handler in found)
    yield from (handler for _, handler in world.change_handlers)
    yield from world.sequence_decls
    yield from world.example_decls


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
class _Effects:
    """The direct effects of a piece of syntax, and its callees."""

    asks: bool
    writes: bool
    calls: frozenset[str]
    events: frozenset[str]


class _Looked:
    """The effects of pieces of syntax, memoised."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.known: dict[int, _Effects] = {}

    def at(self, part: Any) -> _Effects:
        known = self.known.get(id(part))
        if known is None:
            asks = writes = False
            calls, events = set(), set()
            for node in walk(part):
                asks = asks or stops_directly(self.world, node)
                writes = writes or _writes_directly(node)
                match node:
                    case syn.DoStmt():
                        calls.add(node.use.name)
                    case syn.PhaseStmt(body=None):
                        calls.add(node.name)
                    case syn.EmitStmt():
                        events.add(node.event)
                    case syn.RollStmt(event=syn.Use() as use):
                        events |= {f"rolling {use.name}", f"rolled {use.name}"}
            known = _Effects(asks, asks or writes, frozenset(calls), frozenset(events))
            self.known[id(part)] = known
        return known


def _fix(
    world: World, parts: dict[str, list[Any]], handlers: dict[str, list[Any]], flag: str, looked: _Looked
) -> None:
    def holds(part: Any) -> bool:
        effects = looked.at(part)
        if getattr(effects, flag) or any(
            getattr(target, flag) for name in effects.calls for target in targets(world, name)
        ):
            return True
        return any(holds_event(event) for event in effects.events)

    known_events: dict[str, bool] = {}

    def holds_event(event: str) -> bool:
        if event not in known_events:
            known_events[event] = False
            known_events[event] = any(holds(part) for part in handlers.get(event, ()))
        return known_events[event]

    changed = True
    while changed:
        changed = False
        known_events.clear()
        for entry in world.callables.values():
            if getattr(entry, flag):
                continue
            if (entry.sort == "action") or any(holds(part) for part in parts[entry.name]):
                setattr(entry, flag, True)
                changed = True


def stops_directly(world: World, node: Any) -> bool:
    """Whether this very statement stops for a decision, or in a chance program for dice; or must be blocks all the same."""
    if isinstance(node, syn.PhaseStmt):
        return True  # what waits for its start and end may ask
    if isinstance(node, syn.CountStmt):
        # A round that the game counts, or that fields begin anew with, is more than a loop.
        return node.var in world.globals or node.var in world.reset_per
    return asks_directly(node) or (world.chance and isinstance(node, syn.RollStmt | syn.DrawStmt))


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


def _called(part: Any) -> Iterable[str]:
    """Names of callables that are given the caller's `me`; actions get theirs from the offer."""
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


def _passing_me(world: World, name: str) -> list[Callable_]:
    """The callables of this name that get the caller's `me`."""
    if name.startswith("on "):
        return []
    return [
        entry
        for entry in targets(world, name)
        if entry.uses_me and entry.sort not in ("action", "menu", "form")
    ]
