"""The syntax tree: statements of rules, procedures and actions."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from grognard.compiler.syntax.nodes.examples import (
    AnswersStmt,
    BoardStmt,
    CountersStmt,
    CounterStmt,
    DiceStmt,
    ExpectStmt,
    MapStmt,
    OddsStmt,
    OptionStmt,
    OutcomeStmt,
    ScenarioStmt,
    TerrainStmt,
)
from grognard.compiler.syntax.nodes.exprs import (
    Cites,
    Expr,
    NamedArg,
    TypeExpr,
    Use,
)
from grognard.support.source import Span

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from grognard.support.frozen_nodes import dataclass


@dataclass(frozen=True, slots=True)
class Let:
    name: str
    type: TypeExpr | None
    value: Expr
    mutable: bool
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ArrayStmt:
    """`var target(Unit): Hex? = none`: a value for each member, that belongs to the procedure."""

    name: str
    axes: tuple[TypeExpr, ...]
    type: TypeExpr
    value: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class AssignStmt:
    """With a `point` ("start", "orders") the write waits for that instant of the sequence of play."""

    target: Expr
    op: str  # set add sub
    value: Expr
    point: tuple[str, str] | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class CaseStmt:
    """`= value when condition`: gives the value of a rule (or of a procedure) if the condition holds."""

    value: Expr
    condition: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class IfStmt:
    arms: tuple[tuple[Expr, tuple[Stmt, ...]], ...]
    otherwise: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ForStmt:
    var: str
    source: Expr
    where: Expr | None
    key: Expr | None
    rank: str
    chosen_by: Expr | None
    label: str
    settled: bool  # passes are repeated until one changes nothing
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class WhileStmt:
    condition: Expr
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class CountStmt:
    """`repeat round from 1 to n`."""

    var: str
    start: Expr
    end: Expr | None
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class TimesStmt:
    """`repeat n times`, or up to n times until a seat is done."""

    count: Expr
    until_done: Expr | None
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class UntilStmt:
    """`repeat ... until condition`, or until done by a seat (when a guard allows it)."""

    body: tuple[Stmt, ...]
    condition: Expr | None
    done_by: Expr | None
    done_when: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class PhaseStmt:
    name: str
    title: str
    condition: Expr | None
    body: tuple[Stmt, ...] | None  # None: does the procedure of its name
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class SimultaneousStmt:
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class SecretStmt:
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class AlternateStmt:
    """`alternate p from a until all pass`; with `shares`, pairs of a seat and how many turns it has in a row."""

    var: str
    first: Expr
    shares: tuple[Expr, ...]
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class RepeatsStmt:
    """`p repeats a, b until done keep c else "why"` / `while possible`."""

    seat: Expr
    uses: tuple[Use, ...]
    while_possible: bool
    done_when: Expr | None
    keep: Expr | None
    why: str
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class OfferStmt:
    """`offer p: a, b` (must), `p may a` (optional), `offer (p, q): a until all pass`."""

    seat: Expr
    uses: tuple[Use, ...]
    optional: bool
    until_all_pass: bool
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class RollStmt:
    target: Expr
    dice: str  # e.g. 2d6
    count: Expr | None  # a pool: `n of d6`
    each_var: str | None  # `each u in S where c, d6 <= v`
    each_source: Expr | None
    each_where: Expr | None
    each_limit: Expr | None
    event: Use | None  # `for shot(a, t)`: handlers may react before and after
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class RerollStmt:
    """In a handler of `rolled`: the dice (or one die of a pool) are thrown again."""

    die: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ChooseStmt:
    name: str
    index: tuple[Expr, ...]  # `choose target(u) in ...`: which element of a procedure-local array
    type: TypeExpr | None
    source: Expr | None
    where: Expr | None
    by: Expr | None
    label: str
    may: bool
    quiet: bool
    prefer: tuple[tuple[str, Expr], ...]
    otherwise: Stmt | None
    cites: Cites = field(compare=False)
    name_span: Span = field(compare=False)
    span: Span = field(compare=False)
    #: arguments of the form
    given: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class ChooseSomeStmt:
    name: str
    source: Expr
    where: Expr | None
    by: Expr | None
    label: str
    exactly: Expr | None
    up_to: Expr | None
    at_least: Expr | None
    such_that: Expr | None  # of the finished set
    keeping: Expr | None  # of every set on the way
    joined: str | None  # a rule or relation that connects the set
    into: str
    otherwise: Stmt | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)
    #: `choose numbers of`: how many of each, what one costs, and what all may cost
    numbers: bool = False
    cost: Expr | None = None
    budget: Expr | None = None


@dataclass(frozen=True, slots=True)
class ChooseRouteStmt:
    """`choose r along walk(u) to goal by p "label"`: places leg by leg, as the movement allows."""

    name: str
    use: Use
    goal: Expr | None
    by: Expr | None
    label: str
    otherwise: Stmt | None
    cites: Cites = field(compare=False)
    name_span: Span = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class AssignMatchStmt:
    """`assign h in hits to v in victims by p "label" where c room r first t then stmt -> n`."""

    left: str
    left_source: Expr
    right: str
    right_source: Expr
    where: Expr | None
    by: Expr | None
    label: str
    room: Expr | None
    first: tuple[Expr, ...]
    then: Stmt | None
    into: str | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class DoStmt:
    use: Use
    into: str | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class EmitStmt:
    event: str
    args: tuple[Expr, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class RequireStmt:
    condition: Expr
    why: str
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ReturnStmt:
    value: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class StopStmt:
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class NextStmt:
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ScheduleStmt:
    """`schedule do f(x) at end of PHASE, n turns later`."""

    use: Use
    point: tuple[str, str]
    later: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class PassStmt:
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class DestroyStmt:
    value: Expr
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class CreateStmt:
    piece: str
    kind: Expr | None
    fields: tuple[NamedArg, ...]
    into: str | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class DrawStmt:
    name: str
    source: Expr
    seen_by: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class PutStmt:
    value: Expr
    target: Expr
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class RevealStmt:
    value: Expr
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ShowStmt:
    """Show values to one seat; the fields stay secret."""

    values: tuple[Expr, ...]
    to: Expr
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class MarkStmt:
    name: str
    of: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class LogStmt:
    text: str
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class EndStmt:
    winner: Expr | None
    condition: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


Stmt: TypeAlias = (
    Let
    | ArrayStmt
    | AssignStmt
    | CaseStmt
    | IfStmt
    | ForStmt
    | WhileStmt
    | CountStmt
    | TimesStmt
    | UntilStmt
    | PhaseStmt
    | SimultaneousStmt
    | SecretStmt
    | AlternateStmt
    | RepeatsStmt
    | OfferStmt
    | RollStmt
    | RerollStmt
    | ChooseStmt
    | ChooseSomeStmt
    | ChooseRouteStmt
    | AssignMatchStmt
    | DoStmt
    | EmitStmt
    | RequireStmt
    | ReturnStmt
    | StopStmt
    | NextStmt
    | ScheduleStmt
    | PassStmt
    | DestroyStmt
    | CreateStmt
    | DrawStmt
    | PutStmt
    | RevealStmt
    | ShowStmt
    | MarkStmt
    | LogStmt
    | EndStmt
    | ExpectStmt
    | DiceStmt
    | AnswersStmt
    | CounterStmt
    | CountersStmt
    | OddsStmt
    | OutcomeStmt
    | BoardStmt
    | ScenarioStmt
    | OptionStmt
    | TerrainStmt
    | MapStmt
)
