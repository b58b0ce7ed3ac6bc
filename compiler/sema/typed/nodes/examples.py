"""Statements that only examples of play and situations have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from grognard.compiler.sema.scope import Variable
from grognard.compiler.sema.typed.nodes.values import Typed
from grognard.compiler.sema.typed.nodes.written import Written
from grognard.compiler.syntax import nodes as syn

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.nodes.statements import Create, Statement


@dataclass(slots=True, eq=False)
class SetUp(Written):
    """What an example runs on and with: the board, options, dice, answers."""

    written: syn.Stmt


@dataclass(slots=True, eq=False)
class Counter(Written):
    """A counter that has a name in answers."""

    written: syn.CounterStmt
    create: Create
    variable: Variable


@dataclass(slots=True, eq=False)
class Counters(Written):
    written: syn.CountersStmt
    loop: Statement


@dataclass(slots=True, eq=False)
class Expect(Written):
    """Conditions, each with what was found: the left side of a comparison."""

    written: syn.ExpectStmt
    conditions: tuple[tuple[syn.Expr, Typed, Typed | None], ...]


@dataclass(slots=True, eq=False)
class Odds(Written):
    written: syn.OddsStmt
    args: tuple[Typed, ...]
    into: Variable | None


@dataclass(slots=True, eq=False)
class Outcome(Written):
    written: syn.OutcomeStmt
    value: Typed


ExampleStatement: TypeAlias = SetUp | Counter | Counters | Expect | Odds | Outcome
