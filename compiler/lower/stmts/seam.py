"""The seam for statements: choices, and what only examples have, are still checked while they are lowered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.choices.choices import lower_choose
from grognard.compiler.lower.choices.offers import lower_offer, lower_repeats
from grognard.compiler.lower.choices.subsets import lower_choose_some
from grognard.compiler.lower.exprs.expressions import Exprs
from grognard.compiler.lower.geometry.routes import choose_route
from grognard.compiler.lower.stmts.statements import Statements
from grognard.compiler.sema.scope import Scope, Value
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import Type
from grognard.compiler.syntax import nodes as syn
from grognard.support.diagnostics import Label
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.contract.examples import Example
    from grognard.contract.situations import Situation


class Stmts(Exprs, Statements):
    """Lowers statements, and checks those that are not moved where they stand."""

    #: the example or situation that is being lowered
    example: Example | None = None
    situation: Situation | None = None

    def statement(self, statement: syn.Stmt, scope: Scope) -> bool:
        """Check a statement and lower it; True if it always leaves."""
        made, leaves = self.check.statement(statement, scope)
        if made is not None:
            self.statements((made,))
        return leaves

    def unmoved(self, node: t.Unmoved, **more: Any) -> None:
        scope = self.resume(node)
        statement = node.written
        match statement:
            case syn.ChooseStmt():
                lower_choose(self, statement, scope, **more)
            case syn.ChooseSomeStmt():
                lower_choose_some(self, statement, scope, **more)
            case syn.ChooseRouteStmt():
                choose_route(self, statement, scope)
            case syn.OfferStmt():
                lower_offer(self, statement, scope)
            case syn.RepeatsStmt():
                lower_repeats(self, statement, scope)
            case _:
                self.lowerer.example_statement(self, statement, scope)
        self.given(node, scope)

    def resume(self, node: t.Unmoved) -> Scope:
        """Go on checking where the statement stands; what is in scope there."""
        self.check.standing = node.standing.copy()
        return node.scope.copy()

    def given(self, node: t.Unmoved, scope: Scope) -> None:
        """What the statement has given a name belongs to the name that the statements after it know."""
        if node.gives is not None:
            found = scope.find(node.gives.name)
            if found is not None:
                self.code.values[node.gives] = self.code.value_of(found)
        if node.array is not None:
            array = scope.find_array(node.array.name)
            if array is not None and array.info is not None:
                node.array.field = array.info.field

    def choose(
        self,
        statement: syn.ChooseStmt,
        scope: Scope,
        done: int | None = None,
        done_when: Any = None,
        rest: Any = None,
        proven: bool = False,
    ) -> None:
        """One choice; also called by `choose` for the parts of forms and for procedure-local arrays."""
        lower_choose(self, statement, scope, done, done_when, rest, proven)

    def bind(self, scope: Scope, name: str, value: Value, mutable: bool, span: Span) -> None:
        earlier = scope.names.get(name)
        if earlier is not None:
            self.sink.error(
                "GR0206",
                span,
                f"`{name}` has a meaning here already",
                labels=(Label(earlier.span, "from here"),) if earlier.span else (),
            )
        self.code.bind(scope, name, value, span, mutable=mutable)

    def declare_local(self, scope: Scope, name: str, type_: Type, mutable: bool, span: Span) -> Value:
        value = self.code.variable(name, type_)
        self.bind(scope, name, value, mutable, span)
        return value
