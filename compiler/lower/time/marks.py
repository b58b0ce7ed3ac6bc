"""Marks: the snapshots that `as of` reads, and the code that takes them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from grognard.compiler.lower.code import Value
from grognard.compiler.lower.time.watches import begin_evers, finish_evers
from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer


class Marks:
    """The functions that marks call.  They are written last, when all snapshots are known."""

    def __init__(self, lowerer: Lowerer) -> None:
        self.lowerer = lowerer
        self.symbols = lowerer.symbols
        self.builder = lowerer.builder
        self._marks: dict[str, int] = {}
        #: the functions that marks of somebody call
        self._of: dict[str, int] = {}

    def snapshot(self, field: int, mark: str) -> int:
        """The field with the snapshot of another field at a mark."""
        key = (field, mark)
        if key not in self.builder.snapshots:
            original = self.builder.fields[field]
            number = len(self.builder.fields)
            self.builder.fields.append(replace(original, id=number, name=f"{original.name} as of {mark}"))
            self.builder.snapshots[key] = number
        return self.builder.snapshots[key]

    def mark_statement(self, mark: str) -> ir.Stmt:
        """A call of the function that takes the snapshots of a mark.  It is written last, when all are known."""
        if mark not in self._marks:
            self._marks[mark] = self.builder.reserve_function()
        return ir.Do(self._marks[mark], (), None)

    def mark_of_statement(self, mark: str, whose: Value) -> ir.Stmt:
        """A mark of one seat or counter, for conditions that held ever since."""
        if mark not in self._of:
            self._of[mark] = self.builder.reserve_function()
        return ir.Do(self._of[mark], (whose.expr,), None)

    def finish_marks(self) -> None:
        """Write the functions that take the snapshots of each mark."""
        for mark, number in self._marks.items():
            copies = [
                ir.CopyField(field, snapshot)
                for (field, at), snapshot in sorted(self.builder.snapshots.items())
                if at == mark
            ]
            since = begin_evers(self.lowerer, mark, False)
            self.builder.functions[number] = ir.Function(
                number,
                f"mark {mark}",
                0,
                since.locals if since else (),
                None,
                (*copies, *(since.body if since else ())),
                self.lowerer.nowhere,
                False,
            )
        for mark, number in self._of.items():
            nothing = ir.Function(
                number, f"mark {mark} of", 1, (ir.LocalDecl("whose", ir.IntType()),), None, (), 0, False
            )
            since = begin_evers(self.lowerer, mark, True)
            self.builder.functions[number] = nothing if since is None else replace(since, id=number)
        finish_evers(self.lowerer)
