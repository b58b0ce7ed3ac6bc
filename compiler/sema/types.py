"""Types of the language, and the domains whose members values are.

Every value is an integer at run time.  A type says which integers, how they are shown, and which operations apply.
Integer types are intervals: arithmetic computes with them, so that a die total that leaves a table is reported at
compile time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from grognard.compiler.syntax import nodes as syn
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.sema.callable_types import CallableType

INT_LO = -0x7FFF_FFFF
INT_HI = 0x7FFF_FFFF
#: Names of the directions, clockwise.
FLAT_DIRECTIONS = ["n", "ne", "se", "s", "sw", "nw"]
POINTY_DIRECTIONS = ["ne", "e", "se", "sw", "w", "nw"]
SQUARE_DIRECTIONS = ["n", "ne", "e", "se", "s", "sw", "w", "nw"]

Sort = Literal["int", "flag", "dom", "set", "list", "record", "none", "unknown"]


@dataclass(slots=True, eq=False)
class FieldInfo:
    """A declared field or column, and its number in the IR."""

    name: str
    type: Type
    axes: tuple[Dom, ...]
    decl: syn.FieldDecl | None
    owner: Dom | None
    #: exactly one of these is set
    field: int | None = None  # state
    column: int | None = None  # data
    secret: bool = False
    #: while hidden, it reads none, even if its type is not optional
    veiled: bool = False
    known: int | None = None  # field id: "revealed" flag of a secret field
    follows: str | None = None
    clamped: bool = False
    edge: bool = False
    #: of a state of edges: the column of the values printed on the map
    printed: int | None = None
    #: of a life cycle: the steps that it may take, as pairs of members
    steps: set[tuple[int, int]] | None = None
    #: of a field that holds a form: a field for each part
    parts: dict[str, FieldInfo] | None = None


@dataclass(slots=True, eq=False)
class Dom:
    """A domain under construction: an enum, a kind, the sides, a space or class of places, a piece type ..."""

    id: int
    name: str
    sort: Literal["enum", "kind", "side", "power", "place", "edge", "piece", "record", "range", "direction"]
    span: Span | None
    cites: tuple[str, ...] = ()
    members: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    #: names that errata have replaced -> place of the member
    renamed: dict[str, int] = field(default_factory=dict)
    fields: dict[str, FieldInfo] = field(default_factory=dict)
    #: place classes: the space; a space: none
    parent: Dom | None = None
    classes: list[Dom] = field(default_factory=list)
    #: piece: its kind
    kind: Dom | None = None
    #: of a nested kind: the kind around it
    within: Dom | None = None
    base: int = 0
    space_sort: str = ""
    edges: Dom | None = None
    alive: int | None = None
    interchangeable: bool = False
    up_to: int = 0
    secret_all: syn.SecretAll | None = None
    #: whether the members are fixed by code (enum) or by data (kind, places, pieces)
    from_code: bool = True
    range_lo: int = 0
    decl: object = None
    #: of an enum of procedures, rules or actions: their type
    callable_type: CallableType | None = None
    #: of a union: the domains that it is made of
    parts: tuple[Dom, ...] = ()

    @property
    def seat(self) -> bool:
        return self.sort in ("side", "power")

    def index(self, member: str) -> int | None:
        try:
            return self.members.index(member)
        except ValueError:
            return self.renamed.get(member)

    def is_in(self, other: Dom) -> bool:
        """Whether every member of this domain is one of the other (a class of places in its space)."""
        if self.parts and self is not other:
            return all(part.is_in(other) for part in self.parts)
        return (
            self is other
            or (self.parent is not None and self.parent.is_in(other))
            or any(self.is_in(part) for part in other.parts)
        )

    def find_field(self, name: str) -> FieldInfo | None:
        if name in self.fields:
            return self.fields[name]
        return self.parent.find_field(name) if self.parent else None


@dataclass(slots=True, eq=False)
class RecordInfo:
    """A value record: a bundle of named values that lives in locals."""

    name: str
    fields: dict[str, Type]
    span: Span
    form: FormInfo | None = None


@dataclass(slots=True, eq=False)
class FormInfo:
    """A form: the domain of its members' names, and which fields each member asks for.

    A value of it is a record of the name and of all fields, those of other members being none, no or empty."""

    name: str
    names: Dom
    record: RecordInfo
    params: list[tuple[str, Type]]
    decl: syn.FormDecl
    #: member -> the fields that surely have a value
    filled: dict[str, set[str]] = field(default_factory=dict)
    #: member -> the name of the callable that fills it in
    sheets: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Type:
    sort: Sort
    lo: int = INT_LO
    hi: int = INT_HI
    dom: Dom | None = None
    optional: bool = False
    record: RecordInfo | None = None
    element: Type | None = None  # of lists
    capacity: int = 0

    def __str__(self) -> str:
        match self.sort:
            case "int":
                text = "int" if self.lo <= INT_LO and self.hi >= INT_HI else f"{self.lo}..{self.hi}"
                if self.lo == self.hi:
                    text = str(self.lo)
            case "dom":
                text = self.dom.name if self.dom else "?"
            case "set":
                text = f"set of {self.dom.name if self.dom else '?'}"
            case "list":
                text = f"list of {self.element}"
            case "record":
                text = self.record.name if self.record else "?"
            case _:
                text = self.sort
        return text + ("?" if self.optional else "")

    @property
    def words(self) -> str:
        """The type in a sentence: `a number (0..4)`, `Hex or none`."""
        match self.sort:
            case "int":
                text = "a number" if str(self.required()) == "int" else f"a number ({self.required()})"
            case "flag":
                text = "a flag (yes or no)"
            case _:
                text = str(self.required())
        return text + (" or none" if self.optional and self.sort != "none" else "")

    def required(self) -> Type:
        return replace(self, optional=False) if self.optional else self

    def maybe(self) -> Type:
        if self.optional or self.sort in ("set", "list") or (self.sort == "record" and self.form is None):
            return self
        return replace(self, optional=True)

    @property
    def form(self) -> FormInfo | None:
        return self.record.form if self.sort == "record" and self.record is not None else None

    @property
    def show(self) -> str:
        """How the runtime shows a value of the type (ir.IntType.show)."""
        if self.sort == "flag":
            return "flag"
        if self.sort == "dom" and self.dom:
            if self.dom.parts:
                return "doms:" + ",".join(str(part.id) for part in self.dom.parts)
            return f"dom:{self.dom.id}"
        return "int"


INT = Type("int")
FLAG = Type("flag", 0, 1)
NONE_TYPE = Type("none", optional=True)
UNKNOWN = Type("unknown", optional=False)


def int_range(lo: int, hi: int) -> Type:
    return Type("int", max(lo, INT_LO), min(hi, INT_HI))


def dom_type(dom: Dom, optional: bool = False) -> Type:
    return Type("dom", dom=dom, optional=optional)


def set_type(dom: Dom) -> Type:
    return Type("set", dom=dom)


def known_range(doms: Iterable[Dom], lo: int, hi: int) -> Dom | None:
    """The domain of the numbers lo..hi, if there is one."""
    name = f"{lo}..{hi}"
    return next((dom for dom in doms if dom.sort == "range" and dom.name == name), None)


def range_members(lo: int, hi: int) -> list[str]:
    return [str(value) for value in range(lo, hi + 1)]


def union_of(name: str, parts: tuple[Dom, ...], span: Span) -> Dom:
    """No domain of the program: a value of it belongs to one of its parts."""
    return Dom(-1, name, parts[0].sort, span, parts=parts)


def common_dom(a: Dom, b: Dom) -> Dom | None:
    """The smallest domain that holds both, if they lie in one space."""
    if a.is_in(b):
        return b
    if b.is_in(a):
        return a
    if a.parent and b.parent and a.parent is b.parent:
        return a.parent
    return None


def join(a: Type, b: Type) -> Type | None:
    """The type of a value that is either; None if there is none."""
    if a.sort == "unknown":
        return b
    if b.sort == "unknown":
        return a
    if a.sort == "none":
        return b.maybe() if b.sort not in ("set", "list", "record") or b.form is not None else None
    if b.sort == "none":
        return join(b, a)
    optional = a.optional or b.optional
    if a.sort == b.sort == "int":
        return Type("int", min(a.lo, b.lo), max(a.hi, b.hi), optional=optional)
    if a.sort == b.sort == "flag":
        return Type("flag", 0, 1, optional=optional)
    if a.sort == b.sort and a.sort in ("dom", "set") and a.dom and b.dom:
        dom = common_dom(a.dom, b.dom)
        return None if dom is None else replace(a, dom=dom, optional=optional)
    if a.sort == b.sort == "record" and a.record is b.record:
        return b if b.optional else a
    if a.sort == b.sort == "list":
        if a.element is None or b.element is None or join(a.element, b.element) is None:
            return None
        return a if a.capacity >= b.capacity else b
    return None


def accepts(target: Type, value: Type) -> bool:
    """Whether a value of the second type fits the first (intervals are checked elsewhere)."""
    if target.sort == "unknown" or value.sort == "unknown":
        return True
    if value.sort == "none":
        return target.optional
    if value.optional and not target.optional:
        return False
    if target.sort != value.sort:
        return False
    if target.sort in ("dom", "set"):
        assert target.dom and value.dom
        return value.dom.is_in(target.dom)
    if target.sort == "record":
        return target.record is value.record
    if target.sort == "list":
        return (
            target.element is not None
            and value.element is not None
            and accepts(target.element, value.element)
        )
    return True
