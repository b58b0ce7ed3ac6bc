"""Terms of a prefilter: sets of elements of a domain that can pass a filter, as far as they can be told at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias

from grognard.contract import ir
from grognard.contract.header import NONE

#: Depth of calls that are analysed.
MOST_DEEP = 8
#: Parts of one prefilter.
MOST_PARTS = 12
#: Numbers from here on are locals of rules under analysis: nothing is known of them.
FOREIGN = 1_000_000
#: Numbers with which a sum of few cannot overflow, as in the kernel.
SMALL = 1 << 28


class Wanted(Enum):
    """What must be possible of an expression: anything but 0, 0, more than 0."""

    YES = "yes"
    NO = "no"
    MORE = "more"


@dataclass(frozen=True, slots=True)
class CellHolds:
    """Elements whose own cell holds a value, or another one."""

    cell: ir.Load | ir.Data
    value: ir.Expr
    other: int


@dataclass(frozen=True, slots=True)
class HeldValues:
    """Values that some element holds in a field."""

    field: int


@dataclass(frozen=True, slots=True)
class Adjacent:
    """Places adjacent to one."""

    place: ir.Expr


@dataclass(frozen=True, slots=True)
class Static:
    """A predicate of the data block alone."""

    asked: ir.Expr


@dataclass(frozen=True, slots=True)
class StaticValue:
    """Elements of which something that depends on the data alone has a value, or another one."""

    asked: ir.Expr
    value: ir.Expr
    other: int


@dataclass(frozen=True, slots=True)
class Uniform:
    """All elements or none, by a condition that is the same for all."""

    condition: ir.Expr


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Prefilter, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """No parts: no element."""

    parts: tuple[Prefilter, ...]


Prefilter: TypeAlias = CellHolds | HeldValues | Adjacent | Static | StaticValue | Uniform | And | Or
NOTHING = Or(())


@dataclass(slots=True)
class FilterScope:
    """A filter under analysis, and what must hold for its prefilter."""

    domain: int
    var: int
    #: locals that are not the same for all elements
    changed: set[int]
    #: locals that must be members of a domain, and those that must be small numbers, or there is no prefilter
    inside: dict[int, int] = field(default_factory=dict)
    small: set[int] = field(default_factory=set)
    #: fields that must hold members of their domains, or nothing
    whole: set[int] = field(default_factory=set)
    #: locals that stand for such a member
    members: dict[int, int] = field(default_factory=dict)
    #: predicates of the data block alone that must not fail
    asked: dict[ir.Expr, None] = field(default_factory=dict)
    foreign: int = FOREIGN


def conjunction(first: Prefilter | None, second: Prefilter | None) -> Prefilter | None:
    """None is every element."""
    if first is None or second is None:
        return second if first is None else first
    if NOTHING in (first, second):
        return NOTHING
    parts = [p for term in (first, second) for p in (term.parts if isinstance(term, And) else (term,))]
    return And(tuple(dict.fromkeys(parts)))


def disjunction(first: Prefilter | None, second: Prefilter | None) -> Prefilter | None:
    if first is None or second is None:
        return None
    parts = [p for term in (first, second) for p in (term.parts if isinstance(term, Or) else (term,))]
    found = tuple(dict.fromkeys(parts))
    return found[0] if len(found) == 1 else Or(found)


def askable(asked: ir.Expr) -> Static:
    """True of all elements, unless it fails for some."""
    nothing = ir.Binary("eq", asked, ir.Const(NONE), 0)
    return Static(ir.Binary("or", nothing, ir.Const(1), 0))


def cost_of(term: Prefilter) -> int:
    """The cheapest comes first: the others are computed only if any element is left."""
    if isinstance(term, And | Or):
        return sum(map(cost_of, term.parts))
    return {Uniform: 0, Static: 1, HeldValues: 1, Adjacent: 2, StaticValue: 5, CellHolds: 5}[type(term)]


def worthwhile(parts: tuple[Prefilter, ...]) -> tuple[Prefilter, ...]:
    """The parts that pay: where few elements can be left, comparing all cells costs more than asking those."""
    if any(map(is_selective, parts)):
        return tuple(part for part in parts if not isinstance(part, CellHolds | StaticValue))
    return parts


def is_selective(term: Prefilter) -> bool:
    """Whether it is likely true of few elements."""
    if isinstance(term, And):
        return any(map(is_selective, term.parts))
    return isinstance(term, HeldValues | Adjacent) or (
        isinstance(term, Or) and all(map(is_selective, term.parts))
    )


def terms_of(term: Prefilter) -> Any:
    if isinstance(term, And | Or):
        for part in term.parts:
            yield from terms_of(part)
    else:
        yield term
