"""One callable lowered by itself, for what there is to say of it.

What it calls is not followed: it is lowered by itself too, so its number does not matter here.  What it is told of a callee is
what was declared of it: parameters, result, effects.  So what is said of a callable depends on its own text, on what is declared,
and on little else (driver/signatures.py), and need not be said again while these stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from grognard.compiler.lower.bodies import lower_function, lower_machine
from grognard.compiler.lower.geometry.going import Going
from grognard.compiler.lower.geometry.movements import lower_movement, stand_in
from grognard.compiler.lower.lowerer import Lowerer
from grognard.compiler.sema.checks.callables import check_callable
from grognard.compiler.sema.checks.exceptions import ordered_exceptions
from grognard.compiler.sema.handlers import Handlers
from grognard.compiler.sema.mark_owners import MarkOwners
from grognard.compiler.sema.narrowing import NarrowingMemo
from grognard.compiler.sema.typed.mentions import Mentioned, mentioned
from grognard.compiler.sema.typed.modifiers import TypedModifiers, check_modifiers
from grognard.compiler.sema.types import Type
from grognard.compiler.sema.world import Callable_, World
from grognard.support.diagnostics import Diagnostic, Sink

Bounds = dict[int, list[tuple[int, int, bool, bool]]]
#: A callable, and the mark as of which it is read.
Call = tuple[str, str | None]


class UnitSink(Sink):
    """Takes what is said of one callable, and knows what was said of the declarations before."""

    def __init__(self, before: Sink) -> None:
        super().__init__()
        self.before = before
        self.share(before)
        #: nothing was said, not even what is withheld, and nobody asked what was said elsewhere
        self.untouched = True

    def add(self, diagnostic: Diagnostic) -> None:
        self.untouched = False
        super().add(diagnostic)

    @property
    def has_errors(self) -> bool:
        self.untouched = False
        return super().has_errors or self.before.has_errors

    def own(self) -> list[Diagnostic]:
        """What was said here alone."""
        return self.sorted()

    def __iter__(self) -> Iterator[Diagnostic]:
        self.untouched = False
        yield from self.before
        yield from self.sorted()


@dataclass(slots=True)
class Common:
    """What callables that are lowered one by one have in common."""

    world: World
    bounds: Bounds
    #: what was said of the declarations before
    before: Sink
    #: names of the callables that are lowered by themselves; others are made up on the way, and lowered where they are used
    names: frozenset[str] = frozenset()
    narrowing: NarrowingMemo = field(default_factory=NarrowingMemo)
    handlers: Handlers | None = None
    #: what marks belong to, and whose marks are asked for
    mark_owners: MarkOwners = field(default_factory=MarkOwners)
    choices: dict[str, Type] = field(default_factory=dict)
    movements: dict[str, Going] = field(default_factory=dict)
    #: modifiers lists as they were checked, with what there is to say of them
    lists: dict[str, tuple[TypedModifiers, UnitSink]] = field(default_factory=dict)


class Alone(Lowerer):
    """Lowers one callable; the program that comes of it is not used."""

    def __init__(self, common: Common, places_known: bool, sink: UnitSink | None = None) -> None:
        super().__init__(common.world, common.bounds, places_known)
        self.common = common
        self.unit_sink = sink
        #: what was called, in this order
        self.calls: list[Call] = []
        self.narrowing, self.choices = common.narrowing, common.choices
        self.mark_owners = common.mark_owners
        if common.handlers is not None:
            self.events.handlers = common.handlers

    def elsewhere(self, entry: Callable_, mark: str | None) -> int | None:
        if entry.name not in self.common.names:
            return None
        self.calls.append((entry.name, mark))
        return 0

    def list_for(self, entry: Callable_) -> TypedModifiers:
        # Whoever asks for its value wants to know its interval.  What there is to say of it is told as its own.
        known = self.common.lists.get(entry.name)
        if known is None:
            sink = UnitSink(self.common.before)
            self._in_check.add(entry.name)
            known = self.common.lists[entry.name] = check_modifiers(self, entry, sink), sink
            self._in_check.discard(entry.name)
        return known[0]

    def movement_for(self, entry: Callable_) -> Going:
        # Whoever goes wants to know its gaits, which stand in its declaration.
        self.calls.append((entry.name, None))
        if entry.name not in self.common.movements:
            self.common.movements[entry.name] = stand_in(self, entry)
        return self.common.movements[entry.name]

    # ------------------------------------------------------------------------------------------------- what it is

    def whole_of(self, entry: Callable_, mark: str | None) -> None:
        """Lower all that a callable is."""
        if mark is None:
            check_callable(self.world, entry)
        match entry.sort:
            case "modifiers":
                typed = self.list_for(entry)
                told = self.common.lists[entry.name][1]
                for diagnostic in told.own():
                    self.sink.add(diagnostic)
                assert self.unit_sink is not None
                self.unit_sink.untouched &= told.untouched
                self._checked(entry, mark, [(line.condition, line.value) for line in typed.entries])
            case "sight":
                self._checked(entry, mark, [(c.condition, c.value) for c in self.sight_for(entry).clauses])
            case "arc":
                arc = self.arc_for(entry)
                self._checked(entry, mark, [(arc.degrees, arc.facing, arc.origin)])
            case "movement":
                self._checked(entry, mark, [way.trees for way in self.clauses_for(entry).ways])
            case "rule" | "procedure" | "action" | "form":
                self._checked(entry, mark, [self.body_for(entry, None)])

    def _checked(self, entry: Callable_, mark: str | None, trees: Sequence[Any]) -> None:
        """What is said of a callable is said when it is checked as a whole; what it mentions is read off its tree."""
        exceptions = [self.body_for(entry, exception) for _, exception in ordered_exceptions(entry)]
        found = mentioned((*trees, *exceptions), mark)
        if found.entangled:
            # Trials are made where they are used.
            self._lower(entry, mark)
            return
        for name in found.symbols:
            self.world.symbol(name)
        self._know(entry.name, found)

    def _lower(self, entry: Callable_, mark: str | None) -> None:
        if entry.sort == "movement":
            lower_movement(self, entry)
        elif entry.sort in ("action", "form"):
            if entry.sort == "action":
                lower_machine(self, entry, self.world.reserve_machine())
            self.actions.first_of(entry)
        elif entry.sort == "procedure" and self.is_machine(entry):
            lower_machine(self, entry, self.world.reserve_machine())
        else:
            lower_function(self, entry, mark, self.world.reserve_function())

    def _know(self, owner: str, found: Mentioned) -> None:
        """What a callable calls, and what it asks."""
        world = self.world
        events = [*found.events, *(name for block in found.blocks for name in world.events_in(block))]
        calls = [
            *found.calls,
            *((handler.name, None) for event in events for handler in self.handlers_of(event)),
            *((name, None) for point in found.instants for name in sorted(world.schedules.get(point, ()))),
            *((name, None) for name in found.sheets),
        ]
        self.calls += [call for call in calls if call[0] in self.common.names]
        for name, element in found.choices.items():
            self.choices.setdefault(f"{owner}.{name}", element)
        for sheet in found.sheets:
            # Its questions are asked by whoever has it filled in.
            inner = mentioned((self.body_for(world.callables[sheet], None),), None)
            for name, element in inner.choices.items():
                self.choices.setdefault(f"{owner}.{name}", element)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of lowering a callable by itself, beside what was said."""

    #: callables that it uses, among those of which it matters
    used: tuple[str, ...]
    #: states of life cycles that it makes: domain, field, member
    made: tuple[tuple[str, str, int | None], ...]
    #: members, places and options that it names
    symbols: tuple[str, ...]
    calls: tuple[Call, ...]
    #: its choices, as policies call them
    choices: tuple[str, ...]


