"""Statements that only examples and situations have: what they give a name.  They are checked while they are lowered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.sema.scope import Scope, Variable
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import UNKNOWN, Type, dom_type
from grognard.compiler.syntax import nodes as syn
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.statements import BodyChecker


def check_example_step(check: BodyChecker, statement: syn.Stmt, scope: Scope) -> t.Unmoved:
    """A statement that only examples and situations have."""
    made = check.unmoved(statement, scope)
    match statement:
        case syn.CounterStmt(name=name, kind=kind) if name:
            made.gives = _given(check, name, _counter_type(check, kind), scope, statement.span)
        case syn.ExpectStmt(conditions=conditions):
            for condition in conditions:
                scope.narrowed.update(check.narrow(condition, scope, True))
        case syn.OddsStmt(into=str(into), use=use):
            entry = check.world.callables.get(use.name)
            if entry is not None and entry.sort in ("procedure", "action"):
                made.gives = _given(check, into, entry.result or UNKNOWN, scope, statement.span)
    return made


def _counter_type(check: BodyChecker, kind: str) -> Type:
    for dom in check.world.doms:
        if dom.sort == "piece" and dom.kind is not None and dom.kind.index(kind) is not None:
            return dom_type(dom)
    return UNKNOWN


def _given(check: BodyChecker, name: str, type_: Type, scope: Scope, span: Span) -> Variable:
    variable = Variable(name, type_)
    check.bind(scope, variable, False, span)
    return variable
