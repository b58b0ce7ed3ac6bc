"""Machines to closures: the bodies and terminators of their blocks, and the loop that runs them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from grognard.contract import ir
from grognard.contract.bitsets import Cells
from grognard.contract.header import (
    H_FP,
    H_STATUS,
    NONE,
    STATUS_DECISION,
    STATUS_RUNNING,
)
from grognard.interpreter.decisions import Decisions, Question
from grognard.interpreter.frames import Eval, Frame, Run, Unit
from grognard.interpreter.journal import Journal
from grognard.interpreter.stack import LEFT, Stack
from grognard.interpreter.statements import Statements


@dataclass(slots=True)
class CompiledMachine:
    """Per block its body and its terminator, which returns the next block or LEFT; and the questions by block."""

    machine: ir.Machine
    bodies: list[Eval]
    ends: list[Callable[[Frame], int]]
    questions: dict[int, Question]


class Machines:
    """Compiles the machines of a program, each at its first run, and runs the one on top of the stack."""

    #: what compiles the bodies of blocks
    statements = Statements

    def __init__(self, unit: Unit, journal: Journal, stack: Stack, decisions: Decisions) -> None:
        self.unit = unit
        self.program = unit.program
        self.layout = unit.layout
        self.journal = journal
        self.stack = stack
        self.decisions = decisions
        #: lazily: a title with examples of play has a machine for each of them
        self._compiled: list[CompiledMachine | None] = [None] * len(unit.program.machines)

    def run(self, c: Cells, run: Run) -> None:
        """Run blocks until a decision is pending or the game is over."""
        while c[H_STATUS] == STATUS_RUNNING:
            if c[H_FP] == NONE:
                raise ValueError("nothing to run: no machine was started")
            frame, made = self.stack.frame(c, run), self._running(c)
            head = self.stack.block_cell(c)
            block = c[head]
            site = made.machine.site
            while block != LEFT:
                c[head] = block
                run.spend(1, site)
                made.bodies[block](frame)
                block = made.ends[block](frame)

    def pending(self, c: Cells, run: Run) -> tuple[Frame, Question]:
        """The frame and the question of the pending decision."""
        if c[H_STATUS] != STATUS_DECISION:
            raise ValueError("no decision is pending")
        question = self._running(c).questions.get(c[self.stack.block_cell(c)])
        if question is None:
            raise ValueError("no decision is pending")
        return self.stack.frame(c, run), question

    def _running(self, c: Cells) -> CompiledMachine:
        number = self.stack.running(c)
        made = self._compiled[number]
        if made is None:
            made = self._compiled[number] = self._compile(self.program.machines[number])
        return made

    def put(self, machine: ir.Machine) -> Callable[[], None]:
        """Have this run in place of the machine of its number; returns what undoes it."""
        before = self._compiled[machine.id]
        self._compiled[machine.id] = self._compile(machine)

        def undo() -> None:
            self._compiled[machine.id] = before

        return undo

    def _compile(self, machine: ir.Machine) -> CompiledMachine:
        make = self.parts(machine)
        made = CompiledMachine(machine, [], [], {})
        for number, block in enumerate(machine.blocks):
            made.bodies.append(make.body(block.body))
            if isinstance(block.end, ir.Ask):
                made.questions[number] = self.decisions.compile(make, block.end)
            made.ends.append(self._terminator(make, made, number, block.end))
        return made

    def parts(self, machine: ir.Machine) -> Statements:
        """Compiles statements and values that stand in a machine."""
        offsets = self.layout.frames[machine.id].offsets
        return self.statements(self.unit, self.journal, machine.locals, offsets, machine.site)

    def _terminator(
        self, make: Statements, made: CompiledMachine, number: int, end: ir.Terminator
    ) -> Callable[[Frame], int]:
        match end:
            case ir.Jump(block=block):
                return lambda fr: block
            case ir.Branch(condition=condition, then=then, otherwise=otherwise):
                test = make.expr(condition)
                return lambda fr: then if test(fr) else otherwise
            case ir.CallMachine():
                return self._call_machine(make, end)
            case ir.Ask():
                return self.decisions.terminator(made.questions[number])
            case ir.ReturnMachine(value=result):
                value = (lambda fr: NONE) if result is None else make.expr(result)
                return lambda fr: self._return(fr, value(fr))
            case ir.EndGame(outcome=outcome):
                winner = make.expr(outcome)
                return lambda fr: self.stack.end_game(fr.c, winner(fr))
        raise ValueError(f"block {number} of {made.machine.name} ends in {end!r}")

    def _call_machine(self, make: Statements, end: ir.CallMachine) -> Callable[[Frame], int]:
        target = self.program.machines[end.machine]
        args = make.arguments(end.args, target.locals[: target.params])
        local = NONE if end.local is None else end.local
        if end.local is not None:
            make.int_slot(end.local)
        stack = self.stack

        def push(fr: Frame) -> int:
            values = [arg(fr) for arg in args]
            fr.c[stack.block_cell(fr.c)] = end.block
            stack.push(fr.c, end.machine, values, fr.c[H_FP], local)
            fr.run.mark_call(target.site)
            return LEFT

        return push

    def _return(self, fr: Frame, result: int) -> int:
        fr.run.mark_return()
        return self.stack.pop(fr.c, result)
