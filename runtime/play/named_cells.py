"""The cells of a view by name, and what differs between two views of one seat.

What a table sends to players: `NamedCells.everything` is all of a view as domain -> member -> field -> value, and
`NamedCells.changes` the part of it that is otherwise in a later view.  Blocks of cells are compared as they lie in
memory, and only what differs is put into words, so a small change of a large position costs little.

Each value has a checksum, and the checksum of a view is their sum: it follows the changes without a look at the rest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from zlib import crc32

from grognard.contract import ir
from grognard.contract.bitsets import elements, load_set
from grognard.contract.header import NONE
from grognard.contract.layout import default_value

if TYPE_CHECKING:
    from grognard.contract.schema import DomainSchema, FieldSchema
    from grognard.play.setting import Setting
    from grognard.play.view import View

#: domain -> member -> field -> value, in plain types
Named = dict[str, dict[str, dict[str, Any]]]
#: Reads the value of a member (by its number) from cells.
_Read = Callable[[Any, int], Any]
_ATTACHED = "named cells"
_MODULUS = 1 << 32

#: where the fields of the game, its relations, and what lies in bags are found
GAME, RELATIONS, BAGS = "game", "relations", "bags"
#: the one member of what has no members, or too many to list those that are as they were at first
ALL = "*"


@dataclass(slots=True)
class Changes:
    """What is otherwise in a later view."""

    #: the cells that changed, and all of members that came
    set: Named = field(default_factory=dict)
    #: members that are no longer there, by domain
    gone: dict[str, list[str]] = field(default_factory=dict)
    #: members that were not there before, by domain
    came: dict[str, list[str]] = field(default_factory=dict)
    #: members with a field that can be secret and shows something where it showed nothing, by domain
    revealed: dict[str, list[str]] = field(default_factory=dict)
    #: of all of the later view
    checksum: int = 0

    def __bool__(self) -> bool:
        return bool(self.set or self.gone)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A field of all members of a group."""

    name: str
    #: (first cell, cells of one member) of each block that it is read from
    blocks: tuple[tuple[int, int], ...]
    read: _Read
    secret: bool = False


@dataclass(slots=True)
class _Group:
    """Members of a domain with their fields."""

    domain: str
    members: Sequence[str]
    #: first of the cells that say which members are there; None: all are
    alive: int | None
    entries: list[_Entry]


def named_cells(setting: Setting) -> NamedCells:
    """How the cells of a setting are called: made once for it."""
    made = setting.attached.get(_ATTACHED)
    if made is None:
        made = setting.attached[_ATTACHED] = NamedCells(setting)
    assert isinstance(made, NamedCells)
    return made


