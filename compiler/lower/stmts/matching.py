"""`assign`: a maximum matching of one set into another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grognard.compiler.lower.block_builder import captured
from grognard.compiler.lower.choices.asking import asking_of, end_with_ask, lower_frozen_decider, shown
from grognard.compiler.lower.choices.numbers import Asked, by_number
from grognard.compiler.lower.code import Value
from grognard.compiler.lower.exprs.aggregates import lower_source
from grognard.compiler.lower.stmts.matching_by_number import Matching, assign_by_number
from grognard.compiler.sema.checks.names import POOL_SIZE
from grognard.compiler.sema.typed import nodes as t
from grognard.compiler.sema.types import FLAG, INT, Type, set_type
from grognard.contract import ir
from grognard.contract.header import NONE

if TYPE_CHECKING:
    from grognard.compiler.lower.stmts.statements import Statements


def _match(low: Statements, node: t.Match) -> None:
    """`assign`: match as many of the right as possible with different left ones; the seat picks which."""
    left_over = lower_source(low, node.left_source)
    right_over = lower_source(low, node.right_source)
    code, statement = low.code, node.written
    site = low.lowerer.site(
        "assign", statement.label or "assign", statement.span, statement.cites.ids, owner=code.owner
    )
    left = code.values[node.left] = code.variable(node.left.name, node.left.type)
    right = code.values[node.right] = code.variable(node.right.name, node.right.type)
    assert left.type.dom is not None and right.type.dom is not None
    left_set = code.variable("(left)", set_type(left.type.dom))
    right_set = code.variable("(right)", set_type(right.type.dom))
    code.emit(ir.AssignSet(left_set.expr.index, _all_of(left_over, left)))
    # Counted once: the test of every candidate asks for it.
    wanted = code.variable("(wanted)", INT)
    code.emit(ir.Assign(wanted.expr.index, ir.SetCount(left_set.expr)))
    chosen = code.variable("(assigned)", Type("list", element=right.type, capacity=POOL_SIZE))
    trial = code.variable("(trial)", Type("list", element=right.type, capacity=POOL_SIZE))
    code.emit(ir.ListClear(chosen.expr.index))
    with _where(low, ir.Binary("gt", wanted.expr, ir.Const(0), site)):
        code.emit(ir.AssignSet(right_set.expr.index, _all_of(right_over, right)))
        _assign_some(low, node, _Sets(left, left_set, wanted, right, right_set, chosen, trial, site))
    if node.into is not None:
        result = code.values[node.into] = code.variable(node.into.name, node.into.type)
        code.emit(ir.Assign(result.expr.index, ir.ListLength(chosen.expr)))


@dataclass(frozen=True, slots=True)
class _Sets:
    """The locals of an `assign`: both sides, how many are wanted, and lists of those that have one assigned, and of a trial."""

    left: Value
    left_set: Value
    wanted: Value
    right: Value
    right_set: Value
    chosen: Value
    trial: Value
    site: int


def _all_of(over: Any, var: Value) -> Any:
    """The source of a variable, as a set."""
    assert var.type.dom
    return (
        over.set
        if isinstance(over, ir.OverSet)
        else ir.SetBuild(var.type.dom.id, var.expr.index, over, None, None)
    )


@contextmanager
def _where(low: Statements, condition: Any) -> Iterator[None]:
    """Guard the code emitted inside by a condition."""
    code = low.code
    if code.machine:
        m = low.m
        then, after = m.new_block(), m.new_block()
        m.end(ir.Branch(condition, then, after))
        m.switch(then)
        yield
        m.go_to(after)
        return
    with captured(code) as body:
        yield
    code.emit(ir.IfStmt(condition, tuple(body)))


def _assign_some(low: Statements, node: t.Match, sets: _Sets) -> None:
    """Where the set to assign is not empty."""
    code, site, right = low.code, sets.site, sets.right
    # The test of a pair runs inside loops over the right side: it needs a variable of its own.
    partner = code.values[node.partner] = code.variable(node.partner.name, node.partner.type)
    fits = low.test(node.where) if node.where is not None else ir.Const(1)
    # If every pair fits, counting is enough; that is the most frequent case.
    alike = code.variable("(alike)", FLAG)
    if node.where is not None:
        for_all = ir.Aggregate("all", partner.expr.index, ir.OverSet(sets.right_set.expr), None, fits, site)
        each = ir.Aggregate("all", sets.left.expr.index, ir.OverSet(sets.left_set.expr), None, for_all, site)
        code.emit(ir.Assign(alike.expr.index, each))
    item = code.local("(item)", right.type)
    taken = ir.Aggregate(
        "count",
        item,
        ir.OverList(sets.chosen.expr),
        ir.Binary("eq", ir.Local(item), right.expr, site),
        None,
        site,
    )
    room: Any
    if node.room is not None:
        room = low.lower(node.room).expr
    else:
        room = ir.Binary("sub", ir.Const(1), taken, site)
    tiers: list[Any] = [low.test(tier) for tier in node.first]
    for tier in [*tiers, None]:
        _match_tier(low, node, sets, tier, partner, alike, fits, room)


def _match_tier(
    low: Statements, node: t.Match, sets: _Sets, tier: Any, partner: Value, alike: Value, fits: Any, room: Any
) -> None:
    code, site, statement = low.code, sets.site, node.written
    left, left_set, wanted = sets.left, sets.left_set, sets.wanted
    right, right_set, chosen, trial = sets.right, sets.right_set, sets.chosen, sets.trial

    def some_left(taken: Value) -> Any:
        return ir.Binary("lt", ir.ListLength(taken.expr), wanted.expr, site)

    def coverable(before: Any, taken: Value) -> Any:
        if fits == ir.Const(1):
            return before
        matched = ir.Coverable(
            left.expr.index, left_set.expr, partner.expr.index, fits, taken.expr.index, right.expr
        )
        return ir.Binary("and", before, ir.Binary("or", alike.expr, matched, site), site)

    # Whether any are left to assign is the same for all candidates: tested once, before the loop.
    able: Any = coverable(ir.Binary("gt", room, ir.Const(0), site), chosen)
    if tier is not None:
        able = ir.Binary("and", tier, able, site)
    assert right.type.dom
    candidates = code.variable("(able)", set_type(right.type.dom))
    forced = code.variable("(forced)", FLAG)
    refill = ir.AssignSet(
        candidates.expr.index,
        ir.SetBuild(right.type.dom.id, right.expr.index, ir.OverSet(right_set.expr), able, None),
    )
    # All that can take one may have to take one: then there is nothing to choose.
    trial_fits = coverable(some_left(trial), trial)
    n = code.local("(n)", INT)
    try_all = (
        ir.AssignList(trial.expr.index, chosen.expr),
        ir.Assign(forced.expr.index, ir.Const(1)),
        ir.For(
            right.expr.index, ir.OverSet(candidates.expr), right.type.dom.id, None, None, False,
            (
                ir.For(
                    n, ir.OverRange(ir.Const(1), room), None, None, None, False,
                    (ir.IfStmt(trial_fits, (ir.ListAppend(trial.expr.index, right.expr, site),), (ir.Assign(forced.expr.index, ir.Const(0)), ir.Break())),),
                    site,
                ),
                # One that is left out is enough.
                ir.IfStmt(ir.Unary("not", forced.expr), (ir.Break(),)),
            ),
            site,
        ),
    )  # fmt: skip
    place = code.local("(place)", INT)
    if not code.machine or node.seat is None:
        with captured(code) as take:
            code.emit(ir.ListAppend(chosen.expr.index, right.expr, site))
            low.statements(node.then)
        body = (
            refill,
            ir.Assign(right.expr.index, ir.SetNext(candidates.expr, ir.Const(NONE))),
            ir.IfStmt(ir.Binary("eq", right.expr, ir.Const(NONE), site), (ir.Break(),)),
            *take,
        )
        code.emit(ir.While(some_left(chosen), body, site))
        return
    m = low.m
    seat = lower_frozen_decider(low, node.seat)
    if by_number(low, right.type.dom):
        name = f"{code.owner}.{statement.right}"
        named = shown(low, node.question.shown)
        assign_by_number(
            low,
            Asked(name, node.question.label, named, statement.cites.ids, statement.span, right.type),
            seat,
            Matching(
                wanted,
                right,
                right_set,
                chosen,
                trial,
                candidates,
                None if fits == ir.Const(1) else alike,
                room,
                coverable,
                able,
                site,
                lambda: low.statements(node.then),
            ),
        )
        return
    head, look, some, ask, check, take_all, one, done = (m.new_block() for _ in range(8))
    count = ir.SetCount(candidates.expr)
    m.go_to(head)
    m.end(ir.Branch(some_left(chosen), look, done))
    m.switch(look)
    m.emit(refill)
    m.end(ir.Branch(ir.Binary("gt", count, ir.Const(0), site), some, done))
    m.switch(some)
    # Each of them has room for one: if they are more than are left, not all have to.
    left_over = ir.Binary("sub", wanted.expr, ir.ListLength(chosen.expr), site)
    m.end(ir.Branch(ir.Binary("gt", count, left_over, site), ask, check))
    m.switch(check)
    for part in try_all:
        m.emit(part)
    m.end(ir.Branch(forced.expr, take_all, ask))
    m.switch(take_all)
    m.emit(ir.Assign(place, ir.ListLength(chosen.expr)))
    with captured(code) as each:
        code.emit(ir.Assign(place, ir.Binary("add", ir.Local(place), ir.Const(1), site)))
        code.emit(ir.Assign(right.expr.index, ir.ListItem(trial.expr, ir.Local(place), site)))
        low.statements(node.then)
    m.emit(ir.While(ir.Binary("lt", ir.Local(place), ir.ListLength(trial.expr), site), tuple(each), site))
    m.emit(ir.AssignList(chosen.expr.index, trial.expr))
    m.jump(done)
    m.switch(ask)
    function = low.lowerer.candidates.set_candidates(right.type.dom)
    question = asking_of(low, node.question, statement)
    args = (candidates.expr,)
    end_with_ask(low, question, function, args, seat, right, one, None, right.type, None, None)
    m.switch(one)
    m.emit(ir.ListAppend(chosen.expr.index, right.expr, site))
    low.statements(node.then)
    m.jump(head)
    m.switch(done)


MATCHING: dict[type, Any] = {t.Match: _match}
