"""Positions: what a game stands at, as an immutable value; what a seat may see of it; reading it by name.

A position is a block of cells (see values.py) together with the engine and scenario it belongs to.
"""

from __future__ import annotations

import hashlib
import struct
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from grognard.contract import ir
from grognard.contract.backend import (
    TRACE_OFF,
    Io,
    RuleFailure,
)
from grognard.contract.bitsets import (
    elements,
    load_set,
    store_set,
)
from grognard.contract.header import (
    DONE,
    H_ASK,
    H_BRANCH,
    H_CHOOSER,
    H_EPOCH,
    H_FP,
    H_JOURNAL,
    H_OUTCOME,
    H_PLY,
    H_RNG_HI,
    H_RNG_LO,
    H_SP,
    H_STATUS,
    NONE,
    STATUS_DECISION,
    STATUS_OVER,
)
from grognard.contract.layout import (
    JOURNAL_ENTRY,
    Layout,
    default_value,
    set_words,
)
from grognard.errors import IllegalChoice, PositionError, UnknownName
from grognard.play.wording import without_names
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.compiler.sema.types import Dom, FieldInfo
    from grognard.odds import Odds
    from grognard.play.engine import Engine, Setting

#: A field as interfaces read it: a number, yes or no, a member's name, none, several names, the parts of a form.
FieldValue: TypeAlias = int | bool | str | frozenset[Any] | tuple[Any, ...] | dict[str, Any] | None

_CELL = struct.Struct("=i")
_bare = object.__new__

#: At the start of the bytes of a position: what they are and in which form.
MAGIC = b"GROGPOS1"


