"""Loops: over sets and lists, while, until, so many times, counted; `stop` and `next`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from grognard.compiler.sema.scope import Scope, Variable
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.aggregates import check_source
from grognard.compiler.sema.typed.choices import check_choose
from grognard.compiler.sema.typed.deciding import check_decider, check_question
from grognard.compiler.sema.types import INT, FieldInfo, Type, int_range
from grognard.compiler.syntax import nodes as syn
from grognard.support.source import Span

if TYPE_CHECKING:
    from grognard.compiler.sema.typed.statements import BodyChecker


def check_for(check: BodyChecker, statement: syn.ForStmt, scope: Scope) -> t.Statement | None:
    if check.body.pure and (statement.settled or statement.chosen_by is not None):
        check.sink.error(
            "GR0312",
            statement.span,
            "a rule may not change the state, roll or ask",
            hint="make it a procedure",
        )
        return None
    if statement.settled:
        if check.needs_blocks(statement):
            check.sink.error("GR0704", statement.span, "nobody can be asked in a loop until settled")
            return None
        loop = _over(check, replace(statement, settled=False), scope)
        return None if loop is None else t.ForSettled(statement, loop)
    if statement.chosen_by is not None:
        return _chosen(check, statement, statement.chosen_by, scope)
    return _over(check, statement, scope)


def _head(
    check: BodyChecker, statement: syn.ForStmt, scope: Scope
) -> tuple[t.Source, Variable, t.Typed | None, Scope] | None:
    source, element = check_source(check, statement.source, scope)
    if source is None:
        return None
    inner = scope.child()
    variable = Variable(statement.var, element)
    check.bind(inner, variable, False, statement.span)
    where = None
    if statement.where is not None:
        where = check.condition(statement.where, inner)
        inner = inner.with_narrowed(check.narrow(statement.where, inner, True))
    return source, variable, where, inner


def _over(check: BodyChecker, statement: syn.ForStmt, scope: Scope) -> t.For | None:
    head = _head(check, statement, scope)
    if head is None:
        return None
    source, variable, where, inner = head
    key = _key(check, statement.key, inner) if statement.key is not None else None
    blocks = check.needs_blocks(statement)
    body = check_pass(check, statement.body, inner.child(), blocks)
    return t.For(statement, source, variable, where, key, body, blocks)


def check_pass(
    check: BodyChecker, body: tuple[syn.Stmt, ...], scope: Scope, blocks: bool
) -> tuple[t.Statement, ...]:
    """The body of a loop."""
    check.standing.loops.append(blocks)
    made, _ = check.block(body, scope)
    check.standing.loops.pop()
    return made


def _key(check: BodyChecker, expr: syn.Expr, scope: Scope) -> t.Typed:
    """What a loop is ordered by."""
    made = check.value(expr, scope)
    if made.type.sort not in ("int", "flag", "dom", "unknown"):
        check.sink.error("GR0301", expr.span, f"{made.type} has no order")
    return made


def _chosen(check: BodyChecker, statement: syn.ForStmt, seat: syn.Expr, scope: Scope) -> t.ForChosen | None:
    head = _head(check, statement, scope)
    if head is None:
        return None
    source, variable, where, inner = head
    if variable.type.dom is None or of_plain_values(source):
        check.sink.error(
            "GR0313", statement.source.span, "`chosen by` needs a set of counters, places or members"
        )
        return None
    decider = check_decider(check, seat, scope, statement.span)
    label = statement.label or f"next {statement.var}"
    question = check_question(check, statement.var, label, statement.span, scope)
    body = check_pass(check, statement.body, inner.child(), True)
    return t.ForChosen(statement, source, variable, where, decider, question, body)


def of_plain_values(source: t.Source) -> bool:
    """Whether it runs over values in their order, and not over the members of a set."""
    match source:
        case t.OverItems():
            return True
        case t.OverGroup(group=group):
            return group.type.sort == "list"
    return False


def check_while(check: BodyChecker, statement: syn.WhileStmt, scope: Scope) -> t.While:
    blocks = check.needs_blocks(statement)
    test = check.condition(statement.condition, scope)
    check.standing.guards.append(statement.condition)
    inner = scope.with_narrowed(check.narrow(statement.condition, scope, True)).child()
    body = check_pass(check, statement.body, inner, blocks)
    check.standing.guards.pop()
    return t.While(statement, test, body, blocks)


def check_times(check: BodyChecker, statement: syn.TimesStmt, scope: Scope) -> t.Times | None:
    count = check.checked(statement.count, scope, INT)
    blocks = statement.until_done is not None or check.needs_blocks(statement)
    if statement.until_done is None:
        return t.Times(statement, count, check_pass(check, statement.body, scope.child(), blocks), blocks)
    body = _with_done(check, statement.body, scope, statement.until_done, statement.span)
    return None if body is None else t.Times(statement, count, body, blocks)


def check_until(check: BodyChecker, statement: syn.UntilStmt, scope: Scope) -> t.Until | None:
    if statement.done_by is not None:
        when = None if statement.done_when is None else check.condition(statement.done_when, scope)
        made = _with_done(check, statement.body, scope, statement.done_by, statement.span)
        return None if made is None else t.Until(statement, None, when, made)
    inner = scope.child()
    body = check_pass(check, statement.body, inner, check.body.machine)
    assert statement.condition is not None
    return t.Until(statement, check.condition(statement.condition, inner), None, body)


def _with_done(
    check: BodyChecker, body: tuple[syn.Stmt, ...], scope: Scope, seat: syn.Expr, span: Span
) -> tuple[t.Statement, ...] | None:
    """A loop body whose first statement is a choice that may be answered `done`."""
    if not body or not isinstance(body[0], syn.ChooseStmt):
        check.sink.error("GR0704", span, "a loop that ends when somebody is done must begin with a choice")
        return None
    inner = scope.child()
    first = body[0] if body[0].by is not None else replace(body[0], by=seat)
    check.standing.loops.append(True)
    choice = check_choose(check, first, inner, done=True)
    made, _ = check.block(body[1:], inner)
    check.standing.loops.pop()
    return None if choice is None else (choice, *made)


def check_count(check: BodyChecker, statement: syn.CountStmt, scope: Scope) -> t.Statement | None:
    """`repeat round from 1 to n`: the counter is the game's field of that name, else a local."""
    if not check.body.machine:
        return _counted_plainly(check, statement, scope)
    info = check.symbols.globals.get(statement.var) if scope.find(statement.var) is None else None
    start = check.checked(statement.start, scope, INT)
    inner = scope.child()
    variable: Variable | None = None
    if info is not None and info.field is not None:
        _counted_within(check, statement, info, start.type, scope)
    else:
        info, variable = None, Variable(statement.var, INT)
        check.bind(inner, variable, False, statement.span)
    end = None if statement.end is None else check.checked(statement.end, inner, INT)
    body = check_pass(check, statement.body, inner.child(), True)
    return t.Count(statement, info, variable, start, end, body)


