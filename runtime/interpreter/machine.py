"""The interpreter back end: runs the IR as it is, and is the oracle that compiled engines are tested against.

Every node becomes one closure, when the function or machine around it first runs (`expressions`, `statements`,
`functions`, `blocks`); nothing is dispatched by type afterwards.  The semantics that both back ends share are in
`contract/ir/SEMANTICS.md`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from grognard.contract import ir
from grognard.contract.backend import Argument, Io, Result
from grognard.contract.bitsets import Cells, elements
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
from grognard.interpreter.arguments import imported
from grognard.interpreter.blocks import Machines
from grognard.interpreter.decisions import Decisions, count_decision
from grognard.interpreter.frames import Frame, Run, Unit
from grognard.interpreter.functions import Functions
from grognard.interpreter.journal import Journal
from grognard.interpreter.stack import Stack

#: Closures inside closures: CALL_DEPTH functions with a few dozen Python frames each must fit.
RECURSION = 20_000


class Interpreter:
    """Runs a program on positions; implements `contract.backend.Backend`."""

    name = "interpreter"
    functions_made_by = Functions
    machines_made_by = Machines

    def __init__(self, program: ir.Program, layout: Layout, data: DataBlock) -> None:
        if sys.getrecursionlimit() < RECURSION:
            sys.setrecursionlimit(RECURSION)
        self.program = program
        self.layout = layout
        self.data = data
        self.unit = Unit(program, layout, data)
        self.unit.at_best = self.at_best
        self.journal = Journal(program, layout)
        self.functions = self.functions_made_by(self.unit, self.journal)
        self.frames = Stack(program, layout)
        self._decisions = Decisions(self.unit, self.frames, self.functions.finders)
        self.machines = self.machines_made_by(self.unit, self.journal, self.frames, self._decisions)
        #: statements of machines by themselves, by machine and statement (which the program keeps alive)
        self._made_again: dict[tuple[int, int], Callable[[Frame], Any]] = {}

    # ------------------------------------------------------------------------------------------- interface

    def start(self, cells: bytearray, machine: int, args: Sequence[Argument], io: Io) -> None:
        with memoryview(cells) as raw, raw.cast("i") as c:
            self.frames.reset(c)
            target = self.program.machines[machine]
            values = imported(args, target.locals[: target.params], self.layout)
            self.frames.push(c, machine, values, NONE, NONE)
            run = Run(io)
            run.mark_call(target.site)
            self.machines.run(c, run)

    def resume(self, cells: bytearray, io: Io) -> None:
        with memoryview(cells) as raw, raw.cast("i") as c:
            if c[H_STATUS] == STATUS_RUNNING:
                self.machines.run(c, Run(io))

    def candidates(self, cells: bytearray) -> list[int]:
        key = bytes(cells)
        known, offered = self._decisions.latest
        if key != known:
            with memoryview(cells) as raw, raw.cast("i") as c:
                offered = self._decisions.offered(*self.machines.pending(c, Run(Io())), c[H_CHOOSER])
            self._decisions.latest = key, offered
        return list(offered)

    def answer(self, cells: bytearray, value: int, io: Io) -> None:
        if value not in self.candidates(cells):
            raise ValueError(f"{value} is no candidate of the pending decision")
        with memoryview(cells) as raw, raw.cast("i") as c:
            self._apply(c, value, Run(io))

    def _apply(self, c: Cells, value: int, run: Run) -> None:
        """Apply an answer that is a candidate, and run on."""
        frame, question = self.machines.pending(c, run)
        chooser = c[H_CHOOSER]
        c[H_STATUS] = STATUS_RUNNING
        c[H_CHOOSER] = NONE
        c[H_ASK] = NONE
        count_decision(c)
        self._decisions.take(frame, question, chooser, value)
        c[self.frames.block_cell(c)] = question.node.block
        self.machines.run(c, run)

    def call(self, cells: bytearray, function: int, args: Sequence[Argument], io: Io) -> Result:
        target = self.program.functions[function]
        values = imported(args, target.locals[: target.params], self.layout)
        with memoryview(cells) as raw, raw.cast("i") as c:
            result = self.unit.functions[function](Frame(c, [], Run(io)), values)
        if isinstance(target.result, ir.SetType):
            return frozenset(elements(result, self.layout.base[target.result.domain]))
        if target.result is None:
            return None
        assert isinstance(result, int)
        return result

    def prepared(self, function: int, args: Sequence[Argument]) -> Callable[[bytearray], int]:
        def measure(cells: bytearray) -> int:
            result = self.call(cells, function, args, Io())
            assert isinstance(result, int)
            return result

        return measure

    # --------------------------------------------------------------------------------------- locals worked out again

    def define_again(self, cells: bytearray, offset: int, statement: ir.Stmt) -> None:
        """Carry out a statement of a machine that waits in the frame at this offset of the stack."""
        with memoryview(cells) as raw, raw.cast("i") as c:
            machine = self.program.machines[c[self.layout.stack_offset + offset]]
            self._again(machine, statement)(self.frames.frame(c, Run(Io()), offset))

    def pass_again(self, cells: bytearray, offset: int, callee: int, local: int, value: ir.AnyExpr) -> None:
        """Work out an argument in the frame of the caller again, and give it to the frame of the callee."""
        with memoryview(cells) as raw, raw.cast("i") as c:
            caller = self.program.machines[c[self.layout.stack_offset + offset]]
            target = self.program.machines[c[self.layout.stack_offset + callee]]
            (made,) = self.machines.parts(caller).arguments((value,), target.locals[local : local + 1])
            found = made(self.frames.frame(c, Run(Io()), offset))
            self.frames.store_local(c, callee, target.id, local, found)

    def _again(self, machine: ir.Machine, statement: ir.Stmt) -> Callable[[Frame], Any]:
        key = machine.id, id(statement)
        if key not in self._made_again:
            self._made_again[key] = self.machines.parts(machine).body((statement,))
        return self._made_again[key]

    # --------------------------------------------------------------------------------------------- changed code

    def put(self, code: ir.Function | ir.Machine) -> Callable[[], None]:
        """Have this run in place of the function or machine of its number; returns what undoes it.

        Its parameters and locals are those of the program: only its body differs."""
        undo = self.functions.put(code) if isinstance(code, ir.Function) else self.machines.put(code)
        self.forget()
        return undo

    def forget(self) -> None:
        """Forget the latest candidates: code or data are no longer what they were found with."""
        self._decisions.latest = b"", []

    # --------------------------------------------------------------------------------------- hypotheticals

    def at_best(self, fr: Frame, machine: int, values: list[Any], enough: int) -> int:
        """Run a machine on a copy of the position, trying every answer; see ir.AtBest."""
        run = fr.run
        level, yields, first, wanted = run.level, run.yields, run.first, run.enough
        run.level = run.first = run.enough = 0
        copy = memoryview(bytearray(fr.c.tobytes())).cast("i")
        self.frames.reset(copy)
        self.frames.push(copy, machine, values, NONE, NONE)
        self.machines.run(copy, run)
        best = self._explore(copy, run, enough)
        run.level, run.yields, run.first, run.enough = level, yields, first, wanted
        return best

    def _explore(self, c: Cells, run: Run, enough: int) -> int:
        if c[H_STATUS] == STATUS_OVER:
            return c[H_OUTCOME]
        best = NONE
        chooser = c[H_CHOOSER]
        frame, question = self.machines.pending(c, run)
        for value in self._decisions.offered(frame, question, chooser):
            copy = memoryview(bytearray(c.tobytes())).cast("i")
            self._apply(copy, value, run)
            found = self._explore(copy, run, enough)
            if found != NONE and (best == NONE or found > best):
                best = found
            if NONE not in (enough, best) and best >= enough:
                break
        return best