@dataclass(frozen=True, slots=True)
class Choice:
    """One legal answer.  `name` is what authors write and saves keep, `label` is for people."""

    value: int
    label: str
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: `name` as in the rules ("shoot.t"), `label` for people, the sections, who is asked.

    `kind` says what the answers are: "action", "number", "flag", or the name of a domain ("Unit", "Hex")."""

    name: str
    label: str
    cites: tuple[str, ...]
    seat: str
    kind: str


Answer: TypeAlias = Choice | int | str


class Reader:
    """Reads the fields of a block of cells by name.  Positions and views are readers."""

    __slots__ = ("_cells", "_setting")

    #: made by a step of a compiled engine they are a block that can only be read
    _cells: bytearray
    _setting: Setting

    # ---- names

    def _dom(self, name: str) -> Dom:
        types = self._setting.world.types
        found = types.get(name)
        if found is None:
            raise UnknownName(f"{self._setting.title} has no `{name}`", hint_for(name, list(types)))
        return found

    def _index(self, dom: Dom, item: str | int) -> int:
        """A member by its name, or by its number counted from 0; a number of a range by itself."""
        data = self._setting.scenario.data.domains[dom.id]
        if isinstance(item, int):
            if dom.sort == "range":
                # An axis of numbers is read by the number itself, as in the rules.
                item -= data.base
            if not 0 <= item < data.count:
                raise UnknownName(f"{dom.name} has {data.count} members: there is no number {item}")
            return item
        number = self._setting.number_of(dom.id, item)
        if number is None:
            raise UnknownName(f"there is no {dom.name} `{item}`", hint_for(item, data.names))
        return number

    def _info(self, dom: Dom, field: str) -> FieldInfo:
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

    def _get(self, dom: Dom, place: int, info: FieldInfo, axes: tuple[str | int, ...]) -> FieldValue:
        owner = info.owner
        domains = self._setting.scenario.data.domains
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

    def _value(self, info: FieldInfo, index: list[int]) -> FieldValue:
        if info.parts is not None:
            # A form: its name and what it says, None while there is none.
            parts = {key: self._value(part, index) for key, part in info.parts.items()}
            return parts if parts["name"] is not None else None
        setting = self._setting
        program, layout, data = setting.program, setting.scenario.layout, setting.scenario.data
        number = 0
        if info.field is not None:
            entry: ir.Field | ir.Column = program.fields[info.field]
            start, words = layout.field_offset[entry.id], layout.field_words[entry.id]
            source: Any = memoryview(self._cells).cast("i")
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
                    self._member(v, shown)
                    for v in elements(load_set(source, cell, words), layout.base[domain])
                )
            case ir.ListType(show=show):
                return tuple(self._member(v, show) for v in source[cell + 1 : cell + 1 + source[cell]])
            case ir.IntType(show=show):
                return self._member(source[cell], show)

    def _member(self, value: int, show: str) -> Any:
        if value == NONE:
            return None
        if show == "flag":
            return bool(value)
        if show.startswith("dom:") and self._setting.program.domains[int(show[4:])].sort == "range":
            return value
        return self._setting.names.name(value, show) if show != "int" else value

    def game(self, field: str, *axes: str | int) -> FieldValue:
        """A field of the game: `game("round")`."""
        table = self._setting.world.globals
        if field not in table:
            raise UnknownName(
                f"{self._setting.title} has no game field `{field}`", hint_for(field, list(table))
            )
        return self._get_free(table[field], axes)

    def side(self, side: str, field: str, *axes: str | int) -> FieldValue:
        """A field of a side or power: `side("german", "cap")`."""
        for dom in dict.fromkeys((self._setting.world.seats, self._setting.world.sides)):
            if dom is not None and (side in dom.members) and dom.find_field(field) is not None:
                return self._get(dom, self._index(dom, side), self._info(dom, field), axes)
        seats = self._setting.world.seats
        assert seats is not None
        return self._get(seats, self._index(seats, side), self._info(seats, field), axes)

    def relation(self, name: str, left: str | int, right: str | int) -> bool:
        """Whether a relation holds between two members."""
        table = self._setting.world.relations
        if name not in table:
            raise UnknownName(f"{self._setting.title} has no relation `{name}`", hint_for(name, list(table)))
        return bool(self._get_free(table[name], (left, right)))

    def bag(self, name: str) -> dict[str, int]:
        """How many of each kind are in a bag or deck; empty where a view may not know."""
        table = self._setting.world.bags
        if name not in table:
            raise UnknownName(f"{self._setting.title} has no bag `{name}`", hint_for(name, list(table)))
        info = table[name].field
        members = self._setting.scenario.data.domains[table[name].kind.id].names
        counts = {member: self._value(info, [number]) for number, member in enumerate(members)}
        return {member: count for member, count in counts.items() if isinstance(count, int) and count}

    def _get_free(self, info: FieldInfo, axes: tuple[str | int, ...]) -> FieldValue:
        if len(axes) != len(info.axes):
            wanted = ", ".join(axis.name for axis in info.axes) or "nothing"
            raise UnknownName(f"`{info.name}` is read with {wanted}, not {len(axes)} values")
        return self._value(info, [self._index(axis, item) for axis, item in zip(info.axes, axes)])

    def pieces(self, domain: str) -> list[ItemView]:
        """The counters of a type that are in play."""
        dom = self._dom(domain)
        count = self._setting.scenario.data.domains[dom.id].count
        alive = dom.alive
        if alive is None:
            return [ItemView(self, dom, n) for n in range(count)]
        start = self._setting.scenario.layout.field_offset[alive]
        with memoryview(self._cells) as raw, raw.cast("i") as cells:
            return [ItemView(self, dom, n) for n in range(count) if cells[start + n]]

    def piece(self, domain: str, item: str | int) -> ItemView:
        """One counter, in play or not."""
        dom = self._dom(domain)
        return ItemView(self, dom, self._index(dom, item))

    def places(self, space: str) -> list[ItemView]:
        """All places of a space or of a class of places."""
        dom = self._dom(space)
        return [ItemView(self, dom, n) for n in range(self._setting.scenario.data.domains[dom.id].count)]

    def place(self, space: str, name: str | int) -> ItemView:
        """One place: `place("Board", "0404").terrain`."""
        return self.piece(space, name)

    def state(self) -> dict[str, Any]:
        """All that can be read, in plain types for JSON: game, sides, pieces in play, places with state."""
        world = self._setting.world
        made: dict[str, Any] = {
            "game": {n: _plain(self._get_free(i, ())) for n, i in world.globals.items() if not i.axes},
            "sides": {},
            "pieces": {},
            "places": {},
        }
        for dom in dict.fromkeys((world.seats, world.sides)):
            if dom is not None:
                for number, member in enumerate(dom.members):
                    made["sides"].setdefault(member, {}).update(self._fields(dom, number))
        for dom in dict.fromkeys(world.types.values()):
            if dom.sort == "piece":
                made["pieces"][dom.name] = {
                    p.name: self._fields(dom, p.number) for p in self.pieces(dom.name)
                }
            elif dom.sort == "place" and any(i.field is not None and not i.axes for i in dom.fields.values()):
                made["places"][dom.name] = {
                    p.name: self._fields(dom, p.number) for p in self.places(dom.name)
                }
        return made

    def _fields(self, dom: Dom, number: int) -> dict[str, Any]:
        return {
            name: _plain(self._get(dom, number, info, ()))
            for name, info in dom.fields.items()
            if (info.field is not None or info.parts is not None) and not info.axes and "." not in name
        }

    # ---- head

    def _head(self, cell: int) -> int:
        value: int = _CELL.unpack_from(self._cells, 4 * cell)[0]
        return value

    @property
    def engine(self) -> Engine:
        """The engine that plays this."""
        return self._setting.engine

    @property
    def scenario(self) -> str:
        """The scenario's name."""
        return self._setting.scenario.name

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self._head(H_STATUS) == STATUS_OVER

    @property
    def outcome(self) -> str | None:
        """The winner's name; None for a draw or an unfinished game."""
        value = self._head(H_OUTCOME)
        return (
            None if value == NONE else self._setting.names.name(value, f"dom:{self._setting.program.sides}")
        )

    @property
    def ply(self) -> int:
        """Actions completed so far."""
        return self._head(H_PLY)

    @property
    def to_move(self) -> str | None:
        """The seat that decides now; None when the game is over."""
        value = self._head(H_CHOOSER)
        return (
            None if value == NONE else self._setting.names.name(value, f"dom:{self._setting.program.seats}")
        )

    @property
    def question(self) -> Question | None:
        """What is asked; None when nothing is."""
        number = self._head(H_ASK)
        seat = self.to_move
        if number == NONE or seat is None:
            return None
        program = self._setting.program
        ask = program.asks[number]
        kind = {"int": "number"}.get(ask.show, ask.show)
        if ask.show.startswith("dom:"):
            kind = program.domains[int(ask.show[4:])].name
        elif ask.show.startswith("doms:"):
            kind = " or ".join(program.domains[number].name for number in ir.shown_domains(ask.show))
        return Question(ask.name, self._label(ask), program.sites[ask.site].cites, seat, kind)

    def _label(self, ask: ir.AskDecl) -> str:
        """The text of the question, with what its names stand for while it waits; a view has no frames and no names."""
        if not ask.named:
            return ask.label
        layout = self._setting.scenario.layout
        offset = self._head(H_FP)
        if offset == NONE:
            return without_names(ask.label)
        text = ask.label
        with memoryview(self._cells) as raw, raw.cast("i") as cells:
            frame = layout.stack_offset + offset
            shape = layout.frames[cells[frame]]
            for name, local, show in ask.named:
                value = cells[frame + shape.offsets[local]]
                text = text.replace(f"{{{name}}}", self._setting.names.label(value, show, cells))
        return text


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

    def __init__(self, reader: Reader, dom: Dom, number: int) -> None:
        self._reader = reader
        self._dom = dom
        self.number = number

    @property
    def name(self) -> str:
        """What authors write."""
        return self._reader._setting.scenario.data.domains[self._dom.id].names[self.number]

    @property
    def label(self) -> str:
        """What people read."""
        setting = self._reader._setting
        value = setting.scenario.data.domains[self._dom.id].base + self.number
        with memoryview(self._reader._cells) as raw, raw.cast("i") as cells:
            return setting.names.label(value, f"dom:{self._dom.id}", cells)

    @property
    def domain(self) -> str:
        return self._dom.name

    @property
    def value(self) -> int:
        """The number that answers and fields hold for it."""
        return self._reader._setting.scenario.data.domains[self._dom.id].base + self.number

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


