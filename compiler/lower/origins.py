"""Where the IR comes from: for each node that was lowered from something written, that something.

Only asked for by those who change programs on purpose (compiler/mutate); lowering is the same without it, except that a node
is never shared between two places of the source while it is written down.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import MachineCode
from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.compiler.lower.code import Code


class Origins:
    """Syntax behind nodes of the IR, by identity.  The nodes are kept, so that no identity is given twice."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, Any]] = {}
        self._conditions: set[int] = set()
        self._codes: dict[int, MachineCode] = {}
        self._ends: list[tuple[MachineCode, int, Any]] = []

    # ---------------------------------------------------------------------------------------------- while lowering

    def expression(self, syntax: Any, made: Any, *, condition: bool = False) -> Any:
        """Write down an expression; returns it, or a copy if it stands for something else already."""
        if made is None:
            return made
        known = self._known.get(id(made))
        if known is not None and known[1] is not syntax:
            if not condition and known[1].span == syntax.span:
                return made
            made = replace(made)
        self._known.setdefault(id(made), (made, syntax))
        if condition:
            self._conditions.add(id(made))
        return made

    def statement(self, syntax: Any, code: Code, body: list[ir.Stmt], start: int, block: int) -> None:
        """Write down what a statement, or an entry of a list, has emitted since `body` was `start` long."""
        self._statements(syntax, body[start:])
        if isinstance(code, MachineCode) and code.body is not body:
            self._codes[id(code)] = code
            self._ends.append((code, block, syntax))

    def blocks(self, syntax: Any, code: MachineCode, first: int) -> None:
        """Write down the blocks that a statement without statements of its own has made, from number `first` on."""
        for block in range(first, code.count):
            self._statements(syntax, code.written(block))
            if block != code.current:
                self._ends.append((code, block, syntax))

    def _statements(self, syntax: Any, made: Iterable[ir.Stmt]) -> None:
        for node in made:
            self._known.setdefault(id(node), (node, syntax))
            for inner in ("then", "otherwise", "body"):
                self._statements(syntax, getattr(node, inner, ()))

    def finish(self) -> None:
        """After lowering: terminators have got new numbers of blocks, and are other nodes."""
        for code, block, syntax in self._ends:
            end = code.finished.get(block)
            if end is not None:
                self._known.setdefault(id(end), (end, syntax))

    # ------------------------------------------------------------------------------------------------- afterwards

    def of(self, node: Any) -> Any:
        """The syntax behind a node; None if it was made for another reason."""
        known = self._known.get(id(node))
        return None if known is None or known[0] is not node else known[1]

    def is_condition(self, node: Any) -> bool:
        return id(node) in self._conditions and self.of(node) is not None
