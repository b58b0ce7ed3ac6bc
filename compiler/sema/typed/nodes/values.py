"""Names, literals, fields and records."""

from __future__ import annotations

from dataclasses import dataclass, field

from grognard.compiler.sema.scope import Variable
from grognard.compiler.sema.types import Dom, FieldInfo, FormInfo, Type
from grognard.compiler.syntax import nodes as syn
from grognard.support.source import Span


@dataclass(slots=True, eq=False)
class Typed:
    """An expression with its type."""

    type: Type
    #: what was written here; nothing for what the checker added
    syntax: syn.Expr | None = field(default=None, kw_only=True)


@dataclass(slots=True, eq=False)
class Broken(Typed):
    """An expression with a mistake, which has been told; the type is what it would have had, if that is known."""


@dataclass(slots=True, eq=False)
class Constant(Typed):
    value: int


@dataclass(slots=True, eq=False)
class Member(Typed):
    """A member of a domain, by its name there."""

    dom: Dom
    name: str
    place: int


@dataclass(slots=True, eq=False)
class PlaceNamed(Typed):
    """A place by its name; `member` is what is known of it, which is nothing where the map is known only later."""

    dom: Dom
    text: str
    member: Member | None
    span: Span


@dataclass(slots=True, eq=False)
class OptionValue(Typed):
    option: str


@dataclass(slots=True, eq=False)
class Given(Typed):
    """What a name is bound to."""

    variable: Variable


@dataclass(slots=True, eq=False)
class Me(Typed):
    """The acting seat."""


@dataclass(slots=True, eq=False)
class Base(Typed):
    """What the rule gives without this exception."""


@dataclass(slots=True, eq=False)
class SetOf(Typed):
    items: tuple[Typed, ...]


@dataclass(slots=True, eq=False)
class ListOf(Typed):
    items: tuple[tuple[Typed, Span], ...]


@dataclass(slots=True, eq=False)
class Read(Typed):
    """A field or column: of an owner, or of the game."""

    info: FieldInfo
    owner: Typed | None
    axes: tuple[Typed, ...]
    span: Span


@dataclass(slots=True, eq=False)
class KindRead(Typed):
    """A column of a counter's kind."""

    info: FieldInfo
    #: the counter's field that holds its kind
    kind: FieldInfo
    owner: Typed
    axes: tuple[Typed, ...]
    span: Span


@dataclass(slots=True, eq=False)
class EdgeRead(Typed):
    """A field of a hexside that may not be there."""

    info: FieldInfo
    owner: Typed
    span: Span


@dataclass(slots=True, eq=False)
class UnionRead(Typed):
    """A field that all parts of a union have: the owner, what the parts know it by, and the value for each of them."""

    owner: Typed
    slot: Variable
    parts: tuple[tuple[Dom, Typed], ...]


@dataclass(slots=True, eq=False)
class Relation(Typed):
    info: FieldInfo
    left: Typed
    right: Typed
    span: Span


@dataclass(slots=True, eq=False)
class Part(Typed):
    """A part of a record or form."""

    owner: Typed
    name: str


@dataclass(slots=True, eq=False)
class PartFor(Typed):
    """A part of a record that has one value for each of these members."""

    owner: Typed
    name: str
    members: tuple[str, ...]
    index: Typed
    span: Span


@dataclass(slots=True, eq=False)
class Record(Typed):
    parts: dict[str, Typed]


@dataclass(slots=True, eq=False)
class FilledForm(Typed):
    """A form written out: the member, and the fields that are given."""

    form: FormInfo
    member: Typed
    given: dict[str, Typed]


@dataclass(slots=True, eq=False)
class BlankForm(Typed):
    """A form of which only the member is said, or that it is none."""

    name: Typed