class Position(Reader):
    """Where a game stands.  A value: playing gives a new one, and equal bytes are equal positions.

    Made by `Engine.new_game`, `Engine.position` and `play`.  Safe to share between threads, as long as nobody
    calls `play_inplace` on it."""

    __slots__ = ("_values",)

    #: the legal answers once they are known; None as long as nobody asked for them
    _values: list[int] | None

    def __init__(self, setting: Setting, cells: bytearray, values: list[int] | None = None) -> None:
        self._setting = setting
        self._cells = cells
        self._values = values

    # ---- decisions

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        # Where something can be answered it has not.
        return not self._values and self._head(H_STATUS) == STATUS_OVER

    def values(self) -> list[int]:
        """The legal answers as raw numbers, in the order of the rules; empty when nothing is asked."""
        if self._values is None:
            if self._head(H_STATUS) != STATUS_DECISION:
                return []
            try:
                self._values = self._setting.backend.candidates(self._cells)
            except RuleFailure as failure:
                raise self._setting.error(failure) from failure
            except ValueError:
                # Its head says that something is asked, and no frame of its stack does: bytes from a stranger.
                raise PositionError("the position is damaged: nothing in it asks") from None
        return self._values.copy()

    def legal(self) -> list[Choice]:
        """The legal answers with their names and labels, in the order of the rules; empty when nothing is asked."""
        return self._choices(self.values())

    def _choices(self, values: list[int]) -> list[Choice]:
        number = self._head(H_ASK)
        if number == NONE:
            return []
        names, show = self._setting.names, self._setting.program.asks[number].show
        with memoryview(self._cells) as raw, raw.cast("i") as cells:
            return [Choice(v, names.answer_label(v, show, cells), names.answer_name(v, show)) for v in values]

    def play(self, choice: Answer) -> Position:
        """The position after this answer; this one is untouched.

        A choice is one of `legal()`, its raw value, its name or its label.  IllegalChoice if it is not offered,
        RuleError if a rule cannot go on."""
        value = choice if type(choice) is int else self.value_of(choice)
        setting, known = self._setting, self._values
        advance = setting.advance
        if known and advance is not None and value in known:
            # Made without a call: a step of a large title takes no longer than some of those.
            made = _bare(Position)
            try:
                made._cells, made._values = advance(self._cells, value)
            except RuleFailure as failure:
                raise setting.error(failure) from failure
            made._setting = setting
            return made
        made = Position(setting, bytearray(self._cells))
        made._answer(value, Io(TRACE_OFF))
        return made

    def odds(self, procedure: str, args: Iterable[Any] = (), **how: Any) -> Odds:
        """The exact odds of a procedure from here; see Engine.odds.  With `seat`, from what that seat may know."""
        seat = how.pop("seat", None)
        here = self if seat is None else Position(self._setting, bytearray(self.view(seat)._cells))
        return self._setting.engine.odds(procedure, args, position=here, **how)

    def play_inplace(self, choice: Answer) -> None:
        """Answer and change this very position: for speed, where nobody else holds it.

        As `play`; after an error the position is as it was."""
        before = bytes(self._cells)
        if not isinstance(self._cells, bytearray):
            self._cells = bytearray(before)
        try:
            self._answer(self.value_of(choice), Io(TRACE_OFF))
        except BaseException:
            self._cells[:] = before
            raise

    def value_of(self, choice: Answer) -> int:
        """The raw value of a choice given in any form; IllegalChoice if a text is not offered.

        Numbers are taken as they are: whether they are legal is seen when they are played."""
        if isinstance(choice, Choice):
            return choice.value
        if isinstance(choice, int):
            return choice
        if not isinstance(choice, str):
            raise TypeError(f"an answer is a Choice, its name, label or value, not {choice!r}")
        self._demand_question(choice)
        legal = self.legal()
        folded = choice.strip().casefold()
        for same in (
            lambda c: c.name == choice,
            lambda c: c.label == choice,
            lambda c: c.name.casefold() == folded,
            lambda c: c.label.casefold() == folded,
            lambda c: c.value in (DONE, NONE) and folded in ("done", "pass", "none"),
        ):
            for offered in legal:
                if same(offered):
                    return offered.value
        raise IllegalChoice(choice, legal)

    def _demand_question(self, asked: object) -> None:
        if self._head(H_STATUS) != STATUS_DECISION:
            why = "the game is over: nothing can be played" if self.over else "nothing is asked here"
            raise IllegalChoice(asked, [], why)

    def _answer(self, value: int, io: Io) -> None:
        self._demand_question(value)
        self._values = None
        backend = self._setting.backend
        try:
            backend.answer(self._cells, value, io)
        except RuleFailure as failure:
            raise self._setting.error(failure) from failure
        except (ValueError, OverflowError):
            if value in backend.candidates(self._cells):
                raise
            raise IllegalChoice(value, self.legal()) from None

    # ---- as a value

    def clone(self) -> Position:
        """A copy with cells of its own."""
        return Position(self._setting, bytearray(self._cells))

    def __bytes__(self) -> bytes:
        """All of the position, for `Engine.position`: a mark, the fingerprint, the cells (little-endian)."""
        return MAGIC + bytes.fromhex(self._setting.fingerprint) + portable(self._cells)

    @property
    def hash(self) -> int:
        """64 bits that are the same for equal positions, on every machine and back end."""
        return int.from_bytes(hashlib.blake2b(portable(self._cells), digest_size=8).digest(), "little")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        same = self._setting is other._setting or self._setting.fingerprint == other._setting.fingerprint
        return same and self._cells == other._cells

    def __hash__(self) -> int:
        return self.hash

    def __repr__(self) -> str:
        state = f"{self.to_move} to move" if self.to_move else f"over, {self.outcome or 'nobody'} won"
        return f"<Position of {self._setting.title}: ply {self.ply}, {state}>"

    # ---- views

    def view(self, seat: str) -> View:
        """What a seat may know; UnknownName for a seat that does not exist."""
        return make_view(self, seat)


