"""The syntax tree: statements that only examples of play and situations have."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from grognard.compiler.syntax.nodes.exprs import (
    Cites,
    Expr,
    NamedArg,
    Use,
)
from grognard.support.source import Span

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from grognard.support.frozen_nodes import dataclass


@dataclass(frozen=True, slots=True)
class ExpectStmt:
    conditions: tuple[Expr, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class DiceStmt:
    values: tuple[int, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class AnswersStmt:
    answers: tuple[str, ...]
    offered: bool  # `offered a, b`: the next decision must offer exactly these
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class CountersStmt:
    """In examples and situations: `counters 10 of german rifles at 0404`."""

    count: Expr
    side: str
    kind: str
    at: Expr | None
    fields: tuple[NamedArg, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class OddsStmt:
    """In situations: the procedure whose odds are computed, and the acting seat."""

    use: Use
    by: Expr | None
    into: str | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class OutcomeStmt:
    """In situations, after the odds: a value that is read then."""

    label: str
    value: Expr
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class CounterStmt:
    """In examples: `counter german rifles as A at 0404, facing = s`."""

    side: str
    kind: str
    name: str
    at: Expr | None
    fields: tuple[NamedArg, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class BoardStmt:
    terrain: str
    columns: int
    rows: int
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ScenarioStmt:
    name: str
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class OptionStmt:
    """In examples: `option snow = on`, for this example alone."""

    name: str
    value: str
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class TerrainStmt:
    terrain: str
    places: tuple[Expr, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class MapStmt:
    """In examples: `map level = 2 at 0404, 0405`, `map road along 0404, 0405, 0406`."""

    name: str
    value: Expr | None  # None: yes
    along: bool  # on the hexsides between each place and the next
    places: tuple[Expr, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)