def lower_alone(
    common: Common, watched: Watched, places_known: bool, what: Callable[[Alone], None]
) -> tuple[Outcome, UnitSink]:
    """Lower something by itself; what came of it, and what was said."""
    world = common.world
    before = world.sink
    world.sink = sink = UnitSink(before)
    named, world.named = world.named, set()
    chosen = len(common.choices)
    try:
        lowerer = Alone(common, places_known, sink)
        with watched.collecting() as (used, made):
            what(lowerer)
        outcome = Outcome(
            tuple(used),
            tuple(made),
            tuple(sorted(world.named)),
            tuple(dict.fromkeys(lowerer.calls)),
            tuple(list(common.choices)[chosen:]),
        )
    finally:
        world.sink, world.named = before, named
    return outcome, sink


class Watched:
    """What callables do to the symbol table that checks ask for afterwards: which they use, which states they make."""

    def __init__(self, world: World) -> None:
        self.entries = {
            entry.name: entry
            for dom in world.callable_types.values()
            if dom.callable_type is not None
            for entry in dom.callable_type.entries
        }
        self.states = {
            (dom.name, info.name): info
            for dom in world.doms
            for info in dom.fields.values()
            if info.made is not None
        }

    @contextmanager
    def collecting(self) -> Iterator[tuple[list[str], list[tuple[str, str, int | None]]]]:
        """What is used and made inside, as known at the end; it is known to the symbol table too."""
        used_before = [entry for entry in self.entries.values() if entry.used]
        made_before = {key: info.made for key, info in self.states.items()}
        for entry in used_before:
            entry.used = False
        for info in self.states.values():
            info.made = set()
        used: list[str] = []
        made: list[tuple[str, str, int | None]] = []
        try:
            yield used, made
        finally:
            used += [name for name, entry in self.entries.items() if entry.used]
            made += [(*key, value) for key, info in self.states.items() for value in info.made or ()]
            for entry in used_before:
                entry.used = True
            for key, info in self.states.items():
                info.made = (made_before[key] or set()) | (info.made or set())

    def apply(self, outcome: Outcome) -> None:
        """The same as was collected before."""
        for name in outcome.used:
            if name in self.entries:
                self.entries[name].used = True
        for dom, field_name, value in outcome.made:
            info = self.states.get((dom, field_name))
            if info is not None and info.made is not None:
                info.made.add(value)
