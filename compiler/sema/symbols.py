"""What a ruleset declares: its names, with their types and effects, and where their values are kept.

`declare` and `effects.analyse` work it out (declaring.py); from then on nothing changes it.  Checks and lowering read it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from grognard.compiler.sema.facts import Facts
from grognard.compiler.sema.types import (
    Dom,
    FieldInfo,
    FormInfo,
    RecordInfo,
    Type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.support.lazy_attributes import LazyAttributes
from grognard.support.source import Span


@dataclass(slots=True, eq=False)
class Callable_(LazyAttributes):
    """A rule, modifiers list, table, procedure, action, sight, arc or movement, by name."""

    name: str
    sort: str  # rule modifiers table procedure action menu sight arc movement event
    params: list[tuple[str, Type]]
    result: Type | None
    decl: Any
    span: Span
    cites: tuple[str, ...]
    layer: int = 0
    exceptions: list[tuple[int, syn.ExceptionDecl]] = field(default_factory=list)
    asks: bool = False  # can reach a decision
    writes: bool = False  # changes the state, rolls or draws
    uses_me: bool = False
    #: the first use of `me`, its own or that of a callee
    me_at: Span | None = None
    #: parameters that the body may write
    changeable: frozenset[str] = frozenset()
    table: int | None = None


@dataclass(slots=True, eq=False)
class OptionInfo:
    name: str
    values: list[str]  # ["off", "on"] for plain ones
    value: str
    decl: syn.OptionDecl
    dom: Dom | None  # None for on/off


@dataclass(slots=True, eq=False)
class BagInfo:
    name: str
    kind: Dom
    field: FieldInfo
    decl: syn.BagDecl


class Symbols(LazyAttributes):
    """The symbol table.  Numbers of fields, columns and tables are places in the lists here; programs begin with the same."""

    name: str
    #: what is known of syntax alone
    facts: Facts
    doms: Sequence[Dom]
    #: relations and bags whose declaration is in error: their uses are not reported
    broken: AbstractSet[str]
    #: kinds whose files could not be read: the names of their rows are unknown
    unread: AbstractSet[str]
    types: Mapping[str, Dom]
    records: Mapping[str, RecordInfo]
    forms: Mapping[str, FormInfo]
    #: enums of callables by their callable type, and by the names of the fields that hold one
    callable_types: Mapping[str, Dom]
    dispatched: Mapping[str, Sequence[Dom]]
    #: unions of pieces or places by their names
    unions: Mapping[str, Dom]
    callables: Mapping[str, Callable_]
    events: Mapping[str, Callable_]
    #: handlers of events as they are written, and as procedures (handlers.py)
    handlers: Mapping[str, Sequence[tuple[int, syn.OnDecl]]]
    handlers_of: Mapping[str, Sequence[Callable_]]
    #: names of the handlers that run only where a condition holds; their whole body stands in a test of it
    conditional: AbstractSet[str]
    change_handlers: Sequence[tuple[int, syn.OnChangeDecl]]
    #: handlers of changes as procedures, each with the number of the field that it watches
    watchers: Sequence[tuple[int, Callable_]]
    options: Mapping[str, OptionInfo]
    bags: Mapping[str, BagInfo]
    dice: Mapping[str, tuple[int, int]]
    #: dice with faces of their own: what each shows, and the type of it
    faces: Mapping[str, tuple[tuple[syn.Expr, ...], Type]]
    marks: AbstractSet[str]
    #: instants (start or end, phase) that writes wait for
    points: AbstractSet[tuple[str, str]]
    #: the phases of all sequences, as a domain; None without any
    phases: Dom | None
    asks_during: bool
    #: callables that may run inside a simultaneous or secret block, so that events there must wait
    in_branches: AbstractSet[str]
    #: the pieces that are created in such a block
    created_in_branches: AbstractSet[str]
    #: the events that a simultaneous or secret block may emit, by the span of the block
    events_in_blocks: Mapping[Span, Sequence[str]]
    #: instants (start or end, phase), with the procedures that are scheduled for them
    schedules: Mapping[tuple[str, str], AbstractSet[str]]
    sequence_decls: Sequence[syn.SequenceDecl]
    example_decls: Sequence[syn.ExampleDecl]
    globals: Mapping[str, FieldInfo]  # `game` fields
    seat_fields: Mapping[str, FieldInfo]  # each side / each power
    relations: Mapping[str, FieldInfo]
    #: where declared values are kept
    fields: Sequence[ir.Field]
    columns: Sequence[ir.Column]
    tables: Sequence[ir.Table]
    spaces: Sequence[Dom]
    sides: Dom | None
    seats: Dom | None
    direction: Dom | None
    #: fields to reset at a mark, at the start of a phase or with a counter
    reset_at: Mapping[str, Sequence[int]]
    reset_per: Mapping[str, Sequence[int]]
    fields_by_id: Mapping[int, FieldInfo]
    policies: Mapping[str, tuple[int, syn.PolicyDecl]]
    situations: Mapping[str, Callable_]
    #: rolls and draws stop like questions: the program that odds are worked out on
    chance: bool
    layer_names: Sequence[str]
    passed_field: int
    #: sections that headings cite, with where
    cited: Mapping[str, Sequence[Span]]

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"symbols do not change: {name}")

    def events_in(self, block: Any) -> Sequence[str]:
        """The events that a simultaneous or secret block may emit."""
        return self.events_in_blocks.get(block.span, ())
