"""What compiled closures work on: the run, the frame, and sets between cells and Python integers.

A closure takes a `Frame`.  `frame.v[k]` is an integer local in functions and machines alike: functions keep
their locals in a list, machines look through `v` at their frame inside the position.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from grognard.contract import ir
from grognard.contract.backend import TRACE_WHY, Io, RuleFailure
from grognard.contract.bitsets import Cells
from grognard.contract.datablock import DataBlock
from grognard.contract.header import (
    FAIL_BUDGET,
    FAIL_INDEX,
    NONE,
)
from grognard.contract.layout import Layout
from grognard.contract.trace import BELOW, CALL, RETURN
from grognard.interpreter.map_queries import Geography

#: Functions that may be running inside each other.
CALL_DEPTH = 200

#: A bit mask, an integer or a list, as the closures pass them on.
Value: TypeAlias = Any


class Enough(Exception):
    """As many candidates as were wanted have been found."""


class Run:
    """One call of a back end: its budget, its trace and what is being collected."""

    __slots__ = ("budget", "depth", "enough", "first", "io", "level", "steps", "yields")

    def __init__(self, io: Io) -> None:
        self.io = io
        self.level = io.level
        self.budget = io.budget
        self.steps = 0
        self.depth = 0
        self.yields: list[int] = []
        #: answers that are still given without waiting: always the first candidate
        self.first = io.first
        #: different candidates after which no more are looked for, 0: all are wanted
        self.enough = 0

    def spend(self, steps: int, site: int) -> None:
        self.steps += steps
        if self.steps > self.budget:
            raise RuleFailure(FAIL_BUDGET, site)

    def offer(self, value: int) -> None:
        """Collect a candidate; Enough if no more are wanted."""
        self.yields.append(value)
        if self.enough and len({*self.yields} - {NONE}) >= self.enough:
            raise Enough

    def note(self, site: int, seen: int, args: list[int] | tuple[int, ...]) -> None:
        self.io.trace.extend((site, seen, len(args), *args))

    def note_result(self, site: int, seen: int, args: list[int] | tuple[int, ...], since: int) -> None:
        """A record with all that was noted since below it."""
        below = len(self.io.trace) - since
        if below:
            self.io.trace.extend((BELOW, below))
        self.note(site, seen, args)

    def mark_call(self, site: int) -> None:
        """A procedure or machine begins."""
        if self.level >= TRACE_WHY:
            self.io.trace.extend((CALL, site))

    def mark_return(self) -> None:
        if self.level >= TRACE_WHY:
            self.io.trace.append(RETURN)


class Frame:
    """Locals and cells of the code that runs."""

    __slots__ = ("c", "result", "run", "since", "v")

    def __init__(self, c: Cells, v: Any, run: Run, result: Value = None) -> None:
        self.c = c
        self.v = v
        self.run = run
        self.result = result
        #: how long the trace was when the function began, where its result is noted
        self.since = 0


Eval: TypeAlias = Callable[[Frame], Any]


def _no_machines(fr: Frame, machine: int, values: list[Any], enough: int) -> int:
    raise ValueError("no interpreter is attached to run machines")


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


def bit_of(value: int, base: int, count: int, site: int) -> int:
    """The element's bit, 0 for NONE; FAIL_INDEX outside the domain."""
    if value == NONE:
        return 0
    place = value - base
    if 0 <= place < count:
        return 1 << place
    raise RuleFailure(FAIL_INDEX, site, (value,))
