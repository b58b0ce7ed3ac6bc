"""Programs: functions, machines, the declarations of decisions and movements, and the whole."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Literal

from grognard.contract.ir.statements import Stmt
from grognard.contract.ir.terminators import Terminator
from grognard.contract.ir.types import (
    Column,
    Domain,
    Field,
    IntType,
    LocalType,
    SetType,
    Site,
    Symbol,
    Table,
)
from grognard.support.lazy_attributes import LazyAttributes

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from grognard.support.frozen_nodes import dataclass


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
class Numbers:
    """Where counters are chosen by number, one group after the other: locals of the asking machine."""

    #: sets: those that the number is of, those that are asked for later, those that are chosen already
    group: int
    rest: int
    chosen: int
    #: how many more may be chosen, how many there must be in all
    room: int
    least: int
    #: whether the candidates' function takes (captured..., chosen, group, rest, room, least)
    tested: bool
    #: of members that can be had several times: function(captured..., member), what one costs.  The candidates' function then takes
    #: (captured..., group, rest, room, least, money); money below 0 is no limit
    price: int | None
    #: the site of the record that the choice is complete
    ended: int


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
    #: where a number of counters that are alike is asked for
    numbers: Numbers | None = field(default=None, repr=False)


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
    #: piece domains that are created inside such blocks: the journal has room for all their elements once more
    created_in_branches: tuple[int, ...] = ()
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
