"""The sequence of play: phases, marks, turns in rotation, simultaneous and secret blocks, the end of the game."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from grognard.compiler.sema.scope import Scope, Variable
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.deciding import check_deciding_seat
from grognard.compiler.sema.typed.doing import check_do
from grognard.compiler.sema.typed.loops import check_for, check_pass
from grognard.compiler.sema.typed.rules import check_rule
from grognard.compiler.sema.types import INT, Type, dom_type
from grognard.compiler.syntax import nodes as syn

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.statements import BodyChecker


def check_phase(check: BodyChecker, statement: syn.PhaseStmt, scope: Scope) -> t.Phase:
    condition: t.Typed | None = None
    if statement.condition is not None:
        check.in_phase = True
        condition = check.condition(statement.condition, scope)
        check.in_phase = False
        scope = scope.with_narrowed(check.narrow(statement.condition, scope, True))
    body: tuple[t.Statement, ...] | None = None
    if statement.body is not None:
        body, _ = check.block(statement.body, scope.child())
    elif statement.name in check.symbols.callables:
        use = syn.Use(statement.name, (), statement.span)
        made = check_do(check, syn.DoStmt(use, None, statement.cites, statement.span), scope)
        body = () if made is None else (made,)
    return t.Phase(statement, condition, body)


def check_mark(check: BodyChecker, statement: syn.MarkStmt, scope: Scope) -> t.Mark:
    if statement.of is None:
        return t.Mark(statement, None)
    whose = check.value(statement.of, scope)
    if whose.type.sort == "unknown":
        return t.Mark(statement, None)
    check.demand(whose.type, replace(whose.type, optional=False), statement.of.span)
    owner = check.around.mark_owner(statement.name, whose.type)
    if owner.dom is not whose.type.dom or owner.sort != "dom":
        check.sink.error(
            "GR0301", statement.of.span, f"`{statement.name}` is marked for {owner}, this is {whose.type}"
        )
    return t.Mark(statement, whose)


def check_simultaneous(
    check: BodyChecker, statement: syn.SimultaneousStmt, scope: Scope
) -> t.Simultaneous | None:
    """Every pass of an outer loop, and every other statement, is a branch of its own."""
    if check.standing.branching:
        check.sink.error("GR0208", statement.span, "simultaneous blocks cannot be nested")
        return None
    check.standing.branching += 1
    made: list[t.Statement] = []
    for part in statement.body:
        node: t.Statement | None
        if isinstance(part, syn.ForStmt) and part.chosen_by is None:
            node = check_for(check, part, scope)
        else:
            node, _ = check.statement(part, scope)
        if node is not None:
            made.append(node)
    check.standing.branching -= 1
    return t.Simultaneous(statement, tuple(made))


def check_secret(check: BodyChecker, statement: syn.SecretStmt, scope: Scope) -> t.Secret | None:
    if check.standing.branching:
        check.sink.error("GR0208", statement.span, "secret blocks cannot be nested")
        return None
    assert check.symbols.seats
    check.standing.branching += 1
    with check.acting(dom_type(check.symbols.seats)):
        body, _ = check.block(statement.body, scope.child())
    check.standing.branching -= 1
    return t.Secret(statement, body)


def check_alternate(check: BodyChecker, statement: syn.AlternateStmt, scope: Scope) -> t.Alternate:
    """One turn each in rotation, or so many each, until all have passed in succession."""
    seats = check.symbols.seats
    assert seats
    inner = scope.child()
    variable = Variable(statement.var, dom_type(seats))
    check.bind(inner, variable, False, statement.span)
    first: t.Typed | None = None
    shares: list[tuple[t.Typed, t.Typed]] = []
    if statement.shares:
        pairs = [share.items for share in statement.shares if isinstance(share, syn.Items)]
        who = [check_deciding_seat(check, seat, scope, seat.span) for seat, _ in pairs]
        shares = list(zip(who, [_turns(check, rate, scope) for _, rate in pairs], strict=True))
    else:
        first = check.checked(statement.first, scope, dom_type(seats))
    with check.acting(variable.type):
        body = check_pass(check, statement.body, inner.child(), True)
    return t.Alternate(statement, variable, first, tuple(shares), body)


def _turns(check: BodyChecker, expr: syn.Expr, scope: Scope) -> t.Typed:
    made = check.checked(expr, scope, INT, "the number of turns")
    if made.type.sort == "int" and made.type.hi < 1:
        check.sink.error(
            "GR0304",
            expr.span,
            "the number of turns must be 1 or more",
            hint="leave the seat out if it never has a turn",
        )
    return made


def check_end(check: BodyChecker, statement: syn.EndStmt, scope: Scope) -> tuple[t.End, bool]:
    condition: t.Typed | None = None
    if statement.condition is not None:
        condition = check.condition(statement.condition, scope)
        scope = scope.with_narrowed(check.narrow(statement.condition, scope, True))
    assert check.symbols.sides
    winner: t.Typed | None = None
    if statement.winner is not None:
        winner = check.checked(statement.winner, scope, _side(check))
    elif "victory" in check.symbols.callables:
        winner = check_rule(check, check.symbols.callables["victory"], [], statement.span, scope)
    return t.End(statement, condition, winner), condition is None


def _side(check: BodyChecker) -> Type:
    assert check.symbols.sides
    return dom_type(check.symbols.sides, True)
