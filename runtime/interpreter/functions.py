"""Functions to closures: how a call spends steps and depth, sets up locals and marks the trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from grognard.contract import ir
from grognard.contract.backend import RuleFailure
from grognard.contract.call_classes import ways_to_run
from grognard.contract.header import FAIL_BUDGET, NONE
from grognard.contract.trace import marked_functions
from grognard.interpreter.frames import CALL_DEPTH, Frame, Unit
from grognard.interpreter.journal import Journal
from grognard.interpreter.statements import Statements

#: invoke(frame of the caller, arguments)
Invoke: TypeAlias = Callable[[Frame, list[Any]], Any]


class Functions:
    """Compiles the functions of a program, each at its first call."""

    #: what compiles the bodies
    statements = Statements

    def __init__(self, unit: Unit, journal: Journal) -> None:
        self.unit = unit
        self.journal = journal
        self.bounded_cost, self.untraced, self.finders = ways_to_run(unit.program)
        for function in unit.program.functions:
            unit.functions.append(self._lazy(function))

    def _lazy(self, function: ir.Function) -> Invoke:
        """Compiles at the first call: an example of play needs few functions of its title."""

        def first(frame: Frame, args: list[Any]) -> Any:
            made = self.unit.functions[function.id] = self.compile(function)
            return made(frame, args)

        return first

    def put(self, function: ir.Function) -> Callable[[], None]:
        """Have this run in place of the function of its number; returns what undoes it."""
        before = self.unit.functions[function.id]
        self.unit.functions[function.id] = self._lazy(function)

        def undo() -> None:
            self.unit.functions[function.id] = before

        return undo

    def compile(self, function: ir.Function) -> Invoke:
        make = self.statements(self.unit, self.journal, function.locals, None, function.site, function.result)
        make.finds = function.id in self.finders
        marks = marked_functions(self.unit.program)[function.id]
        make.results = marks.results
        site = function.site
        untraced = function.id in self.untraced
        own = function.locals[function.params :]
        blank = [0] * len(own)
        lists = [
            function.params + number
            for number, local in enumerate(own)
            if isinstance(local.type, ir.ListType)
        ]
        nothing = {ir.IntType: NONE, ir.SetType: 0}.get(type(function.result))
        single = None
        if len(function.body) == 1 and isinstance(function.body[0], ir.Return):
            # A single expression, as most rules are.
            if function.body[0].value is not None:
                single = make.result_value(function.body[0].value)
        body = make.body(function.body)

        def evaluate(frame: Frame) -> Any:
            if single is not None:
                return single(frame)
            if marks.results:
                frame.since = len(frame.run.io.trace)
            elif marks.brackets:
                frame.run.mark_call(site)
            body(frame)
            if marks.brackets:
                frame.run.mark_return()
            return frame.result

        def invoke_bounded(fr: Frame, values: list[Any]) -> Any:
            values += blank
            for number in lists:
                values[number] = []
            return evaluate(Frame(fr.c, values, fr.run, nothing))

        if function.id in self.bounded_cost:
            return invoke_bounded

        def invoke(fr: Frame, values: list[Any]) -> Any:
            run = fr.run
            run.steps += 1
            if run.steps > run.budget or run.depth >= CALL_DEPTH:
                raise RuleFailure(FAIL_BUDGET, site)
            run.depth += 1
            values += blank
            for number in lists:
                values[number] = []
            level = run.level
            if untraced:
                run.level = 0
            result = evaluate(Frame(fr.c, values, run, nothing))
            run.level = level
            run.depth -= 1
            return result

        return invoke
