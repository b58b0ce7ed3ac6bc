"""The schema of a ruleset (contract/schema.py): what positions are read by.

Made when the program is frozen: from then on nothing of the symbols is needed to play.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grognard.compiler.layers.merge import walk
from grognard.compiler.lower.lowerer import Lowerer
from grognard.compiler.lower.program_builder import ProgramBuilder
from grognard.compiler.sema.symbols import Callable_, Symbols
from grognard.compiler.sema.types import Dom, FieldInfo, Type
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.ir.walk import nodes
from grognard.contract.rulebook import Rulebook
from grognard.contract.schema import (
    BagSchema,
    CallableSchema,
    DomainSchema,
    FieldSchema,
    OptionSchema,
    Schema,
    ValueType,
)
from grognard.support.lazy_attributes import set_attributes

#: Domains whose members are in the data of a scenario.
OF_SCENARIO = ("place", "edge", "piece", "record")


def freeze_schema(
    lowerer: Lowerer,
    program: ir.Program,
    rulebook: Rulebook | None,
    colours: Mapping[str, str],
    signs: Mapping[str, str],
) -> Schema:
    """The schema of a title whose rules are lowered; `program` is the one that games are played on."""
    return _Builder(lowerer).schema(program, rulebook, colours, signs)


class _Builder:
    """Domains and fields refer to each other in circles: each is made empty first, and filled when all exist."""

    def __init__(self, lowerer: Lowerer) -> None:
        self.symbols = lowerer.symbols
        self.builder = lowerer.builder
        self.callables = {**lowerer.symbols.callables, **lowerer.trees.made_up}
        self._doms: dict[int, DomainSchema] = {}
        self._fields: dict[int, FieldSchema] = {}
        self._pending: list[Dom | FieldInfo] = []

    def schema(
        self,
        program: ir.Program,
        rulebook: Rulebook | None,
        colours: Mapping[str, str],
        signs: Mapping[str, str],
    ) -> Schema:
        symbols, builder = self.symbols, self.builder
        made = Schema(
            name=symbols.name,
            doms=tuple(self.dom(dom) for dom in builder.doms),
            types={name: self.dom(dom) for name, dom in symbols.types.items()},
            spaces=tuple(self.dom(dom) for dom in symbols.spaces),
            sides=self.dom_or_none(symbols.sides),
            seats=self.dom_or_none(symbols.seats),
            direction=self.dom_or_none(symbols.direction),
            globals=self.fields(symbols.globals),
            relations=self.fields(symbols.relations),
            bags={
                name: BagSchema(name, self.dom(bag.kind), self.field(bag.field))
                for name, bag in symbols.bags.items()
            },
            options={
                name: OptionSchema(name, tuple(option.values), option.value)
                for name, option in symbols.options.items()
            },
            fields_by_id={number: self.field(info) for number, info in builder.fields_by_id.items()},
            callables={name: self.callable(entry) for name, entry in self.callables.items()},
            situations={name: self.callable(entry) for name, entry in symbols.situations.items()},
            secret_fields=frozenset(_secret_fields(builder)) | _kept_secrets(builder),
            piece_secrets=tuple(
                (number, info.owner.id)
                for number, info in builder.fields_by_id.items()
                if info.owner is not None and info.owner.alive is not None and _is_secret(info)
            ),
            veiled_fields=_veiled_fields(symbols, builder, program),
            cited={name: tuple(spans) for name, spans in builder.cited.items()},
            rulebook=rulebook,
            colours=dict(colours),
            symbols=dict(signs),
        )
        while self._pending:
            entry = self._pending.pop()
            if isinstance(entry, Dom):
                self._fill_dom(entry)
            else:
                self._fill_field(entry)
        return made

    # ---- references

    def dom(self, dom: Dom) -> DomainSchema:
        found = self._doms.get(id(dom))
        if found is None:
            found = self._doms[id(dom)] = object.__new__(DomainSchema)
            # Types compare and show domains by these before the others are filled in.
            set_attributes(found, {"id": dom.id, "name": dom.name})  # type: ignore[arg-type]
            self._pending.append(dom)
        return found

    def dom_or_none(self, dom: Dom | None) -> DomainSchema | None:
        return None if dom is None else self.dom(dom)

    def field(self, info: FieldInfo) -> FieldSchema:
        found = self._fields.get(id(info))
        if found is None:
            found = self._fields[id(info)] = object.__new__(FieldSchema)
            self._pending.append(info)
        return found

    def fields(self, infos: Mapping[str, FieldInfo]) -> dict[str, FieldSchema]:
        return {name: self.field(info) for name, info in infos.items()}

    def type(self, type_: Type) -> ValueType:
        return ValueType(
            type_.sort,
            type_.lo,
            type_.hi,
            self.dom_or_none(type_.dom),
            type_.optional,
            type_.record.name if type_.record is not None else "",
            self.type(type_.element) if type_.element is not None else None,
            type_.capacity,
        )

    # ---- entries

    def _fill_dom(self, dom: Dom) -> None:
        condition = dom.secret_all.condition if dom.secret_all is not None else None
        names = set(_names(condition))
        set_attributes(
            self._doms[id(dom)],  # type: ignore[arg-type]
            {
                "sort": dom.sort,
                "members": () if dom.sort in OF_SCENARIO else tuple(dom.members),
                "fields": self.fields(dom.fields),
                "parent": self.dom_or_none(dom.parent),
                "classes": tuple(self.dom(inner) for inner in dom.classes),
                "kind": self.dom_or_none(dom.kind),
                "within": self.dom_or_none(dom.within),
                "space_sort": dom.space_sort,
                "edges": self.dom_or_none(dom.edges),
                "alive": dom.alive,
                "interchangeable": dom.interchangeable,
                "up_to": dom.up_to,
                "alternatives": tuple(self.dom(part) for part in dom.parts),
                "secret": dom.secret_all is not None,
                "secrecy_fields": frozenset(
                    info.field
                    for name, info in dom.fields.items()
                    if name in names and info.field is not None
                ),
            },
        )

    def _fill_field(self, info: FieldInfo) -> None:
        set_attributes(
            self._fields[id(info)],  # type: ignore[arg-type]
            {
                "name": info.name,
                "type": self.type(info.type),
                "axes": tuple(self.dom(axis) for axis in info.axes),
                "owner": self.dom_or_none(info.owner),
                "field": info.field,
                "column": info.column,
                "secret": info.secret,
                "veiled": info.veiled,
                "known": info.known,
                "follows": info.follows,
                "edge": info.edge,
                "printed": info.printed,
                "parts": None if info.parts is None else self.fields(info.parts),
                "decides_secrecy": _decides_secrecy(info),
            },
        )

    def callable(self, entry: Callable_) -> CallableSchema:
        mutual = entry.sort == "sight" and any(clause.sort == "mutual" for clause in entry.decl.clauses)
        return CallableSchema(
            entry.name,
            entry.sort,
            tuple((name, self.type(type_)) for name, type_ in entry.params),
            None if entry.result is None else self.type(entry.result),
            entry.uses_me,
            entry.asks,
            entry.writes,
            mutual,
            entry.cites,
            entry.span,
        )


# ------------------------------------------------------------------------------------------------ secrecy


def _names(condition: Any) -> Iterator[str]:
    """The names that a condition reads."""
    if condition is not None:
        for node in walk(condition):
            if isinstance(node, syn.Name):
                yield node.id


def _decides_secrecy(info: FieldInfo) -> bool:
    """Whether the condition of some secret of the owner reads the field."""
    owner = info.owner
    if owner is None:
        return False
    conditions = [i.decl.secret_while for i in owner.fields.values() if i.secret and i.decl is not None]
    if owner.secret_all is not None:
        conditions.append(owner.secret_all.condition)
    return any(info.name in _names(condition) for condition in conditions)


def _is_secret(info: FieldInfo) -> bool:
    return info.secret or (info.owner is not None and info.owner.secret_all is not None)


def _secret_fields(builder: ProgramBuilder) -> Iterator[int]:
    for number, info in builder.fields_by_id.items():
        if _is_secret(info):
            yield number


def _kept_secrets(builder: ProgramBuilder) -> frozenset[int]:
    """What marks have kept of secret fields, and of who was in play of those that can be hidden."""
    secret = set(_secret_fields(builder)) | {dom.alive for dom in builder.doms if dom.secret_all is not None}
    return frozenset(kept for (field, _), kept in builder.snapshots.items() if field in secret)


def _veiled_fields(symbols: Symbols, builder: ProgramBuilder, program: ir.Program) -> frozenset[int]:
    """Fields that no view shows: what waits or is worked with inside the rules, what secret fields held at a mark, and
    bags that are drawn from unseen."""
    veiled = set(builder.veiled)
    secret = set(_secret_fields(builder))
    names = {builder.fields[number].name for number in secret}
    veiled |= _kept_secrets(builder)
    for entry in builder.fields:
        # What a deferred write will bring is as secret as what it is written to.
        if entry.name.endswith(" (pending)") and entry.name.removesuffix(" (pending)") in names:
            veiled.add(entry.id)
    if symbols.bags:
        unseen = {
            program.sites[note.site].text
            for note in nodes((program.functions, program.machines))
            if isinstance(note, ir.Note) and note.seen is not None
        }
        for name, bag in symbols.bags.items():
            if f"drawn from {name}: {{0}}" in unseen and bag.field.field is not None:
                veiled.add(bag.field.field)
    return frozenset(veiled)
