"""Every callable of a title lowered by itself for what there is to say of it, and not again while nothing changed for it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from grognard.compiler.driver.memo import Memo
from grognard.compiler.driver.signatures import Signatures
from grognard.compiler.lower.alone import Alone, Bounds, Call, Common, Outcome, Watched, lower_alone
from grognard.compiler.lower.situations.examples import lower_example
from grognard.compiler.lower.situations.policies import lower_policies
from grognard.compiler.lower.situations.situations import lower_situation
from grognard.compiler.lower.time.watches import lower_changes
from grognard.compiler.lower.views import lower_view
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
        self.common = Common(world, bounds)
        self.watched = Watched(world)
        self.outcomes: dict[Hashable, Outcome] = {}
        #: owners of choices that policies speak of, which want to know their types
        self.answered = {line.owner for _, decl in world.policies.values() for line in decl.lines}

    def check_all(self, examples: Sequence[tuple[int, syn.ExampleDecl]]) -> None:
        """Say all there is to say of all callables."""
        world = self.world
        base = Alone(self.common, self.places_known)
        self.common.handlers, self.common.guards = base.events.found()
        # What a change of a field calls becomes known here.
        lower_changes(_Nobody(self.common, self.places_known))
        self.common.names = frozenset(world.callables)
        self._unit(
            ("sequence",),
            self.sequences,
            lambda alone: alone.sequence(list(self.sequences)),
            extra=("victory", *self._scheduled()),
        )
        for entry in list(world.callables.values()):
            self._callable(entry, None)
        self._read_as_of()
        self._unit(None, (), lambda alone: lower_view(alone))
        self._unit(None, (), lambda alone: lower_policies(alone))
        base.marks.check_owners()
        self._check_recursion()
        # What only examples name need not be on every map.
        world.rule_symbols = len(world.symbols)
        for layer, decl in examples:
            self._unit(
                ("example", layer, decl.title),
                (decl,),
                lambda alone, layer=layer, decl=decl: lower_example(alone, decl, layer),  # type: ignore[misc]
                places_known=False,
            )
        for found in world.situations.values():
            self._unit(
                None,
                (),
                lambda alone, found=found: lower_situation(alone, found.decl, found.params),  # type: ignore[misc]
                places_known=False,
            )

    # ------------------------------------------------------------------------------------------------ one of them

    def _callable(self, entry: Callable_, mark: str | None) -> None:
        trees = (entry.decl, *(exception for _, exception in entry.exceptions))
        self._unit((entry.name, mark), trees, lambda alone: alone.whole_of(entry, mark), entry=entry)

    def _unit(
        self,
        key: Hashable,
        trees: Sequence[Any],
        what: Callable[[Alone], object],
        *,
        entry: Callable_ | None = None,
        places_known: bool | None = None,
        extra: Sequence[str] = (),
    ) -> None:
        """Lower something by itself, or take what came of it last time.  Without a key it is lowered each time."""
        wanted = None if key is None else self._depends(key, trees, entry, extra)
        known = self.memo.units.get(key) if wanted is not None else None
        if known is not None and known[0] == wanted:
            outcome = known[1]
            self.watched.apply(outcome)
            for name in outcome.symbols:
                self.world.symbol(name)
            for name in outcome.choices:
                self.common.choices.setdefault(name, UNKNOWN)
        else:
            outcome, sink = lower_alone(
                self.common,
                self.watched,
                self.places_known if places_known is None else places_known,
                lambda alone: _drop(what(alone)),
            )
            for diagnostic in sink.own():
                self.world.sink.add(diagnostic)
            if wanted is not None and sink.untouched:
                self.memo.units[key] = (wanted, outcome)
            else:
                self.memo.units.pop(key, None)
        self.outcomes[key] = outcome

    def _depends(
        self, key: Hashable, trees: Sequence[Any], entry: Callable_ | None, extra: Sequence[str]
    ) -> Hashable:
        """What the outcome depends on; None if that cannot be said."""
        world, signatures = self.world, self.signatures
        if entry is not None and entry.name in self.answered:
            return None
        mentioned = [world.facts.of(mentions_of, tree) for tree in trees]
        if any(found.entangled for found in mentioned):
            return None
        names: set[str] = set(extra)
        for tree in trees:
            names |= signatures.named_in(tree)
        blocks = tuple(tuple(world.events_in(block)) for found in mentioned for block in found.blocks)
        for events in blocks:
            names.update(events)
        if any(found.phases for found in mentioned):
            names.update(("victory", *self._scheduled()))
        own = 0
        if entry is not None:
            own = signatures.heading(entry.name)
        return (
            signatures.ground,
            own,
            tuple(self.memo.versions.of_tree((key, place), tree) for place, tree in enumerate(trees)),
            blocks,
            signatures.of_names(frozenset(names)),
        )

    def _scheduled(self) -> Iterator[str]:
        """Procedures that wait for an instant: where it comes, they are called."""
        for names in self.world.schedules.values():
            yield from names

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
                path = " -> ".join([*running[running.index(name) :], name]) if call in seen else ""
                self.world.sink.error(
                    "GR0314",
                    entry.span,
                    f"rule `{name}` needs its own value" + (f": {path}" if path else ""),
                )
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


def _drop(_made: object) -> None:
    """Of what was lowered for its own sake only the outcome is wanted."""
