"""A look into a pending decision: the code around it, and single expressions of it evaluated as it waits.

Nothing of the position changes: all runs on a copy, masked as the one who decides may know it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grognard.contract import ir
from grognard.contract.backend import Io
from grognard.contract.header import H_BRANCH, H_CHOOSER, NONE
from grognard.interpreter.frames import Frame, Run
from grognard.interpreter.machine import Interpreter
from grognard.interpreter.statements import Statements

#: Steps that one look may take.
BUDGET = 5_000_000


class Inspection:
    """The decision that waits in a block of cells; ValueError if none does."""

    def __init__(self, interpreter: Interpreter, cells: bytearray) -> None:
        self.interpreter = interpreter
        self.unit = interpreter.unit
        program = interpreter.program
        self.c = memoryview(bytearray(cells)).cast("i")
        self.run = Run(Io(budget=BUDGET))
        self.frame, self.question = interpreter.machines.pending(self.c, self.run)
        if program.view is not None:
            self.c[H_BRANCH] = NONE
            self.unit.functions[program.view](self.frame, [self.c[H_CHOOSER]])
        self.machine = program.machines[interpreter.frames.running(self.c)]
        self.finder = program.functions[self.question.node.candidates]

    def expr(self, node: Any) -> Any:
        """An expression of the asking machine."""
        return self._made(self.machine.locals, node, self._offsets())(self.frame)

    def arguments(self) -> list[Any]:
        """What the function that finds the candidates is called with."""
        return [argument(self.frame) for argument in self.question.args]

    def yielded(self, values: Sequence[Any]) -> list[int]:
        """What the function that finds the candidates would offer with these arguments."""
        self.run.yields, self.run.enough = [], 0
        self.unit.functions[self.question.node.candidates](self.frame, list(values))
        return [value for value in self.run.yields if value != NONE]

    def called(self, function: int, values: Sequence[Any]) -> int:
        """The number that a function gives for these arguments."""
        found = self.unit.functions[function](self.frame, list(values))
        assert isinstance(found, int)
        return found

    def in_function(self, function: ir.Function, node: Any, values: Sequence[Any]) -> Any:
        """An expression of a function, with these values of its first locals; the others are as when it begins."""
        frame = self._frame(function, values)
        return self._made(function.locals, node, None)(frame)

    def run_on(self, function: ir.Function, code: Sequence[ir.Stmt], values: Sequence[Any]) -> list[Any]:
        """The locals of a function after some of its statements, from these values of the first of them."""
        frame = self._frame(function, values)
        self._statements(function.locals, None).body(code)(frame)
        return list(frame.v)

    def members(self, function: ir.Function, over: Any, values: Sequence[Any]) -> list[int]:
        """What a loop of a function goes over."""
        frame = self._frame(function, values)
        return list(self._statements(function.locals, None).over(over)(frame)[1])

    def _frame(self, function: ir.Function, values: Sequence[Any]) -> Frame:
        own: list[Any] = list(values)
        for local in function.locals[len(own) :]:
            own.append([] if isinstance(local.type, ir.ListType) else 0)
        return Frame(self.c, own, self.run)

    def _offsets(self) -> Sequence[int]:
        return self.interpreter.layout.frames[self.machine.id].offsets

    def _statements(self, local: Sequence[ir.LocalDecl], offsets: Sequence[int] | None) -> Statements:
        return Statements(self.unit, self.interpreter.journal, local, offsets, self.machine.site)

    def _made(self, local: Sequence[ir.LocalDecl], node: Any, offsets: Sequence[int] | None) -> Any:
        make = self._statements(local, offsets)
        return make.set(node) if isinstance(node, ir.SetExpr) else make.expr(node)
