"""Statements, lowered to the IR: straight code for what cannot ask, blocks of a machine for what can."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import MachineCode, captured
from grognard.compiler.lower.choices.choices import lower_choose
from grognard.compiler.lower.choices.offers import lower_offer, lower_repeats
from grognard.compiler.lower.choices.subsets import lower_choose_some
from grognard.compiler.lower.exprs.expressions import Exprs
from grognard.compiler.lower.geometry.routes import choose_route
from grognard.compiler.lower.stmts import simple
from grognard.compiler.lower.stmts.calls import lower_do
from grognard.compiler.lower.stmts.conditionals import (
    lower_case,
    lower_if,
    lower_return,
)
from grognard.compiler.lower.stmts.counters import lower_draw
from grognard.compiler.lower.stmts.log_and_reveal import lower_show
from grognard.compiler.lower.stmts.loops import (
    BranchMark,
    Loop,
    leave_pass,
    lower_for,
    lower_times,
    lower_until,
    lower_while,
)
from grognard.compiler.lower.stmts.matching import lower_match
from grognard.compiler.lower.stmts.phases import (
    lower_alternate,
    lower_count,
    lower_end,
    lower_mark,
    lower_phase,
    lower_secret,
    lower_simultaneous,
)
from grognard.compiler.lower.stmts.procedure_arrays import lower_array
from grognard.compiler.lower.stmts.rolls import lower_roll
from grognard.compiler.lower.time.deferred_calls import lower_emit, lower_schedule
from grognard.compiler.sema.scope import (
    Code,
    Scope,
    Value,
)
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.assignments import check_assign
from grognard.compiler.sema.typed.changes import (
    check_create,
    check_destroy,
    check_log,
    check_put,
    check_require,
    check_reveal,
)
from grognard.compiler.sema.typed.statements import names_given
from grognard.compiler.sema.types import (
    UNKNOWN,
    Type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk
from grognard.contract import ir
from grognard.support.diagnostics import Label
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.lower.lowerer import Lowerer


class Stmts(Exprs):
    """Lowers statements into the code being built."""

    def __init__(self, lowerer: Lowerer, code: Code) -> None:
        super().__init__(lowerer, code)
        self.loops: list[Loop] = []
        #: conditions that are known to hold because an enclosing `if any(...)` tested them
        self.guards: list[syn.Expr] = []
        #: conditions that `require` and the filters of choices have tested
        self.demanded: list[syn.Expr] = []

    @property
    def m(self) -> MachineCode:
        assert isinstance(self.code, MachineCode)
        return self.code

    # ------------------------------------------------------------------------------------------------- blocks

    def block(self, body: tuple[syn.Stmt, ...], scope: Scope) -> bool:
        """Lower a block; True if it always leaves (returns, stops, ends the game)."""
        for number, statement in enumerate(body):
            leaves = self.statement(statement, scope)
            if leaves:
                if number + 1 < len(body):
                    self.sink.warning("GR0706", body[number + 1].span, "this can never be reached")
                return True
        return False

    def structured(self, body: tuple[syn.Stmt, ...], scope: Scope) -> tuple[ir.Stmt, ...]:
        with captured(self.code) as made:
            self.block(body, scope)
        return tuple(made)

    def needs_blocks(self, statement: Any) -> bool:
        """Whether a statement of a machine must become blocks: it can ask, leave the machine or a block loop."""
        if not self.code.machine:
            return False
        for node in walk(statement):
            if isinstance(node, syn.ReturnStmt | syn.CaseStmt | syn.EndStmt):
                return True
            if (
                isinstance(node, syn.StopStmt | syn.NextStmt)
                and self.loops
                and self.loops[-1].stop is not None
            ):
                return True
            if self.lowerer.asks(node):
                return True
        return False

    def statement(self, statement: syn.Stmt, scope: Scope) -> bool:
        origins, body, start = self.lowerer.origins, self.code.body, len(self.code.body)
        block, blocks = (self.code.current, self.code.count) if isinstance(self.code, MachineCode) else (0, 0)
        leaves = self._statement(statement, scope)
        if origins is not None:
            origins.statement(statement, self.code, body, start, block)
            if isinstance(statement, syn.EmitStmt) and isinstance(self.code, MachineCode):
                # Its handlers are called one after the other, each in a block of its own.
                origins.blocks(statement, self.code, blocks)
        if isinstance(statement, _CHANGES_ANYTHING):
            scope.forget_calls()
        return leaves

    def _statement(self, statement: syn.Stmt, scope: Scope) -> bool:
        if isinstance(statement, BranchMark):
            self.code.emit(ir.BranchNext(statement.site))
            return False
        if statement.cites:
            self.world.cite(statement.cites)
        match statement:
            case syn.Let():
                self._write_down(self.check.let(statement, scope))
            case syn.ArrayStmt():
                lower_array(self, statement, scope)
            case syn.AssignStmt():
                self._write_down(check_assign(self.check, statement, scope))
            case syn.CaseStmt():
                return lower_case(self, statement, scope)
            case syn.IfStmt():
                return lower_if(self, statement, scope)
            case syn.ForStmt():
                lower_for(self, statement, scope)
            case syn.WhileStmt():
                lower_while(self, statement, scope)
            case syn.CountStmt():
                return lower_count(self, statement, scope)
            case syn.TimesStmt():
                lower_times(self, statement, scope)
            case syn.UntilStmt():
                lower_until(self, statement, scope)
            case syn.PhaseStmt():
                lower_phase(self, statement, scope)
            case syn.SimultaneousStmt():
                lower_simultaneous(self, statement, scope)
            case syn.SecretStmt():
                lower_secret(self, statement, scope)
            case syn.AlternateStmt():
                lower_alternate(self, statement, scope)
            case syn.RepeatsStmt():
                lower_repeats(self, statement, scope)
            case syn.OfferStmt():
                lower_offer(self, statement, scope)
            case syn.RollStmt():
                lower_roll(self, statement, scope)
            case syn.RerollStmt():
                pass  # handlers of `rolled` have none left (rolls.py); elsewhere it is reported before
            case syn.ChooseStmt():
                lower_choose(self, statement, scope)
            case syn.ChooseSomeStmt():
                lower_choose_some(self, statement, scope)
            case syn.ChooseRouteStmt():
                choose_route(self, statement, scope)
            case syn.AssignMatchStmt():
                lower_match(self, statement, scope)
            case syn.DoStmt():
                lower_do(self, statement, scope)
            case syn.EmitStmt():
                lower_emit(self, statement, scope)
            case syn.ScheduleStmt():
                lower_schedule(self, statement, scope)
            case syn.RequireStmt():
                self._write_down(check_require(self.check, statement, scope))
                self.demanded.append(statement.condition)
            case syn.ReturnStmt():
                return lower_return(self, statement, scope)
            case syn.StopStmt():
                return leave_pass(self, statement, "stop")
            case syn.NextStmt():
                return leave_pass(self, statement, "next")
            case syn.PassStmt():
                if not self.code.pure:
                    self.code.emit(
                        ir.Store(self.world.passed_field, (), ir.Const(1), "set", False, self.lowerer.nowhere)
                    )
            case syn.DestroyStmt():
                self._write_down(check_destroy(self.check, statement, scope))
            case syn.CreateStmt():
                self._write_down(check_create(self.check, statement, scope))
            case syn.DrawStmt():
                lower_draw(self, statement, scope)
            case syn.PutStmt():
                self._write_down(check_put(self.check, statement, scope))
            case syn.RevealStmt():
                self._write_down(check_reveal(self.check, statement, scope))
            case syn.ShowStmt():
                lower_show(self, statement, scope)
            case syn.MarkStmt():
                lower_mark(self, statement, scope)
            case syn.LogStmt():
                self._write_down(check_log(self.check, statement, scope))
            case syn.EndStmt():
                return lower_end(self, statement, scope)
            case _:
                # Elsewhere it is reported before (sema/checks/placement.py).
                if self.check.in_example:
                    self.lowerer.example_statement(self, statement, scope)
        return False

    def _write_down(self, made: t.Statement | None) -> None:
        """Lower what was checked; nothing comes of what has a mistake."""
        if made is not None:
            simple.lower_statement(self, made)

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

    # ----------------------------------------------------------------------------------------------- variables

    def declare_unknown(self, statement: syn.Stmt, scope: Scope) -> None:
        """After an error: declare the names of a statement, so that their uses are not reported."""
        for name in names_given(statement):
            if scope.find(name) is None:
                self.declare_local(scope, name, UNKNOWN, False, statement.span)

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


#: Statements after which the result of any rule may differ.
_CHANGES_ANYTHING = (
    syn.DoStmt,
    syn.EmitStmt,
    syn.RollStmt,
    syn.OfferStmt,
    syn.RepeatsStmt,
    syn.CreateStmt,
    syn.DestroyStmt,
    syn.DrawStmt,
    syn.PutStmt,
    syn.PhaseStmt,
    syn.MarkStmt,
    syn.AssignMatchStmt,
)
