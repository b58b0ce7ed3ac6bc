"""The schema of a ruleset: what there is to read, by name.

The program (ir.Program) knows domains, fields and columns by number.  The schema adds what a reader of positions needs to
know about them: their names, types, owners and axes, which of them are secret, which callables there are, and the
sections of the rulebook.  The compiler builds it once, when it freezes the program.  Play, bots, odds and the command line
read it and nothing else of the compiler's tables.

A schema is frozen and refers to its own domains and fields by identity.  It can be pickled, and holds no syntax tree.
Members of domains that a scenario's data fixes (places, edges, pieces) are not in it: see DataBlock.domains.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from grognard.contract.rulebook import Rulebook
from grognard.support.pickling import add_fast_pickling
from grognard.support.source import Span

INT_LO = -0x7FFF_FFFF
INT_HI = 0x7FFF_FFFF

ValueSort: TypeAlias = Literal["int", "flag", "dom", "set", "list", "record", "none", "unknown"]
DomainSort: TypeAlias = Literal[
    "enum", "kind", "side", "power", "place", "edge", "piece", "record", "range", "direction"
]


@dataclass(frozen=True, slots=True)
class ValueType:
    """The type of a field, a parameter or a result."""

    sort: ValueSort
    lo: int = INT_LO
    hi: int = INT_HI
    #: of members and sets: their domain
    dom: DomainSchema | None = None
    optional: bool = False
    #: of records: the name of the record
    record: str = ""
    #: of lists
    element: ValueType | None = None
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
                text = self.record or "?"
            case _:
                text = self.sort
        return text + ("?" if self.optional else "")

    @property
    def words(self) -> str:
        """The type in a sentence: `a number (0..4)`, `Hex or none`."""
        required = str(replace(self, optional=False))
        match self.sort:
            case "int":
                text = "a number" if required == "int" else f"a number ({required})"
            case "flag":
                text = "a flag (yes or no)"
            case _:
                text = required
        return text + (" or none" if self.optional and self.sort != "none" else "")

    @property
    def show(self) -> str:
        """How a value of the type is shown (ir.IntType.show)."""
        if self.sort == "flag":
            return "flag"
        if self.sort == "dom" and self.dom:
            if self.dom.alternatives:
                return "doms:" + ",".join(str(part.id) for part in self.dom.alternatives)
            return f"dom:{self.dom.id}"
        return "int"


@dataclass(frozen=True, slots=True, eq=False)
class FieldSchema:
    """A declared field or column, and where the program keeps it."""

    name: str
    type: ValueType
    #: domains that it is indexed by beside its owner
    axes: tuple[DomainSchema, ...]
    #: None: a field of the game
    owner: DomainSchema | None
    #: number of the state field; None for a constant column
    field: int | None
    #: number of the constant column; None for a state field
    column: int | None
    secret: bool
    #: hidden, it reads none whatever its type
    veiled: bool
    #: of a secret field: number of the state field that says whether it was revealed
    known: int | None
    #: name of the field that names the carrier whose value this one takes
    follows: str | None
    #: belongs to the edges of a space
    edge: bool
    #: of a state of edges: number of the column with what the map prints
    printed: int | None
    #: of a field that holds a form: a field for each part
    parts: dict[str, FieldSchema] | None
    #: some condition of secrecy reads it
    decides_secrecy: bool


@dataclass(frozen=True, slots=True, eq=False)
class DomainSchema:
    """A domain: an enum, a kind, the sides, a space or class of places, a type of pieces ..."""

    id: int
    name: str
    sort: DomainSort
    #: names of the members that the rules or the title's kinds fix; empty for places, edges and pieces
    members: tuple[str, ...]
    fields: dict[str, FieldSchema]
    #: of a class of places: its space
    parent: DomainSchema | None
    #: of a space: its classes of places
    classes: tuple[DomainSchema, ...]
    #: of pieces: the kind that they are of
    kind: DomainSchema | None
    #: of a nested kind: the kind it lies in
    within: DomainSchema | None
    #: of a space: hexes, squares or areas
    space_sort: str
    #: of a space: the domain of its edges
    edges: DomainSchema | None
    #: of pieces: number of the state field that says which are in play
    alive: int | None
    interchangeable: bool
    #: of pieces: how many there can be
    up_to: int
    #: of a union: the domains that it is made of
    alternatives: tuple[DomainSchema, ...]
    #: pieces that can be hidden as a whole
    secret: bool
    #: numbers of the state fields that the condition of that secrecy reads
    secrecy_fields: frozenset[int]

    def find_field(self, name: str) -> FieldSchema | None:
        """A field of this domain or of the space around it."""
        if name in self.fields:
            return self.fields[name]
        return self.parent.find_field(name) if self.parent else None


@dataclass(frozen=True, slots=True)
class CallableSchema:
    """A rule, modifiers list, table, procedure, action, sight, arc or movement, by name."""

    name: str
    #: rule modifiers table procedure action menu sight arc movement event situation
    sort: str
    params: tuple[tuple[str, ValueType], ...]
    result: ValueType | None
    #: takes the acting seat as its first argument
    uses_me: bool
    #: can reach a decision
    asks: bool
    #: changes the state, rolls or draws
    writes: bool
    #: of a sight: declared to be the same both ways
    mutual: bool
    cites: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class BagSchema:
    name: str
    kind: DomainSchema
    field: FieldSchema


@dataclass(frozen=True, slots=True)
class OptionSchema:
    name: str
    values: tuple[str, ...]
    #: the one in force where a scenario says nothing
    value: str


@dataclass(frozen=True, slots=True, eq=False)
class Schema:
    """What a ruleset declares.  Ids of domains, fields and columns are those of its program."""

    name: str
    doms: tuple[DomainSchema, ...]
    #: domains by the names that rules give them; one may have several
    types: dict[str, DomainSchema]
    spaces: tuple[DomainSchema, ...]
    sides: DomainSchema | None
    #: who decides: the sides, or the powers where sides are groups of them
    seats: DomainSchema | None
    direction: DomainSchema | None
    #: fields of the game
    globals: dict[str, FieldSchema]
    relations: dict[str, FieldSchema]
    bags: dict[str, BagSchema]
    options: dict[str, OptionSchema]
    #: declared state fields by their numbers
    fields_by_id: dict[int, FieldSchema]
    callables: dict[str, CallableSchema]
    #: declared set-ups of odds
    situations: dict[str, CallableSchema]
    #: state fields that are secret or belong to pieces that can be hidden
    secret_fields: frozenset[int]
    #: those of them that belong to pieces, each with the number of its domain
    piece_secrets: tuple[tuple[int, int], ...]
    #: state fields that no view shows: internal ones, snapshots of secret ones, bags that are drawn from unseen
    veiled_fields: frozenset[int]
    #: section -> where the rules cite it
    cited: dict[str, tuple[Span, ...]]
    rulebook: Rulebook | None
    #: presentation, as title.yaml gives it: colours by seat or kind, letters by kind
    colours: dict[str, str] = field(default_factory=dict)
    symbols: dict[str, str] = field(default_factory=dict)


for _kind in (ValueType, FieldSchema, DomainSchema, CallableSchema, BagSchema, OptionSchema, Schema):
    add_fast_pickling(_kind, tuple(_kind.__dataclass_fields__))
