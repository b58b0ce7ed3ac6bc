"""Setting up a position by hand, or repairing one: fields, counters that come and go.  The question that waits stays.

Changes are given by names.  Rules are not asked whether a position can be reached; that every value is one that its field
can hold, and that the question can still be answered, is checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grognard.contract import ir
from grognard.contract.bitsets import store_set
from grognard.contract.header import H_BRANCH, HEADER, NONE
from grognard.contract.layout import default_value, own_parts
from grognard.errors import EditError, UnknownName
from grognard.play.arguments import raw_value
from grognard.play.position import Position
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.contract.schema import DomainSchema, FieldSchema
    from grognard.play.setting import Setting
    from grognard.play.view import View

#: Where fields of the game itself are.
GAME = "game"


@dataclass(frozen=True, slots=True)
class Change:
    """One change: `set` a field of a member (or of the game), `create` a counter with these fields, `remove` one."""

    what: str
    domain: str
    member: str | None
    fields: Mapping[str, Any]


def edited(position: Position, changes: Sequence[Change], view: View | None = None) -> Position:
    """The position with these changes; EditError says what cannot be.  With a view, only what is in it can be changed."""
    if position.head(H_BRANCH) != NONE:
        raise EditError(
            "nothing can be changed while orders are written in secret", "wait until they are complete"
        )
    if position.over:
        raise EditError(
            "the game is over: nothing can be changed", "take the last answer back, or branch off"
        )
    made = position.clone()
    for change in changes:
        _Editor(made, view).apply(change)
    if not made.values():
        raise EditError(
            "with these changes nothing could be answered to the question that waits",
            "answer or take it back first",
        )
    return made


def set_up(position: Position, changes: Sequence[Change]) -> None:
    """Changes a position in which nothing has happened yet: no rule was asked, no question waits."""
    for change in changes:
        _Editor(position, None).apply(change)


def seen_by_all(before: Position, after: Position) -> bool:
    """Whether only such cells differ as every view shows."""
    rest = list(range(HEADER, before.setting.scenario.layout.journal_offset))
    with (
        memoryview(before.cells) as old,
        memoryview(after.cells) as new,
        old.cast("i") as was,
        new.cast("i") as now,
    ):
        differ = [cell for cell in rest if was[cell] != now[cell]]
    return all(any(start <= cell < end for start, end in before.setting.open_ranges) for cell in differ)


class _Editor:
    def __init__(self, position: Position, view: View | None) -> None:
        self.position = position
        self.setting: Setting = position.setting
        self.view = view

    def apply(self, change: Change) -> None:
        if change.what == "set" and change.domain == GAME:
            for name, value in change.fields.items():
                info = self.setting.schema.globals.get(name)
                if info is None or info.axes:
                    raise EditError(
                        f"the game has no field `{name[:80]}`",
                        hint_for(name, list(self.setting.schema.globals)),
                    )
                self._write(info, 0, value)
            return
        dom = self.setting.schema.types.get(change.domain)
        if dom is None or dom.sort not in ("piece", "record", "place", "side", "power"):
            known = [d.name for d in self.setting.schema.types.values()]
            raise EditError(f"there is no `{change.domain[:80]}`", hint_for(change.domain, known))
        match change.what:
            case "set":
                number = self._number(dom, change.member)
            case "remove":
                number = self._number(dom, change.member)
                self._alive(dom, number, False)
                return
            case "create":
                number = self._free(dom)
                self._blank(dom, number)
                self._alive(dom, number, True)
            case _:
                raise EditError("a change is `set`, `create` or `remove`")
        for name, value in change.fields.items():
            info = dom.fields.get(name)
            if info is None or info.field is None or info.axes or info.parts is not None:
                changeable = [n for n, i in dom.fields.items() if i.field is not None and not i.axes]
                raise EditError(f"`{name[:80]}` of {dom.name} cannot be changed", hint_for(name, changeable))
            self._write(info, number, value)

    def _number(self, dom: DomainSchema, member: str | None) -> int:
        """The number of a member that the editor sees; the same words for what is hidden and for what is not there."""
        number = self.setting.number_of(dom.id, member or "")
        seen = self.view if self.view is not None else self.position
        if number is not None and dom.alive is not None:
            with memoryview(seen.cells) as raw, raw.cast("i") as cells:
                if not cells[self.setting.scenario.layout.field_offset[dom.alive] + number]:
                    number = None
        if number is None:
            raise EditError(f"there is no {dom.name} `{(member or '')[:80]}` in play")
        return number

    def _free(self, dom: DomainSchema) -> int:
        layout = self.setting.scenario.layout
        if dom.alive is None:
            raise EditError(f"{dom.name}: nothing of it can be created or removed")
        start = layout.field_offset[dom.alive]
        with memoryview(self.position.cells) as raw, raw.cast("i") as cells:
            for number in range(layout.count[dom.id]):
                if not cells[start + number]:
                    return number
        raise EditError(f"there is no {dom.name} left to put into play")

    def _alive(self, dom: DomainSchema, number: int, alive: bool) -> None:
        if dom.alive is None:
            raise EditError(f"{dom.name}: nothing of it can be created or removed")
        with memoryview(self.position.cells) as raw, raw.cast("i") as cells:
            cells[self.setting.scenario.layout.field_offset[dom.alive] + number] = int(alive)

    def _blank(self, dom: DomainSchema, number: int) -> None:
        """All of its fields as at first, as where the rules create one."""
        layout = self.setting.scenario.layout
        with memoryview(self.position.cells) as raw, raw.cast("i") as cells:
            for entry in self.setting.program.fields:
                if entry.id == dom.alive:
                    continue
                value = default_value(entry, layout)
                for start, size in own_parts(entry, layout, dom.id):
                    for cell in range(start + number * size, start + (number + 1) * size):
                        cells[cell] = value

    def _write(self, info: FieldSchema, number: int, value: Any) -> None:
        assert info.field is not None
        setting, layout = self.setting, self.setting.scenario.layout
        entry = setting.program.fields[info.field]
        if entry.id in setting.veiled_fields:
            raise EditError(f"`{info.name}` cannot be changed: nobody sees it")
        words = layout.field_words[entry.id]
        if info.owner is not None and entry.dims and entry.dims[0] != info.owner.id:
            raise EditError(f"`{info.name}` cannot be changed here")
        cell = layout.field_offset[entry.id] + number * words
        try:
            with memoryview(self.position.cells) as raw, raw.cast("i") as cells:
                match entry.type:
                    case ir.IntType(show=show):
                        cells[cell] = self._raw(entry, value, show, info.name)
                    case ir.SetType(domain=domain):
                        if not isinstance(value, list):
                            raise EditError(f"`{info.name}` is a list of names")
                        base = layout.base[domain]
                        members = {
                            raw_value(setting, item, f"dom:{domain}", info.name) - base for item in value
                        }
                        if any(not 0 <= m < layout.count[domain] for m in members):
                            raise EditError(f"`{info.name}` holds names")
                        store_set(cells, cell, words, sum(1 << m for m in members))
                    case _:
                        raise EditError(f"`{info.name}` is a list, which cannot be changed by hand")
        except UnknownName as error:
            raise EditError(str(error).partition("\n")[0]) from None
        except (ValueError, TypeError):
            raise EditError(f"`{info.name}` cannot be {str(value)[:80]!r}") from None

    def _raw(self, entry: ir.Field, value: Any, show: str, name: str) -> int:
        if value is None:
            if not entry.optional:
                raise EditError(f"`{name}` is never empty")
            return NONE
        if show == "flag":
            if not isinstance(value, bool):
                raise EditError(f"`{name}` is true or false")
            return int(value)
        domains = ir.shown_domains(show)
        if domains and all(self.setting.program.domains[d].sort != "range" for d in domains):
            if not isinstance(value, str):
                raise EditError(f"`{name}` is a name")
            return raw_value(self.setting, value, show, name)
        if type(value) is not int or not entry.lo <= value <= entry.hi:
            raise EditError(f"`{name}` is a whole number from {entry.lo} to {entry.hi}")
        return value


def described(change: Change, position: Position) -> str:
    """A change in words, by the names that are in the position."""
    setting = position.setting
    fields = ", ".join(f"{name.replace('_', ' ')} {_shown(value)}" for name, value in change.fields.items())
    if change.domain == GAME:
        return f"{fields}"
    label = change.member or ""
    dom = setting.schema.types.get(change.domain)
    number = setting.number_of(dom.id, label) if dom is not None else None
    if dom is not None and number is not None:
        with memoryview(position.cells) as raw, raw.cast("i") as cells:
            label = setting.names.label(setting.scenario.layout.base[dom.id] + number, f"dom:{dom.id}", cells)
    match change.what:
        case "remove":
            return f"{label} is taken away"
        case "create":
            return f"a new {change.domain}: {fields}"
    return f"{label}: {fields}"


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return " and ".join(map(str, value)) or "nothing"
    if value is None:
        return "none"
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)
