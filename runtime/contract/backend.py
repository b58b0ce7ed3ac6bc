"""What the two back ends share with their callers: failures, trace and dice of a run, the interface.

A back end keeps nothing of a game.  It is given the cells of a position and an `Io`, runs until a decision
or the end, and leaves everything in the cells.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from grognard.contract import ir
from grognard.contract.generator import seeded
from grognard.contract.header import (
    H_ASK,
    H_BRANCH,
    H_CHOOSER,
    H_FP,
    H_OUTCOME,
    H_RNG_HI,
    H_RNG_LO,
    NONE,
)
from grognard.contract.layout import Layout, default_value

#: An argument or result at the edge of a back end: an integer, a set of values, a list of values.
Argument: TypeAlias = int | AbstractSet[int] | Sequence[int]
Result: TypeAlias = int | frozenset[int] | None

#: Trace levels.
TRACE_OFF = 0
TRACE_LOG = 1
TRACE_WHY = 2

#: Steps a run may take before it counts as runaway.
DEFAULT_BUDGET = 50_000_000


class RuleFailure(Exception):
    """A running rule met something it cannot go on with.

    `kind` is one of the FAIL_ values, `site` an index into `Program.sites` (or -1), `detail` the numbers that a
    message may show.  The cells are then in no defined state: the caller throws them away.
    """

    def __init__(self, kind: int, site: int, detail: tuple[int, ...] = ()) -> None:
        super().__init__(kind, site, detail)
        self.kind = kind
        self.site = site
        self.detail = detail

    def __str__(self) -> str:
        return f"failure {self.kind} at site {self.site} {self.detail}"


@dataclass(slots=True)
class Io:
    """What a run needs beside the position."""

    level: int = TRACE_OFF
    #: records and marks, see grognard.contract.trace
    trace: array[int] = field(default_factory=lambda: array("i"))
    #: dice to take in order instead of the generator's; the generator is then not advanced
    script: array[int] | None = None
    script_used: int = 0
    budget: int = DEFAULT_BUDGET
    #: so many decisions are not waited for: the first candidate is taken, others are not looked for.  For the
    #: interpreter; engines do this only in whole samples
    first: int = 0


@dataclass(frozen=True, slots=True)
class Sampled:
    """One thing to be done many times: a machine, or a function that never asks; then the rule whose value counts."""

    machine: int | None
    function: int
    args: Sequence[Argument]
    measure: int | None = None
    measure_args: Sequence[Argument] = ()
    #: any candidate, or always the first
    random: bool = True
    max_answers: int = 1_000_000


@dataclass(frozen=True, slots=True)
class NativeEvaluation:
    """How well sides stand, in whole numbers: what a rule says of each, times a factor, and a point for each counter."""

    sides: int
    side_base: int
    seat_base: int
    #: the side of each seat
    side_of: tuple[int, ...]
    function: int | None
    factor: int
    #: types of counters: where their `alive` and their owners lie in a position, how many there are
    counters: tuple[tuple[int, int, int], ...]
    #: a game that is over counts so much more to the winner, and less to the others
    won: int


@dataclass(frozen=True, slots=True)
class RolloutOptions:
    """How thoroughly a mover looks: actions made up at random, how many of them are tried again, and how often."""

    plans: int
    finalists: int
    tries: int

    def __post_init__(self) -> None:
        if not 0 < self.plans <= 64 or self.finalists < 0 or self.tries < 0:
            raise ValueError("1 to 64 actions can be made up, and none or some of them tried again")


class Backend(Protocol):
    """What runs a program: the interpreter or a compiled engine.

    `cells` is a writable buffer of 4 * layout.cells bytes."""

    name: str

    def start(self, cells: bytearray, machine: int, args: Sequence[Argument], io: Io) -> None:
        """Clear the stack, push a frame of the machine and run to the first decision or the end."""

    def resume(self, cells: bytearray, io: Io) -> None:
        """Run on to the next decision or the end; nothing happens where one of them is reached already."""

    def candidates(self, cells: bytearray) -> list[int]:
        """Answers that the pending decision allows, NONE or DONE last; ValueError if none is pending."""

    def answer(self, cells: bytearray, value: int, io: Io) -> None:
        """Answer the pending decision and run on; ValueError (and nothing changed) if it is no candidate."""

    def call(self, cells: bytearray, function: int, args: Sequence[Argument], io: Io) -> Result:
        """Call one function on the position."""

    def prepared(self, function: int, args: Sequence[Argument]) -> Callable[[bytearray], int]:
        """A function whose result is a number, with its arguments, to be called on many positions."""


def fresh_cells(program: ir.Program, layout: Layout, seed: int) -> bytearray:
    """A position before anything happened: every field at its default, empty stack, seeded generator."""
    cells = bytearray(4 * layout.cells)
    view = memoryview(cells).cast("i")
    for cell in (H_CHOOSER, H_OUTCOME, H_FP, H_ASK, H_BRANCH):
        view[cell] = NONE
    view[H_RNG_LO], view[H_RNG_HI] = seeded(seed)
    for entry in program.fields:
        # Sets and lists start empty, which is 0 in all their cells; only integers have a default to write.
        default = default_value(entry, layout)
        if default:
            start = layout.field_offset[entry.id]
            for cell in range(start, start + layout.field_cells[entry.id]):
                view[cell] = default
    view.release()
    return cells
