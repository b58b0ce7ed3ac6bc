"""Charts: what players want to have beside the board, and excerpts of the rules by section, as plain values.

The compiler makes those of declarations (`grognard.compiler.charts`), the runtime those of data (`grognard.aids`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

ChartSort = Literal[
    "sequence", "table", "modifiers", "movement", "sight", "kind", "options", "scenario", "coverage"
]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a chart.  `depth`: how far it is indented; `code`: numbers of the cells that are rules' own words."""

    cells: tuple[str, ...]
    cites: tuple[str, ...] = ()
    depth: int = 0
    code: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Chart:
    sort: ChartSort
    #: as the rules call it; unique among those of its sort
    name: str
    title: str
    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    cites: tuple[str, ...] = ()
    #: what must be known to read it, in sentences
    notes: tuple[str, ...] = ()
    #: the first so many cells of each line are its heading
    heads: int = 1


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A declaration as it is written."""

    file: str
    #: number of its first line
    line: int
    text: str
    #: rule, table, example, exception ...
    sort: str
    name: str
    #: series, title, or the name of an erratum
    layer: str
    #: numbers of the lines that cite the section
    cited: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DeclaredCharts:
    """What the declarations of a title say."""

    charts: tuple[Chart, ...]
    #: section -> the declarations that cite it, in the order of the files
    excerpts: dict[str, tuple[Excerpt, ...]] = field(default_factory=dict)
    #: declared situations: name, title, the sections that they and what their odds come of cite
    situations: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    #: section -> what it says, in the author's words
    texts: dict[str, str] = field(default_factory=dict)
    #: what only bots judge by: no chart for players
    judging: frozenset[str] = frozenset()
