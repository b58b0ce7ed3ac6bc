"""What compiled closures work on: the run, the frame, and sets between cells and Python integers.

A closure takes a `Frame`.  `frame.v[k]` is an integer local in functions and machines alike: functions keep
their locals in a list, machines look through `v` at their frame inside the position.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from grognard.compiler import ir
from grognard.compiler.datablock import DataBlock
from grognard.compiler.layout import Layout
from grognard.machineio import Io, RuleFailure
from grognard.values import FAIL_BUDGET, FAIL_INDEX, NONE
from grognard.verbs import Geography

#: Functions that may be running inside each other.
CALL_DEPTH = 200

Cells: TypeAlias = memoryview
#: A bit mask, an integer or a list, as the closures pass them on.
Value: TypeAlias = Any


class Run:
    """One call of a back end: its budget, its trace and what is being collected."""

    __slots__ = ("budget", "depth", "io", "level", "steps", "yields")

    def __init__(self, io: Io) -> None:
        self.io = io
        self.level = io.level
        self.budget = io.budget
        self.steps = 0
        self.depth = 0
        self.yields: list[int] = []

    def spend(self, steps: int, site: int) -> None:
        self.steps += steps
        if self.steps > self.budget:
            raise RuleFailure(FAIL_BUDGET, site)

    def note(self, site: int, seen: int, args: list[int] | tuple[int, ...]) -> None:
        self.io.trace.extend((site, seen, len(args), *args))


class Frame:
    """Locals and cells of the code that runs."""

    __slots__ = ("c", "result", "run", "v")

    def __init__(self, c: Cells, v: Any, run: Run, result: Value = None) -> None:
        self.c = c
        self.v = v
        self.run = run
        self.result = result


Eval: TypeAlias = Callable[[Frame], Any]


def _no_machines(fr: Frame, machine: int, values: list[Any], enough: int) -> int:
    raise ValueError("there is nobody to run machines")


class Unit:
    """A program with everything that its closures need, and its functions as they get compiled."""

    def __init__(self, program: ir.Program, layout: Layout, data: DataBlock) -> None:
        self.program = program
        self.layout = layout
        self.data = data
        self.geography = Geography(data)
        #: invoke(frame of the caller, arguments) for every function; a list because functions call each other
        self.functions: list[Callable[[Frame, list[Any]], Any]] = []
        #: at_best(frame, machine, arguments, enough): set by the interpreter, which alone can run machines
        self.at_best: Callable[[Frame, int, list[Any], int], int] = _no_machines


# ------------------------------------------------------------------------------------------------- sets


def load_set(c: Cells, cell: int, words: int) -> int:
    """The mask in these cells, lowest word first."""
    if words == 1:
        return c[cell] & 0xFFFF_FFFF
    if sys.byteorder == "little":
        return int.from_bytes(c[cell : cell + words], "little")
    return sum((c[cell + i] & 0xFFFF_FFFF) << (32 * i) for i in range(words))


def set_words_of(mask: int, words: int) -> list[int]:
    """The mask as signed cells."""
    result = []
    for _ in range(words):
        word = mask & 0xFFFF_FFFF
        result.append(word - 0x1_0000_0000 if word & 0x8000_0000 else word)
        mask >>= 32
    return result


def store_set(c: Cells, cell: int, words: int, mask: int) -> None:
    if words == 1:
        c[cell] = mask - 0x1_0000_0000 if mask & 0x8000_0000 else mask
    elif sys.byteorder == "little":
        c[cell : cell + words] = memoryview(mask.to_bytes(4 * words, "little")).cast("i")
    else:
        for i, word in enumerate(set_words_of(mask, words)):
            c[cell + i] = word


def elements(mask: int, base: int) -> Iterator[int]:
    """The set's elements in ascending order."""
    while mask:
        low = mask & -mask
        yield base + low.bit_length() - 1
        mask ^= low


def bit_of(value: int, base: int, count: int, site: int) -> int:
    """The element's bit, 0 for NONE; FAIL_INDEX outside the domain."""
    if value == NONE:
        return 0
    place = value - base
    if 0 <= place < count:
        return 1 << place
    raise RuleFailure(FAIL_INDEX, site, (value,))
