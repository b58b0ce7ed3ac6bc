"""Every callable of a title checked by itself for what there is to say of it, and not again while nothing changed for it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

from grognard.compiler.driver.memo import Memo, Unit
from grognard.compiler.driver.signatures import Signatures, words_of
from grognard.compiler.sema.checks.callables import check_sequence
from grognard.compiler.sema.checks.circles import tell_circle
from grognard.compiler.sema.checks.examples import check_example, check_situation
from grognard.compiler.sema.effects import mentions_of
from grognard.compiler.sema.findings import Findings
from grognard.compiler.sema.symbols import Callable_
from grognard.compiler.sema.typed.units import Call, Common, Outcome, UnitTrees, check_alone
from grognard.compiler.sema.typed.whole import (
    check_example_body,
    check_play,
    check_policies,
    check_situation_body,
    check_view,
)
from grognard.compiler.sema.types import UNKNOWN
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Sink

if TYPE_CHECKING:
    from grognard.compiler.driver.phases import Declared

#: Callables whose value may not depend on itself.
_OF_VALUES = ("rule", "modifiers", "sight", "arc")


class Units:
    """The callables of a title, each with the outcome of being checked by itself."""

    def __init__(
        self,
        declared: Declared,
        sequences: Sequence[syn.SequenceDecl],
        signatures: Signatures,
        memo: Memo,
        sink: Sink,
    ) -> None:
        symbols = self.symbols = declared.symbols
        self.places_known = declared.places_known
        self.sequences = sequences
        self.signatures = signatures
        self.memo = memo
        self.sink = sink
        watched = (
            entry.name
            for dom in symbols.callable_types.values()
            if dom.callable_type is not None
            for entry in dom.callable_type.entries
        )
        self.common = Common(symbols, declared.bounds, sink, frozenset(watched))
        self.findings = Findings()
        #: members and places that rules name, those of examples aside
        self.names: set[str] = set()
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
        self.at_phases = {"victory", *(name for names in symbols.schedules.values() for name in names)}
        #: owners of choices that policies speak of, which want to know their types
        self.answered = {line.owner for _, decl in symbols.policies.values() for line in decl.lines}

    def check_all(self, examples: Sequence[tuple[int, syn.ExampleDecl]]) -> None:
        """Say all there is to say of all callables."""
        self._unit(("sequence",), self.sequences, self._sequence)
        for entry in self.symbols.callables.values():
            self._callable(entry, None)
        self._read_as_of()
        self._unit(None, (), _view)
        self._unit(None, (), self._policies)
        self.common.mark_owners.check(self.sink)
        self._check_recursion()
        for layer, decl in examples:
            self._unit(
                ("example", layer, decl.title),
                (decl,),
                lambda trees, decl=decl: _example(trees, decl),  # type: ignore[misc]
                on_boards=True,
            )
        for found in self.symbols.situations.values():
            self._unit(
                None,
                (),
                lambda trees, found=found: _situation(trees, found),  # type: ignore[misc]
                on_boards=True,
            )

    def know_words(self, examples: Sequence[tuple[int, syn.ExampleDecl]]) -> None:
        """What is asked of each text when something changes, so that the first change need not wait for it."""
        facts = self.symbols.facts
        for entry in self.symbols.callables.values():
            for tree in (entry.decl, *(exception for _, exception in entry.exceptions)):
                facts.of(words_of, tree)
        for tree in (*self.sequences, *(decl for _, decl in examples)):
            facts.of(words_of, tree)

    # ------------------------------------------------------------------------------------------------ one of them

    def _sequence(self, trees: UnitTrees) -> None:
        for decl in self.sequences:
            check_sequence(self.symbols, trees.sink, decl)
        play = check_play(trees, self.sequences)
        parts = ((made.condition, made.statements) for made in play.sequences)
        trees.look_at("sequence", (*parts, play.winner))

    def _policies(self, trees: UnitTrees) -> None:
        for policy in check_policies(trees, self.common.choices):
            for line in policy.lines:
                trees.look_at("", (made.value for made in line.values))

    def _callable(self, entry: Callable_, mark: str | None) -> None:
        parts = (entry.decl, *(exception for _, exception in entry.exceptions))
        self._unit((entry.name, mark), parts, lambda trees: trees.whole_of(entry, mark), name=entry.name)

    def _unit(
        self,
        key: Hashable,
        written: Sequence[Any],
        what: Callable[[UnitTrees], None],
        *,
        name: str = "",
        on_boards: bool = False,
    ) -> None:
        """Check something by itself, or take what came of it last time.  Without a key it is checked each time.

        What runs `on_boards`, as examples do, may name places that are on no map."""
        own = None if key is None else self._own(key, written, name)
        known = self.known.get(key) if own is not None else None
        if known is not None and known.own == own and not self._others_changed(written, name):
            self.memo.units[key] = known
            outcome = known.outcome
            for choice in outcome.choices:
                self.common.choices.setdefault(choice, UNKNOWN)
        else:
            outcome, sink = check_alone(self.common, self.places_known and not on_boards, what)
            for diagnostic in sink.own():
                self.sink.add(diagnostic)
            if own is not None and sink.untouched:
                self.memo.units[key] = Unit(own, outcome)
        self.outcomes[key] = outcome
        self.findings.used |= outcome.used
        self.findings.made |= outcome.made
        if not on_boards:
            self.names.update(outcome.names)

    def _own(self, key: Hashable, written: Sequence[Any], name: str) -> Hashable:
        """Numbers for its own text; None if what is said of it depends on more than can be said."""
        if name in self.answered:
            return None
        versions = self.memo.versions
        own: list[Hashable] = []
        for place, tree in enumerate(written):
            mentioned = self.symbols.facts.of(mentions_of, tree)
            if mentioned.entangled:
                return None
            own.append(versions.of_tree((key, place), tree))
            own += [tuple(self.symbols.events_in(block)) for block in mentioned.blocks]
        return tuple(own)

    def _others_changed(self, written: Sequence[Any], name: str) -> bool:
        """Whether anything that is named here has another signature than last time."""
        changed, facts = self.changed, self.symbols.facts
        if not changed:
            return False
        if name in changed:
            return True
        for tree in written:
            if not changed.isdisjoint(facts.of(words_of, tree)):
                return True
            mentioned = facts.of(mentions_of, tree)
            if mentioned.phases and not changed.isdisjoint(self.at_phases):
                return True
            if any(not changed.isdisjoint(self.symbols.events_in(block)) for block in mentioned.blocks):
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
            self._callable(self.symbols.callables[name], mark)
            pending += self.outcomes[call].calls

    def _check_recursion(self) -> None:
        """Rules that need their own value."""
        callables = self.symbols.callables
        seen: set[Call] = set()
        running: list[str] = []

        def visit(call: Call) -> None:
            name, _mark = call
            entry = callables[name]
            function = entry.sort in _OF_VALUES or (entry.sort == "procedure" and not entry.asks)
            again = name in running and entry.sort in _OF_VALUES
            if again:
                path = running[running.index(name) :] if call in seen else []
                tell_circle(self.sink, entry, path)
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


def _view(trees: UnitTrees) -> None:
    secrets = check_view(trees)
    if secrets is not None:
        trees.look_at("view", ((made.holder, made.condition) for made in secrets.secrets))


def _example(trees: UnitTrees, decl: syn.ExampleDecl) -> None:
    check_example(trees.symbols, trees.sink, decl)
    trees.look_at(f"example {decl.title}", (check_example_body(trees, decl).statements,))


def _situation(trees: UnitTrees, found: Callable_) -> None:
    check_situation(trees.symbols, trees.sink, found.decl)
    trees.look_at(
        f"situation {found.name}", (check_situation_body(trees, found.decl, found.params).statements,)
    )
