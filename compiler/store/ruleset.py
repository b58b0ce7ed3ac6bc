"""A title as the compiler has it.  It is often read back from the cache: nothing here needs the front end until data is
loaded anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grognard.compiler.layers.title_paths import scenario_names
from grognard.contract.ruleset import Ruleset

if TYPE_CHECKING:
    from grognard.compiler.data.load import Values
    from grognard.compiler.layers.merge import Merged
    from grognard.compiler.layers.project import Project
    from grognard.compiler.lower.lowerer import Lowerer
    from grognard.compiler.sema.world import World
    from grognard.contract import ir
    from grognard.contract.datablock import Scenario
    from grognard.contract.examples import BoardSpec
    from grognard.contract.layout import Layout
    from grognard.contract.rulebook import Rulebook
    from grognard.support.diagnostics import Sink
    from grognard.support.source import SourceFile, Span


@dataclass(slots=True, kw_only=True)
class CompiledRuleset(Ruleset):
    """A ruleset with what it was compiled from: scenarios and grounds of examples are loaded by it."""

    project: Project
    world: World
    merged: Merged
    values: Values
    #: whether kinds, tables and declarations are clean, so that scenarios can be read and checked
    readable: bool = True
    #: for what is lowered afterwards: situations that callers give; in chance programs only
    lowerer: Lowerer | None = None

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
        from grognard.compiler.data.load import load_scenario

        before: Any = self.world.sink
        self.world.sink = sink
        try:
            return load_scenario(self.world, self.project, program, self.values, what, span, like=like)
        finally:
            self.world.sink = before


def compiled(ruleset: Ruleset) -> CompiledRuleset:
    """A ruleset as the compiler made it; TypeError for one that came without its sources."""
    if not isinstance(ruleset, CompiledRuleset):
        raise TypeError(f"{ruleset.name} was not compiled here: its rules are not at hand")
    return ruleset
