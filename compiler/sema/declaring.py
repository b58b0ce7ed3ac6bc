"""A symbol table while it is worked out: what `declare`, the rows of kinds and `effects.analyse` write to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from grognard.compiler.sema.facts import Facts
from grognard.compiler.sema.storage import field_of
from grognard.compiler.sema.symbols import BagInfo, Callable_, OptionInfo, Symbols
from grognard.compiler.sema.types import (
    Dom,
    FieldInfo,
    FormInfo,
    RecordInfo,
    Type,
    known_range,
    range_members,
    union_of,
)
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.support.diagnostics import Sink
from grognard.support.lazy_attributes import new_partial
from grognard.support.source import Span


class Declaring(Symbols):
    """Symbols that are being declared, and where mistakes in declarations are told."""

    def __init__(self, name: str, sink: Sink, facts: Facts | None = None) -> None:
        self.name = name
        self.sink = sink
        self.facts = facts or Facts()
        self.doms: list[Dom] = []
        self.broken: set[str] = set()
        self.unread: set[str] = set()
        self.types: dict[str, Dom] = {}
        self.records: dict[str, RecordInfo] = {}
        self.forms: dict[str, FormInfo] = {}
        self.callable_types: dict[str, Dom] = {}
        self.dispatched: dict[str, list[Dom]] = {}
        self.unions: dict[str, Dom] = {}
        self.callables: dict[str, Callable_] = {}
        self.events: dict[str, Callable_] = {}
        self.handlers: dict[str, list[tuple[int, syn.OnDecl]]] = {}
        self.handlers_of: dict[str, list[Callable_]] = {}
        self.conditional: set[str] = set()
        self.change_handlers: list[tuple[int, syn.OnChangeDecl]] = []
        self.watchers: list[tuple[int, Callable_]] = []
        self.options: dict[str, OptionInfo] = {}
        self.bags: dict[str, BagInfo] = {}
        self.dice: dict[str, tuple[int, int]] = {}
        self.faces: dict[str, tuple[tuple[syn.Expr, ...], Type]] = {}
        self.marks: set[str] = set()
        self.points: set[tuple[str, str]] = set()
        self.phases: Dom | None = None
        self.asks_during = False
        self.in_branches: set[str] = set()
        self.created_in_branches: set[str] = set()
        self.events_in_blocks: dict[Span, list[str]] = {}
        self.schedules: dict[tuple[str, str], set[str]] = {}
        self.sequence_decls: list[syn.SequenceDecl] = []
        self.example_decls: list[syn.ExampleDecl] = []
        self.globals: dict[str, FieldInfo] = {}
        self.seat_fields: dict[str, FieldInfo] = {}
        self.relations: dict[str, FieldInfo] = {}
        self.fields: list[ir.Field] = []
        self.columns: list[ir.Column] = []
        self.tables: list[ir.Table] = []
        self.spaces: list[Dom] = []
        self.sides: Dom | None = None
        self.seats: Dom | None = None
        self.direction: Dom | None = None
        self.reset_at: dict[str, list[int]] = {}
        self.reset_per: dict[str, list[int]] = {}
        self.fields_by_id: dict[int, FieldInfo] = {}
        self.policies: dict[str, tuple[int, syn.PolicyDecl]] = {}
        self.situations: dict[str, Callable_] = {}
        self.chance = False
        self.layer_names: list[str] = []
        self.passed_field: int = -1
        self.cited: dict[str, list[Span]] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def finish(self) -> Symbols:
        """What was declared, to be read from now on."""
        made: Symbols = new_partial(Symbols, {name: getattr(self, name) for name in Symbols.__annotations__})
        return made

    # ---- domains

    def new_dom(self, name: str, sort: Any, span: Span | None, cites: Iterable[str] = ()) -> Dom:
        dom = Dom(len(self.doms), name, sort, span, tuple(cites))
        self.doms.append(dom)
        return dom

    def range_dom(self, lo: int, hi: int) -> Dom:
        """The domain of the numbers lo..hi, shared by all axes of that range."""
        known = known_range(self.doms, lo, hi)
        if known is not None:
            return known
        dom = self.new_dom(f"{lo}..{hi}", "range", None)
        dom.range_lo, dom.members = lo, range_members(lo, hi)
        return dom

    def callable_dom(self, name: str, span: Span) -> Dom:
        """The domain of the names of callables of one type."""
        if name not in self.callable_types:
            self.callable_types[name] = self.new_dom(name, "enum", span)
        return self.callable_types[name]

    def union_dom(self, name: str, parts: tuple[Dom, ...], span: Span) -> Dom:
        """Counters of several types, or places of several spaces."""
        if name not in self.unions:
            self.unions[name] = union_of(name, parts, span)
        return self.unions[name]

    # ---- where values are kept

    def new_field(
        self,
        name: str,
        dims: Iterable[Dom],
        type_: Type,
        default: int = 0,
        lo: int | None = None,
        hi: int | None = None,
    ) -> int:
        self.fields.append(field_of(len(self.fields), name, dims, type_, default, lo, hi))
        return len(self.fields) - 1

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

    def cite(self, cites: syn.Cites) -> tuple[str, ...]:
        """Note that these sections are cited here; gives their ids."""
        if cites.span is not None:
            for name in cites.ids:
                self.cited.setdefault(name, []).append(cites.span)
        return cites.ids