def _counted_within(
    check: BodyChecker, statement: syn.CountStmt, info: FieldInfo, start: Type, scope: Scope
) -> None:
    """A counter that is a field of the game must hold what it counts, from the first number to the last."""
    ends = [(statement.start, start)]
    if statement.end is not None:
        last = check.type_of(statement.end, scope)
        written = statement.end.value if isinstance(statement.end, syn.Number) else None
        if written is not None:
            last = int_range(written, written)
        if last is not None:
            ends.append((statement.end, last))
    for expr, type_ in ends:
        # Bounds that are worked out are checked when they are written.
        if type_.sort == "int" and type_.lo == type_.hi and not info.type.lo <= type_.lo <= info.type.hi:
            check.sink.error(
                "GR0304",
                expr.span,
                f"`{statement.var}` holds {info.type}, {type_.lo} is never within it",
                hint=f"declare it wider: {statement.var}: {min(info.type.lo, type_.lo)}..{max(info.type.hi, type_.lo)}",
            )


def _counted_plainly(check: BodyChecker, statement: syn.CountStmt, scope: Scope) -> t.Counted | None:
    if statement.end is None:
        return None  # reported by lint
    loop = syn.ForStmt(
        statement.var,
        syn.RangeExpr(statement.start, statement.end, statement.span),
        None,
        None,
        "lowest",
        None,
        "",
        False,
        statement.body,
        statement.cites,
        statement.span,
    )
    made = _over(check, loop, scope)
    return None if made is None else t.Counted(statement, made)


def check_leave_pass(
    check: BodyChecker, statement: syn.StopStmt | syn.NextStmt
) -> tuple[t.LeavePass | None, bool]:
    """`stop` leaves the innermost loop, `next` goes on with its next pass."""
    word = "stop" if isinstance(statement, syn.StopStmt) else "next"
    if not check.standing.loops:
        check.sink.error(
            "GR0208",
            statement.span,
            f"`{word}` {'leaves a loop' if word == 'stop' else 'begins the next pass of a loop'}; there is none here",
            hint="`return` leaves a procedure",
        )
        return None, False
    return t.LeavePass(statement), True
