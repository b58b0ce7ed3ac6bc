"""Examples of play as the runner takes them: a machine of the example program, its ground, dice, answers, expectations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from grognard.support.source import Span


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
