"""A title as the compiler has it.  It is often read back from the cache: nothing here needs the front end until data is
loaded anew."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from grognard.compiler.layers.title_paths import scenario_names
from grognard.contract.ruleset import Ruleset

if TYPE_CHECKING:
    from grognard.compiler.data.load import Values
    from grognard.compiler.layers.merge import Merged
    from grognard.compiler.layers.project import Project
    from grognard.compiler.lower.lowerer import Lowerer
    from grognard.compiler.sema.symbols import Symbols
    from grognard.contract import ir
    from grognard.contract.datablock import Scenario
    from grognard.contract.examples import BoardSpec
    from grognard.contract.layout import Layout
    from grognard.contract.rulebook import Rulebook
    from grognard.support.diagnostics import Sink
    from grognard.support.source import SourceFile, Span


@dataclass(slots=True, kw_only=True, repr=False)
class CompiledRuleset(Ruleset):
    """A ruleset with what it was compiled from: scenarios and grounds of examples are loaded by it."""

    project: Project
    symbols: Symbols
    merged: Merged
    values: Values
    #: whether kinds, tables and declarations are clean, so that scenarios can be read and checked
    readable: bool = True
    #: for what is lowered afterwards: situations that callers give; in chance programs only
    lowerer: Lowerer | None = None
    #: how many symbols the rules name; None: all of the program's.  The others are named by examples and situations alone
    ruled: int | None = None

    @property
    def rulebook(self) -> Rulebook | None:
        return self.schema.rulebook

    @property
    def sources(self) -> dict[str, SourceFile]:
        return {**self.project.sources, **self.sink.sources}

    def scenario_names(self) -> list[str]:
        return scenario_names(self.about.folder)

    def load_ground(
        self,
        program: ir.Program,
        what: str | BoardSpec,
        sink: Sink,
        span: Span | None = None,
        *,
        like: Layout | None = None,
    ) -> Scenario | None:
        from grognard.compiler.data.ground import Ground
        from grognard.compiler.data.load import load_scenario

        ground = Ground(self.symbols, sink)
        return load_scenario(
            ground, self.project, program, self.values, what, span, like=like, ruled=self._symbols_of_rules()
        )

    def with_program(self, program: ir.Program, code_key: str) -> CompiledRuleset:
        ruled = self._symbols_of_rules()
        return replace(self, program=program, code_key=code_key, loaded={}, rules_hash=b"", ruled=ruled)

    def _symbols_of_rules(self) -> int:
        return len(self.program.symbols) if self.ruled is None else self.ruled


def compiled(ruleset: Ruleset) -> CompiledRuleset:
    """A ruleset as the compiler made it; TypeError for one that came without its sources."""
    if not isinstance(ruleset, CompiledRuleset):
        raise TypeError(f"{ruleset.name} was not compiled here: its rules are not at hand")
    return ruleset
