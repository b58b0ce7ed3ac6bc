"""Locals of the rules that wait in a position, worked out again in positions that are imagined for a seat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grognard.bots.waiting_rules import Fields, WaitingRules
from grognard.contract import ir
from grognard.contract.backend import RuleFailure
from grognard.contract.header import H_FP, NONE
from grognard.interpreter.machine import Interpreter

if TYPE_CHECKING:
    from grognard.play.setting import Setting

#: What is kept for a scenario, by these keys.
_RULES = "waiting rules"
_INTERPRETER = "interpreter of locals"
#: Domains whose members are seen for what they are: which counter, place or seat a rule speaks of is told by its question.
_SPOKEN_OF = ("piece", "record", "place", "edge", "side", "power", "direction")


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A frame on the stack: where it begins, its machine, the block where it is, and the machine that it has called."""

    offset: int
    machine: int
    block: int
    callee: int | None


class LocalsAgain:
    """The locals of one position's stack.  `hidden` are the secret fields of counters in sight that the seat may not read."""

    def __init__(self, setting: Setting, cells: bytes, hidden: Fields, hidden_counters: bool) -> None:
        self._setting = setting
        self._definitions: list[tuple[int, ir.Stmt]] = []
        self._arguments: list[tuple[int, int, int, ir.AnyExpr]] = []
        #: steps in the order in which they are to be done: number in one of the two lists above
        self._steps: list[tuple[bool, int]] = []
        doubtful: list[str] = []
        if hidden or hidden_counters:
            self._look(cells, hidden, doubtful)
        self.doubtful = tuple(dict.fromkeys(doubtful))

    @classmethod
    def none(cls, setting: Setting) -> LocalsAgain:
        """Where nothing is hidden."""
        return cls(setting, b"", frozenset(), False)

    def work_out(self, cells: bytearray) -> None:
        """Give the locals of an imagined position the values that they have there."""
        if not self._steps:
            return
        interpreter = self._interpreter
        for defined, number in self._steps:
            try:
                if defined:
                    interpreter.define_again(cells, *self._definitions[number])
                else:
                    interpreter.pass_again(cells, *self._arguments[number])
            except RuleFailure:
                # An imagined position may be unreachable in play; the rules will say so when it is played on.
                continue

    def _look(self, cells: bytes, hidden: Fields, doubtful: list[str]) -> None:
        rules, program = self._rules, self._setting.program
        frames = self._frames(cells)
        caller: _Waiting | None = None
        for frame in frames:
            given: set[int] = set()
            if caller is not None:
                for local, value in rules.passed(caller.machine, caller.block, frame.machine):
                    if not self._still_passed(cells, (caller.offset, frame.offset, local, value)):
                        continue
                    self._steps.append((False, len(self._arguments)))
                    self._arguments.append((caller.offset, frame.offset, local, value))
                    given.add(local)
            kept = rules.kept(frame.machine, frame.block, frame.callee)
            names = program.machines[frame.machine].locals
            for definition in kept.again:
                if self._still_holds(cells, frame.offset, definition.statement):
                    self._steps.append((True, len(self._definitions)))
                    self._definitions.append((frame.offset, definition.statement))
                elif definition.fields & hidden and self._is_value(names[definition.local].type):
                    doubtful.append(names[definition.local].name)
            doubtful += [
                names[local].name
                for local, fields in kept.doubtful
                if local not in given and fields & hidden and self._is_value(names[local].type)
            ]
            caller = frame

    def _still_holds(self, cells: bytes, offset: int, statement: ir.Stmt) -> bool:
        """Whether the definition gives, in the true position, the value that is there.  In a secret block it may have read what
        its branch had written, and a loop has gone on since."""
        made = bytearray(cells)
        try:
            self._interpreter.define_again(made, offset, statement)
        except RuleFailure:
            return False
        return made == cells

    def _still_passed(self, cells: bytes, argument: tuple[int, int, int, ir.AnyExpr]) -> bool:
        made = bytearray(cells)
        try:
            self._interpreter.pass_again(made, *argument)
        except RuleFailure:
            return False
        return made == cells

    def _is_value(self, type_: ir.LocalType) -> bool:
        """Whether a local holds a number, a flag or a member of an enum."""
        if not isinstance(type_, ir.IntType):
            return False
        domains = [
            int(part)
            for part in type_.show.removeprefix("doms:").removeprefix("dom:").split(",")
            if part.isdigit()
        ]
        return not any(self._setting.program.domains[number].sort in _SPOKEN_OF for number in domains)

    def _frames(self, cells: bytes) -> list[_Waiting]:
        """The frames of the stack, from the bottom."""
        found: list[_Waiting] = []
        with memoryview(cells) as raw, raw.cast("i") as c:
            start = self._setting.scenario.layout.stack_offset
            here, callee = c[H_FP], None
            while here != NONE:
                machine, block, below = c[start + here], c[start + here + 1], c[start + here + 2]
                found.append(_Waiting(here, machine, block, callee))
                here, callee = below, machine
        return found[::-1]

    @property
    def _rules(self) -> WaitingRules:
        schema, kept = self._setting.schema, self._setting.attached
        if _RULES not in kept:
            kept[_RULES] = WaitingRules(self._setting.program, frozenset(schema.secret_fields))
        made: WaitingRules = kept[_RULES]
        return made

    @property
    def _interpreter(self) -> Interpreter:
        kept, scenario = self._setting.attached, self._setting.scenario
        if _INTERPRETER not in kept:
            kept[_INTERPRETER] = Interpreter(self._setting.program, scenario.layout, scenario.data)
        made: Interpreter = kept[_INTERPRETER]
        return made
