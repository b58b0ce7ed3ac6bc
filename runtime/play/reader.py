"""Reading a block of cells by name: fields of pieces, places, sides and of the game."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, TypeAlias

from grognard.contract import ir
from grognard.contract.bitsets import elements, load_set
from grognard.contract.header import H_ASK, H_CHOOSER, H_FP, H_OUTCOME, H_PLY, H_STATUS, NONE, STATUS_OVER
from grognard.contract.layout import set_words
from grognard.contract.questions import Question
from grognard.errors import UnknownName
from grognard.play.wording import without_names
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.contract.schema import DomainSchema, FieldSchema
    from grognard.play.engine import Engine
    from grognard.play.setting import Setting

#: A field as interfaces read it: a number, yes or no, a member's name, none, several names, the parts of a form.
FieldValue: TypeAlias = int | bool | str | frozenset[Any] | tuple[Any, ...] | dict[str, Any] | None

_CELL = struct.Struct("=i")


class Reader:
    """Reads the fields of a block of cells by name.  Positions and views are readers."""

    __slots__ = ("cells", "setting")

    #: made by a step of a compiled engine they are a block that can only be read
    cells: bytearray
    setting: Setting

    # ---- names

    def _dom(self, name: str) -> DomainSchema:
        types = self.setting.schema.types
        found = types.get(name)
        if found is None:
            raise UnknownName(f"{self.setting.title} has no `{name}`", hint_for(name, list(types)))
        return found

    def _index(self, dom: DomainSchema, item: str | int) -> int:
        """A member by its name, or by its number counted from 0; a number of a range by itself."""
        data = self.setting.scenario.data.domains[dom.id]
        if isinstance(item, int):
            if dom.sort == "range":
                # An axis of numbers is read by the number itself, as in the rules.
                item -= data.base
            if not 0 <= item < data.count:
                raise UnknownName(f"{dom.name} has {data.count} members: there is no number {item}")
            return item
        number = self.setting.number_of(dom.id, item)
        if number is None:
            raise UnknownName(f"there is no {dom.name} `{item}`", hint_for(item, data.names))
        return number

    def _info(self, dom: DomainSchema, field: str) -> FieldSchema:
        info = dom.find_field(field)
        if info is None and dom.kind is not None:
            info = dom.kind.find_field(field)
        if info is None:
            known = [*dom.fields, *(dom.kind.fields if dom.kind else ())]
            raise UnknownName(f"{dom.name} has no field `{field}`", hint_for(field, known))
        return info

    # ---- reading

    def get(self, domain: str, item: str | int, field: str, *axes: str | int) -> FieldValue:
        """A field of a piece, place, side or row: `get("Unit", "A", "hit")`.

        The item is a name or a number counted from 0; a field with axes takes a name or number for each.
        Members come as their names, flags as bool, an empty optional as None, sets as frozensets.
        UnknownName for what the title does not have."""
        dom = self._dom(domain)
        return self._get(dom, self._index(dom, item), self._info(dom, field), axes)

    def _get(
        self, dom: DomainSchema, place: int, info: FieldSchema, axes: tuple[str | int, ...]
    ) -> FieldValue:
        owner = info.owner
        domains = self.setting.scenario.data.domains
        index: list[int] = []
        if owner is not None:
            if owner is dom:
                index.append(place)
            elif owner is dom.kind:
                # A constant column of the counter's kind: which row it is says its type.
                row = self._get(dom, place, dom.fields["type"], ())
                if not isinstance(row, str):
                    return None
                index.append(self._index(owner, row))
            else:
                # A field of the whole space, read through a class of its places.
                index.append(domains[dom.id].base + place - domains[owner.id].base)
        if len(axes) != len(info.axes):
            wanted = ", ".join(axis.name for axis in info.axes) or "nothing"
            raise UnknownName(f"`{info.name}` is read with {wanted} beside its owner, not {len(axes)} values")
        index += [self._index(axis, item) for axis, item in zip(info.axes, axes)]
        return self._value(info, index)

    def _value(self, info: FieldSchema, index: list[int]) -> FieldValue:
        if info.parts is not None:
            # A form: its name and what it says, None while there is none.
            parts = {key: self._value(part, index) for key, part in info.parts.items()}
            return parts if parts["name"] is not None else None
        setting = self.setting
        program, layout, data = setting.program, setting.scenario.layout, setting.scenario.data
        number = 0
        if info.field is not None:
            entry: ir.Field | ir.Column = program.fields[info.field]
            start, words = layout.field_offset[entry.id], layout.field_words[entry.id]
            source: Any = memoryview(self.cells).cast("i")
        else:
            assert info.column is not None
            entry = program.columns[info.column]
            source, start = memoryview(data.columns[entry.id]), 0
            words = set_words(layout.count[entry.type.domain]) if isinstance(entry.type, ir.SetType) else 1
        for domain, part in zip(entry.dims, index, strict=True):
            number = number * layout.count[domain] + part
        cell = start + number * words
        match entry.type:
            case ir.SetType(domain=domain):
                shown = f"dom:{domain}"
                return frozenset(
                    self.member(v, shown)
                    for v in elements(load_set(source, cell, words), layout.base[domain])
                )
            case ir.ListType(show=show):
                return tuple(self.member(v, show) for v in source[cell + 1 : cell + 1 + source[cell]])
            case ir.IntType(show=show):
                return self.member(source[cell], show)

    def member(self, value: int, show: str) -> Any:
        """A raw value as interfaces read it; `show` as in ir.IntType."""
        if value == NONE:
            return None
        if show == "flag":
            return bool(value)
        if show.startswith("dom:") and self.setting.program.domains[int(show[4:])].sort == "range":
            return value
        return self.setting.names.name(value, show) if show != "int" else value

    def game(self, field: str, *axes: str | int) -> FieldValue:
        """A field of the game: `game("round")`."""
        table = self.setting.schema.globals
        if field not in table:
            raise UnknownName(
                f"{self.setting.title} has no game field `{field}`", hint_for(field, list(table))
            )
        return self._get_free(table[field], axes)

    def side(self, side: str, field: str, *axes: str | int) -> FieldValue:
        """A field of a side or power: `side("german", "cap")`."""
        for dom in dict.fromkeys((self.setting.schema.seats, self.setting.schema.sides)):
            if dom is not None and (side in dom.members) and dom.find_field(field) is not None:
                return self._get(dom, self._index(dom, side), self._info(dom, field), axes)
        seats = self.setting.schema.seats
        assert seats is not None
        return self._get(seats, self._index(seats, side), self._info(seats, field), axes)

    def relation(self, name: str, left: str | int, right: str | int) -> bool:
        """Whether a relation holds between two members."""
        table = self.setting.schema.relations
        if name not in table:
            raise UnknownName(f"{self.setting.title} has no relation `{name}`", hint_for(name, list(table)))
        return bool(self._get_free(table[name], (left, right)))

    def bag(self, name: str) -> dict[str, int]:
        """How many of each kind are in a bag or deck; empty where a view may not know."""
        table = self.setting.schema.bags
        if name not in table:
            raise UnknownName(f"{self.setting.title} has no bag `{name}`", hint_for(name, list(table)))
        info = table[name].field
        members = self.setting.scenario.data.domains[table[name].kind.id].names
        counts = {member: self._value(info, [number]) for number, member in enumerate(members)}
        return {member: count for member, count in counts.items() if isinstance(count, int) and count}

    def _get_free(self, info: FieldSchema, axes: tuple[str | int, ...]) -> FieldValue:
        if len(axes) != len(info.axes):
            wanted = ", ".join(axis.name for axis in info.axes) or "nothing"
            raise UnknownName(f"`{info.name}` is read with {wanted}, not {len(axes)} values")
        return self._value(info, [self._index(axis, item) for axis, item in zip(info.axes, axes)])

    def pieces(self, domain: str) -> list[ItemView]:
        """The counters of a type that are in play."""
        dom = self._dom(domain)
        count = self.setting.scenario.data.domains[dom.id].count
        alive = dom.alive
        if alive is None:
            return [ItemView(self, dom, n) for n in range(count)]
        start = self.setting.scenario.layout.field_offset[alive]
        with memoryview(self.cells) as raw, raw.cast("i") as cells:
            return [ItemView(self, dom, n) for n in range(count) if cells[start + n]]

    def piece(self, domain: str, item: str | int) -> ItemView:
        """One counter, in play or not."""
        dom = self._dom(domain)
        return ItemView(self, dom, self._index(dom, item))

    def places(self, space: str) -> list[ItemView]:
        """All places of a space or of a class of places."""
        dom = self._dom(space)
        return [ItemView(self, dom, n) for n in range(self.setting.scenario.data.domains[dom.id].count)]

    def place(self, space: str, name: str | int) -> ItemView:
        """One place: `place("Board", "0404").terrain`."""
        return self.piece(space, name)

    def state(self) -> dict[str, Any]:
        """All that can be read, in plain types for JSON: game, sides, pieces in play, places with state."""
        schema = self.setting.schema
        made: dict[str, Any] = {
            "game": {n: _plain(self._get_free(i, ())) for n, i in schema.globals.items() if not i.axes},
            "sides": {},
            "pieces": {},
            "places": {},
        }
        for dom in dict.fromkeys((schema.seats, schema.sides)):
            if dom is not None:
                for number, member in enumerate(dom.members):
                    made["sides"].setdefault(member, {}).update(self._fields(dom, number))
        for dom in dict.fromkeys(schema.types.values()):
            if dom.sort == "piece":
                made["pieces"][dom.name] = {
                    p.name: self._fields(dom, p.number) for p in self.pieces(dom.name)
                }
            elif dom.sort == "place" and any(i.field is not None and not i.axes for i in dom.fields.values()):
                made["places"][dom.name] = {
                    p.name: self._fields(dom, p.number) for p in self.places(dom.name)
                }
        return made

    def _fields(self, dom: DomainSchema, number: int) -> dict[str, Any]:
        return {
            name: _plain(self._get(dom, number, info, ()))
            for name, info in dom.fields.items()
            if (info.field is not None or info.parts is not None) and not info.axes and "." not in name
        }

    # ---- head

    def head(self, cell: int) -> int:
        """A cell of the header (contract/header.py)."""
        value: int = _CELL.unpack_from(self.cells, 4 * cell)[0]
        return value

    @property
    def engine(self) -> Engine:
        """The engine that plays this."""
        return self.setting.engine

    @property
    def scenario(self) -> str:
        """The scenario's name."""
        return self.setting.scenario.name

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.head(H_STATUS) == STATUS_OVER

    @property
    def outcome(self) -> str | None:
        """The winner's name; None for a draw or an unfinished game."""
        value = self.head(H_OUTCOME)
        return None if value == NONE else self.setting.names.name(value, f"dom:{self.setting.program.sides}")

    @property
    def ply(self) -> int:
        """Actions completed so far."""
        return self.head(H_PLY)

    @property
    def to_move(self) -> str | None:
        """The seat that decides now; None when the game is over."""
        value = self.head(H_CHOOSER)
        return None if value == NONE else self.setting.names.name(value, f"dom:{self.setting.program.seats}")

    @property
    def question(self) -> Question | None:
        """What is asked; None when nothing is."""
        number = self.head(H_ASK)
        seat = self.to_move
        if number == NONE or seat is None:
            return None
        program = self.setting.program
        ask = program.asks[number]
        kind = {"int": "number" if ask.numbers is None else "numbers"}.get(ask.show, ask.show)
        if ask.show.startswith("dom:"):
            kind = program.domains[int(ask.show[4:])].name
        elif ask.show.startswith("doms:"):
            kind = " or ".join(program.domains[number].name for number in ir.shown_domains(ask.show))
        return Question(ask.name, self._label(ask), program.sites[ask.site].cites, seat, kind)

    def _label(self, ask: ir.AskDecl) -> str:
        """The text of the question, with what its names stand for while it waits; a view has no frames and no names."""
        if not ask.named:
            return ask.label
        layout = self.setting.scenario.layout
        offset = self.head(H_FP)
        if offset == NONE:
            return without_names(ask.label)
        text = ask.label
        with memoryview(self.cells) as raw, raw.cast("i") as cells:
            frame = layout.stack_offset + offset
            shape = layout.frames[cells[frame]]
            for name, local, show in ask.named:
                value = cells[frame + shape.offsets[local]]
                text = text.replace(f"{{{name}}}", self.setting.names.label(value, show, cells))
        return text

    def named_in_question(self) -> list[tuple[int, int]]:
        """What the names in the text of the question stand for, as (domain, value)."""
        ask, offset = self.head(H_ASK), self.head(H_FP)
        if ask == NONE or offset == NONE:
            return []
        layout = self.setting.scenario.layout
        with memoryview(self.cells) as raw, raw.cast("i") as cells:
            frame = layout.stack_offset + offset
            shape = layout.frames[cells[frame]]
            return [
                (domain, cells[frame + shape.offsets[local]])
                for _, local, show in self.setting.program.asks[ask].named
                for domain in ir.shown_domains(show)
            ]


