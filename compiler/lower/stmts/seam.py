"""The seam for statements: what only examples and situations have is still checked while it is lowered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.lower.exprs.expressions import Exprs
from grognard.compiler.lower.stmts.statements import Statements
from grognard.compiler.sema.scope import Scope, Value
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import Type
from grognard.compiler.syntax import nodes as syn
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.contract.examples import Example
    from grognard.contract.situations import Situation


class Stmts(Exprs, Statements):
    """Lowers statements, and checks those that are not moved where they stand."""

    #: the example or situation that is being lowered
    example: Example | None = None
    situation: Situation | None = None

    def statement(self, statement: syn.Stmt, scope: Scope) -> None:
        """Check a statement and lower it."""
        made, _ = self.check.statement(statement, scope)
        if made is not None:
            self.statements((made,))

    def unmoved(self, node: t.Unmoved) -> None:
        self.check.standing = node.standing.copy()
        scope = node.scope.copy()
        self.lowerer.example_statement(self, node.written, scope)
        # What it has given a name belongs to the name that the statements after it know.
        found = None if node.gives is None else scope.find(node.gives.name)
        if node.gives is not None and found is not None:
            self.code.values[node.gives] = self.code.value_of(found)

    def declare_local(self, scope: Scope, name: str, type_: Type, mutable: bool, span: Span) -> Value:
        value = self.code.variable(name, type_)
        self.check.free(scope, name, span)
        self.code.bind(scope, name, value, span, mutable=mutable)
        return value
