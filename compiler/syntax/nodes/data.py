"""The syntax tree: declarations of kinds, spaces, counters, fields, tables, options."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from grognard.compiler.syntax.nodes.exprs import (
    Cites,
    Expr,
    Name,
    NamedArg,
    Param,
    TypeExpr,
    Use,
)
from grognard.compiler.syntax.nodes.stmts import RequireStmt
from grognard.support.source import Span

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from grognard.support.frozen_nodes import dataclass


@dataclass(frozen=True, slots=True)
class Member:
    name: str
    title: str
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class FieldDecl:
    """A column of a kind, a field of a piece, space, record, side or game."""

    name: str
    axes: tuple[TypeExpr, ...]
    type: TypeExpr
    default: Expr | None
    secret: bool
    secret_while: Expr | None
    state: bool
    edge: bool
    clamped: bool
    reset_at: str | None  # a mark
    per: str | None  # a phase or counter
    follows: str | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class SecretAll:
    """The piece itself is hidden; with `only_type`, only what it is."""

    condition: Expr | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)
    only_type: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A drawn table row: cells with their own spans."""

    cells: tuple[tuple[str, Span], ...]
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class EnumDecl:
    name: str
    members: tuple[Member, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class KindDecl:
    """`powers` are a kind whose rows are seats."""

    name: str
    parent: str | None
    source: str | None
    rows: tuple[Row, ...]
    fields: tuple[FieldDecl, ...]
    powers: bool
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)
    #: the columns are declared, and their cells stand in the rows
    typed: bool = False


@dataclass(frozen=True, slots=True)
class SidesDecl:
    members: tuple[Member, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class ClassDecl:
    name: str
    fields: tuple[FieldDecl, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class SpaceDecl:
    name: str
    place: str | None
    sort: str
    source: str | None
    fields: tuple[FieldDecl, ...]
    classes: tuple[ClassDecl, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class PieceDecl:
    """`record`: a bundle of values; with `up_to` it lives in the position like a counter."""

    name: str
    kind: str | None
    record: bool
    interchangeable: bool
    up_to: Expr | None
    fields: tuple[FieldDecl, ...]
    secret_all: SecretAll | None
    reset_at: str | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)
    secret_type: SecretAll | None = None


@dataclass(frozen=True, slots=True)
class FormField:
    """A field of a form: a value of a type (out of a source), a route of a movement, or (with a value) no question."""

    name: str
    type: TypeExpr | None
    source: Expr | None
    value: Expr | None
    route: Use | None
    goal: Expr | None
    where: Expr | None
    up_to: Expr | None
    label: str
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class FormMember:
    name: str
    title: str
    columns: tuple[NamedArg, ...]
    body: tuple[RequireStmt | FormField, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class FormDecl:
    """A sheet to fill in: one of its members, then the fields that this one asks for."""

    name: str
    params: tuple[Param, ...]
    columns: tuple[FieldDecl, ...]
    members: tuple[FormMember, ...]
    #: of every member: requirements first, fields after those of the member
    body: tuple[RequireStmt | FormField, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class StatesLine:
    """From any of these states to any of those."""

    before: tuple[Name, ...]
    after: tuple[Name, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class StatesDecl:
    """The life cycle that a field of a piece goes through."""

    piece: str
    owned: str
    lines: tuple[StatesLine, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class OwnerDecl:
    """`game`, `each side`, `each power`."""

    sort: str
    fields: tuple[FieldDecl, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class BagDecl:
    name: str
    var: str
    kind: str
    where: Expr | None
    copies: Expr
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class RelationDecl:
    name: str
    left: str
    right: str
    mutual: bool
    reset_at: str | None
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class OptionDecl:
    name: str
    title: str
    values: tuple[Member, ...]
    default: str
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class SetOption:
    name: str
    value: str
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class DieDecl:
    name: str
    faces: Expr
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Axis:
    name: str
    type: TypeExpr
    clamp: str  # "", clamped, clamped_low, clamped_high
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class TableDecl:
    name: str
    axes: tuple[Axis, ...]
    result: TypeExpr
    source: str | None
    rows: tuple[Row, ...]
    cites: Cites = field(compare=False)
    span: Span = field(compare=False)
