"""The stack of machine frames inside the position.

A frame begins with four cells: machine, block, offset of the caller's frame (NONE at the bottom), and the caller's local
that takes the result (NONE: none).  Its locals follow.
"""

from __future__ import annotations

from typing import Any

from grognard.contract import ir
from grognard.contract.backend import RuleFailure
from grognard.contract.bitsets import Cells, store_set
from grognard.contract.header import (
    FAIL_STACK,
    H_ASK,
    H_BRANCH,
    H_CHOOSER,
    H_FP,
    H_JOURNAL,
    H_OUTCOME,
    H_SP,
    H_STATUS,
    NONE,
    STATUS_OVER,
    STATUS_RUNNING,
)
from grognard.contract.layout import JOURNAL_ENTRY, Layout
from grognard.interpreter.frames import Frame, Run

#: What a terminator returns instead of the next block when another frame runs, or none.
LEFT = -1


class Stack:
    """Pushes and pops frames, and ends the game with the last one."""

    def __init__(self, program: ir.Program, layout: Layout) -> None:
        self.program = program
        self.layout = layout

    def reset(self, c: Cells) -> None:
        """An empty stack and journal, as in a fresh position."""
        self._clear(c)
        for cell in range(
            self.layout.journal_offset,
            self.layout.journal_offset + self.layout.journal_entries * JOURNAL_ENTRY,
        ):
            c[cell] = 0
        c[H_JOURNAL] = 0
        c[H_STATUS] = STATUS_RUNNING
        for cell in (H_CHOOSER, H_ASK, H_OUTCOME, H_BRANCH):
            c[cell] = NONE

    def _clear(self, c: Cells) -> None:
        for cell in range(self.layout.stack_offset, self.layout.stack_offset + self.layout.stack_cells):
            c[cell] = 0
        c[H_SP] = 0
        c[H_FP] = NONE

    def push(self, c: Cells, machine: int, values: list[Any], caller: int, local: int) -> None:
        """A new frame, at its first block; `caller` and `local` are NONE at the bottom."""
        shape = self.layout.frames[machine]
        offset = c[H_SP]
        if offset + shape.size > self.layout.stack_cells:
            raise RuleFailure(FAIL_STACK, self.program.machines[machine].site)
        place = self.layout.stack_offset + offset
        c[place], c[place + 1], c[place + 2], c[place + 3] = machine, 0, caller, local
        for number, value in enumerate(values):
            self.store_local(c, offset, machine, number, value)
        c[H_SP] = offset + shape.size
        c[H_FP] = offset

    def store_local(self, c: Cells, offset: int, machine: int, number: int, value: Any) -> None:
        """Write a local of a frame."""
        cell = self.layout.stack_offset + offset + self.layout.frames[machine].offsets[number]
        match self.program.machines[machine].locals[number].type:
            case ir.IntType():
                c[cell] = value
            case ir.SetType(domain=domain):
                store_set(c, cell, max(1, (self.layout.count[domain] + 31) // 32), value)
            case ir.ListType():
                c[cell] = len(value)
                for item_number, item in enumerate(value):
                    c[cell + 1 + item_number] = item

    def pop(self, c: Cells, result: int) -> int:
        """Return to the caller with a result; the return of the bottom frame ends the game."""
        offset = c[H_FP]
        place = self.layout.stack_offset + offset
        caller, local = c[place + 2], c[place + 3]
        if caller == NONE:
            return self.end_game(c, result)
        for cell in range(place, self.layout.stack_offset + c[H_SP]):
            c[cell] = 0
        c[H_SP] = offset
        c[H_FP] = caller
        if local != NONE:
            below = self.layout.stack_offset + caller
            c[below + self.layout.frames[c[below]].offsets[local]] = result
        return LEFT

    def end_game(self, c: Cells, outcome: int) -> int:
        self._clear(c)
        c[H_STATUS] = STATUS_OVER
        c[H_OUTCOME] = outcome
        return LEFT

    def block_cell(self, c: Cells) -> int:
        """The cell of the running frame with the block that it runs, or continues at."""
        return self.layout.stack_offset + c[H_FP] + 1

    def running(self, c: Cells) -> int:
        """The machine whose frame is on top."""
        return c[self.layout.stack_offset + c[H_FP]]

    def frame(self, c: Cells, run: Run, offset: int | None = None) -> Frame:
        """The frame on top, or the one at an offset, as closures see it."""
        place = self.layout.stack_offset + (c[H_FP] if offset is None else offset)
        return Frame(c, c[place : place + self.layout.frames[c[place]].size], run)
