"""Types of values, and what a program declares: domains, fields, columns, tables, symbols, sites."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from grognard.support.frozen_nodes import dataclass


@dataclass(frozen=True, slots=True)
class IntType:
    """A 32-bit integer.  `show` says how people read it: "int", "signed", "flag", "action",
    "dom:<id>", "doms:<id>,<id>" (a member of one of them)."""

    show: str = "int"


def shown_domains(show: str) -> tuple[int, ...]:
    """The domains that a value so shown can belong to."""
    if show.startswith("dom:"):
        return (int(show[4:]),)
    return tuple(map(int, show[5:].split(","))) if show.startswith("doms:") else ()


@dataclass(frozen=True, slots=True)
class SetType:
    """A bit set over a domain."""

    domain: int


@dataclass(frozen=True, slots=True)
class ListType:
    """Up to `capacity` integers, with their number."""

    capacity: int
    show: str = "int"


LocalType: TypeAlias = IntType | SetType | ListType


@dataclass(frozen=True, slots=True)
class Domain:
    """What can be counted off: enum members, rows of a kind, sides, places, pieces, numbers of a small range.

    Values of the domain are the integers base .. base + count - 1; base and count are data.  `zero_based` is
    true where base is 0 whatever the data.  Pieces and records have an `alive` field: iteration skips the dead.
    """

    id: int
    name: str
    sort: Literal["enum", "kind", "side", "power", "place", "edge", "piece", "record", "range", "direction"]
    zero_based: bool = True
    alive: int | None = None  # field id
    interchangeable: bool = False
    #: fields that hold what `alive` was at marks: a new element rather takes a room that none of them remembers
    remembered: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Field:
    """An array of state cells, one element for each combination of its dims (none: a single element)."""

    id: int
    name: str
    dims: tuple[int, ...]
    type: IntType | SetType | ListType
    lo: int = -0x7FFF_FFFF
    hi: int = 0x7FFF_FFFF
    optional: bool = False
    default: int = 0
    #: domain whose first value stands for the default, where that is data
    first: int | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """An array of constants in the data block, shaped like a Field."""

    id: int
    name: str
    dims: tuple[int, ...]
    type: IntType | SetType


@dataclass(frozen=True, slots=True)
class Table:
    """A table in the data block; `axes` is only their number, how each behaves is data (see datablock.py)."""

    id: int
    name: str
    axes: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """An integer that is known when the data block is loaded: the ordinal of a named row, an option's value."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the source that can speak: it fails, is logged, or is listed by `why`.

    `text` may contain {0}, {1} ... for the note's arguments, shown as `shows[i]`.
    """

    id: int
    kind: str  # rule, exception, modifier, table, roll, choice, enter, event, log, write, fail, draw, phase
    text: str
    file: str
    line: int
    column: int
    cites: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()
    #: the declaration this place belongs to
    owner: str = ""
