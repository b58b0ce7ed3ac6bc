"""The back end that runs Python source made from the IR: the same bytes as the interpreter, many times faster.

What translated code does not count exactly (the place where too many steps or calls too deep are noticed) the interpreter is
asked for: it runs the same from the same position, and fails where it fails.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from threading import RLock
from typing import Any

from grognard.contract import ir
from grognard.contract.backend import Argument, Io, Result, RuleFailure
from grognard.contract.bitsets import elements
from grognard.contract.datablock import DataBlock
from grognard.contract.header import (
    H_ASK,
    H_CHOOSER,
    H_OUTCOME,
    H_STATUS,
    NONE,
    STATUS_OVER,
    STATUS_RUNNING,
)
from grognard.contract.layout import Layout
from grognard.contract.trace import CALL
from grognard.interpreter.arguments import imported
from grognard.interpreter.decisions import count_decision
from grognard.interpreter.machine import Interpreter
from grognard.translator.blocks import Machines
from grognard.translator.code import Unit
from grognard.translator.decisions import Decisions
from grognard.translator.facts import Facts
from grognard.translator.functions import Functions
from grognard.translator.integers import ANSWERS
from grognard.translator.state import ListStack, State, Uncounted, covered, div_near, members, met, present

#: Functions inside functions, with a few Python frames each, must fit.
RECURSION = 5_000

#: What translated code asks of the state, by name.
_ASKED = (
    "append",
    "bit_of",
    "branch_begin",
    "branch_end",
    "branch_next",
    "change_set",
    "copied",
    "copy_field",
    "create",
    "dice",
    "enqueue",
    "failed",
    "failed_index",
    "failed_overflow",
    "flush",
    "holders",
    "living",
    "load_list",
    "load_set",
    "offer",
    "reset_field",
    "store_list",
    "store_set",
    "uncounted",
    "write",
    "write_list",
    "write_set",
)


class PythonBackend:
    """Runs a program on positions; implements `contract.backend.Backend`.  One call at a time: threads wait."""

    name = "python"

    def __init__(self, program: ir.Program, layout: Layout, data: DataBlock) -> None:
        if sys.getrecursionlimit() < RECURSION:
            sys.setrecursionlimit(RECURSION)
        self.program = program
        self.layout = layout
        self.data = data
        self._lock = RLock()
        self.state = state = State(program, layout, data)
        names: dict[str, Any] = {name: getattr(state, name) for name in _ASKED}
        names |= {
            "S": state,
            "c": state.cells,
            "at_best": self._at_best,
            "covered": covered,
            "div_near": div_near,
            "line_items": lru_cache(ANSWERS)(state.geography.line_items),
            "members": members,
            "met": met,
            "present": present,
        }
        self.unit = Unit(state, Facts(program), names)
        self.functions = Functions(self.unit)
        self.frames = ListStack(program, layout, state)
        self.decisions = Decisions(self.unit)
        self.machines = Machines(self.unit, self.frames, self.decisions)
        #: the position whose candidates were computed last, and these: an answer needs them again
        self._latest: tuple[bytes, list[int]] = (b"", [])
        #: runs that were given to the interpreter, for tests
        self.handed_over = 0

    @cached_property
    def interpreter(self) -> Interpreter:
        """Who counts exactly."""
        return Interpreter(self.program, self.layout, self.data)

    # ------------------------------------------------------------------------------------------- interface

    def start(self, cells: bytearray, machine: int, args: Sequence[Argument], io: Io) -> None:
        target = self.program.machines[machine]
        values = imported(args, target.locals[: target.params], self.layout)

        def run() -> None:
            c = self.state.cells
            self.frames.reset(c)
            self.state.journalled = True
            self.state.highest = self.layout.stack_cells
            self.frames.push(c, machine, values, NONE, NONE)
            if io.level >= 2:
                io.trace.extend((CALL, target.site))
            self.machines.run(io.level)

        self._run(cells, io, run, lambda oracle: oracle.start(cells, machine, args, io))

    def resume(self, cells: bytearray, io: Io) -> None:
        def run() -> None:
            if self.state.cells[H_STATUS] == STATUS_RUNNING:
                self.machines.run(io.level)

        self._run(cells, io, run, lambda oracle: oracle.resume(cells, io))

    def candidates(self, cells: bytearray) -> list[int]:
        with self._lock:
            known, offered = self._latest
            if known != cells:
                io = Io()

                def find() -> list[int]:
                    p, question = self.machines.pending()
                    return self.decisions.offered(p, question, self.state.cells[H_CHOOSER])

                offered = self._run(cells, io, find, lambda oracle: oracle.candidates(cells), keep=True)
                self._latest = bytes(cells), offered
            return list(offered)

    def answer(self, cells: bytearray, value: int, io: Io) -> None:
        with self._lock:
            if value not in self.candidates(cells):
                raise ValueError(f"{value} is no candidate of the pending decision")
            self._run(
                cells,
                io,
                lambda: self._apply(value, io.level),
                lambda oracle: oracle.answer(cells, value, io),
            )

    def call(self, cells: bytearray, function: int, args: Sequence[Argument], io: Io) -> Result:
        target = self.program.functions[function]
        values = imported(args, target.locals[: target.params], self.layout)

        def run() -> Any:
            return self.unit.names[self.unit.function(function, io.level)](*values)

        def ask(oracle: Interpreter) -> Any:
            found = oracle.call(cells, function, args, io)
            return self._mask(found, target.result)

        result = self._run(cells, io, run, ask)
        if isinstance(target.result, ir.SetType):
            return frozenset(elements(result, self.layout.base[target.result.domain]))
        if target.result is None:
            return None
        assert isinstance(result, int)
        return result

    def _mask(self, found: Result, kind: ir.LocalType | None) -> Any:
        """A result of the interpreter, as translated code represents it."""
        if not isinstance(found, frozenset) or not isinstance(kind, ir.SetType):
            return found
        mask = 0
        for element in found:
            mask |= 1 << (element - self.layout.base[kind.domain])
        return mask

    def prepared(self, function: int, args: Sequence[Argument]) -> Callable[[bytearray], int]:
        def measure(cells: bytearray) -> int:
            result = self.call(cells, function, args, Io())
            assert isinstance(result, int)
            return result

        return measure

    # ------------------------------------------------------------------------------------------------- runs

    def _run(
        self,
        cells: bytearray,
        io: Io,
        run: Callable[[], Any],
        ask: Callable[[Interpreter], Any],
        *,
        keep: bool = False,
    ) -> Any:
        """Run on a position's cells; the interpreter does it where steps or depth must be counted exactly.  With `keep` the
        cells stay as they are."""
        with self._lock:
            state = self.state
            noted, thrown = len(io.trace), io.script_used
            before = bytes(cells)
            state.take(cells, io)
            try:
                result = run()
                if state.steps > state.budget:
                    state.uncounted()
                if not keep:
                    state.give(cells)
                    if state.cells[H_STATUS] != STATUS_OVER and state.cells[H_ASK] != NONE:
                        self._stopped(cells)
                return result
            except (Uncounted, OverflowError):
                pass
            except RuleFailure:
                state.forget()
                if state.steps <= state.budget:
                    raise
            except BaseException:
                state.forget()
                raise
            # Numbers that leave 32 bits unseen come out of positions that no game reaches.
            state.forget()
            self.handed_over += 1
            cells[:] = before
            del io.trace[noted:]
            io.script_used = thrown
            return ask(self.interpreter)

    def _stopped(self, cells: bytearray) -> None:
        """Keep the candidates of the decision that a run stopped at."""
        if self.decisions.stopped_at:
            self._latest = self.state.known, self.decisions.stopped_at
            self.decisions.stopped_at = []

    def _apply(self, value: int, level: int) -> None:
        """Apply an answer that is a candidate, and run on."""
        p, question = self.machines.pending()
        c = self.state.cells
        chooser = c[H_CHOOSER]
        c[H_STATUS] = STATUS_RUNNING
        c[H_CHOOSER] = NONE
        c[H_ASK] = NONE
        count_decision(c)
        self.decisions.take(p, question, chooser, value, level)
        c[p + 1] = question.node.block
        self.machines.run(level)

    # --------------------------------------------------------------------------------------- hypotheticals

    def _at_best(self, machine: int, values: list[Any], enough: int) -> int:
        """Run a machine on a copy of the position, trying every answer; see ir.AtBest."""
        state = self.state
        yields, first, wanted, stopped = state.yields, state.first, state.enough, self.decisions.stopped_at
        state.first = state.enough = 0
        known = state.snapshot()
        self.frames.reset(state.cells)
        self.frames.push(state.cells, machine, values, NONE, NONE)
        self.machines.run(0)
        best = self._explore(enough)
        state.restore(known)
        state.yields, state.first, state.enough, self.decisions.stopped_at = yields, first, wanted, stopped
        return best

    def _explore(self, enough: int) -> int:
        state = self.state
        c = state.cells
        if c[H_STATUS] == STATUS_OVER:
            return int(c[H_OUTCOME])
        best = NONE
        chooser = c[H_CHOOSER]
        p, question = self.machines.pending()
        for value in self.decisions.offered(p, question, chooser):
            known = state.snapshot()
            self._apply(value, 0)
            found = self._explore(enough)
            state.restore(known)
            if found != NONE and (best == NONE or found > best):
                best = found
            if NONE not in (enough, best) and best >= enough:
                break
        return best
