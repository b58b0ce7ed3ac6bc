"""Which code each example of play runs: an interpreter that writes it down, statement by statement.

A mutant can be noticed only by examples that run what it changes.  Code is known by identity: the nodes of the program live as
long as the program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from grognard.contract import ir
from grognard.contract.ir.walk import nodes
from grognard.contract.mutants import Mutant, Path
from grognard.interpreter.blocks import CompiledMachine, Machines
from grognard.interpreter.frames import Eval, Frame
from grognard.interpreter.functions import Functions, Invoke
from grognard.interpreter.machine import Interpreter
from grognard.interpreter.statements import Statements

#: What ran since it was emptied: identities of statements, functions and blocks.
RAN: set[int] = set()


class WatchedStatements(Statements):
    """Statements that say when they run."""

    def body(self, nodes: Sequence[ir.Stmt]) -> Eval:
        made = [_telling(id(node), super(WatchedStatements, self).body((node,))) for node in nodes]

        def run(fr: Frame) -> int:
            for statement in made:
                signal: int = statement(fr)
                if signal:
                    return signal
            return 0

        return run


class WatchedFunctions(Functions):
    statements = WatchedStatements

    def compile(self, function: ir.Function) -> Invoke:
        made, number = super().compile(function), id(function)

        def invoke(fr: Frame, values: list[Any]) -> Any:
            RAN.add(number)
            return made(fr, values)

        return invoke


class WatchedMachines(Machines):
    statements = WatchedStatements

    def _compile(self, machine: ir.Machine) -> CompiledMachine:
        made = super()._compile(machine)
        made.bodies = [_telling(id(block), body) for block, body in zip(machine.blocks, made.bodies)]
        return made


class WatchedInterpreter(Interpreter):
    """An interpreter that leaves in RAN what it has run."""

    functions_made_by = WatchedFunctions
    machines_made_by = WatchedMachines


def _telling(number: int, run: Eval) -> Eval:
    def told(fr: Frame) -> Any:
        RAN.add(number)
        return run(fr)

    return told


class Places:
    """From what a mutant changes to what must run for it to matter."""

    def __init__(self, program: ir.Program) -> None:
        self._program = program
        self._tables: dict[tuple[str, int], set[int]] = {}
        for function in program.functions:
            for statement in function.body:
                self._reads(statement, self.around(function, ("body", 0)) if _single(function) else None)
        for machine in program.machines:
            for block in machine.blocks:
                for statement in block.body:
                    self._reads(statement, None)
                self._reads(block.end, id(block))

    def _reads(self, statement: Any, place: int | None) -> None:
        """Write down the tables and columns that are read in a statement, whatever part of it is run."""
        where = id(statement) if place is None else place
        for node in nodes(statement):
            match node:
                case ir.TableGet(table=number):
                    self._tables.setdefault(("table", number), set()).add(where)
                case ir.Data(column=number) | ir.SetData(column=number):
                    self._tables.setdefault(("column", number), set()).add(where)

    def around(self, code: ir.Function | ir.Machine, path: Path) -> int:
        """The smallest part around a place that tells when it runs: a statement, else a block, else the function."""
        if isinstance(code, ir.Function) and _single(code):
            return id(code)
        here: Any = code
        found = id(code)
        for step in path:
            inside = type(here) is tuple
            here = here[step] if isinstance(step, int) else getattr(here, step)
            if inside and isinstance(here, _STATEMENTS):
                found = id(here)
        return found

    def of(self, mutant: Mutant) -> set[int]:
        """What an example must run to notice the mutant."""
        found: set[int] = set()
        for change in mutant.code:
            code: Any = (self._program.functions if change.sort == "function" else self._program.machines)[
                change.number
            ]
            found.update(self.around(code, path) for path, _ in change.edits)
        for cells in mutant.cells:
            found |= self._tables.get((cells.sort, cells.number), set())
        return found


def _single(function: ir.Function) -> bool:
    """Whether it is one expression, whose closure is called without its statement."""
    return len(function.body) == 1 and isinstance(function.body[0], ir.Return)


#: Parts of code that tell when they run.
_STATEMENTS = (
    ir.Block,
    *(
        kind
        for kind in vars(ir).values()
        if isinstance(kind, type) and kind.__module__ == "grognard.contract.ir.statements"
    ),
)


def by_place(ran: Iterable[tuple[int, frozenset[int]]]) -> dict[int, list[int]]:
    """Place -> examples that run it, from what each example ran."""
    found: dict[int, list[int]] = {}
    for example, places in ran:
        for place in places:
            found.setdefault(place, []).append(example)
    return found
