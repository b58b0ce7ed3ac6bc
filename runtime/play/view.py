"""What a seat may know of a position: hidden fields read none, hidden pieces are absent, all else is as it is."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from grognard.contract import ir
from grognard.contract.backend import Io, RuleFailure
from grognard.contract.bitsets import load_set, store_set
from grognard.contract.header import (
    H_ASK,
    H_BRANCH,
    H_CHOOSER,
    H_EPOCH,
    H_FP,
    H_JOURNAL,
    H_RNG_HI,
    H_RNG_LO,
    H_SP,
    NONE,
)
from grognard.contract.layout import JOURNAL_ENTRY, Layout, default_value
from grognard.errors import UnknownName
from grognard.play.reader import Reader
from grognard.play.saved_bytes import portable
from grognard.support.suggest import hint_for

if TYPE_CHECKING:
    from grognard.contract.questions import Choice
    from grognard.contract.schema import FieldSchema
    from grognard.play.position import Position
    from grognard.play.setting import Setting


class View(Reader):
    """What one seat may know of a position: hidden fields read none, hidden pieces are absent.

    It holds no generator, no stack and no journal, so there is nothing to find in it that the seat may not
    know.  Fields are read as in a position; `legal()` lists the seat's own choices if it is to move."""

    __slots__ = ("_bags", "_legal", "rule_cells", "seat")

    def __init__(
        self, setting: Setting, cells: bytearray, seat: str, legal: list[Choice], bags: Mapping[str, int]
    ) -> None:
        self.setting = setting
        #: as rules read them: a hidden field that is never none holds the least value of its type
        self.rule_cells = bytes(cells)
        self.cells = cells
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
            raise UnknownName(f"{self.setting.title} has no bag `{name}`", hint_for(name, list(self._bags)))
        return self._bags[name]

    @property
    def bag_sizes(self) -> Mapping[str, int]:
        """How many lie in each bag."""
        return self._bags

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, View):
            return NotImplemented
        return self.seat == other.seat and self.cells == other.cells and self._legal == other._legal

    def __hash__(self) -> int:
        return hash((self.seat, bytes(self.cells)))

    def __bytes__(self) -> bytes:
        """The masked cells, to compare views; they are not a position and cannot be played on."""
        return portable(self.cells)

    def __repr__(self) -> str:
        return f"<View of {self.seat}: ply {self.ply}, {self.to_move or 'nobody'} to move>"


# ------------------------------------------------------------------------------------------------- masking


def make_view(position: Position, seat: str) -> View:
    setting = position.setting
    number = setting.seat_number(seat)
    program = setting.program
    chooser = position.head(H_CHOOSER)
    mine = chooser == number
    legal = position.legal() if mine else []
    bags = {name: sum(position.bag(name).values()) for name in setting.schema.bags}
    before, cells = _masked(position, number)
    view = View(setting, cells, seat, legal, bags)
    with memoryview(cells) as raw, raw.cast("i") as c:
        # The least value of a type is as plausible as any other: what is hidden must read as hidden.
        for info, hidden in hidden_cells(setting, before, number):
            if isinstance(program.fields[info.field or 0].type, ir.IntType):
                for cell in hidden:
                    c[cell] = NONE
    return view


def masked_cells(position: Position, seat: int) -> bytearray:
    """The cells of a position without what the seat (by its number) may not know, as rules read them."""
    return _masked(position, seat)[1]


def _masked(position: Position, seat: int) -> tuple[bytes, bytearray]:
    """The cells without what others write in an open branch, and the same without all that is hidden."""
    setting = position.setting
    program = setting.program
    mine = position.head(H_CHOOSER) == seat
    cells = bytearray(position.cells)
    with memoryview(cells) as raw, raw.cast("i") as c:
        close_branch(setting, c, mine)
    before = bytes(cells)
    if program.view is not None:
        _call_view(setting, cells, seat)
    with memoryview(cells) as raw, raw.cast("i") as c:
        with memoryview(before) as whole, whole.cast("i") as truth:
            _scrub(setting, truth, c)
        _forget_rest(setting, c)
        ask = c[H_ASK]
        if ask != NONE and not mine and program.asks[ask].quiet:
            # That a question is asked at all is secret.
            c[H_ASK] = c[H_CHOOSER] = NONE
    return before, cells


