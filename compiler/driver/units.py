"""Every callable of a title lowered by itself for what there is to say of it, and not again while nothing changed for it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from grognard.compiler.driver.memo import Memo, Unit
from grognard.compiler.driver.signatures import Signatures, words_of
from grognard.compiler.lower.alone import Alone, Bounds, Call, Common, Outcome, Watched, lower_alone
from grognard.compiler.lower.situations.examples import lower_example
from grognard.compiler.lower.situations.policies import lower_policies
from grognard.compiler.lower.situations.situations import lower_situation
from grognard.compiler.lower.time.watches import lower_changes
from grognard.compiler.lower.views import lower_view
from grognard.compiler.sema.checks.callables import check_sequence
from grognard.compiler.sema.checks.circles import tell_circle
from grognard.compiler.sema.checks.examples import check_example, check_situation
from grognard.compiler.sema.effects import mentions_of
from grognard.compiler.sema.types import UNKNOWN
from grognard.compiler.sema.world import Callable_, World
from grognard.compiler.syntax import nodes as syn

#: Callables whose value may not depend on itself.
_OF_VALUES = ("rule", "modifiers", "sight", "arc")


class Units:
    """The callables of a title, each with the outcome of being lowered by itself."""

    def __init__(
        self,
        world: World,
        bounds: Bounds,
        places_known: bool,
        sequences: Sequence[syn.SequenceDecl],
        signatures: Signatures,
        memo: Memo,
    ) -> None:
        self.world = world
        self.places_known = places_known
        self.sequences = sequences
        self.signatures = signatures
        self.memo = memo
        self.common = Common(world, bounds, world.sink)
        self.watched = Watched(world)
        self.outcomes: dict[Hashable, Outcome] = {}
        now = signatures.all()
        #: names whose signature is another than last time
        self.changed = {
            name for name in now.keys() | memo.signatures.keys() if now.get(name) != memo.signatures.get(name)
        }
        #: what is known of last time; nothing if all may have changed
        self.known = memo.units if memo.ground == signatures.ground else {}
        memo.units, memo.ground, memo.signatures = {}, signatures.ground, now
        #: a phase may end the game, and calls what waits for it
        self.at_phases = {"victory", *(name for names in world.schedules.values() for name in names)}
        #: owners of choices that policies speak of, which want to know their types
        self.answered = {line.owner for _, decl in world.policies.values() for line in decl.lines}

    def check_all(self, examples: Sequence[tuple[int, syn.ExampleDecl]]) -> None:
        """Say all there is to say of all callables."""
        world = self.world
        base = Alone(self.common, self.places_known)
        self.common.handlers = base.events.handlers
        self.common.handlers.find_all()
        # What a change of a field calls becomes known here.
        lower_changes(_Nobody(self.common, self.places_known))
        self.common.names = frozenset(world.callables)
        self._unit(("sequence",), self.sequences, self._sequence)
        for entry in list(world.callables.values()):
            self._callable(entry, None)
        self._read_as_of()
        self._unit(None, (), lambda alone: lower_view(alone))
        self._unit(None, (), lambda alone: lower_policies(alone))
        self.common.mark_owners.check(world.sink)
        self._check_recursion()
        # What only examples name need not be on every map.
        world.rule_symbols = len(world.symbols)
        for layer, decl in examples:
            self._unit(
                ("example", layer, decl.title),
                (decl,),
                lambda alone, layer=layer, decl=decl: _example(alone, decl, layer),  # type: ignore[misc]
                places_known=False,
            )
        for found in world.situations.values():
            self._unit(
                None,
                (),
                lambda alone, found=found: _situation(alone, found),  # type: ignore[misc]
                places_known=False,
            )

    # ------------------------------------------------------------------------------------------------ one of them

    def _sequence(self, alone: Alone) -> None:
        for decl in self.sequences:
            check_sequence(self.world, decl)
        alone.sequence(list(self.sequences))

    def _callable(self, entry: Callable_, mark: str | None) -> None:
        trees = (entry.decl, *(exception for _, exception in entry.exceptions))
        self._unit((entry.name, mark), trees, lambda alone: alone.whole_of(entry, mark), name=entry.name)

    def _unit(
        self,
        key: Hashable,
        trees: Sequence[Any],
        what: Callable[[Alone], object],
        *,
        name: str = "",
        places_known: bool | None = None,
    ) -> None:
        """Lower something by itself, or take what came of it last time.  Without a key it is lowered each time."""
        own = None if key is None else self._own(key, trees, name)
        known = self.known.get(key) if own is not None else None
        if known is not None and known.own == own and not self._others_changed(trees, name):
            self.memo.units[key] = known
            self.outcomes[key] = known.outcome
            self.watched.apply(known.outcome)
            for symbol in known.outcome.symbols:
                self.world.symbol(symbol)
            for choice in known.outcome.choices:
                self.common.choices.setdefault(choice, UNKNOWN)
            return
        outcome, sink = lower_alone(
            self.common,
            self.watched,
            self.places_known if places_known is None else places_known,
            lambda alone: _drop(what(alone)),
        )
        for diagnostic in sink.own():
            self.world.sink.add(diagnostic)
        if own is not None and sink.untouched:
            self.memo.units[key] = Unit(own, outcome)
        self.outcomes[key] = outcome

    def _own(self, key: Hashable, trees: Sequence[Any], name: str) -> Hashable:
        """Numbers for its own text; None if what is said of it depends on more than can be said."""
        if name in self.answered:
            return None
        versions = self.memo.versions
        own: list[Hashable] = []
        for place, tree in enumerate(trees):
            mentioned = self.world.facts.of(mentions_of, tree)
            if mentioned.entangled:
                return None
            own.append(versions.of_tree((key, place), tree))
            own += [tuple(self.world.events_in(block)) for block in mentioned.blocks]
        return tuple(own)

    def _others_changed(self, trees: Sequence[Any], name: str) -> bool:
        """Whether anything that these trees name has another signature than last time."""
        changed, facts = self.changed, self.world.facts
        if not changed:
            return False
        if name in changed:
            return True
        for tree in trees:
            if not changed.isdisjoint(facts.of(words_of, tree)):
                return True
            mentioned = facts.of(mentions_of, tree)
            if mentioned.phases and not changed.isdisjoint(self.at_phases):
                return True
            if any(not changed.isdisjoint(self.world.events_in(block)) for block in mentioned.blocks):
                return True
        return False

    # ------------------------------------------------------------------------------------------------- all of them

    def _read_as_of(self) -> None:
        """Rules that are read as of a mark, by themselves or because those that read them are."""
        seen: set[Call] = set()
        pending = [call for outcome in self.outcomes.values() for call in outcome.calls]
        while pending:
            name, mark = call = pending.pop()
            if mark is None or call in seen:
                continue
            seen.add(call)
            self._callable(self.world.callables[name], mark)
            pending += self.outcomes[call].calls

    def _check_recursion(self) -> None:
        """Rules that need their own value."""
        callables = self.world.callables
        seen: set[Call] = set()
        running: list[str] = []

        def visit(call: Call) -> None:
            name, _mark = call
            entry = callables[name]
            function = entry.sort in _OF_VALUES or (entry.sort == "procedure" and not entry.asks)
            again = name in running and entry.sort in _OF_VALUES
            if again:
                path = running[running.index(name) :] if call in seen else []
                tell_circle(self.world.sink, entry, path)
            if call in seen:
                return
            seen.add(call)
            outcome = self.outcomes.get(call)
            if function:
                running.append(name)
            for callee in outcome.calls if outcome is not None else ():
                visit(callee)
            if function:
                running.pop()

        for call in self.outcomes[("sequence",)].calls:
            visit(call)
        for name in list(callables):
            if (name, None) in self.outcomes:
                visit((name, None))


class _Nobody(Alone):
    """Lowers nothing: whatever is called is lowered elsewhere."""

    def elsewhere(self, entry: Callable_, mark: str | None) -> int | None:
        return 0


def _example(alone: Alone, decl: syn.ExampleDecl, layer: int) -> None:
    check_example(alone.world, decl)
    lower_example(alone, decl, layer)


def _situation(alone: Alone, found: Callable_) -> None:
    check_situation(alone.world, found.decl)
    lower_situation(alone, found.decl, found.params)


def _drop(_made: object) -> None:
    """Of what was lowered for its own sake only the outcome is wanted."""
