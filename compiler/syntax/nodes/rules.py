"""The syntax tree: declarations of rules, procedures, actions, events, movement, the sequence of play."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from grognard.compiler.syntax.nodes.exprs import (
    Cites,
    Expr,
    Param,
    TypeExpr,
    Use,
)
from grognard.compiler.syntax.nodes.stmts import Stmt
from grognard.support.source import Span

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from grognard.support.frozen_nodes import dataclass


@dataclass(frozen=True, slots=True)
class EventDecl:
    name: str
    params: tuple[Param, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a modifiers list.  `sort`: add set half times without bar least most."""

    sort: str
    value: Expr | None
    label: str
    name: str  # what `without` and amendments call it
    struck: tuple[str, ...]  # names, of `without`
    numerator: int
    denominator: int
    rounding: str
    condition: Expr | None
    once: str | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ModifiersDecl:
    name: str
    params: tuple[Param, ...]
    result: TypeExpr
    entries: tuple[Entry, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class RuleDecl:
    name: str
    params: tuple[Param, ...]
    result: TypeExpr
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ExceptionDecl:
    name: str  # what `before` and `after` call it
    label: str
    target: str
    condition: Expr | None
    before: tuple[str, ...]
    after: tuple[str, ...]
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ProcedureDecl:
    name: str
    params: tuple[Param, ...]
    result: TypeExpr | None
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ActionDecl:
    name: str
    params: tuple[Param, ...]
    title: str
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class MenuItem:
    uses: tuple[Use, ...]
    condition: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class MenuDecl:
    name: str
    params: tuple[Param, ...]
    items: tuple[MenuItem, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class OnDecl:
    """`event` is the event's name, for handlers of a roll with `rolling` or `rolled` before it."""

    event: str
    names: tuple[str, ...]
    condition: Expr | None
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class OnChangeDecl:
    """`on v.at changes, v: Vehicle`, or of a field of the game: `on weather changes`."""

    owner: Param | None
    name: str
    condition: Expr | None
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class SightClause:
    """`sort`: mutual along corner let ends hex hexside hinder limit centre."""

    sort: str
    name: str
    value: Expr | None
    label: str
    condition: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class SightDecl:
    name: str
    params: tuple[Param, ...]
    space: str
    clauses: tuple[SightClause, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ArcDecl:
    name: str
    params: tuple[Param, ...]
    space: str
    degrees: Expr
    facing: Expr
    origin: Expr
    border: str
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class MoveClause:
    """`sort`: start allowance step never never_ends costs stops minimum stay.

    The value of a step is how far it may go (none: to a neighbour)."""

    sort: str
    names: tuple[str, str]
    value: Expr | None
    condition: Expr | None
    label: str
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Gait:
    """A way of moving.  A route uses one gait only."""

    name: str
    clauses: tuple[MoveClause, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class MovementDecl:
    """`room`: how many legs a route can have; `like`: the movement that this one is built on."""

    name: str
    params: tuple[Param, ...]
    space: str
    clauses: tuple[MoveClause, ...]
    gaits: tuple[Gait, ...]
    room: int
    like: Use | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class SequenceDecl:
    name: str
    condition: Expr | None
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


#: The name of the rule that evaluates a position for a side.
EVALUATION = "evaluation"

#: The name of the rule by which bots place counters that they cannot see.
PLAUSIBLE = "plausible"


@dataclass(frozen=True, slots=True)
class VictoryDecl:
    body: tuple[Stmt, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)