def portable(cells: bytes | bytearray) -> bytes:
    """Cells in little-endian order, whatever this machine has."""
    if sys.byteorder == "little":
        return bytes(cells)
    swapped = array("i", bytes(cells))
    swapped.byteswap()
    return swapped.tobytes()


class View(Reader):
    """What one seat may know of a position: hidden fields are empty, hidden pieces absent.

    It holds no generator, no stack and no journal, so there is nothing to find in it that the seat may not
    know.  Fields are read as in a position; `legal()` lists the seat's own choices if it is to move."""

    __slots__ = ("_bags", "_legal", "seat")

    def __init__(
        self, setting: Setting, cells: bytearray, seat: str, legal: list[Choice], bags: Mapping[str, int]
    ) -> None:
        self._setting = setting
        self._cells = cells
        self._legal = legal
        self._bags = dict(bags)
        #: whose view this is
        self.seat = seat

    def legal(self) -> list[Choice]:
        """What the seat may answer; empty when another one is asked."""
        return list(self._legal)

    def bag_size(self, name: str) -> int:
        """How many lie in a bag, which all may count."""
        if name not in self._bags:
            raise UnknownName(f"{self._setting.title} has no bag `{name}`", hint_for(name, list(self._bags)))
        return self._bags[name]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, View):
            return NotImplemented
        return self.seat == other.seat and self._cells == other._cells and self._legal == other._legal

    def __hash__(self) -> int:
        return hash((self.seat, bytes(self._cells)))

    def __bytes__(self) -> bytes:
        """The masked cells, to compare views; they are not a position and cannot be played on."""
        return portable(self._cells)

    def __repr__(self) -> str:
        return f"<View of {self.seat}: ply {self.ply}, {self.to_move or 'nobody'} to move>"


