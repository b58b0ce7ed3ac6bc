"""Values: integers, sets and lists, and the sources of elements that loops and aggregates visit.

The classes refer to each other (a set is built with conditions, a condition asks for members of sets), so that they stand
together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from grognard.support.frozen_nodes import dataclass

# ------------------------------------------------------------------------------------------ integers


@dataclass(frozen=True, slots=True)
class Const:
    value: int


@dataclass(frozen=True, slots=True)
class Sym:
    symbol: int


@dataclass(frozen=True, slots=True)
class DomainCount:
    domain: int


@dataclass(frozen=True, slots=True)
class DomainBase:
    domain: int


@dataclass(frozen=True, slots=True)
class Local:
    """An integer local of the running function or frame."""

    index: int


@dataclass(frozen=True, slots=True)
class Load:
    """An integer element of a state field."""

    field: int
    index: tuple[Expr, ...]
    site: int


@dataclass(frozen=True, slots=True)
class Head:
    """A cell of the position's header (H_PLY and so on)."""

    cell: int


@dataclass(frozen=True, slots=True)
class Data:
    """An integer element of a constant column."""

    column: int
    index: tuple[Expr, ...]
    site: int


@dataclass(frozen=True, slots=True)
class TableGet:
    """A cell of a table.  Fails with FAIL_TABLE outside it.  Noted at level 2 as (args..., result)."""

    table: int
    index: tuple[Expr, ...]
    site: int


UnaryOp: TypeAlias = Literal["neg", "not", "abs"]
#: add sub mul fail with FAIL_OVERFLOW when the result leaves 32 bits (or is NONE).  div_down, div_up, div_near
#: (halves away from zero) and mod (sign of the divisor) fail with FAIL_DIVIDE.  lt le gt ge are false when either
#: side is NONE; eq ne compare plainly.  min max ignore nothing.
BinaryOp: TypeAlias = Literal[
    "add",
    "sub",
    "mul",
    "div_down",
    "div_up",
    "div_near",
    "mod",
    "min",
    "max",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "and",
    "or",
]


@dataclass(frozen=True, slots=True)
class Unary:
    op: UnaryOp
    value: Expr


@dataclass(frozen=True, slots=True)
class Binary:
    op: BinaryOp
    left: Expr
    right: Expr
    site: int


@dataclass(frozen=True, slots=True)
class If:
    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class Call:
    """Call of a Function that gives an integer."""

    function: int
    args: tuple[AnyExpr, ...]


@dataclass(frozen=True, slots=True)
class Verb:
    """A geometric or other built-in question; see VERBS."""

    name: str
    args: tuple[Expr, ...]
    site: int


@dataclass(frozen=True, slots=True)
class Aggregate:
    """count, sum, any, all, min, max, first, last, only, the, best_high, best_low over `over` where `where`.

    `var` is the local that takes each element.  `value` is what is summed (sum, min, max), tested (all) or
    compared (best_*); None for count, any, first, last, only, the.  Results: min and max of nothing are NONE;
    first, last, only (NONE unless exactly one), best_* (the earliest of equals) give the element or NONE;
    `the` fails with FAIL_UNIQUE unless there is exactly one.  `only_*` as best, but NONE on a tie.
    """

    op: Literal[
        "count",
        "sum",
        "any",
        "all",
        "min",
        "max",
        "first",
        "last",
        "only",
        "the",
        "best_high",
        "best_low",
        "only_high",
        "only_low",
    ]
    var: int
    over: Over
    where: Expr | None
    value: Expr | None
    site: int


@dataclass(frozen=True, slots=True)
class In:
    value: Expr
    set: SetExpr


@dataclass(frozen=True, slots=True)
class SetCount:
    set: SetExpr


@dataclass(frozen=True, slots=True)
class SetNext:
    """Smallest element of the set that is greater than `after` (NONE: the smallest of all), or NONE."""

    set: SetExpr
    after: Expr


@dataclass(frozen=True, slots=True)
class SetEqual:
    left: SetExpr
    right: SetExpr


@dataclass(frozen=True, slots=True)
class Subset:
    left: SetExpr
    right: SetExpr


@dataclass(frozen=True, slots=True)
class ListLength:
    list: ListExpr


@dataclass(frozen=True, slots=True)
class ListItem:
    """The n-th element, from 1; FAIL_INDEX outside."""

    list: ListExpr
    n: Expr
    site: int


@dataclass(frozen=True, slots=True)
class Coverable:
    """Can every element of list `chosen`, and `extra` unless it is NONE, be given an element of set `left` of its
    own, such that `fits` holds (with locals left_var and right_var set to the pair)?  The kernel of `assign`."""

    left_var: int
    left: SetExpr
    right_var: int
    fits: Expr
    chosen: int  # list local
    extra: Expr


