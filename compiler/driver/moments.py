"""A title at one moment of its writing: what differs from an earlier one, and some of its examples of play, compiled.

Whoever waits for the outcome of a change wants the few examples that it can affect.  They are compiled with all that they reach,
and with nothing else: the sequence of play, for one, only where an example plays it.  What was read before is not read again.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from grognard.compiler.driver.check_cache import check
from grognard.compiler.driver.checking import room_for_rules
from grognard.compiler.driver.diff_rulesets import compare_rulesets
from grognard.compiler.driver.phases import Title
from grognard.compiler.driver.pipeline import finish, freeze
from grognard.compiler.driver.workspace import NoTitle, Workspace
from grognard.compiler.layers.project import title_words
from grognard.compiler.lower.freeze_schema import freeze_schema
from grognard.compiler.lower.lowerer import Lowerer
from grognard.compiler.lower.situations.examples import lower_example
from grognard.compiler.lower.time.watches import lower_changes
from grognard.compiler.lower.views import lower_view
from grognard.compiler.sema.checks.callables import check_callable
from grognard.compiler.sema.checks.examples import check_example
from grognard.compiler.sema.typed.trees import Trees
from grognard.compiler.sema.typed.whole import check_example_body, check_view
from grognard.compiler.store.ruleset import CompiledRuleset
from grognard.contract import ir
from grognard.contract import moments as contract
from grognard.contract.differences import ChangedSection
from grognard.contract.examples import Example
from grognard.contract.ir.verify import verify_if_wanted
from grognard.contract.ruleset import Identity
from grognard.support.diagnostics import Sink
from grognard.support.gc_pause import gc_paused


class TitleOnDisk:
    """A title that is being written (contract/moments.py)."""

    def __init__(self, where: str, errata: Sequence[str] | None = None) -> None:
        self._where, self._errata = where, errata
        self._workspace = None
        with suppress(NoTitle):
            self._workspace = Workspace(where, errata=errata)

    def check(self) -> Sink:
        if self._workspace is None:
            # The sentence for it, with what may have been meant.
            return check(self._where, self._errata)[2]
        return self._workspace.check()

    def now(self) -> Moment | None:
        title = self._workspace.title() if self._workspace is not None else None
        if title is None or title.unreadable:
            return None
        moment = Moment(title)
        return None if title.sink.has_errors else moment


class Moment:
    """A title without errors at one moment (contract/moments.py)."""

    def __init__(self, title: Title) -> None:
        self._title = title
        self.project = title.project
        with room_for_rules(title.project, title.sink):
            self.merged, self.declared = title.merged, title.declared
        self.symbols, self.values = self.declared.symbols, self.declared.values
        self.examples = [decl.title for _, decl in self.merged.examples]

    def changes_since(self, before: contract.Moment) -> list[ChangedSection]:
        assert isinstance(before, Moment)
        return compare_rulesets(before, self)

    @gc_paused()
    def with_examples(self, chosen: Sequence[str]) -> CompiledRuleset | None:
        title, project, sink = self._title, self.project, self._title.sink
        with room_for_rules(project, sink):
            declared = self.declared
            trees = Trees(declared.symbols, declared.bounds, declared.places_known, sink)
            lowerer = Lowerer(trees)
            program, examples, ruled = self._lowered(trees, lowerer, set(chosen))
            if sink.has_errors:
                return None
            verify_if_wanted(program)
            about = Identity(
                project.id,
                project.name,
                project.folder,
                project.scenario,
                tuple(self.merged.errata),
                project.series,
            )
            colours, symbols = title_words(project, "colours"), title_words(project, "symbols")
            schema = freeze_schema(lowerer, program, self.declared.rulebook, colours, symbols)
            return CompiledRuleset(
                about,
                program,
                schema,
                title.sink,
                program,
                examples,
                project=project,
                symbols=self.symbols,
                merged=self.merged,
                values=self.values,
                readable=self.declared.readable,
                ruled=ruled,
            )
        return None

    def _lowered(
        self, trees: Trees, lowerer: Lowerer, chosen: set[str]
    ) -> tuple[ir.Program, list[Example], int]:
        """The program, its examples, and how many symbols the rules name."""
        sink = self._title.sink
        for entry in self.symbols.callables.values():
            check_callable(self.symbols, sink, entry)
        # Fields that are watched, and what a seat may see, matter wherever something is written or asked.
        lower_changes(lowerer)
        secrets = check_view(trees)
        view = None if secrets is None else lower_view(lowerer, secrets)
        trees.places_known = False
        ruled = len(lowerer.builder.symbols)
        examples = []
        for layer, decl in self.merged.examples:
            if decl.title in chosen:
                check_example(self.symbols, sink, decl)
                examples.append(lower_example(lowerer, decl, layer, check_example_body(trees, decl)))
        if secrets is not None:
            lower_view(lowerer, secrets, view)
        finish(lowerer)
        # Nobody plays the sequence: examples begin where they say.
        nothing = lowerer.builder.reserve_machine()
        return freeze(lowerer, self.project.id, nothing, view, to_run=False), examples, ruled
