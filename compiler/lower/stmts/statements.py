"""Statements that were checked, lowered without a word: straight code for what cannot ask, blocks of a machine for what can."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import MachineCode, captured
from grognard.compiler.lower.choices.choices import CHOICES
from grognard.compiler.lower.code import Code
from grognard.compiler.lower.exprs.expressions import Lowering
from grognard.compiler.lower.situations.examples import EXAMPLES
from grognard.compiler.lower.situations.situations import SITUATIONS
from grognard.compiler.lower.stmts.calls import CALLS
from grognard.compiler.lower.stmts.changes import CHANGES
from grognard.compiler.lower.stmts.conditionals import CONDITIONALS
from grognard.compiler.lower.stmts.draws import DRAWS
from grognard.compiler.lower.stmts.locals import LOCALS
from grognard.compiler.lower.stmts.loops import LOOPS, Loop
from grognard.compiler.lower.stmts.matching import MATCHING
from grognard.compiler.lower.stmts.phases import PHASES
from grognard.compiler.lower.stmts.procedure_arrays import ARRAYS
from grognard.compiler.lower.stmts.rolls import ROLLS
from grognard.compiler.lower.time.deferred_calls import DEFERRED
from grognard.compiler.sema.typed import nodes as t
from grognard.contract import ir

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer
    from grognard.contract.examples import Example
    from grognard.contract.situations import Situation


class Statements(Lowering):
    """Lowers statements into the code being built.  Each family of statements has a module in this package."""

    def __init__(self, lowerer: Lowerer, code: Code) -> None:
        super().__init__(lowerer, code)
        self.loops: list[Loop] = []
        #: the example or situation that is being lowered
        self.example: Example | None = None
        self.situation: Situation | None = None

    @property
    def m(self) -> MachineCode:
        assert isinstance(self.code, MachineCode)
        return self.code

    def statements(self, nodes: Iterable[t.Statement]) -> None:
        origins, code = self.lowerer.origins, self.code
        for node in nodes:
            body, start = code.body, len(code.body)
            block, blocks = (code.current, code.count) if isinstance(code, MachineCode) else (0, 0)
            self.builder.cite(node.written.cites)
            self.one(node)
            if origins is None:
                continue
            origins.statement(node.origin, code, body, start, block)
            if isinstance(node, t.Emit) and isinstance(code, MachineCode):
                # Its handlers are called one after the other, each in a block of its own.
                origins.blocks(node.origin, code, blocks)

    def one(self, node: t.Statement) -> None:
        """A statement for which nothing is written down."""
        _LOWERED[type(node)](self, node)

    def structured(self, nodes: Iterable[t.Statement]) -> tuple[ir.Stmt, ...]:
        """Statements as the body of a structured one."""
        with captured(self.code) as made:
            self.statements(nodes)
        return tuple(made)

    def choose(self, node: t.Statement, **more: Any) -> None:
        """A choice at the head of a loop, or in a declaration part."""
        CHOICES[type(node)](self, node, **more)


_LOWERED: dict[type, Callable[[Any, Any], None]] = {
    **LOCALS,
    **CONDITIONALS,
    **LOOPS,
    **CHANGES,
    **CALLS,
    **ROLLS,
    **DRAWS,
    **ARRAYS,
    **MATCHING,
    **PHASES,
    **CHOICES,
    **DEFERRED,
    **EXAMPLES,
    **SITUATIONS,
}
