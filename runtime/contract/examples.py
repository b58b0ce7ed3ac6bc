"""Examples of play as the runner takes them: a machine of the example program, its ground, dice, answers, expectations."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grognard.contract.scenario_names import scenario_with
from grognard.support.source import Span

#: The folder of a title or series whose files say how it is tried, not how it is played.
EXAMPLES_FOLDER = "examples"


def in_examples(file: str, folder: Path) -> bool:
    """Whether a file, by the path that is shown, is one of examples; `folder` is the title's."""
    parts = file.split("/")
    if len(parts) > 2 and parts[0] == folder.name:
        parts = parts[1:]
    return len(parts) > 1 and parts[0] == EXAMPLES_FOLDER


@dataclass(frozen=True, slots=True)
class BoardMark:
    """A field of some places of an example's board, or of the edges between each of them and the next."""

    name: str
    #: an expression, which only the compiler reads; equal ones give equal boards
    value: Any
    places: tuple[tuple[str, Span], ...]
    along: bool
    span: Span


@dataclass(frozen=True, slots=True)
class BoardSpec:
    """The plain board of an example of play; `terrain_at` gives places that differ."""

    terrain: str
    columns: int
    rows: int
    span: Span | None = None
    terrain_at: tuple[tuple[str, str, Span | None], ...] = ()
    marks: tuple[BoardMark, ...] = ()
    #: optional rules that are set otherwise than the title has them
    options: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Answer:
    """One scripted answer, or (offered) all that the next decision must offer."""

    texts: tuple[str, ...]
    offered: bool
    span: Span


@dataclass(slots=True)
class Example:
    title: str
    span: Span
    cites: tuple[str, ...]
    machine: int
    layer: int
    board: tuple[str, int, int] | None = None
    scenario: str | None = None
    terrain: list[tuple[str, str, Span]] = field(default_factory=list)
    #: what else the board has
    marks: list[BoardMark] = field(default_factory=list)
    dice: list[int] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    #: sites of the expectations
    expects: list[int] = field(default_factory=list)
    #: places that it names: symbol, name as written, where
    places: list[tuple[int, str, Span]] = field(default_factory=list)
    #: optional rules that it sets otherwise than its scenario does
    options: dict[str, str] = field(default_factory=dict)

    def ground(self) -> str | BoardSpec | None:
        """The scenario or the plain board that it is set up on; None: another's choice."""
        if self.board is None:
            return scenario_with(self.scenario or "", self.options) or None
        terrain, columns, rows = self.board
        places = tuple((place, kind, at) for kind, place, at in self.terrain)
        options = tuple(sorted(self.options.items()))
        return BoardSpec(terrain, columns, rows, self.span, places, tuple(self.marks), options)
