"""Statements that only bodies of procedures, the sequence of play and examples have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grognard.compiler.sema.scope import Scope
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
from grognard.compiler.sema.typed.choices import check_choose, check_choose_route
from grognard.compiler.sema.typed.choices_of_sets import check_choose_some
from grognard.compiler.sema.typed.dice import check_draw, check_roll
from grognard.compiler.sema.typed.doing import check_do, check_emit, check_schedule
from grognard.compiler.sema.typed.examples import check_example_step
from grognard.compiler.sema.typed.loops import check_count, check_times, check_until, check_while
from grognard.compiler.sema.typed.menus import check_offer, check_repeats
from grognard.compiler.sema.typed.sequence import (
    check_alternate,
    check_end,
    check_mark,
    check_phase,
    check_secret,
    check_simultaneous,
)
from grognard.compiler.sema.typed.values_of_procedures import check_array, check_match, check_show
from grognard.compiler.syntax import nodes as syn

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.statements import BodyChecker

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


def check_procedure_statement(
    check: BodyChecker, statement: syn.Stmt, scope: Scope
) -> tuple[t.Statement | None, bool]:
    if isinstance(statement, syn.EndStmt):
        return check_end(check, statement, scope)
    made = _step(check, statement, scope)
    if isinstance(statement, _CHANGES_ANYTHING):
        scope.forget_calls()
    return made, False


def _step(check: BodyChecker, statement: syn.Stmt, scope: Scope) -> t.Statement | None:
    match statement:
        case syn.ArrayStmt():
            return check_array(check, statement, scope)
        case syn.AssignStmt():
            return check_assign(check, statement, scope)
        case syn.WhileStmt():
            return check_while(check, statement, scope)
        case syn.CountStmt():
            return check_count(check, statement, scope)
        case syn.TimesStmt():
            return check_times(check, statement, scope)
        case syn.UntilStmt():
            return check_until(check, statement, scope)
        case syn.PhaseStmt():
            return check_phase(check, statement, scope)
        case syn.SimultaneousStmt():
            return check_simultaneous(check, statement, scope)
        case syn.SecretStmt():
            return check_secret(check, statement, scope)
        case syn.AlternateStmt():
            return check_alternate(check, statement, scope)
        case syn.RollStmt():
            return check_roll(check, statement, scope)
        case syn.RerollStmt():
            return None  # handlers of `rolled` have none left (handlers.py); elsewhere it is reported before
        case syn.AssignMatchStmt():
            return check_match(check, statement, scope)
        case syn.DoStmt():
            return check_do(check, statement, scope)
        case syn.EmitStmt():
            return check_emit(check, statement, scope)
        case syn.ScheduleStmt():
            return check_schedule(check, statement, scope)
        case syn.RequireStmt():
            made = check_require(check, statement, scope)
            check.standing.demanded.append(statement.condition)
            return made
        case syn.PassStmt():
            return t.Pass(statement)
        case syn.DestroyStmt():
            return check_destroy(check, statement, scope)
        case syn.CreateStmt():
            return check_create(check, statement, scope)
        case syn.DrawStmt():
            return check_draw(check, statement, scope)
        case syn.PutStmt():
            return check_put(check, statement, scope)
        case syn.RevealStmt():
            return check_reveal(check, statement, scope)
        case syn.ShowStmt():
            return check_show(check, statement, scope)
        case syn.MarkStmt():
            return check_mark(check, statement, scope)
        case syn.LogStmt():
            return check_log(check, statement, scope)
        case syn.ChooseStmt():
            return check_choose(check, statement, scope)
        case syn.ChooseSomeStmt():
            return check_choose_some(check, statement, scope)
        case syn.ChooseRouteStmt():
            return check_choose_route(check, statement, scope)
        case syn.OfferStmt():
            return check_offer(check, statement, scope)
        case syn.RepeatsStmt():
            return check_repeats(check, statement, scope)
    # Elsewhere it is reported before (sema/checks/placement.py).
    return check_example_step(check, statement, scope) if check.in_example else None
