"""Statements: what functions do, and what the blocks of machines do before they end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from grognard.contract.ir.values import AnyExpr, Expr, ListExpr, Over, SetExpr

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from grognard.support.frozen_nodes import dataclass


@dataclass(frozen=True, slots=True)
class Assign:
    local: int
    value: Expr


@dataclass(frozen=True, slots=True)
class AssignSet:
    local: int
    value: SetExpr


@dataclass(frozen=True, slots=True)
class AssignList:
    local: int
    value: ListExpr


@dataclass(frozen=True, slots=True)
class ListAppend:
    local: int
    value: Expr
    site: int


@dataclass(frozen=True, slots=True)
class ListClear:
    local: int


@dataclass(frozen=True, slots=True)
class SetChange:
    """Add an element to a set local, or take it out.  NONE changes nothing."""

    local: int
    value: Expr
    add: bool


@dataclass(frozen=True, slots=True)
class Store:
    """Write an integer field.  "set" writes, "add" adds (and sums in simultaneous blocks).  FAIL_RANGE outside
    the field's lo..hi (NONE only if optional), except with `clamp`."""

    field: int
    index: tuple[Expr, ...]
    value: Expr
    op: Literal["set", "add"]
    clamp: bool
    site: int


@dataclass(frozen=True, slots=True)
class StoreSet:
    field: int
    index: tuple[Expr, ...]
    value: SetExpr
    site: int


@dataclass(frozen=True, slots=True)
class StoreSetChange:
    """Add an element to a set field, or take it out."""

    field: int
    index: tuple[Expr, ...]
    value: Expr
    add: bool
    site: int


@dataclass(frozen=True, slots=True)
class StoreList:
    field: int
    index: tuple[Expr, ...]
    value: ListExpr
    site: int


@dataclass(frozen=True, slots=True)
class Enqueue:
    """Append to a list field without axes.  In a simultaneous block this is kept at once, whatever becomes of the
    branch's writes: what waits for the merge is written down here.  FAIL_LIST when it is full."""

    field: int
    value: Expr
    site: int


@dataclass(frozen=True, slots=True)
class StoreHead:
    cell: int
    value: Expr


@dataclass(frozen=True, slots=True)
class Reset:
    """Every element of the field back to its default."""

    field: int


@dataclass(frozen=True, slots=True)
class CopyField:
    """All of one field into another of the same shape (snapshots for `as of`)."""

    source: int
    target: int


@dataclass(frozen=True, slots=True)
class IfStmt:
    condition: Expr
    then: tuple[Stmt, ...]
    otherwise: tuple[Stmt, ...] = ()


@dataclass(frozen=True, slots=True)
class While:
    condition: Expr
    body: tuple[Stmt, ...]
    site: int


@dataclass(frozen=True, slots=True)
class For:
    """The elements of `over` where `where` are fixed at entry, then visited in order; with `key`, the remaining
    element with the lowest (or highest) key, evaluated anew before each pass, comes next, the earliest of equals.
    Only for finite domains; `domain` is the domain of the elements (None: plain numbers, over OverRange, OverItems or OverList)."""

    var: int
    over: Over
    domain: int | None
    where: Expr | None
    key: Expr | None
    highest: bool
    body: tuple[Stmt, ...]
    site: int


@dataclass(frozen=True, slots=True)
class ForLine:
    """Every item of the exact line from a to b in order, with its kind and hexes in three locals.

    Kinds as in grognard.geometry.lines.  Nothing runs if either end is NONE.  With `crossings` the hexsides that
    the line meets, instead of the hexes."""

    kind_var: int
    first_var: int
    second_var: int
    a: Expr
    b: Expr
    body: tuple[Stmt, ...]
    site: int
    crossings: bool = False


@dataclass(frozen=True, slots=True)
class Break:
    pass


@dataclass(frozen=True, slots=True)
class Continue:
    """Go on with the next pass of the innermost loop."""


@dataclass(frozen=True, slots=True)
class Return:
    value: AnyExpr | None = None


@dataclass(frozen=True, slots=True)
class Do:
    """Call a Function for its effect; an integer result may be kept in a local."""

    function: int
    args: tuple[AnyExpr, ...]
    local: int | None


@dataclass(frozen=True, slots=True)
class Roll:
    """Throw `count` dice with faces lo..hi.  The total goes to `total`, the single dice to list `pool` (either
    may be None).  One draw from the generator per die, in order."""

    count: Expr
    lo: Expr
    hi: Expr
    total: int | None
    pool: int | None
    site: int


@dataclass(frozen=True, slots=True)
class Create:
    """Bring the first dead piece (or record) of the domain to life with default fields; FAIL_POOL if there is none.
    One that a mark remembers is taken only if there is no other.
    In a simultaneous block, one that no branch has brought to life or destroyed: each branch gets its own."""

    domain: int
    local: int
    site: int


@dataclass(frozen=True, slots=True)
class Destroy:
    """Take the piece out of play: its alive flag goes to 0; its other fields keep their values."""

    domain: int
    value: Expr
    site: int


@dataclass(frozen=True, slots=True)
class Yield:
    """Offer a candidate (only in candidate functions).  The same value twice counts once."""

    value: Expr


@dataclass(frozen=True, slots=True)
class Note:
    """Write to the trace if its level is at least `level` (1: the log, 2: all of `why`).  `seen` is a bit mask of
    the seats that may see it (None: all)."""

    level: int
    site: int
    args: tuple[Expr, ...]
    seen: Expr | None = None


@dataclass(frozen=True, slots=True)
class Fail:
    kind: int
    site: int


@dataclass(frozen=True, slots=True)
class BranchBegin:
    """Enter a simultaneous block: from here each branch is journalled."""

    site: int


@dataclass(frozen=True, slots=True)
class BranchNext:
    """End of one branch: its writes are taken back and kept for the merge."""

    site: int


@dataclass(frozen=True, slots=True)
class BranchEnd:
    """Merge all branches: `add` sums, equal writes agree, different ones are FAIL_CONFLICT."""

    site: int


Stmt: TypeAlias = (
    Assign
    | AssignSet
    | AssignList
    | ListAppend
    | ListClear
    | SetChange
    | Store
    | StoreSet
    | StoreSetChange
    | StoreList
    | Enqueue
    | StoreHead
    | Reset
    | CopyField
    | IfStmt
    | While
    | For
    | ForLine
    | Break
    | Continue
    | Return
    | Do
    | Roll
    | Create
    | Destroy
    | Yield
    | Note
    | Fail
    | BranchBegin
    | BranchNext
    | BranchEnd
)
