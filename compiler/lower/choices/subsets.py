"""`choose some`: a subset, asked for member by member in ascending order, so that each set has one path.

If the set has a condition, a member is offered only if some set with it can still be completed (subset_tests.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.choices.asking import (
    Together,
    asking_of,
    end_with_ask,
    fail_empty,
    lower_frozen_decider,
    shown,
)
from grognard.compiler.lower.choices.numbers import Asked, Pick, by_number, select_by_number
from grognard.compiler.lower.choices.numbers_of import can_choose_numbers
from grognard.compiler.lower.choices.subset_tests import SubsetTests, make_tests
from grognard.compiler.lower.code import Value
from grognard.compiler.lower.exprs.aggregates import lower_source
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.typed.choices_of_sets import is_plain
from grognard.compiler.sema.types import INT, dom_type, set_type
from grognard.compiler.syntax import nodes as syn
from grognard.contract import ir
from grognard.contract.header import DONE

if TYPE_CHECKING:
    from grognard.compiler.lower.choices.actions import Rest
    from grognard.compiler.lower.exprs.expressions import Lowering
    from grognard.compiler.lower.stmts.statements import Statements


def choose_some(low: Statements, node: t.ChooseSome, rest: Rest | None = None) -> None:
    m, statement = low.m, node.written
    dom = node.candidate.type.dom
    assert dom is not None
    over = lower_source(low, node.source)
    result = m.values[node.variable] = m.variable(statement.into, node.variable.type)
    m.emit(ir.AssignSet(result.expr.index, ir.SetOf(dom.id, ())))
    var = m.values[node.candidate] = m.variable(statement.name, node.candidate.type)
    where = low.test(node.where) if node.where is not None else None
    tests = None
    if not is_plain(statement) or rest is not None:
        tests = make_tests(low, node, dom, rest)
    impossible = m.new_block()
    if node.owner is not None:
        _each_owner(low, node, node.owner, over, where, var, result, tests, impossible)
    else:
        assert node.seat is not None
        seat = lower_frozen_decider(low, node.seat)
        build = ir.SetBuild(dom.id, var.expr.index, over, where, None)
        _select(low, node, seat, build, var, result, tests, impossible)
    after = m.current
    m.switch(impossible)
    if node.otherwise is not None:
        low.statements(node.otherwise)
    else:
        fail_empty(low, f"no set can be chosen for {statement.into}", statement)
    m.end(ir.ReturnMachine(ir.Const(0) if m.result is not None else None))
    m.switch(after)


def _each_owner(
    low: Statements,
    node: t.ChooseSome,
    owned: t.Typed,
    over: Any,
    where: Any,
    var: Value,
    result: Value,
    tests: SubsetTests | None,
    impossible: int,
) -> None:
    """`by u.power`: each seat chooses among its own."""
    m = low.m
    site = low.lowerer.nowhere
    seats = low.symbols.seats
    assert seats and result.type.dom
    owner = low.lower(owned)
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
    _select(low, node, seat, build, var, own, tests, impossible)
    m.emit(ir.AssignSet(result.expr.index, ir.SetBinary("union", result.expr, own.expr)))
    m.emit(ir.Assign(seat.expr.index, ir.Binary("add", seat.expr, ir.Const(1), site)))
    m.jump(head)
    m.switch(done)


def _limits(low: Lowering, limits: t.Limits, size: ir.Expr) -> tuple[Any, Any]:
    """The least and the greatest number of members, for a pool of that size."""
    site = low.lowerer.nowhere
    least: Any = ir.Const(0)
    most: Any = size
    if limits.at_least is not None:
        least = low.lower(limits.at_least).expr
    for bound in (limits.exactly, limits.up_to):
        if bound is not None:
            most = ir.Binary("min", low.lower(bound).expr, size, site)
    if limits.exactly is not None:
        least = most
    return least, most


def _select(
    low: Statements,
    node: t.ChooseSome,
    seat: Value | Together,
    build: ir.SetBuild,
    var: Value,
    result: Value,
    tests: SubsetTests | None,
    impossible: int,
) -> None:
    """Ask one seat for members of the pool until the set is finished."""
    if by_number(low, result.type.dom):
        _select_numbers(low, node, seat, build, result, tests, impossible)
        return
    m, statement = low.m, node.written
    lowerer, site = low.lowerer, low.lowerer.nowhere
    dom = result.type.dom
    assert dom
    pool = m.variable(f"({statement.name} left)", set_type(dom))
    m.emit(ir.AssignSet(pool.expr.index, build))
    need, least = m.variable("(need)", INT), m.variable("(least)", INT)
    lower, upper = _limits(low, node.limits, ir.SetCount(pool.expr))
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
    extra = None if exactly and tests is None else DONE
    some = (pool.expr.index, need.expr.index) if tests is None else None
    question = asking_of(low, node.question, statement)
    end_with_ask(low, question, function, args, seat, var, taken, done, dom_type(dom), extra, when, some)
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
    low: Statements,
    node: t.ChooseSome,
    seat: Value | Together,
    build: ir.SetBuild,
    result: Value,
    tests: SubsetTests | None,
    impossible: int,
) -> None:
    """Ask one seat how many of each group of counters that are alike."""
    m, site, statement = low.m, low.lowerer.nowhere, node.written
    dom = result.type.dom
    assert dom
    name = f"{m.owner}.{statement.name}"
    label, named = node.question.label, shown(low, node.question.shown)
    asked = Asked(name, label, named, statement.cites.ids, statement.span, dom_type(dom))
    pick = Pick(low, asked, dom)
    pool = m.variable(f"({statement.name} in question)", set_type(dom))
    m.emit(ir.AssignSet(pool.expr.index, build))
    lower, upper = _limits(low, node.limits, ir.SetCount(pool.expr))
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
    select_by_number(low, pick, pool.expr, seat, function, given)
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


def can_choose_some(low: Lowering, node: t.ChooseSome | t.ChooseNumbers, rest: Rest) -> ir.Expr:
    """In the declaration part of an action: whether there is a set with which all of it can be completed."""
    if isinstance(node, t.ChooseNumbers):
        return can_choose_numbers(low, node)
    dom, code = node.candidate.type.dom, low.code
    assert dom is not None
    over = lower_source(low, node.source)
    var = code.values[node.candidate] = code.variable(node.written.name, node.candidate.type)
    where = low.test(node.where) if node.where is not None else None
    tests = make_tests(low, node, dom, rest)
    pool = code.variable("(pool)", set_type(dom))
    code.emit(ir.AssignSet(pool.expr.index, ir.SetBuild(dom.id, var.expr.index, over, where, None)))
    least, most = _limits(low, node.limits, ir.SetCount(pool.expr))
    if not needs_tests(node.written, tests):
        return ir.Binary("ge", most, least, low.lowerer.nowhere)
    return ir.Call(tests.completable, (*tests.captured, ir.SetOf(dom.id, ()), pool.expr, most, least))
