"""The state of a run, which translated code works on, and what it asks of the runtime.

One list holds the cells of the position that is being played; translated code knows it as `c`.  Beside it stands what has
become invalid since: `dirty` has a bit for every field that was written, and `flush` forgets all that was kept of those
fields (values of functions, indices, lists of the living) before anything kept is used.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from functools import lru_cache
from typing import Any, TypeAlias

from grognard.contract import generator as rng
from grognard.contract import ir
from grognard.contract.backend import Io, RuleFailure
from grognard.contract.bitsets import load_set as set_in
from grognard.contract.bitsets import set_words_of
from grognard.contract.datablock import DataBlock
from grognard.contract.header import (
    FAIL_DICE,
    FAIL_INDEX,
    FAIL_LIST,
    FAIL_OVERFLOW,
    FAIL_POOL,
    FAIL_RANGE,
    H_ASK,
    H_BRANCH,
    H_CHOOSER,
    H_FP,
    H_JOURNAL,
    H_OUTCOME,
    H_RNG_HI,
    H_RNG_LO,
    H_SP,
    H_STATUS,
    HEADER,
    NONE,
    STATUS_RUNNING,
)
from grognard.contract.layout import JOURNAL_ENTRY, Layout, default_value, own_parts
from grognard.geometry.meeting import most_met
from grognard.interpreter.frames import Enough
from grognard.interpreter.journal import BITS_OFF, BITS_ON, SET, Journal
from grognard.interpreter.map_queries import Geography
from grognard.interpreter.stack import Stack

MOST = 0x7FFF_FFFF
#: So many different sets of fields that were written together are remembered.
MOST_TOGETHER = 4096


#: Header and fields, the journal's entries, the stack; fields touched, the most on the stack, whether the journal was written.
Snapshot: TypeAlias = tuple[list[int], list[int], list[int], int, int, bool]


class Uncounted(Exception):
    """A run met what translated code does not count exactly (too many steps, calls too deep): the interpreter says where."""


class ListJournal(Journal):
    """The journal of cells in a list."""

    def touched(self, c: Any) -> set[int]:
        return {*c[self.start : self.start + c[H_JOURNAL] * JOURNAL_ENTRY : JOURNAL_ENTRY]}


class ListStack(Stack):
    """The stack of cells in a list: emptied all at once, which hypotheticals do often."""

    def __init__(self, program: ir.Program, layout: Layout, state: State) -> None:
        super().__init__(program, layout)
        self._state = state

    def reset(self, c: Any) -> None:
        start, size = self.layout.journal_offset, self._state.journal_used
        c[start : start + size] = [0] * size
        self._clear(c)
        c[H_JOURNAL] = 0
        c[H_STATUS] = STATUS_RUNNING
        c[H_CHOOSER] = c[H_ASK] = c[H_OUTCOME] = c[H_BRANCH] = NONE

    def _clear(self, c: Any) -> None:
        start, size = self.layout.stack_offset, self.layout.stack_cells
        c[start : start + size] = [0] * size
        c[H_SP] = 0
        c[H_FP] = NONE


class State:
    """The position that is being played, and the run that plays it."""

    def __init__(self, program: ir.Program, layout: Layout, data: DataBlock) -> None:
        self.program = program
        self.layout = layout
        self.data = data
        self.geography = Geography(data)
        self.cells: Any = [0] * layout.cells
        self.journal = ListJournal(program, layout)
        #: fields written since `flush`, and all since the cells were taken over
        self.dirty = 0
        self.touched = 0
        #: for every field what is kept of it, to be emptied when it is written
        self.kept: list[list[dict[Any, Any]]] = [[] for _ in program.fields]
        #: the same for fields that were written together, as far as that was asked for
        self._kept_of: dict[int, list[dict[Any, Any]]] = {}
        self.steps = 0
        self.budget = 0
        self.depth = 0
        self.yields: list[int] = []
        self.enough = 0
        self.first = 0
        self.io = Io()
        self.trace = self.io.trace
        #: the bytes that `cells` were when they were taken over or handed out last
        self._bytes = b""
        #: the most that the stack held, and whether the journal was written, since the cells were taken over
        self.highest = 0
        self.journalled = False
        #: where the journal lies, and its bytes without an entry
        self._journal = layout.journal_offset, layout.journal_offset + layout.journal_entries * JOURNAL_ENTRY
        self._no_entries = bytes(4 * (self._journal[1] - self._journal[0]))
        #: whether cells of the journal behind its last entry hold 0, as runs leave them; a position from outside may differ
        self._clean = True

    @property
    def known(self) -> bytes:
        """The bytes that the cells were when they were taken over or handed out last."""
        return self._bytes

    # --------------------------------------------------------------------------------------- taking and giving

    def take(self, cells: bytearray, io: Io) -> None:
        """Take over the cells of a position.  What is kept of fields that hold the same as before stays."""
        self.steps = self.depth = self.enough = 0
        self.io, self.trace, self.budget, self.first = io, io.trace, io.budget, io.first
        if self._bytes != cells:
            self._load(cells)
        self.flush()
        self.touched = 0
        self.journalled = False
        self.highest = self.cells[H_SP]

    def _load(self, cells: bytearray) -> None:
        known, layout = self._bytes, self.layout
        for field, start in enumerate(layout.field_offset):
            a, b = 4 * start, 4 * (start + layout.field_cells[field])
            if known[a:b] != cells[a:b]:
                self.dirty |= 1 << field
        with memoryview(cells) as raw, raw.cast("i") as c:
            self.cells[:] = c.tolist()
        self._bytes = bytes(cells)
        start, stop = self._journal
        behind = start + self.cells[H_JOURNAL] * JOURNAL_ENTRY
        self._clean = (
            start <= behind <= stop
            and cells[4 * behind : 4 * stop] == self._no_entries[4 * (behind - start) :]
        )

    @property
    def journal_used(self) -> int:
        """Cells of the journal that may hold something."""
        start, stop = self._journal
        return self.cells[H_JOURNAL] * JOURNAL_ENTRY if self._clean else stop - start

    def give(self, cells: bytearray) -> None:
        """Hand out what changed since the cells were taken over."""
        c, layout = self.cells, self.layout
        touched = self.touched | self.dirty
        with memoryview(cells) as raw, raw.cast("i") as out:
            out[:HEADER] = array("i", c[:HEADER])
            while touched:
                field = (touched & -touched).bit_length() - 1
                touched &= touched - 1
                a = layout.field_offset[field]
                b = a + layout.field_cells[field]
                out[a:b] = array("i", c[a:b])
            if self.journalled:
                start, stop = self._journal
                used = start + self.journal_used
                raw[4 * used : 4 * stop] = self._no_entries[4 * (used - start) :]
                out[start:used] = array("i", c[start:used])
            a = layout.stack_offset
            b = a + max(self.highest, c[H_SP])
            out[a:b] = array("i", c[a:b])
        self._bytes = bytes(cells)

    def forget(self) -> None:
        """After a failure: the cells are in no defined state."""
        self._bytes = b""
        self.dirty = (1 << len(self.kept)) - 1

    def flush(self) -> None:
        """Drop what is kept of fields that were written."""
        dirty = self.dirty
        self.dirty = 0
        self.touched |= dirty
        if not dirty:
            return
        found = self._kept_of.get(dirty)
        for kept in self._all_kept(dirty) if found is None else found:
            if kept:
                kept.clear()

    def _all_kept(self, dirty: int) -> list[dict[Any, Any]]:
        """All that is kept of any of these fields.  The same few writes come again and again."""
        if len(self._kept_of) > MOST_TOGETHER:
            self._kept_of.clear()
        fields = [number for number, kept in enumerate(self.kept) if kept and dirty >> number & 1]
        different = {id(kept): kept for field in fields for kept in self.kept[field]}
        found = self._kept_of[dirty] = list(different.values())
        return found

    def snapshot(self) -> Snapshot:
        """The cells as they are, to be put back with `restore`."""
        if self.dirty:
            self.flush()
        c, (start, stop) = self.cells, self._journal
        # Mostly the journal is empty, and longer than everything else.
        entries = c[start : start + self.journal_used]
        known = c[:start], entries, c[stop:], self.touched, self.highest, self.journalled
        self.touched = 0
        return known

    def restore(self, known: Snapshot) -> None:
        fields, entries, stack, touched, self.highest, self.journalled = known
        changed = self.touched | self.dirty
        c, (start, stop) = self.cells, self._journal
        used, had = self.journal_used, len(entries)
        c[start : start + max(used, had)] = entries + [0] * (used - had)
        c[:HEADER] = fields[:HEADER]
        c[stop:] = stack
        field_offset, field_cells, rest = self.layout.field_offset, self.layout.field_cells, changed
        while rest:
            field = (rest & -rest).bit_length() - 1
            rest &= rest - 1
            a = field_offset[field]
            b = a + field_cells[field]
            c[a:b] = fields[a:b]
        self.dirty |= changed
        # What changed and was put back need not be handed out.
        self.flush()
        self.touched = touched

    # ------------------------------------------------------------------------------------------------- failures

    def failed(self, kind: int, site: int, *detail: int) -> Any:
        raise RuleFailure(kind, site, detail)

    def failed_index(self, site: int, value: int) -> Any:
        raise RuleFailure(FAIL_INDEX, site, (value,))

    def failed_overflow(self, site: int, *detail: int) -> Any:
        raise RuleFailure(FAIL_OVERFLOW, site, detail)

    def uncounted(self) -> Any:
        raise Uncounted

    # ------------------------------------------------------------------------------------------- sets and lists

    def load_set(self, cell: int, words: int) -> int:
        return set_in(memoryview(array("i", self.cells[cell : cell + words])), 0, words)

    def store_set(self, cell: int, words: int, mask: int) -> None:
        """Write a set of a machine's frame."""
        self.cells[cell : cell + words] = set_words_of(mask, words)

    def load_list(self, cell: int) -> list[int]:
        c = self.cells
        found: list[int] = c[cell + 1 : cell + 1 + c[cell]]
        return found

    def store_list(self, cell: int, capacity: int, items: list[int]) -> None:
        """Write a list of a machine's frame; cells behind the last item are 0."""
        self.cells[cell : cell + 1 + capacity] = [len(items), *items, *([0] * (capacity - len(items)))]

    def append(self, cell: int, item: int, capacity: int, site: int) -> None:
        """Append to a list of a machine's frame."""
        c = self.cells
        length = c[cell]
        if length >= capacity:
            raise RuleFailure(FAIL_LIST, site, (item,))
        c[cell + 1 + length] = item
        c[cell] = length + 1

    def copied(self, items: list[int], capacity: int, site: int) -> list[int]:
        if len(items) > capacity:
            raise RuleFailure(FAIL_LIST, site, (len(items),))
        return items[:]

    def bit_of(self, value: int, base: int, count: int, site: int) -> int:
        """The element's bit, 0 for NONE."""
        if value == NONE:
            return 0
        if 0 <= value - base < count:
            return 1 << (value - base)
        raise RuleFailure(FAIL_INDEX, site, (value,))

    # --------------------------------------------------------------------------------------------------- writes

    def write(self, field: int, cell: int, value: int, how: int, operand: int, site: int) -> None:
        """Write a cell of a field; inside a simultaneous block it goes to the journal too."""
        c = self.cells
        if c[H_BRANCH] != NONE:
            self.journal.write(c, cell, value, how, operand, site)
            self.journalled = True
            self.dirty |= 1 << field
        elif c[cell] != value:
            c[cell] = value
            self.dirty |= 1 << field

    def write_all(self, field: int, cell: int, values: list[int], site: int) -> None:
        for number, value in enumerate(values):
            self.write(field, cell + number, value, SET, value, site)

    def write_set(self, field: int, cell: int, mask: int, site: int) -> None:
        self.write_all(field, cell, set_words_of(mask, self.layout.field_words[field]), site)

    def write_list(self, field: int, cell: int, items: list[int], capacity: int, site: int) -> None:
        values = [len(items), *items, *([0] * (capacity - len(items)))]
        self.write_all(field, cell, values, site)

    def change_set(self, field: int, cell: int, value: int, domain: int, add: bool, site: int) -> None:
        if value == NONE:
            return
        place = value - self.layout.base[domain]
        if not 0 <= place < self.layout.count[domain]:
            raise RuleFailure(FAIL_INDEX, site, (value,))
        cell += place >> 5
        bit = rng.signed(1 << (place & 31))
        now = self.cells[cell]
        self.write(field, cell, now | bit if add else now & ~bit, BITS_ON if add else BITS_OFF, bit, site)

    def enqueue(self, field: int, value: int, capacity: int, site: int) -> None:
        c, start = self.cells, self.layout.field_offset[field]
        length = max(0, min(c[start], capacity))
        if length >= capacity:
            raise RuleFailure(FAIL_LIST, site, (value,))
        c[start + 1 + length] = value
        c[start] = length + 1
        self.dirty |= 1 << field

    def reset_field(self, field: int, site: int) -> None:
        default = default_value(self.program.fields[field], self.layout)
        self.write_all(
            field, self.layout.field_offset[field], [default] * self.layout.field_cells[field], site
        )

    def copy_field(self, source: int, target: int, site: int) -> None:
        c, layout = self.cells, self.layout
        start, cells = layout.field_offset[source], layout.field_cells[source]
        values, to = c[start : start + cells], layout.field_offset[target]
        if c[H_BRANCH] != NONE:
            for number in range(cells):
                # Read one by one, as it is written: a field may be copied to itself.
                value = c[start + number]
                self.write(target, to + number, value, SET, value, site)
        elif c[to : to + cells] != values:
            c[to : to + cells] = values
            self.dirty |= 1 << target

    def create(self, domain: int, site: int) -> int:
        c, layout = self.cells, self.layout
        alive = self.program.domains[domain].alive
        assert alive is not None
        flags = layout.field_offset[alive]
        taken = self.journal.touched(c) if c[H_BRANCH] != NONE else ()
        marks = [layout.field_offset[kept] for kept in self.program.domains[domain].remembered]
        number = -1
        for free in range(layout.count[domain]):
            if not c[flags + free] and flags + free not in taken:
                if number < 0:
                    number = free
                if not any(c[kept + free] for kept in marks):
                    number = free
                    break
        if number < 0:
            raise RuleFailure(FAIL_POOL, site)
        for field, start, words, default in self._own(domain):
            self.write_all(field, start + number * words, [default] * words, site)
        self.write(alive, flags + number, 1, SET, 1, site)
        return layout.base[domain] + number

    @lru_cache  # noqa: B019  (a state lives as long as its back end)
    def _own(self, domain: int) -> list[tuple[int, int, int, int]]:
        """(field, first cell, cells of an element, default) of what an element of a pool has."""
        alive = self.program.domains[domain].alive
        return [
            (entry.id, start, cells, default_value(entry, self.layout))
            for entry in self.program.fields
            if entry.id != alive
            for start, cells in own_parts(entry, self.layout, domain)
        ]

    def branch_begin(self, site: int) -> None:
        self.journal.begin(self.cells, site)

    def branch_next(self, site: int) -> None:
        self._journalled_fields()
        self.journal.next(self.cells, site)

    def branch_end(self, site: int) -> None:
        self._journalled_fields()
        self.journal.end(self.cells, site)

    def _journalled_fields(self) -> None:
        """What a branch wrote is taken back or joined: all fields with entries change."""
        self.journalled = True
        for cell in self.journal.touched(self.cells):
            if cell >= 0:
                self.dirty |= 1 << bisect_right(self.layout.field_offset, cell) - 1

    # ------------------------------------------------------------------------------------- dice and candidates

    def dice(self, count: int, lo: int, hi: int, capacity: int, site: int) -> list[int]:
        if NONE in (count, lo, hi):
            raise RuleFailure(FAIL_INDEX, site, (count, lo, hi))
        if hi < lo:
            raise RuleFailure(FAIL_RANGE, site, (count, lo, hi))
        if count > capacity:
            raise RuleFailure(FAIL_LIST, site, (count,))
        dice = [self._die(lo, hi, site) for _ in range(count)]
        if not -MOST <= sum(dice) <= MOST:
            raise RuleFailure(FAIL_OVERFLOW, site)
        return dice

    def _die(self, lo: int, hi: int, site: int) -> int:
        io = self.io
        if io.script is not None:
            if io.script_used >= len(io.script):
                raise RuleFailure(FAIL_DICE, site, (lo, hi))
            face = io.script[io.script_used]
            if not lo <= face <= hi:
                raise RuleFailure(FAIL_DICE, site, (lo, hi, face))
            io.script_used += 1
            return face
        c = self.cells
        face, state = rng.draw(rng.joined(c[H_RNG_LO], c[H_RNG_HI]), hi - lo + 1)
        c[H_RNG_LO], c[H_RNG_HI] = rng.split(state)
        return lo + face

    def offer(self, value: int) -> None:
        self.yields.append(value)
        if self.enough and len({*self.yields} - {NONE}) >= self.enough:
            raise Enough

    # ----------------------------------------------------------------------------------------- what is kept

    def keep(self, fields: Any) -> dict[Any, Any]:
        """Something that is emptied when one of these fields is written."""
        made: dict[Any, Any] = {}
        for field in fields:
            self.kept[field].append(made)
        self._kept_of.clear()
        return made

    def living(self, domain: int, kept: dict[int, list[int]]) -> list[int]:
        """The elements of a pool that are in play."""
        alive = self.program.domains[domain].alive
        assert alive is not None
        start, base = self.layout.field_offset[alive], self.layout.base[domain]
        flags = self.cells[start : start + self.layout.count[domain]]
        found = kept[0] = [number for number, flag in enumerate(flags, base) if flag]
        return found

    def holders(self, field: int, domain: int, kept: dict[int, list[int]]) -> dict[int, list[int]]:
        """For each value of a field the elements of a domain that hold it, without the dead."""
        start, base = self.layout.field_offset[field], self.layout.base[domain]
        count = self.layout.count[domain]
        values = self.cells[start : start + count]
        alive = self.program.domains[domain].alive
        if alive is None:
            for number, value in enumerate(values, base):
                if value in kept:
                    kept[value].append(number)
                else:
                    kept[value] = [number]
            return kept
        flags = self.layout.field_offset[alive]
        for number, value, flag in zip(range(base, base + count), values, self.cells[flags : flags + count]):
            if flag:
                kept.setdefault(value, []).append(number)
        return kept


def met(state: State, guests: list[int], hosts: list[int], rooms: list[int]) -> int:
    """How many guests hosts can meet; every matching is a step."""

    def spend() -> None:
        state.steps += 1
        if state.steps > state.budget:
            raise Uncounted

    return most_met(guests, hosts, rooms, spend)


__all__ = ["Enough", "State", "Uncounted", "met"]
