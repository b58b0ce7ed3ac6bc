"""Statements of procedures: calls, dice, arrays, matchings, the sequence of play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from grognard.compiler.sema.callable_types import CallableType
from grognard.compiler.sema.scope import Variable
from grognard.compiler.sema.symbols import BagInfo, Callable_
from grognard.compiler.sema.typed.nodes.aggregates import Source
from grognard.compiler.sema.typed.nodes.choices import ChoiceStatement
from grognard.compiler.sema.typed.nodes.deciders import Decider, Question
from grognard.compiler.sema.typed.nodes.examples import ExampleStatement
from grognard.compiler.sema.typed.nodes.values import Typed
from grognard.compiler.sema.typed.nodes.written import Written
from grognard.compiler.sema.types import FieldInfo
from grognard.compiler.syntax import nodes as syn

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.nodes.statements import For, Statement, Target

# ------------------------------------------------------------------------------------------------------------ calls


@dataclass(slots=True, eq=False)
class Do(Written):
    """A procedure with its arguments, the acting seat first if it speaks of it."""

    written: syn.DoStmt
    entry: Callable_
    args: tuple[Typed, ...]
    into: Variable | None


@dataclass(slots=True, eq=False)
class DoBase(Written):
    """The procedure as it is without this exception."""

    written: syn.DoStmt
    into: Variable | None


@dataclass(slots=True, eq=False)
class DoNamed(Written):
    """The procedure that data names: the field, and what it may name."""

    written: syn.DoStmt
    tag: Typed
    among: CallableType
    args: tuple[Typed, ...]
    #: the acting seat, for those among them that speak of it
    me: Typed | None
    into: Variable | None


@dataclass(slots=True, eq=False)
class Emit(Written):
    written: syn.EmitStmt
    args: tuple[Typed, ...]
    #: it stands in a simultaneous or secret block
    waits: bool


@dataclass(slots=True, eq=False)
class Schedule(Written):
    written: syn.ScheduleStmt
    entry: Callable_
    args: tuple[Typed, ...]
    later: Typed | None


# ------------------------------------------------------------------------------------------------------------- dice


@dataclass(slots=True, eq=False)
class ThrowEach:
    """A die for each element: those that roll at most the limit are the result."""

    source: Source
    variable: Variable
    where: Typed | None
    limit: Typed


@dataclass(slots=True, eq=False)
class RollEvent:
    """The event that a roll is made for; handlers may react before and after it."""

    name: str
    args: tuple[Typed, ...]


@dataclass(slots=True, eq=False)
class Roll(Written):
    written: syn.RollStmt
    #: how many dice, and what each can show
    dice: tuple[int, int, int]
    result: Variable
    #: of a pool: how many; of dice for each element: the elements
    count: Typed | None
    each: ThrowEach | None
    event: RollEvent | None
    #: what the result is written to, unless it has a name of its own
    target: Target | None


@dataclass(slots=True, eq=False)
class RollFaces(Written):
    """A die with faces of its own: a plain one is thrown, and its face looked up."""

    written: syn.RollStmt
    roll: Roll
    variable: Variable
    #: the face; of a pool the statements that fill the list of them
    face: Typed | None
    fill: tuple[Statement, ...]
    #: the list that is filled
    pool: Variable | None


@dataclass(slots=True, eq=False)
class Draw(Written):
    written: syn.DrawStmt
    #: which of two bags it is drawn from, if it is not known
    condition: Typed | None
    bags: tuple[BagInfo, ...]
    seen_by: Typed | None
    variable: Variable


# ----------------------------------------------------------------------------------------------------------- values


@dataclass(slots=True, eq=False)
class Array(Written):
    """A value for each member, that belongs to the procedure.  Its field gets its number where it is lowered."""

    written: syn.ArrayStmt
    info: FieldInfo
    value: Typed | None


@dataclass(slots=True, eq=False)
class Show(Written):
    written: syn.ShowStmt
    seat: Typed
    values: tuple[Typed, ...]


@dataclass(slots=True, eq=False)
class Match(Written):
    """`assign`: as many of one set as can be matched with different ones of another."""

    written: syn.AssignMatchStmt
    left_source: Source
    left: Variable
    right_source: Source
    right: Variable
    #: the right one, as the test of a pair knows it
    partner: Variable
    where: Typed | None
    room: Typed | None
    first: tuple[Typed, ...]
    seat: Decider | None
    question: Question
    #: what follows each assignment
    then: tuple[Statement, ...]
    into: Variable | None


# ------------------------------------------------------------------------------------------------------------ loops


@dataclass(slots=True, eq=False)
class ForSettled(Written):
    """Passes of a loop until one of them changes nothing."""

    written: syn.ForStmt
    loop: For


@dataclass(slots=True, eq=False)
class ForChosen(Written):
    """A seat says in which order."""

    written: syn.ForStmt
    source: Source
    variable: Variable
    where: Typed | None
    seat: Decider
    question: Question
    body: tuple[Statement, ...]


@dataclass(slots=True, eq=False)
class While(Written):
    written: syn.WhileStmt
    condition: Typed
    body: tuple[Statement, ...]
    blocks: bool


@dataclass(slots=True, eq=False)
class Times(Written):
    """So many times; with `until_done` a seat may end it, which the first statement asks."""

    written: syn.TimesStmt
    count: Typed
    body: tuple[Statement, ...]
    blocks: bool


@dataclass(slots=True, eq=False)
class Until(Written):
    """A condition ends it, or a seat that says that it is done, if that is allowed."""

    written: syn.UntilStmt
    condition: Typed | None
    done_when: Typed | None
    body: tuple[Statement, ...]


@dataclass(slots=True, eq=False)
class Count(Written):
    """A loop in a machine that counts: a field of the game, or a local."""

    written: syn.CountStmt
    info: FieldInfo | None
    variable: Variable | None
    start: Typed
    end: Typed | None
    body: tuple[Statement, ...]


@dataclass(slots=True, eq=False)
class Counted(Written):
    """A loop in a function that counts."""

    written: syn.CountStmt
    loop: For


# ------------------------------------------------------------------------------------------------- sequence of play


@dataclass(slots=True, eq=False)
class Phase(Written):
    written: syn.PhaseStmt
    condition: Typed | None
    #: what is done in it; None where nothing is
    body: tuple[Statement, ...] | None


@dataclass(slots=True, eq=False)
class Mark(Written):
    written: syn.MarkStmt
    of: Typed | None


@dataclass(slots=True, eq=False)
class Simultaneous(Written):
    """Every pass of a loop in it, and every other statement, is a branch of its own."""

    written: syn.SimultaneousStmt
    body: tuple[Statement, ...]


@dataclass(slots=True, eq=False)
class Secret(Written):
    """What each seat decides without knowing what the others do."""

    written: syn.SecretStmt
    body: tuple[Statement, ...]


@dataclass(slots=True, eq=False)
class Alternate(Written):
    """One turn each in rotation, or so many each, until all have passed in succession."""

    written: syn.AlternateStmt
    variable: Variable
    first: Typed | None
    shares: tuple[tuple[Typed, Typed], ...]
    body: tuple[Statement, ...]


@dataclass(slots=True, eq=False)
class End(Written):
    """The game ends, if the condition holds."""

    written: syn.EndStmt
    condition: Typed | None
    winner: Typed | None


@dataclass(slots=True, eq=False)
class Pass(Written):
    written: syn.PassStmt


ProcedureStatement: TypeAlias = (
    Do
    | DoBase
    | DoNamed
    | Emit
    | Schedule
    | Roll
    | RollFaces
    | Draw
    | Array
    | Show
    | Match
    | ForSettled
    | ForChosen
    | While
    | Times
    | Until
    | Count
    | Counted
    | Phase
    | Mark
    | Simultaneous
    | Secret
    | Alternate
    | End
    | Pass
    | ChoiceStatement
    | ExampleStatement
)
