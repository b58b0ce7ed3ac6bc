"""Built-in functions."""

from __future__ import annotations

from dataclasses import dataclass

from grognard.compiler.sema.symbols import BagInfo
from grognard.compiler.sema.typed.nodes.values import Typed
from grognard.compiler.sema.types import Dom
from grognard.support.source import Span


@dataclass(slots=True, eq=False)
class Absolute(Typed):
    value: Typed


@dataclass(slots=True, eq=False)
class Extreme(Typed):
    """The least or greatest of several values."""

    name: str
    values: tuple[Typed, ...]
    span: Span


@dataclass(slots=True, eq=False)
class Clamped(Typed):
    value: Typed
    low: Typed
    high: Typed
    span: Span


@dataclass(slots=True, eq=False)
class Opponent(Typed):
    value: Typed
    span: Span


@dataclass(slots=True, eq=False)
class Mine(Typed):
    """Whether something belongs to the acting seat, or does not."""

    value: Typed
    same: bool
    name: str
    span: Span
    at: Span


@dataclass(slots=True, eq=False)
class Friendly(Typed):
    """Whether two things belong to one seat, or do not."""

    values: tuple[tuple[Typed, Span], ...]
    same: bool
    name: str
    span: Span


@dataclass(slots=True, eq=False)
class InPlay(Typed):
    value: Typed
    span: Span


@dataclass(slots=True, eq=False)
class Room(Typed):
    dom: Dom
    span: Span


@dataclass(slots=True, eq=False)
class Size(Typed):
    """How many there are in a set or list."""

    value: Typed


@dataclass(slots=True, eq=False)
class EndOfList(Typed):
    value: Typed
    first: bool
    span: Span


@dataclass(slots=True, eq=False)
class Nth(Typed):
    value: Typed
    place: Typed
    span: Span


@dataclass(slots=True, eq=False)
class Remaining(Typed):
    bag: BagInfo
    span: Span


@dataclass(slots=True, eq=False)
class During(Typed):
    phase: int


@dataclass(slots=True, eq=False)
class Known(Typed):
    """Whether a secret field has been revealed."""

    value: Typed
    #: the field that says so
    known: int
    span: Span