# ------------------------------------------------------------------------------------------------- masking


def make_view(position: Position, seat: str) -> View:
    setting = position._setting
    number = setting.seat_number(seat)
    program = setting.program
    chooser = position._head(H_CHOOSER)
    mine = chooser == number
    legal = position.legal() if mine else []
    cells = bytearray(position._cells)
    bags = {name: sum(position.bag(name).values()) for name in setting.world.bags}
    with memoryview(cells) as raw, raw.cast("i") as c:
        close_branch(setting, c, mine)
    before = bytes(cells)
    if program.view is not None:
        try:
            setting.backend.call(cells, program.view, (number,), Io())
        except RuleFailure as failure:
            raise setting.error(failure) from failure
    with memoryview(cells) as raw, raw.cast("i") as c:
        with memoryview(before) as whole, whole.cast("i") as truth:
            _scrub(setting, truth, c)
        _forget_rest(setting, c)
        ask = c[H_ASK]
        if ask != NONE and not mine and program.asks[ask].quiet:
            # That somebody is asked at all would tell something.
            c[H_ASK] = c[H_CHOOSER] = NONE
    return View(setting, cells, seat, legal, bags)


def hidden_pieces(setting: Setting, position: Position, seat: int) -> frozenset[tuple[int, int]]:
    """The counters in play that the seat must not know of, as (domain, value)."""
    if setting.program.view is None:
        return frozenset()
    cells = bytearray(position._cells)
    with memoryview(cells) as raw, raw.cast("i") as c:
        close_branch(setting, c, True)
    try:
        setting.backend.call(cells, setting.program.view, (seat,), Io())
    except RuleFailure as failure:
        raise setting.error(failure) from failure
    with memoryview(position._cells) as raw, raw.cast("i") as truth, memoryview(cells) as masked:
        return frozenset(_hidden(setting, truth, masked.cast("i")))