def checksum(domain: str, member: str, name: str, value: Any) -> int:
    """Of one value: CRC-32 of domain, member, field and the value as compact JSON, with a zero byte between."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return crc32(f"{domain}\0{member}\0{name}\0{text}".encode())


def checksum_of(view: Named) -> int:
    """Of a whole view: the sum over its values."""
    return (
        sum(
            checksum(domain, member, name, value)
            for domain, members in view.items()
            for member, fields in members.items()
            for name, value in fields.items()
        )
        % _MODULUS
    )


class NamedCells:
    """How the cells of the views of one setting are called."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self._groups = [group for group in self._find_groups() if group.entries]

    # ---- what is asked for

    def everything(self, view: View) -> Named:
        """All of a view."""
        made: Named = {}
        with memoryview(view.cells) as raw, raw.cast("i") as cells:
            for group in self._groups:
                members = {
                    group.members[number]: {entry.name: entry.read(cells, number) for entry in group.entries}
                    for number in range(len(group.members))
                    if group.alive is None or cells[group.alive + number]
                }
                if members:
                    made.setdefault(group.domain, {}).update(members)
        if view.bag_sizes:
            sizes = made.setdefault(BAGS, {})
            for name, size in view.bag_sizes.items():
                sizes.setdefault(name, {})["size"] = size
        return made

    def changes(self, before: View, before_checksum: int, after: View) -> Changes:
        """What is otherwise in a later view of the same seat."""
        made = Changes(checksum=before_checksum)
        with (
            memoryview(before.cells) as raw_old,
            memoryview(after.cells) as raw_new,
            raw_old.cast("i") as old,
            raw_new.cast("i") as new,
        ):
            for group in self._groups:
                self._compare(group, old, new, made)
        for name, size in after.bag_sizes.items():
            was = before.bag_sizes[name]
            if was != size:
                self._put(made, BAGS, name, "size", size)
                self._count(made, BAGS, name, "size", was, -1)
        made.checksum %= _MODULUS
        return made

    def _compare(self, group: _Group, old: Any, new: Any, made: Changes) -> None:
        count = len(group.members)
        both: Any = None
        if group.alive is not None:
            span = slice(group.alive, group.alive + count)
            was, now = old[span], new[span]
            if was != now:
                for number in range(count):
                    if bool(was[number]) != bool(now[number]):
                        self._come_or_go(group, number, bool(now[number]), old, new, made)
            both = [number for number in range(count) if was[number] and now[number]]
        for entry in group.entries:
            changed: set[int] = set()
            for start, size in entry.blocks:
                if old[start : start + size * count] == new[start : start + size * count]:
                    continue
                for number in range(count) if both is None else both:
                    first = start + number * size
                    if old[first : first + size] != new[first : first + size]:
                        changed.add(number)
            for number in sorted(changed):
                was_value, value = entry.read(old, number), entry.read(new, number)
                if was_value == value and type(was_value) is type(value):
                    continue
                member = group.members[number]
                if entry.secret and not was_value and value:
                    made.revealed.setdefault(group.domain, []).append(member)
                self._put(made, group.domain, member, entry.name, value)
                self._count(made, group.domain, member, entry.name, was_value, -1)

    def _come_or_go(self, group: _Group, number: int, comes: bool, old: Any, new: Any, made: Changes) -> None:
        member = group.members[number]
        if comes:
            made.came.setdefault(group.domain, []).append(member)
            for entry in group.entries:
                self._put(made, group.domain, member, entry.name, entry.read(new, number))
            return
        made.gone.setdefault(group.domain, []).append(member)
        for entry in group.entries:
            self._count(made, group.domain, member, entry.name, entry.read(old, number), -1)

    def _put(self, made: Changes, domain: str, member: str, name: str, value: Any) -> None:
        made.set.setdefault(domain, {}).setdefault(member, {})[name] = value
        self._count(made, domain, member, name, value, 1)

    @staticmethod
    def _count(made: Changes, domain: str, member: str, name: str, value: Any, sign: int) -> None:
        made.checksum += sign * checksum(domain, member, name, value)

    # ---- how it is found

    def _find_groups(self) -> Iterator[_Group]:
        schema = self.setting.schema
        game = _Group(GAME, (GAME,), None, [])
        for name, info in schema.globals.items():
            game.entries += self._entries(name, info, None)
        yield game
        for dom in dict.fromkeys(schema.types.values()):
            yield from self._groups_of(dom)
        for name, info in schema.relations.items():
            yield _Group(RELATIONS, (name,), None, self._entries("pairs", info, None))
        for name, bag in schema.bags.items():
            if bag.field.field is not None and bag.field.field not in self.setting.veiled_fields:
                yield _Group(BAGS, (name,), None, self._entries("held", bag.field, None))

    def _groups_of(self, dom: DomainSchema) -> Iterator[_Group]:
        program, data = self.setting.program, self.setting.scenario.data
        alive = None if dom.alive is None else self.setting.scenario.layout.field_offset[dom.alive]
        own = _Group(dom.name, data.domains[dom.id].names, alive, [])
        apart = _Group(dom.name, (ALL,), None, [])
        for name, info in dom.fields.items():
            if "." in name:
                # A part of a form, which is read whole.
                continue
            fields = [part for part in (info.parts or {"": info}).values() if part.field is not None]
            if not fields or info.owner is not dom:
                continue
            first = program.fields[fields[0].field or 0].dims
            if first[:1] == (dom.id,) and dom.sort != "edge":
                own.entries += self._entries(name, info, dom)
            else:
                # Of edges there are thousands: only those that are not as at first are listed.
                apart.entries += self._entries(name, info, None)
        if own.entries and dom.sort in ("piece", "record") and "label" not in dom.fields:
            own.entries.append(self._label(dom))
        yield own
        yield apart

    def _entries(self, name: str, info: FieldSchema, owner: DomainSchema | None) -> list[_Entry]:
        """The entry of a field; none if nothing of it is ever seen.  With an owner its first axis are the members."""
        setting = self.setting
        layout = setting.scenario.layout
        fields = [part for part in (info.parts or {"": info}).values() if part.field is not None]
        shown = [part.field for part in fields if part.field not in setting.veiled_fields]
        if not shown:
            return []
        members = layout.count[owner.id] if owner is not None else 1
        blocks = tuple(
            (layout.field_offset[number], layout.field_cells[number] // max(members, 1))
            for number in shown
            if number is not None
        )
        secret = any(number in setting.schema.secret_fields for number in shown)
        if info.parts is None:
            return [_Entry(name, blocks, self._reader(info, owner), secret)]
        parts = {key: self._reader(part, owner) for key, part in info.parts.items()}

        def form(cells: Any, number: int) -> Any:
            told = {key: read(cells, number) for key, read in parts.items()}
            return told if told.get("name") is not None else None

        return [_Entry(name, blocks, form, secret)]

    def _reader(self, info: FieldSchema, owner: DomainSchema | None) -> _Read:
        """Reads a field, or all that is not as at first where it has more axes than its owner."""
        setting = self.setting
        layout, data = setting.scenario.layout, setting.scenario.data
        assert info.field is not None
        entry = setting.program.fields[info.field]
        start, words = layout.field_offset[entry.id], layout.field_words[entry.id]
        value_at = self._value_reader(entry, words)
        axes = entry.dims[1:] if owner is not None else entry.dims
        if not axes:
            return lambda cells, number: value_at(cells, start + number * words)
        keys = [""]
        for domain in axes:
            names = data.domains[domain].names
            keys = [f"{key},{name}" if key else name for key in keys for name in names]
        size = words * len(keys)
        flag = isinstance(entry.type, ir.IntType) and entry.type.show == "flag" and not entry.optional
        default = default_value(entry, layout)

        def table(cells: Any, number: int) -> Any:
            first = start + number * size
            found = {
                key: value_at(cells, first + place * words)
                for place, key in enumerate(keys)
                if any(cell != default for cell in cells[first + place * words : first + (place + 1) * words])
            }
            return list(found) if flag and not default else found

        return table

    def _value_reader(self, entry: ir.Field, words: int) -> Callable[[Any, int], Any]:
        base, member = self.setting.scenario.layout.base, self._member
        match entry.type:
            case ir.SetType(domain=domain):
                shown = f"dom:{domain}"
                return lambda cells, cell: [
                    member(value, shown) for value in elements(load_set(cells, cell, words), base[domain])
                ]
            case ir.ListType(show=show):
                return lambda cells, cell: [
                    member(value, show) for value in cells[cell + 1 : cell + 1 + cells[cell]]
                ]
            case ir.IntType(show="int"):
                return lambda cells, cell: None if cells[cell] == NONE else cells[cell]
            case ir.IntType(show=show):
                return lambda cells, cell: member(cells[cell], show)

    def _member(self, value: int, show: str) -> Any:
        if value == NONE:
            return None
        if show == "flag":
            return bool(value)
        if show.startswith("dom:") and self.setting.program.domains[int(show[4:])].sort == "range":
            return value
        return self.setting.names.name(value, show) if show != "int" else value

    def _label(self, dom: DomainSchema) -> _Entry:
        """What people call a counter.  Its title is its name as long as its kind may not be known."""
        setting = self.setting
        names, layout = setting.names, setting.scenario.layout
        show, base = f"dom:{dom.id}", layout.base[dom.id]
        kind = dom.fields.get("type")
        blocks: tuple[tuple[int, int], ...] = ()
        if kind is not None and kind.field is not None:
            blocks = ((layout.field_offset[kind.field], 1),)
            hideable = setting.program.fields[kind.field].optional
            start = layout.field_offset[kind.field]
        else:
            hideable, start = False, 0

        def label(cells: Any, number: int) -> str:
            if hideable and cells[start + number] == NONE:
                return names.name(base + number, show)
            return names.label(base + number, show, cells)

        return _Entry("label", blocks, label)
