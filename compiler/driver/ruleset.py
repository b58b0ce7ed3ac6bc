"""A compiled title.  It is often read back from the cache: nothing here needs the front end until data is loaded anew."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grognard.compiler.layers.title_paths import scenario_names
from grognard.support.lazy_attributes import LazyAttributes

if TYPE_CHECKING:
    from grognard.compiler.data.load import Values
    from grognard.compiler.layers.merge import Merged
    from grognard.compiler.layers.project import Project
    from grognard.compiler.layers.rulebook import Rulebook
    from grognard.compiler.lower.lowerer import Lowerer
    from grognard.compiler.lower.situations.examples import Example
    from grognard.compiler.lower.situations.situations import Situation
    from grognard.compiler.sema.world import World
    from grognard.contract import ir
    from grognard.contract.datablock import Scenario
    from grognard.contract.layout import Layout
    from grognard.support.diagnostics import Sink
    from grognard.support.source import SourceFile


@dataclass(frozen=True, slots=True)
class Identity:
    """What a ruleset is called and where it lies."""

    id: str
    name: str
    folder: Path
    #: the scenario that the title names as its first; empty if it names none
    scenario: str
    #: names of the errata in force
    errata: tuple[str, ...]


@dataclass(slots=True)
class Ruleset(LazyAttributes):
    """A compiled title: everything the back ends and the runtime need."""

    about: Identity
    project: Project
    world: World
    merged: Merged
    program: ir.Program
    #: the program with the machines of the examples added
    example_program: ir.Program
    examples: list[Example]
    values: Values
    rulebook: Rulebook | None
    sink: Sink
    #: whether kinds, tables and declarations are clean, so that scenarios can be read and checked
    readable: bool = True
    #: what decided the program, if it came through the cache of rulesets (bundle.py)
    code_key: str = ""
    #: declared set-ups of odds, by name; their machines are in the example program
    situations: dict[str, Situation] = field(default_factory=dict)
    #: for what is lowered later: situations of odds (situations.py); kept in chance programs only
    lowerer: Lowerer | None = None
    _scenarios: dict[str, Scenario] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.about.name

    @property
    def id(self) -> str:
        return self.about.id

    @property
    def sources(self) -> dict[str, SourceFile]:
        """The files that were read, by the paths that are shown: for excerpts."""
        return {**self.project.sources, **self.sink.sources}

    def scenario_names(self) -> list[str]:
        return scenario_names(self.about.folder)

    @property
    def default_scenario(self) -> str:
        names = self.scenario_names()
        return self.about.scenario or (names[0] if names else "")

    def scenario(
        self, name: str | None = None, sink: Sink | None = None, *, like: Layout | None = None
    ) -> Scenario | None:
        """A scenario's data and first position; problems go to the sink (default: the ruleset's own).

        `like` is a layout of this program that may still hold: with it the program's code need not be looked at."""
        wanted = name or self.default_scenario
        if wanted not in self._scenarios:
            from grognard.compiler.data.load import load_scenario

            before = self.world.sink
            self.world.sink = sink or before
            try:
                made = load_scenario(self.world, self.project, self.program, self.values, wanted, like=like)
            finally:
                self.world.sink = before
            if made is None:
                return None
            self._scenarios[wanted] = made
        return self._scenarios[wanted]

    def example_setting(self, example: Example, sink: Sink) -> Scenario | None:
        """The data and empty position that an example starts from."""
        from grognard.compiler.data.load import BoardSpec, load_scenario

        what: Any = example.scenario or self.default_scenario
        if example.board is not None:
            terrain, columns, rows = example.board
            what = BoardSpec(
                terrain,
                columns,
                rows,
                example.span,
                tuple((place, terrain, at) for terrain, place, at in example.terrain),
                tuple(example.marks),
            )
        before = self.world.sink
        self.world.sink = sink
        try:
            return load_scenario(
                self.world, self.project, self.example_program, self.values, what, example.span
            )
        finally:
            self.world.sink = before