def _call_view(setting: Setting, cells: bytearray, seat: int) -> None:
    assert setting.program.view is not None
    try:
        setting.backend.call(cells, setting.program.view, (seat,), Io())
    except RuleFailure as failure:
        raise setting.error(failure) from failure


def hidden_cells(setting: Setting, public: bytes, seat: int) -> list[tuple[FieldSchema, list[int]]]:
    """Secret fields of seats and of counters in sight, each with the elements (their first cells) that the seat may
    not read.  `public` are the cells of a position without what open branches wrote.

    They are found by masking a copy in which every secret has a value that is not blank, so that blank secrets and
    others look the same."""
    infos = setting.secret_infos
    if not infos:
        return []
    layout, program = setting.scenario.layout, setting.program
    probe = bytearray(public)
    with memoryview(probe) as raw, raw.cast("i") as p:
        for info in infos:
            assert info.field is not None
            if info.decides_secrecy:
                # A condition of secrecy reads it: it stays as it is while masking.
                continue
            start, words = layout.field_offset[info.field], layout.field_words[info.field]
            mark = _non_blank_value(program.fields[info.field], layout)
            for cell in range(start, start + layout.field_cells[info.field], words):
                p[cell] = mark
        before = bytes(probe)
    _call_view(setting, probe, seat)
    found: list[tuple[FieldSchema, list[int]]] = []
    with memoryview(probe) as raw, raw.cast("i") as p, memoryview(before) as old, old.cast("i") as b:
        for info in infos:
            assert info.field is not None
            start, words = layout.field_offset[info.field], layout.field_words[info.field]
            alive = info.owner.alive if info.owner is not None else None
            cells = []
            for number, cell in enumerate(range(start, start + layout.field_cells[info.field], words)):
                # A counter out of play or out of sight is absent as a whole.
                if alive is not None and not p[layout.field_offset[alive] + number]:
                    continue
                if any(p[cell + w] != b[cell + w] for w in range(words)):
                    cells.append(cell)
            if cells:
                found.append((info, cells))
    return found


def _non_blank_value(entry: ir.Field, layout: Layout) -> int:
    """A value of the field that masking changes."""
    match entry.type:
        case ir.IntType(show=show):
            if entry.optional:
                if show.startswith("dom:"):
                    return int(layout.base[int(show[4:])])
                return entry.lo
            blank = max(0, entry.lo)
            return entry.lo if entry.lo != blank else entry.hi if entry.hi != blank else blank + 1
        case _:
            return 1


def hidden_pieces(setting: Setting, position: Position, seat: int) -> frozenset[tuple[int, int]]:
    """The counters in play that the seat must not know of, as (domain, value)."""
    if setting.program.view is None:
        return frozenset()
    cells = bytearray(position.cells)
    with memoryview(cells) as raw, raw.cast("i") as c:
        close_branch(setting, c, True)
    _call_view(setting, cells, seat)
    with memoryview(position.cells) as raw, raw.cast("i") as truth, memoryview(cells) as masked:
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
    for domain, value in _hidden(setting, truth, c) if program.view is not None else ():
        hidden.setdefault(domain, []).append(value)
    dead: dict[int, list[int]] = {}
    for field, domain in setting.secrets_of_pieces:
        # A counter that is out of play keeps its fields; masking does not come to it any more.
        if domain not in dead:
            living = layout.field_offset[program.domains[domain].alive or 0]
            dead[domain] = [n for n in range(layout.count[domain]) if not truth[living + n]]
        inner = layout.field_cells[field] // max(layout.count[domain], 1)
        start, value = layout.field_offset[field], default_value(program.fields[field], layout)
        for first, count in _runs(dead[domain]):
            _fill(c, start + first * inner, count * inner, value)
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
                if not gone.isdisjoint(c[start : start + cells].tolist()):
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
    _fill(c, start, cells, default_value(entry, layout))


def _fill(c: Any, start: int, cells: int, value: int) -> None:
    c[start : start + cells] = memoryview(array("i", (value,)) * cells)


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Ascending numbers as stretches: (first, count)."""
    first = last = None
    for number in numbers:
        if first is None or last is None:
            first = number
        elif number != last + 1:
            yield first, last + 1 - first
            first = number
        last = number
    if first is not None and last is not None:
        yield first, last + 1 - first


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