def _plain(value: FieldValue) -> Any:
    """For JSON: sets sorted, lists as lists."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, frozenset):
        return sorted(value, key=str)
    return list(value) if isinstance(value, tuple) else value


class ItemView:
    """A piece, place or row of a position: its fields are attributes, by the names the rules give them.

    Fields with axes are called: `unit.hits("red")`.  A constant column of the counter's kind is read alike."""

    __slots__ = ("_dom", "_reader", "number")

    def __init__(self, reader: Reader, dom: DomainSchema, number: int) -> None:
        self._reader = reader
        self._dom = dom
        self.number = number

    @property
    def name(self) -> str:
        """What authors write."""
        return self._reader.setting.scenario.data.domains[self._dom.id].names[self.number]

    @property
    def label(self) -> str:
        """What people read."""
        setting = self._reader.setting
        value = setting.scenario.data.domains[self._dom.id].base + self.number
        with memoryview(self._reader.cells) as raw, raw.cast("i") as cells:
            return setting.names.label(value, f"dom:{self._dom.id}", cells)

    @property
    def domain(self) -> str:
        return self._dom.name

    @property
    def value(self) -> int:
        """The number that answers and fields hold for it."""
        return self._reader.setting.scenario.data.domains[self._dom.id].base + self.number

    def get(self, field: str, *axes: str | int) -> FieldValue:
        """A field by name, also where its name is an attribute of this class (`name`, `number`)."""
        return self._reader._get(self._dom, self.number, self._reader._info(self._dom, field), axes)

    def __getattr__(self, field: str) -> Any:
        try:
            info = self._reader._info(self._dom, field)
        except UnknownName as error:
            raise AttributeError(str(error)) from None
        if info.axes:
            return lambda *axes: self._reader._get(self._dom, self.number, info, axes)
        return self._reader._get(self._dom, self.number, info, ())

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._dom.fields, *(self._dom.kind.fields if self._dom.kind else ())]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ItemView)
            and self._dom is other._dom
            and self.number == other.number
            and self._reader is other._reader
        )

    def __hash__(self) -> int:
        return hash((self._dom.id, self.number))

    def __repr__(self) -> str:
        return f"<{self._dom.name} {self.name}>"
