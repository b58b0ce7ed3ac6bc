"""Simultaneous blocks: the journal of what each branch writes, and the merge.

Inside a block (H_BRANCH is not NONE) every cell that a statement writes goes through `write`, which keeps
what was there.  At the end of a branch its writes are taken back but stay in the journal, closed by a
boundary entry; at the end of the block all branches are put together.
"""

from __future__ import annotations

from bisect import bisect_right

from grognard.contract import ir
from grognard.contract.backend import RuleFailure
from grognard.contract.bitsets import Cells
from grognard.contract.header import (
    FAIL_CONFLICT,
    FAIL_JOURNAL,
    FAIL_RANGE,
    H_BRANCH,
    H_JOURNAL,
    NONE,
)
from grognard.contract.layout import JOURNAL_ENTRY, Layout

#: What an entry did.  ADD_CLAMPED is an addition that keeps to the field's range instead of failing.
SET, ADD, BITS_ON, BITS_OFF, ADD_CLAMPED = range(5)
#: The cell of an entry that ends a branch.
BOUNDARY = -1


class Effect:
    """What a branch (or all branches so far) did to one cell."""

    __slots__ = ("clamped", "how", "off", "value")

    def __init__(self, how: int) -> None:
        self.how = how  # SET, ADD or BITS_ON
        self.value = 0  # the value set, the sum added, the bits set
        self.off = 0  # the bits cleared
        self.clamped = False


class Journal:
    """The journal's place in the cells, and the ranges of the fields that a merge must keep to."""

    def __init__(self, program: ir.Program, layout: Layout) -> None:
        self.fields = program.fields
        self.layout = layout
        self.start = layout.journal_offset
        self.entries = layout.journal_entries

    def write(self, c: Cells, cell: int, value: int, how: int, operand: int, site: int) -> None:
        """Write a cell; `how` and `operand` say what was meant, for the merge."""
        if c[H_BRANCH] != NONE:
            self._append(c, cell, how, operand, c[cell], site)
        c[cell] = value

    def _append(self, c: Cells, cell: int, how: int, operand: int, before: int, site: int) -> None:
        count = c[H_JOURNAL]
        if count >= self.entries:
            raise RuleFailure(FAIL_JOURNAL, site)
        place = self.start + count * JOURNAL_ENTRY
        c[place], c[place + 1], c[place + 2], c[place + 3] = cell, how, operand, before
        c[H_JOURNAL] = count + 1

    def touched(self, c: Cells) -> set[int]:
        """The cells that some branch of the open block has written."""
        stop = self.start + c[H_JOURNAL] * JOURNAL_ENTRY
        return set(c[self.start : stop : JOURNAL_ENTRY].tolist())

    def begin(self, c: Cells, site: int) -> None:
        if c[H_BRANCH] != NONE:
            raise RuleFailure(FAIL_JOURNAL, site)
        c[H_BRANCH] = c[H_JOURNAL]

    def next(self, c: Cells, site: int) -> None:
        """Take the branch's writes back, last first, and close it."""
        if c[H_BRANCH] == NONE:
            raise RuleFailure(FAIL_JOURNAL, site)
        for entry in range(c[H_JOURNAL] - 1, c[H_BRANCH] - 1, -1):
            place = self.start + entry * JOURNAL_ENTRY
            c[c[place]] = c[place + 3]
        self._append(c, BOUNDARY, 0, 0, 0, site)
        c[H_BRANCH] = c[H_JOURNAL]

    def end(self, c: Cells, site: int) -> None:
        """Merge: cells in the order in which they were first written."""
        if c[H_BRANCH] == NONE or c[H_BRANCH] != c[H_JOURNAL]:
            raise RuleFailure(FAIL_JOURNAL, site)
        merged: dict[int, Effect] = {}
        branch: dict[int, Effect] = {}
        stop = self.start + c[H_JOURNAL] * JOURNAL_ENTRY
        for place in range(self.start, stop, JOURNAL_ENTRY):
            cell, how, operand, _before = c[place : place + JOURNAL_ENTRY]
            if cell == BOUNDARY:
                for touched, effect in branch.items():
                    self._join(merged, touched, effect, site)
                branch = {}
            else:
                self._follow(branch, cell, how, operand)
        for cell, effect in merged.items():
            c[cell] = self._final(cell, c[cell], effect, site)
        for cell in range(self.start, stop):
            c[cell] = 0
        c[H_JOURNAL] = 0
        c[H_BRANCH] = NONE

    def _follow(self, branch: dict[int, Effect], cell: int, how: int, operand: int) -> None:
        """One more write of the same branch: the last one counts."""
        effect = branch.get(cell)
        if how == SET:
            if effect is None or effect.how != SET:
                effect = branch[cell] = Effect(SET)
            effect.value = operand
            return
        if effect is None:
            effect = branch[cell] = Effect(BITS_ON if how in (BITS_ON, BITS_OFF) else ADD)
        if how in (ADD, ADD_CLAMPED):
            effect.value += operand
            if how == ADD_CLAMPED:
                if effect.how == SET:
                    entry = self.fields[self._field(cell)]
                    effect.value = max(entry.lo, min(entry.hi, effect.value))
                else:
                    effect.clamped = True
        elif how == BITS_ON:
            effect.value |= operand
            effect.off &= ~operand
        else:
            effect.value &= ~operand
            if effect.how != SET:
                effect.off |= operand

    def _join(self, merged: dict[int, Effect], cell: int, effect: Effect, site: int) -> None:
        """What another branch did to the cell, beside what those before it did."""
        known = merged.get(cell)
        if known is None:
            merged[cell] = effect
            return
        clash = known.how != effect.how
        if not clash and effect.how == SET:
            clash = known.value != effect.value
        elif not clash and effect.how == BITS_ON:
            clash = bool(known.value & effect.off or known.off & effect.value)
        if clash:
            raise RuleFailure(FAIL_CONFLICT, site, self.name(cell))
        if effect.how == ADD:
            known.value += effect.value
            known.clamped = known.clamped or effect.clamped
        elif effect.how == BITS_ON:
            known.value |= effect.value
            known.off |= effect.off

    def _final(self, cell: int, before: int, effect: Effect, site: int) -> int:
        if effect.how == SET:
            return effect.value
        if effect.how == BITS_ON:
            return (before | effect.value) & ~effect.off
        entry = self.fields[self._field(cell)]
        total = before + effect.value
        if effect.clamped:
            return max(entry.lo, min(entry.hi, total))
        if not entry.lo <= total <= entry.hi:
            raise RuleFailure(FAIL_RANGE, site, (total,))
        return total

    def _field(self, cell: int) -> int:
        # A field without elements shares its start with the one behind it: of equal starts the last is right.
        return bisect_right(self.layout.field_offset, cell) - 1

    def name(self, cell: int) -> tuple[int, int]:
        """A cell as (field, number of the element)."""
        field = self._field(cell)
        return field, (cell - self.layout.field_offset[field]) // self.layout.field_words[field]
