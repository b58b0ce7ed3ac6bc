"""Statements, and the bodies that they make up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from grognard.compiler.sema.scope import Variable
from grognard.compiler.sema.symbols import BagInfo
from grognard.compiler.sema.typed.nodes.aggregates import Source
from grognard.compiler.sema.typed.nodes.procedures import ProcedureStatement
from grognard.compiler.sema.typed.nodes.values import Typed
from grognard.compiler.sema.typed.nodes.written import Written
from grognard.compiler.sema.types import Dom, FieldInfo, Type
from grognard.compiler.syntax import nodes as syn


@dataclass(slots=True, eq=False)
class Let(Written):
    written: syn.Let
    variable: Variable
    value: Typed


@dataclass(slots=True, eq=False)
class Write(Written):
    """A local gets a value, or a set or list of it gets or loses something."""

    written: syn.AssignStmt
    variable: Variable
    value: Typed


@dataclass(slots=True, eq=False)
class LocalTarget:
    """A local, or a part of a record of locals."""

    value: Typed


@dataclass(slots=True, eq=False)
class FieldTarget:
    """A field with its indexes: of an owner, or of the game."""

    info: FieldInfo
    owner: Typed | None
    axes: tuple[Typed, ...]


Target: TypeAlias = LocalTarget | FieldTarget


@dataclass(slots=True, eq=False)
class Assign(Written):
    """A write of a field or of a part of a record; without a value it has a mistake."""

    written: syn.AssignStmt
    target: Target
    value: Typed
    #: of a field with a life cycle: the steps that this may be, and the member that it becomes if that is fixed
    steps: tuple[tuple[int, int], ...] | None = None
    becomes: int | None = None


@dataclass(slots=True, eq=False)
class ForEachPart(Written):
    """A statement about something of a union, for each of its types, the last first."""

    written: syn.Stmt
    value: Typed
    parts: tuple[tuple[Dom, Statement | None], ...]


@dataclass(slots=True, eq=False)
class Require(Written):
    written: syn.RequireStmt
    condition: Typed


@dataclass(slots=True, eq=False)
class Log(Written):
    """A line of the log: the text with places for values, and the values."""

    written: syn.LogStmt
    text: str
    values: tuple[Typed, ...]


@dataclass(slots=True, eq=False)
class Reveal(Written):
    written: syn.RevealStmt
    target: FieldTarget


@dataclass(slots=True, eq=False)
class Create(Written):
    written: syn.CreateStmt
    dom: Dom
    values: tuple[tuple[FieldInfo, Typed], ...]
    #: what the new one is called
    variable: Variable | None


@dataclass(slots=True, eq=False)
class Destroy(Written):
    written: syn.DestroyStmt
    dom: Dom
    value: Typed


@dataclass(slots=True, eq=False)
class Put(Written):
    """Something goes back into a bag; into which of two, a condition decides."""

    written: syn.PutStmt
    condition: Typed | None
    #: the bag, and what goes into it; the first where the condition holds
    puts: tuple[tuple[BagInfo, Typed] | None, ...]


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
class Leave(Written):
    """The body ends without a result."""

    written: syn.ReturnStmt


@dataclass(slots=True, eq=False)
class If(Written):
    written: syn.IfStmt
    arms: tuple[tuple[Typed, tuple[Statement, ...]], ...]
    otherwise: tuple[Statement, ...]
    #: it is several blocks of a machine
    blocks: bool = False


@dataclass(slots=True, eq=False)
class For(Written):
    written: syn.ForStmt
    source: Source
    variable: Variable
    where: Typed | None
    key: Typed | None
    body: tuple[Statement, ...]
    blocks: bool = False


@dataclass(slots=True, eq=False)
class LeavePass(Written):
    """`stop` or `next` of the innermost loop."""

    written: syn.StopStmt | syn.NextStmt

    @property
    def stops(self) -> bool:
        return isinstance(self.written, syn.StopStmt)


Statement: TypeAlias = (
    Let
    | Write
    | Assign
    | ForEachPart
    | Require
    | Log
    | Reveal
    | Create
    | Destroy
    | Put
    | Case
    | Leave
    | If
    | For
    | LeavePass
    | ProcedureStatement
)


@dataclass(slots=True, eq=False)
class Body:
    """What a callable, or an exception to it, does: parameters, the condition of the exception, statements."""

    params: tuple[Variable, ...]
    condition: Typed | None
    statements: tuple[Statement, ...]
    #: the last lines name every member of a value, so that one of them gives the result
    covered: bool
