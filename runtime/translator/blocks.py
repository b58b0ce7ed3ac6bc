"""Machines to source: one Python function for each block of a machine under a trace level, and the loop that runs them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from grognard.contract import ir
from grognard.contract.backend import RuleFailure
from grognard.contract.header import (
    FAIL_STACK,
    FRAME_HEADER,
    H_FP,
    H_SP,
    H_STATUS,
    NONE,
    STATUS_DECISION,
    STATUS_RUNNING,
)
from grognard.contract.trace import CALL, RETURN
from grognard.interpreter.stack import LEFT, Stack
from grognard.translator.code import Unit, constant
from grognard.translator.decisions import Decisions, Question
from grognard.translator.facts import bound_variables
from grognard.translator.statements import Statements


@dataclass(slots=True)
class TranslatedMachine:
    """Each block as a function of the frame's place, which returns the next block or LEFT; the questions by block."""

    machine: ir.Machine
    level: int
    blocks: list[Callable[[int], int]] = field(default_factory=list)
    questions: dict[int, Question] = field(default_factory=dict)
    loops: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())


class Machines:
    """Translates the machines of a program, block by block, and runs the one on top of the stack."""

    def __init__(self, unit: Unit, stack: Stack, decisions: Decisions) -> None:
        self.unit = unit
        self.state = unit.state
        self.program = unit.program
        self.stack = stack
        self.decisions = decisions
        self.sources: dict[tuple[int, int, int], str] = {}
        self._translated: dict[tuple[int, int], TranslatedMachine] = {}
        unit.names["push"] = self._push
        unit.names["pop"] = self._pop
        unit.names["end_game"] = lambda outcome: stack.end_game(unit.state.cells, outcome)

    def run(self, level: int) -> None:
        """Run blocks until a decision is pending or the game is over."""
        state = self.state
        c = state.cells
        stack = self.unit.layout.stack_offset
        while c[H_STATUS] == STATUS_RUNNING:
            if c[H_FP] == NONE:
                raise ValueError("nothing to run: no machine was started")
            p = stack + c[H_FP]
            blocks = self.translated(c[p], level).blocks
            block = c[p + 1]
            while block != LEFT:
                c[p + 1] = block
                state.steps += 1
                if state.steps > state.budget:
                    state.uncounted()
                block = blocks[block](p)

    def translated(self, number: int, level: int) -> TranslatedMachine:
        made = self._translated.get((number, level))
        if made is None:
            machine = self.program.machines[number]
            made = TranslatedMachine(machine, level)
            made.loops = bound_variables(machine.blocks, machine.params)
            made.blocks = [self._lazy(made, block) for block in range(len(machine.blocks))]
            self._translated[number, level] = made
        return made

    def question(self, number: int, block: int) -> Question:
        """The question that a block ends in."""
        made = self.translated(number, 0)
        if block not in made.questions:
            if not 0 <= block < len(made.machine.blocks):
                raise ValueError("no decision is pending")
            end = made.machine.blocks[block].end
            if not isinstance(end, ir.Ask):
                raise ValueError("no decision is pending")
            made.questions[block] = self.decisions.translate(self._scope(made), end, made.machine, block)
        return made.questions[block]

    def pending(self) -> tuple[int, Question]:
        """The place of the frame and the question of the pending decision."""
        c = self.state.cells
        if c[H_STATUS] != STATUS_DECISION:
            raise ValueError("no decision is pending")
        p = self.unit.layout.stack_offset + c[H_FP]
        return p, self.question(c[p], c[p + 1])

    # ------------------------------------------------------------------------------------------- translation

    def _scope(self, made: TranslatedMachine, level: int = 0) -> Statements:
        machine = made.machine
        offsets = self.unit.layout.frames[machine.id].offsets
        return Statements(self.unit, level, machine.locals, offsets, machine.site, made.loops)

    def _lazy(self, made: TranslatedMachine, number: int) -> Callable[[int], int]:
        def first(p: int) -> int:
            made.blocks[number] = self._translate(made, number)
            return made.blocks[number](p)

        return first

    def _translate(self, made: TranslatedMachine, number: int) -> Callable[[int], int]:
        machine, block = made.machine, made.machine.blocks[number]
        make = self._scope(made, made.level)
        make.body(block.body)
        name = f"m{machine.id}_{number}_{made.level}"
        self._end(make, block.end, machine, number)
        text = "\n".join([f"def {name}(p):", *make.lines])
        self.sources[machine.id, number, made.level] = text
        exec(compile(text, f"<{machine.name}, block {number}>", "exec"), self.unit.names)
        run: Callable[[int], int] = self.unit.names[name]
        return run

    def _end(self, make: Statements, end: ir.Terminator, machine: ir.Machine, number: int) -> None:
        match end:
            case ir.Jump(block=block):
                make.line(f"return {block}")
            case ir.Branch(condition=condition, then=then, otherwise=otherwise):
                make.line(f"return {then} if {make.condition(condition)} else {otherwise}")
            case ir.CallMachine():
                self._call_machine(make, end)
            case ir.Ask():
                question = self.question(machine.id, number)
                name = f"ask{machine.id}_{number}_{make.level}"
                self.unit.names[name] = self.decisions.terminator(question, make.level)
                make.line(f"return {name}(p)")
            case ir.ReturnMachine(value=value):
                result = constant(NONE) if value is None else make.value(value)
                if make.level >= 2:
                    result = make.atom(result)
                    make.line(f"S.trace.append({RETURN})")
                make.line(f"return pop({result.text})")
            case ir.EndGame(outcome=outcome):
                make.line(f"return end_game({make.value(outcome).text})")

    def _call_machine(self, make: Statements, end: ir.CallMachine) -> None:
        target = self.program.machines[end.machine]
        args = make.arguments(end.args, target.locals[: target.params])
        local = NONE if end.local is None else end.local
        given = ", ".join(value.text for value in args)
        if all(isinstance(param.type, ir.IntType) for param in target.locals[: target.params]):
            name = self.unit.given(f"push{target.id}", lambda: self._pusher(target))
            make.line(f"{name}(p, {end.block}, {local}, ({given}{',' if args else ''}))")
        else:
            make.line(f"push({end.machine}, [{given}], {end.block}, {local})")
        if make.level >= 2:
            make.line(f"S.trace.extend(({CALL}, {target.site}))")
        make.line(f"return {LEFT}")

    def _push(self, machine: int, values: list[Any], block: int, local: int) -> None:
        c = self.state.cells
        c[self.unit.layout.stack_offset + c[H_FP] + 1] = block
        self.stack.push(c, machine, values, c[H_FP], local)
        self.state.highest = max(self.state.highest, c[H_SP])

    def _pusher(self, machine: ir.Machine) -> Callable[[int, int, int, tuple[int, ...]], None]:
        """`_push` for a machine that is given integers alone: they come first in its frame."""
        c, state, number = self.state.cells, self.state, machine.id
        start, most = self.unit.layout.stack_offset, self.unit.layout.stack_cells
        size, first = self.unit.layout.frames[number].size, FRAME_HEADER

        def push(p: int, block: int, local: int, values: tuple[int, ...]) -> None:
            c[p + 1] = block
            offset = c[H_SP]
            top = offset + size
            if top > most:
                raise RuleFailure(FAIL_STACK, machine.site)
            place = start + offset
            c[place : place + first + len(values)] = (number, 0, p - start, local, *values)
            c[H_SP] = top
            c[H_FP] = offset
            if top > state.highest:
                state.highest = top

        return push

    def _pop(self, result: int) -> int:
        """Take the running frame off and give its result to its caller."""
        c, layout = self.state.cells, self.unit.layout
        offset, start = c[H_FP], layout.stack_offset
        place = start + offset
        caller, local = c[place + 2], c[place + 3]
        if caller == NONE:
            return self.stack.end_game(c, result)
        end = start + c[H_SP]
        c[place:end] = [0] * (end - place)
        c[H_SP] = offset
        c[H_FP] = caller
        if local != NONE:
            below = start + caller
            c[below + layout.frames[c[below]].offsets[local]] = result
        return LEFT
