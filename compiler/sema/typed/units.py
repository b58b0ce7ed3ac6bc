"""One callable checked by itself, for what there is to say of it.

What it calls is not followed.  What it is told of a callee is what was declared of it: parameters, result, effects.  So what is said
of a callable depends on its own text, on what is declared, and on little else (driver/signatures.py), and need not be said again
while these stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from grognard.compiler.sema.checks.callables import check_callable
from grognard.compiler.sema.checks.exceptions import ordered_exceptions
from grognard.compiler.sema.findings import Cycle, Findings
from grognard.compiler.sema.mark_owners import MarkOwners
from grognard.compiler.sema.narrowing import NarrowingMemo
from grognard.compiler.sema.symbols import Callable_, Symbols
from grognard.compiler.sema.typed.mentions import mentioned
from grognard.compiler.sema.typed.modifiers import TypedModifiers
from grognard.compiler.sema.typed.trees import Bounds, Trees
from grognard.compiler.sema.types import Type
from grognard.support.diagnostics import Diagnostic, Sink

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
    """What callables that are checked one by one have in common."""

    symbols: Symbols
    bounds: Bounds
    #: what was said of the declarations before
    before: Sink
    #: callables of which it matters whether anything uses them: data may name them
    watched: frozenset[str]
    narrowing: NarrowingMemo = field(default_factory=NarrowingMemo)
    #: what marks belong to, and whose marks are asked for
    mark_owners: MarkOwners = field(default_factory=MarkOwners)
    choices: dict[str, Type] = field(default_factory=dict)
    #: modifiers lists as they were checked, with what there is to say of them
    lists: dict[str, tuple[TypedModifiers, UnitSink, Findings]] = field(default_factory=dict)


class UnitTrees(Trees):
    """The trees of one callable."""

    def __init__(self, common: Common, places_known: bool, sink: UnitSink) -> None:
        super().__init__(common.symbols, common.bounds, places_known, sink)
        self.common = common
        self.unit_sink = sink
        self.narrowing, self.mark_owners = common.narrowing, common.mark_owners
        #: what is called, in this order; members and places that are named
        self.calls: list[Call] = []
        self.names: set[str] = set()
        self.choices: dict[str, Type] = {}

    def list_for(self, entry: Callable_) -> TypedModifiers:
        # Whoever asks for its value wants to know its interval.  What there is to say of it is told as its own.
        known = self.common.lists.get(entry.name)
        if known is None:
            sink, before = UnitSink(self.common.before), self.findings
            self.findings = Findings()
            known = self.common.lists[entry.name] = self.new_list(entry, sink), sink, self.findings
            self.findings = before
        return known[0]

    # ------------------------------------------------------------------------------------------------- what it is

    def whole_of(self, entry: Callable_, mark: str | None) -> None:
        """Check all that a callable is; as of a mark it says nothing new, but calls others."""
        if mark is None:
            check_callable(self.symbols, self.sink, entry)
        parts = self._parts(entry)
        if parts is not None:
            parts += [self.body_for(entry, exception) for _, exception in ordered_exceptions(entry)]
            self.look_at(entry.name, parts, mark)

    def _parts(self, entry: Callable_) -> list[Any] | None:
        """What was checked; None for what is looked at where it is used."""
        match entry.sort:
            case "modifiers":
                typed = self.list_for(entry)
                _, told, findings = self.common.lists[entry.name]
                for diagnostic in told.own():
                    self.sink.add(diagnostic)
                self.unit_sink.untouched &= told.untouched
                self.findings.add(findings)
                return [(line.condition, line.value) for line in typed.entries]
            case "sight":
                return [(clause.condition, clause.value) for clause in self.sight_for(entry).clauses]
            case "arc":
                arc = self.arc_for(entry)
                return [(arc.degrees, arc.facing, arc.origin)]
            case "movement":
                return [way.trees for way in self.clauses_for(entry).ways]
            case "rule" | "procedure" | "action" | "form":
                return [self.body_for(entry, None)]
        return None

    def look_at(self, owner: str, trees: Iterable[Any], mark: str | None = None) -> None:
        """Read off the trees of a unit what it calls, names and asks."""
        symbols = self.symbols
        found = mentioned((*trees, *self.made_up_bodies()), mark)
        events = [*found.events, *(name for block in found.blocks for name in symbols.events_in(block))]
        calls = [
            *found.calls,
            *((handler.name, None) for event in events for handler in self.handlers_of(event)),
            *((name, None) for point in found.instants for name in sorted(symbols.schedules.get(point, ()))),
            *((name, None) for name in found.sheets),
        ]
        self.calls += [call for call in calls if call[0] in symbols.callables]
        self.names.update(found.symbols)
        for name, element in found.choices.items():
            self.choices.setdefault(f"{owner}.{name}", element)
        for sheet in found.sheets:
            # Its questions are asked by whoever has it filled in.
            inner = mentioned((self.body_for(symbols.callables[sheet], None),), None)
            for name, element in inner.choices.items():
                self.choices.setdefault(f"{owner}.{name}", element)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of checking a callable by itself, beside what was said."""

    #: callables that it uses, among those of which it matters
    used: frozenset[str]
    #: states of life cycles that it makes
    made: frozenset[tuple[Cycle, int | None]]
    #: members and places that it names
    names: tuple[str, ...]
    calls: tuple[Call, ...]
    #: its choices, as policies call them
    choices: tuple[str, ...]


def check_alone(
    common: Common, places_known: bool, what: Callable[[UnitTrees], None]
) -> tuple[Outcome, UnitSink]:
    """Check something by itself; what came of it, and what was said."""
    sink = UnitSink(common.before)
    trees = UnitTrees(common, places_known, sink)
    what(trees)
    for name, element in trees.choices.items():
        common.choices.setdefault(name, element)
    outcome = Outcome(
        common.watched & trees.findings.used,
        frozenset(trees.findings.made),
        tuple(sorted(trees.names)),
        tuple(dict.fromkeys(trees.calls)),
        tuple(trees.choices),
    )
    return outcome, sink
