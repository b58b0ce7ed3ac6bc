"""The IR: what the front end ends in and what both back ends start from.

Everything is a signed 32-bit integer: numbers, flags (0/1), members of enums and kinds (ordinals), places,
pieces, sides.  Beside integers there are *sets* (bit sets over a domain) and *lists* (bounded; dice of a pool,
hexes of a route).  `NONE` is the empty optional.

Code never contains sizes of data.  It names domains, columns, tables, fields and symbols by id; how many rows,
hexes or counters there are, where a field starts in the position and what a cell holds is in the data block
that is loaded beside the code (see layout.py and datablock.py).  So a changed cell or a new unit needs no compiler.

Two kinds of code:

* `Function`: runs to its end.  Rules, tables, modifiers, and every procedure that cannot reach a `choose`.
* `Machine`: can stop to ask.  Its locals live in a frame inside the position; its body is a list of blocks, each
  a straight run of statements and one terminator.

Evaluation order is left to right; `and`, `or` and `if` are short-circuit.  Loops fix their set at entry.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Literal, TypeAlias

from grognard.support.lazy_attributes import LazyAttributes

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from grognard.support.frozen_nodes import dataclass

# ------------------------------------------------------------------------------------------------ types


@dataclass(frozen=True, slots=True)
class IntType:
    """A 32-bit integer.  `show` says how people read it: "int", "flag", "dom:<id>", "doms:<id>,<id>" (a member of one
    of them), "action"."""

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


# ------------------------------------------------------------------------------------------ expressions


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
    | ReachCost
    | AtBest
)

# ---- sets


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


SetExpr: TypeAlias = SetLocal | SetLoad | SetData | SetBuild | SetBinary | SetOf | SetIf | SetCall | ReachSet

# ---- lists


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

# ---- what loops and aggregates run over


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

# -------------------------------------------------------------------------------------------- statements


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

# ------------------------------------------------------------------------------------------- terminators


@dataclass(frozen=True, slots=True)
class Jump:
    block: int


@dataclass(frozen=True, slots=True)
class Branch:
    condition: Expr
    then: int
    otherwise: int


@dataclass(frozen=True, slots=True)
class CallMachine:
    """Push a frame; when it returns, its integer result goes to `local` and the caller goes on at `block`."""

    machine: int
    args: tuple[AnyExpr, ...]
    local: int | None
    block: int


@dataclass(frozen=True, slots=True)
class Ask:
    """Stop for a decision.

    The candidates are what function `candidates` yields for `args`, in order, plus NONE or DONE (last) when
    `extra` says so and `extra_when` (if any) holds.  No candidate (or, where `empty` is given, none but the extra):
    go on at `empty` without a word, or FAIL_EMPTY.  One candidate and `lone`: taken without asking (noted in the log like any choice).  The answer is written to
    `local`, the machine goes on at `block`.  `chooser` is the seat that decides.
    """

    ask: int  # index into Program.asks
    candidates: int
    args: tuple[AnyExpr, ...]
    chooser: Expr
    local: int
    block: int
    empty: int | None
    extra: int | None  # NONE or DONE
    extra_when: Expr | None
    lone: bool
    #: deduplicate interchangeable pieces of this domain
    distinct: int | None
    #: seats that see the answer in the log: None all, else a mask
    seen: Expr | None
    site: int


@dataclass(frozen=True, slots=True)
class ReturnMachine:
    value: Expr | None = None


@dataclass(frozen=True, slots=True)
class EndGame:
    """The game is over; `outcome` is the winner (seat or side) or NONE."""

    outcome: Expr


Terminator: TypeAlias = Jump | Branch | CallMachine | Ask | ReturnMachine | EndGame

# ------------------------------------------------------------------------------------------- definitions


@dataclass(frozen=True, slots=True)
class LocalDecl:
    name: str
    type: LocalType


@dataclass(frozen=True, slots=True)
class Function:
    """Locals start with the parameters; an unassigned local is 0 / empty.  `result` is None for a procedure.

    A function may read and write the state, roll and note; it never asks.  `pure`: neither writes nor rolls."""

    id: int
    name: str
    params: int
    locals: tuple[LocalDecl, ...]
    result: IntType | SetType | None
    body: tuple[Stmt, ...]
    site: int
    pure: bool


@dataclass(frozen=True, slots=True)
class Block:
    body: tuple[Stmt, ...]
    end: Terminator


@dataclass(frozen=True, slots=True)
class Machine:
    """Block 0 is the entry.  `For` inside a block may not contain an Ask: such loops are lowered to blocks."""

    id: int
    name: str
    params: int
    locals: tuple[LocalDecl, ...]
    result: bool
    blocks: tuple[Block, ...]
    site: int


@dataclass(frozen=True, slots=True)
class Chance:
    """What an Ask of a chance program stands for: dice or a draw that somebody outside decides (see runtime/odds).

    "total": `dice` dice lo..hi, their sum is the answer.  "pool": as many dice as local `number` says, to list
    `result`.  "each": a throw of `dice` dice for every element of set `elements`, list `limits` holds the most that
    each may roll; those that did are set `result`.  "draw": a row of bag `bag` (a field of counts), the answer."""

    sort: Literal["total", "pool", "each", "draw"]
    dice: int = 1
    lo: int = 1
    hi: int = 1
    number: int = -1
    elements: int = -1
    limits: int = -1
    result: int = -1
    bag: int = -1


@dataclass(frozen=True, slots=True)
class PolicyLine:
    """How the choice `ask` is answered, if a candidate is there for which function `when` (None: always) says yes.

    The functions take (chooser, candidate, parameters of the asking machine but for its `me`).  `ranks`: (highest?,
    function): the best of these candidates; else `value`, a function that gives the answer; else DONE or NONE."""

    ask: str
    when: int | None
    ranks: tuple[tuple[bool, int], ...]
    value: int | None
    site: int
    #: whether the asking machine's first parameter is `me`
    me: bool


@dataclass(frozen=True, slots=True)
class Policy:
    name: str
    title: str
    lines: tuple[PolicyLine, ...]


@dataclass(frozen=True, slots=True)
class AskDecl:
    """What is known of a decision without running: its name, label and how to show its candidates."""

    id: int
    name: str  # e.g. "fire.t", "turn_options"
    label: str
    show: str  # as IntType.show; "action" for menus
    site: int
    #: whether the candidates must be computed on the chooser's view because the filter reads secrets
    on_view: bool = False
    quiet: bool = False
    #: a whole ply ends when this is answered by DONE or the action that was picked is over
    menu: bool = False
    #: in a chance program: the dice that are asked for here; no seat is
    chance: Chance | None = field(default=None, repr=False)
    #: where a set is picked member by member: the set local of those left, the local with how many are needed
    some: tuple[int, int] | None = field(default=None, repr=False)
    #: names in the label, the locals that hold them while the decision waits, and how to show them
    named: tuple[tuple[str, int, str], ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Movement:
    """Functions over (args..., from, to, spent) / (args..., place); `space` is the place domain.

    Cheapest-cost search from `start(args)`: a step a -> b to a neighbour (within `leap`) costs `cost(args, a, b, spent)`, NONE
    forbids it; the total may not exceed `allowance(args)`; when `stop(args, a, b)` holds nothing goes on from b;
    `ends(args, b)` (None: always) says whether a move may end there.  The start is a possible end only if
    `may_stay`.  Ties: lower cost, then lower place."""

    id: int
    name: str
    space: int
    params: int
    start: int
    allowance: int
    cost: int
    stop: int | None
    ends: int | None
    may_stay: bool
    #: the first step is always allowed if its cost is not NONE ("minimum one step")
    minimum: bool
    site: int
    #: a step goes to any place within so many of the last one
    leap: int = 1


@dataclass(frozen=True, slots=True)
class ActionDecl:
    """A named action, for menus and labels."""

    id: int
    name: str
    text: str
    site: int


@dataclass(frozen=True, slots=True)
class Program(LazyAttributes):
    """A whole ruleset, without its data."""

    name: str
    domains: tuple[Domain, ...]
    fields: tuple[Field, ...]
    columns: tuple[Column, ...]
    tables: tuple[Table, ...]
    symbols: tuple[Symbol, ...]
    sites: tuple[Site, ...]
    functions: tuple[Function, ...]
    machines: tuple[Machine, ...]
    asks: tuple[AskDecl, ...]
    actions: tuple[ActionDecl, ...]
    movements: tuple[Movement, ...]
    #: the machine that is the sequence of play
    main: int
    #: machines that examples and odds may start by name, functions likewise
    entry_points: tuple[tuple[str, int], ...] = ()
    #: function(seat) that masks what the seat may not know, None if nothing is secret
    view: int | None = None
    #: names of the seats' domain and of the sides' domain (the same where there are no powers)
    seats: int = 0
    sides: int = 0
    #: room for the journal of simultaneous blocks, 0 if there is none
    journal: int = 0
    #: place domains that are hex grids / area graphs, in the order of the data block's maps
    spaces: tuple[int, ...] = field(default=())
    #: function(side) that says how well a side stands, None if the title does not say
    evaluation: int | None = None
    #: function(piece) that says whether a hidden counter can be where it is, and its type; None if the title has none
    plausible: tuple[int, int] | None = None
    #: function(side) that gives what victory ranks the sides by, None if it does not rank them by a number
    measure: int | None = None
    #: declared ways to answer choices, for odds and bots
    policies: tuple[Policy, ...] = field(default=(), repr=False)


#: Built-in questions: name -> number of arguments.  Places may belong to any space; two places of different
#: spaces have no distance (NONE).  Any NONE argument gives NONE (0 for `adjacent`).
VERBS: dict[str, int] = {
    "distance": 2,  # hexes between, or steps in an area graph
    "adjacent": 2,
    "neighbour": 2,  # (place, direction)
    "direction": 2,  # of an adjacent hex, else NONE
    "straight": 2,  # direction of the hexrow from a to b, else NONE
    "toward": 3,  # (place, direction, steps)
    "opposite": 1,
    "turned": 2,  # (direction, steps clockwise; may be negative)
    "turns_between": 2,
    "arc_place": 4,  # (place, facing, degrees, place): 0 outside, 1 border, 2 inside
    "hexside": 2,  # edge between two adjacent places, else NONE
    "side_of": 2,  # edge of a hex in a direction, NONE at the edge of the map
    "edge_end": 2,  # (edge, 0|1): its first or second place
    "last_side": 2,  # the edge over which the line from a enters b; NONE if it comes through a corner
    "domain_of": 1,  # domain id of a place (its class or space)
    "popcount": 1,
}