def _hidden(setting: Setting, truth: Any, masked: Any) -> Iterator[tuple[int, int]]:
    layout = setting.scenario.layout
    for domain in setting.program.domains:
        if domain.alive is not None and domain.sort == "piece":
            start = layout.field_offset[domain.alive]
            for number in range(layout.count[domain.id]):
                if truth[start + number] and not masked[start + number]:
                    yield domain.id, layout.base[domain.id] + number


def close_branch(setting: Setting, c: Any, mine: bool) -> None:
    """Take back what the running branch of a block wrote, unless it is the seat's own; forget the journal."""
    layout = setting.scenario.layout
    if c[H_BRANCH] != NONE and not mine:
        for entry in range(c[H_JOURNAL] - 1, c[H_BRANCH] - 1, -1):
            place = layout.journal_offset + entry * JOURNAL_ENTRY
            if c[place] >= 0:
                c[c[place]] = c[place + 3]
    _zero(c, layout.journal_offset, layout.journal_entries * JOURNAL_ENTRY)
    c[H_JOURNAL] = 0
    # Masking is no part of the block: nothing of it is journalled.
    c[H_BRANCH] = NONE


def _scrub(setting: Setting, truth: Any, c: Any) -> None:
    """References to hidden pieces, and what else would give them away, leave the view as well."""
    program, layout = setting.program, setting.scenario.layout
    hidden: dict[int, list[int]] = {}
    for domain, value in _hidden(setting, truth, c):
        hidden.setdefault(domain, []).append(value)
    dead: dict[int, list[int]] = {}
    for field, domain in setting.secrets_of_pieces:
        # A counter that is out of play keeps its fields; masking does not come to it any more.
        if domain not in dead:
            living = layout.field_offset[program.domains[domain].alive or 0]
            dead[domain] = [n for n in range(layout.count[domain]) if not truth[living + n]]
        inner = layout.field_cells[field] // max(layout.count[domain], 1)
        start, value = layout.field_offset[field], default_value(program.fields[field], layout)
        for number in dead[domain]:
            for cell in range(start + number * inner, start + (number + 1) * inner):
                c[cell] = value
    for entry in program.fields:
        start, words, cells = (
            layout.field_offset[entry.id],
            layout.field_words[entry.id],
            layout.field_cells[entry.id],
        )
        if entry.id in setting.veiled_fields:
            _blank(layout, c, entry, start, cells)
            continue
        if not hidden:
            continue
        alive = program.domains[entry.dims[0]].alive if entry.dims else None
        if entry.id == alive:
            continue
        _blank_elements(setting, c, entry, hidden)
        match entry.type:
            case ir.IntType(show=show) if any(n in hidden for n in ir.shown_domains(show)):
                gone = {value for n in ir.shown_domains(show) for value in hidden.get(n, ())}
                for cell in range(start, start + cells):
                    if c[cell] in gone:
                        c[cell] = NONE if entry.optional else 0
            case ir.SetType(domain=domain) if domain in hidden:
                mask = sum(1 << (value - layout.base[domain]) for value in hidden[domain])
                for cell in range(start, start + cells, words):
                    store_set(c, cell, words, load_set(c, cell, words) & ~mask)
            case ir.ListType(show=show) if show.startswith("dom:") and int(show[4:]) in hidden:
                gone = set(hidden[int(show[4:])])
                for cell in range(start, start + cells, words):
                    kept = [v for v in c[cell + 1 : cell + 1 + c[cell]] if v not in gone]
                    for place, value in enumerate([len(kept), *kept, *([0] * (words - 1 - len(kept)))]):
                        c[cell + place] = value


