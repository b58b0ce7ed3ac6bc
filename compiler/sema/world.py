"""The symbol table of a ruleset, and the parts of its IR program: domains, fields, callables, sites, functions.

`declare` fills it from the merged layers, lowering reads and extends it, and lower/freeze.py makes an ir.Program of it.
"""

from __future__ import annotations

from collections.abc import Iterable
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
from grognard.support.diagnostics import Sink
from grognard.support.lazy_attributes import LazyAttributes
from grognard.support.source import Span

_NUMBERED_BY_DATA = ("place", "edge", "piece", "record")


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
    used: bool = False


@dataclass(slots=True, eq=False)
class OptionInfo:
    name: str
    values: list[str]  # ["off", "on"] for plain ones
    value: str
    symbol: int
    decl: syn.OptionDecl
    dom: Dom | None  # None for on/off


@dataclass(slots=True, eq=False)
class BagInfo:
    name: str
    kind: Dom
    field: FieldInfo
    decl: syn.BagDecl


class World(LazyAttributes):
    """The symbols of a ruleset.  Ids are positions in the lists, as in ir.Program."""

    def __init__(self, name: str, sink: Sink, facts: Facts | None = None) -> None:
        self.name = name
        self.sink = sink
        #: what is known of syntax alone
        self.facts = facts or Facts()
        self.doms: list[Dom] = []
        #: relations and bags whose declaration is in error: their uses are not reported
        self.broken: set[str] = set()
        #: kinds whose files could not be read: the names of their rows are unknown
        self.unread: set[str] = set()
        self.types: dict[str, Dom] = {}
        self.records: dict[str, RecordInfo] = {}
        self.forms: dict[str, FormInfo] = {}
        #: enums of callables by their callable type, and by the names of the fields that hold one
        self.callable_types: dict[str, Dom] = {}
        self.dispatched: dict[str, list[Dom]] = {}
        #: unions of pieces or places by their names
        self.unions: dict[str, Dom] = {}
        self.callables: dict[str, Callable_] = {}
        self.events: dict[str, Callable_] = {}
        self.handlers: dict[str, list[tuple[int, syn.OnDecl]]] = {}
        self.change_handlers: list[tuple[int, syn.OnChangeDecl]] = []
        self.options: dict[str, OptionInfo] = {}
        self.bags: dict[str, BagInfo] = {}
        self.dice: dict[str, tuple[int, int]] = {}
        #: dice with faces of their own: what each shows, and the type of it
        self.faces: dict[str, tuple[tuple[syn.Expr, ...], Type]] = {}
        self.marks: set[str] = set()
        #: instants (start or end, phase) that writes wait for
        self.points: set[tuple[str, str]] = set()
        #: the phases of all sequences, as a domain; None without any
        self.phases: Dom | None = None
        self.asks_during = False
        #: callables that may run inside a simultaneous or secret block, so that events there must wait
        self.in_branches: set[str] = set()
        #: the pieces that are created in such a block
        self.created_in_branches: set[str] = set()
        #: fields of the compiler's own that no view shows
        self.veiled: set[int] = set()
        #: the events that a simultaneous or secret block may emit, by the span of the block
        self._events_in: dict[Span, list[str]] = {}
        #: instants (start or end, phase), with the procedures that are scheduled for them
        self.schedules: dict[tuple[str, str], set[str]] = {}
        self.sequence_decls: list[syn.SequenceDecl] = []
        self.example_decls: list[syn.ExampleDecl] = []
        self.globals: dict[str, FieldInfo] = {}  # `game` fields
        self.seat_fields: dict[str, FieldInfo] = {}  # each side / each power
        self.relations: dict[str, FieldInfo] = {}
        self.fields: list[ir.Field] = []
        self.columns: list[ir.Column] = []
        self.tables: list[ir.Table] = []
        self.symbols: list[ir.Symbol] = []
        #: how many of them the rules name; the others only examples, each on a map of its own
        self.rule_symbols: int | None = None
        self.symbol_ids: dict[str, int] = {}
        #: those that were asked for, for whoever empties it
        self.named: set[str] = set()
        self.sites: list[ir.Site] = []
        self.functions: list[ir.Function | None] = []
        self.machines: list[ir.Machine | None] = []
        self.asks: list[ir.AskDecl] = []
        self.actions: list[ir.ActionDecl] = []
        self.movements: list[ir.Movement] = []
        self.spaces: list[Dom] = []
        self.sides: Dom | None = None
        self.seats: Dom | None = None
        self.direction: Dom | None = None
        #: fields to reset at a mark, at the start of a phase or with a counter
        self.reset_at: dict[str, list[int]] = {}
        self.reset_per: dict[str, list[int]] = {}
        #: (field id, mark) -> field id of the snapshot
        self.snapshots: dict[tuple[int, str], int] = {}
        self.fields_by_id: dict[int, FieldInfo] = {}
        self.journal = 0
        self.policies: dict[str, tuple[int, syn.PolicyDecl]] = {}
        self.situations: dict[str, Callable_] = {}
        #: rolls and draws stop like questions: the program that odds are worked out on
        self.chance = False
        self.layer_names: list[str] = []
        self.passed_field: int = -1
        #: names people may cite, from rulebook.yaml; None: no list
        self.rulebook: set[str] | None = None
        self.cited: dict[str, list[Span]] = {}

    # ---- domains

    def new_dom(self, name: str, sort: Any, span: Span | None, cites: Iterable[str] = ()) -> Dom:
        dom = Dom(len(self.doms), name, sort, span, tuple(cites))
        self.doms.append(dom)
        return dom

    def range_dom(self, lo: int, hi: int) -> Dom:
        """The domain of the numbers lo..hi, shared by all axes of that range."""
        name = f"{lo}..{hi}"
        for dom in self.doms:
            if dom.sort == "range" and dom.name == name:
                return dom
        dom = self.new_dom(name, "range", None)
        dom.range_lo = lo
        dom.members = [str(value) for value in range(lo, hi + 1)]
        return dom

    # ---- events

    def events_in(self, block: Any) -> list[str]:
        """The events that a simultaneous or secret block may emit."""
        return self._events_in.get(block.span, [])

    def note_block(self, block: Any, events: Iterable[str]) -> None:
        self._events_in[block.span] = sorted(events)

    # ---- pieces of the program

    def new_field(
        self,
        name: str,
        dims: Iterable[Dom],
        type_: Type,
        default: int = 0,
        lo: int | None = None,
        hi: int | None = None,
    ) -> int:
        number = len(self.fields)
        local: ir.IntType | ir.SetType | ir.ListType
        if type_.sort == "set":
            assert type_.dom
            local = ir.SetType(type_.dom.id)
        elif type_.sort == "list":
            assert type_.element
            local = ir.ListType(type_.capacity, type_.element.show)
        else:
            local = ir.IntType(type_.show)
        if lo is None or hi is None:
            lo, hi = (type_.lo, type_.hi) if type_.sort in ("int", "flag") else (0, 0x7FFF_FFFF)
        # Places and counters do not begin at 0: where they do is data.
        first = None
        if type_.sort == "dom" and not type_.optional and type_.dom and type_.dom.sort in _NUMBERED_BY_DATA:
            first = type_.dom.id
        self.fields.append(
            ir.Field(number, name, tuple(d.id for d in dims), local, lo, hi, type_.optional, default, first)
        )
        return number

    def new_column(self, name: str, dims: Iterable[Dom], type_: Type) -> int:
        number = len(self.columns)
        local: ir.IntType | ir.SetType
        if type_.sort == "set":
            assert type_.dom
            local = ir.SetType(type_.dom.id)
        else:
            local = ir.IntType(type_.show)
        self.columns.append(ir.Column(number, name, tuple(d.id for d in dims), local))
        return number

    def symbol(self, name: str) -> int:
        """An integer fixed when data is loaded: `Kind.member`, `option name`."""
        self.named.add(name)
        if name not in self.symbol_ids:
            self.symbol_ids[name] = len(self.symbols)
            self.symbols.append(ir.Symbol(len(self.symbols), name))
        return self.symbol_ids[name]

    def site(
        self,
        kind: str,
        text: str,
        span: Span | None,
        cites: Iterable[str] = (),
        shows: Iterable[str] = (),
        owner: str = "",
    ) -> int:
        number = len(self.sites)
        place = span or Span("", 0, 0, 0, 0)
        self.sites.append(
            ir.Site(
                number, kind, text, place.file, place.line, place.column, tuple(cites), tuple(shows), owner
            )
        )
        return number

    def reserve_function(self) -> int:
        self.functions.append(None)
        return len(self.functions) - 1

    def reserve_machine(self) -> int:
        self.machines.append(None)
        return len(self.machines) - 1

    def cite(self, cites: syn.Cites) -> tuple[str, ...]:
        """Note that these sections are cited here; gives their ids."""
        if cites.span is not None:
            for name in cites.ids:
                self.cited.setdefault(name, []).append(cites.span)
        return cites.ids
