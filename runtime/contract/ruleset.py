"""A ruleset that is ready to run: its program, its schema, its scenarios."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Self

from grognard.contract.examples import BoardSpec
from grognard.contract.scenario_names import split_scenario
from grognard.support.lazy_attributes import LazyAttributes

if TYPE_CHECKING:
    from grognard.contract import ir
    from grognard.contract.datablock import Scenario
    from grognard.contract.examples import Example
    from grognard.contract.layout import Layout
    from grognard.contract.schema import Schema
    from grognard.contract.situations import Situation
    from grognard.support.diagnostics import Sink
    from grognard.support.source import SourceFile, Span


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
    #: the folder of its series, which may lie elsewhere; None if it has none, or came without its rules
    series: Path | None = None


def program_hash(program: ir.Program) -> bytes:
    """A hash of the program alone.  Where a rule stands in its file does not count: comments may change."""
    return blake2b(repr(replace(program, sites=())).encode(), digest_size=32).digest()


@dataclass(frozen=True, slots=True)
class EngineFiles:
    """The two modules of a compiled engine, with their keys; or why there is none here."""

    engine: tuple[str, Path] | None = None
    binding: tuple[str, Path] | None = None
    missing: str = ""


@dataclass(slots=True, repr=False)
class Ruleset(LazyAttributes):
    """All that back ends and the runtime need of a title.

    By itself it has the scenarios that it was made with.  What the compiler gives is one of its own
    (compiler/store/ruleset.py), which loads other scenarios and the grounds of examples from the title's files."""

    about: Identity
    program: ir.Program
    schema: Schema
    sink: Sink
    #: the program with the machines of the examples added
    example_program: ir.Program
    examples: list[Example] = field(default_factory=list)
    #: declared set-ups of odds, by name; their machines are in the example program
    situations: dict[str, Situation] = field(default_factory=dict)
    #: key of what decided the program, if it came through the ruleset cache
    code_key: str = ""
    #: scenarios that are loaded
    loaded: dict[str, Scenario] = field(default_factory=dict)
    #: the engine that was built with it, if it was built elsewhere
    engine_files: EngineFiles | None = None
    #: hash of the program, where that is known already
    rules_hash: bytes = b""

    def __repr__(self) -> str:
        # All that there is would be gigabytes in a traceback that shows arguments.
        return f"<{type(self).__name__} {self.about.id}>"

    @property
    def name(self) -> str:
        return self.about.name

    @property
    def id(self) -> str:
        return self.about.id

    @property
    def sources(self) -> dict[str, SourceFile]:
        """The files that were read, by the paths that are shown: for excerpts."""
        return dict(self.sink.sources)

    def scenario_names(self) -> list[str]:
        return sorted(self.loaded)

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
        if wanted not in self.loaded:
            made = self.load_ground(self.program, wanted, sink or self.sink, like=like)
            if made is None:
                return None
            if split_scenario(wanted)[1]:
                return made  # there may be many of them, and whoever plays keeps what it needs
            self.loaded[wanted] = made
        return self.loaded[wanted]

    def example_setting(self, example: Example, sink: Sink) -> Scenario | None:
        """The data and empty position that an example starts from."""
        what = example.ground() or self.default_scenario
        if isinstance(what, str) and what.startswith("+"):
            what = self.default_scenario + what
        return self.load_ground(self.example_program, what, sink, example.span)

    def chance_ruleset(self) -> Ruleset | None:
        """The title's chance program, if it came with this one; None: the compiler makes it."""
        return None

    def load_ground(
        self,
        program: ir.Program,
        what: str | BoardSpec,
        sink: Sink,
        span: Span | None = None,
        *,
        like: Layout | None = None,
    ) -> Scenario | None:
        """A scenario or a plain board for a program of this title; None, with diagnostics, if it cannot be loaded."""
        words = f"scenario `{what}`" if isinstance(what, str) else "a board of an example"
        sink.error("GR0001", span, f"{words} of {self.name} can only be loaded where the title is compiled")
        return None

    def with_program(self, program: ir.Program, code_key: str) -> Self:
        """The same title with another program, and no scenario loaded."""
        return replace(self, program=program, code_key=code_key, loaded={}, rules_hash=b"")