@dataclass(frozen=True, slots=True)
class Meeting:
    """Every element of set `right` is put at one element of its `right_at`; how many elements of set `left` can at most be
    put at one of their `left_at` where one of these is that has `room` for them?  (With locals left_var and right_var set
    to the element.)  What is at no place is left out; room below 1 is none."""

    left_var: int
    left: SetExpr
    left_at: SetExpr
    right_var: int
    right: SetExpr
    right_at: SetExpr
    room: Expr
    site: int


@dataclass(frozen=True, slots=True)
class ReachCost:
    """Cheapest cost of getting to `to` by a movement with these arguments, NONE if it cannot be reached."""

    movement: int
    args: tuple[Expr, ...]
    to: Expr


@dataclass(frozen=True, slots=True)
class AtBest:
    """The greatest outcome that a machine can reach on a scratch copy of the position, whatever is answered on the
    way; NONE if it reaches none.  The machine starts with an empty stack and ends with EndGame.  Answers are tried
    depth-first in the order of the candidates; with `enough`, the search ends at the first outcome of at least that.
    Nothing is traced; dice come from the copy's generator.  Arguments are integers."""

    machine: int
    args: tuple[Expr, ...]
    enough: Expr | None
    site: int


Expr: TypeAlias = (
    Const
    | Sym
    | DomainCount
    | DomainBase
    | Local
    | Load
    | Head
    | Data
    | TableGet
    | Unary
    | Binary
    | If
    | Call
    | Verb
    | Aggregate
    | In
    | SetCount
    | SetNext
    | SetEqual
    | Subset
    | ListLength
    | ListItem
    | Coverable
    | Meeting
    | ReachCost
    | AtBest
)

# ---------------------------------------------------------------------------------------------- sets


@dataclass(frozen=True, slots=True)
class SetLocal:
    index: int


@dataclass(frozen=True, slots=True)
class SetLoad:
    field: int
    index: tuple[Expr, ...]
    site: int


@dataclass(frozen=True, slots=True)
class SetData:
    column: int
    index: tuple[Expr, ...]
    site: int


@dataclass(frozen=True, slots=True)
class SetBuild:
    """All elements of `over` where `where`; or, with `value`, all values of it (NONE is left out)."""

    domain: int
    var: int
    over: Over
    where: Expr | None
    value: Expr | None


@dataclass(frozen=True, slots=True)
class SetBinary:
    op: Literal["union", "minus", "inter"]
    left: SetExpr
    right: SetExpr


@dataclass(frozen=True, slots=True)
class SetOf:
    """A set written out; NONE elements are left out."""

    domain: int
    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class SetIf:
    condition: Expr
    then: SetExpr
    otherwise: SetExpr


@dataclass(frozen=True, slots=True)
class SetCall:
    function: int
    args: tuple[AnyExpr, ...]


@dataclass(frozen=True, slots=True)
class ReachSet:
    """All places that a movement with these arguments can end in."""

    movement: int
    args: tuple[Expr, ...]
    domain: int


@dataclass(frozen=True, slots=True)
class Alike:
    """The members of a set of interchangeable pieces that nothing tells apart from its first one; the empty set of none."""

    domain: int
    within: SetExpr


SetExpr: TypeAlias = (
    SetLocal | SetLoad | SetData | SetBuild | SetBinary | SetOf | SetIf | SetCall | ReachSet | Alike
)

# --------------------------------------------------------------------------------------------- lists


@dataclass(frozen=True, slots=True)
class ListLocal:
    index: int


@dataclass(frozen=True, slots=True)
class ListLoad:
    field: int
    index: tuple[Expr, ...]
    site: int


ListExpr: TypeAlias = ListLocal | ListLoad
AnyExpr: TypeAlias = Expr | SetExpr | ListExpr

# ------------------------------------------------------------------------------------------- sources


@dataclass(frozen=True, slots=True)
class OverDomain:
    """Every element of the domain in order, without dead pieces."""

    domain: int


@dataclass(frozen=True, slots=True)
class OverRange:
    lo: Expr
    hi: Expr


@dataclass(frozen=True, slots=True)
class OverSet:
    set: SetExpr


@dataclass(frozen=True, slots=True)
class OverItems:
    """These values in this order; NONE among them is skipped."""

    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class OverList:
    list: ListExpr


@dataclass(frozen=True, slots=True)
class OverVerb:
    """neighbours(p), within(p, n), line(a, b), between(a, b), ray(p, d, n), edge_ends(e): places in order."""

    name: str
    args: tuple[Expr, ...]
    site: int


Over: TypeAlias = OverDomain | OverRange | OverSet | OverItems | OverList | OverVerb