def _blank(layout: Layout, c: Any, entry: ir.Field, start: int, cells: int) -> None:
    value = default_value(entry, layout)
    for cell in range(start, start + cells):
        c[cell] = value


def _blank_elements(setting: Setting, c: Any, entry: ir.Field, hidden: Mapping[int, list[int]]) -> None:
    """Every element that belongs to a hidden piece, also those with more axes, which masking leaves."""
    layout = setting.scenario.layout
    words = layout.field_words[entry.id]
    for axis, domain in enumerate(entry.dims):
        if domain not in hidden:
            continue
        inner = words
        for later in entry.dims[axis + 1 :]:
            inner *= layout.count[later]
        outer = inner * layout.count[domain]
        for value in hidden[domain]:
            place = (value - layout.base[domain]) * inner
            start = layout.field_offset[entry.id]
            for block in range(start, start + layout.field_cells[entry.id], max(outer, 1)):
                _blank(layout, c, entry, block + place, inner)


def _forget_rest(setting: Setting, c: Any) -> None:
    layout = setting.scenario.layout
    _zero(c, layout.stack_offset, layout.stack_cells)
    for cell in (H_RNG_LO, H_RNG_HI, H_SP, H_EPOCH):
        c[cell] = 0
    c[H_FP] = NONE


def _zero(c: Any, start: int, cells: int) -> None:
    c[start : start + cells] = memoryview(bytes(4 * cells)).cast("i")
