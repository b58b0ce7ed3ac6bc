"""Statements, and the bodies that they make up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from grognard.compiler.sema.scope import Variable
from grognard.compiler.sema.typed.nodes.aggregates import Source
from grognard.compiler.sema.typed.nodes.values import Typed
from grognard.compiler.sema.types import Type
from grognard.compiler.syntax import nodes as syn


class _Written:
    """What a statement is written as."""

    __slots__ = ()
    written: Any

    @property
    def origin(self) -> syn.Stmt:
        made: syn.Stmt = self.written
        return made


@dataclass(slots=True, eq=False)
class Let(_Written):
    written: syn.Let
    variable: Variable
    value: Typed


@dataclass(slots=True, eq=False)
class Write(_Written):
    """A local gets a value, or a set or list of it gets or loses something."""

    written: syn.AssignStmt
    variable: Variable
    value: Typed


@dataclass(slots=True, eq=False)
class Case:
    """A line with a result, which may have a condition."""

    written: syn.CaseStmt
    condition: Typed | None
    value: Typed
    #: what the body is declared to give
    result: Type
    #: `return` is a line with a result, too
    origin: syn.Stmt


@dataclass(slots=True, eq=False)
class Leave(_Written):
    """The body ends without a result."""

    written: syn.ReturnStmt


@dataclass(slots=True, eq=False)
class If(_Written):
    written: syn.IfStmt
    arms: tuple[tuple[Typed, tuple[Statement, ...]], ...]
    otherwise: tuple[Statement, ...]


@dataclass(slots=True, eq=False)
class For(_Written):
    written: syn.ForStmt
    source: Source
    variable: Variable
    where: Typed | None
    key: Typed | None
    body: tuple[Statement, ...]


@dataclass(slots=True, eq=False)
class LeavePass(_Written):
    """`stop` or `next` of the innermost loop."""

    written: syn.StopStmt | syn.NextStmt

    @property
    def stops(self) -> bool:
        return isinstance(self.written, syn.StopStmt)


Statement: TypeAlias = Let | Write | Case | Leave | If | For | LeavePass


@dataclass(slots=True, eq=False)
class Body:
    """What a callable, or an exception to it, does: parameters, the condition of the exception, statements."""

    params: tuple[Variable, ...]
    condition: Typed | None
    statements: tuple[Statement, ...]
    #: the last lines name every member of a value, so that one of them gives the result
    covered: bool
