"""`choose some`: a subset, asked for member by member in ascending order, so that each set has one path.

If the set has a condition, a member is offered only if some set with it can still be completed (subset_tests.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.choices.asking import (
    asking_of,
    deciding_seat,
    end_with_ask,
    fail_empty,
    frozen_decider,
    lower_instead,
    shown,
)
from grognard.compiler.lower.choices.numbers import Asked, Pick, by_number, select_by_number
from grognard.compiler.lower.choices.numbers_of import can_choose_numbers, lower_choose_numbers
from grognard.compiler.lower.choices.subset_tests import SubsetTests, make_tests
from grognard.compiler.sema.scope import (
    Scope,
    Value,
)
from grognard.compiler.sema.typed.deciding import check_question, shown_in
from grognard.compiler.sema.types import (
    INT,
    UNKNOWN,
    dom_type,
    set_type,
)
from grognard.compiler.syntax import nodes as syn
from grognard.compiler.syntax.walk import walk
from grognard.contract import ir
from grognard.contract.header import DONE

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.seam import Stmts


def is_plain(statement: syn.ChooseSomeStmt) -> bool:
    """Whether every subset of the right size will do."""
    return (
        statement.at_least is None
        and statement.such_that is None
        and statement.keeping is None
        and statement.joined is None
    )


def lower_choose_some(stmts: Stmts, statement: syn.ChooseSomeStmt, scope: Scope, rest: Any = None) -> None:
    if statement.numbers:
        lower_choose_numbers(stmts, statement, scope, rest is not None)
        return
    m = stmts.m
    over, element = stmts.running_over(statement.source, scope)
    if over is None or element.dom is None:
        if over is not None:
            stmts.sink.error("GR0313", statement.source.span, "there are no sets of these")
        stmts.declare_local(scope, statement.into, UNKNOWN, False, statement.span)
        return
    dom = element.dom
    result = m.variable(statement.into, set_type(dom))
    m.emit(ir.AssignSet(result.expr.index, ir.SetOf(dom.id, ())))
    inner = scope.child()
    var = m.variable(statement.name, element)
    stmts.bind(inner, statement.name, var, False, statement.span)
    where = stmts.condition(statement.where, inner) if statement.where is not None else None
    tests = None
    if not is_plain(statement) or rest is not None:
        tests = make_tests(stmts, statement, scope, dom, rest)
        if (
            rest is None
            and statement.otherwise is None
            and not _may_be_empty(statement)
            and not stmts.lowerer.actions.is_kept(stmts.code.owner)
        ):
            stmts.sink.error(
                "GR0703",
                statement.span,
                f"there may be no set to choose for `{statement.into}`",
                hint="add `, else stop` / `, else return` behind it",
            )
    impossible = m.new_block()
    if statement.by is not None and _mentions(statement.by, statement.name):
        _each_owner(stmts, statement, scope, inner, over, where, var, result, tests, impossible)
    else:
        seat = frozen_decider(stmts, statement.by, scope, statement.span)
        build = ir.SetBuild(dom.id, var.expr.index, over, where, None)
        _select(stmts, statement, scope, seat, build, var, result, tests, impossible)
    after = m.current
    m.switch(impossible)
    if statement.otherwise is not None:
        lower_instead(stmts, statement.otherwise, scope)
    else:
        fail_empty(stmts, f"no set can be chosen for {statement.into}", statement)
    m.end(ir.ReturnMachine(ir.Const(0) if stmts.code.result is not None else None))
    m.switch(after)
    stmts.bind(scope, statement.into, result, False, statement.span)


def _may_be_empty(statement: syn.ChooseSomeStmt) -> bool:
    """Whether the empty set is always one to choose."""
    return statement.such_that is None and statement.at_least is None and statement.exactly is None


def _mentions(expr: Any, name: str) -> bool:
    return any(isinstance(node, syn.Name) and node.id == name for node in walk(expr))


def _each_owner(
    stmts: Stmts,
    statement: syn.ChooseSomeStmt,
    scope: Scope,
    inner: Scope,
    over: Any,
    where: Any,
    var: Value,
    result: Value,
    tests: SubsetTests | None,
    impossible: int,
) -> None:
    """`by u.power`: each seat chooses among its own."""
    m = stmts.m
    site = stmts.lowerer.nowhere
    seats = stmts.world.seats
    assert seats and result.type.dom
    if statement.where is not None:
        inner = inner.with_narrowed(stmts.narrow(statement.where, inner, True))
    owner = deciding_seat(stmts, statement.by, inner, statement.span)
    seat = m.variable("(owner)", dom_type(seats))
    own = m.variable("(own choice)", result.type)
    mine: Any = ir.Binary("eq", owner.expr, seat.expr, site)
    if where is not None:
        mine = ir.Binary("and", where, mine, site)
    m.emit(ir.Assign(seat.expr.index, ir.Const(0)))
    head, body, done = m.new_block(), m.new_block(), m.new_block()
    m.go_to(head)
    m.end(ir.Branch(ir.Binary("lt", seat.expr, ir.DomainCount(seats.id), site), body, done))
    m.switch(body)
    m.emit(ir.AssignSet(own.expr.index, ir.SetOf(result.type.dom.id, ())))
    build = ir.SetBuild(result.type.dom.id, var.expr.index, over, mine, None)
    _select(stmts, statement, scope, seat, build, var, own, tests, impossible)
    m.emit(ir.AssignSet(result.expr.index, ir.SetBinary("union", result.expr, own.expr)))
    m.emit(ir.Assign(seat.expr.index, ir.Binary("add", seat.expr, ir.Const(1), site)))
    m.jump(head)
    m.switch(done)


def _limits(stmts: Stmts, statement: syn.ChooseSomeStmt, scope: Scope, size: ir.Expr) -> tuple[Any, Any]:
    """The least and the greatest number of members, for a pool of that size."""
    site = stmts.lowerer.nowhere
    least: Any = ir.Const(0)
    most: Any = size
    if statement.at_least is not None:
        least = stmts.checked(statement.at_least, scope, INT).expr
    for bound in (statement.exactly, statement.up_to):
        if bound is not None:
            most = ir.Binary("min", stmts.checked(bound, scope, INT).expr, size, site)
    if statement.exactly is not None:
        least = most
    return least, most


def _select(
    stmts: Stmts,
    statement: syn.ChooseSomeStmt,
    scope: Scope,
    seat: Any,
    build: ir.SetBuild,
    var: Value,
    result: Value,
    tests: SubsetTests | None,
    impossible: int,
) -> None:
    """Ask one seat for members of the pool until the set is finished."""
    if by_number(stmts, result.type.dom):
        _select_numbers(stmts, statement, scope, seat, build, result, tests, impossible)
        return
    m = stmts.m
    lowerer, site = stmts.lowerer, stmts.lowerer.nowhere
    dom = result.type.dom
    assert dom
    pool = m.variable(f"({statement.name} left)", set_type(dom))
    m.emit(ir.AssignSet(pool.expr.index, build))
    need, least = m.variable("(need)", INT), m.variable("(least)", INT)
    lower, upper = _limits(stmts, statement, scope, ir.SetCount(pool.expr))
    m.emit(ir.Assign(need.expr.index, upper))
    head, ask_block, taken, done = m.new_block(), m.new_block(), m.new_block(), m.new_block()
    exactly = statement.exactly is not None
    when: Any = None
    if tests is not None:
        m.emit(ir.Assign(least.expr.index, lower))
        given = (*tests.captured, result.expr)
        able = ir.Call(tests.completable, (*given, pool.expr, need.expr, least.expr))
        m.end(ir.Branch(able, head, impossible))
        m.switch(head)
        function = tests.candidates
        args: tuple[Any, ...] = (*given, pool.expr, need.expr, least.expr)
        when = ir.Call(tests.finished, (*given, least.expr))
    else:
        function, args = lowerer.candidates.some_candidates(dom, exactly), (pool.expr, need.expr)
        if exactly:
            all_of_them = m.new_block()
            m.end(ir.Branch(ir.Binary("eq", need.expr, ir.SetCount(pool.expr), site), all_of_them, head))
            m.switch(all_of_them)
            m.emit(ir.AssignSet(result.expr.index, pool.expr))
            m.jump(done)
            m.switch(head)
        else:
            m.go_to(head)
    m.end(ir.Branch(ir.Binary("gt", need.expr, ir.Const(0), site), ask_block, done))
    m.switch(ask_block)
    label = statement.label or statement.into.replace("_", " ")
    asked = check_question(stmts.check, statement.name, label, statement.span, scope)
    extra = None if exactly and tests is None else DONE
    some = (pool.expr.index, need.expr.index) if tests is None else None
    question = asking_of(stmts, asked, statement)
    end_with_ask(stmts, question, function, args, seat, var, taken, done, dom_type(dom), extra, when, some)
    m.switch(taken)
    keep = m.new_block()
    m.end(ir.Branch(ir.Binary("eq", var.expr, ir.Const(DONE), site), done, keep))
    m.switch(keep)
    m.emit(ir.SetChange(result.expr.index, var.expr, True))
    # Members before the one taken can no longer be picked.
    m.emit(ir.AssignSet(pool.expr.index, lowerer.candidates.after(pool, var)))
    m.emit(ir.Assign(need.expr.index, ir.Binary("sub", need.expr, ir.Const(1), site)))
    m.jump(head)
    m.switch(done)


def _select_numbers(
    stmts: Stmts,
    statement: syn.ChooseSomeStmt,
    scope: Scope,
    seat: Any,
    build: ir.SetBuild,
    result: Value,
    tests: SubsetTests | None,
    impossible: int,
) -> None:
    """Ask one seat how many of each group of counters that are alike."""
    m, site = stmts.m, stmts.lowerer.nowhere
    dom = result.type.dom
    assert dom
    label = statement.label or statement.into.replace("_", " ")
    name = f"{stmts.code.owner}.{statement.name}"
    named = shown(stmts, shown_in(stmts.check, label, statement.span, scope))
    asked = Asked(name, label, named, statement.cites.ids, statement.span, dom_type(dom))
    pick = Pick(stmts, asked, dom)
    pool = m.variable(f"({statement.name} in question)", set_type(dom))
    m.emit(ir.AssignSet(pool.expr.index, build))
    lower, upper = _limits(stmts, statement, scope, ir.SetCount(pool.expr))
    m.emit(ir.Assign(pick.room.expr.index, upper))
    m.emit(ir.Assign(pick.least.expr.index, lower))
    given: tuple[Any, ...] = ()
    function = None
    if tests is not None and needs_tests(statement, tests):
        none = ir.SetOf(dom.id, ())
        function, given = tests.numbers, tests.captured
        able: Any = ir.Call(tests.completable, (*given, none, pool.expr, pick.room.expr, pick.least.expr))
    else:
        able = ir.Binary("ge", pick.room.expr, pick.least.expr, site)
    if tests is not None:
        begin = m.new_block()
        m.end(ir.Branch(able, begin, impossible))
        m.switch(begin)
    select_by_number(stmts, pick, pool.expr, seat, function, given)
    m.emit(ir.AssignSet(result.expr.index, pick.chosen.expr))


def needs_tests(statement: syn.ChooseSomeStmt, tests: SubsetTests) -> bool:
    """Whether more than the size of the set is tested."""
    return (
        statement.such_that is not None
        or statement.keeping is not None
        or statement.joined is not None
        or tests.goes_on
    )


# ------------------------------------------------------------------------------------------- what can be completed


def can_choose_some(stmts: Stmts, statement: syn.ChooseSomeStmt, scope: Scope, rest: Any) -> ir.Expr | None:
    """In the declaration part of an action: whether there is a set with which all of it can be completed."""
    if statement.numbers:
        return can_choose_numbers(stmts, statement, scope)
    over, element = stmts.running_over(statement.source, scope)
    if over is None or element.dom is None:
        return None
    dom = element.dom
    inner = scope.child()
    var = stmts.code.variable(statement.name, element)
    stmts.code.bind(inner, statement.name, var, statement.span)
    where = stmts.condition(statement.where, inner) if statement.where is not None else None
    tests = make_tests(stmts, statement, scope, dom, rest)
    pool = stmts.code.variable("(pool)", set_type(dom))
    stmts.code.emit(ir.AssignSet(pool.expr.index, ir.SetBuild(dom.id, var.expr.index, over, where, None)))
    least, most = _limits(stmts, statement, scope, ir.SetCount(pool.expr))
    if not needs_tests(statement, tests):
        return ir.Binary("ge", most, least, stmts.lowerer.nowhere)
    return ir.Call(tests.completable, (*tests.captured, ir.SetOf(dom.id, ()), pool.expr, most, least))
