"""The syntax tree: expressions, types and citations."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from grognard.support.source import Span

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from grognard.support.frozen_nodes import dataclass


@dataclass(frozen=True, slots=True)
class Cites:
    """The citations behind a line: `[7.1, A-3]` -> ("7.1", "A-3")."""

    ids: tuple[str, ...] = ()
    span: Span | None = None

    def __bool__(self) -> bool:
        return bool(self.ids)


NO_CITES = Cites()


@dataclass(frozen=True, slots=True)
class Name:
    id: str
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Number:
    text: str
    span: Span = field(compare=False)

    @property
    def value(self) -> int:
        return int(self.text)


@dataclass(frozen=True, slots=True)
class Text:
    value: str
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class NoneLit:
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class FlagLit:
    value: bool
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Dot:
    object: Expr
    name: str
    name_span: Span = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class CallExpr:
    callee: Expr
    args: tuple[Expr, ...]
    named: tuple[NamedArg, ...]
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class NamedArg:
    name: str
    value: Expr
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class UnaryExpr:
    op: str  # neg not
    value: Expr
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class BinaryExpr:
    op: str  # or and is is_not lt le gt ge in not_in add sub mul mod div_up div_down div_near
    left: Expr
    right: Expr
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Ternary:
    condition: Expr
    then: Expr
    otherwise: Expr
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class RangeExpr:
    lo: Expr
    hi: Expr
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Items:
    items: tuple[Expr, ...]
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class SetLiteral:
    items: tuple[Expr, ...]
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class AggregateExpr:
    op: str
    var: str
    source: Expr
    where: Expr | None
    value: Expr | None  # after `:`
    key: Expr | None  # after `by`
    rank: str  # highest lowest
    var_span: Span = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class MatchedExpr:
    """`matched(a in S at X, c in T at Y room n)`: how many of S can be with one of T, each of which goes to one place."""

    left: str
    left_source: Expr
    left_at: Expr
    right: str
    right_source: Expr
    right_at: Expr
    room: Expr | None
    left_span: Span = field(compare=False)
    right_span: Span = field(compare=False)
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class AsOf:
    value: Expr
    mark: str
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Latest:
    """`latest u.spot`: the value that is pending, else the one in force."""

    value: Expr
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Use:
    """A call of a procedure, action or menu by name."""

    name: str
    args: tuple[Expr, ...]
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class AtBest:
    """`at best plan(p)`: the greatest result of a procedure over all choices in it, on a copy of the position."""

    use: Use
    enough: int | None
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class EverSince:
    """`held(t) ever since turn_end of p`: the condition has held in every state since the mark."""

    condition: Expr
    mark: str
    of: str | None
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class OrElse:
    """`x else y`: y where x is none, or cannot be read because something on the way to it is none."""

    value: Expr
    otherwise: Expr
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Joint:
    """`by owners else by p`: several seats decide together; another one does where they disagree."""

    seats: Expr
    otherwise: Expr
    span: Span = field(compare=False)


Expr: TypeAlias = (
    Name
    | Number
    | Text
    | NoneLit
    | FlagLit
    | Dot
    | CallExpr
    | UnaryExpr
    | BinaryExpr
    | Ternary
    | OrElse
    | RangeExpr
    | Items
    | SetLiteral
    | AggregateExpr
    | AsOf
    | Latest
    | AtBest
    | MatchedExpr
    | EverSince
    | Joint
)


@dataclass(frozen=True, slots=True)
class TypeExpr:
    """`sort` is "plain" (a name or a range in `base`), "set" or "list" (of `element`, up to `capacity`), "name" (of
    the form in `base`), "union" (any of `parts`) or "callable" (a procedure, rule or action by its name: `parts` are what
    it is given, `element` its result)."""

    sort: str
    base: Expr | None
    element: TypeExpr | None
    capacity: int
    optional: bool
    span: Span = field(compare=False)
    parts: tuple[TypeExpr, ...] = ()


@dataclass(frozen=True, slots=True)
class Param:
    name: str
    type: TypeExpr
    span: Span = field(compare=False)
